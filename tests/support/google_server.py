"""Google's token and Sheets service on loopback, as far as an export uses them: spreadsheets with typed cells."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.loopback import listening

Json = dict[str, Any]
MAIL = "kiku@example.iam.gserviceaccount.com"
BOOK = "book-" + "0" * 40
LARGEST = 2_000_000  # bytes in a request


class Google:
    """The spreadsheets there are, by id: {sheet id: {"title", "rows", "frozen"}}; `faults`: statuses given before work."""

    def __init__(self) -> None:
        self.books: dict[str, dict[int, Json]] = {BOOK: {0: {"title": "会話", "rows": {}, "frozen": 0}}}
        self.faults: list[int] = []
        self.forbidden = False
        self.requests: list[int] = []
        self.shared: list[tuple[str, str, str]] = []
        self.url = ""

    def update(self, book: str, requests: list[Json]) -> None:
        """Do what a batch update asks for."""
        for request in requests:
            ((kind, request_body),) = request.items()
            getattr(self, f"_{kind}", lambda *_: None)(self.books[book], request_body)

    def _addSheet(self, book: dict[int, Json], request_body: Json) -> None:
        properties = request_body["properties"]
        assert properties["title"] not in {one["title"] for one in book.values()}
        grid = properties["gridProperties"]
        book[properties["sheetId"]] = {"title": properties["title"], "rows": {}, "frozen": grid["frozenRowCount"], "size": grid["rowCount"]}  # fmt: skip

    def _updateSheetProperties(self, book: dict[int, Json], request_body: Json) -> None:
        assert request_body["fields"] == "gridProperties.rowCount"
        book[request_body["properties"]["sheetId"]]["size"] = request_body["properties"]["gridProperties"]["rowCount"]

    def _updateCells(self, book: dict[int, Json], request_body: Json) -> None:
        sheet = book[request_body["start"]["sheetId"]]
        column = request_body["start"]["columnIndex"]
        for place, row in enumerate(request_body["rows"], request_body["start"]["rowIndex"]):
            assert place < sheet["size"], "beyond the grid"
            there = sheet["rows"].get(place, [])
            assert len(there) >= column, "a hole in the row"
            sheet["rows"][place] = [*there[:column], *row["values"]]


class _Handler(BaseHTTPRequestHandler):
    google: Google

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            self._post(body, urlsplit(self.path).path)
        except (AssertionError, KeyError) as wrong:  # told, since a connection that breaks off would be tried again
            self._send(400, {"error": {"code": 400, "message": f"{type(wrong).__name__}: {wrong}", "status": "X"}})

    def _post(self, body: bytes, path: str) -> None:
        if path == "/token":
            assert parse_qs(body.decode())["assertion"]
            return self._send(200, {"access_token": "t0k", "expires_in": 3600, "token_type": "Bearer"})
        assert self.headers["authorization"] == "Bearer t0k"
        google = self.google
        google.requests.append(len(body))
        if google.faults:
            status = google.faults.pop(0)
            return self._send(status, {"error": {"code": status, "message": "Quota exceeded", "status": "X"}})
        if len(body) > LARGEST:
            return self._send(413, {"error": {"code": 413, "message": "Request too large", "status": "X"}})
        if path.endswith("/permissions"):
            return self._share(path.split("/")[-2], json.loads(body))
        if path == "/drive/v3/files":
            google.books["new-" + "1" * 40] = {}
            return self._send(200, {"id": "new-" + "1" * 40})
        google.update(path.split("/")[-1].partition(":")[0], json.loads(body)["requests"])
        return self._send(200, {"replies": []})

    def _share(self, book: str, request_body: Json) -> None:
        mail = request_body["emailAddress"]
        if "@" not in mail:
            shown_text = {"code": 400, "message": "The specified emailAddress is invalid", "status": "X"}
            self._send(400, {"error": shown_text})
            return
        assert request_body["type"] == "user" and book in self.google.books
        self.google.shared.append((book, mail, request_body["role"]))
        self._send(200, {"id": "1"})

    def do_GET(self) -> None:
        book = urlsplit(self.path).path.split("/")[-1]
        if self.google.forbidden:
            shown_text = {"code": 403, "message": "The caller does not have permission", "status": "PERMISSION_DENIED"}
            return self._send(403, {"error": shown_text})
        if book not in self.google.books:
            return self._send(404, {"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}})
        sheets = [
            {"properties": {"sheetId": mark, "title": one["title"]}} for mark, one in self.google.books[book].items()
        ]
        return self._send(200, {"spreadsheetId": book, "properties": {"title": "x"}, "sheets": sheets})

    def _send(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def google() -> Generator[Google]:
    """The service while it runs."""
    home = Google()
    with listening(_Handler, google=home) as port:
        home.url = f"http://127.0.0.1:{port}"
        yield home


def a_key_file(folder: Path, url: str) -> Path:
    """A service account's key, made just now, whose tokens come from `url`."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    about = {"type": "service_account", "client_email": MAIL, "private_key": pem, "private_key_id": "1"}
    file = folder / "account.json"
    file.write_text(json.dumps({**about, "token_uri": f"{url}/token", "project_id": "p", "client_id": "1"}))
    return file
