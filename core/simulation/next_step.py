"""What the simulated user does next, before it is put into words of his own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from core.base.types import Language, Message, Scenario
from core.simulation import needs as need
from core.simulation.facts import HINTED, Fact, asked_for, family_of, parse_facts
from core.simulation.phrases import Saying, joined, say_choice, say_facts, say_question, say_wish
from core.simulation.phrases_en import uncapital
from core.simulation.voice import Group
from core.text.language import content_words
from core.text.normalize import normalize

_TOPICS = frozenset({"kind", "subject", "wanted", "purpose"})
_AGAIN = {"ja": "さっきも書きましたが、", "en": "As I said, "}


class Line(NamedTuple):
    """A group of patterns, what goes into them, and whether the conversation is over with it."""

    group: Group
    saying: Saying | None = None
    ending: Literal["done", "gave_up", "out_of_script"] | None = None


class Sheet(NamedTuple):
    """A scenario with what has been said of it so far."""

    scenario: Scenario
    facts: tuple[Fact, ...]
    said: str
    language: Language

    def untold(self) -> tuple[Fact, ...]:
        """The facts that the user has not given away yet."""
        return tuple(fact for fact in self.facts if not told(fact.value, self.said))

    def wish(self) -> Saying | None:
        """The intent in the user's words while it is untold; none without an intent."""
        intent = self.scenario.intent.strip()
        saying = say_wish(intent, self.language) if intent else None
        return None if saying is None or told(saying.text, self.said) else saying


def plan(scenario: Scenario, conversation: Sequence[Message], language: Language) -> Line:
    """The next line after the bot's last message: an answer to its question, a follow-up, or an end."""
    last, sheet = conversation[-1], _sheet(scenario, conversation, language)
    if need.bot_asks(last):
        return _answer(sheet, last, _not_covered(scenario, conversation, language))
    return _react(sheet, last, sum(1 for message in conversation[:-1] if _is_answer(message)))


def told(text: str, said: str) -> bool:
    """Whether what was said holds nearly all that the text says."""
    if normalize(text) in normalize(said):
        return True
    words, have = content_words(text), set(content_words(said))
    return bool(words) and sum(word in have for word in words) >= 0.8 * len(words)


def _sheet(scenario: Scenario, conversation: Sequence[Message], language: Language) -> Sheet:
    said = "\n".join(message.text for message in conversation if message.role == "user")
    return Sheet(scenario, parse_facts(scenario.facts), said, language)


def _is_answer(message: Message) -> bool:
    return message.role == "assistant" and not need.bot_asks(message)


def _not_covered(scenario: Scenario, conversation: Sequence[Message], language: Language) -> int:
    """How many earlier questions of the bot the sheet had nothing for."""
    asked = (i for i, m in enumerate(conversation[:-1]) if m.role == "assistant" and need.bot_asks(m))
    return sum(_reply(_sheet(scenario, conversation[:i], language), conversation[i]) is None for i in asked)


def _answer(sheet: Sheet, question: Message, not_covered: int) -> Line:
    reply = _reply(sheet, question)
    if reply:
        return Line("answer", reply)
    if not_covered:
        return Line("unknown", ending="out_of_script")
    return Line("unknown", sheet.wish())


def _reply(sheet: Sheet, question: Message) -> Saying | None:
    """What answers the bot's question: a choice, the facts asked for, the wish; none where the sheet has nothing."""
    return _choice(sheet, question) or _asked(sheet, question.text) or _opened(sheet, question.text)


def _choice(sheet: Sheet, question: Message) -> Saying | None:
    """The choice that fits; said as the wish where the wish names it, as the fact where it is one."""
    scenario, language = sheet.scenario, sheet.language
    chosen = need.choose(
        question.choices, scenario.intent, tuple(fact.value for fact in sheet.facts), scenario.question
    )
    if not chosen:
        return None
    wish, picked = sheet.wish(), say_choice(chosen, language)
    fact = next((fact for fact in sheet.facts if normalize(fact.value) == normalize(chosen)), None)
    if fact and (wish is None or not _is_topic(fact)):
        return say_facts([fact], language)
    if wish:
        named = set(content_words(chosen)) <= set(content_words(wish.text))
        return wish if named else Saying(joined(picked, wish, language).text, picked.bare)
    if scenario.intent or told(chosen, scenario.question):
        return picked
    return joined(picked, say_question(scenario.question, language), language)


def _asked(sheet: Sheet, question: str) -> Saying | None:
    """The facts that the question names."""
    plain = need.unquoted(question)
    facts = asked_for(sheet.facts, plain)
    if not facts and not (need.is_general(question) and sheet.wish()):
        facts = asked_for(sheet.facts, plain, HINTED)
    if not facts:
        return None
    wish = sheet.wish()
    if wish and need.is_general(question) and (len(facts) == 1 or all(map(_is_topic, facts))):
        return joined(say_facts(facts, sheet.language), wish, sheet.language)
    return _tell(sheet, facts)


def _opened(sheet: Sheet, question: str) -> Saying | None:
    """What an open question brings out: the wish, then the facts, then (without either) the question again."""
    if not need.is_general(question):
        return None
    untold = sheet.untold()
    if wish := sheet.wish():
        return wish
    if untold:
        return say_facts(untold[:2], sheet.language)
    once = sheet.said.count(sheet.scenario.question.strip()) < 2
    return say_question(sheet.scenario.question, sheet.language) if once and not sheet.scenario.intent else None


def _tell(sheet: Sheet, facts: tuple[Fact, ...]) -> Saying:
    saying = say_facts(facts, sheet.language)
    if any(fact in sheet.untold() for fact in facts) or told(facts[0].value, sheet.scenario.question):
        return saying
    return Saying(_AGAIN[sheet.language] + uncapital(saying.text), saying.bare)


def _react(sheet: Sheet, answer: Message, followed_up: int) -> Line:
    """After an answer: thanks when the need is met, one follow-up while it is not, then an end."""
    scenario = sheet.scenario
    foreign = scenario.kind == "out_of_scope"  # what the documents do not hold, no answer can meet
    if not foreign and need.met(scenario.intent or scenario.question, answer.text):
        return Line("done", ending="done")
    if followed_up or (foreign and need.refuses(answer.text)):
        return Line("unmet", ending="gave_up")
    return Line("follow_up", _more(sheet))


def _more(sheet: Sheet) -> Saying:
    """What may still help: the wish, the next fact with the wish, or the need once more."""
    scenario, language = sheet.scenario, sheet.language
    if wish := sheet.wish():
        return wish
    whole = say_wish(scenario.intent, language) if scenario.intent else say_question(scenario.question, language)
    if untold := sheet.untold():
        return joined(say_facts(untold[:1], language), whole, language)
    return Saying(_AGAIN[language] + uncapital(whole.text), whole.bare) if scenario.intent else whole


def _is_topic(fact: Fact) -> bool:
    family = family_of(fact.label)
    return family is None or family.name in _TOPICS
