"""Judges against people: figures, judges side by side, disagreements, threshold, parts, and the search for a better one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.agreement.agreement import JudgeAgreement
from core.agreement.intervals import MIN_GROUPS, Statistic
from core.analysis.formatting import NO_VALUE, percent, points, points_range
from core.analysis.label_pools import is_chats, threshold_of
from core.analysis.labelled_turns import (
    Disagreement,
    LabelledTurns,
    corrected_share,
    disagreements,
    grade_agreement,
    max_repeats,
)
from core.analysis.names import criterion_name, judge_name
from core.analysis.trust import MIN_KAPPA, figure_text
from core.base.tables import Cells
from core.base.types import Bot, Language
from core.charts.judge_threshold import threshold_costs
from core.export.cells import json_lines
from core.judges.registry import judges_of
from core.optimization.labelled_rows import label_examples, labelled_answers
from core.optimization.prompt_task import judge_task
from core.optimization.search import SearchOptions
from core.prompts.catalog import find_prompt
from core.runs.judging.jobs import JudgingRequest
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.chart import draw_chart
from pages.components.links import page_link, scores_link
from pages.components.optimization import show_job, show_results, show_start
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.components.widgets import action_button, download_button, show_rows
from pages.i18n.translate import t
from pages.review.agreement_reviewers import figure_cells, show_statistic

FIGURES = ("percent", "kappa", "misses", "false_alarms")
DEFAULT_REPEATS = 3  # how often a model judge is asked about each turn
GROUPS, EXAMPLES = 12, 8  # kinds of reasons, and turns of each, that are listed at first
EXAMPLES_ADDED = 40  # by each click


def finding_of(judge: str, agreement: JudgeAgreement) -> str:
    """The page's title: how far the judge agrees."""
    name = plain(judge_name(judge, t), links=False)
    if agreement.percent.value is None:
        return t("agreement.finding_none", judge=name)
    finding = "few"
    if agreement.kappa.low is not None:
        finding = "trusted" if agreement.kappa.low >= MIN_KAPPA else "untrusted"
    words = {"judge": name, "percent": percent(agreement.percent.value), "n": f"{agreement.n:,}"}
    return t(f"agreement.finding_{finding}", **words)


def show_judge(agreement: JudgeAgreement) -> None:
    places = st.columns(4)
    for place, name in zip(places, FIGURES, strict=True):
        show_statistic(place, name, getattr(agreement, name), name != "kappa", t(f"agreement.{name}_help"))
    with st.expander(t("agreement.confusion"), icon=":material/grid_on:", type="compact"):
        rows = [
            {
                "": t(f"agreement.people_{people}"),
                t("agreement.judge_yes"): f"{agreement.confusion.get(people, {}).get('yes', 0):.0f}",
                t("agreement.judge_no"): f"{agreement.confusion.get(people, {}).get('no', 0):.0f}",
            }
            for people in ("yes", "no")
        ]
        show_rows(rows)
        st.caption(t("agreement.balanced", value=figure_text(agreement.balanced_accuracy, share=True)))


def show_corrected(labelled: LabelledTurns, judge: str) -> None:
    """The judge's share of right replies compared with what people would say."""
    result = corrected_share(labelled, judge)
    if result is None or result.corrected.low is None:
        return
    words = {
        "raw": percent(result.raw),
        "corrected": figure_text(result.corrected, share=True),
        "labels": figure_text(result.labels, share=True),
        "n": f"{result.n:,}",
    }
    st.markdown(f":material/tune: {t('agreement.corrected', **words)}", help=t("agreement.corrected_help"))


def show_side_by_side(labelled: LabelledTurns) -> None:
    """All judges that scored the labelled turns, on the same labels."""
    if len(labelled.judges) < 2:
        st.caption(t("agreement.add_baselines"))
        return
    st.subheader(t("agreement.side_by_side"), anchor=False)
    common = labelled.judged_by_all
    rows = []
    for judge in labelled.judges:
        agreement = labelled.agreement(judge, only=common)
        fitted = labelled.best_threshold(judge)
        rows.append(
            {
                t("agreement.judge"): judge_name(judge, t),
                t("agreement.n"): agreement.n,
                **figure_cells(agreement, FIGURES),
                t("agreement.kappa_fitted"): figure_text(fitted.fitted.kappa) if fitted else NO_VALUE,
            }
        )
    show_rows(rows)
    st.caption(t("agreement.common", n=f"{len(common):,}"))


