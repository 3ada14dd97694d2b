"""What charts of differences share: rows with a note beside each mark, and round places on both sides of zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.analysis.ablation import Ablation
from core.analysis.compare import Difference
from core.analysis.formatting import points, points_range
from core.base.translate import Translate
from core.charts.style import BARE, NOTES, go

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # between two ticks of the axis


def add_rows(figure: Any, names: Sequence[str], notes: Sequence[str], reach: float, axis: str, scale: int = 1) -> None:
    """Name each row on the left and note its difference on the right; the axis spans `reach` (in 1/scale) both ways."""
    places, ticks = list(range(len(names))), difference_ticks(reach / scale)
    figure.add_trace(go.Scatter(x=[reach * 1.08] * len(names), y=places, text=list(notes), **NOTES))
    figure.update_xaxes(
        range=[-reach, reach * 2.2],  # on the right room for the notes, on a telephone too
        title=axis,
        zeroline=False,
        tickvals=[scale * tick for tick in ticks],
        ticktext=[f"{tick * 100:+g}".replace("-", "−") if tick else "0" for tick in ticks],
    )
    figure.update_yaxes(tickvals=places, ticktext=list(names), range=[len(names) - 0.5, -0.5], **BARE)


def difference_note(of: Difference | Ablation, t: Translate) -> str:
    """Beside a mark its difference, of how many pairs, and beneath it the interval, or that there is none."""
    interval = t("charts.no_interval")
    if of.low is not None and of.high is not None:
        interval = points_range(of.low, of.high, t)
    first = f"<b>{points(of.difference)}</b>  {t('charts.forest_n', n=f'{of.pairs:,}')}"
    return f"{first}<br><span style='opacity:.7;font-size:.8em'>{interval}</span>"


def difference_ticks(reach: float) -> list[float]:
    """Round places on both sides of zero up to `reach` (of 1), at most two on a side."""
    step = max((size for size in STEPS if size <= reach), default=STEPS[0])
    return [round(step * place, 6) for place in range(-5, 6) if abs(step * place) <= reach]
