"""Prompts with typed replies, and the interface of the engines that answer them; all model calls go through it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from core.base.call_context import current_context
from core.base.errors import UNUSABLE_REPLY, ModelError
from core.base.prompt_files import file_of, prompt_key
from core.base.prompt_templates import bot_template, builtin_template, render_bot_template
from core.base.types import Language, Role

R = TypeVar("R")
USER = "=== user ==="  # the line between rules and material


class NeedsModel(Exception):
    """Raised where an honest reply needs a language model."""


class Prompt(BaseModel, Generic[R]):
    """A question to a model: its fields fill `<file>.<language>.md` next to the class, `R` is the type of the reply.

    A line `=== user ===` in the file separates the rules (the system message) from the material (the user message). A
    bot may have a file of its own instead (`core.base.prompt_files`). `R` is str, a pydantic model, or a union of
    models (functions of which the model calls one).
    """

    model_config = ConfigDict(frozen=True)
    file: ClassVar[str] = ""
    role: ClassVar[Role] = "bot"  # which of the configured models answers
    required: ClassVar[tuple[str, ...]] = ()  # names or dotted paths that a bot's own file has to read
    language: Language = "ja"
    seed: int = 0  # varies the reply, if the model takes a seed

    def without_model(self) -> R:
        """The reply computed without a language model; raises NeedsModel if that would not be honest."""
        raise NeedsModel(f"{type(self).__name__} needs a language model")

    def template_fields(self) -> dict[str, Any]:
        """The template's variables: the prompt's own fields; a subclass may add computed ones."""
        return {name: getattr(self, name) for name, field in type(self).model_fields.items() if not field.exclude}

    @classmethod
    def prompt_name(cls) -> str:
        """The name of the prompt's files in a bot's folder; those of judges are in a folder of their own."""
        return f"judges/{cls.file}" if cls.role == "judge" else cls.file

    def render(self, language: Language) -> str:
        """The prompt's text, from the bot's own file if it has one.

        A variable that no field fills is an error: jinja2.UndefinedError, in a bot's own file BadInput.
        """
        key = prompt_key(self.prompt_name(), language)
        source = current_context().prompts.get(key)
        if source is None:
            return builtin_template(type(self), self.file, language).render(self.template_fields())
        return self.render_source(source, file_of(key))

    def render_source(self, source: str, place: str) -> str:
        """The text of a template for this prompt; raises BadInput, which names the file `place`."""
        template = bot_template(type(self), self.file, place, self.required, source)
        return render_bot_template(template, place, self.template_fields())

    def messages(self) -> tuple[str, str]:
        """The system and the user message in the prompt's language; without a separating line all is the user
        message."""
        return split_messages(self.render(self.language))

    @classmethod
    def reply_type(cls) -> Any:
        """The type `R` of the reply: a class, or a union of classes."""
        for base in cls.__mro__:
            arguments = getattr(base, "__pydantic_generic_metadata__", {}).get("args", ())
            if arguments:
                return arguments[0]
        return str


class PromptByRules(Prompt[R]):
    """A prompt whose reply without a model, `by_rules`, is computed before a model is asked."""

    by_rules: R

    def without_model(self) -> R:
        """The reply by rules."""
        return self.by_rules


class Engine(Protocol):
    """Answers prompts: with a language model, or without one."""

    def ask(self, prompt: Prompt[R]) -> R:
        """The whole reply."""
        ...

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The reply in pieces, as they come."""
        ...


def usable_reply(engine: Engine, prompt: Prompt[R]) -> R | None:
    """The whole reply; None if only this reply cannot be used. Raises other model errors."""
    try:
        return engine.ask(prompt)
    except ModelError as error:
        if error.key not in UNUSABLE_REPLY:
            raise
        return None


def split_messages(text: str) -> tuple[str, str]:
    """The system and the user message in a rendered prompt."""
    rules, found, material = text.partition(USER)
    return (rules.strip(), material.strip()) if found else ("", rules.strip())
