"""The clauses of an intent, with shorter ways to say each, so that a simulated user reveals it part by part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from core.base.types import Language
from core.simulation import phrases_en, phrases_ja
from core.simulation.phrases_en import capital
from core.text.inflection import surface
from core.text.japanese import Word, words
from core.text.language import content_words, frame_words
from core.text.questions import starts_asking

_ENGLISH_CLAUSE = re.compile(
    r"(?<!\s)[;,]?\s++(?:and|but|so)\s++(?=(?:I|we|my|our|the|what|how|when|where|which|who|whether|why|want|need|would)\b)"
    r"|(?<!\s);\s++|(?<!\s),\s++(?=(?:I|how|what|when|where|which|who|whether|why)\b)"
    r"|(?<=[.?!])\s++(?=[A-Z])",
)
_WISH_EN = re.compile(
    r"^(?:I(?: (?:want|need|wish)|['’]d like| would like)|what|how|when|where|which|who|whether|why|can|could|may|do|does|is|are|should|will)\b",
    re.IGNORECASE,
)
_WISHES_FOR = re.compile(r"^I(?: (?:want|need|wish)|['’]d like| would like)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"(?<!\s),?\s++(?=(?:that I|which|who|because|after|before|since|when|while|if|although|unless|until)\b)"
)
_MODIFIER = re.compile(
    r"(?<!\s),?\s++(?=(?:that|which|who|because|after|before|since|when|while|if|although|unless|until|with|without|for|from"
    r"|in|on|at|as|by|bought|made|paid|sent|used|using)\b)"
)
_PHRASAL = re.compile(
    r"\b(?:sign|log|check|turn|switch|opt|fill|hand|depend|rely|put|take|get|go|ask|pay|wait|look|work)\w*$", re.I
)
_STARTS_VAGUELY = re.compile(
    r"^(?:こと|もの|とき|時|場合|ため|方|ほう|よう|件|後|前|際|間|中|うち|手|上|下|以上|以内|以外|の|ところ|場所|人|日)$"
)
_ADJUNCT = frozenset({"で", "に", "から", "へ", "まで", "より"})
_NOUNS = frozenset({"名詞", "接頭辞", "代名詞", "形状詞"})


@lru_cache(maxsize=2_048)
def intent_clauses(intent: str, language: Language, names: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
    """For each clause of an intent (wishes first) the ways to say it, from the shortest to the whole clause.

    Each is a text for `phrase_intent`. A Japanese clause is shortened from its start, where its conditions are, an
    English one from its end; what is in `names` (such as the values of facts) is not cut apart.
    """
    text = intent.strip().rstrip("。. ")
    if language == "ja":
        return tuple(_shorter_japanese(clause, names) for clause in _japanese_clauses(text))
    clauses = _english_clauses(phrases_en.by_the_person(text))
    ordered = sorted(clauses, key=lambda clause: not _says_wish(clause))
    return tuple(_shorter_english(clause, names) for clause in ordered)


def new_words(text: str, before: str) -> int:
    """How many content words of a text were not said before; words that only frame a question do not count."""
    have = set(content_words(before))
    return sum(word not in have for word in content_words(text) if word not in frame_words())


def _says_wish(clause: str) -> bool:
    """Whether a clause says what is wanted and names it (not "I want to know why")."""
    return bool(_WISH_EN.match(clause)) and bool(content_words(clause))


def _english_clauses(text: str) -> list[str]:
    is_question = text.endswith("?")
    found: list[str] = []
    for part in (part.strip(" ,;") for part in _ENGLISH_CLAUSE.split(text)):
        if re.match(r"(?:want|need|would)\b", part):
            part = f"I {part}"
        if is_question and starts_asking(part) and not part.endswith("?"):
            part = f"{part}?"
        if found and not content_words(part.removeprefix("I want to know").removeprefix("I need to know")):
            continue  # "and I need to know how" says nothing by itself
        found.append(part)
    return [capital(part) for part in found if part]


def _shorter_english(clause: str, names: Sequence[str]) -> tuple[str, ...]:
    """The clause up to each place where a modifier begins; a question only up to a clause within it."""
    mark = "?" if clause.endswith("?") else ""
    safe = not mark and (_WISHES_FOR.match(clause) or not phrases_en.is_clause(clause))
    found: list[str] = []
    for cut in (_MODIFIER if safe else _SUBORDINATE).finditer(clause):
        start = clause[: cut.start()]
        if not _PHRASAL.search(start) and content_words(start) and not _cuts(clause, cut.start(), names):
            found.append(f"{start.rstrip(' ,')}{mark}")
    return (*found, clause)


def _japanese_clauses(text: str) -> list[str]:
    whole = phrases_ja.without_person(text)
    return [part.strip("、 ") for part in re.split(r"(?<=[。？?])", whole) if part.strip("。、 ")] or [text]


def _shorter_japanese(clause: str, names: Sequence[str]) -> tuple[str, ...]:
    """The clause from each place on where a condition has ended: a comma, の, or a verb that describes a noun."""
    tokens = words(clause)
    places = (place for place in range(len(tokens) - 1, 0, -1) if _may_start(tokens, place))
    cuts = [len(surface(tokens[:place])) for place in places]
    found = [clause[cut:] for cut in cuts if not _cuts(clause, cut, names)]
    return (*(part for part in found if content_words(part)), clause)


def _cuts(clause: str, place: int, names: Sequence[str]) -> bool:
    """Whether a place is inside a name."""
    starts = ((start, start + len(name)) for name in names if (start := clause.find(name)) >= 0)
    return any(start < place < end for start, end in starts)


def _may_start(tokens: Sequence[Word], place: int) -> bool:
    """Whether a sentence may begin at a word: with a noun that stands for something, after what describes it."""
    before, word = tokens[place - 1], tokens[place]
    if word.part not in _NOUNS or _STARTS_VAGUELY.match(word.surface):
        return False
    if before.surface == "、":
        return True
    if before.part == "助詞" and before.surface == "の":
        return before.detail == "格助詞" and place >= 2 and len(tokens[place - 2].surface) > 1
    if before.part in ("動詞", "助動詞", "形容詞"):
        return before.form.startswith("連体形") and word.surface not in frame_words()
    return (
        before.part == "助詞" and before.detail == "格助詞" and before.surface in _ADJUNCT and _is_loose(tokens[:place])
    )


def _is_loose(before: Sequence[Word]) -> bool:
    """Whether a phrase of place or means depends on nothing before it."""
    return not any(word.part == "助詞" and word.surface in ("を", "が", "は") for word in before)
