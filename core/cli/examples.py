"""`examples`: have a language model write example questions for the sections of a bot's documents."""

from __future__ import annotations

import argparse
import json
import sys

from core.base.call_context import in_context
from core.base.errors import BadInput, no_usable_reply
from core.base.prompt import NeedsModel
from core.cli.options import engine_of, load_checked_bot
from core.cli.output import show_count
from core.datasets.write_example_questions import WritingResult, batches_of, write_examples
from core.documents.documents import ENDINGS_TEXT, read_documents
from core.documents.example_questions import copy_example_questions, read_example_questions


def run(arguments: argparse.Namespace) -> int:
    """Write them into the bot's example_questions.csv and print the counts; raises BadInput without documents or a model."""
    engine, bot = engine_of(arguments), load_checked_bot(arguments.bot)
    documents = read_documents(bot)
    if not documents:
        raise BadInput(
            f"{bot.id} has no documents. Put {ENDINGS_TEXT} files into its folder documents.", "no_documents"
        )
    batches = batches_of(documents, read_example_questions(bot), arguments.redo, arguments.limit)
    total = sum(len(batch.sections) for batch in batches)
    copy = copy_example_questions(bot) if arguments.redo and batches else None

    try:
        with in_context(cache=not arguments.no_cache):
            written = write_examples(engine, bot, batches, lambda done: show_count(done, total))
    except NeedsModel as error:
        raise BadInput(str(error), "examples_need_model") from error
    except KeyboardInterrupt:
        print("Stopped. What was written is stored; the same command goes on where it stopped.", file=sys.stderr)
        raise
    if copy is not None:
        print(f"the file as it was: {copy}", file=sys.stderr)
    if written.sections and not written.questions and not written.dropped:
        raise no_usable_reply(written.sections)
    print(json.dumps({"bot": bot.id, **written.model_dump()}) if arguments.json else _summary(bot.id, written))
    return 0


def _summary(bot: str, written: WritingResult) -> str:
    if not written.sections:
        return f"{bot}: every section has example questions already (--redo writes them again)"
    dropped = ", ".join(f"{why} {n}" for why, n in sorted(written.dropped.items()))
    missing = f"; {written.missing} sections got none" if written.missing else ""
    return (
        f"{bot}: {written.questions} example questions for {written.sections - written.missing} sections{missing}"
        + (f"; dropped: {dropped}" if dropped else "")
    )
