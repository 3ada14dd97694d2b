"""The turn judge tells good from bad on all three bots."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import mean

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Passage, Scenario, ScenarioKind
from core.documents.documents import read_documents
from core.documents.passages import passages
from core.simulation.scenarios import read_scenarios
from core.text.language import content_words, sentences
from core.text.numbers import numbers
from tests.support.turn_judge import judged, label

BOTS = ("hinata", "minato", "harbor")


TYPES = ("right", "incomplete", "other", "ungrounded", "refusal")


REFUSAL = {
    "ja": "わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。近い内容としては「{near}」があります。",
    "en": 'I am sorry, I don\'t know. I could not find this in the documents I have. The nearest topics are "{near}".',
}


INVENTED = {
    "ja": "{about}については、本社総務センターへ所定の用紙を郵送し、手数料7,700円を支払うと、翌々週の火曜日に面談を経て認められます。",
    "en": "For {about}, you send a notarised form to the Lisbon office with a fee of 77 dollars, and a committee decides by fax.",
}


class Library:
    """The passages of a bot, looked up by shared words (no index, no vectors)."""

    def __init__(self, bot: str) -> None:
        loaded = load_bot(bot)
        self.language = loaded.language
        self.passages = [part for document in read_documents(loaded) for part in passages(document)]
        self.rows = [row for row in read_scenarios(loaded) if row.reference and row.kind != "out_of_scope"]
        self.outside = [row for row in read_scenarios(loaded) if row.kind == "out_of_scope"]
        self.words = [frozenset(content_words(f"{p.title} {p.heading} {p.text}")) for p in self.passages]
        self.count = Counter(word for words in self.words for word in words)

    def ranked(self, text: str) -> list[int]:
        wanted, figures = content_words(text), numbers(text)

        def score(place: int) -> float:
            shared = sum(math.log(1 + len(self.words) / self.count[w]) for w in wanted if w in self.words[place])
            return shared + len(figures & numbers(self.passages[place].text))

        return sorted(range(len(self.passages)), key=lambda place: (-score(place), place))

    def contexts(self, row: Scenario) -> tuple[Passage, ...]:
        """Six passages found for the question, the ones behind the reference among them."""
        found = self.ranked(f"{row.question} {row.intent}")[:6]
        for sentence in (row.reference, *sentences(row.reference)):
            right = self.ranked(sentence)[0]
            if right not in found:
                found = [*found[:2], right, *found[2:5]]
        return tuple(self.passages[place] for place in found)


@cache
def load_library(bot: str) -> Library:
    return Library(bot)


def halved(reference: str) -> str:
    """The first half of the sentences, or of the clauses of the only one."""
    parts = [part for part in sentences(reference) if part.strip()]
    if len(parts) > 1:
        return "".join(parts[: len(parts) // 2]).strip()
    cuts = [match.end() for match in re.finditer("、|, ", reference)] or [len(reference) // 2]
    return reference[: min(cuts, key=lambda cut: abs(cut - len(reference) / 2))]


def falsified(reference: str, about: str, language: str, number: int) -> str:
    """Every figure changed, or (every other row, and if there is none) a fluent invention."""
    changed = re.sub(
        r"(?<![A-Za-z\d-])\d[\d,]*\d|(?<![A-Za-z\d-])\d", lambda m: str(int(m[0].replace(",", "")) + 3), reference
    )
    return changed if changed != reference and number % 2 == 0 else INVENTED[language].format(about=about)


@cache
def five_answers(bot: str, with_reference: bool) -> tuple[dict[str, int], ...]:
    """For each row the overall label of each of the five answers; titles stand above the passages in every other row."""
    library, found = load_library(bot), []
    for number, row in enumerate(library.rows):
        source = library.contexts(row)
        texts = tuple((f"{p.title} › {p.heading}\n" if number % 2 else "") + p.text for p in source)
        answers = {
            "right": row.reference if number % 3 else row.reference + " [1]",
            "incomplete": halved(row.reference),
            "other": library.rows[(number + 7) % len(library.rows)].reference,
            "ungrounded": falsified(row.reference, row.intent or row.question, library.language, number),
            "refusal": REFUSAL[library.language].format(near=source[0].heading),
        }
        references = (row.reference,) if with_reference else ()
        fields = {"kind": row.kind, "intent": row.intent, "reference": references}
        found.append({name: label(judged(text, row.question, texts, **fields)) for name, text in answers.items()})
    return tuple(found)


@pytest.mark.parametrize("bot", BOTS)
def test_five_kinds_of_answer_are_distinguished_with_a_reference(bot: str) -> None:
    rows = five_answers(bot, True)
    means = {name: mean(row[name] for row in rows) for name in TYPES}
    assert means["right"] >= 4.8
    assert means["right"] - means["incomplete"] >= 1.0
    assert means["incomplete"] - max(means[name] for name in ("other", "ungrounded", "refusal")) >= 1.0
    assert mean(row["right"] > max(row[name] for name in TYPES[1:]) for row in rows) >= 0.9


@pytest.mark.parametrize("bot", BOTS)
def test_five_kinds_of_answer_are_distinguished_by_the_passages_alone(bot: str) -> None:
    rows = five_answers(bot, False)
    means = {name: mean(row[name] for row in rows) for name in TYPES}
    assert means["right"] >= 3.8  # what cannot be known is capped
    assert means["right"] - means["incomplete"] >= 0.25
    assert means["incomplete"] - max(means[name] for name in ("other", "ungrounded", "refusal")) >= 0.8
    assert mean(row["right"] > max(row[name] for name in ("other", "ungrounded", "refusal")) for row in rows) >= 0.75


@cache
def reworded(bot: str, with_reference: bool) -> tuple[dict[str, int], ...]:
    """For each handwritten case the overall label of each answer; "other" is the right answer to the next question."""
    library = load_library(bot)
    rows = {row.id: row for row in library.rows}
    written = tomllib.loads(Path(__file__).with_name("judge_cases.toml").read_text("utf-8"))
    cases = [(rows[name], answers) for name, answers in written.items() if name.startswith(bot)]
    found = []
    for number, (row, answers) in enumerate(cases):
        shown_text = {**answers, "other": cases[(number + 1) % len(cases)][1]["right"]}
        source = tuple(f"{p.title} › {p.heading}\n{p.text}" for p in library.contexts(row))
        references = (row.reference,) if with_reference else ()
        fields = {"kind": row.kind, "intent": row.intent, "reference": references}
        found.append({name: label(judged(text, row.question, source, **fields)) for name, text in shown_text.items()})
    return tuple(found)


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(("with_reference", "right", "apart"), [(True, 3.6, 0.8), (False, 3.4, 0.7)])
def test_answers_in_other_words_are_distinguished(bot: str, with_reference: bool, right: float, apart: float) -> None:
    rows = reworded(bot, with_reference)
    means = {name: mean(row[name] for row in rows) for name in rows[0]}
    assert len(rows) >= 6
    assert means["right"] >= right
    assert means["right"] - means["incomplete"] >= (1.0 if with_reference else 0.5)
    assert means["right"] - means["subtle"] >= 1.0
    gap = 1.8 if with_reference else 1.2  # whether a refusal is right is known with a reference alone
    assert means["right"] - max(means[name] for name in ("invented", "refusal", "other")) >= gap
    assert mean(row["right"] > row["subtle"] for row in rows) >= apart


@pytest.mark.parametrize("bot", BOTS)
def test_out_of_scope_is_scored_on_not_answering(bot: str) -> None:
    library = load_library(bot)
    for number, row in enumerate(library.outside):
        texts = tuple(passage.text for passage in library.contexts(row))
        kind: ScenarioKind = "out_of_scope"
        refused = judged(REFUSAL[library.language].format(near="X"), row.question, texts, kind=kind)
        answered = judged(library.rows[number].reference, row.question, texts, kind=kind)
        assert label(refused) >= 4
        assert label(answered) <= 2
