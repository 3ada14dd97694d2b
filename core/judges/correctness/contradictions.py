"""Contradictions that make an answer wrong however much of the reference it has: another sign, bound, period, currency
or polarity, or a retraction.

For support answers, whose wrong ones differ from the reference in one figure or one word. Without these rules, .027
fewer changed figures are caught; on public trivia (NQ301, PEDANTS) they cost .001 and .005.
"""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from core.judges.correctness.assertions import sways_grader
from core.judges.correctness.normalize_units import normalize_units
from core.judges.rules.yes_no import sentence_polarity
from core.text.language import sentences
from core.text.negation import holds_negation, opening_polarity, opposite_clauses, without_opening
from core.text.numbers import amounts, is_among, rivals
from core.text.questions import asks_whether
from core.text.refusals import answer_sentences

_N = r"\d[\d.,]{0,30}+"
# Each line: the classes of one kind. Two texts that name classes of a kind, but none in common, disagree.
_KINDS: tuple[tuple[str, ...], ...] = (
    (
        r"\bper month\b|\bmonthly\b|\b(?:a|each|every) month\b|/month|月額|毎月|月々|1か月あたり|每月|月あたり",
        r"\bper year\b|\bannual(?:ly)?\b|\byearly\b|\b(?:a|each|every) year\b|/year|年額|毎年|年あたり|每年",
        r"\bper day\b|\bdaily\b|\b(?:a|each|every) day\b|毎日|日額|1日あたり|每天",
        r"\bper week\b|\bweekly\b|\b(?:a|each|every) week\b|毎週|週額|週あたり|每周",
    ),
    (rf"[$]\s*{_N}|{_N}\s*(?:us )?dollars?\b|{_N}\s*ドル", rf"€\s*{_N}|{_N}\s*(?:euros?\b|ユーロ|€)", rf"£\s*{_N}|{_N}\s*(?:pounds? sterling|ポンド)", rf"¥\s*{_N}|{_N}\s*(?:円|yen\b)", rf"{_N}\s*(?:元|yuan\b)"),
    (
        rf"\b(?:up to|at most|no more than|maximum(?: of)?|less than|under|fewer than)\s+\D?{_N}|{_N}\D{{0,4}}(?:以下|以内|未満|まで(?!に))|最大\D?{_N}",
        rf"\b(?:at least|no (?:less|fewer) than|minimum(?: of)?|more than|over)\s+\D?{_N}|{_N}\D{{0,4}}(?:以上|超え|以降)|最低\D?{_N}",
    ),
    (rf"{_N}\s*(?:km|m|kilomet(?:er|re)s?|met(?:er|re)s?|キロ(?:メートル)?|メートル)\b", rf"{_N}\s*(?:miles?|mi)\b|{_N}\s*マイル", rf"{_N}\s*(?:feet|ft)\b"),
    (r"があれば|が必要|を得て|があった場合", r"なしで|がなくても|不要|なしに"),
)  # fmt: skip
KINDS_OF_FIGURES = tuple(tuple(re.compile(one) for one in kind) for kind in _KINDS)
_SIGNED = re.compile(r"(?<![\w.)-])-(\d+(?:\.\d+)?)|(?:minus|マイナス|零下|氷点下)\s?(\d+(?:\.\d+)?)")
_UNSIGNED = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?")
_PHONE = re.compile(r"(?<![\d-])\+?\d[\d ()-]{6,18}\d(?!\d)")
_ONLY = re.compile(r"\bonly\b|だけ|のみ|に限り|しか")
_ALL = re.compile(r"\b(?:all|any|every|everyone|anyone)\b|全員|すべて|誰でも|全て|どの.{0,6}でも")
MIN_ONLY_SIMILARITY = 60.0  # similarity (0 to 100) from which a sentence with "only" is the opposite of one with "all"
MAX_SENTENCES = 60  # sentences of either text that are compared


def conflict(question: str, answer: str, reference: str) -> str:
    """The words of the answer that contradict the reference; "" for none."""
    plain_answer, plain_reference = normalize_units(answer), normalize_units(reference)
    for test in (_minus_differs, _phone, _kind, _figure, _retracted, _chosen):
        found = test(plain_answer, plain_reference)
        if found:
            return found
    return _reversed_sentence(question, answer, reference)


def _minus_differs(answer: str, reference: str) -> str:
    reference_negatives, answer_negatives = (
        {found[1] or found[2] for found in _SIGNED.finditer(text)} for text in (reference, answer)
    )
    reference_plain, answer_plain = ({*_UNSIGNED.findall(text)} for text in (reference, answer))
    lost = (reference_negatives - answer_negatives) & answer_plain
    gained = (answer_negatives - reference_negatives) & (reference_plain - answer_plain)
    return answer if lost or gained else ""


