"""An answer from passages, with citations, or an honest "not in the documents"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from unicodedata import east_asian_width

from pydantic import ConfigDict

from core.base.types import Answer, Contact, Hit, Language, Message, ProfileField
from core.bot.answer.closing_line import closing_line, read_closing_line
from core.bot.answer.quotes import Quote, choose_quotes, part_asked, without_other_cases
from core.bot.answer.quotes_for_each import left_open, quotes_for_each
from core.bot.answer.referral import Referral
from core.bot.answer.refusal import contact_sentence, other_sections_reply, refusal_text, refuse
from core.bot.answer.repeated import asks_again, is_no_help, was_said
from core.bot.answer.snippets import Snippet
from core.bot.contacts import caring_contact, contact_named_in, general_contact
from core.bot.conversation_prompt import ConversationPrompt
from core.bot.evidence import is_documented
from core.bot.response import BestResponse
from core.bot.several_questions import SearchedQuestion, is_sure
from core.bot.small_talk.classifier import TalkKind
from core.bot.small_talk.person_wish import matter_of
from core.bot.small_talk.replies import (
    Desk,
    emergency_contact,
    harassment_note,
    not_matched_text,
    opening_words,
    other_language_note,
    small_talk_reply,
    trouble_reply,
)
from core.bot.small_talk.talk_kind import FAR_OFF
from core.documents.headings import last_heading
from core.retrieval.scores import ENOUGH_PASSAGES
from core.text.citations import read_citations
from core.text.conversation import follow_up, is_unhelped, rejects_choices
from core.text.distress.distress import distress_of
from core.text.language import join_sentences, language_of
from core.text.message_questions import asks_several
from core.text.questions import asks_in_earnest
from core.text.quotation_marks import in_quotes
from core.text.refusals import answer_sentences, is_refusal

RefusalReason = Literal["", "small_talk", "unknown_product", "did_not_help", "not_documented", "repeated"]
# Small talk that asks for something which the bot refuses.
REFUSED_TALK: tuple[TalkKind, ...] = ("attack", *FAR_OFF)
_ASSUMED = {"ja": "「{query}」というご質問としてお答えします。", "en": 'I take your question as "{query}".'}
_HEADING = {"ja": "{heading}について:", "en": "On {heading}:"}
_WITHIN = {
    "ja": "先ほどのご案内の中では、次のところです。",
    "en": "In what I showed you, this is the part:",
}


class Answering(ConversationPrompt[str]):
    """Answer a standalone question from numbered passages (from 1) and cite them as [1]; else say "not in the
    documents".

    `question`: what was searched for; `weights`: how telling each of its content words is (inverse document frequency);
    `assumed`: what the person means could not be settled, so the answer says what it took the question to mean;
    `by_case`: something about the person is not known, so the answer tells the cases apart; `contacts`: all there are,
    of which the model picks one; `referral`: the one that fits best by its words, and the headings that a reply without
    an answer can offer; `refusal`: the bot's own words for "not in the documents"; `introduction`: what the bot tells
    of itself; `pinned_count`: how many passages, the first ones, are of sections that are surely meant;
    `passage_count`: how many there are in all; `talk`: the kind of the last message; `tells_trouble`: a trouble is told
    and nothing asked; `fields`: what tells people's cases apart; `searched_questions`: each of several questions with
    what was found for it; `others`: headings of sections that no reply has shown, to offer instead of the same answer
    again; `product`: the name of one of which the documents say nothing, if the message is about it; `response`: the
    best one to a first message, if that is known. The reply ends with the closing line
    (core.bot.answer.closing_line).
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
    introduction: Desk = Desk()
    pinned_count: int = 0
    passage_count: int = ENOUGH_PASSAGES
    talk: TalkKind = "request"
    tells_trouble: bool = False
    fields: tuple[ProfileField, ...] = ()
    searched_questions: tuple[SearchedQuestion, ...] = ()
    others: tuple[str, ...] = ()
    product: str = ""
    response: BestResponse | None = None

    def template_fields(self) -> dict[str, Any]:
        """Adds `query`, empty if it is the person's own message, and the words of the refusal."""
        own = bool(self.conversation) and self.conversation[-1].text.strip() == self.question
        shown = super().template_fields()
        shown = {name: value for name, value in shown.items() if name not in ("referral", "searched_questions")}
        refusal = self.refusal or refusal_text("not_documented", self.language)
        return {**shown, "query": "" if own else self.question, "refusal": refusal}

    def without_model(self) -> str:
        """Quotes the pieces of the best passages that answer; refuses if too little of the question is covered.

        Small talk is answered in kind, without passages.
        """
        reply, reason = self._reply()
        return f"{reply}\n{closing_line(not reason)}"

    def _reply(self) -> tuple[str, RefusalReason]:
        """The reply, and why it refuses; the first row that holds decides.

        | the last message | reply | reason |
        |---|---|---|
        | tells of a trouble and asks nothing | sympathy and help | |
        | has pinned sections | quotes of them | |
        | is small talk | its reply | `small_talk` if it is an attack, or far from every help desk |
        | only tells of an emergency: one to a life, or there are contacts | whom to call | |
        | is about an unknown product | refusal by its name | `unknown_product` |
        | says that the last reply did not help | other sections | `did_not_help` |
        | is not covered by the documents (`core.bot.response`) | see `_without_answer` | |
        | gets an answer that was given before | other sections | `repeated` |
        | is any other | quotes | |
        """
        is_request, sure = self.talk == "request", self._sure_questions()
        if is_request and self.tells_trouble:
            return self._trouble_reply(), ""
        if self.pinned_count:
            return self._quoted_answer(sure), ""
        if not is_request and self.talk != "emergency":
            return self._small_talk_reply(), "small_talk" if self.talk in REFUSED_TALK else ""
        if self._only_tells_emergency():
            return self._small_talk_reply(), ""
        if is_request and self.product:
            return self._refusal(refusal_text("unknown_product", self._language, name=self.product)), "unknown_product"
        if is_request and is_no_help(self.conversation):
            return self._other_sections_reply(), "did_not_help"
        if not sure and not self._is_answerable():
            return self._without_answer()
        answer = self._quoted_answer(sure)
        return (answer, "") if answer else (self._other_sections_reply(), "repeated")

    @property
    def _spoken(self) -> str:
        return self.conversation[-1].text if self.conversation else self.question

    @property
    def _language(self) -> Language:
        """The language of the last message."""
        return language_of(self._spoken, self.language)

    def _only_tells_emergency(self) -> bool:
        distress = distress_of(self._spoken)
        is_urgent = distress.is_life_threatening or (bool(self.contacts) and distress.emergency is not None)
        return self.talk == "emergency" and is_urgent and not asks_several(self._spoken)

    def _sure_questions(self) -> tuple[SearchedQuestion, ...]:
        """Those of several questions that are answered."""
        asked = self.searched_questions if self.response != "refuse" else ()
        return tuple(one for one in asked if is_sure(one))

    def _is_answerable(self) -> bool:
        if self.response in ("answer", "refuse"):
            return self.response == "answer"
        return is_documented(self.question, self.passages, self.passage_count)

    def _trouble_reply(self) -> str:
        contact, nearest = self.referral.contact, self.referral.nearest
        return trouble_reply(self.conversation, self.contacts, contact, self._language, nearest)

    def _small_talk_reply(self) -> str:
        contact, nearest = self.referral.contact, self.referral.nearest
        matter = self.talk == "person" and bool(matter_of(self.conversation))
        about = (self.introduction, self.contacts, contact, self._language, nearest, matter)
        return small_talk_reply(self.talk, self._spoken, *about)

    def _without_answer(self) -> tuple[str, RefusalReason]:
        """The reply to what the documents do not cover, and why it refuses; the first row that holds decides.

        | the last message | reply | reason |
        |---|---|---|
        | is an emergency, and there are contacts | whom to call | |
        | tells of anger or a death, and asks nothing in earnest | sympathy and help | |
        | is any other | refusal | `not_documented` |
        """
        if self.talk == "emergency" and self.contacts:
            return self._small_talk_reply(), ""
        troubled = self.talk == "request" and distress_of(self._spoken).feeling in ("anger", "complaint", "bereavement")
        if troubled and not asks_in_earnest(self._spoken):
            return self._trouble_reply(), ""
        language = self._language
        lead = opening_words(self.talk, self.conversation, language)
        offers = self.referral.nearest and self.referral.is_likely_meant
        reason = self.refusal or (
            refusal_text("no_sure_answer_after_sympathy", language) if lead and not offers else ""
        )
        if language != self.introduction.language:
            reason = reason or not_matched_text(language)
        return join_sentences((lead, self._refusal(reason)), language).strip(), "not_documented"

    def _refusal(self, reason: str) -> str:
        near, likely, contact = self.referral.nearest, self.referral.is_likely_meant, self.referral.contact
        return refuse(reason, near, likely, contact, bool(self.contacts), self._language)

    def _other_sections_reply(self) -> str:
        """Other sections, and whom to ask, instead of an answer that would be no help."""
        said = self.conversation
        reason = "no_choice_meant" if rejects_choices(said) else "did_not_help" if is_unhelped(said) else "repeated"
        contact = self.referral.contact or general_contact(self.contacts)
        return other_sections_reply(reason, self.others, contact, bool(self.contacts), self._language)

    def _quoted_answer(self, sure: Sequence[SearchedQuestion]) -> str:
        """The answer in quotes; of one that was given before, the part that answers what is asked now, or nothing."""
        quotes = self._quotes(sure)
        answer = "\n\n".join(filter(None, (self._lead(), *self._parts(quotes, sure))))
        if self.talk != "request" or self.pinned_count or not was_said(self.conversation, answer):
            return answer
        part = self._part_asked(quotes)
        return "" if asks_again(self.conversation) or was_said(self.conversation, part) else part

    def _lead(self) -> str:
        """What is said before the answer: sympathy, and that the documents are in another language."""
        lead, introduction = opening_words(self.talk, self.conversation, self._language), self.introduction
        if self._language != introduction.language and introduction.name:
            lead = f"{lead} {other_language_note(self._language)}".strip()
        return lead

    def _parts(self, quotes: Sequence[Quote], sure: Sequence[SearchedQuestion]) -> list[str]:
        """The answer's paragraphs: what the question was taken to mean, the quotes, what stays open, whom to ask."""
        language, spoken = self._language, self._spoken
        quoted = [self.passages[quote.number - 1] for quote in quotes]
        still_open = [one for one in self.searched_questions if one not in sure]
        named = self.name_contact or distress_of(spoken).is_harassed
        contact = self._contact_to_name() if named else None
        return [
            _ASSUMED[language].format(query=self.question) if self.assumed and not sure else "",
            *(self._shown(quote) for quote in quotes),
            *left_open(still_open, quoted, language),
            contact_sentence(contact, language) if contact else "",
            harassment_note(spoken, language),
        ]

    def _part_asked(self, quotes: Sequence[Quote]) -> str:
        """The part of an answer given already that answers what is asked now."""
        first = quotes[0].number
        about, text = follow_up(self.conversation)
        part = part_asked(text if about else self.question, about, self.passages[first - 1], self.weights)
        return f"{_WITHIN[self._language]}\n\n{_quote(first, part)}"

    def _quotes(self, sure: Sequence[SearchedQuestion]) -> list[Quote]:
        """What is quoted: of the pinned sections, and for each question that is surely answered; else for the message
        as a whole."""
        if self.pinned_count:
            pinned = {hit.passage.id for hit in self.passages[: self.pinned_count]}
            others = [one for one in sure if one.hits[0].passage.id not in pinned]
            beside = quotes_for_each(others, self.passages, self.weights)
            return [*self._quotes_of_pinned(), *(quote for quote in beside if quote.number > self.pinned_count)]
        if sure:
            return quotes_for_each(sure, self.passages, self.weights)
        about, last = follow_up(self.conversation) if self.conversation else ("", "")
        return choose_quotes(
            self.question, self.passages, self.weights, last if about else "", beside=len(self.conversation) > 1
        )

    def _quotes_of_pinned(self) -> list[Quote]:
        """What is quoted of each pinned section."""
        pinned = self.passages[: self.pinned_count]
        sections = [(hit.document, hit.heading) for hit in pinned]
        starts = [place for place in range(len(pinned)) if not place or sections[place] != sections[place - 1]]
        if len(starts) == 1:
            return choose_quotes(self.question, pinned, self.weights)
        found: list[Quote] = []
        for start, end in zip(starts, [*starts[1:], len(pinned)], strict=True):
            quotes = choose_quotes(last_heading(pinned[start].heading), pinned[start:end], self.weights)
            found.extend(quote._replace(number=quote.number + start, named=True) for quote in quotes)
        return found

    def _shown(self, quote: Quote) -> str:
        """A quote with its citation, below the heading of its section if that is to be named."""
        text = _quote(quote.number, without_other_cases(quote.pieces, self._said(), self.fields))
        if not quote.named:
            return text
        heading = in_quotes(last_heading(self.passages[quote.number - 1].heading), self._language)
        return f"{_HEADING[self._language].format(heading=heading)}\n\n{text}"

    def _said(self) -> tuple[str, ...]:
        """What was said of the person, the newest first: the last message, the profile, the messages before."""
        said = [message.text for message in reversed(self.conversation) if message.role == "user"]
        return (*said[:1], self.profile, *said[1:])

    def _contact_to_name(self) -> Contact | None:
        fitting, happened = self.referral.contact, distress_of(self._spoken).trouble
        if happened == "harassment":
            return caring_contact(self.contacts, fitting, "harassment")
        if happened == "bereavement":
            section = [hit.passage.text for hit in self.passages[: self.pinned_count]]
            return contact_named_in(section, self.contacts) or fitting
        return emergency_contact(self._spoken, self.contacts, fitting) if self.talk == "emergency" else fitting


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


def _quote(number: int, pieces: list[Snippet]) -> str:
    """The pieces as running text, list lines on their own, the citation behind each run."""
    mark = f"[{number}]"
    runs: list[tuple[bool, list[Snippet]]] = []
    for piece in pieces:
        listed = piece.kind != "sentence"
        if runs and runs[-1][0] == listed:
            runs[-1][1].append(piece)
        else:
            runs.append((listed, [piece]))
    blocks = [_list_lines(run) if listed else _running_text(run) for listed, run in runs]
    return "\n\n".join(f"{block} {mark}" for block in blocks)


def _list_lines(pieces: Sequence[Snippet]) -> str:
    return "\n".join(f"- {piece.text}" if piece.kind == "row" else piece.text for piece in pieces)


def _running_text(pieces: Sequence[Snippet]) -> str:
    """Sentences in a row, with a space between them but in Japanese and Chinese; lines of their own as lines."""
    text = pieces[0].text
    for piece in pieces[1:]:
        ideographic = any(east_asian_width(letter) in "WF" for letter in (text[-1], piece.text[0]))
        text += ("\n" if piece.apart else "" if ideographic else " ") + piece.text
    return text
