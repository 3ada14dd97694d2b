"""Asking before answering, on the embedded engine: the published examples and their like on every bot."""

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import Answer, Clarify, Message, Profile, Turn
from core.bot.turn import TurnOptions, take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.simulation.scenarios import read_scenarios


def take_turns(indexes: Indexes, name: str, *texts: str, profile: Profile | None = None) -> list[Turn]:
    """Say these in turn; gives the bot's turns."""
    bot = load_bot(name)
    index = indexes.get(bot)
    messages: tuple[Message, ...] = ()
    turns: list[Turn] = []
    for text in texts:
        turns.append(take_turn(EmbeddedEngine(), bot, index, messages, text, TurnOptions(profile or Profile())))
        messages += turns[-1].as_messages()
    return turns


def test_leave_is_unclear_until_the_person_says_which(indexes: Indexes):
    first, second = take_turns(indexes, "hinata", "休暇について教えてください", "子どもの看護休暇は取れるでしょうか")
    assert (first.route.rule, first.route.decision) == (2, "ask")
    assert isinstance(first.reply, Clarify)
    assert "年次有給休暇" in first.reply.choices and "子の看護等休暇" in first.reply.choices
    assert second.route.decision == "search"
    assert "看護休暇" in second.query and second.query.endswith("か")
    assert "子の看護等休暇" in second.reply.text


def test_a_meeting_tool_is_a_consultation_whose_purpose_is_asked_first(indexes: Indexes):
    first, second = take_turns(
        indexes,
        "hinata",
        "案件で社外ユーザーと利用する会議システムは何がよいですか",
        "zoomやteamsなどを考えていますが、社内利用を推奨されているものがあれば教えてください",
    )
    assert (first.route.rule, first.route.reason) == (1, "consultation")
    assert first.assessment.is_question <= 2 and first.assessment.is_consultation <= 2
    assert "目的" in first.reply.text
    assert second.route.decision == "search"
    assert "社外ユーザー" in second.query and "zoom" in second.query
    assert "Zoom" in second.reply.text and isinstance(second.reply, Answer) and second.reply.cited


def test_adding_a_member_is_clear_and_searched_unchanged(indexes: Indexes):
    (turn,) = take_turns(indexes, "hinata", "Google共有ドライブにメンバーを追加する方法を教えて")
    assert (turn.assessment.clarity, turn.route.decision) == (1, "search")
    assert turn.query == "Google共有ドライブにメンバーを追加する方法を教えて"
    assert "メンバーを管理" in turn.reply.text


@pytest.mark.parametrize(
    ("bot", "opening"),
    [
        ("hinata", "給与について"),
        ("hinata", "出張のことを聞きたいです"),
        ("hinata", "印刷できません"),
        ("minato", "請求について教えてください"),
        ("minato", "ログインできないのですが"),
        ("minato", "共有の件です"),
        ("harbor", "I have a question about refunds"),
        ("harbor", "Something is wrong with my invoice"),
        ("harbor", "tell me about guests"),
    ],
)
def test_a_bare_subject_gets_a_clarifying_question_with_real_choices(indexes: Indexes, bot: str, opening: str):
    (turn,) = take_turns(indexes, bot, opening)
    assert isinstance(turn.reply, Clarify)
    assert 2 <= len(turn.reply.choices) <= 5
    known = " ".join(f"{passage.title} {passage.heading}" for passage in indexes.get(load_bot(bot)).passages)
    assert all(choice in known for choice in turn.reply.choices)


@pytest.mark.parametrize(
    ("bot", "question"),
    [
        ("hinata", "国内出張の日当は一般社員でいくらですか"),
        ("hinata", "業務用スマートフォンをなくしたときはどこへ何分以内に電話すればよいですか"),
        ("minato", "パスワード再設定メールのリンクは何時間有効ですか"),
        ("minato", "キャリア決済を解約できる期限は月末の何時までですか"),
        ("harbor", "How long does a deleted board stay in the trash on the Plus plan?"),
        ("harbor", "What is the maximum file size for uploads on the Free plan?"),
    ],
)
def test_a_precise_question_is_searched_at_once_unchanged(indexes: Indexes, bot: str, question: str):
    (turn,) = take_turns(indexes, bot, question)
    assert turn.route.decision == "search"
    assert turn.query == question
    assert isinstance(turn.reply, Answer) and turn.reply.answered and turn.reply.cited


@pytest.mark.parametrize("name", ["hinata", "minato", "harbor"])
@pytest.mark.slow
def test_on_the_bundled_questions_most_are_asked_back_exactly_when_needed(indexes: Indexes, name: str):
    bot = load_bot(name)
    rows = [row for row in read_scenarios(bot) if row.needs_asking is not None]
    asked = [isinstance(take_turns(indexes, name, row.question)[0].reply, Clarify) for row in rows]
    right = sum(got == row.needs_asking for got, row in zip(asked, rows, strict=True))
    assert len(rows) >= 40 and right / len(rows) >= 0.7  # a doubtful section is offered, not answered from


