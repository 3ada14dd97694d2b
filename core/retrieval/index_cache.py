"""The open indexes of bots: built from their documents, stored in Chroma, rebuilt after changes."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from core.base.settings import settings
from core.base.types import Bot, Passage
from core.documents.documents import Document, digest, read_documents
from core.documents.example_questions import FILE as EXAMPLES
from core.documents.example_questions import ExampleQuestion, read_example_questions
from core.documents.passages import CHUNKER, passages
from core.retrieval.embedders import Embedder, search_embedder
from core.retrieval.example_index import ExampleIndex, sort_examples
from core.retrieval.index import Index
from core.text.language import Script, script
from core.text.synonyms import FILE as SYNONYMS
from core.text.synonyms import load_synonyms

if TYPE_CHECKING:
    from core.retrieval.chroma import PassageCollection, Progress

MAX_LANGUAGE_PASSAGES = 2_000  # passages whose languages are counted to find that of the documents
COLLECTION_SUFFIX = ".documents"  # ending of the name of a bot's second collection (`Index.without_examples`)


class Indexes:
    """The indexes of all bots in one process; each is built when it is first requested or its documents changed.

    They are stored in the given folder, else on the Chroma server of the settings, else in the data folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._server = "" if folder else settings().chroma_url
        self._folder = folder or settings().data_dir / "chroma"
        self._open: dict[str, tuple[object, Index]] = {}
        self._building: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._lock = threading.Lock()

    def get(self, bot: Bot, progress: Progress | None = None, rebuild: bool = False) -> Index:
        """The bot's index, up to date with its documents; `progress(done, total)` counts passages being embedded."""
        if bot.external and not _signature(bot):
            return Index((), "ja", "")  # it keeps its documents elsewhere
        key = str(bot.folder)
        if not rebuild and (known := self._known(bot, key)):
            return known  # without waiting for the build of another bot
        with self._lock_of(key):
            if not rebuild and (known := self._known(bot, key)):
                return known
            seen = _signature(bot)
            examples = read_example_questions(bot)
            own = bot.folder / SYNONYMS
            index = self._load(bot.id, read_documents(bot), progress, rebuild, own, examples)
            self._open[key] = (seen, index)
            return index

    def _known(self, bot: Bot, key: str) -> Index | None:
        """The bot's open index, if nothing that it was built from has changed since."""
        known = self._open.get(key)
        return known[1] if known and known[0] == _signature(bot) else None

    def _lock_of(self, key: str) -> threading.RLock:
        """The lock for building one index."""
        with self._lock:
            return self._building[key]

    def of_documents(self, name: str, documents: list[Document]) -> Index:
        """The index of any documents, such as a corpus read from a file."""
        with self._lock_of(name):
            return self._load(name, documents, None, False)

    def _load(
        self,
        name: str,
        documents: list[Document],
        progress: Progress | None,
        rebuild: bool,
        own: Path | None = None,
        asked: Sequence[ExampleQuestion] = (),
    ) -> Index:
        found = [passage for document in documents for passage in passages(document)]
        language = _majority_language(found)
        embedder = search_embedder(language)
        mark = digest(documents)[:16]
        thesaurus = load_synonyms(language, own)
        used = sort_examples(asked, found)
        examples = ExampleIndex(used, found, language, thesaurus) if used.answered else None
        collection = self._collection(name, mark, embedder, found, examples, progress, rebuild)
        synonyms = hashlib.sha256(own.read_bytes()).hexdigest()[:16] if own and own.is_file() else ""
        whole = "-".join(filter(None, (mark, examples.digest if examples else "", synonyms)))
        index = Index(found, language, whole, collection, thesaurus, examples)
        if examples and examples.is_partial:
            index.without_examples = self._load(f"{name}{COLLECTION_SUFFIX}", documents, progress, rebuild, own)
        return index

    def _collection(
        self,
        name: str,
        mark: str,
        embedder: Embedder,
        found: list[Passage],
        examples: ExampleIndex | None,
        progress: Progress | None,
        rebuild: bool,
    ) -> PassageCollection | None:
        """The complete collection of some passages, built if it is missing.

        None if its vectors are not semantic: they are never searched, though every bot's passages are in Chroma.
        """
        stored = self._folder / f"stored-{name}.txt"  # saves the half second of importing Chroma
        state = f"{embedder.name} {CHUNKER} {mark} {len(found)}"
        if not (embedder.semantic or rebuild or self._server) and stored.is_file() and stored.read_text() == state:
            return None
        from core.retrieval import chroma

        if self._server:
            client = chroma.chroma_server(self._server, settings().chroma_token.get_secret_value())
        else:
            client = chroma.chroma_client(self._folder)
        spec = chroma.CollectionSpec(name, mark, embedder, found)
        if examples and embedder.semantic:
            spec = spec._replace(digest=f"{mark}-{examples.text_digest}", questions=examples.texts())
        collection = chroma.PassageCollection(client, spec, self._server)
        with chroma.folder_errors():
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._folder / f"build-{name}.lock")  # among the processes of one machine
            lock.acquire()
        try:
            collection.open(progress, rebuild)
            if not self._server:
                with chroma.folder_errors():
                    stored.write_text(state)
        finally:
            lock.release()
        return collection if embedder.semantic else None


def _majority_language(found: list[Passage]) -> Script:
    """The language that most passages are in."""
    seen = [script(passage.text) for passage in found[:MAX_LANGUAGE_PASSAGES]]
    return max(("ja", "en", "zh"), key=seen.count) if seen else "ja"


def _signature(bot: Bot) -> object:
    """Cheap to compute, and different after any document, example question or synonym was added, removed or written."""
    paths = [*sorted((bot.folder / "documents").rglob("*")), bot.folder / EXAMPLES, bot.folder / SYNONYMS]
    stats = ((path, path.stat()) for path in paths if path.is_file())
    return tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats)
