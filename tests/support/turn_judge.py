"""The turn judge on the embedded engine, for its tests."""

from __future__ import annotations

from core.base.types import Sample, Score
from core.judges.base import JudgeOptions, judge_one
from core.judges.turn.turn import JUDGE
from core.llm.embedded import EmbeddedEngine

ENGINE = EmbeddedEngine()


LINK = ("再設定のリンクは60分間有効です。リンクは1回だけ使えます。", "月額料金は3,000円です。毎月1日に請求します。")


ASKED = "パスワード再設定のリンクは何分有効ですか"


def judged(answer: str, question: str = ASKED, contexts: tuple[str, ...] = LINK, **fields: object) -> dict[str, Score]:
    sample = Sample.model_validate({"question": question, "answer": answer, "contexts": contexts, **fields})
    return {score.criterion: score for score in judge_one(ENGINE, JUDGE, sample, JudgeOptions())}


def label(scores: dict[str, Score], criterion: str = "overall") -> int:
    return int(scores[criterion].label)
