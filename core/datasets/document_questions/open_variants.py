"""The same question with the part left out that decides the answer, such as the plan or the platform."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.types import Language
from core.datasets.document_questions.section import RuleQuestion, Section, names_subject, telling_words

Attributes = Sequence[tuple[str, tuple[str, ...]]]
SHORTEST = 8  # letters of a question that still says something
ENOUGH_WORDS = 4  # telling words of an English question that need not name the document's subject
_NOUNS = r"(?=(?:subscription|payment|plan|purchase|trial|price|app|account|refund|cancellation)s?\b)"


def with_open_variant(
    draft: RuleQuestion, section: Section, attributes: Attributes, language: Language
) -> RuleQuestion:
    """The draft with what its answer depends on, if its heading and question name one value of an attribute.

    attributes: (name, values) of what is known of people.
    """
    if draft.condition:
        return draft
    if language == "en":
        draft = draft.model_copy(update={"question": _for_one(draft.question, attributes)})
    for name, values in attributes:
        named = [value for value in values if value.lower() in section.topic.lower()]
        if not named:
            continue
        opened = _without_ja(draft.question, named[0]) if language == "ja" else _without_en(draft.question, named)
        if opened in ("", draft.question) or len(opened) < SHORTEST or any(value in opened for value in named):
            continue
        enough = len(telling_words(opened)) >= ENOUGH_WORDS and "what happens" not in opened
        if language == "en" and not names_subject(opened, section) and not enough:
            continue
        if len(values) > len(named):
            return draft.model_copy(update={"condition": (name, named[0], tuple(values)), "open_question": opened})
    return draft


def _for_one(question: str, attributes: Attributes) -> str:
    """The question with the first of several values, as people ask for one: on iOS and Android is on iOS."""
    for _, values in attributes:
        either = "|".join(re.escape(value) for value in values)
        question = re.sub(rf"\b({either}) (?:and|or) (?:{either})( app)?s?\b", r"\1\2", question)
    return question


def _without_ja(question: str, value: str) -> str:
    opened = re.sub(rf"{re.escape(value)}(?:ですが、|の場合、|での|からの|で|の)", "", question)
    if len(telling_words(opened)) < 2:
        return ""
    return "" if re.match(r"[、。はがをにでともの]", opened) or re.search(r"扱い|どうなりますか", opened) else opened


def _without_en(question: str, values: Sequence[str]) -> str:
    either = "|".join(re.escape(value) for value in values)
    named = rf"(?:{either})(?: (?:and|or) (?:{either}))?"
    opened = re.sub(
        rf"(?: paid| bought| made)? (?:on|in|with|by|from|at) (?:the |an? )?{named}(?: apps?)?(?=[.?, ])", "", question
    )
    opened = re.sub(rf"\ban {named} {_NOUNS}", "a ", opened)
    return re.sub(rf"\b{named} {_NOUNS}", "", opened)
