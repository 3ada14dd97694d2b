"""English headings that are clauses: how, what, where, when, why, which, who can; as the person asks who wants to know."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_words_en import agreeing, own_object, own_subject, own_things
from core.datasets.document_questions.rules.rule_question import QuestionForms
from core.datasets.document_questions.section import Section
from core.text.english_verbs import base_form, first_person, invert_clause, is_gerund, is_plural

_DONE = re.compile(r"(?P<thing>(?:an? |the )?[a-z][\w -]*?) (?:is|are) (?P<verb>[a-z]+)$")
_BARE_THING = re.compile(r"^(?:an? |the )")
_STATES = ("used", "needed", "allowed", "required", "possible", "missing", "valid", "left", "lost", "down", "affected")


def how_to_do(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“How to cancel a plan” → “I'd like to cancel my plan. What do I have to do?”"""
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
    return QuestionForms("how", ways)


def measure(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“How long a voucher lasts” → “How long does a voucher last?”"""
    ask, clause = match["ask"], match["clause"]
    direct = re.match(r"(?P<things>[a-z][\w -]*?) can be (?P<verb>\w+)$", clause)
    if ask == "How many" and direct:
        base = base_form(direct["verb"])
        return QuestionForms("figure", (f"How many {direct['things']} can I {base}?",)) if base else None
    if ask in ("How many", "How much"):
        are = re.match(r"(?P<things>[a-z][\w -]*?) are allowed$", clause)
        return QuestionForms("figure", (f"How many {are['things']} can I have?",)) if are else None
    turned = invert_clause(clause)
    if turned:
        return QuestionForms("figure", (f"{ask} {first_person(agreeing(turned))}?",))
    return QuestionForms("figure", (f"Can you tell me {ask.lower()} {first_person(clause)}?",))


def how_it_works(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“How refunds are paid” → “How do you pay refunds?”"""
    if match["clause"].startswith("to "):
        return None
    if done := _DONE.match(match["clause"]):
        thing = first_person(_BARE_THING.sub("", done["thing"]))
        if done["verb"] == "used":
            return QuestionForms("explain", (f"How can I use {thing if is_plural(thing) else f'my {thing}'}?",))
        base = base_form(done["verb"]) if done["verb"] not in _STATES else ""
        return QuestionForms("explain", (f"How do you {base} {first_person(done['thing'])}?",)) if base else None
    turned = invert_clause(match["clause"])
    if not turned:
        return QuestionForms("explain", (f"Could you explain how {first_person(match['clause'])}?",))
    return QuestionForms(
        "explain",
        (f"How {first_person(agreeing(turned))}?", f"Could you explain how {first_person(match['clause'])}?"),
    )


def what(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“What closing an account means” → “What exactly happens when I close my account?”"""
    clause = match["clause"]
    if re.match(r"(?:happens|counts|is|are|comes|makes)\b", clause):
        return None
    if act := re.match(r"to (?P<act>[a-z].*)", clause):
        return QuestionForms("explain", (f"What should I {first_person(act['act'])}?",))
    if of := re.match(r"(?P<act>\w+ing .+) (?:means|does)$", clause):
        verb, _, rest = of["act"].partition(" ")
        wanted = own_object(f"{base_form(verb)} {first_person(rest)}")
        return QuestionForms("explain", (f"What exactly happens when I {wanted}?",)) if is_gerund(verb) else None
    if re.match(r"\w+ing\b", clause):
        return None
    if re.search(r"\b(?:can|should|must) and cannot\b| and (?:what|who|how)\b", clause):
        return (
            QuestionForms("explain", (f"Can you tell me what {first_person(clause)}?",))
            if " and what" not in clause
            else None
        )
    turned = invert_clause(clause)
    if not turned:
        return QuestionForms("explain", (f"I'm not sure what {first_person(clause)}. Can you explain?",))
    return QuestionForms("explain", (f"What {first_person(agreeing(turned))}?",))


def what_happens(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“What happens after the trial” → “Can you tell me what happens after my trial?”"""
    clause = own_subject(first_person(match["clause"]))
    return QuestionForms(
        "explain", (f"Can you tell me what {clause}?", f"I'd like to know what {clause}.", f"What exactly {clause}?")
    )


def where_to(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Where to download invoices” → “Where can I download invoices?”"""
    ask, act = match["ask"], first_person(match["act"])
    if ask != "Where" and len(act.split()) < 3:
        return None
    return (
        QuestionForms("how", (f"{ask} can I {act}?",))
        if ask == "Where"
        else QuestionForms("explain", (f"{ask} should I {act}?",))
    )


def where_when_why(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Where data is stored” → “Where do you store my data?”"""
    ask, clause = match["ask"], match["clause"]
    if re.match(r"\w+ (?:do|does|did|can)\b", clause) and ask == "Which":
        return None
    done = _DONE.match(clause)
    if ask != "Why" and done and done["verb"] not in _STATES and (base := base_form(done["verb"])):
        thing = first_person(_BARE_THING.sub("", done["thing"]))
        if ask in ("Where", "When"):
            return QuestionForms("explain", (f"{ask} do you {base} my {thing}?",))
        return QuestionForms("explain", (f"Which {thing} do you {base}?",)) if ask == "Which" else None
    if offered := re.match(r"(?P<things>[a-z][\w -]*) (?:exist|are available)$", clause):
        return QuestionForms("explain", (f"Which {offered['things']} do you offer?",)) if ask == "Which" else None
    turned = invert_clause(clause)
    if ask == "Why" and turned:
        mine = re.sub(r"^(is|are|was|does|do) (?:a|an)\b", r"\1 my", turned)
        return QuestionForms("explain", (f"Why {first_person(mine)}?",))
    if turned and ask in ("When", "Where"):
        return QuestionForms("explain", (f"{ask} {own_things(first_person(agreeing(turned)))}?",))
    return QuestionForms("explain", (f"Can you tell me {ask.lower()} {first_person(clause)}?",))


def who_can(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Who can delete a workspace” → “Who is allowed to delete a workspace?”"""
    act = first_person(match["act"])
    return QuestionForms(
        "explain",
        (f"Can anyone {act}, or only certain people?", f"Who is allowed to {act}?", f"Am I allowed to {act}?"),
    )


def can_be(match: re.Match[str], section: Section) -> QuestionForms | None:
    """“Can vouchers be combined” → “Can I combine vouchers?”"""
    subject, rest = match["subject"], match["rest"]
    passive = re.match(r"be (?P<verb>\w+)(?P<more>.*)$", rest)
    if passive and (base := base_form(passive["verb"])):
        return QuestionForms("explain", (f"Can I {base} {first_person(subject)}{first_person(passive['more'])}?",))
    return None
