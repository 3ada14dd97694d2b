"""Measure the judges of grounding, keypoints, retrieval and turns, beside baselines.

    python -m benchmarks.judges_grounding --data DIR

Every figure comes with a 95 % bootstrap interval (over questions, articles or conversations). The groundedness figure
comes from nested cross-validation, sufficiency from cross-validation by question; nothing else is fitted on these data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from benchmarks import fit_grounding, fit_sufficiency
from benchmarks.command_line import argument_parser
from benchmarks.grounding_pairs import BOTS, answerable, bot_samples, relevance_pairs
from benchmarks.judges_data import lines, resampled
from core.base.types import Sample
from core.judges.base import Judge, JudgeOptions, judge_one
from core.judges.baselines.similarity import overlap
from core.judges.groundedness.groundedness import JUDGE as GROUNDEDNESS
from core.judges.keypoints.keypoints import JUDGE as KEYPOINTS
from core.judges.relevance.relevance import JUDGE as RELEVANCE
from core.judges.retrieval.retrieval import JUDGE as RETRIEVAL
from core.judges.turn.turn import JUDGE as TURN
from core.llm.embedded import EmbeddedEngine
from core.retrieval.embedders import sentence_embedder
from core.retrieval.lexical import Lexical
from core.text.language import script, sentences, terms
from core.text.numbers import amounts

ENGINE = EmbeddedEngine()
DRAWS = 1_000
CHUNK = {"zh": 512, "en": 2_000}  # characters of a chunk, whole sentences
TOP = (1, 3, 5, 10)
FIGURE = re.compile(r"(?<![A-Za-z\d.,])\d[\d,]*(?![\d.:/]*月)")
SIGNS = (
    ("できます", "できません"), ("必要です", "必要ありません"), ("られます", "られません"), ("可能です", "できません"),
    ("ません。", "ます。"), (" cannot ", " can "), (" can ", " cannot "), (" is ", " is not "), (" are ", " are not "),
)  # fmt: skip
Statistic = Callable[[Any], float]


def values(judge: Judge, sample: Sample) -> dict[str, float | None]:
    """The judge's values by criterion, on the embedded engine."""
    return {score.criterion: score.value for score in judge_one(ENGINE, judge, sample, JudgeOptions(language="en"))}


def interval(groups: Sequence[Hashable], statistic: Statistic) -> str:
    """A statistic of row numbers with its 95 % bootstrap interval over groups."""
    found = [statistic(pick) for pick in resampled(groups, DRAWS, seed=7)]
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return f"{statistic(np.arange(len(groups))):.3f} [{low:.3f}-{high:.3f}]"


def mean_of(numbers: Sequence[float]) -> str:
    """A mean with its interval, every row its own group."""
    array = np.array(numbers, dtype=float)
    return interval(range(len(array)), lambda pick: float(array[pick].mean()))


def report(data: Path, vectors: bool = True) -> None:
    """Print all figures; sentence vectors are always among the turn judge's baselines, so `vectors` changes nothing."""
    del vectors
    groundedness(data)
    groundedness_of_bots()
    sufficiency(data)
    relevance(data)
    keypoints(data)
    retrieval(data)
    turn(data)


def groundedness(data: Path) -> None:
    """F1 for hallucinated answers on RAGTruth, people's spans."""
    print("== groundedness (ragtruth_qa: human hallucination spans)")
    table = fit_grounding.Table(lines(data / "ragtruth_qa/dev.jsonl"))
    fit_grounding.report(table)
    verdict = fit_grounding.nested(table, 0)[0]
    print(
        "agreement",
        mean_of(list((verdict == table.labels).astype(float))),
        "kappa",
        f"{cohen_kappa_score(table.labels, verdict):.3f}",
    )


