"""Variants of a prompt: other rules, as the model itself proposes them, and labelled rows as examples."""

from __future__ import annotations

import random
import re
from collections.abc import Container, Iterator, Sequence

from pydantic import Field

from core.base.errors import BadInput
from core.base.fence import fence_text
from core.base.frozen_model import FrozenModel
from core.base.prompt import USER, Engine, Prompt, usable_reply
from core.base.types import Language
from core.optimization.labelled_rows import LabelledRow
from core.prompts.catalog import check_prompt, split_key

SHOWN_MISTAKES = 4
SHOWN_SUCCESSES = 2
EXAMPLES_PER_SET = 4  # labelled rows in one set of examples
LONGEST_EXAMPLE = 1_200  # characters of a text in an example
_TAG = re.compile(r"\{\{[^{}]*+\}\}|\{%(?:[^{}%]|%(?!\}))*+%\}")
_JINJA = re.compile(r"\{[{%#]|[}%#]\}")
_WORDS: dict[Language, dict[str, str]] = {
    "ja": {
        "title": "例（正しい判断）",
        "example": "例",
        "question": "質問",
        "answer": "回答",
        "reference": "模範解答",
        "context": "資料",
        "label": "正しい結果",
        "ask": "聞き返す",
        "search": "聞き返さずに検索する",
        "got": "今のプロンプトでの結果",
    },
    "en": {
        "title": "Examples (what is right)",
        "example": "Example",
        "question": "Question",
        "answer": "Answer",
        "reference": "Reference answer",
        "context": "Passage",
        "label": "Right result",
        "ask": "a clarifying question is asked",
        "search": "it is searched at once, nothing is asked",
        "got": "Result of the current prompt",
    },
}


class PromptVariant(FrozenModel):
    """A text to try."""

    origin: str  # present, rules, examples or both, with a number
    text: str
    shown: frozenset[str] = frozenset()  # ids of the labelled rows in it, on which it must not be scored


class Proposal(FrozenModel):
    """What should change, then the new rules."""

    thought: str = Field(description="In one or two sentences: why the mistakes happened, and what to change.")
    rules: str = Field(description="The whole new rules, complete, with every {{ variable }} of the old ones kept.")


class ProposeRules(Prompt[Proposal]):
    """Better rules for a prompt.

    mistakes, successes: rows on which it went wrong and right, each as one text; right, tried: on how many of how many rows
    it went right; number: of the proposal.
    """

    file = "propose"
    required = ("rules", "mistakes")
    rules: str
    mistakes: tuple[str, ...]
    successes: tuple[str, ...]
    right: int
    tried: int
    number: int


def propose(
    engine: Engine, present: str, key: str, mistakes: Sequence[str], successes: Sequence[str], count: int
) -> Iterator[PromptVariant]:
    """Texts with other rules, what is asked left as it is; a proposal that cannot be used is left out.

    mistakes, successes: the rows that the present text got wrong and right, each with its result as one text.
    """
    rules, _, material = present.partition(USER)
    for number in range(1, count + 1):
        prompt = ProposeRules(
            rules=fence_text(rules.strip()),
            mistakes=tuple(map(fence_text, mistakes[:SHOWN_MISTAKES])),
            successes=tuple(map(fence_text, successes[:SHOWN_SUCCESSES])),
            right=len(successes),
            tried=len(mistakes) + len(successes),
            number=number,
            seed=number,
            language=split_key(key)[1],
        )
        try:
            reply = usable_reply(engine, prompt)
            proposed = _without_fence(reply.rules) if reply else ""
            if reply is None or USER in proposed or _tags(proposed) != _tags(rules):
                continue
            text = f"{proposed}\n\n{USER}{material}"
            check_prompt(key, text)
        except BadInput:
            continue
        if text.strip() != present.strip():
            yield PromptVariant(origin=f"rules {number}", text=text)


def _tags(rules: str) -> set[str]:
    """The variables, conditions and inclusions of a template; a proposal must keep them all, also those that guard data."""
    return {" ".join(re.split(r"\W+", tag)) for tag in _TAG.findall(rules)}


def _without_fence(rules: str) -> str:
    """The rules without the lines of three backticks that models like to put around a text."""
    lines = rules.strip().splitlines()
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return "\n".join(lines).strip()


def with_examples(text: str, rows: Sequence[LabelledRow], language: Language) -> str:
    """The text with labelled rows at the end of its rules."""
    words = _WORDS[language]
    shown = [f"{words['example']} {number}\n{describe(row, language)}" for number, row in enumerate(rows, 1)]
    rules, _, material = text.partition(USER)
    examples = "\n\n".join(shown)
    return f"{rules.rstrip()}\n\n{words['title']}\n\n{{% raw %}}\n{examples}\n{{% endraw %}}\n\n{USER}{material}"


def example_sets(
    rows: Sequence[LabelledRow], count: int, seed: int, wrong: Container[str] = ()
) -> list[tuple[LabelledRow, ...]]:
    """Sets of labelled rows, drawn by the seed, the labels by turns; rows that a template would read as code are left out.

    wrong: ids of rows on which the present text goes wrong; the first set and every second one after it prefer these.
    """
    usable = [row for row in rows if not _JINJA.search(_texts(row))]
    found: list[tuple[LabelledRow, ...]] = []
    for number in range(count):
        chance = random.Random(f"{seed}:{number}")
        by_label: dict[str, list[LabelledRow]] = {}
        drawn = chance.sample(usable, len(usable))
        if number % 2 == 0:
            drawn.sort(key=lambda row: row.id in wrong)  # the last ones are picked first
        for row in drawn:
            by_label.setdefault(row.label, []).append(row)
        picked: list[LabelledRow] = []
        while len(picked) < min(EXAMPLES_PER_SET, len(usable)):
            for group in by_label.values():
                if group and len(picked) < EXAMPLES_PER_SET:
                    picked.append(group.pop())
        if picked and tuple(picked) not in found:
            found.append(tuple(picked))
    return found


def describe(row: LabelledRow, language: Language, got: str | None = None) -> str:
    """A labelled row as a text, with what came out if that is given, in words or as one of the labels of a clarifier."""
    words, sample = _WORDS[language], row.sample
    parts = [(words["question"], sample.question)]
    parts += [(words["answer"], sample.answer)] if sample.answer.strip() else []
    parts += [(words["context"], text) for text in sample.contexts[:2]]
    parts += [(words["reference"], text) for text in sample.reference[:1]]
    lines = [f"{name}\n{fence_text(text[:LONGEST_EXAMPLE])}" for name, text in parts]
    lines += [f"{words['label']}: {words.get(row.label, row.label)}"] if row.label else []
    lines += [f"{words['got']}: {words.get(got, got)[:LONGEST_EXAMPLE]}"] if got is not None else []
    return "\n".join(lines)


def _texts(row: LabelledRow) -> str:
    sample = row.sample
    return "\n".join((sample.question, sample.answer, row.label, *sample.contexts[:2], *sample.reference[:1]))
