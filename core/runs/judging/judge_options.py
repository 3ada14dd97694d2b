"""How the judges of a run judge, and in which version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.base.prompt import Engine
from core.base.prompt_files import own_prompts
from core.base.types import Bot, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.version import version_of
from core.llm.roles import ModelEngine
from core.runs.plan import Plan
from core.runs.snapshot import bot_of_run
from core.store.rows import RunRow
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
        is_custom = judge.name.startswith("custom:")  # people's functions are handed both
        return repr(("embedded", options.strict, *((options.language, options.guidelines) if is_custom else ())))
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
    return ("answers",) if judge.skips_clarifying_questions else ()
