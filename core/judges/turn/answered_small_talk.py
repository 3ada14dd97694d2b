"""Whether a reply answers small talk as it needs: a greeting, thanks, a feeling, a wish for a person, an attempt to
change the bot's instructions."""

from __future__ import annotations

import re
from typing import Literal

from core.base.types import Sample
from core.judges.rules.answer_measures import Measures
from core.judges.turn.reply_features import asked_of, heading_similarity, words_of_passages
from core.judges.turn.reply_tone import apologizes, declines_attack, is_courtesy
from core.judges.turn.tone import missing_tone
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.citations import read_citations
from core.text.distress.distress import distress_of
from core.text.normalize import normalize
from core.text.numbers import amounts
from core.text.questions import is_question
from core.text.talk_patterns import asks_about_bot, is_greeting, is_insult

SmallTalk = Literal["courtesy", "attack", "distress", "anger"]
_CONTACT = re.compile(
    r"@|11[09]番|内線|電話|窓口|担当|連絡|相談|\b(?:phone|call|contact|desk|hours)\b|\d-\d", re.IGNORECASE
)
BESIDE = 0.9  # nearest heading and best covered share of a message that the documents are not about
SOCIAL = 0.5  # share of the sentences that greet, thank, feel with the person or offer help


def answered_small_talk(sample: Sample, measures: Measures) -> SmallTalk | None:
    """What kind of small talk the reply answers in the way that this kind needs, citing nothing; none for other
    replies."""
    if not sample.contexts_known or sample.asked_back or not measures.sentences or measures.has_refusal:
        return None
    if read_citations(sample.answer, len(sample.contexts))[1]:
        return None
    message = sample.question[:2_000]
    if (is_prompt_injection(message) or wants_others_data(message)) and not _asserts(sample, measures):
        return "attack" if declines_attack(sample.answer) else None
    if distress_of(message).calls_for_sympathy and not missing_tone(message, sample.answer):
        return "distress"
    if _asserts(sample, measures):
        return None
    if is_insult(message) and apologizes(sample.answer):
        return "anger"
    if asks_about_bot(message):
        return "courtesy"
    social = sum(map(is_courtesy, measures.sentences)) >= SOCIAL * len(measures.sentences)
    greets = is_greeting(message) and not is_question(normalize(message))
    return "courtesy" if social and (greets or _is_beside_documents(sample)) else None


def _is_beside_documents(sample: Sample) -> bool:
    """Whether the passages seen, if any, have little to do with the message."""
    asked = asked_of(sample)
    found = words_of_passages(sample.contexts, asked.of)
    near = max((heading_similarity(one, asked.text, asked.words) for one in found), default=0.0)
    best = max((asked.share(one.words) for one in found), default=0.0)
    return not (asked.words and found) or (not asked.kinds and near + best < BESIDE)


def _asserts(sample: Sample, measures: Measures) -> bool:
    """Whether the reply gives amounts of its own (money, times, dates) that are not a contact's."""
    asked = amounts(sample.question)
    stated = (amounts(part) - asked for part in measures.sentences if not _CONTACT.search(part))
    return any(one.unit for found in stated for one in found)
