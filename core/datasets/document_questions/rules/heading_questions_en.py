"""Questions that an English heading promises an answer to, in the user's words, each with the text that answers it."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_forms import HeadingForm, find_answer, first_question
from core.datasets.document_questions.rules.other_person_en import other_person
from core.datasets.document_questions.section import MIN_TELLING_WORDS, Section, names_subject, telling_words
from core.text.english import base_form, is_gerund

_NO_ACT = "(?!(?:Billing|Pricing|Accounting|Meeting|Training|Setting|Rating|Building|Missing|Warning|Meaning|Being|Saving|Getting|Seeing)\\b)"
FORMS = (
    HeadingForm(
        "How to (?P<act>[a-z][^:]+)",
        (
            "I'd like to {mine}. What do I have to do?",
            "I want to {mine} but I can't find out how.",
            "I'm trying to {mine}. What are the steps?",
            "I need to {mine}. How does that work?",
            "How do I {mine}?",
        ),
    ),
    HeadingForm("What to (?P<act>[a-z].+)", ("What should I {mine}?",)),
    HeadingForm("Where to (?P<act>.+)", ("Where can I {mine}?",)),
    HeadingForm("Who can (?P<act>.+)", ("Can anyone {mine}, or only certain people?", "Am I allowed to {mine}?")),
    HeadingForm(
        rf"{_NO_ACT}(?!.*(?:[:,]|\b(?:because|although|does|do|did|is|are|has|have|when|and back|while|after|before)\b))"
        r"(?P<doing>[A-Z][a-z]+ing) (?P<rest>(?!(?:and|or|in|of|personal|with|by|from|to)\b).+)",
        ("I'd like to {mine}. How does that work?", "I want to {mine}. What do I need to know?"),
    ),
)
_TELLS = re.compile(
    r"\b(?:you can|you may|you have to|you must|you should|you need|try|write to|contact|make sure|check|ask|has to|must|can be|press|open|tap)\b",
    re.IGNORECASE,
)
# A thing that the user owns, after its article: the (company) card, but not the card number.
_OWNED = re.compile(
    r"^(\w+) (?:an?|the) (?=(?:(?!(?:of|or|and|for|to|in|on)\b)[\w'-]+ ){0,3}?(?:account|password|address|card|plan|subscription|payments?|invoices?|trial|purchases?|"
    r"profile|phone|mailbox|workspace|order|contract|booking|appointment|bill|device|cancellation|request|coupon|ID|sign-in|page|app|data|"
    r"membership|policy|email|name|number|code|link|refund)\b(?! (?:of|that|number|page|desk|settings?|method|type|button|field|address|link|code)\b))"
)
_ON_OWNED = re.compile(  # what is done to something that is there already
    r"(?:change|cancel|delete|close|switch|replace|update|move|withdraw|transfer|unlink|reset|renew|undo|recover|extend|reopen|"
    r"restore|download|export|stop|end|upgrade|downgrade|remove|return|pause|reactivate|confirm|verify|pay|see|find|check|lose|lost|use)\b"
    r"(?!.*\b(?:a|an|the) (?:new|second|another|different|other|free|company|person|colleague|member|guest)\b)"
)


def heading_question_en(section: Section) -> tuple[str, str]:
    """The question that the section's heading promises an answer to, and where the answer begins; "", "" if it does not."""
    topic = section.topic.rstrip("?.")
    question = first_question(FORMS, topic, _words)
    answer = find_answer(section, _tells) if question else ""
    is_list = re.search(r", [\w ]+ or \w|\b(?:one|it|they|them|these|those)\b(?! \w+s\b)", question)
    is_plain = names_subject(question, section) or len(telling_words(question)) >= MIN_TELLING_WORDS
    is_usable = answer and is_plain and not is_list and len(topic.split()) <= 14 and '"' not in topic
    return (question, answer) if is_usable else ("", "")


def _words(groups: dict[str, str]) -> dict[str, str] | None:
    """What the heading says to do, as the user does it to things of their own; None if it does not begin with a verb."""
    if "doing" in groups:
        if not is_gerund(groups["doing"]):
            return None
        act = f"{base_form(groups['doing'])} {groups['rest']}"
    elif base_form(groups["act"].split()[0]) in ("", groups["act"].split()[0]):
        act = groups["act"]
    else:
        return None
    said = other_person(act)
    return {"mine": _OWNED.sub(r"\1 my ", said) if _ON_OWNED.match(said) else said}


def _tells(sentence: str) -> bool:
    """Whether a sentence tells the reader what to do: Open the settings."""
    first = re.match(r"(?:(?:On|In|If|After|When|To|Before)\b[^,]{2,60}, )?(?P<verb>[A-Za-z]+)", sentence)
    word = first["verb"].lower() if first else ""
    is_imperative = (
        word not in ("", "can", "will", "support", "access")
        and base_form(word) == word
        and not re.match(r"[A-Z]\w+ (?:is|are|was|has|can|may|will|do|does)\b", sentence)
    )
    return is_imperative or bool(_TELLS.search(sentence))
