"""What tests share: a data folder of their own, indexes that are built once, a small bot, a model server."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

MEMORY, ENOUGH = Path("/dev/shm"), 4 << 30  # where Linux keeps files in memory; bytes that have to be free there
IN_MEMORY = ""  # the folder for temporary files there, if this process made one

if "PYTEST_XDIST_WORKER" not in os.environ:  # all processes of a test run share the folders that the first one made
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ["TMPDIR"] = IN_MEMORY = tempfile.mkdtemp(
            prefix="kiku-tests-", dir=MEMORY
        )  # no test waits for a disk
        os.chmod(IN_MEMORY, 0o755)  # PostgreSQL runs as a user of its own
        tempfile.tempdir = None  # found anew
    os.environ["KIKU_DATA_DIR"] = tempfile.mkdtemp(prefix="kiku-tests-")
for name in [name for name in os.environ if name.startswith(("KIKU_", "OPENAI_")) and name != "KIKU_DATA_DIR"]:
    os.environ.pop(name)
for name in ("KIKU_DATABASE_URL", "KIKU_CHROMA_URL", "KIKU_CHROMA_TOKEN", "KIKU_DASK_SCHEDULER"):
    os.environ[name] = ""  # so that `.env` and secrets.toml, too, lead no test to somebody's servers

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # PyTorch's threads in several processes only wait for one another
    os.environ.setdefault(name, "1")

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests were started in the background

import pytest  # noqa: E402

from core.base.addresses import database_address  # noqa: E402
from core.base.settings import ROOT, settings  # noqa: E402
from core.base.types import Bot  # noqa: E402
from core.retrieval.index_cache import Indexes  # noqa: E402
from core.store.store import Store  # noqa: E402
from tests.support.small_bot import small_bot  # noqa: E402

if TYPE_CHECKING:
    from tests.support.chroma_server import ChromaServer
    from tests.support.model_server import ModelServer
    from tests.support.postgres_server import Postgres


@pytest.fixture(scope="session")
def indexes(pytestconfig: pytest.Config) -> Indexes:
    """The indexes of the bundled bots; they stay in pytest's cache until the code that makes them changes."""
    files = (*(ROOT / "core" / "documents").glob("*.py"), *(ROOT / "core" / "retrieval").glob("*.py"))
    code = sha256(b"".join(file.read_bytes() for file in sorted(files)))
    cache = getattr(pytestconfig, "cache", None)  # none without the plug-in that keeps it
    return Indexes(cache.mkdir(f"indexes-{code.hexdigest()[:12]}") if cache else None)


@pytest.fixture
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Set KIKU_ variables with this; the settings are read again before and after."""
    settings.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    settings.cache_clear()


@pytest.fixture
def bot(tmp_path: Path, fresh_settings: pytest.MonkeyPatch) -> Bot:
    """The bot "komachi" in a folder of the test's own, which the environment names."""
    fresh_settings.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    return small_bot(tmp_path / "knowledge")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder and one small bot, as the environment names them."""
    small_bot(tmp_path / "knowledge")
    monkeypatch.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, empty_database: Path, small_index: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small bot and a data folder without results for pages; whatever lives as long as a server is made again."""
    import streamlit as st

    small_bot(tmp_path / "knowledge")
    copy_database(empty_database, tmp_path / "data")
    shutil.copytree(small_index, tmp_path / "data" / "chroma")
    monkeypatch.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KIKU_MODEL", "KIKU_GOOGLE_SERVICE_ACCOUNT"):
        monkeypatch.delenv(name, raising=False)

    def empty_folder() -> None:
        st.cache_resource.clear()  # closes what lives as long as a server
        st.cache_data.clear()
        settings.cache_clear()

    empty_folder()
    yield tmp_path
    empty_folder()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database that has all tables, to be copied: making them takes five times as long."""
    file = tmp_path_factory.mktemp("database") / "kiku.db"
    Store(f"sqlite:///{file}").close()
    return file


def copy_database(empty: Path, folder: Path) -> Path:
    """The database of a data folder, with all tables; made only where there is none yet."""
    file = folder / "kiku.db"
    folder.mkdir(exist_ok=True)
    if not file.exists():
        shutil.copy(empty, file)
    return file


@pytest.fixture
def store(tmp_path: Path, empty_database: Path) -> Store:
    """An empty database."""
    return Store(f"sqlite:///{copy_database(empty_database, tmp_path / 'data')}")


@pytest.fixture(scope="session")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Chroma with the small bot's index, to be copied: that takes a tenth of the time of building it."""
    home = tmp_path_factory.mktemp("small-index")
    Indexes(home / "chroma").get(small_bot(home / "knowledge"))
    return home / "chroma"


@pytest.fixture
def small_indexes(tmp_path: Path, small_index: Path) -> Indexes:
    """Indexes in a folder of the test's own, with that of the small bot."""
    return Indexes(shutil.copytree(small_index, tmp_path / "chroma"))


