"""What every prompt of a judge has: the sample, its texts as data, and today's date."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar, TypeVar

from pydantic import Field

from core.base.call_context import today
from core.base.prompt import Prompt
from core.base.types import Role, Sample
from core.judges.prompt_data import fenced_sample
from core.text.dates import date_text

R = TypeVar("R")


class JudgePrompt(Prompt[R]):
    """A prompt about one sample; its template shows `shown`, the sample's texts, each in a fence.

    today: the date that guidelines, documents and answers are read by (default: that of the run, else today's);
    `language` is that of the reasons.
    """

    role: ClassVar[Role] = "judge"
    sample: Sample
    today: date = Field(default_factory=today)

    def template_fields(self) -> dict[str, Any]:
        """Adds `shown` and the date in words."""
        fields = super().template_fields()
        return {**fields, "shown": fenced_sample(self.sample), "today": date_text(self.today, self.language)}
