"""Test sets in other formats: exports as JSON Lines and RAGEval, imports from RAGEval and DRAGONBall."""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, cast

from pydantic import ValidationError

from core.base.clean_text import clean
from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.base.files import write_bytes
from core.base.frozen_model import FrozenModel
from core.base.types import ScenarioKind
from core.datasets.items import Item, Keypoint, SourceSentence
from core.datasets.seed_document.dataset import Dataset, Manifest, already_there, check_numbers
from core.datasets.seed_document.review import review_decisions
from core.documents.documents import Document

# Kinds of question: the name that RAGEval (Zhu et al. 2024, arXiv:2408.01262) gives each, and words of it elsewhere.
_KINDS: dict[ScenarioKind, tuple[str, tuple[str, ...]]] = {
    "factual": ("Factual Question", ("factual", "事实")),
    "multi_hop": ("Multi-hop Reasoning Question", ("multi-hop", "multi_hop", "多跳")),
    "summary": ("Summary Question", ("summar", "总结")),
    "integration": ("Multi-document Information Integration Question", ("integration", "整合")),
    "comparison": ("Multi-document Comparison Question", ("comparison", "对比")),
    "sequence": ("Multi-document Time Sequence Question", ("sequence", "时间序列")),
    "unanswerable": ("Irrelevant Unsolvable Question", ("unanswerable", "unsolvable", "无解")),
}
MAX_BYTES = 50_000_000  # of an archive, unpacked
MAX_FILES = 10_000


class ImportedTestSet(FrozenModel):
    """What files of another test set hold."""

    items: tuple[Item, ...]
    documents: tuple[Document, ...] = ()


