"""The prompts that assess a message: is it clear enough to search, and what to ask otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from core.base.clean_text import truncate
from core.base.frozen_model import FrozenModel
from core.base.types import Assessment, ProfileField, SectionHit
from core.bot.conversation_prompt import ConversationPrompt
from core.text.language import script
from core.text.standalone_question import standalone_question

# Share of the message's words below which a section is not shown.
MIN_COVERAGE = 0.15
# Share of what the best section covers below which a section is not shown.
MIN_COVERAGE_SHARE = 1 / 3
# Characters of a section's text from which its excerpt is made.
READ_CHARACTERS = 2_000
# Characters of it that decide its script.
SCRIPT_CHARACTERS = 300
# Characters of an excerpt: English needs more.
EXCERPT_CHARACTERS = {"ja": 90, "zh": 90, "en": 220}


class Candidate(FrozenModel):
    """A section as a prompt shows it."""

    title: str
    heading: str
    excerpt: str  # the beginning of its text
    percent: int  # share of the message's words in it


def shown_candidates(sections: Sequence[SectionHit]) -> tuple[Candidate, ...]:
    """The sections worth showing, in the order found; one that hardly shares a word with the message is not."""
    least = max(MIN_COVERAGE, MIN_COVERAGE_SHARE * max((hit.coverage for hit in sections), default=0.0))
    return tuple(
        Candidate(title=hit.title, heading=hit.heading, excerpt=_excerpt(hit.text), percent=round(hit.coverage * 100))
        for hit in sections
        if hit.coverage >= least
    )


def _excerpt(text: str) -> str:
    plain = " ".join(text[:READ_CHARACTERS].split())
    return truncate(plain, EXCERPT_CHARACTERS[script(plain[:SCRIPT_CHARACTERS])])


class Assess(ConversationPrompt[Assessment]):
    """Five scores from 1 (strongest) to 5 for a conversation's last message, and the texts to ask if they apply."""

    file = "assess"
    role = "clarify"
    sections: tuple[SectionHit, ...] = ()  # the sections that compete
    fields: tuple[ProfileField, ...] = ()  # what an answer may depend on
    desk: str = ""  # what the bot covers

    def template_fields(self) -> dict[str, Any]:
        """Adds `candidates`, and `rewrites`: whether queries are asked for, too."""
        more = {"candidates": shown_candidates(self.sections), "rewrites": False}
        return {**super().template_fields(), **more}


class AssessmentWithQueries(Assessment):
    """An assessment, and what to search for in case nothing is asked."""

    queries: tuple[str, ...] = Field(
        description="One or two questions to search for, each of which makes sense alone, in the language of the last message."
    )

    def assessment(self) -> Assessment:
        """The assessment alone."""
        return Assessment.model_validate(self.model_dump(exclude={"queries"}))


class AssessAndRewrite(Assess):
    """The same, and the standalone question, in one call: for a conversation of several messages."""

    @classmethod
    def reply_type(cls) -> Any:
        """An assessment with queries."""
        return AssessmentWithQueries

    def template_fields(self) -> dict[str, Any]:
        """Asks for queries, too."""
        return {**super().template_fields(), "rewrites": True}

    def without_model(self) -> AssessmentWithQueries:
        """Both as they are computed one by one."""
        return AssessmentWithQueries(**dict(super().without_model()), queries=(standalone_question(self.conversation),))
