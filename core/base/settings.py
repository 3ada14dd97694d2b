"""Settings from the environment, `.env`, and what the settings page stored."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from core.base.errors import BadInput
from core.base.toml import fault_of

ROOT = Path(__file__).resolve().parents[2]


class Settings(BaseSettings):
    """Everything an owner can set; the environment wins over `.env`, which wins over the settings page."""

    model_config = SettingsConfigDict(env_prefix="KIKU_", env_file=".env", extra="ignore", frozen=True)

    engine: Literal["embedded"] = "embedded"
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
        """Environment, `.env`, then the page's file in the data folder that those two name."""
        folder = {**dotenv_settings(), **env_settings()}.get("data_dir", ROOT / "data")
        page = TomlConfigSettingsSource(settings_cls, Path(folder).expanduser() / "settings.toml")
        return init_settings, env_settings, dotenv_settings, page


@cache
def settings() -> Settings:
    """The settings of this process; `settings.cache_clear()` reads them again."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "KIKU_" + "_".join(str(part) for part in first["loc"]).upper()
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
