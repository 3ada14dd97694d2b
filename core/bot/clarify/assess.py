"""Is the person's need clear enough to search?"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from core.base.types import Assessment, Language, Message, ProfileField, Topic
from core.bot.clarify.candidates import shown_candidates
from core.bot.clarify.choices import choices_to_offer, possible_choices, titles_to_offer
from core.bot.clarify.clarity import clarity_score, unclear_probability
from core.bot.clarify.names_of_kind import names_of_kind
from core.bot.clarify.questions import ask_missing, ask_other_words, ask_profile, ask_subject, ask_which, draw_out
from core.bot.conversation_prompt import ConversationPrompt
from core.bot.evidence import has_examples, is_documented, sections_above
from core.bot.profile_values import named_values
from core.bot.response import KNOWN_SECTIONS, BestResponse, is_like_unanswered, is_likely_answered
from core.bot.section_choices import likely_choices
from core.bot.small_talk.classifier import TalkKind
from core.bot.small_talk.first_steps import first_steps_heading
from core.bot.small_talk.replies import with_sympathy
from core.bot.small_talk.talk_kind import may_be_request
from core.retrieval.scores import ENOUGH_PASSAGES
from core.text.conversation import (
    count_clarifying_questions,
    language_spoken,
    open_messages,
    picked_choices,
    rejects_choices,
    says_unknown,
    standalone_question,
)
from core.text.distress.distress import distress_of
from core.text.distress.sympathy import MILD
from core.text.intent_patterns import ABOUT_ME, ADVICE, CHOICE, DOCUMENTED, PERSON, consultation_score, question_score
from core.text.language import content_words
from core.text.message_questions import asks_several

# Score up to which a message asks for advice.
ADVICE_SCORE = 2
# Score from which a message is not clear enough to search.
UNCLEAR_SCORE = 2
# Probability from which the only section to offer is answered from instead.
ONLY_ONE_FROM = 0.5
# Probability from which advice may be about a section, if there are example questions.
ADVICE_FROM = 0.1
# Probability from which a message is unclear, once the person has answered a clarifying question.
UNCLEAR_AFTER_REPLY_FROM = 0.85
# Content words from which a message can be settled without a question.
MIN_SETTLED_WORDS = 2
# Shares of the message's words, by idf, above which the best section raises the score "in the documents" by one each.
DOCUMENTED_STEPS = (0.08, 0.18, 0.25, 0.4)
# The same share, below which no question about the person is asked for a section.
PROFILE_COVERAGE = 0.4


class Assess(ConversationPrompt[Assessment]):
    """Five scores from 1 (strongest) to 5 for a conversation's last message, and the texts to ask if they apply.

    `topics`: the sections that compete, from a look before asking; `fields`: what an answer may depend on;
    `desk`: what the help desk covers; the others are those of `core.bot.turn_context.TurnContext`.
    """

    file = "assess"
    role = "clarify"
    topics: tuple[Topic, ...] = ()
    topics_known: bool = False
    fields: tuple[ProfileField, ...] = ()
    desk: str = ""
    passage_count: int = ENOUGH_PASSAGES
    talk: TalkKind = "request"
    tells_trouble: bool = False
    alternatives: tuple[Topic, ...] = ()
    product: str = ""
    response: BestResponse | None = None

    def template_fields(self) -> dict[str, Any]:
        """Adds `candidates`, and `rewrites`: whether queries are asked for, too."""
        more = {"candidates": shown_candidates(self.topics), "rewrites": False}
        return {**super().template_fields(), **more}

    def without_model(self) -> Assessment:
        """Wording cues for the kind of message, a fitted model over words and competing sections for clarity.

        Small talk asks for nothing and is never asked a clarifying question; an emergency is searched at once.
        """
        kind, text, last = self._kind(), standalone_question(self.conversation), self.conversation[-1].text
        if kind == "request" and self.product:  # no question would find it
            return Assessment(clarity=1, is_question=1, is_consultation=5, in_internal_docs=5, ask_person=4)
        if rejects_choices(self.conversation):
            return Assessment(
                clarity=3,
                is_question=1,
                is_consultation=5,
                in_internal_docs=2,
                ask_person=4,
                ask_missing_info=ask_other_words(self._language),
            )
        if kind == "request" and (names := self._names_of_kind()):
            return self._offer(names, ask_which(text, names, self._language))
        if self._lacks_subject(text) and (
            kind == "request" or may_be_request(kind, last, self.topics[:KNOWN_SECTIONS])
        ):
            return self._ask_subject(text)
        return self._of_request(text) if kind == "request" else _of_small_talk(kind)

    @property
    def _language(self) -> Language:
        """The language of the conversation."""
        return language_spoken(self.conversation, self.language)

    def _kind(self) -> TalkKind:
        """The kind of the last message; of a request for first steps or comfort, that which it is met with."""
        last = self.conversation[-1].text
        if self.talk != "request":
            return self.talk
        if first_steps_heading(last, self.topics):
            return "emergency"
        return "distress" if self.tells_trouble else "request"

    def _of_request(self, text: str) -> Assessment:
        """The scores of a request that names its subject, and what to ask if it is unclear."""
        clarity, offered = self._clarity_and_choices(text)
        last, requests = self.conversation[-1].text, self._open_requests()
        advice = min(consultation_score(part.text) for part in requests)
        docs = self._in_documents(text)
        stuck = count_clarifying_questions(self.conversation) > 0 and says_unknown(last)
        ask_back = clarity > 1 and not stuck
        consult = ask_back and advice <= ADVICE_SCORE and bool(CHOICE.search(text) or not offered)
        question = ""
        if ask_back:
            question = self._with_sympathy((draw_out if consult else ask_missing)(text, offered, self._language))
        return Assessment(
            clarity=clarity,
            is_question=min(question_score(part.text) for part in requests),
            is_consultation=advice,
            in_internal_docs=docs,
            ask_person=1 if PERSON.search(last) else 2 if docs == 5 else 4,
            ask_missing_info="" if consult else question,
            res_consultation=question if consult else "",
            ask_user_meta_info="" if ask_back else self._ask_profile(text),
            choices=offered if ask_back else (),
        )

    def _clarity_and_choices(self, text: str) -> tuple[int, tuple[str, ...]]:
        """(1 to 5 for clarity, what can be picked if it is unclear)."""
        clarity = self._clarity(text)
        offered = self._offered(text) if clarity > 1 else ()
        if len(offered) == 1 and self._is_only_one():
            return 1, ()  # there is nothing to choose between
        return clarity, offered

    def _with_sympathy(self, question: str) -> str:
        return with_sympathy(self.conversation, question, self._language, self.language)

    def _lacks_subject(self, text: str) -> bool:
        """Whether a first message names no subject, nor one that several titles share, and no section surely answers
        it."""
        if not self.alternatives or titles_to_offer(text, self.topics):
            return False
        return self.response == "ask" if self.response else not is_likely_answered(text, self.topics)

    def _is_only_one(self) -> bool:
        """Whether the only section that can be offered is what a message means, more likely than not."""
        return bool(sections_above(self.topics, ONLY_ONE_FROM))

    def _is_documented(self, text: str) -> bool:
        return is_documented(text, self.topics, self.passage_count)

    def _offered(self, text: str) -> tuple[str, ...]:
        """What can be picked: rivals by their headings, else the nearest sections if the documents speak of the
        matter."""
        near = bool(self.topics) and self._is_documented(text)
        return choices_to_offer(text, self.topics) or (likely_choices(self.topics) if near else ())

    def _names_of_kind(self) -> tuple[str, ...]:
        """The things of one kind of which the message leaves open which is meant; example questions tell more than
        that."""
        if has_examples(self.topics) or count_clarifying_questions(open_messages(self.conversation)):
            return ()
        said = " ".join(message.text for message in self.conversation[:-1])
        return names_of_kind(self.conversation[-1].text, self.topics, said)

    def _ask_subject(self, text: str) -> Assessment:
        offered = possible_choices(self.topics, self.alternatives)
        question = ask_subject(text, offered, self._language)
        return self._offer(offered, question, clarity=4, feels=distress_of(text).feeling not in MILD)

    def _offer(self, offered: tuple[str, ...], question: str, clarity: int = 2, feels: bool = True) -> Assessment:
        return Assessment(
            clarity=clarity,
            is_question=1,
            is_consultation=4,
            in_internal_docs=2,
            ask_person=4,
            ask_missing_info=self._with_sympathy(question) if feels else question,
            choices=offered,
        )

    def _open_requests(self) -> tuple[Message, ...]:
        return tuple(m for m in open_messages(self.conversation) if m.role == "user") or self.conversation[-1:]

    def _clarity(self, text: str) -> int:
        chance = unclear_probability(text, self.topics)
        part = open_messages(self.conversation)
        if count_clarifying_questions(part) == 0:
            follows_up = len(part) < len(self.conversation) and text != self.conversation[-1].text.strip()
            if follows_up and self._is_documented(text):
                return 1  # the matter was settled before
            if self._out_of_reach(text) or self._is_settled(text):
                return 1
            asked = self.response == "ask" and not self._ask_profile(text)
            return max(UNCLEAR_SCORE, clarity_score(chance)) if asked else clarity_score(chance)
        reply, question = part[-1].text, part[-2]
        if says_unknown(reply) or not content_words(reply):
            return 3
        picked = picked_choices(question.choices, reply)
        added = set(content_words(reply)) - {term for message in part[:-2] for term in content_words(message.text)}
        return 1 if picked or added or chance < UNCLEAR_AFTER_REPLY_FROM else clarity_score(chance)

    def _out_of_reach(self, text: str) -> bool:
        """A message that names something of which the documents do not speak: a clarifying question would not help."""
        advice = bool(ADVICE.search(text))
        near = advice and bool(sections_above(self.topics, ADVICE_FROM))
        if not self.topics_known or (near and not is_like_unanswered(self.topics)):
            return False
        return self.response == "refuse"

    def _is_settled(self, text: str) -> bool:
        """Whether the best section surely answers, whatever the wording; advice on what to choose depends on who asks
        for it."""
        depends = ADVICE.search(text) and (CHOICE.search(text) or not self.response)
        return len(content_words(text)) >= MIN_SETTLED_WORDS and not depends and self._is_answer(text)

    def _is_answer(self, text: str) -> bool:
        """Whether an answer is the best response, or likely if that is unknown."""
        return self.response == "answer" if self.response else is_likely_answered(text, self.topics)

    def _in_documents(self, text: str) -> int:
        """1 to 5 by how much of the message the best section covers; without a look, most work questions are assumed to
        be."""
        if not self.topics_known:
            return 1 if DOCUMENTED.search(text) else 2 if content_words(text) else 4
        best = max((topic.coverage for topic in self.topics), default=0.0)
        return 5 - sum(best > step for step in DOCUMENTED_STEPS)

    def _ask_profile(self, text: str) -> str:
        """The question about the person that the best section's answer depends on, unless it is known or was said."""
        known = " ".join([self.profile, *(message.text for message in self.conversation)])
        best = self.topics[0] if self.topics else None
        if best is None or best.coverage < PROFILE_COVERAGE or not ABOUT_ME.search(text) or asks_several(text):
            return ""
        for field in self.fields:
            named = [value for value in field.values if value in best.text]
            if len(named) >= 2 and not named_values(field, known):
                return ask_profile(field, self._language)
        return ""


