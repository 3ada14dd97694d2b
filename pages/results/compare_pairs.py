"""The conversations of two runs side by side: those that got worse or better, and those that are not compared."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.compare import changed_pairs
from core.analysis.compare_runs import RunComparison
from core.analysis.formatting import percent
from core.store.store import Store
from pages.components.choices import choose_row
from pages.components.links import transcript_link
from pages.components.message import BOT_ICON, draw_user_message, reply_text
from pages.components.plain_text import plain
from pages.components.run_picker import run_label
from pages.i18n.translate import stored_error_text, t

MAX_PAIRS = 200  # pairs in the table, the largest change first
MAX_CASES = 20  # cases without a pair listed before "and n more"


def show_moved_pairs(store: Store, runs: RunComparison, judge: str, criterion: str) -> None:
    """Show the pairs that got worse and those that got better; a selected pair is shown below."""
    worse, better = (changed_pairs(runs.scores, judge, criterion, is_worse) for is_worse in (True, False))
    st.subheader(t("compare.moved"), anchor=False)
    same = len(runs.scores.pairs) - len(worse) - len(better)
    st.caption(t("compare.moved_lead", worse=f"{len(worse):,}", better=f"{len(better):,}", rest=f"{same:,}"))
    tabs = st.tabs([t("compare.worse_tab", n=f"{len(worse):,}"), t("compare.better_tab", n=f"{len(better):,}")])
    for tab, table, name in zip(tabs, (worse, better), ("worse", "better"), strict=True):
        with tab:
            _show_pairs(store, runs, table, f"{name}-{judge}-{criterion}")


def _show_pairs(store: Store, runs: RunComparison, table: pd.DataFrame, name: str) -> None:
    if table.empty:
        st.caption(t("compare.none_moved"))
        return
    shown = table.head(MAX_PAIRS)
    if len(table) > MAX_PAIRS:
        st.caption(t("compare.most", n=MAX_PAIRS, all=f"{len(table):,}"))
    columns = {
        "change": shown["difference"] * 100,
        "score_a": shown["a"] * 100,
        "score_b": shown["b"] * 100,
        "question": shown["question"],
        "persona": shown["persona_name"],
        "kind": [t(f"kinds.{kind}") if kind else "" for kind in shown["kind"]],
    }
    place = choose_row(
        pd.DataFrame(columns),
        f"moved-{name}-{runs.a.id}-{runs.b.id}",
        height=min(38 + 35 * len(shown), 38 + 35 * 8),
        column_config={
            "change": st.column_config.NumberColumn(t("compare.change"), format="%+.0f", width=80),
            "score_a": st.column_config.NumberColumn("A", format="%.0f%%", width=70),
            "score_b": st.column_config.NumberColumn("B", format="%.0f%%", width=70),
            "question": st.column_config.TextColumn(t("scores.question"), width=380),
            "persona": st.column_config.TextColumn(t("scores.persona"), width=120),
            "kind": st.column_config.TextColumn(t("scores.kind"), width=110),
        },
    )
    st.caption(t("compare.select"))
    _draw_pair(store, runs, shown.iloc[place if place is not None and place < len(shown) else 0])


def _draw_pair(store: Store, runs: RunComparison, row: pd.Series) -> None:
    """Draw the two conversations of a pair side by side, each with a link to its transcript."""
    with st.container(border=True):
        st.markdown(f"**{plain(row.question)}**  \n:gray[{plain(row.persona_name)}]")
        for side, column in zip("ab", st.columns(2, gap="medium"), strict=True):
            run, conversation = getattr(runs, side), str(row[f"conversation_{side}"])
            with column:
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.markdown(f"**{side.upper()}** {percent(row[side])}", width="content")
                    transcript_link(run.bot, run.id, conversation, t("compare.open"))
                _draw_conversation(store, conversation)


def _draw_conversation(store: Store, conversation: str) -> None:
    """Draw the messages without sources and reasons."""
    for turn in store.conversations.turns(conversation, {}):
        draw_user_message(turn.user_text)
        with st.chat_message("assistant", avatar=BOT_ICON):
            st.markdown(
                reply_text(turn.reply_text) if turn.reply_text else f":gray[{plain(stored_error_text(turn.error))}]"
            )


def show_left_out(runs: RunComparison) -> None:
    """List the cases of only one run, and the pairs with an incomplete conversation."""
    pairs = runs.scores
    cases = {"broken": pairs.broken, "only_a": pairs.only_a, "only_b": pairs.only_b}
    total = sum(map(len, cases.values()))
    label = t("compare.left_out", n=f"{total:,}")
    with st.expander(label, icon=":material/report:", expanded=len(pairs.broken) > 0):
        if not total:
            st.caption(t("compare.left_none", a=plain(run_label(runs.a)), b=plain(run_label(runs.b))))
        for name, rows in cases.items():
            if len(rows):
                _show_cases(t(f"compare.{name}"), rows)


def _show_cases(title: str, rows: pd.DataFrame) -> None:
    st.markdown(f"**{title}** {t('compare.cases', n=f'{len(rows):,}')}")
    lines = []
    for row in rows.head(MAX_CASES).itertuples():
        ending = _ending(row)
        case = f"- {plain(row.question, links=False)} :gray[{plain(row.persona_name)}]"
        lines.append(f"{case}  \n{ending}" if ending else case)
    st.markdown("\n".join(lines).replace("  \n-", "\n-"))
    if len(rows) > MAX_CASES:
        st.caption(t("scores.and_more", n=len(rows) - MAX_CASES))


def _ending(row: Any) -> str:
    """How the conversation of each run ended, with its error."""
    if not hasattr(row, "status_a"):
        return ""
    texts: list[str] = []
    for side in "ab":
        status, error = t(f"status.{getattr(row, f'status_{side}')}"), stored_error_text(getattr(row, f"error_{side}"))
        texts.append(f"{side.upper()}: {status} {plain(error, links=False)}".strip())
    return " / ".join(texts)
