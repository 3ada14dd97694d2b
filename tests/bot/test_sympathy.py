"""A word of sympathy, once, to whom something has happened; help for who tells of it and asks nothing."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message, ProfileField, Turn
from core.bot.message_kind.human_agent import matter_of
from core.bot.message_kind.replies import opening_words
from core.bot.profile_values import named_values, other_value
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.text.distress.sympathy import feeling, word_of_sympathy

PLANS = ProfileField(name="plan", question="Which?", values=("Free plan", "Plus plan", "Pro plan"))
OFFICES = ProfileField(name="勤務地", question="どちら？", values=("東京本社", "大阪支社"))


def user(text: str) -> Message:
    return Message(role="user", text=text)


def replied(indexes: Indexes, name: str, text: str, *before: Message) -> Turn:
    bot = load_bot(name)
    return take_turn(EmbeddedEngine(), bot, indexes.get(bot), before, text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("祖父が昨夜他界しました", "bereavement"),
        ("来週が母の四十九日です", "bereavement"),
        ("my uncle passed away on Sunday", "bereavement"),
        ("父が三月になくなりました", "bereavement"),
        ("家内に先立たれまして", "bereavement"),
        ("we lost my dad in the autumn", "bereavement"),
        ("工場で指を切ってけがをしました", "accident"),
        ("I broke my wrist at work", "accident"),
        ("妻が入院することになりました", "illness"),
        ("my son was diagnosed with asthma", "illness"),
        ("一日分の議事録が消えてしまいました", "loss"),
        ("I lost two days of work", "loss"),
        ("先月から残業続きです", "overwork"),
        ("we are completely exhausted", "overwork"),
        ("何度やってもエラーで、腹が立ちます", "anger"),
        ("your app is a disgrace, I am furious", "anger"),
        ("nobody ever replies, I am furious", "waiting"),
        ("もう5日も返事を待たされています", "waiting"),
    ],
)
def test_what_has_happened_is_heard(text: str, found: str):
    assert feeling(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "忌引は何日取れますか",
        "家族が亡くなった場合の手続きは",
        "けがをしたときの労災の申請方法",
        "ノートが消えたらどこに戻せますか",
        "最悪の場合データは戻りますか",
        "残業の申請期限はいつですか",
        "what happens to a workspace if the owner dies",
        "are my files gone for good after 30 days",
        "how many days off do I get when a parent dies",
        "I lost my phone",
        "在庫がなくなりました",
        "先週ポイントがなくなりました",
        "my laptop died during the upload",
        "the trial has passed",
        "my power has gone",
        "our internet is gone again",
        "my heating has gone off",
        "how do I restore a deleted board",
    ],
)
def test_a_plain_question_calls_for_no_sympathy(text: str):
    assert feeling(text) is None


def test_the_word_of_sympathy_is_said_once_in_a_conversation():
    first = word_of_sympathy((user("My father died last week."),), "en")
    assert first
    later = (
        user("My father died last week."),
        Message(role="assistant", text=f"{first} Five days."),
        user("My dog ate my files"),
    )
    assert word_of_sympathy(later, "en") == ""


@pytest.mark.parametrize(
    ("name", "text", "section"),
    [
        ("harbor", "I lost a whole week of work and nobody cares", "How to restore a deleted board"),
        ("minato", "書きためた日記が全部消えてしまいました", "変更履歴から以前の内容に戻す手順"),
    ],
)
def test_who_tells_of_a_trouble_and_asks_nothing_gets_sympathy_sections_and_a_desk(
    indexes: Indexes, name: str, text: str, section: str
):
    turn, bot = replied(indexes, name, text), load_bot(name)
    assert turn.reply.kind == "answer" and turn.reply.text.startswith(word_of_sympathy((user(text),), bot.language))
    assert section in turn.reply.choices and any(contact.reach in turn.reply.text for contact in bot.contacts)


def test_who_has_said_what_a_person_is_wanted_for_is_not_asked_for_it(indexes: Indexes):
    first = replied(indexes, "harbor", "how long does a refund take with PayPal?")
    turn = replied(indexes, "harbor", "let me talk to a person", *first.as_messages())
    assert "billing@harbor.example" in turn.reply.text and "about" not in turn.reply.text
    assert matter_of((user("a human, please"),)) == ""


def test_a_value_is_named_by_its_short_form_and_an_ordinary_word_is_not_taken_for_one():
    assert named_values(PLANS, "we are on Plus, how many boards?") == {"Plus plan"}
    assert named_values(PLANS, "i have pro") == {"Pro plan"}
    assert named_values(PLANS, "is it free for guests? plus, is there a limit?") == frozenset()
    assert named_values(OFFICES, "大阪の者です") == {"大阪支社"}


def test_a_text_about_another_value_is_told_from_one_that_reaches_over_several():
    assert other_value((PLANS,), "we are on Pro", "On the Free plan it is 3.")
    assert not other_value((PLANS,), "we are on Pro", "This needs the Plus plan or higher.")
    assert not other_value((PLANS,), "how many?", "On the Free plan it is 3.")


@pytest.mark.parametrize("text", ["I am furious", "I'm so angry about the flurbs you promised me!"])
def test_comfort_for_who_asks_nothing_is_no_refusal(indexes: Indexes, text: str):
    reply = replied(indexes, "harbor", text).reply
    assert reply.kind == "answer" and reply.answered and not reply.cited
    assert reply.text.startswith("I am sorry for the trouble")


def test_a_question_behind_a_word_of_sympathy_begins_with_a_capital(indexes: Indexes):
    turn = replied(indexes, "harbor", "I'm about to cry, the board won't load and my deadline is in an hour")
    assert turn.reply.kind == "clarify" and ". Which of these" in turn.reply.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hinata", "母が亡くなって、何も手につきません"),
        ("minato", "兄が自死しました。兄の名義のものを止めたいです"),
        ("harbor", "my father took his own life last week, how do I close his account"),
        ("harbor", "my partner died and everything was in his name, I feel so lost"),
    ],
)
def test_who_mourns_gets_condolences_and_no_crisis_line(indexes: Indexes, name: str, text: str):
    said = replied(indexes, name, text).reply.text
    assert "お悔やみ" in said or "sorry for your loss" in said
    assert not any(words in said for words in ("いのちの電話", "119番", "crisis line", "emergency number"))


@pytest.mark.parametrize(
    ("name", "text"),
    [("hinata", "妻が亡くなり、もう生きていけません"), ("harbor", "my wife died and I want to be with her")],
)
def test_who_mourns_and_does_not_want_to_live_is_told_of_a_crisis_line(indexes: Indexes, name: str, text: str):
    said = replied(indexes, name, text).reply.text
    assert "いのちの電話" in said or "crisis line" in said


@pytest.mark.parametrize("text", ["how do I cancel", "ログインできません", "容量がいっぱいです", "my son has a fever"])
def test_an_ordinary_matter_is_no_grave_one(text: str):
    assert feeling(text) in (None, "unwell") and (feeling(text) is None or "fever" in text)


def test_a_click_on_a_choice_gets_no_word_of_sympathy():
    heading = "Locked out after too many attempts, which is ridiculous"
    offered = Message(role="assistant", text="Which of these do you mean?", choices=(heading, "Fees"))
    assert opening_words("request", (user(heading),), "en")
    assert not opening_words("request", (user("locked"), offered, user(heading)), "en")