def _while_up(server: Any) -> Iterator[Any]:
    try:
        server.up()
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real PostgreSQL server."""
    from tests.support.postgres_server import Postgres  # brings the driver

    yield from _while_up(Postgres())


@pytest.fixture(scope="session")
def postgres_template(postgres: Postgres) -> str:
    """The name of a database that has all tables, to be copied."""
    url = postgres.database()
    Store(database_address(url)).close()
    return url.rpartition("/")[2]


@pytest.fixture
def postgres_url(postgres: Postgres, postgres_template: str) -> Iterator[str]:
    """An empty database of the test's own, as SQLAlchemy names it."""
    url = postgres.database(postgres_template)
    yield database_address(url)
    postgres.drop(url)


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[Store]:
    """That database, opened."""
    store = Store(postgres_url)
    yield store
    store.close()


@pytest.fixture(scope="session")
def chroma() -> Iterator[ChromaServer]:
    """A real Chroma server."""
    from tests.support.chroma_server import ChromaServer

    yield from _while_up(ChromaServer())


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A well-behaved model server that, in the end, has seen no request outside the published schema."""
    from tests.support.model_server import ModelServer, serving  # brings the openai package

    with serving(ModelServer()) as server:
        yield server
        assert server.invalid == []


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed call is tried again soon."""
    monkeypatch.setattr("core.base.retry.FIRST_WAIT", 0.02)


SERVER_FIXTURES = {"postgres", "chroma", "server", "folder"}  # fixtures that start a server, or run pages
SERVER_FOLDERS = {"browser", "pages", "llm"}
SERVER_FILES = {
    "test_cluster",
    "test_external_http",
    "test_hostile_server",
    "test_model_server_runs",
    "test_resume_after_kill",
}
SLOW_FILES = {  # whole runs, processes of their own, and tables with hundreds of cases
    "test_runner",
    "test_ablation_and_repeats",
    "test_any_text",
    "test_check_command",
    "test_compare_command",
    "test_conversation_list",
    "test_conversation_means",
    "test_exit_codes",
    "test_export_command",
    "test_export_files",
    "test_export_language",
    "test_external_bot_runs",
    "test_generate_command",
    "test_google_sheets",
    "test_incomplete_runs",
    "test_label_import",
    "test_linear_patterns",
    "test_prompt_injection",
    "test_judging_jobs",
    "test_repeated_judging",
    "test_replay",
    "test_resume",
    "test_run_commands",
    "test_sampling",
    "test_score_tables",
    "test_search",
    "test_start",
    "test_statistics",
    "test_table_limits",
    "test_run_totals",
    "test_transcript_search",
    "test_turn_judge_on_bots",
    "test_unforeseen_errors",
    "test_varying_judge",
}
QUICK = "not servers and not slow"  # what `make test-quick` runs


def needs_servers(path: Path) -> bool:
    """Whether all tests of a folder or file need a browser, servers, a cluster or pages."""
    return bool(SERVER_FOLDERS & {path.name, path.parent.name}) or path.stem in SERVER_FILES


def pytest_configure(config: pytest.Config) -> None:
    """Keep what is prepared in pytest's cache: it is named by the texts and the code.

    Fail if a file that is named above was renamed: its tests would be taken for quick ones.
    """
    cache = getattr(config, "cache", None)  # none without the plug-in that keeps it
    if cache and "PYTEST_XDIST_WORKER" not in os.environ:
        Path(os.environ["KIKU_DATA_DIR"], "prepared").symlink_to(cache.mkdir("prepared"))
    missing = (SERVER_FILES | SLOW_FILES) - {file.stem for file in Path(__file__).parent.rglob("test_*.py")}
    if missing:
        raise pytest.UsageError(f"tests/conftest.py names files that do not exist: {', '.join(sorted(missing))}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing that is left out anyway."""
    left_out = needs_servers(collection_path) or collection_path.stem in SLOW_FILES
    return True if config.option.markexpr == QUICK and left_out else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test-quick` leaves out: tests with a browser, servers, clusters or pages, and slow ones.

    Files with such tests come first, so that no process works alone on a long one at the end.
    """
    for item in items:
        if needs_servers(item.path) or SERVER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.servers)
        if item.path.stem in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
    long = {item.path for item in items if any(map(item.get_closest_marker, ("servers", "slow")))}
    items.sort(key=lambda item: item.path not in long)


def pytest_unconfigure() -> None:
    """Leave no data folder behind, and nothing in memory."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["KIKU_DATA_DIR"], ignore_errors=True)
    if IN_MEMORY:
        shutil.rmtree(IN_MEMORY, ignore_errors=True)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What tests have recorded (`record_property`), a line each."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, value in getattr(report, "user_properties", ()):
            terminalreporter.write_line(f"{name}: {value}")


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Half characters that a test wrote are replaced: no report with one gets from one process to another."""
    return sendable((yield))


def sendable(value: Any) -> Any:
    """The value with half characters replaced in its texts."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {sendable(key): sendable(item) for key, item in value.items()}
    return type(value)(map(sendable, value)) if isinstance(value, list | tuple) else value
