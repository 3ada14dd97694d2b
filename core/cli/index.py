"""`index`: build a bot's index, or bring it up to date."""

from __future__ import annotations

import argparse
import json
import sys
import time

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.cli.options import first_of
from core.cli.output import show_count
from core.documents.document_checks import DocumentProblem, document_problems
from core.documents.documents import ENDINGS_TEXT, read_documents, skipped_files
from core.documents.example_questions import ExampleQuestion, read_example_questions
from core.retrieval.example_index import sort_examples
from core.retrieval.index_cache import Indexes

_REMARKS = {
    "no_headings": (
        "Documents without headings, of which a reply can only quote pieces ({n}): {places}. Write a heading above each "
        "subject (docs/bots.md says what counts as one)."
    ),
    "long_section": (
        "Sections that were too long and were cut into several passages ({n}): {places}. Put more headings into them."
    ),
    "weak_heading": (
        "Headings that say nothing alone, as a choice or in a search ({n}): {places}. Name what they are about."
    ),
}


def run(arguments: argparse.Namespace) -> int:
    """Build the index, and say which documents it leaves out and why, and what could be mended in the others; raises
    BadInput for a bot without any text."""
    bot = load_bot(arguments.bot)
    start = time.perf_counter()
    built = Indexes().get(bot, show_count, arguments.rebuild)
    omitted = skipped_files(bot)
    for one in omitted:
        print(f"left out: {one.why}", file=sys.stderr)
    examples, documents = read_example_questions(bot), read_documents(bot)
    counts = {
        "bot": bot.id,
        "documents": len(documents),
        "passages": len(built.passages),
        "example_questions": len(examples),
    }
    seconds = round(time.perf_counter() - start, 2)
    if not built.passages:
        raise BadInput(
            f"{bot.id} has no text to search ({len(documents)} documents). Add {ENDINGS_TEXT} files with text to its "
            "documents folder and try again.",
            "no_text",
            bot=bot.id,
        )
    full = {passage.document for passage in built.passages}
    _warn_of_empty([document.name for document in documents if document.name not in full])
    _warn_of_lost(sort_examples(examples, built.passages).lost)
    remarks = document_problems(built.passages)
    _show_remarks(remarks)
    if arguments.json:
        left_out, to_mend = [str(one.why) for one in omitted], [remark._asdict() for remark in remarks]
        found = {**counts, "left_out": left_out, "remarks": to_mend, "seconds": seconds}
        print(json.dumps(found, ensure_ascii=False))
    else:
        found = f"{len(documents)} documents, {len(built.passages)} passages, {len(examples)} example questions"
        print(f"{bot.id}: {found}, {seconds:.1f} s")
    return 0


def _warn_of_empty(names: list[str]) -> None:
    if not names:
        return
    of = "1 document holds" if len(names) == 1 else f"{len(names)} documents hold"
    warning = f"{of} no text and cannot be found: {first_of(names)}. Write something into them, or delete them."
    print(warning, file=sys.stderr)


def _warn_of_lost(examples: list[ExampleQuestion]) -> None:
    if examples:
        problem = "example questions name a section that the documents do not have, and are not used; the first"
        place = f"{examples[0].document}, {examples[0].heading!r}"
        to_do = "Correct the document or heading in example_questions.csv."
        print(f"{len(examples)} {problem}: {place}. {to_do}", file=sys.stderr)


def _show_remarks(remarks: list[DocumentProblem]) -> None:
    """What could be mended, one line for each kind."""
    for kind, sentence in _REMARKS.items():
        if places := [remark.place for remark in remarks if remark.kind == kind]:
            print(sentence.format(n=len(places), places=first_of(places)), file=sys.stderr)
