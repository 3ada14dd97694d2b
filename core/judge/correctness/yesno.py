"""A bare yes or no, judged by its side against the reference's."""

from __future__ import annotations

import re

from core.base.language import script, sentences
from core.judge.text.wording import asks_whether, lead

_BARE = re.compile(
    r"(?:はい|ええ|いいえ|いえ)?[、。,.!\s]*"
    r"(?:(?:利用|返品|変更)?(?:でき(?:ます|ません|る|ない)|可能(?:です)?|不可能(?:です)?|不可(?:です)?|大丈夫です|そうです|違います|あります|ありません|必要です|不要です|必要ありません|なりません))?(?:よ)?[。.!\s]*"
    r"|(?:yes|yeah|yep|no|nope|sure|certainly)?[,.!\s]*"
    r"(?:(?:you|it|they|we|he|she|i|there|that)\s+(?:can|could|is|are|do|does|did|will|may|must|has|have|was|were|should)(?:\s?not|n?['’]t)?)?[.!\s]*"
    r"|(?:可以|不可以|能|不能|是的?|不是|有|没有|不行|行)(?:的)?[。.!\s]*",
    re.IGNORECASE,
)
_NO_EN = re.compile(r"\b(?:not|cannot|never|no longer|prohibited|forbidden|impossible)\b|n['’]t\b", re.IGNORECASE)
_NO_JA = re.compile(
    r"(?:ません(?:でした)?|(?<=[かさたばまわらがなてきれけせえめべ])ない(?:です)?|不可(?:能)?(?:です)?|不要(?:です)?|対象外(?:です)?|禁止(?:です|されています)?|なし)[。.!\s]*$"
)
_KANA = re.compile(r"[ぁ-ヿ]")
_NO_ZH = re.compile(r"不(?:可以|能|可|行|是|会|支持)|没有|禁止|无法")


def is_bare(answer: str) -> bool:
    """Whether an answer is a yes or a no and nothing else."""
    text = answer.strip()
    return len(text) <= 40 and bool(re.search(r"\w", text)) and bool(_BARE.fullmatch(text))


def side(text: str) -> int:
    """1 when a text says yes, -1 when it says no: by its opening word, else by how its first sentence ends."""
    opening = lead(text)
    if opening:
        return opening
    first = next((one for one in sentences(text.strip()) if one.strip()), "").strip()
    patterns = (_NO_EN,) if script(first) == "en" else (_NO_JA,) if _KANA.search(first) else (_NO_JA, _NO_ZH)
    return -1 if any(one.search(first) for one in patterns) else 1


def agrees(question: str, answer: str, reference: str) -> bool | None:
    """Whether a bare yes or no is the reference's side; None where answer or question is of another kind."""
    if not is_bare(answer) or not (
        asks_whether(question) or is_bare(reference) or question.rstrip("?？。 ").endswith(("吗", "嗎"))
    ):
        return None
    return side(answer) == side(reference)
