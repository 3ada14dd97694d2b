"""What frames a question and says nothing about its matter: salutation, who writes, good wishes, "a quick question:", and at
the end thanks, the wish for a reply, the closing and the name."""

from __future__ import annotations

import re

from core.text.language import content_words

MAX_PARTS = 6  # parts of a frame at either end
_NAME = r"(?-i:[A-Z][\w.'’-]{0,30}(?:[ ][A-Z][\w.'’-]{0,30}){0,3}(?:\s\([^()\n]{1,40}\))?)"
_END_EN = r"[\s,.:;!–—-]{1,4}"
_SHORT = r"(?:quick|short|small|simple|silly|stupid|dumb|little|brief|general)"
# A greeting alone stays: it is answered.
_GREETING = (
    r"(?:hi|hello|hey|hiya|greetings|good\s(?:morning|afternoon|evening|day))"
    r"(?:\s(?:there|all|team|everyone|everybody|guys|folks|support|both|again))?" + _END_EN
)
_OPENINGS_EN = (
    r"(?:dear|to)\s(?:(?:sir|madam|sirs|team|support|all|customer|help|service|services|desk|friends?|or|and|the|whom|it|may"
    r"|concern)[\s/]{0,2}){1,6}" + _END_EN,
    r"dear\s[^\s,.:!]{1,30}(?:\s[^\s,.:!]{1,30}){0,3}[,:]\s",
    r"(?:i\s)?(?:do\s)?hop(?:e|ing)\s(?:this|that|you|your|all|everything|everyone)\b[^.,!?\n]{0,50}"
    r"\b(?:well|good|great|fine|nice|lovely|ok|okay|safe|day|week|weekend)\b[^.,!?\n]{0,15}[.,!;:\n–—-]\s?",
    r"how\sare\s(?:you|things)(?:\s(?:today|doing|all|going))?[\s?,.!]{1,3}",
    r"my\sname\sis\s" + _NAME + r"(?:[.,!\n]|\s+and\b)\s",
    r"(?:so\s)?(?:sorry|apologies)\s(?:to\s(?:bother|trouble|disturb)|for\s(?:bothering|troubling|disturbing|the\sbother))"
    r"(?:\s(?:you|u)(?:\s(?:guys|all|again))?)?(?:\sagain|\swith\sthis)?\s?[.,!:–—-]\s",
    r"(?:(?:i\s(?:just\s)?(?:have|had|got)|i(?:['’]ve|ve)(?:\s(?:just\s)?got)?|just|here(?:['’]s|\sis|\scomes)|got)\s)?(?:a|an|one|my"
    r"|another)?\s?(?:"
    + _SHORT
    + r"[\s,]{1,2}){0,2}(?:question|one|query|thing)(?:\sfor\s(?:you|u)(?:\s(?:guys|all))?)?"
    r"(?:\shere)?[\s]?[:.,!–—-]{1,3}\s",
    r"(?:i\s)?(?:was\s|am\s)?(?:just\s)?wondering\sif\s(?:you|someone|anyone|anybody)\s(?:could|can|might)\s(?:please\s)?(?:help(?:\s"
    r"me(?:\sout)?)?|tell\sme)(?:\swith\s(?:this|something))?[\s?.,:!]{1,3}",
    r"(?:can|could|would|will)\s(?:you|u|someone|anyone|anybody|somebody)\s(?:please\s|pls\s|plz\s)?help(?:\sme)?(?:\sout)?"
    r"(?:\swith\s(?:this|something|a\squestion))?(?:\s(?:please|pls|plz))?[\s?.,:!]{1,3}",
)
_THANKS = r"(?:thanks|thank\s(?:you|u)|thx|tks)"
_CLOSINGS_EN = (
    rf"(?:(?:many|with|a\slot\sof|lots\sof)\s)?{_THANKS}(?:\s(?:very\smuch|so\smuch|again))?\s(?:in\sadvance|(?:and|&)\s(?:kind|best"
    r"|warm)\sregards|for\s(?:your|any|the|all\syour|all\sthe)\s(?:[a-z]{1,12}\s)?(?:help|time|support|assistance|answer|reply"
    r"|patience|attention|advice))(?:\sin\sadvance)?",
    rf"(?:many|lots\sof)\s{_THANKS}",
    r"(?:with\s)?(?:kind|best|warm|kindest|warmest|my\sbest)\s(?:regards|wishes)|yours\s(?:truly|sincerely|faithfully)|all\sthe\sbest"
    r"|have\sa\s(?:nice|good|great|lovely|wonderful|blessed)\s(?:day|one|weekend|evening|week|time)(?:\sahead)?",
    r"(?<=[.,!?;\n–—])\s{0,3}(?:best|regards|cheers|ta|ty|rgds|take\scare|sincerely|any\s(?:ideas?|advice|thoughts|tips|clue|help))",
    r"(?:any|some|your|all|a\slittle|a\sbit\sof)\s(?:kind\s|quick\s|prompt\s)?(?:help|advice|ideas?|thoughts?|pointers?|guidance"
    r"|assistance|reply|answer|support|feedback|hints?|tips?)(?:\s(?:here|on\s(?:this|that)|with\s(?:this|that)|in\sthis\smatter))?"
    r"\s(?:would\sbe\s|is\s|are\s|will\sbe\s|be\s)?(?:very\s|much\s|greatly\s|really\s|highly\s|so\s|most\s){0,2}(?:appreciated"
    r"|welcome|great|good|nice|helpful|lovely|fab|awesome)",
    r"(?:please\s|pls\s|kindly\s)(?:let\sme\sknow|advise|get\sback\sto\sme|reply|respond)(?:\sas\ssoon\sas\s(?:you\scan|possible)"
    r"|\sasap|\ssoon|\sby\s(?:email|mail)|\sthe\ssoonest|\squick(?:ly)?)?",
    r"(?:i(?:['’]m|\sam)?\s)?look(?:ing)?\sforward\sto\s(?:hear(?:ing)?|your|you)\b[^.!?\n]{0,30}",
    r"sent\sfrom\smy\s[a-z ]{2,20}",
)
_OPENINGS_JA = (
    r"(?:いつも)?(?:大変)?お世話(?:に|様|さま)?(?:に)?(?:なって(?:おり|い)ます|なります|です|でございます)",
    r"いつも(?:どうも)?ありがとうございます|(?:お疲れ(?:さま|様)(?:です|でございます|でした)|おつかれさまです)",
    r"(?:は|初)じめまして|初めまして|失礼(?:いた|致)?します|突然(?:の|に)?[^。、！!\n]{0,16}"
    r"(?:失礼|すみません|申し訳|恐れ入り)[^。、！!\n]{0,14}",
    r"[一-龥々ァ-ヶー]{1,6}と(?:申|もう)します|[^。、！!？?\n\s]{1,20}の[一-龥々ァ-ヶー]{1,6}と(?:申|もう)します",
    r"(?:お忙しい(?:ところ|中)|お手数(?:です|をおかけし)|夜分|朝早く)[^。！!？?\n]{0,16}(?:恐れ入り|恐縮|すみません|すいません|申し訳)[^。、！!？?\n]{0,10}",
    r"(?:恐れ入ります|すみません|すいません|あの|えっと|ちょっと|ごめんなさい|失礼します)?(?:が|けど)?[、\s]?(?:ちょっと|ひとつ|一つ|1つ|少し|一点|1点)?"
    r"(?:お?(?:聞き|伺い|うかがい|尋ね|たずね|教え)(?:て(?:ほしい|欲しい|もらいたい|いただきたい)|たい|し(?:たい|ます))(?:こと|の|ん)?(?:が|です|ございます|あり)?"
    r"(?:あり)?(?:ます|です|まして)?(?:が|けど|けれど)?|(?:教えて|おしえて)(?:ください|下さい|くださいませ|いただけ(?:ます|ません)か|もらえ(?:ます|ません)か)"
    r"|(?:ご)?(?:質問|相談)(?:です|があります|させて(?:ください|下さい|いただきます)|が(?:ある|あるん)?(?:です|んです)?(?:が|けど)?|よろしいでしょうか|いいですか))",
)
_CLOSINGS_JA = (
    r"(?:(?:以上|では|それでは)[、。]?)?(?:(?:お忙しい|お手数)[^。！!？?\n]{0,20}(?:恐れ入り|恐縮|すみません|申し訳|かけし)[^。！!？?、\n]{0,10}[、。]?)?"
    r"(?:何卒|なにとぞ|どうか|どうぞ|ご(?:確認|教示|回答|対応|返信|検討)の?(?:ほど|程)?)?[、]?(?:どうぞ|何卒)?(?:宜しく|よろしく)(?:お(?:願い|ねがい)"
    r"(?:(?:いた|致)?し(?:ます|たく存じます)|申し上げ(?:ます|る)|です)|です|ね|っす)?",
    r"ご(?:回答|教示|返信|返事|連絡|対応|教授|確認)[^。！!？?\n]{0,10}(?:幸い|助かり|嬉し|うれし|ありがたい|有難い|ください|下さい|お願い|でしょうか|ませんか)"
    r"[^。！!？?\n]{0,8}",
    r"(?:教えて|おしえて|お返事|お答え|返事)(?:いただけ|頂け|もらえ|くれ|くださ|ください)?[^。！!？?\nか]{0,6}(?:幸い|助かり|嬉し|うれし|ありがたい|有難い)[^。！!？?\n]{0,6}",
    r"(?:お)?(?:返事|返信|連絡|回答)(?:を)?(?:お)?待ち(?:して(?:おり|い)ます|してます)|(?:では)?(?:失礼(?:いた|致)?します)|(?:かしこ|敬具|草々)",
    r"(?:お手数|ご面倒)(?:を)?(?:お)?(?:かけ|掛け)[^。！!？?\n]{0,14}",
)


