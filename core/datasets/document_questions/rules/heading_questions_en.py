"""Questions that an English heading promises an answer to, in the user's words, each with the text that answers it.

`SHAPES` lists the forms of headings with the ways to ask, `heading_words` puts a heading's parts into the user's words,
and `find_answer` looks the answer up in the section.
"""

from __future__ import annotations

import re
from functools import partial

from core.datasets.document_questions.rules.other_person_en import other_person
from core.datasets.document_questions.rules.question import HeadingShape, RuleQuestion, choice, shape
from core.datasets.document_questions.section import MIN_TELLING_WORDS, Section, names_subject, telling_words
from core.text.english import base_form, invert_clause, is_gerund, is_plural

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


def heading_questions_en(section: Section) -> list[RuleQuestion]:
    """The questions that the section's heading promises an answer to, each with the text that answers it."""
    form = _form(section)
    answer = find_answer(form.kind, section) if form else ""
    if form is None or not answer:
        return []
    question = _worded(form, section)
    if re.search(r", [\w ]+ or \w|\b(?:one|it|they|them|these|those)\b(?! \w+s\b)", question):
        return []  # a list: people ask about one thing
    said = _FRAMES.sub("", question)
    if form.kind in ("explain", "figure") and not _PERSON.search(said) and not _WITHOUT_PERSON.match(question):
        return []  # the document's words, which no user would say
    if _BARE.search(question) or not (
        names_subject(question, section) or len(telling_words(question)) >= MIN_TELLING_WORDS
    ):
        return []
    return [RuleQuestion(question=question, reference=answer, asks=form.kind)]


def _worded(form: HeadingShape, section: Section) -> str:
    question = re.sub(r"\s+", " ", choice(form.ways, section.topic)).strip()
    return f"{question[0].upper()}{question[1:]}"


def _form(section: Section) -> HeadingShape | None:
    """The first form that fits the heading."""
    topic = section.topic.rstrip("?.")
    if not topic or len(topic.split()) > 14 or '"' in topic:
        return None
    words_of = partial(heading_words, section=section)
    return next((form for shape in SHAPES if (form := shape.fill(topic, words_of))), None)


_STEPS = re.compile(r"(?:^|\n)((?:\d+[.)]\s.*(?:\n|$)){2,})")
_LEANS = re.compile(r"^(?:This|These|They|It|Then|However|But|Otherwise|If not|Such|Both|The same|There)\b")
_POINTS = re.compile(r"\b(?:in|see) the table\b|\bfollowing\b|:$")
_PATTERNS = {  # what a sentence must have to answer; "how" and "advice" may also be imperatives
    "explain": r"",
    "figure": r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|half|at once|immediately|never|unlimited|no limit|no minimum|always)\b",
    "time": r"\b(?:until|before|within|by|at least|up to|days?|hours?|weeks?|months?|date)\b",
    "how": r"\b(?:you can|write to|press|open|tap)\b",
    "advice": r"\b(?:you can|you may|you have to|you must|you should|you need|try|write to|contact|make sure|check|ask|has to|must|can be)\b",
}


def find_answer(kind: str, section: Section) -> str:
    """The steps or the sentence with which the answer begins; "" if no text is sure to have it."""
    steps = _STEPS.search(section.text)
    if kind == "how" and steps:
        return steps[1].strip()
    sentences = section.sentences()
    if not sentences or _LEANS.match(sentences[0]) or _POINTS.search(" ".join(sentences[:2])):
        return ""
    if steps and kind == "advice":
        return steps[1].strip()
    lead = " ".join(sentences[:2])
    is_explained = lead not in sentences and lead in section.text  # by more than one sentence before a table
    if section.table() is not None and (kind == "figure" or (kind == "explain" and not is_explained)):
        return ""
    for sentence in sentences[:3]:
        answers = re.search(_PATTERNS[kind], sentence, re.IGNORECASE)
        if answers or (kind in ("how", "advice") and is_imperative(sentence)):
            return sentence if kind in ("figure", "time") else sentences[0]
    return ""


def is_imperative(sentence: str) -> bool:
    """Whether a sentence tells the reader to do something: Open the settings."""
    first = re.match(r"(?:(?:On|In|If|After|When|To|Before)\b[^,]{2,60}, )?(?P<verb>[A-Za-z]+)", sentence)
    word = first["verb"].lower() if first else ""
    return (
        word not in ("", "can", "will", "support", "access")
        and base_form(word) == word
        and not re.match(r"[A-Z]\w+ (?:is|are|was|has|can|may|will|do|does)\b", sentence)
    )


