"""Reactions to the reply before a message: it did not help, none of its choices is meant, something else was meant, it is to
be confirmed, it astonishes, or the answer to its question is unknown."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.text.language import content_words, script
from core.text.normalize import normalize

_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|well|hmm*|oh|ah|alright|right|i see|yes|yeah|but)[,.!…]*\s+)+(?=\w)|^(?:なるほど|そうですか|そうなんですね|うーん|へえ|えっと|ええと|そっか|ふむ)[、。,!！…\s]*",
    re.IGNORECASE,
)
_CORRECTS_JA = re.compile(
    r"^(?:(?:いや|いえ|いいえ|あ|えっと|すみません)[、,。\s]*)*(?:(?:そう|そっち|それ|これ|そちら|その話|そうい(?:う|った)(?:こと|意味|話|の))?(?:じゃ|では)(?:なく(?:って|て)?|ない(?:です|んです|の)?(?:よ|が|けど)?)|(?:違い|ちがい)ます|違(?:うんです|う|くて|って)(?:が|けど|よ)?)[、。,!！\s]*"
    r"|^(?:(?:いや|いえ|いいえ)+[、,。\s]+|(?:いや)+(?![がなだらいし]))(?=.)"
)
_NOT_THAT_JA = re.compile(
    r"(?:^|(?<=[、。]))([^、。]{1,20}?)(?:の(?:こと|方|ほう|話))?(?:じゃ|では)"
    r"(?:なく(?:って|て)?|(?:ない(?:ん)?|ありません)(?:です)?(?:よ|けど|が)?[、。,])[、,\s]*(?=.)"
)
_EXCLUDED_JA = re.compile(  # what is said at the beginning not to be meant, and surely nothing of the matter itself
    r"^(?:(?:だから|いや|いえ|いいえ|あの?)[、,\s]*)?([^、。はがをも]{1,20}?)(?:の(?:話|こと|件|説明|案内)(?:(?:じゃ|では)なく(?:って|て)?(?!も)"
    r"|は(?:もう)?(?:いい|結構|けっこう|十分)(?:です)?(?:よ|って|ので|から)*)|は(?:もう)?いいって)[、。,!！\s]+(?=.)"
)
_EXCLUDED_EN = re.compile(
    r"^(?:no+[,.!]? not(?= the )|(?:no+[,.!]? )?(?:i (?:said|told you) not|i['’]?m not (?:asking|talking) about|not (?:asking|talking) about|enough (?:of|about)"
    r"|not(?= the [\w' -]{2,30} (?:again|any ?more)\b)))\s(?:the |my |a |an )?([\w'-][\w' -]{1,29}?)(?: any ?more| again)?(?: please)?[,.;!—-]+\s+(?:but\s+)?(?=\w)",
    re.IGNORECASE,
)
_CORRECTS_EN = re.compile(
    r"^(?:(?:no+|nope|sorry|wait|not that(?: one)?)[,.!\s]+)+(?:(?:but\s+)?(?:i\s+)?(?:actually\s+)?(?:mean|meant|was (?:asking|talking) about|am (?:asking|talking) about)\s+)?(?=\w)"
    r"|^(?:actually,?\s+)?i (?:mean|meant|was (?:asking|talking) about)\s+(?=\w)",
    re.IGNORECASE,
)
_NOT_THAT_EN = re.compile(r"(?<!\s),?\s+(?:and\s+)?not (?:the |my |a |an )?([\w' -]{2,30}?)[.!?]*$", re.IGNORECASE)
_NOT_THAT_EN_FIRST = re.compile(
    r"^(?:i['’]?m not (?:asking|talking) about|not (?:asking|talking) about|i (?:do not|don['’]t|did not|didn['’]t) mean|not(?! (?:sure|yet|able|really|quite|only|just|even|possible|too|very|much|at all|\w+ing)\b))"
    r"\s(?:the |my |a |an )?([\w'-][\w' -]{1,29}?)(?: any ?more)?[,.;!—-]+\s+(?:but\s+)?(?=\w)",
    re.IGNORECASE,
)
_NONE_OF_THEM = re.compile(
    r"^(?:いや|いえ|いいえ|うーん|ううん|no|nope|sorry)?[、。,.!\s]*(?:(?:どれ|どちら|どっち|いずれ)でも(?:な(?:い|く)|ありません|ないです)|(?:この|その)中に(?:は)?(?:ない|ありません|ないです)|どれも(?:違|ちが)(?:う|い|って)|(?:ぜんぶ|全部|全然)(?:違|ちが)(?:う|い)|(?:それ|これ)以外"
    r"|(?:none|neither)(?: of (?:them|these|those|the above|it|that))?\b|(?:not|it['’]?s not|isn['’]t) any of (?:them|these|those)|something else)(?:です|ます|よ|ね|かな|の|です[がけ]ど?|[、。.!！\s])*$"
)
_UNHELPED = re.compile(
    r"(?:それ|これ|この方法|その方法|その通り)(?:でも|をしても|(?:に)?やっても|(?:を)?試しても)|(?:まだ|やっぱり|やはり|それでも|相変わらず)[^。、]{0,12}(?:ない|ません|だめ|ダメ|駄目|無理|同じ|まま)|もう(?:全部)?(?:見|読み?|試し|やり|やっ)(?:た|て|まし|んだ)"
    r"|(?:試し|やって?|やっ)(?:た|て(?:は)?み(?:た|まし)た?|まし|ましたが)[^。、]{0,4}(?:が|けど|のに)|役に(?:立|た)(?:たな|ちませ)|(?:その|この|今の)(?:答え|回答|説明|返事|案内)(?:じゃ|では|だと|は)|解決(?:し|でき|になって)(?:い)?(?:ない|ません|てない|ていません)|(?:答え|回答|説明)になって(?:い)?(?:ない|ません)"
    r"|同じ(?:答え|こと|返事|回答|説明)(?:ばかり|ばっかり|を|しか|じゃ|です|だ)|聞い(?:た|てる|ている)(?:こと|の)と(?:違|ちが)|そうい(?:う|った)(?:こと|意味|話)(?:じゃ|では)な"
    r"|\b(?:that|this|it|which) (?:really )?(?:did not|didn['’]t|does not|doesn['’]t|has not|hasn['’]t) (?:help|work|answer|solve|fix|do)|\bstill (?:not\b|doesn['’]t|does not|can['’]?t|cannot|won['’]t|no\b|the same|stuck|broken|failing|nothing)|\balready (?:tried|did|done|read|seen|looked|know)\b|\b(?:tried|did|done|read) (?:that|this|it|all|everything)\b"
    r"|\b(?:not|isn['’]t|wasn['’]t) (?:very |really )?(?:helpful|useful|what i (?:asked|meant|wanted|need)|an answer|answering|my question)|\b(?:no help|no use|no luck|useless answer)\b|\bsame (?:answer|thing|reply|text)\b|\b(?:you )?(?:already|just) (?:said|told me|sent me) (?:that|this)\b",
)
_CONFIRMS = re.compile(
    r"(?:です|ます|だ|た|る|い|ん|なん|もん|って)よね|(?:です|ん|だ|った)もんね|ん(?:です|だ)ね[?？]|(?:って|という)(?:こと|意味|話|理解|認識)(?:です|だ|になり|で)?(?:ます|よね|か|ね|いい|よい|よろしい|[?？。]|$)"
    r"|(?:理解|認識|解釈)で(?:は)?(?:いい|良い|よい|よろしい|合って|あって|正しい|間違い)|で合って(?:い?ま|い?る)|^(?:つまり|要するに|って?ことは|ということは)|(?:って|という)こと(?:でしょう|なん)|(?:だめ|ダメ|駄目|むり|無理|アウト|終わり)(?:です|なの?)?(?:か|の)?[?？]|(?:じゃあ|では|やっぱり?)[^。]{0,24}(?:無理|だめ|ダメ|駄目|アウト|いい|大丈夫|できない|できません)[^。]{0,6}[?？]"
    r"|\b(?:right|correct|yes|yeah|no)\?+\s*$|,\s*(?:is|are|do|does|can|will|would|have|has|was|did|could|should)(?:n['’]?t)? (?:it|they|you|we|i|that|there|he|she)\s*\?"
    r"|^(?:(?:ah|oh|ok|okay|ugh|hm+|right|and|wait)\b[,.!\s]*)*so\b|\b(?:does|would) that mean\b|\byou mean\b|\bin other words\b|\bthen\s*\?+\s*$|\bthat['’]s (?:that|it)\b|\bget this straight\b|\bjust to (?:be sure|confirm|check)\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"(?:よく|ちょっと|まだ)?(?:わかりません|分かりません|わからない|分からない|存じません|不明です|特にありません|知りません)(?:が|けど|けれど)?"
    r"|\bi (?:do not|don['’]t) know\b|\bnot sure\b|\bno idea\b|\bcan['’]t say\b",
    re.IGNORECASE,
)
_ASTONISHED = re.compile(
    r"(?:(?:すぎ|過ぎ)(?:る|ない|では|じゃ|ません|です)|(?:ひど|酷|おかし|ありえな|有り得な)(?:い|く(?:ない|ありません))|(?:高|遅|短|長|少な)っ"
    r"|(?:何と|なんと)か(?:なりません|ならない)|(?:マジ|まじ|本当|ほんと)う?)(?:です|に)?[かよねの]{0,2}[。、!！?？\s]{0,5}$"
    r"|\b(?:seriously|ridiculous|unbelievable|absurd|crazy|ugh|are you (?:kidding|serious)|really)\b[?!. ]{0,5}(?:ugh[?!. ]{0,5})?$",
    re.IGNORECASE,
)  # astonishment or protest, at the end of a sentence
_STATES = re.compile(
    r"(?:です|だと思います|と思います)$|\b(?:i am|i'm) (?:on|in|using)\b|\b(?:my|the) \w+ is\b|\bit(?:'s| is)\b", re.I
)
MAX_UNKNOWN_WORDS = 5  # content words of a reply that only says "I do not know"
MAX_UNHELPED_WORDS = 6  # content words of a message that only says that the reply did not help


class Correction(NamedTuple):
    """A correction of the reply before."""

    meant: str  # what is meant
    instead_of: str = ""  # what is not
    is_one: bool = False  # whether the text corrects anything


def without_filler(text: str) -> str:
    """A message without filler words that only acknowledge the reply before it (ok, なるほど), if more is said."""
    return _FILLER.sub("", text.strip()) or text.strip()


def correction(text: str) -> Correction:
    """The correction in a message (no, the workspace, not the account; 海外じゃなくて国内); `meant` is the text itself if it
    corrects nothing."""
    japanese, text = script(text) != "en", without_filler(text)
    if sure := excluded(text):
        return sure
    shorter = (_CORRECTS_JA if japanese else _CORRECTS_EN).sub("", text)
    if not content_words(shorter):
        return Correction(text)
    patterns = (_NOT_THAT_JA,) if japanese else (_NOT_THAT_EN, _NOT_THAT_EN_FIRST)
    found = next(filter(None, (pattern.search(shorter) for pattern in patterns)), None)
    if found and content_words(found[1]):
        rest = f"{shorter[: found.start()]}{shorter[found.end() :]}".strip()
        return Correction(rest, found[1].strip(), True) if content_words(rest) else Correction(text)
    return Correction(shorter, "", shorter != text)


def excluded(text: str) -> Correction | None:
    """What a message surely says at its beginning that it does not mean ("I said not the waiting list", 学割の話はもういい), and
    the rest of it; None if it says nothing so."""
    found = (_EXCLUDED_JA if script(text) != "en" else _EXCLUDED_EN).search(text.strip())
    rest = text.strip()[found.end() :].lstrip("、。,!！ ") if found else ""
    return (
        Correction(rest, found[1].strip(), True) if found and content_words(found[1]) and content_words(rest) else None
    )


def rejects_all(text: str) -> bool:
    """Whether a reply rejects everything that was offered, and says nothing else."""
    return bool(_NONE_OF_THEM.match(normalize(text)))


def says_unhelped(text: str) -> bool:
    """Whether a message says that the reply before it did not help, and little else."""
    return bool(_UNHELPED.search(normalize(text))) and len(content_words(text)) <= MAX_UNHELPED_WORDS


def asks_to_confirm(text: str) -> bool:
    """Whether a message asks to confirm what follows from the reply before it ("so I can't, right?")."""
    return bool(_CONFIRMS.search(text))


def is_astonished(sentence: str) -> bool:
    """Whether a sentence only is astonished at the reply before it, or protests ("a whole day, seriously?", 長すぎない?)."""
    return bool(_ASTONISHED.search(sentence))


def says_unknown(text: str) -> bool:
    """Whether a reply says that the user does not know, and nothing else."""
    if not _UNKNOWN.search(text) or len(content_words(text)) > MAX_UNKNOWN_WORDS:
        return False
    rest = _UNKNOWN.sub("。", text)
    return not any(_STATES.search(part.strip()) and content_words(part) for part in re.split(r"[。.!！…]", rest))
