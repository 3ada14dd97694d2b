"""How the simulated user reads the bot's reply: a question, a refusal or an answer, and the choice that fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from core.base.types import Message
from core.text.citations import has_citation, without_citations
from core.text.conversation import is_clarifying_question
from core.text.language import content_words, frame_words, script
from core.text.normalize import normalize
from core.text.refusals import is_refusal

MIN_CHOICE_SCORE = 0.6  # below which no choice is meant
ABOUT_FROM, CITED_ABOUT_FROM = 0.6, 0.35  # coverage from which an answer is about an intent; with citations
_GENERAL = re.compile(
    r"具体的|詳しく|くわしく|もう少し|(?:どのような|どんな|どういった)(?:こと|場面|内容|目的|用途|ご?用件|ご?相談|ご?質問|状況|表示|問題|点|お手伝い)"
    r"|どの内容|何を|何について|なにを|お困り|どうされ|どうし(?:まし|たい)|ご用件|ご質問の内容|知りになりたい|知りたい"
    r"|what exactly|more detail|tell me (?:a little |a bit )?more|what (?:would|do) you (?:like|want|need)"
    r"|trying to|describe"
    r"|could you explain|can you explain|how can i help"
    r"|what (?:is|seems to be) the (?:problem|matter|trouble)|be more specific"
    r"|which of these|do you mean|what do you mean|what happens|clarify|help you with|which (?:one|part|topic)",
    re.IGNORECASE,
)
_OFFERS_MORE = re.compile(r"(?:ほか|他)に(?:も)?(?:ご|お|何)|anything else|any (?:other|more) questions", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"^[ \t]*+\d{1,2}[.)．）][ \t]*+(?=\D)", re.MULTILINE)
QUOTED = re.compile(r"「[^」]{0,400}」|『[^』]{0,400}』|[\"“][^\"”]{0,400}[\"”]")


def asks_user(message: Message) -> bool:
    """Whether the bot's message waits for an answer; closing with "anything else?" or citing sources does not."""
    if message.asks:
        return True
    plain = is_clarifying_question(message) and not has_citation(message.text)
    return plain and not _OFFERS_MORE.search(message.text) and not refuses(message.text)


def refuses(answer: str) -> bool:
    """Whether an answer without any citation says that it is not known or not in the documents."""
    return not has_citation(answer) and is_refusal(answer)


def is_general(question: str) -> bool:
    """Whether a clarifying question asks what this is about rather than for one detail."""
    return bool(_GENERAL.search(without_quotes(question)))


def without_quotes(text: str) -> str:
    """The text without quotations: the user's own words and the choices on offer."""
    return QUOTED.sub(" ", text)


def is_about(intent: str, answer: str) -> bool:
    """Whether an answer covers enough of an intent's words; a refusal never does."""
    if refuses(answer):
        return False
    return coverage(intent, without_sources(answer)) >= (CITED_ABOUT_FROM if has_citation(answer) else ABOUT_FROM)


def without_sources(answer: str) -> str:
    """The answer without citations, list numbers, and the text before its first cited paragraph."""
    plain = _without_preamble(answer) if has_citation(answer) else answer
    return _LIST_NUMBER.sub("", without_citations(plain))


def coverage(intent: str, answer: str) -> float:
    """Share (0 to 1) of the intent's content words in the answer; words that only frame a question weigh a quarter."""
    words = content_words(intent)
    if not words:
        return 1.0
    have = set(content_words(answer, script(intent)))
    plain = normalize(answer)
    weights = {word: _weight(word) for word in words}
    found = sum(weight for word, weight in weights.items() if word in have or _within(word, plain))
    return found / sum(weights.values())


def choose_option(choices: Sequence[str], intent: str, values: Sequence[str], question: str) -> str:
    """The choice that best fits intent, facts and question; "" if none fits well enough."""
    rivals, everything = tuple(choices), "\n".join([intent, *values])

    def score(choice: str) -> float:
        by_fact = max((_fit(choice, value, rivals) for value in values), default=0.0)
        by_intent = max(_fit(choice, intent or question, rivals), by_fact, 0.9 * _fit(choice, everything, rivals))
        return by_intent + 0.1 * by_fact + 0.3 * _fit(choice, question, rivals)

    best = max(choices, key=score, default="")
    return best if best and score(best) >= MIN_CHOICE_SCORE else ""


@lru_cache(maxsize=8192)
def _fit(choice: str, text: str, rivals: tuple[str, ...]) -> float:
    """Share of a choice's words in the text, 2 when both are the same.

    A word weighs less the more choices have it, and less when it is one character (子, 等).
    """
    plain = normalize(text)
    if normalize(choice) == plain:
        return 2.0
    words, have = content_words(choice), set(content_words(text))
    weights = {word: (1.0 if len(word) > 1 else 0.3) / _count(word, rivals) for word in words}
    found = {word: weight for word, weight in weights.items() if word in have or _within(word, plain)}
    whole = normalize(choice) in plain
    if not whole and all(_count(word, rivals) > 1 for word in found):
        return 0.0
    return 1.0 if whole else sum(found.values()) / sum(weights.values())


def _count(word: str, rivals: tuple[str, ...]) -> int:
    return sum(word in content_words(rival) for rival in rivals)


def _within(word: str, plain: str) -> bool:
    """看護 is within 子の看護等休暇; English stems count from the start of a word."""
    if word.isascii():
        return len(word) >= 3 and re.search(rf"\b{re.escape(word)}", plain) is not None
    return len(word) >= 2 and word in plain


def _weight(word: str) -> float:
    if word in frame_words():
        return 0.25
    return 0.5 if word.isdigit() else 1.0


def _without_preamble(answer: str) -> str:
    """The answer from its first cited paragraph on: what comes before often repeats the question."""
    parts = answer.split("\n\n")
    first = next((i for i, part in enumerate(parts) if has_citation(part)), 0)
    return "\n\n".join(parts[first:])
