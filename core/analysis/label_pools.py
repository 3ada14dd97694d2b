"""The turns of a run or of a bot's chats for labelling: their order, and the scores of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.agreement.sampling import Drawn, draw, weights
from core.base.bot_folder import find_bot
from core.base.means import none_for_nan
from core.base.settings import settings
from core.base.types import SIMULATED_USER, TURN_JUDGE
from core.store.labels import bot_of_chats
from core.store.main_scores import judges_in_order, main_criterion
from core.store.run_tables import RunTables, ScoredCriterion
from core.store.score_tables import criterion_means
from core.store.store import Store

DEFAULT_THRESHOLD = 0.5  # of all judges but the turn judge


@dataclass(frozen=True)
class PoolTurns:
    """The turns of a pool that have a reply; all sequences are in the order of `ids`. Chats have no personas and kinds."""

    pool: str
    ids: tuple[int, ...]
    conversations: tuple[str, ...]
    personas: tuple[str, ...]
    kinds: tuple[str, ...]
    values: Mapping[str, Sequence[float]]  # of each judge's main criterion, the turn judge first (NaN: unscored)
    criteria: Mapping[str, Sequence[float]]  # values of all criteria of the turn judge
    main_criteria: Mapping[str, str]  # by judge
    lower_judges: frozenset[str]  # judges whose main criterion is lower-is-better
    # Of each judge that scored turns several times: all values of its main criterion, by turn
    repeats: Mapping[str, Mapping[int, tuple[float, ...]]] = field(
        default_factory=dict[str, Mapping[int, tuple[float, ...]]]
    )


def is_chats(pool: str) -> bool:
    """Whether a pool is what people said on the chat page, and not a run."""
    return pool.startswith("chats:")


def threshold_of(judge: str) -> float:
    """The value from which a judge's verdict counts as Yes: of the turn judge the alert mark, else one half."""
    return settings().alert_mark if judge == TURN_JUDGE else DEFAULT_THRESHOLD


def _lower_judges(bot: str, main_criteria: Mapping[str, str]) -> frozenset[str]:
    """The judges whose main criterion is lower-is-better; bot: the name of its folder."""
    from core.judges.registry import lower_is_better  # brings all judges, which a first page does not need

    bot_found = find_bot(bot)
    return frozenset(
        judge for judge, criterion in main_criteria.items() if criterion in lower_is_better(judge, bot_found)
    )


def turns_of_pool(store: Store, pool: str) -> PoolTurns:
    """The turns of a run, or of a bot's chats (`core.store.labels.chats_of`), with the verdicts of their judges."""
    if is_chats(pool):
        return _of_chats(store, pool)
    tables = store.tables.of_run(pool)
    return tables.cached(("turns_of_pool",), lambda: _of_run(store, pool, tables), large=True)


def label_queue(store: Store, turns: PoolTurns) -> list[Drawn]:
    """The order in which the turns are labelled: drawn once for each turn, stored, and the same for all reviewers."""
    queue = {queued.turn_id: queued for queued in store.labels.queue(turns.pool)}
    if fresh := [turn for turn in turns.ids if turn not in queue]:
        values = {name: none_for_nan(column) for name, column in turns.values.items()}
        strata = list(zip(turns.personas, turns.kinds, strict=True))
        spread = [_spread(turns, turn) for turn in turns.ids]
        weight = weights(values, {name: threshold_of(name) for name in values}, strata, spread)
        by_turn = dict(zip(turns.ids, weight, strict=True))
        drawn = draw(fresh, np.array([by_turn[turn] for turn in fresh]), turns.pool)
        store.labels.add_to_queue(turns.pool, drawn)
        queue = {queued.turn_id: queued for queued in store.labels.queue(turns.pool)}
    return sorted((queue[turn] for turn in turns.ids), key=lambda turn: turn.place)


def _of_run(store: Store, run_id: str, tables: RunTables) -> PoolTurns:
    ids = tables.turns["id"].tolist()
    rows = [row for row, turn in enumerate(ids) if turn not in tables.failed_turns]
    of = tables.turns["place"].to_numpy()[rows]
    names = {judge: criterion for judge, (criterion, _) in tables.main_criteria().items() if judge != SIMULATED_USER}
    versions = tables.chosen_versions()
    main_criteria = [ScoredCriterion(judge, versions.get(judge, ""), names[judge]) for judge in judges_in_order(names)]
    of_turns = [
        each for each in tables.criteria if each.judge == TURN_JUDGE and each.version == versions.get(TURN_JUDGE)
    ]
    criteria = tuple(dict.fromkeys((*main_criteria, *of_turns)))
    means = dict(zip(criteria, criterion_means(tables, criteria)[rows].T.tolist(), strict=True))

    def words(name: str) -> tuple[str, ...]:
        column = tables.conversations[name].cat
        categories: list[str] = [str(category) for category in column.categories]
        places: list[int] = column.codes.to_numpy()[of].tolist()
        return tuple(categories[place] for place in places)

    run = store.runs.get(run_id)
    return PoolTurns(
        run_id,
        tuple(ids[row] for row in rows),
        words("conversation"),
        words("persona_name"),
        words("kind"),
        {criterion.judge: means[criterion] for criterion in main_criteria},
        {criterion.criterion: means[criterion] for criterion in of_turns},
        names,
        _lower_judges(run.bot if run else "", names),
        _repeats(store, run_id, main_criteria),
    )


def _repeats(
    store: Store, run_id: str, main_criteria: Sequence[ScoredCriterion]
) -> dict[str, dict[int, tuple[float, ...]]]:
    """The values of turns that a judge scored several times, by judge and turn."""
    frame = store.scores.repeated(run_id).dropna(subset=["value"])
    repeats: dict[str, dict[int, tuple[float, ...]]] = {}
    columns = (frame[name].tolist() for name in ("judge", "version", "criterion", "turn_id", "value"))
    for judge, version, criterion, turn, value in zip(*columns, strict=True):
        if ScoredCriterion(judge, version, criterion) in main_criteria:
            by_turn = repeats.setdefault(judge, {})
            by_turn[int(turn)] = (*by_turn.get(int(turn), ()), float(value))
    return repeats


def _spread(turns: PoolTurns, turn: int) -> float | None:
    """The range of the first judge's repeated values of a turn."""
    values = turns.repeats.get(next(iter(turns.values), ""), {}).get(turn, ())
    return max(values) - min(values) if values else None


def _of_chats(store: Store, pool: str) -> PoolTurns:
    replied = store.labels.conversations(pool)
    ids = tuple(replied)
    values = store.labels.values(pool)
    criteria: dict[str, list[str]] = {}
    for judge, criterion in values:
        criteria.setdefault(judge, []).append(criterion)
    main_criteria = {judge: main_criterion(names) for judge, names in criteria.items()}
    nothing = ("",) * len(ids)
    by_criterion = {key: [by_turn.get(turn, np.nan) for turn in ids] for key, by_turn in values.items()}
    return PoolTurns(
        pool,
        ids,
        tuple(replied.values()),
        nothing,
        nothing,
        {judge: by_criterion[judge, main_criteria[judge]] for judge in judges_in_order(criteria)},
        {criterion: numbers for (judge, criterion), numbers in by_criterion.items() if judge == TURN_JUDGE},
        main_criteria,
        _lower_judges(bot_of_chats(pool), main_criteria),
    )
