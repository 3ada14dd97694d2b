"""The sentence of an English section with which the answer to a kind of question begins."""

from __future__ import annotations

import re

from core.datasets.document_questions.section import Section
from core.text.english_verbs import base_form

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
