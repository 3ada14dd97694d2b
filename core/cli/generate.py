"""`generate`: questions straight from a bot's documents, or a whole test set modelled on a seed document."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from core.base.call_context import in_context
from core.base.errors import BadInput
from core.base.files import read_bytes, write_text
from core.base.unused_name import unused_name
from core.cli.json_lines import write_rows
from core.cli.options import engine_of, load_checked_bot, warn_of_left_out
from core.cli.parser import DEFAULT_DOCUMENTS, DEFAULT_QUESTIONS
from core.datasets.dataset_jobs import questions_of_bot
from core.datasets.document_questions.generate import DocumentQuestionOptions, QuestionSet
from core.datasets.seed_document.dataset import Dataset, Manifest
from core.datasets.seed_document.formats import item_rows, rageval_documents, rageval_rows
from core.datasets.seed_document.review import usable_items
from core.datasets.seed_document.steps import run_steps
from core.documents.documents import ENDINGS, ENDINGS_TEXT, Document, document_text, foreign_file
from core.simulation.scenarios import scenarios_csv
from core.text.language import script


def run(arguments: argparse.Namespace) -> int:
    """Write the test set and print how many questions of each kind there are."""
    return _from_bot(arguments) if arguments.bot else _from_seed_document(arguments)


def _from_seed_document(arguments: argparse.Namespace) -> int:
    """Make the test set, or go on with one that was stopped; the schema counts as approved by the command line."""
    engine, folder = engine_of(arguments), Path(arguments.output)
    document = _read_seed_document(Path(arguments.seed_documents))
    language = arguments.language or ("en" if script(document.text) == "en" else "ja")
    manifest = Manifest(
        name=folder.name, language=language, seed=arguments.seed, documents=arguments.count or DEFAULT_DOCUMENTS
    )
    is_new = not (folder / "manifest.json").exists()
    if not is_new:
        dataset = Dataset(folder)
        if dataset.manifest.model_copy(update={"approval": None}) != manifest or not dataset.is_seed(document):
            message = f"{folder} has another test set. Give another folder, or the same options to go on with it."
            raise BadInput(message, "dataset_exists", name=folder.name)
    else:
        dataset = Dataset.create(folder, manifest, document)
    with in_context(cache=not arguments.no_cache):
        run_steps(engine, dataset, "schema")
        _check_facts(dataset, document, folder if is_new else None)
        if not dataset.is_approved():
            dataset.approve("python -m core generate")
        made = run_steps(engine, dataset)
    items = usable_items(dataset)
    _write_questions(folder / "questions.csv", scenarios_csv(item.scenario() for item in items))
    write_rows(str(folder / "items.jsonl"), item_rows(items))
    write_rows(str(folder / "rageval.jsonl"), rageval_rows(items, language, folder.name))
    write_rows(str(folder / "rageval_documents.jsonl"), rageval_documents(dataset))
    print(_test_set_summary(dataset, made), file=sys.stderr)
    return 0


def _write_questions(file: Path, text: str) -> None:
    """Write the questions; a file with others, which may have been edited by hand, stays under another name."""
    if file.is_file() and read_bytes(file) != text.encode():
        used = {path.stem for path in file.parent.glob("*.csv")}
        before = file.with_stem(unused_name(file.stem, used, "-{}"))
        file.rename(before)
        print(f"{file.name} had other questions; they are now in {before.name}.", file=sys.stderr)
    write_text(file, text)


def _check_facts(dataset: Dataset, document: Document, made: Path | None) -> None:
    """Raises BadInput (`no_facts`) if the seed document gave no fields; what was `made` for it goes, so that another one can be tried."""
    schema = dataset.schema()
    if schema is None or schema.fields:
        return
    if made is not None:
        for file in (made / "manifest.json", made / "schema.jsonl", *(made / "seeds").iterdir()):
            file.unlink(missing_ok=True)
    message = f"{document.name} states no facts to ask for, such as names, dates or amounts. Give a document that does."
    raise BadInput(message, "no_facts", file=document.name)


def _read_seed_document(place: Path) -> Document:
    """The seed document; raises BadInput if there is none that can be read, or more than one."""
    try:
        listed = [place] if place.is_file() else sorted(place.iterdir())
        files = [path for path in listed if path.suffix.lower() in ENDINGS and path.is_file()]
        documents = [Document(path.name, document_text(path.name, path.read_bytes())) for path in files]
    except OSError as error:
        raise BadInput(
            f"{place} cannot be read ({error.strerror}). Give the path of a folder or file.", "no_file"
        ) from error
    if not documents and place.is_file():
        raise foreign_file(place.name)
    if not documents:
        raise BadInput(f"{place} has no {ENDINGS_TEXT} file. Put a seed document there.", "no_seed")
    if len(documents) > 1:
        names = ", ".join(document.name for document in documents)
        message = f"{place} has {len(documents)} documents ({names}); a test set is modelled on one. Give its path."
        raise BadInput(message, "several_seeds", names=names)
    return documents[0]


def _test_set_summary(dataset: Dataset, made: int) -> str:
    """What there is now, and what a person should look at."""
    kinds = _counts(item.kind for item in dataset.items())
    missing = sum(len(document.missing) for document in dataset.documents())
    flags = _counts(flag for quality in dataset.qualities().values() for flag in quality.flags)
    lines = [f"{len(dataset.documents())} documents, {len(dataset.items())} questions: {kinds}; {made} things made now"]
    lines += [f"values missing in documents: {missing}"] if missing else []
    lines += [f"flagged: {flags}"] if flags else []
    return "\n".join(lines)


def _counts(names: Iterable[str]) -> str:
    """How many there are of each name, in one line."""
    return ", ".join(f"{name} {n}" for name, n in Counter(names).items())


def _from_bot(arguments: argparse.Namespace) -> int:
    engine, bot = engine_of(arguments), load_checked_bot(arguments.bot)
    warn_of_left_out(bot)
    size = arguments.count or DEFAULT_QUESTIONS
    options = DocumentQuestionOptions(count=size, seed=arguments.seed, language=arguments.language or bot.language)
    with in_context(cache=not arguments.no_cache, prompts=bot.prompts):
        questions = questions_of_bot(engine, bot, options)
    if arguments.output.endswith(".csv"):
        write_text(Path(arguments.output), scenarios_csv(item.scenario() for item in questions.items))
    else:
        write_rows(arguments.output, (item.model_dump(mode="json", exclude_defaults=True) for item in questions.items))
    print(_questions_summary(questions, size), file=sys.stderr)
    return 0


def _questions_summary(questions: QuestionSet, count: int) -> str:
    kinds = _counts(item.kind for item in questions.items)
    reasons = _counts(question.why for question in questions.dropped)
    fewer = "" if len(questions.items) >= count else f" ({count} were asked for; the documents give no more)"
    return f"{len(questions.items)} questions{fewer}: {kinds or 'none'}" + (f"; dropped: {reasons}" if reasons else "")
