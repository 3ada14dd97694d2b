"""How it is shown what a server can do with a model, and the way to find it out again."""

from __future__ import annotations

from hashlib import sha256

import streamlit as st

from core.base.calls import OUTPUT_MODES, ServerFeatures
from core.base.errors import BadInput
from core.llm.model_servers import probe
from core.llm.roles import ModelEngine
from core.store.store import Store
from pages.components.appearance import local_time, show_error, show_errors
from pages.components.plain_text import line, markdown_table, plain
from pages.components.session import Choice, choice, engine_of, forget_engines
from pages.i18n.translate import t


def show_server_features(store: Store) -> None:
    servers = store.calls.all_server_features()
    if not servers:
        st.info(t("models.nothing_known"), icon=":material/info:")
        return
    st.caption(t("models.server_features_lead"))
    for features in servers:
        _show_card(store, features)


def _show_card(store: Store, features: ServerFeatures) -> None:
    with st.container(border=True):
        best = t(f"models.output_mode_{features.output_modes[0]}")
        st.markdown(f"**{plain(features.model, links=False)}**　:green-badge[:material/check: {best}]")
        st.caption(plain(features.server, links=False))
        left, right = st.columns([2, 3], gap="medium")
        left.markdown(_table(features))
        right.markdown("  \n".join(_facts(features)))
        key = probe_key(features.server, features.model)
        if st.button(t("models.probe_again"), icon=":material/refresh:", key=key):
            with show_errors():
                _probe_again(store, features)


def probe_key(server: str, model: str) -> str:
    """The button's key: no other server and model have it, however their names are put together."""
    return f"probe-{sha256(repr((server, model)).encode()).hexdigest()[:16]}"


def _table(features: ServerFeatures) -> str:
    """The ways to a structured reply, best first, and which of them work."""
    yes = f":green[:material/check:] {t('models.works_yes')}"
    no = f":gray[:material/remove:] {t('models.works_no')}"
    rows = [(t(f"models.output_mode_{mode}"), yes if mode in features.output_modes else no) for mode in OUTPUT_MODES]
    return markdown_table((t("calls.output_mode"), t("models.works_at_all")), *rows)


def _facts(features: ServerFeatures) -> list[str]:
    """What is left out of requests, how the longest reply is named, when that was found out; why a form does not work."""
    dropped = t("common.comma").join(plain(name) for name in features.rejected) or t("common.none")
    limit = plain(features.limit_parameter) if features.limit_parameter else t("common.none")
    facts = {
        t("models.dropped"): dropped,
        t("models.limit"): limit,
        t("models.probed"): local_time(features.probed_at) or t("common.unknown"),
    }
    for output_mode in OUTPUT_MODES:
        if output_mode not in features.output_modes and (note := features.notes.get(output_mode)):
            facts[t("models.why_not", form=t(f"models.output_mode_{output_mode}"))] = line(note, 200)
    return [f":gray[{name}]　{value}" for name, value in facts.items()]


def _probe_again(store: Store, features: ServerFeatures) -> None:
    """Ask the server again if an engine at hand knows it; else forget, so that the next call does."""
    engine = _engine_for(features)
    if engine is None:
        store.calls.forget_server_features(features.server, features.model)
        forget_engines()
        st.toast(t("models.forgotten", model=plain(features.model, links=False)), icon=":material/check:")
        st.rerun()
    with st.spinner(t("models.testing")):
        result = probe(engine, store.calls, features.model)[features.model]
        forget_engines()
    if isinstance(result, BadInput):
        show_error(result)
    elif result is None:
        st.error(t("models.slow", model=plain(features.model, links=False)), icon=":material/error:")
    else:
        st.rerun()


def _engine_for(features: ServerFeatures) -> ModelEngine | None:
    """The visitor's engine, else the owner's, if it has this server and model."""
    for chosen in (choice(), Choice(kind="server")):
        try:
            engine = engine_of(chosen)
        except BadInput:
            continue
        if isinstance(engine, ModelEngine) and any(
            (role.server.name, role.model) == (features.server, features.model) for role in engine.roles.values()
        ):
            return engine
    return None
