"""The faults of a simulated user's turn that can be computed, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from rapidfuzz import fuzz

from core.base.language import content, normalise, script, sentences
from core.base.talk import knows_not, picks
from core.base.types import Sample
from core.judge.text.amounts import Amount, among, amounts
from core.judge.text.refusal import is_plea, is_question, is_refusal
from core.judge.turn.reasons import quote
from core.judge.user.manner import closes, in_other_language, reveals, sounds_like_desk, takes_as_met
from core.judge.user.sheet import Fact, Material, material, share
from core.judge.user.verdict import Tag

ECHO = 92.0  # similarity (0 to 100) from which a turn is the desk's message over again
AGAIN = 96.0  # likewise for the user's own
HOLDS = 0.5  # share of a fact's words from which a turn tells that fact
GIVEN = 0.8  # share of the hidden need's words from which a first message gives it away
DUMPED = 2  # facts told that nobody asked for
_SMALL = 3  # up to here, a figure without a measure counts (one thing, the second time) and states no fact
_COUNTS = frozenset({"", "回", "個", "番", "time", "point", "question", "点", "件"})
_KNOWS_NOT = re.compile(
    r"(?:わか|分か|判)(?:りません|らない|らなく|りかね)|知りません|存じません|不明です|覚えて(?:い)?(?:ません|ない)|\b(?:do not|don't|not) (?:know|sure|remember|recall)\b|\bno idea\b|\bcan't (?:say|tell|remember)\b"
)
_WISH = re.compile(
    r"(?:知り|聞き|うかがい|伺い)たい(?:です|のです|ん|。|$)|教えて|\b(?:want|need|would like|i'd like|wish) to know\b|(?:^|please |could you |can you )tell me\b|\bi wonder\b"
)
_TAGGED = re.compile(
    r"(?:, (?:is|are|was|do|does|did|will|would|can|have|has)(?:n't)? (?:it|you|they|that|i|we)|(?:ですよね|でしょう))\s*\?\s*$"
)
_GENERAL = re.compile(
    r"詳し|くわし|具体的|もう少し|状況|どのようなこと|どんなこと|何について|\bmore (?:detail|about|information)|\bdetails\b|\bdescribe\b|\bexplain\b|\btell me (?:more|about)|\bwhat (?:exactly|happen|is the (?:problem|matter))"
)


class Fault(NamedTuple):
    """What is wrong, and the sentence (of say.toml) that says so with what fills its holes."""

    tag: Tag
    key: str
    details: dict[str, object]


def fault(sample: Sample) -> Fault | None:
    """The gravest fault found; none where nothing computable is wrong."""
    held = material(sample)
    if not re.search(r"\w", held.turn):
        return Fault("empty", "empty", {})
    found = (check(held, sample) for check in _CHECKS)
    return next((one for one in found if one), None)


def _revealed(held: Material, sample: Sample) -> Fault | None:
    words = reveals(held.turn, f"{sample.facts}\n{sample.intent}\n{held.heard}")
    plea = next((part for part in sentences(held.turn) if is_plea(part)), "")
    return _quoted("revealed", "revealed", words or plea)


def _desk(held: Material, sample: Sample) -> Fault | None:
    words = sounds_like_desk(held.turn, f"{sample.facts}\n{sample.intent}")
    if words:
        return _quoted("spoke_as_desk", "desk", words)
    plain = normalise(held.turn)
    echoed = (said for said in held.theirs if min(len(plain), len(said)) >= 12)
    same = next((said for said in echoed if fuzz.ratio(plain, normalise(said)) >= ECHO), "")
    return _quoted("spoke_as_desk", "echo", same)


def _language(held: Material, sample: Sample) -> Fault | None:
    spoken = " ".join(held.mine) or sample.intent or sample.facts
    if in_other_language(held.turn, spoken) and share(held.turn, held.all) < HOLDS:
        return _quoted("wrong_language", "language", held.turn)
    return None


def _figure(held: Material, sample: Sample) -> Fault | None:
    """A figure that neither the sheet nor the conversation has; one that is only asked about is none of its facts."""
    del sample
    if held.first:
        return None
    known = held.figures
    for part in sentences(held.turn):
        new = sorted(one for one in amounts(_stated(part)) if not among(one, known) and not _is_count(one))
        if new:
            return _quoted("invented_fact", "figure", new[0].text)
    return None


def _stated(part: str) -> str:
    """What a sentence states: of a question only what comes before its last clause."""
    return (
        re.split(r"[、,]|(?:です|ます)(?:が|けど)", part)[0]
        if is_question(part) and re.search(r"[、,]|(?:です|ます)(?:が|けど)", part)
        else ""
        if is_question(part)
        else part
    )


def _is_count(one: Amount) -> bool:
    return one.unit in _COUNTS and one.figure.isdigit() and int(one.figure) <= _SMALL


def _other_fact(held: Material, sample: Sample) -> Fault | None:
    """The bot asked for a fact of the sheet, or offered choices of which one is on it, and the turn says another."""
    del sample
    if held.asks is None or _evades(held.turn):
        return None
    wrong = _other_choice(held)
    if wrong:
        return wrong
    named = [fact for fact in held.facts if fact.label and _names(held.asks.text, fact.label)]
    if not named or any(share(fact.value, held.turn) >= HOLDS for fact in held.facts):
        return None
    new = _new_words(held)
    told = any(share(fact.value, " ".join(held.mine)) >= HOLDS for fact in named)
    if not new or told or share(held.turn, held.intent) >= HOLDS or _respelt(named[0].value, held.turn):
        return None
    return Fault(
        "invented_fact",
        "other_fact",
        {"label": named[0].label, "quote": quote(held.turn), "value": quote(named[0].value)},
    )


def _respelt(value: str, turn: str) -> bool:
    """Whether a turn may write a Latin name in katakana, which cannot be compared."""
    return value.isascii() and re.search(r"[ァ-ヶー]{3,}", turn) is not None


def _other_choice(held: Material) -> Fault | None:
    plain = normalise(held.turn)
    picked = picks(held.choices, held.turn) or tuple(one for one in held.choices if normalise(one) in plain)
    if len(picked) != 1 or len(held.choices) < 2:
        return None
    wanted = f"{held.intent}\n" + "\n".join(fact.value for fact in held.facts)
    fits = {choice: _own_share(choice, held.choices, wanted) for choice in held.choices}
    best = max(held.choices, key=lambda choice: fits[choice])
    if fits[best] >= GIVEN and not fits[picked[0]]:
        return Fault("invented_fact", "choice", {"quote": quote(picked[0]), "value": quote(best)})
    return None


def _own_share(choice: str, choices: tuple[str, ...], wanted: str) -> float:
    """Share of the words that set a choice apart from the others which the need or the facts hold."""
    others = frozenset(word for one in choices if one != choice for word in content(one))
    own = " ".join(word for word in content(choice) if word not in others)
    return share(own or choice, wanted)


def _evades(turn: str) -> bool:
    """Whether a turn says that it does not know, or asks instead of answering, or takes its leave."""
    plain = normalise(turn).replace("’", "'")
    return bool(_KNOWS_NOT.search(plain)) or knows_not(turn) or bool(closes(turn))


def _names(question: str, label: str) -> bool:
    words = content(label)
    return normalise(label) in normalise(question) or (bool(words) and share(label, question) >= 1.0)


def _new_words(held: Material) -> tuple[str, ...]:
    """The content words of a turn that neither the sheet nor the conversation has."""
    return tuple(word for word in content(held.turn, script(held.turn)) if not share(word, held.all))


def _off(held: Material, sample: Sample) -> Fault | None:
    """A question or a wish, not asked for, that shares no word with need, facts or conversation."""
    del sample
    if held.first or held.asks:
        return None
    wishes = " ".join(part for part in sentences(held.turn) if _asks(part))
    words = [word for word in content(wishes, script(wishes)) if len(word) > 1]
    stray = len(words) >= 3 and not any(share(word, held.all) for word in words)
    return _quoted("off_intent", "off", wishes) if stray else None


def _asks(part: str) -> bool:
    """Whether a sentence asks or wishes for something; "isn't it?" does neither."""
    plain = normalise(part).replace("’", "'")
    return bool(_WISH.search(plain)) or (is_question(part) and not _TAGGED.search(plain))


def _stopped(held: Material, sample: Sample) -> Fault | None:
    del sample
    if held.first or not held.theirs:
        return None
    if held.asks and (leave := closes(held.turn)) and not _KNOWS_NOT.search(normalise(held.turn)):
        return _quoted("stopped_early", "unanswered", leave) if not _answers(held) else None
    if is_refusal(held.theirs[-1]) and not re.search(r"[\[［【]\d", held.theirs[-1]):
        return _quoted("stopped_early", "not_met", takes_as_met(held.turn))
    return None


def _answers(held: Material) -> bool:
    """Whether a turn that takes its leave tells something all the same."""
    known = held.known + "\n" + "\n".join(held.choices)
    return bool(share(held.turn, known)) or bool(
        held.asks and re.search(r"(?:ほか|他)に|anything else", held.asks.text)
    )


def _again(held: Material, sample: Sample) -> Fault | None:
    """The same words as before, though the bot has not asked the same again and there was more to say than a shrug."""
    del sample
    plain = normalise(held.turn)
    if knows_not(held.turn) or len(plain) < 6 or picks(held.choices, held.turn):
        return None
    asked_again = len(held.theirs) >= 2 and held.theirs[-1] in held.theirs[:-1]
    same = next((said for said in held.mine if fuzz.ratio(plain, normalise(said)) >= AGAIN), "")
    return None if asked_again else _quoted("repeats", "again", same)


def _gave_away(held: Material, sample: Sample) -> Fault | None:
    """A first message that tells the hidden need, or facts by the handful that nobody asked for."""
    if held.first:
        whole = len(content(held.intent)) >= 3 and share(held.intent, held.turn) >= GIVEN
        return _quoted("gave_away", "away", held.turn) if sample.kind == "vague" and whole else None
    kept = [fact for fact in held.facts if share(fact.value, held.intent) < HOLDS]
    told = [fact for fact in kept if _tells(fact, held.turn) and not _tells(fact, "\n".join(held.mine))]
    open_question = held.asks and _GENERAL.search(normalise(held.asks.text))
    asked = [fact for fact in told if held.asks and (_names(held.asks.text, fact.label) or fact.value in held.choices)]
    spare = len(told) - len(asked)
    return _quoted("gave_away", "dump", held.turn) if spare >= DUMPED and not open_question else None


def _tells(fact: Fact, text: str) -> bool:
    return normalise(fact.value) in normalise(text) or share(fact.value, text) >= GIVEN


def _quoted(tag: Tag, key: str, words: str) -> Fault | None:
    return Fault(tag, key, {"quote": quote(words)}) if words.strip() else None


_CHECKS: tuple[Callable[[Material, Sample], Fault | None], ...] = (
    _revealed,
    _desk,
    _language,
    _figure,
    _other_fact,
    _stopped,
    _off,
    _again,
    _gave_away,
)
