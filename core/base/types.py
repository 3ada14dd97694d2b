"""The types that travel between the stages of a turn, a simulation and a judge."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from core.base.external_bots import ExternalBot
from core.base.frozen_model import FrozenModel
from core.base.reply_fields import MAX_CHOICES, Choices, Text

Language = Literal["ja", "en"]
Script = Literal["ja", "en", "zh"]  # languages in which documents and messages are read
Role = Literal["bot", "clarify", "user", "judge"]
Patience = Literal["at_once", "balanced", "talk"]
# Kinds of questions generated from a seed document
TestSetKind = Literal["factual", "multi_hop", "summary", "integration", "comparison", "sequence", "unanswerable"]
ScenarioKind = Literal["faq", "vague", "consultation", "out_of_scope", "complaint", TestSetKind]
BEYOND_DOCUMENTS: frozenset[ScenarioKind] = frozenset({"out_of_scope", "unanswerable"})  # the documents have no answer
Ending = Literal["done", "gave_up", "out_of_script"]  # why a simulated user ends a conversation


class Message(FrozenModel):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str
    asks: bool = False  # whether it is a clarifying question of the bot
    choices: tuple[str, ...] = ()  # what a reply of the bot offers
    changes_subject: bool = False  # whether a message of the user leaves the subject before it
    about: str = ""  # the earlier question that a message needs to be understood; "" if it stands alone
    written: str = ""  # what the user wrote, if `text` differs from it


Conversation = tuple[Message, ...]


class Contact(FrozenModel):
    """A contact that an answer can name."""

    name: str
    reach: str  # how to reach it
    topics: tuple[str, ...] = ()  # the words of its field
    general: bool = False  # for everything that no other contact has

    @property
    def with_reach(self) -> str:
        """The name and how to reach it as one phrase of a Japanese sentence; in brackets, unless `reach` has some."""
        return f"{self.name} {self.reach} " if re.search(r"[(（]", self.reach) else f"{self.name}（{self.reach}）"


class ProfileField(FrozenModel):
    """An attribute of the user that an answer may depend on."""

    name: str
    question: str  # asks the user for the attribute
    values: tuple[str, ...]


class ClarifySettings(FrozenModel):
    """When the bot asks a clarifying question; both thresholds are scores from 1 (strongest) to 5."""

    strategy: Literal["scores", "functions"] = "scores"  # ignored by the embedded engine
    look_first: bool = True  # whether sections are searched for before the bot decides whether to ask
    max_questions: int = Field(default=2, ge=0, le=10)
    one_call: bool = False  # a model returns the query of a longer conversation along with its scores, in one call
    clarity_threshold: int = Field(default=1, ge=0, le=5)
    score_threshold: int = Field(default=2, ge=0, le=5)


class Bot(FrozenModel):
    """A bot as its folder describes it (`bot.toml`)."""

    id: str
    folder: Path
    name: str
    language: Language
    description: str = ""
    organisation: str = ""
    greeting: str = ""
    samples: tuple[str, ...] = ()
    prompt: str = ""
    guidelines: str = ""
    clarify: ClarifySettings = ClarifySettings()
    profile_fields: tuple[ProfileField, ...] = ()
    contacts: tuple[Contact, ...] = ()
    refusal: str = ""  # the sentence for "not in the documents", in place of Kiku's own
    today: date | None = None  # the date that guidelines and documents assume; None: today
    external: ExternalBot | None = None  # how to reach a bot that somebody else runs
    prompts: dict[str, str] = {}  # its templates in place of Kiku's, by name and language (`core.base.prompt_files`)


class Profile(FrozenModel):
    """What is known of the user."""

    department: str = ""
    office: str = ""
    role: str = ""
    age: str = ""
    note: str = ""
    details: dict[str, str] = {}  # values of the bot's `profile_fields`, by name
    patience: Patience = "balanced"  # moves the thresholds of the bot
    shares_earlier: bool = False  # whether the user lets the bot read their earlier conversations with it
    earlier: str = ""  # a summary of these for one turn (stored with that turn)

    def text(self) -> str:
        """All values on one line, each with its name: office: Lisbon / age: 34."""
        plain = {name: getattr(self, name) for name in ("department", "office", "role", "age")}
        parts = [f"{name}: {value}" for name, value in {**plain, **self.details}.items() if value.strip()]
        return " / ".join(" ".join(part.split()) for part in (*parts, self.note) if part.strip())


class Section(NamedTuple):
    """Names a section: the document, and the headings above its text."""

    document: str
    heading: str


class Passage(FrozenModel):
    """The text below one heading of a document; a table is Markdown lines."""

    id: str
    document: str
    title: str
    heading: str
    text: str

    @property
    def section(self) -> Section:
        """The section that it belongs to."""
        return Section(self.document, self.heading)

    @property
    def label(self) -> str:
        """Its title, and its heading if that differs."""
        return self.title if self.heading in ("", self.title) else f"{self.title} › {self.heading}"


class Evidence(FrozenModel):
    """The search signals of a passage or section for a message."""

    # The first two select the coefficients of the fitted models
    language: Script = "ja"  # of the bot's documents
    has_examples: bool = False  # whether the bot has example questions that sections answer
    score: float  # relative to the best one's (0 to 1)
    strength: float = 0.0  # its lead over an average passage (about 0 to 10), comparable between queries
    lexical: float = 0.0  # BM25
    vector: float | None = None  # cosine (0 to 1); None without vectors
    # Similarity to the message's words in the learned metric (about 0 to 1; 0 in English and with example questions)
    matched: float = 0.0

    # From example questions. All are 0 if the bot has none; a section without any has middling values among others.
    # BM25 ratios are BM25 divided by the weight of the query (about 0 to 2).
    example: float = 0.0  # BM25 ratio of the section's nearest example question
    shared: float = 0.0  # BM25 ratio of its nearest one that other sections have, too
    unanswered: float = 0.0  # BM25 ratio of the nearest one that no document answers; the same for all sections
    likelihood: float = 0.0  # log likelihood of the section by its example questions, 0 for the likeliest section
    shared_likelihood: float = 0.0  # the same by those that other sections have, too
    # Log likelihood that no document answers, relative to the likeliest section (above 0: likelier); the same for all
    unanswered_log_ratio: float = 0.0

    # Only without example questions, else 0 or empty; the first two are the same for all sections
    weight: float = 0.0  # sum of the inverse document frequencies of the message's words
    unknown_words: tuple[str, ...] = ()  # the words that no document has
    # In Japanese, word weights in the learned metric; the first two are the same for all sections
    learned_weight: float = 0.0  # of all words
    unmatched_anywhere: float = 0.0  # of the words that no section covers
    unmatched: float = 0.0  # of the words that this section does not cover
    unmatched_word: float = 0.0  # the largest part of `unmatched` that is due to one word

    # Shares of the message's content words, by inverse document frequency (0 to 1)
    coverage: float = 0.0  # in the section
    sentence_coverage: float = 0.0  # in its best sentence with title and heading; for a section 0 after the first ones
    heading_coverage: float = 0.0  # in title and heading

    # Probabilities (0 to 1) that it answers a message after others, and that any section does (the same for all sections), by
    # the whole conversation; None where the signals above decide, as for a first message or a new subject
    in_conversation: float | None = None
    documented_in_conversation: float | None = None


class Hit(Evidence):
    """A passage that the search found."""

    passage: Passage

    @property
    def section(self) -> Section:
        """The section that the passage belongs to."""
        return self.passage.section

    @property
    def document(self) -> str:
        """The document of the passage."""
        return self.passage.document

    @property
    def title(self) -> str:
        """The title of that document."""
        return self.passage.title

    @property
    def heading(self) -> str:
        """The headings above the passage."""
        return self.passage.heading

    @property
    def text(self) -> str:
        """The passage's text."""
        return self.passage.text


