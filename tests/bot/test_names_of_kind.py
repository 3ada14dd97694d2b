"""Which of several things of one kind is meant."""

from pathlib import Path

import pytest

from core.base.types import Bot, Message, SectionHit
from core.bot.embedded.names_of_kind import names_of_kind
from core.bot.turn import take_turn
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes

PARKS = (
    "Dogs are welcome at Birch Hollow State Park if they are on a leash.",
    "No pets are allowed at Gull Point State Park, except guide dogs.",
    "At Lake Ashby State Park dogs may stay on the camp ground.",
)


def topics(*texts: str) -> list[SectionHit]:
    return [
        SectionHit(
            document=f"{place}.md", title="Rules", heading="Animals", text=text, score=1.0, lexical=1.0, coverage=0.5
        )
        for place, text in enumerate(texts)
    ]


def test_the_names_that_the_documents_give_to_what_is_pointed_to_are_offered():
    found = names_of_kind("can we take our dog into the park?", topics(*PARKS), "")
    assert found == ("Birch Hollow State Park", "Gull Point State Park", "Lake Ashby State Park")


@pytest.mark.parametrize(
    ("message", "said", "texts"),
    [
        ("can we take our dog to Gull Point, into the park?", "", PARKS),  # named
        ("can we take our dog into the park?", "We will camp at Gull Point State Park.", PARKS),  # named before
        ("can we take our dog into the park?", "Which park is near?", PARKS),  # a kind that was talked about
        ("can we take our dog into a park?", "", PARKS),  # any will do
        ("can we take our dog into the park?", "", PARKS[:1]),  # there is one
        ("can we take our dog into the park?", "", (*PARKS[:2], *["Keep the park clean."] * 2)),  # all are meant
        ("can we take our dog into the park?", "", ("State parks are open. Small parks are free.",)),  # no names
    ],
)
def test_nothing_is_open_if_it_was_named_or_there_is_one_or_none(message: str, said: str, texts: tuple[str, ...]):
    assert names_of_kind(message, topics(*texts), said) == ()


def test_a_bot_asks_which_is_meant_and_answers_for_the_one_that_is_picked(indexes: Indexes):
    bot = Bot(id="parks", folder=Path(), name="Parks", language="en")
    index = indexes.of_documents(
        "parks", [Document(f"{place}.md", f"# Park {place}\n{text}") for place, text in enumerate(PARKS)]
    )
    asked = take_turn(EmbeddedEngine(), bot, index, (), "can we take our dog into the park?")
    assert asked.reply.kind == "clarify" and len(asked.reply.choices) == 3
    told = take_turn(EmbeddedEngine(), bot, index, asked.as_messages(), "Gull Point State Park")
    assert told.reply.kind == "answer" and "No pets are allowed" in told.reply.text
    named = (Message(role="user", text="hello"), Message(role="assistant", text="Hello."))
    plain = take_turn(EmbeddedEngine(), bot, index, named, "can we take our dog to Lake Ashby?")
    assert plain.reply.kind == "answer"
