"""How facts and wishes become sentences, and how each persona's voice says them."""

from __future__ import annotations

import re

import pytest

from core.base.types import Language, Persona, Voice
from core.simulation.facts import asked_for
from core.simulation.voice import Utterance, fill_pattern, phrase_facts, phrase_intent
from core.text.fact_sheet import Fact, is_stated, parse_facts
from core.text.reactions import says_unknown
from tests.support.simulated_users import CANCEL, EN, JA, LEAVE, answer, asking, user_messages


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
    assert phrase_facts([fact, fact], language).text.startswith(sentence)


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
    assert phrase_intent(intent, "en" if intent.isascii() else "ja").text == sentence


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
    wish, question = Utterance("日数を知りたいです", "日数"), Utterance("Who can see it?", "Who can see it?")
    assert fill_pattern("ですから、{text}よ！", wish, "ja") == "ですから、日数を知りたいんですよ！"
    assert fill_pattern("{text}. Hurry up.", question, "en") == "Who can see it? Hurry up."
    assert fill_pattern("Look, {text}, okay?", Utterance("I'm on iOS", "iOS"), "en") == "Look, I'm on iOS, okay?"
    assert fill_pattern("Um, {text}.", Utterance("The app fails", "fails"), "en") == "Um, the app fails."


@pytest.mark.parametrize("personas", [JA, EN], ids=["ja", "en"])
def test_the_bundled_voices_are_whole(personas: dict[str, Persona]) -> None:
    assert list(personas) == ["angry", "calm", "beginner", "busy", "chatty", "wary"]
    for persona in personas.values():
        assert persona.name and persona.description and persona.profile
        for group, patterns in persona.voice:
            holes = [bool(re.search(r"\{(?:text|bare)\}", pattern)) for pattern in patterns]
            assert len(patterns) >= 3 or group == "first"
            assert all(holes) == any(holes) == (group in ("first", "answer", "follow_up"))


@pytest.mark.parametrize("personas", [JA, EN], ids=["ja", "en"])
def test_i_do_not_know_is_understood_by_the_bot_and_nothing_else_is_taken_for_it(personas: dict[str, Persona]) -> None:
    for persona in personas.values():
        assert all(map(says_unknown, persona.voice.unknown)), persona.voice.unknown
        for pattern in (*persona.voice.answer, *persona.voice.follow_up):
            assert not says_unknown(re.sub(r"\{\w+\}", "iOS", pattern)), pattern


def test_a_persona_without_a_voice_speaks_plainly_and_a_little_as_described() -> None:
    plain = Persona(id="new", name="田中さん")
    hurried = Persona(id="tanaka", name="田中さん", description="いつも忙しい営業担当")
    ask = asking("お子さまの年齢を教えてください。")
    assert "子の年齢は5歳です" in user_messages(LEAVE, plain, ask)[0].text
    assert "子の年齢は5歳。" in user_messages(LEAVE, hurried, ask)[0].text
    assert any("手短に" in user_messages(LEAVE, hurried, ask, seed=seed)[0].text for seed in range(6))


def test_a_voice_with_one_group_gets_the_rest_from_the_plain_one() -> None:
    persona = Persona(id="new", name="N", voice=Voice(answer=("{text}っす。",)))
    said = user_messages(
        LEAVE, persona, asking("お子さまの年齢を教えてください。"), answer("子の看護等休暇は取れます。[1]")
    )
    assert said[0].text == "子の年齢は5歳ですっす。"
    assert said[1].ending == "done" and said[1].text


def test_a_japanese_persona_speaks_english_to_an_english_bot() -> None:
    (said,) = user_messages(CANCEL, JA["angry"], asking("Which plan are you on?"))
    assert "I'm on the Pro plan" in said.text and said.text.isascii()


def test_patterns_that_people_wrote_with_odd_braces_are_said_as_they_are() -> None:
    persona = Persona(id="odd", name="O", voice=Voice(answer=("{text} {name} {",)))
    assert (
        user_messages(CANCEL, persona, asking("Which plan are you on?"), language="en")[0].text
        == "I'm on the Pro plan {name} {"
    )


@pytest.mark.parametrize(
    ("value", "text", "stated"),
    [
        ("2", "We have 2 boards", True),
        ("2", "We have 12 boards", False),
        ("2", "It costs 2.5 dollars", False),
        ("5日", "全部で15日です", False),
        ("5日", "全部で5日です", True),
        ("ＰＣ", "PCが動きません", True),
        ("(1+1)", "答えは(1+1)です", True),
        ("", "何か", True),
        ("1,000", "全部で1,000,000円です", False),
        ("500円", "1,500円です", False),
        ("有給休暇", "有給休暇3日を取りたい", True),
        ("2024年", "2024年4月に入りました", True),
        ("東京", "JR東京駅", True),
        ("Pro", "We are on Pro.", True),
        ("Pro", "It is a problem", False),
    ],
)
def test_a_figure_is_stated_only_as_a_number_of_its_own(value: str, text: str, stated: bool) -> None:
    assert is_stated(value, text) is stated
