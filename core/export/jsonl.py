"""A run as JSON Lines, whole and for machines: one object a line, told apart by `type`.

`run` (the first line: id, bot, plan …, which engine replied, and for each judge which engine judged and how it agrees
with people), `snapshot` (everything it was made with), then for each conversation a line `conversation` and one line
`turn` per turn, with the bot's whole record, its sample and all verdicts (with the judge's reasoning: steps, claims,
conclusion), and in the end `end` with the counts, so that a file that was cut off can be told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, BinaryIO

from core.analysis.provenance import Provenance
from core.base.clean_text import clean
from core.base.errors import as_sentence
from core.base.json_data import Json
from core.export.layout import Layout
from core.store.export_records import ExportedConversation, ExportedScore, ExportedTurn


def write_jsonl(out: BinaryIO, layout: Layout, conversations: Iterable[ExportedConversation]) -> None:
    """Every object of the run on a line of its own; `conversations` have to bring their records along."""
    for line in _lines(layout, conversations):
        out.write(json.dumps(line, ensure_ascii=False, default=_moment).encode("utf-8", "replace") + b"\n")


def _lines(layout: Layout, conversations: Iterable[ExportedConversation]) -> Iterator[Json]:
    run, provenances = layout.run, layout.provenances
    about = run.model_dump(exclude={"snapshot", "owner", "leased_until"})
    judged = {judge: _judged(origin) for judge, origin in provenances.items()}
    yield {"type": "run", **about, "replied": provenances[layout.judge].replied, "judged": judged}
    yield {"type": "snapshot", "run": run.id, **run.snapshot}
    count = turns = 0
    for conversation in conversations:
        count, turns = count + 1, turns + len(conversation.turns)
        yield {
            "type": "conversation",
            "run": run.id,
            **_fields(conversation, "turns"),
            "turns": len(conversation.turns),
        }
        yield from (_turn(run.id, conversation.id, turn) for turn in conversation.turns)
    yield {"type": "end", "run": run.id, "conversations": count, "turns": turns}


def _judged(origin: Provenance) -> Json:
    """The engine of a judge, and its agreement with people on public data and with the labels of this bot."""
    trust = origin.trust
    labels = trust and {"n": trust.n, "percent": trust.percent._asdict(), "kappa": trust.kappa._asdict()}
    public = [agreement.model_dump() for agreement in origin.agreements]
    return {"engine": origin.judged, "agreement": public, "agreement_with_labels": labels}


def _turn(run: str, conversation: str, turn: ExportedTurn) -> Json:
    whole = {name: json.loads(stored) if (stored := getattr(turn, name)) else None for name in ("record", "sample")}
    scores = [_score(one) for one in turn.verdicts]
    about = _fields(turn, "record", "sample", "verdicts")
    return clean({"type": "turn", "run": run, "conversation": conversation, **about, **whole, "scores": scores})


def _score(one: ExportedScore) -> Json:
    return {**_fields(one), "reasoning": json.loads(one.reasoning) if one.reasoning else None}


def _fields(one: Any, *without: str) -> Json:
    """The fields of a record, as they are."""
    fields = {name: getattr(one, name) for name in one.__dataclass_fields__ if name not in without}
    return fields | ({"error": as_sentence(fields["error"])} if "error" in fields else {})


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
