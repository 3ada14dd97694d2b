"""Values of one kind that the documents themselves distinguish: means of payment, devices, groups of employees.

Two values are distinguished where two headings (or titles) differ in nothing else ("Refund for App Store purchases",
"Refund for Google Play purchases"), or where they head rows or columns of one table. One such place may be an accident,
and columns alone also distinguish the attributes of a thing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from core.base.cached_method import cached_method
from core.base.types import Passage, Section
from core.documents.heading_names import last_heading
from core.text.english import is_gerund
from core.text.japanese import words as japanese_words
from core.text.language import Script, content_words, terms
from core.text.markdown import tables
from core.text.normalize import normalize
from core.text.shared_ending import is_short_form, shared_ending_length
from core.text.synonyms import Synonyms

# The content words of a value.
Value = tuple[str, ...]
Place = tuple[str, ...]  # Where two values are distinguished; the first part says how
DIRECT_CERTAINTY = 1.0  # certainty that a text names a value: in the documents' words
SYNONYM_CERTAINTY = 0.5  # the same, in synonyms of the documents' words
MIN_PLACES = 3  # places that are enough to distinguish two values
MIN_PLACES_WITH_THIRD = 2  # places that are enough for two values that are both distinguished from a third
MIN_DOUBTS = 3  # example questions from which a value does not exclude the sections that they belong to
MAX_FRAME_VALUES = 12  # values in one frame of a heading; more are its usual form, not a list of cases
# Words of a value in a heading; in Japanese a run of nouns counts as one.
MAX_VALUE_WORDS: dict[Script, int] = {"ja": 1, "zh": 1, "en": 3}
# Values in one cell or heading; more are a list of topics.
MAX_JOINED_VALUES = 2
# Rows up to which a table is a list of cases, not of things.
MAX_CASE_ROWS = 12
_NOMINAL = frozenset({"名詞", "接頭辞", "接尾辞", "代名詞", "記号"})
_LATIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .+-]*")
_WORD = re.compile(r"[A-Za-z0-9'’-]+|[^\sA-Za-z0-9]")
_JOINED = re.compile(r"[・、,/／]|または|\band\b|\bor\b")
_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
# A word that may be another name of a value.
_NAME = re.compile(r"[ァ-ヶー]{3,}|[a-z]{4,}")
# In a heading that is about several values
_SEVERAL_VALUES = re.compile(
    r"以上|以下|以外|未満|より|を除|どの|すべて|全て|全員|共通|と同じ|違い|比較|関係"
    r"|\b(?:or (?:higher|above|lower)|other than|except|all|any|every|both|same as|differences?|between)\b",
    re.IGNORECASE,
)


class _Head(NamedTuple):
    """The values that a section's title and heading name."""

    values: tuple[Value, ...]  # in the documents' words, else by another name
    by_other_name: tuple[Value, ...]  # by other names
    of_heading: tuple[Value, ...]  # those of the heading alone, in the documents' words


