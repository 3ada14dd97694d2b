"""An index folder that is full or read-only: one sentence, while indexing and while asking."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chromadb.errors import InternalError

from core.base.errors import BadInput
from core.base.settings import ROOT
from core.base.types import Passage
from core.documents.documents import Document
from core.retrieval import chroma
from core.retrieval.chroma import CollectionSpec, PassageCollection
from core.retrieval.embedders import HashedTerms, Matrix
from core.retrieval.index_cache import Indexes

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
        collection.nearest("休暇", 1)
    assert raised.value.key == "index_unusable"


def test_a_folder_where_no_lock_can_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "build-bot.lock").mkdir()  # no file can be written there, whoever runs the test
    monkeypatch.setattr(chroma, "chroma_client", lambda folder: Failing(FAULTS[1]))
    with pytest.raises(BadInput) as raised:
        Indexes(tmp_path).of_documents("bot", [Document("a.md", "# 休暇\n\n年に10日です。\n")])
    assert raised.value.key == "index_unusable"


@pytest.mark.slow
def test_stored_passages_whose_vectors_have_no_meaning_open_without_chroma(tmp_path: Path):
    leave = "# 休暇\n\n年に10日です。\n"
    Indexes(tmp_path).of_documents("bot", [Document("a.md", leave)])

    def loads_chroma(text: str) -> bool:
        code = (
            "import sys; from pathlib import Path; from core.retrieval.index_cache import Indexes;"
            "from core.documents.documents import Document;"
            "index = Indexes(Path(sys.argv[1])).of_documents('bot', [Document('a.md', sys.argv[2])]);"
            "print(bool(index.search('休暇')), 'chromadb' in sys.modules)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), text],
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        found, loaded = done.stdout.split()
        assert found == "True"
        return loaded == "True"

    assert not loads_chroma(leave)
    assert loads_chroma(f"{leave}\n休暇は上長に申請します。\n")  # other documents are stored anew


class CountingTerms(HashedTerms):
    """Notes what is embedded."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> Matrix:
        self.seen += texts
        return super().encode(texts)


def test_texts_that_did_not_change_keep_their_vectors(tmp_path: Path) -> None:
    def built(digest: str, texts: Sequence[str], rebuild: bool = False) -> tuple[list[str], dict[str, float]]:
        """(what was embedded, what is nearest to "parking")."""
        embedder = CountingTerms()
        found = [
            Passage(id=f"{digest}{number}", document="a.md", title="A", heading="A", text=text)
            for number, text in enumerate(texts)
        ]
        collection = PassageCollection(chroma.chroma_client(tmp_path), CollectionSpec("b", digest, embedder, found))
        collection.open(rebuild=rebuild)
        embedded = [text.rpartition("\n")[2] for text in embedder.seen]
        return embedded, collection.nearest("parking", 1)

    first = ["The lift is on the left.", "Parking is free.", "The café opens at nine."]
    assert sorted(built("one", first)[0]) == sorted(first)
    embedded, nearest = built("two", ["Parking is free.", "The lift is broken.", "Parking is free."])
    assert embedded == ["The lift is broken."]
    assert set(nearest) <= {"two0", "two2"}
    assert sorted(built("two", first, rebuild=True)[0]) == sorted(first)  # all anew


def test_a_damaged_index_says_what_to_move_away(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"no database" * 1_000)
    with pytest.raises(BadInput) as raised:
        chroma.chroma_client(tmp_path)
    assert raised.value.key == "index_unusable" and "move its folder chroma away" in str(raised.value)


@pytest.mark.slow
def test_processes_that_make_one_folder_at_a_time_all_succeed(tmp_path: Path) -> None:
    code = f"from pathlib import Path; from core.retrieval.chroma import chroma_client; chroma_client(Path({str(tmp_path / 'c')!r}))"
    started = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 3
