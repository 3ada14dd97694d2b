"""Fit core/text/distress/incidents.json: what bad thing has happened to the writer of a message, if any?

    python -m benchmarks.fit_incidents [--write]

Multinomial logistic regression over the character n-grams of incident_examples.toml, each line with some of the words
that may stand in it. More messages that tell of nothing are the example questions of the bundled bots, but for those of
sections about such things: three of four are learned from, whole and clause by clause, the fourth is only tested on; and
messages of daily life (daily.jsonl) and what people say around a question (everyday_frames.jsonl).
Reported: five-fold cross-validation, no line in two folds, and how many tested questions pass for an incident.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from sklearn.metrics import classification_report

from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines
from benchmarks.ngram_fit import fit, held_out, probabilities, write
from core.base.bot_folder import load_bot
from core.bot.message_kind.clauses import message_clauses
from core.documents.example_questions import read_example_questions
from core.text.distress.classifiers import INCIDENT_FROM, INCIDENT_IN_PART_FROM, INCIDENTS, parts_of

DAILY = Path(__file__).with_name("daily.jsonl")
FRAMES = Path(__file__).with_name("everyday_frames.jsonl")
FOLDER = Path(__file__).parents[1] / "core" / "text" / "distress"
BOTS = ("harbor", "hinata", "minato")
VARIANTS = 6  # of a line with words to choose from
EVERY = 4  # of the example questions to learn from, one in so many is
STRENGTH = 30  # scikit-learn's C
SMALL = 4  # tenths: n-grams with no weight as large are left out
_ABOUT_SUCH = re.compile(  # headings of sections that people ask for when something bad has happened
    r"亡くな|死亡|忌引|慶弔|紛失|盗難|なくし|不正|乗っ取|身に覚え|ウイルス|漏えい|ハラスメント|通報|迷惑|個人情報|なりすまし|メンタル|ストレス|事故|けが|労災|避難|火災|熱中症|産業医|休職"
    r"|セキュリティ|新しい端末|偽|不審|権利侵害|ブロック|誤|救急|death|died|deceased|lost|stolen|hack|unauthor|unknown device|false|phish|danger|abuse|report|not allowed|suspicious"
    r"|someone else|someone changed|did not make|legacy|unwanted|undoing|have disappeared|trademark",
    re.IGNORECASE,
)
_EXAGGERATED = re.compile(
    r"死|殺|疲|眠|寝|忙|徹夜|へとへと|くたくた|ぐったり|\bkill|\bd(?:ie|ead|ying)\b|\btired|\bexhaust|\bbusy|\bsle(?:ep|pt)|\bawake|\bworn out",
    re.IGNORECASE,
)
_WORD = re.compile(r"\{(\w+)\}")


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    learned, tested = plain_questions()
    texts, kinds, groups, own = training_set(examples(), [part for text in learned for part in (text, *parts_of(text))])
    print(classification_report(kinds, held_out(texts, kinds, own, groups, STRENGTH), digits=2))
    known = fit(texts, kinds, own, STRENGTH)
    place = list(known.logistic.classes_).index("none")
    whole = probabilities(known, tested)[:, place]
    wrong = sum(bool(chance <= 1 - INCIDENT_FROM) for chance in whole)
    parts = [part for text in tested for part in parts_of(text)]
    wrong_parts = sum(bool(chance <= 1 - INCIDENT_IN_PART_FROM) for chance in probabilities(known, parts)[:, place])
    print(
        f"{wrong} of {len(tested)} tested questions and {wrong_parts} of their {len(parts)} parts pass for an incident"
    )
    if options.write:
        write(known, INCIDENTS, FOLDER / "incidents.json", "fit_incidents.py", SMALL)


def plain_questions() -> tuple[list[str], list[str]]:
    """Messages that tell of nothing bad, to learn from (example questions of the bundled bots, one of EVERY in three
    quarters, and messages of daily life) and to test on (the last quarter)."""
    asked = questions()
    cut = len(asked) * 3 // 4
    return asked[:cut:EVERY] + quiet_messages() + everyday_talk(FRAMES), asked[cut:]


def everyday_talk(file: Path) -> list[str]:
    """What people say around a question, clause by clause; without what sounds like a danger or like
    weariness."""
    around = (part for row in lines(file) for part in row["text"].split("{q}"))
    found = dict.fromkeys(clause for part in around for clause in message_clauses(part.strip(" 、,，:：;\n")))
    return [clause for clause in found if not _EXAGGERATED.search(clause)]


def quiet_messages() -> list[str]:
    """The messages of daily.jsonl that tell of nothing bad."""
    return [one["text"] for one in lines(DAILY) if not one.get("bad")]


def training_set(
    lines: list[tuple[str, str, int]], plain: list[str]
) -> tuple[list[str], list[str], list[int], set[str]]:
    """(texts, kinds, groups, the texts of our own): the lines of examples, and plain texts of no kind, each a group of its own."""
    own = {text for text, _, _ in lines}
    numbers = range(len(lines), len(lines) + len(plain))
    every = [*lines, *((text, "none", number) for text, number in zip(plain, numbers, strict=True))]
    return [text for text, _, _ in every], [kind for _, kind, _ in every], [group for _, _, group in every], own


def examples(file: str = "incident_examples.toml") -> list[tuple[str, str, int]]:
    """(text, its kind, the number of its line): each line of a file with some of the words for its places."""
    stored = tomllib.loads((FOLDER / file).read_text("utf-8"))
    words = {name: _lines(text) for name, text in stored.pop("words").items()}
    chance = random.Random(1)
    lines = [(line, kind) for kind, both in stored.items() for text in both.values() for line in _lines(text)]
    return [
        (text, kind, number)
        for number, (line, kind) in enumerate(lines)
        for text in sorted({_filled(line, words, chance) for _ in range(VARIANTS)})
    ]


def _filled(line: str, words: Mapping[str, list[str]], chance: random.Random) -> str:
    return _WORD.sub(lambda found: chance.choice(words[found[1]]), line)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def questions() -> list[str]:
    """The example questions of the bundled bots that one section answers and that tell of nothing bad, in random order."""
    found: list[str] = []
    for name in BOTS:
        stored = read_example_questions(load_bot(name))
        times = Counter(one.question for one in stored)
        alone = [one for one in stored if one.heading and times[one.question] == 1]
        found += [one.question for one in alone if not _ABOUT_SUCH.search(one.heading)]
    random.Random(2).shuffle(found)
    return found


if __name__ == "__main__":
    main()
