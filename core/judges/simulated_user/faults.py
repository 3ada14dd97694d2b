"""The faults of a simulated user's turn that can be found without a model, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from rapidfuzz import fuzz

from core.base.types import Sample
from core.judges.reasons import quote
from core.judges.simulated_user.user_turn import UserTurn, share, user_turn_of
from core.text.fact_sheet import REVEALED_FROM, Fact, is_stated
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
MIN_VOLUNTEERED = 2  # facts stated without a question from which a turn gives too much away
_MAX_COUNT = 3  # up to here, a figure without a unit is a count (one thing, the second time) and no fact
_COUNTS = frozenset({"", "回", "個", "番", "time", "point", "question", "点", "件"})
# The user gives itself away as simulated
_REVEALED = re.compile(
    r"(?:ai|人工知能|言語モデル|chatgpt)(?:アシスタント|モデル|ボット)?(?:として|なので|ですので|である|だから)"
    r"|(?:私|わたし|僕|実)は[、]?(?:ただの)?(?:ai|人工知能|言語モデル|ボット|プログラム)"
    r"|シミュレー(?:ト|ション)(?:され|して|の利用者|ユーザー|用|中)|利用者役|ユーザー役|(?:この|私の|与えられた|渡された)(?:シナリオ|ペルソナ|設定|役)(?:では|に|で|の|上|どおり|通り)"
    r"|(?:事実(?:シート|の一覧|の欄)|シナリオ|設定)に(?:は)?(?:書かれて|書いて|載って|記載|ない|ありません)|(?:シナリオ|設定|役)上[、は]|演じ(?:て|る|ます)|プロンプト(?:に|では|どおり|通り)"
    r"|\b(?:as|i am|i'm) (?:just )?an? (?:ai|artificial intelligence|language model|bot|simulated)\b|\bsimulated (?:user|customer|person)\b"
    r"|\bmy (?:persona|character|role|scenario|hidden intent|fact sheet|instructions)\b|\b(?:fact sheet|the scenario|my sheet|the prompt) (?:says|does|doesn't|tells)\b"
    r"|\b(?:in|according to) (?:my|the|this) (?:fact sheet|scenario|persona|prompt|role)\b|\bi (?:was|am|have been) (?:told|instructed|asked) to (?:play|act|pretend|say)\b|\brole-?play|\bi(?:'m| am) playing an? "
    r"|[\"']?(?:ending|text)[\"']?\s*:\s*[\"'{n]|out_of_script|gave_up|</?think|[（(](?:心の中|心の声|内心|思考|thinking|thought|inner)|```"
)
# Only support staff would say
_STAFF = re.compile(
    r"お問い?合わ?せ(?:いただき|くださり)?(?:、)?(?:まして)?、?(?:誠に)?ありがとう|ご利用(?:いただき|くださり)(?:、)?(?:誠に)?ありがとう|(?:他|ほか)に(?:も)?(?:何か)?(?:ご不明|ご質問|お困り)|ご不明な点"
    r"|(?:ご案内|ご説明|ご回答|お答え|お調べ|お手伝い|サポート)(?:いた|させていただ|できかね|できます)|(?:ご案内|お調べ|お手伝い)し(?:ます|ましょう)|お力になれ|担当(?:部署|者)(?:より|から)(?:ご|折り返し)|(?:弊社|当社|当窓口|当サイト|弊部)(?:では|の|が|は)"
    r"|(?:どのような|どういった)ご(?:用件|質問|相談)|(?:お客様|ご利用者様|利用者様)(?:の(?:ご|アカウント|お)|には|におかれ)|恐れ入りますが、(?:もう少し|詳しく|以下)|お気軽に"
    r"|手順は(?:次|以下)のと(?:おり|通り)|以下(?:の手順|をご)|(?:ご確認|お試し|お待ち|ご連絡|お申し付け|ご覧)(?:ください|下さい|くださいませ)|資料に(?:よると|よれば)"
    r"|\bhow (?:can|may) i (?:help|assist)\b|\bthank you for (?:contacting|reaching out|your (?:question|inquiry|enquiry|patience|message))|\bis there anything else i can\b"
    r"|\bi(?:'d| would|'ll| will| am|'m) (?:be )?(?:happy|glad) to (?:help|assist|explain)|\bour (?:team|policy|support|customers|records|documents?|help cent(?:er|re))\b"
    r"|\blet me (?:check|look|find) (?:that|this|it)(?: up| out)? for you\b|\bplease (?:contact|refer to|visit) (?:our|the)\b|\bhope (?:this|that) helps\b|\byou can (?:find|change|reset|request|cancel|contact|apply|submit)\b"
    r"|\baccording to (?:our|the) (?:documents?|policy|help|guide)|\bas (?:a|your) (?:support|customer service|help ?desk)|\bfeel free to\b|\bhere are the steps\b|\bi apologi[sz]e for (?:the|any) (?:inconvenience|confusion)"
    r"|[\[［【]\d{1,2}[\]］】]"
)
# Says goodbye
_CLOSING = re.compile(
    r"ありがとう|助かりました|解決しました|もう(?:大丈夫|結構|いい)です|終わりにします|失礼します|\bthanks?\b|\bthank you\b|\bthat(?:'s| is) all\b|\bgoodbye\b|\bbye\b|\bno further\b|\bi'm (?:all set|done)\b|\bnever ?mind\b"
)
# Says that the question is answered
_SOLVED = re.compile(
    r"解決しました|助かりました|(?:よく)?(?:わか|分か)りました(?:。|、|！|!)*(?:ありがとう|これで)|(?:それ|これ)が(?:知り|聞き)たかった|疑問が(?:解け|晴れ)"
    r"|\bthat (?:answers|solves|solved|answered|helps|helped)\b|\bexactly what i (?:needed|wanted)\b|\bproblem solved\b|\bnow i (?:know|understand)\b|\bthat's all i needed\b"
)
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
    words = _phrase(_REVEALED, turn.text, f"{turn.sheet}\n{turn.conversation}")
    addressed = next((part for part in sentences(turn.text) if addresses_grader(part)), "")
    return _quoted("revealed", "revealed", words or addressed)


def _staff(turn: UserTurn) -> Fault | None:
    words = _phrase(_STAFF, turn.text, turn.sheet)
    if words:
        return _quoted("spoke_as_desk", "desk", words)
    plain = normalize(turn.text)
    echoed = (message for message in turn.bot_messages if min(len(plain), len(message)) >= 12)
    same = next((message for message in echoed if fuzz.ratio(plain, normalize(message)) >= MIN_ECHO_SIMILARITY), "")
    return _quoted("spoke_as_desk", "echo", same)


def _language(turn: UserTurn) -> Fault | None:
    spoken = " ".join(turn.user_messages) or turn.intent or turn.sheet
    if _in_other_language(turn.text, spoken) and share(turn.text, turn.all) < FACT_STATED_FROM:
        return _quoted("wrong_language", "language", turn.text)
    return None


def _in_other_language(text: str, conversation: str) -> bool:
    """Whether a turn of some length is English in a conversation that is not, or the other way round."""
    own, expected = script(text), script(conversation)
    if not conversation.strip() or (own == "en") == (expected == "en"):
        return False
    letters = re.findall(r"[a-z']{2,}", normalize(text)) if own == "en" else re.findall(r"[ぁ-んァ-ヶ一-龥]", text)
    return len(letters) >= (5 if own == "en" else 6)


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
    words = content_words(turn.text, script(turn.text))
    says_nothing_new = all(share(word, turn.all) for word in words)
    if stated_before or says_intent or _respelt(value, turn.text) or says_nothing_new:
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
    return bool(_KNOWS_NOT.search(plain)) or says_unknown(text) or bool(_phrase(_CLOSING, text))


def _names(question: str, label: str) -> bool:
    words = content_words(label)
    return normalize(label) in normalize(question) or (bool(words) and share(label, question) >= 1.0)


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
    if turn.asks and (leave := _phrase(_CLOSING, turn.text)) and not _KNOWS_NOT.search(normalize(turn.text)):
        return _quoted("stopped_early", "unanswered", leave) if not _answers(turn) else None
    if is_refusal(turn.bot_messages[-1]) and not re.search(r"[\[［【]\d", turn.bot_messages[-1]):
        return _quoted("stopped_early", "not_met", _phrase(_SOLVED, turn.text))
    return None


def _answers(turn: UserTurn) -> bool:
    """Whether a turn that says goodbye answers the bot's question all the same."""
    known = turn.known + "\n" + "\n".join(turn.choices)
    asks_for_more = turn.asks and re.search(r"(?:ほか|他)に|anything else", turn.asks.text)
    return bool(share(turn.text, known) or asks_for_more)


