"""What benchmarks.same_results gives to the command line: messages, conversations, searches, and answers to judge."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.judges_data import lines

Json = dict[str, Any]
BOTS = ("hinata", "minato", "harbor")
OWN = tomllib.loads(Path(__file__).with_name("same_results.toml").read_text("utf-8"))
SAMPLE = 150  # rows of each public data set
QUICK_SAMPLE = 12
QUICK_CASES = 40  # rows of each file of the tests' cases
BY_REFERENCE = (
    "correctness", "qa", "cot_qa", "string_distance", "embedding_distance", "similarity", "labeled_criteria:correctness",
)  # fmt: skip
BY_PASSAGES = (
    "groundedness",
    "sufficiency",
    "relevance",
    "context_qa",
    "turn",
    "criteria:coherence",
    "criteria:relevance",
)
NEEDING_MODEL = ("five_star", "five_point", "criteria:helpfulness", "labeled_criteria:conciseness")


def conversation(lines: Iterable[str]) -> list[Json]:
    """Messages from lines such as `user: Hello`."""
    return [{"role": role, "text": text} for role, text in (line.split(": ", 1) for line in lines)]


def every(rows: Sequence[Any], count: int) -> list[Any]:
    """So many rows, spread over all of them."""
    return [rows[place * len(rows) // count] for place in range(count)] if len(rows) > count else list(rows)


def write_jsonl(file: Path, rows: Iterable[Json]) -> None:
    """Write rows as JSON Lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def turn_inputs(checkout: Path, data: Path | None, is_short: bool) -> dict[str, list[Json]]:
    """Input files by name: what is assessed, rewritten and searched for, and a corpus."""
    found: dict[str, list[Json]] = {}
    talks = [(one["bot"], conversation(one["messages"])) for one in OWN["conversations"]]
    for bot in BOTS:
        own = [{"id": f"own {number}", "text": text} for number, text in enumerate(OWN["messages"][bot])]
        histories = [{"id": f"talk {n}", "messages": said} for n, (whose, said) in enumerate(talks) if whose == bot]
        found[f"assess-{bot}"] = own + histories
        found[f"queries-{bot}"] = [{"id": row["id"], "query": row["text"]} for row in own]
    everything = [row for bot in BOTS for row in found[f"assess-{bot}"]]
    found["assess"] = [{**row, "id": number} for number, row in enumerate(everything)]
    found["rewrite"] = [{"id": f"talk {n}", "messages": said} for n, (_, said) in enumerate(talks)]
    found["corpus"] = [
        {"id": f"{bot}/{file.name}", "title": file.stem, "text": file.read_text("utf-8")}
        for bot in BOTS
        for file in sorted((checkout / "knowledge" / bot / "documents").glob("*.md"))
    ]
    found["queries"] = [{"id": n, "query": row["text"]} for n, row in enumerate(everything) if "text" in row]
    if data:
        _add_public_turns(found, data, QUICK_SAMPLE * 2 if is_short else SAMPLE)
    return found


def _add_public_turns(found: dict[str, list[Json]], data: Path, count: int) -> None:
    natural = lines(data / "natural/dev.jsonl")
    for bot in BOTS:
        found[f"assess-{bot}"] += [{"id": r["id"], "text": r["text"]} for r in every(natural, count) if r["bot"] == bot]
    requests = [(r["id"], r["request"]) for r in every(lines(data / "clariq/dev.jsonl"), count)]
    requests += [(r["id"], r["question"]) for r in every(lines(data / "ambignq/dev.jsonl"), count)]
    requests += [(r["id"], r["query"]) for r in every(lines(data / "localgovfaq/dev.jsonl"), count)]
    found["assess"] += [{"id": name, "text": text} for name, text in requests]
    for name, last in (("asdc", "utterance"), ("mtrag", "question"), ("mtrag_un", "question")):
        found["rewrite"] += [
            {"id": r["id"], "messages": [*r["history"], {"role": "user", "text": r[last]}]}
            for r in every(lines(data / name / "dev.jsonl"), count)
        ]


