"""Prompts with typed replies, and the interface of the engines that answer them; all model calls go through it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from pydantic import BaseModel, ConfigDict

from core.base.fence import fenced
from core.base.types import Language, Role

R = TypeVar("R")
_USER = "=== user ==="
PARTS = Path(__file__).parent / "prompt_parts"  # what several prompts include


class NeedsModel(Exception):
    """Nothing honest can be computed here without a language model."""


class Prompt(BaseModel, Generic[R]):
    """A question to a model: its fields fill `<file>.<language>.md` beside it, `R` is the type of the reply.

    A line `=== user ===` in the file parts the rules (the system message) from the material (the user message).
    `R` is str, a pydantic model, or a union of models (functions of which the model calls one). `role` says which of
    the configured models answers; `seed` varies the reply where the model can be told to.
    """

    model_config = ConfigDict(frozen=True)
    file: ClassVar[str] = ""
    role: ClassVar[Role] = "bot"
    language: Language = "ja"
    seed: int = 0

    def without_model(self) -> R:
        """The reply computed without a language model; raises NeedsModel where that would not be honest."""
        raise NeedsModel(f"{type(self).__name__} needs a language model")

    def template_fields(self) -> dict[str, Any]:
        """What the template sees: the prompt's own fields; a subclass may add what is worked out from them."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def render(self, language: Language) -> str:
        """The prompt's text; a hole that no field fills is an error (jinja2.UndefinedError)."""
        return _template(type(self), f"{self.file}.{language}.md").render(self.template_fields())

    def messages(self) -> tuple[str, str]:
        """The system and the user message in the prompt's language; all is user where the file has no parting line."""
        rules, found, material = self.render(self.language).partition(_USER)
        return (rules.strip(), material.strip()) if found else ("", rules.strip())

    @classmethod
    def reply_type(cls) -> Any:
        """The type `R` of the reply: a class, or a union of classes."""
        for base in cls.__mro__:
            arguments = getattr(base, "__pydantic_generic_metadata__", {}).get("args", ())
            if arguments:
                return arguments[0]
        return str


class Engine(Protocol):
    """Answers prompts: with a language model, or without one."""

    def ask(self, prompt: Prompt[R]) -> R:
        """The whole reply."""
        ...

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The reply in pieces, as they come."""
        ...


@cache
def _template(kind: type[BaseModel], name: str) -> Template:
    loader = FileSystemLoader([Path(inspect.getfile(kind)).parent, PARTS])
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=False, trim_blocks=True)
    environment.filters["fenced"] = fenced
    return environment.get_template(name)
