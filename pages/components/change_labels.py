"""The names of what differs between two runs, or two versions of a bot."""

from __future__ import annotations

from core.analysis.names import judge_name
from core.analysis.snapshot_changes import Change
from pages.i18n.translate import t, words


def field_label(change: Change) -> str:
    """What changed, in words if there are some, else by its own name."""
    if change.area == "judges":
        return t("changes.judge", name=judge_name(change.name, t))
    for key in (f"changes.{change.area}_{change.name}", f"changes.{change.name.replace('.', '_')}"):
        if key in words():
            return t(key)
    key = f"changes.in_{change.area}"
    return t(key, name=change.name) if key in words() else change.name
