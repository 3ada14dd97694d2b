"""Questions of customers about a Japanese section, without a model: by its heading, its table and its sentences."""

from __future__ import annotations

from collections.abc import Sequence

from core.datasets.draft import Draft, Section
from core.datasets.heading_questions_ja import heading_questions_ja
from core.datasets.open_variants import with_open_variant
from core.datasets.sentence_questions_ja import sentence_questions_ja
from core.datasets.table_questions_ja import table_questions_ja
from core.datasets.whole_answers import with_whole_answer


def questions_ja(section: Section, attributes: Sequence[tuple[str, tuple[str, ...]]] = ()) -> list[Draft]:
    """The questions that a section answers, the surest first, each with the exact text that does.

    attributes: (name, values) of what is known of people, such as their office; a heading about one value gives a
    question that can be asked openly.
    """
    found = [*heading_questions_ja(section), *table_questions_ja(section), *sentence_questions_ja(section)]
    whole = [with_whole_answer(draft, section) for draft in found]
    return [with_open_variant(draft, section, attributes, "ja") for draft in whole]
