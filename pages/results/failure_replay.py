"""Replay a turn with one stage replaced, and show both replies side by side."""

from __future__ import annotations

import streamlit as st

from core.analysis.failures.entries import score_of
from core.analysis.formatting import NO_VALUE, percent
from core.analysis.names import criterion_name, judge_name, label_text
from core.base.types import TURN_JUDGE, Bot, Score
from core.runs.judging.judge_options import judge_options_of_run
from core.runs.replay import STAGES, Replacement, ReplayJob, ReplayRequest, ReplayResult, Stage
from core.store.rows import ConversationRow, RunRow, TurnRow
from pages.components.appearance import show_error, show_errors
from pages.components.cost import spending_text
from pages.components.job_progress import watch
from pages.components.message import reply_text
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.components.widgets import action_button, choose, show_rows
from pages.i18n.translate import language, stored_error_text, t

JUDGES = (TURN_JUDGE, "correctness", "sufficiency", "groundedness", "relevance")
CALLS_OF_A_TURN = 3  # assess, rewrite, answer
FIRST_WAIT = 1.0  # seconds for a fast replay to finish before its progress is shown


def show_replay(bot: Bot, run: RunRow, row: ConversationRow, turn: TurnRow) -> None:
    """Choose the stage to replace, start the replay, and show the last result for this turn."""
    with st.expander(t("failures.replay"), icon=":material/replay:", type="compact", key=f"replay-box-{turn.id}"):
        if turn.turn is None:
            st.caption(t("failures.replay_file"))
            return
        st.caption(t("failures.replay_lead"))
        judges = _judges(run)
        replacement = _choose_replacement(bot, row, turn)
        if uses_model():
            st.caption(t("failures.replay_model", n=CALLS_OF_A_TURN + 2 * len(judges)))
        job = services().replays.get(turn.id)
        is_off = replacement is None or (job is not None and job.pending)
        label, key = t("failures.replay_start"), f"replay-{turn.id}"
        if st.button(label, type="primary", icon=":material/replay:", key=key, disabled=is_off) and replacement:
            with show_errors():
                job = _start(bot, run, turn, replacement)
                job.wait(FIRST_WAIT)
                st.rerun()
        if job:
            _show_job(turn, job)


def _show_job(turn: TurnRow, job: ReplayJob) -> None:
    if job.pending:
        watch(lambda: job.pending, lambda: _draw_running_replay(job))
    elif job.result:
        _show_result(turn, job.request.replacement.stage, job.result)
    elif job.stopped.is_set():
        st.info(t("failures.replay_stopped"), icon=":material/stop:")
    elif job.error:
        show_error(job.error)


def _draw_running_replay(job: ReplayJob) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        seconds = t("common.seconds", seconds=f"{max(1, round(job.seconds))}")
        st.caption(f":material/progress_activity: {t('failures.replay_running', seconds=seconds)}", width="content")
        action_button(t("failures.replay_stop"), "stop", job.stop, key=f"replay-stop-{job.request.turn.id}")


def _choose_replacement(bot: Bot, row: ConversationRow, turn: TurnRow) -> Replacement | None:
    """The stage and its replacement; None while the index that it needs is being built."""
    stages: dict[Stage, str] = {stage: t(f"failures.stage_{stage}") for stage in STAGES}
    stage = choose(t("failures.stage"), stages, key=f"stage-{turn.id}-{language()}")
    scenario, suffix = row.scenario, f"{stage}-{turn.id}"
    match stage:
        case "rewrite":
            text = st.text_input(t("decision.query"), scenario.intent or scenario.question, key=f"given-{suffix}")
            return Replacement(stage=stage, query=text)
        case "passages":
            evidence = scenario.evidence or scenario.reference
            text = st.text_area(t("failures.given_text"), evidence, key=f"given-{suffix}")
            return Replacement(stage=stage, text=text)
        case "document":
            if (index := services().index_of(bot)) is None:
                st.caption(f":material/hourglass_top: {t('failures.replay_no_index')}")
                return None
            names = sorted({passage.document for passage in index.passages})
            chosen = st.selectbox(t("failures.document"), names, key=f"given-{suffix}")
            return Replacement(stage=stage, document=str(chosen or ""))
        case "thresholds":
            return _choose_thresholds(bot, suffix)
        case "prompt":
            prompt = st.text_area(t("bot.prompt"), bot.prompt, key=f"prompt-{suffix}", height=160)
            rules = st.text_area(t("bot.guidelines"), bot.guidelines, key=f"rules-{suffix}", height=120)
            return Replacement(stage=stage, prompt=prompt, guidelines=rules)
        case _:
            return Replacement(stage=stage)


