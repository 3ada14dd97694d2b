"""The kind of a text by its wording alone, as a whole or clause by clause."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.bot.message_kind.clauses import message_clauses
from core.bot.message_kind.despair import despair_probability
from core.text.distress.classifiers import IN_CONTEXT_FROM, incident, is_figure_of_speech, mood_probabilities
from core.text.distress.distress import GRAVE, distress_of
from core.text.distress.exclusions import asks_what_if
from core.text.distress.sympathy import MILD
from core.text.language import content_words, predicates
from core.text.normalize import normalize
from core.text.questions import asks
from core.text.reactions import asks_to_confirm
from core.text.small_talk_patterns import wants_human_agent

# Probability of small talk from which a message counts as it.
SMALL_TALK_FROM = 0.5
# Probability of small talk from which a message that a section covers or answers counts as it.
COVERED_FROM = 0.8
# Probability from which a kind is certain.
SURE_FROM = 0.85
# Probability from which the user wants a human agent, whatever the documents say.
HUMAN_AGENT_FROM = 0.6
# Probability from which a message that a section covers counts as an emergency.
EMERGENCY_FROM = 0.65
# Probability of a danger to life from which nothing is declined as unrelated.
MAY_BE_DANGER_FROM = 0.4
# Probability from which a message that the documents do not cover is unrelated to any help desk.
UNRELATED_FROM = 0.3
# Probability from which a kind that is rarely a question (STATEMENT_KINDS) counts if nothing is asked.
STATEMENT_FROM = 0.45
# Probability of a request from which one clause makes the whole message one.
REQUEST_CLAUSE_FROM = 0.7
# Content words of a clause that says what a complaint is about.
MIN_MATTER_WORDS = 2
# Share of a message's content words, by idf, from which a section covers it.
COVERED_SHARE = 0.6
# Share of a message's content words, by idf, from which a section touches it.
TOUCHED_SHARE = 0.3
# How many times as likely as a request small talk must be if a section touches the message.
TOUCHED_RATIO = 2.0
# How many times as likely as a request chat must be if no section touches the message.
CHAT_RATIO = 1.5
# Kinds that are rarely questions.
STATEMENT_KINDS: frozenset[MessageKind] = frozenset({"thanks", "praise", "farewell", "greeting", "attack"})
GRATEFUL_KINDS: tuple[MessageKind, ...] = ("thanks", "praise")
# Kinds that a request of a word or two is easily taken for.
EASILY_CONFUSED_KINDS: frozenset[MessageKind] = frozenset({"greeting", "chat", "abilities", "praise"})
# Probability from which the clauses of a message that ask are about who the bot is.
ASKED_OF_BOT_FROM = 0.7
# Kinds unrelated to any help desk, unless a section covers them.
UNRELATED_KINDS: tuple[MessageKind, ...] = ("outside", "jobs")
# The kinds by importance: the most important one of several clauses decides.
PRIORITY: tuple[MessageKind, ...] = (
    "attack",
    "distress",
    "emergency",
    "human_agent",
    "insult",
    "jobs",
    "outside",
    "abilities",
    "identity",
    "chat",
    "praise",
    "farewell",
    "thanks",
    "greeting",
)
# Probability of distress by wording from which a message is distress.
SURELY_DISTRESS_FROM = 0.8
# Probability of despair by meaning from which a message that sounds like distress is distress.
DESPAIR_AGREES_FROM = 0.3


def kind_of_whole(text: str, kind: MessageKind, coverage: float, is_off_topic: bool = False) -> MessageKind:
    """The likeliest kind of a text, or "request"; the first row that applies decides.

    `coverage`: of the best section; `is_off_topic`: the documents surely do not cover the text's matter.

    | the text | kind |
    |---|---|
    | is outside of any desk, and may report a danger to life | request |
    | is outside of any desk, off topic, and likelier outside than a request | outside |
    | says too little for an emergency or distress (`_says_too_little`) | request |
    | asks "what if" and is of an easily confused kind that is not certain | request |
    | is of an unrelated kind that is not likely, or a section covers it | request |
    | is of a kind that is rarely a question, and that is not likely enough | request |
    | likely wants a human agent | human_agent |
    | is not so many times likelier small talk than a request; more if a section touches it | request |
    | is an emergency | emergency if likely enough, else request |
    | is any other | the kind if small talk is likely enough, more so if a section covers it, else request |
    """
    probabilities, is_question = kind_probabilities(text), asks(text)
    likely, request = probabilities[kind], probabilities["request"]
    if kind == "outside" and mood_probabilities(text)["danger"] >= MAY_BE_DANGER_FROM:
        return "request"  # never declined
    if kind == "outside" and is_off_topic and likely >= max(UNRELATED_FROM, request):
        return kind
    if _says_too_little(text, kind):
        return "request"
    grateful = kind in GRATEFUL_KINDS and not is_question
    if grateful and is_off_topic:
        coverage = min(coverage, TOUCHED_SHARE)  # words that any section may have
    if kind in EASILY_CONFUSED_KINDS and is_question and likely < SURE_FROM and asks_what_if(normalize(text)):
        return "request"  # what if it rains?
    if kind in UNRELATED_KINDS and (likely < SMALL_TALK_FROM or coverage >= COVERED_SHARE):
        return "request"
    if kind in STATEMENT_KINDS and likely < (SURE_FROM if is_question else STATEMENT_FROM):
        return "request"
    if kind == "human_agent" and (likely >= HUMAN_AGENT_FROM or (wants_human_agent(text) and not is_question)):
        return kind  # whatever it is about
    required_ratio = TOUCHED_RATIO if coverage >= TOUCHED_SHARE else CHAT_RATIO if kind == "chat" else 1
    combined = (
        math.fsum(probabilities[one] for one in GRATEFUL_KINDS) if grateful else likely
    )  # thanks and praise get nearly the same reply
    if combined < required_ratio * request:
        return "request"
    if kind == "emergency":
        return kind if likely >= EMERGENCY_FROM else "request"
    return kind if 1 - request >= (COVERED_FROM if coverage >= COVERED_SHARE else SMALL_TALK_FROM) else "request"


def _says_too_little(text: str, kind: MessageKind) -> bool:
    """Whether a text names nothing that an emergency could be about, or is a single word that is hardly distress."""
    if kind == "emergency":
        return not set(content_words(text)) - predicates(text)  # lost, but what? First steps would be a guess
    if kind != "distress" or kind_probabilities(text)[kind] >= SURE_FROM:
        return False
    return len(content_words(text)) <= 1 and distress_of(text).trouble is None  # 消えた, "dead": a note, or a screen


def kind_of_clauses(text: str) -> MessageKind | None:
    """The kind of a message of several clauses; None if no row applies, and for a message of one clause.

    | a clause | kind |
    |---|---|
    | is surely an attack | attack |
    | asks, follows thanks, or says what a complaint is about | request |
    | is surely distress, and the message is no worried request, nor asks to confirm ("so I can't, right?") | distress |
    | wants a human agent | human_agent |
    | all that ask are about who the bot is, and no other is likely a request that names something | identity |
    | all are surely small talk | the most important one (`PRIORITY`) |
    """
    parts = message_clauses(text)
    if len(parts) < 2:
        return None
    kinds: list[MessageKind] = [_kind_of_clause(part) for part in parts]
    requests = [part for part, kind in zip(parts, kinds, strict=True) if kind == "request"]
    wanted = [part for part in requests if kind_probabilities(part)["request"] >= REQUEST_CLAUSE_FROM and asks(part)]
    if any(
        kind == "attack" and kind_probabilities(part)[kind] >= SURE_FROM
        for part, kind in zip(parts, kinds, strict=True)
    ):
        return "attack"
    likeliest = likeliest_kind(text, PRIORITY)
    if wanted or (
        kinds[-1] == "request" and likeliest in GRATEFUL_KINDS and not _is_surely(likeliest, text, parts[-1])
    ):
        return "request"
    if likeliest == "insult" and any(map(_names_matter_of_request, requests)):
        return "request"
    has_distress_clause = any(
        _kind_of_clause(part) == "distress" and kind_probabilities(part)["distress"] >= SURE_FROM for part in parts
    )
    if has_distress_clause and not _only_worries(text) and not asks_to_confirm(text):
        return "distress"
    if any(map(wants_human_agent, parts)):
        return "human_agent"
    asked = [(part, kind) for part, kind in zip(parts, kinds, strict=True) if asks(part)]
    none_is = math.prod(1 - kind_probabilities(part)["identity"] for part, _ in asked)
    asks_who = bool(asked) and all(kind == "identity" for _, kind in asked) and 1 - none_is >= ASKED_OF_BOT_FROM
    if asks_who and not any(map(_names_matter_of_request, requests)):
        return "identity"
    is_sure = all(
        kind != "request" and kind_probabilities(part)[kind] >= SURE_FROM
        for part, kind in zip(parts, kinds, strict=True)
    )
    return min(kinds, key=PRIORITY.index) if is_sure else None


def _is_surely(kind: MessageKind, text: str, last: str) -> bool:
    """Whether a text is surely of a kind, and its last clause no request ("great class, loved every minute")."""
    if asks(last):
        return False
    return kind_probabilities(text)[kind] >= SURE_FROM and kind_probabilities(last)["request"] < REQUEST_CLAUSE_FROM


def _names_matter_of_request(clause: str) -> bool:
    """Whether a clause likely is a request and names something ("your machine ate my card")."""
    return (
        kind_probabilities(clause)["request"] >= REQUEST_CLAUSE_FROM and len(content_words(clause)) >= MIN_MATTER_WORDS
    )


def _only_worries(text: str) -> bool:
    """Whether a message with a distress clause is a worried request: "I am about to cry, it won't load"."""
    is_mild = distress_of(text).feeling in MILD and kind_probabilities(text)["distress"] < IN_CONTEXT_FROM
    return is_mild and despair_probability(text) < DESPAIR_AGREES_FROM


def _kind_of_clause(text: str) -> MessageKind:
    """The kind of a clause; "request" if no other kind is likely.

    A single word ("give it back") is too little for an attack.
    """
    if wants_human_agent(text):
        return "human_agent"
    kind = kind_of_whole(text, likeliest_kind(text, PRIORITY), 0.0)
    if kind == "attack" and len(content_words(text)) < 2:
        return "request"
    return kind if kind_probabilities(text)[kind] >= SMALL_TALK_FROM else "request"


def asks_matter(text: str) -> bool:
    """Whether a clause asks for something other than a talk or a listener."""
    return any(
        asks(part) and _kind_of_clause(part) == "request" and incident(part) == "none" for part in message_clauses(text)
    )


def is_distress(text: str) -> bool:
    """Whether what sounds like distress is distress: by a reported trouble, certain wording, or its meaning."""
    trouble = distress_of(text).trouble
    is_reported = trouble in (*GRAVE, "bereavement") or (trouble == "weariness" and not asks(text))
    surely = is_reported or kind_probabilities(text)["distress"] >= SURELY_DISTRESS_FROM
    return surely or despair_probability(text) >= DESPAIR_AGREES_FROM


def likeliest_kind(text: str, among: Sequence[MessageKind]) -> MessageKind:
    probabilities = kind_probabilities(text)
    ranked: list[MessageKind] = sorted(among, key=lambda kind: -probabilities[kind])
    best = ranked[0]
    if best == "distress" and (is_figure_of_speech(text) or not is_distress(text)):
        return ranked[1]  # dying of boredom
    return best
