"""The figures that the ablation takes: judges against people's labels, against pairs made from public texts, and the
project's own cases."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import GroupKFold

from benchmarks import fit_correctness, fit_grounding, fit_sufficiency, judges_grounding
from benchmarks.grounding_pairs import Pair, answerable, relevance_pairs, sufficiency_pairs
from benchmarks.judges_data import Row, correctness_rows, group, lines
from core.base.bot_folder import load_bot
from core.base.types import Message, Sample
from core.judges.base import JudgeOptions, judge_one
from core.judges.correctness import short_reference as short
from core.judges.groundedness.claims import claims_of
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.simulation.scenarios import read_scenarios
from core.text.language import sentences
from core.text.negation import opening_polarity
from core.text.questions import asks_whether
from tests.judges import test_prompt_injection, test_simulated_user_judge, test_turn_judge_on_bots

ENGINE = EmbeddedEngine()
CASES = Path(__file__).parents[1] / "tests" / "judges"
SIGNS = (*judges_grounding.SIGNS, ("可以", "不可以"), ("是", "不是"), ("能", "不能"), ("である。", "ではない。"), ("した。", "していない。"), ("している。", "していない。"))  # fmt: skip
CONTRADICTING_PATTERNS = (
    ("before", "after"), ("more than", "less than"), ("at least", "at most"), ("above", "below"), ("over", "under"), ("increase", "decrease"),
    ("free", "paid"), ("以上", "以下"), ("午前", "午後"), ("可能", "不可能"), ("有料", "無料"), ("禁止", "許可"), ("必要", "不要"), ("対象", "対象外"),
)  # fmt: skip
SEEDS = 10  # of the folds of RAGTruth
Figures = dict[str, float]


class Part(NamedTuple):
    """Rows judged one by one, and the figures that come from what was found.

    own: whether the rows are the project's cases, written for the rules; its figures count what fails.
    """

    rows: Sequence[Any]
    judge: Callable[[Any], Any]
    figures: Callable[[list[Any]], Figures]
    own: bool = False


def value(judge: str, sample: Sample, **how: Any) -> dict[str, float | None]:
    """The judge's values by criterion."""
    found = judge_one(ENGINE, judges_of((judge,))[0], sample, JudgeOptions.model_validate({"language": "en", **how}))
    return {one.criterion: one.value for one in found}


# Public figures


def correctness(data: Path, every: int) -> Part:
    """The whole judge on short answers, its fitted model replaced by one fitted on other questions."""
    rows = [
        row
        for name in fit_correctness.SETS
        for row in correctness_rows(data, name)[:: every if name == "evouna" else 1]
    ]
    names, values = measured = fit_correctness.matrix(rows)
    fold = np.zeros(len(rows), dtype=int)
    models: list[Any] = []
    for number, (train, test) in enumerate(
        GroupKFold(fit_correctness.FOLDS, shuffle=True, random_state=0).split(values, groups=group(rows))
    ):
        models.append(fit_correctness.fit([rows[n] for n in train], names, values[train]))
        fold[test] = number

    def judge(item: tuple[int, Row]) -> float | None:
        place, row = item
        model = models[fold[place]]

        def right_probability(found: dict[str, float]) -> float:
            line = np.array([[found[name] for name in names]], dtype=np.float32)
            return float(model.predict_proba(line)[0, 1])

        before, short.right_probability = short.right_probability, right_probability
        try:
            return value("correctness", Sample(question=row.question, answer=row.answer, reference=row.reference))[
                "correctness"
            ]
        finally:
            short.right_probability = before

    def figures(found: list[Any]) -> Figures:
        return agreement(rows, [one == 1.0 for one in found])

    figures.__dict__.update(rows=rows, measured=measured, alone=alone(rows, measured))
    return Part(list(enumerate(rows)), judge, figures)


def agreement(rows: Sequence[Row], said: Sequence[bool]) -> Figures:
    found: Figures = {}
    for name, label in zip(fit_correctness.SETS, ("EVOUNA", "NQ301", "equiv", "PEDANTS"), strict=True):
        pairs = [(row.right, one) for row, one in zip(rows, said, strict=True) if row.dataset == name]
        right, judged = zip(*pairs, strict=True)
        found[label] = float(np.mean(np.array(right) == np.array(judged)))
        found[f"{label} kappa"] = float(cohen_kappa_score(right, judged))
    return found


