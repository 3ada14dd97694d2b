"""What makes an answer wrong however much of the reference it holds: another sign, bound, period, currency or polarity, or a retraction."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from core.base.language import script, sentences
from core.judge.correctness.yesno import side
from core.judge.text.amounts import among, amounts, rivals
from core.judge.text.canon import canon
from core.judge.text.plea import to_grader
from core.judge.text.refusal import spoken
from core.judge.text.wording import asks_whether, lead

_N = r"\d[\d.,]*"
# Each line: the classes of one kind. Two texts that name classes of a kind, but none in common, disagree.
_KINDS: tuple[tuple[str, ...], ...] = (
    (
        r"\bper month\b|\bmonthly\b|\b(?:a|each|every) month\b|/month|月額|毎月|月々|1か月あたり|每月|月あたり",
        r"\bper year\b|\bannual(?:ly)?\b|\byearly\b|\b(?:a|each|every) year\b|/year|年額|毎年|年あたり|每年",
        r"\bper day\b|\bdaily\b|\b(?:a|each|every) day\b|毎日|日額|1日あたり|每天",
        r"\bper week\b|\bweekly\b|\b(?:a|each|every) week\b|毎週|週あたり|每周",
    ),
    (rf"[$]\s*{_N}|{_N}\s*(?:us )?dollars?\b|{_N}\s*ドル", rf"€\s*{_N}|{_N}\s*(?:euros?\b|ユーロ|€)", rf"£\s*{_N}|{_N}\s*(?:pounds? sterling|ポンド)", rf"¥\s*{_N}|{_N}\s*(?:円|yen\b)", rf"{_N}\s*(?:元|yuan\b)"),
    (
        rf"\b(?:up to|at most|no more than|maximum(?: of)?|less than|under|fewer than)\s+\D?{_N}|{_N}\D{{0,4}}(?:以下|以内|未満|まで(?!に))|最大\D?{_N}",
        rf"\b(?:at least|no (?:less|fewer) than|minimum(?: of)?|more than|over)\s+\D?{_N}|{_N}\D{{0,4}}(?:以上|超え|以降)|最低\D?{_N}",
    ),
    (rf"{_N}\s*(?:km|m|kilomet(?:er|re)s?|met(?:er|re)s?|キロ(?:メートル)?|メートル)\b", rf"{_N}\s*(?:miles?|mi)\b|{_N}\s*マイル", rf"{_N}\s*(?:feet|ft)\b"),
    (r"があれば|が必要|を得て|があった場合", r"なしで|がなくても|不要|なしに"),
)  # fmt: skip
_CLASSES = tuple(tuple(re.compile(one) for one in kind) for kind in _KINDS)
_SIGNED = re.compile(r"(?<![\w.)-])-(\d+(?:\.\d+)?)|(?:minus|マイナス|零下|氷点下)\s?(\d+(?:\.\d+)?)")
_PHONE = re.compile(r"(?<![\d-])\+?\d[\d ()-]{6,18}\d(?!\d)")
_LIMITED = re.compile(r"\bonly\b|だけ|のみ|に限り|しか")
_WIDE = re.compile(r"\b(?:all|any|every|everyone|anyone)\b|全員|すべて|誰でも|全て|どの.{0,6}でも")
_NOT_EN = re.compile(r"\b(?:not|never|no longer)\b|n't\b|\bcannot\b")
_IS_EN = re.compile(r"\bcan\b|\bdo(?:es)?\b")
_NOT_JA = re.compile(r"(?:では|じゃ)?(?:ありません|ません|ない(?=です|[。、]|$))")
_IS_JA = re.compile(r"(?:あり)?ます|です")
_CONJUNCTION = re.compile(r"^(?:ただし|しかし|なお|また|but|however)[、,\s]*")
TURNED = (
    88.0  # likeness (0 to 100) of two sentences, negations taken out, from which one that is negated turns the other
)
MANY = 60  # sentences of either text that are compared


def conflict(question: str, answer: str, reference: str) -> str:
    """The words of the answer that make it wrong by the reference; "" for none."""
    given, wanted = canon(answer), canon(reference)
    for test in (_sign, _phone, _kind, _figure, _retracted, _chosen):
        found = test(given, wanted)
        if found:
            return found
    return _turned(question, answer, reference)


def _sign(given: str, wanted: str) -> str:
    ours, theirs = _negative(wanted), _negative(given)
    plain = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?")
    lost = any(one not in theirs and one in plain.findall(given) for one in ours)
    won = any(one not in ours and one in plain.findall(wanted) and one not in plain.findall(given) for one in theirs)
    return given if lost or won else ""


def _negative(text: str) -> set[str]:
    return {found[1] or found[2] for found in _SIGNED.finditer(text)}


def _phone(given: str, wanted: str) -> str:
    ours, theirs = ({re.sub(r"\D", "", one) for one in _PHONE.findall(text)} for text in (wanted, given))
    alike = [one for one in theirs for other in ours if len(one) == len(other) >= 9]
    return given if ours and alike and not ours & theirs else ""


def _kind(given: str, wanted: str) -> str:
    """Where both name a period, a currency, a bound or a unit, but never the same."""
    if not re.search(r"\d", wanted) and not _CLASSES[-1][0].search(wanted) and not _CLASSES[-1][1].search(wanted):
        return ""
    for kind in _CLASSES:
        ours, theirs = ({n for n, one in enumerate(kind) if one.search(text)} for text in (wanted, given))
        if ours and theirs and not ours & theirs:
            return given
    return ""


def _figure(given: str, wanted: str) -> str:
    """Another figure of a unit of the reference, none of which is there."""
    ours, theirs = amounts(wanted), amounts(given)
    if len(ours) > MANY or len(theirs) > MANY:
        return ""
    for one in sorted(ours):
        if one.unit and one.unit not in ("date", "年") and not among(one, theirs):
            others = [other for other in rivals(one, theirs) if not among(other, ours)]
            if others:
                return others[0].text
    return ""


def _retracted(given: str, wanted: str) -> str:
    """The reference is named and taken back: "Paris? No.", "I was told Paris, but", "Paris is not"."""
    plain = wanted.strip(" .。")
    if not 0 < len(wanted) <= 60 or plain not in given:  # compiling a pattern costs more than all else here
        return ""
    name = re.escape(plain)
    patterns = (
        rf"{name}\s*[?？]\s*(?:no\b|nope\b|wrong\b|いいえ|違)",
        rf"\b(?:was told|thought|assumed|heard|believed)\b[^.;]{{0,40}}{name}[^.;]{{0,20}}\bbut\b",
        rf"\b{name} (?:is|was|are|were)(?: not|n't)\b(?! (?:only|just|merely))",
    )
    found = next((match for one in patterns if (match := re.search(one, given))), None)
    return found[0] if found and not _NOT_EN.search(wanted) else ""


def _chosen(given: str, wanted: str) -> str:
    """The reference is one of several bare candidates beside words to the judge."""
    name = wanted.strip(" .。")
    if not 0 < len(wanted) <= 60 or re.search(r"\bor\b|か|または", wanted):
        return ""
    every = spoken(given) if len(given) <= 400 else ()
    told = [part.strip(" .。") for part in every if not to_grader(part)]
    others = [part for part in told if name not in part]
    bare = all(len(part.split()) <= 3 and len(part) <= 24 for part in told)
    return others[0] if len(told) < len(every) and bare and 0 < len(others) < len(told) else ""


def _turned(question: str, answer: str, reference: str) -> str:
    """A sentence of the answer that denies one of the reference or of its own, or opens with the other side."""
    ours, theirs = (tuple(one.strip() for one in sentences(text) if one.strip())[:MANY] for text in (reference, answer))
    if (
        asks_whether(question)
        and lead(answer)
        and len(reference) > 12
        and lead(answer) != side(reference)
        and not lead(reference)
    ):
        return theirs[0] if side(theirs[0]) == lead(theirs[0]) and side(_after(theirs[0])) != side(reference) else ""
    for part in theirs:
        if any(_opposed(part, one) for one in ours) and not any(_same(part, one) for one in ours):
            return part
    own = theirs[:20]
    return next((b for n, a in enumerate(own) for b in own[n + 1 :] if _opposed(a, b)), "")


def _after(text: str) -> str:
    return re.sub(r"^(?:yes|no|はい|いいえ)[,、.。\s]*", "", text, flags=re.IGNORECASE)


def _opposed(one: str, other: str) -> bool:
    """Whether two sentences differ in a negation, or in "only" against "all", and in little else."""
    (plain, negated, limited), (again, denied, bound) = _stripped(one), _stripped(other)
    if min(len(plain), len(again)) < 3 or fuzz.ratio(plain, again) < (TURNED if negated != denied else 60):
        return False
    return (negated != denied) if limited == bound or negated != denied else {limited, bound} == {1, -1}


def _same(one: str, other: str) -> bool:
    (plain, negated, _), (again, denied, _) = _stripped(one), _stripped(other)
    return negated == denied and fuzz.ratio(plain, again) >= 97


def _stripped(text: str) -> tuple[str, bool, int]:
    """(the sentence without its negations, whether it is negated, 1 for only and -1 for all)."""
    plain = _CONJUNCTION.sub("", canon(text).replace("’", "'"))
    latin = script(text) == "en"
    no, yes = (_NOT_EN, _IS_EN) if latin else (_NOT_JA, _IS_JA)
    negated = len(no.findall(plain)) % 2 == 1
    limited = 1 if _LIMITED.search(plain) else -1 if _WIDE.search(plain) else 0
    plain = yes.sub("", no.sub("", plain))
    return " ".join(re.findall(r"\w+", plain)), negated, limited