def judged_rows(checkout: Path, data: Path | None, is_short: bool) -> dict[str, tuple[tuple[str, ...], list[Json]]]:
    """Judges and the answers they score, by name of the file: the cases of the tests, and samples of public data."""
    cases, sample = (QUICK_CASES, QUICK_SAMPLE) if is_short else (10**6, SAMPLE)
    tests = {file.stem: tomllib.loads(file.read_text("utf-8")) for file in (checkout / "tests").rglob("*.toml")}
    short = _correctness_cases(tests["correctness_cases"]) + _fact_cases(tests["correctness_facts"])
    bots = _bot_cases(checkout, tests["judge_cases"])
    found: dict[str, tuple[tuple[str, ...], list[Json]]] = {
        "short": ((*BY_REFERENCE, "turn", "relevance", "criteria:coherence"), every(_numbered(short), cases)),
        "bots": ((*BY_REFERENCE, *BY_PASSAGES, "retrieval", "keypoints"), every(_numbered(bots), cases)),
        "hostile": ((*BY_REFERENCE, *BY_PASSAGES), every(_numbered(_hostile_cases(bots, tests["hostile"])), cases)),
        "users": (("simulated_user",), every(_numbered(_user_cases(tests["user_cases"])), cases)),
        "needing-model": (NEEDING_MODEL, every(_numbered(bots), 5)),
        "lacking": ((*BY_REFERENCE, *BY_PASSAGES, "retrieval", "keypoints", "simulated_user"), _lacking()),
    }
    if data:
        found |= {f"data-{name}": (judges, rows) for name, (judges, rows) in _public(data, sample).items()}
    return found


def _numbered(rows: Iterable[Json]) -> list[Json]:
    return [{"id": number, **row} for number, row in enumerate(rows)]


def _correctness_cases(cases: Json) -> list[Json]:
    return [
        {"question": one["question"], "reference": one["reference"], "answer": answer}
        for language in cases.values()
        for one in language
        for _, _, answer in one["cases"]
    ]


def _fact_cases(cases: Json) -> list[Json]:
    rows = [row for listed in cases.values() for row in listed]
    return [{"question": question, "answer": answer, "reference": reference} for question, answer, reference in rows]


def _bot_cases(checkout: Path, cases: Json) -> list[Json]:
    """Answers to questions of the bundled bots, with three sections of their documents nearest to the reference."""
    rows: list[Json] = []
    for bot in BOTS:
        with (checkout / "knowledge" / bot / "questions.csv").open(encoding="utf-8-sig", newline="") as file:
            scenarios = {row["id"]: row for row in csv.DictReader(file)}
        sections = [
            part
            for file in sorted((checkout / "knowledge" / bot / "documents").glob("*.md"))
            for part in re.split(r"^##? ", file.read_text("utf-8"), flags=re.MULTILINE)
            if part.strip()
        ]
        for name, answers in cases.items():
            if name in scenarios:
                about = _about(scenarios[name], sections)
                rows += [{**about, "answer": answer} for answer in answers.values() if isinstance(answer, str)]
    return rows


def _about(scenario: dict[str, str], sections: Sequence[str]) -> Json:
    reference = scenario["reference"]
    near = sorted(sections, key=lambda text: -len(_pairs(reference) & _pairs(text)))[:3]
    return {
        "question": scenario["question"],
        "intent": scenario["intent"],
        "facts": scenario["facts"],
        "kind": scenario["kind"],
        "reference": reference,
        "contexts": near,
        "references": [part for part in re.split(r"(?<=[。.])\s*", reference) if part],
        "keypoints": [f"{n}. {part}" for n, part in enumerate(re.split(r"(?<=[。.])\s*", reference), 1) if part],
    }


def _pairs(text: str) -> set[str]:
    return {text[place : place + 2] for place in range(len(text) - 1)}


def _hostile_cases(bots: Sequence[Json], cases: Json) -> list[Json]:
    """Answers that say something to their judge, alone and after a wrong answer."""
    rows: list[Json] = []
    for language, said in cases.items():
        own = [row for row in bots if (re.search(r"[ぁ-ん]", row["question"]) is not None) == (language == "ja")]
        asked = every(own, 2)
        rows += [
            {**row, "answer": answer}
            for row in asked
            for text in said.values()
            if isinstance(text, str)
            for answer in (text, f"{row['answer']}\n{text}")
        ]
    return rows


