"""How a run's cost is told beforehand: how many conversations are probed, and what those over tell of the rest."""

from __future__ import annotations

from core.base.calls import Spending
from core.store.rows import Progress

PROBED = 3  # conversations that an estimate holds


def projected(spent: Spending, now: Progress) -> Spending | None:
    """Scaled up by the conversations that are over, those under way counted half; none before one is over."""
    if not now.finished:
        return None
    return spent.times(max(1.0, now.total / (now.finished + now.running / 2)))
