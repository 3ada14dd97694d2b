"""Choosing what to quote: a passage for each thing that is asked, and the pieces of it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.base.probabilities import coefficients, linear, log_odds, logistic
from core.base.types import Hit, ProfileField
from core.bot.answer.relevance import (
    SubQuestion,
    focus_share,
    holds_kind,
    opposition,
    passage_words,
    relevance,
    snippet_share,
    sub_questions,
    word_share,
)
from core.bot.answer.snippets import Snippet, snippets
from core.bot.evidence import has_examples, section_probabilities
from core.bot.profile_values import named_values, other_value
from core.retrieval.headings import last_heading
from core.text.answer_kinds import FIGURES, says_kind
from core.text.language import content_words, script, terms
from core.text.normalize import normalize
from core.text.number_ranges import range_of
from core.text.numbers import amounts
from core.text.synonyms import words_with_synonyms

# Characters up to which a passage is quoted whole.
QUOTED_WHOLE_CHARACTERS = {"ja": 260, "zh": 200, "en": 560}
# Sentences quoted from a longer passage.
MAX_SENTENCES = 4
# Rows quoted from a longer table.
MAX_ROWS = 8
# Passages quoted in one answer.
MAX_PASSAGES = 3
# Rows of a table that is quoted whole.
MAX_ROWS_OF_WHOLE_TABLE = 4
# Share of the telling words of a row's first cell from which a message names the row.
NAMED_ROW_SHARE = 0.6
# Share of the best row's from which another row is named as well.
NAMED_AS_WELL_SHARE = 0.6
# By how much less relevant than the best one a passage that is quoted already may be to serve a sub-question, too.
SERVING_RELEVANCE_GAP = 0.25
# Share of the words that the best passage has, which such a passage must have.
SERVING_WORD_SHARE = 0.8
# By how much less relevant than the first one a passage may be to be quoted as a second one, if it adds something.
SECOND_RELEVANCE_GAP = 0.15
# The same for the best passage of the search, if the first one quoted is another.
BEST_OF_SEARCH_RELEVANCE_GAP = 0.3
# Probability that another section answers instead of the first one, from which it is quoted, too.
SECOND_SECTION_FROM = 0.25
# Sentences quoted of the core of a passage.
CORE_SENTENCES = 2
# Pieces of a passage quoted before that are quoted again for what is asked now.
ASKED_PIECES = 2
# What it counts that a sentence says the kind of thing asked for, beside its words (0 to 1).
KIND_WEIGHT = 0.35
# What it counts that a sentence is the first of its passage; of those behind it, divided by the square root of the place.
FIRST_SENTENCE_WEIGHT = 0.3
# Share of the telling words from which a sentence that says the kind of thing asked for surely answers.
SURE_WORD_SHARE = 0.5
_EXCEPTION = re.compile(r"^(?:ただし|なお|また、?ただし|例外|However|Except|Unless|The exception)")

_JOINED = re.compile(r"[・、,/／]|または|\bor\b")  # between the cases of one table row
_KANA = re.compile(r"[ぁ-んー]+")
_BRACKET = re.compile(r"[()（）]")
_PER_DAY = re.compile(r"1日(?=\d{1,2}(?:\.\d)?時間)")  # in "1日5時間" it counts no days
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_LEANS = re.compile(
    r"(?:ただし|なお|また|この|その|これ|それ|こちら|例外|さらに|加えて|同じ)"
    r"|(?:However|Except|Unless|The exception|Otherwise|After that|Until then|This|That|These|Those|It|Its|They|Then|Also|Both|Either|In that case)\b"
)  # how a sentence begins that belongs to the one before it
_REFERS = re.compile(
    r"(?:その|それ|この|これ|同じ|上記|ほか|以外|例外|ただし|なお|また|さらに|場合も|ときも|異なる場合)"
    r"|(?i:\b(?:this|that|these|those|it|its|they|them|then|otherwise|instead|also|too|other|others|another|however|after)\b)"
)  # a word in a sentence that points to one before it
_CANNOT = re.compile(
    r"できません|できない|使えません|られません|ありません|対象外|不可|禁止"
    r"|(?i:\b(?:cannot|can['’]t|can ?not|not (?:available|possible|allowed|included)|no longer|does not|do not|is no|are no)\b)"
)
_NUMBERING = re.compile(r"^\d+[.)．]\s+")


class Quote(NamedTuple):
    """What is quoted of a passage: its number from 1, and its pieces in order.

    named: whether its heading is said, since another section may be meant just as well.
    """

    number: int
    pieces: list[Snippet]
    named: bool = False


def choose_quotes(question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> list[Quote]:
    """What to quote; of one to three passages, the best first."""
    picked: dict[int, list[SubQuestion]] = {}
    for wanted in sub_questions(question, weights):
        values = [relevance(wanted, hit) for hit in hits]
        best = max(range(len(hits)), key=lambda place: values[place])
        near = [
            place
            for place in picked
            if values[place] >= values[best] - SERVING_RELEVANCE_GAP and _serves(wanted, hits[place], hits[best])
        ]
        place = near[0] if near else best
        if place in picked or len(picked) < MAX_PASSAGES:
            picked.setdefault(place, []).append(wanted)
    quotes = [Quote(place + 1, pieces_of(wanted, hits[place])) for place, wanted in picked.items()]
    beside = [quote for place, wanted in picked.items() for quote in _beside(place, wanted, hits) if len(picked) == 1]
    return [quote._replace(named=bool(beside)) for quote in (*quotes, *beside)]


def _beside(place: int, wanted: list[SubQuestion], hits: Sequence[Hit]) -> list[Quote]:
    """A second passage for the same sub-questions as the first, whose place is given, if one is needed."""
    if (second := _close(place, wanted, hits)) is not None:
        return [Quote(second + 1, pieces_of(wanted, hits[second]))]
    second = likeliest_beside(place, wanted, hits)
    if second is None or needed_probability(second_features(place, second, wanted, hits)) < SECOND_SECTION_FROM:
        return []
    value, first = (_value(wanted, hits[i]) for i in (second, place))
    pieces = pieces_of(wanted, hits[second]) if value >= first - SECOND_RELEVANCE_GAP else _core(wanted, hits[second])
    return [Quote(second + 1, pieces)]


def likeliest_beside(place: int, wanted: list[SubQuestion], hits: Sequence[Hit]) -> int | None:
    """The likeliest of the other sections, of those whose heading is not the opposite of what is asked."""
    chances, first = section_probabilities(hits), hits[place]
    if place >= len(chances):
        return None
    others = [
        i
        for i in range(len(chances))
        if (hits[i].document, hits[i].heading) != (first.document, first.heading) and not _is_opposite(wanted, hits[i])
    ]
    return max(others, key=lambda i: chances[i], default=None)


def second_features(place: int, second: int, wanted: list[SubQuestion], hits: Sequence[Hit]) -> dict[str, float]:
    """What speaks for another section as the one that answers instead of the first quoted.

    first, second: log odds that each of them is meant; behind: by how much the second is less relevant.
    """
    chances = section_probabilities(hits)
    return {
        "first": log_odds(chances[place]),
        "second": log_odds(chances[second]),
        "behind": _value(wanted, hits[place]) - _value(wanted, hits[second]),
    }


def needed_probability(found: Mapping[str, float]) -> float:
    """Probability (0 to 1) that the second section is needed; coefficients: second_section.toml."""
    return logistic(linear(coefficients(__file__, "second_section.toml")["second"], found))


def _value(wanted: list[SubQuestion], hit: Hit) -> float:
    return math.fsum(relevance(each, hit) for each in wanted) / len(wanted)


def _is_opposite(wanted: list[SubQuestion], hit: Hit) -> bool:
    return any(opposition(each, last_heading(hit.heading)) < 0 for each in wanted)


def part_asked(question: str, about: str, hit: Hit, weights: Mapping[str, float]) -> list[Snippet]:
    """The two pieces of a passage that answer a question, if it was quoted before; all steps if one of them does.

    about: what that was quoted for: pieces that say its words were the answer then. Conditional logit; coefficients:
    part_asked.toml.
    """
    pieces, fitted = snippets(hit.passage.text), coefficients(__file__, "part_asked.toml")["part"]
    values = [linear(fitted, found) for found in piece_features(question, about, pieces, weights)]
    best = set(sorted(range(len(pieces)), key=lambda place: -values[place])[:ASKED_PIECES])
    with_steps = any(pieces[place].kind == "step" for place in best)
    return [piece for place, piece in enumerate(pieces) if place in best or (with_steps and piece.kind == "step")]


def piece_features(
    question: str, about: str, pieces: Sequence[Snippet], weights: Mapping[str, float]
) -> list[dict[str, float]]:
    """What speaks for each piece as the one that answers a question.

    own: the share of the question's words that it has (0 to 1); before: that of what was asked before; kind: whether it
    says the kind of thing asked for (0 or 1).
    """
    asked, before = sub_questions(question, weights), sub_questions(about, weights) if about else []
    return [
        {
            "own": max(snippet_share(each, piece) for each in asked),
            "before": max((snippet_share(each, piece) for each in before), default=0.0),
            "kind": float(any(each.kind and holds_kind(piece, each.kind) for each in asked)),
        }
        for piece in pieces
    ]


def _core(wanted: list[SubQuestion], hit: Hit) -> list[Snippet]:
    """The steps or rows of a passage that are quoted, else the two sentences that say most of what is asked."""
    found = pieces_of(wanted, hit)
    listed = [piece for piece in found if piece.kind != "sentence"]
    return listed or _best_sentences(wanted, sorted(found, key=lambda piece: piece.place), CORE_SENTENCES)


def _close(place: int, wanted: list[SubQuestion], hits: Sequence[Hit]) -> int | None:
    """A second passage whose value is close: of the same section, or of any where nothing tells how likely sections are.

    That is one which says words of the question that the first lacks, or the best of the search if the first is another.
    """
    values = [_value(wanted, hit) for hit in hits]
    missing = frozenset(wanted[0].words) - passage_words(hits[place])
    first, alone = hits[place], has_examples(hits)
    ranked = sorted((i for i in range(len(hits)) if i != place), key=lambda i: (i > 0, -values[i]))
    for i in ranked[:2]:
        of_other = (hits[i].document, hits[i].heading) != (first.document, first.heading)
        if _is_opposite(wanted, hits[i]) or (alone and of_other):
            continue
        close = values[i] >= values[place] - (BEST_OF_SEARCH_RELEVANCE_GAP if i == 0 else SECOND_RELEVANCE_GAP)
        if close and (i == 0 or missing & passage_words(hits[i])):
            return i
    return None


def _serves(wanted: SubQuestion, hit: Hit, best: Hit) -> bool:
    """Whether a passage that is quoted already says the kind of thing asked for, and as much of the question as the best."""
    words = set(content_words(wanted.question))
    own = wanted._replace(words={word: weight for word, weight in wanted.words.items() if word in words})
    if word_share(own, passage_words(hit)) < SERVING_WORD_SHARE * word_share(own, passage_words(best)):
        return False
    return wanted.kind is None or any(holds_kind(snippet, wanted.kind) for snippet in snippets(hit.passage.text))


def pieces_of(wanted: list[SubQuestion], hit: Hit) -> list[Snippet]:
    """The pieces of a passage that are quoted for what is asked of it, in the order in which they are shown."""
    found = list(snippets(hit.passage.text))
    rows = _rows(wanted, [snippet for snippet in found if snippet.kind == "row"])
    steps = [snippet for snippet in found if snippet.kind == "step"]
    plain = [snippet for snippet in found if snippet.kind == "sentence"]
    if steps and not rows and _say_no_value(wanted, steps):
        places = _surely(wanted, [*steps, *plain], hit)
        if places and min(places) >= len(steps):
            return [*_asked_first(wanted, plain, hit), *steps]
    if rows or steps:
        return sorted([*plain, *steps, *rows], key=lambda snippet: snippet.place)
    if sum(len(snippet.text) for snippet in plain) > QUOTED_WHOLE_CHARACTERS[script(hit.passage.text)]:
        plain = _best_sentences(wanted, plain)
    return _asked_first(wanted, plain, hit)


def _say_no_value(wanted: list[SubQuestion], steps: list[Snippet]) -> bool:
    """Whether an amount, a time or a number is asked for, and none of the steps says one (beside its own number)."""
    texts = [_NUMBERING.sub("", step.text) for step in steps]
    return all(each.kind in FIGURES and not any(says_kind(text, each.kind) for text in texts) for each in wanted)


def _asked_first(wanted: list[SubQuestion], plain: list[Snippet], hit: Hit) -> list[Snippet]:
    """The sentence that surely says the kind of thing asked for first, with those that lean on it; the rest in order."""
    firsts = _surely(wanted, plain, hit)
    first = min(firsts, default=0)
    if len(firsts) != 1 or not first or _REFERS.search(plain[first].text):
        return plain
    end = first + 1
    while end < len(plain) and _LEANS.match(plain[end].text):
        end += 1
    return [*plain[first:end], *plain[:first], *plain[end:]]


def _surely(wanted: list[SubQuestion], plain: list[Snippet], hit: Hit) -> set[int]:
    """The places of the sentences that surely say the kinds of thing asked for; none if one of these is not surely said."""
    heading = frozenset(terms(f"{hit.passage.title} {hit.passage.heading}"))
    held = [frozenset(terms(snippet.text)) for snippet in plain]
    found: set[int] = set()
    for each in wanted:
        shares = _telling_shares(each, heading, held)
        values = [
            share if each.kind and holds_kind(snippet, each.kind) else 0.0
            for share, snippet in zip(shares, plain, strict=True)
        ]
        if max(values, default=0.0) < SURE_WORD_SHARE:
            return set()
        found.add(values.index(max(values)))
    return found


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
    """The pieces without rows and sentences about other values of a field than the person named (known: texts, the newest first).

    As they are if none speaks of the person's own value, or if the own case is that something cannot be done, so that
    the others tell what can. A sentence stays if what follows it may belong to it.
    """
    values = [next(filter(None, (named_values(field, text) for text in known)), frozenset[str]()) for field in fields]
    own = " / ".join(value for found in values for value in sorted(found))
    other = [other_value(fields, own, piece.text) for piece in pieces]
    mine = [
        any(named_values(field, piece.text) & found for field, found in zip(fields, values, strict=True))
        for piece in pieces
    ]
    if not any(mine):
        return pieces
    barred = {piece.kind for piece, here in zip(pieces, mine, strict=True) if here and _CANNOT.search(piece.text)}
    gone = [False] * len(pieces)
    for i in reversed(range(len(pieces))):
        belongs = other[i] or (i > 0 and other[i - 1] and bool(_LEANS.match(pieces[i].text)))
        last = i + 1 == len(pieces) or gone[i + 1] or mine[i + 1]
        cuttable = pieces[i].kind == "row" or (pieces[i].kind == "sentence" and last)
        gone[i] = belongs and cuttable and pieces[i].kind not in barred
    return [piece for piece, left in zip(pieces, gone, strict=True) if not left] or pieces


def _rows(wanted: list[SubQuestion], rows: list[Snippet]) -> list[Snippet]:
    """The rows of what is counted or priced, else those whose case the question names; all of a short table, and of a longer one if it names none."""
    rows = _in_range(wanted, rows)
    cases = {row.place: case for row, case in zip(rows, _telling_cases(rows), strict=True)}
    counted = [row for row in rows if any(focus_share(each, frozenset(terms(cases[row.place]))) for each in wanted)]
    rows = counted or rows
    if not counted and len(rows) <= MAX_ROWS_OF_WHOLE_TABLE:
        return rows
    while len(kept := _named_rows(wanted, rows, cases)) < len(rows):
        rows = kept
    return rows[:MAX_ROWS]


def _named_rows(wanted: list[SubQuestion], rows: list[Snippet], cases: Mapping[int, str]) -> list[Snippet]:
    """The rows whose case is named, by the words that not all of them share; all if none is."""
    words = [frozenset(content_words(cases[row.place])) for row in rows]
    common = (
        words[0].intersection(*words[1:]) if len(words) > 1 else frozenset[str]()
    )  # "plan" in "Free plan", "Plus plan"
    named: set[int] = set()
    for each in wanted:
        values = [_named(each, cases[row.place], common) for row in rows]
        top = max(values)
        named.update(
            row.place
            for row, value in zip(rows, values, strict=True)
            if top >= NAMED_ROW_SHARE and value >= NAMED_AS_WELL_SHARE * top
        )
    return [row for row in rows if not named or row.place in named]


def _telling_cases(rows: Sequence[Snippet]) -> list[str]:
    """The case of each row without what is in brackets, unless that alone tells the rows apart."""
    plain = [_ASIDE.sub("", row.case) for row in rows]
    return plain if len(set(plain)) == len(plain) else [_BRACKET.sub("・", row.case) for row in rows]


def _in_range(wanted: list[SubQuestion], rows: list[Snippet]) -> list[Snippet]:
    """The rows without those of other figures, or ranges, than that of the message (12 km: 10km以上15km未満)."""
    said = [one for each in wanted for one in amounts(_PER_DAY.sub("", each.said))]
    ranges = [range_of(row.case) for row in rows]
    if not any(one.holds(figure) for one in ranges if one for figure in said):
        return rows
    held = zip(rows, ranges, strict=True)
    return [row for row, one in held if one is None or any(one.holds(figure) for figure in said)]


def _named(each: SubQuestion, case: str, common: frozenset[str]) -> float:
    """How surely a question names the case of a table row, or one of those joined in it (0 to 1)."""
    said = "".join(normalize(each.said).split())
    meant = words_with_synonyms(each.said) | each.words.keys()
    shares = [0.0]
    for one in _JOINED.split(case):
        words = set(content_words(one)) - common
        if words:
            shares.append(1.0 if _written(one, said) else len(words & meant) / len(words))
    return max(shares)


def _written(case: str, said: str) -> bool:
    """Whether a case stands in a message letter by letter (without spaces); kana alone may be part of a longer word."""
    plain = "".join(normalize(case).split())
    if _KANA.fullmatch(plain):
        return False
    return len(plain) >= 2 and re.search(rf"(?<![a-z0-9]){re.escape(plain)}(?![a-z0-9])", said) is not None


def _best_sentences(wanted: list[SubQuestion], plain: list[Snippet], most: int = MAX_SENTENCES) -> list[Snippet]:
    """The sentences that say most of what is asked, for each sub-question the best, and the exceptions that follow them."""
    scored = [[_sentence_value(each, snippet, place) for place, snippet in enumerate(plain)] for each in wanted]
    firsts = [max(range(len(plain)), key=lambda place: row[place]) for row in scored]
    total = [math.fsum(row[place] for row in scored) for place in range(len(plain))]
    best = list(dict.fromkeys([*firsts, *sorted(range(len(plain)), key=lambda place: -total[place])]))[:most]
    after = {place + 1 for place in best if place + 1 < len(plain) and _EXCEPTION.match(plain[place + 1].text)}
    return [plain[place] for place in sorted(_with_those_before({*best, *after}, plain))]


def _with_those_before(places: set[int], plain: list[Snippet]) -> set[int]:
    """The places of sentences, and of those before them that they lean on ("They stay signed in for 30 days")."""
    found = set(places)
    for place in sorted(places, reverse=True):
        while place and place - 1 not in found and _LEANS.match(plain[place].text):
            place -= 1
            found.add(place)
    return found


def _sentence_value(each: SubQuestion, snippet: Snippet, place: int) -> float:
    filled = KIND_WEIGHT if each.kind and holds_kind(snippet, each.kind) else 0.0
    return snippet_share(each, snippet) + filled + FIRST_SENTENCE_WEIGHT / math.sqrt(1 + place)
