"""The claims of an answer, and how far the passages support each of them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from core.base.probabilities import linear, logistic
from core.base.toml import bundled_toml
from core.judges.groundedness.additions import find_addition
from core.judges.rules.claim_check import (
    ClaimCheck,
    Segment,
    SegmentedText,
    Weights,
    check_claim,
    segment,
    segment_texts,
)
from core.judges.rules.figures import CheckOptions
from core.judges.rules.yes_no import answer_polarity, contradicted_statement
from core.text.language import Script, content_words, script, terms
from core.text.negation import polarity
from core.text.numbers import Amount, amounts, is_among
from core.text.questions import is_question, repeats_question
from core.text.refusals import addresses_grader, answer_sentences, is_boilerplate, says_unanswered
from core.text.synonyms import canonical_words

LONGEST_ANSWER = 12_000  # characters of an answer that are read
LONGEST_PASSAGES = 40_000  # characters of all passages that are read
MAX_CLAIMS = 100  # claims of an answer that are checked
# Sentences of the passages that a claim is compared with: the nearest ones, if there are more than twice as many
MAX_SENTENCES = 60
MIN_SIDE_LENGTH = 5  # characters of a side of a compound sentence
MAX_NEW_WORDS = 8  # new words of a claim that count
MIN_LENGTH_RATIO = 0.6  # share of the longer clause's length that the shorter has, if one is to deny the other
MIN_DENIAL_LENGTH_RATIO = 0.65  # the same for a yes against a no
MIN_DENIED_SHARE = 0.5  # share of a claim that the passages must support for a yes against a no
FEATURES = ("novel", "new_words", "phrases", "pairs", "figure", "concludes")
COVERING_PASSAGE_FROM = 0.45  # share of the question from which a passage can confirm a yes or a no


class Claim(NamedTuple):
    """A claim of an answer compared with the passages."""

    check: ClaimCheck
    features: tuple[float, ...]  # in the order of FEATURES, each about 0 to 1 (`new_words` to 2.2)
    unknown: str  # a figure with a unit that neither a passage nor the question has, or ""
    stray: bool = False  # none of its words is in a passage or the question
    contradiction: tuple[str, str] | None = None  # (its words, the words of a passage that say otherwise)
    added: str = ""  # a word that it adds to its passage

    @property
    def refuted(self) -> bool:
        """Whether it is certainly unsupported: an unknown or wrong figure, an addition, nothing in common."""
        return bool(self.unknown or self.contradiction or self.stray or self.added)

    @property
    def text(self) -> str:
        return self.check.claim.text


class PassageFacts(NamedTuple):
    """The sentences, words and figures of all passages."""

    sources: tuple[SegmentedText, ...]
    weights: Weights
    words: frozenset[str]
    figures: frozenset[Amount]
    bigrams: frozenset[tuple[str, str]]
    sentence_indexes: Mapping[str, frozenset[int]]  # by word, and by "#figure"

    def near(self, one: Segment) -> tuple[SegmentedText, ...]:
        """The passages; of very long ones only the sentences that share most words with the claim."""
        count = sum(len(each.segments) for each in self.sources)
        if count <= 2 * MAX_SENTENCES:
            return self.sources
        keys = (*one.words, *(f"#{figure.figure}" for figure in one.figures))
        shared = Counter(number for key in keys for number in self.sentence_indexes.get(key, frozenset()))
        nearest = {number for number, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:MAX_SENTENCES]}
        found, at = list[SegmentedText](), 0
        for each in self.sources:
            segments = tuple(segment for number, segment in enumerate(each.segments, at) if number in nearest)
            found.append(each._replace(segments=segments or each.segments[:1]))
            at += len(each.segments)
        return tuple(found)


def claims_of(answer: str, question: str, contexts: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of an answer compared with the passages; empty if it claims nothing."""
    of = script("\n".join(contexts)[:1_500])
    facts, asked = passage_facts(cut_passages(contexts), of), segment(question[:2_000], of)
    statements = [segment(text, of) for text in islice(stated_parts(answer, question), 2 * MAX_CLAIMS)]
    distinct = dict.fromkeys(statements)
    full = [one for one in distinct if one.words - filler_words() or any(figure.unit for figure in one.figures)]
    segments = (full or [one for one in statements if one.figures][:1])[:MAX_CLAIMS]
    found, seen = list[Claim](), frozenset[str]()
    if not segments:
        return _bare(answer, question, asked, facts)
    options = CheckOptions(facts.weights.sum, asked.words, asked.figures)
    for one in segments:
        known = facts.near(one)
        check = check_claim(one, known, options)
        unknown, has_unknown_figure = _unknown(one, asked.figures, facts)
        if is_boilerplate(one.text) and check.state != "supported" and not unknown:
            continue  # a courtesy or a contact
        features = _features(one, asked, facts, seen, has_unknown_figure)
        contradiction = _contradiction(check, known, options)
        addition = None if contradiction or unknown else find_addition(one, known, question)
        if addition and addition.evidence_span:
            contradiction = addition.claim_span, addition.evidence_span
        stray = _stray(one, asked, facts)
        found.append(Claim(check, features, unknown, stray, contradiction, addition.claim_span if addition else ""))
        seen |= one.words
    return tuple(found)


