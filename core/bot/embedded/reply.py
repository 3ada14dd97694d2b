"""The embedded engine's answer to a turn: quotes of passages, a reply to small talk, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import east_asian_width

from core.base.types import Contact, Conversation, Hit, Route
from core.bot.answer.closing_line import closing_line
from core.bot.answer.referral import Referral
from core.bot.answer.refusal import contact_sentence, other_sections_reply, refusal_text, refuse
from core.bot.answer_ask_refuse import BestResponse
from core.bot.contacts import caring_contact, contact_named_in, general_contact
from core.bot.embedded.quotes import (
    Quote,
    choose_quotes,
    notes_on_unanswered,
    part_asked,
    quotes_for_each,
    without_other_cases,
)
from core.bot.embedded.snippets import Snippet, snippets
from core.bot.message_kind.classifier import MessageKind
from core.bot.message_kind.kind_of_text import UNRELATED_KINDS
from core.bot.message_kind.message_kind import message_kind
from core.bot.message_kind.replies import (
    emergency_contact,
    harassment_note,
    not_matched_text,
    opening_words,
    other_language_note,
    small_talk_reply,
    trouble_reply,
)
from core.bot.messages.shown_sections import plain_text
from core.bot.profile_values import named_values, values_left_out
from core.bot.section_probability import is_documented
from core.bot.several_questions import SearchedQuestion, is_sure
from core.bot.turn_context import TurnContext
from core.bot.turn_search import SearchResult
from core.documents.heading_names import last_heading
from core.text.conversation import is_unhelped, user_texts
from core.text.distress.distress import distress_of
from core.text.language import content_words, join_sentences
from core.text.message_questions import asks_several
from core.text.offered_choices import rejects_choices
from core.text.questions import asks_in_earnest
from core.text.quotation_marks import in_quotes
from core.text.standalone_question import split_follow_up

# Kinds of small talk that ask for something that the bot refuses.
REFUSED_KINDS: tuple[MessageKind, ...] = ("attack", *UNRELATED_KINDS)
# Kinds of messages that a human agent should hear of
KINDS_FOR_A_HUMAN: tuple[MessageKind, ...] = ("human_agent", "emergency", "distress")
# Probability from which a part of an answer given already answers what is asked next.
PART_ANSWERS_FROM = 0.5
_ASSUMED = {"ja": "「{query}」というご質問としてお答えします。", "en": 'I take your question as "{query}".'}
_HEADING = {"ja": "{heading}について：", "en": "On {heading}:"}
_OTHER_GROUPS = {
    "ja": "なお、ここに書かれているのは{named}についてです。{own}については、この項目には書かれていません。",
    "en": "Please note that this speaks of {named}; it does not say anything about {own}.",
}
_WITHIN = {
    "ja": "先ほどのご案内の中では、次のところです。",
    "en": "In what I showed you, this is the part:",
}
_NEAREST = {
    "ja": "お尋ねへの答えになっているか確かではありませんが、先ほどのご案内の中でいちばん近いのは、次のところです。",
    "en": "I am not sure that it answers you, but the nearest part of what I showed you is this:",
}


@dataclass(frozen=True)
class EmbeddedReply:
    """The answer to a turn, from what is known of it, what was found, and what was decided."""

    context: TurnContext
    search_result: SearchResult
    referral: Referral
    route: Route
    asks_nothing: bool = False  # whether the message was assessed to ask for nothing

    def text(self) -> str:
        """The reply with its closing line (core.bot.answer.closing_line)."""
        reply, is_answer = self._reply()
        return f"{reply}\n{closing_line(is_answer)}"

    def _reply(self) -> tuple[str, bool]:
        """The reply, and whether it answers rather than refuses; the first row that applies decides.

        This runs last, after the search: it cannot turn back to a clarifying question (`core.bot.clarify.routing`).

        | the last message | reply | answers |
        |---|---|---|
        | reports a problem and asks nothing | sympathy and help | yes |
        | has pinned sections | quotes of them | yes |
        | is small talk | its reply | unless it is an attack, or unrelated to any help desk |
        | only reports an emergency: danger to life, or there are contacts | a contact to call | yes |
        | is about an unknown product | refusal by its name | no |
        | says that the last reply did not help | other sections | no |
        | is not covered by the documents (`core.bot.answer_ask_refuse`) | see `_without_answer` | |
        | gets an answer that was given before | the part of it that answers now, or is nearest to it | yes |
        | | other sections if that was said, too | no |
        | is any other | quotes | yes |
        """
        context, is_request, sure = self.context, self._kind == "request", self._sure_questions()
        if is_request and self.asks_nothing and context.reports_trouble:
            return self._trouble_reply(), True
        if self.search_result.pinned_count:
            return self._quoted_answer(sure), True
        if not is_request and self._kind != "emergency":
            return self._small_talk_reply(), self._kind not in REFUSED_KINDS
        if self._only_reports_emergency():
            return self._small_talk_reply(), True
        if is_request and (name := context.unknown_product):
            return self._refusal(refusal_text("unknown_product", context.language, name=name)), False
        if is_request and _is_no_help(self._conversation):
            return self._other_sections_reply(), False
        if not sure and not self._is_answerable():
            return self._without_answer()
        answer = self._quoted_answer(sure)
        return (answer, True) if answer else (self._other_sections_reply(), False)

    @property
    def _conversation(self) -> Conversation:
        return self.context.conversation

    @property
    def _contacts(self) -> tuple[Contact, ...]:
        return self.context.bot.contacts

    @property
    def _pinned(self) -> tuple[Hit, ...]:
        """The passages of pinned sections."""
        return self.search_result.hits[: self.search_result.pinned_count]

    @cached_property
    def _kind(self) -> MessageKind:
        """The kind of the last message; without a search before the assessment, given the passages found since."""
        if self.context.bot.clarify.look_first:
            return self.context.message_kind
        return message_kind(self._conversation, self.search_result.hits, self.context.passage_count)

    @property
    def _response(self) -> BestResponse | None:
        """The best response; None for a later message if the passages found for its query decide it."""
        context = self.context
        if len(self._conversation) == 1 or context.is_scored_in_conversation or context.later_questions:
            return context.response
        return None

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """How telling each content word of the query is (inverse document frequency)."""
        return {term: self.context.index.lexical.idf(term) for term in content_words(self.search_result.query)}

    def _only_reports_emergency(self) -> bool:
        distress = distress_of(self.context.message)
        is_urgent = distress.is_life_threatening or (bool(self._contacts) and distress.emergency is not None)
        return self._kind == "emergency" and is_urgent and not asks_several(self.context.message)

    def _sure_questions(self) -> tuple[SearchedQuestion, ...]:
        """Those of several questions that are answered."""
        asked = self.search_result.several if self._response != "refuse" else ()
        return tuple(one for one in asked if is_sure(one))

    def _is_answerable(self) -> bool:
        if not self.search_result.hits:  # a fixed query may find nothing
            return False
        if self._response in ("answer", "refuse"):
            return self._response == "answer"
        return is_documented(self.search_result.query, self.search_result.hits, self.context.passage_count)

    def _trouble_reply(self) -> str:
        return trouble_reply(self._conversation, self.context.bot, self.referral.contact, self.referral.nearest)

    def _small_talk_reply(self) -> str:
        contact, nearest = self.referral.contact, self.referral.nearest
        reply = small_talk_reply(self._kind, self._conversation, self.context.bot, contact, nearest)
        section = self.referral.contact_section if self._kind in KINDS_FOR_A_HUMAN else ""
        if not section or section in nearest:
            return reply
        language = self.context.language
        whom = refusal_text("contact_section", language, heading=in_quotes(section, language))
        return join_sentences((reply, whom), language)

    def _without_answer(self) -> tuple[str, bool]:
        """The reply to what the documents do not cover, and whether it answers; the first row that holds decides.

        | the last message | reply | answers |
        |---|---|---|
        | is an emergency, and there are contacts | whom to call | yes |
        | tells of anger or a death, and asks nothing in earnest | sympathy and help | yes |
        | is any other | refusal | no |
        """
        message, language = self.context.message, self.context.language
        if self._kind == "emergency" and self._contacts:
            return self._small_talk_reply(), True
        troubled = self._kind == "request" and distress_of(message).feeling in ("anger", "complaint", "bereavement")
        if troubled and not asks_in_earnest(message):
            return self._trouble_reply(), True
        lead = opening_words(self._kind, self._conversation, language)
        reason = self.context.bot.refusal
        if not reason and lead and not (self.referral.nearest and self.referral.is_likely_meant):
            reason = refusal_text("no_sure_answer_after_sympathy", language)
        if not reason and language != self.context.bot.language:
            reason = not_matched_text(language)
        return join_sentences((lead, self._refusal(reason)), language).strip(), False

    def _refusal(self, reason: str) -> str:
        near, likely, contact = self.referral.nearest, self.referral.is_likely_meant, self.referral.contact
        section = self.referral.contact_section
        section = "" if section in near else section
        return refuse(reason, near, likely, contact, bool(self._contacts), self.context.language, section)

    def _other_sections_reply(self) -> str:
        """Other sections, and whom to ask, instead of an answer that would be no help."""
        said = self._conversation
        reason = "no_choice_meant" if rejects_choices(said) else "did_not_help" if is_unhelped(said) else "repeated"
        contact = self.referral.contact or general_contact(self._contacts)
        return other_sections_reply(reason, self.referral.others, contact, bool(self._contacts), self.context.language)

    def _quoted_answer(self, sure: Sequence[SearchedQuestion]) -> str:
        """The answer in quotes; of one that was given before, the part that answers what is asked now, or nothing."""
        quotes = self._quotes(sure)
        answer = "\n\n".join(filter(None, (self._lead(), *self._parts(quotes, sure))))
        if self._kind != "request" or self.search_result.pinned_count or not _was_said(self._conversation, answer):
            return answer
        part = self._part_asked(quotes)
        return "" if _asks_again(self._conversation) or _was_said(self._conversation, part) else part

    def _lead(self) -> str:
        """What is said before the answer: sympathy, and that the documents are in another language."""
        language = self.context.language
        lead = opening_words(self._kind, self._conversation, language, bool(self.search_result.pinned_count))
        return lead if language == self.context.bot.language else f"{lead} {other_language_note(language)}".strip()

    def _parts(self, quotes: Sequence[Quote], sure: Sequence[SearchedQuestion]) -> list[str]:
        """The answer's paragraphs: what the question was taken to mean, the quotes, what stays open, whom to ask."""
        language, message, query = self.context.language, self.context.message, self.search_result.query
        quoted = [self.search_result.hits[quote.number - 1] for quote in quotes]
        still_open = [one for one in self.search_result.several if one not in sure]
        named = self.route.name_contact or distress_of(message).is_harassed
        contact = self._contact_to_name() if named else None
        return [
            _ASSUMED[language].format(query=query) if self.route.left_open == "intent" and not sure else "",
            *(self._shown(quote) for quote in quotes),
            self._note_on_other_groups(quoted),
            *notes_on_unanswered(still_open, quoted, language),
            contact_sentence(contact, language) if contact else "",
            harassment_note(message, language),
        ]

    def _note_on_other_groups(self, quoted: Sequence[Hit]) -> str:
        """Says so if the only section that is quoted names several groups, and nowhere that of the user. A text that begins with
        a rule for everybody, and has no table, covers the user."""
        sections = {hit.section for hit in quoted}
        fields, said = self.context.bot.profile_fields, self._said_by_user()
        if len(sections) != 1 or not any(named_values(field, text) for field in fields for text in said):
            return ""
        passages = [one for one in self.context.index.passages if one.section in sections]
        pieces = [piece for one in passages for piece in snippets(one.text)]
        begins_for_all = bool(pieces) and not any(named_values(field, pieces[0].text) for field in fields)
        if begins_for_all and all(piece.kind != "row" for piece in pieces):
            return ""
        text = "\n".join((quoted[0].heading, *(one.text for one in passages)))
        own, named = values_left_out(fields, said, text)
        language = self.context.language
        comma = "、" if language == "ja" else ", "
        return _OTHER_GROUPS[language].format(own=comma.join(own), named=comma.join(named)) if own else ""

    def _part_asked(self, quotes: Sequence[Quote]) -> str:
        """The part of an answer given already that answers what is asked now; if likely none does, that is said, with
        whom to ask."""
        first, language = quotes[0].number, self.context.language
        about, text = split_follow_up(self._conversation)
        query, hit = self.search_result.query, self.search_result.hits[first - 1]
        part = part_asked(text if about else query, about, hit, self._weights, self._said_before())
        is_sure = part.probability >= PART_ANSWERS_FROM
        contact = None if is_sure else self.referral.contact
        lead = (_WITHIN if is_sure else _NEAREST)[language]
        whom = contact_sentence(contact, language) if contact else ""
        return "\n\n".join(filter(None, (lead, _quote(first, part.pieces), whom)))

    def _quotes(self, sure: Sequence[SearchedQuestion]) -> list[Quote]:
        """What is quoted: of the pinned sections, and for each question that is surely answered; else for the message
        as a whole."""
        hits, pinned = self.search_result.hits, {hit.passage.id for hit in self._pinned}
        if pinned:
            others = [one for one in sure if one.hits[0].passage.id not in pinned]
            unpinned = quotes_for_each(others, hits, self._weights)
            return [
                *self._quotes_of_pinned(),
                *(quote for quote in unpinned if quote.number > self.search_result.pinned_count),
            ]
        if sure:
            return quotes_for_each(sure, hits, self._weights)
        about, last = split_follow_up(self._conversation)
        later = len(self._conversation) > 1
        return choose_quotes(
            self.search_result.query, hits, self._weights, last if about else "", self._said_before(), allow_rival=later
        )

    def _quotes_of_pinned(self) -> list[Quote]:
        """What is quoted of each pinned section."""
        pinned = self._pinned
        sections = [hit.section for hit in pinned]
        starts = [place for place in range(len(pinned)) if not place or sections[place] != sections[place - 1]]
        if len(starts) == 1:
            return choose_quotes(
                self.search_result.query, pinned, self._weights, before=self._said_before(), picked=True
            )
        found: list[Quote] = []
        for start, end in zip(starts, [*starts[1:], len(pinned)], strict=True):
            quotes = choose_quotes(last_heading(pinned[start].heading), pinned[start:end], self._weights)
            found.extend(quote._replace(number=quote.number + start, named=True) for quote in quotes)
        return found

    def _shown(self, quote: Quote) -> str:
        """A quote with its citation, below the heading of its section if that is to be named."""
        text = _quote(quote.number, without_other_cases(quote.pieces, self._said(), self.context.bot.profile_fields))
        if not quote.named:
            return text
        heading = in_quotes(last_heading(self.search_result.hits[quote.number - 1].heading), self.context.language)
        return f"{_HEADING[self.context.language].format(heading=heading)}\n\n{text}"

    def _said(self) -> tuple[str, ...]:
        """What was said of the user, the newest first: the last message, the profile, the messages before."""
        last, *before = self._said_by_user()
        return (last, self.context.profile.text(), *before)

    def _said_by_user(self) -> list[str]:
        """The user's messages, the newest first."""
        return user_texts(reversed(self._conversation))

    def _said_before(self) -> list[str]:
        """The user's messages before the last, the newest first, and what the profile says."""
        return [*self._said_by_user()[1:], self.context.profile.text()]

    def _contact_to_name(self) -> Contact | None:
        fitting, happened = self.referral.contact, distress_of(self.context.message).trouble
        if happened == "harassment":
            return caring_contact(self._contacts, fitting, "harassment")
        if happened == "bereavement":
            return contact_named_in([hit.passage.text for hit in self._pinned], self._contacts) or fitting
        if self._kind == "emergency":
            return emergency_contact(self.context.message, self._contacts, fitting)
        return fitting


def _was_said(conversation: Conversation, answer: str) -> bool:
    """Whether an earlier reply says the same word for word."""
    return plain_text(answer) in {plain_text(message.text) for message in conversation if message.role == "assistant"}


def _is_no_help(conversation: Conversation) -> bool:
    """Whether the last message says that the reply before it did not help, or that no choice is meant."""
    return is_unhelped(conversation) or rejects_choices(conversation)


def _asks_again(conversation: Conversation) -> bool:
    """Whether the last message was sent before."""
    *earlier, last = conversation
    return plain_text(last.text) in map(plain_text, user_texts(earlier))


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
