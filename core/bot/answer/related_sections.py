"""Sections beside those that an answer quotes, offered to go on with."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.text import in_quotes
from core.base.types import Hit, Passage, Topic
from core.bot.clarify.choices import section_choices
from core.bot.evidence import section_probabilities
from core.bot.sections_for_others import Known
from core.retrieval.headings import last_heading

MOST = 3  # sections that are offered
POSSIBLE = 0.03  # probability from which a section of the same document is offered,
FURTHER = 0.1  # and one of another document, or of any if several questions were asked


def related_sections(
    found: Sequence[Sequence[Hit | Topic]],
    quoted: Sequence[Passage],
    text: str = "",
    known: Known | None = None,
) -> tuple[str, ...]:
    """The headings of sections to go on with: those that the answer names, and others that may be meant, mostly in the
    documents quoted.

    found: for each question the sections found, best first; the likeliest are offered first. text: the answer. known:
    of the person; a section for people of another kind is left out.
    """
    documents = {passage.document for passage in quoted}
    shown = {(passage.document, passage.heading) for passage in quoted}
    named: list[Hit | Topic] = []
    possible: list[tuple[float, Hit | Topic]] = []
    for sections in found:
        for chance, one in zip(section_probabilities(sections) if sections else (), sections, strict=False):
            if (one.document, one.heading) in shown:
                continue
            if any(in_quotes(last_heading(one.heading), language) in text for language in ("ja", "en")):
                named.append(one)
            elif chance >= (POSSIBLE if len(found) == 1 and one.document in documents else FURTHER):
                possible.append((chance, one))
    likeliest = [one for _, one in sorted(possible, key=lambda pair: -pair[0])]
    everything = [one for sections in found for one in (*sections, *quoted)]
    others = known.others_among(everything) if known else frozenset[tuple[str, str]]()
    own = [
        one
        for one in likeliest
        if (one.document, one.heading) not in others and not (known and known.is_for_others(last_heading(one.heading)))
    ]
    places = {(one.document, one.heading): one for one in (*named, *own)}
    return section_choices(tuple(places.values()))[: max(MOST, len(named))]
