"""Fit core/bot/messages/sections_in_conversation.toml: which section answers a message after others, if any does?

    python -m benchmarks.fit_sections_in_conversation [--write]

Two logistic regressions for bots with example questions and two for those without. `section`: does one of the sections found
for a later message of a conversation answer it? `documented`: does any section? The conversations are with the included
bots (of two messages: follow_ups.jsonl, detail_follow_ups.jsonl, second_messages.jsonl; of more: conversations.jsonl), with
and without their example questions, and with made-up organisations (desk_follow_ups.jsonl), without. Messages that
ask several things are left out (fit_questions_in_conversation.py), with example questions replies to clarifying questions, too.
Reported by a fit on the other writers, or the other organisations, and on held_out_second_messages.jsonl and
held_out_conversations.jsonl by a fit on all: whether the message is answered from the right section, the right one is among
those offered, or neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import indexes_of, is_section
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import bot_of_desk, desk_follow_ups, read_desks
from benchmarks.fit_follow_up import FILE, TABLES
from benchmarks.judges_data import lines
from core.base.probabilities import linear, log_odds, logistic
from core.base.types import Bot, Message
from core.bot.answer_ask_refuse import MAX_OFFERED_LATER, OFFERED_SECTION_FROM, is_answered_later
from core.bot.embedded_settings import WITH_EXAMPLES, WITHOUT_EXAMPLES, EmbeddedSettings
from core.bot.messages import sections_in_conversation
from core.bot.messages.sections_in_conversation import (
    documented_features,
    features_in_conversation,
    is_decided_by_search,
)
from core.bot.turn import take_turn
from core.bot.turn_context import prepare_messages
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.message_questions import asks_several

SECONDS = Path(__file__).with_name("second_messages.jsonl")
FILES = (
    FILE,
    *(SECONDS.with_name(f"{name}.jsonl") for name in ("detail_follow_ups", "second_messages", "conversations")),
)
HELD_OUT = [SECONDS.with_name(f"held_out_{name}.jsonl") for name in ("second_messages", "conversations")]
TARGET = Path(sections_in_conversation.__file__).with_name("sections_in_conversation.toml")
ABOUT = """Logistic coefficients: does a section answer a message after others, and does any?
Fitted by benchmarks/fit_sections_in_conversation.py, with example questions and without."""
STRENGTH = 0.3  # C of the regression of sections, on features in standard deviations
STRENGTH_DOCUMENTED = 0.03  # the same, of whether any section answers
WEIGHT_OF_DESK = 3.0  # bots without example questions are other organisations' bots
# What a later message is to those before, if no section answers it.
UNDOCUMENTED = ("none", "refuse")
Conversation = dict[str, Any]


class Row(NamedTuple):
    """A later message: who wrote it or of which organisation, what it is to those before, how much it counts, the features of
    the sections found, which of them answers, and whether any section does, with the features of that but for the best
    section's probability."""

    writer: str
    about: str
    weight: float
    features: list[dict[str, float]]
    right: list[bool]
    is_documented: bool
    of_any: dict[str, float]


class Fit(NamedTuple):
    """The coefficients of both regressions, and the settings of the bot."""

    section: dict[str, float]
    documented: dict[str, float]
    settings: EmbeddedSettings


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    stored, held_out = ([one for file in files for one in lines(file)] for files in (FILES, HELD_OUT))
    tables: dict[str, dict[str, float]] = {}
    for questions in TABLES:
        of_bots, unseen = read_bots(stored, questions), read_bots(held_out, questions)
        of_desks = read_desk_conversations() if questions == "without_examples" else []
        settings = WITH_EXAMPLES if questions == "with_examples" else WITHOUT_EXAMPLES
        report(f"included bots, {questions}", of_bots, fits_of_others(of_bots, of_desks, settings))
        if of_desks:
            report("made-up organisations", of_desks, fits_of_others(of_desks, of_bots, settings))
        fit = fitted([*of_bots, *of_desks], settings)
        report(f"held out, {questions}", unseen, lambda _row, fit=fit: fit)
        tables |= {f"section_{questions}": fit.section, f"documented_{questions}": fit.documented}
    if options.write:
        write_coefficients(TARGET, ABOUT, tables)


def messages_of(stored: Conversation) -> list[dict[str, Any]]:
    """The user's messages: the text, what it is to those before, and the sections that answer it."""
    if "messages" in stored:
        return stored["messages"]
    sections = [f"{stored['document']}#{stored['heading']}"] if stored.get("heading") else []
    later = {"text": stored["text"], "kind": stored["about"], "sections": stored.get("sections", sections)}
    return [{"text": stored["first"]}, later]


