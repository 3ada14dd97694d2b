"""Yes and no: answers that open with either, negated clauses, opposite words, and clauses that say the opposite."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz import fuzz

from core.text.language import content_words
from core.text.normalize import normalize

_STOPPING = (
    "stops? working|ceases? to work|no longer works?",
    "(?:keep|keeps|carry on|go on|continue) working|continues? to work",
)
# Patterns of opposite statements: two clauses that differ in exactly such a word contradict each other.
CONTRADICTING_PATTERNS = (
    ("必要ありません|必要はありません|必要がありません|必要ない|不要", "必要"),
    ("不可能|不可", "可能"),
    ("対象外", "対象"),
    ("有給", "無給"),
    ("有料|有償", "無料|無償"),
    ("以上", "以下|未満"),
    ("午前", "午後"),
    ("禁止", "許可"),
    ("無効", "有効"),
    ("non-refundable|not refundable", "refundable"),
    ("before", "after"),
    ("at least|minimum", "at most|maximum"),
    ("more than|above|over", "less than|below|under"),
    ("free of charge|free", "paid|charged"),
    ("enabled", "disabled"),
    ("permanent", "temporary"),
    _STOPPING,
)
# Opposite words of headings and questions: a user who asks for one does not want the other.
ANTONYMS = (
    (("on", "enable", "activate"), ("off", "disable", "deactivate")),
    (("in",), ("out",)),
    (("before",), ("after",)),
    (("with",), ("without",)),
    (("add",), ("remove", "removing")),
    (("link", "linking"), ("unlink", "unlinking")),
    (("upgrade",), ("downgrade",)),
    (("join", "joining"), ("leave", "leaving")),
    (("delete", "deleting"), ("restore", "restoring")),
    (("monthly",), ("yearly",)),
    (("web",), ("ios", "android", "iphone")),
    (("ios", "iphone", "ipad"), ("android", "web")),
    (("android",), ("ios", "iphone", "web")),
    (("追加", "登録"), ("削除", "解除")),
    (("オン", "有効", "設定"), ("オフ", "無効", "解除")),
    (("連携",), ("解除",)),
    (("申し込", "加入"), ("解約", "退会")),
    (("開始", "始め"), ("終了", "停止")),
    (("入社",), ("退職",)),
    (("国内",), ("海外",)),
    (("事前",), ("事後",)),
)
# How an answer opens.
_YES = re.compile(
    r"^(?:yes|yeah|yep|sure|certainly|absolutely|definitely|of course|correct|that's right)\b|^(?:はい|ええ|もちろん|そのとおり|大丈夫です|可能です)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:no|nope|unfortunately|sadly|i['’]m afraid (?:not|that|it|you|we|[\w ]{1,20}(?:n['’]t|not))|i['’]m sorry, but)\b|^(?:いいえ|いえ|残念ながら|あいにく)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:yes|no|sure|certainly|absolutely|of course|i['’]m afraid (?:not|that)?|unfortunately|はい|いいえ|いえ|ええ|もちろん|残念ながら)[、,.:;!。]?\s*",
    re.IGNORECASE,
)
# Words that negate or affirm a clause: without them, two clauses that deny each other are equal.
_NOT_JA = re.compile(
    r"(?:では|じゃ|は|が|も)?(?:ありません|ません|なかった|なくなり(?:ます)?|ない(?=[。、」)]|です|ため|ので|が|場合|こと|$))|(?<=[らかさたまわばがなべせめけてれえいき])ず(?=[、に。])"
)
_IS_JA = re.compile(r"(?:では|は|が|も)?(?:あります|ます|です|る(?=[。、」)]|ため|ので|が|場合|こと|$))")
_NOT_EN = re.compile(
    r"\b(?:(?:can|do|does|did|is|are|was|will|would|could|should|may|must)(?:not| not|n't)|not|never|no|none|without|cannot)\b"
)
_IS_EN = re.compile(r"\b(?:can|do|does|did|is|are|was|will|would|could|should|may|must|yes|with|a|an|any|the)\b")
# Words by which a clause is a no or a yes to "is it possible, is it so?".
_DENIES = re.compile(
    r"ません|不可|できない|(?:使え|なれ|られ|もらえ|払え|出|れ|が)ない|ではない|不要|無給|対象外|禁止|限られ"
    r"|\b(?:cannot|can't|not|isn't|aren't|doesn't|don't|won't|never|neither|nor|none|no longer|impossible|unavailable|unable|refused)\b",
)
_AFFIRMS = re.compile(
    r"できます|可能です|られます|えます|れます|ます(?:。|$)|有給|対象です|必要です"
    r"|\b(?:can|is|are|does|do|will|may|has|have|works?|allows?|available|possible|able|get|keeps?)\b"
)
NO_ZH = re.compile(r"不(?:可以?|能|得|行|是|会|需要?|用|必|允许|支持|提供|包括)|无法|无需|禁止|没有")
# Any negation at all, also of a fact.
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|cannot|incorrect|false)\b|n['’]t\b|ません|(?:では|じゃ|は|が)ない|なかった|ありえな|不是|没有|並非|并非",
    re.IGNORECASE,
)
# What denies the words after it, and those before it.
_BEFORE = re.compile(
    r"\b(?:not|isnt|wasnt|arent|werent|never|neither|nor|except|excluding|unlike)(?: (?:by|in|on|at|with|from|actually|the|an?))? ?$"
    r"|(?:不是|并非|並非|而非|不在|没有|除了|除)$"
)
_AFTER = re.compile(
    r"^.{0,3}?(?:では(?:ない|なく|ありません|ございません)|じゃない|以外|とは(?:限り|異な|違)|ではありま)"
)
_CLAUSE = re.compile(
    r"(?<=[。、;!?！？\n])|(?<=ませんが)|(?<=ますが)|(?<=ですが)|,\s+(?!\d)|\.\s+|(?<!\s)\s++(?:but|and|while|although|however)\s+",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"だけ|のみ|限り|以外|除き|しか|\b(?:only|unless|except|other than|instead|prohibited|neither|nor)\b",
    re.IGNORECASE,
)
_PARTICLE = re.compile(r"\b(?:turn|switch|sign|log|opt|clock)\w*(?: [\w-]+){0,4}? (on|off|in|out)\b")
_TURNING = frozenset({"on", "off", "in", "out"})  # count only if they belong to a verb
_WITH_OPPOSITE = frozenset(word for pair in ANTONYMS for side in pair for word in side)
MAX_CLAUSES = 40  # clauses of a sentence that are compared
MAX_SENTENCE_CHARACTERS = 1_000  # of a sentence that are compared: the time grows with their square
MIN_SHARED_WORDS = 88.0  # share (percent) of a clause's words from which the other clause is about the same thing
MIN_COPY_SIMILARITY = 85.0  # of 100, from which one sentence is the other with a word changed
MIN_CLAUSE_SIMILARITY = 76.0  # of 100, of two clauses without polarity words, to count as the same statement


@lru_cache(maxsize=4_096)
def opening_polarity(text: str) -> int:
    """1 when a text opens with yes, -1 when it opens with no, else 0."""
    opening = text.strip()
    return 1 if _YES.search(opening) else -1 if _NO.search(opening) else 0


@lru_cache(maxsize=4_096)
def polarity(clause: str) -> int:
    """-1 when a clause denies, 1 when it affirms, 0 when it does neither."""
    text = clause.lower().replace("’", "'")
    return -1 if _DENIES.search(text) else 1 if _AFFIRMS.search(text) else 0


def without_opening(text: str) -> str:
    """A text without the yes, no or unfortunately that it opens with."""
    return _OPENING.sub("", text)


def denies(sentence: str) -> bool:
    """Whether a sentence of any language says no."""
    return polarity(sentence) == -1 or bool(NO_ZH.search(sentence))


def holds_negation(text: str) -> bool:
    """Whether a text negates anything."""
    return bool(_NEGATION.search(text))


def negates_next(before: str) -> bool:
    """Whether a text ends in a negation of what follows it."""
    return bool(_BEFORE.search(before))


def negates_previous(after: str) -> bool:
    """Whether a text begins with a negation of the text before it."""
    return bool(_AFTER.match(after))


def without_negation(clause: str) -> tuple[str, int]:
    """(a clause in lower case without what affirms or negates it, the number of negations)."""
    count = len(_NOT_JA.findall(clause)) + len(_NOT_EN.findall(clause))
    for pattern in (_NOT_JA, _IS_JA, _NOT_EN, _IS_EN):
        clause = pattern.sub(" ", clause)
    return " ".join(clause.split()), count


@lru_cache(maxsize=4_096)
def long_clauses(text: str) -> tuple[str, ...]:
    """The clauses of six letters or more."""
    return tuple(part.strip() for part in _CLAUSE.split(text) if part and len(part.strip()) >= 6)


@lru_cache(maxsize=4_096)
def without_polarity_words(clause: str) -> tuple[str, tuple[int, ...], int]:
    """(the clause without the words that turn it, which side of each pair it is on, 1 when it is negated)."""
    text = _plain(clause)
    sides: list[int] = []
    for number, (one, other) in enumerate(CONTRADICTING_PATTERNS, 1):
        text, side = _take(text, one, other, number)
        sides.append(side)
    text, negations = without_negation(text)
    return text, tuple(sides), negations % 2


def stops(clause: str) -> int:
    """1 if a clause says that something stops working, -1 if it says that it goes on, else 0."""
    return _take(_plain(clause), *_STOPPING, 0)[1]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")


def _take(text: str, one: str, other: str, number: int) -> tuple[str, int]:
    latin = one[0].isascii()
    for side, words in ((1, one), (-1, other)):
        found = re.compile(rf"\b(?:{words})\b" if latin else words)
        if found.search(text):
            return found.sub(f"<{number}>", text), side
    return text, 0


def opposite_word(asked: str, heading: str) -> tuple[str, str] | None:
    """(the word asked for, its opposite) if a heading has only the opposite (turn on, turn off), else None."""
    wanted, found = words_with_opposite(asked), words_with_opposite(heading)
    for pair in ANTONYMS:
        for here, there in (pair, pair[::-1]):
            one, other = wanted.intersection(here), found.intersection(there)
            if one and other and not wanted.intersection(there) and not found.intersection(here):
                return min(one), min(other)
    return None


@lru_cache(maxsize=8_192)
def words_with_opposite(text: str) -> frozenset[str]:
    """The words of a text that have an opposite; on, off, in and out only if they belong to a verb."""
    plain = normalize(text)
    words = (set(re.findall(r"[a-z]+", plain)) - _TURNING) | set(_PARTICLE.findall(plain))
    return frozenset(word for word in _WITH_OPPOSITE if (word in words if word.isascii() else word in plain))


def opposite_clauses(one: str, other: str) -> tuple[str, str] | None:
    """The pair of clauses in which two sentences say opposite things, or None; only the beginning of long texts is
    read."""
    one, other = one[:MAX_SENTENCE_CHARACTERS], other[:MAX_SENTENCE_CHARACTERS]
    if fuzz.ratio(one, other) >= MIN_COPY_SIMILARITY and _differ_by_negation(one, other):
        return one, other
    found_clauses = (*long_clauses(other)[:MAX_CLAUSES], other)
    for clause in long_clauses(one)[:MAX_CLAUSES]:
        near, found = max(((_similarity(clause, found), found) for found in found_clauses), default=(0.0, ""))
        if near < MIN_CLAUSE_SIMILARITY or not _differ(clause, found):
            continue
        if not any(
            _similarity(clause, opposite) >= MIN_CLAUSE_SIMILARITY and not _differ(clause, opposite)
            for opposite in found_clauses
        ):
            return clause, found
    return None


def _differ_by_negation(one: str, other: str) -> bool:
    """Whether two nearly equal sentences differ only by a negation or a side of a pair of opposites."""
    (plain, sides, negated), (other_plain, others, denied) = map(without_polarity_words, (one, other))
    flips = sum(1 for a, b in zip(sides, others, strict=True) if a and b and a != b)
    return fuzz.ratio(plain, other_plain) >= 97 and (flips + (negated != denied)) % 2 == 1


def _differ(one: str, other: str) -> bool:
    """Whether an odd number of polarity words differs; a negation against a word such as "only" decides nothing."""
    (_, sides, negated), (_, others, denied) = without_polarity_words(one), without_polarity_words(other)
    flips = sum(1 for a, b in zip(sides, others, strict=True) if a and b and a != b)
    unclear = bool(_LIMITS.search(one)) != bool(_LIMITS.search(other))
    return (flips + (negated != denied and not unclear)) % 2 == 1


def _similarity(one: str, other: str) -> float:
    """0 to 100: similarity of letters, or share of the first clause's words that the other has."""
    short, long = sorted((without_polarity_words(one)[0], without_polarity_words(other)[0]), key=len)
    part = len(one) <= len(other) or 2 * len(other) >= len(one)  # a mere piece of the first one says nothing of it
    whole = fuzz.partial_ratio(short, long) if part and len(short) >= 8 else 0.0
    wanted, other_words = _words(one), _words(other)
    share = 100.0 * len(wanted & other_words) / len(wanted) if len(wanted) >= 3 else 0.0
    return max(fuzz.ratio(short, long), whole if whole >= 90 else 0.0, share if share >= MIN_SHARED_WORDS else 0.0)


@lru_cache(maxsize=4_096)
def _words(clause: str) -> frozenset[str]:
    return frozenset(
        word
        for word in content_words(without_polarity_words(clause)[0].replace("<", " ").replace(">", " "))
        if not word[0].isdigit()
    )
