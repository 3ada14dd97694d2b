"""Replays under way and done: each in a thread of its own, so that leaving the page loses nothing."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.calls import Spending
from core.base.errors import BadInput, ModelError

if TYPE_CHECKING:
    from core.runs.replay import Replayed, Stage
    from core.store.store import Store

KEPT = 64  # replays that a server remembers; equal calls are in the call log anyhow
_LOG = logging.getLogger(__name__)


class Result(NamedTuple):
    """Both turns with their verdicts, and what it cost."""

    replayed: Replayed
    cost: Spending


class Replaying:
    """Begins at once; a page asks it how far it is, and may call it off. No Streamlit in here.

    result: once it is there; error: why there is none; broken: whether that is a fault of Kiku's own.
    """

    def __init__(self, stage: Stage, work: Callable[[], Replayed], store: Store, what: object = None) -> None:
        self.stage: Stage = stage
        self.what = what
        self.result: Result | None = None
        self.error: BadInput | None = None
        self.broken = False
        self._begun, self._stopped, self._over = time.monotonic(), threading.Event(), threading.Event()
        threading.Thread(target=self._do, args=(work, store), name="replay", daemon=True).start()

    @property
    def seconds(self) -> float:
        """How long it has been under way."""
        return time.monotonic() - self._begun

    @property
    def running(self) -> bool:
        """Whether something is still to be expected."""
        return not self._over.is_set() and not self._stopped.is_set()

    @property
    def stopped(self) -> bool:
        """Whether it was called off."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Begin no further call; the one under way is not waited for."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is over within so many seconds."""
        return self._over.wait(seconds)

    def _do(self, work: Callable[[], Replayed], store: Store) -> None:
        mark = f"replay-{secrets.token_hex(6)}"
        try:
            with in_context(conversation_id=mark, stopped=self._stopped.is_set, connect_patience=INTERACTIVE_PATIENCE):
                self.result = Result(work(), store.calls.spending(conversation_id=mark))
        except (BadInput, ModelError) as error:
            self.error = BadInput(str(error), error.key, **error.details)
        except Exception:  # told on the page
            _LOG.warning("A replay failed", exc_info=True)
            self.broken = True
        finally:
            self._over.set()


class Replays:
    """The last replay of each turn, as long as the server lives; safe to share between threads."""

    def __init__(self) -> None:
        self._of: OrderedDict[int, Replaying] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, turn: int) -> Replaying | None:
        """The last one of a turn, none where there was none."""
        return self._of.get(turn)

    def start(
        self, turn: int, stage: Stage, work: Callable[[], Replayed], store: Store, what: object = None
    ) -> Replaying:
        """Begin one in place of the last; the same that is still under way goes on instead.

        what: all that is replaced. Raises BadInput where somebody else tries something else with the turn just now.
        """
        with self._lock:
            last = self._of.get(turn)
            if last and last.running and last.what == what:
                return last
            if last and last.running:
                told = "Another replay of this turn is under way. Wait until it is over, then start yours."
                raise BadInput(told, "replay_busy")
            begun = self._of[turn] = Replaying(stage, work, store, what)
            self._of.move_to_end(turn)
            for old in [key for key, one in self._of.items() if not one.running][: max(0, len(self._of) - KEPT)]:
                del self._of[old]
            return begun

    def close(self) -> None:
        """Call all off."""
        for one in list(self._of.values()):
            one.stop()
