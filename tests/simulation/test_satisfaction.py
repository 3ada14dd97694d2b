"""When the simulated user has what was wanted, and when not."""

from __future__ import annotations

import pytest

from core.base.types import Scenario
from core.simulation.simulated_user import intent_of, is_satisfied
from tests.support.simulated_users import NOT_FOUND


def wants(intent: str, reference: str = "", question: str = "相談があります") -> Scenario:
    return Scenario(id="c", question=question, intent=intent, reference=reference)


@pytest.mark.parametrize(
    ("intent", "enough", "beside"),
    [
        (
            "出張旅費の精算の期限を知りたい",
            "出張旅費は、帰着した日から7営業日以内に精算してください。 [1]",
            "出張旅費の精算には領収書が必要です。 [1]",
        ),
        (
            "I want to know how much a spare badge costs",
            "A spare badge costs 12 dollars. [1]",
            "A spare badge is made at the front desk. [1]",
        ),
        (
            "who approves a guest badge, I want to know who is responsible for it",
            "The facility desk approves each guest badge. [1]",
            "A guest badge is approved within the hour, and it is yellow. [1]",
        ),
        (
            "駐輪場の申し込みの手順を知りたい",
            "駐輪場は、画面の「総務」を開いて申し込みを押します。 [1]",
            "駐輪場の申し込みは、多くの社員に好評です。 [1]",
        ),
    ],
)
def test_an_answer_says_the_kind_of_thing_that_was_asked_for(intent: str, enough: str, beside: str) -> None:
    assert is_satisfied(wants(intent), enough)
    assert not is_satisfied(wants(intent), beside)


def test_an_answer_that_only_repeats_the_question_before_its_sources_is_beside_the_point() -> None:
    said = "「出張旅費の精算の期限」というご質問としてお答えします。\n\n名刺は総務課が作ります。3日かかります。 [1]"
    assert not is_satisfied(wants("出張旅費の精算の期限を知りたい"), said)


def test_with_a_reference_another_figure_of_the_same_kind_does_not_do() -> None:
    scenario = wants("ロッカーの鍵の再発行にかかる日数を知りたい", "鍵の再発行には4営業日かかります。")
    assert is_satisfied(scenario, "ロッカーの鍵の再発行は、申し込みから4営業日です。 [1]")
    assert not is_satisfied(scenario, "ロッカーの鍵の再発行は、申し込みから9営業日です。 [1]")


def test_the_number_of_a_step_is_no_figure_of_the_reference() -> None:
    scenario = wants("How many spare keys can I have for a locker?", "You can have up to 2 spare keys.")
    assert not is_satisfied(scenario, "1. Open Lockers.\n2. Choose spare keys for your locker. [1]")
    assert is_satisfied(scenario, "Each locker can have up to 2 spare keys. [1]")


def test_a_figure_that_the_person_named_themselves_is_no_answer() -> None:
    scenario = wants("I want to know the fee for 3 lockers", "The fee is 15 dollars a month.")
    assert not is_satisfied(scenario, "The fee for 3 lockers depends on their size. [1]")


def test_without_a_figure_most_words_of_the_reference_are_said() -> None:
    scenario = wants("I want to know how to return a locker", "Empty it, lock it and hand the key to the porter.")
    assert is_satisfied(scenario, "To return a locker, empty it, lock it, and hand the key to the porter. [1]")
    assert not is_satisfied(scenario, "To return a locker, choose Return in the menu. [1]")


def test_a_refusal_never_does() -> None:
    assert not is_satisfied(wants("ロッカーの鍵を知りたい", "申し訳ありません、わかりません。"), NOT_FOUND)


def test_a_scenario_with_a_question_only_wants_what_the_question_asks() -> None:
    scenario = Scenario(id="q", question="こんにちは、総務の森です。ロッカーの鍵はいくらですか。")
    assert intent_of(scenario) == "ロッカーの鍵はいくらですか。"
    assert is_satisfied(scenario, "ロッカーの鍵は800円です。 [1]")
    assert not is_satisfied(scenario, "ロッカーの鍵は総務課で受け取ります。 [1]")
