"""A damaged database: what is wrong, what can be read, and the rest is read."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.errors import BadInput
from core.store.sqlite import back_up
from core.store.store import Store, open_store
from tests.support.stored_runs import a_run

pytestmark = pytest.mark.usefixtures("home")


def _file(store: Store) -> Path:
    return Path(str(store.db.engine.url.database))


def _change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def _check(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[str]]]:
    capsys.readouterr()
    code = main(["check", "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_whole_database_passes(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(open_store(), run := "r1")
    code, output = _check(capsys)
    assert (code, output["found"], output["readable"]) == (0, [], [run])


def test_a_run_in_the_trash_is_no_damage(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    a_run(store, "r1")
    store.runs.trash("r1")
    code, output = _check(capsys)
    assert (code, output["found"], output["unreadable"]) == (0, [], [])


def test_a_run_with_a_broken_record_is_named_and_the_others_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    broken, whole = "r1", "r2"
    a_run(store, broken)
    a_run(store, whole)
    _change(_file(store), f"UPDATE runs SET plan = '{{\"bot\":' WHERE id = '{broken}'")
    code, output = _check(capsys)
    assert code == 2 and output["readable"] == [whole] and output["unreadable"] == [broken]
    assert main(["runs"]) == 0
    said = capsys.readouterr()
    assert whole in said.out and broken not in said.out


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET plan = '[]' WHERE id = 'r1'",
        "UPDATE runs SET plan = '{}' WHERE id = 'r1'",
        "UPDATE runs SET created_at = 'x' WHERE id = 'r1'",
        "UPDATE runs SET snapshot = '[]' WHERE id = 'r1'",
        "UPDATE turns SET created_at = 'x' WHERE conversation_id LIKE 'r1%'",
        "UPDATE scores SET value = 'x'",
    ],
)
def test_what_cannot_be_exported_is_named_by_the_check_and_told_in_a_sentence(
    damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store()
    a_run(store, "r1")
    _change(_file(store), damage)
    code, output = _check(capsys)
    assert code == 2 and output["unreadable"] == ["r1"] and "pydantic" not in output["found"][0]
    for command in (["export", "r1", "--jsonl", str(tmp_path / "out.jsonl")], ["resume", "r1"]):
        assert main(command) in (0, 2)
        assert len(capsys.readouterr().err.splitlines()) <= 2
    code = main(["runs"])
    assert (code == 0) == ("r1" in capsys.readouterr().out)


@pytest.mark.parametrize("change", ["INSERT INTO alembic_version VALUES ('abc')", "DELETE FROM alembic_version"])
def test_a_version_of_the_tables_that_makes_no_sense_is_a_damage(change: str) -> None:
    store = open_store()
    a_run(store, "r1")
    _change(_file(store), change)
    with pytest.raises(BadInput) as output:
        Store(store.db.url)
    assert output.value.key == "database_damaged"


def test_a_missing_table_is_named_and_commands_point_to_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    a_run(store, "r1")
    _change(_file(store), "PRAGMA foreign_keys=OFF", "DROP TABLE scores")
    assert main(["runs"]) == 2
    assert "core check" in capsys.readouterr().err
    code, output = _check(capsys)
    assert code == 2 and "the table scores is missing" in output["found"]


def test_a_copy_is_whole_while_others_write() -> None:
    store = open_store()
    a_run(store, run := "r1")
    copy = back_up(_file(store), "0001")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT id FROM runs").fetchall() == [(run,)]


def test_a_database_whose_only_run_is_damaged_is_not_called_empty(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    assert main(["runs"]) == 0 and "no runs yet" in capsys.readouterr().out
    a_run(store, "r1")
    _change(_file(store), "UPDATE runs SET plan = '{oops'")
    assert main(["runs"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "No run can be read" in printed.err
    assert main(["check"]) == 2 and "kiku.db-wal" in capsys.readouterr().out
