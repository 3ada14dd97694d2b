"""The simulated user: scenarios, personas, and what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from core.base.bots import bot_ids, load_bot
from core.base.errors import BadInput
from core.base.prompt import Prompt
from core.base.settings import ROOT
from core.base.talk import knows_not
from core.base.types import Bot, Language, Message, Persona, Scenario, UserMessage, Voice
from core.llm.embedded import EmbeddedEngine
from core.user.facts import Fact, asked_for, parse_facts
from core.user.need import bot_asks, choose, met, refuses
from core.user.personas import read_personas, remove_persona, save_persona, write_personas
from core.user.phrase import Saying, say_facts, say_wish
from core.user.say import NextMessage, opening
from core.user.scenarios import (
    decode_csv,
    parse_scenarios,
    read_scenarios,
    scenarios_csv,
    write_scenarios,
)
from core.user.voice import fill

JA = {persona.id: persona for persona in read_personas("ja")}
EN = {persona.id: persona for persona in read_personas("en")}
LEAVE = Scenario(
    id="s1",
    question="休暇について教えてください",
    intent="子の看護等休暇を取れるか知りたい",
    facts="休暇の種類: 子の看護等休暇; 子の年齢: 5歳",
    kind="vague",
)
WHICH = "「休暇」について、どの内容をお知りになりたいですか。"
LEAVES = ("年次有給休暇", "子の看護等休暇", "慶弔休暇")
MEETING = Scenario(
    id="s2",
    question="案件で社外ユーザーと利用する会議システムは何がよいですか",
    intent="社員が、商談で会社が推奨するWeb会議システムを知りたい。",
    facts="目的: 商談; 参加者: 社外の取引先; 参加人数: 8名; 機密案件: いいえ",
    kind="vague",
)
CANCEL = Scenario(
    id="s3",
    question="I want to cancel",
    intent="I want to stop a Pro plan that I bought in the iPhone app.",
    facts="platform: iOS; plan: Pro plan; payment method: App Store",
    kind="vague",
)
FAQ = Scenario(id="s4", question="When can I try to sign in again after too many wrong passwords?")
NOT_FOUND = "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。"


def asking(text: str, *choices: str) -> Message:
    return Message(role="assistant", text=text, asks=True, choices=choices)


def answer(text: str) -> Message:
    return Message(role="assistant", text=text)


def talk(
    scenario: Scenario, persona: Persona, *bot: Message, language: Language = "ja", seed: int = 1
) -> list[UserMessage]:
    """What the person says to each of the bot's messages, until it ends."""
    conversation = [Message(role="user", text=opening(persona, scenario))]
    said: list[UserMessage] = []
    for message in bot:
        conversation.append(message)
        prompt = NextMessage(
            persona=persona, scenario=scenario, conversation=tuple(conversation), language=language, seed=seed
        )
        said.append(EmbeddedEngine().ask(prompt))
        conversation.append(Message(role="user", text=said[-1].text))
        if said[-1].ending:
            break
    return said


def bot_in(folder: Path, questions: str | None = None) -> Bot:
    if questions is not None:
        (folder / "questions.csv").write_text(questions, "utf-8")
    return Bot(id="small", folder=folder, name="Small", language="ja")


# A conversation


@pytest.mark.parametrize("persona", JA.values(), ids=JA)
def test_turn_one_is_the_question_word_for_word(persona: Persona) -> None:
    assert opening(persona, LEAVE) == "休暇について教えてください"


@pytest.mark.parametrize("persona", JA.values(), ids=JA)
def test_everybody_asks_for_the_leave_that_the_intent_names_and_for_no_other(persona: Persona) -> None:
    (said,) = talk(LEAVE, persona, asking(WHICH, *LEAVES))
    assert "子の看護等休暇" in said.text
    assert "年次有給" not in said.text and "慶弔" not in said.text
    assert "5歳" not in said.text
    assert said.ending is None


def test_a_choice_is_found_by_the_part_that_it_shares_with_the_intent() -> None:
    assert choose(LEAVES, "看護休暇は取れるでしょうか", (), "休暇について") == "子の看護等休暇"


