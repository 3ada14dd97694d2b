"""Choosing what to quote: a passage for each thing that is asked, and the pieces of it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from core.base.types import Hit, ProfileField
from core.bot.answer.relevance import (
    SubQuestion,
    holds_kind,
    passage_words,
    relevance,
    snippet_share,
    sub_questions,
    word_share,
)
from core.bot.answer.snippets import Snippet, snippets
from core.bot.profile_values import named_values, other_value
from core.text.language import content_words, script, terms

SHORT = {"ja": 190, "zh": 150, "en": 420}  # a passage up to this many characters is quoted whole
MOST = 3  # sentences quoted from a longer passage
MOST_ROWS = 8
MOST_PASSAGES = 3
SMALL_TABLE = 4  # rows of a table that is quoted whole
SAME = 0.25  # a passage that is quoted already serves a sub-question when its value is this close to the best one's
SECOND = 0.6  # a second passage is quoted when its value is this close to the first one's and it adds something
ALIKE = 0.8  # and when it has this share of the words that the best one has
FILLED = 0.35  # how much a sentence that says the kind of thing asked for is worth beside its words
_EXCEPTION = re.compile(r"^(?:ただし|なお|また、?ただし|例外|However|Except|Unless|The exception)")

_LEANS = re.compile(
    r"(?:ただし|なお|また|この|その|これ|それ|こちら|例外|さらに|加えて|同じ)"
    r"|(?:However|Except|Unless|The exception|Otherwise|After that|Until then|This|That|These|Those|It|Its|They|Then|Also|Both|Either|In that case)\b"
)  # how a sentence begins that belongs to the one before it
SURELY = 0.5  # share of the telling words from which a sentence that says the kind of thing asked for surely answers


def choose_quotes(question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> list[tuple[int, list[Snippet]]]:
    """What to quote, as (number of the passage from 1, its pieces in order); one to three passages, the best first."""
    picked: dict[int, list[SubQuestion]] = {}
    for wanted in sub_questions(question, weights):
        values = [relevance(wanted, hit) for hit in hits]
        best = max(range(len(hits)), key=lambda place: values[place])
        near = [
            place
            for place in picked
            if values[place] >= values[best] - SAME and _serves(wanted, hits[place], hits[best])
        ]
        place = near[0] if near else best
        if place in picked or len(picked) < MOST_PASSAGES:
            picked.setdefault(place, []).append(wanted)
    if len(picked) == 1:
        picked |= _beside(next(iter(picked.items())), hits)
    return [(place + 1, _pieces(wanted, hits[place])) for place, wanted in picked.items()]


def _beside(first: tuple[int, list[SubQuestion]], hits: Sequence[Hit]) -> dict[int, list[SubQuestion]]:
    """A second passage for the same sub-questions: almost as good, and it says words of the question that the first lacks."""
    place, wanted = first
    values = [math.fsum(relevance(each, hit) for each in wanted) / len(wanted) for hit in hits]
    ranked = sorted((i for i in range(len(hits)) if i != place), key=lambda i: -values[i])
    missing = frozenset(wanted[0].words) - passage_words(hits[place])
    close = [i for i in ranked[:2] if values[i] >= values[place] - SECOND and missing & passage_words(hits[i])]
    return {close[0]: wanted} if close else {}


def _serves(wanted: SubQuestion, hit: Hit, best: Hit) -> bool:
    """Whether a passage that is quoted already says the kind of thing asked for, and as much of the question as the best."""
    words = set(content_words(wanted.question))
    own = wanted._replace(words={word: weight for word, weight in wanted.words.items() if word in words})
    if word_share(own, passage_words(hit)) < ALIKE * word_share(own, passage_words(best)):
        return False
    return wanted.kind is None or any(holds_kind(snippet, wanted.kind) for snippet in snippets(hit.passage.text))


def _pieces(wanted: list[SubQuestion], hit: Hit) -> list[Snippet]:
    found = list(snippets(hit.passage.text))
    rows = _rows(wanted, [snippet for snippet in found if snippet.kind == "row"])
    steps = [snippet for snippet in found if snippet.kind == "step"]
    plain = [snippet for snippet in found if snippet.kind == "sentence"]
    if not rows and not steps:
        plain = _from_asked(wanted, plain, hit)
    if sum(len(snippet.text) for snippet in plain) > SHORT[script(hit.passage.text)]:
        plain = _best_sentences(wanted, plain)
    return sorted([*plain, *steps, *rows], key=lambda snippet: snippet.place)


def _from_asked(wanted: list[SubQuestion], plain: list[Snippet], hit: Hit) -> list[Snippet]:
    """The sentences from the first one on that surely answers; one before it only if it says words of the question, too."""
    heading = frozenset(terms(f"{hit.passage.title} {hit.passage.heading}"))
    held = [frozenset(terms(snippet.text)) for snippet in plain]
    firsts: list[int] = []
    said = [False] * len(plain)
    for each in wanted:
        shares = _telling_shares(each, heading, held)
        values = [
            share if each.kind and holds_kind(snippet, each.kind) else 0.0
            for share, snippet in zip(shares, plain, strict=True)
        ]
        if max(values, default=0.0) < SURELY:
            return plain
        firsts.append(values.index(max(values)))
        said = [before or share >= SURELY for before, share in zip(said, shares, strict=True)]
    first = min(firsts)
    while first and _LEANS.match(plain[first].text):
        first -= 1
    return [snippet for place, snippet in enumerate(plain) if place >= first or said[place]]


def _telling_shares(each: SubQuestion, heading: frozenset[str], held: list[frozenset[str]]) -> list[float]:
    """For each sentence its share of the question's words that tell the sentences of a passage apart (0 to 1)."""
    one = [each._replace(words={word: 1.0}) for word in dict.fromkeys(content_words(each.question))]
    telling = {
        word: each.words.get(word, 1.0)
        for asked in one
        for word in asked.words
        if not word_share(asked, heading) and 0 < sum(word_share(asked, words) > 0 for words in held) < len(held)
    }
    return [word_share(each._replace(words=telling), words) if telling else 0.0 for words in held]


