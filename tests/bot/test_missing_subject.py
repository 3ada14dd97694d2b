"""First messages that name no subject: what they are asked, and what the choices lead to."""

import shutil
from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Bot, Clarify, Message, Turn
from core.bot.clarify.missing_subject import SUBJECTLESS_FROM, act_of, missing_subject_probability
from core.bot.clarify.questions import ask_missing, ask_subject, draw_out
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections, turn_context
from core.documents.example_questions import FILE
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

ENGINE = EmbeddedEngine()


def probability(index: Index, text: str) -> float:
    return missing_subject_probability(text, index, find_sections(index, (Message(role="user", text=text),)))


def sections_of(turn: Turn, bot: Bot, index: Index) -> set[tuple[str, str]]:
    """The sections that the answers to its choices quote; each choice has to be answered."""
    found: set[tuple[str, str]] = set()
    for choice in turn.reply.choices:
        answer = take_turn(ENGINE, bot, index, turn.as_messages(), choice)
        assert answer.reply.kind == "answer" and answer.reply.answered and answer.reply.cited, choice
        quoted = answer.hits[answer.reply.cited[0] - 1]
        found.add(quoted.section)
    return found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hinata", "変更したい"),
        ("hinata", "どれくらいかかりますか"),
        ("minato", "入れないんだけど"),
        ("minato", "開かない"),
        ("harbor", "how long does it take"),
        ("harbor", "it's not working"),
        ("harbor", "what's the deadline?"),
    ],
)
def test_a_message_without_a_subject_is_asked_and_each_choice_leads_to_another_section(
    indexes: Indexes, name: str, text: str
):
    bot = load_bot(name)
    index = indexes.get(bot)
    turn = take_turn(ENGINE, bot, index, (), text)
    assert isinstance(turn.reply, Clarify)
    assert 3 <= len(turn.reply.choices) <= 5
    assert len(sections_of(turn, bot, index)) == len(turn.reply.choices)


def test_without_example_questions_it_is_asked_as_well(tmp_path: Path):
    bot = load_bot("minato")
    copy = tmp_path / "minato"
    shutil.copytree(bot.folder, copy, ignore=shutil.ignore_patterns(FILE))
    bot = bot.model_copy(update={"folder": copy})
    index = Indexes(tmp_path / "index").get(bot)
    turn = take_turn(ENGINE, bot, index, (), "開かない")
    assert isinstance(turn.reply, Clarify) and len(sections_of(turn, bot, index)) >= 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hinata", "独身寮 寮費 月額"),
        ("hinata", "持株会"),
        ("minato", "監査ログの保存期間"),
        ("minato", "推奨ブラウザ"),
        ("harbor", "api rate limit"),
        ("harbor", "screen reader support"),
    ],
)
def test_two_words_that_name_a_subject_are_enough(indexes: Indexes, name: str, text: str):
    index = indexes.get(load_bot(name))
    assert (
        probability(index, text)
        < SUBJECTLESS_FROM
        < probability(index, "変更したい" if name != "harbor" else "it's gone")
    )


def test_a_follow_up_leans_on_what_went_before(indexes: Indexes):
    bot = load_bot("minato")
    index = indexes.get(bot)
    first = take_turn(ENGINE, bot, index, (), "無料体験は何日ですか")
    follow_up = (*first.as_messages(), Message(role="user", text="期限は?"))
    assert turn_context(bot, index, follow_up).alternatives == ()


@pytest.mark.parametrize(
    ("name", "text"), [("hinata", "何ができるの"), ("minato", "もう無理"), ("harbor", "what can you do")]
)
def test_small_talk_is_not_asked_for_its_subject(indexes: Indexes, name: str, text: str):
    bot = load_bot(name)
    assert take_turn(ENGINE, bot, indexes.get(bot), (), text).reply.kind == "answer"


def test_a_subject_that_many_titles_name_is_asked_by_document(indexes: Indexes):
    bot = load_bot("hinata")
    reply = take_turn(ENGINE, bot, indexes.get(bot), (), "休暇について").reply
    assert isinstance(reply, Clarify) and "年次有給休暇" in reply.choices


def test_an_index_knows_how_many_documents_and_titles_have_a_word(indexes: Indexes):
    index = indexes.get(load_bot("harbor"))
    assert (
        0
        < index.vocabulary.titles_with["price"]
        <= index.vocabulary.documents_with["price"]
        < index.vocabulary.document_count
    )
    assert index.vocabulary.documents_with["xyzzy"] == index.vocabulary.titles_with["xyzzy"] == 0


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("料金を教えて", "money"),
        ("いつまでですか", "time"),
        ("how long does it take", "time"),
        ("上限ってありますか", "count"),
        ("やり方は?", "steps"),
        ("入れないんだけど", "trouble"),
        ("it's not working", "trouble"),
        ("変更したい", "wish"),
        ("これって対象?", ""),
    ],
)
def test_what_a_message_is_after(text: str, act: str):
    assert act_of(text) == act


def test_the_question_says_what_was_understood():
    assert ask_subject("入れないんだけど", ("A", "B"), "ja") == (
        "「入れない」とのことですね。何についてお困りでしょうか。たとえば「A」、「B」があります。"
        "ほかのことでしたら、何のことかを教えてください。"
    )
    assert ask_subject("いつまでですか?", ("A",), "ja").startswith("「いつまでですか」とのお尋ねですね。何の期限")
    assert ask_subject("iPhoneなんですが", ("A",), "ja").startswith("「iPhone」のことですね。")
    assert ask_subject("期限はいつまで?", ("A",), "ja").startswith("「期限」についてのお尋ねですね。何の期限")
    assert ask_subject("登録の仕方", ("A",), "ja").startswith("「登録の仕方」のことですね。何の手続き")
    assert ask_subject("急ぎなんですけど、どうしたらいいですか", ("A",), "ja").startswith(
        "「急ぎなんですけど、どうしたら"
    )
    assert ask_subject("how long does it take", ("A", "B"), "en") == (
        'You are asking about a time or a deadline. Is it about "A" or "B"? If it is something else, just tell me what.'
    )


def test_after_sympathy_what_the_message_says_is_not_repeated() -> None:
    assert ask_subject("入れないんだけど", ("A", "B"), "ja", read_back=False).startswith("何についてお困りでしょうか。")
    assert ask_missing("locker keys", ("A", "B"), "en", read_back=False).startswith("Which of these do you mean?")
    assert ask_missing("the locker is broken", (), "en", read_back=False).startswith(
        "Could you tell me where it happens"
    )
    assert draw_out("should I quit", (), "en", read_back=False).startswith("The answer depends on your situation")


def test_a_subject_is_read_back_as_it_was_written_and_no_whole_sentence_is() -> None:
    choices = ("A", "B")
    assert ask_missing("ロッカーについて", choices, "ja").startswith("「ロッカー」について、どの内容")
    assert ask_missing("ロッカーの中身がぬれてしまいました。替えてください", choices, "ja").startswith("どの内容")
    assert ask_missing("locker keys", choices, "en").startswith('"locker keys": which')
    assert ask_missing("how do I get somebody out of the locker room", choices, "en").startswith("Which of these")


def test_a_word_that_was_respelled_is_not_shown(indexes: Indexes) -> None:
    bot = load_bot("minato")
    messages = (Message(role="user", text="メールこーへんねんけど"),)
    context = turn_context(bot, indexes.get(bot), messages)
    assert context.message != messages[0].text  # respelled for the search
    assert context.words_to_read_back == messages[0].text
