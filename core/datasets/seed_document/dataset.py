"""A test set: one folder of plain files with the seed document, the schema, and the results of each step."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pydantic import ValidationError

from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.base.files import read_bytes, unwritable, write_bytes, write_text
from core.base.frozen_model import FrozenModel
from core.base.toml import TomlFault
from core.base.types import Language, ScenarioKind
from core.datasets.items import KINDS, Item
from core.datasets.seed_document.configurations import Configuration
from core.datasets.seed_document.quality import Quality
from core.datasets.seed_document.refinement import AnswerChange, KeypointsOf
from core.datasets.seed_document.schema import Approval, Schema, check_schema, hash_of
from core.datasets.seed_document.written_documents import WrittenDocument, edited_document
from core.documents.documents import Document, decode, text_name

Step = Literal["schema", "configurations", "documents", "questions", "refinement", "keypoints", "quality"]
STEPS: tuple[Step, ...] = get_args(Step)
_NAME = re.compile(r"[\w][\w .-]{0,59}")
_MAX_COUNT = 5_000  # documents or questions of one test set
M = TypeVar("M", bound=FrozenModel)


class Record(FrozenModel):
    """A result of a step, as a line of its file."""

    id: str
    inputs: str  # hash of what it was generated from
    made: dict[str, Any]  # the result


class Manifest(FrozenModel):
    """The settings of a test set."""

    name: str
    language: Language
    seed: int = 0
    documents: int = 20  # how many to write
    counts: dict[ScenarioKind, int] = {}  # questions of each kind; see `wanted`
    approval: Approval | None = None

    def wanted(self) -> dict[ScenarioKind, int]:
        """How many questions of each kind: by default as many as documents."""
        return {kind: self.counts.get(kind, self.documents) for kind in KINDS}


class Dataset:
    """The files of one test set. Reading is cheap; every change is written at once, so that a crash loses nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, manifest: Manifest, seed_document: Document) -> Dataset:
        """A new test set; raises BadInput for an empty document, numbers out of range, or a used folder."""
        if not seed_document.text.strip():
            raise BadInput("There is no seed document. Add a Markdown or text file with some text.", "no_seed")
        if (folder / "manifest.json").exists():
            raise already_there(folder)
        check_numbers(manifest)
        write_text(folder / "seeds" / text_name(Path(seed_document.name).name), seed_document.text)
        dataset = cls(folder)
        dataset.save_manifest(manifest)
        return dataset

    @property
    def manifest(self) -> Manifest:
        """Its settings; raises BadInput if they cannot be read."""
        try:
            return Manifest.model_validate_json((self.folder / "manifest.json").read_bytes())
        except (OSError, ValidationError) as error:
            message = f"{self.folder.name} is no test set: its manifest.json cannot be read. Choose another folder."
            raise BadInput(message, "no_dataset", name=self.folder.name) from error

    def save_manifest(self, manifest: Manifest) -> None:
        """Store the manifest: the settings that the test set is made with."""
        check_numbers(manifest)
        write_text(self.folder / "manifest.json", manifest.model_dump_json(indent=1))

    def seed_document(self) -> Document:
        """The document for facts, style and headings; empty if its file is gone. Raises BadInput (`not_utf8`)."""
        files = sorted(path for path in (self.folder / "seeds").glob("*") if path.is_file())
        return Document(files[0].name, decode(files[0].name, read_bytes(files[0]))) if files else Document("", "")

    def is_seed(self, document: Document) -> bool:
        """Whether the test set is modelled on a document."""
        return self.seed_document() == document._replace(name=text_name(document.name))

    def records(self, step: Step) -> dict[str, Record]:
        """The records of a step by id; of two lines with one id the later counts. A last line cut by a crash is skipped.

        Raises BadInput (`dataset_row`) for another line that cannot be read.
        """
        return {record.id: record for _, record in self._numbered_records(step)}

    def results(self, step: Step, kind: type[M]) -> dict[str, M]:
        """The results of a step by id; raises BadInput (`dataset_row`) for an edited line that is no `kind`."""
        results: dict[str, M] = {}
        for number, record in self._numbered_records(step):
            try:
                result = kind.model_validate(record.made)
            except ValidationError as error:
                raise self._unreadable(step, number, field_fault(error)) from error
            inner = getattr(result, "configuration" if step == "documents" else "id", record.id)
            if inner != record.id:
                fault = TomlFault(f"it has the ids {record.id!r} and {inner!r}", "two_ids", id=record.id, other=inner)
                raise self._unreadable(step, number, fault)
            results[record.id] = result
        return results

    def check(self) -> None:
        """Raises BadInput if anything in the folder cannot be read; the decisions are checked by `review_decisions`."""
        self.seed_document()
        self.schema()
        self.configurations()
        self.documents()
        self.items()
        self.qualities()

    def _numbered_records(self, step: Step) -> Iterator[tuple[int, Record]]:
        """The records of a step, each with the number of its line."""
        file = self._file(step)
        lines = read_bytes(file).removeprefix(b"\xef\xbb\xbf").split(b"\n") if file.is_file() else []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield number, Record.model_validate_json(line)
            except ValidationError as error:
                if number < len(lines):
                    raise self._unreadable(step, number, field_fault(error)) from error

    def _unreadable(self, step: Step, number: int, fault: TomlFault) -> BadInput:
        file = f"{self.folder.name}/{step}.jsonl"
        advice = "Correct that row, or delete it to have it made again."
        message = f"{file}, row {number} cannot be read ({fault}). {advice}"
        return BadInput(message, "dataset_row", file=file, row=number, **fault.details)

    def store(self, step: Step, record: Record) -> None:
        """Add a result of a step, or replace the one with its id; raises BadInput if it cannot be written."""
        file = self._file(step)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            start = _start_of_line(file)
            with file.open("a", encoding="utf-8") as out:
                out.write(start + record.model_dump_json() + "\n")
        except OSError as error:
            raise unwritable(file, error) from error

    def replace(self, step: Step, records: Iterable[Record]) -> None:
        """Replace the records of a step; `undo` brings the ones before back."""
        file = self._file(step)
        if file.is_file():
            write_bytes(self._before(step), file.read_bytes())
        write_text(file, "".join(record.model_dump_json() + "\n" for record in records))

    def can_undo(self, step: Step) -> bool:
        """Whether there is an earlier state of the step to go back to."""
        return self._before(step).is_file()

    def undo(self, step: Step) -> None:
        """Swap the step's records with those before the last edit."""
        file, before = self._file(step), self._before(step)
        now, then = file.read_bytes() if file.is_file() else b"", before.read_bytes()
        write_bytes(before, now)
        write_bytes(file, then)
        if step == "documents":
            self.write_documents()

    def schema(self) -> Schema | None:
        """The schema; None before it is proposed."""
        return self.results("schema", Schema).get("schema")

    def save_schema(self, schema: Schema) -> None:
        """Replace the schema by an edited one; an approval of another schema no longer counts. Raises BadInput."""
        check_schema(schema)
        inputs = hash_of(self.seed_document().text)
        self.replace("schema", [Record(id="schema", inputs=inputs, made=schema.model_dump(mode="json"))])

    def approve(self, by: str) -> Approval:
        """Approve the schema as it is now; raises BadInput without a name or a schema."""
        schema_hash = hash_of(self.checked_schema())
        if not by.strip():
            raise BadInput("There is no name. Enter who approves the schema.", "no_approver")
        approval = Approval(by=by.strip(), at=datetime.now(UTC).isoformat(timespec="seconds"), schema_hash=schema_hash)
        self.save_manifest(self.manifest.model_copy(update={"approval": approval}))
        return approval

    def is_approved(self) -> bool:
        """Whether the schema as it is now was approved."""
        schema, approval = self.schema(), self.manifest.approval
        return schema is not None and approval is not None and approval.schema_hash == hash_of(schema)

    def checked_schema(self) -> Schema:
        """The schema; raises BadInput if there is none, or if no document can be made from it."""
        if (schema := self.schema()) is None:
            raise BadInput("There is no schema yet. Make one first.", "no_schema")
        check_schema(schema)
        return schema

    def configurations(self) -> list[Configuration]:
        """The configurations, in order."""
        found = self.results("configurations", Configuration).values()
        return sorted(found, key=lambda configuration: configuration.id)

    def documents(self) -> list[WrittenDocument]:
        """The documents, in order."""
        return sorted(self.results("documents", WrittenDocument).values(), key=lambda document: document.name)

    def save_document(self, name: str, text: str) -> WrittenDocument:
        """Replace the text of a document by a person's; only questions on it can become stale. Raises BadInput."""
        schema, records = self.checked_schema(), self.records("documents")
        document = next(document for document in self.documents() if document.name == name)
        key = document.configuration
        values = self.results("configurations", Configuration)[key].values
        edited = edited_document(document, text, schema, values)
        records[key] = records[key].model_copy(update={"made": edited.model_dump(mode="json")})
        self.replace("documents", records.values())
        self.write_documents()
        return edited

    def write_documents(self) -> None:
        """Write the documents as files, and drop files of documents that are there no more."""
        folder, documents = self.folder / "documents", self.documents()
        for document in documents:
            write_text(folder / document.name, document.text)
        names = {document.name for document in documents}
        for path in folder.glob("*.md"):
            if path.name not in names:
                path.unlink()

    def items(self) -> list[Item]:
        """The questions as far as the steps have come: with refined answers and keypoints if there are some."""
        refined, points = self.results("refinement", AnswerChange), self.results("keypoints", KeypointsOf)
        items: list[Item] = []
        for key, item in self.results("questions", Item).items():
            if key in refined and refined[key].before == item.answer:
                item = item.model_copy(update={"answer": refined[key].after})
            if key in points:
                item = item.model_copy(update={"keypoints": points[key].keypoints})
            items.append(item)
        return sorted(items, key=lambda item: (KINDS.index(item.kind) if item.kind in KINDS else 99, item.id))

    def qualities(self) -> dict[str, Quality]:
        """The ratings and flags by item."""
        return self.results("quality", Quality)

    def _file(self, step: Step) -> Path:
        return self.folder / f"{step}.jsonl"

    def _before(self, step: Step) -> Path:
        return self.folder / "before" / f"{step}.jsonl"


