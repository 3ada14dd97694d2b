"""How the judges of a run judge, and in which version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.base.prompt import Engine
from core.base.prompt_files import prompt_key
from core.base.types import Bot, Language, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.version import version_of
from core.llm.roles import ModelEngine
from core.runs.plan import Plan, plan_of
from core.runs.snapshot import bot_of_run
from core.store.rows import RunRow
from core.store.store import Store


def judge_options_of_bot(bot: Bot, language: Language) -> JudgeOptions:
    """How a bot's answers are judged unless somebody chooses otherwise: with its guidelines and its own prompts."""
    return JudgeOptions(language=language, guidelines=bot.guidelines, prompts=bot.prompts)


def judge_options_of_plan(plan: Plan, bot: Bot) -> JudgeOptions:
    chosen = {"strict": plan.strict, "together": plan.together, "examples": plan.examples}
    return judge_options_of_bot(bot, plan.reasons_in).model_copy(update=chosen)


def judge_options_of_run(store: Store, run: RunRow) -> JudgeOptions:
    """How the judges of a stored run judged, with the guidelines of its time.

    Their prompts are those that the bot's folder has now, as their code is.
    """
    bot = bot_of_run(store, run)
    return judge_options_of_bot(bot, run.language) if run.is_answer_file else judge_options_of_plan(plan_of(run), bot)


def versions_of(judges: Sequence[Judge], engine: Engine, options: JudgeOptions) -> dict[str, str]:
    """Each judge's version: of its prompt and rules, of how it judges, and of the model behind it."""
    return {judge.name: version_of(judge.version, *_what_decides(judge, options, engine)) for judge in judges}


def with_versions(scores: Iterable[Score], versions: Mapping[str, str]) -> tuple[Score, ...]:
    return tuple(score.model_copy(update={"version": versions[score.judge]}) for score in scores)


def _what_decides(judge: Judge, options: JudgeOptions, engine: Engine) -> Iterator[str]:
    """What decides a verdict beside the judge; without a model our own judges read neither language nor guidelines."""
    if isinstance(engine, ModelEngine):
        model = engine.roles["judge"]
        examples = [example.model_dump_json() for example in options.examples.get(judge.name, ())]
        of_model = (model.model, model.temperature, model.effort)
        yield repr((*of_model, options.language, options.guidelines, options.strict, examples))
    else:
        is_custom = judge.name.startswith("custom:")  # people's functions are handed both
        yield repr(("embedded", options.strict, *((options.language, options.guidelines) if is_custom else ())))
    if judge.skips_clarifying_questions:
        yield "answers"
    if isinstance(engine, ModelEngine):
        keys = {prompt_key(name, options.language) for name in judge.prompt_names}
        yield from (text for key, text in sorted(options.prompts.items()) if key in keys)
