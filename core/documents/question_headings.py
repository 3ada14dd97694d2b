"""Questions with their answers in a document: Q. … A. …, 問 … 答 …, or a question on a line of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from core.documents.plain_headings import Head, width

MAX_UNMARKED_QUESTION_WIDTH = 120  # width of a question without a mark (a Japanese letter counts as two)
MAX_LINE_CHARACTERS = 2_000  # of a line that is read as a question, with its answer or without
MAX_QUESTION_LINES = 4  # lines of a question below its mark
MIN_PLAIN_QUESTIONS, MIN_BOLD_QUESTIONS = 3, 2  # questions without a mark that make a list: not in bold, and in bold
QUESTION_LEVEL = 21  # of the headings, below those of Markdown, plain text and notices

_OPENING = r"[\s>*_■◆●◇□・【\[(（-]{0,8}(?:#{1,6}\s{1,3})?[*_]{0,3}"
_NUMBER = r"\s?[0-9０-９]{0,3}"
_QUESTION = re.compile(
    rf"{_OPENING}(?:(?:[QqＱｑ]|問|質問|Question|QUESTION)(?P<number>{_NUMBER})[*_]*"
    r"(?:\s*[.．:：、)）\]】][*_\s]*|(?<=[0-9０-９])\s*[-–—・]?\s*|\s*[-–—]\s+))(?P<text>.*)"
)
_SPACED_QUESTION = re.compile(rf"{_OPENING}(?:[QＱ]|問)[0-9０-９]{{0,3}}[ 　\t]+(?P<text>[^\s&＆].*)")
_ANSWER = re.compile(
    rf"[\s>*_・【\[(（-]{{0,8}}(?:(?:[AaＡａ]|答え?|回答|Answer|ANSWER){_NUMBER}[*_]*"
    r"(?:\s*[.．:：、)）\]】][*_\s]*|(?<=[0-9０-９])[ 　\t]+|(?<=[Ａ答])[ 　\t]+))(?P<text>.*)"
)
_SPACED_ANSWER = re.compile(r"\s*(?:A|Ａ|答)[ 　\t]+(?P<text>\S.*)")
_ON_ONE_LINE = re.compile(r"(?P<question>.*?[?？。])\s*(?:[AＡ]|答)[.．:：]\s*(?P<answer>\S.*)")
_ASKED = re.compile(
    r"\s*+(?:(?:[-*+・]|\d{1,3}[.)．]|[■◆●▼▶◇□○])\s*+)?(?P<bold>\*\*|__)?\s*+(?P<text>\S.*[?？])\s*+(?:(?P=bold)\s*+)?"
    r"|\s*+(?:(?:[-*+・]|\d{1,3}[.)．]|[■◆●▼▶◇□○])\s*+)?(?P<plain>[^*_\s].*[?？])\s*+"
)


class _Question(NamedTuple):
    """A question of a document."""

    first: int  # its first line
    after: int  # the line after it
    text: str
    rest_of_line: str  # the part of the answer that follows it on its line
    is_answered: bool = False  # a mark such as "A." shows the answer


def question_headings(lines: Sequence[str], used_lines: Collection[int]) -> list[Head]:
    """The questions of a document that have an answer below them, as headings without "Q.", "A." and the full stop.

    used_lines: lines that are something else (a table, code); headings of Markdown may be questions, too
    """
    questions = _marked_questions(lines, used_lines)
    if not any(question.is_answered for question in questions) and len(questions) < MIN_BOLD_QUESTIONS:
        questions = []
    found = questions or _unmarked_questions(lines, used_lines)
    return [
        Head(question.first, question.after, QUESTION_LEVEL, question.text.rstrip("。."), question.rest_of_line)
        for question in found
        if question.text
    ]


def _marked_questions(lines: Sequence[str], used_lines: Collection[int]) -> list[_Question]:
    starts = [place for place, line in enumerate(lines) if place not in used_lines and _question_text(line) is not None]
    found: list[_Question] = []
    for place, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        question = _question_at(lines, place, end)
        if question.rest_of_line or any(line.strip() for line in lines[question.after : end]):
            found.append(question)
    return found


def _question_text(line: str) -> str | None:
    """The text after the mark of a question; None without a mark."""
    if len(line) > MAX_LINE_CHARACTERS:
        return None
    found = _QUESTION.fullmatch(line) or _SPACED_QUESTION.fullmatch(line)
    return _plain(found["text"]) if found else None


def _question_at(lines: Sequence[str], place: int, end: int) -> _Question:
    """The question that begins on a line, with its answer's beginning; `end`: where the next one begins."""
    text = _question_text(lines[place]) or ""
    if both := _ON_ONE_LINE.fullmatch(text):
        return _Question(place, place + 1, both["question"].strip(), both["answer"].strip(), True)
    words = [text] if text else []
    spaced = not _QUESTION.fullmatch(lines[place])
    after = place + 1
    for line_place in range(place + 1, min(end, place + 1 + 2 * MAX_QUESTION_LINES)):
        line = lines[line_place]
        if len(line) > 5 * MAX_LINE_CHARACTERS:
            break
        answer = _ANSWER.fullmatch(line) or (_SPACED_ANSWER.fullmatch(line) if spaced else None)
        if answer:
            return _Question(place, line_place + 1, _plain(" ".join(words)), answer["text"].strip(), True)
        if line.strip() and not words:
            words.append(_plain(line))
            after = line_place + 1
    return _Question(place, after, _plain(" ".join(words)), "")


def _plain(text: str) -> str:
    """A question without marks of bold type and the end of its mark."""
    return re.sub(r"^[*_\s]+|[*_\s]+$", "", text.strip().rstrip("】]").strip()).replace("**", "")


def _unmarked_questions(lines: Sequence[str], used_lines: Collection[int]) -> list[_Question]:
    """Lines that are only a question, below a blank line or a heading, with text below them that is none."""
    questions_by_line: dict[int, tuple[str, bool]] = {}
    for place, line in enumerate(lines):
        if place in used_lines or len(line) > 2 * MAX_UNMARKED_QUESTION_WIDTH or not (found := _ASKED.fullmatch(line)):
            continue
        text = _plain(found["text"] or found["plain"])
        apart = place == 0 or not lines[place - 1].strip() or place - 1 in used_lines
        if width(text) <= MAX_UNMARKED_QUESTION_WIDTH and (found["bold"] or apart):
            questions_by_line[place] = (text, bool(found["bold"]))
    answered = {place: one for place, one in questions_by_line.items() if _has_answer(lines, questions_by_line, place)}
    for bold, least in ((True, MIN_BOLD_QUESTIONS), (False, MIN_PLAIN_QUESTIONS)):
        places = [place for place, (_, is_bold) in answered.items() if is_bold is bold]
        if len(places) >= least:
            return [_Question(place, place + 1, answered[place][0], "") for place in places]
    return []


def _has_answer(lines: Sequence[str], questions_by_line: dict[int, tuple[str, bool]], place: int) -> bool:
    """Whether the next line that is not blank is text, not another question."""
    following = next(
        (other for other in range(place + 1, len(lines)) if lines[other].strip()), place
    )  # itself at the end
    return following not in questions_by_line and not lines[following].lstrip().startswith("#")
