"""The simulated user: what he says next, and whether he is done."""

from __future__ import annotations

from core.base.prompt import Prompt
from core.base.types import Language, Message, Persona, Scenario, UserMessage
from core.simulation.next_step import Line, plan
from core.simulation.voice import fill, speak
from core.text.language import language_of


class NextMessage(Prompt[UserMessage]):
    """What the person writes after the bot's last message, with the state of the conversation, in one reply.

    `language` is the persona's; the embedded engine speaks the language of the scenario's question, because it cannot
    translate facts. The same fields always give the same message; `seed` varies the wording.
    """

    file = "simulated_user"
    role = "user"
    persona: Persona
    scenario: Scenario
    conversation: tuple[Message, ...]

    def without_model(self) -> UserMessage:
        """Answers the bot's question from the facts, follows up once while the need is unmet, and ends (see plan.py).

        A conversation in which the bot has not spoken yet gives the opening.
        """
        if not self.conversation or self.conversation[-1].role == "user":
            return UserMessage(text=opening(self.persona, self.scenario))
        language = language_of(self.scenario.question, self.language)
        line = plan(self.scenario, self.conversation, language)
        return UserMessage(text=self._spoken(line, language), ending=line.ending)

    def _spoken(self, line: Line, language: Language) -> str:
        said = [message.text for message in self.conversation if message.role == "user"]
        key = f"{self.seed}|{self.persona.id}|{self.scenario.id}|{len(self.conversation)}"
        if line.group != "unknown" or line.saying is None:
            return speak(self.persona, line.group, line.saying, language, said, key)
        shrug = speak(self.persona, "unknown", None, language, said, key)
        terse = any("{bare}" in pattern for pattern in self.persona.voice.answer)
        pattern = (
            f"{' ' if language == 'en' else ''}{'{bare}' if terse else '{text}'}{'.' if language == 'en' else '。'}"
        )
        return shrug + fill(pattern, line.saying, language)


def opening(persona: Persona, scenario: Scenario) -> str:
    """Turn 1: the scenario's question, word for word, whoever says it."""
    del persona
    return scenario.question