def test_no_choice_is_taken_when_none_fits() -> None:
    assert (
        choose(("会議室の機材", "個室ブースの利用"), "応接室を予約する方法を知りたい", ("来客",), "会議室を使いたい")
        == ""
    )
    (said,) = talk(LEAVE, JA["calm"], asking(WHICH, "介護休業", "病気休職"))
    assert "介護" not in said.text and "子の看護等休暇を取れるか知りたい" in said.text


def test_a_fact_is_told_when_it_is_asked_for() -> None:
    said = talk(LEAVE, JA["calm"], asking(WHICH, *LEAVES), asking("お子さまの年齢を教えてください。"))
    assert "子の年齢は5歳です" in said[1].text


def test_only_what_a_question_names_is_told() -> None:
    ask = asking("どのような目的で、どなたとお使いになりますか。")
    (said,) = talk(MEETING, JA["calm"], ask)
    assert "目的は商談です。参加者は社外の取引先です" in said.text
    assert "8名" not in said.text and "機密" not in said.text


def test_a_general_question_brings_out_the_wish_in_the_persons_own_words() -> None:
    (said,) = talk(MEETING, JA["calm"], asking("具体的にどのようなことでお困りですか。"))
    assert "商談で会社が推奨するWeb会議システムを知りたいです" in said.text
    assert "社員が" not in said.text


def test_a_choice_that_is_a_value_on_the_sheet_is_told_as_a_fact() -> None:
    ask = asking("Which plan are you on?", "Free plan", "Plus plan", "Pro plan")
    (said,) = talk(CANCEL, EN["calm"], ask, language="en")
    assert "I'm on the Pro plan" in said.text
    assert "iOS" not in said.text and "App Store" not in said.text


def test_what_the_sheet_does_not_cover_is_not_known_and_the_second_time_it_ends() -> None:
    first, second = talk(
        CANCEL, EN["calm"], asking("What is your order number?"), asking("In which year were you born?"), language="en"
    )
    assert re.search(r"don't know|not sure", first.text)
    assert first.ending is None
    assert re.search(r"don't know|not sure", second.text)
    assert second.ending == "out_of_script"


def test_with_neither_intent_nor_facts_the_question_is_said_again_and_then_no_more_is_known() -> None:
    more = asking("Could you tell me a little more: what are you trying to do?")
    said = talk(FAQ, EN["calm"], more, more, more, language="en")
    assert FAQ.question in said[0].text
    assert [one.ending for one in said] == [None, None, "out_of_script"]


def test_a_choice_that_the_question_itself_names_is_enough() -> None:
    faq = Scenario(id="f", question="38歳の正社員です。人間ドックはいくら補助がありますか")
    (said,) = talk(faq, JA["busy"], asking("雇用形態を教えてください。", "正社員", "契約社員", "パートタイム"))
    assert said.text.startswith("正社員。")


def test_it_ends_with_thanks_when_the_need_is_met() -> None:
    said = talk(LEAVE, JA["calm"], answer("子の看護等休暇は、小学校3年生までの子を育てる社員が取れます。[1]"))
    assert said[-1].ending == "done"
    assert said[-1].text in JA["calm"].voice.done


def test_one_follow_up_while_the_need_is_unmet_then_it_ends() -> None:
    wrong = answer("年次有給休暇は10日です。[1]")
    first, second = talk(LEAVE, JA["wary"], wrong, wrong)
    assert "子の看護等休暇を取れるか知りたいです" in first.text and first.ending is None
    assert second.ending == "done"
    assert second.text in JA["wary"].voice.unmet


def test_a_follow_up_adds_the_next_fact_once_the_wish_is_known() -> None:
    said = talk(
        CANCEL,
        EN["calm"],
        asking("What exactly do you need?"),
        answer("The Free plan has 5 boards. [1]"),
        language="en",
    )
    assert "I'm on iOS. I want to stop a Pro plan" in said[1].text


