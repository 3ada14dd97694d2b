"""The types that travel between the stages of a turn, a simulation and a judge."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from core.base.external_bots import ExternalBot
from core.base.frozen_model import FrozenModel
from core.base.reply_fields import MOST_CHOICES, Choices, Text

Language = Literal["ja", "en"]
Script = Literal["ja", "en", "zh"]  # languages in which documents and messages are read
Role = Literal["bot", "clarify", "user", "judge"]
Patience = Literal["at_once", "balanced", "talk"]
# Of questions made after a seed document
TestSetKind = Literal["factual", "multi_hop", "summary", "integration", "comparison", "sequence", "unanswerable"]
ScenarioKind = Literal["faq", "vague", "consultation", "out_of_scope", "complaint", TestSetKind]
BEYOND_DOCUMENTS: frozenset[ScenarioKind] = frozenset({"out_of_scope", "unanswerable"})  # the documents have no answer
Ending = Literal["done", "gave_up", "out_of_script"]  # why a simulated user ends a conversation


class Message(FrozenModel):
    """One utterance; asks: it is a clarifying question of the bot; choices: what a reply of the bot offers.

    changes_subject: whether a message leaves what went before it and asks something else; about: what was asked before,
    if it cannot be understood without that; written: what the person wrote, if `text` spells it anew.
    """

    role: Literal["user", "assistant"]
    text: str
    asks: bool = False
    choices: tuple[str, ...] = ()
    changes_subject: bool = False
    about: str = ""
    written: str = ""


Conversation = tuple[Message, ...]


class Contact(FrozenModel):
    """Whom to ask, how to reach them, and the words of their field; general: for all that no other contact has."""

    name: str
    reach: str
    topics: tuple[str, ...] = ()
    general: bool = False


class ProfileField(FrozenModel):
    """Something about the person that an answer may depend on, and how to ask for it."""

    name: str
    question: str
    values: tuple[str, ...]


class ClarifySettings(FrozenModel):
    """When the bot asks a clarifying question; both thresholds are scores from 1 (strongest) to 5.

    one_call: a language model gives the search query of a longer conversation along with its scores, in one call.
    """

    strategy: Literal["scores", "functions"] = "scores"
    look_first: bool = True
    max_questions: int = Field(default=2, ge=0, le=10)
    one_call: bool = False
    clarity_threshold: int = Field(default=1, ge=0, le=5)
    score_threshold: int = Field(default=2, ge=0, le=5)


class Bot(FrozenModel):
    """A bot as its folder describes it (`bot.toml`); `external`: how a bot that somebody
    else runs is reached.

    refusal: the sentence that says "not in the documents", in place of Kiku's own; today: the date that its guidelines
    and documents are read by, in place of today's; prompts: the templates that it has in place of Kiku's, by name and
    language (`core.base.prompt_files`).
    """

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
    refusal: str = ""
    today: date | None = None
    external: ExternalBot | None = None
    prompts: dict[str, str] = {}


class Profile(FrozenModel):
    """What is known of the person who asks; `patience` moves the thresholds of the bot.

    details: values of the fields that the bot declares (`profile_fields`), by name; shares_earlier: whether the person
    allows the bot to read their earlier conversations with it; earlier: these, for one turn (stored with that turn).
    """

    department: str = ""
    office: str = ""
    role: str = ""
    age: str = ""
    note: str = ""
    details: dict[str, str] = {}
    patience: Patience = "balanced"
    shares_earlier: bool = False
    earlier: str = ""

    def text(self) -> str:
        """Everything known, as one line, each with its name: office: Lisbon / age: 34."""
        plain = {name: getattr(self, name) for name in ("department", "office", "role", "age")}
        parts = [f"{name}: {value}" for name, value in {**plain, **self.details}.items() if value.strip()]
        return " / ".join(" ".join(part.split()) for part in (*parts, self.note) if part.strip())


class Passage(FrozenModel):
    """The text beneath one heading of a document (a table is kept as Markdown lines)."""

    id: str
    document: str
    title: str
    heading: str
    text: str

    @property
    def label(self) -> str:
        """Its title, and its heading if that is another."""
        return self.title if self.heading in ("", self.title) else f"{self.title} › {self.heading}"


class Evidence(FrozenModel):
    """What speaks for a passage or section as the one that a message is about.

    score: 0 to 1, beside the best one's; coverage: share of the message's content words in it, by inverse document
    frequency (0 to 1); heading_coverage: that of title and heading; sentence_coverage: that of its best sentence, read
    with title and heading; lexical: BM25; vector: cosine (0 to 1); matched: how well its words match those of the message
    in the learned metric (about 0 to 1; 0 in English, and if the bot has example questions); strength: by how much it
    stands out from an average passage (about 0 to 10), comparable between queries.

    By example questions (0 if the bot has none; a section without any has a middling value beside others that have
    some): example: BM25 of the section's nearest one, divided by the weight of the query (about 0 to 2); shared: BM25 of
    the nearest one that other sections have, too; unanswered: BM25 of the nearest one that no document answers, alike
    for all; likelihood: how likely the section is by all of them, as a logarithm that is 0 for the likeliest section;
    shared_likelihood: how likely it is by those that other sections have, too; beside: how likely the message is one
    that no document answers (above 0 if that is likelier than any section), alike for all.

    Without example questions, else 0 or none: weight: inverse document frequency of the message's words, added up;
    unknown_words: those that no document has; both alike for all. In Japanese also, as weight of words in the learned
    metric: learned_weight: of all; unmatched_anywhere: of what no section speaks of; both alike for all; unmatched: of
    what this one does not speak of; unmatched_word: the largest part of that which is due to one word.

    language: that of the bot's documents; has_examples: whether the bot has example questions that sections
    answer. Both say whose coefficients hold.
    """

    language: Script = "ja"
    has_examples: bool = False
    score: float
    strength: float = 0.0
    lexical: float = 0.0
    vector: float | None = None
    matched: float = 0.0
    example: float = 0.0
    shared: float = 0.0
    unanswered: float = 0.0
    likelihood: float = 0.0
    shared_likelihood: float = 0.0
    beside: float = 0.0
    weight: float = 0.0
    unknown_words: tuple[str, ...] = ()
    learned_weight: float = 0.0
    unmatched_anywhere: float = 0.0
    unmatched: float = 0.0
    unmatched_word: float = 0.0
    coverage: float = 0.0
    sentence_coverage: float = 0.0
    heading_coverage: float = 0.0


class Hit(Evidence):
    """A passage that was found."""

    passage: Passage

    @property
    def document(self) -> str:
        """The document that the passage is of."""
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


class Topic(Evidence):
    """A section that competes for an unclear message, found by the look before asking.

    title_coverage: coverage of its title alone; sentence_coverage: of the first sections only, else 0.
    """

    document: str
    title: str
    heading: str
    title_coverage: float = 0.0
    text: str = ""


class Assessment(FrozenModel):
    """Five scores from 1 (strongest) to 5, and the texts to ask if they apply; `wants` is the model's first thought."""

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
        description=f"Up to {MOST_CHOICES} things to pick from, for the question that will be asked; may be empty.",
    )

    @property
    def asks_nothing(self) -> bool:
        """Whether the message is a greeting, thanks or the like."""
        return self.is_question == 5


