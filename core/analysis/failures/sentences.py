"""What to fix in a run as sentences and rows: one row for each entry, the heaviest cause first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from core.analysis.failures.causes import Cause, Diagnosis
from core.analysis.failures.entries import (
    Entry,
    Failure,
    FailureLike,
    by_cause,
    first_fix,
    group_failures,
    order_entries,
)
from core.analysis.formatting import percent
from core.base.text import shorten
from core.base.translate import Translate

LONGEST_DETAIL = 200  # letters of a text that a sentence names


class CompactFailure(NamedTuple):
    """A turn that lost points without its texts."""

    diagnosis: Diagnosis
    document: str
    scenario: str
    score: float

    @property
    def points_lost(self) -> float:
        """Points lost, 0 to 1."""
        return 1.0 - self.score


class WorstTurn(NamedTuple):
    """What is shown of the turn that lost most: why, in a sentence, what to know before mending, and its conversation."""

    score: float
    why: str
    notes: str
    question: str
    number: int
    conversation: str


class CompactFindings(NamedTuple):
    """`Findings` in little room; worst: of each entry, by cause, document and scenario."""

    turns: tuple[CompactFailure, ...]
    worst: dict[tuple[Cause, str, str], WorstTurn]
    scored: int
    unscored: int


def compact(t: Translate, turns: Iterable[Failure], scored: int, unscored: int) -> CompactFindings:
    """The findings of these turns, each let go before the next is asked for; of equals the first is the worst."""
    findings: list[CompactFailure] = []
    worst: dict[tuple[Cause, str, str], WorstTurn] = {}
    shared: dict[str, str] = {}
    for turn in turns:
        document, scenario = (shared.setdefault(name, name) for name in (turn.document, turn.scenario))
        findings.append(CompactFailure(turn.diagnosis, document, scenario, turn.score))
        key: tuple[Cause, str, str] = (turn.diagnosis.cause, document, scenario)
        if key not in worst or turn.score < worst[key].score:
            question = " ".join(turn.question.split())
            notes = " ".join(notes_on(turn, t).values())
            worst[key] = WorstTurn(turn.score, _why(turn, t), notes, question, turn.number, turn.conversation)
    return CompactFindings(tuple(findings), worst, scored, unscored)


def notes_on(failure: Failure, t: Translate) -> dict[str, str]:
    """What to know of a turn that lost points before anything is mended, by the name of each sentence: that the reply was empty,
    that judges disagree, that a judge and the words do."""
    holds = {
        "was_empty": failure.evidence.empty and not failure.diagnosis.why.startswith("empty"),
        "disagree": failure.disputed,
        "stands": failure.disputed_by_words,
    }
    overall = percent(failure.overall or 0.0)
    return {name: t(f"failures.{name}", overall=overall) for name, is_shown in holds.items() if is_shown}


def _why(failure: Failure, t: Translate) -> str:
    return t(
        f"failures.why_{failure.diagnosis.why}",
        **{name: shorten(text, LONGEST_DETAIL) for name, text in failure.details.items()},
    )


class FixRow(NamedTuple):
    """Low turns of one cause, document and question. lost: points (0 to 1 a turn); worst: number and id of the
    conversation that lost most; sure: what makes its cause less sure, that words alone told it or that judges disagree."""

    cause: str
    document: str
    question: str
    lost: float
    turns: int
    why: str
    sure: str
    todo: str
    worst: int
    scenario: str
    conversation: str


class FailureSource(Protocol):
    """What was found in a run, whole or in little room; scored: turns with a verdict."""

    @property
    def turns(self) -> Sequence[FailureLike]: ...
    @property
    def scored(self) -> int: ...


def fix_rows(findings: CompactFindings, t: Translate) -> Iterator[FixRow]:
    """The entries by cause, document and question, in the order of the page *What to fix*."""
    for entry in order_entries(group_failures(findings.turns)):
        yield _row(entry, findings.worst[entry.key], t)


def fix_summary(failures: FailureSource, t: Translate, name: Callable[[str], str] = str) -> str:
    """How many turns lost points, by what most of the points, and where to begin; "" if none is scored.

    name: how a document is written there. Where the bot asked wrongly none is named: thresholds and words are mended then.
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
    most = sums[cause].points > sum(cause_loss.points for cause_loss in sums.values()) / 2
    words = {**counts, "cause": t(f"failures.cause_{cause}")}
    if cause == "asked" or not document:
        return t("failures.finding" if most else "failures.finding_begin", **words)
    return t("failures.finding_start" if most else "failures.finding_begin_with", document=name(document), **words)


def _row(entry: Entry[CompactFailure], worst: WorstTurn, t: Translate) -> FixRow:
    named = entry.turns[0].diagnosis
    by_words = t("failures.by_words_only") if named.by == "words" else ""
    return FixRow(
        cause=t(f"failures.cause_{entry.cause}"),
        document=entry.document or t("failures.not_written" if named.why == "unwritten" else "failures.no_document"),
        question=worst.question,
        lost=round(entry.points_lost, 2),
        turns=len(entry.turns),
        why=worst.why,
        sure=" ".join(filter(None, (by_words, worst.notes))),
        todo=t(f"failures.todo_{entry.cause}"),
        worst=worst.number,
        scenario=entry.scenario,
        conversation=worst.conversation,
    )
