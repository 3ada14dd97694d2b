"""The pairs of a comparison: what got worse first, what got better, both conversations beside each other, what is left out."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.analysis.compare import changed_pairs
from core.analysis.compare_runs import RunComparison
from core.store.store import Store
from pages.components.appearance import percent
from pages.components.message import person_says, reply_text
from pages.components.plain_text import plain
from pages.components.run_labels import run_label
from pages.i18n.translate import stored_error_text, t

MOST = 200  # pairs in the table, the largest change first
LISTED = 20  # cases without a pair before "and n more"
Table = Any


def movements(store: Store, found: RunComparison, judge: str, criterion: str) -> None:
    """Two lists: what got worse, and what got better; a selected pair is shown below."""
    worse, better = (changed_pairs(found.comparison, judge, criterion, each) for each in (True, False))
    st.subheader(t("compare.moved"), anchor=False)
    kept = len(found.comparison.pairs) - len(worse) - len(better)
    st.caption(t("compare.moved_lead", worse=f"{len(worse):,}", better=f"{len(better):,}", rest=f"{kept:,}"))
    tabs = st.tabs([t("compare.worse_tab", n=f"{len(worse):,}"), t("compare.better_tab", n=f"{len(better):,}")])
    for tab, table, name in zip(tabs, (worse, better), ("worse", "better"), strict=True):
        with tab:
            _list(store, found, table, f"{name}-{judge}-{criterion}")


def _list(store: Store, found: RunComparison, table: Table, name: str) -> None:
    if table.empty:
        st.caption(t("compare.none_moved"))
        return
    shown = table.head(MOST)
    if len(table) > MOST:
        st.caption(t("compare.most", n=MOST, all=f"{len(table):,}"))
    columns = {
        "change": shown["difference"] * 100,
        "score_a": shown["a"] * 100,
        "score_b": shown["b"] * 100,
        "question": shown["question"],
        "persona": shown["persona_name"],
        "kind": [t(f"kinds.{kind}") if kind else "" for kind in shown["kind"]],
    }
    chosen = st.dataframe(
        columns,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"moved-{name}-{found.a.id}-{found.b.id}",
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
    rows = chosen.selection.rows
    st.caption(t("compare.select"))
    both(store, found, shown.iloc[rows[0] if rows and rows[0] < len(shown) else 0])


def both(store: Store, found: RunComparison, row: Table) -> None:
    """One pair: the two conversations beside each other, each with the way to its whole record."""
    with st.container(border=True):
        st.markdown(f"**{plain(row.question)}**  \n:gray[{plain(row.persona_name)}]")
        for side, column in zip("ab", st.columns(2, gap="medium"), strict=True):
            run, mark = getattr(found, side), str(row[f"conversation_{side}"])
            with column:
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.markdown(f"**{side.upper()}** {percent(row[side])}", width="content")
                    asked = {"bot": run.bot, "run": run.id, "conversation": mark}
                    words = {"label": t("compare.open"), "icon": ":material/forum:", "query_params": asked}
                    st.page_link("pages/results/transcripts.py", **words)
                _conversation(store, mark)


def _conversation(store: Store, mark: str) -> None:
    """What was said, without sources and reasons."""
    for turn in store.conversations.turns(mark):
        person_says(turn.user_text)
        with st.chat_message("assistant", avatar=":material/support_agent:"):
            text = turn.reply_text or (turn.sample.answer if turn.sample else "")
            st.markdown(reply_text(text) if text else f":gray[{plain(stored_error_text(turn.error))}]")


def left_out(found: RunComparison) -> None:
    """Cases of one side alone, and pairs of which a side did not come to its end."""
    whole = found.comparison
    parts = [
        (t("compare.broken"), whole.broken),
        (t("compare.only_a"), whole.only_a),
        (t("compare.only_b"), whole.only_b),
    ]
    total = sum(len(rows) for _, rows in parts)
    with st.expander(t("compare.left_out", n=f"{total:,}"), icon=":material/report:", expanded=len(whole.broken) > 0):
        if not total:
            st.caption(t("compare.left_none", a=plain(run_label(found.a)), b=plain(run_label(found.b))))
        for title, rows in parts:
            if len(rows):
                _cases(title, rows)


def _cases(title: str, rows: Table) -> None:
    st.markdown(f"**{title}** {t('compare.cases', n=f'{len(rows):,}')}")
    lines = []
    for row in rows.head(LISTED).itertuples():
        why = _why(row)
        lines.append(
            f"- {plain(row.question, links=False)} :gray[{plain(row.persona_name)}]" + (f"  \n{why}" if why else "")
        )
    st.markdown("\n".join(lines).replace("  \n-", "\n-"))
    if len(rows) > LISTED:
        st.caption(t("scores.and_more", n=len(rows) - LISTED))


def _why(row: Any) -> str:
    """How each side ended, with its error."""
    if not hasattr(row, "status_a"):
        return ""
    sides = [(side, getattr(row, f"status_{side}"), getattr(row, f"error_{side}")) for side in "ab"]
    told = [
        f"{side.upper()}: {t(f'status.{status}')} {plain(stored_error_text(error), links=False)}".strip()
        for side, status, error in sides
    ]
    return " / ".join(told)
