"""What people say to a help desk that asks nothing of the documents, and how a desk replies to it: greetings, scolding,
attacks on its instructions, questions about itself. Messages are normalized (`core.text.normalize`) beforehand."""

from __future__ import annotations

import re

_GREETING = re.compile(
    r"^(?:(?:どうも|本当に|ほんとに|いつも)*(?:ありがと|感謝|助かり|助かった)|こんにち|こんばん|おはよう|はじめまして|初めまして|お疲れ|よろしく|さようなら|バイバイ|失礼し"
    r"|了解|わかりました|分かりました|なるほど|解決)"
    r"|^(?:ok(?:ay)?[,.!]? )?(?:many )?(?:thanks|thank you|thx|cheers|hello|hi|hey|good (?:morning|afternoon|evening|night)|(?:good ?)?bye|great|perfect)\b",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"(?:あなた|君|きみ|お前|そちら)は?(?:誰|だれ|何者|人間|ロボット|AI|ボット)|お名前は|名前を?(?:教えて|何)|何(?:が|を)(?:でき|して(?:くれ|もらえ)|聞け)"
    r"|\bwho are you\b|\bwhat are you\b|\bwhat (?:can|do) you (?:do|help|know)\b|\bare you (?:a |an )?(?:human|person|bot|robot|ai|real|machine)\b|\byour name\b",
    re.IGNORECASE,
)
_INSULT = re.compile(
    r"使え(?:な|ね)|ポンコツ|役(?:に)?立た|役立たず|馬鹿|バカ|ばか(?:か|や|じゃ)|アホ|クソ|くそ|死ね|ふざけ|うざい|むかつ|最悪|ひどい対応"
    r"|\b(?:stupid|useless|garbage|idiot\w*|rubbish|crap\w*|dumb|worst|pathetic|hate you|shut up)\b",
    re.IGNORECASE,
)
_ATTACK = re.compile(
    r"(?:指示|命令|プロンプト|制約)[^。]{0,16}(?:無視|忘れ|捨て|破|上書き|従わ)|プロンプト[^。]{0,16}(?:出力|見せ|表示|教え|全文)|(?:システム|内部|隠された?|初期)の?(?:プロンプト|指示|命令)"
    r"|開発者モード|管理者モード|脱獄|(?:管理者|ほかの人|他の人|他人|全社員|社員全員)の?[^。]{0,8}(?:パスワード|給与|給料|個人情報|メモ|住所|電話番号)"
    r"|\b(?:ignore|forget|disregard|override|bypass)\b[^.]{0,40}\b(?:instructions?|rules?|documents?|prompts?|guidelines)\b|\b(?:system|hidden|internal|secret) (?:prompt|instructions?|rules)\b"
    r"|\b(?:developer|dan|god|debug) mode\b|\bjailbreak\b|\badmin(?:istrator)?(?:['’]s)? (?:password|api|key)\b|\b(?:other|another) (?:customer|user|person)s?['’]s?\b[^.]{0,20}\b(?:password|data|address)\b",
    re.IGNORECASE,
)
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


def is_greeting(text: str) -> bool:
    """Whether a message begins with a greeting, thanks or a word that ends a conversation."""
    return bool(_GREETING.search(text))


def asks_about_bot(text: str) -> bool:
    """Whether a message asks who the bot is, or what it can do."""
    return bool(_ASKS_WHO.search(text))


def is_insult(text: str) -> bool:
    """Whether a message scolds."""
    return bool(_INSULT.search(text))


def is_attack(text: str) -> bool:
    """Whether a message wants the bot's instructions changed or shown, or what belongs to other people."""
    return bool(_ATTACK.search(text))


def is_courtesy(text: str) -> bool:
    """Whether a sentence of a reply greets, thanks, feels with the person or offers help."""
    return bool(_COURTESY.search(text))


def declines_attack(text: str) -> bool:
    """Whether a reply says that it does not do such a thing."""
    return bool(_DECLINES.search(text))


def apologizes(text: str) -> bool:
    """Whether a reply says that it is sorry."""
    return bool(_APOLOGY.search(text))
