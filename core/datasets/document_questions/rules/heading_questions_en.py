"""Questions that an English heading promises an answer to, in the words of somebody who asks; the answer is looked up."""

from __future__ import annotations

import re
from functools import partial

from core.datasets.document_questions.rules.heading_shapes_en import SHAPES
from core.datasets.document_questions.rules.heading_words_en import heading_words
from core.datasets.document_questions.rules.rule_question import HeadingShape, RuleQuestion, choice
from core.datasets.document_questions.section import ENOUGH_WORDS, Section, names_subject, telling_words
from core.text.english import base_form

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
    asked = _asked(section)
    answer = find_answer(asked.kind, section) if asked else ""
    if asked is None or not answer:
        return []
    question = _chosen(asked, section)
    if re.search(r", [\w ]+ or \w|\b(?:one|it|they|them|these|those)\b(?! \w+s\b)", question):
        return []  # a list: people ask about one thing
    said = _FRAMES.sub("", question)
    if asked.kind in ("explain", "figure") and not _PERSON.search(said) and not _WITHOUT_PERSON.match(question):
        return []  # the document's words, said by nobody
    if _BARE.search(question) or not (names_subject(question, section) or len(telling_words(question)) >= ENOUGH_WORDS):
        return []
    return [RuleQuestion(question=question, reference=answer, asks=asked.kind)]


def _chosen(asked: HeadingShape, section: Section) -> str:
    question = re.sub(r"\s+", " ", choice(asked.ways, section.topic)).strip()
    return f"{question[0].upper()}{question[1:]}"


def _asked(section: Section) -> HeadingShape | None:
    topic = section.topic.rstrip("?.")
    if not topic or len(topic.split()) > 14 or '"' in topic:
        return None
    words_of = partial(heading_words, section=section)
    return next((asked for shape in SHAPES if (asked := shape.asked(topic, words_of))), None)


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
