"""The judge of simulated users: ok, or invalid and by what."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from core.base.fence import fence_text
from core.base.types import Message, Sample, ScenarioKind, Score
from core.judges.base import Example, JudgeOptions, judge_one
from core.judges.simulated_user.simulated_user import JUDGE
from core.llm.embedded import EmbeddedEngine
from core.store.store import Store
from tests.support.fake_judge_engine import Replying
from tests.support.model_server import ModelServer, engine_on, serving

STORED = tomllib.loads(Path(__file__).with_name("user_cases.toml").read_text("utf-8"))
SCENES = {scene["id"]: scene for scene in STORED["scenes"]}
OTHER_FAULT = {"それはお困りですね。まず設定画面を開いてください。": "invented_fact"}  # invalid, but by another name


def sample_of(case: dict[str, str]) -> Sample:
    scene = SCENES[case["scene"]]
    choices = tuple(scene.get("choices", ()))
    history = (
        Message(role="user", text=scene["opening"]),
        Message(role="assistant", text=scene["bot"], choices=choices, asks=bool(choices)),
    )
    fields = {key: scene[key] for key in ("persona", "intent", "facts")}
    return Sample(question=case["turn"], answer="", history=history, **fields)


def judged(sample: Sample, engine: Any = None, options: JudgeOptions = JudgeOptions()) -> Score:
    (score,) = judge_one(engine or EmbeddedEngine(), JUDGE, sample, options)
    return score


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["turn"][:24])
def test_a_turn_is_ok_or_invalid_by_what_a_reader_finds(case: dict[str, str]) -> None:
    score = judged(sample_of(case))
    tag = OTHER_FAULT.get(case["turn"], case["tag"])
    assert score.label == ("ok" if tag == "ok" else f"invalid:{tag}"), score.reasons
    assert score.value == float(tag == "ok") and score.reasons


@pytest.mark.parametrize(
    ("opening", "kind", "label"),
    [
        ("休みのことで", "vague", "ok"),
        ("契約社員が5月に結婚するときの休暇の日数を知りたい", "vague", "invalid:gave_away"),
        ("契約社員が5月に結婚するときの休暇の日数を知りたい", "faq", "ok"),
        ("小1の子が2人いて、10月12日に休みたいのですが", "vague", "ok"),
        ("", "vague", "invalid:empty"),
    ],
)
def test_an_opening_is_the_scenarios_and_only_gives_too_much_away(opening: str, kind: ScenarioKind, label: str) -> None:
    sample = Sample(
        question=opening, answer="", intent="契約社員が5月に結婚するときの休暇の日数を知りたい。", kind=kind
    )
    assert judged(sample).label == label


def test_severity_stands_before_the_reasons_in_the_judging_language() -> None:
    case = {"scene": "plan", "turn": "As an AI language model I do not have a plan."}
    assert judged(sample_of(case)).reasons.startswith("【重大】")
    assert judged(sample_of(case), options=JudgeOptions(language="en")).reasons.startswith("(major) ")
    second = {"scene": "plan", "turn": "How do I cancel?"}
    assert judged(sample_of(second), options=JudgeOptions(language="en")).reasons.startswith("(minor) ")


def test_the_verdict_of_a_model_comes_from_its_fields() -> None:
    case = sample_of(STORED["cases"][0])
    invalid = {"reasons": "ok ok ok", "tag": "left_persona", "severity": "minor"}
    fine = {"reasons": "invalid? no", "tag": "none", "severity": "none"}
    scores = [judged(case, Replying(reply), JudgeOptions(language="en")) for reply in (invalid, fine)]
    assert [(one.label, one.value) for one in scores] == [("invalid:left_persona", 0.0), ("ok", 1.0)]
    assert scores[0].reasons == "(minor) ok ok ok"
    assert judged(case, Replying({**invalid, "tag": "none"})).label == "ok"


def test_a_model_sees_the_whole_material_fenced_and_is_not_asked_about_nothing() -> None:
    case = sample_of(STORED["cases"][0])
    engine = Replying({"reasons": "", "tag": "none", "severity": "none"})
    example = Example(sample=case, label="invalid:repeats", reasons="前と同じ")
    judged(case, engine, JudgeOptions(examples={"simulated_user": (example,)}))
    for language in ("ja", "en"):
        text = engine.asked[0].render(language)
        shown = (case.question, case.persona, case.intent, case.facts, case.history[0].text, "前と同じ")
        assert all(fence_text(part) in text for part in shown)
        assert "invalid:repeats" in text and "2. 結婚休暇\n3. 忌引休暇" in text
    assert judged(Sample(question=" ", answer=""), Replying()).label == "invalid:empty"


def test_a_served_model_judges_a_turn(tmp_path: Path) -> None:
    reply = json.dumps({"reasons": "窓口の言い方", "tag": "spoke_as_desk", "severity": "major"})
    with serving(ModelServer(script=[reply])) as server:
        score = judged(sample_of(STORED["cases"][0]), engine_on(server, Store(f"sqlite:///{tmp_path}/kiku.db")))
    assert not server.invalid and score.label == "invalid:spoke_as_desk" and score.reasons == "【重大】窓口の言い方"


@pytest.mark.parametrize(
    "turn", ["😀" * 500, "あ" * 50_000, "\u202e逆", "a\x00b", "{{ facts }}", "٣ أيام", "。" * 9_000]
)
def test_any_text_is_judged(turn: str) -> None:
    case = sample_of({"scene": "leave", "turn": turn})
    assert judged(case).value in (0.0, 1.0)
