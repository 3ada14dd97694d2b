"""The documents of a bot: read, add, remove, rebuild the index, try a search."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.types import Bot
from core.retrieve.documents import Document, add_document, read_documents, remove_document
from core.retrieve.passages import passages
from pages.shared.draw import choose_bot, heading, plain, told
from pages.shared.services import house
from pages.shared.talk import passage_text
from pages.shared.trial import trial
from pages.shared.words import say


def listing(bot: Bot, documents: list[Document]) -> None:
    """The documents; the selected one can be read and removed."""
    cut = {document.name: passages(document) for document in documents}
    table = pd.DataFrame(
        [
            {"title": found[0].title if found else name, "name": name, "size": len(text), "passages": len(found)}
            for name, text in documents
            for found in [cut[name]]
        ]
    )
    st.caption(say("knowledge.read"))
    chosen = st.dataframe(
        table,
        hide_index=True,
        height=min(420, 38 * (len(table) + 1)),
        on_select="rerun",
        selection_mode="single-row",
        key=f"documents-{bot.id}-{len(table)}",
        column_config={
            "title": st.column_config.TextColumn(say("knowledge.doc_title"), width="large"),
            "name": st.column_config.TextColumn(say("knowledge.name")),
            "size": st.column_config.NumberColumn(say("knowledge.size"), format="localized", width="small"),
            "passages": st.column_config.NumberColumn(say("knowledge.passages"), width="small"),
        },
    )
    if chosen.selection.rows:
        read(bot, documents[chosen.selection.rows[0]])


def read(bot: Bot, document: Document) -> None:
    """One document, passage by passage."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(document.name)}**", width="content")
            st.button(say("knowledge.remove"), icon=":material/delete:", on_click=remove, args=(bot, document.name))
        with st.container(height=420, border=False):
            heading_before = ""
            for passage in passages(document):
                if passage.heading != heading_before:
                    st.markdown(f"**{plain(passage.heading)}**")
                    heading_before = passage.heading
                passage_text(passage.text)


def remove(bot: Bot, name: str) -> None:
    """Take a document away and remember it for the undo."""
    with told():
        st.session_state[f"removed-{bot.id}"] = (name, remove_document(bot, name))


def restore(bot: Bot) -> None:
    """Put the document that was removed last back."""
    name, data = st.session_state[f"removed-{bot.id}"]
    with told():
        add_document(bot, name, data)
        del st.session_state[f"removed-{bot.id}"]
        st.toast(say("knowledge.restored", name=name), icon=":material/check:")


def undo(bot: Bot) -> None:
    """What was removed last, with the way back."""
    removed = st.session_state.get(f"removed-{bot.id}")
    if removed:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.caption(say("knowledge.removed", name=plain(removed[0])), width="content")
            st.button(say("common.undo"), icon=":material/undo:", type="tertiary", on_click=restore, args=(bot,))


def add(bot: Bot, known: set[str]) -> None:
    """Upload documents; each that cannot be used is told, the others are added."""
    st.caption(say("knowledge.add_lead"))
    turn = st.session_state.setdefault("uploads", 0)
    files = st.file_uploader(
        say("knowledge.add"),
        ["md", "txt"],
        accept_multiple_files=True,
        key=f"upload-{bot.id}-{turn}",
        label_visibility="collapsed",
    )
    if not files or not st.button(say("knowledge.add_do", n=len(files)), type="primary", icon=":material/upload:"):
        return
    for file in files:
        with told():
            add_document(bot, file.name, file.getvalue())
            key = "knowledge.replaced" if file.name in known else "knowledge.added"
            st.success(say(key, names=plain(file.name)), icon=":material/check:")


def index_tools(bot: Bot) -> None:
    """How the bot searches, and a rebuild with its progress."""
    st.caption(say("knowledge.index_lead"))
    if st.button(say("knowledge.rebuild"), icon=":material/refresh:"):
        with told():
            bar = st.progress(0.0)

            def progress(done: int, total: int) -> None:
                bar.progress(done / total, say("knowledge.rebuilding", done=done, total=total))

            built = house().indexes.get(bot, progress, rebuild=True)
            bar.empty()
            st.success(say("knowledge.rebuilt", n=len(built.passages)), icon=":material/check:")


top, bot = choose_bot()
with told():
    documents = read_documents(bot)
    count = sum(len(passages(document)) for document in documents)
    heading(
        say("knowledge.title", bot=plain(bot.name), n=len(documents), passages=count), say("knowledge.lead"), place=top
    )
    shown, added, tried, built = st.tabs([say(f"knowledge.{tab}") for tab in ("documents", "add", "try", "index")])
    with shown:
        undo(bot)
        listing(bot, documents)
    with added:
        add(bot, {document.name for document in documents})
    with tried:
        trial(bot)
    with built:
        index_tools(bot)