class SectionHit(Evidence):
    """A section found before the bot decides whether to ask; several of them compete for an unclear message."""

    document: str
    title: str
    heading: str
    title_coverage: float = 0.0  # share of the message's content words in the title
    text: str = ""

    @property
    def section(self) -> Section:
        """The section itself."""
        return Section(self.document, self.heading)


AnyHit = Hit | SectionHit


class Assessment(FrozenModel):
    """Five scores from 1 (strongest) to 5, and the texts to ask if they apply; `wants` is the model's first thought."""

    # The docstring is a part of the prompt: it describes the reply's schema. The questions to ask: `res_consultation` for a
    # request for advice, `ask_missing_info` for what is missing, `ask_user_meta_info` for a field of the profile.
    wants: str = Field(default="", description="One sentence: what the person wants, and what is missing to find it.")
    clarity: int = Field(ge=1, le=5, description="1: what the person wants is plain; 5: it says next to nothing.")
    is_question: int = Field(
        ge=1, le=5, description="1: it asks for information or for something to be done; 5: it asks for nothing."
    )
    is_consultation: int = Field(ge=1, le=5, description="1: the person wants advice; 5: not at all.")
    in_internal_docs: int = Field(ge=1, le=5, description="1: documents normally say such a thing; 5: they hardly do.")
    ask_person: int = Field(ge=1, le=5, description="1: a person in charge is the better place to ask; 5: no need.")
    ask_missing_info: Text = Field(default="", description="A short, kind question for what is missing; may be empty.")
    res_consultation: Text = Field(
        default="", description="A short, kind question that draws out the person's real trouble; may be empty."
    )
    ask_user_meta_info: Text = Field(
        default="", description="A question for one of the attributes that the prompt lists; may be empty."
    )
    choices: Choices = Field(
        default=(),
        description=f"Up to {MAX_CHOICES} things to pick from, for the question that will be asked; may be empty.",
    )

    @property
    def asks_nothing(self) -> bool:
        """Whether the message is a greeting, thanks or the like."""
        return self.is_question == 5


