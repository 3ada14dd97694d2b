"""A plan makes the same conversations whenever it is asked."""

from __future__ import annotations

import pytest

from core.base.errors import BadInput
from core.base.types import Persona, Scenario
from core.runs.plan import Plan, make_cases

SCENARIOS = [Scenario(id=f"q{n}", question=f"{n}?") for n in range(1, 31)]
PERSONAS = [Persona(id=name, name=name) for name in ("angry", "calm", "busy")]


def test_crossing_lets_every_persona_ask_every_question() -> None:
    cases = make_cases(Plan(bot="b", cross=True, repeats=2), SCENARIOS, PERSONAS)
    assert len({(case.scenario.id, case.persona.id, case.repeat) for case in cases}) == 30 * 3 * 2
    assert [case.number for case in cases] == list(range(1, 181))


def test_the_same_seed_draws_the_same_personas_and_another_seed_others() -> None:
    first, same_seed, other = (make_cases(Plan(bot="b", seed=seed), SCENARIOS, PERSONAS) for seed in (1, 1, 2))
    assert first == same_seed and first != other
    assert {case.persona.id for case in first} == {"angry", "calm", "busy"} and len(first) == 30


def test_a_new_question_changes_no_other_draw() -> None:
    before = make_cases(Plan(bot="b", seed=1), SCENARIOS[1:], PERSONAS)
    after = make_cases(Plan(bot="b", seed=1), SCENARIOS, PERSONAS)
    assert [case.persona for case in before] == [case.persona for case in after[1:]]


def test_a_question_that_names_its_persona_gets_it() -> None:
    named = SCENARIOS[0].model_copy(update={"persona": "busy"})
    for seed in range(5):
        assert make_cases(Plan(bot="b", seed=seed, personas=("calm",)), [named], PERSONAS)[0].persona.id == "busy"


def test_a_limit_picks_by_the_seed() -> None:
    picked = make_cases(Plan(bot="b", seed=1, limit=5), SCENARIOS, PERSONAS)
    assert len(picked) == 5 and [case.number for case in picked] == [1, 2, 3, 4, 5]
    assert picked == make_cases(Plan(bot="b", seed=1, limit=5), SCENARIOS, PERSONAS)
    assert picked != make_cases(Plan(bot="b", seed=2, limit=5), SCENARIOS, PERSONAS)


@pytest.mark.parametrize("place", [0, 15, 30])
def test_a_new_question_takes_the_place_of_one_that_a_limit_picks_at_most(place: int) -> None:
    new = Scenario(id="new", question="new?")
    for seed in range(20):
        plan = Plan(bot="b", seed=seed, limit=8)
        before = {case.scenario.id for case in make_cases(plan, SCENARIOS, PERSONAS)}
        after = {case.scenario.id for case in make_cases(plan, [*SCENARIOS[:place], new, *SCENARIOS[place:]], PERSONAS)}
        assert after == before or ("new" in after and len(before - after) == 1)


def test_repeats_of_a_case_have_seeds_of_their_own() -> None:
    cases = make_cases(Plan(bot="b", repeats=3), SCENARIOS[:1], PERSONAS[:1])
    assert len({case.seed(7) for case in cases}) == 3 and cases[0].seed(7) != cases[0].seed(8)


@pytest.mark.parametrize(
    ("plan", "key"),
    [
        (Plan(bot="b", scenarios=("q1", "nothing")), "unknown_scenario"),
        (Plan(bot="b", personas=("nobody",)), "unknown_persona"),
    ],
)
def test_a_plan_that_names_what_is_not_there_is_reported(plan: Plan, key: str) -> None:
    with pytest.raises(BadInput) as error:
        make_cases(plan, SCENARIOS, PERSONAS)
    assert error.value.key == key


def test_a_plan_without_questions_or_personas_is_reported() -> None:
    with pytest.raises(BadInput, match="no questions"):
        make_cases(Plan(bot="b"), [], PERSONAS)
    with pytest.raises(BadInput, match="no personas"):
        make_cases(Plan(bot="b"), SCENARIOS, [])
