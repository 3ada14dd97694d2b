"""A message after others is about what the whole conversation says: details of a case, the section just shown, or something
new."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Answer, Conversation, Hit, Message, Passage, SectionHit, Turn
from core.bot.answer_ask_refuse import is_answered_later, later_response
from core.bot.messages.rejected_sections import rejected_sections
from core.bot.messages.sections_in_conversation import sections_in_conversation
from core.bot.messages.shown_sections import names_section_alone, quoted_sections, sections_of_choices
from core.bot.turn import take_turn
from core.bot.turn_context import prepare_messages, turn_context
from core.bot.turn_search import ranked_in_conversation
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.text.standalone_question import standalone_question

DOCUMENTS = {
    "pool.md": """# Lido

## Prices

Adults pay £6, concessions £4, children under five nothing. A family ticket for two adults and two children is £18.

## Late return of lockers keys

A locker key that is not back by closing time costs £3 for members and £5 for everybody else.

## Swimming lessons

Lessons for children are on Saturdays from 9 to 12. Lessons for adults are on Tuesday evenings from 19:00.

## Dogs

Dogs are not allowed in the water. On the terrace they may sit under the table on a lead.
""",
    "hire.md": """# Hire of the pool

## Booking a party

A party is booked four weeks ahead at the desk. The deposit is £50 and is paid back within ten days.

## Cancelling a party

Up to seven days before the party the deposit is paid back in full, later not at all.

## Food and drink

You may bring a cake. Glass is not allowed anywhere near the pool.
""",
}


class Desk:
    """A bot without example questions, with its index."""

    def __init__(self, folder: Path) -> None:
        documents = folder / "knowledge" / "lido" / "documents"
        documents.mkdir(parents=True)
        for name, text in DOCUMENTS.items():
            (documents / name).write_text(text, "utf-8")
        (documents.parent / "bot.toml").write_text('name = "Lido"\nlanguage = "en"\n', "utf-8")
        self.bot = load_bot("lido", folder / "knowledge")
        self.index = Indexes(folder / "index").get(self.bot)

    def turns(self, *texts: str) -> list[Turn]:
        messages, found = (), list[Turn]()
        for text in texts:
            found.append(take_turn(EmbeddedEngine(), self.bot, self.index, messages, text))
            messages += found[-1].as_messages()
        return found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("lido"))


def asked(first: str, reply: str) -> Conversation:
    """A first message, the bot's question back, and the reply to that."""
    question = Message(role="assistant", text="どの内容をお知りになりたいですか。", asks=True, choices=("A", "B"))
    return (Message(role="user", text=first), question, Message(role="user", text=reply))


@pytest.mark.parametrize(
    ("first", "reply", "question"),
    [
        ("退会したい", "月払いです。五月に入りました。", "退会したい件について、月払いです、五月に入りました"),
        ("何時までですか?", "土曜。ごはんです", "土曜、ごはん、何時までですか?"),
        ("how much is it if I'm late", "concession. two things", "how much is it if I'm late — concession, two things"),
        ("退会したい", "ありがとうございます。月払いです", "退会したい件について、月払いです"),
        ("退会したい", "Yahoo!メールです。月払いです", "退会したい件について、Yahoo!メールです、月払いです"),
        ("my parcel is late", "sent by Mr. Smith. it is red", "my parcel is late — sent by Mr. Smith, it is red"),
        ("How much?", "!!!", "How much?"),
    ],
)
def test_everything_that_a_reply_to_a_question_tells_is_joined_to_what_was_asked(first: str, reply: str, question: str):
    assert standalone_question(asked(first, reply)) == question


def test_a_reply_that_asks_something_itself_is_not_made_one_sentence():
    said = standalone_question(asked("休暇について", "夏休みです。何日ありますか？"))
    assert "何日ありますか" in said


@pytest.mark.parametrize(
    ("first", "then", "fact"),
    [
        ("when are the swimming lessons", "for adults. i start from nothing", "Tuesday evenings"),
        ("what does a ticket cost", "concession, two of us", "£4"),
        ("my dog wants to come", "only on the terrace of course", "under the table"),
    ],
)
def test_a_detail_without_a_question_is_answered_with_what_was_asked(desk: Desk, first: str, then: str, fact: str):
    reply = desk.turns(first, then)[-1].reply
    assert isinstance(reply, Answer) and fact in reply.text


def test_the_sections_of_a_later_message_have_probabilities_best_first(desk: Desk):
    before = desk.turns("how do I book a party")[0].as_messages()
    conversation = prepare_messages(desk.index, (*before, Message(role="user", text="and the deposit")))
    found = sections_in_conversation(desk.index, conversation)
    chances = [one.in_conversation or 0.0 for one in found]
    assert chances == sorted(chances, reverse=True) and 0 < chances[-1] <= chances[0] < 1
    assert "party" in found[0].heading


