"""Phrases facts, intents and questions as sentences in a persona's voice."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.toml import bundled_toml
from core.base.types import Language, Persona, Voice
from core.simulation import phrases_en, phrases_ja
from core.simulation.everyday_words import in_everyday_words
from core.text.fact_sheet import Fact
from core.text.language import language_of
from core.text.questions import ends_asking

PhraseGroup = Literal["first", "answer", "unknown", "follow_up", "done", "unmet"]
_PHRASES = {"ja": phrases_ja, "en": phrases_en}
_HOLE = re.compile(r"\{(text|bare)\}")
_PARTICLE = re.compile(r"^(?:が|けど|けれど|から|ので|よ|ね|って|し)")
_STOP = re.compile(r"[。．.！!…]+")


class Utterance(NamedTuple):
    """A content in two lengths."""

    text: str  # a sentence without its full stop
    bare: str  # the shortest way to say it


def phrase_facts(facts: Sequence[Fact], language: Language) -> Utterance:
    """The facts as sentences; one alone goes without its label if that is how people talk."""
    phrases = _PHRASES[language]
    full_stop, comma = ("。", "、") if language == "ja" else (". ", ", ")
    return Utterance(
        full_stop.join(phrases.fact_sentences(facts)), comma.join(phrases.fact_bare(fact) for fact in facts)
    )


def phrase_intent(intent: str, language: Language) -> Utterance:
    """The hidden intent as the user would say it."""
    return Utterance(*_PHRASES[language].intent_phrases(intent))


def phrase_choice(choice: str, language: Language) -> Utterance:
    """One of the bot's choices, picked."""
    return Utterance(_PHRASES[language].choice_sentence(choice), choice)


def phrase_question(question: str, language: Language) -> Utterance:
    """The opening question once more, without greetings around it."""
    return Utterance(*_PHRASES[language].question_phrases(question))


def phrase_first(question: str, language: Language) -> Utterance:
    """The opening question as it is, and as keywords."""
    text = question.strip().rstrip("。. ")
    words = _PHRASES[language].keywords(text)
    return Utterance(text, " ".join(words) if len(words) > 1 else text)


def join_utterances(first: Utterance, second: Utterance, language: Language) -> Utterance:
    """Two utterances as one."""
    full_stop = "。" if language == "ja" else ". "
    after_mark = "" if language == "ja" else " "
    between = after_mark if has_end_mark(first.text) else full_stop
    return Utterance(first.text + between + second.text, first.bare + full_stop + second.bare)


def has_end_mark(text: str) -> bool:
    """Whether a text ends with a punctuation mark."""
    return text.rstrip().endswith(("。", "？", "?", "！", "!", ".", "…"))


class SpeakingStyle(FrozenModel):
    """A way of speaking for personas without a voice of their own, recognised by their description."""

    words: str  # pattern of descriptions
    ja: tuple[str, ...]  # sentences to put in front
    en: tuple[str, ...]
    short: bool = False  # says the least
    everyday: bool = False  # knows no technical terms (also applies to personas with a voice)


