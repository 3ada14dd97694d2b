"""Types of fields that a model may leave empty: texts and choices, tidied as they are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, cast

from pydantic import BeforeValidator

_LABELS = ("label", "text", "title", "choice", "name", "value")  # what models call the text of a choice
MAX_CHOICES = 5  # choices of a clarifying question
_NOTHING = re.compile(
    r"[\W_ー]*+(?:(?:特に|とくに)?(?:なし|無し|無い|ない|ありません|ございません)|該当(?:なし|無し|しない|しません)|不要|空(?:欄|白)?"
    r"|n\s*+/?\s*+a|none|null|nil|nothing|not (?:applicable|needed|required)|empty|blank)?+[\W_ー]*+",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?:[-*・•](?!\d)|[①-⑳❶-❿➀-➓]|(?:選択肢|候補|option|choice)\s*+\d{0,2}+\s*+[.)．）:：、]|[(（]?\d{1,2}[.)．）:：、](?!\d))\s*+",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """Whether a text is a filler that models write into an empty field: 「なし」, "N/A", "-"."""
    return bool(_NOTHING.fullmatch(text))


def without_number(text: str) -> str:
    """A line of a list without its bullet or number: "1.", "（2）", "③", "Option 3:"."""
    plain = text.strip()
    found = _NUMBER.match(plain)
    return plain[found.end() :] if found else plain


def tidy_choices(choices: Any) -> Any:
    """A model's choices without fillers, numbers and repeats, at most five; any other value unchanged.

    A choice that is an object such as {"id": 1, "label": "…"} becomes its text.
    """
    if choices is None:
        return ()
    if not isinstance(choices, list | tuple):
        return choices
    texts = (_label_of(choice) for choice in cast(Sequence[object], choices))
    labels = [without_number(text) for text in texts if text]
    return tuple(dict.fromkeys(label for label in labels if not says_nothing(label)))[:MAX_CHOICES]


def _label_of(choice: object) -> str:
    """The text of a choice; "" if it has none, or several possible ones."""
    if isinstance(choice, str):
        return choice
    if not isinstance(choice, dict):
        return ""
    data = cast(dict[str, object], choice)
    named = [data[name] for name in _LABELS if isinstance(data.get(name), str)]
    texts = named[:1] or [value for name, value in data.items() if isinstance(value, str) and name != "id"]
    return str(texts[0]) if len(texts) == 1 else ""


def _no_filler(text: Any) -> Any:
    return "" if isinstance(text, str) and says_nothing(text) else text


Text = Annotated[str, BeforeValidator(_no_filler)]  # "" if the model says that there is nothing
Choices = Annotated[tuple[str, ...], BeforeValidator(tidy_choices)]