def _user_cases(cases: Json) -> list[Json]:
    scenes = {scene["id"]: scene for scene in cases["scenes"]}
    return [
        {
            "question": case["turn"],
            "answer": "",
            "history": conversation([f"user: {scene['opening']}", f"assistant: {scene['bot']}"]),
            **{key: scene[key] for key in ("persona", "intent", "facts")},
        }
        for case in cases["cases"]
        for scene in (scenes[case["scene"]],)
    ]


def _lacking() -> list[Json]:
    """Answers around which something is missing, empty or odd."""
    return _numbered(
        [
            {"question": "返品は何日以内ですか", "answer": "14日以内です。"},
            {"question": "返品は何日以内ですか", "answer": ""},
            {"question": "", "answer": "14日以内です。", "reference": "14日以内"},
            {"question": "Can I return it?", "answer": "Yes.", "contexts": ["Returns are accepted within 14 days."]},
            {"question": "Can I return it?", "answer": "Yes.", "reference": ["Yes", "within 14 days"], "contexts": []},
            {"question": "你们几点关门？", "answer": "晚上九点。", "reference": "21点", "contexts": ["营业时间：9点至21点。"]},
            {"question": "🤔", "answer": "🙂", "reference": "🙂", "contexts": ["🙂"]},
            {"question": "どちらのプランですか", "answer": "どのプランをお使いですか。", "asked_back": True, "needs_asking": True,
             "reference": "月額980円です。", "kind": "vague", "intent": "料金を知りたい"},
        ]
    )  # fmt: skip


def _public(data: Path, count: int) -> dict[str, tuple[tuple[str, ...], list[Json]]]:
    found: dict[str, tuple[tuple[str, ...], list[Json]]] = {
        name: (
            BY_REFERENCE,
            [_picked(row, "id", "question", "answer", "reference") for row in every(_set(data, name), count)],
        )
        for name in ("evouna", "nq301_human", "answer_equivalence")
    }
    found["ragtruth_qa"] = (
        BY_PASSAGES,
        [
            {
                **_picked(row, "id", "question", "answer"),
                "contexts": [part for part in re.split(r"passage \d+:", row["context"]) if part.strip()],
            }
            for row in every(_set(data, "ragtruth_qa"), count)
        ],
    )
    found["mtrag_human_eval"] = (
        (*BY_PASSAGES, "correctness", "qa"),
        [
            {**_picked(row, "id", "question", "answer", "history", "contexts"), "reference": row["reference_answer"]}
            for row in every(_set(data, "mtrag_human_eval"), count)
        ],
    )
    found["dragonball"] = ("keypoints", "retrieval", "correctness"), _dragonball(data, count)
    found["jsquad"] = (*BY_PASSAGES, *BY_REFERENCE), _jsquad(data, count)
    return found


def _set(data: Path, name: str) -> list[Json]:
    return lines(data / name / "dev.jsonl")


def _picked(row: Json, *names: str) -> Json:
    return {name: row[name] for name in names}


def _dragonball(data: Path, count: int) -> list[Json]:
    """The reference as the answer, or (every second) another question's; contexts: pieces of its documents."""
    texts = {
        (language, row["doc_id"]): row["content"]
        for language in ("en", "zh")
        for row in lines(data / f"dragonball/docs_{language}.jsonl")
    }
    rows = every(_set(data, "dragonball"), count)
    return [
        {
            **_picked(row, "id", "question", "references", "keypoints"),
            "answer": row["answer"] if number % 2 else rows[number - 1]["answer"],
            "reference": row["answer"],
            "contexts": [
                piece
                for name in row["doc_ids"]
                for piece in texts.get((row["lang"], name), "").split("\n")[: 3 + number % 4]
                if piece.strip()
            ],
        }
        for number, row in enumerate(rows)
    ]


def _jsquad(data: Path, count: int) -> list[Json]:
    """The right answer, or (every third) another question's; own paragraphs, or (every fourth) another's."""
    texts = {row["id"]: row["text"] for row in lines(data / "jsquad/corpus.jsonl")}
    rows = every(_set(data, "jsquad"), count)
    return [
        {
            **_picked(row, "id", "question"),
            "answer": (row if number % 3 else rows[number - 1])["answers"][0],
            "reference": row["answers"],
            "contexts": [texts[name] for name in (row if number % 4 else rows[number - 1])["gold_paragraph_ids"]],
        }
        for number, row in enumerate(rows)
    ]
