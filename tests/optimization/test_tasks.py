"""What prompts are tried on: people's labels, scenarios that say whether to ask, scenarios with a reference."""

from __future__ import annotations

import json

import pytest

from core.base.errors import BadInput
from core.base.types import Bot, Sample
from core.llm.embedded import EmbeddedEngine
from core.optimization.labelled_rows import LabelledRow, halve, labelled_answers
from core.optimization.prompt_task import bot_task, judge_task, likeness
from core.optimization.variants import example_sets, with_examples
from core.prompts.catalog import check_prompt, find_prompt, sent_messages
from core.retrieval.index_cache import Indexes
from core.store.store import Store
from tests.support.model_server import ModelServer, engine_on


def test_scenarios_are_scored_by_whether_the_bot_asks_and_by_a_judge(bot: Bot, small_indexes: Indexes) -> None:
    index = small_indexes.get(bot)
    clarifier, answers = (bot_task(bot, index, name, "ja") for name in ("assess", "answer"))
    assert {(row.id, row.label) for row in clarifier.rows()} == {("q1", "search"), ("q2", "ask"), ("q3", "search")}
    text = find_prompt("assess").default("ja")
    scored = {row.id: clarifier.score(EmbeddedEngine(), text, row) for row in clarifier.rows()}
    assert scored["q1"] == (1.0, "聞き返さずに検索した。clarity: 1")
    assert scored["q2"].got.startswith("聞き返した。clarity: ") and "尋ねた文: " in scored["q2"].got
    assert scored["q2"].score in (0.5, 1.0)
    found = answers.score(EmbeddedEngine(), find_prompt("answer").default("ja"), answers.rows()[0])
    assert found.score == 1.0 and "10日" in found.got
    assert [row.id for row in bot_task(bot, index, "rewrite", "ja").rows()] == ["q2"]


def test_what_a_clarifier_did_names_the_field_that_decided_and_the_intent_that_no_choice_fits(
    bot: Bot, small_indexes: Indexes, store: Store, server: ModelServer
) -> None:
    reply = {"wants": "w", "clarity": 1, "is_question": 1, "is_consultation": 5, "in_internal_docs": 1, "ask_person": 5}
    reply |= {"ask_missing_info": "", "res_consultation": "", "ask_user_meta_info": "雇用形態はどちらですか。"}
    clarifier = bot_task(bot, small_indexes.get(bot), "assess", "ja")
    row = next(one for one in clarifier.rows() if one.label == "ask" and one.scenario and one.scenario.intent)
    intent = row.scenario.intent if row.scenario else ""
    for choices, score in (([intent], 1.0), ([f"ほかのこと・{intent}"], 1.0), (["ほかのこと", "さらに別のこと"], 0.5)):
        server.script = [json.dumps({**reply, "choices": choices}, ensure_ascii=False)]
        found = clarifier.score(engine_on(server, store), find_prompt("assess").default("ja") + f"\n{choices}", row)
        assert found.score == score and found.got.startswith("聞き返した。clarity: 1、尋ねた文: 雇用形態")
        assert (f"「{intent}」に合う choices がない" in found.got) == (score < 1)


def test_the_text_that_is_tried_is_the_text_that_is_sent(
    bot: Bot, small_indexes: Indexes, store: Store, server: ModelServer
) -> None:
    index, engine = small_indexes.get(bot), engine_on(server, store)
    for name in ("assess", "answer", "rewrite"):
        task = bot_task(bot, index, name, "ja", judge="turn")
        row = next(row for row in task.rows() if row.id == "q2")
        task.score(engine, f"TRIED {name}\n{find_prompt(name).default('ja')}", row)
    sent = [str(one["messages"][0]["content"]) for one in server.requests]
    assert [name for name in ("assess", "answer", "rewrite") if not any(f"TRIED {name}" in one for one in sent)] == []


