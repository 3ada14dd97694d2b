"""The simulated user: what a person says, and when they end the conversation."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from jinja2 import UndefinedError

from core.base.bot_folder import bot_ids, load_bot
from core.base.prompt import Prompt
from core.base.settings import ROOT
from core.base.types import Language, Message, Persona, Scenario, UserMessage
from core.simulation.bot_reply import asks_user, choose_option, refuses, without_sources
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.simulation.simulated_user import NextMessage
from tests.support.simulated_users import (
    CANCEL,
    EN,
    FAQ,
    JA,
    LEAVE,
    LEAVES,
    MEETING,
    NOT_FOUND,
    WHICH,
    answer,
    asking,
    user_messages,
)


@pytest.mark.parametrize("persona", JA.values(), ids=JA)
def test_turn_one_is_the_question_word_for_word(persona: Persona) -> None:
    assert (
        NextMessage(persona=persona, scenario=LEAVE, conversation=()).without_model().text
        == "休暇について教えてください"
    )


@pytest.mark.parametrize("persona", JA.values(), ids=JA)
def test_everybody_asks_for_the_leave_that_the_intent_names_and_for_no_other(persona: Persona) -> None:
    (said,) = user_messages(LEAVE, persona, asking(WHICH, *LEAVES))
    assert "子の看護等休暇" in said.text
    assert "年次有給" not in said.text and "慶弔" not in said.text
    assert "5歳" not in said.text
    assert said.ending is None


def test_a_choice_is_found_by_the_part_that_it_shares_with_the_intent() -> None:
    assert choose_option(LEAVES, "看護休暇は取れるでしょうか", (), "休暇について") == "子の看護等休暇"


def test_no_choice_is_taken_when_none_fits() -> None:
    assert (
        choose_option(
            ("会議室の機材", "個室ブースの利用"), "応接室を予約する方法を知りたい", ("来客",), "会議室を使いたい"
        )
        == ""
    )
    (said,) = user_messages(LEAVE, JA["calm"], asking(WHICH, "介護休業", "病気休職"))
    assert "介護" not in said.text and "子の看護等休暇を取れるか知りたい" in said.text


def test_a_fact_is_given_when_it_is_asked_for() -> None:
    said = user_messages(LEAVE, JA["calm"], asking(WHICH, *LEAVES), asking("お子さまの年齢を教えてください。"))
    assert "子の年齢は5歳です" in said[1].text


def test_only_facts_that_a_question_names_are_given() -> None:
    ask = asking("どのような目的で、どなたとお使いになりますか。")
    (said,) = user_messages(MEETING, JA["calm"], ask)
    assert "目的は商談です。参加者は社外の取引先です" in said.text
    assert "8名" not in said.text and "機密" not in said.text


def test_a_general_question_brings_out_the_wish_in_the_persons_own_words() -> None:
    (said,) = user_messages(MEETING, JA["calm"], asking("具体的にどのようなことでお困りですか。"))
    assert "会社が推奨するWeb会議システムを知りたいです" in said.text
    assert "社員が" not in said.text


def test_a_choice_that_is_a_value_on_the_sheet_is_given_as_a_fact() -> None:
    ask = asking("Which plan are you on?", "Free plan", "Plus plan", "Pro plan")
    (said,) = user_messages(CANCEL, EN["calm"], ask, language="en")
    assert "I'm on the Pro plan" in said.text
    assert "iOS" not in said.text and "App Store" not in said.text


def test_what_the_sheet_does_not_cover_is_not_known_and_the_second_time_it_ends() -> None:
    first, second = user_messages(
        CANCEL, EN["calm"], asking("What is your order number?"), asking("In which year were you born?"), language="en"
    )
    assert re.search(r"don't know|not sure", first.text)
    assert first.ending is None
    assert re.search(r"don't know|not sure", second.text)
    assert second.ending == "out_of_script"


def test_with_neither_intent_nor_facts_a_shorter_question_is_said_and_then_no_more_is_known() -> None:
    asked_further = asking("Could you tell me a little more: what are you trying to do?")
    said = user_messages(FAQ, EN["calm"], asked_further, asked_further, asked_further, language="en")
    assert "When can I try to sign in again?" in said[0].text
    assert [one.ending for one in said] == [None, None, "out_of_script"]


def test_a_choice_that_the_question_itself_names_is_enough() -> None:
    faq = Scenario(id="f", question="38歳の正社員です。人間ドックはいくら補助がありますか")
    (said,) = user_messages(faq, JA["busy"], asking("雇用形態を教えてください。", "正社員", "契約社員", "パートタイム"))
    assert said.text.startswith("正社員。")


def test_it_ends_with_thanks_when_the_need_is_met() -> None:
    said = user_messages(LEAVE, JA["calm"], answer("子の看護等休暇は、小学校3年生までの子を育てる社員が取れます。[1]"))
    assert said[-1].ending == "done"
    assert said[-1].text in JA["calm"].voice.done


def test_one_follow_up_while_the_need_is_unmet_then_it_ends() -> None:
    wrong = answer("年次有給休暇は10日です。[1]")
    first, second = user_messages(LEAVE, JA["wary"], wrong, wrong)
    assert "子の看護等休暇を取れるか知りたいです" in first.text and first.ending is None
    assert second.ending == "gave_up"
    assert second.text in JA["wary"].voice.unmet


def test_a_follow_up_adds_the_next_fact_once_the_wish_is_known() -> None:
    said = user_messages(
        CANCEL,
        EN["calm"],
        asking("What exactly do you need?"),
        answer("The Free plan has 5 boards. [1]"),
        language="en",
    )
    assert "I'm on iOS. I want to stop a Pro plan" in said[1].text


def test_a_refusal_is_rephrased_once() -> None:
    said = user_messages(LEAVE, JA["angry"], answer(NOT_FOUND), answer(NOT_FOUND))
    assert "子の看護等休暇" in said[0].text
    assert [one.ending for one in said] == [None, "gave_up"]


def test_a_topic_that_a_refusal_offers_is_picked_if_it_fits() -> None:
    refusal = Message(role="assistant", text=NOT_FOUND, choices=("結婚休暇の日数", "年次有給休暇"))
    scenario = LEAVE.model_copy(update={"question": "年次有給休暇", "intent": "年次有給休暇の日数を知りたい"})
    before = (Message(role="user", text="休みは何日ですか"), refusal)
    said = NextMessage(persona=JA[next(iter(JA))], scenario=scenario, conversation=before).without_model()
    assert said.ending is None and "年次有給休暇" in said.text
    beyond = scenario.model_copy(update={"kind": "out_of_scope"})
    assert NextMessage(persona=JA[next(iter(JA))], scenario=beyond, conversation=before).without_model().ending


def test_out_of_scope_takes_a_refusal_for_an_answer() -> None:
    scenario = Scenario(id="o", question="明日の天気を教えてください", kind="out_of_scope")
    (said,) = user_messages(scenario, JA["calm"], answer(NOT_FOUND))
    assert said.ending == "gave_up"
    assert said.text in JA["calm"].voice.unmet


def test_out_of_scope_is_never_satisfied_by_an_answer() -> None:
    scenario = Scenario(id="o", question="Apple Watchでノートを見られますか", kind="out_of_scope")
    (said,) = user_messages(scenario, JA["calm"], answer("Apple Watchの連携を解除すると、ノートを見られません。[1]"))
    assert said.ending == "gave_up"


def test_a_bots_question_differs_from_an_answer_that_ends_politely() -> None:
    assert asks_user(answer("どの休暇についてのご質問ですか。"))
    assert not asks_user(answer("10日です。[1] ほかにご質問はありますか。"))
    assert not asks_user(answer("You can cancel at any time. Is there anything else I can help you with?"))
    assert refuses("I am sorry, I don't know. I could not find this in the documents I have.")
    assert not refuses("If you don't know your password, press Forgot password. [1]")


@pytest.mark.parametrize(("scenario", "language"), [(LEAVE, "ja"), (MEETING, "ja"), (CANCEL, "en"), (FAQ, "en")])
def test_the_six_sound_different(scenario: Scenario, language: Language) -> None:
    personas = JA if language == "ja" else EN
    asked_further = asking("具体的にどのようなことですか。" if language == "ja" else "Could you tell me more?")
    said = {user_messages(scenario, persona, asked_further, language=language)[0].text for persona in personas.values()}
    assert len(said) == 6


def test_two_messages_of_one_conversation_do_not_start_alike() -> None:
    for persona in JA.values():
        first, second = user_messages(
            LEAVE, persona, asking(WHICH, *LEAVES), asking("お子さまの年齢を教えてください。")
        )
        assert first.text[:6] != second.text[:6]


def test_seeds_vary_the_wording() -> None:
    asked_further = asking("具体的にどのようなことですか。")
    assert len({user_messages(LEAVE, JA["angry"], asked_further, seed=seed)[0].text for seed in range(12)}) >= 3


@pytest.mark.slow
def test_the_same_seed_says_the_same_in_another_process() -> None:
    code = (
        "from core.simulation.simulated_user import NextMessage; from core.simulation.personas import read_personas;"
        "from core.base.types import Message, Scenario; import sys;"
        "c=(Message(role='user',text='休暇について'),Message(role='assistant',text='詳しく教えてください。',asks=True));"
        "s=Scenario(id='x',question='休暇について',intent='休暇の日数を知りたい');"
        "t=[NextMessage(persona=p,scenario=s,conversation=c,seed=7).without_model().text for p in read_personas('ja')];"
        "sys.stdout.buffer.write('|'.join(t).encode())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != b""


@pytest.mark.parametrize("bot_id", bot_ids())
def test_every_scenario_of_every_bot_gives_a_conversation(bot_id: str) -> None:
    bot = load_bot(bot_id)
    personas = list(read_personas(bot.language))
    asked_further = (
        "具体的にどのようなことでしょうか。" if bot.language == "ja" else "What exactly would you like to know?"
    )
    detail = (
        "利用環境、プラン、目的、状況を教えてください。"
        if bot.language == "ja"
        else "What is your plan, platform and purpose?"
    )
    for number, scenario in enumerate(read_scenarios(bot)):
        said = user_messages(
            scenario,
            personas[number % 6],
            asking(asked_further),
            asking(detail),
            answer(NOT_FOUND),
            language=bot.language,
        )
        for one in said:
            assert one.text.strip() and "{" not in one.text
            assert not re.search(r"。。|！。|？。|\?\.|\.\.(?!\.)|か[！]?よ！|です(?:です|んです)|  ", one.text), (
                one.text
            )
            assert _invented_numbers(one.text, scenario) == set(), one.text


def _invented_numbers(text: str, scenario: Scenario) -> set[str]:
    shown_text = f"{scenario.question} {scenario.intent} {scenario.facts}"
    return set(re.findall(r"\d+", text)) - set(re.findall(r"\d+", shown_text))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_prompt_shows_who_what_and_what_was_said(language: Language) -> None:
    conversation = (Message(role="user", text=LEAVE.question), asking(WHICH, *LEAVES))
    text = NextMessage(persona=JA["wary"], scenario=LEAVE, conversation=conversation, language=language).render(
        language
    )
    for part in (JA["wary"].profile, LEAVE.intent, LEAVE.facts, LEAVE.question, WHICH, "慶弔休暇", "out_of_script"):
        assert part in text
    assert LEAVE.kind not in text


def test_the_reply_is_a_message_with_its_state() -> None:
    assert NextMessage.reply_type() is UserMessage
    assert issubclass(NextMessage, Prompt)
    with pytest.raises(UndefinedError):
        NextMessage.model_construct(persona=None, scenario=LEAVE, conversation=(), language="ja", seed=0).render("ja")


def test_who_has_said_everything_gives_up_instead_of_repeating_it() -> None:
    scenario = Scenario(id="r", question="来客の駐車はできますか", kind="faq")
    (said,) = user_messages(scenario, JA["calm"], answer("社員証の再発行には3営業日かかります。[1]"))
    assert said.ending == "gave_up" and scenario.question not in said.text


@pytest.mark.parametrize(
    "mark", ["[1]", "[1, 2]", "［1］", "【1】", "[資料1]", "（資料1）", "(source 1)", "[1†refund.md]"]
)
def test_every_way_to_write_a_citation_counts_as_one(mark: str) -> None:
    refusing = f"その内容は資料に見つかりませんでしたが、返金は14日以内です。{mark}"
    assert refuses(refusing.removesuffix(mark)) and not refuses(refusing)
    assert not asks_user(answer(f"返金は14日以内です。{mark} よろしいでしょうか。"))
    assert without_sources(f"返金についてお答えします。\n\n返金は14日以内です。{mark}") == "返金は14日以内です。"


@pytest.mark.parametrize("text", ["[1](https://example.com)", "（14日以内）", "(1)", "第3条(2)"])
def test_what_only_looks_like_a_citation_counts_as_none(text: str) -> None:
    assert refuses(f"その内容は資料に見つかりませんでした{text}。")
