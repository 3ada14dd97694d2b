"""The simulated user: what that person writes first and next, and whether the conversation is over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from pydantic import Field

from core.base.call_context import today
from core.base.frozen_model import FrozenModel
from core.base.means import share
from core.base.prompt import Prompt
from core.base.reply_fields import Text
from core.base.types import BEYOND_DOCUMENTS, Ending, Language, Message, Persona, Scenario, UserMessage
from core.simulation.bot_reply import asks_user, choose_option, is_general, refuses, without_quotes
from core.simulation.everyday_words import in_everyday_words
from core.simulation.facts import HINTED, asked_for, family_of
from core.simulation.intent_parts import intent_clauses, new_words
from core.simulation.phrases_en import uncapital
from core.simulation.satisfaction import intent_of, is_satisfied
from core.simulation.voice import (
    PhraseGroup,
    Speaker,
    Utterance,
    fill_pattern,
    in_own_words,
    join_utterances,
    phrase_choice,
    phrase_facts,
    phrase_first,
    phrase_intent,
    phrase_question,
    speak,
)
from core.text.dates import date_text
from core.text.fact_sheet import Fact, parse_facts
from core.text.language import content_words, language_of
from core.text.normalize import normalize

_TOPICS = frozenset({"kind", "subject", "wanted", "purpose"})
_REMINDER = {"ja": "さっきも書きましたが、", "en": "As I said, "}
COVERED = 0.8  # share of a text's content words from which it was said
NEW = 2  # content words from which a bit of the intent tells something new


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
        """The question in the persona's voice, as keywords or in everyday words; `seed` picks the pattern."""
        question = self.scenario.question
        language = language_of(question, self.language)
        content = in_own_words(self.persona, phrase_first(question, language), language)
        key = f"{self.seed}|{self.persona.id}|{self.scenario.id}"
        return WordedQuestion(text=speak(Speaker(self.persona, language, key), "first", content))


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
        text = self._phrase(step, language)
        if step.ending is None and any(normalize(text) == normalize(one) for one in self._own_messages()):
            step = NextStep("unmet", ending="gave_up")  # whoever has nothing new to say leaves
            text = self._phrase(step, language)
        return UserMessage(text=text, ending=step.ending)

    def _own_messages(self) -> list[str]:
        return [message.text for message in self.conversation if message.role == "user"]

    def _phrase(self, step: NextStep, language: Language) -> str:
        key = f"{self.seed}|{self.persona.id}|{self.scenario.id}|{len(self.conversation)}"
        speaker = Speaker(self.persona, language, key, self._own_messages())
        content = step.content and self._own_words(step.content, language)
        if step.group != "unknown" or content is None:
            return speak(speaker, step.group, content)
        shrug = speak(speaker, "unknown", None)
        terse = any("{bare}" in pattern for pattern in self.persona.voice.answer)
        hole = "{bare}" if terse else "{text}"
        return shrug + fill_pattern(f" {hole}." if language == "en" else f"{hole}。", content, language)

    def _own_words(self, content: Utterance, language: Language) -> Utterance:
        """The content as the persona puts it: without technical terms but those of the desk, if they know none."""
        known = (part for one in self.conversation if one.role == "assistant" for part in (one.text, *one.choices))
        return in_own_words(self.persona, content, language, "\n".join(known))


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

    group: PhraseGroup
    content: Utterance | None = None
    ending: Ending | None = None


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
    return NextStep("unknown", user.next_part())


def is_revealed(text: str, messages: str, language: Language) -> bool:
    """Whether messages hold nearly all that the text says, in these words or in everyday ones."""
    everyday = (in_everyday_words(text, language), in_everyday_words(messages, language))
    return any(_holds(whole, part) for part, whole in ((text, messages), everyday))


def _holds(messages: str, text: str) -> bool:
    if normalize(text) in normalize(messages):
        return True
    return share(content_words(text), set(content_words(messages))) >= COVERED


def _user(scenario: Scenario, conversation: Sequence[Message], language: Language) -> _User:
    messages = tuple(message.text for message in conversation if message.role == "user")
    return _User(scenario, parse_facts(scenario.facts), messages, language)


