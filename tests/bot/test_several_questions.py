"""Several questions in one message: each is answered from its own section, or named with the section that may be meant."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Hit, Passage
from core.bot.embedded.quotes import notes_on_unanswered
from core.bot.several_questions import SearchedQuestion, is_sure, search_each_question, wordings
from core.bot.turn import TurnOptions, take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.text.message_questions import separate_questions


def hit(heading: str, score: float = 1.0, example: float = 0.0) -> Hit:
    passage = Passage(id=heading, document="rooms.md", title="Rooms", heading=heading, text=f"All about {heading}.")
    return Hit(passage=passage, score=score, example=example, has_examples=example > 0)


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("傘立ての場所を知りたいです。ついでに自販機の故障の連絡先も", ("傘立ての場所を知りたいです。", "自販機の故障の連絡先も")),
        ("鍵の返却期限と、あと別件なんですが屋上って入れますか", ("鍵の返却期限", "屋上って入れますか")),
        ("席替えしたいのと、椅子を替えたい", ("席替えしたい", "椅子を替えたい")),
        ("自転車の預け方と、正門が何時に閉まるか教えて", ("自転車の預け方", "正門が何時に閉まるか教えて")),
        ("鍵が折れたかも。それと傘立ての場所を変えたい", ("鍵が折れたかも。", "傘立ての場所を変えたい")),
        ("the lift keeps stopping and my pass is broken", ("the lift keeps stopping", "my pass is broken")),
        ("①傘の忘れ物 ②屋上の鍵", ("傘の忘れ物", "屋上の鍵")),
        ("1) spare keys 2) who waters the plants", ("spare keys", "who waters the plants")),
        ("Please tell me, first, who waters the plants; second, when the roof opens.", ("who waters the plants", "when the roof opens.")),
        ("傘はどこで買えますか?駐輪場の鍵もほしいです。", ("傘はどこで買えますか?", "駐輪場の鍵もほしいです。")),
        ("椅子を買いたい、いくら? それと机は何台ある?", ("椅子を買いたい、いくら?", "机は何台ある?")),
        ("the lift is stuck, who fixes it? and can guests use the roof", ("the lift is stuck, who fixes it?", "can guests use the roof")),
        ("I lost my locker key. Also the printer on floor two is broken", ("I lost my locker key.", "the printer on floor two is broken")),
        ("I need a sticker for my bike, where does that go? And who repairs the gate?", ("I need a sticker for my bike, where does that go?", "who repairs the gate?")),
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


def of(document: str, heading: str, example: float) -> Hit:
    found = hit(heading, example=example)
    return found.model_copy(update={"passage": found.passage.model_copy(update={"document": document})})


def test_a_question_is_not_dropped_because_an_unlikely_section_of_it_is_quoted():
    near, far = hit("Doors", example=0.5), hit("Keys", example=0.01, score=0.9)
    asked = SearchedQuestion(question="can I stop?", query="can I stop?", hits=(far, near), probabilities=(0.01, 0.0))
    assert notes_on_unanswered([asked], [far], "en") and "Doors" in notes_on_unanswered([asked], [far], "en")[0]


def test_a_question_is_searched_for_by_what_is_told_before_it_and_by_the_first_one():
    told, one, two = "I lost my badge.", "Who blocks it?", "What does a new one cost?"
    message = f"{told} {one} {two}"
    questions = separate_questions(message)
    assert wordings(message, questions, 1) == {
        "alone": two,
        "standalone": questions[1].standalone,
        "told": f"{told} {two}",
        "first": f"{told} {one} {two}",
        "whole": message,
    }
    badge = hit("Badges", example=1.5)
    found = search_each_question(
        message, lambda query, _: (badge,) if told in query else (hit("Keys", example=0.1), badge), ()
    )
    assert [each.hits[0].heading for each in found] == ["Badges", "Badges"]


def test_a_question_without_a_sure_answer_is_named_with_the_nearest_section():
    asked = SearchedQuestion(question="can I park a boat?", query="can I park a boat?", hits=(hit("Parking"),))
    assert not is_sure(asked)
    assert notes_on_unanswered([asked], [], "en") == [
        'I could not find a sure answer to "can I park a boat". The nearest topic is "Parking"; pick it if it is what you mean.'
    ]
    assert notes_on_unanswered([asked], [hit("Parking")], "en") == []  # its section is quoted for another question


def test_two_unlike_questions_are_both_answered_and_neither_is_asked_about(indexes: Indexes):
    bot = load_bot("minato")
    message = "領収書の宛名を変えたいです。ついでに二段階認証を解除する方法も教えて"
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), message)
    assert turn.reply.kind == "answer" and len(turn.reply.cited) == 2
    titles = {turn.hits[number - 1].passage.title for number in turn.reply.cited}
    assert len(titles) == 2


@pytest.mark.parametrize(
    ("name", "message", "named"),
    [
        ("minato", "容量がいっぱいで写真が貼れません。あと夫とも共有したいです", "夫とも共有したい"),
        ("harbor", "How much is Plus per month, and can I stop whenever I like?", "can I stop whenever I like"),
    ],
)
def test_no_question_is_dropped_in_silence(indexes: Indexes, name: str, message: str, named: str):
    bot = load_bot(name)
    reply = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), message).reply
    assert reply.kind == "answer" and reply.cited and (len(reply.cited) > 1 or named in reply.text)


def test_passages_in_place_of_those_found_answer_the_message_as_a_whole(indexes: Indexes):
    bot = load_bot("harbor")
    message = "How do I export a board? Also, can I get a refund?"
    passage = Passage(
        id="boards", document="rooms.md", title="Rooms", heading="Boards", text="Export a board from its menu."
    )
    options = TurnOptions(hits=(Hit(passage=passage, score=1.0, lexical=10.0, coverage=1.0),))
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), message, options)
    assert turn.reply.cited == (1,) and passage.text in turn.reply.text


def test_an_emergency_comes_first_and_the_other_question_after_it(indexes: Indexes):
    bot = load_bot("harbor")
    message = "I forgot my password and the reset mail never comes. also somebody signed in from Brazil?!"
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), message)
    cited = [turn.hits[number - 1].passage.document for number in turn.reply.cited]
    assert cited[0].startswith("phishing") and any(document.startswith("password") for document in cited)


def test_a_question_that_names_only_an_attribute_leans_on_the_first():
    first, second = separate_questions("屋上のテントを借りられますか?お金は自分持ち?")
    assert second.added == "first" and "テント" in second.standalone
    assert first.added == ""


def test_a_trouble_is_the_matter_of_a_question_that_names_nothing():
    assert len(separate_questions("鍵を全部なくした。終わった?")) == 1


def test_a_question_for_which_only_an_unlikely_section_is_found_is_named():
    doors = hit("Doors", 1.0, 1.0)
    one = SearchedQuestion(question="what about tea?", query="what about tea?", hits=(doors,), probabilities=(0.05,))
    assert not is_sure(one) and is_sure(one.model_copy(update={"probabilities": (0.5,)}))
    assert "what about tea" in notes_on_unanswered([one], [], "en")[0]


def test_a_short_question_that_leans_on_what_is_told_gets_no_section_of_its_own(indexes: Indexes):
    bot = load_bot("harbor")
    text = (
        "Totally forgot about the yearly renewal, it went off my Visa three weeks ago. Any chance of getting that back?"
    )
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), text)
    assert [turn.hits[number - 1].heading for number in turn.reply.cited] == ["Yearly renewal that you forgot"]


def test_a_worry_whether_something_is_allowed_is_a_question_of_its_own(indexes: Indexes):
    bot = load_bot("minato")
    message = "公立中で美術部の顧問をしてます。部活だけで使う場合も値引きしてもらえますか。あと1年生はまだ12さいの子がいて、登録して大丈夫なのか不安です。"
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), message)
    assert "学校割引の対象" in turn.reply.text and len(turn.reply.cited) > 1
