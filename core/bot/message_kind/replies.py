"""The bot's replies to small talk, emergencies and distress: a few warm words that lead back to what the bot covers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.base.toml import bundled_toml
from core.base.types import Bot, Contact, Language, Message
from core.bot.contacts import (
    caring_contact,
    complaints_contact,
    fitting_contact,
    general_contact,
    urgent_contact,
)
from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.bot.message_kind.despair import (
    DANGER_AFTER_DEATH_FROM,
    danger_probability,
    may_despair,
    surely_despairs,
)
from core.bot.message_kind.first_steps_sections import first_steps_query
from core.bot.message_kind.human_agent import is_impatient, matter_of
from core.text.conversation import language_spoken
from core.text.distress.classifiers import is_figure_of_speech
from core.text.distress.distress import DANGERS, Trouble, distress_of
from core.text.distress.exclusions import with_deaths_named
from core.text.distress.sympathy import word_of_sympathy
from core.text.language import content_words, join_sentences, sentences
from core.text.offered_choices import picked_choices
from core.text.quotation_marks import in_quotes
from core.text.small_talk_patterns import thanks_first

MAX_SAMPLES = 2  # questions named as examples
MAX_NAMED_CONTACTS = 3  # contacts up to which all are named
IDENTITY_FROM = 0.5  # probability from which a sentence asks who the bot is
MAX_WORDS_BESIDE = 3  # content words beside an offered heading, up to which a message says nothing but it
_OPENINGS = {"danger": "in_danger", "announced": "in_danger", "harassment": "comfort", "weariness": "weary"}
_GREETED = {  # a greeting in a message, and the one it gets in return
    "ja": (
        ("おはよ", "おはようございます"),
        ("こんばん", "こんばんは"),
        ("こんにち", "こんにちは"),
        ("はじめまして", "はじめまして"),
    ),
    "en": (("good morning", "Good morning"), ("good evening", "Good evening"), ("good afternoon", "Good afternoon")),
}
_VERBS = "answer|help|support|handle|cover|explain|provide|give|assist|guide|tell|offer|serve|deal|show|inform|advise|respond|take|look"
_DOES = re.compile(  # a description without a subject begins with a verb: "Answers questions", not "Support for"
    rf"(?:(?:{_VERBS})s|answer|help|explain|provide|give|assist|handle|inform|advise)"
    r"(?= (?!(?:and|for|from|of|in|or|desk|cent(?:re|er)|line|team|page|services?|point)\b))",
    re.IGNORECASE,
)
_SENTENCE_EN = re.compile(
    rf"(?:i|we|you|this|these|here|it|ask|welcome)\b|\S.{{0,80}} (?:is|are|can|will|(?:{_VERBS})s)\b", re.IGNORECASE
)
_POLITE = re.compile(r"(?:です|ます|ました|ません|でした|ください|ましょう|ますか|ですか)[!！]?$")
_A_DESK = re.compile(
    r"(?:窓口|デスク|ボット|チャット|受付|係|課|室|サポート|センター|ヘルプ|案内|FAQ|Q&A|アシスタント|カウンター|サービス|コンシェルジュ|サイト|向け|用)(?:[(（][^()（）]{0,80}[)）])?[」』]?$",
    re.IGNORECASE,
)
_MODIFIER = re.compile(r"(?:[うくぐすつぬぶむるた]|ない)$")  # ends with a verb: "answers questions about the library"


def small_talk_reply(
    kind: MessageKind, messages: Sequence[Message], bot: Bot, contact: Contact | None, sections: Sequence[str] = ()
) -> str:
    """The reply to the last message, which is no request.

    contact: the one whose field the message touches, or the general one; sections: headings that may help.
    """
    text, language = messages[-1].text, language_spoken(messages, bot.language)
    name = _named(kind, text)
    said = _texts()[name][language].format(
        name=bot.name,
        hello=_greeting(text, language) or _parts()["hello"][language],
        desk=_desk(bot, language),
        samples=_samples(bot, language),
        contact=_contact_sentences(kind, text, bot.contacts, contact, language),
        lead=_lead_to_human_agent(text, bot.name, language),
        human_agent=_human_agent_sentences(messages, bot.contacts, contact, language) if kind == "human_agent" else "",
        desk_of_people=_caring_contact_sentence(bot.contacts, contact, language) if name == "weariness" else "",
        sections=_sections(sections, language),
    )
    care = _care(text, language) if name == "bereavement" else ""
    spoken = (_first_words(kind, text, language), said, care)
    return " ".join(("" if language == "ja" else " ").join(spoken).split())


def _first_words(kind: MessageKind, text: str, language: Language) -> str:
    """The reply to thanks or a greeting that precedes something else."""
    if kind in ("identity", "abilities") and thanks_first(text):
        return _parts()["welcome"][language]
    greeted = _greeting(text, language) if kind == "chat" else ""
    return f"{greeted}{'。' if language == 'ja' else '.'}" if greeted else ""


def _greeting(text: str, language: Language) -> str:
    """The greeting in return for that of a message, else ""."""
    plain = text.lower()
    return next((said for word, said in _GREETED[language] if word in plain), "")


def _named(kind: MessageKind, text: str) -> str:
    """The key of the reply to a kind of message: distress and danger to life have several."""
    if kind == "distress":
        return distress_of(text).trouble or "distress"
    return "life" if kind == "emergency" and distress_of(text).is_life_threatening else kind


def _lead_to_human_agent(text: str, name: str, language: Language) -> str:
    """The opening of a reply to a request for a human agent: who the bot is if that is asked as well, else sympathy if the
    message reports something bad."""
    if any(kind_probabilities(one)["identity"] >= IDENTITY_FROM for one in sentences(text)):
        return _parts()["no_person"][language].format(name=name)
    said = word_of_sympathy((Message(role="user", text=text),), language)
    return said or _parts()["no_help" if is_impatient(text) else "of_course"][language]


def _contact_sentences(
    kind: MessageKind, text: str, contacts: Sequence[Contact], contact: Contact | None, language: Language
) -> str:
    """Sentences that name the contact, or both contacts for a user who is harassed and in danger; "" for none."""
    distress = distress_of(text)
    if kind == "emergency":
        chosen = [emergency_contact(text, contacts, contact)]
    elif kind != "distress" or distress.trouble == "bereavement":
        chosen = [contact]
    else:
        both = distress.trouble == "danger" and distress.is_harassed
        troubles: list[Trouble | None] = ["danger", "harassment"] if both else [distress.trouble]
        chosen = [caring_contact(contacts, contact, one) for one in troubles]
    return join_sentences((_contact_sentence(one, language) for one in dict.fromkeys(filter(None, chosen))), language)


def _caring_contact_sentence(contacts: Sequence[Contact], contact: Contact | None, language: Language) -> str:
    """A sentence that names the contact for a lonely or exhausted user: one for health, else the general one."""
    caring = caring_contact(contacts, None, "weariness")
    if caring:
        return _contact_sentence(caring, language)
    general = contact or general_contact(contacts)
    return _naming("anything_else", general, language) if general else ""


def emergency_contact(text: str, contacts: Sequence[Contact], fitting: Contact | None) -> Contact | None:
    """The contact for an emergency: one that answers day and night, but the fitting one if somebody is hurt."""
    return fitting if distress_of(text).is_life_threatening else urgent_contact(contacts, fitting)


def _human_agent_sentences(
    messages: Sequence[Message], contacts: Sequence[Contact], contact: Contact | None, language: Language
) -> str:
    """Sentences that name the fitting contact, or all if there are few; else the question which one is wanted.

    A user who has already said what it is about is not asked for that again.
    """
    parts, matter = _parts(), matter_of(messages)
    if contact:
        more = parts["other_contact"][language] if len(contacts) > 1 and not matter else ""
        return join_sentences((_contact_sentence(contact, language), more), language)
    if len(contacts) <= MAX_NAMED_CONTACTS:
        return join_sentences((_contact_sentence(one, language) for one in contacts), language)
    return parts["which_desk" if matter else "which_contact"][language]


def _sections(sections: Sequence[str], language: Language) -> str:
    return _parts()["sections"][language].format(names=_listed(sections, language)) if sections else ""


def _listed(names: Sequence[str], language: Language) -> str:
    return ("" if language == "ja" else ", ").join(in_quotes(one, language) for one in names)


def opening_words(
    kind: MessageKind, messages: Sequence[Message], language: Language, gives_first_steps: bool = False
) -> str:
    """Sympathy or calming words before an answer or a question to the last message; "" for most messages.

    gives_first_steps: whether what follows are surely the first steps in the emergency that the message reports
    """
    text = messages[-1].text if messages else ""
    if _is_click(messages):
        return ""
    if kind == "emergency" and distress_of(text).is_life_threatening:
        return _parts()["call_now"][language]
    distress = distress_of(text)
    found = _OPENINGS.get(distress.trouble or "", "")
    said = "" if found == "weary" and distress.feeling else _parts()[found][language] if found else ""
    said = said or word_of_sympathy(messages, language)
    if found in ("comfort", "weary"):
        said = _once(said, messages)
    if not said and kind == "emergency":
        said = _parts()["urgent" if gives_first_steps else "worrying"][language]
    written = messages[-1].written if messages else ""
    if not said and text and may_despair(written or text):  # what is left of a message without asides may mislead
        said = _once(_care(text, language), messages)
    if not said and thanks_first(text):
        said = _parts()["welcome"][language]
    return said


def _is_click(messages: Sequence[Message]) -> bool:
    """Whether the last message is an offered heading about no death or danger, so it says nothing of the user."""
    picked = picked_choices(messages[-2].choices, messages[-1].text) if len(messages) > 1 else ()
    if not picked or len(content_words(messages[-1].text)) > len(content_words(" ".join(picked))) + MAX_WORDS_BESIDE:
        return False
    distress = distress_of(messages[-1].text)
    return distress.trouble not in ("bereavement", *DANGERS) and not distress.is_life_threatening


def _care(text: str, language: Language) -> str:
    """A caring sentence for probable despair, else "". Bereavement alone does not count."""
    if distress_of(text).trouble == "bereavement":
        is_despair = danger_probability(with_deaths_named(text)) >= DANGER_AFTER_DEATH_FROM
    else:
        is_despair = surely_despairs(text)
    return _parts()["care"][language] if is_despair and not is_figure_of_speech(text) else ""


def _once(said: str, messages: Sequence[Message]) -> str:
    """The words, unless the bot has said them in the conversation already."""
    return "" if any(said in message.text for message in messages if message.role == "assistant") else said


def harassment_note(text: str, language: Language) -> str:
    """The last sentence of an answer to a harassed user; "" for others."""
    return _parts()["unsafe"][language] if distress_of(text).trouble == "harassment" else ""


def trouble_reply(messages: Sequence[Message], bot: Bot, contact: Contact | None, sections: Sequence[str]) -> str:
    """The reply to a message that reports a problem and asks nothing: sympathy, sections that help, and a contact."""
    parts, contacts, language = _parts(), bot.contacts, language_spoken(messages, bot.language)
    any_desk = "" if contact or not contacts else parts["which_desk"][language]
    named = parts["may_help"][language].format(names=_listed(sections, language)) if sections else ""
    feeling = distress_of(messages[-1].text).feeling
    waiting, complains, grieves = feeling == "waiting", feeling == "complaint", feeling == "bereavement"
    if waiting:
        contact = complaints_contact(contacts, contact)
    elif feeling in ("anger", "complaint"):  # the contact for what was named, else the one for complaints
        fitting = fitting_contact(contacts, messages[-1:], (), named=True)
        contact = fitting or complaints_contact(contacts, general_contact(contacts) or contact)
    said = (
        opening_words("request", messages, language),
        named,
        "" if waiting or complains else parts["tell_later" if grieves else "tell"][language],
        _contact_sentence(contact, language) or any_desk,
        parts["kept_waiting"][language] if waiting and contact else "",
    )
    return join_sentences((one.strip() for one in said if one), language)


def choices_note(messages: Sequence[Message], bot: Bot) -> str:
    """In the first turn, why the choices are in the documents' language if the user writes in another; else ""."""
    language = language_spoken(messages, bot.language)
    is_first = not any(message.role == "assistant" for message in messages)
    return _parts()["other_language"][language] if language != bot.language and is_first else ""


