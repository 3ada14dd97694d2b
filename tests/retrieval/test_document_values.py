"""Values that the documents tell apart, and the sections headed by another than the one that a message names."""

from __future__ import annotations

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message, Passage, Profile
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections, user_facts
from core.documents.heading_names import last_heading
from core.llm.embedded import EmbeddedEngine
from core.retrieval.document_values import DocumentValues
from core.retrieval.index_cache import Indexes
from core.text.language import Script
from core.text.synonyms import load_synonyms


def section(
    heading: str, text: str = "It takes a day.", document: str = "lockers.md", title: str = "Lockers"
) -> Passage:
    return Passage(id=document + heading, document=document, title=title, heading=heading, text=text)


TABLE = "| Colour | Price |\n|---|---|\n| red | 3 |\n| blue | 4 |"
TAGS = [
    *(section(f"Losing a {colour} tag") for colour in ("red", "blue")),
    *(section(f"Renting with a {colour} tag") for colour in ("red", "blue")),
    *(section(f"How to {verb} a locker") for verb in ("open", "close")),
    *(section(f"How to {verb} a door") for verb in ("open", "close")),
    *(section(f"How to {verb} a gate") for verb in ("open", "close")),
    section("Prices", TABLE),
]


def values_of(passages: list[Passage], language: Script = "en") -> DocumentValues:
    return DocumentValues(passages, language, load_synonyms(language))


def test_two_values_are_told_apart_if_three_places_tell_them_apart():
    assert values_of(TAGS).rivals == {("red",): {("blue",)}, ("blue",): {("red",)}}
    assert not values_of(TAGS[:4]).rivals, "two headings may be alike by accident"


def test_a_section_is_excluded_if_a_rival_of_what_is_named_heads_it():
    found = values_of(TAGS)
    assert found.excludes("I lost my red tag", "lockers.md", "Losing a blue tag")
    assert not found.excludes("I lost my red tag", "lockers.md", "Losing a red tag")
    assert not found.excludes("I lost my red tag and my blue one", "lockers.md", "Losing a blue tag")
    assert not found.excludes("I lost my tag", "lockers.md", "Losing a blue tag")
    assert not found.excludes("I lost my red tag", "lockers.md", "Prices")


def test_a_section_that_speaks_of_what_is_named_is_no_other_where_no_section_is_headed_by_that():
    beside = section("Swapping a blue tag", "A red tag can be swapped, too.", "swaps.md", "Swaps")
    assert not values_of([*TAGS, beside]).excludes("can I swap my red tag", "swaps.md", beside.heading)


@pytest.mark.parametrize(
    ("bot", "message", "own", "other"),
    [
        ("minato", "ドコモで払っています。支払いに失敗しました", "キャリア決済", "App Store"),
        ("minato", "アンドロイドのアプリが落ちる", "Android", "iOS"),
        ("hinata", "アルバイトですが、祖父が亡くなって何日休めますか", "パートタイム", "正社員"),
        ("harbor", "Refund for something bought on my Samsung phone", "Google Play", "App Store"),
    ],
)
def test_what_a_message_names_goes_before_its_rivals(bot: str, message: str, own: str, other: str, indexes: Indexes):
    headings = [last_heading(topic.heading) for topic in indexes.get(load_bot(bot)).sections(message)]
    first = next(place for place, heading in enumerate(headings) if own in heading)
    assert all(place > first for place, heading in enumerate(headings) if other in heading and own not in heading)


def test_what_the_profile_names_counts_if_the_message_leaves_it_open(indexes: Indexes):
    bot = load_bot("harbor")
    index = indexes.get(bot)
    conversation = (Message(role="user", text="no push notifications"),)
    person = Profile(details={"platform": "Android"})
    plain, known = (
        [last_heading(topic.heading) for topic in find_sections(index, conversation, known)]
        for known in (None, user_facts(index, conversation, bot.profile_fields, person))
    )
    phone = "No push notifications on iPhone"
    assert known.index(phone) > plain.index(phone)


def test_a_section_for_others_is_neither_quoted_nor_offered(indexes: Indexes):
    bot = load_bot("hinata")
    text = "パートなんですが、おじいちゃんが亡くなって何日休めますか"
    turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), text)
    quoted = [last_heading(turn.hits[number - 1].heading) for number in turn.reply.cited]
    assert quoted == ["パートタイムの忌引休暇の日数"]
    assert not any("正社員" in choice for choice in turn.reply.choices)


def test_a_value_that_people_name_when_they_ask_for_its_rival_rules_nothing_out():
    asked = "\n".join(f"my red key number {n} does not open it" for n in range(3))
    questions = [asked if passage.heading == "Losing a blue tag" else "" for passage in TAGS]
    found = DocumentValues(TAGS, "en", load_synonyms("en"), questions)
    assert not found.excludes("I lost my red tag", "lockers.md", "Losing a blue tag")
    assert found.excludes("I lost my blue tag", "lockers.md", "Losing a red tag")
