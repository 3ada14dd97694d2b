"""Questions that an English heading promises an answer to, in the words of somebody who asks; the answer is looked up."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from core.datasets.answer_sentences_en import find_answer
from core.datasets.draft import Draft, Section, names_subject, telling_words
from core.datasets.own_things_en import own_object, own_subject, own_things
from core.datasets.question_words import choice
from core.text.english_verbs import base_form, first_person, inverted, is_gerund, is_plural

_DETERMINERS = (
    "the",
    "a",
    "an",
    "no",
    "your",
    "my",
    "this",
    "several",
    "two",
    "somebody",
    "someone",
    "nobody",
    "everything",
    "all",
    "same",
    "another",
    "each",
)
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


_DONE = re.compile(r"(?P<thing>(?:an? |the )?[a-z][\w -]*?) (?:is|are) (?P<verb>[a-z]+)$")
_NAMED_THING = re.compile(
    r"[A-Z][a-z]+ (?!(?:is|are|was|were|does|do|did|has|have|will|can|cannot|stopped|seems?|shows?|on|in|of|for|or|and)\b)[a-z]"
)
_BARE_THING = re.compile(r"^(?:an? |the )")
_STATES = ("used", "needed", "allowed", "required", "possible", "missing", "valid", "left", "lost", "down", "affected")
_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|our|us|you|your|anyone)\b", re.IGNORECASE)
_FRAMES = re.compile(
    r"^(?:Can you tell me|Could you (?:tell me|explain)|I'd like to know|I'm not sure)\b|(?:Can you explain\?)$"
)
_WITHOUT_PERSON = re.compile(r"(?:What (?:is|are)|Which|How (?:long|many|much|often|quickly|soon)|Is there) ")
# What only the document makes clear: "after a reset" of what, "the button", "before closing".
_BARE = re.compile(
    r"^The (?:new |other |same )?[a-z]+ (?:is|are|was|opens|does|has)\b|\bthe new (?:limit|one|address)\b|"
    r"\b(?:before|after|when|while|of|for) (?:I )?\w+ing\?$|\b(?:before|when|after) I \w+\?|\bafter an? (?:reset|change|report|merge|death|link)\b"
)
ENOUGH_WORDS = 4  # telling words of a question that need not name the document's subject


class Asked(NamedTuple):
    """What a heading promises: the kind of answer, and the ways to ask for it."""

    kind: str
    ways: tuple[str, ...]


def heading_questions_en(section: Section) -> list[Draft]:
    """The questions that the section's heading promises an answer to, each with the text that answers it."""
    asked = _asked(section)
    answer = find_answer(asked.kind, section) if asked else ""
    if asked is None or not answer:
        return []
    question = _chosen(asked, section)
    if re.search(r", [\w ]+ or \w", question):
        return []  # a list: people ask about one thing
    said = _FRAMES.sub("", question)
    if asked.kind in ("explain", "figure") and not _PERSON.search(said) and not _WITHOUT_PERSON.match(question):
        return []  # the document's words, said by nobody
    if _BARE.search(question) or not (names_subject(question, section) or len(telling_words(question)) >= ENOUGH_WORDS):
        return []
    return [Draft(question=question, reference=answer, asks=asked.kind)]


def heading_question_en(section: Section) -> str:
    """The question that the heading asks by itself, whether or not a sentence answers it; "" if there is none."""
    asked = _asked(section)
    return _chosen(asked, section) if asked else ""


def _chosen(asked: Asked, section: Section) -> str:
    question = re.sub(r"\s+", " ", choice(asked.ways, section.topic)).strip()
    return f"{question[0].upper()}{question[1:]}"


def _asked(section: Section) -> Asked | None:
    topic = plain_topic(section.topic)
    if not topic or len(topic.split()) > 14 or '"' in topic:
        return None
    for pattern, make in _SHAPES:
        if (match := re.match(pattern, topic)) and (asked := make(match, section)):
            ways = tuple(way for way in asked.ways if way)
            return Asked(asked.kind, ways) if ways else None
    return None


def plain_topic(topic: str) -> str:
    """A heading without what stands in brackets and without a date."""
    return re.sub(r"\s*\([^()]*\)", "", topic).strip().rstrip("?.")


def how_to(topic: str) -> str:
    """What a heading "How to …" is about, said by the person who wants it; "" for any other."""
    match = re.match(r"How to (?P<act>[a-z].+)$", plain_topic(topic))
    return first_person(match["act"]) if match and '"' not in topic else ""


