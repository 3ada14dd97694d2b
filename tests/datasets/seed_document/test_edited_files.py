"""Test sets whose files were edited by hand: one sentence says which row is wrong, and nothing of it is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import BadInput
from core.base.translate import translated_error, translator
from core.datasets.seed_document.dataset import STEPS, Dataset, Manifest
from core.datasets.seed_document.review import usable_items
from core.datasets.seed_document.steps import run_steps
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine

Edit = Callable[[dict[str, Any]], object]
SEED = Document("seed.md", "# Loans\r\n\r\nThe deposit is 250 dollars. The fee is 15 dollars a day.\r\n")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "loans"
    dataset = Dataset.create(folder, Manifest(name="loans", language="en", documents=2), SEED)
    run_steps(EmbeddedEngine(), dataset, "schema")
    dataset.approve("Aya")
    run_steps(EmbeddedEngine(), dataset)
    return folder


@pytest.fixture
def dataset(made: Path, tmp_path: Path) -> Dataset:
    return Dataset(Path(shutil.copytree(made, tmp_path / "loans")))


def _edit(dataset: Dataset, step: str, edit: Edit) -> bytes:
    file = dataset.folder / f"{step}.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    edit(rows[0])
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file.read_bytes()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("edit", [lambda row: row["made"].update(surplus=1), lambda row: row.update(made={})])
def test_a_row_that_was_edited_wrongly_is_named_and_stays(dataset: Dataset, step: str, edit: Edit) -> None:
    before = _edit(dataset, step, edit)

    def make_and_read() -> None:
        run_steps(EmbeddedEngine(), dataset)
        dataset.check()

    with pytest.raises(BadInput) as caught:
        make_and_read()
    assert caught.value.key == "dataset_row" and f"loans/{step}.jsonl, row 1" in str(caught.value)
    assert (dataset.folder / f"{step}.jsonl").read_bytes() == before
    assert "1 行目を読み込めません" in translated_error(translator("ja"), caught.value)


@pytest.mark.parametrize(
    ("step", "edit", "says"),
    [
        ("documents", lambda row: row["made"].update(name="../../evil.md"), "“name” is not valid"),
        ("configurations", lambda row: row["made"].update(id="c/../x"), "“id” is not valid"),
        ("questions", lambda row: row["made"].update(id="other"), "it has the ids"),
        ("questions", lambda row: row["made"].update(question=5), "must be text"),
        ("configurations", lambda row: row["made"].update(values={}), "has no value for the field"),
    ],
)
def test_what_would_lead_elsewhere_is_refused(dataset: Dataset, step: str, edit: Edit, says: str) -> None:
    _edit(dataset, step, edit)
    with pytest.raises(BadInput, match=says):
        run_steps(EmbeddedEngine(), dataset)
    assert not list(dataset.folder.parent.parent.glob("evil.md"))


def test_a_line_that_is_no_json_is_named_and_not_made_again(dataset: Dataset) -> None:
    file = dataset.folder / "questions.jsonl"
    first, _, rest = file.read_bytes().partition(b"\n")
    file.write_bytes(first[:-1] + b"\n" + rest)
    with pytest.raises(BadInput, match="row 1 cannot be read"):
        run_steps(EmbeddedEngine(), dataset)
    assert file.read_bytes() == first[:-1] + b"\n" + rest


def test_a_byte_order_mark_and_other_line_ends_change_nothing(dataset: Dataset) -> None:
    items = dataset.items()
    file = dataset.folder / "questions.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert dataset.items() == items and dataset.seed_document() == SEED
    assert run_steps(EmbeddedEngine(), dataset) == 0


@pytest.mark.parametrize("stored", ["{oops", "[1]"])
def test_decisions_that_cannot_be_read_are_reported(dataset: Dataset, stored: str) -> None:
    (dataset.folder / "decisions.json").write_text(stored, "utf-8")
    with pytest.raises(BadInput, match="cannot be read"):
        usable_items(dataset)


def test_a_seed_document_in_another_encoding_is_reported(dataset: Dataset) -> None:
    (dataset.folder / "seeds" / "seed.md").write_bytes("# 休暇".encode("cp932"))
    with pytest.raises(BadInput, match="not UTF-8"):
        dataset.seed_document()
