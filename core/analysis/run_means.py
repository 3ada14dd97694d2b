"""How good a run was: the means of turns, conversations and runs, from the table of a run's scores.

`frame` is always `score_values(Store.tables.of_run(run))` or `Store.records.score_frame(run)`: one row per score, `value`
0 to 1 or NaN if unscored. A conversation's score is the mean of its scored turns, a run's the mean of its conversations' scores.

- `conversation_scores`: one criterion, one row per conversation; the input of most others, and of tables and charts.
- `conversation_means`, `criterion_scores`: all criteria at once, one column each.
- `mean_of`: the mean of such rows with its interval; to be shown.
- `mean_of_run`: the same of a whole run, from what the database gives for a list of runs.
- `mean_score`: the mean of a run alone, without the interval, which takes most of the time.
- `means_by`: of each persona or kind; `by_cell`: of each persona, kind or scenario by criterion.
- `core.base.means.mean`: of values at hand, such as the turns of one conversation; None if nothing is scored.
- `summarise`: the whole run as a record: score, counts, the mean of every criterion; for the command line and exports.

There are four ways to the same number (tests compare them): `conversation_scores` here, for one run in memory;
`conversation_scores_by_run` in `core.store.scores`, in SQL for lists of runs; `core.analysis.conversation_list`, for the
list of a large run; and `core.store.export_records.conversation_score`, for exports, which see one conversation at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Literal, NamedTuple, Protocol

import numpy as np
import pandas as pd

from core.analysis.confidence_intervals import Interval, mean_interval
from core.base.frozen_model import FrozenModel
from core.base.means import is_below
from core.base.types import TURN_JUDGE
from core.store.main_scores import judges_in_order, main_criterion, main_judge
from core.store.rows import ENDED
from core.store.run_tables import CONVERSATION_COLUMNS
from core.store.scores import ConversationScores

PassVerdict = Literal["reached", "missed", "open"]
_ABOUT = ["number", *(name for name in CONVERSATION_COLUMNS if name != "number")]


class EndedConversation(Protocol):
    """The part of a conversation that a summary reads."""

    @property
    def number(self) -> int: ...
    @property
    def status(self) -> str: ...


class MeanScore(NamedTuple):
    """A mean over conversations."""

    name: str
    mean: float  # 0 to 1
    n: int  # number of conversations
    interval: Interval | None = None  # None for too few conversations
    unscored: int = 0  # turns that are not in the mean


class JudgeScores(NamedTuple):
    """One judge's scores of a run."""

    frame: pd.DataFrame
    judge: str
    lower_criteria: frozenset[str] = frozenset()  # its lower-is-better criteria

    @property
    def criteria(self) -> list[str]:
        """The judge's criteria, in its order."""
        return criteria_of(self.frame, self.judge)

    @property
    def main_criterion(self) -> str:
        """The criterion that stands for the judge."""
        return main_criterion_in(self.frame, self.judge)

    @property
    def lower_is_better(self) -> bool:
        """Whether lower is better for that criterion."""
        return self.main_criterion in self.lower_criteria


class RunSummary(FrozenModel):
    """A run in numbers."""

    judge: str
    criterion: str
    score: float | None  # the mean of the conversations' scores, None if nothing is scored
    conversations: int
    scored_conversations: int  # in the mean
    failed: int
    stopped: int
    unfinished: int  # scored conversations that failed or were stopped; they are in the mean, too
    unfinished_turns: int  # scored turns of these
    turns: int
    unscored: int  # turns that this judge could not score
    # By criterion for the turn judge, by "judge.criterion" for all others; None if nothing is scored
    criteria: dict[str, MeanScore | None]


class Incomplete(NamedTuple):
    """Progress of an incomplete run."""

    status: str  # running, stopped or interrupted
    ended: int  # conversations
    total: int


def incomplete_of(status: str, conversations: Iterable[str]) -> Incomplete | None:
    """Progress of a run by its status and those of its conversations; None if it is done."""
    if status == "done":
        return None
    states = list(conversations)
    return Incomplete(status, sum(state in ENDED for state in states), len(states))


def turn_scores(frame: pd.DataFrame, criterion: str, judge: str) -> pd.DataFrame:
    """One row per judged turn: its conversation, decision, answered, score (NaN: unscored)."""
    rows = frame[(frame["judge"] == judge) & (frame["criterion"] == criterion)]
    rows_of_turns = rows[[*_ABOUT, "turn", "decision", "answered", "value"]]
    return rows_of_turns.rename(columns={"value": "score"}).reset_index(drop=True)


