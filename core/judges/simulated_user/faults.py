"""The faults of a simulated user's turn that can be found without a model, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from rapidfuzz import fuzz

from core.base.types import Sample
from core.judges.reasons import quote
from core.judges.simulated_user.phrases import closes, in_other_language, reveals, sounds_like_support, takes_as_met
from core.judges.simulated_user.user_turn import UserTurn, share, user_turn_of
from core.text.fact_sheet import Fact
from core.text.language import content_words, script, sentences
from core.text.normalize import normalize
from core.text.numbers import Amount, amounts, is_among
from core.text.offered_choices import picked_choices
from core.text.questions import is_question
from core.text.reactions import says_unknown
from core.text.refusals import addresses_grader, is_refusal

Tag = Literal[
    "empty",
    "revealed",
    "spoke_as_desk",
    "wrong_language",
    "invented_fact",
    "off_intent",
    "stopped_early",
    "repeats",
    "gave_away",
    "left_persona",
    "other",
    "none",
]
TAGS: tuple[Tag, ...] = get_args(Tag)
MINOR_FAULTS = frozenset[Tag]({"repeats", "gave_away", "left_persona"})  # the bot can still be judged by its reply

MIN_ECHO_SIMILARITY = 92.0  # similarity (0 to 100) from which a turn echoes the bot's message
MIN_REPEAT_SIMILARITY = 96.0  # the same for the user's own earlier message
FACT_STATED_FROM = 0.5  # share of a fact's words from which a turn states the fact
REVEALED_FROM = 0.8  # share of the intent's words from which a first message gives it away
MIN_VOLUNTEERED = 2  # facts stated without a question from which a turn gives too much away
_MAX_COUNT = 3  # up to here, a figure without a unit is a count (one thing, the second time) and no fact
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
    """A fault of a turn, with its reason."""

    tag: Tag
    key: str  # of the sentence in reasons.toml
    details: dict[str, object]  # fill its placeholders


def fault(sample: Sample) -> Fault | None:
    """The gravest fault found; None without one."""
    turn = user_turn_of(sample)
    if not re.search(r"\w", turn.text):
        return Fault("empty", "empty", {})
    found = (check(turn) for check in _CHECKS)
    return next((one for one in found if one), None)


def _revealed(turn: UserTurn) -> Fault | None:
    words = reveals(turn.text, f"{turn.sheet}\n{turn.conversation}")
    addressed = next((part for part in sentences(turn.text) if addresses_grader(part)), "")
    return _quoted("revealed", "revealed", words or addressed)


def _staff(turn: UserTurn) -> Fault | None:
    words = sounds_like_support(turn.text, turn.sheet)
    if words:
        return _quoted("spoke_as_desk", "desk", words)
    plain = normalize(turn.text)
    echoed = (message for message in turn.bot_messages if min(len(plain), len(message)) >= 12)
    same = next((message for message in echoed if fuzz.ratio(plain, normalize(message)) >= MIN_ECHO_SIMILARITY), "")
    return _quoted("spoke_as_desk", "echo", same)


def _language(turn: UserTurn) -> Fault | None:
    spoken = " ".join(turn.user_messages) or turn.intent or turn.sheet
    if in_other_language(turn.text, spoken) and share(turn.text, turn.all) < FACT_STATED_FROM:
        return _quoted("wrong_language", "language", turn.text)
    return None


def _figure(turn: UserTurn) -> Fault | None:
    """A stated figure that neither the sheet nor the conversation has; asking about a figure is no fault."""
    if turn.first:
        return None
    known = turn.figures
    for part in sentences(turn.text):
        new = sorted(one for one in amounts(_stated(part)) if not is_among(one, known) and not _is_count(one))
        if new:
            return _quoted("invented_fact", "figure", new[0].text)
    return None


def _stated(part: str) -> str:
    """The stating part of a sentence: of a question only its first clause, if it has several."""
    if not is_question(part):
        return part
    first, *rest = re.split(r"[、,]|(?:です|ます)(?:が|けど)", part)
    return first if rest else ""


def _is_count(one: Amount) -> bool:
    return one.unit in _COUNTS and one.figure.isdigit() and int(one.figure) <= _MAX_COUNT


def _other_fact(turn: UserTurn) -> Fault | None:
    """Another value than the sheet's for a fact that the bot asked for, or another choice than the one on the sheet."""
    if turn.asks is None or _evades(turn.text):
        return None
    wrong = _other_choice(turn)
    if wrong:
        return wrong
    named = [fact for fact in turn.facts if fact.label and _names(turn.asks.text, fact.label)]
    if not named or any(share(fact.value, turn.text) >= FACT_STATED_FROM for fact in turn.facts):
        return None
    stated_before = any(share(fact.value, " ".join(turn.user_messages)) >= FACT_STATED_FROM for fact in named)
    says_intent = share(turn.text, turn.intent) >= FACT_STATED_FROM
    label, value = named[0].label, named[0].value
    if stated_before or says_intent or _respelt(value, turn.text) or not _new_words(turn):
        return None
    return Fault("invented_fact", "other_fact", {"label": label, "quote": quote(turn.text), "value": quote(value)})


def _respelt(value: str, text: str) -> bool:
    """Whether a turn may write a Latin name in katakana, which cannot be compared."""
    return value.isascii() and re.search(r"[ァ-ヶー]{3,}", text) is not None