def test_a_refusal_is_rephrased_once() -> None:
    said = talk(LEAVE, JA["angry"], answer(NOT_FOUND), answer(NOT_FOUND))
    assert "子の看護等休暇" in said[0].text
    assert [one.ending for one in said] == [None, "done"]


def test_out_of_scope_takes_a_refusal_for_an_answer() -> None:
    scenario = Scenario(id="o", question="明日の天気を教えてください", kind="out_of_scope")
    (said,) = talk(scenario, JA["calm"], answer(NOT_FOUND))
    assert said.ending == "done"
    assert said.text in JA["calm"].voice.unmet


def test_out_of_scope_is_never_satisfied_by_an_answer() -> None:
    scenario = Scenario(id="o", question="Apple Watchでノートを見られますか", kind="out_of_scope")
    (said,) = talk(scenario, JA["calm"], answer("Apple Watchの連携を解除すると、ノートを見られません。[1]"))
    assert said.ending is None


def test_an_answer_that_repeats_the_question_and_gives_no_figure_does_not_meet_the_need() -> None:
    need = "出張旅費の精算の期限を知りたい"
    assert met(need, "出張旅費は、帰着した日から7営業日以内に精算してください。 [1]")
    assert not met(need, "出張旅費の精算には領収書が必要です。 [1]")
    assert not met(
        need, "「出張旅費の精算の期限」というご質問としてお答えします。\n\n名刺は総務課が作ります。3日かかります。 [1]"
    )


def test_a_bots_question_is_told_from_an_answer_that_ends_politely() -> None:
    assert bot_asks(answer("どの休暇についてのご質問ですか。"))
    assert not bot_asks(answer("10日です。[1] ほかにご質問はありますか。"))
    assert not bot_asks(answer("You can cancel at any time. Is there anything else I can help you with?"))
    assert refuses("I am sorry, I don't know. I could not find this in the documents I have.")
    assert not refuses("If you don't know your password, press Forgot password. [1]")


@pytest.mark.parametrize(("scenario", "language"), [(LEAVE, "ja"), (MEETING, "ja"), (CANCEL, "en"), (FAQ, "en")])
def test_the_six_sound_different(scenario: Scenario, language: Language) -> None:
    personas = JA if language == "ja" else EN
    more = asking("具体的にどのようなことですか。" if language == "ja" else "Could you tell me more?")
    said = {talk(scenario, persona, more, language=language)[0].text for persona in personas.values()}
    assert len(said) == 6


def test_two_messages_of_one_conversation_do_not_start_alike() -> None:
    for persona in JA.values():
        first, second = talk(LEAVE, persona, asking(WHICH, *LEAVES), asking("お子さまの年齢を教えてください。"))
        assert first.text[:6] != second.text[:6]


def test_seeds_vary_the_wording() -> None:
    more = asking("具体的にどのようなことですか。")
    assert len({talk(LEAVE, JA["angry"], more, seed=seed)[0].text for seed in range(12)}) >= 3


