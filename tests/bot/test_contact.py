"""Whom a bot names."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Bot, Contact, Message, Passage, Profile, SectionHit
from core.bot.answer.refusal import contact_sentence
from core.bot.contacts import contact_of_sections, contacts_of_documents, find_contact, picked_contact
from core.bot.turn import TurnOptions, take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


@pytest.fixture(scope="module")
def harbor() -> Bot:
    return load_bot("harbor")


def said(*texts: str) -> tuple[Message, ...]:
    """A person's messages, with a reply after each but the last."""
    pairs = [(Message(role="user", text=text), Message(role="assistant", text="One moment.")) for text in texts]
    return tuple(message for pair in pairs for message in pair)[:-1]


def name(bot: Bot, *texts: str) -> str:
    contact = find_contact(bot.contacts, said(*texts), ())
    assert contact is not None
    return contact.name


def test_the_contact_is_that_of_the_field_that_the_conversation_touches(harbor: Bot) -> None:
    assert name(harbor, "Do we need the Business plan?") == "Business desk"


def test_where_no_field_surely_fits_nobody_is_named_unless_a_contact_is_general(harbor: Bot) -> None:
    special = tuple(contact for contact in harbor.contacts if not contact.general)
    assert find_contact(special, said("Hm?"), ()) is None
    front = Contact(name="Front desk", reach="100", general=True, topics=("letters",))
    assert find_contact((*special, front), said("Hm?"), ()) == front


def test_of_two_contacts_that_fit_alike_none_is_named_in_its_stead_the_general_one() -> None:
    cards, sync = (
        Contact(name="Money", reach="1", topics=("card",)),
        Contact(name="Machines", reach="2", topics=("sync",)),
    )
    front = Contact(name="Sync and card front desk", reach="3", general=True)
    assert find_contact((cards, sync), said("the sync eats my card"), ()) is None
    assert find_contact((cards, sync, front), said("the sync eats my card"), ()) == front


def test_the_turn_in_which_a_contact_is_picked_is_recorded_like_any_other(harbor: Bot, indexes: Indexes) -> None:
    name = harbor.contacts[1].name
    offer = (
        Message(role="user", text="I want to talk to a person about my bill"),
        Message(role="assistant", text="Whom?", choices=(name,)),
    )
    person = Profile(earlier="2026-03-12\n- a bill")
    turn = take_turn(EmbeddedEngine(), harbor, indexes.get(harbor), offer, name, TurnOptions(person))
    assert turn.contact == harbor.contacts[1] and harbor.contacts[1].reach in turn.reply.text
    assert turn.earlier == person.earlier and turn.sections and set(turn.seconds) == {"clarify"}


@pytest.mark.parametrize("bot", ["hinata", "minato", "harbor"])
def test_a_refusal_of_the_bundled_bots_names_a_desk(bot: str, indexes: Indexes) -> None:
    loaded = load_bot(bot)
    text = "Do you breed horses?" if bot == "harbor" else "馬の飼育はしていますか"
    reply = take_turn(EmbeddedEngine(), loaded, indexes.get(loaded), (), text, TurnOptions(clarify=False)).reply
    general = next(contact for contact in loaded.contacts if contact.general)
    assert reply.kind == "answer" and not reply.answered and general.reach in reply.text


def test_the_sections_found_decide_where_the_words_do_not(harbor: Bot, indexes: Indexes) -> None:
    conversation = said("do you accept bank cheques from Ireland")
    sections = indexes.get(harbor).sections("how can I pay by card or invoice")
    contact = find_contact(harbor.contacts, conversation, sections)
    assert contact is not None and contact.name == "Billing desk"
    named = find_contact(harbor.contacts, conversation, sections, named=True)
    assert named is not None and named.general


@pytest.mark.parametrize("reply", ["はい", "それで大丈夫です", "ok"])
def test_a_reply_in_another_language_does_not_change_it(harbor: Bot, reply: str) -> None:
    question = Message(role="assistant", text="For how many people?", asks=True)
    messages = (said("Do we need the Business plan?")[0], question, Message(role="user", text=reply))
    contact = find_contact(harbor.contacts, messages, ())
    assert contact is not None and contact.name == "Business desk"


