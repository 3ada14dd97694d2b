"""Fit core/bot/messages/sections_in_conversation.toml: which section answers a message after others?

    python -m benchmarks.fit_later_messages [--write]

Logistic regression over the sections found for the second message of a conversation, in bots without example questions: the
included ones without theirs (follow_ups.jsonl, detail_follow_ups.jsonl), and made-up organisations (desk_follow_ups.jsonl).
Reported by a fit on the other writers, or the other organisations: whether the message is answered from the right section,
the right one is among those offered, or neither.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import indexes_of, is_section
from benchmarks.coefficients import write_coefficients
from benchmarks.desk_files import bot_of_desk, desk_follow_ups, read_desks
from benchmarks.fit_follow_up import FILE
from benchmarks.fit_response import coefficients
from core.base.probabilities import linear, logistic
from core.base.types import Bot, Message, Topic
from core.bot.answer_ask_refuse import ASKED_LATER, OFFER_LATER_FROM, is_answered_later
from core.bot.messages import sections_in_conversation
from core.bot.messages.sections_in_conversation import features_in_conversation, is_read_alone
from core.bot.turn import take_turn
from core.bot.turn_context import prepare_messages
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

DETAILS = Path(__file__).with_name("detail_follow_ups.jsonl")
TARGET = Path(sections_in_conversation.__file__).with_name("sections_in_conversation.toml")
ABOUT = """Logistic coefficients: does a section answer a message after others, in a bot without example questions?
Fitted by benchmarks/fit_later_messages.py on benchmarks/follow_ups.jsonl, detail_follow_ups.jsonl and desk_follow_ups.jsonl."""
STRENGTH = 0.3  # C of the regression, on features in standard deviations
WEIGHT_OF_DESK = 3.0  # bots without example questions are other organisations' bots
# What a second message is to the first, if no section answers it.
UNDOCUMENTED = ("none", "refuse")
Conversation = dict[str, Any]


class Row(NamedTuple):
    """A conversation: who wrote it or of which organisation, what its second message is to the first, how much it counts,
    the features of the sections found, and which of them answers."""

    writer: str
    about: str
    weight: float
    features: list[dict[str, float]]
    right: list[bool]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    stored = [json.loads(line) for file in (FILE, DETAILS) for line in file.open(encoding="utf-8")]
    stored = [one for one in stored if one["about"] != "thanks"]
    of_bots, of_desks = read_bots(stored), read_desk_conversations()
    names = list(of_bots[0].features[0])
    report("included bots", of_bots, judged_by_others(of_bots, of_desks, names))
    report("made-up organisations", of_desks, judged_by_others(of_desks, of_bots, names))
    if options.write:
        write_coefficients(TARGET, ABOUT, {"section": coefficients(fitted([*of_bots, *of_desks], names), names)})


def read_bots(conversations: Sequence[Conversation]) -> list[Row]:
    """Conversations with the included bots."""
    with TemporaryDirectory() as folder:
        bots = indexes_of(dict.fromkeys(one["bot"] for one in conversations), "documents", Path(folder))
        rows = (read_one(one, *bots[one["bot"]], one["id"].split("-")[0], 1.0) for one in conversations)
        return [row for row in rows if row.features]


def read_desk_conversations() -> list[Row]:
    """Conversations with made-up organisations."""
    desks = {desk.name: desk for language in ("ja", "en") for desk in read_desks("response", language)}
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder) / "indexes")
        for name, conversations in desk_follow_ups().items():
            bot = bot_of_desk(desks[name], Path(folder))
            index = indexes.get(bot)
            rows += [read_one(one, bot, index, name, WEIGHT_OF_DESK) for one in conversations]
    return [row for row in rows if row.features]


def read_one(stored: Conversation, bot: Bot, index: Index, writer: str, weight: float) -> Row:
    turn = take_turn(EmbeddedEngine(), bot, index, (), stored["first"])
    messages = (*turn.as_messages(), Message(role="user", text=stored["text"]))
    conversation = prepare_messages(index, messages)
    if is_read_alone(conversation):
        return Row(writer, stored["about"], weight, [], [])
    found, features = features_in_conversation(index, conversation)
    return Row(writer, stored["about"], weight, features, [_is_right(one, stored) for one in found])


def _is_right(topic: Topic, conversation: Conversation) -> bool:
    heading = conversation["heading"]
    return bool(heading) and is_section(topic, conversation["document"], heading)


def fitted(rows: Sequence[Row], names: Sequence[str]) -> Any:
    """A model of whether a section answers."""
    values = np.array([[one[name] for name in names] for row in rows for one in row.features])
    right = [one for row in rows for one in row.right]
    weights = [row.weight for row in rows for _ in row.right]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=3000))
    return model.fit(values, right, logisticregression__sample_weight=weights)


def judged_by_others(rows: Sequence[Row], more: Sequence[Row], names: Sequence[str]) -> Callable[[Row], list[float]]:
    """The probabilities of the sections of a conversation, by a fit on the others and on `more`."""
    models = {
        writer: coefficients(fitted([*(one for one in rows if one.writer != writer), *more], names), names)
        for writer in {one.writer for one in rows}
    }
    return lambda row: [logistic(linear(models[row.writer], one)) for one in row.features]


def report(name: str, rows: Sequence[Row], chances_of: Callable[[Row], list[float]]) -> None:
    """What becomes of the messages that a section answers, and of those that none does."""
    of_kind: dict[str, Counter[str]] = {}
    for row in rows:
        kind = "undocumented" if row.about in UNDOCUMENTED else row.about
        outcome = _outcome(chances_of(row), row.right)
        for group in (kind, "all"):
            if group != "all" or kind != "undocumented":
                of_kind.setdefault(group, Counter())[outcome] += 1
    print(f"\n{name}")
    for kind, counts in of_kind.items():
        shares = " | ".join(f"{outcome} {count / counts.total():.2f}" for outcome, count in counts.most_common())
        print(f"  {kind:13} n={counts.total():<4} {shares}")


def _outcome(chances: Sequence[float], right: Sequence[bool]) -> str:
    ranked = sorted(zip(chances, right, strict=True), key=lambda pair: -pair[0])
    if is_answered_later([chance for chance, _ in ranked]):
        return "right" if ranked[0][1] else "wrong"
    offered = [is_right for chance, is_right in ranked[:ASKED_LATER] if chance >= OFFER_LATER_FROM]
    return "one click" if any(offered) else "not found"


if __name__ == "__main__":
    main()