def ragtruth(data: Path) -> Part:
    rows = lines(data / "ragtruth_qa/dev.jsonl")

    def judge(row: dict[str, Any]) -> Any:
        claims = claims_of(row["answer"], row["question"], fit_grounding.passages(row["context"]))
        return (
            [one.features for one in claims],
            [one.refuted for one in claims],
            list(fit_grounding.covered(row, claims)),
        )

    def figures(found: list[Any]) -> Figures:
        table = fit_grounding.Table.__new__(fit_grounding.Table)
        table.features = np.array([one for row, _, _ in found for one in row])
        table.certain = np.array([one for _, row, _ in found for one in row])
        table.is_covered = np.array([one for _, _, row in found for one in row], dtype=bool)
        table.answer = np.array([n for n, (row, _, _) in enumerate(found) for _ in row])
        table.labels = np.array([bool(row["hallucinated"]) for row in rows])
        table.groups = np.array([row["source_id"] for row in rows])
        return {
            "RAGTruth F1": float(
                np.mean(
                    [fit_grounding.f1_of(table.labels, fit_grounding.nested(table, seed)[0]) for seed in range(SEEDS)]
                )
            )
        }

    return Part(rows, judge, figures)


def mtrag(data: Path) -> Part:
    rows = lines(data / "mtrag_human_eval/dev.jsonl")
    human = np.array([np.mean([mark for marks in row["human"].values() for mark in marks]) for row in rows])

    def figures(found: list[Any]) -> Figures:
        both = np.array(found)
        return {
            name: judges_grounding.rank_correlation(human, both[:, n]) for n, name in enumerate(("MTRAG ref", "MTRAG"))
        }

    return Part(rows, lambda row: (judges_grounding.overall(row, True), judges_grounding.overall(row, False)), figures)


def keypoints(data: Path) -> Part:
    """Completeness of the reference (own), of another's answer, and hallucination with changed figures, both languages."""
    samples: list[tuple[str, Sample]] = []
    for language in ("en", "zh"):
        rows = answerable(data, language)
        for number, row in enumerate(rows):
            points, changed = tuple(row["keypoints"]), judges_grounding.with_figures(row)
            other = rows[(number + 7) % len(rows)]["answer"]
            samples.append(("own", Sample(question=row["question"], answer=row["answer"], keypoints=points)))
            samples.append(("other", Sample(question=row["question"], answer=other, keypoints=points)))
            if changed:
                answer = judges_grounding.falsified(row["answer"])
                samples.append(("changed", Sample(question=row["question"], answer=answer, keypoints=tuple(changed))))

    def judge(item: tuple[str, Sample]) -> float:
        found = value("keypoints", item[1])
        return found["hallucination" if item[0] == "changed" else "completeness"] or 0.0

    def figures(found: list[Any]) -> Figures:
        mean = {
            name: float(np.mean([v for (kind, _), v in zip(samples, found, strict=True) if kind == name]))
            for name in ("own", "other", "changed")
        }
        return {"keypoints own-other": mean["own"] - mean["other"], "keypoints changed": mean["changed"]}

    return Part(samples, judge, figures)


def relevance(data: Path) -> Part:
    """The pairs of the other benchmark; right answers of a word or two (JSQuAD, answer equivalence, NQ301)."""
    by_name = relevance_pairs(data).items()
    pairs = [pair for name, found in by_name if name.startswith(("mtrag", "dragon")) for pair in found]
    rows = [row for name in ("answer_equivalence", "nq301_human") for row in correctness_rows(data, name) if row.right]
    short = [(row.question, row.answer) for row in rows if len(row.answer) <= 40][::3]
    short += [(row["question"], row["answers"][0]) for row in lines(data / "jsquad/dev.jsonl")][::2]
    pairs += [Pair(Sample(question=question, answer=answer), True, "short") for question, answer in short]

    def figures(found: list[Any]) -> Figures:
        right = {True: list[bool](), False: list[bool]()}
        for pair, one in zip(pairs, found, strict=True):
            right[pair.group == "short"].append(one)
        return {"relevance": float(np.mean(right[False])), "relevance short": float(np.mean(right[True]))}

    return Part(pairs, lambda pair: bool(value("relevance", pair.sample)["relevance"]) == pair.label, figures)


