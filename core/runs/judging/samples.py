"""What the judges see of a turn."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from core.base.errors import BadInput
from core.base.types import Bot, LikelySection, Message, Persona, Sample, Scenario, SectionHit, Turn
from core.bot.answer_ask_refuse import response_probabilities
from core.bot.clarify.assess import shown_candidates
from core.bot.message_kind.classifier import kind_probabilities
from core.bot.section_probability import section_probabilities
from core.bot.turn_context import find_sections, prepare_messages
from core.documents.heading_names import with_heading
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

_LOG = logging.getLogger(__name__)


def sample_of(scenario: Scenario, turn: Turn, history: tuple[Message, ...], persona: Persona | None = None) -> Sample:
    """What a judge sees of a turn; `history` are the messages before it, `persona` is who asked."""
    question = turn.standalone_question or turn.message
    return Sample(
        question=turn.message,
        standalone_question=turn.standalone_question,
        answer=turn.reply.text,
        history=history,
        contexts=_contexts(turn),
        contexts_known=turn.passages is not None,
        reference=(scenario.reference,) if scenario.reference else (),
        keypoints=_lines(scenario.keypoints),
        evidence=_lines(scenario.evidence),
        asked_back=turn.asked_back,
        choices=turn.reply.choices,
        candidates=_candidates(turn) if turn.asked_back else (),
        sections=sections_with_probabilities(turn.sections),
        asks_nothing=turn.asks_nothing,
        small_talk_probability=1 - kind_probabilities(turn.message)["request"],
        response_probabilities={**response_probabilities(question, turn.sections)} if turn.sections else None,
        kind=scenario.kind,
        needs_asking=scenario.needs_asking,
        intent=scenario.intent,
        facts=scenario.facts,
        persona=" / ".join(filter(None, (persona.name, persona.description, persona.profile))) if persona else "",
    )


def sections_with_probabilities(sections: Sequence[SectionHit]) -> tuple[LikelySection, ...]:
    """The first sections that the bot found, each with the probability that it answers the message."""
    return tuple(
        LikelySection(title=hit.title, heading=hit.heading, probability=probability, vector=hit.vector)
        for hit, probability in zip(sections, section_probabilities(sections), strict=False)
    )


def restore_sections(turn: Turn, earlier: tuple[Message, ...], index: Index) -> Turn:
    """A stored turn with the texts of its sections, which are not stored but read from the documents again."""
    if not turn.sections:
        return turn
    seen = find_sections(index, prepare_messages(index, (*earlier, Message(role="user", text=turn.message))))
    texts = {hit.section: hit.text for hit in seen}
    sections = (hit.model_copy(update={"text": texts.get(hit.section, "")}) for hit in turn.sections)
    return turn.model_copy(update={"sections": tuple(sections)})


class SectionTexts:
    """Puts the texts of the sections that a bot looked at back into its stored turns; its index is opened if needed."""

    def __init__(self, indexes: Indexes, bot: Bot) -> None:
        self._indexes, self._bot = indexes, bot
        self._index: Index | None = None

    def restored(self, turn: Turn, before: tuple[Message, ...]) -> Turn:
        """The turn with these texts, if it asked a question; without them if the documents cannot be read."""
        if not (turn.asked_back and turn.sections):
            return turn
        try:
            self._index = self._index or self._indexes.get(self._bot)
            return restore_sections(turn, before, self._index)
        except (BadInput, OSError) as error:
            _LOG.warning("The sections that %s looked at cannot be read: %s", self._bot.id, error)
            return turn


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _candidates(turn: Turn) -> tuple[str, ...]:
    """The sections that the bot had before it when it decided to ask, as its own prompt has them."""
    candidates = shown_candidates(turn.sections)
    return tuple(
        f"{candidate.title} / {candidate.heading}: {candidate.excerpt}".rstrip(": ") for candidate in candidates
    )


def _contexts(turn: Turn) -> tuple[str, ...]:
    """What the bot saw, headings above the texts: the passages, or the sections it looked at before it asked."""
    seen = turn.passages or turn.sections[:6]
    return tuple(with_heading(part.title, part.heading, part.text) for part in seen)
