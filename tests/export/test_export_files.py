"""Runs taken away: what stands in a workbook, a CSV file and JSON Lines, read with other libraries."""

from __future__ import annotations

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import event, insert, update

from core.analysis.confidence_intervals import mean_interval
from core.analysis.simulator_health import invalid_conversations
from core.base.errors import BadInput
from core.base.files import replacing
from core.base.tables import escape_formula
from core.base.translate import translator
from core.base.types import Score, Turn
from core.export import xlsx as workbook
from core.export.cells import fit_cell, utf16_length
from core.export.run_export import Export
from core.store.schema import SCORES, TURNS
from core.store.store import Store
from tests.support.export_runs import FORMULA, TEXTS, an_awkward_run, an_export, book_of, written
from tests.support.failing_turns import EXPENSES, LINE, VAGUE, answering, run_with_failures, scores
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score

RED = "FFF8C9C4"


def test_files_say_how_many_unfinished_conversations_their_means_include(store: Store) -> None:
    a_run(store, "r1", failed=1)
    store.scores.add(store.conversations.add_turn("r1-4", 1, a_turn()), [a_score(0.4)])
    rows = {row[0].value: row[1].value for row in book_of(store)["まとめ"].iter_rows()}
    shown_text = "未完了の会話のターン（平均に含む）"
    assert rows[shown_text] == 1 and shown_text in written(store, "html").decode()


def test_the_first_sheet_has_the_published_layout(store: Store) -> None:
    an_awkward_run(store)
    book = book_of(store)
    assert book.sheetnames == ["会話", "まとめ", "ターン", "採点", "直すところ", "設定"]
    rows = list(book.worksheets[0].iter_rows())
    heads = [cell.value for cell in rows[0]]
    assert heads[0].startswith("日時（UTC") and heads[1] == "ペルソナ"
    assert heads[2:8] == ["ユーザー 1", "ボット 1", "チェック 1", "ユーザー 2", "ボット 2", "チェック 2"]
    assert len(rows) == 1 + 5
    first = rows[1]
    assert isinstance(first[0].value, datetime) and first[0].is_date and first[1].value == "落ち着いた人"
    assert first[2].value == FORMULA and first[2].data_type == "s"
    assert first[4].value == "▼ 2 / 5（要注意ライン未満）\n-足りない"
    assert book.worksheets[0].freeze_panes == "C2" and book.worksheets[0].auto_filter.ref


def test_answers_below_the_line_are_red_and_no_others(store: Store) -> None:
    an_awkward_run(store)
    sheet = book_of(store).worksheets[0]
    red = [[cell.column for cell in row if cell.fill.fgColor.rgb == RED] for row in sheet.iter_rows(min_row=2)]
    assert red == [[4, 5, 7, 8], [], [], [], []]  # 0.9 reaches the line; unscored and failed are not low


def test_what_is_unscored_or_failed_stays_and_is_never_zero(store: Store) -> None:
    an_awkward_run(store)
    book = book_of(store)
    rows = [dict(zip((c.value for c in book.worksheets[0][1]), (c.value for c in row), strict=True)) for row in book.worksheets[0].iter_rows(min_row=2)]  # fmt: skip
    assert rows[3]["スコア"] is None and "読めない返事" in rows[3]["チェック 1"]
    assert rows[4]["終了理由"] == "失敗" and rows[4]["エラー"] == "モデルが倒れました" and rows[4]["スコア"] is None
    lost = [row for row in book["採点"].iter_rows(values_only=True) if row[2] == "正確さ"]
    assert len(lost) == 5 and all(row[5] is None and row[8] for row in lost)  # planned, never judged


def test_no_cell_of_a_workbook_is_a_formula_or_a_link(store: Store) -> None:
    an_awkward_run(store)
    for sheet in book_of(store).worksheets:
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" and cell.hyperlink is None for cell in row)
    said = {cell.value for cell in book_of(store)["ターン"]["G"]}
    assert {TEXTS[0], TEXTS[2], TEXTS[3], "期限は？"} <= said  # control characters are gone, all else is there


