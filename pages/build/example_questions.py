"""The example questions of a bot: how many sections have some, writing them, a table of a document's, and files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.tables import read_table
from core.base.types import Bot, Passage
from core.datasets.dataset_jobs import ExampleQuestionsJob, estimated_seconds
from core.datasets.write_example_questions import MAX_QUESTION_CHARACTERS, Batch, WritingResult, batches_of
from core.documents.documents import Document
from core.documents.example_questions import (
    FILE,
    ExampleQuestion,
    change_example_questions,
    example_questions_csv,
    example_questions_of,
    read_example_questions,
)
from core.llm.roles import ModelEngine
from core.retrieval.example_index import SortedExamples, sort_examples
from pages.components.appearance import show_errors
from pages.components.cost import rough_duration
from pages.components.editing import EditedTable, edit_broken_file, rows_of_text, show_unsaved
from pages.components.job_progress import show_early_end, watch_job
from pages.components.services import services
from pages.components.session import engine
from pages.components.widgets import action_button, choose, download_button, save_button
from pages.i18n.translate import t

Sections = dict[str, dict[str, None]]  # of each document its headings in order


def show_example_questions(bot: Bot, documents: list[Document], passages: Sequence[Passage]) -> None:
    """The tab; a file that cannot be read is reported in one sentence, with its text to correct."""
    st.caption(t("example_questions.lead"))
    try:
        stored = read_example_questions(bot)
    except BadInput as error:
        edit_broken_file(error, bot.folder / FILE, lambda: read_example_questions(bot))
        return
    sections: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for passage in passages:
        sections[passage.document][passage.heading] = None
    examples = sort_examples(stored, passages)
    _show_counts(examples, sections)
    if not sections:
        return
    chosen = st.session_state.get(_choice_key(bot))
    document = str(chosen) if chosen in sections else next(iter(sections))
    _show_writing(bot, batches_of(documents, stored), document)
    _show_lost(bot, examples.lost, sections)
    show_table(bot, document, sections, [*examples.answered, *examples.unanswered])
    show_files(bot, stored)


def _show_counts(examples: SortedExamples, sections: Sections) -> None:
    total = sum(len(headings) for headings in sections.values())
    have = len({question[:2] for question in examples.answered})
    parts = [t("example_questions.count", n=have, total=f"{total:,}", questions=f"{len(examples.answered):,}")]
    if examples.unanswered:
        parts.append(t("example_questions.unanswered_count", n=f"{len(examples.unanswered):,}"))
    st.markdown(f"**{t('common.comma').join(parts)}**")


def _show_writing(bot: Bot, batches: list[Batch], document: str) -> None:
    """Show the running job, or the result of the last one and how to start another."""
    job = services().example_questions.get(bot.id)
    if job is not None and job.running:
        watch_job(job, "example_questions")
        return
    show_early_end(job, "example_questions")
    if job is not None and job.result is not None:
        st.success(_result_text(job.result), icon=":material/check:")
    if not batches:
        return
    with show_errors():
        if not isinstance(engine(), ModelEngine):
            st.caption(f":material/info: {t('example_questions.needs_model')}")
            return
        own = [batch for batch in batches if batch.document == document]
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            icon = ":material/edit_note:"
            if st.button(t("example_questions.write", n=_sections(batches)), type="primary", icon=icon):
                _start(bot, batches)
            if 0 < len(own) < len(batches) and st.button(t("example_questions.write_one", n=_sections(own)), icon=icon):
                _start(bot, own)
            time = rough_duration(estimated_seconds(batches))
            st.caption(t("test_set.estimate_calls", n=f"{len(batches):,}", time=time), width="content")


def _sections(batches: Sequence[Batch]) -> int:
    return sum(len(batch.sections) for batch in batches)


def _start(bot: Bot, batches: list[Batch]) -> None:
    services().example_questions.start(bot.id, ExampleQuestionsJob(engine(), bot, batches))
    st.rerun()


def _result_text(written: WritingResult) -> str:
    """What was written, what was dropped and why, and how many sections still have none."""
    parts = [t("example_questions.written", n=written.questions, sections=written.sections - written.missing)]
    if written.missing:
        parts.append(t("example_questions.missing", n=written.missing))
    if written.dropped:
        reasons = [t(f"example_questions.dropped_{why}", n=number) for why, number in written.dropped.items()]
        parts.append(t("example_questions.dropped", reasons=t("common.comma").join(reasons)))
    return " ".join(parts)


def _show_lost(bot: Bot, lost: Sequence[ExampleQuestion], sections: Sections) -> None:
    """Questions whose section is gone: move them to another one, or delete them."""
    if not lost:
        return
    groups: defaultdict[tuple[str, str], list[ExampleQuestion]] = defaultdict(list)
    for question in lost:
        groups[question[:2]].append(question)
    places = {f"{document} › {heading}": (document, heading) for document, of in sections.items() for heading in of}
    with st.container(border=True):
        st.warning(t("example_questions.lost", n=len(lost), sections=len(groups)), icon=":material/link_off:")
        names = ("document", "heading", "questions")
        rows = [(*place, " / ".join(example.question for example in of), None) for place, of in groups.items()]
        columns: dict[str, Any] = {name: st.column_config.TextColumn(t(f"example_questions.{name}")) for name in names}
        to = st.column_config.SelectboxColumn(t("example_questions.to"), options=list(places), width="medium")
        edited = st.data_editor(
            pd.DataFrame(rows, columns=[*names, "to"], dtype=object),
            hide_index=True,
            disabled=names,
            placeholder="",
            key=f"examples-lost-{bot.id}-{hash(tuple(lost))}",
            column_config={**columns, "to": to},
        )
        chosen = [places.get(str(place)) for place in edited["to"]]
        moved = [(of, to) for of, to in zip(groups.values(), chosen, strict=True) if to]
        with st.container(horizontal=True, gap="small"):
            label = t("example_questions.move", n=sum(len(of) for of, _ in moved))
            if st.button(label, icon=":material/drive_file_move:", disabled=not moved):
                gone = [question for of, _ in moved for question in of]
                _change(bot, gone, [ExampleQuestion(*to, question.question) for of, to in moved for question in of])
            if st.button(t("example_questions.delete_lost", n=len(lost)), icon=":material/delete:"):
                _change(bot, lost, ())


def _change(bot: Bot, removed: Sequence[ExampleQuestion], added: Sequence[ExampleQuestion]) -> None:
    with show_errors():
        change_example_questions(bot, removed, added)
        st.rerun()


def show_table(bot: Bot, document: str, sections: Sections, stored: Sequence[ExampleQuestion]) -> None:
    """The table of a document when its editing began; a save changes only what was edited here."""
    now = [question for question in stored if question.document == document]
    edited_table = EditedTable[list[ExampleQuestion]](f"examples-{bot.id}-{document}")
    begun, key, unsaved = edited_table.begun(now), edited_table.key, edited_table.has_typing
    if begun != now and not unsaved:
        edited_table.reset()
        st.rerun()
    _choose_document(bot, sections, stored, unsaved)
    if begun != now:
        st.info(t("example_questions.elsewhere"), icon=":material/sync:")
    rows = [(question.heading or _unanswered(), question.question) for question in begun]
    table = st.data_editor(
        pd.DataFrame(rows, columns=["heading", "question"], dtype=object),
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
        if save_button(disabled=not changed or homeless > 0, key=f"save-{key}"):
            _save(bot, removed, added, edited_table)
        if unsaved:
            action_button(t("example_questions.discard"), "undo", edited_table.reset, key=f"discard-{key}")
            show_unsaved()


def _choose_document(bot: Bot, sections: Sections, stored: Sequence[ExampleQuestion], unsaved: bool) -> None:
    """Which document; it cannot be changed while there is something to save, which would be lost."""
    have = Counter(document for document, heading in {question[:2] for question in stored} if heading)
    labels = {
        name: t("example_questions.option", name=name, n=have[name], total=len(of)) for name, of in sections.items()
    }
    label, help_text = t("example_questions.document"), t("example_questions.document_help")
    choose(label, labels, key=_choice_key(bot), disabled=unsaved, help=help_text)


def _columns(headings: list[str]) -> dict[str, Any]:
    column, heading, question = st.column_config, t("example_questions.heading"), t("example_questions.question")
    options, only = [*headings, _unanswered()], headings[0] if len(headings) == 1 else None
    return {
        "heading": column.SelectboxColumn(heading, options=options, default=only, width=170),
        "question": column.TextColumn(question, max_chars=MAX_QUESTION_CHARACTERS, width="large"),
    }


def _rows(document: str, table: pd.DataFrame) -> tuple[list[ExampleQuestion], int]:
    """(the rows with a question and a heading, how many have a question and no heading)."""
    cells = [(row["heading"], row["question"]) for row in rows_of_text(table)]
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
    """The label in place of a section for a question that no document answers."""
    return t("example_questions.unanswered")


def _choice_key(bot: Bot) -> str:
    return f"examples-document-{bot.id}"


def show_files(bot: Bot, stored: Sequence[ExampleQuestion]) -> None:
    csv = "\ufeff" + example_questions_csv(stored)
    label, file = t("example_questions.download"), f"{bot.id}-{FILE}"
    download_button(label, csv, file, mime="text/csv", key="examples-download")
    with st.expander(t("example_questions.upload"), icon=":material/upload:"):
        _show_upload(bot, stored)


def _show_upload(bot: Bot, stored: Sequence[ExampleQuestion]) -> None:
    st.caption(t("example_questions.upload_lead"))
    number = st.session_state.setdefault("examples-uploads", 0)
    file = st.file_uploader(
        t("example_questions.upload"), key=f"examples-upload-{bot.id}-{number}", label_visibility="collapsed"
    )
    if file is None:
        return
    with show_errors():
        questions = example_questions_of(file.name, read_table(file.name, file.getvalue()))
        new = len(set(questions) - set(stored))
        gone = [question for question in dict.fromkeys(stored) if question not in set(questions)]
        replace = t("example_questions.replace", n=new, gone=len(gone))
        options = {"add": t("example_questions.add", n=new), "replace": replace}
        label, key = t("example_questions.upload_how"), "examples-upload-how"
        removed = gone if choose(label, options, control="radio", key=key) == "replace" else []
        if save_button(disabled=not (new or removed)):
            total = change_example_questions(bot, removed, questions)
            st.session_state["examples-uploads"] += 1
            st.toast(t("example_questions.saved", n=total), icon=":material/check:")
            st.rerun()
