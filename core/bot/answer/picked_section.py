"""The section that a clicked choice stands for, put before whatever else the search found."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.reply_fields import MOST_CHOICES
from core.base.types import Hit, Message, Passage, Topic
from core.bot.clarify.choices import names_section
from core.bot.small_talk.first_steps import first_steps_heading, steps_for_other_card
from core.bot.small_talk.telephone import asks_to_telephone, telephone_section
from core.retrieval.headings import last_heading, short_title
from core.text.conversation import picked_choices
from core.text.language import content_words


def picked_choice(messages: Sequence[Message]) -> str:
    """The one choice that the last message picks of those just offered; empty if it picks none or several."""
    picked = all_picked(messages)
    return picked[0] if len(picked) == 1 else ""


def all_picked(messages: Sequence[Message]) -> tuple[str, ...]:
    """The choices that the last message picks of those just offered."""
    if len(messages) < 2 or messages[-2].role != "assistant":
        return ()
    return picked_choices(messages[-2].choices, messages[-1].text)


def meant_section(messages: Sequence[Message], topics: Sequence[Topic]) -> str:
    """The choice that the last message picks, or the section that an emergency or a wish to telephone leads to."""
    text = messages[-1].text
    if picked := picked_choice(messages):
        return picked
    place = telephone_section(topics) if asks_to_telephone(text) else None
    return first_steps_heading(text, topics) if place is None else last_heading(topics[place].heading)


def meant_sections(messages: Sequence[Message], topics: Sequence[Topic]) -> tuple[str, ...]:
    """The same, with the steps for another kind of card if nobody said which was lost."""
    meant = meant_section(messages, topics)
    other = "" if picked_choice(messages) else steps_for_other_card(messages[-1].text, meant, topics)
    return (meant, other) if other else (meant,)


def picked_first(choice: str, hits: Sequence[Hit], passages: Sequence[Passage]) -> tuple[tuple[Hit, ...], int]:
    """(the hits, those of the picked section first, how many these are): of a heading all passages, of a document those
    found."""
    if not choice:
        return tuple(hits), 0
    known = {hit.passage.id: hit for hit in hits}
    section = [passage for passage in passages if names_section(choice, passage.title, passage.heading)]
    if section:
        best = max(section, key=lambda one: known[one.id].score if one.id in known else -1.0)
        section = [one for one in section if one.document == best.document and one.heading == best.heading]
        first = [known.get(one.id, Hit(passage=one, score=1.0)) for one in section]
    else:
        first = [hit for hit in hits if short_title(hit.passage.title) == choice]
    ids = {hit.passage.id for hit in first}
    rest = [hit for hit in hits if hit.passage.id not in ids]
    return (*first, *rest), len(first)


def all_picked_first(
    choices: Sequence[str], hits: Sequence[Hit], passages: Sequence[Passage]
) -> tuple[tuple[Hit, ...], int]:
    """The same for several picked sections, one after the other."""
    count = 0
    for choice in reversed(choices):
        hits, found = picked_first(choice, hits, passages)
        count += found
    return tuple(hits), count


def sections_to_pick(
    choice: str, messages: Sequence[Message], hits: Sequence[Hit], passages: Sequence[Passage]
) -> tuple[str, ...]:
    """The sections of a picked document, those found first, if nothing but the document was named; none for a
    section."""
    of_document = [passage for passage in passages if short_title(passage.title) == choice]
    if not choice or any(names_section(choice, passage.title, passage.heading) for passage in passages):
        return ()
    known = {word for passage in of_document for word in content_words(f"{choice} {passage.title}")}
    if any(set(content_words(message.text)) - known for message in messages[:-1] if message.role == "user"):
        return ()  # what was said beside tells which section is meant
    ranked = [*(hit.passage for hit in hits if hit.passage in of_document), *of_document]
    headings = tuple(dict.fromkeys(last_heading(passage.heading) for passage in ranked))
    return headings[:MOST_CHOICES] if len(headings) > 1 else ()