def _phone(answer: str, reference: str) -> str:
    reference_numbers, answer_numbers = (
        {re.sub(r"\D", "", one) for one in _PHONE.findall(text)} for text in (reference, answer)
    )
    alike = [one for one in answer_numbers for other in reference_numbers if len(one) == len(other) >= 9]
    return answer if reference_numbers and alike and not reference_numbers & answer_numbers else ""


def _kind(answer: str, reference: str) -> str:
    """The answer if both texts name periods, currencies, bounds or units and have none in common; else ""."""
    if not re.search(r"\d", reference) and not any(one.search(reference) for one in KINDS_OF_FIGURES[-1]):
        return ""
    for kind in KINDS_OF_FIGURES:
        reference_classes, answer_classes = (
            {n for n, one in enumerate(kind) if one.search(text)} for text in (reference, answer)
        )
        if reference_classes and answer_classes and not reference_classes & answer_classes:
            return answer
    return ""


def _figure(answer: str, reference: str) -> str:
    """A figure of the answer with the unit of a reference figure that the answer lacks; else ""."""
    reference_figures, answer_figures = amounts(reference), amounts(answer)
    if len(reference_figures) > MAX_SENTENCES or len(answer_figures) > MAX_SENTENCES:
        return ""
    for one in sorted(reference_figures):
        if one.unit and one.unit not in ("date", "年") and not is_among(one, answer_figures):
            others = [other for other in rivals(one, answer_figures) if not is_among(other, reference_figures)]
            if others:
                return others[0].text
    return ""


def _retracted(answer: str, reference: str) -> str:
    """The words that name the reference and retract it ("Paris? No.", "I was told Paris, but", "Paris is not"); else
    ""."""
    plain = reference.strip(" .。")
    if not 0 < len(reference) <= 60 or plain not in answer:  # compiling a pattern costs more than all else here
        return ""
    name = re.escape(plain)
    patterns = (
        rf"{name}\s*[?？]\s*(?:no\b|nope\b|wrong\b|いいえ|違)",
        rf"\b(?:was told|thought|assumed|heard|believed)\b[^.;]{{0,40}}{name}[^.;]{{0,20}}\bbut\b",
        rf"\b{name} (?:is|was|are|were)(?: not|n't)\b(?! (?:only|just|merely))",
    )
    found = next((match for one in patterns if (match := re.search(one, answer))), None)
    return found[0] if found and not holds_negation(reference) else ""


def _chosen(answer: str, reference: str) -> str:
    """Another candidate if the answer only lists candidates and addresses the judge; else ""."""
    name = reference.strip(" .。")
    if not 0 < len(reference) <= 60 or re.search(r"\bor\b|か|または", reference):
        return ""
    parts = answer_sentences(answer) if len(answer) <= 400 else ()
    candidates = [part.strip(" .。") for part in parts if not sways_grader(part)]
    others = [part for part in candidates if name not in part]
    bare = all(len(part.split()) <= 3 and len(part) <= 24 for part in candidates)
    return others[0] if len(candidates) < len(parts) and bare and 0 < len(others) < len(candidates) else ""


def _reversed_sentence(question: str, answer: str, reference: str) -> str:
    """A sentence of the answer that contradicts the reference or another of its sentences, or opens with the opposite
    yes or no; else ""."""
    reference_parts, answer_parts = (
        tuple(one.strip() for one in sentences(text) if one.strip())[:MAX_SENTENCES] for text in (reference, answer)
    )
    opening, wanted = opening_polarity(answer), sentence_polarity(reference)
    may_be_opposed = asks_whether(question) and len(reference) > 12 and not opening_polarity(reference)
    if may_be_opposed and opening and opening != wanted:
        first = answer_parts[0]
        is_plain = sentence_polarity(first) == opening_polarity(first)
        return first if is_plain and sentence_polarity(without_opening(first)) != wanted else ""
    for part in answer_parts:
        if part not in reference_parts and any(_opposed(part, one) for one in reference_parts):
            return part
    first_parts = answer_parts[:20]
    return next((b for n, a in enumerate(first_parts) for b in first_parts[n + 1 :] if _opposed(a, b)), "")


def _opposed(one: str, other: str) -> bool:
    """Whether two sentences have opposite clauses, or one says "only" and the other "all"."""
    one, other = normalize_units(one), normalize_units(other)
    says_both = (_ONLY.search(one) and _ALL.search(other)) or (_ALL.search(one) and _ONLY.search(other))
    alike = says_both and fuzz.ratio(one, other) >= MIN_ONLY_SIMILARITY
    return bool(alike) or opposite_clauses(one, other) is not None