def _choose_thresholds(bot: Bot, suffix: str) -> Replacement:
    now = bot.clarify
    cells = st.columns(3)
    clear = cells[0].number_input(t("bot.clarity_threshold"), 0, 5, now.clarity_threshold, key=f"clear-{suffix}")
    low = cells[1].number_input(t("bot.score_threshold"), 0, 5, now.score_threshold, key=f"low-{suffix}")
    most = cells[2].number_input(t("failures.max_questions"), 0, 10, now.max_questions, key=f"most-{suffix}")
    changed = {"clarity_threshold": clear, "score_threshold": low, "max_questions": most}
    return Replacement(stage="thresholds", clarify=now.model_copy(update=changed))


def _judges(run: RunRow) -> tuple[str, ...]:
    """The judges of answers that scored the run, so that before and after can be compared."""
    judges = {version.judge for version in services().store.tables.of_run(run.id).versions}
    return tuple(name for name in JUDGES if name in judges) or (TURN_JUDGE,)


def _start(bot: Bot, run: RunRow, turn: TurnRow, replacement: Replacement) -> ReplayJob:
    """Start the replay in the background with this session's engine; both turns are judged as the run was."""
    how = judge_options_of_run(services().store, run)
    request = ReplayRequest(engine(), bot, turn, replacement, _judges(run), how)
    return services().replays.begin(ReplayJob(services().store, services().indexes, request))


def _show_result(turn: TurnRow, stage: str, replayed: ReplayResult) -> None:
    stage_name = t(f"failures.stage_{stage}")
    _show_finding(stage, stage_name, _turn_score(replayed.before), _turn_score(replayed.after))
    left, right = st.columns(2, gap="medium")
    for column, label, text, query in (
        (left, t("failures.before"), turn.reply_text, turn.query),
        (right, t("failures.after", stage=stage_name), replayed.turn.reply.text, replayed.turn.query),
    ):
        with column.container(border=True, height="stretch"):
            st.caption(label)
            st.markdown(reply_text(text))
            if query:
                st.caption(f"{t('decision.query')}{t('common.colon')}{plain(query)}")
    show_rows(_score_rows(replayed), key=f"both-{turn.id}-{language()}")
    for score in (*replayed.before, *replayed.after):
        if score.value is None and (score.error or score.reasons):
            why = score.reasons or stored_error_text(score.error)
            st.caption(f":material/remove: {plain(judge_name(score.judge, t))}{t('common.colon')}{plain(why)}")
    if replayed.cost.calls:
        st.caption(spending_text(replayed.cost))


def _show_finding(stage: str, stage_name: str, before: float | None, after: float | None) -> None:
    if before is None or after is None:
        st.info(t("failures.not_scored"), icon=":material/remove:")
        return
    scores = {"before": percent(before), "after": percent(after)}
    if stage == "nothing":
        key = "same_again" if before == after else "changed_again"
        st.info(t(f"failures.{key}", **scores), icon=":material/replay:")
    elif after > before:
        st.success(t("failures.better", stage=stage_name, **scores), icon=":material/trending_up:")
    elif after < before:
        st.warning(t("failures.worse", **scores), icon=":material/trending_down:")
    else:
        st.info(t("failures.same", **scores), icon=":material/trending_flat:")


def _turn_score(scores: tuple[Score, ...]) -> float | None:
    """The turn's score as in the list of what to fix."""
    return score_of({f"{score.judge}.{score.criterion}": score.value for score in scores if score.value is not None})


def _score_rows(replayed: ReplayResult) -> list[dict[str, str]]:
    old, new = (
        {(score.judge, score.criterion): score for score in scores} for scores in (replayed.before, replayed.after)
    )
    return [
        {
            t("failures.judge"): judge_name(judge, t),
            t("failures.criterion"): criterion_name(criterion, t),
            t("failures.before"): _label(old.get((judge, criterion))),
            t("failures.replayed"): _label(new.get((judge, criterion))),
        }
        for judge, criterion in dict.fromkeys((*old, *new))
    ]


def _label(score: Score | None) -> str:
    if score is None or score.value is None:
        return NO_VALUE
    return label_text(t, score.judge, score.label, score.reasons)