class DocumentValues:
    """The values that the documents distinguish, and which of them a text or a section names.

    questions: for each passage the example questions of its section, one a line
    """

    def __init__(
        self, passages: Sequence[Passage], language: Script, thesaurus: Synonyms, questions: Sequence[str] = ()
    ) -> None:
        self._language: Script = language
        self._thesaurus = thesaurus
        self.rivals: Mapping[Value, frozenset[Value]] = _rivals_of_values(passages, language)
        self._lines = {value: _line(value) for value in self.rivals}
        self._phrases = {value: terms(" ".join(value), language) for value in self.rivals}
        self._names = {value: names for value in self.rivals if (names := self._names_of(value))}
        self._heads: dict[Section, _Head] = {}
        self._texts: defaultdict[Section, list[str]] = defaultdict(list)
        self._headed: defaultdict[str, set[Value]] = defaultdict(set)
        self._questions = {p.section: asked for p, asked in zip(passages, questions, strict=False)}
        for passage in passages if self.rivals else ():
            place = passage.section
            self._texts[place].append(passage.text)
            if place not in self._heads:
                self._heads[place] = self._head(passage.title, last_heading(passage.heading))
                self._headed[passage.document].update(self._heads[place].of_heading)
        self._sections_with_values = [place for place, head in self._heads.items() if head.values]

    def excluded_sections(self, text: str) -> list[Section]:
        """The sections that a text excludes."""
        places = self._sections_with_values if self.named(text) else []
        return [place for place in places if self.excludes(text, *place)]

    def excludes(self, text: str, document: str, heading: str) -> bool:
        """Whether a text excludes a section: it names no value that heads the section, but a rival of one.

        Not if the section's own text mentions the named value, unless a section of the same document is headed by that
        value. Nor if example questions of sections headed like it name that value, too: a store is paid by card, so a
        user who names a card may mean the store.
        """
        section, said = Section(document, heading), self.named(text)
        for value, named in self._rivals(said, section).items():
            sure = {rival for rival in named if (rival, said[rival], value) not in self._doubtful}
            if sure and (sure & self._headed[document] or not sure & self._named_in_texts(section)):
                return True
        return False

    def names_said(self, text: str, section: Section) -> bool:
        """Whether a section names a value that a text names: in its title, its heading or its own text."""
        head, said = self._heads.get(section), self.named(text)
        if head is None or not said:
            return False
        return not said.keys().isdisjoint((*head.values, *head.by_other_name, *self._named_in_texts(section)))

    def _rivals(self, said: Mapping[Value, float], section: Section) -> dict[Value, frozenset[Value]]:
        """For each value that heads a section its most certainly named rivals; {} if the section's own value is
        named."""
        head = self._heads.get(section)
        if not said or head is None or any(value in said for value in (*head.values, *head.by_other_name)):
            return {}
        found = {value: self.rivals[value].intersection(said) for value in head.values}
        surest = {value: max((said[rival] for rival in rivals), default=0.0) for value, rivals in found.items()}
        return {
            value: frozenset(one for one in rivals if said[one] == surest[value]) for value, rivals in found.items()
        }

    @cached_property
    def _doubtful(self) -> frozenset[tuple[Value, float, Value]]:
        """(named value, certainty, value of a section) where several example questions of the section name the value,
        so that it does not exclude the section."""
        seen: Counter[tuple[Value, float, Value]] = Counter()
        for section, head in self._heads.items():
            for question in self._questions.get(section, "").splitlines() if head.values else ():
                said = self.named(question)
                seen.update(
                    (rival, said[rival], value)
                    for value, named in self._rivals(said, section).items()
                    for rival in named
                )
        return frozenset(doubt for doubt, count in seen.items() if count >= MIN_DOUBTS)

    def names_own(self, text: str, document: str, heading: str) -> bool:
        """Whether a text names a value that heads a section."""
        head = self._heads.get(Section(document, heading))
        return head is not None and any(value in self.named(text) for value in (*head.values, *head.by_other_name))

    def _head(self, title: str, heading: str) -> _Head:
        """The values that title and heading name; a heading about several values names none."""
        plain = [text for text in (title, heading) if not _SEVERAL_VALUES.search(text)]
        found = {text: [value for value, how in self.named(text).items() if how == DIRECT_CERTAINTY] for text in plain}
        by_other_name = [
            (text, value)
            for text in plain
            for value, names in self._names.items()
            if any(_contains(terms(text, self._language), name) for name in names)
        ]
        alone = [
            value for text, value in by_other_name if not self.rivals[value].union([value]).intersection(found[text])
        ]
        values = (*(value for each in found.values() for value in each), *alone)
        return _Head(values, tuple(value for _, value in by_other_name), tuple(found.get(heading, ())))

    @cached_method(4_096)
    def _named_in_texts(self, section: Section) -> frozenset[Value]:
        """The values that the texts of a section name in the documents' words."""
        return frozenset(
            value for text in self._texts[section] for value, how in self.named(text).items() if how == DIRECT_CERTAINTY
        )

    def _names_of(self, value: Value) -> tuple[Value, ...]:
        """Other names of a value: single Latin or katakana words that are synonyms in both directions (iPhone, iOS)."""
        own = {value, self._phrases[value]}
        names = {
            phrase for each in own for phrases in self._thesaurus.synonyms_for(each).values() for phrase in phrases
        }
        return tuple(
            phrase
            for phrase in names - own
            if len(phrase) == 1
            and _NAME.fullmatch(phrase[0])
            and own.intersection(back for phrases in self._thesaurus.synonyms_for(phrase).values() for back in phrases)
        )

    @cached_method(1_024)
    def named(self, text: str) -> Mapping[Value, float]:
        """The values that a text names, with the certainty; not one that is part of a longer one."""
        if not self.rivals:
            return {}
        spoken = terms(text, self._language)
        words = tuple(map(_plain, _WORD.findall(normalize(text)))) if self._language == "en" else spoken
        line = _line(words)
        found = {value: DIRECT_CERTAINTY for value, part in self._lines.items() if part in line}
        stand = {phrase for phrases in self._thesaurus.synonyms_for(spoken).values() for phrase in phrases}
        for value in self.rivals:
            if value not in found and (value in stand or self._phrases[value] in stand):
                found[value] = SYNONYM_CERTAINTY
        parts = {value for value in found for other in found if len(other) > len(value) and _contains(other, value)}
        said = {value: how for value, how in found.items() if value not in parts}
        for value in self.rivals:  # iOS and iOS版 are the same value
            if value[:-1] in self.rivals:
                how = max(said.get(value, 0.0), said.get(value[:-1], 0.0))
                said |= {value: how, value[:-1]: how} if how else {}
        return said


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether words contain those of another text in a row."""
    return _line(part) in _line(words)


def _line(words: Sequence[str]) -> str:
    """Words as a text with a space on both sides of each."""
    return f" {' '.join(words)} "


def _without_shared(one: Value, two: Value, language: Script) -> tuple[Value, Value]:
    """Two Japanese values without their common ending, if each is then one Latin or katakana word: iOS版, Android版."""
    size = shared_ending_length(one, two)
    first, second = one[: len(one) - size], two[: len(two) - size]
    short = size and language == "ja" and all(len(value) == 1 and is_short_form(value[0]) for value in (first, second))
    return (first, second) if short else (one, two)


def _rivals_of_values(passages: Sequence[Passage], language: Script) -> dict[Value, frozenset[Value]]:
    """For each value those that are distinguished from it often enough."""
    places: defaultdict[tuple[Value, Value], set[Place]] = defaultdict(set)
    for heads in ({last_heading(passage.heading) for passage in passages}, {passage.title for passage in passages}):
        _add_headings(places, sorted(heads), language)
    for passage in passages:
        for table in tables(passage.text):
            _add(places, table[0][1:], language, ("column", passage.id))
            if len(table) <= MAX_CASE_ROWS:
                _add(places, [row[0] for row in table[1:]], language, ("row", passage.id))
    surely = {pair for pair, seen in places.items() if _counts(seen, MIN_PLACES)}
    found: defaultdict[Value, set[Value]] = defaultdict(set)
    for one, two in surely:
        found[one].add(two)
        found[two].add(one)
    near = {pair for pair, seen in places.items() if pair not in surely and _counts(seen, MIN_PLACES_WITH_THIRD)}
    for one, two in [pair for pair in near if found[pair[0]] & found[pair[1]]]:
        found[one].add(two)
        found[two].add(one)
    return {value: frozenset(rivals) for value, rivals in found.items() if rivals}


def _counts(seen: set[Place], least: int) -> bool:
    return len(seen) >= least and any(place[0] != "column" for place in seen)


def _add_headings(places: defaultdict[tuple[Value, Value], set[Place]], heads: Sequence[str], language: Script) -> None:
    """Add the values in which headings differ; the frame around them is the place."""
    frames: defaultdict[tuple[Value, Value], list[tuple[str, ...]]] = defaultdict(list)
    for head in heads:
        units = _units(head, language)
        for start in range(len(units)):
            for end in range(start + 1, min(len(units), start + MAX_VALUE_WORDS[language]) + 1):
                frames[tuple(units[:start]), tuple(units[end:])].append(tuple(units[start:end]))
    for (before, after), values in frames.items():
        if not 1 < len(values) <= MAX_FRAME_VALUES or not content_words(" ".join((*before, *after)), language):
            continue
        for one, two in combinations(values, 2):
            if one[0] != two[0] and one[-1] != two[-1] and not _is_action(before):  # else they differ in less
                _add(places, [" ".join(one), " ".join(two)], language, ("heading", *before, "", *after))


def _add(
    places: defaultdict[tuple[Value, Value], set[Place]], texts: Iterable[str], language: Script, place: Place
) -> None:
    """Add each pair of values; one text may join several ("iOS and Android")."""
    parted = [_JOINED.split(_BRACKETED.sub("", text)) for text in texts]
    values = [{_value(part, language) for part in parts} - {()} for parts in parted if len(parts) <= MAX_JOINED_VALUES]
    for these, those in combinations(values, 2):
        for one in these - those:
            for two in those - these:
                for first, second in {(one, two), _without_shared(one, two, language)}:
                    places[(first, second) if first < second else (second, first)].add(place)


def _is_action(before: Sequence[str]) -> bool:
    """Whether an English verb follows: "How to link"."""
    return before[-1:] == ("to",)


def _value(text: str, language: Script) -> Value:
    """The content words of a value; () for English ones that begin with a verb ("Closing a workspace")."""
    if language != "en":  # の: read as Japanese, Latin or not
        return content_words(f"{text}の" if language == "ja" else text, language)
    words = [word for word in _WORD.findall(text) if content_words(word, language)]
    return () if words and is_gerund(words[0]) else tuple(map(_plain, words))


def _plain(word: str) -> str:
    """An English word in lower case without a plural ending; other endings make a difference (month, monthly)."""
    return re.sub(r"(?<=[a-z]{3})(?<![su])s$", "", word.lower())


def _units(heading: str, language: Script) -> list[str]:
    """The words of a heading; a run of nouns in Japanese is one."""
    if language != "ja":
        return _WORD.findall(heading)
    found: list[str] = []
    open_run = False
    for each in japanese_words(normalize(heading)):
        surface = each.surface
        nominal = each.part in _NOMINAL or bool(_LATIN.fullmatch(surface)) or surface in "・ "
        if nominal and open_run:
            found[-1] += surface
        elif surface.strip():
            found.append(surface)
        open_run = nominal
    return [unit.strip() for unit in found]
