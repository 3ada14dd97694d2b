"""A short reference where Japanese or Chinese is involved: by words, figures with their units, and signs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from core.base.language import Script, script
from core.base.types import Language
from core.judge.correctness.asked import asked
from core.judge.correctness.features import items, variants
from core.judge.correctness.measures import COMPARED
from core.judge.correctness.said import Said, said
from core.judge.correctness.say import say, unsaid
from core.judge.correctness.verdict import Claim, CorrectnessVerdict, Status
from core.judge.text.amounts import Amount, among, amounts, rivals
from core.judge.text.wording import wording

HELD = 0.6  # share of an item's words that the answer must hold
ALIKE = 86.0  # likeness (0 to 100) from which a name is spelt in another way
_NOT_BEFORE = re.compile(r"(?:不是|并非|並非|而非|不在|没有|除了|除)$|\bnot (?:the |an? )?$")
_NOT_AFTER = re.compile(
    r"^.{0,3}?(?:では(?:ない|なく|ありません|ございません)|じゃない|以外|とは(?:限り|異な|違)|ではありま)"
)
_LATE = ("午後", "下午", "晚上", "pm")
_HALF = re.compile(r"(午前|午後|上午|早上|下午|晚上)(\d{1,2})(?:時|点|點|:00)")


def judge_unspaced(question: str, answer: str, references: Sequence[str], language: Language) -> CorrectnessVerdict:
    """The verdict by the reference of which most is found."""
    told = said(answer)
    options = [
        _judged(question, told, variant, bool(answer.strip()), language)
        for one in references
        for variant in variants(one)
    ]
    return max(options, key=_rank)


def _rank(verdict: CorrectnessVerdict) -> tuple[bool, int, int]:
    statuses = [one.status for one in verdict.claims]
    return verdict.verdict == "Yes", statuses.count("found"), -statuses.count("missing")


def _judged(question: str, told: Said, reference: str, written: bool, language: Language) -> CorrectnessVerdict:
    claims = tuple(_claim(question, told, item) for item in items(reference))
    wrong = next((one for one in claims if one.status == "contradicted"), None)
    lacking = next((one for one in claims if one.status == "missing"), None)
    yes = not (wrong or lacking)
    key = _key(told, claims, reference, written)
    evidence = (wrong or claims[0]).evidence or told.first
    reason = say(key, language, wanted=reference, said=evidence, lacking=lacking.claim if lacking else reference)
    return CorrectnessVerdict(claims=claims, reason=reason, verdict="Yes" if yes else "No")


def _key(told: Said, claims: Sequence[Claim], reference: str, written: bool) -> str:
    if not told.parts:
        return "missing.refused" if told.refused or told.opens else unsaid(told.plea) if written else "missing.empty"
    if any(one.status == "contradicted" for one in claims):
        denied = any(_flat(one.claim) in _flat(told.text) for one in claims if one.status == "contradicted")
        return "wrong.denied" if denied else "wrong.figure"
    if any(one.status == "missing" for one in claims):
        return "missing.partly" if any(one.status == "found" for one in claims) else "wrong.other"
    if _flat(reference) == _flat(told.text):
        return "found.same"
    held = all(_flat(one.claim) in _flat(told.text) for one in claims)
    return "found.held" if held else "found.figure" if amounts(reference) else "found.near"


def _claim(question: str, told: Said, item: str) -> Claim:
    """One item of the reference: how it stands, and the assertion of the answer that shows it."""
    holding = [part for part in told.parts if _within(_flat(item), _flat(part))]
    if holding:
        denied = all(_denied(part, item) for part in holding)
        return Claim(claim=item, evidence=holding[0], status="contradicted" if denied else "found")
    figures, text = amounts(_level(item)), _level(told.text)
    asked_for = amounts(question)
    lacking = sorted(one for one in figures if not among(one, amounts(text)))
    if lacking:
        part = _rival_part(lacking, told, asked_for)
        return Claim(claim=item, evidence=part, status="contradicted" if part else "missing")
    status: Status = "found" if _said(question, item, text, bool(figures)) else "missing"
    evidence = max(told.parts, key=lambda part: fuzz.partial_ratio(_flat(item)[:COMPARED], _flat(part)), default="")
    return Claim(claim=item, evidence=evidence if status == "found" else "", status=status)


def _said(question: str, item: str, text: str, figured: bool) -> bool:
    """Whether the text says an item in other words, its figures being there."""
    if figured and asked(question) in ("count", "when"):
        return True
    of = _script(item, text)
    wanted = wording(item, of) - wording(question, of) or wording(item, of)
    share = len(wanted & wording(text, of)) / len(wanted) if wanted else float(figured)
    name = len(_flat(item)) >= 4 and fuzz.partial_ratio(_flat(item)[:COMPARED], _flat(text)) >= ALIKE and not figured
    return share >= HELD or name


def _script(item: str, text: str) -> Script:
    found = script(item)
    return script(text) if found == "en" else found


def _rival_part(lacking: Sequence[Amount], told: Said, asked_for: frozenset[Amount]) -> str:
    """The assertion that gives another figure of the same unit, which the question did not name; "" for none."""
    for part in told.parts:
        given = frozenset(one for one in amounts(_level(part)) if not among(one, asked_for))
        if any(rivals(one, given) for one in lacking):
            return part
    return ""


def _within(item: str, part: str) -> bool:
    """Whether an item stands in a text, but not as the tail or head of a longer figure: 3割 is not in 13割."""
    before, after = (r"(?<!\d)" if item[:1].isdigit() else ""), (r"(?!\d)" if item[-1:].isdigit() else "")
    return bool(re.search(f"{before}{re.escape(item)}{after}", part))


def _denied(part: str, item: str) -> bool:
    flat, wanted = _level(part), _level(item)
    place = flat.find(wanted)
    return place >= 0 and bool(_NOT_BEFORE.search(flat[:place]) or _NOT_AFTER.match(flat[place + len(wanted) :]))


def _level(text: str) -> str:
    """NFKC and lower case, times of day on 24 hours, week days short, one sign for from-to."""
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = _HALF.sub(lambda found: f"{int(found[2]) % 12 + (12 if found[1] in _LATE else 0)}時", plain)
    plain = re.sub(r"(?<=\d)(?:時|:)(?:00分?|ちょうど)?(?=\D|$)", "時", plain)
    plain = re.sub(r"(?<=[月火水木金土日])曜日?|(?:星期|周)(?=[一二三四五六日])", "", plain)
    return re.sub(r"(?<=[時日月火水木金土年円元\d])(?:から|より|~|至|到|-)(?=\s?[月火水木金土日\d])", "〜", plain)


def _flat(text: str) -> str:
    return "".join(re.findall(r"\w+", _level(text)))