def conversation_scores(frame: pd.DataFrame, criterion: str, judge: str) -> pd.DataFrame:
    """One row per conversation with a judged turn: its columns, turns, scored, score (mean of the turns)."""
    turns = turn_scores(frame, criterion, judge)
    groups = turns.groupby("conversation", sort=False, observed=True)
    means = groups.agg(turns=("score", "size"), scored=("score", "count"), score=("score", "mean"))
    return _about(turns, means)


def conversation_means(frame: pd.DataFrame) -> pd.DataFrame:
    """Conversation (index) by (judge, criterion): the mean of its scored turns, NaN if there is none."""
    order = frame[["judge", "criterion"]].drop_duplicates()
    means = frame.groupby(["conversation", "judge", "criterion"], observed=True)["value"].mean().unstack([1, 2])
    means.columns = pd.Index(list(means.columns), tupleize_cols=False)
    return means.reindex(columns=pd.Index(list(zip(*order.to_numpy().T, strict=True)), tupleize_cols=False))


def criterion_scores(frame: pd.DataFrame, judge: str) -> pd.DataFrame:
    """One row per conversation with a turn that this judge saw: its columns, then one per criterion in the judge's order.

    Values are means over the scored turns, NaN if there is none.
    """
    judge_rows = frame[frame["judge"] == judge]
    means = conversation_means(judge_rows)
    means.columns = pd.Index([criterion for _, criterion in means.columns])
    return _about(judge_rows, means)


