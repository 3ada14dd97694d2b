"""The whole text that answers a question: the sentence that does, with its conditions and what continues it."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.question import RuleQuestion
from core.datasets.document_questions.section import Section
from core.text.language import script, sentences

FIGURES = frozenset({"figure", "time"})
MAX_LETTERS = {"ja": 320, "en": 780}  # of a whole answer; an answer that is longer than this by itself stays
MAX_FOLLOWING = 3  # sentences that a figure is followed by
_BLOCK_END = re.compile(r"\n(?=\||#)")
_STEPS = re.compile(r"\s*(?:\d+[.)．]\s.*\n)+\s*")
_LIMITS = re.compile(  # a sentence that leans on the one before it, or has a condition
    r"^(?:ただし|なお|また|しかし|一方|さらに|それ|その|この|これ|同じ|いずれも|期限を過ぎ|"
    r"(?:However|But|Otherwise|It|This|That|These|They|Then|Such|Both|The same|In that case|Exceptions?|Older)\b)|"
    r"とき|場合|方|際|以降|以上|以下|未満|超え|遅れ|限り|限って|に限|除|過ぎ|までに|以内|必要|不要|できません|対象外|"
    r"\b(?:if|unless|except|until|only|before|after|within|later|not|cannot|otherwise|at least|at most|per)\b",
    re.IGNORECASE,
)
_TWO_MATTERS = re.compile(r"と|・|\band\b")
_POINTS = re.compile(r"(?:次の|以下の|下の)(?:表|とおり)|\b(?:below|following|in the table)\b")
_ANNOUNCES = re.compile(
    r"(?:次の|以下の|下の|下記)[^。]*。?$|次のとおり|[:：]$|\b(?:below|following|in the table|as follows)\b[^.]*[.:]?$"
)
_ANNOUNCED = re.compile(r"(?>\s*\n)((?:\s*(?:\||[-*+・]|\d+[.)．]\s)[^\n]*(?:\n|$))+)")
_LEANS = re.compile(
    r"ただし|なお、|しかし|一方|その(?:場合|とき|際|後)|これ(?:を|より|に)|それ(?:以外|より|以降)|いずれも|期限を過ぎ|.{0,14}(?:除きます|に限ります|のみです)|"
    r"(?:However|But|Otherwise|In that case|Exceptions?|Except)\b"
)
_OLD = re.compile(r"旧ルール|旧制度|それまでは|までの(?:旧|ルール)|\b(?:old rule|used to|formerly|previously)\b")


def with_whole_answer(question: RuleQuestion, section: Section) -> RuleQuestion:
    """The question with a reference that has the conditions and the later sentences that belong to the answer.

    That is the section's text from the answer on, up to the next table; after a figure a few sentences, and if the
    heading has two subjects, only what limits the figure. Rows of tables stay.
    """
    text, start = section.text, section.text.find(question.reference)
    if question.reference.startswith("|") or start < 0:
        return question
    end = start + len(question.reference)
    if question.asks == "sentence":
        for sentence in _following(text, end):
            if not _LEANS.match(sentence):
                break
            end = text.find(sentence, end) + len(sentence)
        return question.model_copy(update={"reference": text[start : _with_table(text, end)].strip()})
    is_figure = question.asks in FIGURES
    is_narrow = is_figure and bool(_TWO_MATTERS.search(section.topic))
    before = text[:start].strip()
    if (is_figure and not is_narrow and section.sentences()[:1] == (before,)) or (
        not is_figure and _STEPS.fullmatch(text[:start])
    ):
        start = text.find(before)  # what the figure is about, or the steps before the sentence
    place = end
    for sentence in _following(text, end)[: MAX_FOLLOWING if is_figure else None]:
        place = text.find(sentence, place) + len(sentence)
        is_too_long = place - start > MAX_LETTERS["en" if script(text) == "en" else "ja"]
        if is_too_long or (is_narrow and not _LIMITS.search(sentence)):
            break
        if not (_OLD.search(sentence) or _POINTS.search(sentence)):  # kept only if the answer goes on after them
            end = place
    end = place if _POINTS.search(text[end:place]) and _with_table(text, place) > place else end
    return question.model_copy(update={"reference": text[start : _with_table(text, end)].strip()})


def _with_table(text: str, end: int) -> int:
    """The end of an answer, or of the table or list that its last line announces."""
    announced = _ANNOUNCED.match(text, end)
    last = text[:end].rstrip().splitlines()[-1:]
    return announced.end() if announced and last and _ANNOUNCES.search(last[0]) else end


def _following(text: str, place: int) -> list[str]:
    """The sentences from a place of a text on, up to the next table or heading."""
    block_end = _BLOCK_END.search(text, place)
    lines = text[place : block_end.start() if block_end else None].splitlines()
    return [sentence.strip() for line in lines for sentence in sentences(line) if sentence.strip()]
