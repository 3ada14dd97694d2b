"""Google Sheets: the workbook's layout, text that stays text, patience, and what goes wrong in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gspread
import pytest
import requests
from gspread import client as of_client
from gspread import http_client as of_http
from sqlalchemy import update

from core.base.errors import BadInput
from core.export import google_sheets as servers
from core.export import google_sheets as sheets
from core.export.google_sheets import service_account_email, write_google_sheets
from core.store.schema import TURNS
from core.store.store import Store
from tests.support.export_runs import FORMULA, an_awkward_run, an_export
from tests.support.google_server import BOOK, LARGEST, MAIL, Google, a_key_file, google


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Google]:
    """Google on loopback: gspread's fixed addresses lead there."""
    with google() as home:
        for module in (of_client, of_http):
            for name, address in vars(module).copy().items():
                if isinstance(address, str) and address.startswith("https://") and "googleapis.com" in address:
                    monkeypatch.setattr(module, name, f"{home.url}/{address.split('googleapis.com/')[1]}")
        monkeypatch.setattr(servers, "FIRST_WAIT", 0.02)
        yield home


def sent(store: Store, folder: Path, service: Google, where: str = BOOK, **options: Any) -> str:
    export = an_export(store, "r1")
    return write_google_sheets(a_key_file(folder, service.url), where, export.layout, export.rows(), **options)


def test_a_run_comes_in_the_workbooks_layout(store: Store, tmp_path: Path, service: Google) -> None:
    an_awkward_run(store)
    assert BOOK in sent(store, tmp_path, service)
    book = service.books[BOOK]
    titles = [one["title"] for one in book.values()]
    assert titles == ["会話", "会話 (2)", "まとめ", "ターン", "採点", "直すところ", "設定"]  # what was there stays
    conversations = next(one for one in book.values() if one["title"] == "会話 (2)")
    assert conversations["frozen"] == 1 and len(conversations["rows"]) == 6 and not book[0]["rows"]
    first = conversations["rows"][1]
    assert first[2]["userEnteredValue"] == {"stringValue": FORMULA}
    assert first[0]["userEnteredFormat"]["numberFormat"]["type"] == "DATE_TIME"
    assert first[0]["userEnteredValue"]["numberValue"] > 45_000
    red = [place for place, cell in enumerate(first) if cell.get("userEnteredFormat", {}).get("backgroundColor")]
    assert red == [3, 4, 6, 7]
    assert "formulaValue" not in str(service.books)


