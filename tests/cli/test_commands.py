"""The command line: JSON Lines in and out, one clear line for what cannot be used."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.cli.input_rows import MessageRow

pytestmark = pytest.mark.usefixtures("home")

Rows = list[dict[str, Any]]


def rows_of(file: Path) -> Rows:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def pipe(command: list[str], home: Path, rows: object) -> Rows:
    """What `command` makes of the rows, by way of two files."""
    source, target = home / "in.jsonl", home / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")  # type: ignore[attr-defined]
    assert main([*command, "--in", str(source), "--out", str(target)]) == 0
    return rows_of(target)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a command says when it exits with 2."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    printed = capsys.readouterr()
    assert code == 2 and printed.out == "" and printed.err.count("\n") == 1, printed
    return printed.err


def test_ask_prints_the_reply_and_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "交通費の精算の期限はいつですか", "--bot", "komachi"]) == 0
    printed = capsys.readouterr().out
    assert "10日" in printed and "expenses.md" in printed


def test_ask_as_json_holds_the_whole_turn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "交通費の精算の期限はいつですか", "--bot", "komachi", "--json"]) == 0
    turn = json.loads(capsys.readouterr().out)
    assert set(turn) == {"decision", "row", "assessment", "reply", "choices", "query", "sources", "answered"}
    assert (turn["decision"], turn["answered"]) == ("search", True) and turn["row"] in range(1, 7)
    assert set(turn["sources"][0]) == {"document", "heading", "text", "score"}


def test_ask_knows_the_choices_of_its_history_and_the_profile(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = [
        {"role": "user", "text": "休暇について教えてください"},
        {
            "role": "assistant",
            "text": "ご用件に近いものをお選びください。",
            "choices": ["有給休暇", "子の看護休暇の日数"],
        },
    ]
    file = home / "history.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in before), "utf-8")
    command = ["ask", "二つ目です", "--bot", "komachi", "--history", str(file), "--profile", "office=大阪", "--json"]
    assert main(command) == 0
    turn = json.loads(capsys.readouterr().out)
    assert turn["decision"] == "search" and "看護休暇" in turn["query"] and turn["answered"]


@pytest.mark.parametrize(
    ("reply", "asks"),
    [
        ("どの休暇ですか。", True),
        ("ご用件に近いものをお選びください。", True),
        ("Which one do you mean?", True),
        ("担当者がご相談に応じます。資料には「休暇の一覧」の案内もあります。", False),
        ("申し訳ありません。確かな答えは見つけられませんでした。近いものがあれば、お選びください。", False),
        ("年に10日です。 [1]", False),
    ],
)
def test_a_reply_with_choices_that_does_not_say_whether_it_asks_is_read(reply: str, asks: bool) -> None:
    row = MessageRow(role="assistant", text=reply, choices=("休暇の一覧",))
    assert row.message().asks is asks
    assert row.model_copy(update={"asks": not asks}).message().asks is not asks


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("ask", "期限は", "--bot", "komachi", "--profile", "office"), "KEY=VALUE"),
        (("ask", "期限は", "--bot", "komachi", "--profile", "shoe=42"), "department"),
        (("ask", "期限は", "--bot", "komachi", "--profile", "patience=none"), "at_once"),
        (("ask", "--bot", "komachi"), "--in"),
        (("ask", "期限は", "--bot", "komachi", "--in", "a.jsonl", "--out", "b.jsonl"), "either"),
        (("ask", "--bot", "komachi", "--in", "a.jsonl"), "--out"),
        (("simulate", "--bot", "komachi", "--today", "tomorrow"), "2026-04-01"),
    ],
)
def test_what_ask_cannot_use_is_named(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], names: str
) -> None:
    assert names in refused(capsys, *arguments)


def test_ask_answers_every_row_of_a_file(home: Path) -> None:
    rows = [
        {"id": 1, "text": "交通費の精算の期限はいつですか", "profile": {"office": "大阪"}},
        {"id": "b", "messages": [{"role": "user", "text": "休暇について"}]},
        {"id": "c", "text": "  "},
        {"id": "d", "text": "期限は", "profile": {"shoe": "42"}},
    ]
    first, second, empty, unknown = pipe(["ask", "--bot", "komachi"], home, rows)
    assert first["id"] == 1 and "10日" in first["reply"] and first["answered"] and first["error"] == ""
    assert second["decision"] in ("ask", "search") and second["error"] == ""
    assert "empty" in empty["error"] and empty["reply"] is None and "shoe" in unknown["error"]


def test_ask_goes_on_from_a_history(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = [
        {"role": "user", "text": "休暇について教えてください"},
        {"role": "operator", "content": "どの休暇ですか？"},
    ]
    (home / "before.jsonl").write_text("\n".join(json.dumps(row) for row in before), "utf-8")
    file = str(home / "before.jsonl")
    assert main(["ask", "子の看護休暇の日数です", "--bot", "komachi", "--history", file, "--json"]) == 0
    turn = json.loads(capsys.readouterr().out)
    assert turn["decision"] == "search" and "看護" in turn["query"]


def test_assess_says_where_each_message_goes(home: Path) -> None:
    conversation = [{"role": "user", "text": "休暇について教えてください"}]
    rows = [{"id": 1, "text": "休暇について教えてください"}, {"id": "b", "messages": conversation}]
    for command in (["assess"], ["assess", "--bot", "komachi"]):
        first, second = pipe(command, home, rows)
        assert (first["id"], second["id"]) == (1, "b") and first["assessment"] == second["assessment"]
        assert first["row"] in range(1, 7) and first["decision"] in ("ask", "search")
        assert bool(first["ask"]) == (first["decision"] == "ask")


def test_assess_and_a_turn_of_the_bot_agree(home: Path) -> None:
    asked = [
        {"role": "user", "text": "休暇について教えてください"},
        {"role": "assistant", "text": "どの休暇ですか？", "asks": True, "choices": ["年次有給休暇", "子の看護休暇"]},
    ]
    texts = (
        "休暇について教えてください",
        "こうつうひのせいさんをしたい",  # in kana
        "Netflixを解約したい",  # a product that the documents do not know
        "休暇はありますか?あと経費はどうすればいい?",  # two questions
        "経費がもらえなくて困っています。もう最悪です",
    )
    rows = [{"id": text, "text": text} for text in texts]
    picked = {"role": "user", "text": "年次有給休暇"}  # a document of two sections
    rows.append({"id": "picked", "messages": [*asked, picked]})
    assessed, turns = (pipe([command, "--bot", "komachi"], home, rows) for command in ("assess", "ask"))
    for name in ("id", "assessment", "row", "decision"):
        assert [one[name] for one in assessed] == [one[name] for one in turns]


def test_rewrite_leaves_one_message_alone_and_joins_several(home: Path) -> None:
    user, bot = (
        {"role": "user", "text": "休暇について教えてください"},
        {"role": "assistant", "text": "どの休暇ですか？"},
    )
    last = {"role": "user", "text": "子どもの看護休暇は取れるでしょうか"}
    alone, joined = pipe(["rewrite"], home, [{"id": 1, "messages": [user]}, {"id": 2, "messages": [user, bot, last]}])
    assert alone["query"] == user["text"] and "看護休暇" in joined["query"]


def test_search_finds_documents_of_a_corpus_and_leaves_no_index_behind(home: Path) -> None:
    corpus = [
        {"id": 7, "text": "休暇は三日前までに申請します。"},
        {"id": "b", "title": "精算", "text": "交通費は十日まで。"},
    ]
    (home / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in corpus), "utf-8")
    queries = [{"id": "x", "query": "交通費の精算"}, {"id": "y", "query": "休暇の申請"}, {"id": "z", "query": ""}]
    (home / "queries.jsonl").write_text("\n".join(json.dumps(row) for row in queries), "utf-8")
    found = home / "found.jsonl"
    files = ["--corpus", str(home / "corpus.jsonl"), "--queries", str(home / "queries.jsonl")]
    assert main(["search", *files, "--k", "1", "--out", str(found)]) == 0
    first, second, empty = rows_of(found)
    assert [hit["id"] for hit in first["hits"]] == ["b"] and [hit["id"] for hit in second["hits"]] == [7]
    assert empty["hits"] == [] and "empty" in empty["error"]
    assert not (home / "data").exists()


def test_search_finds_each_document_of_a_bot_once(home: Path) -> None:
    (home / "queries.jsonl").write_text(json.dumps({"id": 1, "query": "休暇の日数と申請"}), "utf-8")
    arguments = ["--queries", str(home / "queries.jsonl"), "--out", str(home / "found.jsonl")]
    assert main(["search", "--bot", "komachi", *arguments]) == 0
    hits = rows_of(home / "found.jsonl")[0]["hits"]
    assert {hit["id"] for hit in hits} >= {"leave.md", "care.md"} and len({hit["id"] for hit in hits}) == len(hits)
    assert all(hit["heading"] for hit in hits)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_judge_gives_one_row_per_criterion(home: Path) -> None:
    right = {
        "id": 1,
        "question": "期限はいつですか",
        "answer": "翌月の10日までです。",
        "reference": "翌月の10日までです。",
    }
    rows = [
        right | {"contexts": ["交通費は翌月の10日までに精算します。"]},
        right | {"id": 2, "reference": ["10日", "翌月10日"], "contexts": [{"text": "翌月の10日まで"}], "kind": ""},
        right
        | {"id": 3, "history": [{"role": "user", "text": "交通費"}, {"role": "assistant", "text": "何をですか？"}]},
    ]
    scores = pipe(["judge", "turn"], home, rows)
    assert len(scores) == 18 and [row["id"] for row in scores[::6]] == [1, 2, 3]
    assert set(scores[0]) == {"id", "judge", "criterion", "value", "label", "reasons", "error"}
    overall = scores[5]
    assert (overall["criterion"], overall["error"]) == ("overall", "") and overall["value"] == int(overall["label"]) / 5


HOSTILE = [
    "",
    " ",
    "😀",
    "\x00\ud800",
    "<script>alert(1)</script>",
    "あ" * 20_000,
    "a " * 9_000,
    "| | |\n|-|-|",
    "$x$ {{y}}",
]


@pytest.mark.parametrize("command", [["assess"], ["assess", "--bot", "komachi"], ["rewrite"], ["judge", "turn"]])
def test_a_strange_text_still_gives_a_row(home: Path, command: list[str]) -> None:
    rows = [
        {"id": number, "text": text, "question": text, "answer": text}
        if command[0] != "rewrite"
        else {"id": number, "messages": [{"role": "user", "text": text}]}
        for number, text in enumerate(HOSTILE)
    ]
    results = pipe(command, home, rows)
    assert list(dict.fromkeys(row["id"] for row in results)) == list(range(len(HOSTILE)))
    assert all("error" in row for row in results) and all(row["error"] for row in results if row["id"] == 0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not a JSON object"),
        ("[1]", "row 2"),
        ('{"text": "a"}', "id"),
        ('{"id": 1}', "either text or messages"),
        ('{"id": 1, "text": 5}', "text"),
        ('{"id": 1, "messages": [{"role": "judge", "text": "a"}]}', "role"),
        ("[" * 100_000, "row 2"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(
    home: Path, capsys: pytest.CaptureFixture[str], line: str, why: str
) -> None:
    (home / "in.jsonl").write_text('{"id": 0, "text": "a"}\n' + line, "utf-8")
    shown_text = refused(capsys, "assess", "--in", str(home / "in.jsonl"), "--out", str(home / "out.jsonl"))
    assert "row 2" in shown_text and why in shown_text and not (home / "out.jsonl").exists()


def test_a_dash_means_standard_input_and_output(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({"id": 1, "messages": [{"role": "user", "text": "期限は"}]}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line)))
    assert main(["rewrite", "--in", "-", "--out", "-"]) == 0
    assert json.loads(capsysbinary.readouterr().out) == {"id": 1, "query": "期限は", "error": ""}


def test_index_counts_documents_and_passages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "--bot", "komachi", "--json"]) == 0
    built = json.loads(capsys.readouterr().out)
    assert (built["bot"], built["documents"], built["passages"]) == ("komachi", 3, 4)


def test_index_names_documents_without_text_and_refuses_a_bot_without_any(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = home / "knowledge" / "komachi" / "documents"
    (documents / "leer.md").write_bytes(b"")
    assert main(["index", "--bot", "komachi"]) == 0
    printed = capsys.readouterr()
    assert "4 documents" in printed.out and "leer.md" in printed.err and printed.err.count("\n") == 1
    for file in documents.iterdir():
        file.write_text(" \n", "utf-8")
    assert "komachi has no text" in refused(capsys, "index", "--bot", "komachi")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("ask", "", "--bot", "komachi"), "empty"),
        (("ask", "あ" * 20_000, "--bot", "komachi"), "20,000"),
        (("ask", "期限は", "--bot", "nowhere"), "komachi"),
        (("ask", "期限は", "--bot", "../komachi"), "no bot"),
        (("assess", "--in", "nowhere.jsonl"), "nowhere.jsonl"),
        (("judge", "oracle", "--in", "nowhere.jsonl"), "oracle"),
        (("simulate", "--bot", "komachi", "--personas", "nobody"), "nobody"),
        (("simulate", "--bot", "komachi", "--questions", "q9"), "q9"),
        (("simulate", "--bot", "komachi", "--questions", "complaint"), "complaint"),
        (("simulate", "--bot", "komachi", "--questions", "faq,zzz"), "'zzz'"),
        (("simulate", "--bot", "komachi", "--questions", "faq,complaint"), "of kind complaint"),
        (("simulate", "--bot", "komachi", "--repeats", "0"), "at least 1"),
        (("simulate", "--bot", "komachi", "--repeats", "1000"), "repeats"),
        (("simulate", "--bot", "komachi", "--fail-under", "90"), "between 0 and 1"),
        (("search", "--queries", "q.jsonl"), "--bot"),
        (("dance",), "dance"),
        ((), "COMMAND"),
    ],
)
def test_what_cannot_be_used_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], why: str
) -> None:
    assert why in refused(capsys, *command)


def test_a_broken_bot_a_headless_question_file_and_a_blocked_data_folder_are_reported(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = home / "knowledge" / "komachi"
    (home / "data").write_text("in the way")
    assert "data" in refused(capsys, "runs")
    assert "data" in refused(capsys, "index", "--bot", "komachi")
    (home / "data").unlink()
    (bot / "questions.csv").write_text("id,text\n1,期限は\n", "utf-8")
    assert "question" in refused(capsys, "simulate", "--bot", "komachi")
    (bot / "bot.toml").write_text('name = "', "utf-8")
    assert "bot.toml" in refused(capsys, "ask", "期限は", "--bot", "komachi")
