"""Google's servers: a client for a service account, a spreadsheet to write to, and what to do while they stumble.

gspread is optional (requirements-sheets.txt).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tenacity

from core.base.errors import BadInput

SCOPES = ("https://www.googleapis.com/auth/spreadsheets", "https://www.googleapis.com/auth/drive.file")
FIRST_WAIT, TIMEOUT = 2.0, 120.0  # seconds, doubled up to a minute; seconds for a reply
TRIES, NETWORK_TRIES = 8, 5  # where Google asks to wait or stumbles; where the network does
_PASSING = (408, 429, 500, 502, 503, 504)
_ID = re.compile(r"^[A-Za-z0-9_-]{30,}$")


def account(key_file: Path) -> str:
    """The e-mail address of the service account, with which a spreadsheet has to be shared; raises BadInput."""
    try:
        return str(json.loads(key_file.read_text("utf-8"))["client_email"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        detail = getattr(error, "strerror", None) or type(error).__name__
        raise BadInput(
            f"The service account file {key_file.name} cannot be used ({detail}). "
            "Name the JSON key file of a Google service account in KIKU_GOOGLE_SERVICE_ACCOUNT.",
            "bad_service_account",
            file=key_file.name,
            detail=detail,
        ) from None  # the error may hold a piece of the key


def client_of(key_file: Path) -> tuple[Any, Any]:
    """gspread and its client for the account."""
    try:
        import gspread  # optional: only where it is wanted
    except ImportError:
        told = "Google Sheets need one more package. Run pip install -r requirements-sheets.txt and try again."
        raise BadInput(told, "no_gspread") from None
    mail, library = account(key_file), gspread
    assert mail is not None
    made: Any = library
    try:
        client = made.service_account(filename=str(key_file), scopes=list(SCOPES))
    except (ValueError, KeyError) as error:
        raise BadInput(
            f"The service account file {key_file.name} cannot be used ({type(error).__name__}). "
            "Name the JSON key file of a Google service account in KIKU_GOOGLE_SERVICE_ACCOUNT.",
            "bad_service_account",
            file=key_file.name,
            detail=type(error).__name__,
        ) from None
    client.set_timeout(TIMEOUT)
    return made, client


class explained:
    """What Google or the network says, in one sentence."""

    def __init__(self, library: Any, key_file: Path) -> None:
        self._library, self._key_file = library, key_file

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import requests
        from google.auth.exceptions import GoogleAuthError

        wrong = self._library.exceptions
        detail = " ".join(str(error).split())[:300]
        if isinstance(error, PermissionError | wrong.SpreadsheetNotFound) or getattr(error, "code", 0) in (403, 404):
            mail = account(self._key_file)
            told = f"Google does not let the service account in ({detail or 'no permission'}). Share the spreadsheet with {mail} as an editor and try again."
            raise BadInput(told, "sheets_forbidden", mail=mail, detail=detail) from None
        if isinstance(error, GoogleAuthError | wrong.GSpreadException | requests.RequestException):
            told = f"Google Sheets did not take the run ({detail}). Try again later; what was sent so far is in the spreadsheet."
            raise BadInput(told, "sheets_failed", detail=detail) from None


def opened(client: Any, where: str) -> Any:
    """The spreadsheet of an address or ID, else a new one of that title."""
    found = re.search(r"/spreadsheets/d/([A-Za-z0-9_-]+)", where)
    mark = found[1] if found else where if _ID.match(where) else ""
    return client.open_by_key(mark) if mark else client.create(where)


def share_with(library: Any, book: Any, mail: str) -> None:
    """Let somebody edit the spreadsheet; an address that Google will not take is told at once."""
    try:
        patiently(library, lambda: book.share(mail, perm_type="user", role="writer", notify=False))
    except library.exceptions.APIError as error:
        if _status(error) not in (400, 403, 404):
            raise
        detail = " ".join(str(error).split())[:300]
        told = f"Google does not share the spreadsheet with {mail} ({detail}). Give the e-mail address of a Google account, or share it by hand."
        raise BadInput(told, "sheets_share", mail=mail, detail=detail) from None


def _status(error: Any) -> int:
    """The HTTP status of what Google answered, also where its body is no JSON."""
    code = int(getattr(error, "code", 0) or 0)
    return code if code > 0 else int(getattr(getattr(error, "response", None), "status_code", 0) or 0)


def patiently(library: Any, work: Callable[[], Any]) -> Any:
    """Try again, ever later, while Google asks to wait or stumbles, or the network does; what cannot pass is told at once."""
    import requests

    lasting = (requests.exceptions.SSLError, requests.exceptions.ProxyError, requests.exceptions.InvalidURL)

    def again(error: BaseException) -> bool:
        busy = isinstance(error, library.exceptions.APIError) and _status(error) in _PASSING
        cut = isinstance(error, requests.ConnectionError | requests.Timeout) and not isinstance(error, lasting)
        return busy or cut

    def enough(state: tenacity.RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        return state.attempt_number >= (TRIES if isinstance(error, library.exceptions.APIError) else NETWORK_TRIES)

    trying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(again),
        wait=tenacity.wait_exponential(multiplier=FIRST_WAIT / 2, max=60) + tenacity.wait_random(0, FIRST_WAIT / 4),
        stop=enough,
        reraise=True,
    )
    return trying(work)
