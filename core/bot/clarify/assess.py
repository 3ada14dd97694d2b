"""The prompts that assess a message: is it clear enough to search, and what to ask otherwise."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from core.base.types import Assessment, ProfileField, Topic
from core.bot.clarify.candidates import shown_candidates
from core.bot.conversation_prompt import ConversationPrompt
from core.text.standalone_question import standalone_question


class Assess(ConversationPrompt[Assessment]):
    """Five scores from 1 (strongest) to 5 for a conversation's last message, and the texts to ask if they apply."""

    file = "assess"
    role = "clarify"
    topics: tuple[Topic, ...] = ()  # the sections that compete
    fields: tuple[ProfileField, ...] = ()  # what an answer may depend on
    desk: str = ""  # what the bot covers

    def template_fields(self) -> dict[str, Any]:
        """Adds `candidates`, and `rewrites`: whether queries are asked for, too."""
        more = {"candidates": shown_candidates(self.topics), "rewrites": False}
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
