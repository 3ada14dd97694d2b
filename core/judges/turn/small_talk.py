"""Marks for a reply to a message that asks nothing of the documents: a greeting, thanks, a feeling, a wish for a person."""

from __future__ import annotations

import re

from core.base.types import Language, Sample
from core.judges.turn.caps import REASONS
from core.judges.turn.features import asked_of, refusal_features, sections_of
from core.judges.turn.likelihood import highest_mark, probability
from core.judges.turn.marks import Mark, TurnVerdict
from core.judges.turn.measures import Measures
from core.judges.turn.scoring import verdict
from core.text.citations import read_citations
from core.text.numbers import amounts

_CONTACT = re.compile(r"@|内線|電話|窓口|担当|連絡|相談|\b(?:phone|call|contact|desk|hours)\b|\d-\d", re.IGNORECASE)
_SOCIAL = re.compile(
    r"こんにちは|こんばんは|おはよう|はじめまして|ありがとう|どういたしまして|お役に立|お手伝い|ご用件|ご質問|お尋ね|お聞かせ|お困り|うれしい|お気持ち"
    r"|つら[いか]|お辛|心配|申し訳|失礼|悔やみ|お大事に|お気軽|いつでも|お疲れ|ごゆっくり|わたし|私は|\bAI\b|AI(?:で|と|の)|ボット|自動(?:応答|で)|お待ち"
    r"|\b(?:hello|hi|hey|good (?:morning|afternoon|evening|night)|thank(?:s| you)|you(?:['’]re| are) welcome|glad|happy to|pleased"
    r"|(?:can|could|may) i help|help you|i can (?:help|answer)|sorry|i(?:['’]m| am) (?:a|an|the|here)|assistant|chatbot|bot|good ?bye|bye|take care"
    r"|any ?time|congratulations|ask me|tell me)\b",
    re.IGNORECASE,
)
SOCIAL = 0.5  # share of the sentences that greet, thank, feel with the person or offer help


def is_small_talk(sample: Sample, measures: Measures) -> bool:
    """Whether the reply cites nothing and is made of courtesies, and the documents are not what was asked for."""
    if not sample.contexts_known or sample.asked_back or not measures.parts or measures.refusal:
        return False
    if read_citations(sample.answer, len(sample.contexts))[1] or _asserts(sample, measures):
        return False
    social = sum(bool(_SOCIAL.search(part)) for part in measures.parts)
    return social >= SOCIAL * len(measures.parts) and _is_beside_documents(sample)


def _is_beside_documents(sample: Sample) -> bool:
    """Whether the passages seen, if any, have little to do with the message."""
    asked = asked_of(sample)
    found = sections_of(sample.contexts, asked.of)
    likely = probability("refusal", refusal_features(asked, found), asked.of)
    return not (asked.words and found) or (not asked.kinds and highest_mark("refusal", likely) >= 4)


def _asserts(sample: Sample, measures: Measures) -> bool:
    """Whether the reply gives amounts of its own (money, times, dates) that are not a contact's."""
    asked = amounts(sample.question)
    stated = (amounts(part) - asked for part in measures.parts if not _CONTACT.search(part))
    return any(one.unit for found in stated for one in found)


def judge_small_talk(coherence: Mark, language: Language) -> TurnVerdict:
    """Good marks, and none for correctness: there is nothing to check."""
    good = Mark(reason=REASONS("small_talk.good", language), score=5)
    unknown = Mark(reason=REASONS("small_talk.unchecked", language), score=None)
    overall = Mark(reason=REASONS("small_talk.good", language), score=min(5, (coherence.score or 1) + 1))
    return verdict((good, good, good, unknown, coherence, overall))
