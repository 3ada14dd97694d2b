"""Measure search: recall of all signals together, and of the words alone, on public data.

    python -m benchmarks.search --data DIR

DIR holds localgovfaq/, jsquad/ and squad2/ (JSON Lines with corpus.jsonl and dev.jsonl).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines
from core.documents.documents import Document
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

Query = tuple[str, list[str]]


def main() -> None:
    folder = argument_parser(__doc__, "--data").parse_args().data
    if not (folder / "squad2").is_dir():
        raise SystemExit(f"{folder} holds no squad2/: give the folder with localgovfaq/, jsquad/ and squad2/.")
    with tempfile.TemporaryDirectory() as scratch:
        indexes = Indexes(Path(scratch))
        for name, load in (("localgovfaq", localgovfaq), ("jsquad", jsquad), ("squad2", squad2)):
            documents, queries = load(folder / name)
            report(name, "all signals", indexes.of_documents(name, documents), queries)
            by_words = indexes.of_documents(name, documents)
            by_words.weights = {"words": 1.0}
            report(name, "words alone", by_words, queries)


def localgovfaq(folder: Path) -> tuple[list[Document], list[Query]]:
    corpus = [Document(r["id"], f"{r['question']}\n{r['answer']}") for r in lines(folder / "corpus.jsonl")]
    return corpus, [(r["query"], list(r["qrels"])) for r in lines(folder / "dev.jsonl")]


def jsquad(folder: Path) -> tuple[list[Document], list[Query]]:
    return paragraphs(folder), [(r["question"], r["gold_paragraph_ids"]) for r in lines(folder / "dev.jsonl")]


def squad2(folder: Path) -> tuple[list[Document], list[Query]]:
    return paragraphs(folder), [(r["question"], [r["paragraph_id"]]) for r in lines(folder / "dev.jsonl")]


def paragraphs(folder: Path) -> list[Document]:
    return [Document(r["id"], f"{r['title']}\n{r['text']}") for r in lines(folder / "corpus.jsonl")]


def report(name: str, label: str, index: Index, queries: list[Query]) -> None:
    found = [(documents(index, query), wanted) for query, wanted in queries]
    first = np.mean([got[:1] != [] and got[0] in wanted for got, wanted in found])
    tenth = np.mean([len(set(got) & set(wanted)) / len(wanted) for got, wanted in found])
    print(f"{name:12} {label:12} n={len(queries)} R@1 {first:.3f} R@10 {tenth:.3f}", flush=True)


def documents(index: Index, query: str) -> list[str]:
    return list(dict.fromkeys(hit.passage.document for hit in index.search(query, 30)))[:10]


if __name__ == "__main__":
    main()
