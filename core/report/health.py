"""Whether the simulated users were fit to test a bot with."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

JUDGE = "simulated_user"


def spoilt(frame: pd.DataFrame) -> frozenset[str]:
    """The ids of the conversations in which a turn of the simulated user was found spoilt (`frame`: `score_frame`)."""
    table = cast(Any, frame)  # pandas is typed too loosely to be checked
    found = table[(table["judge"] == JUDGE) & (table["value"] == 0)]
    return frozenset(str(mark) for mark in found["conversation"])
