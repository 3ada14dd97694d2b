"""Take a turn once more with one stage replaced, and show both side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.analysis.failures.entries import score_of
from core.base.types import Bot, Score
from core.charts.names import criterion_name, label_text
from core.store.records import ConversationRow, RunRow, TurnRow
from pages.components.appearance import percent, show_errors
from pages.components.cost import spent_line
from pages.components.judge_picker import judge_label
from pages.components.message import reply_text
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.i18n.translate import error_text, language, stored_error_text, t
from pages.results.failure_data import index_of

if TYPE_CHECKING:
    from core.runs.replay import Replacement, Replayed, Stage
    from pages.results.replays import Replaying, Result

JUDGES = ("turn", "correctness", "sufficiency", "groundedness", "relevance")
CALLS_OF_A_TURN = 3  # assess, rewrite, answer
AT_ONCE = 1.0  # seconds that the page waits before it shows that something is under way


def replay_panel(bot: Bot, run: RunRow, row: ConversationRow, turn: TurnRow) -> None:
    """What to replace, the button, and the last result for this turn."""
    with st.expander(t("failures.replay"), icon=":material/replay:", type="compact", key=f"replay-box-{turn.id}"):
        if turn.turn is None:
            st.caption(t("failures.replay_file"))
            return
        st.caption(t("failures.replay_lead"))
        judges = _judges(run)
        replaced = _replacement(bot, row, turn)
        if uses_model():
            st.caption(t("failures.replay_model", n=CALLS_OF_A_TURN + 2 * len(judges)))
        job = services().replays.of(turn.id)
        off = replaced is None or (job is not None and job.running)
        label, key = t("failures.replay_start"), f"replay-{turn.id}"
        if st.button(label, type="primary", icon=":material/replay:", key=key, disabled=off) and replaced:
            with show_errors():
                job = _start(bot, row, turn, replaced, judges)
                job.wait(AT_ONCE)
                st.rerun()
        if job:
            _state(turn, job)


def _state(turn: TurnRow, job: Replaying) -> None:
    """How far a replay is, looked at again every second; once it is over what came of it."""
    active = job.running

    @st.fragment(run_every=1.0 if active else None)
    def draw() -> None:
        if job.running != active:
            st.rerun()
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            seconds = t("common.seconds", seconds=f"{max(1, round(job.seconds))}")
            st.caption(f":material/progress_activity: {t('failures.replay_running', seconds=seconds)}", width="content")
            st.button(
                t("failures.replay_stop"), icon=":material/stop:", key=f"replay-stop-{turn.id}", on_click=job.stop
            )

    if active:
        draw()
    elif job.result:
        _show(turn, job.stage, job.result)
    elif job.stopped:
        st.info(t("failures.replay_stopped"), icon=":material/stop:")
    elif job.error:
        st.error(plain(error_text(job.error)), icon=":material/error:")
    else:
        st.error(t("failures.replay_failed"), icon=":material/error:")


def _replacement(bot: Bot, row: ConversationRow, turn: TurnRow) -> Replacement | None:
    """The stage and what stands in for it, as the person chose; none where it cannot be chosen yet."""
    from core.runs.replay import STAGES, Replacement  # brings the index

    stage: Stage = st.selectbox(
        t("failures.stage"),
        STAGES,
        format_func=lambda one: t(f"failures.stage_{one}"),
        key=f"stage-{turn.id}-{language()}",
    )
    scenario, mark = row.scenario, f"{stage}-{turn.id}"
    match stage:
        case "rewrite":
            text = st.text_input(t("failures.given_query"), scenario.intent or scenario.question, key=f"given-{mark}")
            return Replacement(stage=stage, query=text)
        case "passages":
            given = scenario.evidence or scenario.reference
            return Replacement(stage=stage, text=st.text_area(t("failures.given_text"), given, key=f"given-{mark}"))
        case "document":
            if (index := index_of(bot)) is None:
                st.caption(f":material/hourglass_top: {t('failures.replay_no_index')}")
                return None
            names = sorted({passage.document for passage in index.passages})
            chosen = st.selectbox(t("failures.document"), names, key=f"given-{mark}")
            return Replacement(stage=stage, document=str(chosen or ""))
        case "thresholds":
            return _thresholds(bot, mark)
        case "prompt":
            prompt = st.text_area(t("failures.prompt"), bot.prompt, key=f"prompt-{mark}", height=160)
            rules = st.text_area(t("failures.guidelines"), bot.guidelines, key=f"rules-{mark}", height=120)
            return Replacement(stage=stage, prompt=prompt, guidelines=rules)
        case _:
            return Replacement(stage=stage)


def _thresholds(bot: Bot, mark: str) -> Replacement:
    from core.runs.replay import Replacement

    now = bot.clarify
    cells = st.columns(3)
    clear = cells[0].number_input(t("failures.clarity_threshold"), 0, 5, now.clarity_threshold, key=f"clear-{mark}")
    low = cells[1].number_input(t("failures.score_threshold"), 0, 5, now.score_threshold, key=f"low-{mark}")
    most = cells[2].number_input(t("failures.max_questions"), 0, 10, now.max_questions, key=f"most-{mark}")
    changed = {"clarity_threshold": clear, "score_threshold": low, "max_questions": most}
    return Replacement(stage="thresholds", clarify=now.model_copy(update=changed))


def _judges(run: RunRow) -> tuple[str, ...]:
    """The judges of answers that scored the run, so that before and after compare."""
    seen = {one.judge for one in services().store.judge_versions(run.id)}
    return tuple(name for name in JUDGES if name in seen) or ("turn",)


def _start(bot: Bot, row: ConversationRow, turn: TurnRow, replaced: Replacement, judges: tuple[str, ...]) -> Replaying:
    """Take the turn once more in the background, with all that this session has chosen."""
    from core.judges.base import How
    from core.runs.replay import moment_of, replay

    speaker, at = engine(), services()
    how = How(language=language(), guidelines=bot.guidelines)

    def work() -> Replayed:
        moment = moment_of(at.store, row.id, turn.number)
        return replay(speaker, bot, at.indexes.get(bot), moment, replaced, judges, how)

    return at.replays.start(turn.id, replaced.stage, work, at.store, (replaced, judges))


def _show(turn: TurnRow, name: str, result: Result) -> None:
    """The finding, both replies, and the verdicts of both."""
    stage, done = t(f"failures.stage_{name}"), result.replayed
    _finding(name, stage, _points(done.before), _points(done.after))
    left, right = st.columns(2, gap="medium")
    for column, label, text, query in (
        (left, t("failures.before"), turn.reply_text, turn.query),
        (right, t("failures.after", stage=stage), done.turn.reply.text, done.turn.query),
    ):
        with column.container(border=True, height="stretch"):
            st.caption(label)
            st.markdown(reply_text(text))
            if query:
                st.caption(f"{t('failures.query')}: {plain(query)}")
    st.dataframe(_table(done.before, done.after), hide_index=True, key=f"both-{turn.id}-{language()}")
    for score in (*done.before, *done.after):
        if score.value is None and score.error:
            st.caption(f":material/remove: {plain(judge_label(score.judge))}: {plain(stored_error_text(score.error))}")
    if result.cost.calls:
        st.caption(spent_line(result.cost))


def _finding(stage: str, name: str, before: float | None, after: float | None) -> None:
    """Whether the replaced stage makes the difference, in a sentence."""
    if before is None or after is None:
        st.info(t("failures.not_scored"), icon=":material/remove:")
        return
    marks = {"before": percent(before), "after": percent(after)}
    if stage == "nothing":
        key = "same_again" if before == after else "changed_again"
        st.info(t(f"failures.{key}", **marks), icon=":material/replay:")
    elif after > before:
        st.success(t("failures.better", stage=name, **marks), icon=":material/trending_up:")
    elif after < before:
        st.warning(t("failures.worse", **marks), icon=":material/trending_down:")
    else:
        st.info(t("failures.same", **marks), icon=":material/trending_flat:")


def _points(scores: tuple[Score, ...]) -> float | None:
    """The turn's score as the list reckons it."""
    known = {f"{one.judge}.{one.criterion}": one.value for one in scores if one.value is not None}
    return score_of(known)


def _table(before: tuple[Score, ...], after: tuple[Score, ...]) -> pd.DataFrame:
    """The verdicts of both, one row for each criterion."""
    old, new = ({(one.judge, one.criterion): one for one in scores} for scores in (before, after))
    return pd.DataFrame(
        [
            {
                t("failures.judge"): judge_label(judge),
                t("failures.criterion"): criterion_name(criterion, t),
                t("failures.before"): _mark(old.get((judge, criterion))),
                t("failures.replayed"): _mark(new.get((judge, criterion))),
            }
            for judge, criterion in dict.fromkeys((*old, *new))
        ]
    )


def _mark(score: Score | None) -> str:
    if score is None or score.value is None:
        return "–"
    return label_text(t, score.judge, score.label, score.reasons)
