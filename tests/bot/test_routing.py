"""The routing table, row by row."""

import pytest

from core.base.types import Assessment, ClarifySettings, Route
from core.bot.clarify.routing import route_by_rules, thresholds

PLAIN = ClarifySettings()


def assessed(clarity: int, question: int, consultation: int, docs: int, **texts: str) -> Assessment:
    return Assessment(
        clarity=clarity,
        is_question=question,
        is_consultation=consultation,
        in_internal_docs=docs,
        ask_person=5,
        ask_missing_info=texts.get("missing", ""),
        res_consultation=texts.get("draw", ""),
        ask_user_meta_info=texts.get("meta", ""),
    )


@pytest.mark.parametrize(
    ("given", "row", "ask"),
    [
        (assessed(3, 5, 2, 5, draw="why?"), 1, "why?"),
        (assessed(3, 1, 1, 1, draw="why?", missing="which?"), 1, "why?"),
        (assessed(2, 2, 3, 5, missing="which?", draw="why?"), 2, "which?"),
        (assessed(5, 2, 5, 5, missing="which?"), 2, "which?"),
        (assessed(3, 1, 1, 1, missing="which?"), 2, "which?"),
        (assessed(3, 3, 5, 1, missing="which?"), 3, ""),
        (assessed(3, 1, 1, 1), 3, ""),
        (assessed(1, 1, 2, 2, draw="why?"), 4, ""),
        (assessed(1, 1, 1, 3, draw="why?"), 5, "why?"),
        (assessed(1, 1, 1, 3), 6, ""),
        (assessed(1, 1, 3, 1, missing="which?", draw="why?"), 6, ""),
    ],
)
def test_the_first_row_that_fits_fires(given: Assessment, row: int, ask: str):
    chosen = route_by_rules(given, PLAIN)
    assert (chosen.rule, chosen.ask, chosen.decision) == (row, ask, "ask" if ask else "search")


@pytest.mark.parametrize("score", range(1, 6))
def test_every_combination_of_scores_has_a_row_and_asks_only_what_was_written(score: int):
    for clarity in range(1, 6):
        for consultation in range(1, 6):
            for docs in range(1, 6):
                chosen = route_by_rules(assessed(clarity, score, consultation, docs, missing="m", draw="d"), PLAIN)
                assert (chosen.rule <= 3) == (clarity > 1)
                assert chosen.ask in {"", "m", "d"}
                assert (chosen.decision == "ask") == bool(chosen.ask)


def test_a_question_about_the_person_is_asked_where_nothing_else_is():
    assert route_by_rules(assessed(1, 1, 5, 1, meta="which office?"), PLAIN).ask == "which office?"
    assert route_by_rules(assessed(1, 1, 5, 1, meta="which office?"), PLAIN).reason == "profile"
    assert route_by_rules(assessed(3, 1, 5, 1, missing="m", meta="which office?"), PLAIN).ask == "m"


def test_after_the_last_question_the_bot_searches_and_says_that_something_stayed_open():
    unclear = assessed(4, 1, 5, 1, missing="which?")
    assert route_by_rules(unclear, PLAIN, asked=1).decision == "ask"
    assert route_by_rules(unclear, PLAIN, asked=2) == Route(
        rule=2, decision="search", limit_reached=True, left_open="intent"
    )
    about_the_person = assessed(1, 1, 5, 1, meta="which office?")
    assert route_by_rules(about_the_person, PLAIN, asked=2).left_open == "attribute"
    assert route_by_rules(about_the_person, PLAIN, asked=1).left_open == ""
    never = ClarifySettings(max_questions=0)
    assert route_by_rules(unclear, never).decision == "search"


def test_a_low_ask_person_names_whom_to_contact_whatever_follows():
    wants_a_person = assessed(1, 1, 5, 1).model_copy(update={"ask_person": 2})
    assert route_by_rules(wants_a_person, PLAIN).name_contact
    assert route_by_rules(wants_a_person.model_copy(update={"ask_missing_info": "m", "clarity": 3}), PLAIN).name_contact
    assert not route_by_rules(assessed(1, 1, 5, 1), PLAIN).name_contact


def test_the_thresholds_are_settings_of_the_bot():
    unclear = assessed(2, 3, 5, 5, missing="which?")
    assert route_by_rules(unclear, PLAIN).rule == 3
    assert route_by_rules(unclear, ClarifySettings(score_threshold=3)).rule == 2
    assert route_by_rules(unclear, ClarifySettings(clarity_threshold=2)).rule == 6


def test_patience_moves_the_bounds():
    unclear = assessed(3, 1, 3, 5, missing="which?", draw="why?")
    assert route_by_rules(unclear, PLAIN, "at_once").decision == "search"
    assert route_by_rules(unclear, PLAIN, "balanced").ask == "which?"
    assert route_by_rules(unclear, PLAIN, "talk").ask == "why?"
    assert thresholds(PLAIN, "at_once") == (3, 1)
    assert thresholds(ClarifySettings(clarity_threshold=5, score_threshold=0), "at_once") == (5, 0)
