"""Choose scenarios and personas, start, watch, stop; a run goes on whatever happens to this page."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from core.base.settings import settings
from core.base.types import Bot, Kind, Persona, Scenario
from core.runs.plan import Plan, make_cases
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from pages.components.answering_engine import answering_engine, external_messages_note
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.judge_picker import judge_options, pick_judges
from pages.components.plain_text import line, plain
from pages.components.run_progress import watch_run
from pages.components.services import need_store, services
from pages.components.session import engine, uses_model
from pages.i18n.translate import error_text, language, t
from pages.simulate.budget import budget_fields, guidance, unkept
from pages.simulate.estimate import basis_of, estimate_part, forget_estimate
from pages.simulate.run_history import history

PICKS = ("all", "kind", "one")
store = need_store()


def pick_scenarios(known: list[Scenario]) -> list[Scenario]:
    """All of them, those of some kinds, or one by one."""
    how = st.segmented_control(
        t("batch.scenarios"),
        PICKS,
        default="all",
        format_func=lambda pick: t(f"batch.pick_{pick}"),
        required=True,
        key="batch-pick",
    )
    if how == "kind":
        kinds = [kind for kind in get_args(Kind) if any(scenario.kind == kind for scenario in known)]
        chosen = st.pills(
            t("batch.kinds"),
            kinds,
            default=kinds,
            selection_mode="multi",
            format_func=lambda kind: t(f"kinds.{kind}"),
            key=f"batch-kinds-{'-'.join(kinds)}",
        )
        return [scenario for scenario in known if scenario.kind in chosen]
    if how == "one":
        names = {scenario.id: f"{scenario.id}  {' '.join(scenario.question.split())[:60]}" for scenario in known}
        ids = st.multiselect(
            t("batch.pick_one"),
            list(names),
            format_func=lambda name: names[name],
            placeholder=t("common.choose"),
            label_visibility="collapsed",
            key=f"batch-one-{hash(tuple(names))}",
            select_all=False,
        )
        return [scenario for scenario in known if scenario.id in ids]
    return known


def pick_personas(known: list[Persona]) -> list[Persona]:
    """The personas that take part; all to begin with."""
    names = {persona.id: line(persona.name, 30) for persona in known}
    ids = st.pills(
        t("batch.personas"),
        list(names),
        default=list(names),
        selection_mode="multi",
        format_func=lambda name: names[name],
        key=f"batch-personas-{'-'.join(names)}",
    )
    return [persona for persona in known if persona.id in ids]


def details() -> dict[str, Any]:
    """Turns, repeats, seed and speed; where a model speaks, limits to what it may cost."""
    with st.expander(t("batch.more_settings"), icon=":material/tune:", type="compact"):
        left, middle, right, last = st.columns(4)
        found = {
            "max_turns": left.number_input(t("batch.max_turns"), 1, 10, 3, key="batch-turns"),
            "repeats": middle.number_input(t("batch.repeats"), 1, 20, 1, key="batch-repeats"),
            "seed": right.number_input(t("batch.seed"), 0, 999_999, 1, key="batch-seed"),
            "concurrency": last.number_input(
                t("batch.concurrency"), 1, 64, settings().concurrency, key="batch-workers"
            ),
        }
        return {**found, **budget_fields()} if uses_model() else found


def plan_of(bot: Bot, scenarios: list[Scenario], personas: list[Persona]) -> Plan:
    """The plan as chosen on the page."""
    cross = st.toggle(t("batch.cross"), value=True, key="batch-cross", help=t("batch.cross_help"))
    asks = _may_ask(bot)
    judges = pick_judges(bot, f"batch-judges-{bot.id}")
    return Plan(
        bot=bot.id,
        scenarios=tuple(scenario.id for scenario in scenarios),
        personas=tuple(persona.id for persona in personas),
        cross=cross,
        clarify=asks,
        judges=judges,
        language=bot.language,
        judge_language=language(),
        **judge_options(judges, "batch"),
        **details(),
    )


def _may_ask(bot: Bot) -> bool:
    """Whether the bot may ask back; one that exists already asks as it likes, and the switch says so."""
    if not bot.outside:
        return st.toggle(
            t("clarification.allowed"), value=True, key="batch-clarify", help=t("clarification.allowed_help")
        )
    st.toggle(t("clarification.allowed"), value=True, key="batch-clarify-outside", disabled=True)
    st.caption(t("external_bot.decides_itself"))
    return True


def choose(bot: Bot) -> None:
    """The controls of a new run, with its size, and its price where it has one, before the start."""
    with show_errors():
        scenarios, personas = read_scenarios(bot), read_personas(bot.language, bot)
        if not scenarios:
            st.info(t("batch.no_scenarios"), icon=":material/info:")
            st.page_link("pages/simulate/scenarios.py", label=t("menu.scenarios"), icon=":material/list_alt:")
            return
        chosen, users = pick_scenarios(scenarios), pick_personas(personas)
        plan = plan_of(bot, chosen, users)
        if not chosen or not users:
            st.info(t("batch.nothing"), icon=":material/info:")
            return
        count = len(make_cases(plan, scenarios, personas))
        st.markdown(
            t("batch.count", n=f"{count:,}", scenarios=len(chosen), personas=len(users), repeats=plan.repeats)
            + f"  \n:gray[{answering_engine('external_bot.calls' if bot.outside else 'batch.calls', 'batch.calls_model')}]"
            + external_messages_note(bot, count * plan.max_turns)
        )
        if uses_model():
            basis = basis_of(plan, bot, tuple(chosen), tuple(users))
            estimate_part(plan, basis)
            guidance(plan, basis)
        start_button(plan, count)


def start_button(plan: Plan, count: int) -> None:
    """Begin the run, unless a limit in money could not be kept."""
    problem = unkept(plan)
    if problem:
        st.error(plain(error_text(problem)), icon=":material/error:")
        st.page_link("pages/settings/models.py", label=t("estimate.to_prices"), icon=":material/payments:")
    label, icon = t("batch.start", n=f"{count:,}"), ":material/play_arrow:"
    if st.button(label, type="primary", icon=icon, key="start", disabled=problem is not None):
        st.query_params["run"] = services().batches.start(plan, engine())
        forget_estimate()  # from now on the run itself tells what it costs
        st.rerun()


top, bot = choose_bot()
heading(t("batch.title"), t("batch.lead"), place=top)
run = store.run(st.query_params.get("run", ""))
if run is None or run.bot != bot.id:
    run = next((each for each in store.runs(bot.id) if each.status == "running"), None)
if run:
    watch_run(store, run)
with st.container(border=True):
    choose(bot)
st.subheader(t("batch.earlier"), anchor=False)
history(store, bot.id)