ASSESSMENT_SCORES = ("clarity", "is_question", "is_consultation", "in_internal_docs", "ask_person")


class Route(FrozenModel):
    """Where the turn goes: the row (1 to 6) that fired, what is asked, and whether a person is named.

    left_open: what is still unclear although the bot may ask no more: what the person means ("intent"), or something
    about the person that the answer depends on ("attribute"). instead: why something else is done than the row says:
    the same was asked before, or the section of a picked document is asked for.
    """

    row: int = Field(ge=1, le=6)
    decision: Literal["ask", "search"]
    ask: str = ""
    reason: Literal["consultation", "missing", "profile", ""] = ""
    limit_reached: bool = False
    left_open: Literal["", "intent", "attribute"] = ""
    name_contact: bool = False
    instead: Literal["", "asked_before", "section"] = ""


class Clarify(FrozenModel):
    """The bot asks a clarifying question."""

    kind: Literal["clarify"] = "clarify"
    text: str
    choices: tuple[str, ...] = ()


class Answer(FrozenModel):
    """The bot answers from passages; `cited` are the numbers in the text, `answered` is false if it refuses.

    asks: none if an external bot does not tell whether this is a clarifying question; answered: none if it does not
    tell; choices: what the answer offers to go on with, such as the nearest topics of one that could not be given.
    """

    kind: Literal["answer"] = "answer"
    text: str
    choices: tuple[str, ...] = ()
    cited: tuple[int, ...] = ()
    answered: bool | None = True
    asks: Literal[False] | None = False


Reply = Clarify | Answer