def lower_first(text: str, section: Section) -> str:
    """A heading's words within a sentence: the first letter small, unless it begins a name."""
    word = re.match(r"[\w'’-]+", text)
    if not word or any(letter.isupper() for letter in word[0][1:]) or word[0] == "I":
        return text
    if word[0].lower() in _DETERMINERS or is_gerund(word[0]):
        return f"{text[0].lower()}{text[1:]}"
    if re.match(r"[\w'’-]+ [A-Z]", text):
        return text
    within = re.search(rf"(?<=[a-z,] ){re.escape(word[0])}\b", section.text)
    return text if within else f"{text[0].lower()}{text[1:]}"


def _how(match: re.Match[str], section: Section) -> Asked | None:
    wanted = own_object(first_person(match["act"]))
    first = wanted.split()[0]
    if base_form(first) not in ("", first) or wanted.endswith(" I know"):
        return None
    ways = (f"How do I {wanted}?", f"What is the right way to {wanted}?", f"Could you tell me how to {wanted}?")
    if first not in (
        "recognise",
        "recognize",
        "see",
        "know",
        "find",
        "prevent",
        "choose",
        "reach",
        "write",
        "read",
        "understand",
        "avoid",
    ):
        ways = (
            f"I'd like to {wanted}. What do I have to do?",
            f"I want to {wanted} but I can't find out how.",
            f"I'm trying to {wanted}. What are the steps?",
            f"I need to {wanted}. How does that work?",
            *ways[:1],
        )
    return Asked("how", ways)


def _measure(match: re.Match[str], section: Section) -> Asked | None:
    """How long, how quickly, how often, how many …"""
    ask, clause = match["ask"], match["clause"]
    direct = re.match(r"(?P<things>[a-z][\w -]*?) can be (?P<verb>\w+)$", clause)
    if ask == "How many" and direct:
        base = base_form(direct["verb"])
        return Asked("figure", (f"How many {direct['things']} can I {base}?",)) if base else None
    if ask in ("How many", "How much"):
        are = re.match(r"(?P<things>[a-z][\w -]*?) are allowed$", clause)
        return Asked("figure", (f"How many {are['things']} can I have?",)) if are else None
    turned = inverted(clause)
    if turned:
        return Asked("figure", (f"{ask} {first_person(_agreeing(turned))}?",))
    return Asked("figure", (f"Can you tell me {ask.lower()} {first_person(clause)}?",))


def _works(match: re.Match[str], section: Section) -> Asked | None:
    if match["clause"].startswith("to "):
        return None
    if done := _DONE.match(match["clause"]):
        thing = first_person(_BARE_THING.sub("", done["thing"]))
        if done["verb"] == "used":
            return Asked("explain", (f"How can I use {thing if is_plural(thing) else f'my {thing}'}?",))
        base = base_form(done["verb"]) if done["verb"] not in _STATES else ""
        return Asked("explain", (f"How do you {base} {first_person(done['thing'])}?",)) if base else None
    turned = inverted(match["clause"])
    if not turned:
        return Asked("explain", (f"Could you explain how {first_person(match['clause'])}?",))
    return Asked(
        "explain",
        (f"How {first_person(_agreeing(turned))}?", f"Could you explain how {first_person(match['clause'])}?"),
    )


def _agreeing(turned: str) -> str:
    return re.sub(r"^are you\b", "am I", re.sub(r"^may you\b", "can I", turned))


def _what(match: re.Match[str], section: Section) -> Asked | None:
    clause = match["clause"]
    if re.match(r"(?:happens|counts|is|are|comes|makes)\b", clause):
        return None
    if act := re.match(r"to (?P<act>[a-z].*)", clause):
        return Asked("explain", (f"What should I {first_person(act['act'])}?",))
    if of := re.match(r"(?P<act>\w+ing .+) (?:means|does)$", clause):
        verb, _, rest = of["act"].partition(" ")
        wanted = own_object(f"{base_form(verb)} {first_person(rest)}")
        return Asked("explain", (f"What exactly happens when I {wanted}?",)) if is_gerund(verb) else None
    if re.match(r"\w+ing\b", clause):
        return None
    if re.search(r"\b(?:can|should|must) and cannot\b| and (?:what|who|how)\b", clause):
        return (
            Asked("explain", (f"Can you tell me what {first_person(clause)}?",)) if " and what" not in clause else None
        )
    turned = inverted(clause)
    if not turned:
        return Asked("explain", (f"I'm not sure what {first_person(clause)}. Can you explain?",))
    return Asked("explain", (f"What {first_person(_agreeing(turned))}?",))


