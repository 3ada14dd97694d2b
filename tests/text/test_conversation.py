"""One standalone question from a conversation."""

import pytest

from core.base.types import Message
from core.bot.rewrite.rewrite import Rewrite, rewrite
from core.llm.embedded import EmbeddedEngine
from core.text.conversation import count_clarifying_questions, open_messages
from core.text.offered_choices import picked_choices
from core.text.question_subject import subject
from core.text.reactions import says_unknown
from core.text.standalone_question import sentences_that_ask_or_tell, standalone_question

CHOICES = ("年次有給休暇", "子の看護等休暇", "慶弔休暇")


def said(*texts: str | tuple[str, ...]) -> tuple[Message, ...]:
    """Messages in turn, the person's first; a tuple is a clarifying question with its choices."""
    found: list[Message] = []
    for number, text in enumerate(texts):
        if isinstance(text, tuple):
            found.append(Message(role="assistant", text=text[0], asks=True, choices=text[1:]))
        else:
            found.append(Message(role="assistant" if number % 2 else "user", text=text))
    return tuple(found)


def about(subject_before: str, conversation: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages, the last of which needs what was asked before."""
    *earlier, last = conversation
    return (*earlier, last.model_copy(update={"about": subject_before}))


@pytest.mark.parametrize("text", ["Google共有ドライブにメンバーを追加する方法を教えて", "How do I pay?", "😀", ""])
def test_a_single_message_comes_back_unchanged(text: str):
    assert standalone_question(said(text)) == text


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("2番目です", "子の看護等休暇"),
        ("後者", "子の看護等休暇"),
        ("慶弔休暇", "慶弔休暇"),
        ("最初のもの", "年次有給休暇"),
    ],
)
def test_a_reply_by_number_means_what_was_offered(reply: str, wanted: str):
    question = standalone_question(said("休暇について教えてください", ("どの休暇ですか。", *CHOICES), reply))
    assert wanted in question
    assert not any(other in question for other in CHOICES if other != wanted)


def test_a_reply_is_joined_to_what_opened_the_conversation():
    conversation = said("ログインできません", ("どの端末ですか。", "iOS版", "Web版"), "iOS版です")
    assert "ログイン" in standalone_question(conversation) and "iOS版" in standalone_question(conversation)
    english = said("I can't sign in", ("Which method do you use?", "Google", "Apple"), "the second one")
    assert standalone_question(english) == "I can't sign in — Apple"


def test_a_reply_that_names_the_subject_itself_stands_alone():
    conversation = said(
        "休暇について教えてください", ("どの休暇ですか。", *CHOICES), "子どもの看護休暇は取れるでしょうか"
    )
    assert standalone_question(conversation) == "子どもの看護休暇は取れるでしょうか"


def test_who_does_not_know_adds_nothing():
    assert (
        standalone_question(said("解約したいのですが", ("どのプランですか。",), "わかりません")) == "解約したいのですが"
    )
    assert says_unknown("I don't know") and not says_unknown("ログインできないので困っています")


def test_yes_alone_takes_the_question_it_answers():
    assert "iOS" in standalone_question(said("I can't sign in", ("Do you use iOS?",), "yes"))


def test_a_message_that_needs_what_was_asked_before_gets_it():
    conversation = about("結婚休暇", said("結婚休暇は何日ですか", "正社員は5日です。[1]", "契約社員の場合は?"))
    assert "結婚休暇" in standalone_question(conversation) and "契約社員" in standalone_question(conversation)


def test_a_new_question_after_an_answer_stands_alone():
    conversation = said("結婚休暇は何日ですか", "正社員は5日です。[1]", "出張旅費の精算の期限を教えてください")
    assert standalone_question(conversation) == "出張旅費の精算の期限を教えてください"


@pytest.mark.parametrize("change", ["ところで、名刺は何日で届きますか", "By the way, how do I order business cards?"])
def test_a_change_of_subject_leaves_the_clarifying_question_behind(change: str):
    conversation = said("ログインできません", ("どの端末ですか。", "iOS版", "Web版"), change)
    assert standalone_question(conversation) == change
    assert count_clarifying_questions(conversation) == 0


def test_nothing_is_added_that_was_not_said():
    conversation = said("経費の精算をしたい", ("どの経費ですか。", "交通費", "出張旅費"), "交通費")
    question = standalone_question(conversation)
    assert "出張" not in question and "交通費" in question


def test_long_conversations_end():
    texts = ["それは?", "はい。[1]"] * 200
    assert standalone_question(said(*texts, "それも?")) is not None


def test_rewriting_asks_the_engine_only_when_there_is_something_to_join():
    class Counting(EmbeddedEngine):
        asked = 0

        def ask(self, prompt):
            self.asked += 1
            return super().ask(prompt)

    engine = Counting()
    assert rewrite(engine, Rewrite(conversation=said("休暇について"))) == ("休暇について",)
    assert engine.asked == 0
    rewrite(engine, Rewrite(conversation=said("休暇について", ("どの休暇ですか。", *CHOICES), "2番目")))
    assert engine.asked == 1


def test_what_is_open_begins_after_the_last_answer():
    conversation = said("a", "答えです。[1]", "b", ("どれですか。",), "c")
    assert [message.text for message in open_messages(conversation)] == ["b", "どれですか。", "c"]
    assert count_clarifying_questions(conversation) == 1


def test_a_plain_text_clarifying_question_is_recognised_by_how_it_ends():
    unmarked = (Message(role="assistant", text="どの休暇でしょうか。"), Message(role="assistant", text="It is 5 days."))
    assert [count_clarifying_questions((message,)) for message in unmarked] == [1, 0]


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("休暇について教えてください", "休暇"),
        ("子どものことで相談が", "子ども"),
        ("案件で社外ユーザーと利用する会議システムは何がよいですか", "案件で社外ユーザーと利用する会議システム"),
        ("ログインできません", "ログインできない"),
        ("Tell me about billing", "billing"),
        ("I can't sign in!", "I can't sign in"),
    ],
)
def test_the_subject_is_the_question_without_its_asking(question: str, about: str):
    assert subject(question) == about


def test_picking_needs_a_short_reply():
    assert picked_choices(CHOICES, "二つ目") == ("子の看護等休暇",)
    assert picked_choices(CHOICES, "最初に会社へ連絡してから書類を総務に出して証明を受けました") == ()


def test_thanks_and_small_talk_of_a_later_message_are_left_out_but_facts_stay():
    assert (
        sentences_that_ask_or_tell("ありがとうございます。正社員です。結婚休暇の日数を教えてください。")
        == "正社員です。結婚休暇の日数を教えてください。"
    )
    assert (
        sentences_that_ask_or_tell("Goodness, so much! I'm on the Pro plan. How do I pay?")
        == "I'm on the Pro plan. How do I pay?"
    )
    assert sentences_that_ask_or_tell("了解") == "了解"


@pytest.mark.parametrize(
    ("conversation", "wanted"),
    [
        (said("名刺を作りたい", ("どの内容ですか。",), "はい"), "名刺を作りたい"),
        (said("I want to cancel", "Do you pay by card?", "yes"), "I want to cancel — pay by card"),
        (
            said("休暇について", ("どれですか。", *CHOICES), "1と2"),
            "年次有給休暇と子の看護等休暇について教えてください",
        ),
        (said("I'd like a refund", "Did you pay by card or PayPal?", "the latter"), "I'd like a refund — PayPal"),
        (
            about("介護休暇", said("介護休暇について", "年5日です。[1]", "半日だけでも取れますか？")),
            "介護休暇について、半日だけでも取れますか？",
        ),
        (about("在宅勤務", said("在宅勤務について", "週3日までです。[1]", "回数の上限は")), "在宅勤務（回数の上限）"),
        (said("休暇について", ("どれですか。",), "夏休みのことです"), "休暇（夏休み）"),
        (
            about("慶弔休暇", said("慶弔休暇は何日ですか", "5日です。[1]", "申請は？", "総務です。[1]", "いくら？")),
            "慶弔休暇について、いくら？",
        ),
        (
            about(
                "会議室の予約",
                said("会議室の予約について", "60日先まで。[1]", "キャンセルは？", "はい。[1]", "社外は？"),
            ),
            "会議室の予約（社外）",
        ),
        (
            about("How do I restore a board", said("How do I restore a board?", "Open it. [1]", "what about files?")),
            "files? (How do I restore a board)",
        ),
        (said("有給について", "10日です。[1]", "ありがとう。では代休の期限は?"), "では代休の期限は?"),
        (said("How much is Pro?", "12 dollars. [1]", "thanks!"), "thanks!"),
        (said("結婚休暇は何日ですか", "5日です。[1]", "パスワードを忘れました"), "パスワードを忘れました"),
        (said("storage", ("Which?", "a", "b"), "no idea", "I don't know.", "no idea"), "storage"),
    ],
)
def test_replies_and_follow_ups_neither_lose_nor_add(conversation: tuple[Message, ...], wanted: str):
    assert standalone_question(conversation) == wanted


def test_who_half_knows_says_the_rest():
    conversation = said("忌引は?", ("どなたが亡くなりましたか。",), "祖母です。わかりませんが葬儀は北海道だと思います")
    assert "祖母" in standalone_question(conversation)


def test_a_thousand_turns_that_lean_on_each_other_are_read() -> None:
    turns = [Message(role="assistant" if n % 2 else "user", text=f"休暇{n}") for n in range(1_000)]
    assert "期限" in standalone_question([*turns, Message(role="user", text="期限は?")])