def helpful_queries(kind: MessageKind, text: str, language: Language) -> tuple[str, ...]:
    """The queries, best first, for sections that help a user in trouble or who wants a human agent."""
    name = (distress_of(text).feeling or "") if kind == "request" else _named(kind, text)
    emergency = distress_of(text).emergency
    if name == "emergency" and emergency:
        return (first_steps_query(emergency, language),)
    if name == "life":
        name = emergency or name
    return tuple(_texts()["searched"].get(name, {}).get(language, ()))


def not_matched_text(language: Language) -> str:
    """The sentence for "not found" if the user writes in another language than that of the documents."""
    return _parts()["not_matched"][language]


def other_language_note(language: Language) -> str:
    """The sentence before an answer in the documents' language, if the message is in another."""
    return _parts()["found_elsewhere"][language]


def _desk(bot: Bot, language: Language) -> str:
    """What the bot covers; if the user writes in another language, the language of its documents."""
    if not bot.description:
        return ""
    if language != bot.language:
        return f"{_parts()['elsewhere'][language].strip()}{'' if language == 'ja' else ' '}"
    lines = filter(None, (line.strip() for line in bot.description.splitlines()))
    said = join_sentences((_described_ja(one) if language == "ja" else _described_en(one) for one in lines), language)
    return said if language == "ja" or not said else f"{said} "


