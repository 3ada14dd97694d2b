"""No pattern and no reader of text takes more than twice the time for twice the text, whatever the text is."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable

import pytest

from core.base.types import Sample
from core.judges.base import JudgeOptions, judge_one
from core.judges.correctness.contradictions import conflict
from core.judges.correctness.normalize_units import normalize_units
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.simulation.bot_reply import without_quotes
from core.text.comparable import comparable, figures
from core.text.dates import dates, year_spans
from core.text.language import content_words, sentences
from core.text.message_questions import question_parts
from core.text.negation import long_clauses, opposite_clauses
from core.text.numbers import amounts, numbers, without_amounts
from core.text.offered_choices import listed_choices
from core.text.question_subject import subject
from core.text.questions import asks_whether
from core.text.reactions import says_unknown
from core.text.refusals import answer_sentences
from pages.components.plain_text import plain
from tests.support.source_patterns import SourcePattern, hostile_texts, source_patterns

MOST = 3.2  # times as long for twice the input; work that takes the square takes 4 times, and a slow cache up to 2.8
SHORT = 0.02  # seconds of CPU up to which nothing is told from the noise, and nothing matters
TRIES = 5
BRIEF = 120  # characters: what doubles with every sign shows
LENGTH = 1_000  # characters: the square of it shows
SUSPECT = 0.001  # seconds of CPU from which a text is measured more closely
HOPELESS = 0.1  # seconds from which four times the text would take too long to measure


def seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """The least CPU time of this thread for the work, of so many rounds."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)


def growth(times: Callable[[int], Callable[[], object]]) -> float:
    """How many times as long the work on twice the input takes; 0 if both are too short to tell.

    `times(n)` is the work on n times the input. A busy machine makes measurements too long, never too short: that of the
    short input, which could hide a bad ratio, is the least of several, and a bad ratio is measured again, with more rounds.
    Where other processes empty the caches it may stay bad: then four times the input decides (sixteen times the time if
    the work takes the square), and the root of that ratio is returned.
    """
    once, twice = times(1), times(2)
    found = 0.0
    for rounds in range(1, 1 + TRIES):
        long = seconds(twice, rounds)
        if long < SHORT:
            return 0.0
        found = long / max(seconds(once, rounds + 1), 1e-6)
        if found <= MOST:
            return found
    return max(MOST, (seconds(times(4)) / max(seconds(once, TRIES), 1e-6)) ** 0.5)


def _work(one: SourcePattern, text: str) -> Callable[[], object]:
    if one.anywhere:
        return lambda: sum(1 for _ in one.pattern.finditer(text))
    return lambda: (one.pattern.match(text), one.pattern.fullmatch(text))


def _growth(one: SourcePattern, number: int, length: int) -> float:
    return growth(lambda times: _work(one, list(hostile_texts(one.pattern, times * length))[number]))


def test_no_pattern_takes_the_square_of_the_time() -> None:
    """Each pattern reads texts that repeat what it repeats; twice the text takes about twice the time."""
    assert len(source_patterns()) > 300  # else the patterns are not found any more
    explosive = [
        f"{one.where}: {text[:30]!r}"
        for one in source_patterns()
        for text in hostile_texts(one.pattern, BRIEF)
        if seconds(_work(one, text)) > HOPELESS
    ]
    assert explosive == []  # a longer text would never end
    slow: list[str] = []
    for one in source_patterns():
        for number, text in enumerate(hostile_texts(one.pattern, LENGTH)):
            took = seconds(_work(one, text))
            if took < SUSPECT:
                continue
            found = _growth(one, number, LENGTH if took > HOPELESS else 4 * LENGTH)
            if found > MOST:
                slow.append(f"{one.where}: {found:.1f} times for {text[:30]!r}")
                break
    assert slow == []


def test_a_pattern_that_takes_the_square_is_found() -> None:
    bad = SourcePattern("here", re.compile(r"\s+\s+or"), True)
    found = next(number for number, text in enumerate(hostile_texts(bad.pattern, 10)) if text.startswith("   "))
    assert _growth(bad, found, LENGTH // 3) > MOST


_ROUNDS = itertools.count()
UNITS = (
    "1", "1.", "1,", "1 ", " ", "\n", '"', "'", "「", "」", "(", ")", "[", "[1]", "{", "<", "|", "*", "あ", "ア", "ー", "漢",
    "一", "😀", "a", "a ", "A. ", "。", "、", "あ。", "「あ。", "- a\n", "| a ", "**a** ", "yes ", "not ", "a, ", "何か。",
    "1日 ", "10 days. ", "10円、", "May 5 2017, ", "ません。", "[[", "é", "１", "㌔", "1/2/", "$1 ", "a; b or ", "or can ", "令和6年4月1日", "4月1日（月）から",
)  # fmt: skip
READERS: dict[str, Callable[[str], object]] = {
    one.__name__: one
    for one in (
        amounts,
        answer_sentences,
        without_amounts,
        numbers,
        normalize_units,
        dates,
        year_spans,
        comparable,
        figures,
        sentences,
        content_words,
        long_clauses,
        asks_whether,
        listed_choices,
        question_parts,
        subject,
        without_quotes,
        says_unknown,
    )
} | {
    "opposite_clauses": lambda text: opposite_clauses(text, f"{text} not"),
    "conflict": lambda text: conflict(f"{text}?", text, f"{text} not"),
}


@pytest.mark.parametrize("name", READERS)
def test_no_reader_takes_the_square_of_the_time(name: str) -> None:
    """Runs of one sign, or of one phrase: twice as many of them take about twice the time."""
    reader, slow = READERS[name], dict[str, float]()
    for unit in UNITS:

        def times(count: int, unit: str = unit) -> Callable[[], object]:
            size = 3_000 * count
            text = (unit * (size // len(unit) + 1))[:size] + "x"
            # the readers remember what they have read, so that each round reads another text
            return lambda: reader(f"{text}{next(_ROUNDS)}")

        if seconds(times(1)) < SHORT:
            continue
        if (found := growth(times)) > MOST:
            slow[unit] = round(found, 1)
    assert slow == {}


@pytest.mark.parametrize("name", ["turn", "relevance"])
def test_judges_read_thousands_of_japanese_dates_in_linear_time(name: str) -> None:
    (judge,) = judges_of((name,))

    def judged(count: int) -> Callable[[], object]:
        start = 1 + count * next(_ROUNDS)  # the readers remember what they have read
        days = range(start, start + count)
        text = "".join(f"令和{day // 360 % 90 + 1}年{day // 30 % 12 + 1}月{day % 30 + 1}日。" for day in days)
        sample = Sample(question=f"{text}？", answer=text, reference=(f"{text}x",), contexts=(text,))
        return lambda: judge_one(EmbeddedEngine(), judge, sample, JudgeOptions())

    judged(5)()
    assert growth(lambda times: lambda: judged(150 * times)()) <= MOST


def test_text_with_thousands_of_changes_of_direction_is_shown_in_linear_time() -> None:
    def text(size: int) -> str:
        return "\u202a\u2066" * size + "a\u202c" * size

    assert plain("\u202a\u2066a\u202c").endswith("\u202c") and plain("\u2066a\u2069") == "\u2066a\u2069"
    assert growth(lambda times: lambda: plain(text(4_000 * times))) <= MOST