def item_rows(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """The items with all fields."""
    for item in items:
        yield item.model_dump(mode="json", exclude={"inputs"})


def rageval_rows(items: Iterable[Item], language: str, domain: str) -> Iterator[dict[str, Any]]:
    """The items with RAGEval's field names."""
    for number, item in enumerate(items):
        kind = _KINDS[item.kind][0] if item.kind in _KINDS else item.kind
        yield {
            "domain": domain,
            "language": language,
            "query": {"query_id": number, "query_type": kind, "content": item.question},
            "ground_truth": {
                "doc_ids": list(item.documents),
                "content": item.answer,
                "references": [source.text for source in item.evidence],
                "keypoints": [f"{place}. {point.text}" for place, point in enumerate(item.keypoints, 1)],
            },
        }


def rageval_documents(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """The documents with RAGEval's field names."""
    manifest = dataset.manifest
    for document in dataset.documents():
        yield {
            "domain": manifest.name,
            "language": manifest.language,
            "doc_id": document.name,
            "company_name": document.subject,
            "content": document.text,
        }


def read_rageval(name: str, data: bytes) -> ImportedTestSet:
    """Questions or documents of RAGEval, DRAGONBall or Kiku, as JSON Lines or a JSON list; raises BadInput."""
    items, documents = list[Item](), list[Document]()
    for number, row in enumerate(_rows(name, data), 1):
        if "content" in row and "doc_id" in row:
            text = str(row["content"])
            title = row.get("company_name") or row.get("hospital_patient_name") or row.get("court_name")
            titled = text if text.startswith("#") else f"# {title or row['doc_id']}\n\n{text}"
            documents.append(Document(name=_file_name(row["doc_id"]), text=titled))
        else:
            items.append(_item(name, number, row))
    if not items and not documents:
        raise BadInput(f"{name} has no questions and no documents. Choose another file.", "dataset_empty", file=name)
    return ImportedTestSet(items=tuple(items), documents=tuple(documents))


def _item(name: str, number: int, row: Mapping[str, Any]) -> Item:
    """One question, in RAGEval's nested form or a flat one."""
    query, truth = _mapping(row.get("query")), _mapping(row.get("ground_truth"))
    question = query.get("content") or row.get("question")
    if not isinstance(question, str) or not question.strip():
        message = f"{name}, row {number}: there is no question. Give it as query.content or question."
        fault = {"detail": "there is no question", "why": "no_question"}
        raise BadInput(message, "dataset_row", file=name, row=number, **fault)
    if "kind" in row:
        try:
            return Item.model_validate(row)
        except ValidationError as error:
            fault = field_fault(error)
            message = f"{name}, row {number}: {fault}. Correct that row."
            raise BadInput(message, "dataset_row", file=name, row=number, **fault.details) from error
    documents = tuple(_file_name(doc_id) for doc_id in _list(truth.get("doc_ids", row.get("doc_ids"))))
    sentences = _list(truth.get("references", row.get("references")))
    points = _list(truth.get("keypoints", row.get("keypoints")))
    return Item(
        id=str(row.get("id", query.get("query_id", f"q{number:04}"))),
        kind=kind_of(str(query.get("query_type") or row.get("query_type") or "")),
        question=question,
        answer=str(truth.get("content") or row.get("answer") or ""),
        evidence=tuple(SourceSentence(document=(*documents, "")[0], text=str(sentence)) for sentence in sentences),
        documents=documents,
        needs_asking=False,
        keypoints=tuple(Keypoint(text=str(point)) for point in points),
    )


def _file_name(doc_id: Any) -> str:
    return f"{doc_id}.md".replace(".md.md", ".md")


def kind_of(name: str) -> ScenarioKind:
    """The kind that a name such as "Factual Question" stands for; an unknown one is a FAQ."""
    for kind, (_, signs) in _KINDS.items():
        if any(sign in name.lower() for sign in signs):
            return kind
    return "faq"


def _rows(name: str, data: bytes) -> Iterator[dict[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
        rows: list[Any] = json.loads(text) if text.lstrip().startswith("[") else [
            json.loads(line) for line in text.split("\n") if line.strip()
        ]  # fmt: skip
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        message = f"{name} is neither JSON Lines nor a JSON list in UTF-8. Choose another file."
        raise BadInput(message, "dataset_json", file=name) from error
    for row in rows:
        if not isinstance(row, dict):
            raise BadInput(f"{name} has a row that is no object. Choose another file.", "dataset_json", file=name)
        yield clean(row)


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [value] if value not in (None, "") else []


def zip_folder(dataset: Dataset) -> bytes:
    """The whole folder as a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(dataset.folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                archive.write(path, path.relative_to(dataset.folder).as_posix())
    return out.getvalue()


def unpack(data: bytes, folder: Path) -> Dataset:
    """A test set from an archive that `zip_folder` wrote; raises BadInput for anything else, or too much.

    Nothing is left behind then.
    """
    if folder.exists():
        raise already_there(folder)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [member for member in archive.infolist() if not member.is_dir()]
        names = [_safe(member.filename) for member in members]
        is_large = len(names) > MAX_FILES or sum(member.file_size for member in members) > MAX_BYTES
        if "manifest.json" not in names or is_large:
            raise _no_archive()
        contents = {name: archive.read(member) for name, member in zip(names, members, strict=True)}
        manifest = Manifest.model_validate_json(contents["manifest.json"])
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise _no_archive() from error  # a damaged or encrypted one fails in any of these ways
    check_numbers(manifest)
    with TemporaryDirectory(prefix="kiku-archive-") as place:
        unpacked = _written(contents, Path(place) / folder.name)
        unpacked.check()
        review_decisions(unpacked)
    dataset = _written(contents, folder)
    dataset.save_manifest(manifest.model_copy(update={"name": folder.name}))
    return dataset


def _written(contents: Mapping[str, bytes], folder: Path) -> Dataset:
    for name, content in contents.items():
        write_bytes(folder / name, content)
    return Dataset(folder)


def _safe(name: str) -> str:
    path = PurePosixPath(name)
    is_inside = not path.is_absolute() and ".." not in path.parts and len(path.parts) <= 2
    if not is_inside or path.suffix not in (".json", ".jsonl", ".md", ".txt", ".csv"):
        raise _no_archive()
    return path.as_posix()


def _no_archive() -> BadInput:
    message = "This file is no test set that Kiku exported, or it is too large. Choose a .zip file from Export."
    return BadInput(message, "no_archive")
