"""The first message of a conversation: the scenario's question in the persona's own words."""

from __future__ import annotations

from core.base.frozen_model import FrozenModel
from core.base.prompt import Prompt
from core.base.reply_fields import Text
from core.base.types import Persona, Scenario


class WordedQuestion(FrozenModel):
    """The question as the person would write it."""

    text: Text


class FirstMessage(Prompt[WordedQuestion]):
    """How does this person put the scenario's question? It says no more and no less than the question does."""

    file = "first_message"
    role = "user"
    required = ("scenario.question",)
    persona: Persona
    scenario: Scenario

    def without_model(self) -> WordedQuestion:
        """The question, word for word."""
        return WordedQuestion(text=self.scenario.question)
