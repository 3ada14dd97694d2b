"""Names of judges, criteria and labels as a reader sees them."""

from __future__ import annotations

from core.analysis.formatting import short_label
from core.analysis.simulator_health import parse_label
from core.base.translate import Translate, text_or_default
from core.base.types import NOT_APPLICABLE
from core.store.headline import SIMULATED_USER


def criterion_name(name: str, t: Translate) -> str:
    """A criterion as the page calls it; one of the owner's own goes by its name."""
    return text_or_default(t, f"criteria.{name}", short_label(name))


def judge_name(name: str, t: Translate) -> str:
    """A judge in words; a criterion with its kind of judge before it. One of a bot's own goes by its name."""
    family, _, criterion = name.partition(":")
    shown = text_or_default(t, f"judges.{family}", "")
    if not shown:
        return name
    return f"{shown}{t('common.colon')}{criterion_name(criterion, t)}" if criterion else shown


def label_text(t: Translate, judge: str, label: str, reasons: str = "") -> str:
    """A judge's label in words: Yes and No, what does not apply, and what is wrong with a simulated user."""
    if label == NOT_APPLICABLE:
        return t("reasoning.not_applicable")
    if judge == SIMULATED_USER and label:
        fault = parse_label(label, reasons)
        if fault is None:
            return t("simulator_health.ok")
        tag, severity = fault
        name = text_or_default(t, f"simulator_health.tag_{tag}", tag)
        return t("simulator_health.mark", tag=name, severity=t(f"simulator_health.{severity}"))
    return t(f"simulator_health.label_{label.lower()}") if label in ("Yes", "No") else label
