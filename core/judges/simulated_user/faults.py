"""The faults of a simulated user's turn that can be computed, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from rapidfuzz import fuzz

from core.base.types import Sample
from core.judges.reasons import quote
from core.judges.simulated_user.material import Material, material_of, share
from core.text.conversation import picked_choices, says_unknown
from core.text.facts import Fact
from core.text.language import content_words, script, sentences
from core.text.normalize import normalize
from core.text.numbers import Amount, amounts, is_among
from core.text.questions import is_question
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
MINOR = frozenset[Tag]({"repeats", "gave_away", "left_persona"})  # the bot can still be judged by its reply

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
_CLOSING = re.compile(
    r"ありがとう|助かりました|解決しました|もう(?:大丈夫|結構|いい)です|終わりにします|失礼します|\bthanks?\b|\bthank you\b|\bthat(?:'s| is) all\b|\bgoodbye\b|\bbye\b|\bno further\b|\bi'm (?:all set|done)\b|\bnever ?mind\b"
)
_SOLVED = re.compile(
    r"解決しました|助かりました|(?:よく)?(?:わか|分か)りました(?:。|、|！|!)*(?:ありがとう|これで)|(?:それ|これ)が(?:知り|聞き)たかった|疑問が(?:解け|晴れ)"
    r"|\bthat (?:answers|solves|solved|answered|helps|helped)\b|\bexactly what i (?:needed|wanted)\b|\bproblem solved\b|\bnow i (?:know|understand)\b|\bthat's all i needed\b"
)


def reveals(text: str, known: str) -> str:
    """The words with which a turn shows that it plays a part; "" for none, or if the material has the same words."""
    return _first(_REVEALED, text, known)


def sounds_like_support(text: str, known: str) -> str:
    """The words that only the desk would say; "" for none, or if the need or the facts have the same words."""
    return _first(_STAFF, text, known)


def closes(text: str) -> str:
    """The words with which a turn takes its leave; "" for none."""
    return _first(_CLOSING, text, "")


def takes_as_met(text: str) -> str:
    """The words with which a turn says that it has its answer; "" for none."""
    return _first(_SOLVED, text, "")


def in_other_language(text: str, conversation: str) -> bool:
    """Whether a turn of some length is English in a conversation that is not, or the other way round."""
    own, expected = script(text), script(conversation)
    if not conversation.strip() or (own == "en") == (expected == "en"):
        return False
    letters = re.findall(r"[a-z']{2,}", normalize(text)) if own == "en" else re.findall(r"[ぁ-んァ-ヶ一-龥]", text)
    return len(letters) >= (5 if own == "en" else 6)


def _first(pattern: re.Pattern[str], text: str, known: str) -> str:
    plain, known_text = normalize(text).replace("’", "'"), normalize(known).replace("’", "'")
    return next((match[0] for match in pattern.finditer(plain) if match[0] not in known_text), "")


ECHO = 92.0  # similarity (0 to 100) from which a turn is the desk's message over again
USER_REPEATS = 96.0  # likewise for the user's own
HOLDS = 0.5  # share of a fact's words from which a turn tells that fact
REVEALED = 0.8  # share of the intent's words from which a first message gives it away
DUMPED = 2  # facts volunteered that nobody asked for
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
    """What is wrong, and the sentence (of reasons.toml) that says so with what fills its holes."""

    tag: Tag
    key: str
    details: dict[str, object]


def fault(sample: Sample) -> Fault | None:
    """The gravest fault found; none if nothing computable is wrong."""
    material = material_of(sample)
    if not re.search(r"\w", material.turn):
        return Fault("empty", "empty", {})
    found = (check(material, sample) for check in _CHECKS)
    return next((one for one in found if one), None)


def _revealed(material: Material, sample: Sample) -> Fault | None:
    words = reveals(material.turn, f"{sample.facts}\n{sample.intent}\n{material.conversation}")
    addressed = next((part for part in sentences(material.turn) if addresses_grader(part)), "")
    return _quoted("revealed", "revealed", words or addressed)


def _staff(material: Material, sample: Sample) -> Fault | None:
    words = sounds_like_support(material.turn, f"{sample.facts}\n{sample.intent}")
    if words:
        return _quoted("spoke_as_desk", "desk", words)
    plain = normalize(material.turn)
    echoed = (message for message in material.bot_messages if min(len(plain), len(message)) >= 12)
    same = next((message for message in echoed if fuzz.ratio(plain, normalize(message)) >= ECHO), "")
    return _quoted("spoke_as_desk", "echo", same)


def _language(material: Material, sample: Sample) -> Fault | None:
    spoken = " ".join(material.user_messages) or sample.intent or sample.facts
    if in_other_language(material.turn, spoken) and share(material.turn, material.all) < HOLDS:
        return _quoted("wrong_language", "language", material.turn)
    return None


def _figure(material: Material, sample: Sample) -> Fault | None:
    """A figure that neither the sheet nor the conversation has; one that is only asked about is none of its facts."""
    del sample
    if material.first:
        return None
    known = material.figures
    for part in sentences(material.turn):
        new = sorted(one for one in amounts(_stated(part)) if not is_among(one, known) and not _is_count(one))
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


def _other_fact(material: Material, sample: Sample) -> Fault | None:
    """The bot asked for a fact of the sheet, or offered choices of which one is on it, and the turn says another."""
    del sample
    if material.asks is None or _evades(material.turn):
        return None
    wrong = _other_choice(material)
    if wrong:
        return wrong
    named = [fact for fact in material.facts if fact.label and _names(material.asks.text, fact.label)]
    if not named or any(share(fact.value, material.turn) >= HOLDS for fact in material.facts):
        return None
    new = _new_words(material)
    stated_before = any(share(fact.value, " ".join(material.user_messages)) >= HOLDS for fact in named)
    if (
        not new
        or stated_before
        or share(material.turn, material.intent) >= HOLDS
        or _respelt(named[0].value, material.turn)
    ):
        return None
    return Fault(
        "invented_fact",
        "other_fact",
        {"label": named[0].label, "quote": quote(material.turn), "value": quote(named[0].value)},
    )


def _respelt(value: str, turn: str) -> bool:
    """Whether a turn may write a Latin name in katakana, which cannot be compared."""
    return value.isascii() and re.search(r"[ァ-ヶー]{3,}", turn) is not None


def _other_choice(material: Material) -> Fault | None:
    plain = normalize(material.turn)
    picked = picked_choices(material.choices, material.turn) or tuple(
        one for one in material.choices if normalize(one) in plain
    )
    if len(picked) != 1 or len(material.choices) < 2:
        return None
    wanted = f"{material.intent}\n" + "\n".join(fact.value for fact in material.facts)
    fits = {choice: _own_share(choice, material.choices, wanted) for choice in material.choices}
    best = max(material.choices, key=lambda choice: fits[choice])
    if fits[best] >= REVEALED and not fits[picked[0]]:
        return Fault("invented_fact", "choice", {"quote": quote(picked[0]), "value": quote(best)})
    return None


def _own_share(choice: str, choices: tuple[str, ...], wanted: str) -> float:
    """Share of the words that set a choice apart from the others which the need or the facts hold."""
    others = frozenset(word for one in choices if one != choice for word in content_words(one))
    own = " ".join(word for word in content_words(choice) if word not in others)
    return share(own or choice, wanted)


def _evades(turn: str) -> bool:
    """Whether a turn says that it does not know, or asks instead of answering, or takes its leave."""
    plain = normalize(turn).replace("’", "'")
    return bool(_KNOWS_NOT.search(plain)) or says_unknown(turn) or bool(closes(turn))


def _names(question: str, label: str) -> bool:
    words = content_words(label)
    return normalize(label) in normalize(question) or (bool(words) and share(label, question) >= 1.0)


def _new_words(material: Material) -> tuple[str, ...]:
    """The content words of a turn that neither the sheet nor the conversation has."""
    return tuple(word for word in content_words(material.turn, script(material.turn)) if not share(word, material.all))


def _off(material: Material, sample: Sample) -> Fault | None:
    """A question or a wish, not asked for, that shares no word with need, facts or conversation."""
    del sample
    if material.first or material.asks:
        return None
    wishes = " ".join(part for part in sentences(material.turn) if _asks(part))
    words = [word for word in content_words(wishes, script(wishes)) if len(word) > 1]
    stray = len(words) >= 3 and not any(share(word, material.all) for word in words)
    return _quoted("off_intent", "off", wishes) if stray else None


def _asks(part: str) -> bool:
    """Whether a sentence asks or wishes for something; "isn't it?" does neither."""
    plain = normalize(part).replace("’", "'")
    return bool(_WISH.search(plain)) or (is_question(part) and not _TAGGED.search(plain))


def _stopped(material: Material, sample: Sample) -> Fault | None:
    del sample
    if material.first or not material.bot_messages:
        return None
    if material.asks and (leave := closes(material.turn)) and not _KNOWS_NOT.search(normalize(material.turn)):
        return _quoted("stopped_early", "unanswered", leave) if not _answers(material) else None
    if is_refusal(material.bot_messages[-1]) and not re.search(r"[\[［【]\d", material.bot_messages[-1]):
        return _quoted("stopped_early", "not_met", takes_as_met(material.turn))
    return None


def _answers(material: Material) -> bool:
    """Whether a turn that takes its leave tells something all the same."""
    known = material.known + "\n" + "\n".join(material.choices)
    return bool(share(material.turn, known)) or bool(
        material.asks and re.search(r"(?:ほか|他)に|anything else", material.asks.text)
    )


def _repeated(material: Material, sample: Sample) -> Fault | None:
    """The same words as before, though the bot has not asked the same again and there was more to say than a shrug."""
    del sample
    plain = normalize(material.turn)
    if says_unknown(material.turn) or len(plain) < 6 or picked_choices(material.choices, material.turn):
        return None
    asked_again = len(material.bot_messages) >= 2 and material.bot_messages[-1] in material.bot_messages[:-1]
    same = next(
        (message for message in material.user_messages if fuzz.ratio(plain, normalize(message)) >= USER_REPEATS), ""
    )
    return None if asked_again else _quoted("repeats", "again", same)


def _gave_away(material: Material, sample: Sample) -> Fault | None:
    """A first message that tells the intent, or facts by the handful that nobody asked for."""
    if material.first:
        whole = len(content_words(material.intent)) >= 3 and share(material.intent, material.turn) >= REVEALED
        return _quoted("gave_away", "away", material.turn) if sample.kind == "vague" and whole else None
    hidden = [fact for fact in material.facts if share(fact.value, material.intent) < HOLDS]
    volunteered = [
        fact for fact in hidden if _tells(fact, material.turn) and not _tells(fact, "\n".join(material.user_messages))
    ]
    open_question = material.asks and _GENERAL.search(normalize(material.asks.text))
    asked = [
        fact
        for fact in volunteered
        if material.asks and (_names(material.asks.text, fact.label) or fact.value in material.choices)
    ]
    spare = len(volunteered) - len(asked)
    return _quoted("gave_away", "dump", material.turn) if spare >= DUMPED and not open_question else None


def _tells(fact: Fact, text: str) -> bool:
    return normalize(fact.value) in normalize(text) or share(fact.value, text) >= REVEALED


def _quoted(tag: Tag, key: str, words: str) -> Fault | None:
    return Fault(tag, key, {"quote": quote(words)}) if words.strip() else None


_CHECKS: tuple[Callable[[Material, Sample], Fault | None], ...] = (
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
