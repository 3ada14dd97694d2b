"""The claims of an answer, and which sentence of which passage holds them.

For every judge that looks claims up. Without the comparison of a claim with its nearest sentence, .488 fewer reversed
signs are caught by groundedness and .220 fewer by the turn judge.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from core.judges.rules.binding import LookUpRules, Piece, Weigh, pieces, swapped_figure
from core.judges.rules.stance import Stance, stances
from core.text.language import Script, sentences
from core.text.markdown import is_rule, table_cells
from core.text.negation import opposite_clauses
from core.text.numbers import Amount, amounts, is_among, rival
from core.text.synonyms import canonical_words

State = Literal["supported", "contradicted", "missing"]
SUPPORTED = 0.62  # share of a claim's weight that its passage must hold
ELSEWHERE = 0.8  # credit for a word that stands in the passage but not in the sentence
FIGURE = 1.6  # weight of a figure against that of an ordinary word
_STOP = re.compile(r"(?<=[。！？])(?=[^」』）)。！？])|(?<=[a-z)]\.)\s+(?=[A-Z\d])")
_SENTENCE = re.compile(r"[。.!！?？][」』）)\"”]*$")


class Unit(NamedTuple):
    """A sentence, a heading, or a row of a table with its header: its text, content words and figures."""

    text: str
    words: frozenset[str]
    figures: frozenset[Amount]
    of: Script

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Its clauses with figures."""
        return pieces(self.text, self.of) if self.figures else ()