def test_a_long_cell_is_cut_with_a_note() -> None:
    assert fit_cell("あ" * 10, 10, "…") == "あ" * 10
    cut = fit_cell("😀" * 40_000, 32_767, "（ここまで）")
    assert utf16_length(cut) <= 32_767 and cut.endswith("😀 （ここまで）")


def test_cells_of_a_csv_file_are_cut_at_what_excel_holds_with_the_note_of_the_workbook(store: Store) -> None:
    an_awkward_run(store)
    with store.db.write() as connection:
        connection.execute(update(TURNS).values(reply_text="=" + "あ" * 49_999))
    rows = list(csv.reader(io.StringIO(written(store, "csv").decode("utf-8-sig"), newline="")))
    assert utf16_length(rows[1][3]) == 32_767 and rows[1][3].startswith("'=あ")
    note = translator("ja")("export.cut")
    cut = book_of(store).worksheets[0]["D2"].value
    assert rows[1][3].endswith(f"あ {note}") and cut.endswith(f"あ {note}") and utf16_length(cut) == 32_767
    whole = [json.loads(line) for line in written(store, "jsonl").splitlines()]
    assert {len(line["reply_text"]) for line in whole if line["type"] == "turn"} == {50_000}


def test_a_full_sheet_goes_on_in_a_further_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    an_awkward_run(store)
    monkeypatch.setattr(workbook, "MOST_ROWS", 4)
    book = book_of(store)
    assert [name for name in book.sheetnames if name.startswith("会話")] == ["会話", "会話 2"]
    numbers = [row[-4] for name in ("会話", "会話 2") for row in book[name].iter_rows(min_row=2, values_only=True)]
    assert numbers == [1, 2, 3, 4, 5]


def test_an_english_workbook_speaks_english(store: Store) -> None:
    an_awkward_run(store)
    book = book_of(store, language="en")
    assert book.sheetnames[0] == "Conversations" and book.worksheets[0]["C1"].value == "User 1"
    assert book.worksheets[0]["E2"].value.startswith("▼ 2 of 5 (below the alert mark)")


def test_the_summary_is_that_of_the_results_page(store: Store) -> None:
    an_awkward_run(store, conversations=15)
    rows = {row[0]: row[1:] for row in book_of(store)["まとめ"].iter_rows(values_only=True)}
    score, sure = rows["スコア (ターンの採点：総合)"], mean_interval([0.4, 1.0, 0.9] * 3)
    assert score[0] == pytest.approx((0.4 + 1.0 + 0.9) / 3) and score[1] == 9
    assert sure and score[2:4] == pytest.approx((sure.low, sure.high), abs=0.01)
    assert rows["会話"][0] == 15 and rows["失敗した会話"][0] == 3 and rows["未採点のターン"][0] == 3


def test_a_summary_of_few_scenarios_has_no_interval(store: Store) -> None:
    an_awkward_run(store)
    rows = {row[0]: row[1:] for row in book_of(store)["まとめ"].iter_rows(values_only=True)}
    score = rows["スコア (ターンの採点：総合)"]
    assert score[1:4] == (3, None, None) or score[1:4] == (3, "", "")


def test_a_csv_file_opens_right_and_holds_no_formula(store: Store) -> None:
    an_awkward_run(store)
    data = written(store, "csv")
    assert data.startswith(b"\xef\xbb\xbf") and data.count(b"\xef\xbb\xbf") == 1
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len(rows) == 6 and all(len(row) == len(rows[0]) for row in rows)
    assert rows[1][2] == "'=1+1" and rows[1][8] == "'@ありがとう"
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert len(written(store, "csv", "turns").splitlines()) > 5


