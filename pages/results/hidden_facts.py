"""The hidden facts of scenarios: when and after which question each was revealed, per conversation and per run."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis.clarification import ASKED, facts_by_conversation
from core.analysis.formatting import NO_VALUE, percent
from core.analysis.hidden_facts import Exchange, RevealedFact, count_hidden_facts, revealed_facts
from core.store.rows import ConversationRow, RunRow, TurnRow
from core.store.run_tables import RunTables
from pages.components.plain_text import line, markdown_table
from pages.i18n.translate import t

MAX_FACTS = 100  # facts in the table of a run


def show_facts(row: ConversationRow, turns: Sequence[TurnRow]) -> None:
    """Show when each fact of the conversation's scenario was revealed; nothing if it has no facts."""
    exchanges = [
        Exchange(
            turn.user_text, turn.reply_text, ASKED.get(turn.decision), turn.turn.reply.choices if turn.turn else ()
        )
        for turn in turns
    ]
    facts = revealed_facts(row.scenario.facts, exchanges, row.closing)
    if not facts:
        return
    asked = sum(fact.how == "asked" for fact in facts)
    with st.expander(t("facts.title", out=asked, all=len(facts)), icon=":material/key:", type="compact"):
        head = (t("facts.fact"), t("facts.turn"), t("facts.question"))
        st.markdown(markdown_table(head, *(_fact_row(fact, len(turns)) for fact in facts)))
        st.caption(t("facts.how"))


def _fact_name(fact: RevealedFact) -> str:
    return f"{fact.label}: {fact.value}" if fact.label else fact.value


def _fact_row(fact: RevealedFact, turns: int) -> tuple[str, str, str]:
    turn = NO_VALUE if fact.turn is None else t("charts.turn", n=fact.turn)
    if fact.turn is not None and fact.turn > turns:
        turn = t("facts.last_word")
    after = line(fact.question, 120) if fact.how == "asked" else t(f"facts.{fact.how}")
    return line(_fact_name(fact), 60), turn, after


def show_facts_of_run(tables: RunTables, frame: pd.DataFrame, run: RunRow) -> None:
    """Show how many hidden facts of a run were revealed because the bot asked; frame: `Store.tables.clarification`."""
    facts = tables.cached("facts", lambda: facts_by_conversation(frame), large=True)
    counts = count_hidden_facts(facts.values())
    if not counts.hidden:
        return
    st.subheader(t("facts.summary"), anchor=False)
    shares = {name: percent(getattr(counts, name) / counts.hidden) for name in ("asked", "unasked", "never")}
    numbers = {f"n_{name}": f"{getattr(counts, name):,}" for name in shares}
    totals = {"n": f"{counts.hidden:,}", "conversations": f"{counts.conversations:,}"}
    st.markdown(t("facts.summary_finding", **shares, **numbers, **totals))
    with st.expander(t("facts.each"), icon=":material/key:", type="compact"):
        wide = {"question": "scores.question", "fact": "facts.fact"}
        counted = {"of": "scores.conversations", "asked": "facts.asked", "unasked": "facts.unasked"}
        columns = {name: st.column_config.TextColumn(t(key), width=300) for name, key in wide.items()}
        for name, key in {**counted, "never": "facts.never"}.items():
            columns[name] = st.column_config.NumberColumn(t(key), width=110)
        st.dataframe(_fact_table(facts, frame), hide_index=True, key=f"facts-{run.id}", column_config=columns)
        st.caption(t("facts.how"))


def _fact_table(facts: dict[str, tuple[RevealedFact, ...]], frame: pd.DataFrame) -> pd.DataFrame:
    """One row per question and hidden fact, those revealed least by asking first."""
    questions = frame.drop_duplicates("conversation").set_index("conversation")["question"].to_dict()
    rows = [
        {"question": str(questions[conversation]), "fact": _fact_name(fact), "of": 1}
        | {how: int(fact.how == how) for how in ("asked", "unasked", "never")}
        for conversation, of_conversation in facts.items()
        for fact in of_conversation
        if fact.how != "opening"
    ]
    table = pd.DataFrame(rows).groupby(["question", "fact"], sort=False, as_index=False).sum()
    order = (table["asked"] / table["of"]).argsort(kind="stable")
    return table.iloc[order[:MAX_FACTS]]