ASSESSMENT_SCORES = ("clarity", "is_question", "is_consultation", "in_internal_docs", "ask_person")


class Route(FrozenModel):
    """Where a turn goes after its assessment: which rule fired, and what is asked, if anything."""

    rule: int = Field(ge=1, le=6)  # of the routing table (`core/bot/clarify/routing.py`)
    decision: Literal["ask", "search"]
    ask: str = ""  # the text of the question
    reason: Literal["consultation", "missing", "profile", ""] = ""  # why it is asked
    limit_reached: bool = False  # a question was left unasked, since `max_questions` were asked before
    # What is still unclear although the bot may ask no more: what the person means ("intent"), or something about the
    # person that the answer depends on ("attribute")
    left_open: Literal["", "intent", "attribute"] = ""
    name_contact: bool = False  # whether the answer names a contact
    # Why the turn does not follow the rule: the same was asked before, or the section of a picked document is asked for
    override: Literal["", "asked_before", "section"] = ""


class Clarify(FrozenModel):
    """The bot asks a clarifying question."""

    kind: Literal["clarify"] = "clarify"
    text: str
    choices: tuple[str, ...] = ()


class Answer(FrozenModel):
    """The bot answers from passages, or refuses."""

    kind: Literal["answer"] = "answer"
    text: str
    choices: tuple[str, ...] = ()  # what the answer offers to go on with, such as the nearest sections after a refusal
    cited: tuple[int, ...] = ()  # the numbers in the text
    answered: bool | None = True  # false for a refusal; None if an external bot does not report it
    asks: Literal[False] | None = False  # None if an external bot does not report whether this is a clarifying question


Reply = Clarify | Answer


class Turn(FrozenModel):
    """One turn of the bot with everything it decided; `passages` and `decision` are valid for every bot.

    An external bot reports no assessment, route or hits (None: unknown).
    """

    message: str
    standalone_question: str = ""  # the message as the bot understood it; "" if unknown
    reply: Reply = Field(discriminator="kind")
    assessment: Assessment | None = None
    route: Route | None = None
    sections: tuple[SectionHit, ...] = ()  # found before the bot decided whether to ask
    query: str = ""
    hits: tuple[Hit, ...] | None = ()
    contexts: tuple[Passage, ...] | None = None  # the passages that an external bot reports; None if it reports none
    contact: Contact | None = None  # that the reply names, or that is told beside it
    earlier: str = ""  # the summary of the user's earlier conversations that the bot was given
    seconds: dict[str, float] = Field(default_factory=dict)  # by stage

    @property
    def passages(self) -> tuple[Passage, ...] | None:
        """The passages that the bot saw, best first; None if unknown."""
        if self.hits is not None:
            return tuple(hit.passage for hit in self.hits)
        return self.contexts

    @property
    def decision(self) -> Literal["ask", "search", ""]:
        """Whether the bot asked a clarifying question or answered; "" if that is unknown."""
        if self.route is not None:
            return self.route.decision
        if isinstance(self.reply, Clarify):
            return "ask"
        return "search" if self.reply.asks is False else ""

    @property
    def asked_back(self) -> bool | None:
        """Whether this is a clarifying question; None if unknown."""
        return True if isinstance(self.reply, Clarify) else self.reply.asks

    @property
    def asks_nothing(self) -> bool:
        """Whether the bot answered without passages, since the message asks for nothing and the reply cites none
        (`take_turn` stores no hits then) or nothing was found; false if unknown."""
        return isinstance(self.reply, Answer) and self.hits == () and self.route is not None

    def as_messages(self) -> tuple[Message, Message]:
        """The user's and the bot's message, for the next turn's conversation."""
        match self.reply:
            case Clarify(text=text, choices=choices):
                reply = Message(role="assistant", text=text, asks=True, choices=choices)
            case Answer(text=text, choices=choices):
                reply = Message(role="assistant", text=text, choices=choices)
        return Message(role="user", text=self.message), reply


