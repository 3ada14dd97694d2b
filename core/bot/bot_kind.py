"""What bots without example questions decide otherwise than bots with some, which tell more surely which section answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from core.base.types import Evidence


class BotKind(NamedTuple):
    """What follows from how much is known of the sections found; the defaults are those of a bot with example questions.

    coefficients: name of the table, of each fit that has one for each kind; response_weights: how much a response that
    was missed counts; min_passages: passages below which there are too few for the fit of responses, so that what the
    documents cover is answered; titles_need_bare_subject: whether documents are offered by their titles only for a
    message that names a subject and no more; offers_possible: whether all sections that may be meant are offered, else
    the likeliest; asks_name: whether a message that points to a thing ("the park") is asked which of its kind is meant;
    found_is_known: whether a message for which anything is found is no small talk for being undocumented;
    refuses_several: whether a message that asks several things is refused if that is the best response to it as a whole;
    refuses_less_if_few: whether refusing counts less among few passages.

    Probabilities (0 to 1) of a section, from which: documented_from: its message is documented, whatever the others say;
    possible_from: it may be meant by an ambiguous message; contact_from: it says whom to ask (None: all, in the order
    found); answer_each_from: it answers one of several questions; named_from: it is named for a question left open.
    offer_documented_from: that the documents cover what is asked, from which a refusal offers sections.
    same_section_bonus: what it counts for a section, as the answer to one of several questions, that it answers another.
    """

    coefficients: Literal["examples", "documents"] = "examples"
    response_weights: Mapping[str, float] = {"answer": 1.0, "ask": 1.9, "refuse": 1.8}
    min_passages: int = 0
    titles_need_bare_subject: bool = True
    offers_possible: bool = True
    asks_name: bool = False
    found_is_known: bool = False
    refuses_several: bool = False
    refuses_less_if_few: bool = True
    documented_from: float = 0.75
    possible_from: float = 0.007
    contact_from: float | None = 0.1  # of 63 messages refused though documented 41 go to the right contact, with .03 38
    answer_each_from: float = 0.1
    named_from: float = 0.05
    offer_documented_from: float = 0.2
    same_section_bonus: float = 0.0


WITH_EXAMPLES = BotKind()
WITHOUT_EXAMPLES = BotKind(
    coefficients="documents",
    response_weights={"answer": 1.0, "ask": 1.15, "refuse": 1.7},  # somebody who is always asked learns nothing
    min_passages=15,  # with 26 to 40, .76 of the clear messages are answered right or within a click, else .68
    titles_need_bare_subject=False,
    offers_possible=False,
    asks_name=True,
    found_is_known=True,
    refuses_several=True,
    refuses_less_if_few=False,  # of 226 undocumented messages to 26 to 40 passages .31 are answered, else .35
    documented_from=math.inf,  # never
    possible_from=math.inf,
    contact_from=None,
    answer_each_from=0.2,
    named_from=0.0,  # always
    offer_documented_from=0.1,  # two of three refused though documented have their section among the first
    same_section_bonus=0.5,
)


def bot_kind(found: Sequence[Evidence]) -> BotKind:
    """The kind of the bot for whose message these sections or passages were found."""
    return WITH_EXAMPLES if any(one.has_examples for one in found) else WITHOUT_EXAMPLES
