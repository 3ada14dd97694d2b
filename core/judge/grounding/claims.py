"""The claims of an answer, and how much of each stands in the passages."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from core.base.language import Script, content, script, terms
from core.judge.grounding.limits import Added, about, added
from core.judge.grounding.yes import answered
from core.judge.text.amounts import Amount, among, amounts
from core.judge.text.refusal import is_aside, is_pasted, is_plea, is_question, is_refusal, spoken
from core.judge.text.wording import wording
from core.judge.turn.evidence import Finding, Source, Unit, Weights, look_up, roots, sources_of, unit
from core.judge.turn.stance import denied

FILE = Path(__file__).with_name("cues.toml")
LONGEST = 12_000  # characters of an answer that are read
PASSAGES = 40_000  # characters of all passages that are read
MOST = 100  # claims of an answer that are looked up
MANY = 60  # sentences of the passages a claim is held against: the nearest ones, where all passages have more than twice as many
SHORTEST = 5  # characters of a side of a compound sentence
FRESH = 8  # words from which more new ones make no difference
ALIKE = 0.6  # share of the longer clause's length that the shorter has, where one is to deny the other
NEAR, DENIES = 0.5, 0.65  # the same for a yes against a no, in a claim of which the passages hold at least so much
NAMES = ("novel", "new_words", "phrases", "pairs", "figure", "concludes")


class Claim(NamedTuple):
    """A claim looked up: `features` in the order of NAMES, each about 0 to 1 (`new_words` to 2.2).

    unknown: a figure with a unit that no passage and not the question has, or ""; stray: none of its words stands in a
    passage or the question; clash: (what it says, what a passage says otherwise); added: a word it adds to its passage.
    """

    finding: Finding
    features: tuple[float, ...]
    unknown: str
    stray: bool = False
    clash: tuple[str, str] | None = None
    added: str = ""

    @property
    def refuted(self) -> bool:
        """Whether it is sure not to be supported: a figure out of nowhere, another one there, nothing in common."""
        return bool(self.unknown or self.clash or self.stray or self.added)

    @property
    def text(self) -> str:
        """The sentence."""
        return self.finding.claim.text


class Held(NamedTuple):
    """What the passages hold all together."""

    sources: tuple[Source, ...]
    weights: Weights
    words: frozenset[str]
    roots: frozenset[str]
    figures: frozenset[Amount]
    bigrams: frozenset[tuple[str, str]]
    places: Mapping[str, frozenset[int]]

    def near(self, one: Unit) -> tuple[Source, ...]:
        """The passages, of very long ones only the sentences that share most words with the claim."""
        count = sum(len(each.units) for each in self.sources)
        if count <= 2 * MANY:
            return self.sources
        keys = (*one.words, *(f"#{figure.figure}" for figure in one.figures))
        shared = Counter(place for key in keys for place in self.places.get(key, frozenset()))
        kept = {place for place, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:MANY]}
        found, at = list[Source](), 0
        for each in self.sources:
            units = tuple(unit for place, unit in enumerate(each.units, at) if place in kept)
            found.append(each._replace(units=units or each.units[:1]))
            at += len(each.units)
        return tuple(found)


def claims_of(answer: str, question: str, contexts: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of an answer measured against the passages; none where it claims nothing."""
    of = script("\n".join(contexts)[:1_500])
    held, asked = held_by(bounded(contexts), of), unit(question[:2_000], of)
    said = [unit(text, of) for text in islice(stated(answer, question), 2 * MOST)]
    full = [one for one in dict.fromkeys(said) if one.words - idle() or any(figure.unit for figure in one.figures)]
    units = (full or [one for one in said if one.figures][:1])[:MOST]
    found, seen = list[Claim](), frozenset[str]()
    if not units:
        return _bare(answer, question, asked, held)
    for one in units:
        known = held.near(one)
        finding = look_up(one, known, held.weights, asked.words, asked.figures)
        unknown, lost = _unknown(one, asked.figures, held)
        if is_aside(one.text) and finding.state != "supported" and not unknown:
            continue  # a courtesy or a contact
        features = _features(one, asked, held, seen, lost)
        clash = _clash(finding, asked, known, held)
        more = None if clash or unknown else _added(one, question, known)
        clash = (more.said, more.instead) if more and more.instead else clash
        stray = _stray(one, asked, held)
        found.append(Claim(finding, features, unknown, stray, clash, more.said if more else ""))
        seen |= one.words
    return tuple(found)


def stated(answer: str, question: str) -> Iterator[str]:
    """The parts of an answer that state something: no refusals, questions, announcements or pleas to a judge."""
    cue = cues()
    for part in spoken(cue["cites"].sub("", answer[:LONGEST])):
        for clause in _clauses(part):
            idle_talk = is_pasted(clause, question) or is_question(clause) or is_plea(clause)
            if not (idle_talk or cue["announces"].search(clause)):
                yield clause


def _clauses(part: str) -> Iterator[str]:
    """The sentence; of one that also says the answer is not there, only the clauses that say something else."""
    if not _lacks(part):
        yield from _compound(part)
        return
    yield from (clause.strip() for clause in cues()["turn"].split(part) if clause.strip() and not _lacks(clause))


def _compound(part: str) -> Iterator[str]:
    """The two sides of a "but" or a semicolon, where each is long enough to say something."""
    pieces = [piece.strip() for piece in cues()["but"].split(part) if piece.strip()]
    yield from pieces if len(pieces) > 1 and min(map(len, pieces)) >= SHORTEST else (part,)