def _what_subject(match: re.Match[str], section: Section) -> Asked | None:
    clause = own_subject(first_person(match["clause"]))
    return Asked(
        "explain", (f"Can you tell me what {clause}?", f"I'd like to know what {clause}.", f"What exactly {clause}?")
    )


def _wh_to(match: re.Match[str], section: Section) -> Asked | None:
    """Where to download invoices, which desk to contact."""
    ask, act = match["ask"], first_person(match["act"])
    if ask != "Where" and len(act.split()) < 3:
        return None
    return Asked("how", (f"{ask} can I {act}?",)) if ask == "Where" else Asked("explain", (f"{ask} should I {act}?",))


def _wh_clause(match: re.Match[str], section: Section) -> Asked | None:
    ask, clause = match["ask"], match["clause"]
    if re.match(r"\w+ (?:do|does|did|can)\b", clause) and ask == "Which":
        return None
    done = _DONE.match(clause)
    if ask != "Why" and done and done["verb"] not in _STATES and (base := base_form(done["verb"])):
        thing = first_person(_BARE_THING.sub("", done["thing"]))
        if ask in ("Where", "When"):
            return Asked("explain", (f"{ask} do you {base} my {thing}?",))
        return Asked("explain", (f"Which {thing} do you {base}?",)) if ask == "Which" else None
    if offered := re.match(r"(?P<things>[a-z][\w -]*) (?:exist|are available)$", clause):
        return Asked("explain", (f"Which {offered['things']} do you offer?",)) if ask == "Which" else None
    turned = inverted(clause)
    if ask == "Why" and turned:
        mine = re.sub(r"^(is|are|was|does|do) (?:a|an)\b", r"\1 my", turned)
        return Asked("explain", (f"Why {first_person(mine)}?",))
    if turned and ask in ("When", "Where"):
        return Asked("explain", (f"{ask} {own_things(first_person(_agreeing(turned)))}?",))
    return Asked("explain", (f"Can you tell me {ask.lower()} {first_person(clause)}?",))


def _who_can(match: re.Match[str], section: Section) -> Asked | None:
    act = first_person(match["act"])
    return Asked(
        "explain",
        (f"Can anyone {act}, or only certain people?", f"Who is allowed to {act}?", f"Am I allowed to {act}?"),
    )


def _who(match: re.Match[str], section: Section) -> Asked | None:
    if ":" in match[0]:
        return None
    return Asked("explain", (f"Can you tell me who {first_person(match['clause'])}?",))


def _can(match: re.Match[str], section: Section) -> Asked | None:
    subject, rest = match["subject"], match["rest"]
    passive = re.match(r"be (?P<verb>\w+)(?P<more>.*)$", rest)
    if passive and (base := base_form(passive["verb"])):
        return Asked("explain", (f"Can I {base} {first_person(subject)}{first_person(passive['more'])}?",))
    return None


def _is_there(match: re.Match[str], section: Section) -> Asked | None:
    return Asked("explain", (f"Do you have {match['thing']}?",))


def _you(match: re.Match[str], section: Section) -> Asked | None:
    told = own_things(first_person(match[0]))
    return Asked(
        "advice",
        (
            f"{told}. What should I do?",
            f"{told}. What can I do now?",
            f"Help, {told[0] if told.startswith('I ') else told[0].lower()}{told[1:]}! What now?",
        ),
    )


def _problem(match: re.Match[str], section: Section) -> Asked | None:
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
    told = own_things(_told(head, section))
    if tail:
        return Asked("explain", (f"{told}. What happens{tail.removeprefix('what happens')}?",))
    broken = bool(re.search(r"\b(?:not|missing|stopped|stops|crashes|blank|slow|wrong|No)\b", said))
    ways = (f"{told}. What can I do?", f"{told}. Why is that, and what can I do?")
    return Asked("advice", (*ways, f"{told}. How do I fix that?", f"{told}. What should I check?") if broken else ways)


