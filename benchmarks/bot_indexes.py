"""Knowledge folders and indexes for benchmarks: bots of a folder of their own, bundled ones with fewer questions."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from core.base.bot_folder import load_bot
from core.base.settings import settings
from core.base.types import Bot, Passage, SectionHit
from core.documents.example_questions import ExampleQuestion, change_example_questions, read_example_questions
from core.documents.heading_names import last_heading
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

Questions = Literal["without_examples", "with_examples", "with_unanswered"]


def read_first_messages() -> dict[str, dict[str, Any]]:
    """The messages of first_messages.toml, by included bot and kind."""
    return tomllib.loads(Path(__file__).with_name("first_messages.toml").read_text("utf-8"))


@contextmanager
def bots_in(knowledge: Path) -> Iterator[Path]:
    """The settings name this folder as that of the bots, until the end."""
    try:
        with patch.dict(os.environ, KIKU_KNOWLEDGE_DIR=str(knowledge)):
            settings.cache_clear()
            yield knowledge
    finally:
        settings.cache_clear()


def indexes_of(names: Iterable[str], questions: Questions, folder: Path) -> dict[str, tuple[Bot, Index]]:
    """Some bots with their indexes; those with other example questions than the bundled ones are copied to a folder."""
    indexes = Indexes() if questions == "with_unanswered" else Indexes(folder)
    found: dict[str, tuple[Bot, Index]] = {}
    for name in names:
        bot = load_bot(name)
        if questions != "with_unanswered":
            bot = copy_without(bot, folder / name, left_out(read_example_questions(bot), questions))
        found[name] = (bot, indexes.get(bot))
    return found


def left_out(stored: Sequence[ExampleQuestion], questions: Questions) -> list[ExampleQuestion]:
    """The example questions that are not used: all, or those of several sections and of none."""
    times = Counter(one.question for one in stored)
    return [one for one in stored if questions == "without_examples" or not one.heading or times[one.question] > 1]


def copy_without(bot: Bot, folder: Path, questions: Sequence[ExampleQuestion]) -> Bot:
    """A copy of a bot in a folder, without some of its example questions."""
    shutil.copytree(bot.folder, folder)
    copy = bot.model_copy(update={"folder": folder})
    change_example_questions(copy, questions)
    return copy


def is_section(hit: SectionHit | Passage, document: str, heading: str) -> bool:
    return hit.document == document and heading in last_heading(hit.heading)