def _other_choice(turn: UserTurn) -> Fault | None:
    plain = normalize(turn.text)
    picked = picked_choices(turn.choices, turn.text) or tuple(one for one in turn.choices if normalize(one) in plain)
    if len(picked) != 1 or len(turn.choices) < 2:
        return None
    wanted = f"{turn.intent}\n" + "\n".join(fact.value for fact in turn.facts)
    fits = {choice: _own_share(choice, turn.choices, wanted) for choice in turn.choices}
    best = max(turn.choices, key=lambda choice: fits[choice])
    if fits[best] >= REVEALED_FROM and not fits[picked[0]]:
        return Fault("invented_fact", "choice", {"quote": quote(picked[0]), "value": quote(best)})
    return None


def _own_share(choice: str, choices: tuple[str, ...], wanted: str) -> float:
    """Share of the words that only this choice has which the intent or the facts have, too."""
    others = frozenset(word for one in choices if one != choice for word in content_words(one))
    own = " ".join(word for word in content_words(choice) if word not in others)
    return share(own or choice, wanted)


def _evades(text: str) -> bool:
    """Whether a turn says that the user does not know, or says goodbye."""
    plain = normalize(text).replace("’", "'")
    return bool(_KNOWS_NOT.search(plain)) or says_unknown(text) or bool(closes(text))


def _names(question: str, label: str) -> bool:
    words = content_words(label)
    return normalize(label) in normalize(question) or (bool(words) and share(label, question) >= 1.0)


def _new_words(turn: UserTurn) -> tuple[str, ...]:
    """The content words of a turn that neither the sheet nor the conversation has."""
    return tuple(word for word in content_words(turn.text, script(turn.text)) if not share(word, turn.all))


def _off(turn: UserTurn) -> Fault | None:
    """An unprompted question or wish that shares no word with intent, facts or conversation."""
    if turn.first or turn.asks:
        return None
    wishes = " ".join(part for part in sentences(turn.text) if _asks(part))
    words = [word for word in content_words(wishes, script(wishes)) if len(word) > 1]
    stray = len(words) >= 3 and not any(share(word, turn.all) for word in words)
    return _quoted("off_intent", "off", wishes) if stray else None


def _asks(part: str) -> bool:
    """Whether a sentence asks or wishes for something; "isn't it?" does neither."""
    plain = normalize(part).replace("’", "'")
    return bool(_WISH.search(plain)) or (is_question(part) and not _TAGGED.search(plain))


def _stopped(turn: UserTurn) -> Fault | None:
    if turn.first or not turn.bot_messages:
        return None
    if turn.asks and (leave := closes(turn.text)) and not _KNOWS_NOT.search(normalize(turn.text)):
        return _quoted("stopped_early", "unanswered", leave) if not _answers(turn) else None
    if is_refusal(turn.bot_messages[-1]) and not re.search(r"[\[［【]\d", turn.bot_messages[-1]):
        return _quoted("stopped_early", "not_met", takes_as_met(turn.text))
    return None


def _answers(turn: UserTurn) -> bool:
    """Whether a turn that says goodbye answers the bot's question all the same."""
    known = turn.known + "\n" + "\n".join(turn.choices)
    return bool(share(turn.text, known)) or bool(
        turn.asks and re.search(r"(?:ほか|他)に|anything else", turn.asks.text)
    )


def _repeated(turn: UserTurn) -> Fault | None:
    """The words of an earlier message, though the bot did not repeat its question; "I don't know" may be repeated."""
    plain = normalize(turn.text)
    if says_unknown(turn.text) or len(plain) < 6 or picked_choices(turn.choices, turn.text):
        return None
    asked_again = len(turn.bot_messages) >= 2 and turn.bot_messages[-1] in turn.bot_messages[:-1]
    same = next(
        (message for message in turn.user_messages if fuzz.ratio(plain, normalize(message)) >= MIN_REPEAT_SIMILARITY),
        "",
    )
    return None if asked_again else _quoted("repeats", "again", same)


def _gave_away(turn: UserTurn) -> Fault | None:
    """A first message that states the hidden intent, or several facts that the bot did not ask for."""
    if turn.first:
        whole = len(content_words(turn.intent)) >= 3 and share(turn.intent, turn.text) >= REVEALED_FROM
        return _quoted("gave_away", "away", turn.text) if turn.kind == "vague" and whole else None
    hidden = [fact for fact in turn.facts if share(fact.value, turn.intent) < FACT_STATED_FROM]
    volunteered = [
        fact for fact in hidden if _tells(fact, turn.text) and not _tells(fact, "\n".join(turn.user_messages))
    ]
    open_question = turn.asks and _GENERAL.search(normalize(turn.asks.text))
    asked = [
        fact for fact in volunteered if turn.asks and (_names(turn.asks.text, fact.label) or fact.value in turn.choices)
    ]
    spare = len(volunteered) - len(asked)
    return _quoted("gave_away", "dump", turn.text) if spare >= MIN_VOLUNTEERED and not open_question else None


def _tells(fact: Fact, text: str) -> bool:
    return normalize(fact.value) in normalize(text) or share(fact.value, text) >= REVEALED_FROM


def _quoted(tag: Tag, key: str, words: str) -> Fault | None:
    return Fault(tag, key, {"quote": quote(words)}) if words.strip() else None


_CHECKS: tuple[Callable[[UserTurn], Fault | None], ...] = (
    _revealed,
    _staff,
    _language,
    _figure,
    _other_fact,
    _stopped,
    _off,
    _repeated,
    _gave_away,
)
