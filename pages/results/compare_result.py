"""The result of a comparison: verdict, figures, charts, noise, what changed, and the conversations side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pandas as pd
import streamlit as st

from core.analysis.compare import Comparison, Difference, changed_pairs, differences, differences_within, scored_pairs
from core.analysis.compare_runs import RunComparison
from core.analysis.confidence_intervals import mean_interval
from core.analysis.formatting import percent, points, points_range
from core.analysis.names import criterion_label
from core.analysis.snapshot_changes import Area, Change
from core.base.translate import text_or_default
from core.charts.comparison import forest
from core.charts.style import interval_text
from core.store.store import Store
from pages.components.appearance import show_figure, show_some
from pages.components.chart import draw_chart
from pages.components.differences import field_label
from pages.components.links import transcript_link
from pages.components.message import bot_message, draw_user_message, reply_text
from pages.components.plain_text import line, plain
from pages.components.run_picker import run_label
from pages.components.widgets import choose_row
from pages.i18n.translate import stored_error_text, t

MAX_CHANGES = 12  # changes of one area listed before "and n more"
MAX_LINES = 40  # lines of one text
SIGNS = {"-": "−", "+": "+", " ": "　"}
MAX_PAIRS = 200  # pairs in the table, the largest change first
MAX_CASES = 20  # cases without a pair listed before "and n more"


def verdict_title(runs: RunComparison, main: Difference | None) -> tuple[str, str]:
    """The page's title and the line below it. main: the difference that decides; None if nothing is scored."""
    pairs = runs.scores
    counts = {"n": f"{pairs.common:,}", "a": f"{pairs.failed('a'):,}", "b": f"{pairs.failed('b'):,}"}
    if not pairs.common:
        return t("compare.no_pairs"), t("compare.no_common")
    if pairs.pairs.empty:
        key = "title_failed" if pairs.more_failed > 0 else "title_unfinished"
        return t(f"compare.{key}", **counts), t("compare.no_pairs_lead")
    if main is None:
        return t("compare.no_judge"), t("compare.lead")
    return _verdict(runs, main), _interval_note(main)


def _verdict(runs: RunComparison, main: Difference) -> str:
    name = plain(criterion_label(main.judge, main.criterion, t), links=False)
    if main.difference is None:
        return t("compare.title_none", name=name)
    if runs.is_noise:
        return t("compare.title_noise", name=name, value=points(main.difference))
    if main.low is None:
        return t("compare.title_few", name=name, value=points(main.difference))
    if main.low == main.high == 0:
        return t("compare.title_same", name=name)
    return t(f"compare.title_{main.verdict}", name=name, value=points(main.difference))


def _interval_note(main: Difference) -> str:
    """Interval, number of pairs, and the smallest difference they could have detected; "" if nothing is scored."""
    of = t(
        "compare.of_clusters" if main.clustered else "compare.of", n=f"{main.pairs:,}", scenarios=f"{main.clusters:,}"
    )
    if main.low is None or main.high is None:
        return t("compare.too_few", of=of) if main.pairs else ""
    text = t("compare.interval", interval=points_range(main.low, main.high, t), of=of)
    if main.detectable is None:
        text += t("compare.detectable_same" if main.low == main.high == 0 else "compare.detectable_alike")
    else:
        text += t("compare.detectable", value=f"{main.detectable * 100:.1f}")
    return text + (f" {t('compare.lower_is_better')}" if main.lower_is_better else "")


def show_figures(runs: RunComparison, main: Difference) -> None:
    """Show the means of both runs over the same pairs, the difference, and the number of pairs."""
    columns = st.columns(4)
    pairs = scored_pairs(runs.scores, main.judge, main.criterion).dropna(subset=["difference"])
    counts = {"n": f"{main.pairs:,}", "scenarios": f"{main.clusters:,}", "unscored": f"{main.unscored:,}"}
    for column, side, mean in zip(columns, "ab", (main.mean_a, main.mean_b), strict=False):
        interval = mean_interval(list(pairs[side]), list(pairs["scenario"]))
        note = t("scores.interval", interval=interval_text(interval)) if interval else t("scores.no_interval")
        show_figure(column, t(f"compare.mean_{side}"), percent(mean), note, t("charts.mean_help", **counts))
    show_figure(columns[2], t("compare.difference"), points(main.difference))
    compared = t("scores.n_of", n=f"{main.pairs:,}", all=f"{runs.scores.common:,}")
    show_figure(columns[3], t("compare.pairs"), compared)


def show_missing(runs: RunComparison, main: Difference | None) -> None:
    """Warn about pairs without a score and conversations that failed, which are in no mean."""
    notes = [t("compare.unscored", n=f"{main.unscored:,}")] if main and main.unscored else []
    if len(runs.scores.unfinished):
        notes.append(t("compare.failed", a=runs.scores.failed("a"), b=runs.scores.failed("b")))
    if runs.scores.unfinished_turns:
        notes.append(t("compare.unfinished_left_out", n=f"{runs.scores.unfinished_turns:,}"))
    if notes:
        st.warning(" ".join(notes), icon=":material/error:")


def show_noise(runs: RunComparison, main: Difference, floor: Difference | None) -> None:
    """Say whether the difference is larger than that of an A/A run."""
    if runs.is_noise:
        st.info(t("compare.noise" if runs.seeds_differ else "compare.noise_same_seed"), icon=":material/info:")
    elif floor is None:
        st.caption(t("compare.floor_none"))
    elif main.difference is not None and floor.low is not None and floor.high is not None:
        is_beyond = abs(main.difference) > max(abs(floor.low), abs(floor.high))
        details = {"interval": points_range(floor.low, floor.high, t), "n": floor.pairs}
        st.caption(t("compare.floor_beyond" if is_beyond else "compare.floor_within", **details))