# A thing that the user owns, after its article: the (company) card, but not the card number.
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
_GOES_WRONG = re.compile(
    r"\b(?:(?:is|are|was|were|does|do|did|has|have|will) (?:not|no|missing|slow|full|already|blank|locked|blocked|refused|rejected|declined|charged|hidden|empty|broken|gone|wrong|late|down|overdue|used up|logged|lost|suspended)|"
    r"cannot|can't|failed|fails|stopped|stops|crashes|expired|disappeared|opens the wrong|keeps (?:loading|asking)|seems?|shows? an error|has (?:left|been)|have been|no longer)\b"
)
_PAST = re.compile(r"(?:Charged|Locked|Signed|Logged|Blocked|Asked|Billed) (?:twice|out|again|in|after|although|by|for|on|off|too)\b")  # fmt: skip
_WITHOUT_SUBJECT = re.compile(r"(?:Forgot|Lost|Received|Deleted|Typed|Entered|Missed)\b")
_NOT_A_PROBLEM = re.compile(
    r"^(?:How|What|Who|Why|When|Where|Which|Can|Is|Are|Does|Do|Whether|If)\b| or \w+ed\b|\bdoes not (?:cancel|always|change|mean|include)\b|\bor\b.*\bor\b"
)


def heading_words(groups: dict[str, str], section: Section) -> dict[str, str] | None:
    """The parts of a heading in the user's words, and words derived from them; None if the parts do not fit.

    | part | derived |
    |---|---|
    | act, doing | mine: the act on the user's own thing |
    | clause | turned: in the word order of a question; own_turned, own_clause: with the user's own things |
    | thing | bare_thing: without article; own_thing: with "my" |
    | done | base: its base form |
    | problem, event | story: what happened to the user |
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
    if event := words.get("event"):
        words["story"] = _own_things(event)
    return words


def _is_problem(heading: str) -> bool:
    """Whether a heading says what goes wrong: Payment is not accepted."""
    if _NOT_A_PROBLEM.search(heading) or is_gerund(heading.split()[0]) or len(heading.split()) < 3:
        return False
    said = re.split(r"\b(?:when|that|which|because|although|if|while|after|until|instead)\b", heading)[0]
    return bool(_GOES_WRONG.search(said) or _starts_with_verb(heading) or heading.startswith("No "))


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
    """Whether the first word of a heading is a name: sentences of the section capitalise it, too."""
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


# For each form of heading the kind of answer and the ways to ask for it.
_MEASURE = "(?P<ask>How (?:long|quickly|soon|often|far|fast))"
_DONE = "(?P<thing>[a-z][\\w -]*?) (?:is|are) (?P<done>(?!(?:used|needed|allowed|required|possible|missing|valid|left|lost|down|affected)$)[a-z]+)"
_BROKEN = r"(?=.*\b(?:not|missing|stopped|stops|crashes|blank|slow|wrong|No)\b)"
_PROBLEM = r"(?P<problem>(?!.*: ).+)"
_NO_ACTION = (
    r"(?!(?:Billing|Pricing|Accounting|Meeting|Training|Setting|Rating|Building|Missing|Warning|Meaning|Being)\b)"
)
_DOING = rf"{_NO_ACTION}(?!.*(?:[:,]|\b(?:because|although|does|do|did|is|are|has|have|when|and back|while|after|before)\b))(?P<doing>[A-Z][a-z]+ing"

SHAPES = (
    shape(r"How to (?P<act>(?:recogni[sz]e|see|know|find|prevent|choose|reach|write|read|understand|avoid)\b.+)", "how", "How do I {mine}?", "What is the right way to {mine}?", "Could you tell me how to {mine}?"),
    shape("How to (?P<act>[a-z].+)", "how", "I'd like to {mine}. What do I have to do?", "I want to {mine} but I can't find out how.", "I'm trying to {mine}. What are the steps?", "I need to {mine}. How does that work?", "How do I {mine}?"),
    shape("How many (?P<things>[a-z][\\w -]*?) can be (?P<done>\\w+)", "figure", "How many {things} can I {base}?"),
    shape("How (?:many|much) (?P<things>[a-z][\\w -]*?) are allowed", "figure", "How many {things} can I have?"),
    shape(f"{_MEASURE} (?P<clause>.+)", "figure", "{ask} {turned}?"),
    shape(f"{_MEASURE} (?P<clause>.+)", "figure", "Can you tell me {asks} {clause}?"),
    shape("How (?P<thing>[a-z][\\w -]*?) (?:is|are) used", "explain", "How can I use {own_thing}?"),
    shape(f"How (?!many |much ){_DONE}", "explain", "How do you {base} {thing}?"),
    shape("How (?P<clause>(?!to |many |much )[a-z].+)", "explain", "How {turned}?", "Could you explain how {clause}?"),
    shape(r"What (?P<clause>(?:happens|counts|is|are|comes)\b.+)", "explain", "Can you tell me what {own_clause}?", "I'd like to know what {own_clause}.", "What exactly {own_clause}?"),
    shape("What to (?P<act>[a-z].+)", "explain", "What should I {act}?"),
    shape(r"What (?P<doing>\w+ing .+) (?:means|does)", "explain", "What exactly happens when I {mine}?"),
    shape(r"What (?P<clause>(?!\w+ing\b|makes\b)(?!.* and what\b)(?:.*\b(?:can|should|must) and cannot\b.*|.* and (?:who|how)\b.*))", "explain", "Can you tell me what {clause}?"),
    shape(r"What (?P<clause>(?!\w+ing\b|makes\b|.*\b(?:can|should|must) and cannot\b|.* and (?:what|who|how)\b).+)", "explain", "What {turned}?"),
    shape("Where to (?P<act>.+)", "how", "Where can I {act}?"),
    shape("(?P<ask>Which \\w+|When) to (?P<act>\\w+ \\w+ .+)", "explain", "{ask} should I {act}?"),
    shape(f"(?P<ask>Where|When) {_DONE}", "explain", "{ask} do you {base} my {bare_thing}?"),
    shape(f"Which {_DONE}", "explain", "Which {bare_thing} do you {base}?"),
    shape("Which (?P<things>[a-z][\\w -]*) (?:exist|are available)", "explain", "Which {things} do you offer?"),
    shape("Why (?P<clause>.+)", "explain", "Why {own_turned}?"),
    shape("(?P<ask>Where|When) (?P<clause>.+)", "explain", "{ask} {own_turned}?"),
    shape(r"(?P<ask>Where|When|Why|Which(?! \w+ (?:do|does|did|can)\b)) (?P<clause>[a-z].+)", "explain", "Can you tell me {asks} {clause}?"),
    shape("Who can (?P<act>.+)", "explain", "Can anyone {act}, or only certain people?", "Who is allowed to {act}?", "Am I allowed to {act}?"),
    shape("Can (?P<thing>[a-z].*?) be (?P<done>\\w+)(?P<more> .*)?", "explain", "Can I {base} {thing}{more}?", "Can I {base} {thing}?"),
    shape("(?P<event>You .+)", "advice", "{story}. What should I do?", "{story}. What can I do now?"),
    shape("Deadline for (?P<thing>.+)", "time", "Is there a deadline for {thing}?", "I don't want to be too late. What is the deadline for {thing}?"),
    shape("Refunds? (?P<reason>(?:for|because of|after) .+)", "explain", "Can I get a refund {reason}?", "Will I get my money back {reason}?"),
    shape("(?P<ask>Minimum|Maximum) (?P<thing>.+)", "figure", "Is there a {asks} {thing}?"),
    shape("Supported (?P<things>.+)", "explain", "Which {things} do you support?"),
    shape("Differences? between (?P<things>.+)", "explain", "What is the difference between {things}?", "I don't understand the difference between {things}."),
    shape("(?P<problem>.+?): what (?P<more>happens.*)", "explain", "{story}. What {more}?"),
    shape(f"{_BROKEN}{_PROBLEM}", "advice", "{story}. What can I do?", "{story}. Why is that, and what can I do?", "{story}. How do I fix that?", "{story}. What should I check?"),
    shape(_PROBLEM, "advice", "{story}. What can I do?", "{story}. Why is that, and what can I do?"),
    shape(r"(?P<doing>Reporting .+)", "advice", "I want to {mine}. What do I have to do?"),
    shape(rf"(?!Saving|Getting|Seeing){_DOING} (?!(?:and|or|in|of|personal|with|by|from|to)\b).+)", "advice", "I'd like to {mine}. How does that work?", "I'm thinking of {doing}. What do I need to know?"),
)  # fmt: skip
