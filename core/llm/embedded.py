"""The embedded engine: every prompt answers itself, with no language model.

Each prompt's `without_model` does this; for a turn of the bot see `core/bot/embedded/`.
"""

from collections.abc import Iterator
from typing import TypeVar

from core.base.prompt import Prompt
from core.text.language import sentences

R = TypeVar("R")


class EmbeddedEngine:
    """Answers with `Prompt.without_model`: heuristics, statistics and small fitted models; no network, no key."""

    name = "embedded"

    def ask(self, prompt: Prompt[R]) -> R:
        return prompt.without_model()

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The prompt's own reply, sentence by sentence."""
        yield from sentences(prompt.without_model())
