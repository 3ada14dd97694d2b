"""One question on a section, as a model or the rules write it."""

from __future__ import annotations

from pydantic import Field

from core.base.frozen_model import FrozenModel


class WrittenQuestion(FrozenModel):
    """One question; attribute, value and values are empty if the answer depends on nothing."""

    reference: str = Field(description="The sentences or table row that answer it, copied letter by letter.")
    question: str = Field(description="What a customer would write, in the first person and in everyday words.")
    attribute: str = Field(default="", description="What the answer depends on, such as the plan; may be empty.")
    value: str = Field(default="", description="The value of that attribute that the question names; may be empty.")
    values: tuple[str, ...] = Field(default=(), description="All values that the section tells apart; may be empty.")
    open_question: str = Field(default="", description="The same question with that value left out; may be empty.")