class Turn(FrozenModel):
    """One turn of the bot with everything it decided; `seconds` by stage.

    An external bot tells neither assessment nor route nor hits (none: unknown). standalone_question: the message as the
    bot read it, a question that stands alone (empty: unknown); contexts: the passages that it says it saw, none if it
    does not say; earlier: what the bot was told of the person's earlier conversations. Read `passages`
    and `decision`, which hold for every bot.
    """

    message: str
    standalone_question: str = ""
    reply: Reply = Field(discriminator="kind")
    assessment: Assessment | None = None
    route: Route | None = None
    topics: tuple[Topic, ...] = ()
    query: str = ""
    hits: tuple[Hit, ...] | None = ()
    contexts: tuple[Passage, ...] | None = None
    contact: Contact | None = None
    earlier: str = ""
    seconds: dict[str, float] = Field(default_factory=dict)

    @property
    def passages(self) -> tuple[Passage, ...] | None:
        """What the bot saw, best first; none if that is unknown."""
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
        """Whether this is a clarifying question; none if that is unknown."""
        return True if isinstance(self.reply, Clarify) else self.reply.asks

    @property
    def asks_nothing(self) -> bool:
        """Whether the bot answered from no passage, as it does if the message was assessed to ask for nothing and the
        reply cites none (`take_turn` keeps no hits then), or if nothing was found; false if that is unknown."""
        return isinstance(self.reply, Answer) and self.hits == () and self.route is not None

    def as_messages(self) -> tuple[Message, Message]:
        """The person's and the bot's message, for the next turn's conversation."""
        match self.reply:
            case Clarify(text=text, choices=choices):
                reply = Message(role="assistant", text=text, asks=True, choices=choices)
            case Answer(text=text, choices=choices):
                reply = Message(role="assistant", text=text, choices=choices)
        return Message(role="user", text=self.message), reply


class Voice(FrozenModel):
    """How a persona talks on the embedded engine: sentence patterns with `{text}` holes."""

    first: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    follow_up: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()


class Persona(FrozenModel):
    """Who the simulated user is, in one language; known: what the bot knows of them before (office=Osaka; age=34)."""

    id: str
    name: str
    description: str = ""
    profile: str = ""
    known: str = ""
    voice: Voice = Voice()


class Scenario(FrozenModel):
    """What the simulated user wants: a row of `questions.csv`; `keypoints` and `evidence` hold one item a line.

    known: what the bot knows of the person beforehand, beside and before what it knows of the persona.
    """

    id: str
    question: str
    intent: str = ""
    facts: str = ""
    reference: str = ""
    kind: ScenarioKind = "faq"
    needs_asking: bool | None = None
    persona: str = ""
    keypoints: str = ""
    evidence: str = ""
    known: str = ""


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
    """A section that was found for a message; chance: the probability (0 to 1) that it answers it; vector: their
    cosine (none without sentence vectors)."""

    title: str
    heading: str
    chance: float
    vector: float | None = None


class Sample(FrozenModel):
    """What a judge looks at: one answer with whatever is known around it.

    standalone_question: that of the turn, empty if unknown; reference: answers that count as right, each of them alone;
    keypoints: what a whole answer says; evidence: the sentences of the documents that hold the answer; persona, facts,
    intent: of the simulated user who asks; contexts_known: false if the bot does not tell what it saw (then there are
    no contexts, for another reason); asked_back: none if the bot does not tell; choices: what the reply offers to pick
    from; candidates: the sections that the bot had before it when it decided whether to ask, one line each; sections:
    those that the bot's search found first, with their probabilities, none if that is unknown; asks_nothing: the bot
    took the message for one that asks nothing of its documents; talk: the probability that the message is small talk;
    outcomes: the probability that it is best met with an answer, a clarifying question ("ask") or a refusal, none if
    that is unknown.
    """

    model_config = ConfigDict(extra="ignore")  # stored samples may have fields of earlier versions

    question: str
    answer: str
    standalone_question: str = ""
    history: tuple[Message, ...] = ()
    contexts: tuple[str, ...] = ()
    contexts_known: bool = True
    reference: tuple[str, ...] = ()
    keypoints: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    asked_back: bool | None = False
    choices: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    sections: tuple[LikelySection, ...] = ()
    asks_nothing: bool = False
    talk: float | None = None
    outcomes: Mapping[str, float] | None = None
    kind: ScenarioKind | None = None
    needs_asking: bool | None = None
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
    """One claim as a judge checked it: how it stands (a word of the judge's own, such as "supported" or "missing"), the
    words that decide it, and the passage they stand in (from 1; 0 for none)."""

    claim: str
    state: str
    evidence: str = ""
    passage: int = 0


class Reasoning(FrozenModel):
    """How a judge came to its verdict: its steps, the claims that it checked, and what follows from them."""

    steps: tuple[str, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    conclusion: str = ""


NOT_APPLICABLE = "n/a"  # the label of a score that a judge left empty because the criterion does not apply
TURN_JUDGE = "turn"  # the judge that stands for a run if it scored it
OVERALL = "overall"  # the criterion that stands for a judge if it has it
SIMULATED_USER = "simulated_user"  # the judge of the simulated user, not of the bot


class Score(FrozenModel):
    """A verdict; `value` is 0 to 1, none when unscored (then `error` says why) or not applicable (then `reasons` do).

    label: as the judge gave it (4, Yes, CORRECT, Y, a distance); version: of the judge, a hash of prompt and settings;
    reasoning: how the judge came to all its scores, told with the first or the overall one alone.
    """

    judge: str
    criterion: str
    value: float | None
    label: str = ""
    reasons: str = ""
    error: str = ""
    version: str = ""
    reasoning: Reasoning | None = None
