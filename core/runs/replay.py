"""One turn taken once more with one stage replaced: the same conversation up to it, judged before and after alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import (
    Bot,
    ClarifySettings,
    FrozenModel,
    Hit,
    Message,
    Passage,
    Persona,
    Sample,
    Scenario,
    Score,
    Turn,
)
from core.bot.turn import PASSAGES, Overrides, take_turn
from core.judges.base import How, judge_all
from core.judges.registry import judges_of
from core.retrieval.index import Index
from core.runs.judging import restored, sample_of
from core.store.rows import ConversationRow, TurnRow
from core.store.store import Store

Stage = Literal["nothing", "clarify", "thresholds", "rewrite", "passages", "document", "prompt"]
STAGES: tuple[Stage, ...] = ("nothing", "clarify", "thresholds", "rewrite", "passages", "document", "prompt")


class Replacement(FrozenModel):
    """What is replaced. nothing: does it fail again; clarify: never asks back; thresholds: other ones; rewrite: `query`
    is searched for; passages: `text` is the only passage; document: only passages of `document`; prompt: `prompt` and
    `guidelines` in place of the bot's own.

    A bot does not ask back where query, passages or prompt are replaced, so that these stages are reached.
    """

    stage: Stage = "nothing"
    clarify: ClarifySettings = ClarifySettings()
    query: str = ""
    text: str = ""
    document: str = ""
    prompt: str = ""
    guidelines: str = ""


class Moment(NamedTuple):
    """Where a replay begins: the conversation before the turn, and the turn as it was."""

    conversation: ConversationRow
    said: tuple[Message, ...]
    before: TurnRow
    persona: Persona | None

    @property
    def scenario(self) -> Scenario:
        """What the person wanted."""
        return self.conversation.scenario


class Replayed(NamedTuple):
    """The turn taken again, and what the same judges say now of both."""

    turn: Turn
    before: tuple[Score, ...]
    after: tuple[Score, ...]


def moment_of(store: Store, conversation_id: str, number: int) -> Moment:
    """The moment before turn `number`; raises BadInput (`nothing_to_replay`) where there is no such turn of a bot."""
    row = store.conversations.get(conversation_id)
    turns = store.conversations.turns(conversation_id) if row else []
    before = next((turn for turn in turns if turn.number == number), None)
    if row is None or before is None or before.turn is None:
        told = "This turn cannot be replayed, since it comes from a file. Choose a turn of a simulation."
        raise BadInput(told, "nothing_to_replay")
    said = tuple(m for turn in turns if turn.number < number and turn.turn for m in turn.turn.as_messages())
    people = store.runs.snapshot(row.run_id).get("personas", ())
    who = next((one for one in people if one.get("id") == row.persona_id), None)
    return Moment(row, said, before, Persona.model_validate(who) if who else None)


def replay(
    engine: Engine, bot: Bot, index: Index, moment: Moment, replaced: Replacement, judges: Sequence[str], how: How
) -> Replayed:
    """Take the turn again and let the judges score the old and the new one.

    Raises BadInput for what cannot be replaced, and ModelError where a model does not answer; a judge that cannot
    score gives unscored rows.
    """
    if bot.outside and replaced.stage not in ("nothing", "prompt"):
        told = "This is an external bot, so this stage cannot be replaced. Replay the turn without a replacement."
        raise BadInput(told, "external_stage")
    as_was = changed(bot, replaced)
    asks = replaced.stage in ("nothing", "thresholds")
    overrides = _overrides(index, moment, replaced)
    text = moment.before.user_text
    turn = take_turn(engine, as_was, index, moment.said, text, clarify=asks, overrides=overrides)
    assert moment.before.turn
    old = restored(moment.before.turn, moment.said, index)
    samples = [sample_of(moment.scenario, one, moment.said, moment.persona) for one in (old, turn)]
    before, after = (_judged(engine, bot, sample, judges, how) for sample in samples)
    return Replayed(turn, before, after)


def changed(bot: Bot, replaced: Replacement) -> Bot:
    """The bot with the replaced thresholds or prompt."""
    if replaced.stage == "thresholds":
        return bot.model_copy(update={"clarify": replaced.clarify})
    if replaced.stage == "prompt":
        return bot.model_copy(update={"prompt": replaced.prompt, "guidelines": replaced.guidelines})
    return bot


def _judged(engine: Engine, bot: Bot, sample: Sample, judges: Sequence[str], how: How) -> tuple[Score, ...]:
    """The verdicts on one reply; judges of answers say nothing of a question back."""
    fitting = [name for name in judges if name == "turn"] if sample.asked_back else judges
    return judge_all(engine, judges_of(fitting, bot), sample, how)


def _overrides(index: Index, moment: Moment, replaced: Replacement) -> Overrides:
    match replaced.stage:
        case "rewrite":
            return Overrides(query=_given(replaced.query, "query"))
        case "passages":
            passage = Passage(
                id="given", document="", title=moment.scenario.question, heading="", text=_given(replaced.text, "text")
            )
            return Overrides(hits=(Hit(passage=passage, score=1.0, lexical=10.0, coverage=1.0),))
        case "document":
            return Overrides(hits=_of_document(index, moment, replaced.document))
        case _:
            return Overrides()


def _of_document(index: Index, moment: Moment, document: str) -> tuple[Hit, ...]:
    """The passages of one document that fit the turn's query best."""
    query = moment.before.query or moment.before.user_text
    found = tuple(hit for hit in index.search(query, len(index.passages)) if hit.passage.document == document)
    if not found:
        rest = [passage for passage in index.passages if passage.document == document]
        found = tuple(Hit(passage=passage, score=0.0) for passage in rest)
    if not found:
        told = f"There is no document {document!r} in the bot's folder. Choose another."
        raise BadInput(told, "no_such_document", document=document)
    return found[:PASSAGES]


def _given(text: str, what: str) -> str:
    if not text.strip():
        raise BadInput(f"The {what} to replay with is empty. Write one and try again.", f"empty_{what}")
    return text.strip()