def test_a_contact_can_be_picked_by_name_only_where_it_was_offered(harbor: Bot) -> None:
    offer = Message(role="assistant", text="Which desk?", choices=("Billing desk", "Account desk"))
    pick = Message(role="user", text="Billing desk")
    assert picked_contact(harbor.contacts, (offer, pick)) == harbor.contacts[1]
    assert picked_contact(harbor.contacts, (pick,)) is None


def test_a_bot_without_contacts_names_nobody() -> None:
    assert find_contact((), said("Do we need the Business plan?"), ()) is None


def test_a_word_that_only_looks_like_one_of_the_field_names_no_desk(harbor: Bot) -> None:
    assert name(harbor, "it says I have no access") == "Harbor support"
    assert name(harbor, "how do I register my business") == "Harbor support"
    assert name(harbor, "my screen reader skips the buttons") == "Accessibility team"


def test_the_documents_of_the_likeliest_sections_tell_whose_a_matter_is() -> None:
    money, people = Contact(name="Money", reach="1000"), Contact(name="People", reach="2000")
    texts = {"pay.md": ("Ask Money.", "Money pays."), "leave.md": ("Ask People.", "Call 2000.", "Money is told.")}
    passages = [
        Passage(id=f"{document}{place}", document=document, title="", heading="", text=text)
        for document, each in texts.items()
        for place, text in enumerate(each)
    ]
    of_documents = contacts_of_documents((money, people), passages)
    assert of_documents == {"pay.md": money, "leave.md": people}

    def topic(document: str, likelihood: float) -> SectionHit:
        return SectionHit(
            document=document, title="", heading=document, score=0.5, likelihood=likelihood, has_examples=True
        )

    leave = [topic("pay.md", -1.5), topic("leave.md", 0.0), topic("leave.md", -0.3)]
    assert contact_of_sections(leave, of_documents) == people
    assert (
        contact_of_sections([topic("other.md", 0.0), topic("pay.md", -1.0)], of_documents) is None
    )  # they do not agree


@pytest.mark.parametrize(
    ("bot", "text", "reach"),
    [
        ("hinata", "通勤に電動キックボードを使ってもいいですか", "2320"),
        ("minato", "支払いをビットコインでしたいのですが", "billing@"),
    ],
)
def test_a_refusal_names_the_contact_of_the_matter(bot: str, text: str, reach: str, indexes: Indexes) -> None:
    loaded = load_bot(bot)
    reply = take_turn(EmbeddedEngine(), loaded, indexes.get(loaded), (), text, TurnOptions(clarify=False)).reply
    assert reply.kind == "answer" and not reply.answered and reach in reply.text


@pytest.mark.parametrize(
    ("message", "desk"),
    [
        ("I have been sent from pillar to post for two hours, get me a HUMAN BEING", "Harbor support"),
        ("my invoice is wrong, I want to talk to a person", "Billing desk"),
    ],
)
def test_who_wants_a_human_gets_the_desk_of_the_matter_or_the_general_one(
    message: str, desk: str, harbor: Bot, indexes: Indexes
) -> None:
    turn = take_turn(EmbeddedEngine(), harbor, indexes.get(harbor), (), message)
    assert desk in turn.reply.text


@pytest.mark.parametrize("text", ["死にたい", "上司に毎日怒鳴られてつらいです", "アカウントを乗っ取られた"])
def test_the_stored_contact_is_the_one_that_the_reply_names(indexes: Indexes, text: str) -> None:
    bot = load_bot("hinata")
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), text)
    named = [contact for contact in bot.contacts if contact.reach in turn.reply.text]
    assert named and turn.contact in named


@pytest.mark.parametrize(
    ("reach", "phrase"),
    [
        ("内線 2310", "くわしくは総務課（内線 2310）へお問い合わせください。"),
        ("0599-00-1100(毎日6時〜18時)", "くわしくは総務課 0599-00-1100(毎日6時〜18時) へお問い合わせください。"),
    ],
)
def test_no_brackets_stand_within_brackets(reach: str, phrase: str):
    assert contact_sentence(Contact(name="総務課", reach=reach), "ja") == phrase