def without_other_cases(pieces: list[Snippet], known: Sequence[str], fields: tuple[ProfileField, ...]) -> list[Snippet]:
    """The pieces without those about other values of a field than the person named (known: texts, the newest first).

    As they are if none speaks of the person's own value; an exception goes with the sentence that it belongs to.
    """
    values = [next(filter(None, (named_values(field, text) for text in known)), frozenset[str]()) for field in fields]
    own = " / ".join(value for found in values for value in sorted(found))
    other = [other_value(fields, own, piece.text) for piece in pieces]
    mine = any(
        named_values(field, piece.text) & found for field, found in zip(fields, values, strict=True) for piece in pieces
    )
    if not mine or not any(other):
        return pieces
    left = [other[i] or (i > 0 and other[i - 1] and bool(_LEANS.match(piece.text))) for i, piece in enumerate(pieces)]
    return [piece for piece, gone in zip(pieces, left, strict=True) if not gone] or pieces


def _rows(wanted: list[SubQuestion], rows: list[Snippet]) -> list[Snippet]:
    """The rows that share the question's telling words (those not in every row), else all of a short table."""
    if len(rows) <= SMALL_TABLE:
        return rows
    common = set(terms(rows[0].text)).intersection(*(terms(row.text) for row in rows[1:]))
    kept: set[int] = set()
    for each in wanted:
        telling = each._replace(words={word: weight for word, weight in each.words.items() if word not in common})
        scores = [snippet_share(telling, row) for row in rows]
        top = max(scores)
        kept.update(row.place for row, score in zip(rows, scores, strict=True) if top > 0 and score >= 0.6 * top)
    return [row for row in rows if not kept or row.place in kept][:MOST_ROWS]


def _best_sentences(wanted: list[SubQuestion], plain: list[Snippet]) -> list[Snippet]:
    """The sentences that say most of what is asked, for each sub-question the best, and the exceptions that follow them."""
    scored = [[_sentence_value(each, snippet, place) for place, snippet in enumerate(plain)] for each in wanted]
    firsts = [max(range(len(plain)), key=lambda place: row[place]) for row in scored]
    total = [math.fsum(row[place] for row in scored) for place in range(len(plain))]
    best = list(dict.fromkeys([*firsts, *sorted(range(len(plain)), key=lambda place: -total[place])]))[:MOST]
    after = {place + 1 for place in best if place + 1 < len(plain) and _EXCEPTION.match(plain[place + 1].text)}
    return [plain[place] for place in sorted({*best, *after})]


def _sentence_value(each: SubQuestion, snippet: Snippet, place: int) -> float:
    filled = FILLED if each.kind and holds_kind(snippet, each.kind) else 0.0
    return snippet_share(each, snippet) + filled + 0.3 / math.sqrt(1 + place)
