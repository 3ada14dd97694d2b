"""The search for a better text: successive halving on the development half, then one comparison on the other half.

Successive halving: Jamieson and Talwalkar 2016, AISTATS. The held-out half is not looked at before the winner is known, so
the interval of the difference is that of a single comparison.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Literal

from core.analysis.confidence_intervals import estimate, verdict_of
from core.base.budget import Budget
from core.base.call_context import CallContext, Tally, in_context
from core.base.calls import Spending, sum_of
from core.base.errors import BadInput, Stopped, no_usable_reply
from core.base.frozen_model import FrozenModel
from core.base.means import mean
from core.base.prompt import Engine
from core.base.prompt_files import save_prompt
from core.base.settings import settings
from core.base.thread_pool import side_by_side
from core.base.types import Bot
from core.llm.roles import ModelEngine
from core.optimization.labelled_rows import Halves, LabelledRow, halve
from core.optimization.prompt_task import PromptTask, RowOutcome, try_score
from core.optimization.variants import PromptVariant, describe, example_sets, propose, with_examples
from core.prompts.catalog import check_prompt, text_of

FIRST_ROWS = 6  # development rows that every candidate is tried on
SURVIVING_SHARE = 0.5  # share of the candidates that goes on to twice as many rows
MISTAKE_UP_TO = 0.5  # score up to which a row counts as a mistake
PROBED_ROWS = 3  # rows that an estimate tries
RUN = "optimize"  # the run that its calls belong to in the call log
SearchVerdict = Literal["better", "not_surely_better", "nothing_found"]


class SearchOptions(FrozenModel):
    """The options of a search."""

    rules: int = 4  # proposals of the model
    examples: int = 3  # sets of labelled rows
    seed: int = 0  # draws halves and sets
    limit: int = 0  # at most so many rows (0: all)
    budget: float = 0  # at most so much money (0: no limit)
    today: date | None = None  # in prompts, so that a search can be resumed on another day (None: the bot's or today)


class HalfScores(FrozenModel):
    """Mean scores (0 to 1) on one half."""

    present: float | None
    best: float | None
    rows: int  # on which both texts could be scored


class TriedText(FrozenModel):
    """One candidate: its mean on the development rows that it was tried on."""

    origin: str
    score: float | None
    rows: int


class OptimizationResult(FrozenModel):
    """The result of a search."""

    bot: str
    key: str
    verdict: SearchVerdict
    present_text: str
    best_text: str  # the present text if none was better on the development half; then the held-out half is not used
    origin: str
    development: HalfScores
    held_out: HalfScores | None = None
    difference: float | None = None  # best minus present text on the held-out half
    low: float | None = None  # of its 95 % interval
    high: float | None = None
    unscored: dict[str, int] = {}  # unusable replies on the held-out half
    tried: tuple[TriedText, ...] = ()
    rows: int
    seed: int
    spent: Spending = Spending()  # calls that were not in the call log
    models: dict[str, str] = {}


class CostEstimate(FrozenModel):
    """The estimated calls, cost and time of a search, scaled up from a few rows."""

    calls: Spending
    seconds: float
    rows: int
    paid: Spending


@dataclass
class Search:
    """One optimization. No call is made twice: earlier ones, also of a stopped search, are in the call log."""

    engine: Engine
    bot: Bot
    task: PromptTask
    options: SearchOptions = field(default_factory=SearchOptions)
    count: Callable[[int], None] = lambda done: None  # called with the number of scores so far
    stopped: Callable[[], bool] = lambda: False
    tally: Tally = field(default_factory=Tally)
    _known: dict[tuple[str, str], RowOutcome] = field(default_factory=dict[tuple[str, str], RowOutcome])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> OptimizationResult:
        """Search and compare; raises BadInput for too few rows, the embedded engine, or no score at all, and ModelErrors."""
        check_engine(self.engine)
        halves, present = self.halves(), PromptVariant(origin="present", text=self.present)
        with self._context():
            candidates = [present, *self._candidates(present, halves.development)]
            best, tried = self._choose(candidates, halves.development)
            return self._compare(present, best, tried, halves)

    def estimate(self) -> CostEstimate:
        """Try the present text on a few development rows, and scale up; the search will find these calls in the log."""
        check_engine(self.engine)
        halves, present, first = self.halves(), PromptVariant(origin="present", text=self.present), Tally()
        with self._context():
            with in_context(tally=first):  # the first reply may come with calls that find out what the server can do
                self._score_all([present], halves.development[:1])
            self._score_all([present], halves.development[1 : PROBED_ROWS + 1])
        scores = planned_scores(halves, self.options)
        asked = sum_of(self.tally.by_role().values())
        whole = asked.times((scores + self.options.rules) / PROBED_ROWS)  # a proposal is taken for as long as a row
        threads = settings().concurrency
        paid = first.spent().plus(self.tally.spent())
        return CostEstimate(calls=whole, seconds=whole.seconds / threads, rows=_size(halves), paid=paid)

    @property
    def present(self) -> str:
        """The text in use: the bot's own, else Kiku's."""
        return text_of(self.bot.prompts, self.task.name, self.task.language)

    def halves(self) -> Halves:
        """The two halves of the rows; raises BadInput for too few."""
        rows = self.task.rows()
        if 0 < self.options.limit < len(rows):
            both = halve(rows, self.options.seed)
            half = self.options.limit // 2
            rows = [*both.development[:half], *both.held_out[: self.options.limit - half]]
        return halve(rows, self.options.seed)

    def _context(self) -> AbstractContextManager[CallContext]:
        return in_context(
            run_id=RUN,
            tally=self.tally,
            stopped=self.stopped,
            budget=Budget(self.options.budget),
            today=self.options.today or self.bot.today or date.today(),
        )

    def _candidates(self, present: PromptVariant, rows: Sequence[LabelledRow]) -> list[PromptVariant]:
        """The texts to try, made from the development half alone; the total of scores is known from here on."""
        first = rows[: max(FIRST_ROWS, len(rows) // 2)]
        outcomes = self._score_all([present], first)[present.text]
        mistakes, successes = list[str](), list[str]()
        for row, one in zip(first, outcomes, strict=True):
            if one.score is not None:
                side = mistakes if one.score <= MISTAKE_UP_TO else successes
                side.append(describe(row, self.task.language, one.got))
        found = list(propose(self.engine, present.text, self.task.key, mistakes, successes, self.options.rules))
        every = zip(rows, self._score_all([present], rows)[present.text], strict=True)
        wrong = {row.id for row, one in every if one.score is not None and one.score <= MISTAKE_UP_TO}
        for number, rows_shown in enumerate(example_sets(rows, self.options.examples, self.options.seed, wrong), 1):
            text = with_examples(present.text, rows_shown, self.task.language)
            if self._is_usable(text):
                shown = frozenset(row.id for row in rows_shown)
                found.append(PromptVariant(origin=f"examples {number}", text=text, shown=shown))
        return found

    def _is_usable(self, text: str) -> bool:
        try:
            check_prompt(self.task.key, text)
        except BadInput:
            return False
        return True

    def _choose(
        self, candidates: Sequence[PromptVariant], rows: Sequence[LabelledRow]
    ) -> tuple[PromptVariant, tuple[TriedText, ...]]:
        """The best on the development half: each round keeps the better half of the texts and doubles the rows.

        Texts are ranked by what they gain on the present one, on the rows that do not stand in them; the shorter text of
        two equals is kept.
        """
        present, left = candidates[0], list(candidates[1:])
        tried: dict[str, TriedText] = {}
        for texts, seen in _rounds(len(left), len(rows)):
            left, part = left[:texts], rows[:seen]
            self._score_all([present, *left], part)
            for one in (present, *left):
                outcomes = self._outcomes(one, _unseen(one, part))
                score = mean(outcome.score for outcome in outcomes)
                tried[one.origin] = TriedText(origin=one.origin, score=score, rows=len(outcomes))
            left.sort(key=lambda one: (-self._improvement(one, present, part), len(one.text)))
        best = left[0] if left and self._improvement(left[0], present, rows) > 0 else present
        return best, tuple(tried.values())

    def _improvement(self, one: PromptVariant, present: PromptVariant, rows: Sequence[LabelledRow]) -> float:
        """By how much a text's mean is above the present one's, on the rows that do not stand in it."""
        unseen = _unseen(one, rows)
        return _rank(self._outcomes(one, unseen)) - _rank(self._outcomes(present, unseen))

    def _outcomes(self, one: PromptVariant, rows: Sequence[LabelledRow]) -> list[RowOutcome]:
        return [self._known[one.text, row.id] for row in rows]

    def _compare(
        self, present: PromptVariant, best: PromptVariant, tried: tuple[TriedText, ...], halves: Halves
    ) -> OptimizationResult:
        """The result: only now the held-out half is looked at, and only if there is something to compare."""
        base = partial(
            OptimizationResult,
            bot=self.bot.id,
            key=self.task.key,
            present_text=present.text,
            best_text=best.text,
            origin=best.origin,
            development=_half_scores(self._scored_by_both(present, best, halves.development)),
            tried=tried,
            rows=_size(halves),
            seed=self.options.seed,
            models=dict(self.engine.models) if isinstance(self.engine, ModelEngine) else {},
        )
        if best is present:
            if not any(text.score is not None for text in tried):
                raise no_usable_reply(len(self._known))
            return base(verdict="nothing_found", spent=self.tally.spent())
        pairs = self._scored_by_both(present, best, halves.held_out)
        found = estimate([after - before for before, after, _ in pairs], [row.cluster for *_, row in pairs])
        unscored = {
            one.origin: sum(outcome.score is None for outcome in self._outcomes(one, halves.held_out))
            for one in (present, best)
        }
        worse_replies = unscored[best.origin] > unscored[present.origin]
        sure = verdict_of(found) == "better" and not worse_replies
        return base(
            verdict="better" if sure else "not_surely_better",
            held_out=_half_scores(pairs),
            difference=found.difference if found else None,
            low=found.low if found else None,
            high=found.high if found else None,
            unscored=unscored,
            spent=self.tally.spent(),
        )

    def _scored_by_both(
        self, present: PromptVariant, best: PromptVariant, rows: Sequence[LabelledRow]
    ) -> list[tuple[float, float, LabelledRow]]:
        """(score of the present text, of the best one, row) of the rows on which both can be scored."""
        rows = _unseen(best, rows)
        scores = self._score_all([present, best], rows)
        return [
            (before.score, after.score, row)
            for before, after, row in zip(scores[present.text], scores[best.text], rows, strict=True)
            if before.score is not None and after.score is not None
        ]

    def _score_all(
        self, candidates: Sequence[PromptVariant], rows: Sequence[LabelledRow]
    ) -> dict[str, list[RowOutcome]]:
        """The outcome of each text on each row that does not stand in it, by text; what is known is not asked again."""
        by_text = {one.text: _unseen(one, rows) for one in candidates}
        open_pairs = [(text, row) for text, own in by_text.items() for row in own if (text, row.id) not in self._known]
        with side_by_side(self._score, open_pairs, settings().concurrency, "optimize") as scored:
            for one in scored:
                one.result()
        return {text: [self._known[text, row.id] for row in own] for text, own in by_text.items()}

    def _score(self, pair: tuple[str, LabelledRow]) -> None:
        text, row = pair
        if self.stopped():
            raise Stopped("The optimization was stopped.", "stopped")
        outcome = try_score(self.task, self.engine, text, row)
        with self._lock:
            self._known[text, row.id] = outcome
            self.count(len(self._known))


def check_engine(engine: Engine) -> None:
    """Raises BadInput on the embedded engine, which reads no prompts."""
    if not isinstance(engine, ModelEngine):
        message = "The embedded engine reads no prompts, so there is nothing to optimize. Choose a language model."
        raise BadInput(message, "embedded_reads_no_prompts")


def planned_scores(halves: Halves, options: SearchOptions) -> int:
    """How many rows are scored at most, over all texts: the rounds of halving, and the comparison."""
    scores, before = 2 * len(halves.held_out), 0
    for texts, seen in _rounds(options.rules + options.examples, len(halves.development)):
        scores += (texts + 1) * (seen - before)
        before = seen
    return scores


def _rounds(texts: int, rows: int) -> Iterator[tuple[int, int]]:
    """(texts beside the present one, rows that they are tried on) in each round of successive halving."""
    seen = min(FIRST_ROWS, rows)
    while seen < rows:
        yield texts, seen
        texts, seen = max(1, math.ceil(texts * SURVIVING_SHARE)), min(2 * seen, rows)
    yield texts, seen


def use(bot: Bot, result: OptimizationResult) -> None:
    """Make the best text the bot's own; raises BadInput if it cannot be used any more."""
    check_prompt(result.key, result.best_text)
    save_prompt(bot, result.key, result.best_text)


def _unseen(one: PromptVariant, rows: Sequence[LabelledRow]) -> list[LabelledRow]:
    return [row for row in rows if row.id not in one.shown]


def _half_scores(pairs: Sequence[tuple[float, float, LabelledRow]]) -> HalfScores:
    before, after = mean(before for before, *_ in pairs), mean(after for _, after, _ in pairs)
    return HalfScores(present=before, best=after, rows=len(pairs))


def _size(halves: Halves) -> int:
    return len(halves.development) + len(halves.held_out)


def _rank(outcomes: Sequence[RowOutcome]) -> float:
    """For choosing alone: a reply that cannot be used is worth nothing."""
    return sum(one.score or 0.0 for one in outcomes) / len(outcomes) if outcomes else 0.0
