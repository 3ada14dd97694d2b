"""What people say to a help desk that asks nothing of the documents: greetings, thanks, scolding, questions about the
bot."""

from __future__ import annotations

import re
import unicodedata

from core.text.language import sentences
from core.text.message_questions import tells_failure
from core.text.normalize import normalize
from core.text.questions import asks, asks_or_needs

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


_BEING_JA = (
    r"(?:人間|生身|本物の(?:人|方)|ロボ(?:ット)?|機械|マシン|コンピュータ[ーア]?|ボット|(?:生成)?ai|人工知能|プログラム|ソフト(?:ウェア)?|自動(?:応答|返信|音声)?|bot|チャットgpt|chatgpt)"
    r"(?:さん|様|の(?:方|人)|みたいなもの|というもの|ってやつ|の(?:やつ|何か))?"
)
_WHETHER_JA = r"(?:(?:なん|なの)?(?:です|でしょう|でいらっしゃいます|でございます)(?:か|よね|ね)?|なの|だ?よね|だろ|でしょ|かな|かしら|か(?=[?？。]|$)|やろ|やんな|(?=[?？]|$))"
_IF_MACHINE = re.compile(
    rf"(?:あなた(?:様|さま|さん)?|あんた|お?まえ|お前|君|きみ|そちら(?:様|さん)?|おたく|お宅|相手(?:の方)?|向こう|中|返事して(?:い?る|くれて)\S{{0,3}}|答えて(?:い?る|くれて)\S{{0,3}})[^。?？!！]{{0,12}}{_BEING_JA}{_WHETHER_JA}"
    rf"|^(?:もしかして|ひょっとして|ちなみに|ところで|失礼ですが|すみませんが?|もしや|ねえ|これは?(?:って)?|こちらは?|今は?|いま|それとも|実は|[、\s])*{_BEING_JA}{_WHETHER_JA}"
    rf"|(?:人間|人|機械|ロボット|ボット|ai|人工知能|コンピューター?)が(?:手で|自動で|実際に|直接)?(?:答え|返事|返信|書い|打っ|対応し|しゃべっ|話し)[^。、?？]{{0,8}}(?:の|か|ん(?:です|だ))(?:でしょう)?か?[?？。]*$"
    rf"|中(?:に|の)人(?:が|は|って)?(?:い|お|入って(?:い)?)(?:る|ます|らっしゃ)|{_BEING_JA}と(?:話し|しゃべっ|会話し|やりとりし)て(?:い?る|い?ます)",
    re.IGNORECASE,
)
_NOT_THE_BOT_JA = re.compile(
    r"機能|設定|使い|学習|方法|オフ|オン|ドック|要約|無効|有効|確認|審査|予約|登録|保存|できますか"
)
_BEING_EN = r"(?:human(?: being)?|person|robot|bot|chat ?bot|machine|computer|ai|a\.i\.|artificial intelligence|program|software|automat\w+|automaton)"
_IF_MACHINE_EN = re.compile(
    rf"\b(?:are|aren['’]t) (?:you|u)(?: all)?(?: really| actually| just| maybe| perhaps| even)? (?:not )?(?:an? |one of (?:these|those) |some (?:kind|sort) of )?(?:\w+ ){{0,2}}{_BEING_EN}s?\b(?! (?:error|version|problem|company))"
    rf"|\byou(?:['’]re| are|r)(?: not| really| actually| just| probably| surely)* (?:an? |one of (?:these|those) |some (?:kind|sort) of )?(?:\w+ )?{_BEING_EN}s?\b[^.!?]{{0,8}}(?:,? (?:are|aren['’]t) (?:you|u)|,? right|, is (?:that|it|this|he|she)\b[^.!?]{{0,12}})?[?]*$"
    rf"|\bam i (?:\w+ )?(?:talking|speaking|chatting|writing|typing) (?:to|with) (?:an? |the )?(?:\w+ )?(?:{_BEING_EN}|somebody|someone|anybody)\b"
    rf"|^(?:so |and |but |hold on,? |hang on,? |wait,? |excuse me,? |by the way,? )*(?:is|are) (?:this|it|that|these|those)(?: all| really| just)? (?:an? |one of (?:these|those) |some (?:kind|sort) of )?(?:\w+ )?{_BEING_EN}s?(?: (?:thing|things|that (?:answers|writes|replies|is (?:answering|writing)\b).*|typing.*|writing.*|here|there|or what|or (?:an? )?{_BEING_EN}))*[?.!\s]*$"
    rf"|\bis (?:there|it) (?:an? |any |really )?(?:\w+ )?(?:human|person|people|somebody|someone|anybody|anyone) (?:really |actually )?(?:behind|typing|writing|answering|on the other|at the other)\b"
    rf"|\b(?:replies|answers|messages) (?:written|made|typed|sent) by (?:an? |the )?(?:\w+ )?{_BEING_EN}s?\b"
    rf"|\b{_BEING_EN} or (?:an? )?(?:real )?{_BEING_EN}\b[?.!\s]*$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:ありがと|有(?:り)?難|有り?がと)(?:う)?(?:ござい(?:ます|ました|ます)|御座いま(?:す|した)|い(?:です|こと)|ね|な|よ|です|さん)?(?:[。、!！〜~ー♪\s]|[^\w\s]|$)|感謝(?:し|です|いたし|申し|して|[。!！]|$)|助か(?:りまし|りやし|った|って)|お礼(?:まで|申|を(?:言|申|お伝え))|おかげ(?:さま|様)?で"
    r"|お世話(?:にな(?!って|ります)|さま)|(?:解決|直り|直った)(?:しました|した|まし|[。、!！]|$)|(?<!no )\b(?:thanks|thanx|thank (?:you|u|ye)|thx|cheers|grateful|much appreciated|much obliged|ta)\b(?! (?:note|card|page|message|button))",
    re.IGNORECASE,
)
_WANTS_PERSON = re.compile(
    r"(?:担当(?:の方|の人|者)?|係の(?:方|人)|責任者|オペレーター|人間|(?:誰か)?(?:ほかの|他の)?人)(?:の方)?(?:と|に|を|へ)(?:直接)?"
    r"(?:お?話(?:し?たい|し?させ|せ(?:ます|ない)|がしたい|しできますか)|代わ|替わ|かわっ|つな|繋|出して|お願い(?:し|で|$)|呼んで|相談したい)"
    r"|(?:人間|オペレーター|責任者|担当者|社員|上の(?:人|者))を?(?:出(?:して|せ|しな)|呼(?:んで|べ))"
    r"|\b(?:speak|talk|chat) (?:to|with) (?:a |an |some |one of )?(?:\w+ )?(?:person|human|people|somebody|someone|agent|operator|representative|manager)\b"
    r"|\b(?:want|need|demand|require) (?:a |an |some |to have a )?(?:(?:real|actual|live|living|proper|human) ){1,2}(?:human(?: being)?|person|being|agent|operator|representative|manager|one)?(?=[.!,?]|$| now| please| on the (?:line|phone))"
    r"|\b(?:want|need|demand|require) (?:a |an )?(?:human(?: being)?|person|operator|manager)(?=[.!]|$| now| please| on the (?:line|phone))"
    r"|\b(?:get|give|put) me (?:\w+ )?(?:a |an |through to )(?:\w+ )?(?:person|human|somebody|someone|agent|operator|representative|manager)\b",
    re.IGNORECASE,
)
_SIGNS = " 　\t\n、。,.!?！？…〜~ー♪☆★💦😊🙏🎉😂😭✨👍"
_ENDS_TOLD = re.compile(  # a finished sentence, without its signs, that tells what is or was
    r"(?:[しっいえけたれきみちせべめで]た|んだ|です|ます|て|で|ね|よ|わ|い|さ|し|り|ので|から)$"
)
_TOLD_EN = re.compile(
    r"\b(?:is|are|was|were|has|have|had|got|came|went|arrived|works?|worked|found|made|did|it['’]s|that['’]s|they['’]re|we['’]re|i['’]m|i['’]ve|you['’]ve|all (?:good|sorted|done|fine)|\w+ed)\b"
)
_LEFT_OVER = re.compile(  # what makes more of it than thanks
    r"たい|ください|下さい|ほしい|欲しい|願い|教え|(?<!かも)しれ(?:ない|ません)|まだ|(?:です|ます|まし?た|った|ない|ん)(?:が|けど|けれど|のに)(?:[、。]|$)|しかし|だけど|でも(?:[、。]|$)|また(?:同|出|消|止|来|エラー)|エラー|失敗|困|別の|今度は|(?<!間違い)(?<!問題)(?<!申し訳)な(?:い|く|かった)(?:$|[。、!！]|です|の|ん|て)|ません(?!でしたが)|おかし|間違|違(?:う|い|って)"
    r"|\b(?:but|however|although|still|yet|can['’]?t|cannot|could(?:n['’]t)? you|does(?:n['’]t| not)|did(?:n['’]t| not)|is(?:n['’]t| not)|are(?:n['’]t| not)|not (?:yet|working)|error|fail\w*|need|want|would like|please|now (?:i|it|the)|missing|wrong|except|instead|in advance|how|why|when (?:will|do|can)|where|which|what about)\b",
    re.IGNORECASE,
)


