"""Who replied and who judged in a run, and how well that judge agrees with people: said wherever its scores are shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from core.agreement.sampling import MIN_LABELS
from core.analysis.formatting import percent
from core.analysis.trust import Trust, corrected_text, trust_in, trust_text
from core.base.frozen_model import FrozenModel
from core.base.toml import TomlFault, bundled_toml, parse_toml
from core.base.translate import Translate
from core.store.rows import RunRow
from core.store.store import Store

Speaker = Literal["embedded", "external", "file", "unknown"]  # else the name of a model
Standing = Literal["trusted", "measured", "not_trusted"]  # measured: on public data alone, not on this bot
Strength = Literal["good", "moderate", "weak"]  # of a measured agreement
Measure = Literal["percent_agreement", "rank_correlation", "f1"]
STRENGTHS: tuple[Strength, ...] = get_args(Strength)
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)
# From where agreement is moderate, and good: of correlations the limits of Cohen (1988, Statistical Power Analysis for the
# Behavioral Sciences); a share that agrees is much higher by chance alone.
LIMITS: dict[Measure, tuple[float, float]] = {
    "rank_correlation": (0.3, 0.5),
    "f1": (0.5, 0.75),
    "percent_agreement": (0.7, 0.85),
}


class Agreement(FrozenModel):
    """A judge's measured agreement with people: on which data, over `n` rows, by which measure (0 to 1, or -1 to 1)."""

    data: str
    n: int
    measure: Measure
    value: float

    @property
    def strength(self) -> Strength:
        """How high the value is for its measure."""
        moderate, good = LIMITS[self.measure]
        return "weak" if self.value < moderate else "moderate" if self.value < good else "good"


class Provenance(NamedTuple):
    """Who replied in a run and who judged it (a Speaker, or the name of a model).

    agreements: of that judge on public data, if measured; trust: on the labels of this bot's turns, if there are any.
    """

    replied: str
    judged: str
    agreements: tuple[Agreement, ...] = ()
    trust: Trust | None = None

    @property
    def standing(self) -> Standing:
        """Whether the judge agrees well enough with this bot's labels or, without enough of them, was measured elsewhere."""
        if self.trust and self.trust.n >= MIN_LABELS:
            return "trusted" if self.trust.is_trusted else "not_trusted"
        return "measured" if self.agreements else "not_trusted"


def provenance(store: Store, run: RunRow, judge: str, version: str = "") -> Provenance:
    """Who replied in a run, and who gave a judge's scores in a version ("": the one that counts)."""
    snapshot = store.runs.snapshot(run.id)
    version = version or store.tables.of_run(run.id).chosen_versions().get(judge, "")
    planned = snapshot.get("judges", {})
    if judge in planned and version in ("", planned[judge]):
        judged = _engine(snapshot, "judge")
    else:
        judged = _later_judge(store, run.id, snapshot)
    agreements = measured_agreement(judge) if judged == "embedded" else ()
    trust = trust_in(store, run.bot, run.id, judge, version)
    return Provenance(_replied(snapshot, run), judged, agreements, trust)


@cache
def measured_agreement(judge: str) -> tuple[Agreement, ...]:
    """How well a judge of the embedded engine agrees with people; empty if that was not measured."""
    figures = bundled_toml(__file__, "agreement.toml")
    return tuple(Agreement.model_validate(figure) for figure in figures.get(judge, ()))


def provenance_text(t: Translate, origin: Provenance) -> str:
    """Who replied, who judged, and the judge's agreement with people with its figures, in one line."""
    return _line(t, origin, agreement_with_people(t, origin))


def provenance_summary(t: Translate, origin: Provenance) -> tuple[str, str]:
    """The same without figures measured on public data, and what explains them; "" if there are none."""
    if _counts_labels(origin) or not origin.agreements:
        return provenance_text(t, origin), ""
    strength = t(f"provenance.{_strength(origin.agreements)}")
    line = _line(t, origin, t("provenance.agreement_short", strength=strength))
    limits = [
        t(f"provenance.limits_{measure}", moderate=_figure(measure, moderate), good=_figure(measure, good))
        for measure, (moderate, good) in LIMITS.items()
        if any(agreement.measure == measure for agreement in origin.agreements)
    ]
    return line, t("provenance.details", figures=_figures(t, origin.agreements), limits="".join(limits))


def agreement_with_people(t: Translate, origin: Provenance) -> str:
    """How far the judge agrees with this bot's labels if there are enough of them, else with those of public data."""
    if origin.trust and _counts_labels(origin):
        return trust_text(t, origin.trust)
    return agreement_text(t, origin.agreements)


def agreement_text(t: Translate, agreements: tuple[Agreement, ...]) -> str:
    """A judge's measured agreement with people in words and figures, or that it was not measured."""
    if not agreements:
        return t("provenance.unmeasured")
    strength = t(f"provenance.{_strength(agreements)}")
    return t("provenance.agreement", strength=strength, figures=_figures(t, agreements))


def speaker_name(t: Translate, speaker: str) -> str:
    """Who replied or judged, in words."""
    return t(f"provenance.{speaker}") if speaker in SPEAKERS else speaker


def _line(t: Translate, origin: Provenance, trust: str) -> str:
    names = {"replied": speaker_name(t, origin.replied), "judged": speaker_name(t, origin.judged)}
    corrected = corrected_text(t, origin.trust) if origin.trust else ""
    return t("provenance.line", **names, trust=trust) + corrected


def _counts_labels(origin: Provenance) -> bool:
    """Whether the bot's own labels tell how far the judge agrees with people."""
    return origin.trust is not None and (origin.trust.n >= MIN_LABELS or not origin.agreements)


def _strength(agreements: tuple[Agreement, ...]) -> Strength:
    """The weakest of several."""
    found = {agreement.strength for agreement in agreements}
    return next(strength for strength in reversed(STRENGTHS) if strength in found)


def _figures(t: Translate, agreements: tuple[Agreement, ...]) -> str:
    figures = (
        t(
            f"provenance.{agreement.measure}",
            value=_figure(agreement.measure, agreement.value),
            data=agreement.data,
            n=f"{agreement.n:,}",
        )
        for agreement in agreements
    )
    return t("common.comma").join(figures)


def _figure(measure: Measure, value: float) -> str:
    """A share in percent, other measures with two decimals."""
    return percent(value) if measure == "percent_agreement" else f"{value:.2f}"


def _replied(snapshot: Mapping[str, Any], run: RunRow) -> str:
    if run.is_answer_file:
        return "file"
    try:
        is_external = "external" in parse_toml(str(snapshot.get("bot_toml", "")).encode())
    except TomlFault:
        is_external = False
    return "external" if is_external else _engine(snapshot, "bot")


def _engine(snapshot: Mapping[str, Any], role: str) -> str:
    engine, model = str(snapshot.get("engine", "")), snapshot.get("models", {}).get(role, {}).get("model")
    return str(model or ("embedded" if engine == "embedded" else "unknown"))


def _later_judge(store: Store, run_id: str, snapshot: Mapping[str, Any]) -> str:
    """Who judged after the run: the models of the call log, the embedded engine if the log has only other calls."""
    models = store.calls.models(run_id, "judge")
    if models:
        return ", ".join(models)
    return "embedded" if snapshot.get("engine") == "embedded" or store.calls.models(run_id) else "unknown"
