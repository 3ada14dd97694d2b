"""Detects a danger to a life, the writer's own or another's, and harassment."""

from __future__ import annotations

import re

from core.text.distress.classifiers import incident, is_figure_of_speech, moods, parts_of
from core.text.distress.exclusions import asks_for_rules, with_deaths_named
from core.text.normalize import normalize

_DANGER = re.compile(
    r"死にた|死のうと|死んでしまいた|死ぬ(?:つもり|しかない|って|と言)|死(?:にます|ぬ)[」』]?(?:と|って|んて)[^。、]{0,6}(?:書|言|投稿|つぶや|連絡|送って|コメント)"
    r"|(?:もう|これから|今から|今夜|今日|明日)死(?:ぬ|にます)|(?:明日|あした|もう|朝)[^。、]{0,6}(?:いません|いない(?:と思|から|よ)|生きてい(?:ない|ません))[、。]?[^。]{0,8}(?:さようなら|さよなら)|書き置き(?:が|を|み)|遺書(?:が|を|の|みた|らし|めい|とも)|(?:命|生涯)を絶|自ら命|身を投げ|(?:ビル|屋上|橋|ホーム|駅)から飛び降り"
    r"|(?:薬|睡眠薬)を?(?:たくさん|大量|全部|まとめて|何十錠)[^。、]{0,6}飲|(?<!から)(?<!して)(?:いなく|居なく)なりたい|この世から(?:消え|いなく)|消えてしまいた|消えたい(?:$|[。！!…と])|生きていたくな|(?:もう|これ以上)[^。、]{0,6}生きて(?:い|は)?(?:け(?:ない|ません|そうに)|られ(?:ない|ません))|生き(?:る|てい?る)(?:意味|価値|気力|理由)[がもはな]|自殺(?!予防|防止|対策)|自死|自傷|リストカット"
    r"|リスカ|飛び降り(?:る|たい|よう)|首を?[吊つ]|殺(?:す|し(?:て|たい)|され)|命(?:が|の|に)(?:危|かか|関わ)|殴ら|刺さ(?:れ|せ)|暴力を"
    r"|\bkill(?:s|ing)? (?:my|him|her|your|them)sel\w+|\b(?:to|will|gonna) kill (?:me|us|him|her|them)\b|\bsuicid\w*(?! (?:prevention|awareness))|\bself-?harm\w*"
    r"|\bend(?:ing)? (?:my|his|her|their) (?:own )?li(?:fe|ves)|\bend it all\b|\b(?:want|wants|wanted|going|wish\w*) to (?:die|be dead)\b"
    r"|\btak(?:e|ing) (?:my|his|her|their) own life|\b(?:do not|don['’]t|doesn['’]t) want to (?:live|be alive)"
    r"|\bli(?:fe|ves) (?:is|are|may be|might be|could be|in)? ?(?:in|at) (?:danger|risk)|\b(?:hurt|cut)(?:s|ting)? (?:my|him|her|them)sel\w+"
    r"|\b(?:no|any|see (?:the|a|much)) (?:point|reason|sense)(?: left)? (?:(?:in|of) (?:living|being alive)|to live|to go on living)\b|\blife (?:has no|is not worth|isn['’]t worth)\b"
    r"|\b(?:won['’]t|will not|not going to|not gonna) be (?:alive|here any ?more|around any ?more)|\bsuicide note|\bjump(?:ing)? (?:off|from) (?:a|the|his|her|my) (?:\w+ )?(?:bridge|roof|building|balcony|cliff|window|tower)"
    r"|\b(?:going|gonna|about|planning|plans|threaten\w*) to (?:die|kill|end (?:it|things)|hang (?:my|him|her|them)sel\w+)|\bgoodbye (?:note|letter|message)\b[^.?]{0,60}\b(?:alive|die|dead|live|life)\b"
    r"|\b(?:swallow\w*|taken|took) (?:a lot of|too many|all (?:my|his|her|the)|a whole (?:pack|box|bottle) of) (?:\w+ )?(?:pills|tablets)\b"
    r"|首を(?:絞|しめ)|(?:包丁|ナイフ|刃物)を(?:持|向|突)|\b(?:with|has|had|holding|pulled) a (?:knife|gun)\b|\b(?:strangl|chok)(?:ed|es|ing) me\b|\bbetter off (?:dead|without me|if i (?:was|were|am))\b|\bwritten my goodbyes\b"
    r"|\bbeat(?:s|ing)? me\b|(?<!that )(?<!it )(?<!this )(?<!which )(?<!rise )(?<!increase )(?<!change )(?<!fee )(?<!price )(?<!prices )\bhit(?:s|ting)? me\b"
    r"|\boverdos\w+",
    re.IGNORECASE,
)
_MAY_BE_FIGURE_OF_SPEECH = re.compile(  # of these: also said of a scolding, of haste or of shame
    r"殺(?:す|し|され)|死にた|死ぬ|死んで|生きて(?:い|は)?(?:け|られ)|\bkill (?:me|us|him|her|them)\b|\bto (?:die|kill)\b|\b(?:hit|beat)s?"
)
_ANNOUNCED = re.compile(  # somebody says so now
    r"(?:と|って|んて|旨を|予告を|ほのめかし|文章が|内容が)[」』]?[^。、]{0,8}(?:書|言って|言われ|投稿|つぶや|連絡|送って|送られ|コメント|残し|いる(?:人|方|ユーザー|会員)|ありま|ある)"
    r"|\b(?:says?|said|saying|writes?|wrote|writing|written|posts?|posted|posting|announc\w+|threaten\w*|comment\w*|texted|messaged|told|tells)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:kill|hurt|cut|hang|harm)(?:ing)? myself\b|\bend(?:ing)? my (?:own )?life\b|\btak(?:e|ing) my (?:own )?life\b|\bi (?:\w+ ){0,3}(?:want|wish|going|plan\w*|about) to (?:die|be dead|end it|jump)\b|\bi (?:won['’]t|will not) be alive\b"
    r"|(?:私|わたし|僕|俺|自分)(?:は|が|も|なんて)?[^。、]{0,12}(?:死|消え|いなく|生き)|(?:死に|消え(?:てしまい)?|いなくなり)たい(?:です|くなる|と思|気持ち|。|！|$)",
    re.IGNORECASE,
)
_HARASSED = re.compile(
    r"(?:ハラ(?:スメント)?|いじめ|嫌がらせ|いやがらせ|脅し|ストーカー|つきまとい|暴言|差別|痴漢)[^。！!?？]{0,10}(?:され|受け|うけ|遭|あって|あい|にあ|られ|困|つら|辛)"
    r"|(?:死ね|辞めろ|やめろ|消えろ|クビだ?|ばか|バカ|馬鹿|無能|役立たず|使えない|給料泥棒)[」』]?(?:と|って|など)[^。、]{0,10}(?:言われ|怒鳴られ|罵|どなられ)"
    r"|(?:怒鳴|いじめ|脅さ|脅迫さ|無視さ|罵倒さ|触ら|付きまとわ|つきまとわ|否定さ|晒さ|さらさ)(?:られ|れ)"
    r"|\b(?:being|been|was|am|get|getting|got|feel) (?:\w+ly )?(?:bullied|harass\w+|threatened|stalked|abused|insulted|humiliated|groped|discriminated|shouted at|yelled at|doxx?ed)"
    r"|\b(?:bull(?:y|ies|ying)|harass(?:es|ing)?|threaten(?:s|ing)?|stalk(?:s|ing)?|abus(?:es|ing)|insult(?:s|ing)?|shouts? at|yells? at|doxx?(?:es|ing)) (?:me|us|my)\b"
    r"|\bsend(?:s|ing)? (?:me|us) (?:\w+ )?threats",
    re.IGNORECASE,
)


