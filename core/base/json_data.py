"""Reads JSON from others, which may be anything, without errors."""

from __future__ import annotations

import json
from typing import Any, cast

from core.base.clean_text import clean

Json = dict[str, Any]


def load_json(text: str) -> Any:
    """JSON without lone surrogates; NaN and infinities, which are not JSON, become None. Raises ValueError with why."""
    try:
        return clean(json.loads(text, parse_constant=lambda _: None))
    except json.JSONDecodeError as error:
        raise ValueError(error.msg) from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:
        raise ValueError("a number has too many digits") from error


def compact_json(value: Any) -> bytes:
    """JSON as it is sent: UTF-8 without needless blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def as_object(value: object) -> Json:
    """The value if it is an object, else an empty one."""
    return cast(Json, value) if isinstance(value, dict) else {}


def objects_of(value: object) -> list[Json]:
    """The objects in a list; [] if the value is no list."""
    items = cast(list[object], value) if isinstance(value, list) else []
    return [cast(Json, item) for item in items if isinstance(item, dict)]
