"""Fit core/bot/messages/questions_in_conversation.toml: which section answers each of several questions after others?

    python -m benchmarks.fit_questions_in_conversation [--write]

Logistic regressions for bots with example questions and without, on the messages of longer_messages.jsonl that hold questions
with sections of their own, and on those of all conversations that ask several things and that no document answers. Reported by
a fit on the other writers, and on the held-out conversations by a fit on all, for some thresholds: how many questions get the
right section, another one, and how many that none answers get one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks import fit_sections_in_conversation
from benchmarks.bot_indexes import indexes_of, is_section
from benchmarks.coefficients import write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.fit_follow_up import TABLES
from benchmarks.fit_sections_in_conversation import UNDOCUMENTED, Conversation, messages_of, regression
from benchmarks.judges_data import lines
from core.base.probabilities import linear, logistic
from core.base.types import Bot, Message
from core.bot.messages import questions_in_conversation
from core.bot.messages.questions_in_conversation import later_question_features, questions_to_answer
from core.bot.messages.sections_in_conversation import leaves_earlier_matter
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections, prepare_messages
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index

TARGET = Path(questions_in_conversation.__file__).with_name("questions_in_conversation.toml")
LONGER = Path(__file__).with_name("longer_messages.jsonl")
FILES = (*fit_sections_in_conversation.FILES, LONGER)
HELD_OUT = (*fit_sections_in_conversation.HELD_OUT, LONGER.with_name("held_out_longer_messages.jsonl"))
ABOUT = """Logistic coefficients: does a section answer one of several questions in a message after others?
Fitted by benchmarks/fit_questions_in_conversation.py, with example questions and without."""
STRENGTH = 0.1
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


class Row(NamedTuple):
    """A question: who wrote it, the features of the sections found, which of them answers, and whether any does."""

    writer: str
    features: list[dict[str, float]]
    right: list[bool]
    is_documented: bool


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    tables: dict[str, dict[str, float]] = {}
    for questions in TABLES:
        rows, unseen = (
            read_bots([one for file in files for one in lines(file)], questions) for files in (FILES, HELD_OUT)
        )
        fits = {one.writer: fitted([row for row in rows if row.writer != one.writer]) for one in rows}
        report(f"{questions}, by a fit on the other writers", rows, lambda row, fits=fits: fits[row.writer])
        tables[questions] = fitted(rows)
        report(f"{questions}, held out", unseen, lambda _row, fit=tables[questions]: fit)
    if options.write:
        write_coefficients(TARGET, ABOUT, tables)


def read_bots(conversations: Sequence[Conversation], questions: str) -> list[Row]:
    """The questions in conversations with the included bots."""
    conversations = [one for one in conversations if any(map(_questions, messages_of(one)[1:]))]
    with TemporaryDirectory() as folder:
        bots = indexes_of(dict.fromkeys(one["bot"] for one in conversations), TABLES[questions], Path(folder))
        return [row for one in conversations for row in read_one(one, *bots[one["bot"]])]


def read_one(stored: Conversation, bot: Bot, index: Index) -> Iterator[Row]:
    """The questions in the later messages of a conversation."""
    messages: tuple[Message, ...] = ()
    for one in messages_of(stored):
        conversation = prepare_messages(index, (*messages, Message(role="user", text=one["text"])))
        if messages and _questions(one) and not leaves_earlier_matter(conversation):
            found = find_sections(index, conversation)
            for question in _questions(one):
                sections = [section.split("#", 1) for section in question["sections"]]
                _, hits, features = later_question_features(index, conversation, found, question["text"])
                right = [any(is_section(hit, *section) for section in sections) for hit in hits]
                yield Row(stored["id"].split("-")[0], features, right, bool(sections))
        messages += take_turn(EmbeddedEngine(), bot, index, messages, one["text"]).as_messages()


def _questions(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions of a message with the sections that answer each; of one that no document answers, those found in it."""
    if message.get("kind") in UNDOCUMENTED:
        return [{"text": text, "sections": []} for text in questions_to_answer(message["text"])]
    return message.get("questions", [])


def fitted(rows: Sequence[Row]) -> dict[str, float]:
    """The coefficients."""
    features, outcomes = [one for row in rows for one in row.features], [one for row in rows for one in row.right]
    return regression(features, outcomes, [1.0] * len(outcomes), C=STRENGTH)


def report(name: str, rows: Sequence[Row], fit_of: Callable[[Row], dict[str, float]]) -> None:
    """What the questions get from each threshold on."""
    print(f"\n{name}: {len(rows)} questions, {sum(row.is_documented for row in rows)} of them documented")
    best = [
        max((logistic(linear(fit_of(row), one)), right) for one, right in zip(row.features, row.right, strict=True))
        for row in rows
    ]
    for least in THRESHOLDS:
        answered = [(row, right) for row, (chance, right) in zip(rows, best, strict=True) if chance >= least]
        right = sum(right for _, right in answered)
        undocumented = sum(not row.is_documented for row, _ in answered)
        print(
            f"  from {least:.2f}: right {right}, wrong {len(answered) - right - undocumented}, undocumented {undocumented}"
        )


if __name__ == "__main__":
    main()
