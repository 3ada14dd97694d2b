"""One turn replayed with one stage replaced: after the same messages, the old and the new turn judged alike."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.jobs import Job, Jobs
from core.base.prompt import Engine
from core.base.types import Bot, ClarifySettings, Hit, Message, Passage, Persona, Profile, Scenario, Score, Turn
from core.bot.profile import parse_profile
from core.bot.turn import TurnOptions, take_turn
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.retrieval.index import ANSWER_PASSAGES, Index
from core.retrieval.index_cache import Indexes
from core.runs.judging.samples import restore_topics, sample_of
from core.runs.plan import plan_of
from core.runs.snapshot import date_of, personas_of
from core.store.rows import ConversationRow, TurnRow, with_history
from core.store.store import Store

Stage = Literal["nothing", "clarify", "thresholds", "rewrite", "passages", "document", "prompt"]
STAGES: tuple[Stage, ...] = get_args(Stage)
REMEMBERED = 64  # replays that a server remembers; equal calls are in the call log anyhow


class Replacement(FrozenModel):
    """What is replaced. nothing: does it fail again; clarify: no clarifying question; thresholds: other ones; rewrite:
    `query` is searched for; passages: `text` is the only passage; document: only passages of `document`; prompt:
    `prompt` and `guidelines` instead of the bot's own.

    nothing: the bot may ask a clarifying question if it might in the run; thresholds: it may; all others: it may not,
    so that the replaced stage is reached.
    """

    stage: Stage = "nothing"
    clarify: ClarifySettings = ClarifySettings()
    query: str = ""
    text: str = ""
    document: str = ""
    prompt: str = ""
    guidelines: str = ""


class ReplayPoint(NamedTuple):
    """Where a replay begins: the conversation, the messages before the turn, and the turn as it was.

    clarify: whether the bot might ask clarifying questions in the run.
    """

    conversation: ConversationRow
    messages: tuple[Message, ...]
    before: TurnRow
    persona: Persona | None
    clarify: bool = True

    @property
    def scenario(self) -> Scenario:
        """What the person wanted."""
        return self.conversation.scenario


class ReplayResult(NamedTuple):
    """The new turn, what the same judges say now of the old and the new one, and what it cost."""

    turn: Turn
    before: tuple[Score, ...]
    after: tuple[Score, ...]
    cost: Spending = Spending()


class ReplayRequest(NamedTuple):
    """What a page asks for: which turn is replayed how, and who judges it."""

    engine: Engine
    bot: Bot
    turn: TurnRow
    replacement: Replacement
    judges: tuple[str, ...]
    options: JudgeOptions


class ReplayJob(Job[ReplayResult]):
    """A turn that is taken again in the background with one stage replaced, and judged."""

    def __init__(self, store: Store, indexes: Indexes, request: ReplayRequest) -> None:
        super().__init__()
        self.request, self._store, self._indexes = request, store, indexes

    def work(self) -> ReplayResult:
        """Replay the turn; its calls are in the call log under a conversation of their own."""
        turn = self.request.turn
        conversation_id = f"replay-{secrets.token_hex(6)}"
        point = replay_point(self._store, turn.conversation_id, turn.number)
        run = self._store.runs.get(point.conversation.run_id)
        with in_context(
            conversation_id=conversation_id,
            stopped=self.stopped.is_set,
            connect_patience=INTERACTIVE_PATIENCE,
            today=date_of(run) if run else None,
        ):
            replayed = replay(self.request, self._indexes.get(self.request.bot), point)
        return replayed._replace(cost=self._store.calls.spending(conversation_id=conversation_id))


class Replays(Jobs[int, ReplayJob]):
    """The last replay of each turn, as long as the server lives."""

    def __init__(self) -> None:
        super().__init__(keep=REMEMBERED)

    def begin(self, job: ReplayJob) -> ReplayJob:
        """Begin a replay in place of the turn's last one; if the same is under way already, that one is returned.

        Raises BadInput while somebody else replays the turn in another way.
        """
        turn_id, options = job.request.turn.id, (job.request.replacement, job.request.judges)
        with self.lock:
            last = self.get(turn_id)
            if last is None or not last.pending:
                return self.start(turn_id, job)
            if (last.request.replacement, last.request.judges) == options:
                return last
        busy = "Another replay of this turn is under way. Wait until it is over, then start yours."
        raise BadInput(busy, "replay_busy")


def replay_point(store: Store, conversation_id: str, number: int) -> ReplayPoint:
    """The point before turn `number`; raises BadInput (`nothing_to_replay`) if there is no such turn of a bot."""
    row = store.conversations.get(conversation_id)
    turns = store.conversations.turns(conversation_id, {}) if row else []
    before, messages = next((pair for pair in with_history(turns) if pair[0].number == number), (None, ()))
    if row is None or before is None or before.turn is None:
        message = "This turn cannot be replayed, since it comes from a file. Choose a turn of a simulation."
        raise BadInput(message, "nothing_to_replay")
    run = store.runs.get(row.run_id)
    clarify = plan_of(run).clarify if run else True
    return ReplayPoint(row, messages, before, personas_of(store, row.run_id).get(row.persona_id), clarify)


def replay(request: ReplayRequest, index: Index, point: ReplayPoint) -> ReplayResult:
    """Take the turn again and let the judges score the old and the new one.

    Raises BadInput for what cannot be replaced and for a person of whom the bot no longer knows the fields, and
    ModelError if a model does not answer; a judge that cannot score gives unscored rows.
    """
    engine, bot, replacement = request.engine, request.bot, request.replacement
    if bot.external and replacement.stage not in ("nothing", "prompt"):
        message = "This is an external bot, so this stage cannot be replaced. Replay the turn without a replacement."
        raise BadInput(message, "external_stage")
    profile = parse_profile(bot, point.persona.known if point.persona else "", point.scenario.known)
    turn = take_turn(
        engine,
        _with_settings(bot, replacement),
        index,
        point.messages,
        point.before.user_text,
        _options(index, point, replacement, profile),
    )
    assert point.before.turn
    old = restore_topics(point.before.turn, point.messages, index)
    samples = [sample_of(point.scenario, version, point.messages, point.persona) for version in (old, turn)]
    judges = judges_of(request.judges, bot)
    before, after = (judge_all(engine, judges, sample, request.options) for sample in samples)
    return ReplayResult(turn, before, after)


def _with_settings(bot: Bot, replacement: Replacement) -> Bot:
    """The bot with the replaced thresholds or prompt."""
    if replacement.stage == "thresholds":
        return bot.model_copy(update={"clarify": replacement.clarify})
    if replacement.stage == "prompt":
        return bot.model_copy(update={"prompt": replacement.prompt, "guidelines": replacement.guidelines})
    return bot


def _options(index: Index, point: ReplayPoint, replacement: Replacement, profile: Profile) -> TurnOptions:
    """Whether the bot may ask, and what stands in for the query or the passages."""
    clarify = replacement.stage == "thresholds" or (replacement.stage == "nothing" and point.clarify)
    options = TurnOptions(profile, clarify=clarify)
    match replacement.stage:
        case "rewrite":
            return replace(options, query=_not_empty(replacement.query, "query"))
        case "passages":
            text = _not_empty(replacement.text, "text")
            passage = Passage(id="given", document="", title=point.scenario.question, heading="", text=text)
            return replace(options, hits=(Hit(passage=passage, score=1.0, lexical=10.0, coverage=1.0),))
        case "document":
            return replace(options, hits=_hits_in(index, point, replacement.document))
        case _:
            return options


def _hits_in(index: Index, point: ReplayPoint, document: str) -> tuple[Hit, ...]:
    """The passages of one document that fit the turn's query best."""
    query = point.before.query or point.before.user_text
    hits = tuple(hit for hit in index.search(query, len(index.passages)) if hit.passage.document == document)
    if not hits:
        hits = tuple(Hit(passage=passage, score=0.0) for passage in index.passages if passage.document == document)
    if not hits:
        message = f"There is no document {document!r} in the bot's folder. Choose another."
        raise BadInput(message, "no_such_document", document=document)
    return hits[:ANSWER_PASSAGES]


def _not_empty(text: str, name: str) -> str:
    if not text.strip():
        raise BadInput(f"The {name} to replay with is empty. Write one and try again.", f"empty_{name}")
    return text.strip()
