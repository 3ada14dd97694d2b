"""What differs between two runs' snapshots: the bot's settings, documents and code, people, questions, judges, models."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from typing import Any, Literal, cast

from core.base.frozen_model import FrozenModel
from core.base.types import ClarifySettings

Area = Literal["bot", "prompts", "documents", "code", "personas", "scenarios", "judges", "engine", "plan"]
ChangeKind = Literal["added", "removed", "changed"]
Json = Mapping[str, Any]
OPTIONS = (
    *("language", "judge_language", "max_turns", "repeats", "cross", "limit", "clarify", "first_message"),
    *("strict", "together", "examples", "seed", "file"),
)
SEED = ("plan", "seed")
USUAL = {f"clarify.{name}": value for name, value in ClarifySettings().model_dump().items()}  # what need not be written
CONTEXT_LINES = 1  # unchanged lines shown beside a changed one


class Change(FrozenModel):
    """One thing that is not the same on both sides.

    name: the field ("prompt", "clarify.max_questions"), document, id or judge; old, new: as text, empty if it was not
    there; lines: of a text of several lines what went (-) and came (+), with a line around it; fields: what of it
    changed (of personas and scenarios); title: how people know it, a persona's name or a scenario's question.
    """

    area: Area
    name: str
    kind: ChangeKind = "changed"
    old: str = ""
    new: str = ""
    lines: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    title: str = ""


def changes_between(a: Json, b: Json, plan_a: Json, plan_b: Json) -> tuple[Change, ...]:
    """All differences between two runs, from their snapshots and plans, each field and file by its own name."""
    return (
        *_values("bot", _bot(a), _bot(b)),
        *_values("prompts", a.get("prompts") or {}, b.get("prompts") or {}),
        *_hash_changes("documents", a, b),
        *_hash_changes("code", a, b),
        *_item_changes("personas", a, b),
        *_item_changes("scenarios", a, b),
        *_hash_changes("judges", a, b),
        *_values("engine", _engine(a), _engine(b)),
        *_plan(_options(plan_a, a), _options(plan_b, b)),
    )


def is_noise(changes: Sequence[Change]) -> bool:
    """Whether two runs are of the same bot under the same conditions, so that their difference is noise.

    Seeds may differ, also who met which scenario (pairs are alike anyway), and who judged (versions are never mixed).
    """
    return all(
        (change.area, change.name) == SEED
        or change.area == "judges"
        or (change.area in ("personas", "scenarios") and change.kind != "changed")
        for change in changes
    )


def _bot(snapshot: Json) -> dict[str, Any]:
    """The fields of `bot.toml` by dotted name; a file that cannot be read is one text."""
    source = str(snapshot.get("bot_toml") or "")
    if not source:
        return {"guidelines": snapshot["guidelines"]} if snapshot.get("guidelines") else {}
    try:
        written = flatten(tomllib.loads(source.removeprefix("\ufeff")))
        return {**written, **{name: value for name, value in USUAL.items() if name not in written}}
    except tomllib.TOMLDecodeError:
        return {"bot.toml": source}


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings by dotted names."""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            values |= flatten(cast("Mapping[str, Any]", value), f"{prefix}{name}.")
        else:
            values[f"{prefix}{name}"] = value
    return values


def _engine(snapshot: Json) -> dict[str, Any]:
    """The engine, and by role each setting of its model."""
    models: Mapping[str, Any] = snapshot.get("models") or {}
    return {"engine": snapshot.get("engine", ""), **flatten(models)}


def _options(plan: Json, snapshot: Json) -> dict[str, Any]:
    return {"seed": snapshot.get("seed"), **{name: plan[name] for name in OPTIONS if name in plan}}


def _plan(old: Json, new: Json) -> list[Change]:
    """The options that both plans know, since an older plan lacks the newer ones; and files, which only some have."""
    return [change for change in _values("plan", old, new) if change.kind == "changed" or change.name == "file"]


def _values(area: Area, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    return [_value(area, name, old.get(name), new.get(name)) for name in names]


def _value(area: Area, name: str, old: Any, new: Any) -> Change:
    kind: ChangeKind = "added" if old is None else "removed" if new is None else "changed"
    before, after = _text(old), _text(new)
    several = "\n" in before or "\n" in after
    return Change(
        area=area, name=name, kind=kind, old=before, new=after, lines=_lines(before, after) if several else ()
    )


def _text(value: Any) -> str:
    """A value as a person reads it; a list has a line for each item."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_item(item) for item in cast("list[Any]", value))
    return _item(value)


def _item(value: Any) -> str:
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value).values()
        return " / ".join(_text(part).replace("\n", ", ") for part in parts)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(old: str, new: str) -> tuple[str, ...]:
    """The lines of a unified diff without its head (`difflib`)."""
    diff = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=CONTEXT_LINES)
    return tuple(line for line in list(diff)[2:] if not line.startswith("@@"))


def _hash_changes(area: Area, a: Json, b: Json) -> list[Change]:
    """What is known by a hash or version alone: documents, code, judges."""
    old, new = (cast("Mapping[str, str]", side.get(area) or {}) for side in (a, b))
    names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    kinds: dict[str, ChangeKind] = {name: _kind(name in old, name in new) for name in names}
    short = 7 if area == "judges" else 0  # a judge's version is shown; a hash says nothing
    return [
        Change(area=area, name=name, kind=kind, old=old.get(name, "")[:short], new=new.get(name, "")[:short])
        for name, kind in kinds.items()
    ]


def _kind(before: bool, after: bool) -> ChangeKind:
    return "changed" if before and after else "added" if after else "removed"


def _item_changes(area: Area, a: Json, b: Json) -> list[Change]:
    """Personas and scenarios by id, with the names of the fields that changed, and what people call them."""
    old, new = (_by_id(side.get(area) or ()) for side in (a, b))
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    changes: list[Change] = []
    for name in names:
        before, after = old.get(name, {}), new.get(name, {})
        fields = tuple(key for key in {**before, **after} if before.get(key) != after.get(key))
        kind: ChangeKind = _kind(name in old, name in new)
        item = after or before
        title = _text(item.get("name") or item.get("question"))
        changes.append(Change(area=area, name=name, kind=kind, fields=fields if kind == "changed" else (), title=title))
    return changes


def _by_id(items: Iterable[Json]) -> dict[str, Json]:
    return {str(item["id"]): item for item in items}
