"""The simulated user: what that person writes next, and whether the conversation is over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, NamedTuple

from pydantic import Field

from core.base.call_context import today
from core.base.prompt import Prompt
from core.base.types import BEYOND_DOCUMENTS, Language, Message, Persona, Scenario, UserMessage
from core.simulation.bot_reply import answers_intent, asks_user, choose_option, is_general, refuses, without_quotes
from core.simulation.facts import HINTED, Fact, asked_for, family_of, parse_facts
from core.simulation.phrases_en import uncapital
from core.simulation.voice import (
    Group,
    Utterance,
    fill_pattern,
    join_utterances,
    phrase_choice,
    phrase_facts,
    phrase_intent,
    phrase_question,
    speak,
)
from core.text.dates import date_text
from core.text.language import content_words, language_of
from core.text.normalize import normalize

_TOPICS = frozenset({"kind", "subject", "wanted", "purpose"})
_AGAIN = {"ja": "さっきも書きましたが、", "en": "As I said, "}
SAID = 0.8  # share of a text's content words from which it was said


class NextMessage(Prompt[UserMessage]):
    """What the person writes after the bot's last message, with the state of the conversation, in one reply.

    `language` is the persona's; the embedded engine speaks the language of the scenario's question, because it cannot
    translate facts. last_chance: no further message can be sent, so the reply names an ending; today: the date that the
    person goes by (default: that of the run, else today's). The same fields always give the same message; `seed` varies
    the wording.
    """

    file = "simulated_user"
    role = "user"
    required = ("conversation", "scenario", "persona")
    persona: Persona
    scenario: Scenario
    conversation: tuple[Message, ...]
    last_chance: bool = False
    today: date = Field(default_factory=today)

    def template_fields(self) -> dict[str, Any]:
        """Adds the date in words."""
        return {**super().template_fields(), "today": date_text(self.today, self.language)}

    def without_model(self) -> UserMessage:
        """Answers the bot's question from the facts, follows up once while the intent is not met, and ends.

        A conversation in which the bot has not spoken yet gets the scenario's question, word for word.
        """
        if not self.conversation or self.conversation[-1].role == "user":
            return UserMessage(text=self.scenario.question)
        language = language_of(self.scenario.question, self.language)
        step = next_step(self.scenario, self.conversation, language)
        return UserMessage(text=self._phrase(step, language), ending=step.ending)

    def _phrase(self, step: NextStep, language: Language) -> str:
        said = [message.text for message in self.conversation if message.role == "user"]
        key = f"{self.seed}|{self.persona.id}|{self.scenario.id}|{len(self.conversation)}"
        if step.group != "unknown" or step.content is None:
            return speak(self.persona, step.group, step.content, language, said, key)
        shrug = speak(self.persona, "unknown", None, language, said, key)
        terse = any("{bare}" in pattern for pattern in self.persona.voice.answer)
        hole = "{bare}" if terse else "{text}"
        return shrug + fill_pattern(f" {hole}." if language == "en" else f"{hole}。", step.content, language)


_LABELS = ("you", "user", "customer", "person", "me", "あなた", "利用者", "ユーザー", "お客様", "私")
_LABEL = re.compile(r"\s*+[*_「『【\[(（]{0,3}([^:：\n]{1,40}?)[*_」』】\])）]{0,3}\s*+[:：][*_]{0,2}\s*+(?=\S)")
_QUOTED = re.compile(r"[「『“\"]([^「」『』“”\"]+)[」』”\"]")


def without_label(message: UserMessage, name: str) -> UserMessage:
    """A message without the label ("You:", the persona's name) or the quotation marks that a model puts around it."""
    found = _LABEL.match(message.text)
    labels = {*_LABELS, name.casefold()}
    text = message.text[found.end() :] if found and found[1].strip().casefold() in labels else message.text
    quoted = _QUOTED.fullmatch(text.strip())
    return message.model_copy(update={"text": quoted[1].strip() if quoted else text.strip()})


class NextStep(NamedTuple):
    """The group of sentence patterns, the content that goes into one, and the ending if the conversation is over."""

    group: Group
    content: Utterance | None = None
    ending: Literal["done", "gave_up", "out_of_script"] | None = None


def next_step(scenario: Scenario, conversation: Sequence[Message], language: Language) -> NextStep:
    """What the user does after the bot's last message: answer its question, follow up, or end."""
    user, last = _user(scenario, conversation, language), conversation[-1]
    if not asks_user(last):
        if refuses(last.text) and scenario.kind not in BEYOND_DOCUMENTS and (picked := user.choice(last)):
            return NextStep("answer", picked)  # one of the nearest topics that a refusal offers
        answers = sum(1 for message in conversation[:-1] if message.role == "assistant" and not asks_user(message))
        return user.react(last.text, followed_up=answers > 0)
    if reply := user.reply(last):
        return NextStep("answer", reply)
    asked = (i for i, m in enumerate(conversation[:-1]) if m.role == "assistant" and asks_user(m))
    if any(_user(scenario, conversation[:i], language).reply(conversation[i]) is None for i in asked):
        return NextStep("unknown", ending="out_of_script")  # asked a second time for what the scenario does not hold
    return NextStep("unknown", user.intent)


def was_said(text: str, said: str) -> bool:
    """Whether what was said holds nearly all that the text says."""
    if normalize(text) in normalize(said):
        return True
    words, have = content_words(text), set(content_words(said))
    return bool(words) and sum(word in have for word in words) >= SAID * len(words)


def _user(scenario: Scenario, conversation: Sequence[Message], language: Language) -> _User:
    said = "\n".join(message.text for message in conversation if message.role == "user")
    return _User(scenario, parse_facts(scenario.facts), said, language)


class _User(NamedTuple):
    """A scenario, and what the user has said of it so far."""

    scenario: Scenario
    facts: tuple[Fact, ...]
    said: str
    language: Language

    @property
    def unsaid_facts(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if not was_said(fact.value, self.said))

    @property
    def intent(self) -> Utterance | None:
        """The intent in the user's words while it is unsaid; None without one."""
        intent = self.scenario.intent.strip()
        phrased = phrase_intent(intent, self.language) if intent else None
        return None if phrased is None or was_said(phrased.text, self.said) else phrased

    def reply(self, question: Message) -> Utterance | None:
        """The answer to the bot's question: a choice, the facts asked for or the intent; None if there is nothing."""
        return self.choice(question) or self._facts(question.text) or self._open_answer(question.text)

    def choice(self, question: Message) -> Utterance | None:
        """The choice that fits: said as the intent if that names it, as the fact if it is one."""
        scenario, language = self.scenario, self.language
        values = tuple(fact.value for fact in self.facts)
        chosen = choose_option(question.choices, scenario.intent, values, scenario.question)
        if not chosen:
            return None
        intent, choice = self.intent, phrase_choice(chosen, language)
        fact = next((fact for fact in self.facts if normalize(fact.value) == normalize(chosen)), None)
        if fact and (intent is None or not _is_topic(fact)):
            return phrase_facts([fact], language)
        if intent:
            named = set(content_words(chosen)) <= set(content_words(intent.text))
            return intent if named else Utterance(join_utterances(choice, intent, language).text, choice.bare)
        if scenario.intent or was_said(chosen, scenario.question):
            return choice
        return join_utterances(choice, phrase_question(scenario.question, language), language)

    def _facts(self, question: str) -> Utterance | None:
        """The facts that the question names."""
        plain, general, intent = without_quotes(question), is_general(question), self.intent
        facts = asked_for(self.facts, plain)
        if not facts and not (general and intent):
            facts = asked_for(self.facts, plain, HINTED)
        if not facts:
            return None
        phrased = phrase_facts(facts, self.language)
        if intent and general and (len(facts) == 1 or all(map(_is_topic, facts))):
            return join_utterances(phrased, intent, self.language)
        known = was_said(facts[0].value, self.scenario.question)
        return phrased if known or any(fact in self.unsaid_facts for fact in facts) else self._repeated(phrased)

    def _open_answer(self, question: str) -> Utterance | None:
        """What an open question brings out: the intent, then the facts, then (without either) the question again."""
        if not is_general(question):
            return None
        if intent := self.intent:
            return intent
        if facts := self.unsaid_facts:
            return phrase_facts(facts[:2], self.language)
        once = self.said.count(self.scenario.question.strip()) < 2
        return phrase_question(self.scenario.question, self.language) if once and not self.scenario.intent else None

    def react(self, answer: str, followed_up: bool) -> NextStep:
        """After an answer: thanks if the intent is met, one follow-up while it is not, then an end."""
        scenario = self.scenario
        unanswerable = scenario.kind in BEYOND_DOCUMENTS  # what the documents do not hold, no answer can meet
        if not unanswerable and answers_intent(scenario.intent or scenario.question, answer):
            return NextStep("done", ending="done")
        more = self._follow_up()
        if followed_up or more is None or (unanswerable and refuses(answer)):
            return NextStep("unmet", ending="gave_up")
        return NextStep("follow_up", more)

    def _follow_up(self) -> Utterance | None:
        """What may still help: the intent, or the next fact with what it is about; None if all was said."""
        scenario, language = self.scenario, self.language
        if intent := self.intent:
            return intent
        facts = self.unsaid_facts
        if not facts:
            return None
        whole = (
            phrase_intent(scenario.intent, language)
            if scenario.intent
            else phrase_question(scenario.question, language)
        )
        return join_utterances(phrase_facts(facts[:1], language), whole, language)

    def _repeated(self, phrased: Utterance) -> Utterance:
        return Utterance(_AGAIN[self.language] + uncapital(phrased.text), phrased.bare)


def _is_topic(fact: Fact) -> bool:
    family = family_of(fact.label)
    return family is None or family.name in _TOPICS
