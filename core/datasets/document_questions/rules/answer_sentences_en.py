"""The text of an English section that answers a kind of question: from its first sentence to the one that has the answer."""

from __future__ import annotations

import re

from core.datasets.document_questions.section import Section
from core.text.english_verbs import base_form

STEPS = re.compile(r"(?:^|\n)((?:\d+[.)]\s.*(?:\n|$)){2,})")
_LEANS = re.compile(r"^(?:This|These|They|It|Then|However|But|Otherwise|If not|Such|Both|The same|There)\b")
_FIGURE = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|half|at once|immediately|never|unlimited|no limit|no minimum|always)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:until|before|within|by|at least|up to|days?|hours?|weeks?|months?|date)\b")
_ADVICE = re.compile(
    r"\b(?:you can|you may|you have to|you must|you should|you need|try|write to|contact|make sure|check|ask|has to|must|can be)\b",
    re.IGNORECASE,
)


def find_answer(kind: str, section: Section) -> str:
    """The text of the section that answers; "" if no text is sure to."""
    steps = STEPS.search(section.text)
    if kind == "how" and steps:
        return steps[1].strip()
    sentences = section.sentences()
    if (
        not sentences
        or _LEANS.match(sentences[0])
        or re.search(r"\b(?:in|see) the table\b|\bfollowing\b|:$", " ".join(sentences[:2]))
    ):
        return ""
    if kind in ("explain",):
        if section.table() is not None and len(sentences) < 2:
            return ""
        return _joined(section, sentences, min(1, len(sentences) - 1))
    if steps and kind == "advice":
        return steps[1].strip()
    for place, sentence in enumerate(sentences[:3]):
        if kind == "figure" and not _FIGURE.search(sentence):
            continue
        if kind == "time" and not _TIME.search(sentence):
            continue
        does = (
            re.search(r"\b(?:you can|write to|press|open|tap)\b", sentence, re.IGNORECASE)
            if kind == "how"
            else _ADVICE.search(sentence)
        )
        if kind in ("how", "advice") and not (does or is_imperative(sentence)):
            continue
        if section.table() is not None and kind == "figure":
            return ""
        return _joined(section, sentences, place)
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


def _joined(section: Section, sentences: tuple[str, ...], last: int) -> str:
    for separator in (" ", "\n", ""):
        text = separator.join(sentences[: last + 1])
        if text.count("**") % 2 == 0 and text in section.text:
            return text
    return sentences[0] if last == 0 and sentences[0].count("**") % 2 == 0 else ""
