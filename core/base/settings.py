"""Settings from the environment, `.env`, `.streamlit/secrets.toml`, and what the settings page stored."""

from __future__ import annotations

import os
import re
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from dotenv import dotenv_values  # comes with pydantic-settings
from pydantic import AfterValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, InitSettingsSource, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from core.base.addresses import chroma_address, database_address, key_host, scheduler_address
from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.base.toml import TomlFault, parse_toml

ROOT = Path(__file__).resolve().parents[2]
SECRETS = ROOT / ".streamlit" / "secrets.toml"
OPENAI = "https://api.openai.com/v1"
Effort = Literal["", "none", "minimal", "low", "medium", "high", "xhigh"]
Power = Literal["python", "paths", "addresses"]  # of visitors (`core.base.visitor_powers`)
DAY = 86_400.0  # seconds
# Fields that the settings page cannot set: which server gets the key
_SERVER_FIELDS = {"openai_api_key", "openai_base_url"}
# where the results of all users are stored
_STORAGE_FIELDS = {"database_url", "chroma_url", "chroma_token", "dask_scheduler"}
_EXTERNAL_FIELDS = {"external_keys", "external_modules", "visitor_powers"}  # what a bot may be sent or call
_SECRET_FIELDS = _SERVER_FIELDS | _STORAGE_FIELDS | {"external_keys"}  # an owner may write the key itself there
_ERROR_KEYS = {
    "database_url": "bad_database_url",
    "chroma_url": "bad_chroma_url",
    "dask_scheduler": "bad_scheduler",
    "external_keys": "bad_external_keys",
}


class Settings(BaseSettings):
    """Everything an owner can set; the environment wins over `.env`, then `secrets.toml`, then the settings page."""

    model_config = SettingsConfigDict(
        env_prefix="KIKU_",
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    engine: Literal["embedded", "openai"] = "embedded"
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="OPENAI_API_KEY")
    openai_base_url: str = Field(default="", validation_alias="OPENAI_BASE_URL")
    model: str = ""  # model, temperature and effort: the defaults of the four roles
    bot_model: str = ""
    clarify_model: str = ""
    user_model: str = ""
    judge_model: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    bot_temperature: float | None = Field(default=None, ge=0, le=2)
    clarify_temperature: float | None = Field(default=None, ge=0, le=2)
    user_temperature: float | None = Field(default=None, ge=0, le=2)
    judge_temperature: float | None = Field(default=None, ge=0, le=2)
    effort: Effort = ""
    bot_effort: Effort = ""
    clarify_effort: Effort = ""
    user_effort: Effort = ""
    judge_effort: Effort = ""
    timeout: float = Field(default=120, gt=0, le=DAY)  # seconds for one reply
    patience: float = Field(default=300, gt=0, le=DAY)  # seconds for one call with all its retries
    max_tokens: int = Field(default=4096, ge=64, le=2**20)  # longest reply that is requested at first
    call_log_days: float = Field(default=0, ge=0, le=36_500)  # how long calls are stored (0: always)
    cache: bool = True  # whether an equal call is answered from the call log
    data_dir: Path = ROOT / "data"
    database_url: SecretStr = SecretStr("")  # server in place of a file in `data_dir`
    chroma_url: Annotated[str, AfterValidator(chroma_address)] = ""  # server in place of a folder in `data_dir`
    chroma_token: SecretStr = SecretStr("")  # sent as a bearer token
    # Cluster that runs the conversations, such as tcp://host:8786 ("": this process runs them)
    dask_scheduler: Annotated[str, AfterValidator(scheduler_address)] = ""
    knowledge_dir: Path = ROOT / "knowledge"
    embedding_model: str = ""
    # NAME@host: each environment variable that external bots may send, with the host that may get it. This and the next
    # two are lists; the environment separates their entries with commas, semicolons or blanks
    external_keys: Annotated[frozenset[Annotated[str, AfterValidator(key_host)]], NoDecode] = frozenset()
    # Python modules outside of the bot's folder that an external bot may call
    external_modules: Annotated[frozenset[str], NoDecode] = frozenset()
    # What visitors may do if others can reach this server
    visitor_powers: Annotated[frozenset[Power], NoDecode] = frozenset()
    concurrency: int = Field(default=4, ge=1, le=256)
    pass_mark: float = Field(default=0.9, ge=0, le=1)  # mean that a run must reach
    alert_mark: float = Field(default=0.7, ge=0, le=1)  # score below which a turn is shown in red
    language: Literal["", "ja", "en"] = ""
    # JSON key file of the account that writes to Google Sheets; read when needed, never stored
    google_service_account: str = ""

    @field_validator("data_dir", "knowledge_dir")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        try:
            folder = path.expanduser().resolve()
            folder.is_dir()
        except RuntimeError as error:  # a loop of links, or ~ without a home
            raise ValueError("the folder cannot be found") from error
        except OSError as error:  # such as a name that is too long
            raise ValueError(f"the folder cannot be used ({error.strerror})") from error
        return folder

    @field_validator("database_url")
    @classmethod
    def _database(cls, address: SecretStr) -> SecretStr:
        return SecretStr(database_address(address.get_secret_value()))

    @field_validator("external_keys", "external_modules", "visitor_powers", mode="before")
    @classmethod
    def _listed(cls, entries: Any) -> Any:
        return [entry for entry in re.split(r"[\s,;]+", entries) if entry] if isinstance(entries, str) else entries

    @property
    def store_url(self) -> str:
        """The SQLAlchemy address of the results database, possibly with a password (show it by `display_address`)."""
        return self.database_url.get_secret_value() or f"sqlite:///{self.data_dir / 'kiku.db'}"

    @property
    def base_url(self) -> str:
        """The model server's address."""
        return self.openai_base_url.strip() or OPENAI

    @property
    def page_file(self) -> Path:
        """Where the settings page stores its choices."""
        return self.data_dir / "settings.toml"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment, `.env`, Streamlit's secrets, then the page's file in the data folder that those name."""
        folder = {**dotenv_settings(), **env_settings()}.get("data_dir", ROOT / "data")
        page = _of_page(Path(folder))
        owners = _SERVER_FIELDS | _STORAGE_FIELDS | _EXTERNAL_FIELDS
        chosen = {name: value for name, value in page.items() if name.lower() not in owners}
        others = (InitSettingsSource(settings_cls, values) for values in (secrets(), chosen))
        return init_settings, env_settings, dotenv_settings, *others


def secrets() -> dict[str, Any]:
    """Kiku's settings in `.streamlit/secrets.toml` by their names: KIKU_… and OPENAI_…, as in the environment.

    Other entries are ignored. Raises BadInput if the file cannot be read.
    """
    values = {name.lower(): value for name, value in _read(SECRETS, "broken_file").items()}
    fields = {(field if field in _SERVER_FIELDS else f"kiku_{field}"): field for field in Settings.model_fields}
    return {fields[name]: value for name, value in values.items() if name in fields}


def environment() -> dict[str, str]:
    """The environment's variables, and those of `.env` that it does not have."""
    return {name: value for name, value in {**dotenv_values(".env"), **os.environ}.items() if value is not None}


