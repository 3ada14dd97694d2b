"""What a question is about: the question without its asking part."""

from __future__ import annotations

import re

from core.base.language import content, script

_ASKING_JA = re.compile(
    r"(?:について|に関して|に関する|の件|のこと)?(?:を|は|が|で|も)?、?"
    r"(?:詳しく|くわしく)?(?:教え|知り|伺い|聞き|お聞き|質問|相談|案内|説明|何|なに|どれ|どの|どちら|どう|いつ|いくら|どこ|誰|だれ|なぜ|どんな)"
    r"[^。！？!?]*[。！？!?]*$"
)
_FRAME_JA = re.compile(
    r"(?:について|に関して|の件|のこと)(?:なの)?(?:です|なん)?(?:が|けど|けれど)?(?:です)?[。、！？!?]*$|(?:は|って|も)[?？]+$"
)
_PLAIN_JA = (
    (re.compile(r"(?:(?:の|ん)(?:です|だ))?(?:(?:です)?(?:が|けど|けれども?))?[。、！!?？…\s]*$"), ""),
    (re.compile(r"ません$"), "ない"),
    (re.compile(r"きました$"), "いた"),
    (re.compile(r"ました$"), "た"),
    (re.compile(r"います$"), "いる"),
    (re.compile(r"あります$"), "ある"),
)
_PARTICLES = re.compile(r"(?:[のではがをにとも、])+$")
_FRAME_EN = re.compile(
    r"^(?:(?:hi|hello|hey)[,.! ]+)?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:tell me (?:more )?about|i (?:want|would like|'d like|need) to know (?:more )?about|i have a question about|what about"
    r"|question about|help (?:me )?with|i need help with|about)\s+",
    re.IGNORECASE,
)


def subject(question: str) -> str:
    """What a question is about, so that more can be said of it; the question itself where it has no asking part."""
    text = question.strip()
    if script(text) == "en":
        return _FRAME_EN.sub("", text).rstrip("?.! ")
    for pattern in (_ASKING_JA, _FRAME_JA):
        shorter = pattern.sub("", text)
        if shorter != text and content(shorter):
            return _PARTICLES.sub("", _plain(shorter.strip("、。 ")))
    return _plain(text)


def bare(text: str) -> bool:
    """Whether a text is a noun phrase with no predicate, such as a choice that was clicked."""
    return len(text) <= 40 and not re.search(r"[。？?！!]|(?:す|せん|い|か|て|た|る|は|に|が|を|も)$", text.strip())


def _plain(text: str) -> str:
    """The plain form of a polite Japanese ending, so that it can stand before a noun."""
    for pattern, plain in _PLAIN_JA:
        text = pattern.sub(plain, text)
    return text
