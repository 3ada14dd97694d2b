"""English sentences from the words of a scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from core.base.toml import bundled_toml
from core.simulation.facts import family_of
from core.text.english import is_plural
from core.text.fact_sheet import Fact
from core.text.language import content_words


@cache
def words(name: str) -> frozenset[str]:
    """One of the word lists of `phrases_en.toml`."""
    return frozenset(bundled_toml(__file__, "phrases_en.toml")[name].split())


_PAID = {
    "card": "I pay by card",
    "credit card": "I pay by credit card",
    "paypal": "I pay with PayPal",
    "invoice": "I pay by invoice",
    "bank transfer": "I pay by bank transfer",
    "app store": "I pay through the App Store",
    "google play": "I pay through Google Play",
}
_STATE = re.compile(
    r"^(?:never|not|already|still|lost|gone|broken|missing|none|unknown|unclear"
    r"|closed|open|allowed|blocked|older|newer|\w{3,}ed)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:i|we|my|our|it|is|are|was|were|am|want|need|wants|needs|do|does|did|can|can't|cannot|could|has|have|had|will"
    r"|would|should|shows?|fails?|doesn't|don't|didn't|isn't|won't|says?)\b",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(r"^(?:how|what|when|where|which|whether|who|why|if)\b", re.IGNORECASE)
_PERSON, _OWNER = r"(?:user|customer|employee|caller|person|client)", r"(?:customer|user|owner|employee)"
_OUTSIDE = tuple(
    (re.compile(outside, re.IGNORECASE), inside)
    for outside, inside in (
        (rf"^(?:the )?{_PERSON} (?:wants|would like) to\b", "I want to"),
        (rf"^(?:the )?{_PERSON} needs to\b", "I need to"),
        (rf"^(?:the )?{_PERSON} (?:wants|needs)\b", "I need"),
        (rf"\bthe {_OWNER}['’]s\b", "my"),
        (rf"\b(can|could|should|must|may|will|do) the {_OWNER}\b", r"\1 I"),
        (r"\bdoes the (?:customer|user|employee)\b", "do I"),
        (rf"\bthe {_OWNER} is\b", "I am"),
    )
)
_GREETING = re.compile(r"^(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there| all)?[,.!\s]+", re.IGNORECASE)
_AFTER_HEAD = re.compile(r"\s(?:with|of|for|without|from|in|on|at|later|after|before|and|as)\b|[,(]")
_YES = frozenset({"yes", "true", "はい"})
_NO = frozenset({"no", "false", "いいえ"})


def fact_sentences(facts: Sequence[Fact]) -> list[str]:
    """A sentence for each fact without its full stop, such as "I'm on the Pro plan"."""
    return list(map(_fact_sentence, facts))


def _fact_sentence(fact: Fact) -> str:
    label, value = fact.label, fact.value.rstrip(". ")
    sentence = _yes_or_no(label, value) if label else capital(value)
    if sentence:
        return sentence
    family = family_of(label)
    name = family.name if family else ""
    if name == "error" and (_STATE.match(value) or (" " in value and value.islower())):
        return f"The error: {value}"
    if family and family.en:
        if re.match(r"(?:not|never|no|none)\b", value, re.IGNORECASE) and name != "symptom":
            return _plain(label, value)
        value = "the web" if value.lower() == "web" else value
        return family.en.replace("{value}", value).replace("{a value}", with_article(value))
    return _by_name(name, label, value) or _plain(label, value)


def fact_bare(fact: Fact) -> str:
    """The shortest way to say it: the value, with its label if the value alone could mean anything."""
    family = family_of(fact.label)
    value = fact.value.rstrip(". ")
    sentence = _yes_or_no(fact.label, value) if fact.label else value
    if sentence:
        return sentence
    clear = family is not None and (family.alone or family.name in {"purpose", "wanted"})
    if clear and not _STATE.match(value):
        return value
    if re.match(r"\d", value) and fact.label.endswith("s"):
        return _counted(fact.label, value)
    return f"{fact.label}: {value}"


def by_the_person(intent: str) -> str:
    """An intent as the person would say it: "the customer wants to" as "I want to"."""
    text = intent.strip().rstrip(". ")
    for outside, inside in _OUTSIDE:
        text = outside.sub(inside, text)
    text = re.sub(r"^how to (.*)\?$", r"how do I \1?", text, flags=re.IGNORECASE)
    return re.sub(r"([;,:] )how to ([^?]{0,300})\?$", r"\1how do I \2?", text)


def is_clause(text: str) -> bool:
    """Whether a text is a sentence rather than a noun phrase or an indirect question."""
    return bool(_CLAUSE.search(text)) and not _QUESTION_WORD.match(text)


def intent_phrases(intent: str) -> tuple[str, str]:
    """(sentence, shortest form) of an intent, as the person would say it."""
    text = by_the_person(intent)
    if text.endswith("?") or is_clause(text):
        return capital(text), capital(re.sub(r"^I(?:'d like| want| need| would like) to ", "Need to ", text))
    if _QUESTION_WORD.match(text):
        return f"I'd like to know {uncapital(text)}", capital(text)
    if text.lower().startswith("to "):
        return f"I want {uncapital(text)}", capital(text[3:])
    first = text.split(maxsplit=1)[0].lower() if text else ""
    if first in words("verbs"):
        return f"I want to {uncapital(text)}", text
    return f"It's about {with_article(uncapital(text))}", text


def choice_sentence(choice: str) -> str:
    """A choice as a sentence."""
    return f"I mean {choice}" if len(choice.split()) <= 2 else f'It\'s about "{choice}"'


def question_phrases(question: str) -> tuple[str, str]:
    """(sentence, shortest form) of the opening question, without a greeting before it."""
    text = _GREETING.sub("", question.strip()).strip() or question.strip()
    text = capital(text.rstrip(". "))
    return text, text


def capital(text: str) -> str:
    """The text with a capital at its start ("iOS" and "iPhone" stay)."""
    return text if re.match(r"i[A-Z]", text) else text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """The text as it stands inside a sentence: only words that are certainly no names lose their capital."""
    first = re.split(r"[\s,]", text, maxsplit=1)[0]
    known = first.lower() in words("openers") or first.lower() in words("verbs")
    return text[:1].lower() + text[1:] if known else text


def with_article(text: str) -> str:
    """A noun phrase with "a" or "an" if one belongs."""
    first = text.split(maxsplit=1)[0].lower().strip(",") if text else ""
    head = _AFTER_HEAD.split(text, maxsplit=1)[0].rstrip()
    uncounted = first in words("uncounted") or first.endswith("ing") or head.endswith("ing")
    if not first or first[0].isdigit() or is_plural(head) or uncounted:
        return text
    return f"{'an' if re.match('[aeio]|un(?!i)', first) else 'a'} {text}"


def _by_name(name: str, label: str, value: str) -> str:
    """The sentence of a family with wording of its own."""
    if name == "plan" and not _STATE.match(value):
        return f"I'm on {'the ' if re.search('plan$', value, re.I) else ''}{value}"
    if name == "payment":
        return _PAID.get(value.lower(), "")
    if name == "purpose":
        verb = re.match(r"(\w+)(?! (?:of|with|for|from|between)\b)\b", value)
        if verb and verb[1].lower() in words("verbs"):
            return f"I want to {value.replace(', ', ' and ', 1)}"
        return f"It's about {with_article(value)}"
    if name == "time" and " " in value:
        return capital(value)
    if name == "wanted":
        return f"What I'd like is {with_article(value)}"
    if label.lower() == "team" and re.match(r"\d", value):
        return f"We're a team of {value.removesuffix(' people')}"
    return ""


def _plain(label: str, value: str) -> str:
    """A sentence for any label: counts, states, what there is none of; else "Label: value"."""
    if re.match(r"\d", value) and label.endswith("s") and " " not in label:
        return f"We have {_counted(label, value)}"
    none = re.match(r"(?:none|no)\b(?: of (?:it|them))?\s*(.*)$", value, re.IGNORECASE)
    if none:
        return f"I have no {label} {none[1]}".rstrip()
    if _STATE.match(value) and len(label.split()) <= 2:
        be = "was" if value.lower().startswith("never") else "are" if label.endswith("s") else "is"
        return f"My {label} {be} {value}"
    if len(label.split()) <= 2 and not label.endswith(("s", "ed")) and "," not in value:
        return f"My {label} is {value}"
    return f"{capital(label)}: {value}"


def _counted(label: str, value: str) -> str:
    """The label within the value: customers and "5 for one project" become "5 customers for one project"."""
    number, _, rest = value.partition(" ")
    return f"{number} {label} {rest}".rstrip()


def _yes_or_no(label: str, value: str) -> str:
    if value.lower() in _YES:
        return f"Yes, {label}"
    return f"No, not {label}" if value.lower() in _NO else ""


def keywords(text: str) -> list[str]:
    """The content words of a text in order, as somebody types who has no time."""
    return list(dict.fromkeys(word.lower() for word in re.findall(r"[\w'’-]+", text) if content_words(word)))
