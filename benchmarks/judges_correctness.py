"""The correctness judge against people's verdicts on short answers.

Ours is measured on questions that the fit has not seen: five parts, all answers to one question in the same part, refitted
for each; the thresholds of the baselines are chosen on the same other parts. Intervals: bootstrap over questions.
"""

from __future__ import annotations

import re
import string
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import GroupKFold

from benchmarks.fit_correctness import FOLDS, SETS, held_out, matrix, verdicts
from benchmarks.judges_data import Row, correctness_rows, group, resampled
from core.base.types import Sample
from core.judges.base import JudgeOptions, judge_one
from core.judges.correctness.correctness import JUDGE
from core.judges.correctness.long_reference import is_long
from core.llm.embedded import EmbeddedEngine
from core.retrieval.embedders import sentence_embedder

DRAWS = 500
TIMED = 1_000


def report(data: Path, vectors: bool = False) -> None:
    """Print a table for each data set: n, agreement, kappa with a 95 % interval, for our judge and the baselines."""
    rows = [row for name in SETS for row in correctness_rows(data, name)]
    said = {"kiku (held out)": ours(rows), "lexical match": [lexical(row) for row in rows]}
    scorers: dict[str, Callable[[Row], float]] = {"token F1": token_f1, "rapidfuzz ratio": ratio}
    scores = {name: [score(row) for row in rows] for name, score in scorers.items()}
    if vectors:
        scores["vector similarity"] = similarity(rows)
    said |= {f"{name} (threshold)": thresholded(rows, found) for name, found in scores.items()}
    for name in SETS:
        table(name, rows, said)
    print(f"correctness: {seconds(rows):.1f} s for {TIMED} verdicts")


def ours(rows: list[Row]) -> list[bool]:
    """Our verdicts, from fits on other questions; references of whole sentences take no part in the fit."""
    measured = matrix(rows)
    said = verdicts(measured, held_out(rows, measured))
    return [verdict(row) if all(map(is_long, row.reference)) else one for row, one in zip(rows, said, strict=True)]


def verdict(row: Row) -> bool:
    sample = Sample(question=row.question, answer=row.answer, reference=row.reference)
    return judge_one(EmbeddedEngine(), JUDGE, sample, JudgeOptions(language="en"))[0].value == 1.0


def plain(text: str) -> list[str]:
    """SQuAD's normalisation: lower case, no punctuation, no articles."""
    bare = text.lower().translate(str.maketrans("", "", string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def lexical(row: Row) -> bool:
    """Whether a reference stands in the answer."""
    answer = f" {' '.join(plain(row.answer))} "
    return any(f" {' '.join(plain(one))} " in answer for one in row.reference)


def token_f1(row: Row) -> float:
    return max(_f1(plain(row.answer), plain(one)) for one in row.reference)


def _f1(said: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(said) & Counter(wanted)).values())
    return 2 * shared / (len(said) + len(wanted)) if shared else 0.0


def ratio(row: Row) -> float:
    return max(fuzz.ratio(row.answer.lower(), one.lower()) for one in row.reference)


def similarity(rows: list[Row]) -> list[float]:
    texts = sorted({text for row in rows for text in (row.answer[:1_500], *row.reference)})
    place = {text: n for n, text in enumerate(texts)}
    matrix = sentence_embedder().encode(texts)
    return [float(max(matrix[place[one]] @ matrix[place[row.answer[:1_500]]] for one in row.reference)) for row in rows]


def thresholded(rows: list[Row], scores: list[float]) -> list[bool]:
    """Verdicts by the threshold that agrees best with people on the other parts, for each data set by itself."""
    values, right = np.array(scores), np.array([row.right for row in rows])
    sets, said = np.array([row.dataset for row in rows]), np.zeros(len(rows), dtype=bool)
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(values, groups=group(rows)):
        for name in SETS:
            known, asked = train[sets[train] == name], test[sets[test] == name]
            thresholds = np.unique(np.quantile(values[known], np.linspace(0, 1, 101)))
            best = max(thresholds, key=lambda threshold: float(np.mean((values[known] >= threshold) == right[known])))
            said[asked] = values[asked] >= best
    return [bool(one) for one in said]


def table(name: str, rows: list[Row], said: dict[str, list[bool]]) -> None:
    places = [n for n, row in enumerate(rows) if row.dataset == name]
    mine = [rows[n] for n in places]
    verdicts = {judge: [found[n] for n in places] for judge, found in said.items()}
    if "gpt4_judge_text" in mine[0].other:
        verdicts["GPT-4 (in the data)"] = [
            row.other["gpt4_judge_text"].strip().lower().startswith("yes") for row in mine
        ]
        verdicts["BEM (in the data)"] = [(row.other["bem_prob"] or 0.0) >= 0.5 for row in mine]
    print(
        f"\n{name}: n={len(mine)}, {len(set(group(mine)))} questions, right {np.mean([row.right for row in mine]):.3f}"
    )
    for judge, found in verdicts.items():
        agreement, kappa = figures(mine, found)
        print(f"  {judge:30} agreement {agreement}  kappa {kappa}", flush=True)


def figures(rows: list[Row], said: list[bool]) -> tuple[str, str]:
    """Agreement and kappa, each with its interval."""
    right, found = np.array([row.right for row in rows]), np.array(said)
    drawn = [_measures(right[some], found[some]) for some in resampled(group(rows), DRAWS, seed=0)]
    lows, highs = np.percentile(drawn, 2.5, axis=0), np.percentile(drawn, 97.5, axis=0)
    both = _measures(right, found)
    cells = [f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in zip(both, lows, highs, strict=True)]
    return cells[0], cells[1]


def _measures(right: Any, found: Any) -> tuple[float, float]:
    return float(np.mean(right == found)), float(cohen_kappa_score(right, found))


def seconds(rows: list[Row]) -> float:
    """Seconds for the first verdicts of every kind of row, nothing kept from before."""
    some = rows[:: max(1, len(rows) // TIMED)][:TIMED]
    start = time.perf_counter()
    for row in some:
        verdict(Row(row.dataset, row.question + " ", row.answer + " ", row.reference, row.right, row.other))
    return time.perf_counter() - start
