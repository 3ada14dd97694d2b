"""Groundedness, sufficiency and relevance judged by a model: the verdict is a field, and the material is data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.base.fence import fence_text
from core.base.types import Language, Sample
from core.judges.base import Example, JudgeOptions, judge_one
from core.judges.groundedness.groundedness import JUDGE as GROUNDEDNESS
from core.judges.groundedness.groundedness import JudgeGroundedness
from core.judges.groundedness.sufficiency import JUDGE as SUFFICIENCY
from core.judges.relevance.relevance import JUDGE as RELEVANCE
from core.store.store import Store
from tests.judges.test_groundedness import ASKED, ENGINE, JUDGES, PASSAGES, RIGHT, WRONG, judged
from tests.support.fake_judge_engine import Replying
from tests.support.model_server import ModelServer, engine_on, serving

CLAIMS = [
    {"claim": "3日間保管", "passage": 2, "quote": "3日間保管し", "state": "supported"},
    {"claim": "自宅に送れる", "passage": 0, "quote": "", "state": "absent"},
]


def test_the_verdict_of_a_model_comes_from_its_field_and_not_from_its_reasons() -> None:
    engine = Replying({"claims": CLAIMS, "reasons": "grounded: Yes, Yes, Yes."})
    found = judged(GROUNDEDNESS, RIGHT["ja"], engine=engine)
    assert (found["grounded"].label, found["grounded"].value, found["support"].label) == ("No", 0.0, "1/2")
    engine = Replying(
        {"wants": "", "quote": "", "reasons": "Verdict: Yes. Yes.", "verdict": "No"},
        {"points": CLAIMS[:1], "reasons": "No, not at all."},
        {"points": CLAIMS, "reasons": "Yes."},
    )
    assert judged(RELEVANCE, RIGHT["ja"], engine=engine)["relevance"].value == 0.0
    assert judged(SUFFICIENCY, "", engine=engine, reference=(RIGHT["ja"],))["sufficiency"].value == 1.0
    assert judged(SUFFICIENCY, "", engine=engine, reference=(RIGHT["ja"],))["sufficiency"].value == 0.0


def test_a_model_that_finds_no_claim_leaves_both_open() -> None:
    engine = Replying({"claims": [], "reasons": "claims nothing"})
    assert all(score.value is None and score.error for score in judged(GROUNDEDNESS, "…", engine=engine).values())


def test_reasons_stand_before_the_verdict_in_every_reply() -> None:
    for judge in JUDGES:
        engine = Replying(make=lambda prompt: None)
        judge_one(engine, judge, Sample(question="q", answer="a", contexts=("c",), reference=("r",)), JudgeOptions())
        fields = list(engine.asked[0].reply_type().model_fields)
        assert fields[-2:] in (["reasons", "verdict"], ["claims", "reasons"], ["points", "reasons"])
        assert all(field.description for field in engine.asked[0].reply_type().model_fields.values())


@pytest.mark.parametrize("language", ["ja", "en"])
def test_examples_are_shown_as_data_and_those_with_another_judges_label_are_not(language: Language) -> None:
    shot = Sample(question="窓口は何時まで？", answer="20時までです。", contexts=("窓口は20時まで開いています。",))
    labelled = (Example(sample=shot, label="Yes", reasons="資料1のとおり"), Example(sample=shot, label="CORRECT"))
    engine = Replying({"claims": [], "reasons": ""})
    options = JudgeOptions(language=language, examples={"groundedness": labelled})
    judge_one(engine, GROUNDEDNESS, Sample(question="q", answer="a", contexts=("c",)), options)
    rules, material = engine.asked[0].messages()
    assert len(engine.asked[0].examples) == 1
    assert fence_text("20時までです。") in material and fence_text("資料1のとおり") in material and "20時" not in rules


def test_the_reasons_language_is_the_judges_and_not_the_datas() -> None:
    sample = Sample(question=ASKED["ja"], answer=WRONG["ja"], contexts=PASSAGES["ja"])
    english, japanese = (judge_one(ENGINE, GROUNDEDNESS, sample, JudgeOptions(language=one))[1] for one in ("en", "ja"))
    assert "claims" in english.reasons and "主張" in japanese.reasons
    prompt = JudgeGroundedness(sample=sample, language="en")
    assert "in English" in prompt.render("en")


def test_a_model_behind_a_server_gives_the_verdict(tmp_path: Path) -> None:
    reply = json.dumps({"claims": CLAIMS, "reasons": "Yesとは言えない", "grounded": "Yes"}, ensure_ascii=False)
    with serving(ModelServer(script=[reply])) as server:
        engine = engine_on(server, Store(f"sqlite:///{tmp_path / 'kiku.db'}"))
        found = judged(GROUNDEDNESS, RIGHT["ja"], engine=engine)
        assert server.invalid == []
    assert (found["grounded"].label, found["support"].label) == ("No", "1/2")
