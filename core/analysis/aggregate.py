"""How good a run was: pure functions over the table of its scores.

`frame` is always `Store.score_values(run)` or `Store.score_frame(run)`: one row per score, `value` 0 to 1 or NaN when
unscored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Protocol, cast

import pandas as pd

from core.analysis.confidence_intervals import Interval, mean_interval
from core.base.types import FrozenModel

JUDGE, OVERALL = "turn", "overall"
_TURN = ["conversation", "number", "turn"]
_TALK = ["number", "conversation"]
_ABOUT = ["scenario", "question", "kind", "persona", "persona_name", "repeat"]


class Ended(Protocol):
    """What a summary needs of a conversation."""

    @property
    def number(self) -> int: ...
    @property
    def status(self) -> str: ...


class Mean(FrozenModel):
    """A mean (0 to 1) with the number of conversations in it; none when nothing is scored."""

    value: float | None
    n: int


class RunSummary(FrozenModel):
    """A run in numbers: `score` is the mean of its conversations' scores, none when nothing is scored.

    judge, criterion: whose score it is; conversations: how many there are; scored_conversations: how many are in the
    mean; unfinished, unfinished_turns: those of them that failed or were stopped, and their scored turns, which are in the
    mean as well; unscored: turns that this judge could not score; criteria: each like `score` the mean over conversations of
    the mean over turns, by its name for the turn judge and by "judge.criterion" for all others.
    """

    judge: str
    criterion: str
    score: float | None
    conversations: int
    scored_conversations: int
    failed: int
    stopped: int
    unfinished: int
    unfinished_turns: int
    turns: int
    unscored: int
    criteria: dict[str, Mean]


def turn_scores(frame: pd.DataFrame, criterion: str = OVERALL, judge: str = JUDGE) -> pd.DataFrame:
    """One row per turn that was judged: who and what it is about, decision, answered, score (NaN: unscored)."""
    table = cast(Any, frame)  # pandas is typed too loosely to be checked
    rows = table[(table["judge"] == judge) & (table["criterion"] == criterion)]
    kept = rows[[*_TURN, *_ABOUT, "decision", "answered", "value"]].rename(columns={"value": "score"})
    return cast(pd.DataFrame, kept.reset_index(drop=True))


def conversation_scores(frame: pd.DataFrame, criterion: str = OVERALL, judge: str = JUDGE) -> pd.DataFrame:
    """One row per conversation with a judged turn: who and what it is about, turns, scored, score (mean of turns)."""
    turns = cast(Any, turn_scores(frame, criterion, judge))
    means = turns.groupby(_TALK, sort=True, observed=True)["score"].agg(turns="size", scored="count", score="mean")
    about = turns.drop_duplicates(_TALK)[[*_TALK, *_ABOUT]]
    return cast(pd.DataFrame, about.merge(means.reset_index(), on=_TALK, sort=True).reset_index(drop=True))


def criterion_scores(frame: pd.DataFrame, judge: str = JUDGE) -> pd.DataFrame:
    """One row per conversation with a turn that this judge saw: about it as above, then a column per criterion.

    Each is the mean over the scored turns, NaN where there is none; criteria in the judge's order.
    """
    table = cast(Any, frame)
    mine = table[table["judge"] == judge]
    means = mine.groupby([*_TALK, "criterion"], sort=True, observed=True)["value"].mean().unstack("criterion")
    means = means.reindex(columns=criteria_of(frame, judge)).reset_index()
    about = mine.drop_duplicates(_TALK)[[*_TALK, *_ABOUT]]
    return cast(pd.DataFrame, about.merge(means, on=_TALK, sort=True).reset_index(drop=True))


def mean_score(frame: pd.DataFrame, criterion: str = OVERALL, judge: str = JUDGE) -> Mean:
    """The mean over conversations of the mean over their scored turns."""
    scores = cast(Any, conversation_scores(frame, criterion, judge))["score"].dropna()
    return Mean(value=float(scores.mean()) if len(scores) else None, n=len(scores))


def judges_in(frame: pd.DataFrame) -> list[str]:
    """The judges that scored a run, the turn judge first, then in order of appearance."""
    names = [str(name) for name in cast(Any, frame)["judge"].drop_duplicates()]
    return sorted(names, key=lambda name: name != JUDGE)


def criteria_of(frame: pd.DataFrame, judge: str = JUDGE) -> list[str]:
    """The criteria that a judge gave, in its order."""
    table = cast(Any, frame)
    names = table.loc[table["judge"] == judge, "criterion"]
    return [str(name) for name in names.drop_duplicates()]


def headline(frame: pd.DataFrame, judge: str = JUDGE) -> str:
    """The criterion that stands for a judge: Overall, else its first."""
    names = criteria_of(frame, judge)
    return OVERALL if OVERALL in names or not names else names[0]


def summarise(frame: pd.DataFrame, conversations: Iterable[Ended], judge: str = "") -> RunSummary:
    """The whole run in one record, by one judge (default: the turn judge, else the first).

    What is unscored is counted and enters no mean; a conversation that failed or was stopped is counted, and the turns
    that it had finished before are in the mean.
    """
    ended = [(conversation.number, conversation.status) for conversation in conversations]
    statuses = [status for _, status in ended]
    broken = {number for number, status in ended if status in ("failed", "stopped")}
    chosen = judge or next(iter(judges_in(frame)), JUDGE)
    criterion = headline(frame, chosen)
    overall = mean_score(frame, criterion, chosen)
    seen = cast(Any, turn_scores(frame, criterion, chosen))
    turns = seen["score"]
    said = seen.loc[seen["number"].isin(broken) & turns.notna(), "number"]
    return RunSummary(
        judge=chosen,
        criterion=criterion,
        score=overall.value,
        conversations=len(statuses),
        scored_conversations=overall.n,
        failed=statuses.count("failed"),
        stopped=statuses.count("stopped"),
        unfinished=said.nunique(),
        unfinished_turns=len(said),
        turns=len(turns),
        unscored=int(turns.isna().sum()),
        criteria=_all_criteria(frame),
    )


def _all_criteria(frame: pd.DataFrame) -> dict[str, Mean]:
    found: dict[str, Mean] = {}
    for judge in judges_in(frame):
        scores = cast(Any, criterion_scores(frame, judge))
        for name in criteria_of(frame, judge):
            known = scores[name].dropna()
            mean = Mean(value=float(known.mean()) if len(known) else None, n=len(known))
            found[name if judge == JUDGE else f"{judge}.{name}"] = mean
    return found


def by(frame: pd.DataFrame, column: str, criterion: str = OVERALL, judge: str = JUDGE) -> pd.DataFrame:
    """Means per persona, kind, scenario, turn …: the column, score (over turns), n (scored turns), unscored."""
    grouped = cast(Any, turn_scores(frame, criterion, judge)).groupby(column, sort=False)["score"]
    table = pd.DataFrame({"score": grouped.mean(), "n": grouped.count(), "unscored": grouped.size() - grouped.count()})
    return table.reset_index()


Table = Any  # pandas tells little of its types
PassVerdict = Literal["reached", "missed", "open"]


class MeanScore(NamedTuple):
    """A mean (0 to 1) over `n` conversations with its interval (none for too few); `unscored` turns are in no mean."""

    name: str
    mean: float
    n: int
    interval: Interval | None
    unscored: int = 0


def mean_of(name: str, scores: pd.DataFrame) -> MeanScore | None:
    """The mean of conversations (`conversation_scores`); none where nothing is scored."""
    table = cast(Table, scores)
    there = table.dropna(subset=["score"])
    known = [float(score) for score in there["score"]]
    if not known:
        return None
    sure = mean_interval(known, scenarios=list(there["scenario"]))
    unscored = int((table["turns"] - table["scored"]).sum())
    return MeanScore(name, sum(known) / len(known), len(known), sure, unscored)


def by_column(frame: pd.DataFrame, column: str, judge: str = JUDGE, less: bool = False) -> list[MeanScore]:
    """A judge's headline by persona, kind …, the worst first (`less`: less is better); rows without a name are left out."""
    scores = cast(Table, conversation_scores(frame, headline(frame, judge), judge))
    groups = scores[scores[column] != ""].groupby(column, sort=True, observed=True)
    found = [one for name, group in groups if (one := mean_of(str(name), group)) is not None]
    return sorted(found, key=lambda one: -one.mean if less else one.mean)


