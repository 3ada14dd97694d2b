"""The steps of a test set with a model: calls side by side, and their estimate."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.datasets.dataset_jobs import read_drafts
from core.datasets.tasks import run_tasks
from core.llm.embedded import EmbeddedEngine


def test_the_embedded_engine_makes_them_in_order() -> None:
    made: list[str] = []
    for name, _ in run_tasks(EmbeddedEngine(), ["a", "b"], lambda engine, name: made.append(name)):
        assert made[-1] == name  # none is begun before it is wanted
    assert made == ["a", "b"]


@pytest.mark.parametrize("stored", ['[{"id": "q1"}]', "{", "5"])
def test_drafts_that_cannot_be_read_are_reported(stored: str, home: Path) -> None:
    file = home / "data" / "question_drafts" / "komachi.json"
    file.parent.mkdir(parents=True)
    file.write_text(stored, "utf-8")
    with pytest.raises(BadInput, match="in the data folder"):
        read_drafts(load_bot("komachi"))
