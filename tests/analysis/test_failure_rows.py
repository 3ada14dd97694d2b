"""What to fix as rows and sentences: a row for each entry, with the texts of its worst turn."""

from __future__ import annotations

import random
from collections.abc import Iterator

from core.analysis.failures.causes import CAUSES, Diagnosis, TurnFacts
from core.analysis.failures.entries import Failure, Failures, by_cause, failure_entries, first_fix
from core.analysis.failures.sentences import MAX_DETAIL_LETTERS, fix_rows, fix_summary
from core.base.translate import translator
from core.charts.causes import causes_bar
from core.charts.style import GREY, PERSIMMON

SAY = translator("en")
WHYS = {
    "asked": "asked_poorly",
    "rewrite": "user_words_find_it",
    "not_found": "not_in_documents",
    "not_used": "judged_wrong",
    "unclear": "right_but_low",
}


def failing_turns(size: int, letters: int = 8) -> Iterator[Failure]:
    """Low turns in no order, many of them equal in score, cause, document and scenario."""
    dice = random.Random(size)
    named = [Diagnosis(cause=cause, why=WHYS[cause]) for cause in CAUSES if cause in WHYS]
    for number in range(size):
        yield Failure(
            turn=number,
            conversation=f"c{number}",
            number=number,
            turn_number=1,
            scenario=f"q{dice.randrange(4)}",
            question=f"what {number} " + "x" * letters,
            kind="faq",
            persona="p",
            persona_name="P",
            score=dice.randrange(4) / 5,
            overall=None,
            document=dice.choice(["", "a.md", "b.md", "c.md"]),
            diagnosis=dice.choice(named),
            facts=TurnFacts(kind="faq"),
            reference=f"r{number} " + "y" * letters,
            query="q",
        )


def test_the_rows_are_those_of_the_list_with_the_worst_turn_of_each_entry() -> None:
    turns = list(failing_turns(500))
    found = Failures(tuple(turns), 700, 20)
    rows = list(fix_rows(found, SAY))
    entries = failure_entries(turns)
    assert len(rows) == len(entries) > 40
    for row, entry in zip(rows, entries, strict=True):
        worst = min(entry.turns, key=lambda one: one.score)
        assert (row.scenario, row.turns, row.points_lost) == (
            entry.scenario,
            len(entry.turns),
            round(entry.points_lost, 2),
        )
        assert (row.worst, row.conversation, row.question) == (worst.number, worst.conversation, worst.question)
        assert row.cause == SAY(f"failures.cause_{entry.cause}")
        assert row.why == SAY(f"failures.why_{worst.diagnosis.why}", **worst.details(SAY))
    cause, document = first_fix(turns) or ("", "")
    shown_text = fix_summary(found, SAY)
    assert (
        SAY(f"failures.cause_{cause}") in shown_text
        and document in shown_text
        and "500" in shown_text
        and "700" in shown_text
    )


def test_where_the_bot_asked_wrongly_no_document_is_to_be_begun_with() -> None:
    turns = [turn._replace(document="a.md") for turn in failing_turns(40) if turn.diagnosis.cause == "asked"]
    assert first_fix(turns) == ("asked", "a.md")
    shown_text = fix_summary(Failures(tuple(turns), 50, 0), SAY)
    assert "a.md" not in shown_text and "Clarification error" in shown_text


def test_the_finding_says_most_only_of_what_lost_more_than_half_of_the_points() -> None:
    turn = next(turn for turn in failing_turns(40) if turn.diagnosis.why == "judged_wrong")
    used = turn._replace(document="a.md", score=0.0)
    invalid = turn._replace(diagnosis=Diagnosis("simulator", "invalid"))
    shown_text = fix_summary(Failures((used, *[invalid._replace(score=0.8)] * 2), 3, 0), SAY)
    assert "mostly because of “Passage not used”" in shown_text and "a.md" in shown_text
    for cause in (Diagnosis("simulator", "invalid"), Diagnosis("unclear", "right_but_low")):
        shown_text = fix_summary(Failures((used, *[invalid._replace(diagnosis=cause, score=0.0)] * 5), 9, 0), SAY)
        assert shown_text == "6 of 9 scored turns to fix; first fix “Passage not used” in “a.md”"


def test_causes_that_lost_the_same_are_all_named_and_drawn_alike() -> None:
    turn = next(failing_turns(1))._replace(score=0.2)
    causes = [Diagnosis("asked", "needless"), Diagnosis("refused", "right_refusal"), Diagnosis("simulator", "invalid")]
    found = Failures(tuple(turn._replace(diagnosis=cause) for cause in causes), 21, 0, threshold=0.4)
    text = fix_summary(found, translator("ja"))
    assert text.startswith("要修正は採点済み 21 ターン中 3 ターン。")
    assert text.endswith("「聞き返しの誤り」・「不要な回答拒否」（同点）")
    bars = causes_bar(by_cause(found.turns), SAY).figure.data[0]
    colors = dict(zip(by_cause(found.turns), bars.marker.color, strict=True))
    assert colors["asked"] == colors["refused"] == PERSIMMON and colors["simulator"] == GREY


def test_a_row_says_what_makes_its_cause_less_sure() -> None:
    turn = next(turn for turn in failing_turns(40) if turn.diagnosis.why == "judged_wrong")
    doubtful = turn._replace(overall=1.0, facts=TurnFacts(kind="faq", correct=False, matches_reference=True))
    empty = turn._replace(
        diagnosis=Diagnosis("not_found", "missed", by="words"), facts=TurnFacts(empty=True), scenario="other"
    )
    rows = list(fix_rows(Failures((doubtful, empty), 2, 0), SAY))
    shown_text = {row.scenario: row.sure for row in rows}
    overall = SAY("failures.disagree", overall="100%")
    assert shown_text == {
        turn.scenario: f"{overall} {SAY('failures.stands')}",
        "other": f"{SAY('failures.by_words_only')} {SAY('failures.was_empty')}",
    }


def test_a_text_that_is_long_is_cut_in_the_sentence() -> None:
    rows = fix_rows(Failures(tuple(failing_turns(60, letters=5_000)), 60, 0), SAY)
    whys = [row.why for row in rows]
    assert any("…" in why for why in whys) and max(map(len, whys)) < 3 * MAX_DETAIL_LETTERS


def test_dropped_words_are_joined_as_the_language_does() -> None:
    turn = next(failing_turns(1))._replace(
        diagnosis=Diagnosis("rewrite", "query_lost_intent"), dropped_words=("看護", "休暇")
    )
    whys = {language: next(fix_rows(Failures((turn,), 1, 0), translator(language))).why for language in ("ja", "en")}
    assert "看護、休暇" in whys["ja"] and "看護, 休暇" in whys["en"]
