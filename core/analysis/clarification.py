"""Clarification: did the bot ask clarifying questions when they were needed, and only then?

Asking is counted on the first turn, whose message is the scenario's question word for word. `frame` is always
`core.store.clarification_table.read_clarification`: one row per turn of the bot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from core.analysis.confidence_intervals import wilson
from core.analysis.hidden_facts import Exchange, RevealedFact, revealed_facts
from core.base.frozen_model import FrozenModel

Cell = tuple[bool, bool]  # a question was needed, the bot asked
CELLS: tuple[Cell, ...] = ((True, True), (True, False), (False, True), (False, False))
ASKED = {"ask": True, "search": False}  # by `Turn.decision`; no entry for a bot that does not report it


class Rate(FrozenModel):
    """A share of conversations; None without any."""

    hits: int
    n: int
    scenarios: int  # number of different ones
    value: float | None = None
    # 95 % interval (Wilson's) over scenarios: six personas with one question are hardly more than one observation
    low: float | None = None
    high: float | None = None


class FirstTurn(NamedTuple):
    """The first turn of a conversation: whether asking was needed, and whether the bot asked (None: unknown)."""

    conversation: str
    scenario: str
    needed: bool | None
    asked: bool | None


class Scorecard(FrozenModel):
    """The clarifying questions of a run."""

    conversations: int
    recall: Rate  # of the conversations that need asking, those in which the bot asked
    needless: Rate  # of the conversations that do not need it, those in which the bot asked
    precision: Rate  # of the conversations in which the bot asked, those that need it
    unlabelled: int  # conversations whose scenario does not say whether asking is needed
    unknown: int  # conversations whose bot does not report whether it asked
    questions: dict[int, int]  # {questions asked: conversations}

    @property
    def mean_questions(self) -> float | None:
        """Clarifying questions per conversation; None without a conversation."""
        return mean_questions(self.questions) if self.questions else None


def first_turns(frame: pd.DataFrame) -> list[FirstTurn]:
    """The first turn of each conversation, in order."""
    rows = frame[frame["turn"] == 1]
    columns = (rows[name].tolist() for name in ("conversation", "scenario", "needs_asking", "decision"))
    return [
        FirstTurn(str(conversation), str(scenario), None if pd.isna(needed) else bool(needed), ASKED.get(decision))
        for conversation, scenario, needed, decision in zip(*columns, strict=True)
    ]


def confusion_cells(first: Iterable[FirstTurn]) -> dict[Cell, list[str]]:
    """The conversations by (question needed, bot asked); only those for which both are known."""
    cells: dict[Cell, list[str]] = {cell: [] for cell in CELLS}
    for first_turn in first:
        if first_turn.needed is not None and first_turn.asked is not None:
            cells[first_turn.needed, first_turn.asked].append(first_turn.conversation)
    return cells


def scorecard(frame: pd.DataFrame) -> Scorecard:
    """The scorecard of a run."""
    turns = first_turns(frame)
    known = [turn for turn in turns if turn.asked is not None]
    labelled = [turn for turn in known if turn.needed is not None]
    return Scorecard(
        conversations=len(turns),
        recall=rate((turn.scenario, bool(turn.asked)) for turn in labelled if turn.needed),
        needless=rate((turn.scenario, bool(turn.asked)) for turn in labelled if not turn.needed),
        precision=rate((turn.scenario, bool(turn.needed)) for turn in labelled if turn.asked),
        unlabelled=sum(turn.needed is None for turn in known),
        unknown=len(turns) - len(known),
        questions=count_questions(frame),
    )


def rate(outcomes: Iterable[tuple[str, bool]]) -> Rate:
    """The share of (scenario, hit) that are hits, with its interval over scenarios."""
    return rate_of(Counter(outcomes))


def rate_of(counts: Mapping[tuple[str, bool], int]) -> Rate:
    """`rate` from the counts of each (scenario, hit): a large run has few different ones."""
    by_scenario, hits_of = Counter[str](), Counter[str]()
    for (scenario, hit), count in counts.items():
        by_scenario[scenario] += count
        hits_of[scenario] += count * hit
    n, hits = by_scenario.total(), hits_of.total()
    if not n:
        return Rate(hits=0, n=0, scenarios=0)
    mean, value = sum(hits_of[scenario] / count for scenario, count in by_scenario.items()), hits / n
    low, high = wilson(round(mean) / len(by_scenario), len(by_scenario))
    return Rate(hits=hits, n=n, scenarios=len(by_scenario), value=value, low=min(low, value), high=max(high, value))


def count_questions(frame: pd.DataFrame) -> dict[int, int]:
    """{clarifying questions: conversations} if the bot reports whether it asked; frame: conversation, decision."""
    decided = frame[frame["decision"].isin(list(ASKED))]
    asked = (decided["decision"] == "ask").groupby(decided["conversation"], observed=True).sum()
    return dict(sorted(Counter(map(int, asked)).items()))


def mean_questions(questions: Mapping[int, int]) -> float:
    """Clarifying questions per conversation, from {questions: conversations} of at least one conversation."""
    return sum(asked * count for asked, count in questions.items()) / sum(questions.values())


def facts_by_conversation(frame: pd.DataFrame) -> dict[str, tuple[RevealedFact, ...]]:
    """The facts of each conversation that has any, by its id."""
    rows, exchanges = frame[frame["facts"] != ""], dict[str, tuple[str, str, list[Exchange]]]()
    names = ("conversation", "facts", "closing", "user_text", "reply_text", "decision", "choices")
    for conversation, facts, closing, user_text, reply, decision, choices in zip(
        *(rows[name].tolist() for name in names), strict=True
    ):
        turns = exchanges.setdefault(str(conversation), (str(facts), str(closing), []))[2]
        turns.append(Exchange(str(user_text), str(reply), ASKED.get(decision), choices))
    return {name: revealed_facts(sheet, turns, closing) for name, (sheet, closing, turns) in exchanges.items()}
