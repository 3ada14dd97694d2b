"""Tools of the Documents page: remove and restore documents, a trial search with scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.base.types import Bot, Hit
from core.retrieval.documents import RemovedDocument, remove_document, removed_documents, restore_document, unreadable
from pages.components.appearance import show_errors
from pages.components.deleted_list import DeletedItem, show_deleted
from pages.components.message import draw_passage
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.i18n.translate import t

if TYPE_CHECKING:
    from core.retrieval.index import Index


def remove(bot: Bot, name: str) -> None:
    """Take a document away; it is kept and can be brought back."""
    with show_errors():
        remove_document(bot, name)


def restore(bot: Bot, removed: RemovedDocument) -> None:
    """Put a document that was removed back."""
    with show_errors():
        restore_document(bot, removed)
        st.toast(t("knowledge.restored", name=plain(removed.name)), icon=":material/check:")


def show_removed(bot: Bot) -> None:
    """What was removed, each with the way back."""
    items = [
        DeletedItem(
            document.at,
            document.name,
            f"restore-{document.at.isoformat()}-{document.name}",
            partial(restore, bot, document),
        )
        for document in removed_documents(bot)
    ]
    show_deleted(t("knowledge.removed_all", n=len(items)), items)


def show_unreadable(bot: Bot) -> None:
    """One sentence that names the files which the bot leaves out, and a button to remove each."""
    names = unreadable(bot)
    if not names:
        return
    st.warning(t("knowledge.unreadable", names=plain(", ".join(names))), icon=":material/draft:")
    with st.container(horizontal=True, gap="small"):
        for number, name in enumerate(names):
            st.button(
                t("knowledge.remove_unreadable", name=plain(name)),
                key=f"unreadable-{number}-{name}",
                icon=":material/delete:",
                on_click=remove,
                args=(bot, name),
            )


def search_method(index: Index) -> str:
    """Whether meaning takes part in the search."""
    if index.embedder.semantic:
        return t("knowledge.words_vectors", model=plain(index.embedder.name))
    return t("knowledge.words_only")


def show_search(bot: Bot) -> None:
    """Type what to look for; the passages come with their scores."""
    query = st.text_input(t("decision.query"), max_chars=1000, key=f"try-{bot.id}", icon=":material/search:")
    if not query.strip():
        return
    with show_errors():
        index = services().indexes.get(bot)
        st.caption(t("knowledge.model", method=search_method(index)))
        hits = index.search(query, 8)
        if not hits:
            st.info(t("knowledge.try_none"), icon=":material/info:")
        for number, hit in enumerate(hits, 1):
            show_hit(number, hit)


def show_hit(number: int, hit: Hit) -> None:
    """One passage that was found."""
    with st.expander(
        f"{number}. {line(hit.passage.label, 90)}  :gray[{t('decision.score', score=f'{hit.score:.2f}')}]",
        expanded=number == 1,
    ):
        notes = [t("knowledge.words", score=f"{hit.lexical:.1f}"), t("knowledge.coverage", score=f"{hit.coverage:.0%}")]
        if hit.vector is not None:
            notes.append(t("knowledge.meaning", score=f"{hit.vector:.2f}"))
        st.caption(" · ".join([plain(hit.passage.document), *notes]))
        draw_passage(hit.passage.text)
