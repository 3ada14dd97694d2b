"""The first message of a conversation: the scenario's question in the persona's own words."""

from __future__ import annotations

from core.base.frozen_model import FrozenModel
from core.base.prompt import Prompt
from core.base.reply_fields import Text
from core.base.types import Persona, Scenario
from core.simulation.voice import in_own_words, phrase_first, speak
from core.text.language import language_of


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
        """The question in the persona's voice: inside its small talk or anger, as keywords, or in everyday words; `seed` picks the pattern."""
        question = self.scenario.question
        language = language_of(question, self.language)
        content = in_own_words(self.persona, phrase_first(question, language), language)
        key = f"{self.seed}|{self.persona.id}|{self.scenario.id}"
        return WordedQuestion(text=speak(self.persona, "first", content, language, (), key))
