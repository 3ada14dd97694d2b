"""Choosing what to quote: one or two passages, or one for each of several questions, and the pieces of them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from core.base.probabilities import log_odds, odds, softmax
from core.base.types import Hit, Language, ProfileField
from core.bot.answer.refusal import no_answer_to
from core.bot.embedded.piece_probability import answered_probability, likeliest_pieces, piece_log_odds
from core.bot.embedded.snippets import Snippet, snippets
from core.bot.embedded.sub_questions import (
    SubQuestion,
    holds_kind,
    kinds_of,
    snippet_share,
    sub_question,
    sub_questions,
)
from core.bot.embedded.table_rows import asks_for_others, names_row, rows_asked
from core.bot.embedded_settings import settings_for
from core.bot.profile_values import named_values, other_value
from core.bot.section_probability import section_probabilities
from core.bot.several_questions import SearchedQuestion
from core.documents.heading_names import last_heading
from core.text.answer_kinds import FIGURES
from core.text.language import content_words, script

# Characters up to which a passage is quoted whole.
QUOTED_WHOLE_CHARACTERS = {"ja": 260, "zh": 200, "en": 560}
# The same if only a sum, a time or a number is asked for.
QUOTED_WHOLE_FOR_FIGURE = {"ja": 200, "zh": 150, "en": 440}
# The same of a section that was picked by its heading: its reader wants to see what it says.
QUOTED_WHOLE_OF_PICKED = {"ja": 480, "zh": 360, "en": 1000}
# Sentences quoted from a longer passage.
MAX_SENTENCES = 4
# Share of the first section's odds from which another one is about as likely.
ABOUT_AS_LIKELY_ODDS = 1 / 3
# Weight of saying the kind of thing asked for, relative to the share of the words (0 to 1).
KIND_WEIGHT = 0.35
# Probability that a sentence answers from which it comes first, and of all those that are quoted of a longer passage.
FIRST_PROBABILITY = 0.75
SHOWN_PROBABILITY = 0.9
# Probability of the likeliest piece below which any may be meant.
OPEN_BELOW = 0.3
# Score of a section, beside that of the best (1), from which it is named.
NAMED_SCORE = 0.5
# Weight of the log odds that a section answers beside the score of a passage (0 to 1) and what it says.
LIKELIHOOD_WEIGHT = 0.25
_NEEDS_CONTEXT = re.compile(
    r"(?:ただし|なお|また|この|その|これ|それ|こちら|例外|さらに|加えて|同じ|そうで|そうし|違う場合|でない場合)"
    r"|(?:However|Except|Unless|The exception|Otherwise|After that|Until then|This|That|These|Those|It|Its|They|Then|Also|Both|Either|In that case|In this case|If not|If so|Without it)\b"
)  # how a sentence begins that belongs to the one before it
_REFERS = re.compile(
    r"(?:その|それ|この|これ|同じ|上記|ほか|以外|例外|ただし|なお|また|さらに|場合も|ときも|異なる場合)"
    r"|(?i:\b(?:this|that|these|those|it|its|they|them|then|otherwise|instead|also|too|other|others|another|however|after)\b)"
)  # a word in a sentence that points to one before it
# How a sentence introduces the numbered cases behind it, and how these begin.
_INTRODUCES = re.compile(
    r"(?:次|以下|下記|左)の(?:各号|各項|とおり|通り|いずれか|場合|とき|もの|事項|書類)|[:：]$|\b(?:as follows|the following)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"[一二三四五六七八九十]{1,2}[、．.　 ]|[(（][一二三四五六七八九十\dア-コa-k]{1,2}[)）]|\d{1,2}[、．.)）]|[①-⑳ⅰ-ⅹ]|[a-k][.)]\s"
)

_CANNOT = re.compile(  # that something is not possible; `negation.denies` is wider ("There is no canteen in Tokyo")
    r"できません|できない|使えません|られません|ありません|対象外|不可|禁止"
    r"|(?i:\b(?:cannot|can['’]t|can ?not|not (?:available|possible|allowed|included)|no longer|does not|do not|is no|are no)\b)"
)


class Quote(NamedTuple):
    """What is quoted from a passage."""

    number: int  # of the passage, from 1
    pieces: list[Snippet]  # in order
    named: bool = False  # whether its heading is shown, since another section may be meant just as well


def choose_quotes(
    question: str,
    hits: Sequence[Hit],
    weights: Mapping[str, float],
    message: str = "",
    before: Sequence[str] = (),
    allow_rival: bool = False,
    picked: bool = False,
) -> list[Quote]:
    """What to quote: of the best passage, and of another section if that is likelier than its own.

    message: the last one, if the question holds more; the rows of a table that it names go before those of the question.
    before: what the user said before, the newest first; it names the rows if the question names none.
    allow_rival: whether it is enough that the other section is about as likely, as for every message after the first. Of
    first messages hardly one more gets what it asks for by that, and many something beside the point.
    picked: whether the user picked the section by its heading.
    """
    wanted = sub_questions(question, weights)
    last = sub_questions(message, weights) if message else []
    earlier = [sub_questions(text, weights) for text in before if content_words(text)]
    first = max(range(len(hits)), key=lambda place: hits[place].score)
    second = _second_section(first, hits, ABOUT_AS_LIKELY_ODDS if allow_rival else 1.0)
    places = [first] if second is None else [first, second]
    return [
        Quote(place + 1, pieces_of(wanted, hits[place], last, earlier, picked), len(places) > 1) for place in places
    ]


def quotes_for_each(
    asked: Sequence[SearchedQuestion], hits: Sequence[Hit], weights: Mapping[str, float]
) -> list[Quote]:
    """What to quote for each question, in the order of the questions, below headings if that is of several sections."""
    asked_of: dict[int, list[SubQuestion]] = {}
    for one in asked:
        bonus = settings_for(one.hits).same_section_bonus
        sections = {hits[place].section for place in asked_of}
        kinds = kinds_of(one.question)
        own = [sub_question(one.question, one.question, kind, weights) for kind in kinds]
        worth = {hit.passage.id: _worth(one, own, hit) + bonus * (hit.section in sections) for hit in one.hits}
        found = [place for place, hit in enumerate(hits) if hit.passage.id in worth]
        if found:
            best = max(found, key=lambda place: worth[hits[place].passage.id])
            wanted = [sub_question(one.query, one.question, kind, weights, one.message) for kind in kinds]
            asked_of.setdefault(best, []).extend(wanted)
    return [Quote(place + 1, pieces_of(wanted, hits[place]), len(asked_of) > 1) for place, wanted in asked_of.items()]


def _worth(one: SearchedQuestion, own: Sequence[SubQuestion], hit: Hit) -> float:
    """How well a passage fits a question: its score, what its pieces say of the question's own words, and how likely its
    section answers."""
    pieces = snippets(hit.passage.text)
    said = math.fsum(max((piece_value(each, piece) for piece in pieces), default=0.0) for each in own) / len(own)
    return hit.score + said + LIKELIHOOD_WEIGHT * log_odds(one.probability_of(hit))


def notes_on_unanswered(asked: Sequence[SearchedQuestion], quoted: Sequence[Hit], language: Language) -> list[str]:
    """A sentence for each question that is not answered, with the section that may be meant; none if that is quoted
    anyway.

    That is the best one, if it is not improbable, else the best in a document that is quoted for another question.
    """
    shown = {hit.passage.id for hit in quoted}
    documents = {hit.passage.document for hit in quoted}
    said: list[str] = []
    for one in asked:
        likely = [hit for hit in one.hits[:1] if one.best_probability >= settings_for(one.hits).named_from]
        if likely and likely[0].passage.id in shown:
            continue
        beside = [hit for hit in one.hits if hit.passage.document in documents and hit.score >= NAMED_SCORE]
        others = (hit for hit in (*likely, *beside) if hit.passage.id not in shown)
        best = next(others, None)
        said.append(no_answer_to(one.question.strip("。?？ "), last_heading(best.heading) if best else "", language))
    return said


def _second_section(first: int, hits: Sequence[Hit], least_odds: float) -> int | None:
    """The place of the likeliest other section than that of the first passage quoted, if it has this share of its
    odds."""
    chances, quoted = section_probabilities(hits), hits[first]
    others = [place for place, hit in enumerate(hits[: len(chances)]) if hit.section != quoted.section]
    second = max(others, key=lambda place: chances[place], default=None)
    if second is None or first >= len(chances):
        return None
    return second if odds(chances[second]) >= least_odds * odds(chances[first]) else None


class PartAsked(NamedTuple):
    """The pieces of a passage that answer what is asked next, and the probability (0 to 1) that one of them does."""

    pieces: list[Snippet]
    probability: float


def part_asked(
    question: str, about: str, hit: Hit, weights: Mapping[str, float], before: Sequence[str] = ()
) -> PartAsked:
    """The one to three pieces of a passage that answer a question, if it was quoted before; all steps if one of them does.

    about: what that was quoted for. before: as in `choose_quotes`. The probability is a logistic regression on the
    logarithm of the odds of the likeliest piece.
    """
    pieces = snippets(hit.passage.text)
    asked = sub_questions(question, weights)
    values = piece_log_odds(question, asked, pieces, sub_questions(about, weights) if about else ())
    best = likeliest_pieces(values)
    with_steps = any(pieces[place].kind == "step" for place in best)
    best = with_numbered_cases(best, pieces)
    chosen = [piece for place, piece in enumerate(pieces) if place in best or (with_steps and piece.kind == "step")]
    said = [sub_questions(text, weights) for text in (question, *before) if content_words(text)]
    rows = _rows_for(said, said[0] if said else [], [piece for piece in chosen if piece.kind == "row"])
    chosen = [piece for piece in chosen if piece.kind != "row" or piece in rows]
    return PartAsked(chosen, answered_probability(values, pieces))


def pieces_of(
    wanted: list[SubQuestion],
    hit: Hit,
    last: Sequence[SubQuestion] = (),
    earlier: Sequence[Sequence[SubQuestion]] = (),
    picked: bool = False,
) -> list[Snippet]:
    """The pieces of a passage that are quoted for what is asked of it, in the order in which they are shown.

    last, earlier: what the last message asks, whose rows go before those of all that is asked, and what each one before it
    asked, whose rows come after them; picked: whether the section was picked by its heading, so that more of it is shown and
    the heading names no row.
    """
    found = snippets(hit.passage.text)
    rows = [snippet for snippet in found if snippet.kind == "row"]
    rows = _rows_for([last, [] if picked else wanted, *earlier], [] if picked else wanted, rows)
    others = [snippet for snippet in found if snippet.kind != "row"]
    with_steps = any(snippet.kind == "step" for snippet in others)
    most = QUOTED_WHOLE_FOR_FIGURE if _asks_figures(wanted) else QUOTED_WHOLE_CHARACTERS
    most = QUOTED_WHOLE_OF_PICKED if picked else most
    is_long = sum(len(snippet.text) for snippet in (*others, *rows)) > most[script(hit.passage.text)]
    if is_long and others and not with_steps:
        others = _best_sentences(wanted, others, rows)
    return _with_rows(others, rows) if rows or with_steps else _asked_first(wanted, others)


def _rows_for(
    asked: Sequence[Sequence[SubQuestion]], wanted: Sequence[SubQuestion], rows: list[Snippet]
) -> list[Snippet]:
    """The rows for the first of several texts that names any, unless `wanted` asks for others; else those for `wanted`."""
    naming = (each for each in asked if each and names_row(each, rows))
    return rows_asked(wanted if asks_for_others(wanted) else next(naming, wanted), rows)


def _with_rows(others: list[Snippet], rows: list[Snippet]) -> list[Snippet]:
    """The rows in their own order, where the first of their table was."""
    start = min((row.place for row in rows), default=0)
    before = [piece for piece in others if piece.place < start]
    return [*before, *rows, *others[len(before) :]]


def _asked_first(wanted: list[SubQuestion], plain: list[Snippet]) -> list[Snippet]:
    """The sentence that surely answers first, with those that depend on it; the rest in order."""
    if len(plain) < 2:
        return plain
    chances = _chances(wanted, plain)
    best = max(range(len(plain)), key=lambda place: chances[place])
    saying = [
        place for place, piece in enumerate(plain) if _says_all(wanted, piece) and not _NEEDS_CONTEXT.match(piece.text)
    ]
    if len(saying) == 1:
        best = saying[0]
    elif chances[best] < FIRST_PROBABILITY:
        return plain
    if _REFERS.search(plain[best].text) or plain[best].apart:
        return plain
    first = _with_context(best, plain)
    return [*plain[first.start : first.stop], *plain[: first.start], *plain[first.stop :]]


def _asks_figures(wanted: Sequence[SubQuestion]) -> bool:
    """Whether only what is said in figures is asked for: how much, when, how many."""
    return all(each.kind in FIGURES for each in wanted)


def _says_all(wanted: list[SubQuestion], piece: Snippet) -> bool:
    return all(each.kind and holds_kind(piece, each.kind) for each in wanted)


def _chances(wanted: Sequence[SubQuestion], pieces: Sequence[Snippet]) -> tuple[float, ...]:
    """How likely each piece is the one that answers; they sum to 1."""
    question = " ".join(dict.fromkeys(each.message for each in wanted))
    return softmax(piece_log_odds(question, wanted, pieces))


def _with_context(place: int, plain: list[Snippet]) -> range:
    """The places of a sentence, of those before it that it needs ("They stay signed in for 30 days"), and of those
    behind it that need these."""
    start = place
    while start and _NEEDS_CONTEXT.match(plain[start].text):
        start -= 1
    end = place + 1
    while end < len(plain) and _NEEDS_CONTEXT.match(plain[end].text):
        end += 1
    return range(start, end)


def without_other_cases(pieces: list[Snippet], known: Sequence[str], fields: tuple[ProfileField, ...]) -> list[Snippet]:
    """The pieces without rows and sentences about other values of a field than the user named (known: texts, the newest first).

    As they are if none speaks of the user's own value, or if the own case is that something cannot be done, so that
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
        belongs = other[i] or (i > 0 and other[i - 1] and bool(_NEEDS_CONTEXT.match(pieces[i].text)))
        last = i + 1 == len(pieces) or gone[i + 1] or mine[i + 1]
        cuttable = pieces[i].kind == "row" or (pieces[i].kind == "sentence" and last)
        gone[i] = belongs and cuttable and pieces[i].kind not in barred
    return [piece for piece, left in zip(pieces, gone, strict=True) if not left] or pieces