def show_disagreements(store: Store, bot: str, labelled: LabelledTurns, judge: str) -> None:
    """Where judge and people differ, together if the judge's reasons say the same; each turn one click away."""
    groups = disagreements(store, labelled, judge)
    total = sum(map(len, groups))
    st.subheader(t("agreement.disagreements", n=f"{total:,}"), anchor=False)
    if not groups:
        st.caption(t("agreement.no_disagreements"))
        return
    listed = _shown(f"groups-{judge}", GROUPS)
    for number, group in enumerate(groups[:listed]):
        label = f"{len(group)} · {line(group[0].reasons or t('agreement.no_reason'), 80)}"
        key = f"reason-{judge}-{number}-{group[0].turn}"
        box = st.expander(label, number == 0, icon=":material/difference:", type="compact", key=key, on_change="rerun")
        if box.open:
            with box:
                _show_disagreements(bot, group, key)
    if len(groups) > listed:
        _show_more(t("agreement.more_groups", n=f"{len(groups) - listed:,}"), f"groups-{judge}", listed)


def show_repeats(labelled: LabelledTurns, judge: str, run_id: str, language_of_run: Language, bot: str) -> None:
    """How often the judge was asked about a turn, and what it agreed each time."""
    times = max_repeats(labelled, judge)
    if times > 1:
        shares = [percent(share) for share in labelled.agreement(judge).agreement_by_repeat]
        st.caption(t("agreement.asked", n=times, shares=t("common.comma").join(shares)))
    elif uses_model() and run_id:
        st.caption(t("agreement.asked_once"))
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            label, key = t("agreement.repeats"), "agreement-repeats"
            repeats = st.number_input(label, 2, 10, DEFAULT_REPEATS, key=key, width=160)
            pressed = st.button(t("agreement.ask_again"), icon=":material/replay:", key="ask-again")
        if pressed:
            with show_errors():
                turns = frozenset(label.turn_id for label in labelled.labels)
                request = JudgingRequest([judge], {"language": language_of_run}, engine(), repeats=int(repeats))
                services().judging_jobs.ask_again(run_id, turns, request)
                scores_link(bot, run_id, t("agreement.watch"))


def show_threshold(labelled: LabelledTurns, judge: str) -> None:
    """The threshold that best reproduces people's verdicts, with its cost, on the half it was not fitted on."""
    st.subheader(t("agreement.threshold"), anchor=False)
    fitted = labelled.best_threshold(judge)
    current = threshold_of(judge)
    if fitted is None:
        st.caption(t("agreement.threshold_few"))
        return
    chart = threshold_costs(fitted.costs, current, fitted.threshold, t)
    draw_chart(st, chart, t("agreement.threshold_label"), f"threshold-{judge}")
    rows = [
        {
            t("agreement.threshold"): f"{value:.2f} ({t(f'agreement.threshold_{name}')})",
            **figure_cells(figure, FIGURES),
        }
        for name, value, figure in (("current", current, fitted.current), ("fitted", fitted.threshold, fitted.fitted))
    ]
    show_rows(rows)
    if abs(fitted.threshold - current) > 1e-9:
        sure = "better" if fitted.is_surely_better else "keep"
        shown = _difference_text(fitted.difference)
        st.markdown(t(f"agreement.threshold_{sure}", difference=shown, value=f"{fitted.threshold:.2f}"))
    st.caption(t("agreement.threshold_note", n=f"{fitted.fitted.n:,}"))


def _difference_text(difference: Statistic) -> str:
    """A difference of shares in points, with its interval if there is one."""
    if difference.low is None or difference.high is None:
        return t("agreement.difference", points=points(difference.value))
    interval = points_range(difference.low, difference.high, t)
    return t("agreement.difference_interval", points=points(difference.value), interval=interval)


def show_parts(labelled: LabelledTurns, judge: str, bots: Mapping[str, JudgeAgreement]) -> None:
    """Agreement by persona, kind, language and bot (by its name), and the criteria against people's grades."""
    st.subheader(t("agreement.parts"), anchor=False)
    rows = []
    for part in ("persona", "kind", "language"):
        for name, agreement in labelled.agreement_by(judge, part).items():
            rows.append(_part_row(t(f"agreement.part_{part}"), _part_name(part, name), agreement))
    rows += [_part_row(t("agreement.part_bot"), name, agreement) for name, agreement in bots.items() if agreement.n]
    for criterion, agreement in grade_agreement(labelled).items():
        rows.append(_part_row(t("agreement.part_grade"), criterion_name(criterion, t), agreement))
    if rows:
        show_rows(rows, height="content")
        st.caption(t("agreement.intervals_from", n=MIN_GROUPS))


