"""The columns and rows of an exported run: one layout for workbooks, CSV files and Google Sheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from core.analysis.formatting import ending_key
from core.analysis.names import criterion_name, judge_name, label_text, reasoning_text
from core.analysis.provenance import Provenance, provenance_text
from core.base.means import is_below
from core.base.translate import Translate, text_or_default, translated_stored_error
from core.base.types import TURN_JUDGE
from core.store.export_records import (
    ExportedConversation,
    ExportedRun,
    ExportedScore,
    ExportedTurn,
    conversation_score,
    iterate_turn_scores,
)

CellValue = str | float | int | datetime | None
CellFormat = Literal["text", "number", "share", "date"]
PARTS = ("user", "assistant", "check")
ROWS = ("conversations", "turns", "scores")  # the sheets with a row per conversation, turn or verdict


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its width in characters, and what it holds."""

    heading: str
    width: int
    cell_format: CellFormat = "text"


@dataclass(frozen=True, slots=True)
class ExportRow:
    """The cells of a row; `failed`: the places of those that show an answer below the alert mark."""

    cells: tuple[CellValue, ...]
    failed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Layout:
    """How a run is laid out, and by which judge's criterion.

    pass_mark: of the run, alert_mark: below which an answer is marked low; 0 to 1, None if lower is better;
    lower_criteria: the judge's criteria of which lower is better; provenances: who replied and judged, by judge.
    """

    run: ExportedRun
    t: Translate
    judge: str
    criterion: str
    pass_mark: float | None
    alert_mark: float | None
    lower_criteria: frozenset[str]
    provenances: Mapping[str, Provenance]

    @property
    def provenance_text(self) -> str:
        """Who replied and who judged, in a line."""
        return provenance_text(self.t, self.provenances[self.judge])

    @property
    def zone(self) -> tzinfo | None:
        """The zone of all times: this machine's, as it was when the run began."""
        return self.run.created_at.astimezone().tzinfo

    def moment(self, stored: datetime | None) -> datetime | None:
        """A stored time on the layout's clock, without its zone (which the heading tells)."""
        return stored.astimezone(self.zone).replace(tzinfo=None, microsecond=0) if stored else None

    def columns(self, sheet: str) -> list[Column]:
        """The columns of a sheet with a row per conversation, turn or verdict."""
        if sheet == "conversations":
            return self._conversation_columns()
        return [self.column(*column) for column in (_TURN_COLUMNS if sheet == "turns" else _SCORE_COLUMNS)]

    def rows(self, sheet: str, conversation: ExportedConversation) -> Iterator[ExportRow]:
        """The rows that a conversation fills in such a sheet."""
        if sheet == "conversations":
            yield self.conversation(conversation)
        elif sheet == "turns":
            yield from self.turns(conversation)
        else:
            yield from self.scores(conversation)

    def conversation(self, conversation: ExportedConversation) -> ExportRow:
        """Date and persona; what the user and the assistant said and the check of each turn; how it ended."""
        cells: list[CellValue] = [self.moment(conversation.started_at), conversation.persona_name]
        failed: set[int] = set()
        for turn, value in iterate_turn_scores(conversation, self.judge, self.criterion):
            if self.is_below_alert(value):
                failed |= {len(cells) + 1, len(cells) + 2}
            cells += [turn.user_text, self.reply_text(turn), self.check(turn, value)]
        cells += [None] * (2 + len(PARTS) * self._turns - len(cells))
        about = [
            conversation.closing,
            conversation_score(conversation, self.judge, self.criterion),
            self.ended(conversation),
            self.error_text(conversation.error),
            conversation.number,
            conversation.scenario_id,
        ]
        return ExportRow((*cells, *about, self.kind(conversation.kind), conversation.id), frozenset(failed))

    def turns(self, conversation: ExportedConversation) -> Iterator[ExportRow]:
        """One row per turn."""
        for turn, value in iterate_turn_scores(conversation, self.judge, self.criterion):
            cells = (
                conversation.number,
                turn.number,
                self.moment(turn.created_at),
                conversation.persona_name,
                conversation.scenario_id,
                self.kind(conversation.kind),
                turn.user_text,
                self.reply_text(turn),
                value,
                self.check(turn, value),
                self.decision(turn),
                turn.rule,
                self.yes_no(turn.answered),
                turn.query,
                turn.seconds,
                self.error_text(turn.error),
                conversation.id,
            )
            yield ExportRow(cells, frozenset({7, 8, 9} if self.is_below_alert(value) else ()))

    def scores(self, conversation: ExportedConversation) -> Iterator[ExportRow]:
        """One row per verdict; what is unscored is there with its reason and no value."""
        for turn in conversation.turns:
            for one in turn.verdicts:
                cells = (
                    conversation.number,
                    turn.number,
                    judge_name(one.judge, self.t),
                    criterion_name(one.criterion, self.t),
                    one.repeat,
                    one.value,
                    label_text(self.t, one.judge, one.label, one.reasons),
                    one.reasons,
                    self.error_text(one.error),
                    one.version,
                    conversation.id,
                    reasoning_text(one.reasoning or "", self.t),
                )
                yield ExportRow(cells)

    def is_below_alert(self, value: float | None) -> bool:
        """Whether an answer is below the alert mark; one that is unscored is not."""
        return value is not None and self.alert_mark is not None and is_below(value, self.alert_mark)

    def check(self, turn: ExportedTurn, value: float | None) -> str:
        """The verdict in words: the judge's label, a note if the answer is below the alert mark, and the reasons."""
        mine = [one for one in turn.verdicts if (one.judge, one.criterion) == (self.judge, self.criterion)]
        if not mine:
            return ""
        if value is None:
            return self.t("export.check_none", reason=self.error_text(mine[0].error) or mine[0].reasons)
        labels = self.t("common.comma").join(self.label(one) for one in mine if one.value is not None)
        note = self.t("export.check_low" if self.is_below_alert(value) else "export.check_label", label=labels)
        return "\n".join([note, *(one.reasons for one in mine if one.reasons)])

    def label(self, verdict: ExportedScore) -> str:
        """A label as the judge gave it; marks of the judge of turns are of five."""
        if verdict.judge == TURN_JUDGE:
            return self.t("export.of_five", label=verdict.label)
        return label_text(self.t, verdict.judge, verdict.label, verdict.reasons)

    def reply_text(self, turn: ExportedTurn) -> str:
        """The reply; if there is none, why."""
        return turn.reply_text if not turn.error else self.t("export.no_reply", error=self.error_text(turn.error))

    def error_text(self, error: str) -> str:
        """The sentence of an error as it is stored, in the layout's language."""
        return translated_stored_error(self.t, error)

    def ended(self, conversation: ExportedConversation) -> str:
        """How a conversation ended, else how far it came."""
        key = ending_key(conversation.ending, conversation.status)
        return text_or_default(self.t, key, key.partition(".")[2])

    def kind(self, kind: str) -> str:
        """A kind of scenario in words."""
        return text_or_default(self.t, f"kinds.{kind}", kind) if kind else ""

    def decision(self, turn: ExportedTurn) -> str:
        """Whether the bot asked or searched; empty if that is unknown."""
        return text_or_default(self.t, f"export.decided_{turn.decision}", turn.decision) if turn.decision else ""

    def yes_no(self, value: bool | None) -> str:
        """Yes, no, or nothing."""
        return "" if value is None else self.t("common.yes" if value else "common.no")

    @property
    def _turns(self) -> int:
        return max(self.run.max_turns, self.run.longest, 1)

    def _conversation_columns(self) -> list[Column]:
        turns = [
            Column(self.t(f"export.{part}_n", n=number), 24 if part == "check" else 44)
            for number in range(1, self._turns + 1)
            for part in PARTS
        ]
        first = [self.column("date", 17, "date"), self.column("persona", 16)]
        return [*first, *turns, *(self.column(*column) for column in _ENDING_COLUMNS)]

    def column(self, name: str, width: int, cell_format: CellFormat = "text") -> Column:
        """A column with its heading (`export.…`)."""
        zone = datetime.now(self.zone).strftime("%z") if name == "date" else ""
        words = {"zone": f"UTC{zone[:3]}:{zone[3:]}"} if zone else {}
        return Column(self.t(f"export.{name}", **words), width, cell_format)


