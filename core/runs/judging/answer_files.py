"""Files of answers to judge: the columns are matched to the fields of a sample."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.json_data import load_json, objects_of
from core.base.tables import Cells
from core.base.types import Message, Sample, ScenarioKind
from core.base.unused_name import unused_name
from core.bot.external.reply import TEXT_FIELDS


class FileAnswer(FrozenModel):
    id: str
    sample: Sample
    system: str = ""  # who or what answered; shown in place of a persona


Field = Literal[
    "id", "question", "answer", "reference", "contexts", "keypoints", "evidence", "history", "intent", "facts", "kind",
    "system",
]  # fmt: skip
_NOTHING_SPLITS, _BLANK_LINE, _LINE = re.compile(r"(?!)"), re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+"), re.compile(r"\n")
_USERS = ("user", "human", "customer")
_NEITHER = ("system", "developer", "tool", "function")
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


def answers_of(rows: Sequence[Cells], mapping: Mapping[Field, str]) -> list[FileAnswer]:
    """The answers of a table; lists may be JSON or Python lists, or texts with one item a line.

    Raises BadInput if question or answer has no column; a row without an id gets its number, and an id that several
    rows have is numbered.
    """
    for needed in ("question", "answer"):
        if not mapping.get(needed):
            message = f"No column is chosen for the {needed}. Choose one."
            raise BadInput(message, f"no_{needed}_column_chosen")
    samples = [answer_of_row(row, mapping, number) for number, row in enumerate(rows, 1)]
    ids = unique_ids([sample.id for sample in samples])
    return [sample.model_copy(update={"id": name}) for sample, name in zip(samples, ids, strict=True)]


def unique_ids(ids: Sequence[str]) -> list[str]:
    """The same, but each once: the second `a` is `a#2`."""
    used = set(ids)
    seen: set[str] = set()
    names: list[str] = []
    for name in ids:
        free = name if name not in seen else unused_name(name, used | seen, "#{}")
        seen.add(free)
        names.append(free)
    return names


def answer_of_row(row: Cells, mapping: Mapping[Field, str], number: int) -> FileAnswer:
    """One row as an answer; `number` is its id if it has none."""

    def cell(field: Field) -> Any:
        return row.get(mapping.get(field, ""), "")

    kind = _text(cell("kind"))
    sample = Sample(
        question=_text(cell("question")),
        answer=_text(cell("answer")),
        history=_history(cell("history")),
        reference=_listed(cell("reference"), _NOTHING_SPLITS),
        contexts=_listed(cell("contexts"), _BLANK_LINE),
        keypoints=_listed(cell("keypoints"), _LINE),
        evidence=_listed(cell("evidence"), _LINE),
        intent=_text(cell("intent")),
        facts=_text(cell("facts")),
        kind=cast(ScenarioKind, kind) if kind in get_args(ScenarioKind) else None,
    )
    return FileAnswer(id=_text(cell("id")) or str(number), sample=sample, system=_text(cell("system")))


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def _listed(cell: Any, separator: re.Pattern[str]) -> tuple[str, ...]:
    """A list or one item, also if it stands in a text; else the parts of the text."""
    cell = _parsed(cell)
    if isinstance(cell, dict):
        cell = [cell]
    if isinstance(cell, list | tuple):
        texts = [_item(item) for item in cast(Sequence[Any], cell)]
    else:
        texts = separator.split(_text(cell))
    return tuple(text for text in texts if text.strip())


def _parsed(cell: Any) -> Any:
    """A list or object that stands in a text as JSON or as Python writes it, else the cell as it is."""
    if not isinstance(cell, str) or not cell.lstrip().startswith(("[", "{")):
        return cell
    for read in (load_json, ast.literal_eval):
        try:
            value: Any = read(cell.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        return cast(object, value) if isinstance(value, list | dict) else cell
    return cell


def _item(item: Any) -> str:
    """A text, or the text of a passage with other fields around it."""
    if not isinstance(item, dict):
        return _text(item)
    passage = cast(Cells, item)
    return _text(next((passage[key] for key in TEXT_FIELDS if key in passage), passage))


def _history(cell: Any) -> tuple[Message, ...]:
    """Messages of {role, text or content}; what is none of these, and what no person or bot said, is left out."""
    messages = objects_of(_parsed(cell))
    roles = [str(message.get("role", "")).strip().lower() for message in messages]
    return tuple(
        Message(role="user" if role in _USERS else "assistant", text=_content(message))
        for role, message in zip(roles, messages, strict=True)
        if role not in _NEITHER
    )


def _content(message: Cells) -> str:
    """What was said, also if it is a list of parts."""
    content = message.get("text", message.get("content", ""))
    return "\n".join(_item(part) for part in cast(list[Any], content)) if isinstance(content, list) else _text(content)
