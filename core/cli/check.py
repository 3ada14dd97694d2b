"""`check`: whether the results database is whole, and which runs can be read."""

from __future__ import annotations

import argparse
import json

from core.base.errors import BadInput
from core.cli.exit_codes import BAD_INPUT
from core.runs.plan import Plan
from core.store.check import Damage, check_database
from core.store.store import Store, open_store


def run(arguments: argparse.Namespace) -> int:
    """Print what is damaged and what can still be read; exit 2 if anything is damaged."""
    on_server = False
    try:
        store = open_store()
        on_server = not store.db.embedded
        damage = _of_store(store)
    except BadInput as error:
        if error.key != "database_damaged":
            raise
        damage = Damage((str(error.details["detail"]),), (), ())
    if arguments.json:
        print(json.dumps(damage._asdict(), ensure_ascii=False))
        return BAD_INPUT if damage.found else 0
    for line in damage.found:
        print(f"damaged: {line}")
    print(f"{len(damage.readable)} runs can be read, {len(damage.unreadable)} cannot.")
    if on_server:
        print(
            "The database is on a server: its tables and runs were checked; use the server's own tools for its files."
        )
    if damage.found and on_server:
        print("Restore the database from a backup of the server, or export the runs that can be read and start anew.")
    elif damage.found:
        print(
            "Stop Kiku, move kiku.db away with kiku.db-wal and kiku.db-shm, and put a copy of kiku.db back in the data "
            "folder (kiku-….backup.db is one from before a change of the tables). Without a copy, first export the runs "
            "that can be read; Kiku then starts anew."
        )
    return BAD_INPUT if damage.found else 0


def find_damage() -> str:
    """The first thing that is damaged in the results database, "" if nothing is or it cannot be opened."""
    try:
        problems = _of_store(open_store()).found
    except Exception:  # asked after something went wrong, which is reported then
        return ""
    return problems[0] if problems else ""


def _of_store(store: Store) -> Damage:
    def read_run(run_id: str) -> None:
        """All that a page or an export of the run reads."""
        if run := store.runs.get(run_id):  # one in the trash is neither shown nor exported
            store.records.run(run_id)
            if not run.is_answer_file:
                Plan.model_validate(run.plan)
        for row in store.conversations.of_run(run_id):
            store.conversations.turns_in_every_version(row.id)
        values: list[object] = [
            score.value
            for conversation in store.records.conversations(run_id)
            for turn in conversation.turns
            for score in turn.verdicts
        ]
        if strange := next((value for value in values if not isinstance(value, float | int | None)), None):
            raise ValueError(f"a score is no number ({strange!r})"[:80])

    return check_database(store.db, read_run)
