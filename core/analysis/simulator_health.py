"""Whether the simulated users were fit to test a bot with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import pandas as pd

from core.analysis.run_means import MeanScore, main_criterion_in, mean_score
from core.base.frozen_model import FrozenModel
from core.base.types import SIMULATED_USER
from core.judges.simulated_user.faults import MINOR_FAULTS, TAGS
from core.judges.simulated_user.simulated_user import REASONS
from core.store.store import Store

Severity = Literal["major", "minor"]
_SEVERITY_HEADS: dict[Severity, tuple[str, ...]] = {
    "major": tuple(REASONS("major", language).strip() for language in ("ja", "en")),
    "minor": tuple(REASONS("minor", language).strip() for language in ("ja", "en")),
}


class FlaggedTurn(FrozenModel):
    """A turn of the simulated user in which a fault was found."""

    conversation: str
    number: int
    turn: int
    tag: str
    severity: Severity
    reasons: str


class SimulatorHealth(FrozenModel):
    """The simulated users of a run: turns that should be checked, those that were, and what was found in them.

    invalid: conversations with a major fault; minor: those with minor ones alone; conversations: those with a checked
    turn.
    """

    turns: int
    checked: int
    conversations: int
    flagged: tuple[FlaggedTurn, ...]
    invalid: frozenset[str]
    minor: frozenset[str]

    def counts(self) -> list[tuple[str, Severity, int]]:
        """(tag, severity, turns) of each fault, major ones first, then the most frequent."""
        counts: Counter[tuple[str, Severity]] = Counter((fault.tag, fault.severity) for fault in self.flagged)
        rows: list[tuple[str, Severity, int]] = [(*fault, count) for fault, count in counts.items()]
        return sorted(rows, key=lambda row: (row[1] != "major", -row[2], row[0]))


def parse_label(label: str, reasons: str) -> tuple[str, Severity] | None:
    """(tag, severity) of a verdict of the `simulated_user` judge; None if the turn is ok or was not judged.

    The severity stands at the head of the reasons; if it does not, it is the usual one of the tag. A tag that nobody
    knows any more counts as other.
    """
    verdict, _, tag = label.partition(":")
    if verdict != "invalid":
        return None
    severities: list[Severity] = [name for name, heads in _SEVERITY_HEADS.items() if reasons.startswith(heads)]
    severity: Severity = severities[0] if severities else "minor" if tag in MINOR_FAULTS else "major"
    return (tag if tag in TAGS and tag != "none" else "other", severity)


def strip_severity(reasons: str) -> str:
    """The reasons without the severity at their head."""
    heads = (head for group in _SEVERITY_HEADS.values() for head in group)
    return next((reasons.removeprefix(head).strip() for head in heads if reasons.startswith(head)), reasons)


def invalid_conversations(faults: pd.DataFrame) -> frozenset[str]:
    """The ids of the conversations in which the simulated user made a major fault; faults: as for `flagged_turns`."""
    return frozenset(fault.conversation for fault in flagged_turns(faults) if fault.severity == "major")


def faults_of_run(store: Store, run_id: str) -> pd.DataFrame:
    """`Store.scores.user_faults` of a run, read once until the run changes."""
    tables = store.tables.of_run(run_id)
    version = tables.chosen_versions().get(SIMULATED_USER, "")
    return tables.cached("faults", lambda: store.scores.user_faults(run_id, version))


def invalid_in_run(store: Store, run_id: str) -> frozenset[str]:
    """The ids of a run's invalid conversations."""
    tables = store.tables.of_run(run_id)
    return tables.cached("invalid", lambda: invalid_conversations(faults_of_run(store, run_id)))


def simulator_health(frame: pd.DataFrame, faults: pd.DataFrame) -> SimulatorHealth:
    """What the `simulated_user` judge found in a run.

    frame: its scores, with or without texts; faults: as for `flagged_turns`.
    """
    judge_rows = frame[frame["judge"] == SIMULATED_USER]
    checked = judge_rows[judge_rows["value"].notna()]
    shown = frozenset(map(str, checked["conversation"]))  # the page may show only some of them
    flagged = tuple(fault for fault in flagged_turns(faults) if fault.conversation in shown)
    major = frozenset(fault.conversation for fault in flagged if fault.severity == "major")
    return SimulatorHealth(
        turns=len(judge_rows.drop_duplicates(["conversation", "turn"])),
        checked=len(checked.drop_duplicates(["conversation", "turn"])),
        conversations=len(shown),
        flagged=flagged,
        invalid=major,
        minor=frozenset(fault.conversation for fault in flagged) - major,
    )


def flagged_turns(faults: pd.DataFrame) -> Iterator[FlaggedTurn]:
    """The faults that the judge found, by turn; faults: `Store.scores.user_faults`, or all scores with their texts."""
    faulty = faults[(faults["judge"] == SIMULATED_USER) & (faults["value"] < 1)]
    columns = (faulty[name] for name in ("conversation", "number", "turn", "label", "reasons"))
    for conversation, number, turn, label, reasons in zip(*columns, strict=True):
        if fault := parse_label(label, reasons):
            tag, severity = fault
            yield FlaggedTurn(
                conversation=str(conversation), number=int(number), turn=int(turn), tag=tag, severity=severity, reasons=reasons
            )  # fmt: skip


def score_without(
    frame: pd.DataFrame, left_out: frozenset[str], judge: str
) -> tuple[MeanScore | None, MeanScore | None]:
    """A judge's score over all conversations, and without those that are left out."""
    criterion = main_criterion_in(frame, judge)
    sound = frame[~frame["conversation"].isin(left_out)]
    return mean_score(frame, criterion, judge), mean_score(sound, criterion, judge)
