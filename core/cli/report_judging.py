"""A judging job under way: its progress, and the means of its scores."""

from __future__ import annotations

import json
import sys

from core.analysis.run_means import summarise
from core.analysis.self_agreement import self_agreement
from core.base.errors import BadInput, as_sentence
from core.cli.exit_codes import interrupted_code
from core.cli.json_lines import Json
from core.cli.output import print_result, show_progress
from core.runs.judging.jobs import JudgingJob
from core.store.score_tables import score_values
from core.store.store import Store


def follow_judging(store: Store, job: JudgingJob, judge: str, as_json: bool) -> int:
    """Wait for a judging job and print its means, those of `judge`. Returns the exit code.

    Raises the job's error, and BadInput (`none_scored`) if no answer has a score although the judges had what they need.
    """
    code = _wait(job)
    report = _summary(store, job, judge) | _self_agreements(store, job)
    print_result(json.dumps(report, ensure_ascii=False) if as_json else _as_text(report, job.unscored))
    if job.error:
        raise job.error
    if not code and job.problem and job.unscored == job.done:
        raise none_scored(as_sentence(job.problem))
    print_unscored(store, job.run_id)
    return code


def print_unscored(store: Store, run_id: str) -> None:
    """Say on standard error which judges scored nothing in a run, and why."""
    for judge, error in store.scores.unscored_judges(run_id).items():
        print(f"{judge} scored nothing: {as_sentence(error)}", file=sys.stderr)


def none_scored(why: str) -> BadInput:
    """The error if no answer was scored."""
    return BadInput(f"No answer was scored ({why.rstrip('.。')}). Correct that and judge again.", "none_scored")


def _wait(job: JudgingJob) -> int:
    try:
        while not job.wait(1):
            show_progress(f"{job.done} / {job.total}")
    except KeyboardInterrupt as interrupt:
        job.stop()
        job.wait()
        return interrupted_code(interrupt)
    return 0


def _summary(store: Store, job: JudgingJob, judge: str) -> Json:
    summary = summarise(score_values(store.tables.of_run(job.run_id)), store.conversations.of_run(job.run_id), judge)
    return {
        "run": job.run_id,
        "judged": job.done,
        "of": job.total,
        "criteria": {name: score and score.mean for name, score in summary.criteria.items()},
        "scored": {name: score.n if score else 0 for name, score in summary.criteria.items()},
    }


def _self_agreements(store: Store, job: JudgingJob) -> Json:
    """How far each judge agrees with itself; nothing if no turn was judged twice."""
    repeated = store.scores.repeated(job.run_id)
    repeats_of = {judge: self_agreement(repeated, judge, version) for judge, version in job.versions.items()}
    several = {judge: repeats.model_dump() for judge, repeats in repeats_of.items() if repeats}
    return {"repeats": several} if several else {}


def _as_text(report: Json, unscored: int) -> str:
    without = f", {unscored} of them without a score" if unscored else ""
    lines = [f"{report['run']}: {report['judged']} of {report['of']} answers judged{without}"]
    for name, value in report["criteria"].items():
        lines.append(f"  {name:32} {'-' if value is None else f'{value:.3f}'}  (n = {report['scored'][name]})")
    for judge, repeats in report.get("repeats", {}).items():
        lines.append(
            f"  {judge} self-agreement: {repeats['agreement']:.0%} the same, standard deviation {repeats['deviation']:.3f} "
            f"(up to {repeats['verdicts']} scores for each of {repeats['turns']} turns)"
        )
    return "\n".join(lines)