_ENDING_COLUMNS: tuple[tuple[str, int, CellFormat], ...] = (
    ("closing", 30, "text"),
    ("score", 9, "share"),
    ("ended", 16, "text"),
    ("error", 24, "text"),
    ("number", 8, "number"),
    ("scenario", 14, "text"),
    ("kind", 14, "text"),
    ("conversation", 18, "text"),
)
_TURN_COLUMNS: tuple[tuple[str, int, CellFormat], ...] = (
    ("number", 8, "number"),
    ("turn", 7, "number"),
    ("date", 17, "date"),
    ("persona", 16, "text"),
    ("scenario", 14, "text"),
    ("kind", 14, "text"),
    ("user", 44, "text"),
    ("assistant", 44, "text"),
    ("score", 9, "share"),
    ("check", 36, "text"),
    ("decision", 12, "text"),
    ("rule", 7, "number"),
    ("answered", 10, "text"),
    ("query", 36, "text"),
    ("seconds", 9, "number"),
    ("error", 24, "text"),
    ("conversation", 18, "text"),
)
_SCORE_COLUMNS: tuple[tuple[str, int, CellFormat], ...] = (
    ("number", 8, "number"),
    ("turn", 7, "number"),
    ("judge", 18, "text"),
    ("criterion", 18, "text"),
    ("repeat", 8, "number"),
    ("value", 9, "number"),
    ("label", 14, "text"),
    ("reasons", 60, "text"),
    ("unscored_why", 30, "text"),
    ("version", 16, "text"),
    ("conversation", 18, "text"),
    ("reasoning", 60, "text"),
)


def cell_format(column: Column, value: CellValue) -> CellFormat:
    """How a value of a column is shown: counts among shares are numbers."""
    if isinstance(value, datetime):
        return "date"
    return "number" if column.cell_format == "share" and isinstance(value, int) else column.cell_format


def headings(columns: Sequence[Column]) -> tuple[CellValue, ...]:
    """The first row of a sheet."""
    return tuple(column.heading for column in columns)
