"""How judges shall judge, from the options of a command; labelled examples from a file."""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

from core.base.types import Sample
from core.cli.json_lines import Row, read_rows
from core.judges.base import Example


class Shot(Row):
    """A labelled answer: for which judge, the verdict in that judge's own words, and why."""

    id: str | int = ""
    judge: str
    label: str
    question: str = ""
    answer: str = ""
    reference: str = ""
    contexts: tuple[str, ...] = ()
    reasons: str = ""

    def example(self) -> Example:
        """The same as a judge takes it."""
        sample = Sample(
            question=self.question,
            answer=self.answer,
            reference=(self.reference,) if self.reference else (),
            contexts=self.contexts,
        )
        return Example(sample=sample, label=self.label, reasons=self.reasons)


def judging_options(command: Any) -> None:
    """Add the options that say how to judge."""
    command.add_argument(
        "--strict",
        action="store_true",
        help="quiz judges: statements beyond the reference answer make an answer incorrect",
    )
    command.add_argument("--one-by-one", action="store_true", help="one model call per criterion")
    command.add_argument(
        "--examples", metavar="FILE", help="labelled examples for judges: {judge, label, question, answer, ...}"
    )


def how_options(given: argparse.Namespace) -> dict[str, Any]:
    """What these options say, as fields of `core.judges.base.How`; raises BadInput for a file that cannot be read."""
    examples: defaultdict[str, list[Example]] = defaultdict(list)
    for shot in read_rows(given.examples, Shot) if given.examples else ():
        examples[shot.judge].append(shot.example())
    found = {name: tuple(shots) for name, shots in examples.items()}
    return {"strict": given.strict, "together": not given.one_by_one, "examples": found}
