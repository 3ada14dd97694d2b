"""Judgings that stay: further judges on an old run, and a file of answers kept as a run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from core.analysis.aggregate import summarise
from core.analysis.stability import self_agreement
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Bot, Sample
from core.cli.json_lines import Json
from core.cli.judge_options import how_options
from core.cli.signals import exit_code
from core.runs.answer_files import Answered
from core.runs.rejudge import Judging, Judgings
from core.store.score_tables import score_values
from core.store.store import Store, open_store


def judge_run(arguments: argparse.Namespace, engine: Engine) -> int:
    """Let judges score an old run; what they scored before in the same version stays. Ctrl-C keeps what is finished."""
    how, names = how_options(arguments), arguments.judges
    limits = {"budget": arguments.budget, "repeats": arguments.repeats}
    return _hold(arguments, engine, lambda judgings: judgings.again(arguments.run, names, how, **limits))


def keep(
    arguments: argparse.Namespace, engine: Engine, bot: Bot | None, answers: Sequence[tuple[str | int, Sample]]
) -> int:
    """Store the answers of a file as a run of the bot, and judge them there; raises BadInput where no bot is named."""
    if bot is None:
        raise BadInput("--keep needs --bot, the bot whose run it becomes.")
    how = how_options(arguments) | ({"language": arguments.language} if arguments.language else {})
    rows = [Answered(id=str(name), sample=sample) for name, sample in answers]
    name = "standard input" if arguments.input == "-" else Path(arguments.input).name
    return _hold(arguments, engine, lambda judgings: judgings.file(bot, name, rows, arguments.judges, how))


def _hold(arguments: argparse.Namespace, engine: Engine, begin: Callable[[Judgings], Judging]) -> int:
    """From the start of a judging to its means on standard output."""
    store = open_store()
    judgings = Judgings(store, engine)
    try:
        job = begin(judgings)
        stopped = _wait(job)
    finally:
        judgings.close()
    told = _summary(store, job, arguments.judges[0]) | _differing(store, job)
    print(json.dumps(told, ensure_ascii=False) if arguments.json else _spoken(told))
    if job.error:
        raise BadInput(job.error)
    return stopped


def _wait(job: Judging) -> int:
    try:
        while not job.over.wait(1):
            if sys.stderr.isatty():
                print(f"\r{job.done} / {job.total}\x1b[K", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt as end:
        job.stopped.set()
        job.over.wait()
        return exit_code(end)
    return 0


def _summary(store: Store, job: Judging, judge: str) -> Json:
    found = summarise(score_values(store.tables.of_run(job.run_id)), store.conversations.of_run(job.run_id), judge)
    return {
        "run": job.run_id,
        "judged": job.done,
        "of": job.total,
        "criteria": {name: one and one.mean for name, one in found.criteria.items()},
        "scored": {name: one.n if one else 0 for name, one in found.criteria.items()},
    }


def _differing(store: Store, job: Judging) -> Json:
    """How far each judge differs from itself; nothing where no turn was judged twice."""
    repeated = store.scores.repeated(job.run_id)
    found = {judge: self_agreement(repeated, judge, version) for judge, version in job.versions.items()}
    several = {judge: one.model_dump() for judge, one in found.items() if one}
    return {"repeats": several} if several else {}


def _spoken(told: Json) -> str:
    lines = [f"{told['run']}: {told['judged']} of {told['of']} answers scored"]
    for name, value in told["criteria"].items():
        lines.append(f"  {name:32} {'-' if value is None else f'{value:.3f}'}  (n = {told['scored'][name]})")
    for judge, one in told.get("repeats", {}).items():
        lines.append(
            f"  {judge} self-agreement: {one['agreement']:.0%} the same, standard deviation {one['deviation']:.3f} "
            f"(up to {one['verdicts']} scores for each of {one['turns']} turns)"
        )
    return "\n".join(lines)
