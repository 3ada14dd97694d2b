"""A model server whose verdicts depend on the prompt in a known way, for searches for a better prompt."""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

from core.base.types import Sample
from core.optimization.labelled_rows import LabelledRow
from tests.support.model_replies import Json, shape
from tests.support.model_server import ModelServer

HINT = "An answer that names a figure is Yes."
ROWS = [
    LabelledRow(
        id=f"a{number:02}",
        label="Yes" if number % 2 else "No",
        sample=Sample(
            question=f"Question {number}?", answer=f"{'It is 5' if number % 2 else 'Perhaps'}, row-{number:02}."
        ),
    )
    for number in range(32)
]


class PromptDependentServer(ModelServer):
    """Judges relevance. With HINT in the rules it is right; else, or if `noisy`, right or wrong by chance (of prompt and row).

    Its first proposal adds HINT, the others add words that mean nothing.
    """

    def __init__(self, noisy: bool = False) -> None:
        super().__init__()
        self.noisy = noisy

    def next_script(self, body: Json) -> Any:
        """The reply to a proposal or a verdict; probes are answered as usual."""
        if shape(body) == "check":
            return None
        rules, asked = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
        if "proposal number" in asked:
            return json.dumps({"thought": "The line is unclear.", "rules": _proposal(asked)})
        right = "Yes" if "It is 5" in asked.rpartition("## Answer")[2] else "No"
        wrong = "No" if right == "Yes" else "Yes"
        knows = HINT in rules and not self.noisy
        marks = re.findall(r"Take care \(\d+\)|^Examples.*|row-\d+", rules, re.MULTILINE)
        lucky = zlib.crc32(f"{marks if self.noisy else ''}{HINT in rules and self.noisy}{_row(asked)}".encode()) % 2
        verdict = right if knows or lucky else wrong
        return json.dumps({"wants": "An answer.", "quote": "", "reasons": "Because.", "verdict": verdict})

    def asked_rows(self) -> list[tuple[bool, str]]:
        """Of each verdict asked for, in order: whether the rules had HINT, and the row."""
        bodies = [one for one in self.requests if "## Answer" in str(one["messages"][-1]["content"])]
        return [
            (HINT in str(one["messages"][0]["content"]), _row(str(one["messages"][-1]["content"]))) for one in bodies
        ]


def _proposal(asked: str) -> str:
    number = int(asked.rpartition("proposal number ")[2].partition(".")[0])
    found = re.search(r"<<<(\w+)\n(.*?)\n\1>>>", asked, re.DOTALL)
    rules = found[2] if found else ""
    return f"{rules}\n{HINT if number == 1 else f'Take care ({number}).'}"


def _row(asked: str) -> str:
    return "a" + asked.rpartition("row-")[2][:2]
