"""Only what has the shape asked for counts, however it is wrapped; a word inside the reasoning never does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pydantic import Field, create_model

from core.base.errors import InvalidReply, ModelRefusal
from core.base.frozen_model import FrozenModel
from core.base.types import Assessment, Sample, UserMessage
from core.bot.clarify.function_calling import AskForMissing, ChooseStep, SearchNow
from core.judges.base import JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.judges.turn.verdict import TurnVerdict
from core.llm.completions import Completion, load_completion
from core.llm.reasoning import stream_without_reasoning
from core.llm.replies import TruncatedReply, read_object, read_text
from core.llm.schemas import fingerprint, reply_shapes, strict, whole_schema
from tests.support.fake_judge_engine import Replying

MARK = '{"text": "hello", "ending": "done"}'
WRONG = '{"text": "no", "ending": null}'
MODEL_JUDGES = ("turn", "correctness", "groundedness", "sufficiency", "relevance", "qa", "cot_qa", "keypoints")
MODEL_JUDGES += ("criteria:harmfulness", "five_star", "simulated_user")
FULL_SAMPLE = Sample(question="q", answer="a", contexts=("c",), reference=("r",), keypoints=("k",))
WANTED = UserMessage(text="hello", ending="done")


def read(content: Any, finish: str = "stop", **message: Any) -> Any:
    return read_object(Completion({"content": content, **message}, finish), reply_shapes(UserMessage))


def called(*arguments: Any, name: str = "user_message") -> list[Any]:
    return [{"id": "1", "type": "function", "function": {"name": name, "arguments": one}} for one in arguments]


@pytest.mark.parametrize(
    "content",
    [
        MARK,
        f"```json\n{MARK}\n```",
        f"```\n{MARK}\n``` That is all.",
        f"Here you are: {MARK}. Anything else?",
        f'<think>Perhaps {{"text": "no", "ending": null}}? No.</think>{MARK}',
        f'it said {{"text": "no"}} first, so no.</think>\n\n{MARK}',
        f'At first {{"txt": "draft", "ending": null}}, but at last {MARK}',
        f"First {MARK}, and that stays: {MARK}",
        f'First {MARK}, and that stays: {{"text": "hello", "ending": "done",}}',
        f"{MARK} (where {{text}} is what I say)",
        f"[THINK]Perhaps {WRONG}? No.[/THINK]{MARK}",
        f"◁think▷Perhaps {WRONG}? No.◁/think▷{MARK}",
        f"<|channel|>analysis<|message|>{WRONG}?<|end|><|start|>assistant<|channel|>final<|message|>{MARK}<|return|>",
        f"analysis<|message|>{WRONG}?<|end|><|start|>assistant<|channel|>final<|message|>{MARK}",
        f"analysisPerhaps {WRONG}? No.assistantfinal{MARK}",
        f'{{"result": {MARK}}}',
        f'{{"data": {{"response": {MARK}}}}}',
        json.dumps({"verdict": MARK}),
        "{'text': 'hello', 'ending': 'done'}",
        '{"text": "hello", "ending": "done",}',
        '{text: "hello", ending: "done"}',
        f'{{"name": "user_message", "arguments": {MARK}}}',
        json.dumps({"name": "user_message", "parameters": MARK}),
        f'{{"UserMessage": {MARK}}}',
        f"[{MARK}]",
        '{"text": "hello", "ending": "done", "mood": {"kind": "good"}, "confidence": 1}',
        [{"type": "text", "text": MARK}],
        '{"text": "hello", \n\n "ending": "done"}\n\n\n',
    ],
)
def test_a_reply_is_read_whatever_is_around_it(content: Any) -> None:
    assert read(content) == WANTED


@pytest.mark.parametrize(
    "calls",
    [
        called(MARK),
        called(json.loads(MARK)),
        called(f"```json\n{MARK}```"),
        called("{", MARK),
        called(MARK, '{"text": "second", "ending": null}'),
        called(MARK, name="another_name"),
        called(MARK)[0],
        [{"type": "function", "name": "user_message", "arguments": MARK}],
        called({"result": json.loads(MARK)}),
    ],
)
def test_a_tool_call_is_read_whatever_the_server_makes_of_it(calls: Any) -> None:
    assert read(None, "tool_calls", tool_calls=calls) == WANTED


def test_a_call_in_the_old_form_is_read() -> None:
    assert read(None, function_call={"name": "user_message", "arguments": MARK}) == WANTED


def test_nothing_said_for_nothing_is_nothing() -> None:
    for nothing in ("", "null", "n/a", "NA", "ＮＵＬＬ", "なし", "-"):
        assert read(json.dumps({"text": "hello", "ending": nothing})) == read('{"text": "hello", "ending": null}')
    values = dict.fromkeys(("clarity", "is_question", "is_consultation", "in_internal_docs", "ask_person"), "2")
    reply = Completion({"content": json.dumps({**values, "ask_missing_info": None, "choices": None})})
    assert read_object(reply, reply_shapes(Assessment)) == Assessment(**dict.fromkeys(values, 2))


class Verdict(FrozenModel):
    """A reason and a score."""

    reason: str
    score: int


GOOD = '"reason": "good", "score": 5'


@pytest.mark.parametrize(
    "content",
    [
        "It is relevant. Y. I would give it 5 out of 5. Score: 5",
        '<think>{"reason": "good", "score": 5}</think>',
        '<think>I am still thinking {"reason": "good", "score": 5}',
        '{"reason": "good", "sco',
        '{"reason": "the score is {5}", "score": ',
        '{"reason": "good", "score": "very good"}',
        '{"reason": "good", "score": 4.5}',
        '{"reason": "good", "score": null}',
        '{"score": 5}',
        '"score": 5',
        "[5]",
        "5",
        "",
        None,
        "{" * 3_000,
        '{"reason": {"reason": "x", "score": true}}',
        '{"reason": "good", "score": true}',
        '{"reason": "good", "score": false,}',
        '{"reason": "good", "score": 2, "score": 5}',
        '{"reason": "good", "score": 2, "score": 5,}',
        '{"reason": "good", "score": NaN}',
        f'Draft: {{{GOOD}}} Final: {{"reason": "bad", "score": }}',
        f'Draft: {{{GOOD}}} Final: {{"reason": "bad", "score": {{}}',
        f'Draft: {{{GOOD}}} Final: {{"reason": "bad", "sco',
        f'{{"reason": "bad", "score": 1}} For example {{{GOOD}}} would be better.',
        f'{{{GOOD}}} Better: {{"reason": "bad", "score": 1,}}',
        f"[THINK]{{{GOOD}}}[/THINK]",
        f"<|channel|>analysis<|message|>{{{GOOD}}}",
        f"<|channel|>analysis<|message|>it says <|channel|>final<|message|>{{{GOOD}}}<|channel|>final<|message|>no",
        f'{{"draft": {{{GOOD}}}, "final": {{"reason": "bad", "score": 1}}}}',
        '{"reason": "x } sign", "score": 5,} }',
        '{"' * 100_000,
        '{"x": {' * 50_000,
        '{"x": [' * 50_000 + "]}" * 50_000,
        f"{{{GOOD}}}" + "{}" * 1_000,
        "{'x': " + "'{'," * 10_000 + "}",
    ],
)
def test_what_has_not_the_shape_is_no_verdict(content: Any) -> None:
    with pytest.raises(InvalidReply):
        read_object(Completion({"content": content}), reply_shapes(Verdict))


def test_the_model_is_told_which_field_is_wrong() -> None:
    with pytest.raises(InvalidReply, match=r"score: Input should be a valid integer"):
        read_object(Completion({"content": '{"reason": "good", "score": "high"}'}), reply_shapes(Verdict))


def test_a_reply_cut_at_the_limit_is_not_mended() -> None:
    with pytest.raises(TruncatedReply):
        read(MARK, "length")


@pytest.mark.parametrize(
    "reply", [Completion({"content": None, "refusal": "No."}), Completion({"content": ""}, "content_filter")]
)
def test_a_refusal_is_recognised(reply: Completion) -> None:
    with pytest.raises(ModelRefusal):
        read_text(reply)


@pytest.mark.parametrize(
    "text", ["<think>hm</think>\nyes", "hm</think>yes", "<think>a</think><think>b</think> yes", " yes\n"]
)
def test_a_text_comes_without_its_reasoning(text: str) -> None:
    assert read_text(Completion({"content": text})) == "yes"


def test_marks_that_are_quoted_stay() -> None:
    quoted = '{"reason": "the reply says <think>5</think>, which is no reason", "score": 1}'
    assert read_object(Completion({"content": quoted}), reply_shapes(Verdict)) == Verdict.model_validate_json(quoted)


@pytest.mark.parametrize(
    "text",
    [
        "<think>hm</think>\n\nyes [1].",
        "yes [1].",
        "<thinking> hm </thinking>yes [1].",
        "<b> x",
        "[THINK]hm[/THINK] yes [1].",
        "[1] yes",
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>yes [1].",
        "analysis of it: yes [1].",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_streamed_text_comes_without_its_reasoning(text: str, size: int) -> None:
    pieces = [text[place : place + size] for place in range(0, len(text), size)]
    assert "".join(stream_without_reasoning(pieces)) == read_text(Completion({"content": text}))


def test_of_several_functions_the_one_that_is_called_counts() -> None:
    steps = reply_shapes(ChooseStep.reply_type())
    asked = Completion({"tool_calls": called('{"question": "Which?", "choices": []}', name="ask_for_missing")})
    assert read_object(asked, steps) == AskForMissing(question="Which?")
    assert read_object(Completion({"tool_calls": called("{}", name="search_now")}), steps) == SearchNow()
    assert read_object(Completion({"content": '{"name": "search_now", "arguments": {}}'}), steps) == SearchNow()
    wrapped = '{"call": {"name": "ask_for_missing", "arguments": {"question": "Which?", "choices": []}}}'
    for text in (wrapped, f'{{"result": {wrapped}}}'):
        assert read_object(Completion({"content": text}), steps) == AskForMissing(question="Which?")
    with pytest.raises(InvalidReply):
        read_object(Completion({"content": "I would call search_now, or ask_for_missing. {}"}), steps)


@pytest.mark.parametrize("arguments", ["", None, "null", "N/A", "なし", "{}", "[]", {}, []])
@pytest.mark.parametrize("name", ["search_now", "functions.search_now", "search-now", "SearchNow"])
def test_a_function_without_arguments_is_called_however_they_are_left_out(name: str, arguments: Any) -> None:
    steps = reply_shapes(ChooseStep.reply_type())
    call = {"function": {"name": name, "arguments": arguments}}
    assert read_object(Completion({"tool_calls": [call]}), steps) == SearchNow()
    assert read_object(Completion({"tool_calls": [{"name": name}]}), steps) == SearchNow()
    assert read_object(Completion({"tool_calls": [{"function": {"name": name}}]}), steps) == SearchNow()


@pytest.mark.parametrize("name", ["ask_for_missing", "search", "search_now_or_later"])
def test_a_call_that_is_not_whole_or_of_no_function_is_no_call(name: str) -> None:
    with pytest.raises(InvalidReply):
        read_object(Completion({"tool_calls": called("", name=name)}), reply_shapes(ChooseStep.reply_type()))


def test_a_reply_too_deep_to_be_written_down_is_kept_without_its_depths() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert "too deeply" in load_completion(Completion({"content": None, "tool_calls": deep}).dump()).text


def test_a_stored_reply_is_the_reply() -> None:
    reply = Completion({"content": None, "tool_calls": called(MARK)}, "tool_calls")
    assert load_completion(reply.dump()) == reply


# What we use of the part of JSON Schema that the guide to structured outputs lists
PUBLISHED = {
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "$ref",
    "$defs",
}


def check_schema(schema: Any) -> None:
    """Raises if a schema, or one inside it, is not as strict servers take it."""
    assert set(schema) <= PUBLISHED
    if "$ref" in schema:
        assert set(schema) == {"$ref"}
    if schema.get("type") == "object":
        assert schema["additionalProperties"] is False
        assert sorted(schema["required"]) == sorted(schema["properties"])
    inside = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    for one in [*inside, *([schema["items"]] if "items" in schema else [])]:
        check_schema(one)


@pytest.mark.parametrize("reply", [UserMessage, Assessment, TurnVerdict, ChooseStep.reply_type()])
def test_schemas_are_strict(reply: Any) -> None:
    check_schema(whole_schema(reply))
    assert whole_schema(reply)["type"] == "object"
    for function in reply_shapes(reply):
        check_schema(function.schema)
        assert function.schema == strict(function.kind)


@pytest.mark.parametrize("reply", [UserMessage, Assessment, TurnVerdict])
def test_the_model_is_told_what_each_field_is_for(reply: Any) -> None:
    fields = whole_schema(reply)["properties"].values()
    assert all("$ref" in field or len(field["description"]) > 10 for field in fields)


def test_no_definition_is_sent_twice() -> None:
    for judge in judges_of(MODEL_JUDGES):
        engine = Replying(make=lambda prompt: None)
        judge_one(engine, judge, FULL_SAMPLE, JudgeOptions())
        sent = json.dumps(whole_schema(engine.asked[0].reply_type()))
        described = re.findall(r'"description": "([^"]*)"', sent)
        assert len(described) == len(set(described)), judge.name
    assert len(json.dumps(whole_schema(TurnVerdict))) < 1_500


def test_other_words_for_the_model_are_another_question() -> None:
    reworded = create_model("UserMessage", __base__=UserMessage, text=(str, Field(description="Something else.")))
    assert fingerprint(reworded) != fingerprint(UserMessage)


def test_half_characters_are_replaced() -> None:
    assert read('{"text": "a\\ud83d", "ending": null}') == UserMessage(text="a\ufffd")
