"""What to fix in a run as rows and sentences for what is taken away: one row for each entry, the heaviest cause first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.base.words import Say
from core.report.fix_list import Entry, Findings, LowTurn, by_cause, entries_of, in_order, start_with

LONGEST = 200  # letters of a text that a sentence names


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


def fix_rows(found: Findings, say: Say) -> Iterator[FixRow]:
    """The entries by cause, document and question, in the order of the page *What to fix*."""
    for entry in in_order(entries_of(found.turns)):
        yield _row(entry, say)


def fix_finding(found: Findings, say: Say) -> str:
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


def _row(entry: Entry, say: Say) -> FixRow:
    low = entry.turns[0]
    return FixRow(
        cause=say(f"fix.cause_{entry.cause}"),
        document=entry.document or say("fix.not_written" if low.named.why == "unwritten" else "fix.no_document"),
        question=" ".join(low.question.split()),
        lost=round(entry.lost, 2),
        turns=len(entry.turns),
        why=_why(low, say),
        sure=say("fix.by_words_only") if low.named.by == "words" else "",
        todo=say(f"fix.todo_{entry.cause}"),
        worst=low.number,
        scenario=entry.scenario,
        conversation=low.conversation,
    )


def _why(low: LowTurn, say: Say) -> str:
    return say(f"fix.why_{low.named.why}", **{name: _short(text) for name, text in low.details.items()})


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
