"""Questions from English sentences: for a value, for what follows in a case, for what is possible, needed or free."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.datasets.document_questions.rules.rule_question import RuleQuestion, choice
from core.datasets.document_questions.section import Section
from core.text.english_verbs import AUXILIARIES, base_form, is_plural
from core.text.language import content_words

MOST_WORDS = 26  # of a clause that becomes a question
_LEANS = re.compile(
    r"(?:This|These|Those|They|It|That|Then|However|But|Otherwise|If not|Such|Both|There|Also|After that|He|She|Its|Their|So|And|Or|Either|Neither|Same|See|For information|Note|Here|Others?|Typical|Grounds|Not|Yes|No)\b"
)
_POINTS = re.compile(r"\b(?:in|see) the table\b|\bfollowing\b|\bbelow\b|:$|\bas follows\b")
_WORD_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_UNIT = r"(?:(?:full |working |business |calendar |school )?(?:minute|hour|day|week|month|year|night)s?)"
_NUMBER = rf"(?:\d[\d,.]*(?:(?: to |–|-| and | or )\d[\d,.]*)?|{_WORD_NUMBER})"
_MONEY = r"(?:about |at least |at most |up to |only |from )?[£$€]\s?\d[\d,.]*(?:(?: to |–|-)[£$€]?\d[\d,.]*)?(?: (?:an?|per|each|every) (?:full )?\w+)?"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_CLOCK = r"(?:\d{1,2}[:.]\d{2}|\d{1,2} ?(?:am|pm)|noon|midnight)"
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_DATE = rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? )?{_MONTH}(?: \d{{1,2}}(?!\d))?(?:,? \d{{4}})?|{_CLOCK}(?: on (?:the same day|{_WEEKDAY}s?))?|{_WEEKDAY}s?"
_WHEN = re.compile(rf"\b(?P<prep>by|on|until|from|in|at) (?:{_DATE})(?: (?:and|to|or|until) (?:{_DATE}))*(?![\w:])")
_HOW_MUCH = re.compile(rf"(?<![\w-]){_MONEY}")
_HOW_LONG = re.compile(
    rf"\b(?P<prep>(?:within |for |up to |at least |at most |no later than |after |until |about |every |only )*)(?P<number>{_NUMBER}) (?P<unit>{_UNIT})(?!-)\b(?P<of> (?:ahead|in advance|beforehand|later|earlier)\b| (?:of|after|before|from)(?: (?!and\b|or\b|if\b|unless\b|they\b|it\b|you\b|we\b|that\b|which\b|in\b|at\b|by\b)[\w'’-]+){{1,5}})?"
)
_PREPOSITION = re.compile(r"\b(?:within|for|up to|at least|at most|no later than|after|until|every)\b")
_VERBS = frozenset(
    [
        "cost",
        "take",
        "last",
        "pay",
        "need",
        "receive",
        "get",
        "begin",
        "start",
        "end",
        "open",
        "close",
        "expire",
        "run",
        "include",
        "cover",
        "apply",
        "count",
        "have",
        "charge",
        "leave",
        "arrive",
        "hold",
        "allow",
        "earn",
        "require",
        "owe",
        "work",
        "wait",
        "show",
        "stay",
        "go",
        "come",
        "happen",
        "affect",
        "stop",
        "return",
        "give",
        "keep",
        "send",
        "collect",
        "offer",
        "accept",
        "provide",
        "sell",
        "deliver",
        "repair",
        "replace",
        "refund",
        "match",
        "ask",
        "depend",
        "carry",
        "belong",
        "contain",
        "wear",
        "move",
        "renew",
        "lapse",
        "become",
        "qualify",
        "lose",
        "remain",
    ]
)
_CASE = re.compile(r"^(?:(?P<lead>If|When|Once|Where)) (?P<case>[^,:;]{8,100}?), (?:then )?(?P<rest>.{6,})$")
_CASE_AFTER = re.compile(
    r"^(?P<rest>[^,;:]{8,90}?)(?<!only)(?<!even)(?<!or)(?<!and),? (?P<lead>if) (?P<case>[^,:;]{8,70})$"
)
_YOU = re.compile(r"^(?:(?P<adverb>(?!If|When|Once|Unless)[A-Z][^,]{3,40}), )?[Yy]ou (?P<modal>can(?:not|'t)?|may|must|should|have to|need to|do not need to|don't need to|don't have to|do not have to)(?P<not> not)?(?: (?:also|only|then|always))? (?P<act>.+)$")  # fmt: skip
_WE = re.compile(r"^We (?:(?P<modal>can(?:not|'t)?|will|may|do not|don't|also|only|always|never) )?(?P<act>.+)$")
_STATE = re.compile(r"(?:allowed|free|possible|needed|required|included|covered|refunded|accepted|valid|available|permitted|exempt|compulsory|insured|excluded|refundable|transferable|necessary|guaranteed|open|closed|combined|used|returned|exchanged|booked|changed|cancelled|extended|renewed|charged|taken|sent|delivered|paid|reserved|shared|added|shown|moved|made|sold|borrowed|hired|repaired)\b")  # fmt: skip
_WAY = re.compile(r"^(?P<act>(?P<verb>[A-Z][a-z]+)(?: (?!in\b|at\b|by\b|with\b|via\b|through\b|on\b|using\b|if\b|or\b|and\b|from\b|before\b|to\b)[\w'’-]+){0,5}) (?:in|at|by|via|through|on|using|with) (?:the )?(?:[A-Z]\w+|[a-z.]+\.\w+/?|phone|post|email|e-mail|card|app\b|website|\S+@\S+|desk)")  # fmt: skip
_LABEL = re.compile(r"^(?P<label>[A-Z][\w'’ -]{2,34}): (?P<value>.{3,})$")


class _Clause(NamedTuple):
    """A main clause cut at its verb."""

    subject: str
    verb: str
    rest: str


def sentence_questions_en(section: Section) -> list[RuleQuestion]:
    """The questions that the section's sentences answer, in order of the text; at most one for each sentence."""
    if section.is_old:
        return []
    found: list[RuleQuestion] = []
    for sentence in section.statements():
        said = re.sub(r"\*\*|`|\s*\([^()]*\)", "", sentence).strip().rstrip(".")
        if len(sentence) > 300 or _LEANS.match(said) or _POINTS.search(said):
            continue
        asked = next((asked for part in re.split(r"; ", said)[:1] if (asked := _asked(part, section))), "")
        question = _about(asked, section) if asked else ""
        if question:
            found.append(RuleQuestion(question=question, reference=sentence, asks="sentence"))
    return found


