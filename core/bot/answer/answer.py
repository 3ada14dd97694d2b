"""An answer from passages, with citations, or an honest "not in the documents"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.base.prompt import Prompt
from core.base.types import Answer, Contact, Hit, Language, Message
from core.bot.answer.answerable import is_answerable
from core.bot.answer.quotes import choose_quotes
from core.bot.answer.snippets import Snippet
from core.text.language import language_of

_SORRY = {
    "ja": "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。",
    "en": "I am sorry, I don't know. I could not find this in the documents I have.",
}
_DECLINED = {
    "ja": "申し訳ありません。このご質問にはお答えできません。",
    "en": "I am sorry, I cannot answer this.",
}
_NEAREST = {"ja": "近い話題としては{topics}があります。", "en": "The nearest topics are {topics}."}
_CONTACT = {
    "ja": "くわしくは{name}（{reach}）へお問い合わせください。",
    "en": "Please contact {name}: {reach}.",
}


def refuse(hits: Sequence[Hit], contact: Contact | None, language: Language) -> str:
    """ "Not in the documents", with the nearest topics and whom to ask; cites nothing."""
    parts = [_SORRY[language]]
    nearest = list(dict.fromkeys(hit.passage.heading.split(" › ")[-1] for hit in hits))[:3]
    if nearest:
        quoted = (
            "、".join(f"「{name}」" for name in nearest) if language == "ja" else ", ".join(f'"{n}"' for n in nearest)
        )
        parts.append(_NEAREST[language].format(topics=quoted))
    if contact:
        parts.append(whom_to_ask(contact, language))
    return ("" if language == "ja" else " ").join(parts)


def decline(contact: Contact | None, language: Language) -> str:
    """What the bot says where its model, or a filter before it, will not reply; cites nothing."""
    parts = [_DECLINED[language], *([whom_to_ask(contact, language)] if contact else [])]
    return ("" if language == "ja" else " ").join(parts)


def whom_to_ask(contact: Contact, language: Language) -> str:
    """One sentence that names a contact."""
    return _CONTACT[language].format(name=contact.name, reach=contact.reach)


_CITATION = re.compile(r"\[(\d{1,2})\]")
_ASSUMED = {"ja": "「{query}」というご質問としてお答えします。", "en": 'I take your question as "{query}".'}


class Answering(Prompt[str]):
    """Answer a standalone question from numbered passages (from 1) and cite them as [1]; else say "not in the documents".

    `weights`: how telling each content word of the question is (inverse document frequency); `assumed`: a question
    back was left unasked, so the answer says what it took the question to mean; `contact`: whom to name, if anyone.
    """

    file = "answer"
    question: str
    passages: tuple[Hit, ...]
    conversation: tuple[Message, ...] = ()
    prompt: str = ""
    guidelines: str = ""
    weights: Mapping[str, float] = {}
    assumed: bool = False
    contact: Contact | None = None
    name_contact: bool = False

    def without_model(self) -> str:
        """Quotes the pieces of the best passages that answer; refuses when too little of the question is covered."""
        spoken = self.conversation[-1].text if self.conversation else self.question
        language = language_of(spoken, self.language)
        if not is_answerable(self.question, self.passages, self.weights):
            return refuse(self.passages, self.contact, language)
        parts = [_ASSUMED[language].format(query=self.question)] if self.assumed else []
        parts += [
            _quote(number, pieces) for number, pieces in choose_quotes(self.question, self.passages, self.weights)
        ]
        if self.contact and self.name_contact:
            parts.append(whom_to_ask(self.contact, language))
        return "\n\n".join(parts)


def read_answer(text: str, hits: Sequence[Hit]) -> Answer:
    """The answer in a text: it counts as answered when it cites at least one of the passages."""
    cited = tuple(sorted({int(found) for found in _CITATION.findall(text) if 1 <= int(found) <= len(hits)}))
    return Answer(text=text, cited=cited, answered=bool(cited))


def _quote(number: int, pieces: list[Snippet]) -> str:
    """The pieces as running text, list lines on their own, the citation behind each run."""
    mark = f"[{number}]"
    runs: list[tuple[bool, list[str]]] = []
    for piece in pieces:
        listed = piece.kind != "sentence"
        text = f"- {piece.text}" if piece.kind == "row" else piece.text
        if runs and runs[-1][0] == listed:
            runs[-1][1].append(text)
        else:
            runs.append((listed, [text]))
    blocks = ["\n".join(texts) if listed else _joined(texts) for listed, texts in runs]
    return "\n\n".join(f"{block} {mark}" for block in blocks)


def _joined(texts: list[str]) -> str:
    space = " " if texts[0].isascii() else ""
    return space.join(texts)
