"""Questions from English sentences: for a value, for what follows in a case, for what is possible, needed or free.

`cut_clause` cuts a clause at its verb, and `value_question` asks for the value that a clause states.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from core.datasets.document_questions.rules.other_person_en import other_person
from core.datasets.document_questions.section import Section, choice
from core.text.english import AUXILIARIES, MONTH_NAMES, WEEKDAY_NAMES, base_form, is_plural, third_person
from core.text.language import content_words

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
    r"Inside|Under|Above|Where|During|Without|Since|Who|What|Please|Do|Don't|I|Only|Never)\b|"
    r".*\b(?:you|one|they|it)\b"
)
MAX_LETTERS = 300  # of a sentence
MAX_CLAUSE_WORDS = 26  # of a clause that becomes a question
_LEANS = re.compile(
    r"(?:This|These|Those|They|It|That|Then|However|But|Otherwise|If not|Such|Both|There|Also|After that|He|She|Its|Their|So|And|Or|"
    r"Either|Neither|Same|See|For information|Note|Here|Others?|Typical|Grounds|Not|Yes|No)\b|.*\b(?:this|following|below|as follows)\b|.*:$|.*\b(?:in|see) the table\b"
)
_ANAPHOR = re.compile(r"\b(?:them|they|it|those|these|ones?|he|she)\b")
_CASE = re.compile(r"^(?P<lead>If|When|Once) (?P<case>[^,:;]{8,100}?), (?:then )?(?P<rest>.{6,})$")
_CASE_AFTER = re.compile(
    r"^(?P<rest>[^,;:]{8,90}?)(?<!only)(?<!even)(?<!or)(?<!and),? (?P<lead>if) (?P<case>[^,:;]{8,70})$"
)
_NO_CASE = re.compile(
    r"(?:so|not|one)\b|.*\b(?:it|they|this|these|them|neither|none)\b|.*\w (?:we|you (?:can|may|must|will)|call) "
)
_IMPERATIVE = re.compile(
    r"(?:please |do not |don't |never )?(?P<verb>[a-z]+)\b(?! (?:is|are|was|were|will|can|may|must|has|have|does|do)\b)"
)
_NO_IMPERATIVE = frozenset(
    ["can", "will", "do", "may", "must", "the", "a", "an", "your", "our", "we", "you", "any", "all", "no"]
)
_STATE = re.compile(
    r"(?:still )?(?:allowed|free|possible|needed|required|included|covered|refunded|accepted|valid|available|permitted|exempt|compulsory|insured|"
    r"excluded|refundable|transferable|necessary|guaranteed|open|closed|combined|used|returned|exchanged|booked|changed|cancelled|extended|"
    r"renewed|charged|taken|sent|delivered|paid|reserved|shared|added|shown|moved|made|sold|borrowed|hired|repaired)\b"
)
_NARRATING = frozenset(("was", "were", "did", "will", "should", "could", "do", "does"))
_LABEL = re.compile(
    r"^(?!Stage|Step|Example|Q\b|A\b|If|When)(?P<label>[A-Z][\w'’-]{2,34}(?: [\w'’-]+){0,4}): (?P<value>.{2,})$"
)
_FURTHER = re.compile(  # where a further matter begins
    r",? (?:and|but|so|which) (?=(?:the|you|we|it|they|this|that|your|our|must|can|is|are|do|does|will|has|have|only|not|no|its|he|she|there)\b)|"
    r": | – |; |, (?=[a-z])|,? since | because (?=(?:we|the)\b)"
)
_NAME = re.compile(rf"(?:{MONTH_NAMES})\b|{WEEKDAY_NAMES}|[A-Z]\w+(?: (?:to|of|&))? [A-Z][a-z]")
_DETERMINER = re.compile(r"(?:The|An?|Your|Our|All|Some|Any|Each|Every|No|Two|Three|Most|Both|More|Only)\b")
_NO_MATTER = re.compile(
    r"(?:If|When|How|What|Who|Where|Which|Why|On|Before|After|In|Other|General|Notes?|Introduction|Overview|Frequently|Contact|Can|Do|"
    rf"Is|Are|My|I|Your?)\b|(?:Rules|Terms|Scope|Prices|Details|Use)$|.*\b(?:{'|'.join(AUXILIARIES)})\b"
)


def sentence_question_en(sentence: str, section: Section) -> str:
    """The question that a sentence of a section answers; "" if it answers none."""
    said = re.sub(r"\*\*|`|(?<!\s)\s*\([^()]*\)", "", sentence).strip().rstrip(".")
    if len(sentence) > MAX_LETTERS or _LEANS.match(said):
        return ""
    asked = _asked(said.split("; ")[0], section)
    return _about(asked, section) if asked else ""


def _asked(said: str, section: Section) -> str:
    label = _LABEL.match(said)
    if label:
        return _label(label["label"], label["value"], section)
    names = _names(section)
    return _case(said, names) or _of_clause(said, names)


def _label(label: str, value: str, section: Section) -> str:
    """A label and its value asked for: "Fee: £5" becomes "How much is the fee?"."""
    name, matter = _lower(label), matter_en(section)
    are, the = ("are", name) if is_plural(name) else ("is", name if name.startswith(("the ", "a ")) else f"the {name}")
    if MONEY.match(value) or re.match(r"free\b", value):
        return f"How much {are} {the}?"
    if re.match(DATE, value) and re.search(r"\b(?:date|deadline|due|start|end|opening|closing)s?\b", name):
        return f"When {are} {the}?"
    return f"What are the {matter} ({name})?" if matter.endswith("hours") and re.search(CLOCK, value) else ""


def _case(said: str, names: frozenset[str]) -> str:
    """What follows in a case: "If you lose it, call us" becomes "What should I do if I lose it?"."""
    found = _CASE.match(said) or _CASE_AFTER.match(said)
    if not found or _NO_CASE.match(found["case"]):
        return ""
    rest, lead = found["rest"], "when" if found["lead"] == "When" else "if"
    case = f"{lead} {other_person(_lower(found['case'], names))}"
    if re.match(r"you\b", rest, re.IGNORECASE):
        asked = _of_clause(f"Y{rest[1:]}", names)
        return f"{asked.rstrip('?')} {case}?" if asked and len(case.split()) < 16 else ""
    first = _IMPERATIVE.match(_lower(rest))
    if first and base_form(first["verb"]) == first["verb"] and first["verb"] not in _NO_IMPERATIVE:
        return f"What should I do {case}?"
    return f"What happens {case}?" if re.search(rf"\b(?:{'|'.join(AUXILIARIES)}|we|you)\b|s\b", rest) else ""


def _of_clause(said: str, names: frozenset[str]) -> str:
    """A statement: its value, else whether something is done, possible, needed or free."""
    clause = cut_clause(_first_matter(said))
    if clause is None:
        return ""
    subject, rest = other_person(_lower(clause.subject, names)), clause.rest
    auxiliary = "am" if (subject, clause.auxiliary) == ("I", "are") else clause.auxiliary
    is_denied = bool(re.match(r"(?:not|never|no longer)\b|n't\b", rest)) or auxiliary == "cannot"
    asked = "" if is_denied else value_question(subject, auxiliary, rest)
    if asked:
        return asked
    plain = re.sub(r"^(?:not|never|only|also|usually|always) ", "", re.sub(r"^no longer ", "still ", rest)).strip()
    is_no_state = auxiliary in ("is", "are", "am") and not _STATE.match(plain)
    is_told = re.search(r"[£$€]", subject) or re.search(r"\d", plain)
    is_plain_act = auxiliary in _NARRATING and subject != "you"
    if not plain or is_no_state or (not is_denied and (is_told or is_plain_act)):
        return ""
    lead = {"cannot": "Can", "must": "May" if is_denied else "Must"}.get(auxiliary, auxiliary.capitalize())
    return f"{lead} {subject} {other_person(plain)}?"


def _first_matter(act: str) -> str:
    """The first matter of a clause, up to what is joined to it; "" if that is too long."""
    first = _FURTHER.split(act)[0].strip(" ,")
    return first if len(first.split()) <= MAX_CLAUSE_WORDS else ""


def _names(section: Section) -> frozenset[str]:
    """The words that a section writes with a capital letter inside of sentences."""
    return frozenset(re.findall(r"(?<=[a-z,;] )[A-Z][\w'’&-]*", f"{section.text}\n{section.heading}\n{section.title}"))


def _lower(text: str, names: frozenset[str] = frozenset()) -> str:
    """A text with a small first letter, unless its first word is a name."""
    first = text.split(" ")[0]
    is_name = first == "I" or first in names or bool(_NAME.match(text)) or bool(re.search(r"[A-Z\d]", first[1:]))
    return text if is_name and not _DETERMINER.match(text) else f"{text[:1].lower()}{text[1:]}"


def matter_en(section: Section) -> str:
    """What a section is about as a noun: its heading, or what its document is about if the heading is none."""
    topic = section.topic if section.heading != section.title else ""
    for name in (topic, section.subject.title() if section.subject.isupper() else section.subject):
        plain = re.sub(r"(?<!\s)\s*\b20\d\d(?:/\d\d)?\b|[:–-] .*| from \d.*", "", name).strip(" .?:")
        if len(plain) > 2 and len(plain.split()) <= 5 and not _NO_MATTER.match(plain):
            named = plain.capitalize() if plain.isupper() and len(plain) > 5 else plain
            matter = other_person(_lower(named, _names(section)))
            return f"the {matter}" if name == topic and re.match(r"[A-Z]\w+ [A-Z]\w*[^s]$", matter) else matter
    return ""


def _about(asked: str, section: Section) -> str:
    """The question, with its subject if it has no word of its heading; "" if it refers to a sentence before."""
    if _ANAPHOR.search(" ".join(asked.split()[:6])):
        return ""
    matter = matter_en(section)
    named = section.topic if matter else f"{section.topic} {section.subject}"
    if set(content_words(asked)) & set(content_words(named)):
        return asked
    if section.asked:
        return f"{section.asked} {asked}" if section.asked.endswith(".") else ""
    return with_matter_en(asked, matter) if matter else asked


def with_matter_en(asked: str, matter: str) -> str:
    """A question after what it is about, as people write it."""
    small = asked if re.match(r"I\b", asked) else f"{asked[0].lower()}{asked[1:]}"
    ways = f"I have a question about {matter}. {asked}", f"About {matter}: {small}", f"A question on {matter}: {small}"
    return choice(ways, asked)


class Clause(NamedTuple):
    """A main clause cut at its verb: an auxiliary (can, is), or do or does with the base form first in `rest`."""

    subject: str
    auxiliary: str
    rest: str


def cut_clause(said: str) -> Clause | None:
    """A clause cut at its first finite verb; None if that is uncertain."""
    parts = said.split()
    for place, word in enumerate(parts[1:9], 1):
        base, subject, rest = base_form(word), " ".join(parts[:place]), " ".join(parts[place + 1 :])
        if word in (*AUXILIARIES, "cannot"):
            return None if _NO_SUBJECT.match(subject) else Clause(subject, word, rest)
        if _FINITE.fullmatch(base) and word in (base, third_person(base)):
            if _NO_SUBJECT.match(subject):
                return None
            if (word == base) == (subject in ("You", "We") or is_plural(subject)):
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
    around = f"{before} {after}"
    if re.search(r"\d|\b(?:and|they|it)\b", around) or re.match(r"(?:or|to|–|-)\b", after) or _OPEN_END.search(before):
        return ""
    inverted = " ".join(part for part in (auxiliary, subject, other_person(before), other_person(after)) if part)
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
    is_length = re.search(r"\b(?:take|last)$", before) or (auxiliary in ("is", "are") and not before)
    if is_length and not preposition and not of:
        return f"How long {inverted}?"
    start = f"{preposition[0]} how" if preposition else "how"
    return f"{start[0].upper()}{start[1:]} many {match['unit'].removesuffix('s')}s{of} {inverted}?"