def _asked(said: str, section: Section) -> str:
    label = _LABEL.match(said)
    if label:
        return _label(label["label"], label["value"], section)
    if re.search(r"\bthis\b", said):
        return ""
    names = _names(section)
    return _case(said, names) or _of_you(said) or _of_us(said) or _of_thing(said, names) or _way(said, names)


def _label(label: str, value: str, section: Section) -> str:
    """A label and its value: Fee: £5."""
    if len(label.split()) > 5 or re.match(r"Stage|Step|Example|Q|A|If|When", label):
        return ""
    name = _lower(label)
    article = "" if is_plural(name) or name.startswith(("the ", "a ")) else "the "
    if _HOW_MUCH.match(value) or re.match(r"free\b", value):
        return f"How much is {article}{name}?"
    if re.match(_DATE, value) and re.search(r"\b(?:date|deadline|due|start|end|opening|closing)s?\b", name):
        return f"When is {article}{name}?" if not is_plural(name) else f"When are {name}?"
    matter = matter_en(section)
    if re.search(_CLOCK, value) and matter.endswith("hours"):
        return f"What are the {matter} ({name})?"
    return ""


def _case(said: str, names: frozenset[str]) -> str:
    """What follows in a case: if you lose it, call us gives what should I do if I lose it."""
    found = _CASE.match(said) or _CASE_AFTER.match(said)
    if (
        not found
        or re.match(r"so\b|not\b|one\b", found["case"])
        or re.search(
            r"\b(?:it|they|this|these|them|neither|none)\b|\w (?:we|you (?:can|may|must|will)|call) ", found["case"]
        )
    ):
        return ""
    if re.match(r"(?:but|and|or|on|in|at|which|with|even|then)\b", found["rest"]):
        return ""
    lead = found["lead"].lower()
    rest, case = (
        found["rest"],
        f"{'if' if lead in ('once', 'where') and 'you' in found['case'] else lead} {_swap(_lower(found['case'], names))}",
    )
    you = _YOU.match(f"{rest[0].upper()}{rest[1:]}")
    if you and not re.match(r"should", you["modal"]):
        question = _modal(you["modal"], _short(you["act"]))
        return f"{question.rstrip('?')} {case}?" if question and len(case.split()) < 16 else ""
    first = re.match(r"(?:please |do not |don't |never )?([a-z]+)\b", _lower(rest))
    if (
        first
        and base_form(first[1]) == first[1]
        and first[1] not in ("can", "will", "do", "may", "must")
        and not re.match(r"[a-z]+ (?:is|are|was|were|will|can|may|must|has|have|does|do)\b", rest)
        and not re.match(r"(?:the|a|an|your|our|we|you|any|all|no)\b", first[1])
    ):
        return f"What should I do {case}?"
    return f"What happens {case}?" if re.search(rf"\b(?:{'|'.join(AUXILIARIES)}|we|you)\b|s\b", rest) else ""


