"""Query expansion with a thesaurus of help-desk words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from core.base.errors import BadInput
from core.text.language import Script, terms

Phrase = tuple[str, ...]
BUNDLED = Path(__file__).parent / "synonyms.toml"


class Synonyms:
    """Groups of phrases that stand for one another; each phrase is a tuple of terms (core.text.language.terms)."""

    def __init__(self, groups: Iterable[Sequence[str]], of: Script) -> None:
        self._by_term: dict[str, list[tuple[Phrase, tuple[Phrase, ...]]]] = {}
        for group in groups:
            phrases = tuple(dict.fromkeys(phrase for phrase in (terms(word, of) for word in group) if phrase))
            for phrase in phrases:
                others = tuple(other for other in phrases if other != phrase)
                self._by_term.setdefault(phrase[0], []).append((phrase, others))

    def of(self, query: Sequence[str]) -> dict[str, tuple[Phrase, ...]]:
        """For each term of the query that a group knows: the phrases that may stand for it."""
        present = set(query)
        found: dict[str, list[Phrase]] = {}
        for term in present:
            for phrase, others in self._by_term.get(term, ()):
                if present.issuperset(phrase):
                    for part in phrase:
                        found.setdefault(part, []).extend(others)
        return {term: tuple(dict.fromkeys(phrases)) for term, phrases in found.items()}


@cache
def synonyms(of: Script, own: Path | None = None) -> Synonyms:
    """The bundled groups of a language, with those of a bot's `synonyms.toml` where it has one."""
    files = [BUNDLED, *([own] if own and own.is_file() else [])]
    return Synonyms([group for file in files for group in _groups(file, of)], of)


def _groups(file: Path, of: Script) -> list[list[str]]:
    try:
        return tomllib.loads(file.read_text("utf-8")).get(of, [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{file.parent.name}/{file.name} cannot be read ({error}). Correct that line and try again.",
            "broken_file",
            file=file.name,
            detail=str(error),
        ) from error
