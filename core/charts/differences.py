"""What charts of differences share: the note beside a mark, and round places on both sides of zero."""

from __future__ import annotations

from core.analysis.ablation import Ablation
from core.analysis.compare import Difference
from core.analysis.formatting import points, points_range
from core.base.translate import Translate

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # between two ticks of the axis


def difference_note(of: Difference | Ablation, pairs: int, t: Translate) -> str:
    """Beside a mark its difference, of how many pairs, and beneath it the interval, or that there is none."""
    interval = t("charts.no_interval")
    if of.low is not None and of.high is not None:
        interval = points_range(of.low, of.high, t)
    first = f"<b>{points(of.difference)}</b>  {t('charts.forest_n', n=f'{pairs:,}')}"
    return f"{first}<br><span style='opacity:.7;font-size:.8em'>{interval}</span>"


def difference_ticks(reach: float) -> list[float]:
    """Round places on both sides of zero up to `reach` (of 1), at most two on a side."""
    step = max((size for size in STEPS if size <= reach), default=STEPS[0])
    return [round(step * place, 6) for place in range(-5, 6) if abs(step * place) <= reach]


def tick_texts(ticks: list[float]) -> list[str]:
    """Ticks as points with their sign."""
    return [f"{tick * 100:+g}".replace("-", "−") if tick else "0" for tick in ticks]
