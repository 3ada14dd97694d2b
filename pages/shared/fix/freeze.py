"""Keep what went wrong as a scenario of the bot."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot, Kind, Scenario
from core.store.rows import ConversationRow, TurnRow
from core.user.freeze import freeze
from core.user.personas import read_personas
from pages.shared.draw import plain, told
from pages.shared.words import language, say

KINDS: tuple[Kind, ...] = get_args(Kind)
NEEDS = {"": None, "yes": True, "no": False}


def freeze_form(bot: Bot, row: ConversationRow, turn: TurnRow) -> None:
    """A form filled from the scenario and the turn; saving tells where it went."""
    with st.expander(say("fix.freeze"), icon=":material/ac_unit:", type="compact", key=f"freeze-box-{turn.id}"):
        st.caption(say("fix.freeze_lead"))
        with st.form(f"freeze-{turn.id}-{language()}", border=False):
            scenario, replace = _fields(bot, row, turn)
            sent = st.form_submit_button(say("fix.freeze_start"), type="primary", icon=":material/ac_unit:")
        if sent:
            with told():
                kept = freeze(bot, scenario, replace)
                place = f"{bot.folder.parent.name}/{bot.id}/questions.csv"
                st.success(say("fix.frozen", file=plain(place), id=plain(kept.id)), icon=":material/check:")
                st.page_link(
                    "pages/simulate/scenarios.py",
                    label=say("fix.to_scenarios"),
                    icon=":material/list_alt:",
                    query_params={"bot": bot.id},
                )


def _fields(bot: Bot, row: ConversationRow, turn: TurnRow) -> tuple[Scenario, bool]:
    """The scenario that the form holds, and whether it may take the place of the same one."""
    old, mark = row.scenario, f"{turn.id}-{language()}"
    first = old.question if turn.number == 1 else turn.query or turn.user_text
    question = st.text_area(say("scenarios.question"), first or turn.user_text, key=f"question-{mark}", height=80)
    left, right = st.columns(2)
    intent = left.text_area(say("scenarios.intent"), old.intent, key=f"intent-{mark}", height=80)
    facts = right.text_area(say("scenarios.facts"), old.facts, key=f"facts-{mark}", height=80)
    given = old.reference or next(iter(turn.sample.reference if turn.sample else ()), "")
    reference = st.text_area(say("scenarios.reference"), given, key=f"reference-{mark}", height=100)
    left, right = st.columns(2)
    kind: Kind = left.selectbox(
        say("scenarios.kind"),
        KINDS,
        index=KINDS.index(old.kind),
        format_func=lambda one: say(f"kinds.{one}"),
        key=f"kind-{mark}",
    )
    needs = next(name for name, value in NEEDS.items() if value is old.needs_asking)
    asking = right.selectbox(
        say("scenarios.needs_asking"),
        list(NEEDS),
        index=list(NEEDS).index(needs),
        format_func=lambda one: say(f"common.{one}") if one else say("common.unknown"),
        key=f"asking-{mark}",
    )
    replace = st.checkbox(say("fix.freeze_replace"), key=f"replace-{mark}")
    texts = {"question": question, "intent": intent, "facts": facts, "reference": reference}
    kept = {"kind": kind, "needs_asking": NEEDS[str(asking)], "persona": _persona(bot, row)}
    return old.model_copy(update={name: text.strip() for name, text in texts.items()} | kept), replace


def _persona(bot: Bot, row: ConversationRow) -> str:
    """Who asked, where the bot still has that persona, shared or its own; where not, that is told."""
    try:
        known = {one.id for one in read_personas(bot.language, bot)}
    except BadInput:
        known = set[str]()
    if row.persona_id in known or not row.persona_id:
        return row.persona_id
    st.caption(say("cut.persona_gone", name=plain(row.persona_name or row.persona_id, links=False)))
    return ""
