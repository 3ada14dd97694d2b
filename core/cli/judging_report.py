"""A judging under way: its progress, and the means that it comes to."""

from __future__ import annotations

import json
import sys

from core.analysis.aggregate import summarise
from core.analysis.stability import self_agreement
from core.cli.exit_codes import interrupted_code
from core.cli.json_lines import Json
from core.runs.judging.jobs import JudgingJob
from core.store.score_tables import score_values
from core.store.store import Store


def follow_judging(store: Store, job: JudgingJob, judge: str, as_json: bool) -> int:
    """Wait for a judging and print its means, those of `judge`; gives the exit code, raises the job's error."""
    code = _wait(job)
    found = _summary(store, job, judge) | _self_agreements(store, job)
    print(json.dumps(found, ensure_ascii=False) if as_json else _as_text(found))
    if job.error:
        raise job.error
    return code


def _wait(job: JudgingJob) -> int:
    try:
        while not job.wait(1):
            if sys.stderr.isatty():
                print(f"\r{job.done} / {job.total}\x1b[K", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt as interrupt:
        job.stop()
        job.wait()
        return interrupted_code(interrupt)
    return 0


def _summary(store: Store, job: JudgingJob, judge: str) -> Json:
    found = summarise(score_values(store.tables.of_run(job.run_id)), store.conversations.of_run(job.run_id), judge)
    return {
        "run": job.run_id,
        "judged": job.done,
        "of": job.total,
        "criteria": {name: one and one.mean for name, one in found.criteria.items()},
        "scored": {name: one.n if one else 0 for name, one in found.criteria.items()},
    }


def _self_agreements(store: Store, job: JudgingJob) -> Json:
    """How far each judge agrees with itself; nothing if no turn was judged twice."""
    repeated = store.scores.repeated(job.run_id)
    found = {judge: self_agreement(repeated, judge, version) for judge, version in job.versions.items()}
    several = {judge: one.model_dump() for judge, one in found.items() if one}
    return {"repeats": several} if several else {}


def _as_text(found: Json) -> str:
    lines = [f"{found['run']}: {found['judged']} of {found['of']} answers scored"]
    for name, value in found["criteria"].items():
        lines.append(f"  {name:32} {'-' if value is None else f'{value:.3f}'}  (n = {found['scored'][name]})")
    for judge, one in found.get("repeats", {}).items():
        lines.append(
            f"  {judge} self-agreement: {one['agreement']:.0%} the same, standard deviation {one['deviation']:.3f} "
            f"(up to {one['verdicts']} scores for each of {one['turns']} turns)"
        )
    return "\n".join(lines)