def _about(rows: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """The columns that describe each conversation, joined with `means` (by conversation), by number."""
    about = rows.drop_duplicates("conversation")[_ABOUT].sort_values("number", kind="stable")
    return about.merge(means, left_on="conversation", right_index=True).reset_index(drop=True)


def judges_in(frame: pd.DataFrame) -> list[str]:
    """The judges that scored a run, the turn judge first, then in order of appearance."""
    return judges_in_order(map(str, frame["judge"].drop_duplicates()))


def criteria_of(frame: pd.DataFrame, judge: str) -> list[str]:
    """The criteria that a judge gave, in its order."""
    return [str(name) for name in frame.loc[frame["judge"] == judge, "criterion"].drop_duplicates()]


def main_criterion_in(frame: pd.DataFrame, judge: str) -> str:
    """The criterion that stands for a judge (`main_criterion`)."""
    return main_criterion(criteria_of(frame, judge))


def mean_of(name: str, scores: pd.DataFrame) -> MeanScore | None:
    """The mean of conversations (`conversation_scores`); None if nothing is scored."""
    scored = scores.dropna(subset=["score"])
    if scored.empty:
        return None
    interval = mean_interval(list(scored["score"]), scenarios=list(scored["scenario"]))
    unscored = int((scores["turns"] - scores["scored"]).sum())
    return MeanScore(name, float(scored["score"].mean()), len(scored), interval, unscored)


def mean_of_run(name: str, conversations: ConversationScores) -> MeanScore:
    """The mean of a run's conversations as the database gives them (at least one)."""
    scores = conversations.scores
    interval = mean_interval(scores, scenarios=conversations.scenarios)
    return MeanScore(name, fmean(scores), len(scores), interval, conversations.unscored)


def mean_of_means(means: Sequence[MeanScore]) -> float:
    """The mean of several means (at least one), each of which counts the same however many conversations it has."""
    return fmean(score.mean for score in means)


def by_criterion(frame: pd.DataFrame, judge: str) -> dict[str, MeanScore | None]:
    """The mean of each criterion of a judge, in its order; None if nothing is scored."""
    return {name: mean_of(name, conversation_scores(frame, name, judge)) for name in criteria_of(frame, judge)}


def means_by(scores: pd.DataFrame, column: str) -> dict[str, MeanScore | None]:
    """The mean of `conversation_scores` for each persona, kind … by name; rows without a name are left out."""
    groups = scores[scores[column] != ""].groupby(column, sort=False, observed=True)
    return {str(name): mean_of(str(name), group) for name, group in groups}


def by_column(frame: pd.DataFrame, column: str, judge: str, lower_is_better: bool = False) -> list[MeanScore]:
    """`means_by` for a judge's main criterion, the worst first; names without a score are left out."""
    means = filter(None, means_by(conversation_scores(frame, main_criterion_in(frame, judge), judge), column).values())
    return sorted(means, key=lambda score: (-score.mean if lower_is_better else score.mean, score.name))


def by_turn(frame: pd.DataFrame, criterion: str, judge: str) -> list[MeanScore]:
    """A criterion's mean over the conversations for each turn that has one; `name` is the turn's number."""
    means: list[MeanScore] = []
    for turn, group in turn_scores(frame, criterion, judge).groupby("turn", sort=True):
        score = mean_of(str(turn), group.assign(turns=1, scored=group["score"].notna()))
        means += [score] if score else []
    return means


def by_cell(frame: pd.DataFrame, scores: pd.DataFrame, column: str, judge: str) -> dict[tuple[str, str], MeanScore]:
    """Each criterion of a judge for each value of a column; cells in which nothing is scored are left out.

    scores: `criterion_scores` of the conversations that count. Of one scenario the conversations are independent, else
    scenarios are.
    """
    names = criteria_of(frame, judge)
    missing = frame[frame["value"].isna() & (frame["judge"] == judge)]
    counts = missing.groupby([column, "criterion"], observed=True).size().to_dict()
    cells: dict[tuple[str, str], MeanScore] = {}
    for row, group in scores.groupby(column, sort=False, observed=True):
        units, means = group["scenario"].to_numpy(), group[names].to_numpy(dtype=float)
        for name, values in zip(names, means.T, strict=True):
            is_scored = ~np.isnan(values)
            if is_scored.any():
                alone = None if column == "scenario" else list(units[is_scored])
                interval = mean_interval(list(values[is_scored]), alone, approximate=True)
                unscored = int(counts.get((row, name), 0))
                mean = float(values[is_scored].mean())
                cells[str(row), name] = MeanScore(str(row), mean, int(is_scored.sum()), interval, unscored)
    return cells


def summarise(frame: pd.DataFrame, conversations: Iterable[EndedConversation], judge: str = "") -> RunSummary:
    """The whole run in one record, by one judge (default: the turn judge, else the first).

    Unscored turns are counted, but in no mean. Conversations that failed or were stopped are counted, and their finished
    turns are in the mean.
    """
    ended = [(conversation.number, conversation.status) for conversation in conversations]
    statuses = [status for _, status in ended]
    broken = {number for number, status in ended if status in ("failed", "stopped")}
    chosen = judge or main_judge(judges_in(frame))
    criterion = main_criterion_in(frame, chosen)
    scores = conversation_scores(frame, criterion, chosen)
    overall = _mean(criterion, scores["score"])
    unfinished = scores[scores["number"].isin(broken) & (scores["scored"] > 0)]
    turns, scored = int(scores["turns"].sum()), int(scores["scored"].sum())
    return RunSummary(
        judge=chosen,
        criterion=criterion,
        score=overall.mean if overall else None,
        conversations=len(statuses),
        scored_conversations=overall.n if overall else 0,
        failed=statuses.count("failed"),
        stopped=statuses.count("stopped"),
        unfinished=len(unfinished),
        unfinished_turns=int(unfinished["scored"].sum()),
        turns=turns,
        unscored=turns - scored,
        criteria=_all_criteria(frame),
    )


def mean_score(frame: pd.DataFrame, criterion: str, judge: str) -> MeanScore | None:
    """The mean over conversations without its interval (faster); None if nothing is scored."""
    return _mean(criterion, conversation_scores(frame, criterion, judge)["score"])


def pass_verdict(interval: Interval | None, pass_mark: float) -> PassVerdict:
    """Whether a mean reaches the pass mark: only when all of its interval does; missed when none of it does."""
    if interval is None:
        return "open"
    if not is_below(interval.low, pass_mark):
        return "reached"
    return "missed" if is_below(interval.high, pass_mark) else "open"


def _mean(name: str, scores: Sequence[float] | pd.Series[float]) -> MeanScore | None:
    scored = pd.Series(scores).dropna()
    return MeanScore(name, float(scored.mean()), len(scored)) if len(scored) else None


def _all_criteria(frame: pd.DataFrame) -> dict[str, MeanScore | None]:
    means = conversation_means(frame)
    return {
        criterion if judge == TURN_JUDGE else f"{judge}.{criterion}": _mean(criterion, means[judge, criterion])
        for name in judges_in(frame)
        for judge, criterion in means.columns
        if judge == name
    }
