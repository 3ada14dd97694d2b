"""Finding a conversation of a run: filters, a search in what was said, and a list that stays quick with ten thousand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.simulator_health import invalid_conversations
from core.charts.names import label_text
from core.store.look import Look
from core.store.reading import Listed, listed
from core.store.records import RunRow
from core.store.store import Store
from pages.components.appearance import percent
from pages.components.judge_picker import judge_label
from pages.components.services import need_store
from pages.i18n.translate import language, t

A_PAGE = 25  # conversations in the list at a time
FEW = 12  # different labels of a judge that can be chosen from
HEIGHT = 620  # pixels of the list


def find(run: RunRow, lower: Any) -> list[Listed]:
    """The conversations that the person wants to see, in the order wanted; `lower(judge)`: criteria where less is better."""
    store = need_store()
    look = store.look(run.id)
    judges = look.found("headlines", look.headlines)
    wanted = st.text_input(
        t("transcript_search.text"),
        key=f"find-text-{run.id}",
        icon=":material/search:",
        placeholder=t("transcript_search.text_hint"),
    )
    bar = st.container(horizontal=True, gap="small", vertical_alignment="center")
    with bar.popover(t("transcript_search.filter"), icon=":material/filter_list:", key=f"find-{run.id}"):
        judge = _judge(run, judges)
        headline, version = judges.get(judge, ("overall", ""))
        rows = listed(look, judge, headline, version)
        kept = _filtered(run, rows, _spoilt(store, look, run), judge)
    if wanted.strip():
        found = store.holding(run.id, wanted)
        kept = [row for row in kept if row.id in found]
    st.caption(t("transcript_search.count", n=f"{len(kept):,}", all=f"{len(rows):,}"))
    with bar:
        return _sorted(run, kept, headline in lower(judge))


def _spoilt(store: Store, look: Look, run: RunRow) -> frozenset[str]:
    """The conversations that the simulated user spoilt."""
    faults = look.found("faults", lambda: store.user_faults(run.id))
    return look.found("spoilt", lambda: invalid_conversations(faults))


def _judge(run: RunRow, judges: Iterable[str]) -> str:
    """Whose scores the list shows."""
    names = sorted(judges, key=lambda name: name != "turn")
    if len(names) < 2:
        return next(iter(names), "turn")
    return _pick(run, "judge", {name: judge_label(name) for name in names})


def _filtered(run: RunRow, rows: Sequence[Listed], gone: frozenset[str], judge: str) -> list[Listed]:
    """Those that every filter lets through; one that would not part anything is not shown. gone: spoilt conversations."""
    personas = {row.persona_id: row.persona_name for row in rows if row.persona_name}
    kinds = {kind: t(f"kinds.{kind}") for kind in dict.fromkeys(row.kind for row in rows) if kind}
    endings = {one: t(one) for one in dict.fromkeys(_ending(row) for row in rows)}
    given = frozenset[str]().union(*{row.labels for row in rows})
    labels = {one: label_text(t, judge, one) for one in sorted(given)}
    chosen = {
        "persona": _several(run, "persona", personas),
        "kind": _several(run, "kind", kinds),
        "ending": _several(run, "ending", endings),
        "label": _several(run, "label", labels if len(labels) <= FEW else {}),
    }
    low, high = _range(run, rows)
    asked = (
        _pick(run, "asked", {name: t(f"transcript_search.asked_{name}") for name in ("any", "yes", "no")})
        if _asks(rows)
        else "any"
    )
    only = bool(gone) and st.toggle(t("transcript_search.spoilt", n=len(gone)), key=f"find-spoilt-{run.id}")

    def fits(row: Listed) -> bool:
        scored = (low, high) == (0, 100) or (row.score is not None and low <= round(row.score * 100) <= high)
        return (
            (not chosen["persona"] or row.persona_id in chosen["persona"])
            and (not chosen["kind"] or row.kind in chosen["kind"])
            and (not chosen["ending"] or _ending(row) in chosen["ending"])
            and (not chosen["label"] or bool(row.labels & set(chosen["label"])))
            and (asked == "any" or (row.asked is not None and bool(row.asked) == (asked == "yes")))
            and scored
            and (not only or row.id in gone)
        )

    if not (any(chosen.values()) or only or asked != "any" or (low, high) != (0, 100)):
        return list(rows)
    return [row for row in rows if fits(row)]


def _asks(rows: Sequence[Listed]) -> bool:
    return len({bool(row.asked) for row in rows if row.asked is not None}) > 1


def _range(run: RunRow, rows: Sequence[Listed]) -> tuple[int, int]:
    if not any(row.score is not None for row in rows):
        return 0, 100
    low, high = st.slider(t("transcript_search.score"), 0, 100, (0, 100), 5, format="%d%%", key=f"find-score-{run.id}")
    return int(low), int(high)


def _several(run: RunRow, name: str, options: dict[str, str]) -> list[str]:
    """None, one or some of the options {value: words}."""
    if len(options) < 2:
        return []
    return st.multiselect(
        t(f"transcript_search.{name}"),
        list(options),
        format_func=lambda one: options.get(one, one),
        placeholder=t("transcript_search.all"),
        key=f"find-{name}-{run.id}-{language()}",
    )


def _pick(run: RunRow, name: str, options: dict[str, str]) -> str:
    return str(
        st.selectbox(
            t(f"transcript_search.{name}"),
            list(options),
            format_func=lambda one: options.get(one, one),
            key=f"find-{name}-{run.id}-{language()}",
        )
    )


def _ending(row: Listed) -> str:
    """How a conversation ended, else how far it came."""
    return f"endings.{row.ending}" if row.ending and row.status == "done" else f"status.{row.status}"


def ended(row: Listed) -> str:
    """The same in words."""
    return t(_ending(row))


def _sorted(run: RunRow, rows: list[Listed], less: bool) -> list[Listed]:
    """The worst first (what is unscored or failed on top), or by number."""
    names = {name: t(f"transcript_search.order_{name}") for name in ("worst", "number")}
    order = st.segmented_control(
        t("transcript_search.order"),
        list(names),
        default="number",
        format_func=lambda name: names.get(name, name),
        key=f"find-order-{run.id}-{language()}",
        label_visibility="collapsed",
    )
    if order != "worst":
        return rows
    return sorted(rows, key=lambda row: -1.0 if row.score is None else (1 - row.score if less else row.score))


def show_list(run: RunRow, rows: Sequence[Listed], chosen: str) -> None:
    """A page of the list; selecting a row opens its conversation."""
    at = next((place for place, row in enumerate(rows) if row.id == chosen), 0)
    pages = max(1, -(-len(rows) // A_PAGE))
    key, wanted = f"find-page-{run.id}", at // A_PAGE + 1
    if st.session_state.get(f"{key}-of") != (chosen, len(rows)):  # a step to another conversation turns the page
        st.session_state[key], st.session_state[f"{key}-of"] = wanted, (chosen, len(rows))
    st.session_state[key] = min(st.session_state.get(key, 1), pages)
    number = st.pagination(pages, key=key, max_visible_pages=5) if pages > 1 else 1
    shown = rows[(number - 1) * A_PAGE : number * A_PAGE]
    table = pd.DataFrame(
        [
            {
                "mark": "▶" if row.id == chosen else "",
                "number": row.number,
                "score": percent(row.score),
                "question": " ".join(row.question.split()),
                "persona": row.persona_name,
                "ending": ended(row),
            }
            for row in shown
        ]
    )
    marks = [row.id for row in shown]
    looks = f"find-list-{run.id}-{hash(tuple(marks))}-{chosen}"
    st.dataframe(
        table,
        hide_index=True,
        key=looks,
        on_select=lambda: _open(looks, marks),
        selection_mode="single-row",
        height=min(HEIGHT, 38 + 35 * max(1, len(shown))),
        column_config={
            "mark": st.column_config.TextColumn("", width=24),
            "number": st.column_config.NumberColumn("#", width=44),
            "score": st.column_config.TextColumn(t("scores.score"), width=56),
            "question": st.column_config.TextColumn(t("scores.question"), width=210),
            "persona": st.column_config.TextColumn(t("scores.persona")),
            "ending": st.column_config.TextColumn(t("scores.ending")),
        },
    )


def _open(key: str, marks: list[str]) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.query_params["conversation"] = marks[rows[0]]
