"""The questions that a section answers, by rules, each with the whole text that answers it: the sentence that does, with
its conditions and what continues it."""

from __future__ import annotations

import re
from itertools import zip_longest

from core.base.types import Language
from core.datasets.document_questions.open_questions import Attributes, with_open_variant
from core.datasets.document_questions.rules.heading_questions_en import heading_question_en
from core.datasets.document_questions.rules.heading_questions_ja import heading_question_ja
from core.datasets.document_questions.rules.sentence_questions_en import sentence_question_en
from core.datasets.document_questions.rules.sentence_questions_ja import sentence_question_ja
from core.datasets.document_questions.rules.table_questions_en import cell_question_en
from core.datasets.document_questions.rules.table_questions_ja import cell_question_ja
from core.datasets.document_questions.rules.table_rows import cells_asked
from core.datasets.document_questions.section import Section, WrittenQuestion, choice
from core.text.language import script, sentences

_RULES = {  # for its heading, a cell of its table and a sentence
    "ja": (heading_question_ja, cell_question_ja, sentence_question_ja),
    "en": (heading_question_en, cell_question_en, sentence_question_en),
}
_OPEN = re.compile(
    r"いくら|いつ|何|どこ|どの|どう|どんな|教えて|(?:^|[.:] )(?!(?:is|are|do|does|can|may|must)\b)\w[^.:]*\?$",
    re.IGNORECASE,
)
MAX_SENTENCES = 6  # of a section that one question on its whole heading can be answered by
MAX_LETTERS = {"ja": 320, "en": 780}  # of a whole answer; an answer that is longer than this by itself stays
_BLOCK_END = re.compile(r"\n(?=\||#)")
_ANNOUNCES = re.compile(
    r"(?:次の|以下の|下の|下記)[^。]*。?$|次のとおり|[:：]$|\b(?:below|following|in the table|as follows)\b[^.]*[.:]?$"
)
_ANNOUNCED = re.compile(r"(?>\s*\n)((?:\s*(?:\||[-*+・]|\d+[.)．]\s)[^\n]*(?:\n|$))+)")
_LEANS = re.compile(
    r"ただし|なお、|しかし|一方|その(?:場合|とき|際|後)|これ(?:を|より|に)|それ(?:以外|より|以降)|いずれも|期限を過ぎ|.{0,14}(?:除きます|に限ります|のみです)|"
    r"(?:However|But|Otherwise|In that case|Exceptions?|Except)\b"
)
_OLD = re.compile(r"旧ルール|旧制度|それまでは|までの(?:旧|ルール)|\b(?:old rule|used to|formerly|previously)\b")


def questions_by_rules(section: Section, language: Language, attributes: Attributes = ()) -> list[WrittenQuestion]:
    """The questions that a section answers: the surest first, each with the exact text that answers it.

    attributes: (name, values) of what is known of people, such as their office; a heading about one value gives a
    question that can be asked openly.
    """
    ask_heading, ask_cell, ask_sentence = _RULES[language]
    statements = () if section.is_old else section.statements()
    question, answer = "", ""
    if statements and section.asked:
        question, answer = section.asked, statements[0]
    elif 0 < len(statements) <= MAX_SENTENCES:
        question, answer = ask_heading(section)
    of_heading = [WrittenQuestion(question=question, reference=_to_end_of_block(answer, section.text))]
    of_cells = [found for cell in cells_asked(section) if (found := ask_cell(cell, section))]
    asked = [(asked, sentence) for sentence in statements if (asked := ask_sentence(sentence, section))]
    of_sentences = [
        WrittenQuestion(question=question, reference=_with_conditions(sentence, section.text))
        for question, sentence in sorted(asked, key=lambda pair: not _OPEN.search(pair[0]))
    ]
    first, second = of_cells, of_sentences
    if choice(("table", "sentence"), section.heading) == "sentence":
        first, second = second, first
    others = [found for pair in zip_longest(first, second) for found in pair if found]
    return [with_open_variant(found, section, attributes) for found in (*(of_heading if question else ()), *others)]


def _with_conditions(sentence: str, text: str) -> str:
    """A sentence of a text with those after it that limit it."""
    start = text.find(sentence)
    end = start + len(sentence)
    for following in _following(text, end):
        if not _LEANS.match(following):
            break
        end = text.find(following, end) + len(following)
    return text[start : _with_table(text, end)].strip() if start >= 0 else sentence


def _to_end_of_block(answer: str, text: str) -> str:
    """A text from an answer in it on, up to the next table or heading; an old rule at the end is left out."""
    start = text.find(answer)
    place = end = start + len(answer)
    for following in _following(text, end):
        place = text.find(following, place) + len(following)
        if place - start > MAX_LETTERS["en" if script(text) == "en" else "ja"]:
            break
        if not _OLD.search(following):
            end = place
    return text[start : _with_table(text, end)].strip() if start >= 0 else answer


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
