"""Problems of documents that their owner can fix: no headings, long sections, headings that say nothing alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from core.base.types import Passage
from core.documents.heading_names import is_weak
from core.documents.passages import MAX_PASSAGE_CHARACTERS
from core.documents.table_files import is_table_file

MIN_CHARACTERS_FOR_HEADINGS = 400  # from which a document without headings would be easier to find with some
ProblemKind = Literal["no_headings", "long_section", "weak_heading"]


class DocumentProblem(NamedTuple):
    """A problem of a document."""

    kind: ProblemKind
    document: str
    heading: str = ""  # "" for a document without any

    @property
    def place(self) -> str:
        """The document, followed by the heading."""
        return f"{self.document} › {self.heading}" if self.heading else self.document


def document_problems(passages: Sequence[Passage]) -> list[DocumentProblem]:
    """The problems, document by document. passages: those of all documents, in order."""
    by_document = groupby(passages, key=lambda passage: passage.document)
    return [remark for name, found in by_document for remark in _problems(name, list(found))]


def _problems(name: str, found: Sequence[Passage]) -> list[DocumentProblem]:
    if is_table_file(name):  # nothing in it can be a heading
        return []
    size = sum(len(passage.text) for passage in found)
    if all(passage.heading == passage.title for passage in found):
        return [DocumentProblem("no_headings", name)] if size >= MIN_CHARACTERS_FOR_HEADINGS else []
    sizes: defaultdict[str, list[int]] = defaultdict(list)
    for passage in found:
        sizes[passage.heading].append(len(passage.text))
    cut = [heading for heading, parts in sizes.items() if len(parts) > 1 and sum(parts) > MAX_PASSAGE_CHARACTERS]
    weak = [heading for heading in sizes if heading != found[0].title and is_weak(heading)]
    return [
        *(DocumentProblem("long_section", name, heading) for heading in cut),
        *(DocumentProblem("weak_heading", name, heading) for heading in weak),
    ]
