"""Whether the last message of a conversation is small talk, read beside what the documents hold."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache

from core.base.types import Hit, Message, Topic
from core.bot.evidence import documented_probability, has_examples, is_documented, section_probabilities
from core.bot.response import is_confident
from core.bot.small_talk.classifier import TalkKind, talk_probabilities
from core.bot.small_talk.job_requests import seeks_job
from core.bot.small_talk.telephone import wishes_call
from core.text.answer_kinds import AnswerKind, asked_kinds
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.conversation import (
    is_clarifying_question,
    is_unhelped,
    picked_choices,
    rejects_choices,
    says_unknown,
)
from core.text.distress.distress import DANGERS, GRAVE, distress_of
from core.text.distress.emergencies import is_forgotten
from core.text.distress.incidents import incident
from core.text.distress.moods import is_figure_of_speech, mood_probabilities, moods
from core.text.distress.sympathy import MILD, PRACTICAL
from core.text.language import clauses, content_words, predicates, sentences
from core.text.message_questions import own_things
from core.text.questions import asks, asks_in_earnest
from core.text.talk_patterns import asks_if_machine, only_thanks

LOOK = 6  # sections or passages that are looked at
LIKELY, CERTAIN = 0.5, 0.85  # probability from which a message counts as small talk; although a section covers it
ANSWERS, SPOKEN_OF = 0.5, 0.9  # probability that a section answers, and that the documents speak of the matter
URGENT = 0.65  # probability from which a message that a section covers counts as an emergency
AS_A_REPLY = 0.9  # and as a reply to a clarifying question
AHEAD, TOUCHED = 2, 0.3  # times as likely as a request, if a section covers this much of the message
SOMEWHAT = 1.5  # times as likely as a request that chat must be even if none does
COVERED = 0.6  # share of a message's content words, by idf, from which a section speaks of it
FIGURE_WORDS = 3  # content words of a clause that is only a figure of speech
EMPTY_FROM = 0.97  # probability from which a clause is left out of what is searched for
EMPTY_WORDS = 3  # content words of a clause that says nothing of a matter
SCOLDING = 0.25  # probability from which a clause beside the wish for a person scolds
MAY_BE_DANGER = 0.4  # probability of a danger to a life from which nothing is declined as far off
FAR_OFF = 0.3  # probability from which a message of which the documents do not speak is far from every help desk
ASKED = 0.7  # probability from which one sentence of a message makes the whole a request
SHORT, MATTER = 2, 3  # content words of a follow-up, and of somebody who says what a person is wanted for
TOLD: frozenset[TalkKind] = frozenset({"thanks", "praise", "farewell", "greeting", "attack"})  # hardly ever questions
SAID = 0.45  # probability from which they count if nothing is asked
WANTED = 0.6  # probability from which somebody wants a person, whatever the documents hold
LIKELY_MATTER = 0.3  # probability of a section from which it is what an angry message is about
NAMED_WORDS, NAMED_SHARE = (
    2,
    0.2,
)  # its content words, and the share that the first section has, from which it names a matter
PERSON_WORDS = {  # of who asks for a person and says nothing else
    "ja": "人 人間 担当 担当者 係 者 オペレーター 有人 スタッフ 社員 責任者 誰か 誰 直接 話す 話 会話 繋ぐ 代わる 替わる 呼ぶ 出す 電話 連絡 連絡先 問い合わせ 問い合わせる "
    "窓口 サポート チャット 対応 案内 今すぐ 早く ボット 機械 自動 応答 違う 方 直ぐ 至急 掛ける かける 番 番号 受付 頼む",
    "en": "human person people agent operator representative rep staff someone somebody anyone anybody real live talk speak chat "
    "connect transfer call phone put through reach contact support team employee manager advisor bot machine robot now right "
    "let give get instead ask soon quickly today real actual desk service customer",
}
VALUES: frozenset[AnswerKind] = frozenset({"money", "count"})  # what is not asked for while it burns
GRAVEST: tuple[TalkKind, ...] = ("attack", "distress", "emergency")  # one clause of these decides
EMPTY: tuple[TalkKind, ...] = (
    "greeting",
    "thanks",
    "farewell",
    "praise",
    "person",
    "identity",
    "chat",
)  # say nothing of a matter
_GRATITUDE = re.compile(  # more than yes and no, which reply to a question
    r"ありがと|感謝|助か|どうも|サンキュ|サンクス|解決|直り|直った|でき(?:た|まし)|\b(?:thank\w*|thx|ty|cheers|appreciate\w*|solved|sorted|works?|worked)\b",
    re.IGNORECASE,
)
_WANTS_PERSON = re.compile(
    r"(?:担当(?:の方|の人|者)?|係の(?:方|人)|責任者|オペレーター|人間|(?:誰か)?(?:ほかの|他の)?人)(?:の方)?(?:と|に|を|へ)(?:直接)?"
    r"(?:お?話(?:し?たい|し?させ|せ(?:ます|ない)|がしたい|しできますか)|代わ|替わ|かわっ|つな|繋|出して|お願い(?:し|で|$)|呼んで|相談したい)"
    r"|(?:人間|オペレーター|責任者|担当者|社員|上の(?:人|者))を?(?:出(?:して|せ|しな)|呼(?:んで|べ))"
    r"|\b(?:speak|talk|chat) (?:to|with) (?:a |an |some |one of )?(?:\w+ )?(?:person|human|people|somebody|someone|agent|operator|representative|manager)\b"
    r"|\b(?:want|need|demand|require) (?:a |an |some |to have a )?(?:(?:real|actual|live|living|proper|human) ){1,2}(?:human(?: being)?|person|being|agent|operator|representative|manager|one)?(?=[.!,?]|$| now| please| on the (?:line|phone))"
    r"|\b(?:want|need|demand|require) (?:a |an )?(?:human(?: being)?|person|operator|manager)(?=[.!]|$| now| please| on the (?:line|phone))"
    r"|\b(?:get|give|put) me (?:\w+ )?(?:a |an |through to )(?:\w+ )?(?:person|human|somebody|someone|agent|operator|representative|manager)\b",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(  # what is asked when nobody is in danger any more
    r"労災|手続|申請|届|書類|報告書|休(?:み|暇|め|業)|給料|給与|手当|補償|保険|\b(?:leave|days? off|time off|paperwork|forms?|claims?|insurance|sick pay|compensation)\b",
    re.IGNORECASE,
)
_IMPATIENT = re.compile(
    r"もういい|いいから|いい加減|いいかげん|(?:出せ|呼べ|呼んでこい|代われ|替われ|かわれ|つなげ|繋げ|回せ)(?:よ|や|って)?[!！。]*$|(?:じゃ|では)なくて?"
    r"|\b(?:enough|just (?:get|give|let|put)|hopeless|useless|demand|sick of|done with|stop|waste|not a (?:bot|robot|machine)|now|already|forget it|for (?:god|heaven|goodness)['’]?s?)\b",
    re.IGNORECASE,
)
REPLIES: frozenset[TalkKind] = frozenset({"thanks", "farewell", "insult", "person", "attack", "distress"})
GRATEFUL: tuple[TalkKind, ...] = ("thanks", "praise")
LIGHT: frozenset[TalkKind] = frozenset(
    {"greeting", "chat", "abilities", "identity", "praise"}
)  # a word or two is easily taken for
FAR: tuple[TalkKind, ...] = ("outside", "jobs")  # matters of no help desk, unless a section covers them
TENTATIVE: tuple[TalkKind, ...] = (*FAR, "attack", "abilities")  # what short messages without a subject pass for
# Of several sentences the one that matters most decides.
ORDER: tuple[TalkKind, ...] = (
    "attack",
    "distress",
    "emergency",
    "person",
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


def talk_kind(messages: Sequence[Message], found: Sequence[Topic | Hit] | None, passage_count: int) -> TalkKind:
    """The kind of small talk that the last message is, or "request", read beside the sections or passages found for it.

    `found`: best first, None if nothing was searched for; `passage_count`: out of how many passages.
    """
    is_searched, found = found is not None, (found or ())[:LOOK]
    covered = max((one.coverage for one in found), default=0.0)
    is_known = found and (not has_examples(found) or is_documented(messages[-1].text, found, passage_count))
    unspoken = is_searched and not is_known
    kind = kind_by_coverage(messages, covered, unspoken)
    return "request" if kind in LIGHT and _is_answered(messages[-1].text, kind, found) else kind


def _is_answered(text: str, kind: TalkKind, found: Sequence[Topic | Hit]) -> bool:
    """Whether a section surely answers what is not surely small talk of a kind."""
    if talk_probabilities(text)[kind] >= CERTAIN or not has_examples(found) or asks_if_machine(text):
        return False
    return max(section_probabilities(found)) >= ANSWERS and documented_probability(text, found) >= SPOKEN_OF


def may_be_request(kind: TalkKind, text: str, found: Sequence[Topic | Hit]) -> bool:
    """Whether a message without a subject that passes for this kind of small talk may ask for something documented.

    The kind is not sure, and what the message names, if anything, is in one of the sections found.
    """
    named = not own_things(text) or max((one.coverage for one in found), default=0.0) >= TOUCHED
    return kind in TENTATIVE and named and talk_probabilities(text)[kind] < CERTAIN


def kind_by_coverage(messages: Sequence[Message], covered: float = 0.0, unspoken: bool = False) -> TalkKind:
    """The kind of small talk that the last message is, or "request".

    covered: how much of it the best section covers (0 to 1); unspoken: the documents surely do not speak of its matter.
    """
    text = messages[-1].text
    distress = distress_of(text)
    before = messages[-2] if len(messages) > 1 else None
    if before and before.choices and (picked_choices(before.choices, text) or rejects_choices(messages)):
        return "request"
    if is_unhelped(messages) and distress.trouble not in GRAVE:
        return "person" if _WANTS_PERSON.search(text) else "request"
    if _is_emergency(text):
        return "emergency"
    if wants_others_data(text) or is_prompt_injection(text):
        return "attack"
    if _asks_only_if_machine(text):
        return "identity"
    if only_thanks(text) and distress.feeling in (None, "anger", *MILD) and distress.trouble is None:
        return "thanks"  # in few words some thanks sound angry to a classifier
    kind, talk = _likeliest(text, ORDER), 1 - talk_probabilities(text)["request"]
    if before and is_clarifying_question(before):
        kind = "person" if kind in REPLIES and _WANTS_PERSON.search(text) and not asks(text) else kind
        spoken = kind in REPLIES and talk >= AS_A_REPLY and (kind != "thanks" or bool(_GRATITUDE.search(text)))
        return kind if spoken and not says_unknown(text) and not picked_choices(before.choices, text) else "request"
    if (distress.trouble in GRAVE and not asks(text)) or _in_danger(text) or distress.announces_danger:
        return "distress"
    if distress.trouble == "weariness" and not _asks_matter(text):
        return "distress"
    if wishes_call(text) or (_WANTS_PERSON.search(text) and not set(content_words(text)) - _person_words()):
        return "person"
    if seeks_job(text) and (covered < COVERED or unspoken):
        return "jobs"
    if before and asked_kinds(text) and len(content_words(text)) <= SHORT:
        return "request"  # how many, how long: of what went before
    earlier = messages[:-2]
    if earlier and not asks(text) and len(content_words(text)) <= MATTER and kind_by_coverage(earlier) == "person":
        return "person"  # says what it is about
    kind = _of_parts(text, covered, unspoken) or _of_whole(text, kind, covered, unspoken)
    practical = kind == "distress" and distress.trouble is None and distress.feeling in PRACTICAL
    return "request" if practical else kind


def _asks_only_if_machine(text: str) -> bool:
    """Whether a message asks if a machine replies, and nothing else."""
    return asks_if_machine(text) and not any(
        asks(part) and not asks_if_machine(part) and _of_part(part) == "request" and own_things(part)
        for part in sentences(text)
    )


def _is_emergency(text: str) -> bool:
    """Whether a message tells what cannot wait, and asks for no price or number beside it."""
    found = distress_of(text).emergency
    return found is not None and not any(
        asks(part) and (VALUES.intersection(asked_kinds(part)) or (found == "injury" and _AFTERWARDS.search(part)))
        for part in _clauses(text)
    )


def _in_danger(text: str) -> bool:
    """Whether a clause that asks nothing tells of a danger to a life, whatever else the message asks."""
    return distress_of(text).trouble in DANGERS and any(
        distress_of(part).trouble in DANGERS and not asks(part) for part in _clauses(text)
    )


def matter_of(messages: Sequence[Message]) -> str:
    """What somebody who asks for a person needs one for, in their newest message that says so; empty if none does."""
    said = (_without_scolding(message.text) for message in reversed(messages) if message.role == "user")
    wanted = _person_words()
    return next((text for text in said if set(content_words(without_talk(text))) - wanted), "")


def is_impatient(text: str) -> bool:
    """Whether somebody who wants a person scolds, orders, or has had enough of the bot."""
    return bool(_IMPATIENT.search(text)) or any(map(_scolds, _clauses(text)))


def thanks_first(text: str) -> bool:
    """Whether a sentence of a message gives thanks before the first one that asks something."""
    parts = sentences(text)
    first = next((place for place, part in enumerate(parts) if asks(part)), 0)
    return any(map(only_thanks, parts[:first]))


def _scolds(text: str) -> bool:
    return talk_probabilities(text)["insult"] >= SCOLDING


def _without_scolding(text: str) -> str:
    return " ".join(part for part in _clauses(text) if not _scolds(part))


@cache
def _person_words() -> frozenset[str]:
    return frozenset(word for language in ("ja", "en") for word in content_words(PERSON_WORDS[language]))


def without_talk(text: str) -> str:
    """A message without the clauses that are surely small talk (a greeting, "give me a person") or only a figure of
    speech or a fear, if others remain."""
    parts = _clauses(text)
    kept = [part for part in parts if not _is_empty_talk(part) and not _is_mood_alone(part)]
    return " ".join(kept) if kept and len(kept) < len(parts) and content_words(" ".join(kept)) else text


def _is_empty_talk(text: str) -> bool:
    probabilities = talk_probabilities(text)
    best = max(probabilities[kind] for kind in (*EMPTY, "insult"))
    return best >= EMPTY_FROM and (len(content_words(text)) <= EMPTY_WORDS or bool(_WANTS_PERSON.search(text)))


def _is_mood_alone(text: str) -> bool:
    """Whether a clause says nothing but a figure of speech (死ぬほど忙しい) or that somebody is afraid."""
    words, found = len(content_words(text)), moods(text)
    alone = ("worry" in found and words <= 1) or ("figure_of_speech" in found and words <= FIGURE_WORDS)
    return alone and not asks(text)


def _of_whole(text: str, kind: TalkKind, covered: float, unspoken: bool = False) -> TalkKind:
    """The kind of a text as one, by how likely it is small talk and how much of it a section covers."""
    probabilities = talk_probabilities(text)
    if kind == "outside" and mood_probabilities(text)["danger"] >= MAY_BE_DANGER:
        return "request"  # never declined
    if kind == "outside" and unspoken and probabilities[kind] >= max(FAR_OFF, probabilities["request"]):
        return kind
    talk = 1 - probabilities["request"]
    if kind == "emergency" and (is_forgotten(text) or not set(content_words(text)) - predicates(text)):
        return "request"  # forgotten is not lost; and lost, but what? First steps would be a guess
    if (
        kind == "distress"
        and len(content_words(text)) <= 1
        and distress_of(text).trouble is None
        and probabilities[kind] < CERTAIN
    ):
        return "request"  # 消えた, "dead": more likely a note, or a screen
    grateful = kind in GRATEFUL and not asks(text)
    if grateful and unspoken:
        covered = min(covered, TOUCHED)  # words that any section may have
    if kind in FAR and (probabilities[kind] < LIKELY or covered >= COVERED):
        return "request"
    if kind in TOLD and probabilities[kind] < (CERTAIN if asks(text) else SAID):
        return "request"
    if kind == "person" and (probabilities[kind] >= WANTED or (_WANTS_PERSON.search(text) and not asks(text))):
        return kind  # whatever it is about
    ahead = AHEAD if covered >= TOUCHED else SOMEWHAT if kind == "chat" else 1
    likely = (
        math.fsum(probabilities[one] for one in GRATEFUL) if grateful else probabilities[kind]
    )  # the reply to both is much the same
    if likely < ahead * probabilities["request"]:
        return "request"
    if talk >= (CERTAIN if covered >= COVERED else LIKELY) and (kind != "emergency" or probabilities[kind] >= URGENT):
        return kind
    return kind if kind == "emergency" and probabilities[kind] >= URGENT else "request"


def _of_parts(text: str, covered: float, unspoken: bool = False) -> TalkKind | None:
    """The kind of a message of several clauses: that which matters most, a request if one of them asks; none for a
    single one."""
    parts = _clauses(text)
    if len(parts) < 2:
        return None
    found: list[TalkKind] = [_of_part(part) for part in parts]
    asked = [part for part, kind in zip(parts, found, strict=True) if kind == "request"]
    sure = [kind for part, kind in zip(parts, found, strict=True) if talk_probabilities(part)[kind] >= CERTAIN]
    matter = any(map(asks, asked)) or (
        covered >= TOUCHED and distress_of(text).trouble is None and any(map(_tells_matter, asked))
    )
    grave: list[TalkKind] = [one for one in GRAVEST if one in sure and (one != "distress" or not matter)]
    if grave:
        return grave[0]
    kind = _likeliest(text, ORDER)
    if kind == "insult" and talk_probabilities(text)[kind] >= AS_A_REPLY and not matter and "person" not in found:
        return kind  # "you useless thing, I asked three times and got rubbish"
    wanted = [part for part in asked if talk_probabilities(part)["request"] >= ASKED and asks(part)]
    if unspoken and not wanted and ((kind in FAR and talk_probabilities(text)[kind] >= LIKELY) or set(sure) & set(FAR)):
        return kind if kind in FAR else next(one for one in sure if one in FAR)
    ends = found[-1] != "request" and not any(map(asks, asked)) and not distress_of(text).feeling
    if kind in GRATEFUL and talk_probabilities(text)[kind] >= CERTAIN and ends:
        return kind  # "I did as you said and it works. Thank you!"
    least = LIKELY if kind in GRATEFUL and found[-1] == "request" else ASKED  # thanks, and then one thing more
    if any(talk_probabilities(part)["request"] >= least and content_words(part) for part in asked):
        wishes = any(_WANTS_PERSON.search(part) or talk_probabilities(part)["person"] >= CERTAIN for part in parts)
        return "person" if "person" in found and wishes and not any(map(asks, asked)) else "request"
    if asked and any(map(_WANTS_PERSON.search, parts)) and not any(map(asks, asked)):
        return "person"
    if asked:
        return _of_whole(text, kind, covered, unspoken)
    return next(one for one in ORDER if one in found)


def _tells_matter(text: str) -> bool:
    """Whether a clause surely is about a matter of the desk, of which it names several things."""
    return talk_probabilities(text)["request"] >= AS_A_REPLY and len(content_words(text)) >= MATTER


def _of_part(text: str) -> TalkKind:
    """The kind of a clause; a request if it is not likely one kind of small talk.

    A single word ("give it back") is too little for an attack.
    """
    if _WANTS_PERSON.search(text):
        return "person"
    kind = _of_whole(text, _likeliest(text, ORDER), 0.0)
    if kind == "attack" and len(content_words(text)) < 2:
        return "request"
    return kind if talk_probabilities(text)[kind] >= LIKELY else "request"


def tells_trouble(messages: Sequence[Message], topics: Sequence[Topic], passage_count: int) -> bool:
    """Whether the last message tells of a trouble and asks nothing, and no section found surely answers it."""
    text = messages[-1].text
    replies = len(messages) > 1 and is_clarifying_question(messages[-2])
    feeling = distress_of(text).feeling
    if replies or feeling in (None, *MILD) or asks_in_earnest(text):
        return False
    if feeling == "waiting" or not topics:
        return feeling == "waiting"
    return not is_confident(text, topics, passage_count) and not (feeling == "anger" and _names_matter(text, topics))


def _names_matter(text: str, topics: Sequence[Topic]) -> bool:
    """Whether a message names a thing that the sections found speak of, more or less: that is what helps."""
    if has_examples(topics) and section_probabilities(topics)[0] >= LIKELY_MATTER:
        return True
    named = content_words(without_talk(text))
    return len(named) >= NAMED_WORDS and topics[0].coverage >= NAMED_SHARE


def _clauses(text: str) -> list[str]:
    """The sentences of a message, and the clauses of one that a comma or a line divides."""
    return [part.strip() for whole in sentences(text) for part in clauses(whole) if part.strip()]


def _asks_matter(text: str) -> bool:
    """Whether a clause asks for something beside a talk or a listener."""
    return any(asks(part) and _of_part(part) == "request" and incident(part) == "none" for part in _clauses(text))


def _likeliest(text: str, among: Sequence[TalkKind]) -> TalkKind:
    probabilities = talk_probabilities(text)
    best = among[0]
    for kind in among:
        if kind == "distress" and is_figure_of_speech(text):
            continue  # dying of boredom
        best = kind if probabilities[kind] > probabilities[best] else best
    return best