def _of_small_talk(kind: TalkKind) -> Assessment:
    urgent = kind == "emergency"
    return Assessment(
        clarity=1,
        is_question=1 if urgent else 5,
        is_consultation=5,
        in_internal_docs=1 if urgent else 5,
        ask_person=1 if kind in ("emergency", "person", "distress") else 5,
    )


class AssessmentWithQueries(Assessment):
    """An assessment, and what to search for in case nothing is asked."""

    queries: tuple[str, ...] = Field(
        description="One or two questions to search for, each of which makes sense alone, in the language of the last message."
    )

    def assessment(self) -> Assessment:
        """The assessment alone."""
        return Assessment.model_validate(self.model_dump(exclude={"queries"}))


class AssessAndRewrite(Assess):
    """The same, and the standalone question, in one call: for a conversation of several messages."""

    @classmethod
    def reply_type(cls) -> Any:
        """An assessment with queries."""
        return AssessmentWithQueries

    def template_fields(self) -> dict[str, Any]:
        """Asks for queries, too."""
        return {**super().template_fields(), "rewrites": True}

    def without_model(self) -> AssessmentWithQueries:
        """Both as they are computed one by one."""
        found = super().without_model()
        return AssessmentWithQueries(**dict(found), queries=(standalone_question(self.conversation),))