def _part_row(part: str, name: str, agreement: JudgeAgreement) -> dict[str, object]:
    return {
        t("agreement.part"): part,
        t("agreement.name"): name,
        t("agreement.n"): agreement.n,
        **figure_cells(agreement, ("percent", "kappa")),
    }


def _part_name(part: str, name: str) -> str:
    if part == "kind":
        return t(f"kinds.{name}")
    return t(f"settings.language_{name}") if part == "language" else name


def _show_disagreements(bot: str, disagreements: Sequence[Disagreement], key: str) -> None:
    """The turns of one kind of reason, the first ones at once."""
    listed = _shown(key, EXAMPLES)
    for disagreement in disagreements[:listed]:
        _show_disagreement(bot, disagreement)
    if len(disagreements) > listed:
        _show_more(t("agreement.more", n=f"{len(disagreements) - listed:,}"), key, listed)


def _shown(key: str, first: int) -> int:
    """How much of a list is drawn."""
    return int(st.session_state.get(f"shown-{key}", first))


def _show_more(label: str, key: str, listed: int) -> None:
    extended = {f"shown-{key}": listed + EXAMPLES_ADDED}
    action_button(label, "expand_more", st.session_state.update, extended, key=f"more-{key}", type="tertiary")


def _show_disagreement(bot: str, disagreement: Disagreement) -> None:
    words = {"people": t(f"agreement.said_{disagreement.people}"), "judge": t(f"agreement.said_{disagreement.judge}")}
    st.markdown(f"{t('agreement.differ', **words)}　{line(disagreement.reasons, 200)}")
    run = "chats" if is_chats(disagreement.pool) else disagreement.pool
    turn = str(disagreement.turn)
    page_link("review/label", t("agreement.open"), "open_in_new", bot=bot, run=run, turn=turn)


EXAMPLE_SETS, PROPOSALS = 4, 4  # that are tried for a better judge


def show_better_judge(
    store: Store, bot: Bot, labelled: LabelledTurns, judge: str, language_of_labels: Language
) -> None:
    """Examples picked from disagreements, tried on one half of the labels and compared on the other; or a file of them."""
    box = st.expander(t("agreement.better"), icon=":material/auto_awesome:", key="better-judge", on_change="rerun")
    if box.open:
        with box:
            show_better_judge_box(store, bot, labelled, judge, language_of_labels)
            page_link("build/optimize", t("menu.optimize"), "auto_awesome", bot=bot.id)


def show_better_judge_box(
    store: Store, bot: Bot, labelled: LabelledTurns, judge: str, language_of_labels: Language
) -> None:
    rows = label_examples(store, labelled, judge)
    st.caption(t("agreement.better_lead" if rows else "agreement.better_none"))
    if not rows:
        return
    label = t("agreement.better_download", n=f"{len(rows):,}")
    download_button(label, json_lines(rows), f"{judge.replace(':', '-')}-labels.jsonl")
    with show_errors():
        _try_examples(bot, judge, rows, language_of_labels)


def _try_examples(bot: Bot, judge: str, rows: list[Cells], language_of_labels: Language) -> None:
    """The search with examples from disagreements, and with other rules if wanted; its results."""
    prompts = judges_of((judge,), bot)[0].prompt_names
    if not prompts:
        st.caption(t("agreement.better_no_prompt"))
        return
    prompt = find_prompt(prompts[0])
    if not uses_model():
        st.caption(t("agreement.better_embedded"))
    elif not show_job(bot, prompt, language_of_labels):
        st.markdown(f"**{t('agreement.better_try')}**")
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            label, text = t("optimize.limit"), t("optimize.limit_help")
            limit = st.number_input(label, 0, 1_000, 60, key="better-limit", help=text)
            label, text = t("optimize.budget"), t("optimize.budget_help")
            budget = st.number_input(label, 0.0, 1e9, 0.0, key="better-budget", help=text)
            rules = st.toggle(t("agreement.better_rules"), key="better-rules", help=t("optimize.rules_help"))
        options = SearchOptions(rules=PROPOSALS if rules else 0, examples=EXAMPLE_SETS, limit=int(limit), budget=budget)
        task = judge_task(bot, prompt.name, language_of_labels, judge, labelled_answers(rows))
        show_start(bot, task, options, engine())
    show_results(bot, prompt, language_of_labels)
