"""Fit core/bot/messages/follow_up.toml: does a message after an answer need the question before it to be found?

    python -m benchmarks.fit_follow_up [--write]

Logistic regression on follow_ups.jsonl (conversations of two messages that people wrote from the documents alone, with
the section that answers the second one) and on pairs of messages of first_messages.toml, of two documents or the second one
a vague request, as changes of the subject. Fitted on those whose section is found better in one way than in the other, searched for alone
or with the question before; with the bots' example questions and without.
Reported: in how many the section is found first, by each way and by the fit, where each writer's conversations are
judged by a fit on the other writers'; of those whose first message was not asked about.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import Questions, indexes_of, is_section, read_first_messages
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines
from core.base.types import Bot, Message, SectionHit
from core.bot.messages import follow_up
from core.bot.messages.follow_up import follow_up_features, with_subject
from core.bot.messages.spelling import respelled
from core.bot.search_query import search_query
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.text.standalone_question import standalone_question

FILE = Path(__file__).with_name("follow_ups.jsonl")
TARGET = Path(follow_up.__file__).with_name("follow_up.toml")
ABOUT = """Logistic coefficients: does a message after an answer need the question before it to be found?
Fitted by benchmarks/fit_follow_up.py on benchmarks/follow_ups.jsonl and first_messages.toml, with example questions and without."""
# The example questions that the bots have, for each table
TABLES: dict[str, Questions] = {"with_examples": "with_unanswered", "without_examples": "without_examples"}
STRENGTH = 0.3  # C of the regression, on features in standard deviations
NOT_FOUND = 99
PAIR = "pair"
PAIRS = 200  # of each bot
VAGUE_PAIR = "vague"
VAGUE = 60  # of each bot, half of the vague messages
WRITERS_OF_PAIRS = 4  # parts of the pairs that are judged by a fit on the others
WEIGHT_OF_PAIR = 0.3  # they ask as nobody does who was just answered, and there are more of them


class Row(NamedTuple):
    """A conversation: its writer, what its second message is to the first, and the place of its section by each way."""

    writer: str
    about: str
    features: dict[str, float]
    alone: int
    joined: int


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    conversations = [one for one in lines(FILE) if one["heading"]] + pairs()
    found: dict[str, dict[str, float]] = {}
    for table, questions in TABLES.items():
        rows = read(conversations, questions)
        print(f"\n{table}: {len(rows)} conversations")
        names = list(rows[0].features)
        report("alone", rows, [False] * len(rows))
        report("joined", rows, [True] * len(rows))
        report("fit", rows, judged_by_others(rows, names))
        for name in names:
            report(f"fit without {name}", rows, judged_by_others(rows, [one for one in names if one != name]))
        found[table] = coefficients(fitted(rows, names), names)
    if options.write:
        write_coefficients(TARGET, ABOUT, found)


def pairs() -> list[dict[str, Any]]:
    """Clear first messages in twos, of two documents each."""
    dice, found = random.Random(0), list[dict[str, Any]]()
    for bot, kinds in read_first_messages().items():
        for number in range(PAIRS):
            (first, before, *_), (text, document, heading, *_) = dice.sample(kinds["answer"], 2)
            if before != document:
                writer = f"pairs{number % WRITERS_OF_PAIRS}"
                found.append({"id": f"{writer}-{number}", "bot": bot, "about": PAIR, "first": first, "text": text})
                found[-1] |= {"document": document, "heading": heading}
        for number in range(VAGUE):
            first, before, *_ = dice.choice(kinds["answer"])
            text = dice.choice(kinds["ask"])
            writer = f"pairs{number % WRITERS_OF_PAIRS}"
            found.append(
                {"id": f"{writer}-vague{number}", "bot": bot, "about": VAGUE_PAIR, "first": first, "text": text}
            )
            found[-1] |= {"document": "", "heading": ""}
    return found


def read(conversations: Sequence[dict[str, Any]], questions: Questions) -> list[Row]:
    """The conversations whose first message got an answer."""
    names = dict.fromkeys(one["bot"] for one in conversations)
    with TemporaryDirectory() as folder:
        bots = indexes_of(names, questions, Path(folder))
        rows = (read_one(one, *bots[one["bot"]]) for one in conversations)
        return [row for row in rows if row]


def read_one(conversation: dict[str, Any], bot: Bot, index: Index) -> Row | None:
    turn = take_turn(EmbeddedEngine(), bot, index, (), conversation["first"])
    if turn.reply.kind == "clarify":
        return None
    *earlier, last = respelled(index, (*turn.as_messages(), Message(role="user", text=conversation["text"])))
    following = with_subject(index, earlier, last)
    features, _ = follow_up_features(index, earlier, following)
    section = conversation["document"], conversation["heading"]
    alone, joined = (
        place(index.sections(search_query(index, standalone_question([*earlier, one]))), *section)
        for one in (last, following)
    )
    if conversation["about"] == VAGUE_PAIR:
        if not features["request"]:
            return None  # it may well be about the matter before
        alone, joined = 0, NOT_FOUND  # it leaves open which section it means, but not that it needs nothing before it
    return Row(conversation["id"].split("-")[0], conversation["about"], features, alone, joined)


def place(found: Sequence[SectionHit], document: str, heading: str) -> int:
    """The place of a section, from 0."""
    return next((number for number, one in enumerate(found) if is_section(one, document, heading)), NOT_FOUND)


def fitted(rows: Sequence[Row], names: Sequence[str]) -> Any:
    """A model of whether the question before is needed."""
    told = [one for one in rows if one.alone != one.joined]
    values = np.array([[one.features[name] for name in names] for one in told])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=3000))
    weights = [WEIGHT_OF_PAIR if one.about in (PAIR, VAGUE_PAIR) else 1.0 for one in told]
    return model.fit(values, [one.joined < one.alone for one in told], logisticregression__sample_weight=weights)


def judged_by_others(rows: Sequence[Row], names: Sequence[str]) -> list[bool]:
    """Whether each conversation's second message needs the first, by a fit on the other writers'."""
    models = {
        writer: fitted([one for one in rows if one.writer != writer], names) for writer in {one.writer for one in rows}
    }
    return [bool(models[one.writer].predict([[one.features[name] for name in names]])[0]) for one in rows]


def report(name: str, rows: Sequence[Row], needs: Sequence[bool]) -> None:
    """In how many conversations of each kind the section is found first."""
    hits, counts = Counter[str](), Counter[str](one.about for one in rows)
    for one, needed in zip(rows, needs, strict=True):
        hits[one.about] += (one.joined if needed else one.alone) == 0
    shares = " | ".join(f"{about} {hits[about]}/{count}" for about, count in counts.items())
    print(f"{name:24} {hits.total() / len(rows):.3f}   {shares}", flush=True)


if __name__ == "__main__":
    main()
