"""Where settings come from, and what is said of those that cannot be used."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from core.base.addresses import display_address
from core.base.errors import BadInput
from core.base.settings import Settings, secrets, settings


@pytest.fixture
def secret(tmp_path: Path, fresh_settings: pytest.MonkeyPatch) -> Path:
    """A secrets file to write to, in an environment that says nothing."""
    file = tmp_path / ".streamlit" / "secrets.toml"
    file.parent.mkdir()
    fresh_settings.setattr("core.base.settings.SECRETS", file)
    fresh_settings.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KIKU_MODEL"):
        fresh_settings.delenv(name, raising=False)
    fresh_settings.chdir(tmp_path)
    return file


def test_the_secrets_file_has_the_names_of_the_environment(secret: Path, fresh_settings: pytest.MonkeyPatch) -> None:
    secret.write_text(
        '\ufeffKIKU_ENGINE = "openai"\nKIKU_MODEL = "tiny"\nOPENAI_API_KEY = "sk-x"\nOPENAI_BASE_URL = "http://127.0.0.1:1"\n'
        'language = "en"\nconcurrency = 7\n[connections.sql]\nurl = "sqlite://"\n[model]\nname = "another app\'s"\n',
        "utf-8",
    )
    now = settings()
    assert (now.engine, now.model, now.base_url, now.language) == ("openai", "tiny", "http://127.0.0.1:1", "")
    assert now.openai_api_key.get_secret_value() == "sk-x" and now.concurrency == 4
    assert set(secrets()) == {"engine", "model", "openai_api_key", "openai_base_url"}
    fresh_settings.setenv("KIKU_MODEL", "other")
    settings.cache_clear()
    assert settings().model == "other"


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "OPENAI_BASE_URL"])
def test_a_secret_of_the_wrong_kind_is_not_shown(name: str, secret: Path) -> None:
    secret.write_text(f'{name} = ["sk-secret"]\n', "utf-8")
    with pytest.raises(BadInput, match=name) as raised:
        settings()
    error = raised.value
    assert "sk-secret" not in f"{error} {error.details} {error.__cause__!r}" and error.__suppress_context__


@pytest.mark.parametrize("text", ["garbage", "A@host, sk-secret-1", "A@https://host", "A@b@c", "1A@host"])
def test_permissions_for_keys_that_mean_nothing_are_reported_and_not_shown(
    text: str, secret: Path, fresh_settings: pytest.MonkeyPatch
) -> None:
    fresh_settings.setenv("KIKU_EXTERNAL_KEYS", text)
    with pytest.raises(BadInput, match="KIKU_EXTERNAL_KEYS is '•••': entries should") as error:
        settings()
    assert error.value.key == "bad_external_keys" and text not in f"{error.value} {error.value.details}"
    fresh_settings.setenv("KIKU_EXTERNAL_KEYS", " A@host, B_2@Host.example:8080;C@[::1]:80, ")
    settings.cache_clear()
    assert settings().external_keys == {"A@host", "B_2@host.example:8080", "C@[::1]:80"}


@pytest.mark.parametrize("text", [b"KIKU_MODEL = tiny\n", b"\xff\xfe"])
def test_the_file_that_cannot_be_read_is_named(text: bytes, secret: Path, tmp_path: Path) -> None:
    secret.write_bytes(text)
    with pytest.raises(BadInput, match=r"secrets\.toml cannot be read") as error:
        settings()
    assert (error.value.key, error.value.details["file"]) == ("broken_file", ".streamlit/secrets.toml")
    secret.unlink()
    page = tmp_path / "data" / "settings.toml"
    page.parent.mkdir()
    page.write_bytes(text)
    with pytest.raises(BadInput, match=r"settings\.toml in the data folder") as error:
        settings()
    assert (error.value.key, error.value.details["file"]) == ("broken_settings", "settings.toml")
    page.unlink()
    (tmp_path / ".env").write_bytes(b"KIKU_MODEL=\xff\n")
    with pytest.raises(BadInput, match=r"\.env is not UTF-8"):
        settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("KIKU_TIMEOUT", "KIKU_PATIENCE") for value in ("inf", "nan", "1e12", "0")),
        *(("KIKU_CALL_LOG_DAYS", value) for value in ("1e12", "inf", "nan", "-1")),
        ("KIKU_MAX_TOKENS", str(10**20)),
    ],
)
def test_numbers_that_nobody_can_wait_for_are_reported(
    name: str, value: str, fresh_settings: pytest.MonkeyPatch
) -> None:
    fresh_settings.setenv(name, value)
    with pytest.raises(BadInput, match=f"{name} is "):
        settings()


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        *(
            ("KIKU_DATABASE_URL", value, "bad_database_url")
            for value in (
                "mysql://u:hush@h/d",
                "postgresql://u:hush@h",
                "u:hush@h/d",
                "postgresql://u:hush@h:port/d",
                "postgresql://u:12/hush@h/d",
            )
        ),
        *(
            ("KIKU_CHROMA_URL", value, "bad_chroma_url")
            for value in ("host:8000", "ftp://host", "http://u:hush@host", "http://host:x", "http://host/api?t=hush")
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_reported_without_being_shown(
    name: str, value: str, key: str, fresh_settings: pytest.MonkeyPatch
) -> None:
    fresh_settings.setenv(name, value)
    with pytest.raises(BadInput, match=f"{name} is .*it should look like") as error:
        settings()
    assert (
        error.value.key == key and "hush" not in f"{error.value} {error.value.details}" and "\n" not in str(error.value)
    )


def test_addresses_come_from_the_environment_and_never_from_a_page(
    secret: Path, tmp_path: Path, fresh_settings: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "data" / "settings.toml"
    page.parent.mkdir()
    page.write_text('database_url = "postgresql://u@elsewhere/d"\nchroma_url = "http://elsewhere"\npass_mark = 0.5\n')
    now = settings()
    assert (now.chroma_url, now.pass_mark) == ("", 0.5) and now.store_url.startswith("sqlite:///")
    fresh_settings.setenv("KIKU_DATABASE_URL", "postgres://kiku:hush@db/kiku?sslmode=require")
    fresh_settings.setenv("KIKU_CHROMA_URL", " http://chroma:8000/ ")
    settings.cache_clear()
    now = settings()
    assert now.store_url == "postgresql+psycopg://kiku:hush@db/kiku?sslmode=require"
    assert now.chroma_url == "http://chroma:8000" and "hush" not in repr(now)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql+psycopg://kiku:hush@db:5432/kiku", "postgresql://kiku:***@db:5432/kiku"),
        ("postgresql://kiku@db/kiku?password=hush", "postgresql://kiku@db/kiku"),
        ("postgresql://db/kiku", "postgresql://db/kiku"),
        ("sqlite:///a.db", "sqlite:///a.db"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, message: str) -> None:
    assert display_address(address) == message


def test_no_server_of_whoever_runs_the_tests_is_used_by_them(secret: Path, tmp_path: Path) -> None:
    theirs = "KIKU_DATABASE_URL = 'postgresql://me@127.0.0.1/mine'\nKIKU_CHROMA_URL = 'http://127.0.0.1:1'\n"
    theirs += "KIKU_CHROMA_TOKEN = 'hush'\nKIKU_DASK_SCHEDULER = 'tcp://127.0.0.1:1'\n"
    secret.write_text(theirs, "utf-8")
    (tmp_path / ".env").write_text(theirs, "utf-8")
    now = settings()
    assert now.store_url.startswith("sqlite:///") and not now.chroma_token.get_secret_value()
    assert (now.chroma_url, now.dask_scheduler) == ("", "")


def test_a_thread_that_is_still_reading_cannot_bring_the_old_settings_back(
    secret: Path, fresh_settings: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()

    class Slow(Settings):
        def __init__(self) -> None:
            super().__init__()
            begun.set()
            go_on.wait(10)

    fresh_settings.setattr("core.base.settings.Settings", Slow)
    fresh_settings.setenv("KIKU_MODEL", "old")
    reader = Thread(target=settings)
    reader.start()
    assert begun.wait(10)
    fresh_settings.setattr("core.base.settings.Settings", Settings)
    fresh_settings.setenv("KIKU_MODEL", "new")
    dropped = Thread(target=settings.cache_clear)
    dropped.start()
    dropped.join(0.2)  # waits for the reader, as it should
    go_on.set()
    reader.join()
    dropped.join()
    assert settings().model == "new"


def test_only_choices_that_can_be_written_are_named(fresh_settings: pytest.MonkeyPatch) -> None:
    fresh_settings.setenv("KIKU_LANGUAGE", "fr")
    with pytest.raises(BadInput, match="must be one of ja, en"):
        settings()
