"""Thresholds and weights of the embedded engine: one set for bots with example questions, one for bots without."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from core.base.types import Evidence


class EmbeddedSettings(NamedTuple):
    """Thresholds and weights of the embedded engine; the defaults are those for bots with example questions.

    With example questions it is surer which section answers, so other thresholds fit.
    """

    # Suffix of the coefficient tables of fits that differ
    coefficients: Literal["with_examples", "without_examples"] = "with_examples"
    # Cost of not giving each response when it is the right one
    response_weights: Mapping[str, float] = {"answer": 1.0, "ask": 1.9, "refuse": 1.8}
    # Passages below which the fit of responses does not apply, so that what the documents cover is answered
    min_passages: int = 0
    # Documents are offered by their titles only for a message that names a subject and nothing more
    titles_need_bare_subject: bool = True
    # All sections that may be meant are offered, else only the likeliest
    offers_possible: bool = True
    # If a message points to a thing ("the park"), the bot asks which one of its kind is meant
    asks_name: bool = False
    # A message for which anything is found does not count as undocumented small talk
    found_is_known: bool = False
    # A message that asks several things is refused if that is the best response to it as a whole
    refuses_several: bool = False
    # Refusing counts less among few passages
    refuses_less_if_few: bool = True

    # Probabilities of a section (0 to 1) from which …
    # it answers the first message, rather than being asked about with the others: of 13 messages below, 6 have
    # the right section first, and 12 among the first five
    answer_first_from: float = 0.4
    documented_from: float = 0.75  # its message is documented, whatever the other signals say
    possible_from: float = 0.007  # an ambiguous message may mean it
    contact_from: float | None = 0.1  # it counts for the choice of a contact (None: all sections, in the order found).
    # Of 63 messages refused though documented, 41 go to the right contact with 0.1, 38 with 0.03
    answer_each_from: float = 0.1  # it answers one of several questions
    answer_each_later_from: float = 0.2  # it answers one of several questions in a message after others
    named_from: float = 0.05  # it is named for a question that is left open
    # Probability of a section in the conversation, from which a message after others is answered from it
    answer_later_from: float = 0.4
    # Probability that any section answers a message after others, below which it is refused
    refuse_later_below: float = 0.3
    # The same, from which it is asked which section is meant, although none is likely: of 55 such messages 51 are documented,
    # and 29 have the right section among those offered
    ask_documented_later_from: float = 0.5
    # Probability that the documents cover the message, from which a refusal offers sections: of 20 first messages refused
    # though documented, 16 are offered their section from 0.2 and from 0.5, of 105 undocumented ones 48 and 26 some section
    offer_documented_from: float = 0.5
    # The same for a message after others: of 69 refused though documented, 43 are offered their section from 0.15 and 32
    # from 0.2, of 117 undocumented ones 38 and 22 some section
    offer_documented_later_from: float = 0.15
    # Bonus of a section, as the answer to one of several questions, for answering another one
    same_section_bonus: float = 0.0


WITH_EXAMPLES = EmbeddedSettings()
WITHOUT_EXAMPLES = EmbeddedSettings(
    coefficients="without_examples",
    response_weights={"answer": 1.0, "ask": 1.15, "refuse": 1.7},  # a user who is always asked learns nothing
    min_passages=15,  # with 26 to 40, .76 of the clear messages are answered right or within a click, else .68
    titles_need_bare_subject=False,
    offers_possible=False,
    asks_name=True,
    found_is_known=True,
    refuses_several=True,
    refuses_less_if_few=False,  # of 226 undocumented messages to 26 to 40 passages .31 are answered, else .35
    answer_first_from=0.0,  # always
    documented_from=math.inf,  # never
    possible_from=math.inf,
    contact_from=None,
    answer_each_from=0.2,
    answer_each_later_from=0.3,
    named_from=0.0,  # always
    answer_later_from=0.35,  # with .4, of 164 answerable turns of MTRAG-UN 31 are asked about, else 20
    refuse_later_below=0.25,
    offer_documented_later_from=0.0,  # always
    offer_documented_from=0.1,  # two of three refused though documented have their section among the first
    same_section_bonus=0.5,
)


def settings_for(found: Sequence[Evidence]) -> EmbeddedSettings:
    """The settings for a bot, by whether the sections or passages found have example questions."""
    return WITH_EXAMPLES if any(one.has_examples for one in found) else WITHOUT_EXAMPLES
