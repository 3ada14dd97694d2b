"""English headings that name a situation or a thing: what happened to somebody, what is wanted, deadlines, refunds, limits."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_words_en import DETERMINERS, lower_first, own_object, own_things
from core.datasets.document_questions.rules.rule_question import QuestionForms
from core.datasets.document_questions.section import Section
from core.text.english_verbs import base_form, first_person, is_gerund

_NOT_ACTIONS = (
    "billing",
    "pricing",
    "accounting",
    "meeting",
    "training",
    "setting",
    "rating",
    "building",
    "missing",
    "warning",
    "meaning",
    "being",
)
_PROBLEM = re.compile(
    r"\b(?:(?:is|are|was|were|does|do|did|has|have|will) (?:not|no|missing|slow|full|already|blank|locked|blocked|refused|rejected|declined|charged|hidden|empty|broken|gone|wrong|late|down|overdue|used up|logged|lost|suspended)|"
    r"cannot|can't|failed|fails|stopped|stops|crashes|expired|disappeared|opens the wrong|keeps (?:loading|asking)|seems?|shows? an error|has (?:left|been)|have been|no longer)\b"
)
_STARTS_PAST = re.compile(
    r"^(?:Charged|Locked|Signed|Logged|Blocked|Asked|Billed) (?:twice|out|again|in|after|although|by|for|on|off|too)\b"
)
_WITHOUT_SUBJECT = re.compile(r"^(?:Forgot|Lost|Received|Deleted|Typed|Entered|Missed)\b")
_NAMED_THING = re.compile(
    r"[A-Z][a-z]+ (?!(?:is|are|was|were|does|do|did|has|have|will|can|cannot|stopped|seems?|shows?|on|in|of|for|or|and)\b)[a-z]"
)


def addressed_to_you(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“You lost your phone” → “I lost my phone. What should I do?”"""
    story = own_things(first_person(match[0]))
    return QuestionForms(
        "advice",
        (
            f"{story}. What should I do?",
            f"{story}. What can I do now?",
            f"Help, {story[0] if story.startswith('I ') else story[0].lower()}{story[1:]}! What now?",
        ),
    )


def problem(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Payment is not accepted” → “My payment is not accepted. What can I do?”"""
    topic = match[0]
    head, _, tail = topic.partition(": ")
    if re.match(r"(?:How|What|Who|Why|When|Where|Which|Can|Is|Are|Does|Do|Whether|If)\b", head) or is_gerund(
        head.split()[0]
    ):
        return None
    said = re.split(r"\b(?:when|that|which|because|although|if|while|after|until|instead)\b", head)[0]
    if not (
        _PROBLEM.search(said) or _STARTS_PAST.match(head) or _WITHOUT_SUBJECT.match(head) or head.startswith("No ")
    ):
        return None
    if (
        re.search(r" or \w+ed\b|\bdoes not (?:cancel|always|change|mean|include)\b|\bor\b.*\bor\b", head)
        or len(head.split()) < 3
    ):
        return None
    if tail and not re.match(r"what happens", tail):
        return None
    story = own_things(_story(head, section))
    if tail:
        return QuestionForms("explain", (f"{story}. What happens{tail.removeprefix('what happens')}?",))
    broken = bool(re.search(r"\b(?:not|missing|stopped|stops|crashes|blank|slow|wrong|No)\b", said))
    ways = (f"{story}. What can I do?", f"{story}. Why is that, and what can I do?")
    return QuestionForms(
        "advice", (*ways, f"{story}. How do I fix that?", f"{story}. What should I check?") if broken else ways
    )


def _story(head: str, section: Section) -> str:
    """A heading that names a problem, as the person who has it would say it."""
    first, _, rest = head.partition(" ")
    if head.startswith("No "):
        return f"I get {head[0].lower()}{first_person(head[1:])}"
    if _STARTS_PAST.match(head):
        return f"I was {head[0].lower()}{first_person(head[1:])}"
    if _WITHOUT_SUBJECT.match(head):
        return f"I {head[0].lower()}{first_person(head[1:])}"
    if first.lower() in DETERMINERS or (first.isupper() and len(first) < 5):
        return first_person(head)
    if re.match(r"[A-Z]", rest) or any(letter.isupper() for letter in first[1:]):
        return f"My {first_person(head)}"
    lowered = lower_first(head, section)
    if _NAMED_THING.match(head):
        return f"My {first_person(head if lowered == head else lowered)}"
    return first_person(head) if lowered == head else f"My {first_person(lowered)}"


def gerund(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Changing the card” → “I'd like to change my card. How does that work?”"""
    verb, rest = match["verb"], match["rest"]
    base = base_form(verb)
    if not is_gerund(verb) or verb.lower() in _NOT_ACTIONS or len(rest.split()) < 1:
        return None
    if re.search(
        r"\b(?:because|although|does|do|did|is|are|has|have|when|and back|while|after|before)\b|[:,]|^(?:and|or|in|of|personal)\b",
        rest,
    ):
        return None
    wanted = own_object(first_person(f"{base} {rest}"))
    if base == "report":
        return QuestionForms("advice", (f"I want to {wanted}. What do I have to do?",))
    if base in ("save", "get", "see") or re.match(r"(?:with|by|from|to)\b", rest):
        return None
    return QuestionForms(
        "advice",
        (
            f"I'd like to {wanted}. How does that work?",
            f"I'm thinking of {verb.lower()} {wanted.partition(' ')[2]}. What do I need to know?",
        ),
    )


def deadline(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Deadline for refunds” → “Is there a deadline for refunds?”"""
    thing = match["thing"]
    return QuestionForms(
        "time",
        (
            f"Is there a deadline for {first_person(thing)}?",
            f"I don't want to be too late. What is the deadline for {first_person(thing)}?",
        ),
    )


def refund(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Refunds for unused months” → “Can I get a refund for unused months?”"""
    rest = re.sub(r"^for (?=(?:[A-Z][\w ]*)?(?:purchases|payments)\b)", "for my ", first_person(match["rest"]))
    rest = re.sub(r"\b(cancelling) (?:an?|the) ", r"\1 my ", rest)
    return QuestionForms("explain", (f"Can I get a refund {rest}?", f"Will I get my money back {rest}?"))


def least(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Minimum length of a password” → “Is there a minimum length of a password?”"""
    return QuestionForms("figure", (f"Is there a {match['word'].lower()} {match['rest']}?",))


def supported(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Supported file types” → “Which file types do you support?”"""
    return QuestionForms("explain", (f"Which {match['things']} do you support?",))


def difference(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Differences between the plans” → “What is the difference between the plans?”"""
    return QuestionForms(
        "explain",
        (
            f"What is the difference between {match['things']}?",
            f"I don't understand the difference between {match['things']}.",
        ),
    )
