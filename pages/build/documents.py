"""The documents of a bot: read, add, remove, edit example questions, rebuild the index, try a search."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot, Hit, Passage
from core.documents.document_checks import document_problems
from core.documents.documents import (
    Document,
    add_document,
    read_documents,
    remove_document,
    removed_documents,
    restore_document,
    skipped_files,
)
from core.documents.passages import passages
from pages.build.example_questions import show_example_questions
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.deleted_list import DeletedItem, show_deleted
from pages.components.links import page_link
from pages.components.message import draw_passage
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.components.widgets import action_button, choose_row
from pages.i18n.translate import error_text, t


def show_removed(bot: Bot) -> None:
    removed = removed_documents(bot)
    items = [DeletedItem(item.at, item.name, partial(restore_document, bot, item)) for item in removed]
    show_deleted(t("knowledge.removed_all", n=len(items)), items)


def show_left_out(bot: Bot) -> None:
    """One sentence for each file that the bot leaves out, with a button to remove it."""
    omitted = skipped_files(bot)
    if not omitted:
        return
    st.warning(t("knowledge.left_out", n=len(omitted)), icon=":material/draft:")
    with st.expander(t("knowledge.left_out_why"), expanded=len(omitted) <= MAX_LEFT_OUT):
        for number, (name, why) in enumerate(omitted):
            reason, side = st.columns((5, 1), vertical_alignment="center")
            reason.markdown(plain(error_text(why)))
            place, key = side.container(horizontal=True, horizontal_alignment="right"), f"left-out-{number}-{name}"
            label = t("knowledge.remove_left_out")
            action_button(label, "delete", remove_document, bot, name, place=place, key=key, help=plain(name))


def show_search(bot: Bot) -> None:
    query = st.text_input(t("decision.query"), max_chars=1000, key=f"try-{bot.id}", icon=":material/search:")
    if not query.strip():
        return
    with show_errors():
        index = services().indexes.get(bot)
        method = t("knowledge.words_only")
        if index.embedder:
            method = t("knowledge.words_vectors", model=plain(index.embedder.name))
        st.caption(t("knowledge.model", method=method))
        hits = index.search(query, 8)
        if not hits:
            st.info(t("knowledge.try_none"), icon=":material/info:")
        for number, hit in enumerate(hits, 1):
            show_hit(number, hit)


def show_hit(number: int, hit: Hit) -> None:
    with st.expander(
        f"{number}. {line(hit.passage.label, 90)}  :gray[{t('decision.score', score=f'{hit.score:.2f}')}]",
        expanded=number == 1,
    ):
        notes = [t("knowledge.words", score=f"{hit.lexical:.1f}"), t("knowledge.coverage", score=f"{hit.coverage:.0%}")]
        if hit.vector is not None:
            notes.append(t("knowledge.meaning", score=f"{hit.vector:.2f}"))
        st.caption(" · ".join([plain(hit.passage.document), *notes]))
        draw_passage(hit.passage.text)


# Files left out up to which the reasons are shown at once.
MAX_LEFT_OUT = 3
# Places named for each kind of remark.
MAX_REMARKS = 5


def show_documents(bot: Bot, documents: list[Document], cut: list[Passage]) -> None:
    """The documents with their passages (`cut`); the selected one can be read and removed."""
    by_name: dict[str, list[Passage]] = {document.name: [] for document in documents}
    for passage in cut:
        by_name[passage.document].append(passage)
    rows = [
        {
            "title": by_name[name][0].title if by_name[name] else name,
            "name": name,
            "size": len(text),
            "passages": len(by_name[name]),
        }
        for name, text in documents
    ]
    st.caption(t("knowledge.read"))
    place = choose_row(
        rows,
        f"documents-{bot.id}-{len(rows)}",
        height=min(420, 38 * (len(rows) + 1)),
        column_config={
            "title": st.column_config.TextColumn(t("knowledge.doc_title"), width="large"),
            "name": st.column_config.TextColumn(t("knowledge.name")),
            "size": st.column_config.NumberColumn(t("knowledge.size"), format="localized", width="small"),
            "passages": st.column_config.NumberColumn(t("knowledge.passages"), width="small"),
        },
    )
    if place is not None:
        show_document(bot, documents[place].name, by_name[documents[place].name])


def show_remarks(documents: list[Document], cut: list[Passage]) -> None:
    """Draw the problems that the owner can fix in the documents, a line for each kind."""
    full = {passage.document for passage in cut}
    places_of = {"no_text": [document.name for document in documents if document.name not in full]}
    for remark in document_problems(cut):
        places_of.setdefault(remark.kind, []).append(remark.place)
    for kind, places in places_of.items():
        more = " …" if len(places) > MAX_REMARKS else ""
        shown = plain(t("common.comma").join(places[:MAX_REMARKS]))
        if places:
            st.caption(f":material/edit_note: {t(f'knowledge.{kind}', n=len(places), places=shown + more)}")


def show_document(bot: Bot, name: str, cut: list[Passage]) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(name)}**", width="content")
            action_button(t("knowledge.remove"), "delete", remove_document, bot, name)
        with st.container(height=420, border=False):
            for heading, of_heading in groupby(cut, key=attrgetter("heading")):
                if heading:
                    st.markdown(f"**{plain(heading)}**")
                for passage in of_heading:
                    draw_passage(passage.text)


def show_upload(bot: Bot, names: set[str]) -> None:
    """Upload documents; a file that cannot be used is reported, the others are added."""
    for text, good in st.session_state.pop(f"added-{bot.id}", []):
        (st.success if good else st.error)(text, icon=":material/check:" if good else ":material/error:")
    st.caption(t("knowledge.add_lead"))
    key = f"upload-{bot.id}-{st.session_state.setdefault('uploads', 0)}"
    files = st.file_uploader(
        t("knowledge.add"), accept_multiple_files=True, key=key, label_visibility="collapsed", max_upload_size=50
    )
    if files:
        action_button(t("knowledge.add_do", n=len(files)), "upload", store_uploads, bot, files, names, type="primary")


def store_uploads(bot: Bot, files: list[Any], names: set[str]) -> None:
    """Store what was uploaded and empty the box; the page that follows reports what became of each file."""
    notes: list[tuple[str, bool]] = []
    for file in files:
        try:
            add_document(bot, file.name, file.getvalue())
        except BadInput as error:
            notes.append((plain(error_text(error)), False))
        else:
            key = "knowledge.replaced" if file.name in names else "knowledge.added"
            notes.append((t(key, names=plain(file.name)), True))
    st.session_state[f"added-{bot.id}"] = notes
    st.session_state["uploads"] += 1


def show_index(bot: Bot) -> None:
    st.caption(t("knowledge.index_lead"))
    if st.button(t("knowledge.rebuild"), icon=":material/refresh:"):
        with show_errors():
            bar = st.progress(0.0)

            def progress(done: int, total: int) -> None:
                bar.progress(done / total, t("knowledge.rebuilding", done=done, total=total))

            index = services().indexes.get(bot, progress, rebuild=True)
            bar.empty()
            st.success(t("knowledge.rebuilt", n=len(index.passages)), icon=":material/check:")


top, bot = choose_bot()
with show_errors():
    documents = read_documents(bot)
    if bot.external and not documents:  # it has its documents where it is
        heading(t("external_bot.documents_title", bot=plain(bot.name)), t("external_bot.documents"), place=top)
        page_link("build/bot", t("external_bot.to_settings"), "hub", bot=bot.id)
        st.stop()
    cut = [passage for document in documents for passage in passages(document)]
    lead = t("external_bot.documents" if bot.external else "knowledge.lead")
    heading(t("knowledge.title", bot=plain(bot.name), n=len(documents), passages=len(cut)), lead, place=top)
    show_left_out(bot)
    documents_tab, upload_tab, examples_tab, search_tab, index_tab = st.tabs(
        [t(f"knowledge.{tab}") for tab in ("documents", "add", "examples", "try", "index")]
    )
    with documents_tab:
        show_removed(bot)
        show_documents(bot, documents, cut)
        show_remarks(documents, cut)
    with upload_tab:
        show_upload(bot, {document.name for document in documents})
    with examples_tab:
        show_example_questions(bot, documents, cut)
    with search_tab:
        show_search(bot)
    with index_tab:
        show_index(bot)