def test_the_same_seed_says_the_same_in_another_process() -> None:
    code = (
        "from core.user.say import NextMessage; from core.user.personas import read_personas;"
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


def test_a_message_costs_less_than_two_milliseconds() -> None:
    answers = [
        answer(f"年次有給休暇は{n}日です。勤続年数によって増え、{n + 3}月に付与されます。" * 4 + "[1]")
        for n in range(40)
    ]
    talk(LEAVE, JA["calm"], answers[0])
    start = time.process_time()
    for one in answers:
        talk(LEAVE, JA["calm"], asking(WHICH, *LEAVES), one)
    assert (time.process_time() - start) / 80 < 0.002


@pytest.mark.parametrize("bot_id", bot_ids())
def test_every_scenario_of_every_bot_can_be_talked_through(bot_id: str) -> None:
    bot = load_bot(bot_id)
    personas = list(read_personas(bot.language))
    more = "具体的にどのようなことでしょうか。" if bot.language == "ja" else "What exactly would you like to know?"
    detail = (
        "利用環境、プラン、目的、状況を教えてください。"
        if bot.language == "ja"
        else "What is your plan, platform and purpose?"
    )
    for number, scenario in enumerate(read_scenarios(bot)):
        said = talk(
            scenario, personas[number % 6], asking(more), asking(detail), answer(NOT_FOUND), language=bot.language
        )
        for one in said:
            assert one.text.strip() and "{" not in one.text
            assert not re.search(r"。。|！。|？。|\?\.|\.\.(?!\.)|か[！]?よ！|です(?:です|んです)|  ", one.text), (
                one.text
            )
            assert _invented_numbers(one.text, scenario) == set(), one.text


def _invented_numbers(text: str, scenario: Scenario) -> set[str]:
    told = f"{scenario.question} {scenario.intent} {scenario.facts}"
    return set(re.findall(r"\d+", text)) - set(re.findall(r"\d+", told))


# Sentences


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (Fact("勤務地", "大阪支社"), "勤務地は大阪支社です"),
        (Fact("状況", "パスワードを忘れた"), "パスワードを忘れたんです"),
        (Fact("認証アプリ", "使えない"), "認証アプリは使えないんです"),
        (Fact("機密案件", "いいえ"), "機密案件ではありません"),
        (Fact("なくしたもの", "スマートフォン"), "なくしたのはスマートフォンです"),
        (Fact("エラーの表示", "E104"), "「E104」と表示されています"),
        (Fact("", "来週から休みます"), "来週から休みます"),
        (Fact("plan", "Pro plan"), "I'm on the Pro plan"),
        (Fact("platform", "iOS"), "I'm on iOS"),
        (Fact("payment method", "App Store"), "I pay through the App Store"),
        (Fact("purpose", "new card"), "It's about a new card"),
        (Fact("purpose", "stop paying, keep the account"), "I want to stop paying and keep the account"),
        (Fact("recovery codes", "none left"), "I have no recovery codes left"),
        (Fact("customers", "5 for one project"), "We have 5 customers for one project"),
        (Fact("old mailbox", "lost"), "My old mailbox is lost"),
        (Fact("", "my phone is broken"), "My phone is broken"),
    ],
)
def test_facts_become_sentences(fact: Fact, sentence: str) -> None:
    language: Language = "en" if (fact.label + fact.value).isascii() else "ja"
    assert say_facts([fact, fact], language).text.startswith(sentence)


@pytest.mark.parametrize(
    ("intent", "sentence"),
    [
        ("契約社員が、退職の申し出の期限を知りたい。", "退職の申し出の期限を知りたいです"),
        ("子の看護等休暇を取れるか", "子の看護等休暇を取れるか知りたいです"),
        ("返金の条件", "返金の条件について知りたいです"),
        ("The customer wants to know the refund deadline", "I want to know the refund deadline"),
        ("How to complain about slow support?", "How do I complain about slow support?"),
        ("how the card is replaced", "I'd like to know how the card is replaced"),
        ("refund policy for yearly plans", "It's about a refund policy for yearly plans"),
    ],
)
def test_an_intent_is_said_by_the_person_himself(intent: str, sentence: str) -> None:
    assert say_wish(intent, "en" if intent.isascii() else "ja").text == sentence


def test_a_fact_sheet_is_read_tolerantly() -> None:
    assert parse_facts("種類: 慶弔休暇；時刻：9:30\n急いでいます;;  ; url: https://x.example") == (
        Fact("種類", "慶弔休暇"),
        Fact("時刻", "9:30"),
        Fact("", "急いでいます"),
        Fact("url", "https://x.example"),
    )
    assert parse_facts("9:30に始まる") == (Fact("", "9:30に始まる"),)
    assert parse_facts(" ;\n ") == ()


def test_a_question_finds_its_fact_by_another_word_for_the_label() -> None:
    facts = parse_facts("目的: 商談; 利用環境: iPhone; 休暇の種類: 慶弔休暇; 参加人数: 8名")
    assert asked_for(facts, "何のためにお使いですか") == (facts[0],)
    assert asked_for(facts, "ご利用の端末を教えてください") == (facts[1],)
    assert asked_for(facts, "どの休暇でしょうか") == (facts[2],)
    assert asked_for(facts, "どの機器でしょうか") == ()
    assert asked_for(facts, "何名で参加されますか") == (facts[3],)


