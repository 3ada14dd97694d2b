"""Reading a conversation: what was said, where it came from, how long it took, and what the judges thought of it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from core.analysis.conversation_list import ListedConversation
from core.base.settings import settings
from core.base.types import Sample
from core.store.rows import ConversationRow, RunRow, TurnRow
from pages.components.appearance import local_time, percent
from pages.components.cost import calls_link, seconds_text
from pages.components.message import bot_says, person_says, verdict
from pages.components.plain_text import line, plain
from pages.components.services import need_store
from pages.i18n.translate import stored_error_text, t, words
from pages.results.hidden_facts import facts_table
from pages.results.simulator_health import turn_flag

SHEET = ("intent", "facts", "reference")


def title_of(row: ConversationRow, turns: list[TurnRow]) -> str:
    """The finding: whom the bot talked to and how well it did; for an answer from a file, which one it is."""
    if any(turn.sample for turn in turns):
        return t("transcripts.of_file", id=plain(row.scenario_id))
    values = [s.value for turn in turns for s in turn.scores if s.criterion == "overall" and s.value is not None]
    name = plain(row.persona_name)
    if not values:
        return t("transcripts.finding_unscored", persona=name)
    return t("transcripts.finding", persona=name, score=percent(sum(values) / len(values)))


def read(row: ConversationRow, turns: list[TurnRow]) -> None:
    """The whole conversation."""
    ending = t(f"endings.{row.ending}") if row.ending else t(f"status.{row.status}")
    about = [f"{row.number}", local_time(row.started_at), t("transcripts.ended", ending=ending)]
    st.caption(" · ".join(plain(part, links=False) for part in about if part))
    sheet(row)
    facts_table(row, turns)
    if row.error:
        st.warning(t("transcripts.failed", error=plain(stored_error_text(row.error))), icon=":material/error:")
    if not turns:
        st.caption(t("transcripts.no_turns"))
    for each in turns:
        turn(each)
    if row.closing:
        person_says(row.closing)


def sheet(row: ConversationRow) -> None:
    """What the simulated user wanted and knew, which the bot did not see."""
    rows = [(t(f"scenarios.{name}"), getattr(row.scenario, name)) for name in SHEET]
    with st.expander(t("transcripts.sheet"), icon=":material/list_alt:", type="compact"):
        st.caption(t("transcripts.sheet_lead"))
        if row.kind:
            st.markdown(f"**{t('scenarios.kind')}**  \n{t(f'kinds.{row.kind}')}")
        for name, text in rows:
            if text:
                st.markdown(f"**{name}**  \n{plain(text)}")


def turn(row: TurnRow) -> None:
    """What was said, its sources and reasons, the time of each stage, and the verdicts of all judges."""
    st.caption(t("transcripts.turn", n=row.number))
    person_says(row.user_text)
    turn_flag(row.scores)
    with st.chat_message("assistant", avatar=":material/support_agent:"):
        if row.turn:
            bot_says(row.turn)
            stages(row.turn.seconds)
        elif row.sample:
            answer(row.sample)
        else:
            st.warning(plain(stored_error_text(row.error)), icon=":material/error:")
        verdict(row.scores, settings().pass_mark, row.again)


def stages(seconds: dict[str, float]) -> None:
    """How long each stage of a turn took, where that is known."""
    parts = [
        f"{t(f'transcripts.stage_{name}')} {seconds_text(value)}"
        for name, value in seconds.items()
        if f"transcripts.stage_{name}" in words()
    ]
    if parts:
        st.caption(" · ".join(parts))


def answer(sample: Sample) -> None:
    """An answer from a file, with the passages that came with it."""
    st.markdown(plain(sample.answer) if sample.answer.strip() else f":gray[{t('transcripts.empty_answer')}]")
    for number, text in enumerate(sample.contexts, 1):
        with st.expander(f"[{number}] {line(text, 60)}", icon=":material/article:", type="compact"):
            st.markdown(plain(text))


def steps(rows: Sequence[ListedConversation], row: ConversationRow, run: RunRow) -> None:
    """To the conversations before and after in the list, back to the charts, and a link to share."""
    order = [each.id for each in rows]
    at = order.index(row.id) if row.id in order else -1
    before = order[at - 1] if at > 0 else ""
    after = order[at + 1] if at + 1 < len(order) else ""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for name, icon, there in (("previous", "arrow_back", before), ("next", "arrow_forward", after)):
            st.button(
                t(f"transcripts.{name}"),
                icon=f":material/{icon}:",
                disabled=not there,
                on_click=go,
                args=(there,),
                key=f"step-{name}",
            )
        share(row, run)
        asked = {"bot": run.bot, "run": run.id}
        st.page_link(
            "pages/results/scores.py", label=t("transcripts.back"), icon=":material/bar_chart:", query_params=asked
        )
        calls_link(row.id, need_store().calls.spending(conversation_id=row.id).calls)


def share(row: ConversationRow, run: RunRow) -> None:
    """The address of this conversation, to copy and send to somebody."""
    with st.popover(t("transcripts.share"), icon=":material/link:", key="share"):
        st.caption(t("transcripts.share_lead"))
        st.code(address(str(st.context.url or ""), run, row), language=None, wrap_lines=True)


def address(page: str, run: RunRow, row: ConversationRow) -> str:
    """The page's address with run and conversation, and nothing of what this person chose (language, filters)."""
    parts = urlsplit(page)
    asked = urlencode({"bot": run.bot, "run": run.id, "conversation": row.id})
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/transcripts", asked, ""))


def go(conversation: str) -> None:
    """Show another conversation."""
    st.query_params["conversation"] = conversation