def variable(name: str) -> str:
    """The value of any variable, from the sources of the settings, "" without one; raises BadInput like `secrets`."""
    return environment().get(name) or str(_read(SECRETS, "broken_file").get(name, ""))


def _of_page(folder: Path) -> dict[str, Any]:
    """What the settings page stored in the data folder; {} if there is no folder, which validation reports."""
    try:
        is_folder = folder.expanduser().is_dir()
    except (RuntimeError, OSError):  # ~ without a home, a name that is too long
        is_folder = False
    return _read(folder.expanduser() / "settings.toml", "broken_settings") if is_folder else {}


def _read(file: Path, key: str) -> dict[str, Any]:
    """A TOML file, {} if there is none; raises BadInput."""
    shown = file.name if file.name == "settings.toml" else f"{file.parent.name}/{file.name}"
    try:
        return parse_toml(file.read_bytes()) if file.is_file() else {}
    except (TomlFault, OSError) as error:
        details = error.details if isinstance(error, TomlFault) else {"detail": error.strerror}
        where = "settings.toml in the data folder" if file.name == shown else shown
        message = f"{where} cannot be read ({details['detail']}). Correct or delete it, then start again."
        raise BadInput(message, key, file=shown, **details) from None


class _Reader:
    """Reads the settings once for all threads; a thread that reads while the cache is cleared cannot store old ones."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._settings: Settings | None = None

    def __call__(self) -> Settings:
        """The settings of this process; `settings.cache_clear()` reads them again. Raises BadInput."""
        with self._lock:
            if self._settings is None:
                self._settings = _validated()
            return self._settings

    def cache_clear(self) -> None:
        """Read the settings again at the next call."""
        with self._lock:
            self._settings = None


settings = _Reader()


def _validated() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        raise _unfit(error) from None  # the error has the given value, which may be a key
    except UnicodeDecodeError as error:
        message = f".env is not UTF-8 text (byte {error.start}). Save it as UTF-8 and start again."
        raise BadInput(message, "broken_file", file=".env", detail="not UTF-8 text", why="encoding") from None


def _unfit(error: ValidationError) -> BadInput:
    """The error for the first setting that cannot be used, with a secret's value hidden."""
    first = error.errors(include_url=False)[0]
    field = str(first["loc"][0]).lower()
    name = field.upper() if field in _SERVER_FIELDS else f"KIKU_{field.upper()}"
    value = "•••" if field in _SECRET_FIELDS else first["input"]
    fault = field_fault(error, field=name, secret=True)
    detail = str(fault).removeprefix(f"{name}: ")
    message = f"{name} is {value!r}: {detail}. Correct it in the environment, .env, secrets.toml or settings file."
    details = {**fault.details, "detail": detail, "name": name}
    return BadInput(message, _ERROR_KEYS.get(field, "bad_setting"), **details, given=value)