def test_a_prompt_without_a_measure_and_a_judge_of_another_prompt_are_refused(bot: Bot) -> None:
    with pytest.raises(BadInput, match="cannot be optimized"):
        bot_task(bot, None, "simulated_user", "ja")
    with pytest.raises(BadInput, match="does not ask the prompt"):
        judge_task(bot, "judges/quiz", "ja", "turn", ())


def test_labels_are_read_from_a_table_and_rows_without_one_left_out() -> None:
    rows = labelled_answers(
        [
            {"question": "q", "answer": "a", "label": "Yes", "reference": "r"},
            {"question": "q", "answer": "b", "label": ""},
        ]
    )
    assert [(row.label, row.sample.answer, row.sample.reference) for row in rows] == [("Yes", "a", ("r",))]
    with pytest.raises(BadInput, match="no column 'label'"):
        labelled_answers([{"question": "q", "answer": "a"}])


@pytest.mark.parametrize(
    ("label", "wanted", "value"),
    [("Yes", "yes", 1.0), ("Yes", "No", 0.0), ("4", "5", 0.75), ("1/4", "3/4", 0.5), ("1", "5", 0.0)],
)
def test_labels_are_compared_as_words_points_or_shares(label: str, wanted: str, value: float) -> None:
    assert likeness(label, wanted) == pytest.approx(value)


def test_halves_have_the_same_labels_whatever_the_order() -> None:
    rows = [
        LabelledRow(id=f"{n}", label="Yes" if n % 4 else "No", sample=Sample(question="q", answer=f"{n}"))
        for n in range(24)
    ]
    halves, reversed_halves = halve(rows, 3), halve(rows[::-1], 3)
    assert halves == reversed_halves and not {*halves.development} & {*halves.held_out}
    assert [sum(row.label == "No" for row in half) for half in halves] == [3, 3]
    assert halve(rows, 4) != halves


def test_a_conversation_is_never_in_both_halves() -> None:
    sizes = [1, 2, 3, 5, 1, 1, 4, 2, 9, 1, 2, 3, 1, 1, 2, 6]
    rows = [
        LabelledRow(
            id=f"{name}-{n}", label="Yes" if (name + n) % 3 else "No", sample=Sample(question="q", answer="a"),
            conversation=f"c{name}",
        )
        for name, size in enumerate(sizes)
        for n in range(size)
    ]  # fmt: skip
    for seed in range(20):
        halves = halve(rows, seed)
        there = [{row.conversation for row in half} for half in halves]
        assert not there[0] & there[1] and len(there[0] | there[1]) == len(sizes)
        assert halves == halve(rows[::-1], seed)
        for label in ("Yes", "No"):  # as even as whole conversations allow
            first, second = (sum(row.label == label for row in half) for half in halves)
            assert abs(first - second) <= 3
    assert len({halve(rows, seed) for seed in range(5)}) > 1
    with pytest.raises(BadInput, match="of 8 conversations"):
        halve([row for row in rows if row.conversation in {f"c{n}" for n in range(8)}], 0)


def test_conversations_of_a_file_are_read_from_their_column() -> None:
    rows = [{"question": "q", "answer": "a", "label": "Yes", "group": f"g{n // 2}"} for n in range(4)]
    assert [row.conversation for row in labelled_answers(rows)] == ["g0", "g0", "g1", "g1"]
    messages = [{"question": "q", "answer": "a", "label": "Yes", "conversation": '[{"role": "user", "text": "x"}]'}]
    assert labelled_answers(messages)[0].conversation == ""


def test_examples_are_shown_as_text_and_code_in_them_is_left_out() -> None:
    rows = [
        LabelledRow(id="a", label="Yes", sample=Sample(question="{{ 7 * 7 }}", answer="x")),
        LabelledRow(id="b", label="Yes", sample=Sample(question="How long?", answer="5 days")),
    ]
    (chosen,) = example_sets(rows, 2, 0)
    assert [row.id for row in chosen] == ["b"]
    text = with_examples(find_prompt("judges/relevance").default("en"), chosen, "en")
    check_prompt("judges/relevance.en", text)
    assert "5 days" in sent_messages("judges/relevance.en", text)[0]