def read_bots(conversations: Sequence[Conversation], questions: str) -> list[Row]:
    """Conversations with the included bots."""
    with TemporaryDirectory() as folder:
        bots = indexes_of(dict.fromkeys(one["bot"] for one in conversations), TABLES[questions], Path(folder))
        return [
            row
            for one in conversations
            for row in read_one(one, *bots[one["bot"]], one["id"].split("-")[0], 1.0, questions == "with_examples")
        ]


def read_desk_conversations() -> list[Row]:
    """Conversations with made-up organisations."""
    desks = {desk.name: desk for language in ("ja", "en") for desk in read_desks("response", language)}
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder) / "indexes")
        for name, conversations in desk_follow_ups().items():
            bot = bot_of_desk(desks[name], Path(folder))
            index = indexes.get(bot)
            rows += [row for one in conversations for row in read_one(one, bot, index, name, WEIGHT_OF_DESK, False)]
    return rows


def read_one(
    stored: Conversation, bot: Bot, index: Index, writer: str, weight: float, has_examples: bool
) -> Iterator[Row]:
    """The later messages of a conversation that are not decided by search alone."""
    messages: tuple[Message, ...] = ()
    for one in messages_of(stored):
        conversation = prepare_messages(index, (*messages, Message(role="user", text=one["text"])))
        is_left_out = not messages or one["kind"] == "thanks" or asks_several(one["text"])
        if not is_left_out and not is_decided_by_search(index, conversation, has_examples):
            sections = [section.split("#", 1) for section in one["sections"]]
            found, features = features_in_conversation(index, conversation)
            right = [any(is_section(hit, *section) for section in sections) for hit in found]
            of_any = documented_features(index, conversation, 0.0)
            if features:
                yield Row(writer, one["kind"], weight, features, right, bool(sections), of_any)
        messages += take_turn(EmbeddedEngine(), bot, index, messages, one["text"]).as_messages()


def fitted(rows: Sequence[Row], settings: EmbeddedSettings) -> Fit:
    """Both regressions."""
    features = [one for row in rows for one in row.features]
    weights = [row.weight for row in rows for _ in row.right]
    section = regression(features, [one for row in rows for one in row.right], weights, C=STRENGTH)
    best = [max(logistic(linear(section, one)) for one in row.features) for row in rows]
    of_any = [{**row.of_any, "best": log_odds(chance)} for row, chance in zip(rows, best, strict=True)]
    is_documented, weights = [row.is_documented for row in rows], [row.weight for row in rows]
    documented = regression(of_any, is_documented, weights, C=STRENGTH_DOCUMENTED, class_weight="balanced")
    return Fit(section, documented, settings)


def regression(
    features: Sequence[dict[str, float]], outcomes: Sequence[bool], weights: Sequence[float], **options: Any
) -> dict[str, float]:
    """The coefficients of a logistic regression on features in standard deviations; none for those that do not vary."""
    names = [name for name in features[0] if len({one[name] for one in features}) > 1]
    values = np.array([[one[name] for name in names] for one in features])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=3000, **options))
    return coefficients(model.fit(values, outcomes, logisticregression__sample_weight=weights), names)


def fits_of_others(rows: Sequence[Row], more: Sequence[Row], settings: EmbeddedSettings) -> Callable[[Row], Fit]:
    """For a conversation the fit on those of others and on `more`."""
    fits = {
        writer: fitted([*(one for one in rows if one.writer != writer), *more], settings)
        for writer in {one.writer for one in rows}
    }
    return lambda row: fits[row.writer]


def report(name: str, rows: Sequence[Row], fit_of: Callable[[Row], Fit]) -> None:
    """What becomes of the messages that a section answers, and of those that none does."""
    of_kind: dict[str, Counter[str]] = {}
    for row in rows:
        kind = "undocumented" if row.about in UNDOCUMENTED else row.about
        for group in (kind, "all documented"):
            if group == kind or row.is_documented:
                of_kind.setdefault(group, Counter())[_outcome(row, fit_of(row))] += 1
    print(f"\n{name}")
    for kind, counts in of_kind.items():
        shares = " | ".join(f"{outcome} {count / counts.total():.2f}" for outcome, count in counts.most_common())
        print(f"  {kind:14} n={counts.total():<4} {shares}", flush=True)


def _outcome(row: Row, fit: Fit) -> str:
    chances = [logistic(linear(fit.section, one)) for one in row.features]
    ranked = sorted(zip(chances, row.right, strict=True), key=lambda pair: -pair[0])
    ordered = [chance for chance, _ in ranked]
    of_any = {**row.of_any, "best": log_odds(ordered[0])}
    offered = [is_right for chance, is_right in ranked[:MAX_OFFERED_LATER] if chance >= OFFERED_SECTION_FROM]
    is_documented = logistic(linear(fit.documented, of_any)) >= fit.settings.refuse_later_below
    if is_documented and is_answered_later(ordered, fit.settings.answer_later_from):
        return "right" if ranked[0][1] else "wrong"
    return "one click" if any(offered) else "not found"


if __name__ == "__main__":
    main()
