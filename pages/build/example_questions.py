"""The example questions of a bot: how many sections have some, having them written, and those whose section is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot, Passage
from core.datasets.write_example_questions import Batch, WritingResult, batches_of
from core.llm.roles import ModelEngine
from core.retrieval.documents import Document
from core.retrieval.example_index import SortedExamples, sort_examples
from core.retrieval.example_questions import (
    FILE,
    ExampleQuestion,
    change_example_questions,
    read_example_questions,
)
from core.runs.example_questions_job import ExampleQuestionsJob, estimated_seconds
from pages.build.example_questions_files import show_files
from pages.build.example_questions_table import chosen_document, show_table
from pages.components.appearance import show_errors
from pages.components.cost import rough_duration
from pages.components.file_editor import edit_broken_file
from pages.components.job_progress import show_early_end, watch_job
from pages.components.services import services
from pages.components.session import engine
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
    document = chosen_document(bot, sections)
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
    """The job under way, or what came of the last one and the way to start another."""
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
        table = pd.DataFrame(
            [
                {
                    "document": document,
                    "heading": heading,
                    "questions": " / ".join(example.question for example in of),
                    "to": None,
                }
                for (document, heading), of in groups.items()
            ]
        )
        columns = {name: st.column_config.TextColumn(t(f"example_questions.{name}")) for name in table.columns}
        target = st.column_config.SelectboxColumn(t("example_questions.to"), options=list(places), width="medium")
        edited = st.data_editor(
            table.astype(object),
            hide_index=True,
            disabled=["document", "heading", "questions"],
            placeholder="",
            key=f"examples-lost-{bot.id}-{hash(tuple(lost))}",
            column_config={**columns, "to": target},
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
