"""How a reply sounds: whether it greets, feels with the person, apologizes, or declines an attack."""

from __future__ import annotations

import re

from core.text.normalize import normalize

_COURTESY = re.compile(
    r"こんにちは|こんばんは|おはよう|はじめまして|ありがとう|どういたしまして|お役に立|お手伝い|ご用件|ご質問|お尋ね|お聞かせ|お困り|うれしい|お気持ち"
    r"|つら[いか]|お辛|心配|申し訳|失礼|悔やみ|お大事に|お気軽|いつでも|お疲れ|ごゆっくり|わたし|私は|\bAI\b|AI(?:で|と|の)|ボット|自動(?:応答|で)|お待ち"
    r"|\b(?:hello|hi|hey|good (?:morning|afternoon|evening|night)|thank(?:s| you)|you(?:['’]re| are) welcome|glad|happy to|pleased"
    r"|(?:can|could|may) i help|help you|i can (?:help|answer)|sorry|i(?:['’]m| am) (?:a|an|the|here)|assistant|chatbot|bot|good ?bye|bye|take care"
    r"|any ?time|congratulations|ask me|tell me)\b",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"お受け(?:して(?:い|お)り?ません|できません|できかね|いたしかね)|応じ(?:られません|かねます|ることはできません)|従(?:えません|うことはできません|いかねます)|(?:お見せ|公開|開示|お伝え|お教え|変更)(?:は?できません|して(?:い|お)り?ません|できかね|いたしかね)"
    r"|\bi (?:do not|don['’]t|cannot|can['’]t|am not able to|won['’]t|will not) (?:change|follow|show|share|reveal|hand out|give(?: out)?|disclose|ignore|obey|accept|pass on)\b",
    re.IGNORECASE,
)
_APOLOGY = re.compile(r"申し訳|お詫び|ご不快|すみません|ごめん|\b(?:sorry|apologi[sz]e)\b", re.IGNORECASE)
_SYMPATHY = re.compile(
    r"悔やみ|愁傷|お見舞い|(?:おつら|お辛|つら(?:い|か)|辛(?:い|か))|大変(?:でした|なこと|な思い|なとき)|心配|心中|ご不安|お気持ち|どうか(?:ご)?無理|一人で抱え|話して(?:くだ|いた)"
    r"|\b(?:sorry (?:for|to hear|about|that)|condolence\w*|sympath\w*|so sorry|must be (?:hard|difficult)|that sounds|take care|not alone|glad you (?:told|wrote))\b"
)


def is_courtesy(text: str) -> bool:
    """Whether a sentence of a reply greets, thanks, feels with the person or offers help."""
    return bool(_COURTESY.search(text))


def declines_attack(text: str) -> bool:
    """Whether a reply says that it does not do such a thing."""
    return bool(_DECLINES.search(text))


def apologizes(text: str) -> bool:
    """Whether a reply says that it is sorry."""
    return bool(_APOLOGY.search(text))


def is_sympathetic(text: str) -> bool:
    """Whether a reply has a word of sympathy."""
    return bool(_SYMPATHY.search(normalize(text)))