def _of_you(said: str) -> str:
    found = _YOU.match(said)
    if not found:
        return ""
    act, modal = _short(found["act"]), found["modal"]
    asked = _value("I", _auxiliary(modal), act) if not _is_denied(modal, found["not"]) else ""
    return asked or _modal(modal, act)


def _modal(modal: str, act: str) -> str:
    if (
        not act
        or re.search(r"\b(?:both|either)\b|^have been\b", act)
        or (not _is_denied(modal, None) and re.search(r"\d", act))
    ):
        return ""
    auxiliary = _auxiliary(modal)
    return f"Can I {_swap(act)}?" if auxiliary == "can" else f"Do I have to {_swap(act)}?" if auxiliary == "do" else ""


def _auxiliary(modal: str) -> str:
    return "can" if modal.startswith(("can", "may")) else "do"


def _is_denied(modal: str, after: str | None) -> bool:
    return bool(after) or modal.endswith(("not", "n't")) or "not " in modal or "n't " in modal


def _of_us(said: str) -> str:
    found = _WE.match(said)
    act = _short(found["act"]) if found else ""
    verb = act.split(" ")[0]
    if (
        not found
        or len(act.split()) < 2
        or base_form(verb) != verb
        or verb
        in ("be", "are", "have", "recommend", "hope", "know", "apologise", "regret", "try", "ask", "call", "need")
    ):
        return ""
    modal = found["modal"] or ""
    asked = "" if modal in ("do not", "don't", "cannot", "can't", "never") else _value("you", "do", act, swap=True)
    if not asked and re.search(r"\d", act) and modal not in ("do not", "don't", "cannot", "can't", "never"):
        return ""
    act = act.split(", ")[0]
    return asked or f"{'Can' if modal.startswith('can') else 'Do'} you {_swap(act)}?"


def _of_thing(said: str, names: frozenset[str]) -> str:
    """A statement on a thing: its value, else whether it is possible, needed or free."""
    clause = _cut(_short(said))
    if clause is None:
        return ""
    subject, verb, rest = _swap(_lower(clause.subject, names)), clause.verb, clause.rest
    is_denied = bool(re.match(r"(?:not|never|no longer)\b|n't\b", rest)) or verb == "cannot"
    auxiliary = "can" if verb == "cannot" else verb
    if verb not in AUXILIARIES and verb != "cannot":
        auxiliary, rest = (
            ("do" if is_plural(subject) or base_form(verb) == verb else "does"),
            f"{base_form(verb)} {rest}",
        )
    if not is_denied:
        asked = _value(subject, auxiliary, rest)
        if asked:
            return asked
    plain = _swap(
        re.sub(r"^(?:not|never|only|also|usually|always) ", "", re.sub(r"^no longer ", "still ", rest))
    ).strip()
    auxiliary = "may" if auxiliary == "must" and is_denied else auxiliary
    if not plain:
        return ""
    if (_HOW_MUCH.search(f"{subject} {plain}") or re.search(r"\d", plain)) and not is_denied:
        return ""
    if auxiliary in ("is", "are") and not _STATE.match(plain.removeprefix("still ")):
        return ""
    if auxiliary in ("was", "were", "did", "will", "should", "could", "do", "does") and not is_denied:
        return ""
    return f"{auxiliary.capitalize()} {subject} {plain}?"