def _lacks(text: str) -> bool:
    return is_refusal(text) or bool(cues()["lacks"].search(text))


def _features(one: Unit, asked: Unit, held: Held, seen: frozenset[str], lost: bool) -> tuple[float, ...]:
    words = one.words - asked.words - idle()
    novel = words - held.words
    fresh = {word for word in novel if not any(root in held.roots for root in roots(word))} - seen
    return (
        len(fresh) / max(1, len(words)),
        math.log1p(min(len(fresh), FRESH)),
        _phrases(one, held),
        _pairs(one, asked, held),
        float(lost),
        float(bool(cues()["concludes"].search(one.text))),
    )


def _phrases(one: Unit, held: Held) -> float:
    """Share (0 to 1) of the claim's word pairs in a row that no passage has."""
    row = terms(one.text, one.of)
    pairs = [pair for pair in pairwise(row) if not idle().issuperset(pair)]
    return sum(pair not in held.bigrams for pair in pairs) / len(pairs) if pairs else 0.0


def _pairs(one: Unit, asked: Unit, held: Held) -> float:
    """Share (0 to 1) of neighbouring content words that no single sentence of the passages has both of."""
    row = [word for word in content(one.text, one.of) if word not in idle() and word not in asked.words]
    pairs = list(pairwise(row))
    empty = frozenset[int]()
    apart = sum(held.places.get(a, empty).isdisjoint(held.places.get(b, empty)) for a, b in pairs)
    return apart / len(pairs) if pairs else 0.0


def _clash(finding: Finding, asked: Unit, known: Sequence[Source], held: Held) -> tuple[str, str] | None:
    """Another figure, a clause of like length with the opposite sign, or yes against no on what was asked."""
    said, found = finding.said, finding.found
    alike = min(len(said), len(found)) >= ALIKE * max(len(said), len(found))
    if finding.state == "contradicted" and (amounts(said) or alike):
        return said, found
    stances = [stance for source in known for stance in source.stances]
    turned = denied((finding.claim.text,), stances, (), asked.words, finding.claim.of, held.weights.sum)
    if turned is None or finding.share < NEAR:
        return None
    short, long = sorted(map(len, turned))
    return turned if short >= DENIES * long else None


def _stray(one: Unit, asked: Unit, held: Held) -> bool:
    """Whether nothing of a claim, not even a figure with its unit, is known from the passages or the question."""
    words = one.words - idle()
    if any(figure.unit and among(figure, held.figures | asked.figures) for figure in one.figures):
        return False
    return bool(words) and words.isdisjoint(held.words | asked.words)


def _unknown(one: Unit, told: frozenset[Amount], held: Held) -> tuple[str, bool]:
    """(the first figure with a unit that neither the passages nor the question hold, whether there is any such figure)."""
    lost = sorted(figure for figure in one.figures if not among(figure, told | held.figures))
    return next((figure.text for figure in lost if figure.unit), ""), bool(lost)


@lru_cache(maxsize=512)
def held_by(contexts: tuple[str, ...], of: Script) -> Held:
    """All words, figures and word pairs of the passages."""
    sources, weights = sources_of(contexts, of)
    rows = [[word for one in source.units for word in terms(one.text, of)] for source in sources]
    index = defaultdict[str, set[int]](set)
    for place, one in enumerate(one for source in sources for one in source.units):
        for word in (*content(one.text, of), *one.words, *(f"#{figure.figure}" for figure in one.figures)):
            index[word].add(place)
    return Held(
        sources=sources,
        weights=weights,
        words=frozenset(word for source in sources for word in source.words),
        roots=frozenset(root for source in sources for root in source.roots),
        figures=frozenset(figure for source in sources for figure in source.figures),
        bigrams=frozenset(pair for row in rows for pair in pairwise(row)),
        places={word: frozenset(places) for word, places in index.items()},
    )


def bounded(contexts: Sequence[str]) -> tuple[str, ...]:
    """The passages, each cut where all together would be longer than PASSAGES."""
    found, left = list[str](), PASSAGES
    for text in contexts:
        found.append(text[:left])
        left = max(0, left - len(text))
    return tuple(found)


def _added(one: Unit, question: str, known: Sequence[Source]) -> Added | None:
    near = about(one, [each for source in known for each in source.units])
    return added(one, near, question)


def _bare(answer: str, question: str, asked: Unit, held: Held) -> tuple[Claim, ...]:
    """The claim of an answer that only says yes or no: what was asked; none where that was no such question."""
    found = answered(answer, question, asked, held.sources, held.weights)
    if found is None:
        return ()
    finding, clash = found
    return (Claim(finding, (0.0,) * len(NAMES), "", finding.state == "missing", clash),)


@cache
def cues() -> dict[str, re.Pattern[str]]:
    """The patterns of `cues.toml` by kind."""
    stored = tomllib.loads(FILE.read_text("utf-8"))
    return {kind: re.compile(text, re.IGNORECASE) for kind, text in stored.items() if kind != "idle"}


@cache
def idle() -> frozenset[str]:
    """The words (and their stems) with which an answer speaks of itself."""
    listed = tomllib.loads(FILE.read_text("utf-8"))["idle"].split()
    return frozenset(
        form for word in listed for form in (word, *content(word), *terms(word), *wording(word, script(word)))
    )