def _repeated(turn: UserTurn) -> Fault | None:
    """The words of an earlier message, though the bot did not repeat its question; "I don't know" may be repeated."""
    plain = normalize(turn.text)
    if says_unknown(turn.text) or len(plain) < 6 or picked_choices(turn.choices, turn.text):
        return None
    asked_again = len(turn.bot_messages) >= 2 and turn.bot_messages[-1] in turn.bot_messages[:-1]
    alike = (text for text in turn.user_messages if fuzz.ratio(plain, normalize(text)) >= MIN_REPEAT_SIMILARITY)
    return None if asked_again else _quoted("repeats", "again", next(alike, ""))


def _gave_away(turn: UserTurn) -> Fault | None:
    """A first message that states the hidden intent, or several facts that the bot did not ask for."""
    if turn.first:
        whole = len(content_words(turn.intent)) >= 3 and share(turn.intent, turn.text) >= REVEALED_FROM
        return _quoted("gave_away", "away", turn.text) if turn.kind == "vague" and whole else None
    hidden = [fact for fact in turn.facts if share(fact.value, turn.intent) < FACT_STATED_FROM]
    before = "\n".join(turn.user_messages)
    volunteered = [fact for fact in hidden if _tells(fact, turn.text) and not _tells(fact, before)]
    open_question = turn.asks and _GENERAL.search(normalize(turn.asks.text))
    asked = [
        fact for fact in volunteered if turn.asks and (_names(turn.asks.text, fact.label) or fact.value in turn.choices)
    ]
    spare = len(volunteered) - len(asked)
    return _quoted("gave_away", "dump", turn.text) if spare >= MIN_VOLUNTEERED and not open_question else None


def _tells(fact: Fact, text: str) -> bool:
    return is_stated(fact.value, text) or share(fact.value, text) >= REVEALED_FROM


def _phrase(pattern: re.Pattern[str], text: str, known: str = "") -> str:
    """The first words of a text that fit a pattern and that `known` does not have; "" for none."""
    plain, known_text = normalize(text).replace("’", "'"), normalize(known).replace("’", "'")
    return next((match[0] for match in pattern.finditer(plain) if match[0] not in known_text), "")


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
