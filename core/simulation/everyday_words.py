"""Everyday words for technical terms, for personas who do not know the terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from core.base.toml import bundled_toml
from core.base.types import Language
from core.simulation.bot_reply import QUOTED
from core.text.normalize import normalize

_JOINED = r"ァ-ヶー一-龥A-Za-z0-9"  # next to such letters a term is part of a longer name
_OF_A_VERB = r"(?!し|する|すれ|さ[れせ]|せ[ずよ]|でき)"
_ARTICLE = re.compile(r"\b(an?|the|my|our|your) (the|my|what)\b", re.IGNORECASE)
_OPENS = re.compile(r"(?:^|[.!?]\s)\Z")
_AN = re.compile(r"\b(a)(n?) (?=([a-z]))", re.IGNORECASE)


Replace = Callable[[str], str]


def in_everyday_words(text: str, language: Language, known: str = "") -> str:
    """The text with everyday words for technical terms; what is quoted stays, and so do terms that `known` has."""
    return _replaced(text, language, _terms_in(normalize(known), language))


@lru_cache(maxsize=4_096)
def _replaced(text: str, language: Language, known: frozenset[str]) -> str:
    plain = normalize(text)
    rows = [replace for term, replace in _rows(language) if term in plain and term not in known]
    parts = re.split(f"({QUOTED.pattern})", text)
    for place in range(0, len(parts), 2):  # the others are quoted
        for replace in rows:
            parts[place] = replace(parts[place])
    return "".join(parts)


@lru_cache(maxsize=4_096)
def _terms_in(plain: str, language: Language) -> frozenset[str]:
    found = (term for term, _ in _rows(language) if term in plain)
    if language == "ja":
        return frozenset(found)
    return frozenset(term for term in found if re.search(rf"(?<![\w-]){re.escape(term)}", plain))


@cache
def _rows(language: Language) -> list[tuple[str, Replace]]:
    """Each term in normal form, and what replaces it; the longest first, so that a part does not go before the
    whole."""
    table = bundled_toml(__file__, "everyday_words.toml")[language]
    groups: dict[str, Callable[..., Replace]] = {"nouns": _noun, "verbs": _verb, "phrases": _phrase}
    rows = [(normalize(row[0]), groups[name](*row)) for name, group in table.items() for row in group]
    return sorted(rows, key=lambda row: -len(row[0]))


def _noun(term: str, everyday: str) -> Replace:
    pattern = rf"(?<![{_JOINED}]){re.escape(term)}(?![{_JOINED}]){_OF_A_VERB}"
    return lambda text: re.sub(pattern, lambda _: everyday, text)


def _verb(term: str, plain: str, stem: str, te: str, can: str) -> Replace:
    """解約したい as やめたい; forms that the table has no stem for (解約しない, 解約される) stay."""
    pattern = (
        rf"(?<![{_JOINED}]){re.escape(term)}(?:(?P<plain>する)|(?P<te>して)|(?P<ta>した)(?![いく])|(?P<can>でき)"
        r"|し(?P<stem>(?=たい|たく|ます|まし|ませ|に|なが|そう|やす|にく|方)))"
    )
    past_form = te[:-1] + {"て": "た", "で": "だ"}[te[-1]]
    forms = {"plain": plain, "te": te, "ta": past_form, "can": can, "stem": stem}

    def replace(found: re.Match[str]) -> str:
        return forms[str(found.lastgroup)]

    return lambda text: re.sub(pattern, replace, text)


def _phrase(term: str, everyday: str) -> Replace:
    """A term of any case, its plural too; the article before it goes or fits the first letter of the everyday word."""
    pattern = rf"(?P<article>\b(?:an?|the|my|our|your) )?(?<![\w-]){re.escape(term)}(?P<s>s?)(?![\w-])"

    def replace(found: re.Match[str]) -> str:
        words = f"{found['article'] or ''}{everyday.replace('{s}', found['s'])}"
        words = _ARTICLE.sub(lambda two: two[2], words)
        words = _AN.sub(lambda one: f"{one[1]}{'n' if one[3] in 'aeio' else ''} ", words, count=1)
        opens = _OPENS.search(found.string[: found.start()])
        return words[:1].upper() + words[1:] if opens and found[0][:1].isupper() else words

    return lambda text: re.sub(pattern, replace, text, flags=re.IGNORECASE)