def _told(head: str, section: Section) -> str:
    """A heading that names a problem, as the person who has it would say it."""
    first, _, rest = head.partition(" ")
    if head.startswith("No "):
        return f"I get {head[0].lower()}{first_person(head[1:])}"
    if _STARTS_PAST.match(head):
        return f"I was {head[0].lower()}{first_person(head[1:])}"
    if _WITHOUT_SUBJECT.match(head):
        return f"I {head[0].lower()}{first_person(head[1:])}"
    if first.lower() in _DETERMINERS or (first.isupper() and len(first) < 5):
        return first_person(head)
    if re.match(r"[A-Z]", rest) or any(letter.isupper() for letter in first[1:]):
        return f"My {first_person(head)}"
    lowered = lower_first(head, section)
    if _NAMED_THING.match(head):
        return f"My {first_person(head if lowered == head else lowered)}"
    return first_person(head) if lowered == head else f"My {first_person(lowered)}"


def _gerund(match: re.Match[str], section: Section) -> Asked | None:
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
        return Asked("advice", (f"I want to {wanted}. What do I have to do?",))
    if base in ("save", "get", "see") or re.match(r"(?:with|by|from|to)\b", rest):
        return None
    return Asked(
        "advice",
        (
            f"I'd like to {wanted}. How does that work?",
            f"I'm thinking of {verb.lower()} {wanted.partition(' ')[2]}. What do I need to know?",
        ),
    )


def _deadline(match: re.Match[str], section: Section) -> Asked | None:
    thing = match["thing"]
    return Asked(
        "time",
        (
            f"Is there a deadline for {first_person(thing)}?",
            f"I don't want to be too late. What is the deadline for {first_person(thing)}?",
        ),
    )


def _refund(match: re.Match[str], section: Section) -> Asked | None:
    rest = re.sub(r"^for (?=(?:[A-Z][\w ]*)?(?:purchases|payments)\b)", "for my ", first_person(match["rest"]))
    rest = re.sub(r"\b(cancelling) (?:an?|the) ", r"\1 my ", rest)
    return Asked("explain", (f"Can I get a refund {rest}?", f"Will I get my money back {rest}?"))


def _least(match: re.Match[str], section: Section) -> Asked | None:
    return Asked("figure", (f"Is there a {match['word'].lower()} {match['rest']}?",))


def _supported(match: re.Match[str], section: Section) -> Asked | None:
    return Asked("explain", (f"Which {match['things']} do you support?",))


def _conditions(match: re.Match[str], section: Section) -> Asked | None:
    verb, _, rest = match["thing"].partition(" ")
    if is_gerund(verb):
        return Asked("explain", (f"What conditions do I have to meet to {base_form(verb)} {first_person(rest)}?",))
    return Asked("explain", (f"What are the conditions for {first_person(match['thing'])}?",))


def _difference(match: re.Match[str], section: Section) -> Asked | None:
    return Asked(
        "explain",
        (
            f"What is the difference between {match['things']}?",
            f"I don't understand the difference between {match['things']}.",
        ),
    )


_SHAPES: tuple[tuple[str, Callable[[re.Match[str], Section], Asked | None]], ...] = (
    (r"How to (?P<act>[a-z].+)$", _how),
    (r"(?P<ask>How (?:long|quickly|soon|often|much|many|far|fast)) (?P<clause>.+)$", _measure),
    (r"How (?P<clause>[a-z].+)$", _works),
    (r"What (?P<clause>(?:happens|counts|is|are|comes)\b.+)$", _what_subject),
    (r"What (?P<clause>.+)$", _what),
    (r"(?P<ask>Where|Which \w+|When) to (?P<act>.+)$", _wh_to),
    (r"(?P<ask>Where|When|Why) (?P<clause>.+)$", _wh_clause),
    (r"(?P<ask>Which) (?P<clause>[a-z].+)$", _wh_clause),
    (r"Who can (?P<act>.+)$", _who_can),
    (r"Who (?P<clause>.+)$", _who),
    (r"Can (?P<subject>[a-z].*?) (?P<rest>be .+)$", _can),
    (r"Is there (?P<thing>an? .+)$", _is_there),
    (r"You .+$", _you),
    (r"Deadline for (?P<thing>.+)$", _deadline),
    (r"Refunds? (?P<rest>(?:for|because of|after) .+)$", _refund),
    (r"(?P<word>Minimum|Maximum) (?P<rest>.+)$", _least),
    (r"Supported (?P<things>.+)$", _supported),
    (r"(?:Conditions|Requirements) for (?P<thing>.+)$", _conditions),
    (r"Differences? between (?P<things>.+)$", _difference),
    (r".+$", _problem),
    (r"(?P<verb>[A-Z][a-z]+ing) (?P<rest>.+)$", _gerund),
)  # fmt: skip