def sufficiency(data: Path) -> Part:
    named = [
        (name, pair)
        for name, found in sufficiency_pairs(data).items()
        if name.startswith(("squad", "mtrag", "dragon"))
        for pair in found
    ]

    def figures(found: list[Any]) -> Figures:
        table = fit_sufficiency.Table.__new__(fit_sufficiency.Table)
        table.sets, table.values = np.array([name for name, _ in named]), np.array(found)
        table.labels, table.groups = (
            np.array([pair.label for _, pair in named]),
            np.array([pair.group for _, pair in named]),
        )
        return {"sufficiency": float(np.mean(table.verdicts() == table.labels))}

    return Part(named, lambda item: fit_sufficiency.features(item[1]), figures)


# Pairs made from public texts


class Made(NamedTuple):
    kind: str
    sample: Sample
    label: bool


def turned(text: str) -> str:
    """The first sign of a text turned."""
    found = next(((one, other) for one, other in SIGNS if one in text and other not in text), ("", ""))
    return text.replace(*found, 1) if found[0] else text


def made(data: Path) -> list[Made]:
    """Answers by reference: the right one, its figures changed, its sign turned, another's (JSQuAD and DRAGONBall)."""
    found: list[Made] = []
    for row, answer, other, references in (*_dragonball(data), *_jsquad(data)):
        question, reference = row["question"], tuple(references)
        for kind, text, label in (
            ("own", answer, True),
            ("other", other, False),
            ("figure", judges_grounding.falsified(answer), False),
            ("sign", turned(answer), False),
        ):
            if kind in ("own", "other") or text != answer:
                contexts = tuple(row.get("references") or row["contexts"])
                found.append(
                    Made(kind, Sample(question=question, answer=text, reference=reference, contexts=contexts), label)
                )
    return found


def _dragonball(data: Path) -> Iterable[tuple[dict[str, Any], str, str, list[str]]]:
    for language in ("en", "zh"):
        rows = answerable(data, language)
        for number, row in enumerate(rows):
            yield row, row["answer"], rows[(number + 7) % len(rows)]["answer"], [row["answer"]]


def _jsquad(data: Path) -> Iterable[tuple[dict[str, Any], str, str, list[str]]]:
    """The sentence of the paragraph that holds the answer, and one of the same paragraph that does not."""
    texts = {row["id"]: row["text"] for row in lines(data / "jsquad/corpus.jsonl")}
    for row in lines(data / "jsquad/dev.jsonl"):
        paragraph = texts[row["gold_paragraph_ids"][0]]
        cut = [one.strip() for one in sentences(paragraph) if len(one.strip()) < 160]
        right = [one for one in cut if row["answers"][0] in one]
        wrong = [one for one in cut if not any(text in one for text in row["answers"])]
        if right and wrong:
            yield {**row, "contexts": [paragraph]}, right[0], wrong[0], row["answers"]


def made_correctness(data: Path) -> Part:
    """By reference; a turned sign only if the reference is as long (DRAGONBall); a bare yes or no for MTRAG's."""
    pairs = [
        one for one in made(data) if one.kind in ("own", "other") or one.sample.reference[0] not in one.sample.answer
    ]
    pairs += bare(data)
    return Part(
        pairs,
        lambda one: (value("correctness", one.sample)["correctness"] == 1.0) == one.label,
        by_kind(pairs, "correct"),
    )


def bare(data: Path) -> list[Made]:
    """Yes and No to questions for that, by references that open with one of them (MTRAG and MTRAG-UN)."""
    rows = [row for name in ("mtrag_un", "mtrag_human_eval") for row in lines(data / name / "dev.jsonl")]
    by_reference = {row["reference_answer"]: row for row in rows if asks_whether(row["question"]) and row["contexts"]}
    found: list[Made] = []
    for reference, row in by_reference.items():
        contexts = tuple(one["text"] if isinstance(one, dict) else one for one in row["contexts"])
        for text, side in (("Yes.", 1), ("No.", -1)) if opening_polarity(reference) else ():
            sample = Sample(question=row["question"], answer=text, reference=(reference,), contexts=contexts)
            found.append(Made("bare", sample, opening_polarity(reference) == side))
    return found


def made_grounding(data: Path) -> Part:
    pairs = [one for one in made(data) if one.kind != "other"] + opposites(data) + bare(data)
    return Part(
        pairs,
        lambda one: (value("groundedness", one.sample)["grounded"] == 1.0) == one.label,
        by_kind(pairs, "grounded"),
    )


