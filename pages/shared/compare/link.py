"""A link to a comparison whose runs cannot be taken as asked says so, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from core.base.types import Bot
from core.store.store import Store
from pages.shared.draw import bot_names, plain
from pages.shared.words import say


def tell_link(
    store: Store, bot: Bot, link: Mapping[str, str], offered: Mapping[str, Collection[str]], others: bool
) -> None:
    """Why runs of the link are not compared, a sentence each, with the way to those that can be.

    link: the runs asked for as a and b (empty: none was); offered: those that can be chosen for each; others:
    whether others are compared instead.
    """
    sides = [side for side in "ab" if link[side] and link[side] not in offered[side]]
    told = list(dict.fromkeys(_why(store, bot, link, side) for side in sides))
    if not told:
        return
    st.info("  \n".join([*told, say("compare_link.others")] if others else told), icon=":material/info:")
    a, b = (store.run(link[side]) for side in "ab")
    if a and b and a.id != b.id and a.bot != bot.id and a.bot in bot_names():
        asked = {"bot": a.bot, "a": a.id, "b": b.id}
        words = {"label": say("compare_link.open"), "icon": ":material/compare_arrows:"}
        st.page_link("pages/results/compare.py", query_params=asked, **words)


def _why(store: Store, bot: Bot, link: Mapping[str, str], side: str) -> str:
    """Why the run cannot stand on its side."""
    run = store.run(link[side])
    if run is None:
        return say("compare_link.unknown", side=side.upper())
    if link["a"] == link["b"]:
        return say("compare_link.twice")
    if run.bot != bot.id:
        other = plain(bot_names().get(run.bot, run.bot), links=False)
        return say("compare_link.other_bot", side=side.upper(), other=other)
    return say("compare_link.alone", side=side.upper())
