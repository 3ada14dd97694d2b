"""What is quoted for each of several questions, and which of them are left open."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.base.probabilities import log_odds
from core.base.types import Hit, Language
from core.bot.answer.refusal import no_answer_to
from core.bot.embedded.quotes import Quote, piece_value, pieces_of
from core.bot.embedded.snippets import snippets
from core.bot.embedded.sub_questions import SubQuestion, kinds_of, sub_question
from core.bot.embedded_settings import settings_for
from core.bot.several_questions import SearchedQuestion
from core.documents.heading_names import last_heading

# Score of a section, beside that of the best (1), from which it is named.
NAMED_SCORE = 0.5
# Weight of the log odds that a section answers beside the score of a passage (0 to 1) and what it says.
LIKELIHOOD_WEIGHT = 0.25


def quotes_for_each(
    asked: Sequence[SearchedQuestion], hits: Sequence[Hit], weights: Mapping[str, float]
) -> list[Quote]:
    """What to quote for each question, in the order of the questions, below headings if that is of several sections."""
    picked: dict[int, list[SubQuestion]] = {}
    for one in asked:
        bonus = settings_for(one.hits).same_section_bonus
        sections = {hits[place].section for place in picked}
        kinds = kinds_of(one.question)
        own = [sub_question(one.question, one.question, kind, weights) for kind in kinds]
        worth = {hit.passage.id: _worth(one, own, hit) + bonus * (hit.section in sections) for hit in one.hits}
        found = [place for place, hit in enumerate(hits) if hit.passage.id in worth]
        if found:
            best = max(found, key=lambda place: worth[hits[place].passage.id])
            wanted = [sub_question(one.query, one.question, kind, weights, one.message) for kind in kinds]
            picked.setdefault(best, []).extend(wanted)
    return [Quote(place + 1, pieces_of(wanted, hits[place]), len(picked) > 1) for place, wanted in picked.items()]


def _worth(one: SearchedQuestion, own: Sequence[SubQuestion], hit: Hit) -> float:
    """How well a passage fits a question: its score, what its pieces say of the question's own words, and how likely its
    section answers."""
    pieces = snippets(hit.passage.text)
    said = math.fsum(max((piece_value(each, piece) for piece in pieces), default=0.0) for each in own) / len(own)
    return hit.score + said + LIKELIHOOD_WEIGHT * log_odds(one.probability_of(hit))


def left_open(asked: Sequence[SearchedQuestion], quoted: Sequence[Hit], language: Language) -> list[str]:
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
