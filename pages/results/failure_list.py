"""The list of what to fix, with filters, grouped by cause and document; an entry shows its turn and possible fixes."""

from __future__ import annotations

import zlib
from itertools import groupby
from operator import attrgetter
from typing import get_args

import streamlit as st

from core.analysis.failures.entries import Entry, Failure, Failures, by_cause, by_document, failure_entries
from core.analysis.failures.reference_lookup import closest_passage
from core.analysis.failures.sentences import notes_on
from core.analysis.formatting import percent
from core.analysis.names import judge_names
from core.base.errors import BadInput
from core.base.types import Bot, Scenario, ScenarioKind
from core.simulation.personas import read_personas
from core.simulation.scenarios import save_scenario
from core.store.rows import ConversationRow, RunRow, TurnRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.links import page_link, transcript_link
from pages.components.message import draw_exchange, draw_numbered_passage, draw_verdicts
from pages.components.plain_text import line, plain
from pages.components.url_choice import choose_in_url
from pages.components.widgets import choose
from pages.i18n.translate import language, t
from pages.results.failure_replay import show_replay
from pages.results.failure_summary import cause_name, document_name, show_mark_buttons, titled_document

PAGE_SIZE = 20  # entries at a time
ALL = "all"
NO_DOCUMENT = "-"  # in the address
NEEDS_ASKING = {"": None, "yes": True, "no": False}
MAX_QUOTE = 120  # characters of a quote in a sentence
NOTE_ICONS = {"was_empty": "speaker_notes_off", "disagree": "balance", "stands": "balance"}


def show_failures(store: Store, bot: Bot, run: RunRow, failures: Failures) -> None:
    """Draw the filters and the entries that pass them, worst first."""
    entries = failure_entries(_choose_turns(bot, failures))
    if not entries:
        st.info(t("failures.none_match"), icon=":material/info:")
        return
    first = _choose_page(len(entries))
    shown = entries[first : first + PAGE_SIZE]
    for cause, of_cause in groupby(shown, key=attrgetter("cause")):
        st.subheader(cause_name(cause), anchor=False)
        st.caption(t(f"failures.todo_{cause}"))
        for document, group in groupby(of_cause, key=lambda entry: entry.document):
            of_document = [entry for entry in entries if (entry.cause, entry.document) == (cause, document)]
            _show_document(bot, of_document)
            for entry in group:
                _show_question(store, bot, run, entry)


def _choose_turns(bot: Bot, failures: Failures) -> list[Failure]:
    """The turns of the cause, document, persona and kind that are chosen in the address."""
    turns = list(failures.turns)
    columns = st.columns(4)
    causes = {cause: f"{cause_name(cause)} ({group.n})" for cause, group in by_cause(turns).items()}
    cause = choose_in_url("cause", t("failures.cause"), {ALL: t("failures.all_causes"), **causes}, columns[0])
    turns = [turn for turn in turns if cause in (ALL, turn.diagnosis.cause)]
    documents = {
        name or NO_DOCUMENT: f"{titled_document(bot, name) if name else t('failures.no_document')} ({group.n})"
        for name, group in by_document(turns).items()
    }
    options = {ALL: t("failures.all_documents"), **documents}
    document = choose_in_url("document", t("failures.document"), options, columns[1])
    turns = [turn for turn in turns if document in (ALL, turn.document or NO_DOCUMENT)]
    personas = {turn.persona: turn.persona_name for turn in failures.turns if turn.persona}
    options = {ALL: t("scores.all_personas"), **personas}
    persona = choose_in_url("persona", t("scores.persona"), options, columns[2])
    kinds = {turn.kind: t(f"kinds.{turn.kind}") for turn in failures.turns if turn.kind}
    kind = choose_in_url("kind", t("scores.kind"), {ALL: t("scores.all_kinds"), **kinds}, columns[3])
    return [turn for turn in turns if persona in (ALL, turn.persona) and kind in (ALL, turn.kind)]


def _choose_page(n: int) -> int:
    """The index of the first entry to show."""
    if n <= PAGE_SIZE:
        return 0
    pages = {
        str(first): t("failures.page_of", first=first + 1, last=min(n, first + PAGE_SIZE), all=n)
        for first in range(0, n, PAGE_SIZE)
    }
    return int(choose_in_url("from", t("failures.page"), pages))


