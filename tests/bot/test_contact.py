"""Whom a bot names."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Bot, Message
from core.bot.turn import find_contact


@pytest.fixture(scope="module")
def harbor() -> Bot:
    return load_bot("harbor")


def said(*texts: str) -> tuple[Message, ...]:
    """A person's messages, with a reply after each but the last."""
    pairs = [(Message(role="user", text=text), Message(role="assistant", text="One moment.")) for text in texts]
    return tuple(message for pair in pairs for message in pair)[:-1]


def name(bot: Bot, *texts: str) -> str:
    contact = find_contact(bot, said(*texts))
    assert contact is not None
    return contact.name


def test_the_contact_is_that_of_the_field_that_the_conversation_touches(harbor: Bot) -> None:
    assert name(harbor, "Do we need Business?") == "Business desk"


def test_where_nothing_fits_it_is_the_first(harbor: Bot) -> None:
    assert name(harbor, "Hm?") == harbor.contacts[0].name


@pytest.mark.parametrize("reply", ["はい", "それで大丈夫です", "ok"])
def test_a_reply_in_another_language_does_not_change_it(harbor: Bot, reply: str) -> None:
    assert name(harbor, "Do we need Business?", reply) == "Business desk"


def test_a_bot_without_contacts_names_nobody(harbor: Bot) -> None:
    assert find_contact(harbor.model_copy(update={"contacts": ()}), said("Do we need Business?")) is None
