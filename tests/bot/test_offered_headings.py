"""Neighbouring sections of one document: the likely one is quoted, too, and the possible ones can be picked."""

from datetime import date
from typing import Any

from core.base.bot_folder import load_bot
from core.base.types import Hit, Passage, ProfileField, SectionHit
from core.bot.choices.reply_choices import nearest_headings, related_headings
from core.bot.embedded.quotes import choose_quotes
from core.bot.profile_filter import UserFacts, rank_down_other_profiles
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.document_values import DocumentValues
from core.retrieval.index_cache import Indexes
from core.text.synonyms import load_synonyms

LOCKERS = "lockers.md"
NONE = DocumentValues((), "en", load_synonyms("en"))
NOBODY = UserFacts(NONE, (), "")
TEXTS = {
    "How to open a jammed locker": "1. Call the porter.\n2. Show your pass.",
    "What happens to a locker left shut": "It is emptied after 30 days. The things are stored in the cellar. Nobody is told.",
    "Paint of the lockers": "They are green.",
}

KNOWN: dict[str, Any] = {"language": "en", "has_examples": True}


def hit(heading: str, example: float, document: str = LOCKERS, score: float = 0.9) -> Hit:
    text = TEXTS.get(heading, "")
    passage = Passage(id=document + heading, document=document, title="Lockers", heading=heading, text=text)
    return Hit(passage=passage, score=score, lexical=8.0, strength=6.0, vector=0.5, coverage=0.5, example=example, likelihood=example - 1.0, **KNOWN)  # fmt: skip


def topic(heading: str, example: float, document: str = LOCKERS) -> SectionHit:
    found = hit(heading, example, document).model_dump(
        include={"score", "lexical", "strength", "vector", "coverage", *KNOWN}
    )
    return SectionHit(**found, document=document, title="Lockers", heading=heading, example=example, likelihood=2 * example - 2.0, text="…")  # fmt: skip


def test_two_sections_that_are_about_as_likely_are_both_quoted_below_their_headings():
    names = list(TEXTS)
    asked = "my locker is stuck, can I still get my bag?"
    close = [hit(names[0], 0.5), hit(names[1], 0.48)]
    both = choose_quotes(asked, close, {}, allow_rival=True)
    assert {quote.number for quote in both} == {1, 2} and all(quote.named for quote in both)
    assert [quote.number for quote in choose_quotes(asked, close, {})] == [1]  # not for a first message
    one = choose_quotes(asked, [hit(names[0], 1.2), hit(names[2], 0.0, score=0.2)], {})
    assert [quote.number for quote in one] == [1] and not one[0].named


def test_an_answer_offers_the_possible_sections_of_its_document_and_likelier_ones_of_others():
    others = [topic("Rooms", 0.2, "rooms.md"), topic("Doors", 1.1, "doors.md")]
    found = [topic("Opening", 0.8), topic("Leaving it shut", 0.5), *others, topic("Paint", 0.0)]
    quoted = [hit("Opening", 0.8).passage]
    assert related_headings([found], quoted, "", NOBODY) == ("Doors (Lockers)", "Leaving it shut")


def test_a_refusal_offers_a_likely_section_though_the_documents_hardly_cover_the_message():
    others = [topic(name, 0.0) for name in ("Paint", "Keys", "Rent", "Sizes", "Doors")]
    assert nearest_headings([topic("Opening", 1.1), *others], documented=0.0) == ("Opening (Lockers)",)
    assert nearest_headings([topic(name, -0.6) for name in ("Opening", "Keys", "Rent")], documented=0.0) == ()


def test_a_section_for_other_people_is_not_offered():
    found = [topic("Opening", 0.8), topic("Lockers of visitors", 0.5)]
    field = ProfileField(name="group", question="Who are you?", values=("visitors", "members"))
    quoted = [hit("Opening", 0.8).passage]
    assert related_headings([found], quoted, "", UserFacts(NONE, (field,), "I am one of the members")) == ()
    assert related_headings([found], quoted, "", UserFacts(NONE, (field,), "hello")) == ("Lockers of visitors",)


def test_a_related_section_is_answered_from_when_it_is_picked(indexes: Indexes):
    bot = load_bot("minato")
    index = indexes.get(bot)
    first = take_turn(EmbeddedEngine(), bot, index, (), "ログインIDは何日ごとに変えられますか")
    assert first.reply.kind == "answer" and first.reply.cited and first.reply.choices
    picked = take_turn(EmbeddedEngine(), bot, index, first.as_messages(), first.reply.choices[0])
    assert picked.reply.kind == "answer" and picked.hits and 1 in picked.reply.cited
    assert picked.hits[0].passage.heading.endswith(first.reply.choices[0])


def test_a_section_that_is_over_is_behind_unless_it_is_asked_for():
    found = [topic("Prices until 30 September 2026", 0.9), topic("Prices from October 2026", 0.8)]

    def first(message: str, today: date | None) -> str:
        return rank_down_other_profiles(found, message, UserFacts(NONE, (), message, (), today))[0].heading

    assert first("what does it cost", date(2026, 11, 1)) == "Prices from October 2026"
    assert first("what does it cost", date(2026, 9, 1)) == first("what does it cost", None) == found[0].heading
    assert first("what was the old price", date(2026, 11, 1)) == found[0].heading


def test_sections_behind_others_keep_the_order_of_the_conversation():
    found = [
        topic(heading, score).model_copy(update={"in_conversation": chance})
        for heading, score, chance in (
            ("Opening", 0.2, 0.9),
            ("Prices until May 2026", 0.9, 0.6),
            ("Lockers", 0.8, 0.1),
        )
    ]
    facts = UserFacts(NONE, (), "and then", (), date(2026, 11, 1))
    ranked = rank_down_other_profiles(found, "and then", facts)
    assert [one.heading for one in ranked] == ["Opening", "Prices until May 2026", "Lockers"]
    assert [one.in_conversation for one in ranked] == [0.9, 0.3, 0.1]