def test_the_section_that_the_conversation_names_is_quoted_even_if_the_message_alone_finds_another(desk: Desk):
    said = [
        ("how do I book a party", "what if my child is ill and we want the money back five days before"),
        ("how do I book a party", "and may the adults bring food for the children"),
        ("may my dog come into the water", "and where may he sit while I have my adult lesson on Tuesday"),
        ("I lost my locker key", "what will it cost me, I'm a member with a family ticket"),
    ]
    found_elsewhere = 0
    for first, then in said:
        before, last = desk.turns(first, then)
        context = turn_context(desk.bot, desk.index, (*before.as_messages(), Message(role="user", text=then)))
        assert context.is_scored_in_conversation and context.response == "answer"
        assert last.reply.cited[0] == 1 and last.hits[0].section == context.sections[0].section
        found_elsewhere += desk.index.search(then, 1)[0].section != context.sections[0].section
    assert found_elsewhere


def _passage(name: str) -> Passage:
    return Passage(id=name, document="a.md", title="A", heading=name, text=name)


def test_passages_are_ranked_by_the_probabilities_of_their_sections_in_the_conversation():
    passages = [_passage(name) for name in ("price", "hours", "dogs")]
    chances = {"hours": 0.6, "dogs": 0.9, "price": 0.3}  # the likeliest is not to be quoted: it ranks second
    topics = [
        SectionHit(document="a.md", title="A", heading=name, text="", score=0.1, in_conversation=chance)
        for name, chance in chances.items()
    ]
    hits = [Hit(passage=passages[2], score=1.0), Hit(passage=passages[0], score=0.8)]
    ranked = ranked_in_conversation(topics, hits, passages)
    assert [(hit.section.heading, hit.score, hit.in_conversation) for hit in ranked] == [
        ("hours", 1.0, 0.6),
        ("price", 0.5, 0.3),
        ("dogs", 0.0, 0.0),
    ]


@pytest.mark.parametrize("text", ["none of them", "I don't know", "by the way, are dogs allowed"])
def test_rejections_and_new_subjects_are_looked_for_alone(desk: Desk, text: str):
    before = desk.turns("how do I book a party")[0].as_messages()
    assert not turn_context(desk.bot, desk.index, (*before, Message(role="user", text=text))).is_scored_in_conversation


def test_the_name_of_a_section_means_it_whatever_was_said_before(desk: Desk):
    heading = next(one.heading for one in desk.index.passages if len(one.heading.split()) > 1)
    before = desk.turns("are dogs allowed")[0].as_messages()
    for text in (heading, f"Not the dogs again. {heading}"):
        context = turn_context(desk.bot, desk.index, (*before, Message(role="user", text=text)))
        assert context.sections[0].heading == heading and not context.conversation[-1].about
    assert not names_section_alone(desk.index, "price?")


def test_a_section_that_is_rejected_by_name_is_not_shown_again(desk: Desk):
    first = desk.turns("how do I book a party")[0].as_messages()
    shown = quoted_sections(desk.index, first[-1])
    assert [one.heading for one in shown] == ["Booking a party"]
    for text, rejected in (
        ("I said not the party booking! What about a cancelled one?", shown),
        ("What about a cancelled one?", frozenset()),
        ("I said not the dogs! What about a cancelled one?", frozenset()),
    ):
        conversation = prepare_messages(desk.index, (*first, Message(role="user", text=text)))
        assert rejected_sections(desk.index, conversation) == rejected
    turn = desk.turns("how do I book a party", "I said not the party booking! What about a cancelled one?")[-1]
    assert shown.isdisjoint(one.section for one in (*turn.sections, *turn.hits))


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("混雑の話じゃなくて、予約はいつ始まりますか", "予約はいつ始まりますか"),
        ("料金の話はもういいです。予約はいつ始まりますか", "予約はいつ始まりますか"),
        (
            "支払い方法はわかりました。いつまでに払えばいいですか",
            "支払い方法はわかりました。いつまでに払えばいいですか",
        ),
        ("会員じゃなくても使えますか", "会員じゃなくても使えますか"),
        ("Do I pay if I am not a member?", "Do I pay if I am not a member?"),
        ("Not a member, can I still book?", "Not a member, can I still book?"),
        ("領収書は紙じゃなくてPDFで出せますか", "領収書は紙じゃなくてPDFで出せますか"),
        ("not the waiting list again please. what is the extra fee for?", "what is the extra fee for?"),
    ],
)
def test_what_is_not_meant_is_not_searched_for(said: str, question: str):
    before = (Message(role="user", text="Is it open?"), Message(role="assistant", text="Yes. [1]"))
    assert standalone_question([*before, Message(role="user", text=said)]) == question


