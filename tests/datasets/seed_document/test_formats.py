"""Test sets out of and into Kiku."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from core.base.errors import BadInput
from core.datasets.items import Item, Keypoint, SourceSentence
from core.datasets.seed_document.dataset import Dataset, Manifest
from core.datasets.seed_document.formats import item_rows, kind_of, rageval_rows, read_rageval, unpack, zip_folder
from core.documents.documents import Document

ITEM = Item(
    id="comparison-001",
    kind="comparison",
    question="Which is larger?",
    answer="The first, by 3.",
    evidence=(SourceSentence(document="a.md", text="It is 5."), SourceSentence(document="b.md", text="It is 2.")),
    documents=("a.md", "b.md"),
    needs_asking=False,
    keypoints=(Keypoint(text="The first is 5."),),
)


NAMED_OUTSIDE = json.dumps(
    {
        "id": "c001",
        "inputs": "",
        "made": {"name": "../../evil.md", "text": "x", "subject": "", "configuration": "c001"},
    }
)
NAMED_OUTSIDE += "\n"


def lines(rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()  # type: ignore[union-attr]


def made_manifest(documents: int) -> str:
    return Manifest(name="one", language="en", documents=documents).model_dump_json()


def test_all_fields_come_back() -> None:
    assert read_rageval("items.jsonl", lines(item_rows([ITEM]))).items == (ITEM,)


def test_ragevals_names_go_out_and_in() -> None:
    row = next(iter(rageval_rows([ITEM], "en", "tools")))
    assert row["query"] == {
        "query_id": 0,
        "query_type": "Multi-document Comparison Question",
        "content": "Which is larger?",
    }
    assert row["ground_truth"]["keypoints"] == ["1. The first is 5."]
    back = read_rageval("r.jsonl", lines([row])).items[0]
    assert (back.kind, back.question, back.answer) == (ITEM.kind, ITEM.question, ITEM.answer)
    assert [one.text for one in back.evidence] == ["It is 5.", "It is 2."]


def test_flat_rows_and_documents_are_read() -> None:
    flat = {"id": "x-1", "query_type": "multi_doc_time_sequence", "question": "Which came first?", "doc_ids": [4, 7], "answer": "A", "references": ["A came in May."], "keypoints": ["1. A"]}  # fmt: skip
    document = {"doc_id": 4, "company_name": "A Ltd", "content": "A came in May."}
    found = read_rageval("dev.jsonl", lines([flat, document]))
    assert (found.items[0].kind, found.items[0].documents) == ("sequence", ("4.md", "7.md"))
    assert (found.documents[0].name, found.documents[0].text) == ("4.md", "# A Ltd\n\nA came in May.")


@pytest.mark.parametrize(("name", "kind"), [("Irrelevant Unsolvable Question", "unanswerable"), ("Something", "faq")])
def test_kinds_by_their_names(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[1, 2]", b'{"query": {}}', b"not json", b""])
def test_bad_files_are_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(BadInput):
        read_rageval("x.jsonl", data)


def test_an_archive_comes_back(tmp_path: Path) -> None:
    made = Dataset.create(
        tmp_path / "one", Manifest(name="one", language="en"), Document("seed.md", "# A\n\nThe fee is 5 dollars.")
    )
    back = unpack(zip_folder(made), tmp_path / "two")
    assert back.seed_document() == made.seed_document()
    assert back.manifest.name == "two"


@pytest.mark.parametrize(
    "files",
    [
        {"manifest.json": made_manifest(2), "../evil.md": "x"},
        {"manifest.json": "{}", "seeds/a.md": "# A"},
        {"manifest.json": made_manifest(9_999), "seeds/a.md": "# A"},
        {"seeds/a.md": "# A"},
        {"manifest.json": made_manifest(2), "documents.jsonl": NAMED_OUTSIDE},
        {"manifest.json": made_manifest(2), "questions.jsonl": "no JSON\n"},
        {"manifest.json": made_manifest(2), "decisions.json": "[1]"},
        {"manifest.json": made_manifest(2), "seeds/a.md": "\udcff"},
    ],
)
def test_a_refused_archive_leaves_nothing_behind(files: dict[str, str], tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput):
        unpack(out.getvalue(), tmp_path / "inner" / "one")
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_damaged_archive_is_refused(method: int, tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("manifest.json", made_manifest(2))
    data = bytearray(out.getvalue())
    data[45:60] = bytes(15)
    with pytest.raises(BadInput) as caught:
        unpack(bytes(data), tmp_path / "one")
    assert caught.value.key == "no_archive" and not (tmp_path / "one").exists()