def draw_charts(runs: RunComparison, main: Difference) -> None:
    """Draw the difference of every criterion, then of the deciding one by persona and by kind."""
    rows = [(criterion_label(found.judge, found.criterion, t), found) for found in differences(runs.scores)]
    _draw_forest(st, rows, "criteria")
    groups: dict[str, Mapping[str, Difference]] = {}
    for name, column in {"persona": "persona_name", "kind": "kind"}.items():
        group = differences_within(runs.scores, main.judge, main.criterion, column)
        if len(group) > 1:
            groups[name] = group
    if not groups:
        return
    st.caption(t("compare.parts", name=plain(criterion_label(main.judge, main.criterion, t), links=False)))
    for column, (name, group) in zip(st.columns(len(groups), gap="medium"), groups.items(), strict=True):
        rows = [(t(f"kinds.{value}") if name == "kind" else value, difference) for value, difference in group.items()]
        _draw_forest(column, rows, name)


def _draw_forest(place: Any, rows: list[tuple[str, Difference]], name: str) -> None:
    draw_chart(place, forest(rows, t, name), t(f"compare.chart_{name}"), name)


def show_changes(changes: Sequence[Change], comparison: Comparison) -> None:
    """List everything that differs, by area; if nothing does, say so (and whether more conversations of B failed)."""
    st.subheader(t("compare.changed"), anchor=False)
    if not changes:
        failed = {side: f"{comparison.failed(side):,}" for side in ("a", "b")}
        st.caption(t("compare.changed_failed" if comparison.more_failed > 0 else "compare.changed_nothing", **failed))
    with st.container(border=bool(changes)):
        for area in get_args(Area):
            of_area = [change for change in changes if change.area == area]
            show_some(of_area, MAX_CHANGES, _show_change)


def _show_change(change: Change) -> None:
    name = plain(field_label(change), links=False)
    if change.lines:
        st.markdown(f"**{name}**")
        _draw_lines(change)
    elif change.fields:
        names = (text_or_default(t, f"{change.area}.{field}", field) for field in change.fields)
        fields = t("common.comma").join(names)
        st.markdown(f"**{name}** {t('changes.changed')}　:gray[{plain(fields, links=False)}]")
    elif change.old and change.new:
        st.markdown(f"**{name}** {_value(change.old)} → {_value(change.new)}")
    elif (change.old or change.new) and change.area in ("bot", "engine", "plan"):
        st.markdown(f"**{name}** {t(f'changes.{change.kind}')}　{_value(change.old or change.new)}")
    else:
        st.markdown(f"**{name}** {t(f'changes.{change.kind}')}")


def _value(text: str) -> str:
    """A short value, translated if it is one of Kiku's own."""
    return text_or_default(t, f"changes.value_{text}", line(text, 120))


def _draw_lines(change: Change) -> None:
    """Draw a diff: removed lines in orange, added ones in green."""
    lines = []
    for diff_line in change.lines[:MAX_LINES]:
        sign, text = SIGNS.get(diff_line[:1], "　"), plain(diff_line[1:], links=False)
        color = {"-": "orange", "+": "green"}.get(diff_line[:1], "gray")
        lines.append(f":{color}[{sign} {text}]" if text.strip() else f":{color}[{sign}]")
    with st.container(border=True):
        st.markdown("  \n".join(lines))
    if len(change.lines) > MAX_LINES:
        st.caption(t("changes.more_lines", n=len(change.lines) - MAX_LINES))


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
        "change": [points(difference) for difference in shown["difference"]],
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
            "change": st.column_config.TextColumn(t("compare.difference"), width=110, alignment="right"),
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
    for turn in store.conversations.turns(conversation, {}):
        draw_user_message(turn.user_text)
        error = f":gray[{plain(stored_error_text(turn.error))}]"
        bot_message().markdown(reply_text(turn.reply_text) if turn.reply_text else error)


def show_left_out(runs: RunComparison) -> None:
    """List the cases of only one run, and the pairs with an incomplete conversation."""
    pairs = runs.scores
    cases = {"unfinished": pairs.unfinished, "only_a": pairs.only_a, "only_b": pairs.only_b}
    total = sum(map(len, cases.values()))
    label = t("compare.left_out", n=f"{total:,}")
    with st.expander(label, icon=":material/report:", expanded=len(pairs.unfinished) > 0):
        if not total:
            st.caption(t("compare.left_none", a=plain(run_label(runs.a)), b=plain(run_label(runs.b))))
        for name, rows in cases.items():
            if len(rows):
                _show_cases(t(f"compare.{name}"), rows)


def _show_cases(title: str, rows: pd.DataFrame) -> None:
    st.markdown(f"**{title}** {t('compare.cases', n=f'{len(rows):,}')}")
    lines = []
    for row in rows.head(MAX_CASES).itertuples():
        case = f"- {plain(row.question, links=False)} :gray[{plain(row.persona_name)}]"
        lines.append(f"{case}  \n{_ending(row)}" if hasattr(row, "status_a") else case)
    st.markdown("\n".join(lines).replace("  \n-", "\n-"))
    if len(rows) > MAX_CASES:
        st.caption(t("scores.and_more", n=len(rows) - MAX_CASES))


def _ending(row: Any) -> str:
    texts: list[str] = []
    for side in "ab":
        status, error = t(f"status.{getattr(row, f'status_{side}')}"), stored_error_text(getattr(row, f"error_{side}"))
        texts.append(f"{side.upper()}: {status} {plain(error, links=False)}".strip())
    return " / ".join(texts)
