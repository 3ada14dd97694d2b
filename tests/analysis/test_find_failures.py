"""Which stage lost the points, told of the low turns of runs."""

from __future__ import annotations

from typing import Any

import pytest

from core.analysis.failures.entries import by_cause, by_document, failure_entries, first_fix, judges_for_unclear
from core.analysis.failures.find import find_failures
from core.analysis.failures.sentences import notes_on
from core.analysis.simulator_health import invalid_in_run
from core.base.translate import translator
from core.base.types import Bot, Sample, Scenario
from core.charts.causes import causes_bar
from core.retrieval.index_cache import Indexes
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import FileRun, store_answers
from core.store.store import Store
from pages.i18n.translate import words
from tests.support.failing_turns import EXPENSES, LINE, VAGUE, answering, asking, run_with_failures, scores


def causes(store: Store, *turns: Any, scenario: Scenario = EXPENSES, index: Any = None) -> list[tuple[str, str]]:
    run = run_with_failures(store, [(scenario, turns)])
    return [(turn.diagnosis.cause, turn.diagnosis.why) for turn in find_failures(store, run, index=index).turns]


def test_records_and_wording_show_the_cause_without_judges_of_stages(store: Store) -> None:
    found = [
        (
            EXPENSES,
            [
                (
                    answering("わかりません。", ("leave.md", "入社から6か月で年休が20日つきます。"), answered=False),
                    scores(),
                )
            ],
        ),
        (EXPENSES, [(answering("わかりません。", ("expenses.md", LINE), answered=False), scores())]),
        (EXPENSES, [(answering("休暇は5日です。[1]", ("expenses.md", LINE)), scores())]),
        (EXPENSES, [(asking(), scores())]),
        (VAGUE, [(answering("交通費は10日までです。[1]", ("expenses.md", LINE), said=VAGUE.question), scores())]),
    ]
    turns = find_failures(store, run_with_failures(store, found)).turns
    assert [turn.diagnosis.cause for turn in turns] == ["not_found", "refused", "not_used", "asked", "asked"]
    assert [turn.diagnosis.by for turn in turns] == ["words", "words", "words", "record", "record"]
    assert turns[1].document == "expenses.md"


def test_judges_overrule_words(store: Store) -> None:
    beside = answering("休暇は5日です。[1]", ("leave.md", "入社から6か月で年休が20日つきます。"))
    assert causes(store, (beside, scores(correctness=False, sufficiency=True, groundedness=True))) == [
        ("not_used", "judged_wrong")
    ]


def test_a_clarifying_question_is_no_failure_for_being_no_answer(store: Store) -> None:
    good = asking(said=VAGUE.question)
    assert causes(store, (good, scores(0.8, correctness=False, groundedness=False)), scenario=VAGUE) == []


def test_an_invalid_user_turn_is_the_cause_of_what_follows(store: Store) -> None:
    first = (answering("10日までです。[1]", ("expenses.md", LINE)), scores(1.0, simulated_user="invalid:off_intent"))
    second = (answering("わかりません。", answered=False), scores(simulated_user=True))
    assert causes(store, first, second) == [("simulator", "invalid")]


def test_a_small_fault_of_the_user_is_no_cause(store: Store) -> None:
    turn = answering("わかりません。", ("expenses.md", LINE), answered=False)
    assert causes(store, (turn, scores(simulated_user="invalid:repeats"))) == [("refused", "answer_in_passages")]


@pytest.mark.parametrize(("reasons", "cause"), [("【重大】x", "simulator"), ("【軽微】x", "refused")])
@pytest.mark.parametrize("tag", ["repeats", "off_intent"])
def test_the_severity_that_the_judge_gave_counts_as_it_does_in_the_list_of_invalid_conversations(
    store: Store, tag: str, reasons: str, cause: str
) -> None:
    turn = answering("わかりません。", ("expenses.md", LINE), answered=False)
    *others, user = scores(simulated_user=f"invalid:{tag}")
    run = run_with_failures(store, [(EXPENSES, [(turn, [*others, user.model_copy(update={"reasons": reasons})])])])
    assert [found.diagnosis.cause for found in find_failures(store, run).turns] == [cause]
    assert bool(invalid_in_run(store, run)) == (cause == "simulator")


def test_an_invalid_user_turn_is_noticed_without_its_judge(store: Store) -> None:
    turn = answering(
        "わかりません。", answered=False, said="お問い合わせありがとうございます。担当の者が折り返しご連絡いたします。"
    )
    found = find_failures(store, run_with_failures(store, [(VAGUE, [(turn, scores())])])).turns[0]
    assert (found.diagnosis.cause, found.diagnosis.by, found.diagnosis.deciding_judges) == (
        "simulator",
        "words",
        ("simulated_user",),
    )