class Source(NamedTuple):
    """A passage: its units, all its words and figures."""

    units: tuple[Unit, ...]
    words: frozenset[str]
    figures: frozenset[Amount]
    of: Script

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The figures of the units; a heading above them says what they belong to. Cut when first asked for."""
        first = next(iter(self.units), None)
        head = first.words if first and not is_sentence(first) else frozenset[str]()
        return tuple(piece for one in self.units if one.figures for piece in pieces(one.text, self.of, head))

    @property
    def stances(self) -> tuple[Stance, ...]:
        """What the sentences affirm and deny. Cut when first asked for."""
        pairs = zip(self.units, ("", *(one.text for one in self.units)), strict=False)
        plain = ((one, before) for one, before in pairs if _SENTENCE.search(one.text) and " / " not in one.text)
        return tuple(stance for one, before in plain for stance in stances(one.text, self.of, before))


class Finding(NamedTuple):
    """A claim looked up: `share` (0 to 1) of it is supported by passage `passage_number` (from 1; 0 for none), nearest in `unit`.

    For a contradicted claim `claim_span` and `evidence_span` are the two figures or clauses that disagree.
    """

    claim: Unit
    weight: float
    state: State
    share: float
    passage_number: int = 0
    unit: Unit | None = None
    claim_span: str = ""
    evidence_span: str = ""


class Weights:
    """What a word counts: rare ones and long ones more (inverse frequency over the units of the sources)."""

    def __init__(self, sources: Sequence[Source]) -> None:
        units = [unit for source in sources for unit in source.units]
        self._count = Counter(word for unit in units for word in unit.words)
        self._units = len(units)

    def of(self, word: str) -> float:
        """The weight of one word, about 0.5 to 5."""
        rare = math.log1p((self._units + 1) / (max(self._count[word], 1) + 0.5))
        size = len(word) if word.isascii() else 2 * len(word)
        return (0.5 + rare) * (0.6 if size <= 2 else 1.0 if size <= 5 else 1.25)

    def sum(self, words: Iterator[str] | frozenset[str]) -> float:
        """The weights of all the words."""
        return math.fsum(map(self.of, words))  # the same for any order of the words

    def share(self, wanted: frozenset[str], evidence: frozenset[str]) -> float:
        """Share (0 to 1) by weight of the wanted words that the evidence has; 0 when none is wanted."""
        total = self.sum(wanted)
        return self.sum(wanted & evidence) / total if total else 0.0


@lru_cache(maxsize=4_096)
def unit(text: str, of: Script) -> Unit:
    """One sentence as words and figures (figures are not counted among the words)."""
    return Unit(text.strip(), canonical_words(text, of), amounts(text), of)


@lru_cache(maxsize=8_192)
def source(text: str, of: Script) -> Source:
    """A passage cut into units; a row of a table carries the words of its header."""
    units = tuple(unit(part, of) for part in _parts(text))
    words = frozenset(word for one in units for word in one.words)
    return Source(
        units=units,
        words=words,
        figures=frozenset(figure for one in units for figure in one.figures),
        of=of,
    )


@lru_cache(maxsize=4_096)
def sources_of(texts: tuple[str, ...], of: Script) -> tuple[tuple[Source, ...], Weights]:
    """The passages and the weights of their words."""
    found = tuple(source(text, of) for text in texts)
    return found, Weights(found)


def _parts(text: str) -> Iterator[str]:
    header: list[str] = []
    for line in text.splitlines():
        if "|" not in line:
            header = []
            yield from split(line)
            continue
        if is_rule(line):
            continue
        cells = table_cells(line)
        if not header:
            header = cells
            continue
        named = zip(header + [""] * len(cells), cells, strict=False)
        yield " / ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def split(text: str) -> Iterator[str]:
    """The sentences of a line; a full stop before a figure also ends one (2日です。2026年…)."""
    for sentence in sentences(text):
        yield from (part.strip() for part in _STOP.split(sentence) if part.strip())


def look_up(
    claim: Unit,
    sources: Sequence[Source],
    rules: LookUpRules,
) -> Finding:
    """The passage that supports most of a claim."""
    wanted = claim.words - rules.question_words or claim.words
    figures = frozenset(figure for figure in claim.figures if not is_among(figure, rules.user_figures))
    total = rules.weigh(wanted) + FIGURE * len(figures)
    if not total:
        return Finding(claim, 0.0, "missing", 0.0)
    ranked = sorted(
        ((_support(claim, wanted, figures, one, rules.weigh), number) for number, one in enumerate(sources, 1)),
        key=_first,
    )
    if not ranked or not ranked[0][0][0]:
        return Finding(claim, total, "missing", 0.0)
    (support, nearest), number = ranked[0]
    share = min(support / total, 1.0)
    contradiction = _contradiction(claim, figures, nearest, sources, rules.weigh) if share >= 0.4 else None
    if figures and not contradiction:
        evidence_pieces = [piece for one in sources for piece in one.pieces]
        contradiction = swapped_figure(claim.pieces, evidence_pieces, rules)
    if contradiction:
        return Finding(claim, total, "contradicted", share, number, nearest, *contradiction)
    unknown = sorted(figure for figure in figures if not any(is_among(figure, one.figures) for one in sources))
    if unknown:
        return Finding(claim, total, "missing", share * 0.4, number, nearest, unknown[0].text)
    return Finding(claim, total, "supported" if share >= SUPPORTED else "missing", share, number, nearest)


def is_sentence(one: Unit) -> bool:
    """Whether the unit says something: a sentence or a row, not a heading."""
    return bool(_SENTENCE.search(one.text)) or ": " in one.text


def _first(ranked: tuple[tuple[float, Unit], int]) -> tuple[float, int]:
    return -round(ranked[0][0], 6), ranked[1]


def _support(
    claim: Unit, wanted: frozenset[str], figures: frozenset[Amount], one: Source, weigh: Weigh
) -> tuple[float, Unit]:
    """(weight of the claim that the passage holds, its nearest unit)."""
    nearest, best = claim, -1.0
    for candidate in one.units:
        shared = weigh(wanted & candidate.words) + 0.3 * weigh((claim.words - wanted) & candidate.words)
        shared += FIGURE * sum(1 for figure in figures if is_among(figure, candidate.figures))
        if shared > best:
            nearest, best = candidate, shared
    support = weigh(wanted & nearest.words)
    rest = wanted - nearest.words
    support += ELSEWHERE * weigh(rest & one.words)
    support += FIGURE * sum(1 for figure in figures if is_among(figure, one.figures))
    return support, nearest


def _contradiction(
    claim: Unit, figures: frozenset[Amount], nearest: Unit, sources: Sequence[Source], weigh: Weigh
) -> tuple[str, str] | None:
    """(what the claim says, what the passages say instead): a figure, or a clause with the opposite sign."""
    shared = weigh(claim.words & nearest.words)
    for figure in sorted(figures):
        other = rival(figure, frozenset(one for one in nearest.figures if not is_among(one, claim.figures)))
        units = (one for source in sources for one in source.units if is_among(figure, one.figures))
        if other and not any(weigh(claim.words & one.words) >= 0.5 * shared for one in units):
            return figure.text, other.text
    return (
        opposite_clauses(claim.text, nearest.text)
        if _SENTENCE.search(nearest.text) and " / " not in nearest.text
        else None
    )