def _described_ja(said: str) -> str:
    """A description as a sentence: it may be one, a noun, topics, or a verb without its noun."""
    if said.endswith(("。", "！", "？", "!", "?")):
        return said
    if _POLITE.search(said):
        return f"{said}。"
    if _A_DESK.search(said):
        return f"{said}です。"
    if said.endswith(("について", "に関して", "に")):
        return f"{said}お答えします。"
    return f"{said}ヘルプデスクです。" if _MODIFIER.search(said) else f"{said}についてお答えします。"


def _described_en(said: str) -> str:
    """A description as a sentence: it may be one, or have a verb without a subject, or be a noun."""
    ended = said if said.endswith((".", "!", "?")) else f"{said}."
    if verb := _DOES.match(said):
        third = verb[0].lower() if verb[0].endswith("s") else f"{verb[0].lower()}s"
        return f"This desk {third}{ended[verb.end() :]}"
    return ended if _SENTENCE_EN.match(said) else f"About this desk: {ended}"


def _samples(bot: Bot, language: Language) -> str:
    chosen = bot.samples[:MAX_SAMPLES] if language == bot.language else ()
    if not chosen:
        return ""
    questions = ("" if language == "ja" else " ").join(in_quotes(one, language) for one in chosen)
    return _parts()["samples"][language].format(quoted=questions)


def _contact_sentence(contact: Contact | None, language: Language) -> str:
    return _naming("contact", contact, language) if contact else ""


def _naming(part: str, contact: Contact, language: Language) -> str:
    names = {"name": contact.name, "reach": contact.reach, "contact": contact.with_reach}
    return _parts()[part][language].format_map(names)


def _texts() -> Mapping[str, Any]:
    return bundled_toml(__file__, "replies.toml")


def _parts() -> dict[str, dict[str, str]]:
    return _texts()["parts"]
