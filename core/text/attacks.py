"""Attempts to change or read a bot's instructions, or to get at other users' data."""

from __future__ import annotations

import re
import unicodedata

from core.text.language import sentences

_INJECTION = re.compile(  # to play another role, to drop its instructions or to show them: no real request to a help desk
    r"(?:指示|命令|プロンプト|制約)[^。]{0,16}(?:無視|忘れ|捨て|破|上書き|従わ)|プロンプト[^。]{0,16}(?:出力|見せ|表示|教え|全文)|(?:システム|内部|隠された?|初期)\s?の?(?:プロンプト|指示|命令)|(?:開発者|管理者)モード|脱獄"
    r"|(?:資料|ルール|規則)(?:は|を|も)(?:すべて|全て|全部)?(?:無視し(?:て|ろ)|忘れ(?:て|ろ|なさい))|(?:あなた|君|きみ|お前)は(?:今|いま|これ|ここ)から(?!も)[^。]{0,24}(?:です|だ(?:[。、!！]|$)|として)|になりきって|役を演じ"
    r"|\b(?:ignore|forget|disregard|override|bypass)\b[^.]{0,40}\b(?:instructions?|rules?|documents?|prompts?|guidelines)\b|\b(?:hidden|internal|secret|system|initial) (?:prompt|instructions?|rules)\b|\bjailbreak\b|\b(?:system|admin) override\b"
    r"|\b(?:dev|developer|god|debug) mode\b|\byou(?:['’]re| are) now (?:an? |the |in )(?!position|list|queue|group|team|plan)|^(?:please |now |ok,? )?(?:act as|play the (?:role|part) of|pretend (?:to be|that you|you))\b",
    re.IGNORECASE,
)
_OTHERS_JA = re.compile(
    r"(?:さん|様|氏|くん|君|社長|部長|課長|(?:登録者|利用者|会員|顧客|お?客(?:さん|様)?|ユーザー|社員|従業員|メンバー|購入者|オーナー)(?:の方|全員|たち)?|@[\w.-]+|(?:ほか|他)の(?:人|方|社員|ユーザー|会員)|他人)"
    r"\s?(?:の|に関する)[^。、?？]{0,16}?(?:パスワード|住所|電話番号|携帯番号|給料|給与|年収|賞与|ボーナス|メールアドレス|口座(?:番号)?|カード(?:番号|情報)|生年月日|誕生日|年齢|病歴|評価|個人情報|マイナンバー|閲覧履歴|メモ|ノート)"
    r"(?:と[^。、?？]{1,12})?(?:を|も|は|って)?[^。、?？]{0,6}(?:教え(?:て|ろ|なさい|ください|よ)|出(?:して|せ|力)|見せ(?:て|ろ|なさい)|表示し(?:て|ろ|なさい)|送って|開示し(?:て|ろ)|一覧|リスト|調べて|読み上げ)"
)
_METHOD_JA = re.compile(
    r"方法|手順|やり方|仕方|変更|変え|登録し|追加|削除|更新|設定|どう|どこ|どんな|確認でき|見る(?:に|こと)|とき|場合|扱い|私の|自分の|窓口|問い?合わせ先|代表"
    r"|(?:社長|部長|課長|担当者?)の(?:お?名前(?:と|や))?(?:会社の|社用の?)?(?:メール|内線|連絡先)"  # as in a directory
)
_OTHERS_EN = re.compile(
    r"^(?:(?:please|now|so|then|and|just|kindly|i need you to|you (?:must|should|have to)|can you|could you|would you|will you)[, ]+){0,3}"
    r"(?:give|show|tell|list|send|read|look up|provide|print|hand|share|reveal|display|export|dump|fetch|find|get|email)\b[^.?!]{0,50}?"
    r"\b(?:(?:home |postal |private |e-?mail )?address(?:es)?|e-?mails?|(?:phone|telephone|mobile|card|account|passport) (?:numbers?|details)|passwords?|salar(?:y|ies)|wages?|bank details|dates? of birth|birthdays?|payment (?:details|data)|personal (?:data|details)|credit cards?|private (?:boards?|notes?|messages?))\b(?! (?:rules?|polic|settings?|fields?|formats?|changes?|resets?|forms?|limits?|length|protection))"
    r"[^.?!]{0,40}?\b(?:of|for|from|belonging to) (?:the |a |an |our |your |this |that |another |other |all |every |some ){0,2}(?:everyone|everybody|customers?|users?|clients?|members?|guests?|employees?|colleagues?|persons?|people|owners?|accounts?|(?-i:[A-Z][a-z]+ [A-Z][a-z]+)|[\w.+-]+@[\w.-]+)",
    re.IGNORECASE,
)
_OF_NAMED_EN = re.compile(
    r"\b(?:give|show|tell|list|send|read|provide|print|reveal|look up|what is|what's)\b[^.?!]{0,20}?\b(?:(?-i:[A-Z][a-z]+)(?: (?-i:[A-Z][a-z]+))?|(?:the |this |that |another |other |every )(?:customer|user|client|member|employee|person))['’]s? (?:\w+ ){0,2}"
    r"(?:address|e-?mail|phone number|card (?:number|details)|password|salary|bank details|date of birth|personal data)\b",
    re.IGNORECASE,
)


def is_prompt_injection(text: str) -> bool:
    """Whether a message tells the bot to play another role, to drop its instructions or to show them."""
    return any(_INJECTION.search(unicodedata.normalize("NFKC", part).strip()) for part in sentences(text))


def wants_others_data(text: str) -> bool:
    """Whether a message demands another person's data (password, address, salary); not how to see or change such
    data."""
    for part in sentences(text):
        plain = unicodedata.normalize("NFKC", part).strip()
        if _OTHERS_JA.search(plain) and not _METHOD_JA.search(plain):
            return True
        after = re.split(r"[:;]\s*", plain)
        if any(_OTHERS_EN.search(one.strip()) or _OF_NAMED_EN.search(one) for one in after):
            return True
    return False