def seeded_number(count: int, *keys: object) -> int:
    """A number below `count`, always the same for the same keys (BLAKE2b, not Python's salted hash)."""
    digest = hashlib.blake2b("\x1f".join(map(str, keys)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count


class Speaker(NamedTuple):
    """A persona about to write a message."""

    persona: Persona
    language: Language
    key: str  # draws the sentence pattern
    before: Sequence[str] = ()  # its earlier messages


def speak(speaker: Speaker, group: PhraseGroup, content: Utterance | None) -> str:
    """The speaker's message: a pattern of `group` filled with `content`, if possible one not used before."""
    language = speaker.language
    voice, own = voice_of(speaker.persona, language)
    fitting = [pattern for pattern in getattr(voice, group) if _fits(pattern, content)] or [
        "{text}。" if language == "ja" else "{text}."
    ]
    start = seeded_number(len(fitting), speaker.key, group)
    rotated = fitting[start:] + fitting[:start]
    pattern = next((unused for unused in rotated if not _was_used(unused, speaker.before)), rotated[0])
    text = fill_pattern(pattern, content, language) if content else pattern
    return text if own else _in_style(speaker, text, content)


def fill_pattern(pattern: str, content: Utterance, language: Language) -> str:
    """The filled pattern with smooth joints: no doubled marks, たいですが as たいんですが, "It" as "it"."""
    hole = _HOLE.search(pattern)
    if not hole:
        return pattern
    before, after = pattern[: hole.start()], pattern[hole.end() :]
    text = content.bare if hole[1] == "bare" else content.text
    if has_end_mark(text):
        after = re.sub(r"^(?:[。.]|[！!]+|…+。?)", "", after)
    if language == "ja":
        if _PARTICLE.match(after):
            text = re.sub(r"(たい|ほしい)です$", r"\1んです", text)
        return before + text + after
    inside = before.rstrip(" \"'“(—") and not before.rstrip(" \"'“(—").endswith((".", "!", "?", "…"))
    text = phrases_en.uncapital(text) if inside else phrases_en.capital(text)
    gap = " " if has_end_mark(text) and re.match(r"[A-Z]", after) else ""
    return before + text + gap + after


def voice_of(persona: Persona, language: Language) -> tuple[Voice, bool]:
    """(voice, whether it is the persona's own). Groups missing in this language come from the neutral one."""
    neutral = _neutral(language)
    own = {
        group: patterns
        for group, patterns in persona.voice
        if patterns and language_of("".join(patterns), language) == language
    }
    return neutral.model_copy(update=own), bool(own)


def in_own_words(persona: Persona, content: Utterance, language: Language, known: str = "") -> Utterance:
    """The content in everyday words for somebody who knows no technical terms but those of the bot (`known`)."""
    if not knows_no_terms(f"{persona.name} {persona.description} {persona.profile}"):
        return content
    return Utterance(*(in_everyday_words(text, language, known) for text in content))


@lru_cache(maxsize=512)
def knows_no_terms(description: str) -> bool:
    """Whether a description has a style that goes with everyday words."""
    return any(style.everyday and re.search(style.words, description, re.IGNORECASE) for style in _styles())


@lru_cache(maxsize=512)
def style_of(description: str) -> SpeakingStyle | None:
    """The style that a description names first in the table, if any."""
    return next((style for style in _styles() if re.search(style.words, description, re.IGNORECASE)), None)


def _in_style(speaker: Speaker, text: str, content: Utterance | None) -> str:
    """The neutral sentence in the speaker's style (two of three messages); a short style says the least."""
    persona, language, key, _ = speaker
    style = style_of(f"{persona.name} {persona.description} {persona.profile}")
    if style is None:
        return text
    if style.short and content:
        text = content.bare + ("" if has_end_mark(content.bare) else "。" if language == "ja" else ".")
    if seeded_number(3, key, "manner") == 0:
        return text
    lead = style.ja if language == "ja" else style.en
    return lead[seeded_number(len(lead), key, "lead")] + ("" if language == "ja" else " ") + text


def _fits(pattern: str, content: Utterance | None) -> bool:
    """Whether a pattern fits: a hole if there is content, and no けど or comma after a question."""
    hole = _HOLE.search(pattern)
    if content is None or hole is None:
        return content is None and hole is None
    after = pattern[hole.end() :]
    return not ends_asking(content.text) or not after or bool(_STOP.match(after))


def _was_used(pattern: str, before: Sequence[str]) -> bool:
    """Whether an earlier message has the fixed words of the pattern."""
    fixed = [part.strip(" 。、.,!！…") for part in re.split(r"\{(?:text|bare)\}", pattern)]
    longest = max(fixed, key=len)
    return len(longest) >= 2 and any(longest in text for text in before)


@cache
def _neutral(language: Language) -> Voice:
    return Voice.model_validate(bundled_toml(__file__, "voices.toml")[language]["voice"])


@cache
def _styles() -> tuple[SpeakingStyle, ...]:
    return tuple(SpeakingStyle.model_validate(row) for row in bundled_toml(__file__, "voices.toml")["styles"])
