"""Questions of customers about an English section, without a model: by its heading, its table and its sentences."""

from __future__ import annotations

from collections.abc import Sequence

from core.datasets.draft import Draft, Section
from core.datasets.heading_questions_en import heading_questions_en
from core.datasets.open_variants import with_open_variant
from core.datasets.sentence_questions_en import sentence_questions_en
from core.datasets.table_questions_en import table_questions_en
from core.datasets.whole_answers import with_whole_answer


def questions_en(section: Section, attributes: Sequence[tuple[str, tuple[str, ...]]] = ()) -> list[Draft]:
    """The questions that a section answers, the surest first; attributes as in `core.datasets.questions_ja`."""
    found = [*heading_questions_en(section), *table_questions_en(section), *sentence_questions_en(section)]
    whole = [with_whole_answer(draft, section) for draft in found]
    return [with_open_variant(draft, section, attributes, "en") for draft in whole]