_NO_QUESTION = re.compile(r"いつ(?:も|でも|か)|何(?:度も|とか|より|卒)")  # with a question word and no question


def asks_if_machine(text: str) -> bool:
    """Whether a message asks if a machine or a person replies; not what a machine can do."""
    for part in sentences(text):
        plain = unicodedata.normalize("NFKC", part).strip()
        if (_IF_MACHINE.search(plain) and not _NOT_THE_BOT_JA.search(plain)) or _IF_MACHINE_EN.search(plain):
            return True
    return False


def asks_about_bot(text: str) -> bool:
    """Whether a message asks who or what replies, or what it can do; also some that only name such things."""
    return asks_if_machine(text) or bool(_ASKS_WHO.search(normalize(text)))


def only_thanks(text: str) -> bool:
    """Whether a message thanks and tells what went well, and neither asks for anything nor tells of a trouble."""
    plain = unicodedata.normalize("NFKC", text)
    if not _THANKS.search(plain) or asks(_NO_QUESTION.sub("", plain)) or _LEFT_OVER.search(plain):
        return False
    rest = [part for part in sentences(plain) if not _THANKS.search(part)]
    return not any(asks_or_needs(part) or tells_failure(part) or not _is_told(part) for part in rest)


def _is_told(sentence: str) -> bool:
    words = sentence.strip(_SIGNS)
    return not words or bool((_TOLD_EN if words.isascii() else _ENDS_TOLD).search(words))


def is_greeting(text: str) -> bool:
    """Whether a message begins with a greeting, thanks or a word that ends a conversation."""
    return bool(_GREETING.search(normalize(text)))


def is_insult(text: str) -> bool:
    """Whether a message scolds."""
    return bool(_INSULT.search(normalize(text)))


def thanks_first(text: str) -> bool:
    """Whether a sentence of a message gives thanks before the first one that asks something."""
    parts = sentences(text)
    first = next((place for place, part in enumerate(parts) if asks(part)), 0)
    return any(map(only_thanks, parts[:first]))


def wants_person(text: str) -> bool:
    """Whether a message asks to speak with a person."""
    return bool(_WANTS_PERSON.search(text))