def test_a_query_that_dropped_what_was_said_is_to_blame(store: Store) -> None:
    shown_text = "子の看護休暇の日数を知りたいです"
    second = answering(
        "わかりません。", ("care.md", "看護休暇は年に5日です。"), query="休暇について", answered=False, said=shown_text
    )
    found = run_with_failures(store, [(VAGUE, [(asking(said=VAGUE.question), scores(1.0)), (second, scores())])])
    turn = find_failures(store, found).turns[0]
    assert (turn.diagnosis.cause, turn.diagnosis.why) == ("rewrite", "query_lost_intent")
    assert "看護" in turn.dropped_words


def test_the_index_shows_which_document_has_the_answer_if_any(store: Store, bot: Bot, small_indexes: Indexes) -> None:
    index = small_indexes.get(bot)
    missed = answering("わかりません。", ("leave.md", "入社から6か月で年休が20日つきます。"), answered=False)
    nowhere = EXPENSES.model_copy(update={"id": "q9", "reference": "社長の電話番号は内線4649番です。"})
    run = run_with_failures(store, [(EXPENSES, [(missed, scores())]), (nowhere, [(missed, scores())])])
    turns = find_failures(store, run, index=index).turns
    assert [(turn.diagnosis.why, turn.document) for turn in turns] == [
        ("missed", "expenses.md"),
        ("not_in_documents", ""),
    ]


def test_unscored_turns_are_counted_and_never_failures(store: Store) -> None:
    turn = answering("10日です。[1]", ("expenses.md", LINE))
    found = find_failures(
        store, run_with_failures(store, [(EXPENSES, [(turn, scores(None)), (turn, scores(1.0)), (turn, [])])])
    )
    assert (found.turns, found.scored, found.unscored) == ((), 1, 2)


def test_a_higher_alert_mark_finds_more_failures(store: Store) -> None:
    run = run_with_failures(store, [(EXPENSES, [(answering("10日です。[1]", ("expenses.md", LINE)), scores(0.8))])])
    assert not find_failures(store, run).turns and len(find_failures(store, run, threshold=0.8).turns) == 1


def test_out_of_scope_the_bot_may_not_answer(store: Store) -> None:
    out = Scenario(id="o", question="社長の好物は", reference="資料にはありません。", kind="out_of_scope")
    assert causes(store, (answering("10日です。[1]", ("expenses.md", LINE)), scores()), scenario=out) == [
        ("not_supported", "out_of_scope")
    ]


def test_the_cause_of_an_answer_from_a_file_comes_from_its_columns(store: Store, bot: Bot) -> None:
    rows = [
        FileAnswer(id="1", sample=Sample(question="期限は？", answer="5日です。", reference=("10日です。",))),
        FileAnswer(
            id="2",
            sample=Sample(question="期限は？", answer="休暇は5日です。", reference=(LINE,), contexts=("前書き", LINE)),
        ),
        FileAnswer(
            id="3", sample=Sample(question="期限は？", answer="わかりません。", reference=(LINE,), contexts=(LINE,))
        ),
    ]
    for _, turn in store_answers(store, FileRun("file-1", bot, "a.csv", ["correctness"], rows)):
        store.scores.add(turn, scores(None, correctness=False))
    found = find_failures(store, "file-1").turns
    assert [turn.diagnosis.cause for turn in found] == ["unknown", "not_used", "refused"]


def test_the_list_is_by_cause_document_and_question_worst_first(store: Store) -> None:
    refused = answering("わかりません。", ("expenses.md", LINE), answered=False)
    other = EXPENSES.model_copy(update={"id": "q5", "question": "精算の締め切りはいつですか"})
    conversations: list[Any] = [(EXPENSES, [(refused, scores(0.6))]), (EXPENSES, [(refused, scores(0.4))])]
    conversations += [(other, [(refused, scores(0.2))]), (EXPENSES, [(asking(), scores(0.6))])]
    turns = find_failures(store, run_with_failures(store, conversations)).turns
    entries = failure_entries(turns)
    assert [(one.cause, one.scenario, len(one.turns)) for one in entries] == [
        ("refused", "q1", 2),
        ("refused", "q5", 1),
        ("asked", "q1", 1),
    ]
    assert entries[0].points_lost == pytest.approx(1.0) and entries[0].turns[0].score == 0.4
    assert list(by_cause(turns)) == ["refused", "asked"] and by_cause(turns)["refused"].n == 3
    assert next(iter(by_document(turns))) == "expenses.md" and first_fix(turns) == ("refused", "expenses.md")


def test_the_names_of_causes_stand_above_their_bars_so_that_none_is_cut_off(store: Store) -> None:
    refused = answering("わかりません。", ("expenses.md", LINE), answered=False)
    conversations: list[Any] = [(EXPENSES, [(refused, scores(0.2))]), (EXPENSES, [(asking(), scores(0.6))])]
    bars, names = causes_bar(
        by_cause(find_failures(store, run_with_failures(store, conversations)).turns), translator("en")
    ).figure.data
    assert list(bars.x) == pytest.approx([0.8, 0.4]) and list(names.x) == [0, 0]
    assert all(name < bar for name, bar in zip(names.y, bars.y, strict=True))
    assert [text.partition("　")[0] for text in names.text] == ["Needless refusal", "Clarification error"]