def groundedness_of_bots() -> None:
    """Share of Yes: the bundled bots' references with their own passages, with others, with figures or a sign changed."""
    print("== groundedness (bundled bots: share of Yes; right is high for its own passages, low for all else)")
    for bot in BOTS:
        found = bot_samples(bot)
        own = [grounded(sample) for sample, _ in found]
        other = [grounded(sample.model_copy(update={"contexts": texts})) for sample, texts in found if texts]
        changed = [sample.model_copy(update={"answer": falsified(sample.answer)}) for sample, _ in found]
        wrong = [grounded(new) for new, (old, _) in zip(changed, found, strict=True) if new.answer != old.answer]
        flipped = [sample.model_copy(update={"answer": turned(sample.answer)}) for sample, _ in found]
        against = [grounded(new) for new, (old, _) in zip(flipped, found, strict=True) if new.answer != old.answer]
        print(f"{bot:8} own passages {mean_of(own)} others {mean_of(other)}")
        print(f"{'':8} figures changed {mean_of(wrong)} one sign turned {mean_of(against)}")


def grounded(sample: Sample) -> float:
    return values(GROUNDEDNESS, sample)["grounded"] or 0.0


def falsified(text: str) -> str:
    """Every figure changed (names such as HB-423 left alone)."""
    return FIGURE.sub(lambda found: str(int(found[0].replace(",", "")) * 2 + 3), text)


def turned(text: str) -> str:
    """The first sign of the text turned: できます and できません, can and cannot."""
    found = next(((one, other) for one, other in SIGNS if one in text), ("", ""))
    return text.replace(*found, 1) if found[0] else text


def sufficiency(data: Path) -> None:
    """Accuracy by set, held out by question."""
    print("== sufficiency (own passages against others; most frequent label beside it)")
    for name, labels, verdicts, groups in fit_sufficiency.held_out(data):
        accuracy = interval(groups, lambda pick, a=labels, b=verdicts: float((a[pick] == b[pick]).mean()))
        most = max(labels.mean(), 1 - labels.mean())
        print(
            f"{name:14} n={len(labels):4} most frequent {most:.3f} accuracy {accuracy} kappa {cohen_kappa_score(labels, verdicts):.3f}"
        )


def relevance(data: Path) -> None:
    """Accuracy: answers to the question against answers to another one."""
    print("== relevance (own answer against another question's; .5 is chance)")
    for name, pairs in relevance_pairs(data).items():
        right = [float(bool(values(RELEVANCE, pair.sample)["relevance"]) == pair.label) for pair in pairs]
        accuracy = interval([pair.group for pair in pairs], lambda pick, a=np.array(right): float(a[pick].mean()))
        print(f"{name:18} n={len(pairs):4} accuracy {accuracy}")


def keypoints(data: Path) -> None:
    """Means over questions: the reference as the answer, another question's, figures changed, a refusal."""
    print("== keypoints (dragonball: completeness, hallucination, irrelevance)")
    for language, refusal in (("en", "Unable to answer."), ("zh", "无法回答。")):
        answered = answerable(data, language)
        answers = {
            "reference": [row["answer"] for row in answered],
            "another's": [answered[(n + 7) % len(answered)]["answer"] for n in range(len(answered))],
            "refusal": [refusal] * len(answered),
        }
        for name, pairs in answers.items():
            show_keypoints(f"{language} {name}", list(zip(answered, pairs, strict=True)))
        changed = [
            ({**row, "keypoints": altered}, falsified(row["answer"]))
            for row in answered
            if (altered := with_figures(row))
        ]
        show_keypoints(f"{language} figures changed, keypoints with figures", changed)


def with_figures(row: dict[str, Any]) -> list[str]:
    """The keypoints that hold a figure which the question does not, if the answer has figures at all."""
    asked = amounts(row["question"])
    return [text for text in row["keypoints"] if amounts(text[3:]) - asked] if FIGURE.search(row["answer"]) else []


def show_keypoints(name: str, pairs: Sequence[tuple[dict[str, Any], str]]) -> None:
    samples = [Sample(question=r["question"], answer=text, keypoints=tuple(r["keypoints"])) for r, text in pairs]
    found = [values(KEYPOINTS, sample) for sample in samples]
    means = (mean_of([one[criterion] or 0.0 for one in found]) for criterion in KEYPOINTS.criteria)
    print(f"{name:44} n={len(found):3} " + "  ".join(means))


