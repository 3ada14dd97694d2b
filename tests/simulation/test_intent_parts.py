"""An intent is told bit by bit, and only what was asked for."""

from __future__ import annotations

import pytest

from core.base.types import Language, Scenario
from core.simulation.intent_parts import intent_clauses, new_words
from core.text.language import content_words
from core.text.normalize import normalize
from tests.support.simulated_users import EN, JA, answer, asking, user_messages

LOCKER = Scenario(
    id="l",
    question="ロッカーの件です",
    intent="倉庫で働くアルバイトが、退職するときに返すロッカーの鍵の返却先と、鍵をなくした場合の弁償額を知りたい。",
    facts="勤務先: 倉庫; 雇用形態: アルバイト; 状況: 鍵を1本なくした",
    kind="vague",
)
PARCEL = Scenario(
    id="p",
    question="A question about parcels",
    intent="A parcel for the warehouse came back after two weeks, and I want to know how to send it again by train on the cheap tariff.",
    facts="site: warehouse; purpose: send it again; weight: 12 kg",
    kind="vague",
)
MORE = {"ja": "具体的にどのようなことでしょうか。", "en": "What exactly would you like to know?"}


@pytest.mark.parametrize(
    ("intent", "shortest", "clauses"),
    [
        ("退職するときに返すロッカーの鍵の返却先を知りたい", "鍵の返却先を知りたい", 1),
        ("倉庫の鍵を返す場所", "鍵を返す場所", 1),
        ("I want to send a parcel that came back from the warehouse", "I want to send a parcel", 1),
        ("Is it cheaper to send parcels by train if they weigh 12 kg?", "Is it cheaper to send parcels by train?", 1),
        ("A parcel came back, and I want to know how to send it again", "I want to know how to send it again", 2),
        ("How do I sign in on the train?", "How do I sign in on the train?", 1),
        ("refund policy for parcels", "Refund policy", 1),
    ],
)
def test_the_shortest_form_of_an_intent_is_a_whole_sentence(intent: str, shortest: str, clauses: int) -> None:
    found = intent_clauses(intent, "en" if intent.isascii() else "ja")
    assert found[0][0] == shortest and len(found) == clauses


def test_forms_grow_to_the_whole_clause() -> None:
    (forms,) = intent_clauses("退職するときに返すロッカーの鍵の返却先を知りたい", "ja")
    assert forms[-1].startswith("退職する") and list(map(len, forms)) == sorted(map(len, forms))
    assert all(forms[-1].endswith(form) for form in forms)


@pytest.mark.parametrize(("scenario", "language"), [(LOCKER, "ja"), (PARCEL, "en")])
def test_no_reply_to_a_clarifying_question_recites_the_intent(scenario: Scenario, language: Language) -> None:
    intent = set(content_words(scenario.intent))
    for persona in (JA if language == "ja" else EN).values():
        said = user_messages(scenario, persona, *[asking(MORE[language])] * 4, language=language)
        assert len(said) >= 3
        for one in said:
            assert len(intent & set(content_words(one.text))) < 0.8 * len(intent), one.text
        assert len({normalize(one.text) for one in said}) == len(said)


def test_a_bit_names_what_it_is_about_and_not_only_what_is_asked_of_it() -> None:
    scenario = Scenario(id="b", question="郵便のこと", intent="倉庫に届いた小包を送り返す手順と期限を知りたい")
    (said,) = user_messages(scenario, JA["calm"], asking(MORE["ja"]))
    assert "小包" in said.text


def test_the_next_bit_tells_something_that_was_not_said_before() -> None:
    first, second, third = user_messages(PARCEL, EN["calm"], *[asking(MORE["en"])] * 3, language="en")
    assert "I want to know how to send it again" in first.text and "came back" not in first.text
    assert "came back" in second.text and "tariff" not in second.text
    assert "12 kg" in third.text or "warehouse" in third.text


def test_a_choice_is_the_whole_reply() -> None:
    which = asking("ロッカーの何についてでしょうか。", "ロッカーの鍵の返却先", "ロッカーの場所")
    (said,) = user_messages(LOCKER, JA["busy"], which)
    assert said.text.startswith("ロッカーの鍵の返却先") and "弁償" not in said.text and "退職" not in said.text


def test_a_question_for_one_fact_gets_one_fact() -> None:
    (said,) = user_messages(LOCKER, JA["calm"], asking("雇用形態を教えてください。"))
    assert "アルバイト" in said.text and "倉庫" not in said.text and "返却先" not in said.text


def test_who_cannot_pick_a_choice_says_a_bit_of_the_intent() -> None:
    (said,) = user_messages(LOCKER, JA["calm"], asking("どの内容をお知りになりたいですか。", "食堂の献立", "駐輪場"))
    assert "弁償" in said.text or "返却先" in said.text
    assert "食堂" not in said.text and "倉庫" not in said.text


def test_with_nothing_new_to_say_it_gives_up_in_other_words() -> None:
    scenario = Scenario(id="n", question="ロッカー", facts="階: 2階")
    said = user_messages(scenario, JA["calm"], *[asking("何階でしょうか。")] * 5)
    texts = [normalize(one.text) for one in said]
    assert said[-1].ending and len(set(texts)) == len(texts)


def test_a_follow_up_names_a_fact_and_what_it_is_about_but_not_the_whole_intent() -> None:
    wrong = answer("食堂は11時に開きます。[1]")
    first, _ = user_messages(LOCKER, JA["calm"], asking(MORE["ja"]), wrong)
    second = user_messages(LOCKER, JA["calm"], asking(MORE["ja"]), wrong)[1]
    assert second.ending is None and normalize(second.text) != normalize(first.text)
    assert new_words(second.text, f"{LOCKER.question}\n{first.text}") >= 1
    assert len(set(content_words(LOCKER.intent)) & set(content_words(second.text))) < 0.8 * len(
        content_words(LOCKER.intent)
    )


def test_a_question_alone_is_told_once_more_in_a_shorter_form() -> None:
    scenario = Scenario(id="q", question="Is it cheaper to send parcels by train if they weigh 12 kg?")
    first, second = user_messages(scenario, EN["calm"], *[asking(MORE["en"])] * 2, language="en")
    assert "Is it cheaper to send parcels by train?" in first.text and first.ending is None
    assert "don't know" in second.text or "not sure" in second.text
