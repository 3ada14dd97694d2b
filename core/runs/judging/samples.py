"""What the judges see of a turn."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

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
        sections=sections_with_probabilities(turn.topics),
        asks_nothing=turn.asks_nothing,
        small_talk_probability=1 - kind_probabilities(turn.message)["request"],
        outcomes=outcomes_of(turn.standalone_question or turn.message, turn.topics),
        kind=scenario.kind,
        needs_asking=scenario.needs_asking,
        intent=scenario.intent,
        facts=scenario.facts,
        persona=" / ".join(filter(None, (persona.name, persona.description, persona.profile))) if persona else "",
    )


def sections_with_probabilities(topics: Sequence[SectionHit]) -> tuple[LikelySection, ...]:
    """The first sections that the bot found, each with the probability that it answers the message."""
    return tuple(
        LikelySection(title=topic.title, heading=topic.heading, chance=chance, vector=topic.vector)
        for topic, chance in zip(topics, section_probabilities(topics), strict=False)
    )


def outcomes_of(question: str, topics: Sequence[SectionHit]) -> Mapping[str, float] | None:
    """The probability of each outcome of a question by the sections found for it, as if it stood alone; None without any."""
    return {**response_probabilities(question, topics)} if topics else None


def restore_topics(turn: Turn, earlier: tuple[Message, ...], index: Index) -> Turn:
    """A stored turn with the texts of its topics, which are not stored but read from the documents again."""
    if not turn.topics:
        return turn
    seen = find_sections(index, prepare_messages(index, (*earlier, Message(role="user", text=turn.message))))
    texts = {topic.section: topic.text for topic in seen}
    topics = (topic.model_copy(update={"text": texts.get(topic.section, "")}) for topic in turn.topics)
    return turn.model_copy(update={"topics": tuple(topics)})


class TopicTexts:
    """Puts the texts of the sections that a bot looked at back into its stored turns; its index is opened if needed."""

    def __init__(self, indexes: Indexes, bot: Bot) -> None:
        self._indexes, self._bot = indexes, bot
        self._index: Index | None = None

    def restored(self, turn: Turn, before: tuple[Message, ...]) -> Turn:
        """The turn with these texts, if it asked a question; without them if the documents cannot be read."""
        if not (turn.asked_back and turn.topics):
            return turn
        try:
            self._index = self._index or self._indexes.get(self._bot)
            return restore_topics(turn, before, self._index)
        except (BadInput, OSError) as error:
            _LOG.warning("The sections that %s looked at cannot be read: %s", self._bot.id, error)
            return turn


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _candidates(turn: Turn) -> tuple[str, ...]:
    """The sections that the bot had before it when it decided to ask, as its own prompt has them."""
    candidates = shown_candidates(turn.topics)
    return tuple(
        f"{candidate.title} / {candidate.heading}: {candidate.excerpt}".rstrip(": ") for candidate in candidates
    )


def _contexts(turn: Turn) -> tuple[str, ...]:
    """What the bot saw, headings above the texts: the passages, or the topics it looked at before it asked."""
    seen = turn.passages or turn.topics[:6]
    return tuple(with_heading(part.title, part.heading, part.text) for part in seen)
