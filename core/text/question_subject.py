"""The subject of a question, to which more can be joined."""

from __future__ import annotations

import re

from core.text.inflection import is_verb, past, surface
from core.text.japanese import words
from core.text.language import content_words, script

_ASKING_JA = re.compile(
    r"(?:について|に関して|に関する|の件|のこと)?(?:を|は|が|で|も)?、?"
    r"(?:詳しく|くわしく)?(?:教え|知り|伺い|聞き|お聞き|質問|相談|案内|説明|何|なに|どれ|どの|どちら|どう|いつ|いくら|どこ|誰|だれ|なぜ|どんな)"
)
_LAST_SENTENCE = re.compile(r"(?:\A|(?<=[。！？!?])(?![。！？!?]))[^。！？!?]*+[。！？!?]*+$")
_FRAME_JA = re.compile(
    r"(?:について|に関して|の件|のこと)(?:なの)?(?:です|なん)?(?:が|けど|けれど)?(?:です)?[。、！？!?]*$|(?:は|って|も)[?？]+$"
)
_PLAIN_JA = (
    (
        re.compile(
            r"(?:(?:(?<![みどこそあ]ん)な)?(?:の|ん)(?:です|だ))?(?:(?:です)?(?:が|けど|けれども?))?(?<![。、！!?？…\s])[。、！!?？…\s]*+$"
        ),
        "",
    ),
    (re.compile(r"ません$"), "ない"),
    (re.compile(r"います$"), "いる"),
    (re.compile(r"あります$"), "ある"),
)
_PARTICLES = "のではがをにとも"
_FRAME_EN = re.compile(
    r"^(?:(?:hi|hello|hey)[,.! ]+)?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:tell me (?:more )?about|i (?:want|would like|'d like|need) to know (?:more )?about|i have a question about|what about"
    r"|question about|help (?:me )?with|i need help with|about)\s+",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"(?<=..)(?:って|は)(?:[1一]?(?:週|月|年|日|回|人)(?:間|あたり)?|最大|最長|最低|合計|全部)(?:で|に)?$"
)  # 在宅勤務って週に…


def subject(question: str) -> str:
    """The subject of a question; the question itself if it has no asking part."""
    text = question.strip()
    if script(text) == "en":
        return _FRAME_EN.sub("", text).rstrip("?.! ")
    for shorter in (_without_asking(text), _FRAME_JA.sub("", text)):
        if shorter != text and content_words(shorter):
            plain = _without_particles(_plain(shorter.strip("、。 ")))
            return _MEASURE.sub("", plain).removesuffix("って")
    return _plain(text)


def _without_particles(text: str) -> str:
    """A Japanese text without the particles at its end; も in 子ども is not one."""
    rest = list(words(text))
    while rest and rest[-1].part in ("助詞", "助動詞") and not rest[-1].surface.strip(_PARTICLES):
        rest.pop()
    return surface(rest)


def _without_asking(text: str) -> str:
    """The text up to the words with which its last sentence asks."""
    last = _LAST_SENTENCE.search(text)
    asking = _ASKING_JA.search(text, last.start() if last else len(text))
    return text[: asking.start()] if asking else text


def is_noun_phrase(text: str) -> bool:
    """Whether a text is a noun phrase with no predicate, such as a choice that was clicked."""
    return len(text) <= 40 and not re.search(r"[。？?！!]|(?:す|せん|い|か|て|た|る|は|に|が|を|も)$", text.strip())


def _plain(text: str) -> str:
    """The plain form of a polite Japanese ending, to be placed before a noun."""
    for pattern, plain in _PLAIN_JA:
        text = pattern.sub(plain, text)
    tokens = words(text) if text.endswith("ました") else ()
    if len(tokens) > 2 and is_verb(tokens[-3]):
        return f"{surface(tokens[:-3])}{past(tokens[-3])}"
    return text
