"""Judging the turns of a run: what a judge looks at, and scores whatever happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.base.prompt import Engine
from core.base.text import headed
from core.base.types import Bot, Message, Persona, Sample, Scenario, Score, Turn
from core.bot.turn import find_topics
from core.judges.base import How, Judge, only_answers
from core.judges.version import version_of
from core.llm.roles import ModelEngine
from core.retrieval.index import Index
from core.runs.plan import Plan
from core.store.rows import ScoreRow, TurnRow


def how_of(plan: Plan, bot: Bot) -> How:
    """How the judges of a run judge."""
    return How(
        language=plan.reasons_in,
        guidelines=bot.guidelines,
        strict=plan.strict,
        together=plan.together,
        examples=plan.examples,
    )


def versions_of(judges: Sequence[Judge], engine: Engine, how: How) -> dict[str, str]:
    """Each judge's version: of its prompt and rules, of how it judges, and of the model behind it."""
    return {judge.name: version_of(judge.version, _settings(judge, how, engine), *_scope(judge)) for judge in judges}


def stamped(scores: Iterable[Score], versions: Mapping[str, str]) -> tuple[Score, ...]:
    """The scores, each with the version of its judge."""
    return tuple(score.model_copy(update={"version": versions[score.judge]}) for score in scores)


def _settings(judge: Judge, how: How, engine: Engine) -> str:
    """What decides a verdict beside the judge; without a model our own judges read neither language nor guidelines."""
    if not isinstance(engine, ModelEngine):
        own = (how.language, how.guidelines) if judge.name.startswith("own:") else ()  # handed to people's functions
        return repr(("embedded", how.strict, *own))
    model = engine.roles["judge"]
    shots = [shot.model_dump_json() for shot in how.examples_of(judge.name)]
    return repr((model.model, model.temperature, model.effort, how.language, how.guidelines, how.strict, shots))


def _scope(judge: Judge) -> tuple[str, ...]:
    """Which replies the judge scores, where not all: earlier versions scored questions back, too."""
    return ("answers",) if only_answers(judge) else ()


def sample_of(scenario: Scenario, turn: Turn, history: tuple[Message, ...], persona: Persona | None = None) -> Sample:
    """What a judge sees of a turn; `history` are the messages before it, `persona` is who asked."""
    return Sample(
        question=turn.message,
        answer=turn.reply.text,
        history=history,
        contexts=_contexts(turn),
        contexts_known=turn.passages is not None,
        reference=(scenario.reference,) if scenario.reference else (),
        keypoints=_lines(scenario.keypoints),
        evidence=_lines(scenario.evidence),
        asked_back=turn.asked_back,
        kind=scenario.kind,
        needs_asking=scenario.needs_asking,
        intent=scenario.intent,
        facts=scenario.facts,
        persona=" / ".join(filter(None, (persona.name, persona.description, persona.profile))) if persona else "",
    )


def unjudged(row: TurnRow, judges: Iterable[Judge]) -> tuple[Judge, ...]:
    """The judges that have not scored a stored turn, or could not."""
    return tuple(judge for judge in judges if not _complete(judge, row.scores))


def restored(turn: Turn, said: tuple[Message, ...], index: Index) -> Turn:
    """A stored turn as it was when it was taken: its topics with their texts, which the documents have."""
    if not turn.topics:
        return turn
    seen = find_topics(index, (*said, Message(role="user", text=turn.message)))
    texts = {(topic.document, topic.heading): topic.text for topic in seen}
    topics = (
        topic.model_copy(update={"text": texts.get((topic.document, topic.heading), "")}) for topic in turn.topics
    )
    return turn.model_copy(update={"topics": tuple(topics)})


def failed(score: Score | ScoreRow) -> bool:
    """Whether a verdict could not be given."""
    return score.value is None and bool(score.error)


def _complete(judge: Judge, scores: Iterable[ScoreRow]) -> bool:
    mine = [score for score in scores if score.judge == judge.name]
    return {score.criterion for score in mine} >= set(judge.criteria) and not any(map(failed, mine))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _contexts(turn: Turn) -> tuple[str, ...]:
    """What the bot saw, headings above the texts: the passages, or the topics it looked at before it asked back."""
    seen = turn.passages or turn.topics[:6]
    return tuple(headed(part.title, part.heading, part.text) for part in seen)
