"""Requests for a human agent: whether a message asks for nothing else, what the agent is wanted for, and impatience."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from core.base.types import Message
from core.bot.message_kind.classifier import kind_probabilities
from core.bot.message_kind.clauses import message_clauses, without_small_talk_clauses
from core.text.conversation import user_texts
from core.text.language import content_words
from core.text.small_talk_patterns import wants_human_agent

# Probability from which a clause next to a request for a human agent is an insult.
SCOLDING_FROM = 0.25
# Words of messages that ask for a human agent and say nothing else.
HUMAN_AGENT_WORDS = {
    "ja": "人 人間 担当 担当者 係 者 オペレーター 有人 スタッフ 社員 責任者 誰か 誰 直接 話す 話 会話 繋ぐ 代わる 替わる 呼ぶ 出す 電話 連絡 連絡先 問い合わせ 問い合わせる "
    "窓口 サポート チャット 対応 案内 今すぐ 早く ボット 機械 自動 応答 違う 方 直ぐ 至急 掛ける かける 番 番号 受付 頼む "
    "AI 君 あなた ちゃんと 喋る しゃべる",
    "en": "human person people agent operator representative rep staff someone somebody anyone anybody real live talk speak chat "
    "connect transfer call phone put through reach contact support team employee manager advisor bot machine robot now right "
    "let give get instead ask soon quickly today real actual desk service customer ai chatbot",
}
_IMPATIENT = re.compile(
    r"もういい|いいから|いい加減|いいかげん|(?:出せ|呼べ|呼んでこい|代われ|替われ|かわれ|つなげ|繋げ|回せ)(?:よ|や|って)?[!！。]*$|(?:じゃ|では)なくて?"
    r"|\b(?:enough|just (?:get|give|let|put)|hopeless|useless|demand|sick of|done with|stop|waste|not a (?:bot|robot|machine)|now|already|forget it|for (?:god|heaven|goodness)['’]?s?)\b",
    re.IGNORECASE,
)


def only_wants_human(text: str) -> bool:
    """Whether a message asks for a human agent and says nothing else."""
    return wants_human_agent(text) and not set(content_words(text)) - _agent_words()


def matter_of(messages: Sequence[Message]) -> str:
    """What a human agent is wanted for, from the newest message that says so; "" if none does."""
    said = map(_matter_alone, user_texts(reversed(messages)))
    wanted = _agent_words()
    return next((text for text in said if set(content_words(without_small_talk_clauses(text))) - wanted), "")


def is_impatient(text: str) -> bool:
    """Whether a user who wants a human agent insults, gives orders, or is fed up with the bot."""
    return bool(_IMPATIENT.search(text)) or any(map(_scolds, message_clauses(text)))


def _scolds(text: str) -> bool:
    return kind_probabilities(text)["insult"] >= SCOLDING_FROM


def _matter_alone(text: str) -> str:
    """A message without the clauses that scold or only want a human agent."""
    return " ".join(part for part in message_clauses(text) if not _scolds(part) and not only_wants_human(part))


@cache
def _agent_words() -> frozenset[str]:
    return frozenset(word for language in ("ja", "en") for word in content_words(HUMAN_AGENT_WORDS[language]))
