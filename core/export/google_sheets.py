"""A run in Google Sheets, through a service account: the layout of the workbook, sent piece by piece.

gspread is optional (requirements-sheets.txt). Limits as Google gives them (Sheets API, usage limits; Drive help, files
you can store): 60 writes a minute, 2 MB a request, 10 million cells, 50,000 characters a cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import tenacity

from core.base.errors import BadInput
from core.base.json_data import Json, compact_json
from core.base.unused_name import unused_name
from core.export.cells import fit_cell
from core.export.layout import CellFormat, CellValue, Column, ExportRow, Layout, cell_format, headings
from core.export.sheets import columns_of

SCOPES = ("https://www.googleapis.com/auth/spreadsheets", "https://www.googleapis.com/auth/drive.file")
FIRST_WAIT, TIMEOUT = 2.0, 120.0  # seconds, doubled up to a minute; seconds for a reply
TRIES, NETWORK_TRIES = 8, 5  # where Google asks to wait or stumbles; where the network does
_PASSING = (408, 429, 500, 502, 503, 504)
_ID = re.compile(r"^[A-Za-z0-9_-]{30,}$")
LONGEST_CELL = 50_000  # characters in a cell
MOST_CELLS = 10_000_000  # in a spreadsheet
MOST_BYTES = 2_000_000  # in a request, as it is sent
REQUEST_OVERHEAD = 600  # bytes that a sheet adds to a request beside its rows
_DAY_ZERO = datetime(1899, 12, 30)
_RED = {"backgroundColor": {"red": 0.973, "green": 0.788, "blue": 0.769}}
_TOP = {"verticalAlignment": "TOP", "wrapStrategy": "WRAP"}
_HEAD = {**_TOP, "textFormat": {"bold": True}, "backgroundColor": {"red": 0.89, "green": 0.906, "blue": 0.953}}
_NUMBERS = {
    "share": {"numberFormat": {"type": "PERCENT", "pattern": "0%"}},
    "date": {"numberFormat": {"type": "DATE_TIME", "pattern": "yyyy-mm-dd hh:mm"}},
}


def service_account_email(key_file: Path) -> str:
    """The e-mail address of the service account, with which a spreadsheet has to be shared; raises BadInput."""
    try:
        return str(json.loads(key_file.read_text("utf-8"))["client_email"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _bad_key_file(key_file, error) from None  # the error may hold a piece of the key


def _bad_key_file(key_file: Path, error: Exception) -> BadInput:
    detail = getattr(error, "strerror", None) or type(error).__name__
    message = f"The service account file {key_file} cannot be used ({detail}). "
    message += "Set KIKU_GOOGLE_SERVICE_ACCOUNT to the JSON key file of a Google service account."
    return BadInput(message, "bad_service_account", file=key_file.name, detail=detail)


def client_of(key_file: Path) -> tuple[Any, Any]:
    """gspread and its client for the account."""
    try:
        import gspread  # optional: only if it is wanted
    except ImportError:
        message = "Google Sheets needs more packages. Run pip install -r requirements-sheets.txt and try again."
        raise BadInput(message, "no_gspread") from None
    service_account_email(key_file)  # raises for a file that is none
    library: Any = gspread
    try:
        client = library.service_account(filename=str(key_file), scopes=list(SCOPES))
    except (ValueError, KeyError) as error:
        raise _bad_key_file(key_file, error) from None
    client.set_timeout(TIMEOUT)
    return library, client


@contextmanager
def explain_errors(library: Any, key_file: Path) -> Generator[None]:
    """What Google or the network says, in one sentence; raises BadInput."""
    import requests
    from google.auth.exceptions import GoogleAuthError

    wrong = library.exceptions
    try:
        yield
    except (PermissionError, GoogleAuthError, wrong.GSpreadException, requests.RequestException) as error:
        detail = " ".join(str(error).split())[:300]
        if isinstance(error, PermissionError | wrong.SpreadsheetNotFound) or getattr(error, "code", 0) in (403, 404):
            mail = service_account_email(key_file)
            message = f"Google refuses the service account ({detail or 'no permission'}). Share the spreadsheet with {mail} as an editor and try again."
            raise BadInput(message, "sheets_forbidden", mail=mail, detail=detail) from None
        message = (
            f"Google Sheets refused the data ({detail}). Try again later; what was sent so far is in the spreadsheet."
        )
        raise BadInput(message, "sheets_failed", detail=detail) from None


def open_spreadsheet(client: Any, where: str) -> Any:
    """The spreadsheet of an address or ID, else a new one of that title."""
    found = re.search(r"/spreadsheets/d/([A-Za-z0-9_-]+)", where)
    key = found[1] if found else where if _ID.match(where) else ""
    return client.open_by_key(key) if key else client.create(where)


def share_with(library: Any, book: Any, mail: str) -> None:
    """Let somebody edit the spreadsheet; an address that Google will not take is reported at once."""
    try:
        retry_request(library, lambda: book.share(mail, perm_type="user", role="writer", notify=False))
    except library.exceptions.APIError as error:
        if _status(error) not in (400, 403, 404):
            raise
        detail = " ".join(str(error).split())[:300]
        message = f"The spreadsheet could not be shared with {mail} ({detail}). Give the e-mail address of a Google account, or share it by hand."
        raise BadInput(message, "sheets_share", mail=mail, detail=detail) from None


def _status(error: Any) -> int:
    """The HTTP status of what Google answered, also if its body is no JSON."""
    code = int(getattr(error, "code", 0) or 0)
    return code if code > 0 else int(getattr(getattr(error, "response", None), "status_code", 0) or 0)


def retry_request(library: Any, work: Callable[[], Any]) -> Any:
    """Try again, ever later, while Google asks to wait or stumbles, or the network does; an error that cannot pass is reported at once."""
    import requests

    permanent = (requests.exceptions.SSLError, requests.exceptions.ProxyError, requests.exceptions.InvalidURL)

    def is_transient(error: BaseException) -> bool:
        busy = isinstance(error, library.exceptions.APIError) and _status(error) in _PASSING
        cut = isinstance(error, requests.ConnectionError | requests.Timeout) and not isinstance(error, permanent)
        return busy or cut

    def enough(state: tenacity.RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        return state.attempt_number >= (TRIES if isinstance(error, library.exceptions.APIError) else NETWORK_TRIES)

    trying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(is_transient),
        wait=tenacity.wait_exponential(multiplier=FIRST_WAIT / 2, max=60) + tenacity.wait_random(0, FIRST_WAIT / 4),
        stop=enough,
        reraise=True,
    )
    return trying(work)


def write_google_sheets(
    key_file: Path,
    where: str,
    layout: Layout,
    rows: Iterable[tuple[str, ExportRow]],
    share: str = "",
) -> str:
    """Send a run (`core.export.sheets.rows_of`) to a spreadsheet and give its address; sheets that are there stay.

    where: the address or ID of a spreadsheet that the service account may edit, else the title of a new one; share: an
    e-mail address that may edit it. Text is sent as text, never as a formula. Raises BadInput if the key file, the
    network or Google does not let it.
    """
    library, client = client_of(key_file)
    with explain_errors(library, key_file):
        book = open_spreadsheet(client, where)
        if share:
            share_with(library, book, share)
        _Book(library, book, layout).write(rows)
        return str(book.url)


class _Book:
    """A spreadsheet being written: rows are gathered and sent when they come to a request."""

    def __init__(self, library: Any, book: Any, layout: Layout) -> None:
        self._library, self._book, self._layout = library, book, layout
        self._note = layout.t("export.cut")
        self._waiting: dict[int, list[Json]] = {}
        self._next: dict[int, int] = {}
        self._bytes = self._cells = 0

    def write(self, rows: Iterable[tuple[str, ExportRow]]) -> None:
        """All sheets of a run."""
        columns = columns_of(self._layout)
        sheet_ids = self._begin(columns)
        for name, row in rows:
            self._add(sheet_ids[name], row, columns[name])
        self._send()

    def _begin(self, columns: dict[str, list[Column]]) -> dict[str, int]:
        """Make the sheets with their headings, under names that are still free. Returns their ids."""
        known = retry_request(self._library, self._book.fetch_sheet_metadata)["sheets"]
        titles = {str(one["properties"]["title"]) for one in known}
        free = 1 + max((int(one["properties"]["sheetId"]) for one in known), default=0)
        sheet_ids = {name: free + place for place, name in enumerate(columns)}
        requests: list[Json] = []
        for name, sheet_id in sheet_ids.items():
            title = unused_name(self._layout.t(f"export.sheet_{name}"), titles, " ({})")
            titles.add(title)
            requests += _new_sheet(sheet_id, title, columns[name], 2 if name == "conversations" else 0)
            self._next[sheet_id] = 1
        self._request(requests)
        return sheet_ids

    def _add(self, sheet_id: int, row: ExportRow, columns: Sequence[Column]) -> None:
        cells = [
            self._cell(value, cell_format(column, value), place in row.failed)
            for place, (value, column) in enumerate(zip(row.cells, columns, strict=True))
        ]
        self._cells += len(cells)
        if self._cells > MOST_CELLS:
            message = "The run exceeds the 10 million cells of Google Sheets. Export it as a workbook."
            raise BadInput(message, "sheets_too_large")
        size = len(compact_json({"values": cells})) + REQUEST_OVERHEAD
        if self._bytes + size > MOST_BYTES:
            self._send()
        if size > MOST_BYTES:
            self._send_parts(sheet_id, cells)
            return
        self._waiting.setdefault(sheet_id, []).append({"values": cells})
        self._bytes += size

    def _cell(self, value: CellValue, shown_as: CellFormat, is_failure: bool) -> Json:
        content: Json = {}
        if isinstance(value, datetime):
            content = {"numberValue": (value - _DAY_ZERO).total_seconds() / 86_400}
        elif isinstance(value, str):
            content = {"stringValue": fit_cell(value, LONGEST_CELL, self._note)} if value else {}
        elif value is not None:
            content = {"numberValue": value}
        style = {**_TOP, **_NUMBERS.get(shown_as, {}), **(_RED if is_failure else {})}
        return {"userEnteredFormat": style, **({"userEnteredValue": content} if content else {})}

    def _send(self) -> None:
        """Send what was gathered; each row goes to its place, so that sending it twice does no harm."""
        requests: list[Json] = []
        for sheet_id, rows in self._waiting.items():
            start = self._next[sheet_id]
            self._next[sheet_id] = end = start + len(rows)
            requests.append(_grid(sheet_id, end))
            requests.append(_cells(sheet_id, start, rows))
        self._waiting, self._bytes = {}, 0
        self._request(requests)

    def _send_parts(self, sheet_id: int, cells: Sequence[Json]) -> None:
        """Send a row that is too large for one request, some columns at a time."""
        row, column = self._next[sheet_id], 0
        self._next[sheet_id] = row + 1
        self._request([_grid(sheet_id, row + 1)])
        for part in _parts(cells):
            self._request([_cells(sheet_id, row, [{"values": part}], column)])
            column += len(part)

    def _request(self, requests: list[Json]) -> None:
        if requests:
            body = compact_json({"requests": requests})
            retry_request(self._library, lambda: self._post(body))

    def _post(self, body: bytes) -> None:
        """A batch update as UTF-8: gspread's own writes each kanji as six bytes."""
        address = self._library.http_client.SPREADSHEET_BATCH_UPDATE_URL % self._book.id
        self._book.client.request("post", address, data=body, headers={"Content-Type": "application/json"})


