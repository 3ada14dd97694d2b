"""All prompts that a bot may have a text of its own for, what their texts may use, and whether one can be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from core.base.errors import BadInput
from core.base.prompt import Prompt, split_messages
from core.base.prompt_files import file_of, prompt_key
from core.base.prompt_templates import builtin_source, variables_of
from core.base.types import Bot, Language, Role
from core.bot.answer.answer import Answering
from core.bot.clarify.assess import Assess
from core.bot.clarify.function_calling import ChooseStep
from core.bot.rewrite.rewrite import Rewrite
from core.judges.registry import all_judges
from core.prompts.examples import bare_example, full_example
from core.simulation.simulated_user import FirstMessage, NextMessage

_OF_THE_BOT: tuple[type[Prompt[Any]], ...] = (Answering, Assess, ChooseStep, Rewrite, NextMessage, FirstMessage)


@dataclass(frozen=True)
class ListedPrompt:
    """A prompt by the name of its file; classes: those that fill it; judges: the names of those that ask it."""

    name: str
    classes: tuple[type[Prompt[Any]], ...]
    judges: tuple[str, ...] = ()

    @property
    def role(self) -> Role:
        """Whose model it goes to."""
        return self.classes[0].role

    @property
    def required(self) -> tuple[str, ...]:
        """What its text has to use."""
        return self.classes[0].required

    @property
    def variables(self) -> tuple[str, ...]:
        """What its text may use."""
        return variables_of(self.classes[0], self.classes[0].file)

    def default(self, language: Language) -> str:
        """Kiku's own text."""
        return builtin_source(self.classes[0], self.classes[0].file, language)


@cache
def all_prompts() -> Mapping[str, ListedPrompt]:
    """The prompts by name: the bot's, the clarifier's, the simulated user's, the judges'."""
    prompts = {prompt.prompt_name(): ListedPrompt(prompt.prompt_name(), (prompt,)) for prompt in _OF_THE_BOT}
    for listed in all_judges():
        for prompt in listed.judge.prompts:
            name = prompt.prompt_name()
            known = prompts.get(name, ListedPrompt(name, ()))
            classes = tuple(dict.fromkeys((*known.classes, prompt)))
            prompts[name] = ListedPrompt(name, classes, (*known.judges, listed.judge.name))
    return prompts


def find_prompt(name: str) -> ListedPrompt:
    """The prompt of that name; raises BadInput for another."""
    prompt = all_prompts().get(name)
    if prompt is None:
        names = ", ".join(all_prompts())
        message = f"There is no prompt {name!r}. Choose one of {names}."
        raise BadInput(message, "unknown_prompt_name", name=name, known=names)
    return prompt


def check_prompts(bot: Bot) -> None:
    """Raises BadInput if one of the bot's own prompts cannot be used, or is of a name that no prompt has."""
    for key, source in bot.prompts.items():
        check_prompt(key, source)


def check_prompt(key: str, source: str) -> None:
    """Raises BadInput if a text cannot stand in for the prompt of that name and language ("answer.en")."""
    prompt, language = split_key(key)
    if not source.strip():
        message = f"{file_of(key)} is empty. Write the prompt, or remove the file to use Kiku's own."
        raise BadInput(message, "prompt_empty", file=file_of(key))
    for prompt_class in prompt.classes:
        for example in (full_example(prompt_class, language), bare_example(prompt_class, language)):
            _, material = split_messages(example.render_source(source, file_of(key)))
            if not material:
                message = f"{file_of(key)} has nothing below “=== user ===”. Write what the model is asked there."
                raise BadInput(message, "prompt_no_material", file=file_of(key))


def sent_messages(key: str, source: str) -> tuple[str, str]:
    """The system and the user message that a text becomes for an example; raises BadInput if it cannot be used."""
    prompt, language = split_key(key)
    return split_messages(full_example(prompt.classes[0], language).render_source(source, file_of(key)))


def text_of(prompts: Mapping[str, str], name: str, language: Language) -> str:
    """The text in use: the bot's own, else Kiku's."""
    own = prompts.get(prompt_key(name, language))
    return find_prompt(name).default(language) if own is None else own


def split_key(key: str) -> tuple[ListedPrompt, Language]:
    """The prompt and the language of a name such as "answer.en"; raises BadInput for a file that no prompt has."""
    name, _, language = key.rpartition(".")
    prompt = all_prompts().get(name)
    if prompt is None or language not in get_args(Language):
        keys = ", ".join(f"{name}.{part}" for name in all_prompts() for part in get_args(Language))
        message = f"{file_of(key)} is not the file of a prompt. Rename it to one of {keys}, or remove it."
        raise BadInput(message, "unknown_prompt", file=file_of(key), known=keys)
    return prompt, language  # pyright: ignore[reportReturnType]