def already_there(folder: Path) -> BadInput:
    """The error for a folder that has a test set already."""
    message = f"{folder.name} has a test set already. Choose another name."
    return BadInput(message, "dataset_exists", name=folder.name)


def check_numbers(manifest: Manifest) -> None:
    """Raises BadInput for more documents or questions than a test set can have."""
    if not 1 <= manifest.documents <= _MAX_COUNT or any(not 0 <= n <= _MAX_COUNT for n in manifest.counts.values()):
        raise BadInput(f"The numbers must be from 1 to {_MAX_COUNT}. Enter others.", "dataset_numbers", most=_MAX_COUNT)


def datasets(folder: Path) -> list[Dataset]:
    """The test sets below a folder, by name."""
    return [Dataset(path.parent) for path in sorted(folder.glob("*/manifest.json"))]


def check_name(name: str) -> str:
    """A name that a folder can have; raises BadInput for another."""
    plain = name.strip()
    if not _NAME.fullmatch(plain) or plain.endswith("."):
        message = f"{name[:80]!r} cannot be the name of a test set. Use at most 60 letters, digits, spaces, - and _."
        raise BadInput(message, "dataset_name", name=name[:80])
    return plain


def copy(dataset: Dataset, folder: Path, name: str) -> Dataset:
    """Copy a test set with its results under another name; raises BadInput if that name is taken."""
    if folder.exists():
        raise already_there(folder)
    shutil.copytree(dataset.folder, folder)
    copied = Dataset(folder)
    copied.save_manifest(dataset.manifest.model_copy(update={"name": name}))
    return copied