def _show_document(bot: Bot, entries: list[Entry]) -> None:
    """Show a document with the sums of all its entries, also those on other pages."""
    first = entries[0]
    lost, n = sum(entry.points_lost for entry in entries), sum(len(entry.turns) for entry in entries)
    icon = ":material/description:" if first.document else ":material/indeterminate_question_box:"
    name = document_name(bot, first.document, first.turns[0].diagnosis.why)
    st.markdown(f"{icon} **{t('failures.group', document=name, lost=f'{lost:.1f}', n=n)}**")


def _show_question(store: Store, bot: Bot, run: RunRow, entry: Entry) -> None:
    """Show a question as an expander; its entry is drawn when it is open."""
    key = f"{zlib.crc32(repr(entry.key).encode()):08x}"
    n = len(entry.turns)
    details = {"question": line(entry.turns[0].question, 70), "lost": f"{entry.points_lost:.1f}"}
    label = t("failures.entry_one", **details) if n == 1 else t("failures.entry", n=n, **details)
    is_linked = st.query_params.get("entry", "") == key
    box = st.expander(label, expanded=is_linked, key=f"entry-{run.id}-{key}", on_change="rerun")
    if box.open:
        with box:
            show_entry(store, bot, run, entry, key)


def show_entry(store: Store, bot: Bot, run: RunRow, entry: Entry, key: str) -> None:
    """Show one entry: a turn (if it has several, one is chosen), its cause, and what can be done about it."""
    failure = _choose_turn(entry, key)
    _show_cause(failure)
    row = store.conversations.get(failure.conversation)
    turns = store.conversations.turns(failure.conversation, store.tables.of_run(run.id).chosen_versions())
    turn = next((turn for turn in turns if turn.id == failure.turn), None)
    if row is None or turn is None:
        st.info(t("failures.turn_deleted"), icon=":material/info:")
        return
    _draw_turn(row, turn)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        transcript_link(bot.id, run.id, row.id)
        show_mark_buttons(store, bot, run, entry, key)
    show_replay(bot, run, row, turn)
    _show_scenario_form(bot, row, turn)


def _choose_turn(entry: Entry, key: str) -> Failure:
    """The turn to look at, the worst first."""
    if len(entry.turns) == 1:
        return entry.turns[0]
    labels = {str(turn.turn): _turn_label(turn) for turn in entry.turns}
    chosen = choose(t("failures.turn"), labels, key=f"turn-{key}")
    return next((turn for turn in entry.turns if str(turn.turn) == chosen), entry.turns[0])


def _turn_label(failure: Failure) -> str:
    values = {"number": failure.number, "score": percent(failure.score)}
    if not failure.persona_name:
        return t("failures.turn_label_file", **values)
    return t("failures.turn_label", at=failure.turn_number, persona=failure.persona_name, **values)


def _show_cause(failure: Failure) -> None:
    details = {name: line(text, MAX_QUOTE) for name, text in failure.details(t).items()}
    st.markdown(f":material/search_insights: **{t(f'failures.why_{failure.diagnosis.why}', **details)}**")
    for name, note in notes_on(failure, t).items():
        st.caption(f":material/{NOTE_ICONS[name]}: {note}")
    if failure.diagnosis.by == "words":
        judges = failure.diagnosis.deciding_judges
        st.caption(
            t("failures.by_words", judges=plain(judge_names(judges, t))) if judges else t("failures.by_words_only")
        )


def _draw_turn(row: ConversationRow, turn: TurnRow) -> None:
    draw_exchange(turn.user_text, turn.reply_text)
    reference = _reference(row, turn)
    if reference:
        st.markdown(f":material/check_circle: **{t('scenarios.reference')}**  \n{plain(reference)}")
    if turn.query:
        st.markdown(f":material/search: **{t('decision.query')}**  \n{plain(turn.query)}")
    _show_passages(turn, reference)
    if turn.scores:
        st.caption(f":material/gavel: {t('failures.judges_reasons')}")
        draw_verdicts(turn.scores, turn.repeats)