def reports_danger(text: str) -> bool:
    """Whether a message reports a danger to a life; "my boss will kill me if I am late" does not."""
    text = with_deaths_named(text)
    found = [one[0] for one in _DANGER.finditer(normalize(text))]
    if found and all(map(_MAY_BE_FIGURE_OF_SPEECH.search, found)):
        dangerous_parts = [part for part in parts_of(text) if _DANGER.search(normalize(part))]
        return not is_figure_of_speech(text) and not (
            dangerous_parts and all(map(is_figure_of_speech, dangerous_parts))
        )
    return bool(found) or ("danger" in moods(text) and not is_figure_of_speech(text))


def is_of_writer(text: str) -> bool:
    """Whether the danger that a message reports is the writer's own."""
    plain = normalize(text)
    return bool(_OWN.search(plain) or _HARASSED.search(plain))


def announces_danger(text: str) -> bool:
    """Whether a message reports that somebody has said or written that a life will end; not a question about rules for
    such a case."""
    plain = normalize(text)
    return reports_danger(text) and bool(_ANNOUNCED.search(plain)) and not asks_for_rules(plain)


def is_harassed(text: str) -> bool:
    """Whether a message reports harassment, including private data that others publish; it may report other things,
    too."""
    return bool(_HARASSED.search(normalize(text))) or incident(text) == "harassment"
