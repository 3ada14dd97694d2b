"""What is stored comes back, whatever happens in between."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from core.analysis.run_means import summarise
from core.base.errors import BadInput
from core.base.types import Profile, Scenario, Score
from core.store.database import now
from core.store.export_records import NOT_JUDGED, SCORE_COLUMNS
from core.store.rows import ConversationRow, RunRow
from core.store.schema import METADATA, TABLES_VERSION
from core.store.store import Store, open_store
from core.store.upgrade import MIGRATIONS
from tests.support.small_bot import a_turn

GOOD = Score(
    judge="turn", criterion="overall", value=0.8, label="4", reasons="the figure is in passage 1", version="v1"
)
NONE = Score(judge="turn", criterion="correctness", value=None, error="unreadable", version="v1")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'data' / 'kiku.db'}")


def a_run(
    store: Store, run_id: str = "r1", conversations: int = 2, bot: str = "komachi", judges: tuple[str, ...] = ()
) -> str:
    run = RunRow(
        id=run_id, bot=bot, name="first", language="ja", status="running", seed=1, max_turns=3, total=conversations,
        created_at=now(), plan={"bot": bot, "judges": judges},
    )  # fmt: skip
    store.runs.create(run, {"engine": "embedded"}, [a_conversation(run_id, n) for n in range(1, conversations + 1)])
    return run_id


def a_conversation(run_id: str, number: int) -> ConversationRow:
    scenario = Scenario(id=f"q{number}", question="期限は？", kind="faq", needs_asking=False)
    return ConversationRow(
        id=f"{run_id}-{number}", run_id=run_id, bot="komachi", number=number, scenario_id=scenario.id,
        scenario=scenario, persona_id="calm", persona_name="落ち着いた人", kind="faq", question=scenario.question,
    )  # fmt: skip


def has_the_tables_of_the_code(store: Store) -> bool:
    def wanted(thing: object, name: str | None, *_: object) -> bool:
        return name != "ix_scores_turn_id"  # of PostgreSQL

    with store.db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": wanted})
        return compare_metadata(context, METADATA) == []


def test_a_new_database_has_exactly_the_tables_that_the_code_knows(store: Store) -> None:
    assert has_the_tables_of_the_code(store)


def test_a_database_of_the_first_release_gets_the_tables_that_the_code_knows(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "kiku.db")) as old:
        old.executescript(Path(__file__).with_name("first_tables.sql").read_text("utf-8"))
    assert has_the_tables_of_the_code(Store(f"sqlite:///{tmp_path / 'kiku.db'}"))


def test_the_version_of_the_tables_is_that_of_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == TABLES_VERSION


def test_sqlite_writes_ahead_and_checks_foreign_keys(store: Store) -> None:
    with store.db.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_database_opened_again_still_has_its_runs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kiku.db'}"
    first = Store(url)
    a_run(first)
    first.close()
    assert [run.id for run in Store(url).runs.all()] == ["r1"]


def test_one_address_gives_one_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kiku.db'}"
    with ThreadPoolExecutor(8) as threads:
        assert len({id(store) for store in threads.map(lambda _: open_store(url), range(16))}) == 1


def test_a_turn_comes_back_whole_but_for_the_text_of_its_sections(store: Store) -> None:
    a_run(store)
    turn = a_turn()
    store.conversations.add_turn("r1-1", 1, turn, "opening")
    (row,) = store.conversations.turns("r1-1")
    assert row.turn is not None
    assert row.turn.sections[0].text == ""
    assert row.turn.model_copy(update={"sections": turn.sections}) == turn
    assert (row.user_text, row.decision, row.rule, row.answered) == (turn.message, "search", 6, True)
    assert (row.user_state, row.seconds) == ("opening", 0.75)


def test_an_unscored_criterion_is_stored_as_no_value(store: Store) -> None:
    a_run(store)
    turn_id = store.conversations.add_turn("r1-1", 1, a_turn())
    store.scores.add(turn_id, (GOOD, NONE))
    (row,) = store.conversations.turns("r1-1")
    assert [(s.criterion, s.value, s.error, s.version) for s in row.scores] == [
        ("overall", 0.8, "", "v1"),
        ("correctness", None, "unreadable", "v1"),
    ]
    frame = store.records.score_frame("r1")
    assert frame["value"].isna().tolist() == [False, True]


def test_the_table_of_scores_has_its_columns_even_when_it_is_empty(store: Store) -> None:
    a_run(store)
    empty = store.records.score_frame("r1")
    assert tuple(empty.columns) == SCORE_COLUMNS and empty.empty
    store.scores.add(store.conversations.add_turn("r1-2", 1, a_turn(), "opening"), (GOOD,))
    row = store.records.score_frame("r1").iloc[0]
    assert (row["scenario"], row["persona"], row["turn"], row["answered"], row["label"]) == ("q2", "calm", 1, True, "4")


def test_a_turn_that_a_crash_left_without_scores_is_there_as_unscored(store: Store) -> None:
    a_run(store, judges=("turn",))
    store.conversations.add_turn("r1-1", 1, a_turn())
    store.scores.add(store.conversations.add_turn("r1-1", 2, a_turn(), "going_on"), (NONE, GOOD))
    assert len(store.records.score_frame("r1")) == 2  # the first is still being judged
    store.runs.finish("r1", "interrupted")
    frame = store.records.score_frame("r1")
    assert frame["turn"].tolist() == [1, 1, 2, 2] and frame["criterion"].tolist() == ["correctness", "overall"] * 2
    assert frame["value"].isna().tolist() == [True, True, True, False] and set(frame["error"][:2]) == {NOT_JUDGED}
    summary = summarise(frame, store.conversations.of_run("r1"))
    assert (summary.turns, summary.unscored, summary.score, summary.stopped) == (2, 1, 0.8, 2)


def test_where_all_scores_are_lost_every_turn_is_unscored_unless_no_judge_was_asked(store: Store) -> None:
    for run_id, judges in (("r1", ("turn",)), ("r2", ())):
        a_run(store, run_id, judges=judges)
        store.conversations.add_turn(f"{run_id}-1", 1, a_turn())
        store.runs.finish(run_id, "interrupted")
    unscored = [
        summarise(store.records.score_frame(run), store.conversations.of_run(run)).unscored for run in ("r1", "r2")
    ]
    assert unscored == [1, 0] and store.records.score_frame("r2").empty


def test_a_run_that_is_over_keeps_its_status(store: Store) -> None:
    a_run(store)
    store.runs.finish("r1", "done")
    store.runs.finish("r1", "interrupted")
    assert store.runs.progress("r1").status == "done"


def test_progress_counts_every_conversation_once(store: Store) -> None:
    a_run(store, conversations=5)
    store.conversations.start("r1-1")
    store.conversations.add_turn("r1-1", 1, a_turn())
    store.conversations.finish("r1-1", "done", "ありがとう")
    store.conversations.start("r1-2")
    store.conversations.fail("r1-2", "the model fell over")
    store.conversations.start("r1-3")
    now = store.runs.progress("r1")
    assert (now.done, now.failed, now.running, now.turns, now.finished) == (1, 1, 1, 1, 2)
    assert now.eta_seconds is not None and now.eta_seconds >= 0
    store.runs.finish("r1", "stopped")
    after = store.runs.progress("r1")
    assert (after.status, after.stopped, after.running, after.eta_seconds) == ("stopped", 3, 0, None)


def test_a_failed_conversation_keeps_its_sentence_and_its_turns(store: Store) -> None:
    a_run(store)
    store.conversations.add_turn("r1-1", 1, a_turn())
    store.conversations.fail("r1-1", "the model fell over")
    failed = store.conversations.of_run("r1", "failed")
    assert [(row.id, row.error) for row in failed] == [("r1-1", "the model fell over")]
    assert len(store.conversations.turns("r1-1")) == 1


def test_runs_are_listed_newest_first_and_by_bot(store: Store) -> None:
    for name, bot in (("r1", "komachi"), ("r2", "other"), ("r3", "komachi")):
        a_run(store, name, 1, bot)
    assert [run.id for run in store.runs.all()] == ["r3", "r2", "r1"]
    assert [run.id for run in store.runs.all("komachi")] == ["r3", "r1"]
    assert store.runs.get("r2") is not None and store.runs.get("nowhere") is None
    assert store.conversations.get("r1-1") is not None and store.conversations.get("nowhere") is None
    assert store.runs.snapshot("r1") == {"engine": "embedded"}


def test_a_deleted_run_leaves_nothing_behind(store: Store) -> None:
    a_run(store)
    store.scores.add(store.conversations.add_turn("r1-1", 1, a_turn(), "opening"), (GOOD,))
    with pytest.raises(BadInput, match="Stop it first"):
        store.runs.delete("r1")
    store.runs.finish("r1", "done")
    store.runs.delete("r1")
    with store.db.read() as connection:
        for table in ("runs", "conversations", "turns", "scores"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0


def test_a_run_can_be_renamed(store: Store) -> None:
    a_run(store)
    store.runs.rename("r1", " after the new prompt ")
    run = store.runs.get("r1")
    assert run is not None and run.name == "after the new prompt"


def test_many_threads_write_at_once_and_nothing_is_lost(store: Store) -> None:
    a_run(store, conversations=40)

    def hold(number: int) -> None:
        mark = f"r1-{number}"
        store.conversations.start(mark)
        for turn in (1, 2, 3):
            store.scores.add(store.conversations.add_turn(mark, turn, a_turn()), (GOOD,))
        store.conversations.finish(mark, "done")

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(hold, range(1, 41)))
    now = store.runs.progress("r1")
    assert (now.done, now.turns, len(store.records.score_frame("r1"))) == (40, 120, 120)


def test_two_stores_on_one_file_wait_for_each_other(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kiku.db'}"
    both = (Store(url), Store(url))
    a_run(both[0], conversations=2)

    def write(store: int) -> None:
        for number in range(1, 31):
            both[store].conversations.add_turn(f"r1-{store + 1}", number, a_turn())

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, (0, 1)))
    assert both[1].runs.progress("r1").turns == 60


def test_a_persons_message_is_stored_before_the_bot_replies(store: Store) -> None:
    chat = store.chats.create("komachi", Profile(department="営業"))
    assert store.chats.newest("komachi") == []
    turn_id = store.chats.begin_turn(chat, "期限はいつですか")
    (waiting,) = store.chats.turns(chat)
    assert (waiting.user_text, waiting.turn, waiting.reply_text) == ("期限はいつですか", None, "")
    store.chats.finish_turn(turn_id, a_turn())
    (row,) = store.chats.turns(chat)
    assert row.turn is not None and row.reply_text == "10日までです。[1]"
    (listed,) = store.chats.newest("komachi")
    assert (listed.title, listed.profile.department) == ("期限はいつですか", "営業")
    assert store.chats.newest("other") == []


def test_a_reply_that_failed_leaves_its_sentence(store: Store) -> None:
    chat = store.chats.create("komachi")
    store.chats.fail_turn(store.chats.begin_turn(chat, "期限は"), "the model fell over")
    (row,) = store.chats.turns(chat)
    assert (row.turn, row.error) == (None, "the model fell over")


def test_a_message_has_ended_with_its_reply_or_with_the_reason_why_there_is_none(store: Store) -> None:
    chat = store.chats.create("komachi")
    waiting, failed, replied = (store.chats.begin_turn(chat, text) for text in ("期限は", "金額は", "窓口は"))
    store.chats.fail_turn(failed, "the model fell over")
    store.chats.finish_turn(replied, a_turn())
    assert [store.chats.has_ended(turn) for turn in (waiting, failed, replied)] == [False, True, True]


def test_a_long_first_message_is_cut_in_the_list_of_chats(store: Store) -> None:
    chat = store.chats.create("komachi")
    store.chats.begin_turn(chat, "あ" * 8000)
    assert len(store.chats.newest("komachi")[0].title) == 60
    assert store.chats.get(chat) == store.chats.newest("komachi")[0]


def test_feedback_can_be_given_changed_and_taken_back(store: Store) -> None:
    chat = store.chats.create("komachi")
    turn_id = store.chats.begin_turn(chat, "期限は")
    store.chats.add_feedback(turn_id, "down")
    store.chats.add_feedback(turn_id, "down", "wrong month")
    store.chats.add_feedback(turn_id, "asked_too_much")
    (row,) = store.chats.turns(chat)
    assert [(one.kind, one.comment) for one in row.feedback] == [("down", "wrong month"), ("asked_too_much", "")]
    store.chats.remove_feedback(turn_id, "down")
    assert [one.kind for one in store.chats.turns(chat)[0].feedback] == ["asked_too_much"]
    with pytest.raises(BadInput):
        store.chats.add_feedback(turn_id, "sideways")


def test_a_persons_profile_is_remembered(store: Store) -> None:
    assert store.chats.profile() == Profile()
    store.chats.save_profile(Profile(office="大阪", patience="talk"))
    assert store.chats.profile() == Profile(office="大阪", patience="talk")


def test_hostile_text_is_only_text(store: Store) -> None:
    chat = store.chats.create("komachi'; DROP TABLE turns; --")
    text = "'); DROP TABLE turns; -- \x00 <script>$x$</script> 😀"
    store.chats.finish_turn(store.chats.begin_turn(chat, text), a_turn(text))
    (row,) = store.chats.turns(chat)
    assert row.user_text == text and row.turn is not None and row.turn.message == text


@pytest.mark.parametrize("kind", ["a file where the folder should be", "a folder where the file should be", "noise"])
def test_a_data_folder_that_cannot_be_used_is_reported_in_one_sentence(tmp_path: Path, kind: str) -> None:
    folder, file = tmp_path / "data", tmp_path / "data" / "kiku.db"
    if kind == "a file where the folder should be":
        folder.write_text("")
    elif kind == "a folder where the file should be":
        file.mkdir(parents=True)
    else:
        folder.mkdir()
        file.write_bytes(b"not a database" * 1000)
    with pytest.raises(BadInput) as error:
        Store(f"sqlite:///{file}")
    keys = {"noise": "database_damaged", "a folder where the file should be": "database_not_file"}
    assert error.value.key == keys.get(kind, "data_folder")
    assert "\n" not in str(error.value) and "data" in str(error.value)


def test_threads_that_open_new_databases_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda name: Store(f"sqlite:///{tmp_path / str(name) / 'kiku.db'}"), range(4)))
    assert all(store.runs.all() == [] for store in stores)