def test_joints_are_smooth() -> None:
    wish, question = Saying("日数を知りたいです", "日数"), Saying("Who can see it?", "Who can see it?")
    assert fill("ですから、{text}よ！", wish, "ja") == "ですから、日数を知りたいんですよ！"
    assert fill("{text}. Hurry up.", question, "en") == "Who can see it? Hurry up."
    assert fill("Look, {text}, okay?", Saying("I'm on iOS", "iOS"), "en") == "Look, I'm on iOS, okay?"
    assert fill("Um, {text}.", Saying("The app fails", "fails"), "en") == "Um, the app fails."


# Voices


@pytest.mark.parametrize("personas", [JA, EN], ids=["ja", "en"])
def test_the_bundled_voices_are_whole(personas: dict[str, Persona]) -> None:
    assert list(personas) == ["angry", "calm", "beginner", "busy", "chatty", "wary"]
    for persona in personas.values():
        assert persona.name and persona.description and persona.profile
        for group, patterns in persona.voice:
            holes = [bool(re.search(r"\{(?:text|bare)\}", pattern)) for pattern in patterns]
            assert len(patterns) >= 3 and all(holes) == any(holes) == (group in ("answer", "follow_up"))


@pytest.mark.parametrize("personas", [JA, EN], ids=["ja", "en"])
def test_i_do_not_know_is_understood_by_the_bot_and_nothing_else_is_taken_for_it(personas: dict[str, Persona]) -> None:
    for persona in personas.values():
        assert all(map(knows_not, persona.voice.unknown)), persona.voice.unknown
        for pattern in (*persona.voice.answer, *persona.voice.follow_up):
            assert not knows_not(re.sub(r"\{\w+\}", "iOS", pattern)), pattern


def test_a_persona_without_a_voice_talks_plainly_and_a_little_as_described() -> None:
    plain = Persona(id="new", name="田中さん")
    hurried = Persona(id="tanaka", name="田中さん", description="いつも忙しい営業担当")
    ask = asking("お子さまの年齢を教えてください。")
    assert "子の年齢は5歳です" in talk(LEAVE, plain, ask)[0].text
    assert "子の年齢は5歳。" in talk(LEAVE, hurried, ask)[0].text
    assert any("手短に" in talk(LEAVE, hurried, ask, seed=seed)[0].text for seed in range(6))


def test_a_voice_with_one_group_gets_the_rest_from_the_plain_one() -> None:
    persona = Persona(id="new", name="N", voice=Voice(answer=("{text}っす。",)))
    said = talk(LEAVE, persona, asking("お子さまの年齢を教えてください。"), answer("子の看護等休暇は取れます。[1]"))
    assert said[0].text == "子の年齢は5歳ですっす。"
    assert said[1].ending == "done" and said[1].text


def test_a_japanese_persona_speaks_english_to_an_english_bot() -> None:
    (said,) = talk(CANCEL, JA["angry"], asking("Which plan are you on?"))
    assert "I'm on the Pro plan" in said.text and said.text.isascii()


def test_patterns_that_people_wrote_with_odd_braces_are_said_as_they_are() -> None:
    persona = Persona(id="odd", name="O", voice=Voice(answer=("{text} {name} {",)))
    assert (
        talk(CANCEL, persona, asking("Which plan are you on?"), language="en")[0].text == "I'm on the Pro plan {name} {"
    )


# The prompt for a model


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


# Scenarios


def test_scenarios_come_back_as_they_were_written(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)
    scenarios = [
        LEAVE.model_copy(
            update={"needs_asking": True, "persona": "angry", "reference": '「はい」, と"答える"\n二行目'}
        ),
        Scenario(id="f", question="=1+1", facts="=SUM(A1:A9); @x: +3", needs_asking=False),
        FAQ,
    ]
    write_scenarios(bot, scenarios)
    assert read_scenarios(bot) == scenarios
    assert parse_scenarios(scenarios_csv(scenarios)) == scenarios


