"""A question about a product of which the documents say nothing: they are not searched for an answer about another
one."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Topic
from core.bot.evidence import has_examples, sections_above
from core.retrieval.index import Index
from core.text.language import terms
from core.text.message_questions import separate_questions
from core.text.product_names import product_names

LIKELY = 0.2  # probability of a section from which its example questions tell that it is about the product


def unknown_product(index: Index, text: str, topics: Sequence[Topic]) -> str:
    """The name of the product that a message is about, if the documents know neither it nor a word spelled like it;
    else empty.

    It is known, too, if an example question of a section that is likely meant has it; `topics`: the sections found.
    """
    if len(separate_questions(text)) > 1:
        return ""  # each is answered, or named as not found, by itself
    likely = sections_above(topics, LIKELY) if topics and has_examples(topics) else []
    found = {(topic.document, topic.heading) for topic in likely}
    return next((name for name in product_names(text) if not _is_known(index, name, found)), "")


def _is_known(index: Index, name: str, found: set[tuple[str, str]]) -> bool:
    return any(
        index.is_documented(word) or not found.isdisjoint(index.sections_asked_with(word))
        for word in terms(name, index.language)
    )