class Voice(FrozenModel):
    """How a persona talks on the embedded engine: sentence patterns with the placeholder `{text}`."""

    first: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    follow_up: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()


class Persona(FrozenModel):
    """Who the simulated user is, in one language."""

    id: str
    name: str
    description: str = ""
    profile: str = ""
    known: str = ""  # what the bot knows of them beforehand (office=Osaka; age=34)
    voice: Voice = Voice()


class Scenario(FrozenModel):
    """What the simulated user wants: a row of `questions.csv`."""

    id: str
    question: str
    intent: str = ""
    facts: str = ""
    reference: str = ""
    kind: ScenarioKind = "faq"
    needs_asking: bool | None = None
    persona: str = ""
    keypoints: str = ""  # one a line
    evidence: str = ""  # one a line
    known: str = ""  # what the bot knows of the user beforehand; overrides what it knows of the persona


class UserMessage(FrozenModel):
    """What the simulated user says next, with its state (an ending when the conversation is over)."""

    text: str = Field(description="The person's next message, one to three sentences, in that person's own manner.")
    ending: Ending | None = Field(
        default=None,
        description="done: has what was wanted; gave_up: ends without it; out_of_script: asked again for what the "
        "person cannot know; null: the conversation goes on.",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.ending is None and not self.text.strip():
            message = "text is empty; write the person's next message, or choose an ending"
            raise PydanticCustomError("empty_message", message)
        return self


class LikelySection(FrozenModel):
    """A section that was found for a message."""

    title: str
    heading: str
    probability: float  # that it answers the message (0 to 1)
    vector: float | None = None  # cosine of section and message; None without sentence vectors


class Sample(FrozenModel):
    """What a judge sees: one answer with whatever is known around it."""

    question: str
    answer: str
    standalone_question: str = ""  # that of the turn; "" if unknown
    history: tuple[Message, ...] = ()
    contexts: tuple[str, ...] = ()
    contexts_known: bool = True  # false if the bot does not report what it saw (then `contexts` is empty)
    reference: tuple[str, ...] = ()  # answers that count as right, each of them alone
    keypoints: tuple[str, ...] = ()  # what a complete answer says
    evidence: tuple[str, ...] = ()  # sentences of the documents that have the answer
    asked_back: bool | None = False  # whether the answer is a clarifying question; None if the bot does not report it
    choices: tuple[str, ...] = ()  # what the reply offers to pick from
    candidates: tuple[str, ...] = ()  # sections found before the bot decided whether to ask, one line each
    sections: tuple[LikelySection, ...] = ()  # first sections that the bot's search found; empty if unknown
    asks_nothing: bool = False  # the bot took the message for one that asks nothing of its documents
    small_talk_probability: float | None = None
    # Probability that an answer, a clarifying question ("ask") or a refusal is the best response; None if unknown
    response_probabilities: Mapping[str, float] | None = None
    kind: ScenarioKind | None = None
    needs_asking: bool | None = None  # whether the scenario needs a clarifying question
    # Of the simulated user
    intent: str = ""
    facts: str = ""
    persona: str = ""

    @property
    def references(self) -> tuple[str, ...]:
        """The references that are not blank."""
        return tuple(text for text in self.reference if text.strip())

    @property
    def passages(self) -> tuple[str, ...]:
        """The contexts that are not blank, as prompts number them."""
        return tuple(text for text in self.contexts if text.strip())


class CheckedClaim(FrozenModel):
    """One claim as a judge checked it."""

    claim: str
    state: str  # the result, in the judge's own word, such as "supported" or "missing"
    evidence: str = ""  # the words that decide it
    passage: int = 0  # the passage that has them (from 1; 0: none)


class Reasoning(FrozenModel):
    """How a judge reached its verdict: its steps, the claims that it checked, and its conclusion."""

    steps: tuple[str, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    conclusion: str = ""


NOT_APPLICABLE = "n/a"  # the label of a score that a judge left empty because the criterion does not apply
TURN_JUDGE = "turn"  # the judge that stands for a run if it scored it
OVERALL = "overall"  # the criterion that stands for a judge if it has it
SIMULATED_USER = "simulated_user"  # the judge of the simulated user, not of the bot


class Score(FrozenModel):
    """A verdict of a judge on one criterion."""

    judge: str
    criterion: str
    value: float | None  # 0 to 1; None if unscored (then `error` says why) or not applicable (then `reasons` do)
    label: str = ""  # as the judge returned it (4, Yes, CORRECT, Y, a distance)
    reasons: str = ""
    error: str = ""
    version: str = ""  # of the judge: a hash of prompt and settings
    reasoning: Reasoning | None = None  # of all scores of the judge; only with the first or the overall one