# A signature below its usual mark (RFC 3676, section 4.3), or a row of dashes.
_SIGNATURE = re.compile(r"\n[-–—―─_=*]{2,60}[ \t]*\n[\s\S]*$")
_WORD_AND_NAME = re.compile(
    r"\s(?:Cheers|Thanks|Best|Regards|Thx|Ta|Warmly|Cordially|BR|BW)\s?[,!.–—-]\s{1,3}"
    + _NAME.replace("(?-i:", "(?:", 1)
    + r"[\s.!]*$"
)


def _compiled(parts: tuple[str, ...], before: str, after: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"{before}(?:{part}){after}", re.IGNORECASE) for part in parts)


_OPENINGS = (
    *_compiled(_OPENINGS_EN, rf"\s{{0,4}}(?:{_GREETING})?", ""),
    *_compiled(_OPENINGS_JA, r"\s{0,4}", r"[。、，,．.！!？?：:\s…〜ー]{1,4}"),
)
_CLOSINGS = (
    *_compiled(
        _CLOSINGS_EN,
        r"(?:\s|[.,!?;:–—-]\s{0,3}|(?<=\n))",
        r"(?:\s(?:and|&))?[\s,.!?:)😊🙏–—-]{0,6}(?:" + _NAME + r")?[\s,.!?😊🙏]{0,4}$",
    ),
    *_compiled(_CLOSINGS_JA, "", r"[。、！!？?\s🙏🙇😊…]{0,5}$"),
)


def without_courtesy_frame(text: str) -> str:
    """The text without the frame around its matter; unchanged if nothing else would remain."""
    rest = _WORD_AND_NAME.sub("", _SIGNATURE.sub("", text))
    for _ in range(MAX_PARTS):
        found = next(filter(None, (opening.match(rest) for opening in _OPENINGS)), None)
        if not found:
            break
        rest = rest[found.end() :]
    for _ in range(MAX_PARTS):
        found = next(filter(None, (closing.search(rest) for closing in _CLOSINGS)), None)
        if not found:
            break
        mark = found.group()[0]
        rest = rest[: found.start()] + (mark if mark in ".?!" else "")
    return rest.strip() if content_words(rest) and rest != text else text