def opposites(data: Path) -> list[Made]:
    """A word of the right answer, or of a sentence of RAGTruth's that people found nothing wrong with, turned."""
    samples = [one.sample for one in made(data) if one.kind == "own"]
    for row in lines(data / "ragtruth_qa/dev.jsonl"):
        passages = fit_grounding.passages(row["context"])
        said = () if row["hallucinated"] else (one for one in sentences(row["answer"]) if with_opposite(one) != one)
        samples += [Sample(question=row["question"], answer=one, contexts=passages) for one in list(said)[:1]]
    changed = [(one, with_opposite(one.answer)) for one in samples]
    return [
        Made("opposite", one.model_copy(update={"answer": text}), False) for one, text in changed if text != one.answer
    ]


def with_opposite(text: str) -> str:
    """The first word of a pair replaced by the other one."""
    for one, other in (pair for both in CONTRADICTING_PATTERNS for pair in (both, both[::-1])):
        pattern = rf"\b{one}\b" if one.isascii() else one
        if re.search(pattern, text):
            return re.sub(pattern, other, text, count=1)
    return text


def made_quiz(data: Path) -> Part:
    """By passages, and strictly by reference with another's answer added."""
    pairs = [one for one in made(data) if one.kind != "sign"]

    def judge(one: Made) -> bool:
        found = value("context_qa", one.sample)["context_qa"] == 1.0
        return found == one.label

    return Part(pairs, judge, by_kind(pairs, "quiz"))


def made_strict(data: Path) -> Part:
    pairs: list[Made] = []
    for row, answer, other, references in _dragonball(data):
        for text, label in ((answer, True), (f"{answer}\n{other}", False)):
            pairs.append(
                Made("strict", Sample(question=row["question"], answer=text, reference=tuple(references)), label)
            )
    return Part(
        pairs, lambda one: (value("qa", one.sample, strict=True)["qa"] == 1.0) == one.label, by_kind(pairs, "quiz")
    )


def made_turn(data: Path) -> Part:
    """Whether the turn judge puts the right answer above the changed ones, with the passages alone."""
    pairs = made(data)

    def figures(found: list[Any]) -> Figures:
        own, better = 0.0, dict[str, list[float]]()
        for one, mark in zip(pairs, found, strict=True):
            own = mark if one.kind == "own" else own
            if one.kind != "own":
                better.setdefault(one.kind, []).append((own > mark) + 0.5 * (own == mark))
        return {f"made turn {kind}": float(np.mean(wins)) for kind, wins in better.items()}

    return Part(
        pairs, lambda one: value("turn", one.sample.model_copy(update={"reference": ()}))["overall"] or 0.6, figures
    )


def by_kind(pairs: Sequence[Made], name: str) -> Callable[[list[Any]], Figures]:
    def figures(found: list[Any]) -> Figures:
        kinds = dict.fromkeys(one.kind for one in pairs)
        return {
            f"made {name} {kind}": float(np.mean([v for one, v in zip(pairs, found, strict=True) if one.kind == kind]))
            for kind in kinds
        }

    return figures


def customers(data: Path) -> Part:
    """Share of real customers' turns in which the judge of simulated users finds no fault (ASDC, Japanese)."""
    rows = lines(data / "asdc/dev.jsonl")

    def judge(row: dict[str, Any]) -> float:
        history = tuple(
            Message(role="user" if one["role"] == "user" else "assistant", text=one["text"]) for one in row["history"]
        )
        return (
            value("simulated_user", Sample(question=row["utterance"], answer="", history=history))["simulated_user"]
            or 0.0
        )

    return Part(rows, judge, lambda found: {"customers ok": float(np.mean(found))})


# The project's own cases


def stored(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / name).read_text("utf-8"))


def own_correctness() -> Part:
    cases = stored("correctness_cases.toml")
    rows = [
        (Sample(question=one["question"], answer=case[2], reference=tuple(one["reference"])), case[1])
        for scored in cases.values()
        for one in scored
        for case in one["cases"]
    ]
    return Part(rows, verdict_is, lambda found: {"own cases": float(found.count(False))}, own=True)


def own_facts() -> Part:
    facts = stored("correctness_facts.toml")
    rows = [
        (Sample(question=q, answer=a, reference=(r,)), label)
        for key, label in (("yes", "Yes"), ("no", "No"))
        for q, a, r in facts[key]
    ]
    return Part(rows, verdict_is, lambda found: {"own facts": float(found.count(False))}, own=True)


def verdict_is(item: tuple[Sample, str]) -> bool:
    return value("correctness", item[0])["correctness"] == float(item[1] == "Yes")


