"""What the simulated user has to say, before a voice is put to it: sentences from facts, intents and questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Language
from core.simulation import phrases_en as phrase_en
from core.simulation import phrases_ja as phrase_ja
from core.simulation.facts import Fact


class Saying(NamedTuple):
    """The same content twice: `text`, a sentence without its full stop, and `bare`, the shortest way to say it."""

    text: str
    bare: str


def say_facts(facts: Sequence[Fact], language: Language) -> Saying:
    """The facts as sentences; one alone goes without its label where that is how people talk."""
    form = phrase_ja if language == "ja" else phrase_en
    alone = len(facts) == 1
    full_stop, comma = ("。", "、") if language == "ja" else (". ", ", ")
    texts = [form.fact_sentence(fact, alone) for fact in facts]
    return Saying(full_stop.join(texts), comma.join(form.fact_bare(fact, alone) for fact in facts))


def say_wish(intent: str, language: Language) -> Saying:
    """The hidden intent as the person himself would say it."""
    form = phrase_ja if language == "ja" else phrase_en
    return Saying(*form.wish(intent))


def say_choice(choice: str, language: Language) -> Saying:
    """One of the bot's choices, picked."""
    form = phrase_ja if language == "ja" else phrase_en
    return Saying(form.picked(choice), choice)


def say_question(question: str, language: Language) -> Saying:
    """The opening question once more, without greetings around it."""
    form = phrase_ja if language == "ja" else phrase_en
    return Saying(*form.again(question))


def joined(first: Saying, second: Saying, language: Language) -> Saying:
    """Two things said in one breath."""
    full_stop, comma = ("。", "。") if language == "ja" else (". ", ". ")
    return Saying(
        first.text + (full_stop if not ends(first.text) else "" if language == "ja" else " ") + second.text,
        first.bare + comma + second.bare,
    )


def ends(text: str) -> bool:
    """Whether a text already closes with a mark."""
    return text.rstrip().endswith(("。", "？", "?", "！", "!", ".", "…"))
