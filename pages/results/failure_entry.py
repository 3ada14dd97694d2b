"""One entry of what to fix: why, the turn with its passages and verdicts, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import streamlit as st

from core.analysis.failures.causes import Diagnosis
from core.analysis.failures.entries import Entry, Failure
from core.analysis.failures.reference_lookup import best_place
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Bot, Kind, Scenario
from core.export.failures import notes_on
from core.simulation.personas import read_personas
from core.simulation.scenarios import freeze
from core.store.rows import ConversationRow, RunRow, TurnRow
from pages.components.appearance import percent, show_errors
from pages.components.message import passage_text, person_says, place, reply_text, verdict
from pages.components.plain_text import line, plain
from pages.i18n.translate import language, t
from pages.results.failure_marks import mark_buttons
from pages.results.failure_replay import replay_panel
from pages.results.failure_summary import judge_names

KINDS: tuple[Kind, ...] = get_args(Kind)
NEEDS = {"": None, "yes": True, "no": False}


def freeze_form(bot: Bot, row: ConversationRow, turn: TurnRow) -> None:
    """A form filled from the scenario and the turn; saving tells where it went."""
    with st.expander(
        t("failures.save_scenario"), icon=":material/ac_unit:", type="compact", key=f"freeze-box-{turn.id}"
    ):
        st.caption(t("failures.save_scenario_lead"))
        with st.form(f"freeze-{turn.id}-{language()}", border=False):
            scenario, replace = _fields(bot, row, turn)
            sent = st.form_submit_button(t("failures.save_scenario_start"), type="primary", icon=":material/ac_unit:")
        if sent:
            with show_errors():
                kept = freeze(bot, scenario, replace)
                place = f"{bot.folder.parent.name}/{bot.id}/questions.csv"
                st.success(t("failures.scenario_saved", file=plain(place), id=plain(kept.id)), icon=":material/check:")
                st.page_link(
                    "pages/simulate/scenarios.py",
                    label=t("failures.to_scenarios"),
                    icon=":material/list_alt:",
                    query_params={"bot": bot.id},
                )


def _fields(bot: Bot, row: ConversationRow, turn: TurnRow) -> tuple[Scenario, bool]:
    """The scenario that the form holds, and whether it may take the place of the same one."""
    old, mark = row.scenario, f"{turn.id}-{language()}"
    first = old.question if turn.number == 1 else turn.query or turn.user_text
    question = st.text_area(t("scenarios.question"), first or turn.user_text, key=f"question-{mark}", height=80)
    left, right = st.columns(2)
    intent = left.text_area(t("scenarios.intent"), old.intent, key=f"intent-{mark}", height=80)
    facts = right.text_area(t("scenarios.facts"), old.facts, key=f"facts-{mark}", height=80)
    given = old.reference or next(iter(turn.sample.reference if turn.sample else ()), "")
    reference = st.text_area(t("scenarios.reference"), given, key=f"reference-{mark}", height=100)
    left, right = st.columns(2)
    kind: Kind = left.selectbox(
        t("scenarios.kind"),
        KINDS,
        index=KINDS.index(old.kind),
        format_func=lambda one: t(f"kinds.{one}"),
        key=f"kind-{mark}",
    )
    needs = next(name for name, value in NEEDS.items() if value is old.needs_asking)
    asking = right.selectbox(
        t("scenarios.needs_asking"),
        list(NEEDS),
        index=list(NEEDS).index(needs),
        format_func=lambda one: t(f"common.{one}") if one else t("common.unknown"),
        key=f"asking-{mark}",
    )
    replace = st.checkbox(t("failures.save_scenario_replace"), key=f"replace-{mark}")
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
    st.caption(t("failures.persona_deleted", name=plain(row.persona_name or row.persona_id, links=False)))
    return ""


if TYPE_CHECKING:
    from core.store.rows import ConversationRow
    from core.store.store import Store

LONGEST = 120  # letters of a quote in a sentence
ICONS = {"was_empty": "speaker_notes_off", "disagree": "balance", "stands": "balance"}  # of what to know beside it


def detail(store: Store, bot: Bot, run: RunRow, entry: Entry[Failure], mark: str) -> None:
    """Everything about one entry; of several turns one is chosen, the worst first."""
    low = _choose_turn(entry, mark)
    why(low)
    row = store.conversations.get(low.conversation)
    turn = next((one for one in store.conversations.turns(low.conversation) if one.id == low.turn), None)
    if row is None or turn is None:
        st.info(t("failures.turn_deleted"), icon=":material/info:")
        return
    said(row, turn)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.page_link(
            "pages/results/transcripts.py",
            label=t("failures.to_conversation"),
            icon=":material/forum:",
            query_params={"bot": bot.id, "run": run.id, "conversation": row.id},
        )
        mark_buttons(store, bot, run, entry, mark)
    replay_panel(bot, run, row, turn)
    freeze_form(bot, row, turn)


def why(low: Failure) -> None:
    """The cause in a sentence, what to know before mending, and how sure it is."""
    holes = {name: line(text, LONGEST) for name, text in low.details.items()}
    st.markdown(f":material/search_insights: **{t(f'failures.why_{low.named.why}', **holes)}**")
    for name, note in notes_on(low, t).items():
        st.caption(f":material/{ICONS[name]}: {note}")
    if note := _by_words(low.named):
        st.caption(note)


def _by_words(named: Diagnosis) -> str:
    if named.by != "words":
        return ""
    return t("failures.by_words", judges=judge_names(named.tell)) if named.tell else t("failures.by_words_only")


def said(row: ConversationRow, turn: TurnRow) -> None:
    """Question, answer, right answer, passages with the one that comes nearest to it, and the judges' reasons."""
    person_says(turn.user_text)
    with st.chat_message("assistant", avatar=":material/support_agent:"):
        st.markdown(
            reply_text(turn.reply_text) if turn.reply_text.strip() else f":gray[{t('transcripts.empty_answer')}]"
        )
    reference = row.scenario.reference or next(iter(turn.sample.reference if turn.sample else ()), "")
    if reference:
        st.markdown(f":material/check_circle: **{t('failures.reference')}**  \n{plain(reference)}")
    if turn.query:
        st.markdown(f":material/search: **{t('failures.query')}**  \n{plain(turn.query)}")
    passages(turn, reference)
    if turn.scores:
        st.caption(f":material/gavel: {t('failures.judges_reasons')}")
        verdict(turn.scores, settings().pass_mark)


