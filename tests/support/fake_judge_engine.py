"""Fake models for tests of judges: they keep what they were asked, and give the replies they were told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from core.base.prompt import Prompt

R = TypeVar("R")


class Replying:
    """Gives replies made from the prompt, or in order from a list."""

    name = "replying"

    def __init__(self, *replies: Any, make: Callable[[Any], Any] | None = None) -> None:
        self._replies, self._make = list(replies), make
        self.asked: list[Any] = []

    def ask(self, prompt: Prompt[R]) -> R:
        """The next reply, read as the prompt's type if it is a dict."""
        self.asked.append(prompt)
        reply = self._make(prompt) if self._make else self._replies.pop(0)
        return prompt.reply_type().model_validate(reply) if isinstance(reply, dict) else reply

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The next reply as one piece."""
        yield self.ask(prompt)
