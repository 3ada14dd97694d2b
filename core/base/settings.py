"""Settings from the environment, `.env`, and what the settings page stored."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from core.base.errors import BadInput
from core.base.toml import fault_of

ROOT = Path(__file__).resolve().parents[2]
OPENAI = "https://api.openai.com/v1"
Effort = Literal["", "none", "minimal", "low", "medium", "high", "xhigh"]
_SERVER = {"openai_api_key", "openai_base_url"}  # which server gets the key is not for a page to say


class Settings(BaseSettings):
    """Everything an owner can set; the environment wins over `.env`, which wins over the settings page.

    model, temperature, effort: of each role where it has none of its own (an empty model: the general one).
    timeout: seconds for one reply; patience: seconds for one call with all its retries; reply_tokens: the longest
    reply asked for at first; ledger_days: how long calls are kept (0: always); cache: an equal call is not made twice.
    """

    model_config = SettingsConfigDict(
        env_prefix="KIKU_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True
    )

    engine: Literal["embedded", "openai"] = "embedded"
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="OPENAI_API_KEY")
    openai_base_url: str = Field(default="", validation_alias="OPENAI_BASE_URL")
    model: str = ""
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
    timeout: float = Field(default=120, gt=0)
    patience: float = Field(default=300, gt=0)
    reply_tokens: int = Field(default=4096, ge=64)
    ledger_days: float = Field(default=0, ge=0)
    cache: bool = True
    data_dir: Path = ROOT / "data"
    knowledge_dir: Path = ROOT / "knowledge"
    embedding_model: str = ""
    concurrency: int = Field(default=4, ge=1, le=256)
    finish_line: float = Field(default=0.9, ge=0, le=1)
    language: Literal["", "ja", "en"] = ""

    @field_validator("data_dir", "knowledge_dir")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        return path.expanduser().resolve()

    @property
    def database_url(self) -> str:
        """The SQLAlchemy address of the results database."""
        return f"sqlite:///{self.data_dir / 'kiku.db'}"

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
        secrets = TomlConfigSettingsSource(settings_cls, ROOT / ".streamlit" / "secrets.toml")
        page = _PageSource(settings_cls, Path(folder).expanduser() / "settings.toml")
        return init_settings, env_settings, dotenv_settings, secrets, page


class _PageSource(TomlConfigSettingsSource):
    """What the settings page stored, but never where the key goes."""

    def __call__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__call__().items() if name.lower() not in _SERVER}


@cache
def settings() -> Settings:
    """The settings of this process; `settings.cache_clear()` reads them again."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        name = name if name.startswith("OPENAI_") else f"KIKU_{name}"
        raise BadInput(
            f"{name} is {first['input']!r}: {first['msg']}. Correct it in the environment, .env or the settings file.",
            "bad_setting",
            name=name,
            value=first["input"],
            detail=first["msg"],
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            f"settings.toml in the data folder cannot be read ({error}). Correct or delete it and start again.",
            "broken_settings",
            file="settings.toml",
            **fault_of(error).details,
        ) from error
