"""How good one text of a prompt is on one labelled row: 0 to 1, by what the prompt is for."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.base.call_context import in_context
from core.base.errors import UNUSABLE_REPLY, BadInput, ModelError, Stopped, as_sentence, error_key
from core.base.prompt import Engine
from core.base.prompt_files import prompt_key
from core.base.types import Assessment, Bot, Clarify, Language, Message, Route, Score
from core.bot.decision import decide
from core.bot.turn import TurnOptions, take_turn
from core.bot.turn_context import turn_context
from core.judges.base import Judge, JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.optimization.labelled_rows import LabelledRow, answer_rows, clarify_rows
from core.retrieval.index import Index
from core.runs.judging.samples import sample_of
from core.simulation.bot_reply import choose_option
from core.simulation.scenarios import read_scenarios
from core.text.fact_sheet import parse_facts

CLARIFIERS = ("assess", "functions")
ANSWERERS = ("answer", "rewrite")
NO_CHOICE_FITS = 0.5  # of a clarifying question that was due, but whose choices hold none that fits
_PARTS = re.compile(r"[・/／、]|\band\b|\bor\b")
_DECISION_TEXTS: dict[Language, dict[str, str]] = {
    "ja": {
        "ask": "聞き返した。",
        "search": "聞き返さずに検索した。",
        "asked": "尋ねた文: {}",
        "none": "なし",
        "missing": "「{}」に合う choices がない",
        "sep": "、",
    },
    "en": {
        "ask": "A clarifying question was asked; ",
        "search": "It was searched at once; ",
        "asked": "the question: {}",
        "none": "none",
        "missing": "no choice fits “{}”",
        "sep": "; ",
    },
}
_ASKS = {"ja": "もう少し詳しく教えてください。", "en": "Could you tell me more about that?"}


class RowOutcome(NamedTuple):
    """The outcome of a prompt on one row."""

    score: float | None  # None: the reply could not be used
    got: str = ""  # the reply's result, in a few words


@dataclass(frozen=True)
class PromptTask(ABC):
    """What a prompt of a bot is tried on."""

    bot: Bot
    name: str
    language: Language

    @property
    def key(self) -> str:
        """The prompt with its language."""
        return prompt_key(self.name, self.language)

    @abstractmethod
    def rows(self) -> list[LabelledRow]:
        """All labelled rows."""

    @abstractmethod
    def score(self, engine: Engine, text: str, row: LabelledRow) -> RowOutcome:
        """How the text does on a row."""

    def prompts_with(self, text: str) -> dict[str, str]:
        """The bot's own prompts with the text in its place among them."""
        return {**self.bot.prompts, self.key: text}


@dataclass(frozen=True)
class JudgeTask(PromptTask):
    """A judge's prompt: how often the judge says what people said."""

    judge: Judge
    labelled: Sequence[LabelledRow]

    def rows(self) -> list[LabelledRow]:
        """The answers that people labelled."""
        return list(self.labelled)

    def score(self, engine: Engine, text: str, row: LabelledRow) -> RowOutcome:
        """1 for the person's label, less for one beside it, 0 for another."""
        options = JudgeOptions(language=self.language, guidelines=self.bot.guidelines, prompts=self.prompts_with(text))
        found = _verdict(judge_one(engine, self.judge, row.sample, options))
        if found.value is None:
            return RowOutcome(None)
        return RowOutcome(likeness(found.label, row.label), f"{found.label}\n{found.reasons}".strip())


@dataclass(frozen=True)
class ClarifyTask(PromptTask):
    """A clarifier's prompt: whether the bot asks when it should and only then, and offers a choice that fits."""

    index: Index

    def rows(self) -> list[LabelledRow]:
        """The scenarios that say whether the bot should ask."""
        return clarify_rows(read_scenarios(self.bot))

    def score(self, engine: Engine, text: str, row: LabelledRow) -> RowOutcome:
        """1 for asking when due (half, if choices are offered and none fits) or for searching when that is due."""
        strategy = "functions" if self.name == "functions" else "scores"
        clarify = self.bot.clarify.model_copy(update={"strategy": strategy})
        prompts = self.prompts_with(text)
        bot = self.bot.model_copy(update={"clarify": clarify, "prompts": prompts, "language": self.language})
        conversation = (Message(role="user", text=row.sample.question),)
        with in_context(prompts=prompts):
            assessment, chosen, _ = decide(engine, turn_context(bot, self.index, conversation))
        intent = row.scenario.intent if row.scenario else ""
        right = chosen.decision == row.label
        fits = not right or chosen.decision != "ask" or not assessment.choices or self._fits(row, assessment.choices)
        got = _outcome(assessment, chosen, self.language, self.name == "assess", "" if fits else intent)
        return RowOutcome((1.0 if fits else NO_CHOICE_FITS) if right else 0.0, got)

    def _fits(self, row: LabelledRow, choices: Sequence[str]) -> bool:
        """Whether a choice, or one of the parts that it names, is what the person means."""
        scenario = row.scenario
        if scenario is None or not scenario.intent:
            return True
        values = [fact.value for fact in parse_facts(scenario.facts)]
        parts = [part for choice in choices for part in (choice, *_PARTS.split(choice)) if part.strip()]
        return bool(choose_option(list(dict.fromkeys(parts)), scenario.intent, values, scenario.question))