@pytest.mark.parametrize("table", ["conversations", "turns", "scores"])
def test_a_csv_file_says_which_engine_replied_and_judged_and_how_far_the_judge_agrees(store: Store, table: str) -> None:
    an_awkward_run(store)
    rows = list(csv.DictReader(io.StringIO(written(store, "csv", table).decode("utf-8-sig"), newline="")))
    assert {row["返答したエンジン"] for row in rows} == {row["採点したエンジン"] for row in rows} == {"内蔵エンジン"}
    agreement = {row.get("採点者", "ターンの採点"): row["採点者の一致度"] for row in rows}
    assert "中程度（MTRAG 237 件で順位相関 0.37" in agreement["ターンの採点"]
    assert (table == "scores") is ("EVOUNA 8,000 件で一致率 94%" in agreement.get("正確さ", ""))


def test_json_lines_give_everything_back(store: Store) -> None:
    an_awkward_run(store)
    lines = [json.loads(line) for line in written(store, "jsonl").splitlines()]
    assert [line["type"] for line in lines[:2]] == ["run", "snapshot"]
    assert lines[0]["plan"]["judges"] == ["turn", "correctness"] and lines[1]["engine"] == "embedded"
    assert lines[-1] == {"type": "end", "run": "r1", "conversations": 5, "turns": 5}
    assert lines[0]["replied"] == "embedded" and list(lines[0]["judged"]) == ["turn", "correctness"]
    assert lines[0]["judged"]["turn"]["engine"] == "embedded" and lines[0]["judged"]["turn"]["agreement"][0]["n"] > 100
    turns = [line for line in lines if line["type"] == "turn"]
    stored = [turn for row in store.conversations.of_run("r1") for turn in store.conversations.turns(row.id)]
    assert [turn["user_text"] for turn in turns] == [turn.user_text for turn in stored]
    assert [Turn.model_validate(turn["record"]) for turn in turns] == [turn.turn for turn in stored]
    for turn, row in zip(turns, stored, strict=True):
        verdicts = [(one["criterion"], one["value"]) for one in turn["scores"] if one["judge"] == "turn"]
        assert verdicts == [(one.criterion, one.value) for one in row.scores]


def test_one_version_counts_and_every_repeat_is_a_row(store: Store) -> None:
    a_run(store, "r1")
    turn = store.conversations.turns("r1-1")[0].id
    repeat = {"turn_id": turn, "judge": "turn", "criterion": "overall", "version": "v1", "label": "2", "reasons": "", "error": ""}  # fmt: skip
    with store.db.write() as connection:
        connection.execute(insert(SCORES), {**repeat, "value": 0.4, "repeat": 2})
    store.scores.add(turn, [Score(judge="turn", criterion="overall", value=0.1, label="x", version="v2")])
    first = next(store.records.conversations("r1"))
    assert [(one.version, one.repeat, one.value) for one in first.turns[0].verdicts] == [("v1", 1, 0.8), ("v1", 2, 0.4)]
    row = next(book_of(store).worksheets[0].iter_rows(min_row=2, values_only=True))
    assert row[-7] == pytest.approx(0.6) and "4 / 5、2 / 5" in row[4]


