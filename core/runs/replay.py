"""One turn replayed after the same messages with one stage replaced; the old and the new turn are judged."""

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
from core.runs.judging.samples import restore_sections, sample_of
from core.runs.plan import plan_of
from core.runs.snapshot import date_of, personas_of
from core.store.rows import ConversationRow, TurnRow, with_history
from core.store.store import Store

Stage = Literal["nothing", "clarify", "thresholds", "rewrite", "passages", "document", "prompt"]
STAGES: tuple[Stage, ...] = get_args(Stage)
MAX_REPLAYS = 64  # replays that a server remembers; equal calls are in the call log anyhow


class Replacement(FrozenModel):
    """The stage to replace, and its replacement.

    The bot may ask a clarifying question if the stage is "thresholds", or "nothing" and it could in the run; else it may
    not, so that the replaced stage is reached.
    """

    stage: Stage = "nothing"  # nothing: to see whether the turn fails again; clarify: no clarifying question
    clarify: ClarifySettings = ClarifySettings()  # for the stage thresholds
    query: str = ""  # for rewrite: searched for in place of the bot's query
    text: str = ""  # for passages: the only passage
    document: str = ""  # for document: only its passages are used
    prompt: str = ""  # for prompt: in place of the bot's own
    guidelines: str = ""  # for prompt: in place of the bot's own


class ReplayPoint(NamedTuple):
    """The point in a conversation where a replay begins."""

    conversation: ConversationRow
    messages: tuple[Message, ...]  # before the turn
    before: TurnRow  # the turn as it was
    persona: Persona | None
    clarify: bool = True  # whether the bot could ask clarifying questions in the run

    @property
    def scenario(self) -> Scenario:
        return self.conversation.scenario


class ReplayResult(NamedTuple):
    """The new turn, its cost, and the scores of both turns by the same judges."""

    turn: Turn
    before: tuple[Score, ...]  # of the old turn
    after: tuple[Score, ...]  # of the new turn
    cost: Spending = Spending()


class ReplayRequest(NamedTuple):
    """Which turn to replay, how, and by which judges to score it."""

    engine: Engine
    bot: Bot
    turn: TurnRow
    replacement: Replacement
    judges: tuple[str, ...]
    options: JudgeOptions


class ReplayJob(Job[ReplayResult]):
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
        super().__init__(keep=MAX_REPLAYS)

    def begin(self, job: ReplayJob) -> ReplayJob:
        """Start a replay in place of the turn's last one; if the same one is running already, it is returned.

        Raises BadInput while another replay of the turn is running.
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

    Raises BadInput for a stage that cannot be replaced and for an unknown profile field, and ModelError if a model does
    not answer; a judge that cannot score gives unscored rows.
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
    old = restore_sections(point.before.turn, point.messages, index)
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
    """The options of the turn: whether the bot may ask, and the replaced query or passages."""
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
