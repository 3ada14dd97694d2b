"""What the judges of a run see of a turn, how they judge, and in which version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from core.base.bot_folder import load_bot, parse_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.prompt_files import own_prompts
from core.base.settings import settings
from core.base.text import with_heading
from core.base.types import Answer, Bot, LikelySection, Message, Persona, Sample, Scenario, Score, Topic, Turn
from core.bot.clarify.candidates import shown_candidates
from core.bot.evidence import documented_probability, has_examples, section_probabilities
from core.bot.response import response_probabilities
from core.bot.small_talk.classifier import talk_probabilities
from core.bot.turn_context import find_topics, prepare_messages
from core.judges.base import Judge, JudgeOptions, only_answers
from core.judges.version import version_of
from core.llm.roles import ModelEngine
from core.retrieval.index import Index
from core.runs.plan import Plan
from core.store.rows import RunRow, ScoreRow, TurnRow
from core.store.store import Store


def judge_options_of(plan: Plan, bot: Bot) -> JudgeOptions:
    """The options for the judges of a plan, with the bot's guidelines."""
    return JudgeOptions(
        language=plan.reasons_in,
        guidelines=bot.guidelines,
        strict=plan.strict,
        together=plan.together,
        examples=plan.examples,
        prompts=bot.prompts,
    )


def bot_of_run(store: Store, run: RunRow, knowledge: Path | None = None) -> Bot:
    """The bot with the guidelines of the run's time; a bot that is gone is known by what the run stored of it."""
    snapshot = store.runs.snapshot(run.id)
    folder = (knowledge or settings().knowledge_dir) / run.bot
    if source := snapshot.get("bot_toml"):
        with suppress(BadInput):  # written for another version of Kiku
            return parse_bot(str(source).encode(), folder)
    try:
        bot = load_bot(run.bot, knowledge)
    except BadInput:
        bot = Bot(id=run.bot, folder=folder, name=run.bot, language=run.language)
    return bot.model_copy(update={"guidelines": str(snapshot.get("guidelines", bot.guidelines))})


def date_of(run: RunRow) -> date | None:
    """The date that a run went by; none for one that stored none."""
    stored = run.plan.get("today")
    return date.fromisoformat(str(stored)) if stored else None


def judge_options_of_run(store: Store, run: RunRow) -> dict[str, Any]:
    """How the judges of a run judged, as fields of `core.judges.base.JudgeOptions`, to be used for another run.

    Their prompts are those that the bot's folder has now, as their code is.
    """
    options = {name: run.plan[name] for name in ("strict", "together", "examples") if name in run.plan}
    language = run.plan.get("judge_language") or run.language
    bot = bot_of_run(store, run)
    return {"language": language, "guidelines": bot.guidelines, "prompts": bot.prompts, **options}


def versions_of(judges: Sequence[Judge], engine: Engine, options: JudgeOptions) -> dict[str, str]:
    """Each judge's version: of its prompt and rules, of how it judges, and of the model behind it."""
    return {
        judge.name: version_of(
            judge.version, _settings(judge, options, engine), *_scope(judge), *_own_prompts(judge, options, engine)
        )
        for judge in judges
    }


def with_versions(scores: Iterable[Score], versions: Mapping[str, str]) -> tuple[Score, ...]:
    """The scores, each with the version of its judge."""
    return tuple(score.model_copy(update={"version": versions[score.judge]}) for score in scores)


def _settings(judge: Judge, options: JudgeOptions, engine: Engine) -> str:
    """What decides a verdict beside the judge; without a model our own judges read neither language nor guidelines."""
    if not isinstance(engine, ModelEngine):
        own = (
            (options.language, options.guidelines) if judge.name.startswith("custom:") else ()
        )  # handed to people's functions
        return repr(("embedded", options.strict, *own))
    model = engine.roles["judge"]
    examples = [example.model_dump_json() for example in options.examples_of(judge.name)]
    return repr(
        (model.model, model.temperature, model.effort, options.language, options.guidelines, options.strict, examples)
    )


