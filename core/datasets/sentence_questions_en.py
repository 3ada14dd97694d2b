"""Questions from English sentences: what to do in a situation, whether something can be done, how long it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.datasets.answer_sentences_en import is_imperative
from core.datasets.draft import Draft, Section, names_subject, names_topic, telling_words, without_brackets
from core.datasets.heading_words_en import lower_first
from core.datasets.question_words import choice
from core.text.english_verbs import base_form, first_person, is_plural

MOST = 16  # words of a question
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|its|they|them|their|there|then|both|same|such|another|other|others|only|also|either|neither|again|therefore|still|even|above|below|here|however|instead)\b",
    re.IGNORECASE,
)
_SITUATION = re.compile(r"^If you (?P<state>[^,;:]{8,80}), (?P<rest>.+)$")
_STATE = re.compile(
    r"^(?:have|are|were|do not|did not|cannot|can no longer|want to|would like to|need|need to|lost|forgot|received|deleted|changed|moved|bought|paid|used|chose|typed)\b"
)
_PASSIVE = re.compile(r"^(?P<what>[A-Z][^,;:]{3,50}?) (?:can|cannot|may)(?: not)? be (?P<verb>\w+)(?P<rest>[^,;:.]*)")
_LASTS = re.compile(
    r"^(?P<what>[A-Z][^,;:]{3,40}?) (?P<aux>is|are|stays?|remains?) (?P<state>valid|kept|stored|locked|blocked|visible|open|available|active|reserved) for (?:up to |at least |about |only )?(?P<figure>[\w.,]+) (?:business |working )?(?:minutes?|hours?|days?|weeks?|months?|years?)\b"
)
_TAKES = re.compile(
    r"^(?P<what>[A-Z][^,;:]{3,40}?) (?P<verb>takes?|lasts?) (?:up to |at least |about |only |between )?(?P<figure>[\w.,]+) (?:to \w+ |and \w+ )?(?:business |working )?(?:minutes?|hours?|days?|weeks?|months?|years?)\b"
)
_LITERAL = re.compile(r"\*\*|`|https?://|@|\"")


def sentence_questions_en(section: Section) -> list[Draft]:
    """The questions that single sentences of the section answer; a sentence of which the rules are not sure gives none."""
    found: list[Draft] = []
    for sentence in section.sentences():
        if not sentence.endswith(".") or len(sentence) > 240:
            continue
        plain = without_brackets(sentence)
        made = next(
            iter(
                [
                    *_situation(plain, sentence, section),
                    *_duration(plain, sentence, section),
                    *_passive(plain, sentence, section),
                ]
            ),
            None,
        )
        if made is not None and len(made.question.split()) <= MOST:
            found.append(made)
    return found


def _situation(plain: str, sentence: str, section: Section) -> Iterator[Draft]:
    match = _SITUATION.match(plain)
    if (
        match is None
        or _LITERAL.search(match["state"])
        or _POINTS.search(match["state"])
        or not _STATE.match(match["state"])
    ):
        return
    state, rest = match["state"], match["rest"]
    advised = is_imperative(f"{rest[0].upper()}{rest[1:]}") or re.match(
        r"you (?:can|must|have to|should|need to)\b", rest
    )
    if not advised or not _names(state, section) or len(telling_words(state)) < 2:
        return
    if wanted := re.match(r"(?:want|would like|need) to (?P<act>.+)", state):
        question = choice(
            (
                f"How can I {first_person(wanted['act'])}?",
                f"I want to {first_person(wanted['act'])}. What do I have to do?",
            ),
            state,
        )
    else:
        story = first_person(f"you {state}")
        question = choice((f"{story}. What should I do?", f"{story}. What can I do?"), state)
    yield Draft(question=question, reference=sentence, asks="situation")


def _passive(plain: str, sentence: str, section: Section) -> Iterator[Draft]:
    match = _PASSIVE.match(plain)
    if match is None or _LITERAL.search(f"{match['what']}{match['rest']}"):
        return
    said = f"{match['what']} {match['verb']}{match['rest']}"
    base = base_form(match["verb"])
    if (
        not base
        or _POINTS.search(said)
        or re.search(r"\d", match["what"])
        or re.search(r"\d|\bby (?!card|invoice|bank|post|mail|email|phone)", match["rest"])
    ):
        return
    if not _names(match["what"], section) or re.match(
        r"(?:The|Most|Some|Each|Every|No|All|Nobody|Members|Owners|You)\b", match["what"]
    ):
        return
    if re.search(r"\b(?:who|which|if|when|unless|because|until)\b", said) or len(said.split()) > 12:
        return
    what = lower_first(match["what"], section)
    yield Draft(
        question=f"Can I {base} {first_person(what)}{first_person(match['rest'])}?", reference=sentence, asks="whether"
    )


def _duration(plain: str, sentence: str, section: Section) -> Iterator[Draft]:
    if match := _LASTS.match(plain):
        aux = match["aux"]
        what = first_person(lower_first(match["what"], section))
        verb = aux if aux in ("is", "are") else ("do" if is_plural(what) else "does")
        state = match["state"] if aux in ("is", "are") else f"{base_form(aux)} {match['state']}"
        question = f"How long {verb} {what} {state}?"
    elif match := _TAKES.match(plain):
        what = first_person(lower_first(match["what"], section))
        question = f"How long {'do' if is_plural(what) else 'does'} {what} {base_form(match['verb'])}?"
    else:
        return
    if re.search(r"\b(?:after|may|can|must|will|if|when|that|which)\b|\d", match["what"], re.IGNORECASE):
        return
    if match["what"].startswith("The ") and len(match["what"].split()) < 3:
        return
    if _POINTS.search(match["what"]) or _LITERAL.search(match["what"]) or not _names(match["what"], section):
        return
    if re.match(r"(?:I|Most|Nobody|You)\b", match["what"]) or len(match["what"].split()) < 2:
        return
    yield Draft(question=question, reference=sentence, asks="count")


def _names(text: str, section: Section) -> bool:
    return names_topic(text, section) or (names_subject(text, section) and len(telling_words(text)) > 2)
