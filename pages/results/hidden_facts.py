"""The hidden facts of a scenario: what came out when, after which question; in one conversation and in sum."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis.clarification import facts_by_conversation
from core.analysis.hidden_facts import Exchanged, RevealedFact, count_hidden_facts, revealed_facts
from core.base.types import Clarify
from core.store.rows import ConversationRow, RunRow, TurnRow
from pages.components.appearance import percent
from pages.components.plain_text import line
from pages.i18n.translate import t

SHOWN = 100  # facts in the table of all


def facts_table(row: ConversationRow, turns: Sequence[TurnRow]) -> None:
    """What became of each fact of a conversation's sheet; nothing where it has none."""
    found = revealed_facts(row.scenario.facts, [exchange(turn) for turn in turns], row.closing)
    if not found:
        return
    out = sum(fact.how == "asked" for fact in found)
    with st.expander(t("facts.title", out=out, all=len(found)), icon=":material/key:", type="compact"):
        head = f"| {t('facts.fact')} | {t('facts.turn')} | {t('facts.question')} |"
        st.markdown("\n".join([head, "|---|---|---|", *(_row(fact, len(turns)) for fact in found)]))
        st.caption(t("facts.how"))


def exchange(turn: TurnRow) -> Exchanged:
    """A stored turn as the facts are looked up in it."""
    reply = turn.turn.reply if turn.turn else None
    choices = reply.choices if isinstance(reply, Clarify) else ()
    return Exchanged(turn.user_text, turn.reply_text, {"ask": True, "search": False}.get(turn.decision), choices)


def _row(fact: RevealedFact, turns: int) -> str:
    name = line(f"{fact.label}: {fact.value}" if fact.label else fact.value, 60)
    turn = "–" if fact.turn is None else t("charts.turn", n=fact.turn)
    if fact.turn is not None and fact.turn > turns:
        turn = t("facts.last_word")
    after = line(fact.question, 120) if fact.how == "asked" else t(f"facts.{fact.how}")
    return f"| {name} | {turn} | {after} |"


def facts_sum(frame: pd.DataFrame, run: RunRow) -> None:
    """How many hidden facts of a run the bot's questions brought out, and which ones they did not."""
    of = _facts_of(run.id, len(frame), frame)
    found = count_hidden_facts(of.values())
    if not found.hidden:
        return
    st.subheader(t("facts.summary"), anchor=False)
    shares = {name: percent(getattr(found, name) / found.hidden) for name in ("asked", "unasked", "never")}
    counts = {f"n_{name}": f"{getattr(found, name):,}" for name in shares}
    told = t(
        "facts.summary_finding", **shares, **counts, n=f"{found.hidden:,}", conversations=f"{found.conversations:,}"
    )
    st.markdown(told)
    with st.expander(t("facts.each"), icon=":material/key:", type="compact"):
        st.dataframe(_each(of, frame), hide_index=True, key=f"facts-{run.id}", column_config=_columns())
        st.caption(t("facts.how"))


@st.cache_resource(show_spinner=False, max_entries=4)
def _facts_of(run_id: str, turns: int, _frame: pd.DataFrame) -> dict[str, tuple[RevealedFact, ...]]:
    """What became of the facts of a run; looked up anew when the run goes on."""
    del run_id, turns
    return facts_by_conversation(_frame)


def _each(of: dict[str, tuple[RevealedFact, ...]], frame: pd.DataFrame) -> pd.DataFrame:
    """One row per scenario and hidden fact, those that came out least by asking first."""
    scenario = frame.drop_duplicates("conversation").set_index("conversation")["question"].to_dict()
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for mark, facts in of.items():
        for fact in facts:
            if fact.how != "opening":
                name = f"{fact.label}: {fact.value}" if fact.label else fact.value
                counts[str(scenario[mark]), name][fact.how] += 1
    rows = [
        {
            "question": question,
            "fact": name,
            "of": held.total(),
            **{how: held[how] for how in ("asked", "unasked", "never")},
        }
        for (question, name), held in counts.items()
    ]
    rows.sort(key=lambda row: row["asked"] / row["of"])
    return pd.DataFrame(rows[:SHOWN])


def _columns() -> dict[str, object]:
    wide = {"question": "scores.question", "fact": "facts.fact"}
    narrow = {"of": "scores.conversations", "asked": "facts.asked", "unasked": "facts.unasked", "never": "facts.never"}
    return {name: st.column_config.TextColumn(t(key), width=300) for name, key in wide.items()} | {
        name: st.column_config.NumberColumn(t(key), width=110) for name, key in narrow.items()
    }
