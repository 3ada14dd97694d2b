"""Questions of customers drafted from English sentences, without a model: auxiliaries change places, figures become "how many"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.datasets.draft import Draft, Section, names_subject, names_topic, without_brackets

SHORTEST, LONGEST = 18, 130  # letters of a question
_AUX = ("is", "are", "was", "were", "can", "cannot", "must", "may", "will", "should")
_BASES = {
    "works": "work", "lasts": "last", "takes": "take", "expires": "expire", "costs": "cost", "needs": "need", "gives": "give",
    "keeps": "keep", "stays": "stay", "ends": "end", "begins": "begin", "starts": "start", "applies": "apply", "includes": "include",
    "allows": "allow", "supports": "support", "covers": "cover", "runs": "run", "changes": "change", "receives": "receive",
    "remains": "remain", "counts": "count", "arrives": "arrive", "becomes": "become", "gets": "get", "comes": "come",
    "lets": "let", "shows": "show", "accepts": "accept", "pays": "pay", "sends": "send", "answers": "answer", "disappears": "disappear",
}  # fmt: skip
_PLURAL = {
    base: base
    for base in _BASES.values()
    if base not in ("cost", "need", "end", "start", "work", "change", "show", "count", "answer", "pay", "support")
}
_UNITS = r"(?:business days|working days|calendar days|days?|hours?|minutes?|weeks?|months?|years?|seconds?|times|people|members|guests|seats|boards|files|characters|devices|percent|MB|GB|TB|KB|requests|attempts|codes|accounts|workspaces|rules|languages)"
_NUMBER = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_SPAN = re.compile(
    rf"\b(?P<lead>within|for|after|in|up to|at most|at least|until)?\s*(?P<number>{_NUMBER})\s+(?P<unit>{_UNITS})\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"(?:(?<![\w,.])\d[\d,.]*+\s++(?:US )?(?:dollars?|euros?|pounds?)|[$€£]\d[\d,.]*)\b")
_LEANS = re.compile(
    r"^(?:This|These|That|Those|It|They|He|She|Then|Also|However|But|Otherwise|If not|Such|Both|The same|Here|There|In that case|Later|After that|So|Only then|Not)\b"
)
_CUT = re.compile(
    r"(?:;|:|,? because |,? but |,? so that |,? and (?=the|it|you|they|then|its|no|a|an )|,? which |,? unless |, if nobody|,? although |,? and (?=(?:is|are|was|has|have|works?|can|cannot|will|does|do|must|may|keeps?|stays?|ends?|shows?)\b))"
)
_OPENING = re.compile(
    r"^(?P<opening>(?:After|During|In|At|On|For|With|Without|Before|From|Since|Within|Until|When|If|Between|By)\b.+?) (?P<rest>(?:the|you|your|a|an|all|each|every|nobody)\b .*)$"
)
_HEDGED = re.compile(
    r"\b(?:only|also|often|usually|most|nothing|nobody|no|none|always|therefore|still|normally|even|either|neither|alone)\b",
    re.IGNORECASE,
)
_YOU = (
    (re.compile(r"\byou are\b"), "I am"),
    (re.compile(r"\byou\b"), "I"),
    (re.compile(r"\byours\b"), "mine"),
    (re.compile(r"\byour\b"), "my"),
    (re.compile(r"\byourself\b"), "myself"),
)
_DETERMINERS = frozenset(["The", "A", "An", "Each", "Every", "All", "Your", "You", "Some", "Any", "Two", "Most"])
_LITERAL = re.compile(r"\*\*|`|https?://|>|@")


def questions_en(section: Section, attributes: Sequence[tuple[str, tuple[str, ...]]] = ()) -> list[Draft]:
    """The questions that a section answers; attributes as in `core.datasets.questions_ja`."""
    found = [draft for sentence in section.sentences() for draft in _of_sentence(sentence, section)]
    found += _of_table(section)
    return [_with_condition(draft, section, attributes) for draft in found]


def _of_sentence(sentence: str, section: Section) -> Iterator[Draft]:
    if not sentence.endswith(".") or _LEANS.match(sentence) or _LITERAL.search(sentence) or len(sentence) > 220:
        return
    plain = without_brackets(_CUT.split(sentence.rstrip("."))[0]).strip()
    condition, comma, rest = plain.partition(", ")
    opening = ""
    if comma and re.match(r"(?:When|If|On|In|For|With|After|Before|During|Without|From|Since)\b", condition):
        opening, plain = f"{_small(condition, section)}, ", rest
    elif comma:
        return
    elif re.match(
        r"(?:After|During|In|At|On|For|With|Without|Before|From|Since|Within|Until|When|If|Between|By)\b", plain
    ):
        if not (found := _OPENING.match(plain)):
            return
        opening, plain = f"{_small(found['opening'], section)}, ", found["rest"]
    parts = _parted(plain)
    if not parts:
        return
    subject, auxiliary, predicate = parts
    if auxiliary in ("does", "do") and re.search(r" and (?:only\b|\w+s\b)", predicate):
        return
    if re.search(r"\b(?:who|that|which|where|when|until|if|because|to)\b", subject) or len(subject.split()) > 8:
        return
    negated = re.search(r"\b(?:not|cannot)\b", plain)
    asked = _question(_small(subject, section), auxiliary, predicate)
    if asked and not (negated and asked[0] != "whether"):
        yield from _draft(asked[1], opening, sentence, asked[0], section)


def _parted(sentence: str) -> tuple[str, str, str] | None:
    """(subject, auxiliary, what is said of it with its verb in the base form)."""
    given = sentence.split()
    for place, word in enumerate(given[1:9], 1):
        if word in _AUX:
            auxiliary = "can" if word == "cannot" else word
            rest = given[place + 1 :]
            if rest[:1] == ["not"]:
                rest = rest[1:]
            return " ".join(given[:place]), auxiliary, " ".join(rest)
        if word in _BASES and given[place - 1].lower() not in ("to", "the", "a", "an", "of", "and", "or"):
            return " ".join(given[:place]), "does", " ".join((_BASES[word], *given[place + 1 :]))
        if word in _PLURAL and re.search(r"[^s]s$", given[place - 1]):
            return " ".join(given[:place]), "do", " ".join(given[place:])
    return None


def _question(subject: str, auxiliary: str, predicate: str) -> tuple[str, str] | None:
    """(what is asked for, the question) with the predicate's figure in front, or as a yes or a no."""
    if money := _MONEY.search(predicate):
        before, after = predicate[: money.start()].strip(), predicate[money.end() :].strip()
        if auxiliary == "does" and before in ("cost", "pay"):
            return "amount", f"how much does {subject} {before} {after}"
        return None
    found = list(_SPAN.finditer(predicate))
    if len(found) > 1:
        return None
    if found:
        one = found[0]
        before, after = predicate[: one.start()].strip(), predicate[one.end() :].strip()
        lead, unit = (one["lead"] or "").lower(), one["unit"]
        if after.startswith(("before", "after", "of ", "or ", "and ")) and lead not in ("within", "for"):
            return None
        if lead in ("for", "until") and re.search(r"day|hour|minute|week|month|year|second", unit):
            return "count", _joined(f"how long {auxiliary} {subject}", before, after)
        if lead == "within":
            return "count", _joined(f"within how many {unit} {auxiliary} {subject}", before, after)
        if lead in ("after", "in"):
            return "count", _joined(f"{lead} how many {unit} {auxiliary} {subject}", before, after)
        if before.endswith((" a", " the", " of", " per", " every", " each", " than")) or auxiliary in (
            "is",
            "are",
            "was",
            "were",
        ):
            return None
        return "count", _joined(f"how many {_plural(unit)} {auxiliary} {subject}", before, after)
    if (
        re.search(r"\d", predicate)
        or _HEDGED.search(f"{subject} {predicate}")
        or auxiliary in ("was", "were", "should")
        or len(predicate.split()) > 12
    ):
        return None
    return "whether", _joined(f"{auxiliary} {subject}", predicate, "")


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _plural(unit: str) -> str:
    return f"{unit}s" if unit.lower() in ("day", "hour", "minute", "week", "month", "year", "second") else unit


