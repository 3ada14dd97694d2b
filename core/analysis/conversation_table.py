"""The conversations of a run as a table, the worst first."""

from __future__ import annotations

import pandas as pd

from core.analysis.aggregate import conversation_scores
from core.analysis.failures.entries import FAILURE_THRESHOLD


def conversation_table(
    frame: pd.DataFrame, conversations: pd.DataFrame, headline: str, judge: str, lower_is_better: bool
) -> pd.DataFrame:
    """One row per conversation, the worst first: score in percent (NaN: unscored), its failures, question, persona.

    frame: `score_values` of the store; conversations: `RunTables.conversations`; headline: a criterion of the judge.
    A turn is low at 3 of 5 or less; if lower is better, at 2 of 5 or more.
    """
    scores = conversation_scores(frame, headline, judge)
    values = headline_scores(frame, headline, judge)
    goodness = 1 - values["value"] if lower_is_better else values["value"]
    turns = values[goodness <= FAILURE_THRESHOLD + 1e-9][["number", "turn"]].drop_duplicates()
    failed = turns.assign(turn=turns["turn"].astype(str)).groupby("number")["turn"].agg(", ".join)
    columns = ["conversation", "number", "question", "persona_name", "kind", "status", "ending"]
    table = conversations[columns].rename(columns={"conversation": "id", "persona_name": "persona"})
    table["score"] = table["number"].map(scores.set_index("number")["score"] * 100)
    table["low"] = table["number"].map(failed).fillna("").astype(object)
    ascending = [not lower_is_better, True]
    return table.sort_values(["score", "number"], ascending=ascending, na_position="first").reset_index(drop=True)


def headline_scores(frame: pd.DataFrame, headline: str, judge: str) -> pd.DataFrame:
    """The rows of a criterion of a judge."""
    return frame[(frame["criterion"] == headline) & (frame["judge"] == judge)]
