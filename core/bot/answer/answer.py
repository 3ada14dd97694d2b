"""An answer from passages, with citations, or an honest "not in the documents"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ConfigDict

from core.base.text import in_quotes
from core.base.types import Answer, Contact, Hit, Language, Message, ProfileField
from core.bot.answer.answerable import is_answerable
from core.bot.answer.closing_line import closing_line, read_closing_line
from core.bot.answer.quotes import Quote, choose_quotes, core_of, without_other_cases
from core.bot.answer.referral import Referral
from core.bot.answer.refusal import SORRY, no_such_product, refuse, whom_to_ask
from core.bot.answer.repeated import asks_again, instead_of_repeating, is_no_help, was_said, within_answer
from core.bot.answer.several_questions import SearchedQuestion, has_price, is_sure, left_open, quotes_for_each
from core.bot.answer.snippets import Snippet
from core.bot.clarify.outcome import BestResponse
from core.bot.contacts import caring_contact, contact_named_in
from core.bot.conversation_prompt import ConversationPrompt
from core.bot.evidence import FULL
from core.bot.small_talk.replies import (
    Desk,
    harassment_note,
    not_matched_text,
    opening_words,
    other_language_note,
    small_talk_reply,
    trouble_reply,
    whom_to_call,
)
from core.bot.small_talk.talk_kind import FAR, TalkKind, matter_of, talk_kind
from core.retrieval.headings import last_heading
from core.text.citations import read_citations
from core.text.distress.distress import distress_of
from core.text.language import join_sentences, language_of
from core.text.message_questions import asks_several
from core.text.questions import asks_in_earnest
from core.text.refusals import answer_sentences, is_refusal

_ASSUMED = {"ja": "「{query}」というご質問としてお答えします。", "en": 'I take your question as "{query}".'}
_HEADING = {"ja": "{heading}について:", "en": "On {heading}:"}
_AFTER_SYMPATHY = {  # a refusal that does not say sorry twice
    "ja": "お尋ねの件そのものへの答えは手元の資料に見つけられませんでしたが、できるかぎりお手伝いします。",
    "en": "I could not find a sure answer to this in the documents I have, but I would like to help.",
}


class Answering(ConversationPrompt[str]):
    """Answer a standalone question from numbered passages (from 1) and cite them as [1]; else say "not in the
    documents".

    `question`: what was searched for; `weights`: how telling each of its content words is (inverse document frequency);
    `assumed`: what the person means could not be settled, so the answer says what it took the question to mean;
    `by_case`: something about the person is not known, so the answer tells the cases apart; `contacts`: all there are,
    of which the model picks one; `referral`: the one that fits best by its words, and the headings that a reply without
    an answer can offer; `refusal`: the bot's own words for "not in the documents"; `about`: what the bot tells of
    itself; `picked`: how many passages, the first ones, are of the section that the person chose; `searched`: how many
    passages there are in all; `talk`: the kind of the last message, if known; `told`: a trouble is told and nothing
    asked; `fields`: what tells people's cases apart; `searched_questions`: each of several questions with what was
    found for it; `others`: headings of sections that no reply has shown, to offer instead of the same answer again;
    `product`: the name of one of which the documents say nothing, if the message is about it; `outcome`: what a first
    message is best met with, if that is known. The reply ends with the closing line (core.bot.answer.closing_line).
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    file = "answer"
    required = ("dialogue", "passages")
    question: str
    passages: tuple[Hit, ...]
    conversation: tuple[Message, ...] = ()
    prompt: str = ""
    refusal: str = ""
    guidelines: str = ""
    weights: Mapping[str, float] = {}
    assumed: bool = False
    by_case: bool = False
    contacts: tuple[Contact, ...] = ()
    referral: Referral = Referral()
    name_contact: bool = False
    about: Desk = Desk()
    picked: int = 0
    searched: int = FULL
    talk: TalkKind | None = None
    told: bool = False
    fields: tuple[ProfileField, ...] = ()
    searched_questions: tuple[SearchedQuestion, ...] = ()
    others: tuple[str, ...] = ()
    product: str = ""
    outcome: BestResponse | None = None

    def template_fields(self) -> dict[str, Any]:
        """Adds `query`, empty if it is the person's own message, the words of the refusal, `contact` and `nearest`."""
        own = bool(self.conversation) and self.conversation[-1].text.strip() == self.question
        more = {"query": "" if own else self.question, "refusal": self.refusal or SORRY[self.language]}
        known = {
            name: value
            for name, value in super().template_fields().items()
            if name not in ("referral", "searched_questions")
        }
        return {**known, **more, "contact": self.referral.contact, "nearest": self.referral.nearest}

    def without_model(self) -> str:
        """Quotes the pieces of the best passages that answer; refuses when too little of the question is covered.

        Small talk is answered in kind, without passages.
        """
        spoken = self.conversation[-1].text if self.conversation else self.question
        language = language_of(spoken, self.language)
        kind = self._small_talk()
        if kind == "request" and self.told:
            nearest, contact = self.referral.nearest, self.referral.contact
            said = trouble_reply(self.conversation, self.contacts, contact, language, nearest)
            return f"{said}\n{closing_line(True)}"
        if kind not in ("request", "emergency") and not self.picked:
            return f"{self._talk(kind, spoken, language)}\n{closing_line(kind not in ('attack', *FAR))}"
        if (
            kind == "emergency"
            and not self.picked
            and self.contacts
            and distress_of(spoken).emergency
            and not asks_several(spoken)
        ):
            return f"{self._talk(kind, spoken, language)}\n{closing_line(True)}"
        if kind == "request" and self.product and not self.picked:
            words = no_such_product(self.product, language)
            said = refuse(self.referral.nearest, self.referral.contact, language, words, bool(self.contacts))
            return f"{said}\n{closing_line(False)}"
        if kind == "request" and not self.picked and is_no_help(self.conversation):
            return f"{self._instead(language)}\n{closing_line(False)}"
        sure = tuple(one for one in self.searched_questions if self.outcome != "refuse" and is_sure(one, self.searched))
        if not self.picked and not sure and not self._is_answerable():
            return f"{self._unanswered(kind, spoken, language)}\n{closing_line(False)}"
        parts = [_ASSUMED[language].format(query=self.question)] if self.assumed and not sure else []
        quotes = self._quotes(sure)
        parts += [self._shown(quote, language) for quote in quotes]
        quoted = [self.passages[quote.number - 1] for quote in quotes]
        parts += left_open(
            [one for one in self.searched_questions if one not in sure or not has_price(one, quoted)], quoted, language
        )
        if (self.name_contact or distress_of(spoken).is_harassed) and (contact := self._contact(kind)):
            parts.append(whom_to_ask(contact, language))
        parts += filter(None, [harassment_note(spoken, language)])
        lead = opening_words(kind, self.conversation, language)
        if language != self.about.language and self.about.name:
            lead = f"{lead} {other_language_note(language)}".strip()
        said = "\n\n".join([*filter(None, [lead]), *parts])
        if kind == "request" and not self.picked and was_said(self.conversation, said):
            part = self._core_of(quotes, language)
            if asks_again(self.conversation) or was_said(self.conversation, part):
                return f"{self._instead(language)}\n{closing_line(False)}"
            said = part
        return f"{said}\n{closing_line(True)}"

    def _is_answerable(self) -> bool:
        if self.outcome in ("answer", "refuse"):
            return self.outcome == "answer"
        return is_answerable(self.question, self.passages, self.searched)

    def _core_of(self, quotes: Sequence[Quote], language: Language) -> str:
        """The part of an answer given already that answers what is asked now."""
        first = quotes[0].number
        core = core_of(self.question, self.passages[first - 1], self.weights)
        return f"{within_answer(language)}\n\n{_quote(first, core)}"

    def _instead(self, language: Language) -> str:
        contact = self.referral.contact
        return instead_of_repeating(self.conversation, self.others, contact, self.contacts, language)

    def _quotes(self, sure: Sequence[SearchedQuestion]) -> list[Quote]:
        """What is quoted: of the picked section, and for each question that is surely answered; else for the message as
        a whole."""
        if self.picked:
            first = self._quotes_of_picked()
            others = [
                one
                for one in sure
                if one.hits[0].passage.id not in {hit.passage.id for hit in self.passages[: self.picked]}
            ]
            more = quotes_for_each(others, self.passages, self.weights)
            return [*first, *(quote for quote in more if quote.number > self.picked)]
        if sure:
            return quotes_for_each(sure, self.passages, self.weights)
        return choose_quotes(self.question, self.passages, self.weights)

    def _quotes_of_picked(self) -> list[Quote]:
        """What is quoted of the section that was picked, or of each of several."""
        picked = self.passages[: self.picked]
        starts = [
            place for place, hit in enumerate(picked) if not place or _section(hit) != _section(picked[place - 1])
        ]
        if len(starts) == 1:
            return choose_quotes(self.question, picked, self.weights)
        found: list[Quote] = []
        for start, end in zip(starts, [*starts[1:], len(picked)], strict=True):
            quotes = choose_quotes(last_heading(picked[start].passage.heading), picked[start:end], self.weights)
            found.extend(quote._replace(number=quote.number + start, named=True) for quote in quotes)
        return found

    def _shown(self, quote: Quote, language: Language) -> str:
        """A quote with its citation, below the heading of its section if that is to be named."""
        text = _quote(quote.number, without_other_cases(quote.pieces, self._known(), self.fields))
        heading = last_heading(self.passages[quote.number - 1].passage.heading)
        return f"{_HEADING[language].format(heading=in_quotes(heading, language))}\n\n{text}" if quote.named else text

    def _known(self) -> tuple[str, ...]:
        """What was said of the person, the newest first: the last message, the profile, the messages before."""
        said = [message.text for message in reversed(self.conversation) if message.role == "user"]
        return (*said[:1], self.profile, *said[1:])

    def _small_talk(self) -> TalkKind:
        if self.talk or not self.conversation:
            return self.talk or "request"
        return talk_kind(self.conversation, self.passages, self.searched)

    def _contact(self, kind: TalkKind) -> Contact | None:
        fitting = self.referral.contact
        spoken = self.conversation[-1].text if self.conversation else self.question
        if distress_of(spoken).trouble == "harassment":
            return caring_contact(self.contacts, fitting, "harassment")
        if distress_of(spoken).trouble == "bereavement":
            section = [hit.passage.text for hit in self.passages[: self.picked]]
            return contact_named_in(section, self.contacts) or fitting
        return whom_to_call(spoken, self.contacts, fitting) if kind == "emergency" else fitting

    def _talk(self, kind: TalkKind, spoken: str, language: Language) -> str:
        contact, nearest = self.referral.contact, self.referral.nearest
        matter = kind == "person" and bool(matter_of(self.conversation))
        return small_talk_reply(kind, spoken, self.about, self.contacts, contact, language, nearest, matter)

    def _unanswered(self, kind: TalkKind, spoken: str, language: Language) -> str:
        if kind == "emergency" and self.contacts:
            return self._talk(kind, spoken, language)
        if (
            kind == "request"
            and distress_of(spoken).feeling in ("anger", "bereavement")
            and not asks_in_earnest(spoken)
        ):
            nearest, contact = self.referral.nearest, self.referral.contact
            return trouble_reply(self.conversation, self.contacts, contact, language, nearest)
        lead = opening_words(kind, self.conversation, language)
        offered = self.referral.nearest and self.referral.likely
        words = self.refusal or (_AFTER_SYMPATHY[language] if lead and not offered else "")
        if language != self.about.language:
            words = words or not_matched_text(language)
        near, contact, likely = self.referral.nearest, self.referral.contact, self.referral.likely
        said = refuse(near, contact, language, words, bool(self.contacts), likely)
        return join_sentences((lead, said), language).strip()


def read_answer(text: str, hits: Sequence[Hit]) -> Answer:
    """The answer in a model's text: without its closing line, its citations written as [1], dead ones removed.

    Whether it answers is what the closing line says; without one it does if it cites a passage and does not begin with
    "not in the documents".
    """
    body, answered = read_closing_line(text)
    shown, cited = read_citations(body, len(hits))
    if answered is None:
        answered = bool(cited) and not any(is_refusal(sentence) for sentence in answer_sentences(shown)[:1])
    return Answer(text=shown.strip(), cited=cited, answered=answered)


def _section(hit: Hit) -> tuple[str, str]:
    return hit.passage.document, hit.passage.heading


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
