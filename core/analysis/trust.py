"""Whether a judge's scores can be trusted, by the labels that people gave to this bot's replies."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from core.agreement.corrected_mean import CorrectedMean
from core.agreement.intervals import Statistic
from core.agreement.sampling import MIN_LABELS
from core.analysis.formatting import NO_VALUE, percent, percent_range
from core.analysis.label_pools import is_chats
from core.analysis.labelled_turns import corrected_share, labelled_turns
from core.base.translate import Translate
from core.store.store import Store

MIN_KAPPA = 0.4  # kappa's lower end from which a judge is trusted: "moderate" (Landis and Koch 1977, Biometrics 33:159)


class Trust(NamedTuple):
    """A judge in one version against the labels of a bot's turns; n: of how many.

    corrected: for one run, the share of its turns that people would call right; None if it has too few labels.
    """

    n: int
    percent: Statistic
    kappa: Statistic
    corrected: CorrectedMean | None = None

    @property
    def is_trusted(self) -> bool:
        """Whether there are enough labels, and kappa is surely not low."""
        return self.n >= MIN_LABELS and self.kappa.low is not None and self.kappa.low >= MIN_KAPPA


def trust_in(store: Store, bot: str, run_id: str, judge: str, version: str) -> Trust | None:
    """What a bot's labels say of a judge's scores of a run; None if no turn that it scored in this version has a label.

    Labels of all runs count in which this version of the judge counts; they are weighted as in
    `core.analysis.labelled_turns`.
    """
    pools = tuple(name for name in store.labels.pools(bot) if not is_chats(name))
    if not pools:
        return None
    return _trust(store, pools, run_id, judge, version, (store.labels.state(), store.scores.newest()))


def pools_judged_alike(store: Store, bot: str, pool: str, judge: str) -> tuple[str, ...]:
    """A run and the bot's other runs with labels in which the same version of a judge counts: their labels add up."""
    if is_chats(pool):
        return (pool,)

    def version_in(run_id: str) -> str | None:
        return store.tables.of_run(run_id).chosen_versions().get(judge)

    others = (other for other in store.labels.pools(bot) if other != pool and not is_chats(other))
    return (pool, *(other for other in others if version_in(other) == version_in(pool)))


def trust_text(t: Translate, trust: Trust) -> str:
    """How far the judge agrees with this bot's labels, or that it is not yet trusted, and why."""
    if trust.n < MIN_LABELS or trust.kappa.value is None:
        return t("trust.few", n=f"{trust.n:,}", least=MIN_LABELS)
    figures = {
        "n": f"{trust.n:,}",
        "percent": figure_text(trust.percent, share=True),
        "kappa": figure_text(trust.kappa),
    }
    return t("trust.agrees" if trust.is_trusted else "trust.low", **figures)


def corrected_text(t: Translate, trust: Trust) -> str:
    """The judge's share of right replies beside the one corrected for its errors; "" if it is not known."""
    mean = trust.corrected
    if mean is None or mean.corrected.low is None:
        return ""
    corrected = figure_text(mean.corrected, share=True)
    return t("trust.corrected", raw=percent(mean.raw), corrected=corrected, n=f"{mean.n:,}")


def figure_text(statistic: Statistic, share: bool = False) -> str:
    """A value with its interval: 0.61 (0.49–0.70), or 78% (71–84%)."""
    if statistic.low is None or statistic.high is None:
        return value_text(statistic, share)
    return f"{value_text(statistic, share)} ({ends_text(statistic.low, statistic.high, share)})"


def ends_text(low: float, high: float, share: bool = False) -> str:
    """The ends of an interval: 0.49–0.70, or 71–84%."""
    return percent_range(low, high) if share else f"{low:.2f}–{high:.2f}"


def value_text(statistic: Statistic, share: bool = False) -> str:
    """A value alone: 0.61, or 78%; a dash if it is not defined."""
    if statistic.value is None:
        return NO_VALUE
    return percent(statistic.value) if share else f"{statistic.value:.2f}"


@lru_cache(maxsize=16)
def _trust(store: Store, pools: tuple[str, ...], run_id: str, judge: str, version: str, state: object) -> Trust | None:
    del state
    same_version = tuple(pool for pool in pools if store.tables.of_run(pool).chosen_versions().get(judge) == version)
    if not same_version:
        return None
    labelled = labelled_turns(store, same_version, {})
    compared = labelled.agreement(judge)
    if not compared.n:
        return None
    corrected = None
    if run_id in same_version:
        own = labelled if same_version == (run_id,) else labelled_turns(store, (run_id,), {})
        corrected = corrected_share(own, judge)
    enough = corrected is not None and corrected.n >= MIN_LABELS
    return Trust(compared.n, compared.percent, compared.kappa, corrected if enough else None)