def _draft(text: str, opening: str, sentence: str, asks: str, section: Section) -> Iterator[Draft]:
    question = f"{opening}{text}"
    for pattern, better in _YOU:
        question = pattern.sub(better, question)
    question = re.sub(r"\bare I\b", "am I", re.sub(r"\s+", " ", question)).strip(" ,")
    if re.search(r"\b(?:it|they|this|these|that)\b", question.split(",")[-1].split(" ", 3)[-1][:18]):
        return
    if not names_topic(question, section) and not names_subject(question, section):
        question = f"I have a question about {_topic(section)}: {question}"
    if SHORTEST <= len(question) <= LONGEST:
        yield Draft(question=f"{question[0].upper()}{question[1:]}?", reference=sentence, asks=asks)


def _topic(section: Section) -> str:
    topic = re.sub(r"^How to |^How long |^What |^Why |^Which ", "", section.subject)
    return _small(topic, section)


def _small(text: str, section: Section) -> str:
    """The text with a small first letter, unless its first word is a name (large also within sentences)."""
    word = re.match(r"[\w'’-]+", text)
    if word and word[0] in _DETERMINERS:
        return f"{text[0].lower()}{text[1:]}"
    rest = text[len(word[0]) :].lstrip() if word else ""
    if not word or rest[:1].isupper() or any(letter.isupper() for letter in word[0][1:]) or word[0] == "I":
        return text
    within = re.search(rf"(?<=[a-z,] ){re.escape(word[0])}\b", section.text)
    return text if within else f"{text[0].lower()}{text[1:]}"