class _User(NamedTuple):
    """A scenario, and what the user has written of it so far, message by message."""

    scenario: Scenario
    facts: tuple[Fact, ...]
    messages: tuple[str, ...]
    language: Language

    @property
    def text(self) -> str:
        return "\n".join(self.messages)

    @property
    def unrevealed_facts(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if not is_revealed(fact.value, self.text, self.language))

    def next_part(self) -> Utterance | None:
        """The next bit of the intent: of a clause that is still untold the shortest form with something new in it.

        Without an intent it is drawn from the question, of which the opening has told everything, so that a shorter
        form of it is said once more; None if all was told.
        """
        drawn = not self.scenario.intent.strip()
        before = "\n".join(self.messages[1:]) if drawn else self.text
        for forms in self._clauses():
            if any(is_revealed(form, "\n".join(self.messages[1:]), self.language) for form in forms):
                continue
            wanted = min(NEW, new_words(forms[-1], before))
            form = next((form for form in forms if wanted and new_words(form, before) >= wanted), None)
            if form and _plain(form) not in map(_plain, self.messages):
                return phrase_question(form, self.language) if drawn else phrase_intent(form, self.language)
        return None

    def _clauses(self) -> tuple[tuple[str, ...], ...]:
        return intent_clauses(intent_of(self.scenario), self.language, tuple(fact.value for fact in self.facts))

    def reply(self, question: Message) -> Utterance | None:
        """The answer to the bot's question: a choice, the fact asked for or a bit of the intent, if any."""
        if answer := self.choice(question) or self._facts(question.text):
            return answer
        return (self.next_part() or self._next_fact()) if is_general(question.text) else None

    def choice(self, question: Message) -> Utterance | None:
        """The choice that fits and nothing beside it: said as the fact if it is one."""
        values = tuple(fact.value for fact in self.facts)
        chosen = choose_option(question.choices, self.scenario.intent, values, intent_of(self.scenario))
        if not chosen:
            return None
        fact = next((fact for fact in self.facts if normalize(fact.value) == normalize(chosen)), None)
        return phrase_facts([fact], self.language) if fact else phrase_choice(chosen, self.language)

    def _facts(self, question: str) -> Utterance | None:
        """The facts that the question names."""
        plain, general = without_quotes(question), is_general(question)
        facts = asked_for(self.facts, plain)
        if not facts and not (general and self.next_part()):
            facts = asked_for(self.facts, plain, HINTED)[:1]
        if general and all(map(_is_topic, facts)) and self.next_part():
            return None  # "which?" asks for the intent rather than for its kind
        if not facts:
            return None
        phrased = phrase_facts(facts, self.language)
        known = is_revealed(facts[0].value, self.scenario.question, self.language)
        return phrased if known or any(fact in self.unrevealed_facts for fact in facts) else self._repeated(phrased)

    def _next_fact(self) -> Utterance | None:
        facts = self.unrevealed_facts
        return phrase_facts(facts[:1], self.language) if facts else None

    def react(self, answer: str, followed_up: bool) -> NextStep:
        """After an answer: thanks if it says what was wanted, one follow-up while it does not, then an end."""
        unanswerable = self.scenario.kind in BEYOND_DOCUMENTS  # what the documents do not hold, no answer can give
        if not unanswerable and is_satisfied(self.scenario, answer):
            return NextStep("done", ending="done")
        more = None if followed_up or (unanswerable and refuses(answer)) else self._follow_up()
        return NextStep("follow_up", more) if more else NextStep("unmet", ending="gave_up")

    def _follow_up(self) -> Utterance | None:
        """What may still help: a bit of the intent, or the next fact with what it is about; None if all was said."""
        if self.scenario.intent.strip() and (part := self.next_part()):
            return part
        fact = self._next_fact()
        if fact is None:
            return None
        shortest = self._clauses()[0][0]
        about = (phrase_intent if self.scenario.intent.strip() else phrase_question)(shortest, self.language)
        return join_utterances(fact, about, self.language)

    def _repeated(self, phrased: Utterance) -> Utterance | None:
        """What was said, with a word that it was; only once."""
        if any(_REMINDER[self.language].strip(" ,、").lower() in message.lower() for message in self.messages):
            return None
        return Utterance(_REMINDER[self.language] + uncapital(phrased.text), phrased.bare)


def _plain(text: str) -> str:
    return normalize(text).rstrip("?。. ")


def _is_topic(fact: Fact) -> bool:
    family = family_of(fact.label)
    return family is None or family.name in _TOPICS