def test_a_first_message_has_no_probabilities_in_a_conversation(desk: Desk):
    context = turn_context(desk.bot, desk.index, (Message(role="user", text="are dogs allowed"),))
    assert not context.is_scored_in_conversation and context.sections[0].in_conversation is None


@pytest.mark.parametrize("asks", [False, True])
def test_with_example_questions_the_conversation_counts_after_an_answer_only(indexes: Indexes, asks: bool):
    bot = load_bot("harbor")
    before = Message(role="assistant", text="Which plan?" if asks else "Yes. [1]", asks=asks)
    messages = (
        Message(role="user", text="can I cancel"),
        before,
        Message(role="user", text="on android, after the trial"),
    )
    context = turn_context(bot, indexes.get(bot), messages)
    assert context.is_scored_in_conversation is not asks
    assert (context.sections[0].documented_in_conversation is None) is asks


def test_quoted_and_offered_sections_are_those_of_the_last_reply(desk: Desk):
    turn = desk.turns("are dogs allowed in the water")[0]
    assert isinstance(turn.reply, Answer) and turn.reply.cited
    cited = {hit.section for hit in (turn.hits[number - 1] for number in turn.reply.cited)}
    assert cited <= quoted_sections(desk.index, turn.as_messages()[-1])
    assert quoted_sections(desk.index, Message(role="assistant", text="Hello")) == frozenset()
    offer = Message(role="assistant", text="?", asks=True, choices=("Dogs",))
    assert sections_of_choices(desk.index, offer.choices) == {("pool.md", "Dogs")}


@pytest.mark.parametrize(
    ("chances", "documented", "response"),
    [
        ([0.5, 0.4], 0.9, "answer"),
        ([0.2, 0.05], 0.9, "answer"),  # far ahead of the others
        ([0.3, 0.25, 0.2], 0.9, "ask"),
        ([0.2, 0.15, 0.02], 0.9, "ask"),  # the documents cover it, whichever section it is
        ([0.2, 0.15, 0.02], 0.4, "refuse"),
        ([0.01], 0.9, "refuse"),
        ([0.5, 0.4], 0.1, "refuse"),
    ],
)
def test_what_is_done_follows_the_probabilities(chances: list[float], documented: float, response: str):
    topics = [
        SectionHit(
            document="d", title="t", heading=str(place), score=1.0,
            in_conversation=chance, documented_in_conversation=documented,
        )
        for place, chance in enumerate(chances)
    ]  # fmt: skip
    assert later_response(topics) == response


def test_a_section_answers_a_later_message_if_it_is_likely_or_far_ahead():
    assert is_answered_later([0.5, 0.4], 0.4) and is_answered_later([0.2, 0.05], 0.4)
    assert not is_answered_later([0.3, 0.25], 0.4) and is_answered_later([0.3, 0.25], 0.25)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("can i talk to a real person please", "How do I reach a human?"),
        ("some bot answered, I want to speak to a human", "How do I reach a human?"),
    ],
)
def test_a_bot_without_contacts_says_where_it_is_written_how_to_reach_a_human(tmp_path: Path, text: str, section: str):
    bot = tmp_path / "knowledge" / "shop"
    (bot / "documents").mkdir(parents=True)
    (bot / "documents" / "faq.txt").write_text(
        "Shop: questions and answers\n\nQ: Where are my parcels?\nA: See the tracking page under your account.\n\n"
        "Q: How do I reach a human?\nA: Write to help@shop.example or call 01632 960 333 from 9 to 5.\n",
        "utf-8",
    )
    (bot / "bot.toml").write_text('name = "Shop"\nlanguage = "en"\n', "utf-8")
    loaded = load_bot("shop", tmp_path / "knowledge")
    turn = take_turn(EmbeddedEngine(), loaded, Indexes(tmp_path / "index").get(loaded), (), text)
    assert isinstance(turn.reply, Answer) and section in turn.reply.choices and not turn.reply.cited


def test_a_loss_without_first_steps_is_not_told_to_do_something_first(desk: Desk):
    reply = desk.turns("I lost my locker key card")[0].reply
    assert isinstance(reply, Answer) and reply.text.startswith("I am sorry that this has happened.")
    assert "Please do this first" not in reply.text and ("£5" in reply.text or reply.choices)
