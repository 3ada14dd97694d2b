"""`generate`: a test set from documents: questions straight from a bot's knowledge base, or from seed documents."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.errors import BadInput
from core.cli.options import LANGUAGES, add_engine_options, count, engine_of, load_checked_bot

if TYPE_CHECKING:
    from core.datasets.knowledge_base import Generated

COUNT = 100  # questions from a knowledge base, if no number is given


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """The command and its options."""
    generate = commands.add_parser("generate", help="make a test set from documents")
    source = generate.add_mutually_exclusive_group(required=True)
    source.add_argument("--bot", help="questions straight from this bot's documents")
    out = "the questions (.csv as a bot's questions.csv, else JSON Lines)"
    generate.add_argument("--out", dest="output", required=True, metavar="FILE", help=out)
    generate.add_argument("--count", type=count, default=0, metavar="N", help=f"questions (default {COUNT})")
    generate.add_argument("--seed", type=int, default=0)
    generate.add_argument("--language", choices=LANGUAGES, help="of the prompts (default: the bot's)")
    add_engine_options(generate)
    return generate


def run(arguments: argparse.Namespace) -> int:
    """Write the test set and print how many questions of each kind there are."""
    return _from_bot(arguments)


def _from_bot(arguments: argparse.Namespace) -> int:
    from core.base.call_context import in_context
    from core.cli.json_lines import write_rows
    from core.datasets.knowledge_base import KnowledgeBaseOptions, questions_of
    from core.llm.roles import ModelEngine
    from core.retrieval.documents import read_documents
    from core.simulation.scenarios import read_scenarios, scenarios_csv

    engine, bot = engine_of(arguments), load_checked_bot(arguments.bot)
    documents = read_documents(bot)
    if not documents:
        raise BadInput(f"{bot.id} has no documents. Put .md or .txt files into its folder documents.", "no_documents")
    scenarios = read_scenarios(bot)
    options = KnowledgeBaseOptions(
        count=arguments.count or COUNT,
        seed=arguments.seed,
        language=arguments.language or bot.language,
        by_model=isinstance(engine, ModelEngine),
        attributes=tuple((field.name, field.values) for field in bot.profile_fields),
        description=bot.description,
        prefix=f"{bot.id}-new",
    )
    with in_context(cache=not arguments.no_cache, prompts=bot.prompts):
        made = questions_of(engine, documents, [scenario.question for scenario in scenarios], options)
    if arguments.output.endswith(".csv"):
        from core.base.files import write_text

        write_text(Path(arguments.output), scenarios_csv(item.scenario() for item in made.items))
    else:
        write_rows(arguments.output, (item.model_dump(mode="json", exclude_defaults=True) for item in made.items))
    print(_summary(made, options.count), file=sys.stderr)
    return 0


def _summary(made: Generated, wanted: int) -> str:
    from collections import Counter

    kinds = ", ".join(f"{kind} {n}" for kind, n in Counter(item.kind for item in made.items).items())
    reasons = ", ".join(f"{why} {n}" for why, n in Counter(one.why for one in made.rejected).items())
    fewer = "" if len(made.items) >= wanted else f" ({wanted} were asked for; the documents give no more)"
    return f"{len(made.items)} questions{fewer}: {kinds or 'none'}" + (f"; dropped: {reasons}" if reasons else "")