class ItemChange(FrozenModel):
    """How an item differs between two states of a test set."""

    id: str
    what: Literal["added", "removed", "changed"]
    before: str = ""
    after: str = ""


def changes(before: Dataset, after: Dataset) -> list[ItemChange]:
    """The items that differ between two test sets, or two states of one."""
    old, new = ({item.id: item for item in dataset.items()} for dataset in (before, after))
    differences = [ItemChange(id=key, what="removed", before=old[key].question) for key in old if key not in new]
    for key, item in new.items():
        if key not in old:
            differences.append(ItemChange(id=key, what="added", after=item.question))
        elif old[key].model_copy(update={"inputs": item.inputs}) != item:
            differences.append(ItemChange(id=key, what="changed", before=_shown(old[key]), after=_shown(item)))
    return sorted(differences, key=lambda change: change.id)


def _shown(item: Item) -> str:
    return f"{item.question} → {item.answer}"


def _start_of_line(file: Path) -> str:
    """The start of a new line: a line break if the last line lacks it. Removes a last line that was cut by a crash."""
    data = file.read_bytes() if file.is_file() else b""
    whole, _, last = data.rpartition(b"\n")
    if not last.strip():
        return ""
    try:
        Record.model_validate_json(last)
    except ValidationError:
        write_bytes(file, whole + b"\n" if whole else b"")
        return ""
    return "\n"
