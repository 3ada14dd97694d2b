"""Whether a text asks something. Each predicate has its own patterns:

| function | true for | reads |
|---|---|---|
| asks | any question, also an indirect or rhetorical one | messages |
| asks_in_earnest | a request for information, without rhetorical questions ("are you kidding?") | messages |
| asks_or_needs | a question, a wish or a problem | sentences of messages |
| wants | a wish that something is done | messages |
| starts_asking, ends_asking | a beginning (English) or end (Japanese) as of a question | clauses |
| asks_whether | a question that wants only yes or no | questions |
| is_question | a direct question to the user; the narrowest | sentences of replies |
| repeats_question | the question over again, without an answer | sentences of replies |
"""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from core.text.language import content_words
from core.text.normalize import normalize
from core.text.numbers import numbers

# "Tell me", not thanks for an answer.
_TELL_ME = r"教えて(?!(?:くれ|くださっ|いただい)て(?![もい])|(?:くれ|くださっ|いただい)た|(?:くれ|ください|いただき)まし(?:た|て))"
# The colloquial end of a question: ますかね, できるかなあ, でしょうかね….
_COLLOQUIAL = r"(?:です|ます|でしょう|だろう|ません|ました|でした|[るたいのんう])か(?:ね|な|しら)[ぁあぇえー〜]*(?=[\s。．…！!」]|$)"
_ANY_QUESTION = re.compile(
    rf"[?？]|{_COLLOQUIAL}|(?:です|ます|でしょう|ません)か(?=…)"
    r"|(?:です|ます|でしょう|ません|した|たい|ない|の|いい|良い)か(?:[。、」\s]|$)"
    rf"|{_TELL_ME}|知りたい|伺い|聞きたい|どう(?:すれば|したら|やって)|何(?!卒|とぞ|より|しろ|かと)|いつ(?!も|の間)|どこ|どれ|いくら|なぜ|誰"
    r"|^(?:how|what|when|where|which|who|why|can|could|do|does|did|is|are|will|would|should|may)\b"
    r"|\b(?:tell me|i want to know|wondering|let me know|explain|how (?:do|can|to|much|many|long))\b",
    re.IGNORECASE,
)
_INFORMATION = re.compile(
    rf"[?？]|{_COLLOQUIAL}|(?:です|ます|ません|でしょう|の|た|い)か(?:[。、…!！」\s]|$)|{_TELL_ME}|知りたい|どう(?:すれば|したら|やって|なり)|方法|手順"
    r"|\b(?:how|what|when|where|which|why|can i|can we|could i|do i|is there|tell me)\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"たい|ください|下さい|ほしい|欲しい|もらえ|お願い|手続き|\b(?:please|(?:i|we)(?:['’]d| would| need| want| have to| must)|need to|want to|trying to|can['’]?t get|nobody can|no one can)\b",
    re.IGNORECASE,
)
_RHETORICAL = re.compile(
    r"(?:(?<=けど)(?=[?？])|(?<=のに)(?=[?？])|どういう(?:こと|つもり|神経|対応)(?:です|でしょう|なん)?(?:か|だ|よ)?|どう(?:なって(?:い?る|い?ます)|してくれる)(?:の|ん(?:です|だ)?)?か?|何(?:を)?(?:やって|して|考えて)(?:い?る|い?ます)(?:の|ん(?:です|だ)?)?か?"
    r"|なめて(?:い?る|い?ます)(?:の|ん(?:です|だ)?)?か?|(?:いつまで|どれだけ)(?:も)?待た(?:せ|され)(?:る|ます|れば)(?:の|ん(?:です|だ)?)?か?(?:気が済む\S{0,6})?|やる気(?:が)?(?:あ(?:る|ります))(?:の|ん(?:です|だ)?)?か?"
    r"|\bwhat(?: on earth| the hell)? (?:kind|sort) of (?:\w+ ){1,3}is (?:this|that)\b|\bwhat(?:['’]s| is) (?:going on|wrong with you|the matter with you)\b|\bare you (?:kidding|serious|joking|asleep)\b|\bis (?:this|that) (?:a joke|how you|what you)\b"
    r"|\bhow (?:dare|hard (?:can|is)|much longer|long (?:do|must|should) i (?:have to )?wait)\b|\bwhy (?:does|do|is|will|won['’]t|doesn['’]t|can['’]t) (?:nobody|no one|anyone|anybody|you people|you guys|somebody|someone)\b|\bdo you (?:even|people|guys)\b[^.!?,]{0,60}|\bis (?:anyone|anybody) (?:even )?(?:there|reading|alive)\b[^.!?,]{0,60})[?？!！]*",
    re.IGNORECASE,
)
_INFORMATION_OR_HELP = re.compile(
    rf"[?？]|{_COLLOQUIAL}|か[。…！!」）)]*$|(?:教えて|(?<!ありが)たい(?:です|ん|の|と|が|けど|[。！!、\s]|$)|ください|下さい|ほしい|欲しい|(?<!すみ)(?<!済み)ません|できない|困って|どう)"
    r"|\b(?:how|what|when|where|which|who|why|can|could|does|do|is|are|want|need|would|tell|please|can['’]t|cannot|trying)\b",
    re.IGNORECASE,
)
_ENDS_JA = re.compile(r"[?？]$|(?:です|ます|でしょう|ません|ました|でした|なの|んです)か$|っけ$|(?:かな|かしら)$")
_STARTS_EN = re.compile(
    r"(?:what|how|when|where|which|who|whether|why|can|could|may|do|does|is|are|should|will|would)\b", re.IGNORECASE
)
_ENDS_ASKING = re.compile(r"(?:ます|です|ません|でしょう|られる|できる|える)(?:よ)?か[。?？]?\s*$")
_ASKING_VERB = re.compile(
    r"(?:^|[,.!?:;]\s+|\b(?:and|or|so|but)\s+)(?:can|could|do|does|did|is|are|was|will|would|may|must|should|has|have)\b",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(
    r"何|なん[のでに]|いつ|どこ|どの|どう|どちら|どれ|いくら|誰|なぜ|\b(?:how|what|when|where|which|who|why)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:です|ます|でしょう|ません|ください)か[。．!！]?\s*$|(?:教えて|お知らせ|お選び|お聞かせ|選んで)(?:ください|下さい|いただけますか|もらえますか)[。．!！]?\s*$"
    r"|^(?:could|can|would) you (?:please )?(?:tell|say|let|specify|clarify)|^please (?:tell me|let me know|choose|specify|clarify|say)",
    re.IGNORECASE,
)
_END_MARKS = " .。!！?？"
MIN_REPETITION_SIMILARITY = 88.0  # of 100, from which a sentence may be the question over again


def asks(text: str) -> bool:
    """Whether a message asks anything, in any form."""
    return bool(_ANY_QUESTION.search(text))


def asks_in_earnest(text: str) -> bool:
    """Whether a message asks for information, not counting rhetorical questions ("are you kidding?")."""
    return bool(_INFORMATION.search(_RHETORICAL.sub("。", text)))


def asks_or_needs(sentence: str) -> bool:
    """Whether a sentence asks, wishes for something or reports that something does not work."""
    return bool(_INFORMATION_OR_HELP.search(sentence))


def wants(text: str) -> bool:
    """Whether a message wants something done."""
    return bool(_WANTS.search(text))


def starts_asking(clause: str) -> bool:
    """Whether an English clause begins as a question does."""
    return bool(_STARTS_EN.match(clause))


def ends_asking(text: str) -> bool:
    """Whether a Japanese text ends as a question does."""
    return bool(_ENDS_JA.search(text))


def asks_whether(question: str) -> bool:
    """Whether a question wants a yes or a no and nothing else."""
    verb = _ASKING_VERB.search(question)
    is_asked = bool(_ENDS_ASKING.search(question)) or (verb is not None and "?" in question[verb.end() :])
    return is_asked and not _ASKS_WHAT.search(question)


def is_question(text: str) -> bool:
    """Whether a sentence asks the user something."""
    return bool(_QUESTION.search(text.strip()))


def repeats_question(text: str, question: str) -> bool:
    """Whether a sentence repeats the question and answers nothing.

    A statement like the question answers it if a yes or no is asked for, or if it has a figure or a word of its own.
    """
    said, asked = normalize(text), normalize(question)
    if fuzz.ratio(said, asked) < MIN_REPETITION_SIMILARITY:
        return False
    if is_question(text) or said.strip(_END_MARKS) == asked.strip(_END_MARKS):
        return True
    adds = numbers(text) - numbers(question) or set(content_words(text)) - set(content_words(question))
    return not (asks_whether(question) or adds)
