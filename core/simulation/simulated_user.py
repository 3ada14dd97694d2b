"""The simulated user: first and next message, whether an answer satisfies, and whether the conversation ends."""

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
from core.simulation.bot_reply import (
    asks_user,
    choose_option,
    is_about,
    is_general,
    refuses,
    without_quotes,
    without_sources,
)
from core.simulation.everyday_words import in_everyday_words
from core.simulation.facts import HINTED_FROM, asked_for, family_of
from core.simulation.intent_parts import intent_clauses, new_words
from core.simulation.phrases_en import uncapital
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
from core.text.answer_kinds import FIGURES, asked_kinds, says_kind
from core.text.conversation import user_texts
from core.text.dates import date_text
from core.text.fact_sheet import REVEALED_FROM, Fact, is_stated, parse_facts
from core.text.language import content_words, frame_words, language_of
from core.text.message_questions import question_parts, without_courtesy
from core.text.normalize import normalize
from core.text.numbers import Amount, amounts, is_among

_TOPICS = frozenset({"kind", "subject", "wanted", "purpose"})
_REMINDER = {"ja": "さっきも書きましたが、", "en": "As I said, "}
MIN_NEW_WORDS = 2  # content words from which a part of the intent says something new
STATED_FROM = 0.5  # share of a reference's own words from which an answer states it


class WordedQuestion(FrozenModel):
    """The question as the person would write it."""

    text: Text


class FirstMessage(Prompt[WordedQuestion]):
    """Words the scenario's question as this persona; it says no more and no less than the question does."""

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
    """The user's next message after the bot's last one, and whether the conversation ends.

    `language` is the persona's; the embedded engine uses the language of the scenario's question, because it cannot
    translate facts. The same fields always give the same message; `seed` varies the wording.
    """

    file = "simulated_user"
    role = "user"
    required = ("conversation", "scenario", "persona")
    persona: Persona
    scenario: Scenario
    conversation: tuple[Message, ...]
    last_chance: bool = False  # no further message can be sent, so the reply names an ending
    today: date = Field(default_factory=today)  # the user's date: that of the run, else today's

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
        if step.ending is None and any(normalize(text) == normalize(earlier) for earlier in self._own_messages()):
            step = NextStep("unmet", ending="gave_up")  # a user with nothing new to say leaves
            text = self._phrase(step, language)
        return UserMessage(text=text, ending=step.ending)

    def _own_messages(self) -> list[str]:
        return user_texts(self.conversation)

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
        """The content in the persona's words: one without technical knowledge uses only the bot's technical terms."""
        replies = (message for message in self.conversation if message.role == "assistant")
        known = (part for reply in replies for part in (reply.text, *reply.choices))
        return in_own_words(self.persona, content, language, "\n".join(known))


_LABELS = ("you", "user", "customer", "person", "me", "あなた", "利用者", "ユーザー", "お客様", "私")
_LABEL = re.compile(r"\s*+[*_「『【\[(（]{0,3}([^:：\n]{1,40}?)[*_」』】\])）]{0,3}\s*+[:：][*_]{0,2}\s*+(?=\S)")
_QUOTED = re.compile(r"[「『“\"]([^「」『』“”\"]+)[」』”\"]")


def without_label(message: UserMessage, name: str) -> UserMessage:
    """A message without the label ("You:", the persona's name) or the quotation marks that a model puts around it."""
    label = _LABEL.match(message.text)
    labels = {*_LABELS, name.casefold()}
    text = message.text[label.end() :] if label and label[1].strip().casefold() in labels else message.text
    quoted = _QUOTED.fullmatch(text.strip())
    return message.model_copy(update={"text": quoted[1].strip() if quoted else text.strip()})


class NextStep(NamedTuple):
    """What the user does next."""

    group: PhraseGroup  # of sentence patterns
    content: Utterance | None = None  # fills a pattern
    ending: Ending | None = None  # None: the conversation continues


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
        return NextStep(
            "unknown", ending="out_of_script"
        )  # the bot asked twice for something that the scenario does not have
    return NextStep("unknown", user.next_part())


def intent_of(scenario: Scenario) -> str:
    """What the user wants: the scenario's intent, or its question if it has none."""
    return scenario.intent.strip() or without_courtesy(scenario.question).strip()


def is_satisfied(scenario: Scenario, answer: str) -> bool:
    """Whether an answer is about the intent and gives what was wanted; a refusal never does.

    With a reference, the answer must state it: one of its figures, or most of its words if no figure was asked for.
    Without one, it must say something of the kind that each question asks for (an amount, a date, a person, steps).
    """
    intent = intent_of(scenario)
    if not is_about(intent, answer):
        return False
    text = without_sources(answer)
    if scenario.reference.strip():
        return states_reference(scenario, text)
    return all(gives_kind(part, text) for part in question_parts(intent))


def gives_kind(question: str, answer: str) -> bool:
    """Whether an answer says something of a kind that the question asks for; true if it asks for no certain kind."""
    kinds = asked_kinds(question)
    return not kinds or any(says_kind(answer, kind, beside=question) for kind in kinds)


