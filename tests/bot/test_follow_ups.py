"""What comes after the first turn: short follow-ups, the same question never twice, another language than the documents'."""

from core.base.bot_folder import load_bot
from core.base.types import Clarify, Message, Turn
from core.bot.decision import was_asked
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Indexes


def talk(indexes: Indexes, name: str, *texts: str) -> Turn:
    bot, messages = load_bot(name), ()
    turn: Turn | None = None
    for text in texts:
        turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), messages, text)
        messages += turn.as_messages()
    assert turn
    return turn


def test_a_short_question_after_an_answer_is_about_the_same_matter(indexes: Indexes):
    turn = talk(indexes, "hinata", "休暇について教えてください", "夏休みのことです", "何日？")
    assert turn.query == "休暇（夏休み）について、何日？" and "3日" in turn.reply.text


def test_a_follow_up_on_a_settled_matter_is_not_asked_about(indexes: Indexes):
    turn = talk(indexes, "minato", "ファイルの上限は何MBですか", "チームプランだと？")
    assert turn.reply.kind == "answer" and turn.reply.answered


def test_the_same_question_is_not_asked_twice():
    question = Clarify(text="どれですか。", choices=("年休", "代休"))
    other = Message(role="assistant", text="確認させてください。", asks=True, choices=("代休", "年休"))
    same = Message(role="assistant", text="どれですか。", asks=True)
    answer = Message(role="assistant", text="どれですか。")
    assert was_asked(question, (other,)) and was_asked(question, (same,)) and not was_asked(question, (answer,))
    assert not was_asked(Clarify(text="いつですか。"), (other,))


def test_a_bot_asked_again_searches_with_what_it_has(indexes: Indexes):
    first = talk(indexes, "hinata", "休みたいです")
    again = talk(indexes, "hinata", "休みたいです", "休みたいです")
    assert first.decision == "ask"
    assert again.decision == "search" or set(again.reply.choices) != set(first.reply.choices)  # type: ignore[union-attr]


def test_who_writes_in_another_language_is_told_that_of_the_documents(indexes: Indexes):
    english = talk(indexes, "minato", "Is there a swimming pool on the moon?")
    assert not english.reply.answered and "in Japanese" in english.reply.text
    japanese = talk(indexes, "harbor", "月にプールはありますか")
    assert not japanese.reply.answered and "英語" in japanese.reply.text
