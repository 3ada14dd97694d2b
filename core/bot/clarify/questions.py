"""The texts of a clarifying question, built from the sections that compete."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.clean_text import truncate
from core.base.types import Language, ProfileField
from core.bot.clarify.missing_subject import Act, act_of
from core.text.intent_patterns import ADVICE, CHOICE
from core.text.language import content_words, join_sentences
from core.text.message_questions import tells_failure
from core.text.question_subject import is_noun_phrase, subject
from core.text.questions import asks
from core.text.quotation_marks import quote_list

# Characters up to which a message is read back as it was said.
READ_BACK_WHOLE = 44
# Characters of a longer one that are read back.
READ_BACK_CHARACTERS = 60
# Characters up to which the subject of a message is read back.
READ_BACK_SUBJECT = {"ja": 32, "en": 60}
# Words of an English one.
MAX_SUBJECT_WORDS = 5
_MISSING = {
    "ja": ("{about}どの内容をお知りになりたいですか。たとえば{choices}があります。", "{about}{detail}"),
    "en": (
        "{about}which of these do you mean? There is, for example, {choices}.",
        "I would like to get this right. {about}{detail}",
    ),
}
_WHICH = {
    "ja": "確認させてください。お知りになりたいのは、{choices}のどれに近いでしょうか。",
    "en": "Let me make sure that I look up the right thing. Is it about {choices}?",
}
_SUBJECT = {  # of a message that names none: what was understood, and what it may be about
    "ja": "{understood}たとえば{choices}があります。ほかのことでしたら、何のことかを教えてください。",
    "en": "{understood} Is it about {choices}? If it is something else, just tell me what.",
}
_UNDERSTOOD: dict[Language, dict[Act, str]] = {
    "ja": {
        "money": "{said}何の費用や金額のことでしょうか。",
        "time": "{said}何の期限や期間のことでしょうか。",
        "count": "{said}何の数や上限のことでしょうか。",
        "steps": "{said}何の手続きや操作のことでしょうか。",
        "who": "{said}どの件の担当や窓口のことでしょうか。",
        "trouble": "{said}何についてお困りでしょうか。",
        "wish": "{said}何についてのご希望でしょうか。",
        "": "{said}どの件のことでしょうか。",
    },
    "en": {
        "money": "You are asking about a price or an amount.",
        "time": "You are asking about a time or a deadline.",
        "count": "You are asking about a number or a limit.",
        "steps": "You would like to know how something is done.",
        "who": "You are asking who is in charge of something.",
        "trouble": 'You wrote "{said}"; I am sorry about the trouble.',
        "wish": 'You wrote "{said}".',
        "": 'You wrote "{said}".',
    },
}
_WHETHER = {
    "ja": "{about}{choices}のことでしょうか。ほかのことでしたら、もう少し詳しく教えていただけますか。",
    "en": "{about}is it about {choices}? If not, could you tell me a little more?",
}
_DETAIL = {
    "ja": "どのような場面で、何をなさりたいのか、もう少し詳しく教えていただけますか。",
    "en": "Could you tell me a little more: what are you trying to do, and where does it stop?",
}
_OTHER_WORDS = {
    "ja": "どれも違うのですね。失礼しました。何についてお知りになりたいか、別の言葉でもう少し詳しく教えていただけますか。",
    "en": "Sorry, then it is none of these. Could you tell me in other words what it is about?",
}
_SORRY = {"ja": "それはお困りですね。", "en": "I am sorry about the trouble."}
_TROUBLE = {
    "ja": "いつから、どの画面や場面で、どのような表示や状態になるのかを教えていただけますか。",
    "en": "Could you tell me where it happens, since when, and what exactly you see?",
}
_CHOOSE = {  # what the message is repeated with, and the question
    "ja": (
        "「{phrase}」とのご相談ですね。",
        "目的や条件によってお答えが変わります。どのような目的や場面で、どなたが使うのかを教えてください。"
        "候補やご希望があれば、あわせてお知らせください。",
    ),
    "en": (
        'Happy to help you decide about "{phrase}".',
        "The answer depends on your situation: what is it for, and who is it for? If you have options or conditions in "
        "mind, please tell me those too.",
    ),
}
_ADVISE = {
    "ja": (
        "「{phrase}」とのご相談ですね。",
        "ご事情によってお答えが変わります。いつごろの、どのようなご事情で、どうなさりたいのかを教えていただけますか。",
    ),
    "en": (
        'Happy to think this through with you: "{phrase}".',
        "The answer depends on your situation. What has happened or is planned, when, and what would you like to "
        "achieve?",
    ),
}
_ALSO = {"ja": "関係しそうな内容には{choices}があります。", "en": "Related topics are {choices}."}
_CLAUSE_END = re.compile(r"(?:が|けど|す|ん|た|い|る|う|か)$")


def ask_missing(text: str, offered: Sequence[str], language: Language, read_back: bool = True) -> str:
    """The question for what is missing.

    read_back: false after a word of sympathy: a fear or a pain is not repeated to the user
    """
    if not content_words(text):
        return _DETAIL[language]
    chosen, plain = _MISSING[language]
    about = read_back_subject(text, language) if read_back else ""
    if len(offered) == 1:
        return _whether(about, offered, language)
    if offered:
        return _capitalized(chosen.format(about=about, choices=quote_list(offered, language)))
    detail = _ask_trouble(language, read_back) if tells_failure(text) else _DETAIL[language]
    return plain.format(about=about, detail=detail) if read_back else detail


def _ask_trouble(language: Language, is_sorry: bool) -> str:
    """The question about a problem, with a word of regret or without."""
    return join_sentences(filter(None, (_SORRY[language] if is_sorry else "", _TROUBLE[language])), language)


def ask_other_words(language: Language) -> str:
    """The question for what is meant, after none of the choices was."""
    return _OTHER_WORDS[language]


def ask_which(offered: Sequence[str], language: Language) -> str:
    """The question which of the nearest sections is meant, or whether the only one is."""
    if len(offered) == 1:
        return _whether("", offered, language)
    return _WHICH[language].format(choices=quote_list(offered, language))


def ask_subject(text: str, offered: Sequence[str], language: Language, read_back: bool = True) -> str:
    """The question what a message is about that names no subject; it says what was understood.

    read_back: false after a word of sympathy: what a Japanese message only tells is not repeated
    """
    said = _read_back(text)
    if language == "ja":
        is_asked, subject_of = asks(text), truncate(_phrase(text), READ_BACK_CHARACTERS)
        plain = said if subject_of.endswith("な") or (is_asked and "、" in said) else subject_of
        is_clause = _CLAUSE_END.search(plain) or (is_asked and plain == said)
        named = "についてのお尋ね" if is_asked else "のこと"
        ending = ("とのお尋ね" if is_asked else "とのこと") if is_clause else named
        is_repeated = len(plain) <= READ_BACK_SUBJECT[language] and (read_back or ending != "とのこと")
        said = f"「{plain}」{ending}ですね。" if is_repeated else ""
    understood = _UNDERSTOOD[language][act_of(text)].format(said=said)
    return _SUBJECT[language].format(understood=understood, choices=quote_list(offered, language))


def _whether(about: str, offered: Sequence[str], language: Language) -> str:
    """The question whether the only section offered is meant."""
    return _capitalized(_WHETHER[language].format(about=about, choices=quote_list(offered, language)))


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def draw_out(text: str, offered: Sequence[str], language: Language, read_back: bool = True) -> str:
    """The question that draws out what a consultation is really about.

    read_back: as in `ask_missing`
    """
    if tells_failure(text) and not ADVICE.search(text):
        asked = _ask_trouble(language, read_back)
    else:
        opening, asked = (_CHOOSE if CHOICE.search(text) else _ADVISE)[language]
        asked = join_sentences((opening.format(phrase=_read_back(text)), asked), language) if read_back else asked
    also = _ALSO[language].format(choices=quote_list(offered, language)) if offered else ""
    return join_sentences(filter(None, (asked, also)), language)


def ask_profile(field: ProfileField, language: Language) -> str:
    """The question for what an answer depends on."""
    values = quote_list(field.values, language)
    return f"{field.question}（{values}）" if language == "ja" else f"{field.question} ({values})"


def read_back_subject(text: str, language: Language) -> str:
    """The subject of a message read back before the question; nothing if that is long, or a whole sentence."""
    phrase = _phrase(text)
    names_thing = (
        len(phrase.split()) <= MAX_SUBJECT_WORDS and not asks(phrase) if language == "en" else is_noun_phrase(phrase)
    )
    if len(phrase) > READ_BACK_SUBJECT[language] or not names_thing:
        return ""
    return f'"{phrase}": ' if language == "en" else f"「{phrase}」について、"


def _read_back(text: str) -> str:
    """The message as it was said if it is short, else its subject."""
    whole = text.strip().rstrip("。.！!？?…")
    return whole if len(whole) <= READ_BACK_WHOLE else truncate(_phrase(text), READ_BACK_CHARACTERS)


def _phrase(text: str) -> str:
    whole = text.strip().rstrip("。.！!？?…")
    found = subject(text)
    begins = found and whole.startswith(found) and "は" not in found
    return found if begins else whole