def own_bots() -> Part:
    """Handwritten answers to the bots' questions: the turn judge must put the right one above the wrong ones."""
    rows: list[tuple[str, Sample]] = []
    for bot in test_turn_judge_on_bots.BOTS:
        library = test_turn_judge_on_bots.load_library(bot)
        scenarios = {row.id: row for row in read_scenarios(load_bot(bot))}
        for name, answers in stored("judge_cases.toml").items():
            if name in scenarios:
                row = scenarios[name]
                contexts = tuple(f"{p.title} › {p.heading}\n{p.text}" for p in library.contexts(row))
                for kind, answer in answers.items():
                    fields = {
                        "question": row.question,
                        "answer": answer,
                        "contexts": contexts,
                        "kind": row.kind,
                        "intent": row.intent,
                    }
                    rows += [
                        (kind, Sample.model_validate({**fields, "reference": reference}))
                        for reference in ((row.reference,), ())
                    ]

    def figures(found: list[Any]) -> Figures:
        right, lost = [0.0, 0.0], 0
        for place, ((kind, _), mark) in enumerate(zip(rows, found, strict=True)):
            right[place % 2] = mark if kind == "right" else right[place % 2]
            lost += kind != "right" and mark >= right[place % 2]
        return {"own bots": float(lost)}

    return Part(rows, lambda item: value("turn", item[1])["overall"] or 0.6, figures, own=True)


def own_hostile() -> Part:
    """Wrong answers with words to the judge, in either order, and these words alone, for every judge that looks at the answer."""
    of = test_prompt_injection
    judges = [one for one in of.JUDGES if one.name not in of.MEASURES | of.BLIND and "criteria:" not in one.name]
    rows = []
    for judge in judges:
        for name, attack in of.ATTACKS.items():
            language = "ja" if name.startswith("ja") else "en"
            wrongs = (of.INVALID[language],) if judge.name == "simulated_user" else of.WRONG[language]
            rows += [
                (judge, language, wrong, text)
                for wrong in wrongs
                for text in (f"{wrong}\n{attack}", f"{attack}\n{wrong}")
            ]
            rows.append((judge, language, "", attack))

    def gains(item: tuple[Any, Any, str, str]) -> bool:
        judge, language, wrong, text = item
        how = JudgeOptions(language=language)
        before = (
            {one.criterion: one for one in judge_one(ENGINE, judge, of.sample_of(judge, language, wrong), how)}
            if wrong
            else {}
        )
        for one in judge_one(ENGINE, judge, of.sample_of(judge, language, text), how):
            hostile, least = of.worth(judge, one), of.worth(judge, before[one.criterion]) if wrong else None
            least = of.floor(judge, one.criterion) - (0.0 if wrong else 2e-9) if least is None else least
            if hostile is not None and hostile > least + of.TOLERANCE and (wrong or one.criterion not in of.MANNER):
                return True
        return False

    return Part(rows, gains, lambda found: {"own hostile": float(found.count(True))}, own=True)


def own_users() -> Part:
    cases = test_simulated_user_judge.STORED["cases"]

    def judge(case: dict[str, str]) -> bool:
        tag = test_simulated_user_judge.OTHER_FAULT.get(case["turn"], case["tag"])
        return test_simulated_user_judge.judged(test_simulated_user_judge.sample_of(case)).label == (
            "ok" if tag == "ok" else f"invalid:{tag}"
        )

    return Part(cases, judge, lambda found: {"own users": float(found.count(False))}, own=True)


def alone(rows: list[Row], measured: tuple[list[str], Any]) -> Figures:
    """Agreement of the fitted model without the rules around it, on questions it has not seen."""
    return agreement(rows, fit_correctness.verdicts(measured, fit_correctness.held_out(rows, measured)))


def parts(data: Path, every: int) -> dict[str, Part]:
    return {
        "correctness": correctness(data, every), "ragtruth": ragtruth(data), "mtrag": mtrag(data), "keypoints": keypoints(data),
        "relevance": relevance(data), "sufficiency": sufficiency(data), "made correctness": made_correctness(data),
        "made grounding": made_grounding(data), "made quiz": made_quiz(data), "made strict": made_strict(data),
        "made turn": made_turn(data), "customers": customers(data), "own cases": own_correctness(), "own facts": own_facts(),
        "own bots": own_bots(), "own hostile": own_hostile(), "own users": own_users(),
    }  # fmt: skip
