"""Fit core/bot/embedded/piece_probability.toml: which pieces of a section answer what is asked?

    python -m benchmarks.fit_piece_probability [--write]

Conditional logit for each language, on messages to written desks (written_desks/response) with the lines of the section that
answer them, and on conversations of follow_ups.jsonl whose second message is answered by the section of the first: one of
the pieces that hold a line, or a fact, of a right answer is to be chosen before the others.
Logistic regression on those conversations with written desks (desk_follow_ups.jsonl) whose section was shown: does one of the
pieces answer the second message, by the logarithm of the odds of the likeliest?
Reported: how often the likeliest piece, and one of those that are quoted again, is right, and how many these are, where each
desk or writer is judged by a fit on the others; beside the first pieces of the section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import is_section
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.conditional_logit import Choice, fitted, fitted_on_others
from benchmarks.desk_files import DeskMessage, desk_follow_ups, read_desks
from benchmarks.fit_follow_up import FILE
from benchmarks.judges_data import lines
from core.base.bot_folder import load_bot
from core.base.probabilities import linear, logistic
from core.base.types import Bot, Message, Passage
from core.bot.embedded import piece_probability
from core.bot.embedded.piece_probability import likeliest_pieces, piece_features
from core.bot.embedded.snippets import Snippet, snippets
from core.bot.embedded.sub_questions import sub_questions
from core.bot.messages.follow_up import with_subject
from core.bot.messages.spelling import respelled
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.language import Script, content_words
from core.text.normalize import normalize
from core.text.standalone_question import split_follow_up

LANGUAGES: tuple[Script, ...] = ("ja", "en")
TARGET = Path(piece_probability.__file__).with_name("piece_probability.toml")
ABOUT = """Conditional logit, by language: which pieces of a section answer what is asked? Also for a section that was quoted before.
answered_: does any of them? Fitted by benchmarks/fit_piece_probability.py on benchmarks/written_desks/response, follow_ups.jsonl
and desk_follow_ups.jsonl."""
STRENGTH = 0.3  # C of the regression, on the feature in standard deviations


class AskedNext(NamedTuple):
    """A conversation with a desk: whether the section shown answers the second message, and its likeliest piece (log)."""

    desk: str
    answered: bool
    likeliest: float


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    tables = dict[str, dict[str, float]]()
    for language in LANGUAGES:
        messages, names = read_messages(language)
        follow_ups, _ = read_follow_ups(language)
        rows = [*messages, *follow_ups]
        models = fitted_on_others(rows)
        for name, some in (("messages", messages), ("follow-ups", follow_ups)):
            print(f"{language}, {name}: n={len(some)}, {np.mean([len(row.right) for row in some]):.1f} pieces each")
            report("fit", some, lambda row: row.values @ models[row.writer])  # noqa: B023  (called at once)
            report("first in the section", some, lambda row: -np.arange(len(row.right)))
        tables[language] = {"intercept": 0.0, **dict(zip(names, fitted(rows), strict=True))}
        asked = read_desk_conversations(language, tables[language])
        chances = answered_by_others(asked)
        print(f"answered: n={len(asked)}, AUC {roc_auc_score([one.answered for one in asked], chances):.2f}")
        for answered in (True, False):
            found = [chance for one, chance in zip(asked, chances, strict=True) if one.answered == answered]
            print(
                f"  {'answered' if answered else 'not answered'}: {np.mean(np.array(found) < 0.5):.2f} are said not to be"
            )
        tables[f"answered_{language}"] = answered_coefficients(asked)
    if options.write:
        write_coefficients(TARGET, ABOUT, tables)


def answered_by_others(rows: Sequence[AskedNext]) -> list[float]:
    """The probability that the section shown answers, of each row by a fit on the other desks."""
    models = {desk: answered_coefficients([one for one in rows if one.desk != desk]) for desk in {r.desk for r in rows}}
    return [logistic(linear(models[one.desk], {"likeliest": one.likeliest})) for one in rows]


def answered_coefficients(rows: Sequence[AskedNext]) -> dict[str, float]:
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    model.fit([[one.likeliest] for one in rows], [one.answered for one in rows])
    return coefficients(model, ["likeliest"])


def read_messages(language: Script) -> tuple[list[Choice], list[str]]:
    """The messages to written desks of which some pieces of the section hold the answer, and the names of the features."""
    rows, names = list[Choice](), list[str]()
    with TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder))
        for desk in read_desks("response", language):
            index = indexes.of_documents(desk.name, desk.documents)
            for message in desk.clear:
                shown = [one for one in index.passages if is_section(one, message.document, message.heading)]
                pieces = [piece for one in shown for piece in snippets(one.text)]
                right = [holds_answer(piece, message) for piece in pieces]
                if any(right) and not all(right):
                    weights = {word: index.lexical.idf(word) for word in content_words(message.text)}
                    found = piece_features(message.text, sub_questions(message.text, weights), pieces)
                    names = list(found[0])
                    rows.append(_choice(desk.name, found, right))
    return rows, names


def holds_answer(piece: Snippet, message: DeskMessage) -> bool:
    """Whether a piece has a line of the answer, or is a part of one."""
    said = letters(piece.text)
    for line in message.lines:
        cells = [letters(cell) for cell in line.split(" | ")]
        if piece.kind == "row" and len(cells) > 1:
            if letters(piece.case) == cells[0] and all(cell in said for cell in cells):
                return True
        elif said and (said in letters(line) or letters(line) in said):
            return True
    return False


def _choice(writer: str, found: Sequence[Mapping[str, float]], right: Sequence[bool]) -> Choice:
    return Choice(writer, np.array([list(values.values()) for values in found]), np.array(right))


def read_desk_conversations(language: Script, part: Mapping[str, float]) -> list[AskedNext]:
    """Those whose second message is about the section of the first, which answers it or does not."""
    rows = list[AskedNext]()
    desks = {desk.name: desk for desk in read_desks("response", language)}
    with TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder))
        for name, conversations in desk_follow_ups().items():
            if name not in desks:
                continue
            index = indexes.of_documents(name, desks[name].documents)
            for one in conversations:
                if one["about"] in ("same", "corrected", "none"):
                    shown = [passage for passage in index.passages if is_section(passage, *one["before"])]
                    said = (one["first"], "\n".join(passage.text for passage in shown), one["text"])
                    roles: Sequence[Literal["user", "assistant"]] = ("user", "assistant", "user")
                    messages = [Message(role=role, text=text) for role, text in zip(roles, said, strict=True)]
                    found, _ = features_of(messages, shown, index)
                    likeliest = max(linear(part, values) for values in found)
                    rows.append(AskedNext(name, one["about"] != "none", likeliest))
    return rows


def read_follow_ups(language: Script) -> tuple[list[Choice], list[str]]:
    """The conversations in which a piece holds a fact, and the names of the features."""
    stored = lines(FILE)
    indexes = Indexes()
    bots = {name: load_bot(name) for name in dict.fromkeys(one["bot"] for one in stored)}
    rows, names = list[Choice](), list[str]()
    for one in stored:
        bot = bots[one["bot"]]
        if one["about"] == "same" and bot.language == language:
            found, right = read_one(one, bot, indexes.get(bot))
            if any(right) and not all(right):
                names = list(found[0])
                rows.append(_choice(one["id"].split("-")[0], found, right))
    return rows, names


def read_one(conversation: dict[str, Any], bot: Bot, index: Index) -> tuple[list[dict[str, float]], list[bool]]:
    """What speaks for each piece of the section, and which hold a fact."""
    turn = take_turn(EmbeddedEngine(), bot, index, (), conversation["first"])
    section = conversation["document"], conversation["heading"]
    shown = [passage for passage in index.passages if is_section(passage, *section)]
    found, pieces = features_of([*turn.as_messages(), Message(role="user", text=conversation["text"])], shown, index)
    facts = [plain(fact) for facts in conversation["facts"] for fact in facts]
    return found, [any(fact in plain(piece.text) for fact in facts) for piece in pieces]


def features_of(
    messages: Sequence[Message], shown: Sequence[Passage], index: Index
) -> tuple[list[dict[str, float]], list[Snippet]]:
    """What speaks for each piece of the passages shown as the answer to the last message, and these pieces."""
    *earlier, last = respelled(index, messages)
    about, text = split_follow_up([*earlier, with_subject(index, earlier, last)])
    pieces = [piece for one in shown for piece in snippets(one.text)]
    weights = {word: index.lexical.idf(word) for word in content_words(f"{about} {text}")}
    before = sub_questions(about, weights) if about else ()
    return piece_features(text, sub_questions(text, weights), pieces, before), pieces


def plain(text: str) -> str:
    return "".join(normalize(text).split())


def letters(text: str) -> str:
    return "".join(re.findall(r"\w+", normalize(text)))


def report(name: str, rows: Sequence[Choice], values: Callable[[Choice], Any]) -> None:
    quoted = [likeliest_pieces(list(values(row))) for row in rows]
    first = np.mean([row.right[places[0]] for row, places in zip(rows, quoted, strict=True)])
    among = np.mean([row.right[places].any() for row, places in zip(rows, quoted, strict=True)])
    print(
        f"  {name:22} first {first:.2f}, among those quoted {among:.2f} ({np.mean(list(map(len, quoted))):.1f} of them)"
    )


if __name__ == "__main__":
    main()
