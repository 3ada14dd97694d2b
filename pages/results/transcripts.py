"""One conversation of a run: what was said, where it came from, and what the judge thought of it."""

from __future__ import annotations

import streamlit as st

from core.base.settings import settings
from core.base.types import Sample
from core.store.rows import ConversationRow, RunRow, TurnRow
from pages.shared.calls.common import to_calls
from pages.shared.draw import choose, choose_bot, heading, line, percent, plain, when
from pages.shared.facts import facts_table
from pages.shared.health_panel import turn_flag
from pages.shared.runs import run_label
from pages.shared.services import need_store
from pages.shared.talk import bot_says, person_says, verdict
from pages.shared.words import say

store = need_store()
SHEET = ("intent", "facts", "reference")


def title_of(row: ConversationRow, turns: list[TurnRow]) -> str:
    """The finding: whom the bot talked to and how well it did; for an answer from a file, which one it is."""
    if any(turn.sample for turn in turns):
        return say("transcripts.of_file", id=plain(row.scenario_id))
    each = [[s.value for s in (*t.scores, *t.again) if s.criterion == "overall" and s.value is not None] for t in turns]
    values = [sum(verdicts) / len(verdicts) for verdicts in each if verdicts]
    name = plain(row.persona_name)
    if not values:
        return say("transcripts.finding_unscored", persona=name)
    return say("transcripts.finding", persona=name, score=percent(sum(values) / len(values)))


def about(row: ConversationRow) -> None:
    """What the simulated user wanted and knew, which the bot did not see."""
    rows = [(say(f"scenarios.{name}"), getattr(row.scenario, name)) for name in SHEET]
    with st.expander(say("transcripts.sheet"), icon=":material/list_alt:", type="compact"):
        if row.kind:
            st.markdown(f"**{say('scenarios.kind')}**  \n{say(f'kinds.{row.kind}')}")
        for name, text in rows:
            if text:
                st.markdown(f"**{name}**  \n{plain(text)}")


def turn(row: TurnRow) -> None:
    """What was said, its sources and reasons, and the six scores."""
    person_says(row.user_text)
    turn_flag(row.scores)
    with st.chat_message("assistant", avatar=":material/support_agent:"):
        if row.turn:
            bot_says(row.turn)
        elif row.sample:
            answer(row.sample)
        else:
            st.warning(plain(row.error), icon=":material/error:")
        verdict(row.scores, settings().finish_line, row.again)


def answer(sample: Sample) -> None:
    """An answer from a file, with the passages that came with it."""
    st.markdown(plain(sample.answer) if sample.answer.strip() else f":gray[{say('transcripts.empty_answer')}]")
    for number, text in enumerate(sample.contexts, 1):
        with st.expander(f"[{number}] {line(text, 60)}", icon=":material/article:", type="compact"):
            st.markdown(plain(text))


def steps(rows: list[ConversationRow], at: int, run: RunRow) -> None:
    """To the conversations before and after, and back to the charts."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for step, name, icon in ((-1, "previous", "arrow_back"), (1, "next", "arrow_forward")):
            there = 0 <= at + step < len(rows)
            st.button(
                say(f"transcripts.{name}"),
                icon=f":material/{icon}:",
                disabled=not there,
                on_click=go,
                args=(rows[at + step].id if there else "",),
            )
        asked = {"bot": run.bot, "run": run.id}
        st.page_link(
            "pages/results/scores.py", label=say("transcripts.back"), icon=":material/bar_chart:", query_params=asked
        )
        to_calls(rows[at].id, store.spending(conversation_id=rows[at].id).calls)


def go(conversation: str) -> None:
    """Show another conversation."""
    st.session_state.pop("conversation_hand", None)  # what was chosen in the list before
    st.query_params["conversation"] = conversation


top, bot = choose_bot()
runs = {run.id: run for run in store.runs(bot.id)}
if not runs:
    heading(say("transcripts.title"), place=top)
    st.info(say("transcripts.none"), icon=":material/info:")
    st.stop()
left, right = st.columns(2)
with left:
    run = runs[choose("run", say("scores.run"), {name: run_label(row) for name, row in runs.items()})]
rows = store.conversations(run.id)
asked = st.query_params.get("conversation", "")
if asked and asked not in {row.id for row in rows}:
    st.info(say("transcripts.unknown"), icon=":material/info:")
labels = {
    row.id: say(
        "transcripts.label", number=row.number, question=" ".join(row.question.split())[:40], persona=row.persona_name
    )
    for row in rows
}
if not rows:
    st.stop()
with right:
    chosen = choose("conversation", say("transcripts.conversation"), labels)
at = list(labels).index(chosen)
row, turns = rows[at], store.transcript(chosen)
heading(title_of(row, turns), place=top)
with st.container(horizontal=True, gap="small", vertical_alignment="center"):
    ending = say(f"endings.{row.ending}") if row.ending else say(f"status.{row.status}")
    st.caption(f"{when(row.started_at)} · {say('transcripts.ended', ending=ending)}")
steps(rows, at, run)
about(row)
facts_table(row, turns)
if row.error:
    st.warning(say("transcripts.failed", error=plain(row.error)), icon=":material/error:")
if not turns:
    st.caption(say("transcripts.no_turns"))
for each in turns:
    turn(each)
if row.closing:
    person_says(row.closing)