def test_what_is_not_clear_comes_last_and_names_its_judges(store: Store) -> None:
    silent = Scenario(id="n", question="期限は？")
    turn = answering("10日です。[1]", ("expenses.md", LINE))
    conversations: list[Any] = [(silent, [(turn, scores(0.2))])] * 2 + [(EXPENSES, [(asking(), scores(0.6))])]
    turns = find_failures(store, run_with_failures(store, conversations)).turns
    assert list(by_cause(turns)) == ["asked", "unclear"] and judges_for_unclear(turns) == ("groundedness",)


def test_only_the_version_of_a_judge_that_saw_the_most_turns_counts(store: Store) -> None:
    turn = answering("10日です。[1]", ("expenses.md", LINE))
    run = run_with_failures(store, [(EXPENSES, [(turn, scores(1.0)), (turn, scores(1.0))])])
    first = store.conversations.turns("run-1-1")[0].id
    old = scores(0.2)[0].model_copy(update={"version": "narrow"})
    store.scores.add(first, [old])
    assert not find_failures(store, run).turns


def test_judges_that_disagree_are_reported(store: Store) -> None:
    turn = answering("5日です。[1]", ("expenses.md", LINE))
    wrong = [scores(1.0, correctness=False), scores(0.4, correctness=False), scores(0.4)]
    found = find_failures(store, run_with_failures(store, [(EXPENSES, [(turn, values) for values in wrong])])).turns
    assert [low.disputed for low in found] == [True, False, False]


def test_a_no_against_the_words_of_the_reference_is_reported(store: Store) -> None:
    passage = ("expenses.md", LINE)
    says = answering("期限は翌月の10日まで、システムで精算です。[1]", passage)
    lacks = answering("期限は翌月の5日までです。[1]", passage)
    wrong = {"correctness": False, "sufficiency": True}
    judged: list[Any] = [(says, scores(0.4, **wrong)), (says, scores(1.0, **wrong)), (lacks, scores(0.4, **wrong))]
    judged.append((says, scores(0.4, sufficiency=True)))
    turns = find_failures(store, run_with_failures(store, [(EXPENSES, [one]) for one in judged])).turns
    assert [turn.diagnosis.why for turn in turns] == ["judged_wrong", "judged_wrong", "judged_wrong", "no_verdict"]
    assert [turn.disputed_by_words for turn in turns] == [True, True, False, False]
    assert [list(notes_on(turn, translator("en"))) for turn in turns] == [["stands"], ["disagree", "stands"], [], []]
    shown_text = translator("en")("failures.why_judged_wrong", **turns[0].details(translator("en")))
    assert "The reference answer is" in shown_text and "judge" in shown_text and EXPENSES.reference in shown_text


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_sentence_says_that_the_passages_hold_what_the_reference_says(language: str) -> None:
    named = {name: text[language] for name, text in words().items() if "{reference}" in text.get(language, "")}
    whys = {name: text for name, text in named.items() if name.startswith("failures.why_")}
    assert len(whys) == 5
    for text in whys.values():
        assert {"ja": "模範解答", "en": "reference answer"}[language] in text
        assert "passages say" not in text and "とある" not in text


def test_an_empty_reply_is_no_unsupported_claim(store: Store, bot: Bot) -> None:
    rows = [
        FileAnswer(id=name, sample=Sample(question="期限は？", answer=answer, reference=(LINE,), contexts=contexts))
        for name, answer, contexts in (
            ("1", "", (LINE,)),
            ("2", " \n", (LINE,)),
            ("3", "", ("休暇は年に5日です。",)),
            ("4", "", ()),
            ("5", "期限は30日です。", (LINE,)),
        )
    ]
    for _, turn in store_answers(store, FileRun("file-1", bot, "a.csv", ["turn", "correctness"], rows)):
        wrong = scores(0.2, correctness=False)
        wrong.append(wrong[0].model_copy(update={"criterion": "correctness"}))  # what the turn judge says of contents
        store.scores.add(turn, wrong)
    found = find_failures(store, "file-1").turns
    assert [(turn.diagnosis.cause, turn.diagnosis.why) for turn in found] == [
        ("not_used", "empty"),
        ("not_used", "empty"),
        ("not_found", "query_unknown"),
        ("unknown", "stages_unknown"),
        ("not_supported", "contradicts"),
    ]
    assert [list(notes_on(turn, translator("en"))) for turn in found] == [[], [], ["was_empty"], ["was_empty"], []]
    assert "empty" in translator("en")("failures.why_empty") and "空" in translator("ja")("failures.why_empty")