def _value(subject: str, auxiliary: str, rest: str, swap: bool = False) -> str:
    """The value of a clause asked for; "" if it has none, or several."""
    found = [match for pattern in (_HOW_MUCH, _HOW_LONG, _WHEN) for match in pattern.finditer(rest)]
    if len(found) != 1:
        return ""
    match = found[0]
    before, after = rest[: match.start()].strip(), re.sub(r"\bonly$", "", rest[match.end() :]).strip()
    if re.search(r"\b(?:and|they|it)\b", f"{before} {after}") or (auxiliary == "may" and match.re is _WHEN):
        return ""
    if (
        re.search(r"\d", f"{before} {after}")
        or re.match(r"(?:or|and|to|–|-)\b", after)
        or re.search(r"[,:]$", before)
        or re.search(r"\b(?:of|than|over|under|with|by|or|and)$", before)
    ):
        return ""
    verb = before.split(" ")[0] if before else ""
    inverted = (
        _swap(" ".join(part for part in (auxiliary, subject, before, after) if part))
        if subject not in ("I", "you")
        else " ".join(
            part
            for part in (
                auxiliary,
                subject,
                *(("have to",) if subject == "I" and auxiliary == "do" else ()),
                _swap(before),
                _swap(after),
            )
            if part
        )
    )
    if match.re is _HOW_MUCH:
        if (
            (auxiliary in ("is", "are") and before)
            or verb not in ("cost", "pay", "charge", "owe", "receive", "get", "give", "earn", "deduct", "take", "")
            or after.startswith(("gift", "off"))
        ):
            return ""
        return f"How much {inverted}?"
    if match.re is _WHEN:
        preposition = match["prep"]
        way = {"by": "By when", "until": "Until when", "from": "From when", "before": "Before when"}.get(
            preposition, "When"
        )
        return f"{way} {inverted}?" if preposition not in ("between", "after") or not before else ""
    preposition = _PREPOSITION.search(match["prep"])
    unit = match["unit"] if match["unit"].endswith("s") else f"{match['unit']}s"
    of = _swap(match["of"] or "")
    if not preposition and re.search(r"\b(?:take|last)$", before) and not of:
        return f"How long {inverted}?"
    if auxiliary in ("is", "are") and not before and not preposition:
        return f"How long {inverted}?"
    lead = f"{preposition[0]} how many {unit}{of}" if preposition else f"how many {unit}{of}"
    if re.search(r"\b(?:for|in|of|every|to)$", before):
        return ""
    return f"{lead[0].upper()}{lead[1:]} {inverted}?"


def _cut(said: str) -> _Clause | None:
    """A clause cut at its first finite verb; none if that is not sure."""
    parts = said.split()
    for place, word in enumerate(parts[1:9], 1):
        base = base_form(word)
        is_finite = (
            word in AUXILIARIES
            or word == "cannot"
            or word in ("has", "have")
            or (base in _VERBS and word in (base, _third(base)))
        )
        if not is_finite:
            if re.fullmatch(r"(?:who|that|which|if|when|because|where|and|or)|.*[,:]", word) and word not in (
                "and",
                "or",
            ):
                return None
            continue
        subject = " ".join(parts[:place])
        if re.match(
            r"(?:If|When|Unless|Once|After|Before|For|In|On|At|To|With|From|As|Until|Within|By|Over|Despite|Besides|Through|Outside|Inside|Under|Above|Where|During|Without|Since|Who|What|Please|Do|Don't|You|We|I|At|Only|Never|Under)\b",
            subject,
        ):
            return None
        if re.search(r"\b(?:you|one|they|it)\b", subject):
            return None
        if word not in AUXILIARIES and word != "cannot" and (word == base) != is_plural(subject):
            continue
        return _Clause(subject, word, " ".join(parts[place + 1 :]))
    return None


def _third(base: str) -> str:
    return {"have": "has", "go": "goes"}.get(
        base,
        f"{base[:-1]}ies"
        if re.search(r"[^aeiou]y$", base)
        else f"{base}es"
        if re.search(r"(?:s|x|z|ch|sh)$", base)
        else f"{base}s",
    )


def _way(said: str, names: frozenset[str]) -> str:
    """How to do something, if the sentence tells the place or the means: Book in the app gives how do I book."""
    found = _WAY.match(said)
    if (
        not found
        or base_form(found["verb"]) != found["verb"].lower()
        or found["verb"]
        in (
            "Please",
            "Use",
            "Open",
            "See",
            "Call",
            "Press",
            "Only",
            "Close",
            "Check",
            "Free",
            "Locked",
            "Go",
            "Choose",
            "Tick",
            "Last",
            "Term",
        )
    ):
        return ""
    if (
        len(found["act"].split()) < 2
        and found["verb"] not in ("Apply", "Register", "Book", "Pay", "Join", "Enrol", "Complain", "Appeal", "Cancel")
    ) or re.search(r"\b\w+ed\b|\b(?:it|them|yours)\b", found["act"]):
        return ""
    return f"How do I {_swap(_lower(found['act'], names))}?"


def _short(act: str) -> str:
    """The first matter of a clause, up to what is joined to it; "" if that is too long."""
    act = re.split(
        r",? (?:and|but|so|which) (?=(?:the|you|we|it|they|this|that|your|our|must|can|is|are|do|does|will|has|have|only|not|no|its|he|she|there)\b)|: | – |, (?:which|where|except|unless|but|and|or|including|so|even|not|with|if|as|at)\b|; |, (?=[a-z])|,? since |, because | because (?=we\b|the\b) ",
        act,
    )[0].strip(" ,")
    return act if 0 < len(act.split()) <= MOST_WORDS else ""


