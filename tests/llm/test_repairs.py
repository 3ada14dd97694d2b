"""What a model does to the shape of a reply without meaning anything by it is put right without a second call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from core.base.errors import InvalidReply
from core.base.frozen_model import FrozenModel
from core.base.translate import translator
from core.base.types import Assessment, Sample, UserMessage
from core.bot.clarify.assess import Assess
from core.bot.clarify.function_calling import ChooseStep
from core.judges.base import JudgeOptions, judge_one
from core.judges.correctness.correctness_verdict import CorrectnessVerdict
from core.judges.groundedness.groundedness import GroundednessVerdict
from core.judges.keypoints.keypoints import KeypointsVerdict
from core.judges.registry import judges_of
from core.judges.relevance.relevance import RelevanceVerdict
from core.judges.turn.verdict import TurnVerdict
from core.llm.completions import Completion
from core.llm.model_requests import translated_reply_problem
from core.llm.replies import read_object
from core.llm.schemas import reply_shapes
from core.simulation.simulated_user import without_label
from core.store.store import Store
from tests.bot.test_what_reaches_the_model import TALK
from tests.support.model_server import ModelServer, engine_on, serving

FIVE = dict.fromkeys(("clarity", "is_question", "is_consultation", "in_internal_docs", "ask_person"), 2)
CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
CLAIM = {"claim": "14日", "essential": True, "evidence": "14日です", "status": "found"}


class Grade(FrozenModel):
    """A grade."""

    text: str
    level: Literal[1, 2, 3]
    yes: Literal["Y", "N"]


def read(kind: Any, data: Any) -> Any:
    return read_object(Completion({"content": json.dumps(data, ensure_ascii=False)}), reply_shapes(kind))


@pytest.mark.parametrize("raw", ["２", "2", " ２ ", "2.", "2点", "Score: 2", "2/5", 2, 2.0])
def test_a_number_may_be_quoted_or_full_width_or_have_its_unit(raw: Any) -> None:
    raw = raw.rstrip(".") if raw == "2." else raw
    assert read(Assessment, {**FIVE, "clarity": raw}).clarity == 2
    mark = {"reason": "r", "score": raw}
    assert read(TurnVerdict, {"steps": [], "conclusion": "", **dict.fromkeys(CRITERIA, mark)}).overall.score == 2


@pytest.mark.parametrize("raw", ["4.5", "-2", "2 or 3", "high", "２個か３個", True])
def test_a_number_is_never_guessed(raw: Any) -> None:
    with pytest.raises(InvalidReply):
        read(Assessment, {**FIVE, "clarity": raw})


@pytest.mark.parametrize("status", ["Found", "FOUND", "found.", "ｆｏｕｎｄ", "`found`"])
def test_labels_may_be_in_any_case_and_width(status: str) -> None:
    assert read(CorrectnessVerdict, {"claims": [{**CLAIM, "status": status}], "reason": "r"}).verdict == "Yes"


@pytest.mark.parametrize(
    ("raw", "verdict"),
    [("YES", "Yes"), ("はい", "Yes"), ("y", "Yes"), (True, "Yes"), ("いいえ", "No"), ("n", "No"), (False, "No")],
)
def test_yes_and_no_may_be_said_in_other_words(raw: Any, verdict: str) -> None:
    reply = {"wants": "w", "quote": "q", "reasons": "r", "verdict": raw}
    assert read(RelevanceVerdict, reply).verdict == verdict
    assert read(Grade, {"text": "t", "level": "２", "yes": raw}) == Grade(text="t", level=2, yes=verdict[0])
    claim = {**CLAIM, "essential": raw}
    assert read(CorrectnessVerdict, {"claims": [claim], "reason": "r"}).claims[0].essential is (verdict == "Yes")


def test_a_list_may_be_keyed_by_id_or_be_a_single_object() -> None:
    one = {"reasons": "r", "verdict": "covered"}
    keyed = read(KeypointsVerdict, {"verdicts": {"1": one, "要点2": {**one, "verdict": "Neither"}}})
    assert [(verdict.id, verdict.verdict) for verdict in keyed.verdicts] == [(1, "covered"), (2, "neither")]
    assert read(KeypointsVerdict, {"verdicts": {"id": "１", **one}}).verdicts[0].id == 1


def test_steps_in_one_text_are_its_lines_and_keys_may_have_capitals() -> None:
    marks = {name.capitalize(): {"Reason": "r", "Score": "N/A"} for name in CRITERIA}
    found = read(TurnVerdict, {"Steps": "1. a\n2. b", "Conclusion": ["c", "d"], **marks})
    assert (found.steps, found.conclusion, found.overall.score) == (("a", "b"), "c\nd", None)


@pytest.mark.parametrize("raw", ["２", "2点", "２点", "2/5"])
def test_a_score_from_a_list_may_have_its_unit(raw: str) -> None:
    assert read(Grade, {"text": "t", "level": raw, "yes": "Y"}).level == 2


def test_lines_lose_the_mark_of_a_list_and_keep_a_minus_sign() -> None:
    marks = {name: {"reason": "r", "score": "なし"} for name in CRITERIA}
    found = read(TurnVerdict, {"steps": "① a\n（2）b\n・c\n-5 °C", "conclusion": "d", **marks})
    assert (found.steps, found.overall.score) == (("a", "b", "c", "-5 °C"), None)


def test_choices_may_be_objects_with_a_label() -> None:
    choices = [{"id": 1, "label": "スマートフォン"}, {"id": "b", "text": "PC"}, "社員証", {"title": "鍵"}, {"a": 1}]
    asked = read(Assessment, {**FIVE, "ask_missing_info": "何を?", "choices": choices})
    assert asked.choices == ("スマートフォン", "PC", "社員証", "鍵")


def problem_of(kind: Any, data: Any, language: Any) -> str:
    with pytest.raises(InvalidReply) as raised:
        read(kind, data)
    return translated_reply_problem(translator(language), raised.value)


def test_what_is_said_of_a_fault_is_true() -> None:
    ending = problem_of(UserMessage, {"text": "はい", "ending": "継続"}, "ja")
    assert "'done'" in ending and "または `null`" in ending
    assert "[]" in problem_of(GroundednessVerdict, {"claims": None, "reasons": "r"}, "en")
    marks = dict.fromkeys(CRITERIA, 5)
    every = problem_of(TurnVerdict, {"steps": [], "conclusion": "", **marks}, "en")
    assert all(name in every for name in CRITERIA)


def test_an_overall_score_is_asked_for_where_the_others_have_one() -> None:
    marks: dict[str, Any] = {name: {"reason": "r", "score": 4} for name in CRITERIA}
    marks["overall"]["score"] = None
    assert "overall" in problem_of(TurnVerdict, {"steps": [], "conclusion": "", **marks}, "en")
    marks["correctness"] = {"reason": "nothing to judge by", "score": None}
    assert read(TurnVerdict, {"steps": [], "conclusion": "", **marks}).overall.score is None


@pytest.mark.parametrize("content", ["How can I help?", ""])
def test_who_calls_no_function_is_told_which_ones_there_are(content: str) -> None:
    with pytest.raises(InvalidReply) as raised:
        read_object(Completion({"content": content}), reply_shapes(ChooseStep.reply_type()))
    sentence = translated_reply_problem(translator("ja"), raised.value)
    assert "search_now" in sentence and "JSON" not in sentence


def test_a_question_back_that_claims_nothing_costs_no_call(tmp_path: Path) -> None:
    server = ModelServer()
    asks = Sample(question="休暇は?", answer="どの休暇ですか。", contexts=("年休は10日です。",), asked_back=True)
    with serving(server):
        engine = engine_on(server, Store(f"sqlite:///{tmp_path / 'kiku.db'}"))
        found = judge_one(engine, judges_of(("groundedness",))[0], asks, JudgeOptions())
    assert [one.value for one in found] == [None, None] and all(one.error for one in found) and not server.requests


def test_what_fits_stays_as_it_is() -> None:
    text = "はい Yes 2. N/A\n「x」"
    assert read(UserMessage, {"text": text, "ending": None}).text == text
    assert read(Assessment, {**FIVE, "wants": "Yes"}).wants == "Yes"


@pytest.mark.parametrize(
    "raw", ["③ 介護休暇", "Option 3: 介護休暇", "選択肢3：介護休暇", "(3) 介護休暇", "３．介護休暇"]
)
def test_choices_come_without_their_numbers(raw: str) -> None:
    assert read(Assessment, {**FIVE, "choices": [raw, "1.5倍の割増"]}).choices == ("介護休暇", "1.5倍の割増")


@pytest.mark.parametrize(
    ("data", "japanese", "english"),
    [
        ({**FIVE, "clarity": None}, "項目「clarity」が", "clarity is null or empty"),
        (dict.fromkeys([*FIVE][1:], 2), "項目「clarity」がありません", "clarity is missing"),
        ({**FIVE, "clarity": "high"}, "項目「clarity」は整数にしてください", "clarity should be a whole number"),
        ({**FIVE, "clarity": 7}, "項目「clarity」は 5 以下にしてください", "clarity should be at most 5"),
    ],
)
def test_the_model_is_told_what_is_wrong_in_the_prompt_s_language(
    data: Any, japanese: str, english: str, tmp_path: Path
) -> None:
    for language, sentence in (("ja", japanese), ("en", english)):
        script = [json.dumps(data), json.dumps(FIVE)]
        with serving(ModelServer(script=script)) as server:
            engine = engine_on(server, Store(f"sqlite:///{tmp_path / language}.db"))
            assert engine.ask(Assess(conversation=TALK, language=language)).clarity == 2  # pyright: ignore
        said = server.requests[-1]["messages"][-1]["content"]
        assert sentence in said and "Field required" not in said


def test_a_misbehaving_server_costs_no_second_call(tmp_path: Path) -> None:
    claims = {"1": {**CLAIM, "status": "FOUND", "essential": "はい"}}
    script = [
        json.dumps({"Claims": claims, "Reason": ["a", "b"]}),
        '{"verdicts": {"Depth": {"reasons": "r", "verdict": "はい"}}}',
    ]
    with serving(ModelServer(script=script, output_modes=("json", "text"))) as server:
        engine = engine_on(server, Store(f"sqlite:///{tmp_path / 'k.db'}"))
        sample = Sample(question="q", answer="a", reference=("r",))
        scores = [
            judge_one(engine, one, sample, JudgeOptions())[0] for one in judges_of(("correctness", "criteria:depth"))
        ]
    assert [score.label for score in scores] == ["Yes", "Y"] and not server.script
    assert sum("q" in str(body["messages"][-1]["content"]) for body in server.requests) <= 2 + 8  # beside the probes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You: It is for Lisbon.", "It is for Lisbon."),
        ("**あなた：** 大阪です。", "大阪です。"),
        ("Calm: Thanks.", "Thanks."),
        ("「わかりません。」", "わかりません。"),
        ("Error: disk full. What now?", "Error: disk full. What now?"),
        ("「同期エラー」と出ます。「再試行」しても", "「同期エラー」と出ます。「再試行」しても"),
    ],
)
def test_a_simulated_user_s_label_is_no_part_of_the_message(text: str, said: str) -> None:
    assert without_label(UserMessage(text=text), "Calm").text == said
