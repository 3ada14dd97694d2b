"""What makes an answer wrong however much of the reference it holds: another sign, bound, period, currency or polarity, or a retraction.

For support answers, whose wrong ones differ from the reference in one figure or one word. Without these rules, .027 fewer
changed figures are caught; on public trivia (NQ301, PEDANTS) they cost .001 and .005.
"""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from core.judges.prompt_data import sways_grader
from core.text.language import sentences
from core.text.negation import denies, holds_negation, opening_side, without_negation, without_opening
from core.text.numbers import amounts, is_among, normalize_measures, rivals
from core.text.questions import asks_whether
from core.text.refusals import answer_sentences

_BARE = re.compile(
    r"(?:はい|ええ|いいえ|いえ)?[、。,.!\s]*"
    r"(?:(?:利用|返品|変更)?(?:でき(?:ます|ません|る|ない)|可能(?:です)?|不可能(?:です)?|不可(?:です)?|大丈夫です|そうです|違います|あります|ありません|必要です|不要です|必要ありません|なりません))?(?:よ)?[。.!\s]*"
    r"|(?:yes|yeah|yep|no|nope|sure|certainly)?[,.!\s]*"
    r"(?:(?:you|it|they|we|he|she|i|there|that)\s+(?:can|could|is|are|do|does|did|will|may|must|has|have|was|were|should)(?:\s?not|n?['’]t)?)?[.!\s]*"
    r"|(?:可以|不可以|能|不能|是的?|不是|有|没有|不行|行)(?:的)?[。.!\s]*",
    re.IGNORECASE,
)


def is_bare(answer: str) -> bool:
    """Whether an answer is a yes or a no and nothing else."""
    text = answer.strip()
    return len(text) <= 40 and bool(re.search(r"\w", text)) and bool(_BARE.fullmatch(text))


def side(text: str) -> int:
    """1 when a text says yes, -1 when it says no: by its opening word, else by how its first sentence ends."""
    opening = opening_side(text)
    if opening:
        return opening
    first = next((one for one in sentences(text.strip()) if one.strip()), "").strip()
    return -1 if denies(first) else 1


def agrees(question: str, answer: str, reference: str) -> bool | None:
    """Whether a bare yes or no is the reference's side; None where answer or question is of another kind."""
    if not is_bare(answer) or not (
        asks_whether(question) or is_bare(reference) or question.rstrip("?？。 ").endswith(("吗", "嗎"))
    ):
        return None
    return side(answer) == side(reference)


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
_CONJUNCTION = re.compile(r"^(?:ただし|しかし|なお|また|but|however)[、,\s]*")
TURNED = (
    88.0  # likeness (0 to 100) of two sentences, negations taken out, from which one that is negated turns the other
)
MANY = 60  # sentences of either text that are compared


def conflict(question: str, answer: str, reference: str) -> str:
    """The words of the answer that make it wrong by the reference; "" for none."""
    given, wanted = normalize_measures(answer), normalize_measures(reference)
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
        if one.unit and one.unit not in ("date", "年") and not is_among(one, theirs):
            others = [other for other in rivals(one, theirs) if not is_among(other, ours)]
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
    return found[0] if found and not holds_negation(wanted) else ""


def _chosen(given: str, wanted: str) -> str:
    """The reference is one of several bare candidates beside words to the judge."""
    name = wanted.strip(" .。")
    if not 0 < len(wanted) <= 60 or re.search(r"\bor\b|か|または", wanted):
        return ""
    every = answer_sentences(given) if len(given) <= 400 else ()
    told = [part.strip(" .。") for part in every if not sways_grader(part)]
    others = [part for part in told if name not in part]
    bare = all(len(part.split()) <= 3 and len(part) <= 24 for part in told)
    return others[0] if len(told) < len(every) and bare and 0 < len(others) < len(told) else ""


def _turned(question: str, answer: str, reference: str) -> str:
    """A sentence of the answer that denies one of the reference or of its own, or opens with the other side."""
    ours, theirs = (tuple(one.strip() for one in sentences(text) if one.strip())[:MANY] for text in (reference, answer))
    if (
        asks_whether(question)
        and opening_side(answer)
        and len(reference) > 12
        and opening_side(answer) != side(reference)
        and not opening_side(reference)
    ):
        return (
            theirs[0]
            if side(theirs[0]) == opening_side(theirs[0]) and side(without_opening(theirs[0])) != side(reference)
            else ""
        )
    for part in theirs:
        if any(_opposed(part, one) for one in ours) and not any(_same(part, one) for one in ours):
            return part
    own = theirs[:20]
    return next((b for n, a in enumerate(own) for b in own[n + 1 :] if _opposed(a, b)), "")


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
    plain = without_opening(_CONJUNCTION.sub("", normalize_measures(text).replace("’", "'")))
    limited = 1 if _LIMITED.search(plain) else -1 if _WIDE.search(plain) else 0
    plain, negations = without_negation(plain)
    return " ".join(re.findall(r"\w+", plain)), negations % 2 == 1, limited
