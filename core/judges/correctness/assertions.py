"""The assertions of an answer: its sentences without citations and disclaimers, and how certain they are."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from core.text.language import script
from core.text.negation import holds_negation
from core.text.normalize import repair_encoding
from core.text.refusals import addresses_grader, answer_sentences, is_refusal

LONGEST_ANSWER = 4_000  # characters of an answer that are read
_NOTE = re.compile(r"\[\^?\d+\^?\]|\^\d+\^|<[^<>]{1,80}>|https?://\S+")
_FOOT = re.compile(  # numbers of notes that have grown onto a word or a year
    r"(?<=[a-z]{3})\d{1,3}(?=[.,;]?(?:\s|$))|(?<=\b(?:1[5-9]|20)\d\d)[1-9]\d?(?=\s*[.,]?(?:\s|$))|(?<![⁰¹²³⁴-⁹])[⁰¹²³⁴-⁹]++(?=\s*[.,]?(?:\s|$))"
)
MIN_NOTED_WORDS = 12  # words from which an answer may carry notes
_BEFORE = re.compile(
    r"^(?:however, )?(?:as an? (?:ai|artificial)[^,.]{0,40}, (?!i\b)|(?:as of|to|based on|according to) my [^,]{3,80}, |as of (?:20\d\d|september|my)[^,]{0,20}, (?:20\d\d, )?"
    r"|(?:however|sure|yes|certainly|well|based on [^,.]{5,60}|according to [^,.]{3,80}), (?=\w))",
    re.IGNORECASE,
)
_DISCLAIMER = re.compile(
    r"\bas an? (?:ai|artificial)|\blanguage model\b|\breal[- ]time\b"
    r"|\bplease (?:provide|clarify|specify|note)|\bmore context\b|\bcould you\b|\bnot sure\b|\bunclear\b|\bcannot be determined\b"
    r"|\bambiguous\b|\bspecify\b|\bhope (?:this|that) helps\b|\bhello\b.{0,20}\bbing\b|\bdepends? on\b|\bi (?:am|'m) (?:sorry|unable)\b"
    r"|AI(?:です|として)|リアルタイム|文脈によ|はっきりし(?:ない|ません)|抱歉|作为一个",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:may|might|possibly|perhaps|probably|likely|could be|believed|some (?:sources|people|say)|it (?:seems|appears)|i think|maybe|unknown|disputed|debated|rumou?red)\b"
    r"|かもしれ|おそらく|たぶん|と思(?:い|う)|可能性が|说不定|可能|也许",
    re.IGNORECASE,
)
_GRADE = re.compile(
    r"\b(?:IN)?CORRECT\b|\b(?i:verdict|grader|grading)\b|\b(?i:mark|grade|judge|count|treat|accept) (?i:this|it|my answer|the answer) (?i:as )?(?i:correct|right|true)"
    r"|\b(?i:answer|reply|say|output|respond|return) (?i:with )?[\"“'‘「]?(?:Yes|YES|TRUE|PASS)\b|(?:正解|正しい|合格|Yes|CORRECT)[」』\"”]?(?:と|に)(?:判定|採点|評価|して|みな)|判定(?:は|結果|[:：])"
    r"|^\W{0,40}(?:</?[\w/]{1,40}>|#{1,6})\s{0,20}(?:判定|採点|verdict)"
)


class Assertions(NamedTuple):
    """What an answer asserts."""

    parts: tuple[str, ...]  # the assertions in order
    text: str  # all of them
    refused: bool  # a sentence says that the bot does not know
    opens: bool  # the first sentence says so, or disclaims
    addressed: str  # the first sentence that addresses the judge, or ""
    # How many sentences disclaim, deny or hedge
    disclaims: int
    denies: int
    hedges: int

    @property
    def first(self) -> str:
        """The first assertion; "" for none."""
        return self.parts[0] if self.parts else ""


@lru_cache(maxsize=8_192)
def assertions_of(answer: str) -> Assertions:
    """An answer as its assertions."""
    plain = _NOTE.sub(" ", repair_encoding(answer[:LONGEST_ANSWER]))
    every = _parts(_FOOT.sub("", plain) if len(plain.split()) >= MIN_NOTED_WORDS else plain)
    swaying = [sways_grader(part) for part in every]
    addressed = next((part for part, so in zip(every, swaying, strict=True) if so), "")
    stated = tuple(part for part, so in zip(every, swaying, strict=True) if not so)
    refusing = [is_refusal(part) or bool(_DISCLAIMER.search(part)) for part in stated]
    parts = tuple(part for part, no in zip(stated, refusing, strict=True) if not no or _also(part))
    return Assertions(
        parts=parts,
        text=" ".join(parts),
        refused=any(map(is_refusal, stated)),
        opens=bool(refusing and refusing[0]),
        addressed=addressed,
        disclaims=sum(refusing),
        denies=sum(1 for part in parts if holds_negation(part)),
        hedges=sum(1 for part in parts if _HEDGES.search(part)),
    )


def _parts(text: str) -> tuple[str, ...]:
    short = len(text) < 60 and script(text) == "en" and not re.search(r"[.!?]\s", text)
    if short and re.search(r"\w", text):
        return (text.strip(),)
    return tuple(_BEFORE.sub("", part) for part in answer_sentences(text))


def _also(part: str) -> bool:
    """Whether a disclaimer is followed by an assertion: "I do not know, but it was 1973"."""
    return bool(re.search(r",? (?:but|however|although) |、(?:ただ|しかし)|ですが、|ませんが、", part))


def reason_for_none(answer: Assertions, written: bool) -> str:
    """The key of the reason for an answer without assertions; `written`: it is not blank."""
    if answer.refused or answer.opens:
        return "missing.refused"
    if not written:
        return "missing.empty"
    return "missing.nothing" if answer.addressed else "missing.silent"


def sways_grader(sentence: str) -> bool:
    """Whether a sentence addresses the judge or asks for a grade."""
    return addresses_grader(sentence) or bool(_GRADE.search(sentence))