def test_conversations_are_read_a_few_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.export_records.CHUNK", 5)
    an_awkward_run(store, conversations=23)
    asked: list[str] = []
    event.listen(store.db.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    rest = store.records.conversations("r1")
    next(rest)
    begun = sum("FROM conversations" in text and "LIMIT" in text for text in asked)
    assert begun == 1
    assert [conversation.number for conversation in rest] == list(range(2, 24))
    assert sum("FROM conversations" in text and "LIMIT" in text for text in asked) == 6


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    file.write_text("old")
    with pytest.raises(BadInput, match="the disk is full"):
        _half(file)
    assert file.read_text() == "old" and [one.name for one in tmp_path.iterdir()] == ["run.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_or_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "pipe"
    os.mkfifo(file)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(file.read_bytes)
        with replacing(file) as out:
            out.write(b"whole")
        assert read.result(20) == b"whole"
    assert file.is_fifo() and [one.name for one in tmp_path.iterdir()] == ["pipe"]


def _half(file: Path) -> None:
    with replacing(file) as out:
        out.write(b"half")
        raise OSError(28, "No space left on device")


def test_an_unknown_run_is_reported(store: Store) -> None:
    with pytest.raises(BadInput) as error:
        an_export(store, "nope").write("csv", io.BytesIO())
    assert error.value.key == "unknown_run"


def test_a_format_without_a_writer_is_an_error(store: Store) -> None:
    with pytest.raises(ValueError, match="parquet"):
        an_export(store, "run-1").write(cast(Any, "parquet"), io.BytesIO())


def test_what_to_fix_stands_in_the_workbook_and_the_report_as_on_the_page(store: Store) -> None:
    run_with_failures(
        store,
        [
            (EXPENSES, [(answering("10日ではなく5日です。", ("keihi.md", LINE)), scores(0.4, correctness=False, sufficiency=True))]),
            (VAGUE, [(answering("30日です。", ("=kyuka.md", "別のこと")), scores(1.0, correctness=True))]),
        ],
    )  # fmt: skip
    export = an_export(store, "run-1")
    rows = list(book_of(store, "run-1")["直すところ"].iter_rows(values_only=True))
    assert len(rows) == 2 and len(export.failures.turns) == 1
    row = dict(zip(rows[0], rows[1], strict=True))
    assert (row["原因"], row["文書"], row["質問"]) == ("資料を使っていない", "keihi.md", EXPENSES.question)
    assert row["減点"] == 1 and row["ターン数"] == 1 and EXPENSES.reference in row["理由（いちばん低いターン）"]
    assert row["直し方"] and [row["その会話 ID"]] == [one.conversation for one in export.failures.turns]
    summed = {row[0]: row[1:3] for row in book_of(store, "run-1")["まとめ"].iter_rows(values_only=True)}
    assert summed["減点されたターン（総合 3 以下、または不正解）"] == (1, 2)
    out = io.BytesIO()
    export.write("html", out)
    shown_text = out.getvalue().decode().split('class="fixes"')
    assert len(shown_text) == 2 and "資料を使っていない" in shown_text[1] and "keihi.md" in shown_text[1]
    assert "要修正は採点済み 2 ターン中 1 ターン" in shown_text[0]


def test_where_nothing_lost_points_the_sheet_says_so(store: Store) -> None:
    run_with_failures(store, [(EXPENSES, [(answering("翌月の10日です。", ("keihi.md", LINE)), scores(1.0))])])
    rows = list(book_of(store, "run-1")["直すところ"].iter_rows(values_only=True))
    assert len(rows) == 2 and "直すところはありません" in rows[1][0]


def test_a_formula_behind_a_line_break_is_text_too() -> None:
    assert [escape_formula(text) for text in ("\n=1+1", "\r=1+1", "=1", "a\n=1")] == [
        "'\n=1+1",
        "'\r=1+1",
        "'=1",
        "a\n=1",
    ]


def test_invalid_conversations_are_counted(store: Store) -> None:
    def shown_text(label: str, value: float) -> Score:
        return Score(judge="simulated_user", criterion="simulated_user", value=value, label=label, version="v")

    conversations = [
        (shown_text("invalid:spoke_as_desk", 0.0), 1),
        (shown_text("ok", 1.0), 2),
        (shown_text("invalid:repeats", 0.0), 1),
    ]
    run_with_failures(
        store,
        [
            (EXPENSES, [(answering("5日です。", ("keihi.md", LINE)), [*scores(0.8), one])] * n)
            for one, n in conversations
        ],
    )
    rows = {row[0]: row[1] for row in book_of(store, "run-1")["まとめ"].iter_rows(values_only=True)}
    stored = invalid_conversations(store.scores.user_faults("run-1"))
    assert stored and rows["無効な会話"] == len(stored)


def test_a_turn_above_the_alert_mark_is_not_low_though_it_is_below_the_pass_mark(store: Store) -> None:
    an_awkward_run(store)
    layout = Export(store, "r1", "ja", pass_mark=0.9, alert_mark=0.7).layout
    assert (layout.is_below_alert(0.8), layout.is_below_alert(0.6)) == (False, True)
    settings_sheet = {row[0].value: row[1].value for row in book_of(store)["まとめ"].iter_rows()}
    assert settings_sheet["要注意ライン"] == 0.9  # the one that this export was given
