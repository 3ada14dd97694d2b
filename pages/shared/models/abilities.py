"""How it is shown what a server can do with a model, and the way to find it out again."""

from __future__ import annotations

from hashlib import sha256

import streamlit as st

from core.base.calls import RUNGS, Abilities
from core.base.errors import BadInput
from core.llm.roles import ModelEngine
from core.store.store import Store
from pages.shared.draw import line, plain, told, when
from pages.shared.models.choice import Choice, choice
from pages.shared.models.probing import probe
from pages.shared.session import engine_of, forget_engines
from pages.shared.words import say, sentence


def abilities_part(store: Store) -> None:
    """One card per server and model that was ever asked."""
    known = store.all_abilities()
    if not known:
        st.info(say("models.nothing_known"), icon=":material/info:")
        return
    st.caption(say("models.abilities_lead"))
    for found in known:
        _card(store, found)


def _card(store: Store, found: Abilities) -> None:
    with st.container(border=True):
        best = say(f"models.rung_{found.rungs[0]}")
        st.markdown(f"**{plain(found.model, links=False)}**　:green-badge[:material/check: {best}]")
        st.caption(plain(found.server, links=False))
        left, right = st.columns([2, 3], gap="medium")
        left.markdown(_table(found))
        right.markdown("  \n".join(_facts(found)))
        if st.button(say("models.probe_again"), icon=":material/refresh:", key=probe_key(found.server, found.model)):
            with told():
                _again(store, found)


def probe_key(server: str, model: str) -> str:
    """The button's key: no other server and model have it, however their names are put together."""
    return f"probe-{sha256(repr((server, model)).encode()).hexdigest()[:16]}"


def _table(found: Abilities) -> str:
    """The ways to a structured reply, best first, and which of them work."""
    rows = [f"| {say('models.form')} | {say('models.works_at_all')} |", "|---|---|"]
    for rung in RUNGS:
        works = rung in found.rungs
        mark = ":green[:material/check:]" if works else ":gray[:material/remove:]"
        rows.append(
            f"| {say(f'models.rung_{rung}')} | {mark} {say('models.works_yes' if works else 'models.works_no')} |"
        )
    return "\n".join(rows)


def _facts(found: Abilities) -> list[str]:
    """What is left out of requests, how the longest reply is named, when that was found out; why a form does not work."""
    dropped = say("common.comma").join(plain(name) for name in found.dropped) or say("common.none")
    limit = plain(found.limit) if found.limit else say("common.none")
    facts = {
        say("models.dropped"): dropped,
        say("models.limit"): limit,
        say("models.probed"): when(found.probed_at) or say("common.unknown"),
    }
    for rung in RUNGS:
        if rung not in found.rungs and (note := found.notes.get(rung)):
            facts[say("models.why_not", form=say(f"models.rung_{rung}"))] = line(note, 200)
    return [f":gray[{name}]　{value}" for name, value in facts.items()]


def _again(store: Store, found: Abilities) -> None:
    """Ask the server anew where an engine at hand knows it; else forget, so that the next call does."""
    engine = _engine_for(found)
    if engine is None:
        store.forget_abilities(found.server, found.model)
        forget_engines()
        st.toast(say("models.forgotten", model=plain(found.model, links=False)), icon=":material/check:")
        st.rerun()
    with st.spinner(say("models.testing")):
        result = probe(engine, store, found.model)[found.model]
        forget_engines()
    if isinstance(result, BadInput):
        st.error(plain(sentence(result)), icon=":material/error:")
    elif result is None:
        st.error(say("models.slow", model=plain(found.model, links=False)), icon=":material/error:")
    else:
        st.rerun()


def _engine_for(found: Abilities) -> ModelEngine | None:
    """The visitor's engine, else the owner's, where it has this server and model."""
    for chosen in (choice(), Choice(kind="server")):
        try:
            engine = engine_of(chosen)
        except BadInput:
            continue
        if isinstance(engine, ModelEngine) and any(
            (role.server.name, role.model) == (found.server, found.model) for role in engine.roles.values()
        ):
            return engine
    return None
