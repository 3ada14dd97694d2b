"""What to fix in a run as rows and sentences for what is taken away: one row for each entry, the heaviest cause first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from core.base.words import Say
from core.report.fix_light import Light, LightFindings, Worst
from core.report.fix_list import Entry, Lost, by_cause, entries_of, in_order, start_with


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


class Found(Protocol):
    """What was found in a run, whole or in little room; scored: turns with a verdict."""

    @property
    def turns(self) -> Sequence[Lost]: ...
    @property
    def scored(self) -> int: ...


def fix_rows(found: LightFindings, say: Say) -> Iterator[FixRow]:
    """The entries by cause, document and question, in the order of the page *What to fix*."""
    for entry in in_order(entries_of(found.turns)):
        yield _row(entry, found.worst[entry.key], say)


def fix_finding(found: Found, say: Say, name: Callable[[str], str] = str) -> str:
    """How many turns lost points, by what most of the points, and where to begin; "" where none is scored.

    name: how a document is written there. Where the bot asked wrongly none is named: bounds and words are mended then.
    """
    if not found.scored:
        return ""
    counts = {"low": f"{len(found.turns):,}", "scored": f"{found.scored:,}"}
    if not found.turns:
        return say("fix.none_low", scored=counts["scored"])
    begin = start_with(found.turns)
    if begin is None:
        return say("fix.finding_unclear", **counts)
    cause, document = begin
    sums = by_cause(found.turns)
    most = sums[cause].lost > sum(one.lost for one in sums.values()) / 2
    words = {**counts, "cause": say(f"fix.cause_{cause}")}
    if cause == "asked" or not document:
        return say("fix.finding" if most else "fix.finding_begin", **words)
    return say("fix.finding_start" if most else "fix.finding_begin_with", document=name(document), **words)


def _row(entry: Entry[Light], worst: Worst, say: Say) -> FixRow:
    named = entry.turns[0].named
    by_words = say("fix.by_words_only") if named.by == "words" else ""
    return FixRow(
        cause=say(f"fix.cause_{entry.cause}"),
        document=entry.document or say("fix.not_written" if named.why == "unwritten" else "fix.no_document"),
        question=worst.question,
        lost=round(entry.lost, 2),
        turns=len(entry.turns),
        why=worst.why,
        sure=" ".join(filter(None, (by_words, worst.notes))),
        todo=say(f"fix.todo_{entry.cause}"),
        worst=worst.number,
        scenario=entry.scenario,
        conversation=worst.conversation,
    )