def _best_sentences(wanted: Sequence[SubQuestion], plain: list[Snippet], rows: Sequence[Snippet] = ()) -> list[Snippet]:
    """The sentences that likely answer, beside the rows that are shown: for each sub-question the likeliest, with those
    around them that need each other. All of a text of usual length if any of them may be meant."""
    pieces = [*plain, *rows]
    each_alone = [_chances([each], pieces) for each in wanted]
    total = [math.fsum(chances[place] for chances in each_alone) / len(wanted) for place in range(len(pieces))]
    is_open = all(max(chances) < OPEN_BELOW for chances in each_alone) or all(map(_names_topic, wanted))
    if is_open and sum(len(piece.text) for piece in pieces) <= QUOTED_WHOLE_OF_PICKED[script(plain[0].text)]:
        return plain
    likeliest = {max(range(len(pieces)), key=lambda place: chances[place]) for chances in each_alone}
    shown = likeliest.union(range(len(plain), len(pieces)))
    for place in sorted(range(len(plain)), key=lambda place: -total[place])[:MAX_SENTENCES]:
        if math.fsum(total[one] for one in shown) < SHOWN_PROBABILITY:
            shown.add(place)
    best = {other for place in shown if place < len(plain) for other in _with_context(place, plain)}
    introducing = {place for place, piece in enumerate(plain) if rows and _INTRODUCES.search(piece.text)}
    return [plain[place] for place in sorted(with_numbered_cases(best | introducing, plain))]


def _names_topic(each: SubQuestion) -> bool:
    """Whether a question is a word and no more: what there is to say of it is asked for."""
    return each.kind is None and len(each.words) <= 1


def with_numbered_cases(places: Collection[int], pieces: Sequence[Snippet]) -> set[int]:
    """The places of pieces, with all of a sentence that introduces numbered cases and of these (次の各号…。一、…。二、…。), if
    one of them is among the places: of such cases none may be missing."""
    found, start = set(places), 0
    while start < len(pieces):
        end = start + 1
        if _INTRODUCES.search(pieces[start].text):
            while end < len(pieces) and _NUMBERED.match(pieces[end].text):
                end += 1
            if end > start + 1 and not found.isdisjoint(range(start, end)):
                found.update(range(start, end))
        start = end
    return found


def piece_value(each: SubQuestion, snippet: Snippet) -> float:
    """How much of what is asked a piece says: the share of the words, and the kind of thing asked for."""
    return snippet_share(each, snippet) + (KIND_WEIGHT if each.kind and holds_kind(snippet, each.kind) else 0.0)
