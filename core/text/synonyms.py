"""Synonyms: groups of phrases that widen a search, and one canonical word per group for comparing claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from core.base.field_faults import broken_file
from core.base.files import read_bytes
from core.base.toml import TomlFault, bundled_toml, parse_toml
from core.text.language import Script, content_words, script, terms
from core.text.numbers import without_amounts
from core.text.stored_readings import readings

Phrase = tuple[str, ...]
_Table = Literal["ja", "en", "zh", "ja_said", "en_said", "zh_said"]
_GROUPS: TypeAdapter[dict[_Table, list[list[str]]]] = TypeAdapter(dict[_Table, list[list[str]]])
FILE = "synonyms.toml"  # of the bundled groups here, and of a bot's own in its folder
BUNDLED = Path(__file__).with_name(FILE)


class Synonyms:
    """Groups of synonymous phrases; each phrase is a tuple of terms (core.text.language.terms).

    said: groups whose first phrase, a user's word, stands for the others, words of documents, and not vice versa
    """

    def __init__(self, groups: Iterable[Sequence[str]], language: Script, said: Iterable[Sequence[str]] = ()) -> None:
        self._by_term: dict[str, list[tuple[Phrase, tuple[Phrase, ...]]]] = {}
        both_ways, one_way = list(groups), list(said)
        phrases_of = _phrases_of_words({word for group in (*both_ways, *one_way) for word in group}, language)
        for group in both_ways:
            phrases = _phrases(group, phrases_of)
            for phrase in phrases:
                self._add(phrase, phrases)
        for group in one_way:
            if phrases := _phrases(group, phrases_of):
                self._add(phrases[0], phrases)

    def _add(self, phrase: Phrase, phrases: Sequence[Phrase]) -> None:
        others = tuple(other for other in phrases if other != phrase)
        self._by_term.setdefault(phrase[0], []).append((phrase, others))

    def synonyms_for(self, query: Sequence[str]) -> dict[str, tuple[Phrase, ...]]:
        """The synonymous phrases for each term of the query that has any."""
        present = set(query)
        found: dict[str, list[Phrase]] = {}
        for term in present:
            for phrase, others in self._by_term.get(term, ()):
                if present.issuperset(phrase):
                    for part in phrase:
                        found.setdefault(part, []).extend(others)
        return {term: tuple(dict.fromkeys(phrases)) for term, phrases in found.items()}


def words_with_synonyms(text: str) -> frozenset[str]:
    """The content words of a text, and those of their synonyms."""
    others = load_synonyms(script(text)).synonyms_for(terms(text)).values()
    return frozenset(content_words(text)).union(word for phrases in others for phrase in phrases for word in phrase)


def load_synonyms(language: Script, own: Path | None = None) -> Synonyms:
    """The bundled groups of a language, and those of a bot's own `synonyms.toml` if it has one."""
    return _loaded(language, own, own.stat().st_mtime_ns) if own and own.is_file() else _loaded(language, None, 0)


@lru_cache(maxsize=64)
def _loaded(language: Script, own: Path | None, written: int) -> Synonyms:
    """The groups of both files.

    written: when the bot's own file was last written, so that a changed file is read again
    """
    stored = [_stored(file) for file in (BUNDLED, own) if file]
    both_ways, one_way = (
        [group for each in stored for group in each.get(name, [])] for name in (language, f"{language}_said")
    )
    return Synonyms(both_ways, language, one_way)


def _phrases(group: Sequence[str], phrases_of: Mapping[str, Sequence[Phrase]]) -> tuple[Phrase, ...]:
    return tuple(dict.fromkeys(phrase for word in group for phrase in phrases_of[word] if phrase))


def _phrases_of_words(words: Collection[str], language: Script) -> dict[str, list[Phrase]]:
    """The terms of each word; of Latin letters in Japanese also as in a Japanese sentence, where "Store" is ストア."""
    texts = [
        (word, text)
        for word in sorted(words)
        for text in ((word, f"{word}の") if language == "ja" and word.isascii() else (word,))
    ]
    found: defaultdict[str, list[Phrase]] = defaultdict(list)
    for (word, _), phrase in zip(texts, readings([text for _, text in texts], terms, language), strict=True):
        found[word].append(tuple(phrase))
    return found


def _stored(file: Path) -> dict[str, list[list[str]]]:
    """The groups of a file by table; raises BadInput if it is no TOML, or has anything else than groups."""
    try:
        return {**_GROUPS.validate_python(parse_toml(read_bytes(file)))}
    except TomlFault as error:
        fault = error
    except ValidationError as error:
        place, known = str(error.errors()[0]["loc"][0]), ", ".join(get_args(_Table))
        detail = f'{place}: not a list of groups like ja = [["休み", "休暇"]]; tables: {known}'
        fault = TomlFault(detail, "synonym_groups", field=place, known=known)
    raise broken_file(f"{file.parent.name}/{file.name}", fault)


@lru_cache(maxsize=4_096)
def canonical_words(text: str, language: Script) -> frozenset[str]:
    """The content words of a text without figures and filler words, each synonym as its canonical word."""
    same = _canonical_spellings()
    words = (word for word in content_words(without_amounts(text), language) if not word[0].isdigit())
    return frozenset(same.get(word, word) for word in words) - _filler_words()


@cache
def _canonical_spellings() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in (*_load_answer_synonyms()["en"], *_load_answer_synonyms()["ja"]):
        cut = (content_words(word) for word in line.split())
        stems = [parts[0] for parts in cut if len(parts) == 1]  # a word that falls apart would rename its parts
        for stem in stems:
            found.setdefault(stem, found.get(stems[0], stems[0]))
    return found


@cache
def _filler_words() -> frozenset[str]:
    """The words that say nothing of a claim's subject."""
    return frozenset(
        stem for word in _load_answer_synonyms()["filler_words"].split() for stem in (word, *content_words(word))
    )


def _load_answer_synonyms() -> Mapping[str, Any]:
    return bundled_toml(__file__, "answer_synonyms.toml")
