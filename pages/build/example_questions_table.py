"""The example questions of one document, as a table to edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.base.types import Bot
from core.datasets.write_example_questions import LONGEST_QUESTION
from core.retrieval.example_questions import ExampleQuestion, change_example_questions
from pages.components.appearance import show_errors
from pages.components.edited_table import EditedTable, show_unsaved
from pages.i18n.translate import t

Sections = Mapping[str, Mapping[str, None]]


def chosen_document(bot: Bot, sections: Sections) -> str:
    """The document whose questions are on show: what was chosen, else the first."""
    chosen = st.session_state.get(_choice_key(bot))
    return str(chosen) if chosen in sections else next(iter(sections))


def show_table(bot: Bot, document: str, sections: Sections, stored: Sequence[ExampleQuestion]) -> None:
    """The table of a document as it was when its editing began; a save changes only what was edited, whoever wrote meanwhile."""
    now = [question for question in stored if question.document == document]
    edited_table = EditedTable[list[ExampleQuestion]](f"examples-{bot.id}-{document}")
    begun, key, unsaved = edited_table.begun(now), edited_table.key, edited_table.has_typing
    if begun != now and not unsaved:
        edited_table.reset()
        st.rerun()
    _choose_document(bot, sections, stored, unsaved)
    if begun != now:
        st.info(t("example_questions.elsewhere"), icon=":material/sync:")
    table = st.data_editor(
        pd.DataFrame(
            [(question.heading or _unanswered(), question.question) for question in begun],
            columns=["heading", "question"],
            dtype=object,
        ),
        num_rows="dynamic",
        hide_index=True,
        height=min(420, 38 * (len(begun) + 3)),
        placeholder="",
        key=key,
        column_config=_columns(list(sections[document])),
    )
    st.caption(t("example_questions.table_help"))
    edited, homeless = _rows(document, table)
    if homeless:
        st.warning(t("example_questions.homeless", n=homeless), icon=":material/warning:")
    removed = [question for question in begun if question not in set(edited)]
    added = [question for question in edited if question not in set(begun)]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        changed = bool(removed or added)
        if st.button(
            t("common.save"),
            type="primary",
            icon=":material/save:",
            disabled=not changed or homeless > 0,
            key=f"save-{key}",
        ):
            _save(bot, removed, added, edited_table)
        if unsaved:
            label, icon = t("example_questions.discard"), ":material/undo:"
            st.button(label, icon=icon, key=f"discard-{key}", on_click=edited_table.reset)
            show_unsaved()


def _choose_document(bot: Bot, sections: Sections, stored: Sequence[ExampleQuestion], unsaved: bool) -> None:
    """Which document; it cannot be changed while there is something to save, which would be lost."""
    have = Counter(document for document, heading in {question[:2] for question in stored} if heading)
    labels = {
        name: t("example_questions.option", name=name, n=have[name], total=len(of)) for name, of in sections.items()
    }
    st.selectbox(
        t("example_questions.document"),
        list(labels),
        format_func=labels.__getitem__,
        key=_choice_key(bot),
        disabled=unsaved,
        help=t("example_questions.document_help"),
    )


def _columns(headings: list[str]) -> dict[str, Any]:
    column = st.column_config
    only = headings[0] if len(headings) == 1 else None
    return {
        "heading": column.SelectboxColumn(
            t("example_questions.heading"), options=[*headings, _unanswered()], default=only, width=170
        ),
        "question": column.TextColumn(t("example_questions.question"), max_chars=LONGEST_QUESTION, width="large"),
    }


def _rows(document: str, table: pd.DataFrame) -> tuple[list[ExampleQuestion], int]:
    """(the rows with a question and a heading, how many have a question and no heading)."""
    cells = [
        tuple("" if cell is None or cell != cell else str(cell).strip() for cell in row)
        for row in table[["heading", "question"]].itertuples(index=False)
    ]
    questions = [
        ExampleQuestion(document, "" if heading == _unanswered() else heading, question)
        for heading, question in cells
        if heading and question
    ]
    return questions, sum(bool(question) and not heading for heading, question in cells)


def _save(
    bot: Bot, removed: list[ExampleQuestion], added: list[ExampleQuestion], edited_table: EditedTable[Any]
) -> None:
    """Write what was edited; on an error nothing is written and the table stays as it is."""
    with show_errors():
        total = change_example_questions(bot, removed, added)
        edited_table.reset()
        st.toast(t("example_questions.saved", n=total), icon=":material/check:")
        st.rerun()


def _unanswered() -> str:
    """What stands in the place of a section for a question that no document answers."""
    return t("example_questions.unanswered")


def _choice_key(bot: Bot) -> str:
    return f"examples-document-{bot.id}"
