"""Functions as routes: the model is offered four functions, and the one that it calls is the next step."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.reply_fields import MAX_CHOICES, Choices, Text
from core.base.types import Assessment, Patience, ProfileField, Route, SectionHit
from core.bot.clarify.assess import shown_candidates
from core.bot.clarify.routing import RoutingRule
from core.bot.conversation_prompt import ConversationPrompt


class _Question(FrozenModel):
    """A clarifying question with what it offers."""

    question: Text = Field(min_length=1, description="One short, kind question, in the person's language.")
    choices: Choices = Field(
        default=(),
        description=f"Up to {MAX_CHOICES} concrete things to pick from, taken from the candidates; may be empty.",
    )


class AskForMissing(_Question):
    """Ask the person for what is missing, because the request is too vague to search for."""


class DrawOutConsultation(_Question):
    """Draw out the real trouble or purpose of a person who wants advice, where the advice depends on it."""


class SearchNow(FrozenModel):
    """Search the documents at once, because it is clear what the person wants to know."""


class HandToPerson(FrozenModel):
    """Search, and name the person in charge as well, because a person is the better place to ask."""


CalledStep = AskForMissing | DrawOutConsultation | SearchNow | HandToPerson


class ChooseStep(ConversationPrompt[CalledStep]):
    """What to do with a conversation's last message; needs a model, because only a model can call functions.

    `sections`, `fields`, `profile`: as for `core.bot.clarify.assess.Assess`; `patience`: how much asking the user
    likes.
    """

    file = "functions"
    role = "clarify"
    sections: tuple[SectionHit, ...] = ()
    fields: tuple[ProfileField, ...] = ()
    patience: Patience = "balanced"
    desk: str = ""

    def template_fields(self) -> dict[str, Any]:
        """Adds `candidates`."""
        return {**super().template_fields(), "candidates": shown_candidates(self.sections)}


def assessment_of(step: CalledStep) -> Assessment:
    """The step in the words of an assessment: the scores are at their ends, since the model gave none."""
    choices = step.choices if isinstance(step, AskForMissing | DrawOutConsultation) else None
    consultation = isinstance(step, DrawOutConsultation)
    return Assessment(
        clarity=1 if choices is None else 5,
        is_question=1,
        is_consultation=1 if consultation else 5,
        in_internal_docs=1,
        ask_person=1 if isinstance(step, HandToPerson) else 5,
        ask_missing_info=step.question if isinstance(step, AskForMissing) else "",
        res_consultation=step.question if isinstance(step, DrawOutConsultation) else "",
        choices=choices or (),
    )


def route_of(step: CalledStep, asked: int, most: int) -> Route:
    """Where the step leads: rules 1 and 2 ask, rule 6 searches, as in the table of scores.

    Once `most` questions were `asked` in the conversation every step searches.
    """
    if not isinstance(step, AskForMissing | DrawOutConsultation):
        return Route(rule=RoutingRule.CLEAR_OTHER.value, decision="search", name_contact=isinstance(step, HandToPerson))
    missing = isinstance(step, AskForMissing)
    rule = (RoutingRule.UNCLEAR_MISSING if missing else RoutingRule.UNCLEAR_CONSULTATION).value
    if asked >= most:
        return Route(rule=rule, decision="search", limit_reached=True, left_open="intent")
    return Route(rule=rule, decision="ask", ask=step.question, reason="missing" if missing else "consultation")
