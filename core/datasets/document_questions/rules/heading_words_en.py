"""The words of English headings in the forms that questions need: by the person who asks, with the things as one's own."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.other_person_en import other_person
from core.datasets.document_questions.section import Section
from core.text.english import base_form, invert_clause, is_gerund, is_plural

# A thing that the person who asks has, after its article: the (company) card, but not the card number.
_THING = (
    r"(?=(?:(?!(?:of|or|and|for|to|in|on)\b)[\w'-]+ ){0,3}?(?:account|password|address|card|plan|subscription|payments?|invoices?|trial|purchases?|"
    r"profile|phone|mailbox|workspace|order|contract|booking|appointment|bill|device|cancellation|request|coupon|ID|sign-in|page|app|data|"
    r"membership|policy|email|name|number|code|link|refund)\b(?! (?:of|that|number|page|desk|settings?|method|type|button|field|address|link|code)\b))"
)
_OBJECT = re.compile(rf"^(\w+) (?:an?|the) {_THING}")
_FOR_OBJECT = re.compile(r"\bfor (?:an?|the) (?=(?:[\w-]+ ){0,2}?(?:account|plan|subscription|invoice)\b)")
_SUBJECT = re.compile(rf"\b(when|after|to) (?:an?|the) {_THING}")
_POSSESSION = re.compile(rf"\b[Tt]he {_THING}")
_ACTS = re.compile(
    r"^(?:change|cancel|delete|close|switch|replace|update|move|withdraw|transfer|unlink|reset|renew|undo|recover|extend|reopen|"
    r"restore|download|export|stop|end|upgrade|downgrade|remove|return|pause|reactivate|confirm|verify|pay|see|find|check|lose|lost|use)\b"
)
_NEW = re.compile(r"\b(?:a|an|the) (?:new|second|another|different|other|free|company|person|colleague|member|guest)\b")
_DETERMINERS = frozenset(
    ["the", "a", "an", "no", "your", "my", "this", "several", "two", "somebody", "someone", "nobody", "everything", "all", "same", "another", "each"]
)  # fmt: skip
_PROBLEM = re.compile(
    r"\b(?:(?:is|are|was|were|does|do|did|has|have|will) (?:not|no|missing|slow|full|already|blank|locked|blocked|refused|rejected|declined|charged|hidden|empty|broken|gone|wrong|late|down|overdue|used up|logged|lost|suspended)|"
    r"cannot|can't|failed|fails|stopped|stops|crashes|expired|disappeared|opens the wrong|keeps (?:loading|asking)|seems?|shows? an error|has (?:left|been)|have been|no longer)\b"
)
_PAST = re.compile(r"(?:Charged|Locked|Signed|Logged|Blocked|Asked|Billed) (?:twice|out|again|in|after|although|by|for|on|off|too)\b")  # fmt: skip
_WITHOUT_SUBJECT = re.compile(r"(?:Forgot|Lost|Received|Deleted|Typed|Entered|Missed)\b")
_NO_PROBLEM = re.compile(
    r"^(?:How|What|Who|Why|When|Where|Which|Can|Is|Are|Does|Do|Whether|If)\b| or \w+ed\b|\bdoes not (?:cancel|always|change|mean|include)\b|\bor\b.*\bor\b"
)


def heading_words(groups: dict[str, str], section: Section) -> dict[str, str] | None:
    """The parts of a heading by name, as the person says them who asks; none if they are not what they are taken for.

    act and doing give mine: what is done to one's own thing; clause gives turned, a question's order of words; thing gives
    bare_thing and own_thing; done gives base; problem and told give story.
    """
    words = {name: other_person(text) for name, text in groups.items()}
    if ask := groups.get("ask"):
        words["asks"] = ask[0].lower() + ask[1:]
    if act := groups.get("act"):
        words["mine"] = _own_object(words["act"])
        if base_form(act.split()[0]) not in ("", act.split()[0]) or words["mine"].endswith(" I know"):
            return None
    if doing := groups.get("doing"):
        verb, _, rest = doing.partition(" ")
        if not is_gerund(verb):
            return None
        words["mine"] = _own_object(other_person(f"{base_form(verb)} {rest}"))
        words["doing"] = f"{verb.lower()} {words['mine'].partition(' ')[2]}"
    if clause := groups.get("clause"):
        turned = re.sub(r"^are you\b", "am I", re.sub(r"^may you\b", "can I", invert_clause(clause)))
        words["turned"] = other_person(turned)
        words["own_turned"] = _own_things(re.sub(r"^(is|are|was|does|do) an? ", r"\1 my ", words["turned"]))
        words["own_clause"] = _SUBJECT.sub(r"\1 my ", words["clause"])
    if thing := words.get("thing"):
        words["bare_thing"] = re.sub(r"^(?:an? |the )", "", thing)
        words["own_thing"] = words["bare_thing"] if is_plural(thing) else f"my {words['bare_thing']}"
    if done := groups.get("done"):
        words["base"] = base_form(done)
    if reason := words.get("reason"):
        mine = re.sub(r"^for (?=(?:[A-Z][\w ]*)?(?:purchases|payments)\b)", "for my ", reason)
        words["reason"] = re.sub(r"\b(cancelling) (?:an?|the) ", r"\1 my ", mine)
    if problem := groups.get("problem"):
        words["story"] = _own_things(_story(problem, section)) if _is_problem(problem) else ""
    if told := words.get("told"):
        words["story"] = _own_things(told)
    return words


def _is_problem(heading: str) -> bool:
    """Whether a heading says what goes wrong: Payment is not accepted."""
    if _NO_PROBLEM.search(heading) or is_gerund(heading.split()[0]) or len(heading.split()) < 3:
        return False
    said = re.split(r"\b(?:when|that|which|because|although|if|while|after|until|instead)\b", heading)[0]
    return bool(_PROBLEM.search(said) or _starts_with_verb(heading) or heading.startswith("No "))


def _starts_with_verb(heading: str) -> bool:
    return bool(_PAST.match(heading) or _WITHOUT_SUBJECT.match(heading))


def _story(heading: str, section: Section) -> str:
    """A heading that names a problem, as the person who has it would say it."""
    first, _, rest = heading.partition(" ")
    if first == "No" or _starts_with_verb(heading):
        subject = "I get" if first == "No" else "I was" if _PAST.match(heading) else "I"
        return f"{subject} {heading[0].lower()}{other_person(heading[1:])}"
    if first.lower() in _DETERMINERS or (first.isupper() and len(first) < 5):
        return other_person(heading)
    lowered = heading if _is_name(heading, section) else f"{heading[0].lower()}{heading[1:]}"
    has_name = re.match(r"[A-Z]", rest) or any(letter.isupper() for letter in first[1:])
    is_mine = has_name or lowered != heading
    return f"My {other_person(heading if has_name else lowered)}" if is_mine else other_person(heading)


def _is_name(heading: str, section: Section) -> bool:
    """Whether the first word of a heading is a name, which sentences of the section write with a capital letter as well."""
    word = re.match(r"[\w'’-]+", heading)
    return not word or bool(re.search(rf"(?<=[a-z,] ){re.escape(word[0])}\b", section.text))


def _own_object(act: str) -> str:
    """An act on something that is there already, with its object as one's own: cancel a plan → cancel my plan."""
    if not _ACTS.match(act) or _NEW.search(act):
        return act
    return _FOR_OBJECT.sub("for my ", _OBJECT.sub(r"\1 my ", act))


def _own_things(story: str) -> str:
    """What happened to somebody, with the things as one's own: I lost the phone → I lost my phone."""
    if not story or _NEW.search(story):
        return story
    mine = _POSSESSION.sub("my ", story)
    return mine if story[0].islower() else f"{mine[0].upper()}{mine[1:]}"