def retrieval(data: Path) -> None:
    """Recall, EIR and precision of BM25 over chunks of whole sentences."""
    print("== retrieval (dragonball, BM25; RAGEval's BM25 recall: zh .807, en .662)")
    for language, size in CHUNK.items():
        documents = lines(data / f"dragonball/docs_{language}.jsonl")
        chunks = [chunk for document in documents for chunk in cut(document["content"], size)]
        lexical = Lexical(chunks, script(chunks[0]))
        for k in TOP:
            found = [values(RETRIEVAL, searched(row, chunks, lexical, k)) for row in answerable(data, language)]
            means = (f"{name} {mean_of([one[name] or 0.0 for one in found])}" for name in RETRIEVAL.criteria)
            print(f"{language} chunks of {size} characters ({len(chunks)}), k={k:2}: " + "  ".join(means))


def searched(row: dict[str, Any], chunks: Sequence[str], lexical: Lexical, k: int) -> Sample:
    best = np.argsort(-lexical.scores(row["question"]), kind="stable")[:k]
    texts = tuple(chunks[int(place)] for place in best)
    return Sample(question=row["question"], answer="", contexts=texts, evidence=tuple(row["references"]))


def cut(text: str, size: int) -> list[str]:
    """Whole sentences, up to so many characters a chunk."""
    found = [""]
    for sentence in sentences(text):
        if found[-1] and len(found[-1]) + len(sentence) > size:
            found.append("")
        found[-1] += sentence
    return found


def turn(data: Path) -> None:
    """Spearman's rank correlation of the overall mark with the raters' mean, beside ROUGE-L and vectors."""
    print("== turn (mtrag_human_eval: rank correlation with the mean of three raters over four qualities)")
    rated = lines(data / "mtrag_human_eval/dev.jsonl")
    human = np.array([np.mean([mark for marks in row["human"].values() for mark in marks]) for row in rated])
    columns = {
        "turn, with reference": np.array([overall(row, True) for row in rated]),
        "turn, without": np.array([overall(row, False) for row in rated]),
        "ROUGE-L": np.array([rouge_l(row["answer"], row["reference_answer"]) for row in rated]),
        "words in common": np.array([overlap(row["answer"], row["reference_answer"]) for row in rated]),
        "vector cosine": cosines(rated),
    }
    written = np.array([row["model"] == "reference" for row in rated])
    groups = [row["conversation"] for row in rated]
    for name, marks in columns.items():
        for which, keep in (("all", written | True), ("without reference rows", ~written)):
            compared = np.flatnonzero(keep)
            sure = interval([groups[n] for n in compared], correlation(human[compared], marks[compared]))
            print(f"{name:22} {which:24} n={len(compared)} {sure}")


def rank_correlation(one: Any, other: Any) -> float:
    """Spearman's rho."""
    found: Any = spearmanr(one, other)
    return float(found.statistic)


def correlation(one: Any, other: Any) -> Statistic:
    return lambda pick: rank_correlation(one[pick], other[pick])


def overall(row: dict[str, Any], with_reference: bool) -> float:
    """The overall value; the middle if it is unscored."""
    fields = {name: row[name] for name in ("question", "answer", "contexts", "history")}
    reference = (row["reference_answer"],) if with_reference else ()
    found = values(TURN, Sample.model_validate({**fields, "reference": reference}))
    return found["overall"] if found["overall"] is not None else 0.6


def rouge_l(answer: str, reference: str) -> float:
    """F measure of the longest common subsequence of words."""
    said, wanted = terms(answer), terms(reference)
    return 2 * LCSseq.similarity(said, wanted) / (len(said) + len(wanted)) if said and wanted else 0.0


def cosines(rated: Sequence[dict[str, Any]]) -> Any:
    embedder = sentence_embedder()
    one = embedder.encode([row["answer"] for row in rated])
    other = embedder.encode([row["reference_answer"] for row in rated])
    return (one * other).sum(axis=1)


def main() -> None:
    folder = argument_parser(__doc__, "--data").parse_args().data
    wanted = ("ragtruth_qa", "squad2", "mtrag_un", "mtrag_human_eval", "dragonball")
    missing = [name for name in wanted if not (folder / name).is_dir()]
    if missing:
        raise SystemExit(f"{folder} lacks {', '.join(missing)}: fetch these sets and give the folder that holds them.")
    report(folder)


if __name__ == "__main__":
    main()