def test_it_waits_when_google_asks_to_and_sends_nothing_twice(
    store: Store, tmp_path: Path, service: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_awkward_run(store, conversations=40)
    monkeypatch.setattr(sheets, "MOST_BYTES", 20_000)
    service.faults = [429, 503, 429]
    sent(store, tmp_path, service)
    sheet = next(one for one in service.books[BOOK].values() if one["title"] == "会話 (2)")
    assert not service.faults and len(service.requests) > 8
    numbers = [sheet["rows"][place][-4]["userEnteredValue"]["numberValue"] for place in range(1, 41)]
    assert numbers == list(range(1, 41))


def test_requests_stay_below_two_megabytes_as_they_are_sent(store: Store, tmp_path: Path, service: Google) -> None:
    an_awkward_run(store, conversations=16)
    long = "漢字" * 16_500
    with store.db.write() as connection:
        connection.execute(update(TURNS).values(reply_text=long))
    sent(store, tmp_path, service)
    assert len(service.requests) > 2 and 1_000_000 < max(service.requests) <= LARGEST
    sheet = next(one for one in service.books[BOOK].values() if one["title"] == "会話 (2)")
    said = [sheet["rows"][place][3].get("userEnteredValue", {}).get("stringValue") for place in range(1, 17)]
    assert said.count(long) == 13 and None in said  # three failed before anything was said


def test_a_row_too_large_for_a_request_comes_in_parts(
    store: Store, tmp_path: Path, service: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_awkward_run(store)
    monkeypatch.setattr(sheets, "MOST_BYTES", 1_500)
    sent(store, tmp_path, service)
    parted = next(one for one in service.books[BOOK].values() if one["title"] == "会話 (2)")["rows"]
    whole = [list(row.cells) for conversation in an_export(store, "r1").conversations() for row in an_export(store, "r1").layout.rows("conversations", conversation)]  # fmt: skip
    assert [len(row) for row in parted.values()] == [len(whole[0])] * 6
    assert [parted[place][-1]["userEnteredValue"]["stringValue"] for place in range(1, 6)] == [row[-1] for row in whole]


def test_a_new_spreadsheet_is_shared_with_somebody(store: Store, tmp_path: Path, service: Google) -> None:
    an_awkward_run(store)
    assert "new-" in sent(store, tmp_path, service, "Report of June", share="me@example.com")
    assert service.shared == [("new-" + "1" * 40, "me@example.com", "writer")]


def test_an_address_that_google_does_not_take_is_reported_at_once(
    store: Store, tmp_path: Path, service: Google
) -> None:
    an_awkward_run(store)
    with pytest.raises(BadInput, match="emailAddress is invalid") as error:
        sent(store, tmp_path, service, share="nobody")
    assert error.value.key == "sheets_share" and len(service.requests) == 1


@pytest.mark.parametrize("status", [400, 501])
def test_what_can_never_succeed_is_not_tried_again(store: Store, tmp_path: Path, service: Google, status: int) -> None:
    an_awkward_run(store)
    service.faults = [status] * 20
    with pytest.raises(BadInput) as error:
        sent(store, tmp_path, service)
    assert error.value.key == "sheets_failed" and len(service.requests) == 1


def test_a_certificate_that_is_wrong_is_not_tried_again() -> None:
    tried: list[int] = []

    def work() -> None:
        tried.append(1)
        raise requests.exceptions.SSLError("certificate verify failed")

    with pytest.raises(requests.exceptions.SSLError):
        servers.retry_request(gspread, work)
    assert len(tried) == 1


def test_a_title_makes_a_new_spreadsheet(store: Store, tmp_path: Path, service: Google) -> None:
    an_awkward_run(store)
    assert "new-" in sent(store, tmp_path, service, "Report of June")


@pytest.mark.parametrize("where", [BOOK, "x" * 44])
def test_a_spreadsheet_that_is_not_shared_is_reported_with_the_account(
    store: Store, tmp_path: Path, service: Google, where: str
) -> None:
    an_awkward_run(store)
    service.forbidden = where == BOOK
    with pytest.raises(BadInput, match=MAIL) as error:
        sent(store, tmp_path, service, where)
    assert error.value.key == "sheets_forbidden"


def test_a_service_that_never_recovers_is_reported(
    store: Store, tmp_path: Path, service: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_awkward_run(store)
    monkeypatch.setattr(servers, "TRIES", 2)
    service.faults = [429] * 5
    with pytest.raises(BadInput, match="Quota exceeded") as error:
        sent(store, tmp_path, service)
    assert error.value.key == "sheets_failed"


def test_a_key_file_that_is_none_is_reported_without_its_content(store: Store, tmp_path: Path) -> None:
    an_awkward_run(store)
    export = an_export(store, "r1")
    for text in ("not json s3cret", '{"client_email": "a@b.c", "private_key": "s3cret"}'):
        (tmp_path / "key.json").write_text(text)
        with pytest.raises(BadInput) as error:
            write_google_sheets(tmp_path / "key.json", BOOK, export.layout, export.rows())
        assert error.value.key == "bad_service_account" and "s3cret" not in str(error.value)


def test_a_key_file_of_a_long_path_is_named(tmp_path: Path) -> None:
    file = tmp_path / ("a" * 150) / ("b" * 150) / "team-key.json"
    with pytest.raises(BadInput, match=f"{tmp_path.parent.parent}.*/team-key.json cannot be used"):
        service_account_email(file)


def test_a_missing_package_is_reported_with_its_file(
    store: Store, tmp_path: Path, service: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_awkward_run(store)
    monkeypatch.setitem(sys.modules, "gspread", None)
    with pytest.raises(BadInput, match=r"requirements-sheets\.txt"):
        sent(store, tmp_path, service)
