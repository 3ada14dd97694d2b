"""An index folder that is full or read-only: one sentence, while indexing and while asking."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from chromadb.errors import InternalError

from core.base.errors import BadInput
from core.retrieval import chroma
from core.retrieval.chroma import CollectionSpec, PassageCollection
from core.retrieval.documents import Document
from core.retrieval.index import Indexes
from core.retrieval.vectors import HashedTerms

FAULTS = (InternalError("database or disk is full (code: 13)"), OSError(30, "Read-only file system"),
          sqlite3.OperationalError("attempt to write a readonly database"))  # fmt: skip

SPEC = CollectionSpec("bot", "0", HashedTerms(), [])


class Failing:
    """A client and its only collection; every call but those in `works` fails."""

    def __init__(self, error: Exception, works: tuple[str, ...] = ()) -> None:
        self.error, self.works = error, works

    def __getattr__(self, name: str) -> Any:
        def call(*args: object, **named: object) -> Any:
            if name not in self.works:
                raise self.error
            return [] if name == "list_collections" else self

        return call


@pytest.mark.parametrize("error", FAULTS)
def test_a_folder_that_fails_while_indexing_is_one_sentence(error: Exception):
    with pytest.raises(BadInput) as raised:
        PassageCollection(Failing(error), SPEC).open()
    assert raised.value.key == "index_unusable" and "disk" in str(raised.value)


@pytest.mark.parametrize("error", FAULTS)
def test_a_folder_that_fails_while_asking_is_one_sentence(error: Exception):
    collection = PassageCollection(Failing(error, ("list_collections", "create_collection", "modify")), SPEC)
    collection.open()
    with pytest.raises(BadInput) as raised:
        collection.nearest(HashedTerms().encode(["休暇"]), 1)
    assert raised.value.key == "index_unusable"


def test_a_folder_where_no_lock_can_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "build-bot.lock").mkdir()  # no file can be written there, whoever runs the test
    monkeypatch.setattr(chroma, "chroma_client", lambda folder: Failing(FAULTS[1]))
    with pytest.raises(BadInput) as raised:
        Indexes(tmp_path).of_documents("bot", [Document("a.md", "# 休暇\n\n年に10日です。\n")])
    assert raised.value.key == "index_unusable"
