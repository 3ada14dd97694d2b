"""What a bot knows of a person beforehand: by name, from personas and scenarios, told before a run begins."""

from __future__ import annotations

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import Bot, Profile, ProfileField
from core.bot.profile import parse_profile, profile_of
from core.bot.profile_values import named_values, values_left_out
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.simulation.personas import read_personas, write_personas
from core.simulation.scenarios import read_scenarios, write_scenarios
from core.store.store import Store

FIELD = ProfileField(name="雇用区分", question="雇用区分はどれですか。", values=("正社員", "契約社員"))


@pytest.fixture
def bot(bot: Bot) -> Bot:
    return bot.model_copy(update={"profile_fields": (FIELD,)})


def test_a_later_text_stands_before_an_earlier_one(bot: Bot) -> None:
    found = parse_profile(bot, "office=東京; age＝34", "office=大阪\n雇用区分=契約社員")
    assert found == Profile(office="大阪", age="34", details={"雇用区分": "契約社員"})
    assert found.text() == "office: 大阪 / age: 34 / 雇用区分: 契約社員"


@pytest.mark.parametrize("values", [{"shoe": "42"}, {"patience": "endless"}])
def test_what_a_bot_knows_nothing_of_is_named_with_what_it_knows(bot: Bot, values: dict[str, str]) -> None:
    with pytest.raises(BadInput) as raised:
        profile_of(values, bot)
    assert ("雇用区分" in str(raised.value)) is ("shoe" in values)


def test_personas_and_scenarios_keep_what_is_known_of_them(bot: Bot) -> None:
    people = [one.model_copy(update={"known": "office=大阪"}) for one in read_personas("ja", bot)]
    write_personas(people, "ja")
    assert read_personas("ja", bot) == people
    scenarios = [one.model_copy(update={"known": "age=34"}) for one in read_scenarios(bot)]
    write_scenarios(bot, scenarios)
    assert read_scenarios(bot) == scenarios
    write_scenarios(bot, [one.model_copy(update={"known": ""}) for one in scenarios])
    assert not any(one.known for one in read_scenarios(bot))


def test_a_mistake_in_what_is_known_is_told_before_a_run_begins(bot: Bot, store: Store, small_indexes: Indexes) -> None:
    write_scenarios(bot, [one.model_copy(update={"known": "shoe=42"}) for one in read_scenarios(bot)])
    with Runner(store, small_indexes, EmbeddedEngine()) as runner:
        with pytest.raises(BadInput, match="shoe"):
            runner.start(Plan(bot="komachi"))
        assert store.runs.all() == [] and load_bot("komachi")


def test_a_value_that_is_denied_is_not_named():
    role = ProfileField(name="役職", question="どちら？", values=("課長", "部長以上"))
    plan = ProfileField(name="plan", question="Which?", values=("Free plan", "Plus plan"))
    assert named_values(role, "月いくらまで使えますか。課長ではないです") == frozenset()
    assert named_values(role, "部長じゃなくて課長です") == {"課長"}
    assert named_values(plan, "we are not on the Free plan") == frozenset()
    assert named_values(plan, "we are not on the Free plan, we are on the Plus plan") == {"Plus plan"}


GROUPS = ProfileField(name="group", question="?", values=("正社員", "派遣スタッフ", "パートタイム", "部長以上"))


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("私は派遣です", {"派遣スタッフ"}),
        ("それって派遣でも?", {"派遣スタッフ"}),
        ("派遣の場合はどうなりますか", {"派遣スタッフ"}),
        ("派遣は?", {"派遣スタッフ"}),
        ("パートなんですけど", {"パートタイム"}),
        ("派遣会社に連絡した", set[str]()),
        ("承認するのは本部長です", set[str]()),
    ],
)
def test_people_call_themselves_by_the_first_word_of_a_value(said: str, named: set[str]) -> None:
    assert named_values(GROUPS, said) == named


def test_a_text_for_several_groups_leaves_out_that_of_the_user() -> None:
    text = "正社員とパートタイムは、月に2回使えます。"
    assert values_left_out((GROUPS,), ("私は派遣です",), text) == (("派遣スタッフ",), ("正社員", "パートタイム"))
    assert values_left_out((GROUPS,), ("何回ですか", "パートです"), text) == ((), ())
    assert values_left_out((GROUPS,), ("私は派遣です",), f"{text}派遣スタッフは使えません。") == ((), ())
    assert values_left_out((GROUPS,), ("私は派遣です",), f"{text}派遣社員は使えません。") == ((), ())
    assert values_left_out((GROUPS,), ("私は派遣です",), f"{text}全員が対象です。") == ((), ())
    assert values_left_out((GROUPS,), ("私は派遣です",), f"{text}その他の方は1回です。") == ((), ())
    assert values_left_out((GROUPS,), ("私は派遣です",), "正社員は月に2回使えます。") == ((), ())
    assert values_left_out((GROUPS,), ("何回ですか",), text) == ((), ())