def _outcome(assessment: Assessment, chosen: Route, language: Language, scores: bool, missing: str) -> str:
    """What a clarifier's reply led to and by which of its fields; missing: the intent that no choice fits."""
    words = _DECISION_TEXTS[language]
    parts = [f"clarity: {assessment.clarity}"] if scores else []
    if chosen.decision == "ask":
        choices = " / ".join(assessment.choices) if assessment.choices else words["none"]
        parts += [words["asked"].format(chosen.ask), f"choices: {choices}"]
        parts += [words["missing"].format(missing)] if missing else []
    return f"{words[chosen.decision]}{words['sep'].join(parts)}"


@dataclass(frozen=True)
class AnswerTask(PromptTask):
    """The prompt of the answer or of the search query: what a judge says of the answers."""

    index: Index
    judge: Judge

    def rows(self) -> list[LabelledRow]:
        """The scenarios with a reference answer; for the search query those with a hidden intent, told when asked."""
        return answer_rows(read_scenarios(self.bot), self.language, with_intent=self.name == "rewrite")

    def score(self, engine: Engine, text: str, row: LabelledRow) -> RowOutcome:
        """The judge's score of the answer."""
        scenario = row.scenario
        if scenario is None:
            return RowOutcome(None)
        bot = self.bot.model_copy(update={"prompts": self.prompts_with(text)})
        question = Message(role="user", text=scenario.question)
        asked = (question, Message(role="assistant", text=_ASKS[self.language], asks=True))
        before, message = (asked, scenario.intent) if scenario.intent.strip() else ((), scenario.question)
        turn = take_turn(engine, bot, self.index, before, message, TurnOptions(clarify=False))
        if isinstance(turn.reply, Clarify):
            return RowOutcome(None)
        options = JudgeOptions(language=self.language, guidelines=bot.guidelines, prompts=self.bot.prompts)
        found = _verdict(judge_one(engine, self.judge, sample_of(scenario, turn, before), options))
        if found.value is None:
            return RowOutcome(None)
        value = 1 - found.value if found.criterion in self.judge.lower_is_better else found.value
        return RowOutcome(value, turn.reply.text)


def judge_task(bot: Bot, name: str, language: Language, judge: str, labelled: Sequence[LabelledRow]) -> PromptTask:
    """What a judge's prompt (judges/…) is tried on: answers that people labelled.

    judge: of several that ask it ("": the one of the prompt's name). Raises BadInput for a judge that does not ask it.
    """
    found = judges_of((judge or name.partition("/")[2],), bot)[0]
    if name not in found.prompt_names:
        message = f"The judge {found.name} does not ask the prompt {name}. Choose a judge that does."
        raise BadInput(message, "not_its_prompt", judge=found.name, name=name)
    return JudgeTask(bot, name, language, found, labelled)


def bot_task(bot: Bot, index: Index | None, name: str, language: Language, judge: str = "") -> PromptTask:
    """What a prompt of the bot is tried on: its scenarios.

    judge: who scores the answers (default: correctness). Raises BadInput for a prompt that cannot be optimized.
    """
    if name in CLARIFIERS and index is not None:
        return ClarifyTask(bot, name, language, index)
    if name in ANSWERERS and index is not None:
        return AnswerTask(bot, name, language, index, judges_of((judge or "correctness",), bot)[0])
    known = ", ".join((*ANSWERERS, *CLARIFIERS, "judges/…"))
    message = f"The prompt {name!r} cannot be optimized. Choose one of {known}."
    raise BadInput(message, "not_optimizable", name=name, known=known)


def try_score(task: PromptTask, engine: Engine, text: str, row: LabelledRow) -> RowOutcome:
    """The score of a text on a row; None if the model gave nothing usable for it. Lets through what ends the whole."""
    try:
        return task.score(engine, text, row)
    except ModelError as error:
        if error.key not in UNUSABLE_REPLY:
            raise
        return RowOutcome(None)


def likeness(label: str, wanted: str) -> float:
    """How like two labels are: 1 for the same, for points from 1 to 5 and shares such as 2/3 less the further apart."""
    numbers = _number(label), _number(wanted)
    if numbers[0] is not None and numbers[1] is not None:
        whole = 1.0 if "/" in label + wanted or max(numbers[0], numbers[1]) <= 1 else 4.0
        return max(0.0, 1 - abs(numbers[0] - numbers[1]) / whole)
    return float(label.strip().casefold() == wanted.strip().casefold())


def _number(label: str) -> float | None:
    share = re.fullmatch(r"\s*(\d+)\s*/\s*([1-9]\d*)\s*", label)
    if share:
        return int(share[1]) / int(share[2])
    return float(label) if re.fullmatch(r"\s*\d+(\.\d+)?\s*", label) else None


def _verdict(scores: Sequence[Score]) -> Score:
    """The judge's main score (`overall`, `grounded`, else the first).

    Raises errors that end the search (a stop, a spent budget, a lost server), which judges store in their scores.
    """
    by_criterion = {one.criterion: one for one in scores}
    score = by_criterion.get("overall") or by_criterion.get("grounded") or scores[0]
    key = error_key(score.error)
    if key == "stopped":
        raise Stopped(as_sentence(score.error), key)
    if key and key not in UNUSABLE_REPLY:
        raise ModelError(as_sentence(score.error), key, **json.loads(score.error)["details"])
    return score
