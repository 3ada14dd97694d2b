"""One entry of what to fix: why, the turn with its passages and verdicts, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.base.settings import settings
from core.base.types import Bot
from core.report.causes import Named
from core.report.fix_list import Entry, LowTurn
from core.report.held import best_place
from core.store.rows import RunRow, TurnRow
from pages.shared.draw import line, percent, plain
from pages.shared.fix.freeze import freeze_form
from pages.shared.fix.marks import mark_buttons
from pages.shared.fix.replay import replay_panel
from pages.shared.fix.summary import judge_names
from pages.shared.talk import passage_text, person_says, place, reply_text, verdict
from pages.shared.words import say

if TYPE_CHECKING:
    from core.store.rows import ConversationRow
    from core.store.store import Store

LONGEST = 120  # letters of a quote in a sentence


def detail(store: Store, bot: Bot, run: RunRow, entry: Entry[LowTurn], mark: str) -> None:
    """Everything about one entry; of several turns one is chosen, the worst first."""
    low = _choose_turn(entry, mark)
    why(low)
    row = store.conversation(low.conversation)
    turn = next((one for one in store.transcript(low.conversation) if one.id == low.turn), None)
    if row is None or turn is None:
        st.info(say("fix.gone"), icon=":material/info:")
        return
    said(row, turn)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.page_link(
            "pages/results/transcripts.py",
            label=say("fix.to_conversation"),
            icon=":material/forum:",
            query_params={"bot": bot.id, "run": run.id, "conversation": row.id},
        )
        mark_buttons(store, bot, run, entry, mark)
    replay_panel(bot, run, row, turn)
    freeze_form(bot, row, turn)


def why(low: LowTurn) -> None:
    """The cause in a sentence, and how sure it is."""
    holes = {name: line(text, LONGEST) for name, text in low.details.items()}
    st.markdown(f":material/search_insights: **{say(f'fix.why_{low.named.why}', **holes)}**")
    if low.disputed:
        st.caption(f":material/balance: {say('fix.disagree', overall=percent(low.overall))}")
    if note := _by_words(low.named):
        st.caption(note)


def _by_words(named: Named) -> str:
    if named.by != "words":
        return ""
    return say("fix.by_words", judges=judge_names(named.tell)) if named.tell else say("fix.by_words_only")


def said(row: ConversationRow, turn: TurnRow) -> None:
    """Question, answer, right answer, passages with the one that comes nearest to it, and the judges' reasons."""
    person_says(turn.user_text)
    with st.chat_message("assistant", avatar=":material/support_agent:"):
        st.markdown(
            reply_text(turn.reply_text) if turn.reply_text.strip() else f":gray[{say('transcripts.empty_answer')}]"
        )
    reference = row.scenario.reference or next(iter(turn.sample.reference if turn.sample else ()), "")
    if reference:
        st.markdown(f":material/check_circle: **{say('fix.reference')}**  \n{plain(reference)}")
    if turn.query:
        st.markdown(f":material/search: **{say('fix.query')}**  \n{plain(turn.query)}")
    passages(turn, reference)
    if turn.scores:
        st.caption(f":material/gavel: {say('fix.judges_said')}")
        verdict(turn.scores, settings().finish_line)


def passages(turn: TurnRow, reference: str) -> None:
    """What was found, the passage nearest to the right answer marked."""
    found = _texts(turn)
    if turn.turn and turn.decision == "ask":
        return
    st.caption(f":material/menu_book: {say('fix.passages')}")
    if found is None:
        st.markdown(f":gray[{say('fix.passages_unknown')}]")
    elif not found:
        st.markdown(f":gray[{say('fix.no_passages')}]")
    near = best_place(reference, [text for _, text in found]) if found and reference else None
    for number, (label, text) in enumerate(found or ()):
        told = f"\\[{number + 1}\\] {label}"
        told = f"{told} :green-badge[:material/check: {say('fix.holds')}]" if number == near else told
        with st.expander(told, type="compact"):
            passage_text(text)


def _texts(turn: TurnRow) -> list[tuple[str, str]] | None:
    """(label, text) of each passage; none where a bot does not tell them."""
    if turn.sample:
        return [(line(text, 60), text) for text in turn.sample.contexts] or None
    if turn.turn and turn.turn.contexts is not None:  # a bot that exists already
        return [(line(one.title or one.document or one.text, 60), one.text) for one in turn.turn.contexts]
    hits = turn.turn.hits if turn.turn else None
    return None if hits is None else [(place(hit), hit.passage.text) for hit in hits]


def _choose_turn(entry: Entry[LowTurn], mark: str) -> LowTurn:
    """The turn to look at: the worst, unless another one is chosen."""
    if len(entry.turns) == 1:
        return entry.turns[0]
    known = {str(turn.turn): turn for turn in entry.turns}
    chosen = st.selectbox(
        say("fix.turn"), list(known), format_func=lambda name: _label(known[name]), key=f"turn-{mark}"
    )
    return known.get(str(chosen), entry.turns[0])


def _label(low: LowTurn) -> str:
    told = {"number": low.number, "score": percent(low.score)}
    if not low.persona_name:
        return say("fix.turn_label_file", **told)
    return say("fix.turn_label", at=low.at, persona=low.persona_name, **told)
