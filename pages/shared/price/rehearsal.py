"""A probe under way: a few conversations held in the background, so that a page can show how far they are."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core.base.bots import load_bot
from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.llm.errors import ModelError
from core.llm.occasion import SOON, on
from core.run.plan import Plan

if TYPE_CHECKING:
    from core.retrieve.index import Indexes
    from core.run.estimate import Estimate

SECONDS = 180.0  # that a probe may take at most
PREPARING = 900.0  # that it waits for the index before
_LOG = logging.getLogger(__name__)


class Rehearsal:
    """Begins at once in a thread of its own; a page asks it how far it is, and may call it off.

    found: the estimate once it is there; error, or in one word trouble: why there is none. No Streamlit in here.
    """

    def __init__(self, plan: Plan, engine: Engine, indexes: Indexes, knowledge: Path | None = None) -> None:
        self.spent = Spending()
        self.found: Estimate | None = None
        self.error: BadInput | None = None
        self.trouble: Literal["", "slow", "unprepared", "broken"] = ""
        self.bot = plan.bot
        self.preparing = True  # the index: a server that has just started may still be making it
        self.embedded = (0, 0)  # passages of the index, and how many there are, while it is made for this probe
        self._begun, self._stopped, self._over = time.monotonic(), threading.Event(), threading.Event()
        work = (plan, engine, indexes, knowledge)
        threading.Thread(target=self._hold, args=work, name="rehearsal", daemon=True).start()

    @property
    def seconds(self) -> float:
        """How long it has been under way, or waiting for the index before."""
        return time.monotonic() - self._begun

    @property
    def running(self) -> bool:
        """Whether something is still to be expected; one that takes too long is called off."""
        if self._over.is_set() or self._stopped.is_set():
            return False
        if self.seconds > (PREPARING if self.preparing else SECONDS):
            self.stop()
            self.trouble = "unprepared" if self.preparing else "slow"
        return not self._stopped.is_set()

    def stop(self) -> None:
        """Begin no further call; what is under way is not waited for."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is over within so many seconds."""
        return self._over.wait(seconds)

    def _hold(self, plan: Plan, engine: Engine, indexes: Indexes, knowledge: Path | None) -> None:
        from core.run.estimate import estimate

        try:
            indexes.get(load_bot(plan.bot, knowledge), self._prepared)
            if self._stopped.is_set():
                return
            self._begun, self.preparing = time.monotonic(), False
            with on(stopped=self._stopped.is_set, absent=SOON):
                self.found = estimate(plan, engine, indexes, knowledge, told=self._told)
        except (BadInput, ModelError) as error:
            if not self._stopped.is_set():
                self.error = BadInput(str(error), error.key, **error.details)
        except Exception:  # told on the page
            _LOG.warning("An estimate failed", exc_info=True)
            self.trouble = "broken"
        finally:
            self._over.set()

    def _prepared(self, done: int, total: int) -> None:
        self.embedded = (done, total)

    def _told(self, spent: Spending) -> None:
        self.spent = spent
