"""The words of English headings within a sentence, and said by their owner: the card is my card."""

from __future__ import annotations

import re

from core.datasets.document_questions.section import Section
from core.text.english_verbs import is_gerund

_THINGS = (
    "account|password|address|card|plan|subscription|payment|payments|invoice|invoices|trial|purchase|purchases|profile|phone|mailbox|"
    "workspace|order|contract|booking|appointment|bill|device|cancellation|request|coupon|ID|sign-in|page|app|data|membership|policy|"
    "email|name|number"
)
_OWN = re.compile(rf"^(\w+) (?:a|an|the) (?=(?:(?!of\b|or\b|and\b|for\b|to\b|in\b|on\b)[\w'-]+ ){{0,3}}?(?:{_THINGS})\b(?! (?:of|that|number|page|desk|settings?|method|type)\b))")  # fmt: skip
_ACTS = re.compile(
    r"^(?:change|cancel|delete|close|switch|replace|update|move|withdraw|transfer|unlink|reset|renew|undo|recover|extend|reopen|"
    r"restore|download|export|stop|end|upgrade|downgrade|remove|return|pause|reactivate|confirm|verify|pay|see|find|check|lose|lost|use)\b"
)
_POSSESSIONS = re.compile(
    r"\b[Tt]he (?=(?:[\w-]+ ){0,2}?(?:card|ID|password|phone|mailbox|account|plan|workspace|invoice|address|email|code|link|device|cancellation|refund|payment)\b(?! (?:of|that|button|page|field|address|link|code)\b))"
)
_NEW = re.compile(r"\b(?:a|an|the) (?:new|second|another|different|other|free|company|person|colleague|member|guest)\b")
DETERMINERS = (
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


def plain_topic(topic: str) -> str:
    """A heading without what stands in brackets."""
    return re.sub(r"(?<!\s)\s*\([^()]*\)", "", topic).strip().rstrip("?.")


def lower_first(text: str, section: Section) -> str:
    """A heading's words within a sentence: the first letter small, unless it begins a name."""
    word = re.match(r"[\w'’-]+", text)
    if not word or any(letter.isupper() for letter in word[0][1:]) or word[0] == "I":
        return text
    if word[0].lower() in DETERMINERS or is_gerund(word[0]):
        return f"{text[0].lower()}{text[1:]}"
    if re.match(r"[\w'’-]+ [A-Z]", text):
        return text
    within = re.search(rf"(?<=[a-z,] ){re.escape(word[0])}\b", section.text)
    return text if within else f"{text[0].lower()}{text[1:]}"


def agreeing(turned: str) -> str:
    """A turned clause, said by the person who asks: are you is am I."""
    return re.sub(r"^are you\b", "am I", re.sub(r"^may you\b", "can I", turned))


def own_object(act: str) -> str:
    """An act on something that is there already, with its object as one's own: cancel a plan → cancel my plan."""
    if not _ACTS.match(act) or _NEW.search(act):
        return act
    return re.sub(
        r"\bfor (?:a|an|the) (?=(?:[\w-]+ ){0,2}?(?:account|plan|subscription|invoice)\b)",
        "for my ",
        _OWN.sub(r"\1 my ", act),
    )


def own_things(story: str) -> str:
    """What happened to somebody, with the things as one's own: I lost the phone → I lost my phone."""
    if _NEW.search(story):
        return story
    mine = _POSSESSIONS.sub("my ", story)
    return f"{story[0]}{mine[1:]}" if story[0].lower() == mine[0] else f"{mine[0].upper()}{mine[1:]}"


def own_subject(clause: str) -> str:
    """A clause about a thing, as its owner says it: happens when the trial ends → happens when my trial ends."""
    return re.sub(
        rf"\b(when|after|to) (?:a|an|the) (?=(?:[\w-]+ )?(?:{_THINGS})\b(?! (?:of|that)\b))", r"\1 my ", clause
    )