_AMOUNT = re.compile(
    r"^(?:[$€£]?\d[\d,.]*)\s*(?:dollars?|euros?|%|percent|MB|GB|TB|(?:business )?days?|hours?|minutes?|weeks?|months?|years?|people|users|seats)?(?: .{0,20})?$"
)


def _of_table(section: Section) -> Iterator[Draft]:
    table = section.table()
    if table is None or len(table.columns) > 4 or len(table.rows) > 8:
        return
    values, columns = tuple(cells[0] for cells, _ in table.rows), list(table.columns)
    for place, column in enumerate(columns[1:], 1):
        cells_of = [cells[place] for cells, _ in table.rows]
        if len(set(cells_of)) < 2 or sum(bool(_AMOUNT.match(cell)) for cell in cells_of) < len(cells_of):
            continue
        if len(column.split()) > 4:
            continue
        ends = (column.split()[0], column.split()[-1])
        verb = "are" if any(re.search(r"[^s]s$", word) for word in ends) else "is"
        column = f"{column} price" if column in ("Monthly", "Yearly") else column
        plain = f"what {verb} the {column[0].lower()}{column[1:]}"
        about = f"I have a question about {_topic(section)}: "
        for cells, line in table.rows:
            yield Draft(
                question=f"{about}{plain} for {cells[0]}?",
                reference=line,
                asks="value",
                condition=(columns[0] or "case", cells[0], values),
                open_question=f"{about}{plain}?",
            )


def _with_condition(draft: Draft, section: Section, attributes: Sequence[tuple[str, tuple[str, ...]]]) -> Draft:
    if draft.condition:
        return draft
    for name, values in attributes:
        named = [value for value in values if re.search(rf"\b{re.escape(value)}\b", draft.question, re.IGNORECASE)]
        others = [value for value in values if value.lower() in section.text.lower() and value not in draft.reference]
        if len(named) != 1 or not others:
            continue
        value = re.escape(named[0])
        opened = re.sub(
            rf",? (?:on|with|for|in|by|from|at) (?:the |a |an )?{value}(?: plan)?s?\b,?",
            "",
            draft.question,
            flags=re.IGNORECASE,
        )
        if opened != draft.question and len(opened) >= SHORTEST and names_topic(opened, section):
            choices = tuple(one for one in values if one == named[0] or one in others)
            return draft.model_copy(update={"condition": (name, named[0], choices), "open_question": opened})
    return draft
