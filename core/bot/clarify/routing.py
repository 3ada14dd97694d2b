"""From an assessment to the next step: ask a clarifying question, or search.

This runs first: a model's scores or the embedded engine's (`embedded/assessment.py`) lead to a rule. It does not override
a picked contact (`turn.py`), and `decide` (`decision.py`) may replace its step: nothing is asked twice, and after a
document was picked the bot asks for its section. If it searches, the answer is made next (`embedded/reply.py`).

The first rule whose condition is met decides (`_rule`):

| rule | clear | condition | next |
|---|---|---|---|
| 1 | no | asks for advice, and there is a question to draw it out | ask it |
| 2 | no | is a question, and there is a question for what is missing | ask it |
| 3 | no | any other | search |
| 4 | yes | asks for advice, and the documents probably cover it | search |
| 5 | yes | asks for advice, and there is a question to draw it out | ask it |
| 6 | yes | any other | search |

Then (`route_by_rules`): a rule that searches asks the question about the user instead, if there is one; and after
`max_questions` clarifying questions every rule searches.

Scores go from 1 (strongest) to 5, so a condition is met if its score is at or below the threshold, and a message is
unclear if its clarity is above its threshold.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from core.base.types import Assessment, ClarifySettings, Patience, Route


class RoutingRule(IntEnum):
    """A rule of the routing table, by its number."""

    UNCLEAR_CONSULTATION = 1
    UNCLEAR_MISSING = 2
    UNCLEAR_OTHER = 3
    CLEAR_DOCUMENTED = 4
    CLEAR_CONSULTATION = 5
    CLEAR_OTHER = 6


Reason = Literal["consultation", "missing", "profile", ""]
# How a user's patience moves (clarity threshold, low threshold).
_PATIENCE: dict[Patience, tuple[int, int]] = {"at_once": (2, -1), "balanced": (0, 0), "talk": (0, 1)}


def thresholds(settings: ClarifySettings, patience: Patience = "balanced") -> tuple[int, int]:
    """The two thresholds in force (0 to 5): a message is clear up to the first, a condition holds up to the second."""
    clear, low = _PATIENCE[patience]
    return min(5, settings.clarity_threshold + clear), min(5, max(0, settings.score_threshold + low))


def route_by_rules(
    assessment: Assessment, settings: ClarifySettings, patience: Patience = "balanced", asked: int = 0
) -> Route:
    """Where the turn goes; `asked` is how often the bot has asked a clarifying question in this conversation.

    `Route.rule` is the number of the `RoutingRule` that fired; `limit_reached` says that a question was left unasked.
    """
    rule, text, reason = _rule(assessment, *thresholds(settings, patience))
    left_open: Literal["intent", "attribute"] = "intent" if text else "attribute"
    if not text and assessment.ask_user_meta_info:
        text, reason = assessment.ask_user_meta_info, "profile"
    # A contact is named whether a user likes to be asked or not, so patience does not move this threshold.
    name_contact = assessment.ask_person <= settings.score_threshold
    if not text:
        return Route(rule=rule.value, decision="search", name_contact=name_contact)
    if asked >= settings.max_questions:
        return Route(
            rule=rule.value, decision="search", limit_reached=True, left_open=left_open, name_contact=name_contact
        )
    return Route(rule=rule.value, decision="ask", ask=text, reason=reason, name_contact=name_contact)


def _rule(assessment: Assessment, clear_threshold: int, score_threshold: int) -> tuple[RoutingRule, str, Reason]:
    """(rule, what to ask or "", why); 1 is the strongest score, so `<=` reads "at least as strong as"."""
    consultation = assessment.is_consultation <= score_threshold
    draw_out = assessment.res_consultation
    if assessment.clarity > clear_threshold:
        if draw_out and consultation:
            return RoutingRule.UNCLEAR_CONSULTATION, draw_out, "consultation"
        if assessment.ask_missing_info and assessment.is_question <= score_threshold:
            return RoutingRule.UNCLEAR_MISSING, assessment.ask_missing_info, "missing"
        return RoutingRule.UNCLEAR_OTHER, "", ""
    if consultation and assessment.in_internal_docs <= score_threshold:
        return RoutingRule.CLEAR_DOCUMENTED, "", ""
    if consultation and draw_out:
        return RoutingRule.CLEAR_CONSULTATION, draw_out, "consultation"
    return RoutingRule.CLEAR_OTHER, "", ""
