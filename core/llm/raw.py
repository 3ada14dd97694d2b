"""A model's reply as the server sent it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from core.llm.schemas import Json

UNPARSED = "unparsed"  # why a reply ended that is no more than the server's error


@dataclass(frozen=True)
class Raw:
    """A reply as the server sent it: the message, why it ended, and the tokens (none where it told none)."""

    message: Json
    finish: str = "stop"
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def text(self) -> str:
        """The content as one text; "" where there is none."""
        content = self.message.get("content")
        if isinstance(content, list):
            parts = [cast(Json, part) for part in cast(list[Any], content) if isinstance(part, dict)]
            texts = (part.get("text") for part in parts)
            return "".join(text for text in texts if isinstance(text, str))
        return content if isinstance(content, str) else ""

    @property
    def said(self) -> str:
        """What the model said or called, as it is shown to it again."""
        return self.text or (_dumped(self.message["tool_calls"]) if self.message.get("tool_calls") else "(…)")

    def dump(self) -> str:
        """The reply for the ledger, JSON."""
        return f'{{"message": {_dumped(self.message)}, "finish_reason": {json.dumps(self.finish)}}}'


def load_raw(dumped: str) -> Raw:
    """What `Raw.dump` kept."""
    kept = json.loads(dumped)
    return Raw(message=kept["message"], finish=kept["finish_reason"])


def _dumped(message: Any) -> str:
    try:
        return json.dumps(message, ensure_ascii=False)
    except RecursionError:
        return json.dumps({"content": "(nested too deeply to be written down)"})