@pytest.mark.parametrize("bot_id", bot_ids())
def test_the_bundled_scenarios_round_trip(bot_id: str) -> None:
    scenarios = read_scenarios(load_bot(bot_id))
    assert len(scenarios) >= 40
    assert parse_scenarios(scenarios_csv(scenarios)) == scenarios


def test_a_bot_without_questions_has_no_scenarios(tmp_path: Path) -> None:
    assert read_scenarios(bot_in(tmp_path)) == []


def test_only_the_question_is_needed_and_ids_are_made() -> None:
    scenarios = parse_scenarios("\ufeffQuestion , 備考,id\r\nA?,x,\r\n\r\nB?,y,q001\r\nC?,,\r\n")
    assert [(one.id, one.question, one.kind, one.needs_asking) for one in scenarios] == [
        ("q002", "A?", "faq", None),
        ("q001", "B?", "faq", None),
        ("q003", "C?", "faq", None),
    ]


def test_semicolons_and_tabs_are_understood() -> None:
    assert parse_scenarios("question;kind\nA, B?;vague\n")[0].question == "A, B?"
    assert parse_scenarios("id\tquestion\nx\tA?\n")[0].id == "x"


@pytest.mark.parametrize(
    ("cell", "value"), [("yes", True), ("はい", True), ("FALSE", False), ("いいえ", False), ("", None)]
)
def test_needs_asking_is_read_in_both_languages(cell: str, value: bool | None) -> None:
    assert parse_scenarios(f"question,needs_asking\nA?,{cell}\n")[0].needs_asking is value


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("text,kind\nA?,faq\n", "no_question_column", "text, kind"),
        ("", "no_question_column", "nothing"),
        ("question,kind\nA?,faq\nB?,quiz\n", "broken_questions", "Row 3 .*'quiz'.*faq, vague, consultation"),
        ("question,kind\n,faq\n", "broken_questions", "Row 2 .*empty"),
        ("question,kind\nA, B and C?,x,faq\n", "broken_questions", "Row 2 .*4 cells"),
        ("question,needs_asking\nA?,perhaps\n", "broken_questions", "perhaps"),
        ("id,question\nx,A?\nx,B?\n", "duplicate_id", "'x'"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_one_sentence(text: str, key: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        parse_scenarios(text)
    assert caught.value.key == key


def test_a_shift_jis_file_is_named_as_such() -> None:
    with pytest.raises(BadInput, match="Shift_JIS") as caught:
        decode_csv("question\n休暇について\n".encode("cp932"))
    assert caught.value.key == "csv_not_utf8"


def test_saving_keeps_other_columns_and_refuses_before_it_writes(tmp_path: Path) -> None:
    bot = bot_in(tmp_path, "id,owner,question\nx,Ann,A?\ny,Bob,B?\n")
    kept = read_scenarios(bot)
    write_scenarios(bot, [kept[1], Scenario(id="", question="C?")])
    lines = (tmp_path / "questions.csv").read_text("utf-8").splitlines()
    assert lines[0].endswith(",owner") and lines[1].startswith("y,B?") and lines[1].endswith(",Bob")
    with pytest.raises(BadInput):
        write_scenarios(bot, [Scenario(id="z", question=" ")])
    assert [one.id for one in read_scenarios(bot)] == ["y", "q002"]


# Personas

FILE = """# kept comment
[[personas]]
id = "ann"  # also kept
[personas.ja]
name = "アン"
[personas.ja.voice]
answer = ["{text}だよ。"]
[personas.en]
name = "Ann"
[[personas]]
id = "bob"
[personas.ja]
name = "ボブ"
"""


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    (tmp_path / "personas.toml").write_text(FILE, "utf-8")
    return tmp_path


def test_a_change_in_one_language_leaves_the_other_and_the_comments(knowledge: Path) -> None:
    ann, bob = read_personas("ja", knowledge=knowledge)
    write_personas([ann.model_copy(update={"name": "アンナ"}), bob], "ja", knowledge=knowledge)
    source = (knowledge / "personas.toml").read_text("utf-8")
    assert "# kept comment" in source and "# also kept" in source
    assert [one.name for one in read_personas("ja", knowledge=knowledge)] == ["アンナ", "ボブ"]
    assert [one.name for one in read_personas("en", knowledge=knowledge)] == ["Ann", "ボブ"]
    assert read_personas("ja", knowledge=knowledge)[0].voice.answer == ("{text}だよ。",)


def test_personas_are_added_and_removed(knowledge: Path) -> None:
    new = Persona(id="zoe_2", name='ゾエ "Z"', description="話し好き\n二行目", voice=Voice(done=("どうも。",)))
    save_persona(new, "ja", knowledge=knowledge)
    assert read_personas("ja", knowledge=knowledge)[-1] == new
    remove_persona("bob", knowledge=knowledge)
    write_personas(
        [one for one in read_personas("ja", knowledge=knowledge) if one.id != "ann"], "ja", knowledge=knowledge
    )
    assert [one.id for one in read_personas("en", knowledge=knowledge)] == ["zoe_2"]
    with pytest.raises(BadInput, match="zoe_2"):
        remove_persona("bob", knowledge=knowledge)


def test_a_bot_brings_its_own_and_the_shared_file_stays(knowledge: Path) -> None:
    folder = knowledge / "small"
    folder.mkdir()
    bot = bot_in(folder)
    shared = (knowledge / "personas.toml").read_text("utf-8")
    own = [*read_personas("ja", bot, knowledge), Persona(id="cy", name="サイ")]
    own[0] = own[0].model_copy(update={"name": "別のアン"})
    write_personas(own, "ja", bot, knowledge)
    assert (knowledge / "personas.toml").read_text("utf-8") == shared
    assert [one.name for one in read_personas("ja", bot, knowledge)] == ["別のアン", "ボブ", "サイ"]
    assert "bob" not in (folder / "personas.toml").read_text("utf-8")


def test_writing_what_was_read_changes_nothing(tmp_path: Path) -> None:
    source = (ROOT / "knowledge" / "personas.toml").read_text("utf-8")
    (tmp_path / "personas.toml").write_text(source, "utf-8")
    for language in ("ja", "en"):
        write_personas(read_personas(language, knowledge=tmp_path), language, knowledge=tmp_path)
    assert (tmp_path / "personas.toml").read_text("utf-8") == source


@pytest.mark.parametrize(
    ("source", "key", "says"),
    [
        ("[[personas]\n", "broken_personas", "line 1"),
        ('[[personas]]\nid = "a"\n', "broken_personas", "persona 1"),
        ('[[personas]]\nid = "A b"\n[personas.ja]\nname="x"\n', "broken_personas", "A b"),
        ('[[personas]]\nid = "a"\n[personas.ja]\nnick="x"\n', "broken_personas", "ja"),
        (
            '[[personas]]\nid="a"\n[personas.ja]\nname="x"\n[[personas]]\nid="a"\n[personas.ja]\nname="y"\n',
            "duplicate_id",
            "'a'",
        ),
    ],
)
def test_a_broken_persona_file_is_told_in_one_sentence(tmp_path: Path, source: str, key: str, says: str) -> None:
    (tmp_path / "personas.toml").write_text(source, "utf-8")
    with pytest.raises(BadInput, match=says) as caught:
        read_personas("ja", knowledge=tmp_path)
    assert caught.value.key == key


@pytest.mark.parametrize(
    "persona", [Persona(id="No Good", name="x"), Persona(id="", name="x"), Persona(id="ok", name=" ")]
)
def test_a_persona_needs_an_id_and_a_name(knowledge: Path, persona: Persona) -> None:
    with pytest.raises(BadInput):
        save_persona(persona, "ja", knowledge=knowledge)
    assert (knowledge / "personas.toml").read_text("utf-8") == FILE
