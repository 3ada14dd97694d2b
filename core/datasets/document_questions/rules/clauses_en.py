"""English clauses as questions: cut at the verb, and the value that a clause states asked for by its kind."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.datasets.document_questions.rules.other_person_en import other_person
from core.text.english import AUXILIARIES, MONTH_NAMES, WEEKDAY_NAMES, base_form, is_plural, third_person

_WORD_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_UNIT = r"(?:(?:full |working |business |calendar |school )?(?:minute|hour|day|week|month|year|night)s?)"
_NUMBER = rf"(?:\d[\d,.]*(?:(?: to |–|-| and | or )\d[\d,.]*)?|{_WORD_NUMBER})"
_MONTH, _WEEKDAY = f"(?:{MONTH_NAMES})", f"(?:{WEEKDAY_NAMES})"
CLOCK = r"(?:\d{1,2}[:.]\d{2}|\d{1,2} ?(?:am|pm)|noon|midnight)"
DATE = rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? )?{_MONTH}(?: \d{{1,2}}(?!\d))?(?:,? \d{{4}})?|{CLOCK}(?: on (?:the same day|{_WEEKDAY}s?))?|{_WEEKDAY}s?"
MONEY = re.compile(
    r"(?<![\w-])(?:about |at least |at most |up to |only |from )?[£$€]\s?\d[\d,.]*(?:(?: to |–|-)[£$€]?\d[\d,.]*)?"
    r"(?: (?:an?|per|each|every) (?:full )?\w+)?"
)
_WHEN = re.compile(rf"\b(?P<prep>by|on|until|from|in|at) (?:{DATE})(?: (?:and|to|or|until) (?:{DATE}))*(?![\w:])")
_OF = r"(?: (?!(?:and|or|if|unless|they|it|you|we|that|which|in|at|by)\b)[\w'’-]+){1,5}"
_LENGTH = re.compile(
    r"\b(?P<prep>(?:within |for |up to |at least |at most |no later than |after |until |about |every |only ){0,4})"
    rf"(?P<number>{_NUMBER}) (?P<unit>{_UNIT})(?!-)\b"
    rf"(?P<of> (?:ahead|in advance|beforehand|later|earlier)\b| (?:of|after|before|from){_OF})?"
)
_PREPOSITION = re.compile(r"\b(?:within|for|up to|at least|at most|no later than|after|until|every)\b")
_WAYS = {"by": "By when", "until": "Until when", "from": "From when"}  # "When" for any other preposition
_PAYING = frozenset(("cost", "pay", "charge", "owe", "receive", "get", "give", "earn", "deduct", "take", ""))
_OPEN_END = re.compile(r"[,:]$|\b(?:of|than|over|under|with|by|or|and)$")
_FINITE = re.compile(
    "cost|take|last|pay|need|receive|get|begin|start|end|open|close|expire|run|include|cover|"
    "apply|count|have|charge|leave|arrive|hold|allow|earn|require|owe|work|wait|show|stay|go|"
    "come|happen|affect|stop|return|give|keep|send|collect|offer|accept|provide|sell|deliver|"
    "repair|replace|refund|match|ask|depend|carry|belong|contain|wear|move|renew|lapse|become|"
    "qualify|lose|remain"
)
_CLAUSE_WORD = re.compile(r"(?:who|that|which|if|when|because|where)|.*[,:]")
_NO_SUBJECT = re.compile(
    r"(?:If|When|Unless|Once|After|Before|For|In|On|At|To|With|From|As|Until|Within|By|Over|Despite|Besides|Through|Outside|"
    r"Inside|Under|Above|Where|During|Without|Since|Who|What|Please|Do|Don't|You|We|I|Only|Never)\b|"
    r".*\b(?:you|one|they|it)\b"
)


class Clause(NamedTuple):
    """A main clause cut at its verb, which is an auxiliary (can, is) or stands in its base form after do or does."""

    subject: str
    auxiliary: str
    rest: str


def cut_clause(said: str) -> Clause | None:
    """A clause cut at its first finite verb; none if that is not sure."""
    parts = said.split()
    for place, word in enumerate(parts[1:9], 1):
        base, subject, rest = base_form(word), " ".join(parts[:place]), " ".join(parts[place + 1 :])
        if word in (*AUXILIARIES, "cannot"):
            return None if _NO_SUBJECT.match(subject) else Clause(subject, word, rest)
        if _FINITE.fullmatch(base) and word in (base, third_person(base)):
            if _NO_SUBJECT.match(subject):
                return None
            if (word == base) == is_plural(subject):
                return Clause(subject, "do" if word == base else "does", f"{base} {rest}")
        elif _CLAUSE_WORD.fullmatch(word):
            return None
    return None


def value_question(subject: str, auxiliary: str, rest: str) -> str:
    """The value of a clause asked for, in the words of the other person; "" if the clause has none, or several.

    subject and rest stand as in the document; I and you are the persons of the question already.
    """
    found = [match for pattern in (MONEY, _LENGTH, _WHEN) for match in pattern.finditer(rest)]
    if len(found) != 1:
        return ""
    match = found[0]
    before, after = rest[: match.start()].strip(), re.sub(r"\bonly$", "", rest[match.end() :]).strip()
    beside = f"{before} {after}"
    if re.search(r"\d|\b(?:and|they|it)\b", beside) or re.match(r"(?:or|to|–|-)\b", after) or _OPEN_END.search(before):
        return ""
    must = "have to" if subject == "I" and auxiliary == "do" else ""
    inverted = " ".join(part for part in (auxiliary, subject, must, other_person(before), other_person(after)) if part)
    if match.re is MONEY:
        is_price = before.split(" ")[0] in _PAYING and not (auxiliary in ("is", "are") and before)
        return f"How much {inverted}?" if is_price and not after.startswith(("gift", "off")) else ""
    if match.re is _WHEN:
        return "" if auxiliary == "may" else f"{_WAYS.get(match['prep'], 'When')} {inverted}?"
    return _length_question(match, auxiliary, before, after, inverted)


def _length_question(match: re.Match[str], auxiliary: str, before: str, after: str, inverted: str) -> str:
    preposition, of = _PREPOSITION.search(match["prep"]), other_person(match["of"] or "")
    if re.search(r"\b(?:for|in|of|every|to)$", before) or (after and len(of.split()) > 5):
        return ""
    if (
        not preposition
        and not of
        and (re.search(r"\b(?:take|last)$", before) or (auxiliary in ("is", "are") and not before))
    ):
        return f"How long {inverted}?"
    asked = (
        f"{preposition[0] if preposition else ''} how many {match['unit'].removesuffix('s')}s{of} {inverted}?".strip()
    )
    return f"{asked[0].upper()}{asked[1:]}"
