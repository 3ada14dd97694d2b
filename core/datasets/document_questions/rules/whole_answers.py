"""The whole text that answers a question: the sentence that does, with its conditions and what continues it."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.rule_question import RuleQuestion
from core.datasets.document_questions.section import Section
from core.text.language import script, sentences

FIGURES = frozenset({"deadline", "date", "amount", "extent", "hours", "until", "figure", "time"})
MOST_LETTERS = {"ja": 320, "en": 780}  # of a whole answer; an answer that is longer than this by itself stays
MOST_FOLLOWING = 3  # sentences that a figure is followed by
_BLOCK_END = re.compile(r"\n(?=\||#)")
_LEANS = re.compile(
    r"^(?:ただし|なお|また|しかし|一方|さらに|それ|その|この|これ|同じ|いずれも|期限を過ぎ|(?:超え|過ぎ|遅れ)|"
    r"(?:However|But|Otherwise|If (?:not|this|that|it|they|the)|It|This|That|These|They|Then|Such|Both|The same|After (?:that|this)|"
    r"In that case|Exceptions?|Only|Later|Older|Until then)\b)"
)
_CONDITION = re.compile(
    r"(?:とき|場合|方|際|以降|以上|以下|未満|超え|限り|限って|に限|除|過ぎ|までに|以内|必要|不要|できません|対象外)|"
    r"\b(?:if|unless|except|until|only|before|after|within|later|not|cannot|otherwise|at least|at most|per)\b",
    re.IGNORECASE,
)
_TWO_MATTERS = re.compile(r"と|・|\band\b")
_POINTS = re.compile(r"(?:次の|以下の|下の)(?:表|とおり)|\b(?:below|following|in the table)\b")
_OLD = re.compile(r"旧ルール|旧制度|それまでは|までの(?:旧|ルール)|\b(?:old rule|used to|formerly|previously)\b")


def with_whole_answer(question: RuleQuestion, section: Section) -> RuleQuestion:
    """The draft with a reference that has the conditions and the later sentences that belong to the answer.

    A question that the heading promises an answer to takes the section's text from the answer on, up to the next table;
    one about a figure of one of two matters of a heading, what limits or continues it. Rows of tables stay.
    """
    start = section.text.find(question.reference)
    if question.reference.lstrip().startswith("|") or start < 0:
        return question
    end = start + len(question.reference)
    kind, _, counted = question.asks.partition(":")
    figure = kind in FIGURES or bool(counted)
    two_matters = bool(_TWO_MATTERS.search(section.topic))
    if not figure:
        start = _start_of_steps(section.text, start)
    first = next(iter(section.sentences()), "")
    if figure and not two_matters and section.text[:start].strip() == first:
        start = section.text.find(first)  # what the figure is about
    most = MOST_FOLLOWING if figure else 99
    end = _end(section.text, start, end, _end_of_block(section.text, end), most, narrow=figure and two_matters)
    return question.model_copy(update={"reference": section.text[start:end].strip()})


def _start_of_steps(text: str, place: int) -> int:
    """Where steps that stand before the answer begin, if they are all that does."""
    before = text[:place]
    steps = re.match(r"\s*(?:\d+[.)．]\s.*\n)+\s*$", before)
    return len(before) - len(before.lstrip()) if steps else place


def _end_of_block(text: str, place: int) -> int:
    """Where a table or the text ends that follows."""
    found = _BLOCK_END.search(text, place)
    return found.start() if found else len(text)


def _end(text: str, start: int, end: int, stop: int, most: int, narrow: bool) -> int:
    """The end of the last following sentence that belongs to the answer; narrow: sentences that limit or continue it."""
    letters = MOST_LETTERS["en" if script(text) == "en" else "ja"]
    place, last = end, end
    following = [
        sentence.strip() for line in text[end:stop].splitlines() for sentence in sentences(line) if sentence.strip()
    ]
    for number, sentence in enumerate(following):
        place = text.find(sentence, place) + len(sentence)
        if place - start > letters or number >= most:
            break
        if narrow and not (_LEANS.match(sentence) or _CONDITION.search(sentence)):
            break
        if not (_OLD.search(sentence) or _POINTS.search(sentence)):  # kept only if the answer goes on after them
            last = place
    return last
