"""Finds a statement that says yes where the evidence says no, on the same subject: "PayPal is available for Plus" says
nothing about Business.

Without this rule, .012 fewer reversed signs are caught; it costs .015 of the correlation on MTRAG.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.judges.rules.figures import CheckOptions
from core.text.language import Script, sentences
from core.text.negation import denies, long_clauses, opening_polarity, polarity, stops, without_opening
from core.text.questions import asks_whether
from core.text.refusals import answer_sentences, is_refusal
from core.text.synonyms import canonical_words

LONGEST_BARE_ANSWER = 40  # characters up to which an answer may be no more than a yes or a no
CONTEXT_WORD_WEIGHT = 0.5  # weight of a word of the rest of the sentence
UNRELATED_WORD_PENALTY = 0.4  # weight of a word of the other clause that the claim's sentence lacks, subtracted
MIN_OPPOSITE_LEAD = 1.0  # weight by which the opposite must fit better
SAME_TOPIC_FROM = 0.45  # share of the claim's words that the opposite clause must have
CONDITION_FACTOR = 0.85  # for a clause under a condition
_IT = re.compile(r"(?:it|they|this|these|that)\b|それ|これ", re.IGNORECASE)
_IF = re.compile(
    r"\b(?:unless|without|until|except|if|before|after|when|once|as long as)\b|場合|なければ|なくても|なら|とき|以外|過ぎ|まで",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:はい|ええ|いいえ|いえ)?[、。,.!\s]*+"
    r"(?:(?:利用|返品|変更)?(?:でき(?:ます|ません|る|ない)|可能(?:です)?|不可能(?:です)?|不可(?:です)?|大丈夫です|そうです|違います|あります|ありません|必要です|不要です|必要ありません|なりません))?(?:よ)?[。.!\s]*"
    r"|(?:yes|yeah|yep|no|nope|sure|certainly)?[,.!\s]*+"
    r"(?:(?:you|it|they|we|he|she|i|there|that)\s+(?:can|could|is|are|do|does|did|will|may|must|has|have|was|were|should)(?:\s?not|n?['’]t)?)?[.!\s]*"
    r"|(?:可以|不可以|能|不能|是的?|不是|有|没有|不行|行)(?:的)?[。.!\s]*",
    re.IGNORECASE,
)


class YesNoClause(NamedTuple):
    """A clause that affirms or denies something."""

    words: frozenset[str]
    context_words: frozenset[str]  # of the rest of the sentence
    polarity: int  # 1 affirms, -1 denies
    stops: int  # 1 if something ends, -1 if it goes on, else 0
    has_condition: bool
    text: str


def answer_polarity(answer: str, question: str) -> int:
    """1 or -1 if a short answer says yes or no to a question for that, else 0."""
    parts = answer_sentences(answer[: LONGEST_BARE_ANSWER + 1])
    is_long = len(answer.strip()) > LONGEST_BARE_ANSWER
    if is_long or not parts or is_refusal(answer) or not asks_whether(question):
        return 0
    return opening_polarity(parts[0]) or polarity(parts[0])


def is_bare(answer: str) -> bool:
    """Whether an answer is a yes or a no and nothing else."""
    text = answer.strip()
    return len(text) <= LONGEST_BARE_ANSWER and bool(re.search(r"\w", text)) and bool(_BARE.fullmatch(text))


def sentence_polarity(text: str) -> int:
    """1 if a text says yes, -1 if it says no: by its opening word, else by the end of its first sentence."""
    first = next((one for one in sentences(text.strip()) if one.strip()), "").strip()
    return opening_polarity(text) or (-1 if denies(first) else 1)


def agrees(question: str, answer: str, reference: str) -> bool | None:
    """Whether a bare yes or no says the same as the reference; None if the answer is not bare or the question asks for
    more."""
    asks = asks_whether(question) or is_bare(reference) or question.rstrip("?？。 ").endswith(("吗", "嗎"))
    return sentence_polarity(answer) == sentence_polarity(reference) if asks and is_bare(answer) else None


@lru_cache(maxsize=4_096)
def yes_no_clauses(text: str, of: Script, before: str = "") -> tuple[YesNoClause, ...]:
    """The clauses of a sentence that affirm or deny; a bare yes or no is none.

    `before`: the sentence before, to which an "it" refers.
    """
    found, rest = list[YesNoClause](), canonical_words(text, of)
    rest |= canonical_words(before, of) if _IT.match(text) else frozenset()
    for clause in long_clauses(without_opening(text.strip())):
        words = canonical_words(clause, of)
        if polarity(clause) and words:
            has_condition = bool(_IF.search(clause))
            found.append(YesNoClause(words, rest - words, polarity(clause), stops(clause), has_condition, clause))
    return tuple(found)


def contradicted_statement(
    parts: Sequence[str], evidence: Iterable[YesNoClause], references: Sequence[str], of: Script, options: CheckOptions
) -> tuple[str, str] | None:
    """(statement of the answer, opposite statement of the evidence): yes against no on what was asked; None without
    one."""
    answer_opening = opening_polarity(parts[0]) if parts else 0
    reference_openings = {opening_polarity(text) for text in references} - {0}
    if answer_opening and reference_openings:
        return None if answer_opening in reference_openings else (parts[0], references[0])
    evidence_clauses = tuple(evidence)
    for part in parts[:2]:
        for claim in yes_no_clauses(part, of):
            opposite = _opposite(claim, evidence_clauses, options)
            if opposite:
                return claim.text, opposite
    return None


def _opposite(claim: YesNoClause, evidence: Sequence[YesNoClause], options: CheckOptions) -> str:
    """The clause of the evidence with the opposite sign that fits the claim better than any with the same; "" for
    none."""
    if claim.has_condition:
        return ""
    weigh, asked = options.weigh, (claim.words | claim.context_words) & options.question_words
    best, own, found = 0.0, 0.0, ""
    for other in evidence:
        shared = claim.words & other.words
        fit = weigh(shared) + weigh(asked & other.words)
        fit += CONTEXT_WORD_WEIGHT * weigh(claim.words & other.context_words)
        fit -= UNRELATED_WORD_PENALTY * weigh(other.words - claim.words - claim.context_words)
        if (other.polarity == claim.polarity) != (claim.stops * other.stops < 0):
            own = max(own, fit)
        elif shared and (fit := fit * CONDITION_FACTOR if other.has_condition else fit) > best:
            best, found = fit, other.text
    most = weigh(claim.words) + weigh(asked)
    return found if best > 1.05 * own + MIN_OPPOSITE_LEAD and best >= SAME_TOPIC_FROM * most else ""
