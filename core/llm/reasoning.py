"""Strips a model's reasoning, in the forms that servers leave it in a reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_TAG = r"(?:think|thinking|reasoning|thought)"
_FINAL = "<|channel|>final<|message|>"  # the last channel of gpt-oss ("harmony"); the others are reasoning
_MARKS = {
    **{f"<{name}>": f"</{name}>" for name in ("think", "thinking", "reasoning", "thought")},
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|channel|>": _FINAL,
    "<|start|>": _FINAL,
    "analysis<|message|>": _FINAL,
}
_REASONING = re.compile(
    rf"\s*(?:<{_TAG}>.*?(?:</{_TAG}>|\Z)|\[think\].*?(?:\[/think\]|\Z)|◁think▷.*?(?:◁/think▷|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_BEGUN_BEFORE = re.compile(rf"(?!\s*[{{`]).*?(?:</{_TAG}>|\[/think\]|◁/think▷)", re.DOTALL | re.IGNORECASE)
_CHANNELS = re.compile(r"\s*(?:<\|(?:channel|start)\|>|analysis<\|message\|>)")
_BARE_CHANNELS = re.compile(r"\s*analysis.*?assistantfinal", re.DOTALL)  # the same if the server drops the tags
_END = re.compile(r"<\|(?:end|return|call|start)\|>")


def without_reasoning(text: str) -> str:
    """The text after its reasoning: <think>…</think> and the like at the beginning, whose start or end may be missing.

    The same tags further on are quotations and stay.
    """
    if _CHANNELS.match(text):  # two ends: one is quoted, and it is unknown which
        return _END.split(text.partition(_FINAL)[2], maxsplit=1)[0] if text.count(_FINAL) == 1 else ""
    if bare := _BARE_CHANNELS.match(text):
        return text[bare.end() :]
    place = 0
    while thought := _REASONING.match(text, place) or _BEGUN_BEFORE.match(text, place):
        place = thought.end()
        if place == len(text):
            break
    return text[place:]


def is_reasoning(text: str) -> bool:
    """Whether the beginning of a streamed text may be nothing but reasoning so far."""
    start = text.lstrip().lower()
    return any(mark.startswith(start[: len(mark)]) and end not in start for mark, end in _MARKS.items())


def stream_without_reasoning(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces of a streamed reply after its reasoning, if the reply begins with one."""
    opened: str | None = ""
    for piece in pieces:
        if opened is None:
            yield piece
            continue
        opened += piece
        text = "" if is_reasoning(opened) else without_reasoning(opened).lstrip()
        if text:
            yield text
            opened = None
