"""What to fix in a run as rows and sentences for what is taken away: one row for each entry, the heaviest cause first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.base.words import Say
from core.report.fix_light import Light, LightFindings, Worst
from core.report.fix_list import Entry, by_cause, entries_of, in_order, start_with


class FixRow(NamedTuple):
    """Low turns of one cause, document and question. lost: points (0 to 1 a turn); worst: number and id of the
    conversation that lost most; sure: how the cause was told, where words alone told it."""

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


def fix_rows(found: LightFindings, say: Say) -> Iterator[FixRow]:
    """The entries by cause, document and question, in the order of the page *What to fix*."""
    for entry in in_order(entries_of(found.turns)):
        yield _row(entry, found.worst[entry.key], say)


def fix_finding(found: LightFindings, say: Say) -> str:
    """How many turns lost points, by what most of them, and where to begin, in one sentence; "" where none is scored."""
    if not found.scored:
        return ""
    counts = {"low": f"{len(found.turns):,}", "scored": f"{found.scored:,}"}
    if not found.turns:
        return say("fix.none_low", scored=counts["scored"])
    begin = start_with(found.turns)
    if begin is None or next(iter(by_cause(found.turns))) in ("unclear", "unknown"):
        return say("fix.finding_unclear", **counts)
    cause, document = begin
    words = {**counts, "cause": say(f"fix.cause_{cause}")}
    return say("fix.finding_start", document=document, **words) if document else say("fix.finding", **words)


def _row(entry: Entry[Light], worst: Worst, say: Say) -> FixRow:
    named = entry.turns[0].named
    return FixRow(
        cause=say(f"fix.cause_{entry.cause}"),
        document=entry.document or say("fix.not_written" if named.why == "unwritten" else "fix.no_document"),
        question=worst.question,
        lost=round(entry.lost, 2),
        turns=len(entry.turns),
        why=worst.why,
        sure=say("fix.by_words_only") if named.by == "words" else "",
        todo=say(f"fix.todo_{entry.cause}"),
        worst=worst.number,
        scenario=entry.scenario,
        conversation=worst.conversation,
    )