def stated_parts(answer: str, question: str) -> Iterator[str]:
    """The parts of an answer that state something: no refusals, questions, announcements or words to the judge."""
    cue = cues()
    for part in answer_sentences(cue["cites"].sub("", answer[:LONGEST_ANSWER])):
        for clause in _clauses(part):
            states_nothing = repeats_question(clause, question) or is_question(clause) or addresses_grader(clause)
            if not (states_nothing or cue["announces"].search(clause)):
                yield clause


def _clauses(part: str) -> Iterator[str]:
    """The sentence; if it also says that there is no answer, only its other clauses."""
    if not says_unanswered(part):
        yield from _compound(part)
        return
    clauses = cues()["turn"].split(part)
    yield from (clause.strip() for clause in clauses if clause.strip() and not says_unanswered(clause))


def _compound(part: str) -> Iterator[str]:
    """The two sides of a "but" or a semicolon if both are long enough, else the sentence."""
    sides = [side.strip() for side in cues()["but"].split(part) if side.strip()]
    yield from (sides if len(sides) > 1 and min(map(len, sides)) >= MIN_SIDE_LENGTH else (part,))


def _features(
    one: Segment, asked: Segment, facts: PassageFacts, seen: frozenset[str], has_unknown_figure: bool
) -> tuple[float, ...]:
    words = one.words - asked.words - filler_words()
    fresh = words - facts.words - seen
    return (
        len(fresh) / max(1, len(words)),  # share of new words
        math.log1p(min(len(fresh), MAX_NEW_WORDS)),
        _phrases(one, facts),
        _pairs(one, asked, facts),
        float(has_unknown_figure),
        float(bool(cues()["concludes"].search(one.text))),  # it draws a conclusion
    )


def _phrases(one: Segment, facts: PassageFacts) -> float:
    """Share (0 to 1) of the claim's pairs of consecutive words that no passage has."""
    row = terms(one.text, one.of)
    pairs = [pair for pair in pairwise(row) if not filler_words().issuperset(pair)]
    return sum(pair not in facts.bigrams for pair in pairs) / len(pairs) if pairs else 0.0


def _pairs(one: Segment, asked: Segment, facts: PassageFacts) -> float:
    """Share (0 to 1) of the claim's neighbouring content words that are never in one sentence of the passages."""
    row = [word for word in content_words(one.text, one.of) if word not in filler_words() and word not in asked.words]
    pairs = list(pairwise(row))
    empty = frozenset[int]()
    apart = sum(facts.sentence_indexes.get(a, empty).isdisjoint(facts.sentence_indexes.get(b, empty)) for a, b in pairs)
    return apart / len(pairs) if pairs else 0.0


def _contradiction(check: ClaimCheck, known: Sequence[SegmentedText], options: CheckOptions) -> tuple[str, str] | None:
    """(words of the claim, words of a passage) that disagree: another figure, an opposite clause of similar length, or
    yes against no; None without."""
    claim_span, evidence_span = check.claim_span, check.evidence_span
    alike = min(len(claim_span), len(evidence_span)) >= MIN_LENGTH_RATIO * max(len(claim_span), len(evidence_span))
    if check.state == "contradicted" and (amounts(claim_span) or alike):
        return claim_span, evidence_span
    yes_no_clauses = [clause for source in known for clause in source.yes_no_clauses]
    turned = contradicted_statement((check.claim.text,), yes_no_clauses, (), check.claim.of, options)
    if turned is None or check.share < MIN_DENIED_SHARE:
        return None
    short, long = sorted(map(len, turned))
    return turned if short >= MIN_DENIAL_LENGTH_RATIO * long else None


