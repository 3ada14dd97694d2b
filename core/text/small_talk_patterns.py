"""Small talk in messages to a help desk: thanks, and the wish to speak with a human agent."""

from __future__ import annotations

import re

from core.text.language import sentences
from core.text.questions import asks

_THANKS = re.compile(
    r"(?:ありがと|有(?:り)?難|有り?がと)(?:う)?(?:ござい(?:ます|ました|ます)|御座いま(?:す|した)|い(?:です|こと)|ね|な|よ|です|さん)?(?:[。、!！〜~ー♪\s]|[^\w\s]|$)|感謝(?:し|です|いたし|申し|して|[。!！]|$)|助か(?:りまし|りやし|った|って)|お礼(?:まで|申|を(?:言|申|お伝え))|おかげ(?:さま|様)?で"
    r"|お世話(?:にな(?!って|ります)|さま)|(?:解決|直り|直った)(?:しました|した|まし|[。、!！]|$)|(?<!no )\b(?:thanks|thanx|thank (?:you|u|ye)|thx|cheers|grateful|much appreciated|much obliged|ta)\b(?! (?:note|card|page|message|button))",
    re.IGNORECASE,
)
_WANTS_HUMAN_AGENT = re.compile(
    r"(?:担当(?:の方|の人|者)?|係の(?:方|人)|責任者|オペレーター|(?:スタッフ|職員|係員|店員|受付)(?:さん|の方)?|人間|(?:誰か)?(?:ほかの|他の)?人)(?:の方)?(?:と|に|を|へ)(?:直接)?"
    r"(?:しゃべり|喋り|お?話(?:し?たい|し?させ|せ(?:ます|ない)|がしたい|しできますか)|代わ|替わ|かわっ|つな|繋|出して|お願い(?:し|で|$)|呼んで|相談したい)"
    r"|(?:人間|オペレーター|責任者|担当者|社員|職員|係員|店員|スタッフ|上の(?:人|者))(?:さん)?を?(?:出(?:して|せ|しな)|呼(?:んで|べ))"
    r"|\b(?:speak|talk|chat) (?:to|with) (?:a |an |some |one of )?(?:\w+ )?(?:person|human|people|somebody|someone|agent|operator|representative|manager|staff(?: member)?|member of staff|advis[eo]r|receptionist)\b"
    r"|\b(?:want|need|demand|require) (?:a |an |some |to have a )?(?:(?:real|actual|live|living|proper|human) ){1,2}(?:human(?: being)?|person|being|agent|operator|representative|manager|one)?(?=[.!,?]|$| now| please| on the (?:line|phone))"
    r"|\b(?:want|need|demand|require) (?:a |an )?(?:human(?: being)?|person|operator|manager)(?=[.!]|$| now| please| on the (?:line|phone))"
    r"|\b(?:get|give|put) me (?:\w+ )?(?:a |an |through to )(?:\w+ )?(?:person|human|somebody|someone|agent|operator|representative|manager)\b",
    re.IGNORECASE,
)


_DEFERS = re.compile(
    r"^(?:(?:ok(?:ay)?|right|alright|great|good|fine|thanks|thank you|cheers|ta|h+m+|well|i see|got it)[,.! ]++)*(?:i|we)(?:['’]ll| will)"
    r" (?:have a think|think (?:about|over|on) (?:it|that|this)|think it over|sleep on it|consider it|get back to you|come back (?:to you|later)|let you know|(?:talk it over|discuss it)(?: with (?:my|our) [\w' ]{1,20})?)(?: first| then)?[.! ]*+(?:thanks|thank you|bye|cheers)?[.! ]*+$"
    r"|^(?:(?:わかり|分かり|承知し)ました|了解(?:です|しました)?|なるほど|そうですか|ありがとう(?:ございます|ございました)?|どうも|じゃあ|では|ちょっと|少し|一度|いったん|もう少し|[、。！!\s])*"
    r"(?:考えて(?:み|おき)(?:ます|るね?)|考えます|検討(?:して(?:み|おき)|し)ます|(?:家族|上司|妻|夫|主人|みんな)(?:と|に)相談し(?:ます|て(?:み|き)ます)|また(?:今度|あとで|後で)?(?:来|聞き|連絡し)ます|またにします)[。！!\s]*$",
    re.IGNORECASE,
)


def defers(text: str) -> bool:
    """Whether a message only says that its writer will think about it, or come back ("ok thanks, I'll sleep on it")."""
    return bool(_DEFERS.match(text.strip()))


def gives_thanks(text: str) -> bool:
    """Whether a message has words of thanks."""
    return bool(_THANKS.search(text))


def thanks_first(text: str) -> bool:
    """Whether a message thanks in a sentence before the first one that asks something."""
    parts = sentences(text)
    first = next((place for place, part in enumerate(parts) if asks(part)), 0)
    return any(map(gives_thanks, parts[:first]))


def wants_human_agent(text: str) -> bool:
    """Whether a message asks to speak with a human agent."""
    return bool(_WANTS_HUMAN_AGENT.search(text))
