"""Choose scenarios and personas, start a run, watch it; it goes on if this page is closed."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from core.base.settings import settings
from core.base.types import Bot, Persona, Scenario, ScenarioKind
from core.runs.plan import Plan, make_cases
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from pages.components.appearance import heading, show_error, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.judge_picker import choose_judges, choose_switches
from pages.components.links import page_link
from pages.components.plain_text import line
from pages.components.run_progress import watch_run
from pages.components.services import need_store, services
from pages.components.session import answering_engine, engine, place_of, uses_model
from pages.components.widgets import choose_pills, choose_several, choose_switch
from pages.i18n.translate import language, t
from pages.simulate.estimate import (
    budget_fields,
    estimate_basis,
    forget_estimate,
    price_problem,
    show_budget_check,
    show_estimate,
)
from pages.simulate.run_history import show_run_history

store = need_store()


def choose_scenarios(scenarios: list[Scenario]) -> list[Scenario]:
    selections = {name: t(f"run.pick_{name}") for name in ("all", "kind", "one")}
    selection = choose_switch(t("menu.scenarios"), selections, "all", key="run-pick")
    if selection == "kind":
        present = {scenario.kind for scenario in scenarios}
        kinds = {kind: t(f"kinds.{kind}") for kind in get_args(ScenarioKind) if kind in present}
        chosen = choose_pills(t("run.kinds"), kinds, list(kinds), key=f"run-kinds-{'-'.join(kinds)}")
        return [scenario for scenario in scenarios if scenario.kind in chosen]
    if selection == "one":
        names = {scenario.id: f"{scenario.id}  {' '.join(scenario.question.split())[:60]}" for scenario in scenarios}
        ids = choose_several(
            t("run.pick_one"),
            names,
            placeholder=t("common.choose"),
            label_visibility="collapsed",
            key=f"run-one-{hash(tuple(names))}",
            select_all=False,
        )
        return [scenario for scenario in scenarios if scenario.id in ids]
    return scenarios


def choose_personas(personas: list[Persona]) -> list[Persona]:
    """The personas of the simulated users, all by default."""
    names = {persona.id: line(persona.name, 30) for persona in personas}
    ids = choose_pills(t("menu.personas"), names, list(names), key=f"run-personas-{'-'.join(names)}")
    if not uses_model():
        st.caption(t("run.personas_embedded"))
    return [persona for persona in personas if persona.id in ids]


def choose_details() -> dict[str, Any]:
    with st.expander(t("run.more_settings"), icon=":material/tune:", type="compact"):
        columns, workers = st.columns(4), settings().concurrency
        details: dict[str, Any] = {
            "max_turns": columns[0].number_input(t("run.max_turns"), 1, 10, 3, key="run-turns"),
            "repeats": columns[1].number_input(t("run.repeats"), 1, 20, 1, key="run-repeats"),
            "seed": columns[2].number_input(t("run.seed"), 0, 999_999, 1, key="run-seed"),
            "concurrency": columns[3].number_input(t("run.concurrency"), 1, 64, workers, key="run-workers"),
        }
        details.update(choose_first_message())
        return {**details, **budget_fields()} if uses_model() else details


def choose_first_message() -> dict[str, str]:
    """Whether the simulated users word the scenario's question themselves: by default with a model only."""
    label, text = t("run.worded_first_message"), t("run.worded_first_message_help")
    worded = st.toggle(label, value=uses_model(), key="run-worded", help=text)
    return {} if worded == uses_model() else {"first_message": "persona" if worded else "plain"}


def choose_plan(bot: Bot, scenarios: list[Scenario], personas: list[Persona]) -> Plan:
    cross = st.toggle(t("run.cross"), value=True, key="run-cross", help=t("run.cross_help"))
    clarify = choose_clarify(bot)
    judges = choose_judges(bot, f"run-judges-{bot.id}")
    return Plan(
        bot=bot.id,
        scenarios=tuple(scenario.id for scenario in scenarios),
        personas=tuple(persona.id for persona in personas),
        cross=cross,
        clarify=clarify,
        judges=judges,
        language=bot.language,
        judge_language=language(),
        **choose_switches(judges, "run"),
        **choose_details(),
    )


def choose_clarify(bot: Bot) -> bool:
    """Whether the bot may ask clarifying questions; an external bot decides itself."""
    label = t("clarification.allowed")
    if not bot.external:
        return st.toggle(label, value=True, key="run-clarify", help=t("clarification.allowed_help"))
    st.toggle(label, value=True, key="run-clarify-external", disabled=True)
    st.caption(t("external_bot.decides_itself"))
    return True


def show_new_run(bot: Bot) -> None:
    """Choose the plan of a new run, see its size and cost, and start it."""
    with show_errors():
        scenarios, personas = read_scenarios(bot), read_personas(bot.language, bot)
        if not scenarios:
            st.info(t("run.no_scenarios"), icon=":material/info:")
            page_link("simulate/scenarios", t("menu.scenarios"), "list_alt")
            return
        chosen, users = choose_scenarios(scenarios), choose_personas(personas)
        plan = choose_plan(bot, chosen, users)
        if not chosen or not users:
            st.info(t("run.nothing"), icon=":material/info:")
            return
        count = len(make_cases(plan, scenarios, personas))
        size = t("run.count", n=f"{count:,}", scenarios=len(chosen), personas=len(users), repeats=plan.repeats)
        calls = answering_engine("external_bot.calls" if bot.external else "run.calls", "run.calls_model")
        st.markdown(f"{size}  \n:gray[{calls}]{_external_messages_note(bot, count * plan.max_turns)}")
        if uses_model():
            basis = estimate_basis(plan, bot, tuple(chosen), tuple(users))
            show_estimate(plan, basis)
            show_budget_check(plan, basis)
        show_start_button(plan, count)


def _external_messages_note(bot: Bot, most: int) -> str:
    """How many messages a run sends to an external bot, as a line to add; "" for one of Kiku's own."""
    if not bot.external:
        return ""
    return f"  \n:gray[{t('external_bot.messages', n=f'{most:,}', place=place_of(bot.external))}]"


def show_start_button(plan: Plan, count: int) -> None:
    """Start the run and show it on this page; disabled if a limit in money cannot work."""
    problem = price_problem(plan)
    if problem:
        show_error(problem)
        page_link("settings/models", t("estimate.to_prices"), "payments")
    label, icon = t("run.start", n=f"{count:,}"), ":material/play_arrow:"
    if st.button(label, type="primary", icon=icon, key="start", disabled=problem is not None):
        st.query_params["run"] = services().runner.start(plan, engine())
        forget_estimate()  # from now on the run shows what it costs
        st.rerun()


top, bot = choose_bot()
heading(t("run.title"), t("run.lead"), place=top)
run = store.runs.get(st.query_params.get("run", ""))
if run is None or run.bot != bot.id:
    run = next((bot_run for bot_run in store.runs.all(bot.id) if bot_run.status == "running"), None)
if run:
    watch_run(store, run)
with st.container(border=True):
    show_new_run(bot)
st.subheader(t("run.earlier"), anchor=False)
show_run_history(store, bot.id)
