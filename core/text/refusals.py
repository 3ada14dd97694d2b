"""Sentences of an answer that refuse, claim nothing, or address the judge."""

from __future__ import annotations

import re
from functools import lru_cache

from core.text.citations import without_citations
from core.text.language import sentences

_MARKUP = re.compile(r"\*\*|__|`|^[ \t]*#{1,6}[ \t]+|^[ \t]*(?:[-*・•●]|\d{1,2}[.)．）])[ \t]*(?=\D)", re.MULTILINE)
_LEAD = re.compile(
    r"^(?:「[^」]{1,80}」(?:の|と)?)+(?:に(?:よると|よれば)|では)[、,]?\s*"
    r"|^(?:according to|as (?:stated|described) in|based on)\s+(?:the\s+)?(?:[\"“‘'][^\"”’']{1,80}[\"”’'](?:\s+(?:in|of|under)\s+)?)+[,:]?\s*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"わかりません|分かりません|わかりかね|分かりかね|お答えできません|お答えできかね|回答できません|答えられません"
    r"|(?:資料|文書|ドキュメント|規程|マニュアル|情報|記載|内容|説明|答え|回答)[^。]{0,24}(?:見当たり|見つかり|見つけられ|ありません|ございません|含まれて|書かれて(?:い)?ません|載って(?:い)?ません|記載されて(?:い)?ません|確認できません)"
    r"|存じ上げません|不明です|ご案内できません"
    r"|\bi (?:do not|don['’]t) (?:know|have (?:any |enough |the |that |specific )*(?:information|details|answer))"
    r"|\b(?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t|was unable to|am unable to|unable to|not able to) (?:find|answer|locate|determine|provide)"
    r"|\b(?:documents?|passages?|contexts?|information|sources?)\b[^.]{0,50}\b(?:do(?:es)? not|don['’]t|doesn['’]t) (?:mention|contain|say|cover|include|provide|specify|state)"
    r"|\bno (?:information|mention|answer)\b|\bnot (?:mentioned|covered|found|described|specified) (?:in|by)\b"
    r"|不知道|无法回答|無法回答|没有(?:找到|相关)|沒有找到|未提及",
    re.IGNORECASE,
)
_LACKS = re.compile(  # the documents do not say it
    r"\b(?:passages?|texts?|documents?|contexts?|information|sources?|details?)\b[^.]{0,50}\b(?:(?:do|does|did|is|are|was|were)(?: not|n['’]t)|lacks?)\b|\b(?:unspecified|not specified|not mentioned) (?:in|by)\b"
    r"|\b(?:there is|there are|with) no (?:additional |further |specific |more )?(?:information|details?|mention)|\bwithout (?:further|more|additional) (?:information|context|details?)|\bdifficult to (?:give|provide|determine)|\bit is unclear\b"
    r"|(?:資料|文書|抜粋|文脈|情報|記載)[^。]{0,30}(?:ありません|ございません|見当たり|見つかり|書かれていません|記載されていません|不足)"
    r"|(?:未提及|没有提到|没有说明|资料[^。]{0,12}(?:没有|不足)|无法(?:判断|确定|比较|回答))",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"^[（(]?(?:この(?:回答|返答)は|※|注[:：]|this (?:answer|reply) )"
    r"|お問い?合わせ(?:ください|下さい|先|は|いただ)|お問合せ|へ(?:ご連絡|ご相談|お尋ね|お聞き)|(?:窓口|担当|連絡先)(?:は|[:：])|ご不明な点|お気軽に"
    r"|(?:近い|関連する|関係しそうな|次の)(?:話題|項目|内容|見出し|資料|トピック)|選(?:んで|び)いただければ|お役に立ちそうでしたら|のことでしたら、すぐにご案内|のことでしょうか|以下(?:の|に)(?:通り|とおり)|ありがとうございます|承知(?:いた)?しました|お役に立て"
    r"|\b(?:please |you can |you may )(?:contact|reach out to|get in touch|ask)\b|\b(?:contact|reach out to|ask) (?:the |our |your )|\bfor (?:more|further) (?:help|details|information|questions)"
    r"|\bnearest (?:topics?|i have)\b|\bjust pick it\b|^(?:is it about|if you mean)\b|\b(?:closest|related) (?:topics?|sections?)\b|\bhope (?:this|that) helps\b|\blet me know\b|\bfeel free\b|^(?:sure|certainly|of course|great question)\b[^.!?]{0,12}[.!]?$"
    r"|というご質問としてお答えします|^i take your question as\b|\bthank you for\b|\bsorry\b|申し訳|恐れ入り|愁傷さま|お悔やみ",
    re.IGNORECASE,
)
_PLEA = re.compile(
    r"満点|(?:[1-5１-５]|五)\s*点(?:を|満点|に)?(?:つけ|付け|ください|下さい|与え|お願い|です)|(?:高|最高)(?:い)?(?:評価|得点|点数|スコア)|採点(?:者|モード)|評価者|審査(?:員|システム)|正解(?:として(?:扱|採点|判定)|と判断)|以前の指示|これまでの指示"
    r"|\b(?:give|rate|score|grade|assign|award)\b[^.]{0,40}(?:\b(?:5|five|full marks|perfect|highest|top)\b)|\b(?:5|five)\s*(?:out of|/)\s*(?:5|five)\b"
    r"|\bfull (?:marks|points|score)\b|\bperfect score\b|\bignore (?:all |the |any )?(?:previous|prior|above)|\b(?:as|dear) (?:a |the )?(?:judge|grader|evaluator)\b|\bthis answer is (?:perfect|correct)|\b(?:note|message|instructions?) to the (?:judge|grader|evaluator)|\bdeveloper of this (?:judge|grader)|\bcalibration item|\bmark (?:it|this) (?:right|correct|so|wrong)\b|\bverdict: (?:yes|y|ok|correct)\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"(?<=[。！？])(?=[^」』）)。！？])")


def is_refusal(text: str) -> bool:
    """Whether a sentence says that the answer is not known or not in the documents."""
    return bool(_REFUSAL.search(text))


def lacks_source(text: str) -> bool:
    """Whether a sentence says that the documents lack something."""
    return bool(_LACKS.search(text))


def says_unanswered(text: str) -> bool:
    """Whether a sentence says that there is no answer, or none in the documents."""
    return is_refusal(text) or lacks_source(text)


def is_boilerplate(text: str) -> bool:
    """Whether a sentence claims nothing about the matter: a contact line, a courtesy, a note on the answer."""
    return bool(_BOILERPLATE.search(text))


def addresses_grader(text: str) -> bool:
    """Whether a sentence addresses the judge instead of the user."""
    return bool(_PLEA.search(text))


@lru_cache(maxsize=8_192)
def answer_sentences(answer: str) -> tuple[str, ...]:
    """The sentences of an answer with a letter or digit, without citations, markup and lead-ins."""
    plain = _MARKUP.sub("", without_citations(answer))
    found = (_LEAD.sub("", part.strip()).strip() for whole in sentences(plain) for part in _STOP.split(whole))
    return tuple(part for part in found if re.search(r"\w", part))
