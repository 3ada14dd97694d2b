"""A trial search: what a bot would find, with the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.base.types import Bot, Hit
from pages.shared.draw import plain, told
from pages.shared.services import house
from pages.shared.talk import passage_text, place
from pages.shared.words import say

if TYPE_CHECKING:
    from core.retrieve.index import Index


def method(index: Index) -> str:
    """Whether meaning takes part in the search."""
    if index.embedder.semantic:
        return say("knowledge.words_vectors", model=plain(index.embedder.name))
    return say("knowledge.words_only")


def trial(bot: Bot) -> None:
    """Type what to look for; the passages come with their scores."""
    query = st.text_input(say("knowledge.try_input"), max_chars=1000, icon=":material/search:")
    if not query.strip():
        return
    with told():
        index = house().indexes.get(bot)
        st.caption(say("knowledge.model", method=method(index)))
        hits = index.search(query, 8)
        if not hits:
            st.info(say("knowledge.try_none"), icon=":material/info:")
        for number, hit in enumerate(hits, 1):
            show(number, hit)


def show(number: int, hit: Hit) -> None:
    """One passage that was found."""
    with st.expander(
        f"{number}. {place(hit)}  :gray[{say('why.score', score=f'{hit.score:.2f}')}]", expanded=number == 1
    ):
        notes = [
            say("knowledge.words", score=f"{hit.lexical:.1f}"),
            say("knowledge.coverage", score=f"{hit.coverage:.0%}"),
        ]
        if hit.vector is not None:
            notes.append(say("knowledge.meaning", score=f"{hit.vector:.2f}"))
        st.caption(" · ".join([plain(hit.passage.document), *notes]))
        passage_text(hit.passage.text)