def by_criterion(frame: pd.DataFrame, criteria: Iterable[str], judge: str = JUDGE) -> list[MeanScore]:
    """Each criterion of a judge, in the order given; those without a score are left out."""
    pairs = [(name, mean_of(name, conversation_scores(frame, name, judge))) for name in criteria]
    return [one for _, one in pairs if one is not None]


def by_cell(
    frame: pd.DataFrame, scores: pd.DataFrame, column: str, judge: str = JUDGE
) -> dict[tuple[str, str], MeanScore]:
    """Each criterion of a judge for each value of a column; none where nothing is scored.

    scores: `criterion_scores` of the conversations that count. Of one scenario the conversations are independent, else
    scenarios are.
    """
    table, names = cast(Table, frame), criteria_of(frame, judge)
    missing = table[table["value"].isna() & (table["judge"] == judge)]
    counts = missing.groupby([column, "criterion"], observed=True).size().to_dict()
    found: dict[tuple[str, str], MeanScore] = {}
    for row, part in cast(Table, scores).groupby(column, sort=False, observed=True):
        units, each = part["scenario"].to_numpy(), part[names].to_numpy(dtype=float)
        for name, values in zip(names, each.T, strict=True):
            known = values == values
            if known.any():
                alone = None if column == "scenario" else list(units[known])
                sure = mean_interval(list(values[known]), alone, quick=True)
                gone = int(counts.get((row, name), 0))
                found[str(row), name] = MeanScore(str(row), float(values[known].mean()), int(known.sum()), sure, gone)
    return found


def pass_verdict(interval: Interval | None, line: float) -> PassVerdict:
    """Whether a mean reaches the pass mark: only when all of its interval does; missed when none of it does."""
    if interval is None:
        return "open"
    if interval.low >= line - 1e-9:
        return "reached"
    return "missed" if interval.high < line - 1e-9 else "open"
