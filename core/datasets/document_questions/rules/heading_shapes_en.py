"""What English headings promise: for each form of heading the kind of answer and the ways to ask for it."""

from __future__ import annotations

from core.datasets.document_questions.rules.rule_question import shape

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
    shape("(?P<told>You .+)", "advice", "{story}. What should I do?", "{story}. What can I do now?"),
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
