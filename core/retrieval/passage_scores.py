"""One number for each passage (or text), as an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
# Passages from which means and counts over them say what is usual; fewer are filled up with passages that have nothing.
ENOUGH_PASSAGES = 200