def _reference(row: ConversationRow, turn: TurnRow) -> str:
    """The reference answer of the scenario, else of the file that was judged."""
    return row.scenario.reference or next(iter(turn.sample.reference if turn.sample else ()), "")


def _show_passages(turn: TurnRow, reference: str) -> None:
    """Show the passages of a turn; the one closest to the reference has a badge."""
    if turn.turn and turn.decision == "ask":
        return
    passages = turn.passages
    st.caption(f":material/menu_book: {t('decision.passages')}")
    if not passages:
        key = "failures.passages_unknown" if passages is None else "failures.no_passages"
        st.markdown(f":gray[{t(key)}]")
        return
    closest = closest_passage(reference, [passage.text for passage in passages]) if reference else None
    for index, passage in enumerate(passages):
        badge = f" :green-badge[:material/check: {t('failures.closest_passage')}]" if index == closest else ""
        draw_numbered_passage(index + 1, passage, badge)


def _show_scenario_form(bot: Bot, row: ConversationRow, turn: TurnRow) -> None:
    label, key = t("failures.save_scenario"), f"save-scenario-box-{turn.id}"
    with st.expander(label, icon=":material/ac_unit:", type="compact", key=key):
        st.caption(t("failures.save_scenario_lead"))
        with st.form(f"save-scenario-{turn.id}-{language()}", border=False):
            scenario, replace = _scenario_fields(bot, row, turn)
            label = t("failures.save_scenario_start")
            pressed = st.form_submit_button(label, type="primary", icon=":material/ac_unit:")
        if pressed:
            with show_errors():
                saved = save_scenario(bot, scenario, replace)
                file = f"{bot.folder.parent.name}/{bot.id}/questions.csv"
                st.success(t("failures.scenario_saved", file=plain(file), id=plain(saved.id)), icon=":material/check:")
                page_link("simulate/scenarios", t("failures.to_scenarios"), "list_alt", bot=bot.id)


def _scenario_fields(bot: Bot, row: ConversationRow, turn: TurnRow) -> tuple[Scenario, bool]:
    """The scenario in the form, and whether it may replace an equal one."""
    old, suffix = row.scenario, f"{turn.id}-{language()}"
    first = old.question if turn.number == 1 else turn.query or turn.user_text
    question = st.text_area(t("scenarios.question"), first or turn.user_text, key=f"question-{suffix}", height=80)
    left, right = st.columns(2)
    intent = left.text_area(t("scenarios.intent"), old.intent, key=f"intent-{suffix}", height=80)
    facts = right.text_area(t("scenarios.facts"), old.facts, key=f"facts-{suffix}", height=80)
    reference = st.text_area(t("scenarios.reference"), _reference(row, turn), key=f"reference-{suffix}", height=100)
    left, right = st.columns(2)
    kinds = {kind: t(f"kinds.{kind}") for kind in get_args(ScenarioKind)}
    kind = choose(t("scenarios.kind"), kinds, old.kind, left, key=f"kind-{suffix}")
    before = next(name for name, value in NEEDS_ASKING.items() if value == old.needs_asking)
    answers = {name: t(f"common.{name or 'unknown'}") for name in NEEDS_ASKING}
    needs_asking = choose(t("scenarios.needs_asking"), answers, before, right, key=f"asking-{suffix}")
    replace = st.checkbox(t("failures.save_scenario_replace"), key=f"replace-{suffix}")
    texts = {"question": question, "intent": intent, "facts": facts, "reference": reference}
    choices = {"kind": kind, "needs_asking": NEEDS_ASKING[needs_asking], "persona": _persona(bot, row)}
    return old.model_copy(update={name: text.strip() for name, text in texts.items()} | choices), replace


def _persona(bot: Bot, row: ConversationRow) -> str:
    """The persona who asked; "" with a note if the bot does not have it any more."""
    try:
        personas = {persona.id for persona in read_personas(bot.language, bot)}
    except BadInput:
        personas = set[str]()
    if row.persona_id in personas or not row.persona_id:
        return row.persona_id
    st.caption(t("failures.persona_deleted", name=plain(row.persona_name or row.persona_id, links=False)))
    return ""
