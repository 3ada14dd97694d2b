"""Judges, criteria, labels, and reasoning as a reader sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.analysis.formatting import short_label
from core.analysis.simulator_health import parse_label
from core.base.translate import Translate, text_or_default
from core.base.types import NOT_APPLICABLE, SIMULATED_USER, TURN_JUDGE, CheckedClaim, Reasoning


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


def judge_and_criterion(judge: str, criterion: str, t: Translate) -> str:
    """A criterion with its judge before it."""
    return f"{judge_name(judge, t)}{t('common.colon')}{criterion_name(criterion, t)}"


def criterion_label(judge: str, criterion: str, t: Translate) -> str:
    """The same in short: the turn judge goes without saying, and no name is said twice."""
    name, label = criterion_name(criterion, t), judge_name(judge, t)
    if judge == TURN_JUDGE:
        return name
    if label == name:  # the turn judge may have a criterion of the same name
        return t("compare.by_judge", name=name)
    return label if label.endswith(name) else judge_and_criterion(judge, criterion, t)


def judge_names(names: Iterable[str], t: Translate) -> str:
    """Several judges in words."""
    return t("common.comma").join(judge_name(name, t) for name in names)


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


def reasoning_lines(reasoning: Reasoning, t: Translate) -> Iterator[str]:
    """A line for each step and claim, and one for the conclusion; every text in it may be anything."""
    yield from (" ".join(step.split()) for step in reasoning.steps if step.strip())
    yield from (_claim_line(claim, t) for claim in reasoning.claims)
    if reasoning.conclusion.strip():
        yield t("reasoning.conclusion", text=" ".join(reasoning.conclusion.split()))


def reasoning_text(stored: str, t: Translate) -> str:
    """The lines of a reasoning that is stored as JSON, one below the other; "" for none."""
    return "\n".join(reasoning_lines(Reasoning.model_validate_json(stored), t)) if stored else ""


def _claim_line(claim: CheckedClaim, t: Translate) -> str:
    """A claim with how it stands, and the words (and passage) that decide it."""
    state = text_or_default(t, f"reasoning.{claim.state}", claim.state)
    place = t("reasoning.passage", number=claim.passage) if claim.passage else ""
    evidence = " ".join(claim.evidence.split())
    evidence_line = t("reasoning.evidence", place=place, text=evidence) if evidence else place
    return t("reasoning.claim", claim=" ".join(claim.claim.split()), state=state, evidence=evidence_line).rstrip()
