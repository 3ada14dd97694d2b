"""What holds for generated test sets, counted: `python -m benchmarks.test_sets` (both examples, 20 documents each).

All evidence an exact part of its document, every answer supported, every value of a configuration in its document,
every unanswerable question without an answer, all seven kinds, keypoints traced, same seed same set, and going on after
a stop gives the same set.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections import Counter
from pathlib import Path

from core.base.errors import Stopped
from core.datasets.items import KINDS
from core.datasets.seed_document.configurations import broken_rules, contradictions
from core.datasets.seed_document.dataset import Dataset, Manifest
from core.datasets.seed_document.steps import plans_of, run_steps, states
from core.datasets.seed_document.wording import unsupported_figures
from core.datasets.seed_document.written_documents import says
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine
from core.simulation.scenarios import parse_scenarios, scenarios_csv

EXAMPLES = Path("core/datasets/examples")


def main() -> None:
    """Make both test sets and print what holds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--documents", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    for language in ("ja", "en"):
        with tempfile.TemporaryDirectory() as place:
            report(language, Path(place), arguments.documents, arguments.seed)


def report(language: str, place: Path, documents: int, seed: int) -> None:
    """Print one line for each property."""
    dataset = made(language, place / "one", documents, seed)
    items, texts = dataset.items(), {one.name: one.text for one in dataset.documents()}
    print(f"\n{language}: {len(texts)} documents, {len(items)} questions, seed {seed}")
    kinds = Counter(item.kind for item in items)
    line("kinds of question", len([kind for kind in KINDS if kinds[kind]]), len(KINDS))
    sources = [source for item in items for source in item.evidence]
    line("evidence exact", sum(source.text in texts[source.document] for source in sources), len(sources))
    line("answers supported", sum(supported(dataset, item.id) for item in items), len(items))
    schema = dataset.checked_schema()
    values = [
        (one.name, configuration.values[field.name])
        for one, configuration in zip(dataset.documents(), dataset.configurations(), strict=True)
        for field in schema.fields
        if field.name != one.left_out
    ]
    line("values present", sum(value in texts[name] for name, value in values), len(values))
    absent = [item for item in items if item.kind == "unanswerable"]
    by_name = {one.name: one for one in dataset.documents()}
    good = sum(not says(by_name[item.documents[0]], schema.field(item.fields[0]), schema.language) for item in absent)
    line("unanswerable absent", good, len(absent))
    points = [(item, point) for item in items for point in item.keypoints]
    traced = sum(bool(point.field) and (bool(point.sentence) or item.kind == "unanswerable") for item, point in points)
    line("keypoints traced", traced, len(points))
    line(
        "configurations keep the rules",
        sum(not broken_rules(schema, one.values) for one in dataset.configurations()),
        documents,
    )
    print(f"  contradictions between documents: {len(contradictions(schema, dataset.configurations()))}")
    print(f"  flagged: {dict(Counter(flag for one in dataset.qualities().values() for flag in one.flags))}")
    scenarios = [item.scenario() for item in items]
    line("rows of questions.csv read back", sum(a == b for a, b in zip(parse_scenarios(scenarios_csv(scenarios)), scenarios, strict=True)), len(items))  # fmt: skip
    second = made(language, place / "two", documents, seed)
    print(f"  same seed, same set: {second.items() == items}")
    stopped = made(language, place / "three", documents, seed, stop_after=100)
    left = sum(state.total - state.done for state in states(stopped))
    run_steps(EmbeddedEngine(), stopped)
    print(f"  stopped after 100 things and gone on: {stopped.items() == items} ({left} of the step were left)")


def made(language: str, folder: Path, documents: int, seed: int, stop_after: int = 0) -> Dataset:
    """A test set after the bundled example; stop_after: ended by a stop once so many things were made."""
    seed_file = next((EXAMPLES / language).glob("*.md"))
    manifest = Manifest.model_validate({"name": "example", "language": language, "seed": seed, "documents": documents})
    dataset = Dataset.create(folder, manifest, Document(seed_file.name, seed_file.read_text("utf-8")))
    run_steps(EmbeddedEngine(), dataset, "schema")
    dataset.approve("benchmark")

    def stop_at(done: int) -> None:
        if stop_after and done >= stop_after:
            raise Stopped("enough", "stopped")

    with contextlib.suppress(Stopped):
        run_steps(EmbeddedEngine(), dataset, report_progress=stop_at)
    return dataset


def supported(dataset: Dataset, key: str) -> bool:
    """Whether each figure of an answer stands in its evidence, in its question or is worked out from them."""
    item = next(one for one in dataset.items() if one.id == key)
    plan = next(one for one in plans_of(dataset) if one.id == key)
    known = " ".join([item.question, plan.result, plan.subject, *(source.text for source in item.evidence)])
    known += " ".join(fact.subject for fact in plan.facts)
    return not unsupported_figures(item.answer, known)


def line(name: str, good: int, of: int) -> None:
    """Print a count."""
    print(f"  {name}: {good} of {of}")


if __name__ == "__main__":
    main()