_SUBJECT_BEFORE = re.compile(
    r"(?:^|[,:;]|\b(?:if|when|that|because|after|before|until|once|unless|what|which|who|and|as|while|where|whether|than|but|or|since))\s*$"
)


def _swap(text: str) -> str:
    """A text in the words of the other person: your card that we send you is my card that you send me."""

    def other(match: re.Match[str]) -> str:
        word, before, after = match[0], text[: match.start()], text[match.end() :]
        low = word.lower()
        if low == "you":
            following = re.match(r"\s+([a-z']+)", after)
            is_verb = (
                bool(following)
                and (
                    following[1] in AUXILIARIES
                    or following[1] in ("have", "are", "were", "cannot", "don't", "can't")
                    or base_form(following[1]) != ""
                )
                and following[1]
                not in (
                    "to",
                    "in",
                    "on",
                    "at",
                    "for",
                    "by",
                    "with",
                    "a",
                    "an",
                    "the",
                    "as",
                    "up",
                    "back",
                    "first",
                    "better",
                    "like",
                    "about",
                    "out",
                )
            )
            return (
                "I"
                if _SUBJECT_BEFORE.search(before)
                or (
                    is_verb
                    and not re.search(
                        r"\b(?:to|for|from|of|with|at|by|give|charge|let|tell|show|send|ask|reach|call|help|refund|pay|against|about|offer|cost|allow|take)\s*$",
                        before,
                    )
                )
                else "me"
            )
        return {
            "your": "my",
            "yours": "mine",
            "yourself": "myself",
            "we": "you",
            "us": "you",
            "our": "your",
            "ours": "yours",
        }[low]

    swapped = re.sub(r"\b(?:you|your|yours|yourself|we|us|our|ours)\b", other, text, flags=re.IGNORECASE)
    return re.sub(r"\bI are\b", "I am", re.sub(r"\bI were\b", "I was", swapped))


def _names(section: Section) -> frozenset[str]:
    """The words that a section writes with a capital letter inside of sentences."""
    return frozenset(re.findall(r"(?<=[a-z,;] )[A-Z][\w'’&-]*", f"{section.text} {section.title}"))


def _lower(text: str, names: frozenset[str] = frozenset()) -> str:
    """A text with a small first letter, unless its first word is a name."""
    first = text.split(" ")[0]
    return (
        text
        if first == "I"
        or first in names
        or any(letter.isupper() or letter.isdigit() for letter in first[1:])
        or re.match(rf"{_MONTH}\b|{_WEEKDAY}|[A-Z]\w+(?: (?:to|of|and|&|the|for))? [A-Z][a-z]", text)
        else f"{text[:1].lower()}{text[1:]}"
    )


def matter_en(section: Section) -> str:
    """What a section is about as a noun: its heading, or what its document is about if the heading is none."""
    for name in (section.topic, section.subject.title() if section.subject.isupper() else section.subject):
        plain = re.sub(r"\s*\b20\d\d(?:/\d\d)?\b|[:–-] .*$", "", name).strip(" .?:")
        if (
            1 <= len(plain.split()) <= 5
            and len(plain) > 2
            and not re.match(
                r"(?:If|When|How|What|Who|Where|Which|Why|On|Before|After|In|Other|General|Notes?|Introduction|Overview|Frequently|Contact|Can|Do|Is|Are|My|I|Your?)\b",
                plain,
            )
        ):
            matter = _lower(plain.capitalize() if plain.isupper() and len(plain) > 5 else plain, _names(section))
            return f"the {matter}" if re.match(r"[A-Z]\w+ [A-Z]\w*[^s]$", matter) else matter
    return ""


def _about(asked: str, section: Section) -> str:
    """The question, which says what it is about if it has no word of its heading."""
    matter = matter_en(section)
    if re.search(r"\b(?:them|they|it|those|these|ones?|he|she)\b", " ".join(asked.split()[:6])):
        return ""
    if set(content_words(asked)) & set(
        content_words(f"{section.topic}" if matter else f"{section.topic} {section.subject}")
    ):
        return asked
    if section.asked:
        return f"{section.asked} {asked}" if re.search(r"\.$", section.asked) else ""
    return with_matter_en(asked, matter) if matter else asked


def with_matter_en(asked: str, matter: str) -> str:
    """A question after what it is about, as people write it."""
    lowered = asked if re.match(r"I\b", asked) else f"{asked[0].lower()}{asked[1:]}"
    ways = (
        f"I have a question about {matter}. {asked}",
        f"About {matter}: {lowered}",
        f"A question on {matter}: {lowered}",
    )
    return choice(ways, asked)
