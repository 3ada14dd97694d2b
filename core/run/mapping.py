"""Which column of a table holds what a judge needs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args

from core.base.errors import BadInput
from core.base.types import Kind, Message, Sample
from core.run.answers import Answered
from core.run.table import Cells

Field = Literal[
    "id", "question", "answer", "reference", "contexts", "keypoints", "evidence", "history", "intent", "facts", "kind",
    "system",
]  # fmt: skip
FIELDS: tuple[Field, ...] = get_args(Field)
LISTS = ("reference", "contexts", "keypoints", "evidence")
# How other tools and people call these columns, lower case.
NAMES: Mapping[Field, tuple[str, ...]] = {
    "id": ("id", "no", "number", "番号", "qid"),
    "question": ("question", "user_input", "input", "query", "prompt", "質問", "問い合わせ", "ユーザー", "user"),
    "answer": ("answer", "response", "output", "actual_output", "prediction", "reply", "回答", "返答", "応答", "assistant"),
    "reference": ("reference", "ground_truth", "expected_output", "expected", "gold", "模範解答", "正解", "reference_answer"),
    "contexts": ("contexts", "context", "retrieved_contexts", "retrieval_context", "passages", "sources", "資料", "文脈", "抜粋"),
    "keypoints": ("keypoints", "key_points", "要点"),
    "evidence": ("evidence", "references", "reference_sentences", "reference_contexts", "根拠"),
    "history": ("history", "messages", "conversation", "履歴"),
    "intent": ("intent", "意図"),
    "facts": ("facts", "事情"),
    "kind": ("kind", "type", "種類"),
    "system": ("system", "model", "version", "persona", "システム", "モデル", "ペルソナ"),
}  # fmt: skip


def guess_mapping(columns: Sequence[str]) -> dict[Field, str]:
    """The columns whose names say what they hold; each column at most once."""
    left = {name.strip().lower(): name for name in columns}
    found: dict[Field, str] = {}
    for field, names in NAMES.items():
        known = next((name for name in names if name in left), "")
        if known:
            found[field] = left.pop(known)
    return found


def answers_of(rows: Sequence[Cells], mapping: Mapping[Field, str]) -> list[Answered]:
    """The answers of a table; lists may be JSON lists, or texts with one item a line.

    Raises BadInput where question or answer has no column; a row without an id gets its number.
    """
    for needed in ("question", "answer"):
        if not mapping.get(needed):
            told = f"No column is chosen for the {needed}. Choose the column that holds it."
            raise BadInput(told, f"no_{needed}_column_chosen")
    return [_answered(row, mapping, number) for number, row in enumerate(rows, 1)]


def _answered(row: Cells, mapping: Mapping[Field, str], number: int) -> Answered:
    def cell(field: Field) -> Any:
        return row.get(mapping.get(field, ""), "")

    kind = _text(cell("kind"))
    sample = Sample(
        question=_text(cell("question")),
        answer=_text(cell("answer")),
        history=_history(cell("history")),
        reference=_listed(cell("reference"), whole=True),
        contexts=_listed(cell("contexts"), whole=False),
        keypoints=_listed(cell("keypoints"), whole=False),
        evidence=_listed(cell("evidence"), whole=False),
        intent=_text(cell("intent")),
        facts=_text(cell("facts")),
        kind=cast(Kind, kind) if kind in get_args(Kind) else None,
    )
    return Answered(id=_text(cell("id")) or str(number), sample=sample, system=_text(cell("system")))


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def _listed(cell: Any, whole: bool) -> tuple[str, ...]:
    """A list, a JSON list in a text, else one text (`whole`) or one text a line."""
    cell = _parsed(cell)
    if isinstance(cell, list):
        texts = [_item(one) for one in cast(list[Any], cell)]
    else:
        texts = [_text(cell)] if whole else _text(cell).split("\n")
    return tuple(text for text in texts if text.strip())


def _parsed(cell: Any) -> Any:
    """A JSON list that stands in a text, else the cell as it is."""
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _item(one: Any) -> str:
    """A text, or the text of a passage with other fields around it."""
    return _text(cast(Cells, one).get("text", one)) if isinstance(one, dict) else _text(one)


def _history(cell: Any) -> tuple[Message, ...]:
    """Messages of {role, text or content}; what is none of these is left out."""
    cell = _parsed(cell)
    said = cast(list[Any], cell) if isinstance(cell, list) else []
    messages = [cast(Cells, one) for one in said if isinstance(one, dict)]
    return tuple(
        Message(
            role="user" if str(one.get("role", "")) in ("user", "human", "customer") else "assistant",
            text=_text(one.get("text", one.get("content", ""))),
        )
        for one in messages
    )