def test_a_choice_that_is_clicked_is_answered(indexes: Indexes):
    first, second = take_turns(indexes, "minato", "メールが来ない", "2番目です")
    assert isinstance(first.reply, Clarify)
    assert first.reply.choices[1] in second.query
    assert isinstance(second.reply, Answer)


def test_the_bot_asks_at_most_twice_and_then_says_what_it_assumed(indexes: Indexes):
    turns = take_turns(indexes, "harbor", "help", "billing", "the thing", "hmm")
    assert sum(isinstance(turn.reply, Clarify) for turn in turns) <= 2


def test_somebody_who_does_not_know_is_not_asked_again(indexes: Indexes):
    _, second = take_turns(indexes, "minato", "解約したいのですが", "わかりません")
    assert second.route.decision == "search"


def test_the_search_before_asking_can_be_switched_off(indexes: Indexes):
    bot = load_bot("hinata")
    blind = bot.model_copy(update={"clarify": bot.clarify.model_copy(update={"look_first": False})})
    turn = take_turn(EmbeddedEngine(), blind, indexes.get(bot), (), "休暇について教えてください")
    assert isinstance(turn.reply, Clarify) and turn.sections == () and turn.reply.choices == ()


def test_nothing_is_off_topic_only_because_nobody_searched(indexes: Indexes):
    bot = load_bot("harbor")
    blind = bot.model_copy(update={"clarify": bot.clarify.model_copy(update={"look_first": False})})
    text = "How should I let my customers see the work?"
    turn = take_turn(EmbeddedEngine(), blind, indexes.get(bot), (), text, TurnOptions(clarify=False))
    assert turn.assessment is not None and turn.assessment.is_question == 1
    assert turn.reply.kind == "answer" and turn.reply.cited


def test_what_depends_on_the_person_is_asked_unless_it_is_known(indexes: Indexes):
    question = "私の場合、結婚休暇の日数は何日ですか"
    (unknown,) = take_turns(indexes, "hinata", question)
    assert unknown.route.reason == "profile" and "雇用形態" in unknown.reply.text
    (known,) = take_turns(indexes, "hinata", question, profile=Profile(role="契約社員"))
    assert known.route.decision == "search"


def test_a_person_who_wants_a_person_is_told_whom_to_ask(indexes: Indexes):
    (turn,) = take_turns(indexes, "hinata", "出張旅費の精算について、経理の担当者の連絡先を教えてください")
    assert turn.route.name_contact and turn.contact is not None
    assert turn.contact.name == "経理部 経費精算課"


@pytest.mark.parametrize("text", ["😀😀😀", "<script>alert(1)</script>", "[x](javascript:alert(1)) $a$ `b`", "？", "a"])
def test_odd_messages_get_an_ordinary_turn(indexes: Indexes, text: str):
    (turn,) = take_turns(indexes, "hinata", text)
    assert turn.reply.text
    assert turn.message == text


@pytest.mark.parametrize(
    ("text", "key"), [("", "empty_message"), (" \n", "empty_message"), ("あ" * 20_000, "long_message")]
)
def test_a_message_that_cannot_be_read_is_refused_in_one_sentence(indexes: Indexes, text: str, key: str):
    with pytest.raises(BadInput) as caught:
        take_turns(indexes, "hinata", text)
    assert caught.value.key == key
    assert "\n" not in str(caught.value)


def test_the_reply_is_in_the_language_of_the_person(indexes: Indexes):
    (english,) = take_turns(indexes, "hinata", "tell me about leave please")
    assert "Which of these do you mean?" in english.reply.text
    (refused,) = take_turns(indexes, "hinata", "Who won the football match in Paris last night?")
    assert "cannot answer" in refused.reply.text


def test_a_picked_document_is_answered_with_its_sections_to_choose_from_once(indexes: Indexes):
    bot = load_bot("hinata")
    index = indexes.get(bot)
    first = take_turn(EmbeddedEngine(), bot, index, (), "休暇について教えてください")
    second = take_turn(EmbeddedEngine(), bot, index, first.as_messages(), first.reply.choices[-1])
    assert second.reply.kind == "clarify" and len(second.reply.choices) > 1
    assert second.route is not None and second.route.reason == "missing"
    third = take_turn(
        EmbeddedEngine(), bot, index, (*first.as_messages(), *second.as_messages()), second.reply.choices[0]
    )
    assert third.reply.kind == "answer" and third.reply.cited


def test_a_story_of_several_sentences_is_offered_the_section_that_its_words_mean(indexes: Indexes):
    (turn,) = take_turns(
        indexes,
        "minato",
        "毎月カードから引かれてるの止めたいです。今まで書いたやつは消さないでほしい。パソコンから申し込みました",
    )
    assert turn.reply.kind == "answer" or "クレジットカード払いの解約の手順(Web版)" in turn.reply.choices
