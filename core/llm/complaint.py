"""What a server's error means: try again, ask otherwise, or give up."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2

from core.llm.errors import Refused
from core.llm.hiding import Hiding
from core.llm.limits import GARBLED, Passing
from core.llm.raw import UNPARSED, Raw
from core.llm.schemas import Json

_BUSY = (429, 503, 529)
_PASSING = (408, 409, 425, 502, 504)
# What llama.cpp and Groq say when the model's reply, not the request, has the wrong form
_UNPARSED = re.compile(
    r"output that does not match the expected|failed to parse input at pos|json_validate_failed|tool_use_failed",
    re.IGNORECASE,
)
_TOLD = 500  # characters of a server's error that are passed on


class Rejected(Exception):
    """The server will not take the request as it is; `parameter`: what it objects to; `said`: its words ("": unknown)."""

    def __init__(self, status: int, message: str, parameter: str = "", said: str = "") -> None:
        super().__init__(message)
        self.status, self.parameter, self.said = status, parameter, said


class Garbled(Exception):
    """The server could not read what its model wrote; `raw` is as much of it as it tells."""

    def __init__(self, message: str, written: str) -> None:
        super().__init__(message)
        self.raw = Raw({"role": "assistant", "content": written, "error": message}, UNPARSED)


def judged(server: str, answer: httpx2.Response, data: bytes, hiding: Hiding) -> Exception:
    """What an answer means that is no success; `data`: the (beginning of the) body."""
    status, text = answer.status_code, hiding.text(data.decode("utf-8-sig", "replace"))
    body = _fault(data, text, hiding)
    parameter, said = _named(body)
    message = f"HTTP {status}: {' '.join((said or text).split())[:_TOLD]}"
    if 300 <= status < 400:
        return _moved(server, answer, message, hiding)
    if status in (401, 403):
        return Refused(f"{server} refused the key ({message}). Check it.", "wrong_key", detail=message)
    if status == 429 and "insufficient_quota" in str(body):
        return Refused(f"{server} has no credit left ({message}).", "no_credit", detail=message)
    if status == 400 and _is_filtered(body):
        return Refused(f"{server} withheld the reply ({message}).", "declined", problem=message)
    if status in (400, 500) and _UNPARSED.search(str(body)):
        return Garbled(message, _written(body))
    if status in _BUSY:
        return Passing(message, _retry_after(answer.headers), busy=True)
    if status in _PASSING:
        return Passing(message)
    if status >= 500 and status != 501:
        return Passing(message, tries=GARBLED)
    return Rejected(status, message, parameter, "" if text.lstrip().startswith("<") else said)


def _moved(server: str, answer: httpx2.Response, message: str, hiding: Hiding) -> Exception:
    """The key and the messages go to nobody but the server that was named: redirects are not followed."""
    try:
        there = answer.request.url.join(str(answer.headers["location"]))
        place = hiding.text(f"{there.scheme}://{there.netloc.decode('ascii')}")
    except (KeyError, ValueError, httpx2.InvalidURL):
        return Rejected(answer.status_code, message)
    told = f"{server} sends its callers on to {place}, where nothing was sent. If that is right, set that address."
    return Refused(told, "moved", server=server, place=place)


def _fault(data: bytes, text: str, hiding: Hiding) -> object:
    """What a server says of an error: its "error" where there is one, else all it says; the text where it is no JSON."""
    try:
        told: Any = hiding.loaded(data)
    except ValueError:
        return text
    if isinstance(told, list) and told:
        told = cast(list[Any], told)[0]
    return cast(Json, told).get("error", cast(object, told)) if isinstance(told, dict) else cast(object, told)


def _named(body: object) -> tuple[str, str]:
    """(the parameter that an error names or "", its message); of a validation error the places, never its input."""
    if not isinstance(body, dict):
        return "", str(body or "")
    told = cast(Json, body)
    if isinstance(details := told.get("detail"), list):
        rows = [cast(Json, row) for row in cast(list[Any], details) if isinstance(row, dict)]
        places = [_place(row.get("loc")) for row in rows]
        return " ".join(places), "; ".join(
            f"{place}: {row.get('msg')}" for place, row in zip(places, rows, strict=True)
        )
    return str(told.get("param") or ""), str(told.get("message") or told.get("detail") or told)


def _place(place: object) -> str:
    return " ".join(str(part) for part in cast(list[Any], place)) if isinstance(place, list) else str(place or "")


def _written(body: object) -> str:
    """What the model wrote, where a server's error tells it."""
    told = cast(Json, body) if isinstance(body, dict) else {}
    return str(told.get("failed_generation") or "")


def _is_filtered(body: object) -> bool:
    """Whether a server's error says that a filter stopped the request."""
    told = cast(Json, body) if isinstance(body, dict) else {}
    return any("content_filter" in str(told.get(name) or "") for name in ("code", "type"))


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds to wait as the server asks for: a number, or a date."""
    told = headers.get("retry-after", "")
    for given, scale in ((headers.get("retry-after-ms", ""), 1000), (told, 1)):
        try:
            seconds = float(given) / scale
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0
