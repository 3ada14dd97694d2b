"""Scores the wording of a message: a question, a plea for advice, a wish to reach a human agent."""

from __future__ import annotations

import re

from core.text.answer_kinds import KINDS, asked_kinds
from core.text.language import content_words
from core.text.numbers import numbers
from core.text.questions import asks

_I = re.IGNORECASE

WISH = re.compile(
    r"たい(?:です|のですが|んですが)?|ません|できない|ほしい|欲しい|お願い|困って|エラー|おかしい|トラブル|の件|について|なくし|忘れ|無くし|届か"
    r"|\b(?:want|need|like to|trying|can['’]?t|cannot|won['’]t|doesn['’]t|not working|help|problem|issue|error|lost|forgot|about)\b",
    _I,
)
ADVICE = re.compile(
    r"(?:何|どれ|どちら|どの[^。]{0,14}|どう(?:する|し)[^。]{0,8})が?(?:よい|良い|いい|最適|適切|ベスト|合って|向いて|お得)"
    r"|お(?:すすめ|勧め|薦め)|オススメ|おススメ|どう(?:すれば|したら|するのが)(?:よい|良い|いい)"
    r"|悩んで|迷って|相談|アドバイス|助言|べきでしょうか|べきか|ほうが(?:よい|良い|いい)|方が(?:よい|良い|いい)"
    r"|選び方|適して|向いて(?:い|る)|困って|不安"
    r"|\b(?:which|what)\b[^.?]{0,60}\b(?:best|better|suit|suits|right|recommend|cheapest|fits?|make sense)\b"
    r"|\b(?:should (?:i|we)|recommend|advice|advise|suggest|not sure (?:whether|which|if|what)|best way|worth"
    r"|would you|what would|make sense|struggling|help (?:me|us) (?:choose|decide|pick)|torn between|thinking (?:about|of))\b",
    _I,
)
_AFTER_EVENT = re.compile(r"(?:ました|った|した|ません|ない)[。、！!\s]+(?:まず|この場合)?、?どう(?:すれば|したら)", _I)
CHOICE = re.compile(
    r"何が|何を|どれ|どの|どちら|お(?:すすめ|勧め|薦め)|オススメ|選び|選べ|迷って|悩んで"
    r"|\b(?:which|best|better|recommend|choose|suit|suits|or|smarter|worth)\b",
    _I,
)
_PLAIN_QUESTION = re.compile(
    r"条件|必要(?:です|でしょう|な)|(?:でき|取れ|使え|もらえ|受けられ|られ|残り|届き|かかり|なり)(?:る|ます|ません)(?:でしょう)?か|どうなり|違い|意味"
    r"|\b(?:when|who|how (?:do|can|does|would|to)|what happens|can (?:i|we|my|a|the|you)|does|do (?:i|we|you)|is (?:it|there|the)"
    r"|are (?:there|the)|what is|what's|what does|difference)\b",
    _I,
)
FRAME_ONLY = re.compile(
    r"(?:について|に関して|の件|のこと)(?:[^。]{0,3}(?:教えて|知りたい|聞きたい|質問|相談|伺い)|なの|です|。|$)|(?:教えて|助けて)(?:ください|下さい)?[。!！]?$"
    r"|(?:困って(?:い)?ます|困りました|うまくいきません|おかしいです|トラブル)|(?:たい|ほしい)(?:の|ん)?(?:です)?(?:が|けど)?[。…]?$|(?:です|ます|ません|ました)(?:が|けど)?[。…]?$"
    r"|^(?:[a-z']++\W++){0,3}(?:tell me about|question about|problem with|issue with|trouble with|help with|about)\b"
    r"|\bi (?:want|need|would like) to\b|\b(?:not working|doesn['’]t work|is broken|can['’]t|cannot|please help)\b",
    _I,
)
_CONDITION = re.compile(
    r"ので|ため|場合|予定|なら|だけど|ですが|ていて|ておら|として|ときに?|後に|前に|以上|未満|目的|用に|向けに"
    r"|\b(?:because|since|when|if|while|after|before|for (?:a|my|our|the)|we are|we have|i am|i have|i'm|we're|team of|people|using|on (?:the|my|a|iOS|android|web))\b",
    _I,
)
HUMAN_AGENT = re.compile(
    r"誰に(?:聞|相談|連絡|問)|担当(?:者|部署|の方)|窓口|問い合わせ先|問合せ先|連絡先|人と話|電話(?:で|し)|オペレーター|責任者|上の人|直接話"
    r"|クレーム|苦情|ふざけ|いい加減に|許せ|訴え|弁護士|例外的に|個別に|特別に"
    r"|\b(?:who (?:should|do|can) i (?:ask|contact|talk|call)|contact|phone number|speak (?:to|with)|talk to|human|real person|manager"
    r"|supervisor|complain|unacceptable|lawyer|sue|exception|special case)\b",
    _I,
)
ABOUT_ME = re.compile(
    r"(?:私|わたし|自分|僕|うち)(?:の場合|だと|は何|はいくら|も対象|の[^。]{0,8}(?:何日|いくら|何円|対象|もらえ))"
    r"|\b(?:in my case|for (?:me|someone like me)|my (?:own )?(?:limit|allowance|quota|price|entitlement)"
    r"|am i (?:allowed|eligible|entitled)|how (?:much|many)\b[^.?]{0,120} (?:do|can) i (?:get|have(?! to\b)))\b",
    _I,
)
_GREETS_OR_THANKS = re.compile(
    r"ありがとう|こんにちは|おはよう|こんばんは|はじめまして|了解|\b(?:thanks?|thank you|hello|hi|hey|bye)\b", _I
)
DOCUMENTED = re.compile(
    r"規程|規則|ルール|手順|方法|申請|制度|手続|期限|料金|条件|\b(?:policy|rule|how to|procedure|price|plan|limit|deadline)\b",
    _I,
)


def question_score(text: str) -> int:
    """1 (a question), 2 (a wish or a problem, which asks a help desk for help), to 5 (asks nothing)."""
    if asks(text.strip()):
        return 1
    if _GREETS_OR_THANKS.search(text) and not WISH.search(text):
        return 4
    return 2 if WISH.search(text) or content_words(text) else 5


def consultation_score(text: str) -> int:
    """1 (asks for advice) to 5 (no trace of it)."""
    found = 0 if _AFTER_EVENT.search(text) else len(ADVICE.findall(text))
    if found:
        return 1 if found > 1 or asks(text) else 2
    return 4 if asks(text) or WISH.search(text) else 5


def asks_something_specific(text: str) -> bool:
    """Whether a message asks for a thing of some kind (an amount, a place, steps), or whether, what or how."""
    return bool(asked_kinds(text, tuple(KINDS)) or _PLAIN_QUESTION.search(text) or _AFTER_EVENT.search(text))


def has_condition(text: str) -> bool:
    """Whether the message says something about the circumstances: a reason, a number, a condition."""
    return bool(_CONDITION.search(text)) or bool(numbers(text))