def _own_prompts(judge: Judge, options: JudgeOptions, engine: Engine) -> tuple[str, ...]:
    """The bot's own prompts that the judge asks a model with."""
    if not isinstance(engine, ModelEngine):
        return ()
    names = frozenset(kind.prompt_name() for kind in judge.prompts)
    return tuple(own_prompts(options.prompts, names, options.language).values())


def _scope(judge: Judge) -> tuple[str, ...]:
    """Which replies the judge scores, if not all: earlier versions scored clarifying questions, too."""
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
        choices=turn.reply.choices,
        candidates=_candidates(turn) if turn.asked_back else (),
        sections=sections_with_probabilities(turn.topics),
        documented=documented_probability(turn.message, turn.topics) if turn.topics else None,
        asks_nothing=isinstance(turn.reply, Answer) and turn.hits == () and turn.route is not None,
        talk=1 - talk_probabilities(turn.message)["request"],
        outcomes=outcomes_of(turn.message, turn.topics),
        kind=scenario.kind,
        needs_asking=scenario.needs_asking,
        intent=scenario.intent,
        facts=scenario.facts,
        persona=" / ".join(filter(None, (persona.name, persona.description, persona.profile))) if persona else "",
    )


def sections_with_probabilities(topics: Sequence[Topic]) -> tuple[LikelySection, ...]:
    """The first sections that the bot found, each with the probability that it answers the message."""
    return tuple(
        LikelySection(title=topic.title, heading=topic.heading, chance=chance, vector=topic.vector)
        for topic, chance in zip(topics, section_probabilities(topics), strict=False)
    )


def outcomes_of(message: str, topics: Sequence[Topic]) -> Mapping[str, float] | None:
    """The probability of each outcome of a message, if the sections found have example questions."""
    return {**response_probabilities(message, topics)} if has_examples(topics) else None


def missing_judges(row: TurnRow, judges: Iterable[Judge]) -> tuple[Judge, ...]:
    """The judges that have not scored a stored turn in any version, or could not; `row`: with its scores in all."""
    return tuple(judge for judge in judges if not _has_scored(judge, row.scores))


def restore_topics(turn: Turn, earlier: tuple[Message, ...], index: Index) -> Turn:
    """A stored turn with the texts of its topics, which are not stored but read from the documents again."""
    if not turn.topics:
        return turn
    seen = find_topics(index, prepare_messages(index, (*earlier, Message(role="user", text=turn.message))))
    texts = {(topic.document, topic.heading): topic.text for topic in seen}
    topics = (
        topic.model_copy(update={"text": texts.get((topic.document, topic.heading), "")}) for topic in turn.topics
    )
    return turn.model_copy(update={"topics": tuple(topics)})


def has_failed(score: Score | ScoreRow) -> bool:
    """Whether a judge could not give a score."""
    return score.value is None and bool(score.error)


def _has_scored(judge: Judge, scores: Iterable[ScoreRow]) -> bool:
    """Whether all criteria were scored in one go, by any version."""
    judgings: dict[tuple[str, int], list[ScoreRow]] = defaultdict(list)
    for score in scores:
        if score.judge == judge.name:
            judgings[score.version, score.repeat].append(score)
    return any(
        {score.criterion for score in mine} >= set(judge.criteria) and not any(map(has_failed, mine))
        for mine in judgings.values()
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _candidates(turn: Turn) -> tuple[str, ...]:
    """The sections that the bot had before it when it decided to ask, as its own prompt has them."""
    candidates = shown_candidates(turn.topics)
    return tuple(f"{one.title} / {one.heading}: {one.excerpt}".rstrip(": ") for one in candidates)


def _contexts(turn: Turn) -> tuple[str, ...]:
    """What the bot saw, headings above the texts: the passages, or the topics it looked at before it asked a clarifying question."""
    seen = turn.passages or turn.topics[:6]
    return tuple(with_heading(part.title, part.heading, part.text) for part in seen)
