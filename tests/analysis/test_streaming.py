"""What is counted while a run goes by: in little room, and as the pages count it."""

from __future__ import annotations

import io
import tracemalloc

import pytest

from core.analysis.aggregate import conversation_scores, criteria_of, mean_score
from core.analysis.conversation_list import list_conversations
from core.analysis.simulator_health import invalid_conversations
from core.analysis.streaming import RunTally, run_totals
from core.base.types import Score
from core.store.database import now
from core.store.export_records import ExportedConversation, ExportedScore, ExportedTurn
from core.store.score_tables import score_values
from core.store.store import Store
from tests.support.export_runs import an_awkward_run, an_export

BAD = {"judge": "simulated_user", "criterion": "simulated_user", "version": "v1"}


def faulty(store: Store, conversation: str, label: str, value: float = 0.0) -> None:
    turn = store.conversations.turns(conversation)[0].id
    store.scores.add(turn, [Score(**BAD, value=value, label=label, reasons="言った。")])


def test_invalid_conversations_are_those_of_the_results_page(store: Store) -> None:
    an_awkward_run(store)
    faulty(store, "r1-1", "invalid:revealed")
    faulty(store, "r1-2", "invalid:repeats")
    faulty(store, "r1-3", "ok", 1.0)
    tally = RunTally("turn", "overall", 0.9)
    for conversation in store.records.conversations("r1"):
        tally.add(conversation)
    assert (
        tally.invalid
        == run_totals(tally, tally.frame("turn")).invalid
        == len(invalid_conversations(store.scores.user_faults("r1")))
        == 1
    )


def test_of_repeated_verdicts_the_one_nearest_to_the_mean_counts() -> None:
    def of(*repeats: tuple[float | None, str]) -> int:
        verdicts = tuple(ExportedScore(BAD["judge"], BAD["criterion"], value, label) for value, label in repeats)
        turn = ExportedTurn(1, "?", "!", "search", None, True, "", 0.1, "", now(), verdicts=verdicts)
        tally = RunTally("turn", "overall", None)
        tally.add(
            ExportedConversation("t", 1, "q", "p", "P", 1, "", "?", "done", "done", "", "", None, None, turns=(turn,))
        )
        return tally.invalid

    bad, fine = (0.0, "invalid:revealed"), (1.0, "ok")
    assert of(bad, bad, fine) == 1
    assert of(fine, fine, bad) == 0
    assert of((None, "")) == of(fine) == 0


def test_the_report_has_charts_of_personas_and_kinds_and_the_invalid_conversations(store: Store) -> None:
    an_awkward_run(store)
    out = io.BytesIO()
    faulty(store, "r1-1", "invalid:revealed")
    an_export(store, "r1").write("html", out)
    page = out.getvalue().decode()
    export = an_export(store, "r1")
    for key in ("scores.by_persona", "export.count_invalid", "export.map"):
        assert export.layout.t(key) in page


def test_of_each_judge_the_figures_stand_in_the_order_in_which_it_gave_its_criteria() -> None:
    tally = RunTally("turn", "overall", 0.9)
    for number, names in enumerate((("b", "a"), ("a", "c", "b")), 1):
        verdicts = tuple(ExportedScore(judge, name, number / 4) for judge in ("other", "turn") for name in names)
        turn = ExportedTurn(number, "?", "!", "ask", None, None, "", 0.1, "", now(), verdicts=verdicts)
        tally.add(
            ExportedConversation(
                f"t{number}", number, "q", "p", "P", 1, "", "?", "done", "", "", "", None, None, turns=(turn,)
            )
        )
    assert tally.judges() == ["turn", "other"] and tally.frame("nobody").empty
    frame = tally.frame("other")
    assert list(frame["criterion"]) == ["b", "a", "b", "a", "c"] and set(frame["judge"]) == {"other"}
    assert list(frame["value"]) == [0.25, 0.25, 0.5, 0.5, 0.5] and list(frame["turn"]) == [1, 1, 2, 2, 2]
    assert criteria_of(frame, "other") == ["b", "a", "c"] and list(frame["conversation"].unique()) == ["t1", "t2"]


def test_ten_times_the_run_takes_a_few_bytes_more_a_verdict() -> None:

    def room(size: int) -> int:
        verdicts = tuple(ExportedScore("turn", name, 0.5, "", "") for name in ("overall", "relevance"))
        turn = ExportedTurn(1, "?", "!", "search", None, True, "", 0.1, "", now(), verdicts=verdicts)
        tally = RunTally("turn", "overall", 0.9)
        tracemalloc.start()
        for number in range(size):
            tally.add(
                ExportedConversation(
                    f"t{number}", number, "q", "p", "P", 1, "", "?", "done", "", "", "", None, None, turns=(turn,) * 20
                )
            )
        allocated = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return allocated

    assert room(500) / (500 * 40) < 30  # bytes a verdict


def test_database_streaming_and_aggregate_take_the_same_means(store: Store) -> None:
    """Of a run with repeated verdicts, unscored turns and a conversation that failed."""
    an_awkward_run(store)
    second = [Score(judge="turn", criterion="overall", value=0.1, version="v1")]
    unscored = [Score(judge="turn", criterion="overall", value=None, error="unreadable", version="v1")]
    store.scores.add(store.conversations.turns("r1-1")[0].id, second, repeat=2)
    store.scores.add(store.conversations.turns("r1-2")[0].id, unscored, repeat=2)
    tally = RunTally("turn", "overall", 0.9)
    for one in store.records.conversations("r1"):
        tally.add(one)
    tables = store.tables.of_run("r1")
    frames = (score_values(tables), store.records.score_frame("r1"), tally.frame("turn"))
    expected = {"r1-1": ((0.4 + 0.1) / 2 + 0.4) / 2, "r1-2": 1.0, "r1-3": 0.9}  # r1-4: unscored, r1-5: failed
    for frame in frames:
        scores = conversation_scores(frame).set_index("conversation")["score"].dropna()
        assert scores.to_dict() == pytest.approx(expected)
        found = mean_score(frame)
        assert found and found.n == 3 and found.mean == pytest.approx(sum(expected.values()) / 3)
    listed = {row.id: row.score for row in list_conversations(tables, "turn", "overall", "v1") if row.score is not None}
    assert listed == pytest.approx(expected)
    assert sorted(store.scores.conversation_scores_by_run()["r1"].scores) == pytest.approx(sorted(expected.values()))
    assert store.scores.run_means() == pytest.approx({"r1": sum(expected.values()) / 3})
    assert run_totals(tally, frames[-1]).score.value == pytest.approx(sum(expected.values()) / 3)
