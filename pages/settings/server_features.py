"""How it is shown what a server can do with a model, and the way to find it out again."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from hashlib import sha256

import streamlit as st

from core.base.calls import OUTPUT_MODES, ServerFeatures
from core.base.errors import BadInput, ModelError
from core.base.prompt import Engine
from core.base.types import Role
from core.llm.roles import ModelEngine, ModelRole
from core.runs.thread_pool import run_with_timeout
from core.store.store import Store
from pages.components.appearance import local_time, show_error, show_errors
from pages.components.engine_choice import Choice, choice
from pages.components.plain_text import line, plain
from pages.components.session import engine_of, forget_engines
from pages.i18n.translate import t

SECONDS = 45.0  # that somebody waits for all of them
REPLY, PATIENCE = 20.0, 8.0  # seconds for one reply, and for trying again
Found = ServerFeatures | BadInput | None  # none: no answer in time


def probe(engine: Engine | ModelEngine, store: Store, model: str = "", seconds: float = SECONDS) -> dict[str, Found]:
    """{model: what its server can do with it, or why that is not known} for each model of the engine, or only one."""
    from core.llm.openai_engine import OpenAIEngine  # brings the client: only if it is wanted

    assert isinstance(engine, OpenAIEngine)
    brief = {"timeout": REPLY, "patience": PATIENCE}
    roles: dict[Role, ModelRole] = {
        role: one.model_copy(update={"server": one.server.model_copy(update=brief)})
        for role, one in engine.roles.items()
    }
    probing = OpenAIEngine(roles, store.calls, engine.prices)
    wanted: dict[str, Role] = {one.model: role for role, one in roles.items() if model in ("", one.model)}
    done = run_with_timeout({model: partial(probing.probe, role) for model, role in wanted.items()}, seconds)
    return {model: _result(done.get(model)) for model in wanted}


def _result(found: Future[ServerFeatures] | None) -> Found:
    if found is None:
        return None
    error = found.exception()
    if isinstance(error, ModelError):
        return BadInput(str(error), error.key, **error.details)
    if error:
        raise error
    return found.result()


def show_server_features(store: Store) -> None:
    """One card per server and model that was ever asked."""
    known = store.calls.all_server_features()
    if not known:
        st.info(t("models.nothing_known"), icon=":material/info:")
        return
    st.caption(t("models.server_features_lead"))
    for found in known:
        _show_card(store, found)


def _show_card(store: Store, found: ServerFeatures) -> None:
    with st.container(border=True):
        best = t(f"models.output_mode_{found.output_modes[0]}")
        st.markdown(f"**{plain(found.model, links=False)}**　:green-badge[:material/check: {best}]")
        st.caption(plain(found.server, links=False))
        left, right = st.columns([2, 3], gap="medium")
        left.markdown(_table(found))
        right.markdown("  \n".join(_facts(found)))
        if st.button(t("models.probe_again"), icon=":material/refresh:", key=probe_key(found.server, found.model)):
            with show_errors():
                _probe_again(store, found)


def probe_key(server: str, model: str) -> str:
    """The button's key: no other server and model have it, however their names are put together."""
    return f"probe-{sha256(repr((server, model)).encode()).hexdigest()[:16]}"


def _table(found: ServerFeatures) -> str:
    """The ways to a structured reply, best first, and which of them work."""
    rows = [f"| {t('calls.output_mode')} | {t('models.works_at_all')} |", "|---|---|"]
    for output_mode in OUTPUT_MODES:
        works = output_mode in found.output_modes
        mark = ":green[:material/check:]" if works else ":gray[:material/remove:]"
        rows.append(
            f"| {t(f'models.output_mode_{output_mode}')} | {mark} {t('models.works_yes' if works else 'models.works_no')} |"
        )
    return "\n".join(rows)


def _facts(found: ServerFeatures) -> list[str]:
    """What is left out of requests, how the longest reply is named, when that was found out; why a form does not work."""
    dropped = t("common.comma").join(plain(name) for name in found.rejected) or t("common.none")
    limit = plain(found.limit_parameter) if found.limit_parameter else t("common.none")
    facts = {
        t("models.dropped"): dropped,
        t("models.limit"): limit,
        t("models.probed"): local_time(found.probed_at) or t("common.unknown"),
    }
    for output_mode in OUTPUT_MODES:
        if output_mode not in found.output_modes and (note := found.notes.get(output_mode)):
            facts[t("models.why_not", form=t(f"models.output_mode_{output_mode}"))] = line(note, 200)
    return [f":gray[{name}]　{value}" for name, value in facts.items()]


def _probe_again(store: Store, found: ServerFeatures) -> None:
    """Ask the server again if an engine at hand knows it; else forget, so that the next call does."""
    engine = _engine_for(found)
    if engine is None:
        store.calls.forget_server_features(found.server, found.model)
        forget_engines()
        st.toast(t("models.forgotten", model=plain(found.model, links=False)), icon=":material/check:")
        st.rerun()
    with st.spinner(t("models.testing")):
        result = probe(engine, store, found.model)[found.model]
        forget_engines()
    if isinstance(result, BadInput):
        show_error(result)
    elif result is None:
        st.error(t("models.slow", model=plain(found.model, links=False)), icon=":material/error:")
    else:
        st.rerun()


def _engine_for(found: ServerFeatures) -> ModelEngine | None:
    """The visitor's engine, else the owner's, if it has this server and model."""
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