def _parts(cells: Sequence[Json]) -> Iterator[list[Json]]:
    """The cells of a row in pieces that fit a request each (a cell alone always does)."""
    part, room = list[Json](), MOST_BYTES - REQUEST_OVERHEAD
    for cell in cells:
        size = len(compact_json(cell)) + 1
        if part and size > room:
            yield part
            part, room = [], MOST_BYTES - REQUEST_OVERHEAD
        part.append(cell)
        room -= size
    yield part


def _new_sheet(sheet_id: int, title: str, columns: Sequence[Column], frozen: int) -> list[Json]:
    """The requests that make a sheet with bold headings that stay in sight."""
    grid = {"rowCount": 2, "columnCount": len(columns), "frozenRowCount": 1, "frozenColumnCount": frozen}
    heads = [
        {"userEnteredValue": {"stringValue": str(heading)}, "userEnteredFormat": _HEAD} for heading in headings(columns)
    ]
    widths = [
        {
            "updateDimensionProperties": {
                "range": {"sheetId": sheet_id, "dimension": "COLUMNS", "startIndex": place, "endIndex": place + 1},
                "properties": {"pixelSize": 7 * column.width},
                "fields": "pixelSize",
            }
        }
        for place, column in enumerate(columns)
    ]
    made = {"addSheet": {"properties": {"sheetId": sheet_id, "title": title, "gridProperties": grid}}}
    return [made, _cells(sheet_id, 0, [{"values": heads}]), *widths]


def _grid(sheet_id: int, rows: int) -> Json:
    """The request that gives a sheet room for so many rows below its headings."""
    grid = {"sheetId": sheet_id, "gridProperties": {"rowCount": rows + 1}}
    return {"updateSheetProperties": {"properties": grid, "fields": "gridProperties.rowCount"}}


def _cells(sheet_id: int, start: int, rows: Sequence[Json], column: int = 0) -> Json:
    """The request that fills rows from `start` (0: the first) on, and columns from `column` on."""
    where = {"sheetId": sheet_id, "rowIndex": start, "columnIndex": column}
    return {"updateCells": {"start": where, "rows": list(rows), "fields": "userEnteredValue,userEnteredFormat"}}
