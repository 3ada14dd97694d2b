"""A model judge on a server that answers differently each time: asked again about labelled turns, its variation is in the interval."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from core.analysis.labelled_turns import LabelledTurns, labelled_turns, max_repeats
from core.base.types import Bot, Sample
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import JudgingJobs, JudgingRequest
from core.store.labels import TurnLabel
from core.store.store import Store
from tests.support.model_replies import Json, shape
from tests.support.model_server import ModelServer, engine_on, serving

TURNS, LABELLED = 40, 30
ROWS = [
    FileAnswer(id=f"a{n}", sample=Sample(question=f"Question {n}?", answer=f"{'It is 5' if n % 2 else 'Perhaps'}, row-{n}."))
    for n in range(TURNS)
]  # fmt: skip


class VaryingServer(ModelServer):
    """Judges relevance by the answer, and says the opposite in a fourth of its verdicts, each time of others."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = random.Random(7)
        self.asked: list[int] = []

    def next_script(self, body: Json) -> Any:
        if shape(body) == "check":
            return None
        said = str(body["messages"][-1]["content"]).rpartition("## Answer")[2]
        with self.lock:
            self.asked.append(int(re.findall(r"row-(\d+)", said)[-1]))
            right = ("It is 5" in said) != (self.dice.random() < 0.25)
        return json.dumps({"wants": "", "quote": "", "reasons": "Because.", "verdict": "Yes" if right else "No"})


def labels(store: Store, run: str) -> LabelledTurns:
    return labelled_turns(store, (run,), {run: "en"})


def test_verdicts_that_vary_are_inside_the_interval(store: Store, bot: Bot) -> None:
    with (
        serving(VaryingServer()) as server,
        JudgingJobs(store, engine_on(server, store)) as judgings,
    ):
        english = {"language": "en"}
        job = judgings.judge_file(bot, "a.jsonl", ROWS, JudgingRequest(["relevance"], english))
        assert job.wait(60) and job.error is None
        turns = list(store.labels.conversations(job.run_id))
        for n, turn in enumerate(turns[:LABELLED]):
            store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes" if n % 2 else "no"))
        once = labels(store, job.run_id).agreement("relevance")
        server.asked.clear()
        asked_job = judgings.ask_again(
            job.run_id, set(turns[:LABELLED]), JudgingRequest(["relevance"], english, repeats=3)
        )
        assert asked_job.wait(60) and asked_job.error is None
        assert sorted(server.asked) == sorted(
            2 * list(range(LABELLED))
        )  # the first verdicts stay, the rest has no label
        found = labels(store, job.run_id)
        assert max_repeats(found, "relevance") == 3 and once.agreement_by_repeat == ()
        thrice = found.agreement("relevance")
        low, high = thrice.percent.low, thrice.percent.high
        assert low is not None and high is not None and low <= 0.75 <= high  # what it says on the whole
        assert (
            thrice.agreement_by_repeat[0] == pytest.approx(once.percent.value)
            and len(set(thrice.agreement_by_repeat)) > 1
        )
        alone = 1.96 * (0.75 * 0.25 / (3 * LABELLED)) ** 0.5  # half the width that the variation by itself brings about
        assert (high - low) / 2 > 0.9 * alone
        assert thrice.percent.value == pytest.approx(sum(thrice.agreement_by_repeat) / 3)
        server.asked.clear()
        other = judgings.ask_again(
            job.run_id, set(turns[:LABELLED]), JudgingRequest(["relevance"], {**english, "strict": True}, repeats=2)
        )
        assert other.wait(60) and other.total == 2 * TURNS  # in another version a few turns alone would not count
