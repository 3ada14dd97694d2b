"""Recall, EIR and precision of BM25 on DRAGONBall, as the judge `retrieval` reports them.

    python -m benchmarks.dragonball --data DIR

DIR holds dragonball/ with dev.jsonl, docs_en.jsonl and docs_zh.jsonl (RAGEval, Zhu et al. 2024; CC BY-NC-SA 4.0, for
measuring alone). Passages of whole sentences up to 512 tokens, top 5, all documents of a language as the corpus.
Published for BM25: recall .807 zh, .662 en. Tokens are counted as `count_tokens` says; RAGEval's tokenizer is not here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines
from core.base.types import Sample
from core.datasets.seed_document.formats import ImportedTestSet, read_rageval
from core.judges.base import JudgeOptions, judge_one
from core.judges.retrieval.retrieval import CRITERIA, JUDGE
from core.llm.embedded import EmbeddedEngine
from core.retrieval.lexical import Lexical
from core.text.language import sentences

_HAN, _WORD, _OTHER = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[A-Za-z]+"), re.compile(r"\d+|[^\w\s]")
TOKENS_OF_HAN, TOKENS_OF_WORD = 0.625, 1.3  # what tokenizers of large language models make of a character and of a word
PUBLISHED = {"zh": 0.807, "en": 0.662}


def main() -> None:
    """Print the means by language and kind."""
    arguments = argument_parser(__doc__, "--data")
    arguments.add_argument("--tokens", type=int, default=512)
    arguments.add_argument("--top", type=int, default=5)
    options = arguments.parse_args()
    folder = options.data / "dragonball"
    questions = read_rageval("dev.jsonl", (folder / "dev.jsonl").read_bytes()) if folder.is_dir() else None
    if questions is None:
        raise SystemExit(f"{folder} is not there: give --data the folder that holds dragonball/.")
    languages = {row["id"]: row["lang"] for row in lines(folder / "dev.jsonl")}
    for language in ("zh", "en"):
        documents = read_rageval(f"docs_{language}.jsonl", (folder / f"docs_{language}.jsonl").read_bytes())
        report(language, questions, documents, languages, options.tokens, options.top)


def report(
    language: str,
    questions: ImportedTestSet,
    documents: ImportedTestSet,
    languages: dict[str, Any],
    tokens: int,
    top: int,
) -> None:
    """One line for all kinds, one for each."""
    passages = [part for document in documents.documents for part in cut(document.text, tokens)]
    lexical = Lexical(passages, "zh" if language == "zh" else "en")
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    unscored = 0
    for item in questions.items:
        if languages[item.id] != language:
            continue
        scores = lexical.scores(item.question)
        best = sorted(range(len(passages)), key=lambda place: -float(scores[place]))[:top]
        sample = Sample(
            question=item.question,
            answer=item.answer,
            contexts=tuple(passages[place] for place in best),
            evidence=tuple(source.text for source in item.evidence if source.text.strip()),
        )
        found = judge_one(EmbeddedEngine(), JUDGE, sample, JudgeOptions(language="en"))
        if any(score.value is None for score in found):
            unscored += 1
            continue
        for score in found:
            for group in ("all", item.kind):
                values[group][score.criterion].append(score.value or 0.0)
    print(f"\n{language}: {len(passages)} passages; published recall {PUBLISHED[language]}; not scored: {unscored}")
    for group, by_name in values.items():
        means = "  ".join(f"{name} {sum(by_name[name]) / len(by_name[name]):.3f}" for name in CRITERIA)
        print(f"  {group:14} n={len(by_name['recall']):3} {means}", flush=True)


def cut(text: str, tokens: int) -> list[str]:
    """Passages of whole sentences, as long as they may be."""
    found, size, part = list[str](), 0.0, ""
    for sentence in sentences(text):
        length = count_tokens(sentence)
        if part and size + length > tokens:
            found.append(part)
            size, part = 0.0, ""
        size, part = size + length, part + sentence
    return [*found, part] if part.strip() else found


def count_tokens(text: str) -> float:
    """About how many tokens a language model's tokenizer would make of a text."""
    return (
        len(_HAN.findall(text)) * TOKENS_OF_HAN + len(_WORD.findall(text)) * TOKENS_OF_WORD + len(_OTHER.findall(text))
    )


if __name__ == "__main__":
    main()