def states_reference(scenario: Scenario, answer: str) -> bool:
    """Whether an answer states what the reference adds to the user's own words: a figure, else most of its words."""
    own = f"{scenario.question}\n{scenario.intent}\n{scenario.facts}"
    figures = _figures_beyond(scenario.reference, own)
    if figures:
        found = amounts(answer)
        if any(is_among(figure, found) for figure in figures):
            return True
        if asked_kinds(intent_of(scenario), FIGURES):
            return False
    return _share(scenario.reference, own, answer) >= STATED_FROM


def _figures_beyond(reference: str, own: str) -> frozenset[Amount]:
    known = amounts(own)
    return frozenset(figure for figure in amounts(reference) if not is_among(figure, known))


def _share(reference: str, own: str, answer: str) -> float:
    """Share of the reference's words, without the user's own, that the answer has; 1 if there are none."""
    known, have = set(content_words(own)), set(content_words(answer))
    words = [word for word in content_words(reference) if word not in known and word not in frame_words()]
    return share(words, have) if words else 1.0


def is_revealed(text: str, messages: str, language: Language) -> bool:
    """Whether messages contain nearly all of a text, in its words or in everyday ones."""
    everyday = (in_everyday_words(text, language), in_everyday_words(messages, language))
    return any(_contain(whole, part) for part, whole in ((text, messages), everyday))


def _contain(messages: str, text: str) -> bool:
    return is_stated(text, messages) or share(content_words(text), set(content_words(messages))) >= REVEALED_FROM


def _user(scenario: Scenario, conversation: Sequence[Message], language: Language) -> _User:
    messages = tuple(user_texts(conversation))
    return _User(scenario, parse_facts(scenario.facts), messages, language)


class _User(NamedTuple):
    """A simulated user in the middle of a conversation."""

    scenario: Scenario
    facts: tuple[Fact, ...]  # of the scenario
    messages: tuple[str, ...]  # written so far
    language: Language

    @property
    def text(self) -> str:
        return "\n".join(self.messages)

    @property
    def unrevealed_facts(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if not is_revealed(fact.value, self.text, self.language))

    def next_part(self) -> Utterance | None:
        """The next part of the intent: the shortest form with something new of an unrevealed clause; None if all is said.

        Without an intent the question serves as one. The opening has said all of it, so a shorter form repeats it.
        """
        is_question = not self.scenario.intent.strip()
        before = "\n".join(self.messages[1:]) if is_question else self.text
        for forms in self._clauses():
            if any(is_revealed(form, "\n".join(self.messages[1:]), self.language) for form in forms):
                continue
            min_new = min(MIN_NEW_WORDS, new_words(forms[-1], before))
            form = next((form for form in forms if min_new and new_words(form, before) >= min_new), None)
            if form and _plain(form) not in map(_plain, self.messages):
                return phrase_question(form, self.language) if is_question else phrase_intent(form, self.language)
        return None

    def _clauses(self) -> tuple[tuple[str, ...], ...]:
        return intent_clauses(intent_of(self.scenario), self.language, tuple(fact.value for fact in self.facts))

    def reply(self, question: Message) -> Utterance | None:
        """The answer to the bot's question: a choice, the fact asked for or a part of the intent, if any."""
        if answer := self.choice(question) or self._facts(question.text):
            return answer
        return (self.next_part() or self._next_fact()) if is_general(question.text) else None

    def choice(self, question: Message) -> Utterance | None:
        """The choice that fits, phrased as a fact if it is the value of one."""
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
            facts = asked_for(self.facts, plain, HINTED_FROM)[:1]
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
        unanswerable = self.scenario.kind in BEYOND_DOCUMENTS  # no answer can give what the documents do not have
        if not unanswerable and is_satisfied(self.scenario, answer):
            return NextStep("done", ending="done")
        more = None if followed_up or (unanswerable and refuses(answer)) else self._follow_up()
        return NextStep("follow_up", more) if more else NextStep("unmet", ending="gave_up")

    def _follow_up(self) -> Utterance | None:
        """What may still help: a part of the intent, or the next fact with its subject; None if all was said."""
        if self.scenario.intent.strip() and (part := self.next_part()):
            return part
        fact = self._next_fact()
        if fact is None:
            return None
        shortest = self._clauses()[0][0]
        about = (phrase_intent if self.scenario.intent.strip() else phrase_question)(shortest, self.language)
        return join_utterances(fact, about, self.language)

    def _repeated(self, phrased: Utterance) -> Utterance | None:
        """The same again with a reminder that it was said; None the second time."""
        if any(_REMINDER[self.language].strip(" ,、").lower() in message.lower() for message in self.messages):
            return None
        return Utterance(_REMINDER[self.language] + uncapital(phrased.text), phrased.bare)


def _plain(text: str) -> str:
    return normalize(text).rstrip("?。. ")


def _is_topic(fact: Fact) -> bool:
    family = family_of(fact.label)
    return family is None or family.name in _TOPICS
