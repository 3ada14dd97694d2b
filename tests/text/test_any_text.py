"""Whatever people, models and files say: readers give a result or one clear sentence, and what they give holds."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from markdown_it import MarkdownIt

from core.base.errors import BadInput, InvalidReply
from core.base.fence import fence_text
from core.base.redact import Redactor
from core.base.tables import escape_formula, read_table
from core.base.toml import TomlFault, parse_toml
from core.base.types import Assessment, Message, Sample
from core.bot.turn import MAX_MESSAGE_CHARACTERS, check_message
from core.documents.documents import Document, decode, document_text
from core.documents.passages import passages
from core.export.cells import MAX_EXCEL_LETTERS, fit_cell, utf16_length
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.llm.completions import Completion
from core.llm.embedded import EmbeddedEngine
from core.llm.replies import read_object
from core.llm.schemas import reply_shapes
from core.text.citations import read_citations
from core.text.language import sentences
from core.text.numbers import amounts
from pages.components.plain_text import plain

T = TypeVar("T")
E = TypeVar("E", bound=Exception)
KEY = "sk-Ab12Cd34Ef56Gh78"
PIECES = (
    *("[1]", "［２】", "【1】", "[資料1]", "[1, 2]", "5日", "１２，０００円", "=1+1", "<b>", "</script>", "```", "# ", "- ", "| a |"),
    *("**", "$x$", ":material/home:", ":red[x]", "![a](http://x.y/z.png)", "http://a.b/c", "あ。", "いいえ。", "yes", "not "),
    *("\n", "\n\n", "\t", " ", "　", "\u202e", "\u0000", "😀", '{"a": 1}', "null", '"', "'", ",", ";", "\\", "%", "{{ x }}", "<<<", ">>>"),
)  # fmt: skip
TEXTS: SearchStrategy[str] = st.one_of(
    st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=400)
)
JSON: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
KNOWN = st.dictionaries(st.sampled_from([*Assessment.model_fields]), JSON, max_size=12)
# The same examples in every run, so that a test fails for what was changed; no time limit: the machine may be busy
any_input = settings(
    max_examples=120, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


def _or_error(read: Callable[[], T], kind: type[E]) -> T | E:
    """What a reader gives, or the error that it may raise; any other one fails the test."""
    try:
        return read()
    except kind as error:
        return error


@any_input
@given(st.sampled_from(["a.csv", "a.tsv", "a.json", "a.jsonl", "a.xlsx", "a.exe"]), st.binary(max_size=300))
def test_any_bytes_are_a_table_or_one_sentence(name: str, data: bytes) -> None:
    found = _or_error(lambda: read_table(name, data), BadInput)
    if isinstance(found, BadInput):
        assert str(found) and "\n" not in str(found).strip()
    else:
        assert all(isinstance(row, dict) for row in found)


@any_input
@given(st.lists(st.lists(st.text("abあ1=,\"'\n;|", min_size=1, max_size=9), min_size=3, max_size=3), min_size=1))
def test_a_table_that_was_written_is_read_as_it_was(rows: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([["x", "y", "z"], *rows])
    found = read_table("a.csv", file.getvalue().encode("utf-8-sig"))
    written = [row for row in rows if any(cell.strip() for cell in row)]
    assert [[str(row[name]).strip() for name in "xyz"] for row in found] == [
        [cell.replace("\r\n", "\n").strip() for cell in row] for row in written
    ]


@any_input
@given(st.one_of(st.binary(max_size=200), TEXTS.map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_are_toml_or_a_fault_with_its_place(data: bytes) -> None:
    found = _or_error(lambda: parse_toml(data), TomlFault)
    assert found.details if isinstance(found, TomlFault) else isinstance(found, dict)


@any_input
@example("a.md", b"words\n\n#\n\nmore")
@given(st.sampled_from(["a.md", "a.txt"]), st.one_of(st.binary(max_size=300), TEXTS.map(str.encode)))
def test_nothing_of_a_document_is_lost_in_its_passages(name: str, data: bytes) -> None:
    try:
        text = decode(name, data)
    except BadInput:
        return
    found = passages(Document(name, text))
    assert all(passage.text.strip() and passage.heading for passage in found)
    if name == "a.txt":
        assert "".join("".join(passage.text for passage in found).split()) == "".join(text.split())


@any_input
@given(st.sampled_from(["a.csv", "a.tsv"]), st.one_of(st.binary(max_size=300), TEXTS.map(str.encode)))
def test_any_bytes_are_a_table_of_a_bot_or_one_sentence(name: str, data: bytes) -> None:
    text = _or_error(lambda: document_text(name, data), BadInput)
    if isinstance(text, BadInput):
        assert str(text) and "\n" not in str(text).strip()
    else:
        assert all(passage.text.strip() and passage.heading for passage in passages(Document(name, text)))


@any_input
@given(st.lists(st.lists(st.text("abあ1,\"'\n;|", min_size=1, max_size=9), min_size=3, max_size=3), min_size=1))
def test_every_cell_of_a_table_is_in_its_passages(rows: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([["x", "y", "z"], *rows])
    found = passages(Document("a.csv", document_text("a.csv", file.getvalue().encode())))
    text = " ".join(passage.text for passage in found).replace("\\|", "|")
    assert all(" ".join(cell.split()) in text for row in rows for cell in row)


@any_input
@given(TEXTS, st.integers(0, 5))
def test_only_passages_that_are_there_are_cited(text: str, count: int) -> None:
    shown, cited = read_citations(text, count)
    assert all(1 <= number <= count for number in cited) and len(set(cited)) == len(cited)
    assert read_citations(shown, count) == (shown, cited)  # once is enough


@any_input
@given(TEXTS)
def test_what_is_fenced_cannot_end_its_fence(text: str) -> None:
    first, _, rest = fence_text(text).partition("\n")
    inner, _, last = rest.rpartition("\n")
    key = first.removeprefix("<<<")
    assert inner == text and last == f"{key}>>>" and key not in text


@any_input
@given(TEXTS, TEXTS, st.booleans())
def test_a_key_is_never_passed_on(before: str, after: str, escaped: bool) -> None:
    redactor = Redactor([KEY])
    body = json.dumps({before: f"{before}{KEY}{after}", "inner": [KEY, {KEY: after}]}, ensure_ascii=escaped)
    try:
        assert KEY not in json.dumps(redactor.load_json(body), ensure_ascii=False)
    except ValueError:
        assert not body.isprintable()
    assert KEY not in redactor.text(f"{before}{KEY}{after}")


@any_input
@given(st.one_of(TEXTS, JSON.map(lambda data: json.dumps(data, ensure_ascii=False)), KNOWN.map(json.dumps)))
def test_any_reply_of_a_model_is_read_or_refused(text: str) -> None:
    reply = Completion({"content": text})
    found = _or_error(lambda: read_object(reply, reply_shapes(Assessment)), InvalidReply)
    assert str(found) if isinstance(found, InvalidReply) else isinstance(found, Assessment)


@any_input
@given(TEXTS)
def test_no_cell_is_a_formula_or_longer_than_a_spreadsheet_holds(text: str) -> None:
    cell = str(escape_formula(fit_cell(text * 200, MAX_EXCEL_LETTERS - 1, "(cut)")))
    assert utf16_length(cell) <= MAX_EXCEL_LETTERS
    assert not unicodedata.normalize("NFKC", cell[:1]).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


ALLOWED = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak", "text_special"}
EMPHASIS = {"em_open", "em_close"}  # parts a word that would become an icon; its style shows nothing


@any_input
@given(TEXTS)
def test_text_of_others_is_no_markdown_on_a_page(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(plain(text, links=False))
    kinds = {token.type for block in tokens for token in (block, *(block.children or ()))}
    assert kinds <= ALLOWED | EMPHASIS, (text, kinds)


@any_input
@given(TEXTS)
def test_sentences_hold_the_whole_text_and_amounts_are_finite(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert list(amounts(text)) == list(amounts(text))


@any_input
@given(TEXTS)
def test_a_message_is_taken_or_refused_with_a_sentence(text: str) -> None:
    found = _or_error(lambda: check_message(text), BadInput)
    assert str(found) if isinstance(found, BadInput) else 0 < len(found) <= MAX_MESSAGE_CHARACTERS


@settings(any_input, max_examples=25)
@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2), st.none() | TEXTS)
@pytest.mark.parametrize("names", [("turn",), ("correctness", "groundedness", "sufficiency", "relevance")])
def test_any_answer_gets_a_score_or_a_reason(
    names: tuple[str, ...], question: str, answer: str, contexts: list[str], reference: str | None
) -> None:
    sample = Sample(
        question=question,
        answer=answer,
        history=(Message(role="user", text=question),),
        contexts=tuple(contexts),
        reference=() if reference is None else (reference,),
    )
    for score in judge_all(EmbeddedEngine(), judges_of(names), sample, JudgeOptions()):
        assert (score.error or score.reasons) if score.value is None else 0 <= score.value <= 1