def passages(turn: TurnRow, reference: str) -> None:
    """What was found, the passage nearest to the right answer marked."""
    found = _texts(turn)
    if turn.turn and turn.decision == "ask":
        return
    st.caption(f":material/menu_book: {t('failures.passages')}")
    if found is None:
        st.markdown(f":gray[{t('failures.passages_unknown')}]")
    elif not found:
        st.markdown(f":gray[{t('failures.no_passages')}]")
    near = best_place(reference, [text for _, text in found]) if found and reference else None
    for number, (label, text) in enumerate(found or ()):
        title = f"\\[{number + 1}\\] {label}"
        title = f"{title} :green-badge[:material/check: {t('failures.closest_passage')}]" if number == near else title
        with st.expander(title, type="compact"):
            passage_text(text)


def _texts(turn: TurnRow) -> list[tuple[str, str]] | None:
    """(label, text) of each passage; none where a bot does not tell them."""
    if turn.sample:
        return [(line(text, 60), text) for text in turn.sample.contexts] or None
    if turn.turn and turn.turn.contexts is not None:  # a bot that exists already
        return [(line(one.title or one.document or one.text, 60), one.text) for one in turn.turn.contexts]
    hits = turn.turn.hits if turn.turn else None
    return None if hits is None else [(place(hit), hit.passage.text) for hit in hits]


def _choose_turn(entry: Entry[Failure], mark: str) -> Failure:
    """The turn to look at: the worst, unless another one is chosen."""
    if len(entry.turns) == 1:
        return entry.turns[0]
    known = {str(turn.turn): turn for turn in entry.turns}
    chosen = st.selectbox(
        t("failures.turn"), list(known), format_func=lambda name: _label(known[name]), key=f"turn-{mark}"
    )
    return known.get(str(chosen), entry.turns[0])


def _label(low: Failure) -> str:
    values = {"number": low.number, "score": percent(low.score)}
    if not low.persona_name:
        return t("failures.turn_label_file", **values)
    return t("failures.turn_label", at=low.at, persona=low.persona_name, **values)
