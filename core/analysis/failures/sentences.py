"""What to fix in a run as sentences and rows: one row for each entry, the heaviest cause first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.analysis.failures.entries import Failure, Failures, by_cause, failure_entries, first_fix, heaviest_causes
from core.analysis.formatting import percent
from core.base.clean_text import shorten
from core.base.translate import Translate

MAX_DETAIL_LETTERS = 200  # of a text inside a sentence


def notes_on(failure: Failure, t: Translate) -> dict[str, str]:
    """Notes on a turn that lost points, by text key: its reply was empty, judges disagree, a judge and words disagree."""
    notes = {
        "was_empty": failure.facts.empty and not failure.diagnosis.why.startswith("empty"),
        "disagree": failure.disputed,
        "stands": failure.disputed_by_words,
    }
    overall = percent(failure.overall or 0.0)
    return {name: t(f"failures.{name}", overall=overall) for name, is_shown in notes.items() if is_shown}


class FixRow(NamedTuple):
    """The failures of one cause, document and question, as a row of text."""

    cause: str
    document: str
    question: str
    points_lost: float  # 0 to 1 for each turn
    turns: int
    why: str
    sure: str  # why the cause is less sure: words alone decided it, or judges disagree
    todo: str
    worst: int  # number of the conversation that lost most
    scenario: str
    conversation: str  # id of the conversation that lost most


def fix_rows(failures: Failures, t: Translate) -> Iterator[FixRow]:
    """The entries by cause, document and question, in the order of the page *What to fix*."""
    for entry in failure_entries(failures.turns):
        worst = entry.turns[0]
        details = {name: shorten(text, MAX_DETAIL_LETTERS) for name, text in worst.details(t).items()}
        by_words = t("failures.by_words_only") if worst.diagnosis.by == "words" else ""
        is_unwritten = worst.diagnosis.why == "not_in_documents"
        yield FixRow(
            cause=t(f"failures.cause_{entry.cause}"),
            document=entry.document or t("failures.not_written" if is_unwritten else "failures.no_document"),
            question=" ".join(worst.question.split()),
            points_lost=round(entry.points_lost, 2),
            turns=len(entry.turns),
            why=t(f"failures.why_{worst.diagnosis.why}", **details),
            sure=" ".join(filter(None, (by_words, *notes_on(worst, t).values()))),
            todo=t(f"failures.todo_{entry.cause}"),
            worst=worst.number,
            scenario=entry.scenario,
            conversation=worst.conversation,
        )


def fix_summary(failures: Failures, t: Translate, name: Callable[[str], str] = str) -> str:
    """A sentence: how many turns have something to fix, the main cause, and where to begin; "" if none is scored.

    Causes that lost the same are all named, without a place to begin. If the bot asked wrongly no document is named: the
    thresholds have to be changed. name: formats a document's name.
    """
    if not failures.scored:
        return ""
    counts = {"low": f"{len(failures.turns):,}", "scored": f"{failures.scored:,}"}
    if not failures.turns:
        return t("failures.no_failures", scored=counts["scored"])
    begin = first_fix(failures.turns)
    if begin is None:
        return t("failures.finding_unclear", **counts)
    cause, document = begin
    sums = by_cause(failures.turns)
    if len(tied := heaviest_causes(sums)) > 1:
        names = (t("failures.cause_quoted", cause=t(f"failures.cause_{one}")) for one in tied)
        return t("failures.finding_tied", causes=t("failures.cause_between").join(names), **counts)
    most = sums[cause].points > sum(cause_loss.points for cause_loss in sums.values()) / 2
    words = {**counts, "cause": t(f"failures.cause_{cause}")}
    if cause == "asked" or not document:
        return t("failures.finding" if most else "failures.finding_begin", **words)
    return t("failures.finding_start" if most else "failures.finding_begin_with", document=name(document), **words)


def points_lost_note(failures: Failures, t: Translate) -> str:
    """Which turns have something to fix, and what the points are that they lost."""
    return t("failures.how", line=f"{failures.threshold * 5:g}")
