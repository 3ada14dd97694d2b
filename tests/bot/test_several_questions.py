"""Several questions in one message: each is answered from its own section, or named with the section that may be meant."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Hit, Passage
from core.bot.answer.several_questions import Asked, ask_each, is_sure, left_open
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Indexes
from core.text.questions import separate_questions


def hit(heading: str, score: float = 1.0, example: float = 0.0) -> Hit:
    passage = Passage(id=heading, document="rooms.md", title="Rooms", heading=heading, text=f"All about {heading}.")
    return Hit(passage=passage, score=score, example=example)


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("傘立ての場所を知りたいです。ついでに自販機の故障の連絡先も", ("傘立ての場所を知りたいです。", "自販機の故障の連絡先も")),
        ("鍵の返却期限と、あと別件なんですが屋上って入れますか", ("鍵の返却期限", "屋上って入れますか")),
        ("席替えしたいのと、椅子を替えたい", ("席替えしたい", "椅子を替えたい")),
        ("①傘の忘れ物 ②屋上の鍵", ("①傘の忘れ物", "屋上の鍵")),
        ("the lift is stuck, who fixes it? and can guests use the roof", ("the lift is stuck, who fixes it?", "can guests use the roof")),
        ("I lost my locker key. Also the printer on floor two is broken", ("I lost my locker key.", "the printer on floor two is broken")),
        ("Where is the bike rack, and why was my pass blocked?", ("Where is the bike rack", "why was my pass blocked?")),
    ],
)  # fmt: skip
def test_each_thing_that_is_asked_is_a_question_of_its_own(message: str, questions: tuple[str, ...]):
    assert tuple(one.text for one in separate_questions(message)) == questions


@pytest.mark.parametrize(
    "message",
    [
        "エレベーターに何度もカードをかざしたのに動きません。急いで上に行きたいんですが",
        "傘を忘れました。どこに届きますか。黒いやつです",
        "会議室が急に使えなくなったのはどうしてですか、お客様が来るのに",
        "I lost my pass and I do not know what to do",
        "Should I take the lift or is it the stairs?",
    ],
)
def test_a_trouble_with_its_circumstances_is_one_question(message: str):
    assert len(separate_questions(message)) == 1


def test_a_question_that_points_back_is_searched_for_with_the_first_one():
    _, second = separate_questions("屋上の鍵は借りられますか?あとそれって何日まで?")
    assert "屋上の鍵" in second.standalone and second.added == "first"
    _, alone = separate_questions("屋上の鍵は借りられますか?あと傘立ての撤去の予定日はいつ?")
    assert alone.standalone == alone.text


def test_fragments_of_one_matter_are_not_answered_apart():
    one, two = "Where is the bike rack", "why was my visitor pass blocked yesterday?"
    found = {one: hit("Mail", example=0.1), two: hit("Doors", example=0.1)}
    surer, same = hit("Bikes", example=1.5), found[one]
    assert ask_each(f"{one}, and {two}", lambda query, _: (found.get(query, surer),)) == ()
    assert len(ask_each(f"{one}, and {two}", lambda query, _: (found.get(query, same),))) == 2


def test_a_question_without_a_sure_answer_is_named_with_the_nearest_section():
    asked = Asked(question="can I park a boat?", query="can I park a boat?", hits=(hit("Parking"),))
    assert not is_sure(asked)
    assert left_open([asked], [], "en") == [
        'I could not find a sure answer to "can I park a boat". The nearest topic is "Parking"; write that if it is what you mean.'
    ]
    assert left_open([asked], [hit("Parking")], "en") == []  # its section is quoted for another question


def test_two_unlike_questions_are_both_answered_and_neither_is_asked_about(indexes: Indexes):
    bot = load_bot("minato")
    message = "領収書の宛名を変えたいです。ついでに二段階認証を解除する方法も教えて"
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), message)
    assert turn.reply.kind == "answer" and len(turn.reply.cited) == 2
    titles = {turn.hits[number - 1].passage.title for number in turn.reply.cited}
    assert len(titles) == 2
