"""The clarify scorecard: did the bot ask back when it was needed, and only then?

Asking is counted on the first turn, whose message is the scenario's question word for word. `frame` is always
`Store.tables.clarification(run)`: one row per turn of the bot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import pandas as pd
from scipy import stats as scipy_stats

from core.analysis.confidence_intervals import LEVEL
from core.analysis.hidden_facts import Exchanged, RevealedFact, revealed_facts
from core.base.heap import building
from core.base.types import FrozenModel

Table = Any  # pandas and scipy are typed too loosely to be checked
stats: Any = scipy_stats
ASKED = {"ask": True, "search": False}
_FIRST = ("conversation", "scenario", "needs_asking", "decision")
_SAID = ("conversation", "facts", "closing", "user_text", "reply_text", "decision", "choices")


class Rate(FrozenModel):
    """A share of conversations with its 95 % interval; none where there is no conversation.

    scenarios: how many different ones; the interval is over them, since the same question asked by six personas tells
    little more than asked once (Wilson's, by `scipy.stats.binomtest`).
    """

    hits: int
    n: int
    scenarios: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


class FirstTurn(NamedTuple):
    """The first turn of a conversation: whether asking was needed, and whether the bot asked (none: not known)."""

    conversation: str
    scenario: str
    needed: bool | None
    asked: bool | None


class Scorecard(FrozenModel):
    """How a run asked back.

    recall: of the conversations that need it, those in which the bot asked; needless: of those that do not, likewise;
    precision: of those in which it asked, those that needed it. unlabelled: conversations of which nobody said whether
    asking is needed; unknown: those whose bot does not tell whether it asked. questions: {questions asked: conversations}.
    """

    conversations: int
    recall: Rate
    needless: Rate
    precision: Rate
    unlabelled: int
    unknown: int
    questions: dict[int, int]

    @property
    def mean_questions(self) -> float | None:
        """Questions back per conversation; none without a conversation."""
        held = sum(self.questions.values())
        return sum(asked * count for asked, count in self.questions.items()) / held if held else None


def first_turns(frame: pd.DataFrame) -> list[FirstTurn]:
    """The first turn of each conversation, in order."""
    rows = cast(Table, frame)
    return [
        FirstTurn(str(mark), str(scenario), _needed(needed), _asked(decision))
        for mark, scenario, needed, decision in _each(rows[rows["turn"] == 1], *_FIRST)
    ]


def scorecard(frame: pd.DataFrame) -> Scorecard:
    """The scorecard of a run."""
    first = first_turns(frame)
    known = [one for one in first if one.asked is not None]
    labelled = [one for one in known if one.needed is not None]
    return Scorecard(
        conversations=len(first),
        recall=rate((one.scenario, bool(one.asked)) for one in labelled if one.needed),
        needless=rate((one.scenario, bool(one.asked)) for one in labelled if not one.needed),
        precision=rate((one.scenario, bool(one.needed)) for one in labelled if one.asked),
        unlabelled=sum(one.needed is None for one in known),
        unknown=len(first) - len(known),
        questions=_questions(frame),
    )


def rate(found: Iterable[tuple[str, bool]]) -> Rate:
    """The share of (scenario, hit) that are hits, with its interval over scenarios."""
    return rate_of(Counter(found))


def rate_of(counts: Mapping[tuple[str, bool], int]) -> Rate:
    """The same of how many there are of each (scenario, hit): a large run has few different ones."""
    by_scenario, each = Counter[str](), Counter[str]()
    for (scenario, hit), count in counts.items():
        by_scenario[scenario] += count
        each[scenario] += count * hit
    n, hits = by_scenario.total(), each.total()
    if not n:
        return Rate(hits=0, n=0, scenarios=0)
    whole = round(sum(each[scenario] / count for scenario, count in by_scenario.items()))
    value = hits / n
    between = stats.binomtest(whole, len(by_scenario)).proportion_ci(LEVEL, method="wilson")
    return Rate(
        hits=hits,
        n=n,
        scenarios=len(by_scenario),
        value=value,
        low=min(float(between.low), value),
        high=max(float(between.high), value),
    )


def facts_by_conversation(frame: pd.DataFrame) -> dict[str, tuple[RevealedFact, ...]]:
    """What became of the facts of each conversation that has any, by its id."""
    rows = cast(Table, frame)
    talks: dict[str, tuple[str, str, list[Exchanged]]] = {}
    with building():
        for mark, facts, closing, said, reply, decision, choices in _each(rows[rows["facts"] != ""], *_SAID):
            known = talks.setdefault(str(mark), (str(facts), str(closing), []))
            known[2].append(Exchanged(str(said), str(reply), _asked(decision), choices))
        return {mark: revealed_facts(sheet, said, closing) for mark, (sheet, closing, said) in talks.items()}


def _each(rows: Table, *columns: str) -> Iterable[tuple[Any, ...]]:
    """The rows as tuples of these columns (`itertuples` takes long over columns of texts)."""
    return zip(*(rows[name].tolist() for name in columns), strict=True)


def _questions(frame: pd.DataFrame) -> dict[int, int]:
    """{questions back: conversations} of those whose bot tells whether it asked."""
    rows = cast(Table, frame)
    known = rows[rows["decision"].isin(["ask", "search"])]
    asked = (known["decision"] == "ask").groupby(known["conversation"]).sum()
    held: Counter[int] = Counter(int(count) for count in asked)
    return dict(sorted(held.items()))


def _needed(value: Any) -> bool | None:
    return None if value is None or value != value else bool(value)


def _asked(decision: Any) -> bool | None:
    return ASKED.get(decision)