def _stray(one: Segment, asked: Segment, facts: PassageFacts) -> bool:
    """Whether nothing of a claim, not even a figure with its unit, is known from the passages or the question."""
    words = one.words - filler_words()
    if any(figure.unit and is_among(figure, facts.figures | asked.figures) for figure in one.figures):
        return False
    return bool(words) and words.isdisjoint(facts.words | asked.words)


def _unknown(one: Segment, user_figures: frozenset[Amount], facts: PassageFacts) -> tuple[str, bool]:
    """(the first figure with a unit that neither the passages nor the question have, whether any figure is unknown)."""
    unknown_figures = sorted(figure for figure in one.figures if not is_among(figure, user_figures | facts.figures))
    return next((figure.text for figure in unknown_figures if figure.unit), ""), bool(unknown_figures)


@lru_cache(maxsize=512)
def passage_facts(contexts: tuple[str, ...], of: Script) -> PassageFacts:
    """All words, figures and word pairs of the passages."""
    sources, weights = segment_texts(contexts, of)
    rows = [[word for one in source.segments for word in terms(one.text, of)] for source in sources]
    index = defaultdict[str, set[int]](set)
    for number, one in enumerate(one for source in sources for one in source.segments):
        for word in (*content_words(one.text, of), *one.words, *(f"#{figure.figure}" for figure in one.figures)):
            index[word].add(number)
    return PassageFacts(
        sources=sources,
        weights=weights,
        words=frozenset(word for source in sources for word in source.words),
        figures=frozenset(figure for source in sources for figure in source.figures),
        bigrams=frozenset(pair for row in rows for pair in pairwise(row)),
        sentence_indexes={word: frozenset(numbers) for word, numbers in index.items()},
    )


def cut_passages(contexts: Sequence[str]) -> tuple[str, ...]:
    """The passages, each cut if all together would be longer than LONGEST_PASSAGES."""
    found, left = list[str](), LONGEST_PASSAGES
    for text in contexts:
        found.append(text[:left])
        left = max(0, left - len(text))
    return tuple(found)


def _bare(answer: str, question: str, asked: Segment, facts: PassageFacts) -> tuple[Claim, ...]:
    """The claim of an answer that is only yes or no: the question, checked against the passages; empty for others."""
    said = answer_polarity(answer, question)
    if not said or not asked.words:
        return ()
    found = check_claim(asked, facts.sources, CheckOptions(facts.weights.sum))
    claim = asked._replace(text=f"{answer.strip()} ({question.strip()})")
    contradiction = None
    if found.nearest is None or found.share < COVERING_PASSAGE_FROM:
        state = "missing"
    else:
        opposed = polarity(found.nearest.text) == -said
        contradiction = (answer.strip(), found.nearest.text) if opposed else None
        state = "contradicted" if opposed else "supported"
    check = found._replace(claim=claim, state=state)
    return (Claim(check, (0.0,) * len(FEATURES), "", check.state == "missing", contradiction),)


@cache
def cues() -> dict[str, re.Pattern[str]]:
    """The patterns of `cues.toml` by kind."""
    stored = bundled_toml(__file__, "cues.toml")
    return {kind: re.compile(text, re.IGNORECASE) for kind, text in stored.items() if kind != "filler_words"}


@cache
def filler_words() -> frozenset[str]:
    """The words (and their stems) with which an answer refers to itself."""
    listed = bundled_toml(__file__, "cues.toml")["filler_words"].split()
    forms = ((word, *content_words(word), *terms(word), *canonical_words(word, script(word))) for word in listed)
    return frozenset(form for each in forms for form in each)


def risk(features: Sequence[float]) -> float:
    """Probability (0 to 1) that people mark a claim with these features as hallucinated."""
    return logistic(linear(_fitted(), dict(zip(FEATURES, features, strict=True))))


def is_supported(claim: Claim) -> bool:
    """Whether a claim counts as supported: not refuted, and of little risk."""
    return not claim.refuted and risk(claim.features) < _fitted()["threshold"]


def _fitted() -> Mapping[str, float]:
    return bundled_toml(__file__, "risk.toml")["claim"]
