"""What a run comes to in exports: as the pages show it."""

from __future__ import annotations

import io

import pytest

from core.analysis.conversation_list import list_conversations
from core.analysis.run_means import conversation_scores, mean_score
from core.analysis.run_totals import run_totals
from core.analysis.simulator_health import invalid_conversations
from core.base.types import Score
from core.store.score_tables import score_values
from core.store.store import Store
from tests.support.export_runs import an_awkward_run, an_export

BAD = {"judge": "simulated_user", "criterion": "simulated_user", "version": "v1"}


def faulty(store: Store, conversation: str, label: str, value: float = 0.0, repeat: int = 1) -> None:
    turn = store.conversations.turns(conversation)[0].id
    score = Score(**BAD, value=value, label=label, reasons="言った。")
    store.scores.add(turn, [score], repeat=repeat)


def test_invalid_conversations_are_those_of_the_results_page(store: Store) -> None:
    an_awkward_run(store)
    faulty(store, "r1-1", "invalid:revealed")
    faulty(store, "r1-2", "invalid:repeats")
    faulty(store, "r1-3", "ok", 1.0)
    invalid = an_export(store, "r1").totals.invalid
    assert invalid == len(invalid_conversations(store.scores.user_faults("r1"))) == 1


@pytest.mark.parametrize(("verdicts", "invalid"), [("bbf", 1), ("ffb", 0), ("f", 0)])
def test_of_repeated_verdicts_the_one_nearest_to_the_mean_counts(store: Store, verdicts: str, invalid: int) -> None:
    an_awkward_run(store)
    labels = {"b": ("invalid:revealed", 0.0), "f": ("ok", 1.0)}
    for repeat, verdict in enumerate(verdicts, 1):
        faulty(store, "r1-1", *labels[verdict], repeat=repeat)
    assert an_export(store, "r1").totals.invalid == invalid


def test_the_report_has_charts_of_personas_and_kinds_and_the_invalid_conversations(store: Store) -> None:
    an_awkward_run(store)
    out = io.BytesIO()
    faulty(store, "r1-1", "invalid:revealed")
    an_export(store, "r1").write("html", out)
    page = out.getvalue().decode()
    export = an_export(store, "r1")
    for key in ("scores.by_persona", "export.count_invalid", "export.map"):
        assert export.layout.t(key) in page


def test_of_each_judge_the_figures_stand_in_the_order_in_which_it_gave_its_criteria(store: Store) -> None:
    an_awkward_run(store)
    other = [Score(judge="other", criterion=name, value=0.5, version="v1") for name in ("b", "a")]
    store.scores.add(store.conversations.turns("r1-1")[0].id, other)
    criteria = an_export(store, "r1").totals.criteria
    assert [name for judge, name in criteria if judge == "turn"] == ["overall", "relevance"]
    assert [name for judge, name in criteria if judge == "other"] == ["b", "a"]
    assert next(iter(criteria)) == ("turn", "overall") and criteria["correctness", "overall"] is None


def test_the_worst_conversations_come_first_and_where_less_is_better_those_of_the_highest_scores(store: Store) -> None:
    an_awkward_run(store, conversations=23)
    run = store.records.run("r1")
    below = run_totals(store, run, "turn", "overall", 0.9)
    assert list(below.worst.items()) == [(f"r1-{number}", pytest.approx(0.4)) for number in (1, 6, 11, 16, 21)]
    assert [scenario.failures for scenario in below.lowest] == [2] * 5
    highest = run_totals(store, run, "turn", "overall", None)
    assert list(highest.worst)[:2] == ["r1-2", "r1-7"] and len(highest.worst) == 10 and not highest.lowest


def test_database_and_run_means_are_the_same(store: Store) -> None:
    """Of a run with repeated verdicts, unscored turns and a conversation that failed."""
    an_awkward_run(store)
    second = [Score(judge="turn", criterion="overall", value=0.1, version="v1")]
    unscored = [Score(judge="turn", criterion="overall", value=None, error="unreadable", version="v1")]
    store.scores.add(store.conversations.turns("r1-1")[0].id, second, repeat=2)
    store.scores.add(store.conversations.turns("r1-2")[0].id, unscored, repeat=2)
    tables = store.tables.of_run("r1")
    expected = {"r1-1": ((0.4 + 0.1) / 2 + 0.4) / 2, "r1-2": 1.0, "r1-3": 0.9}  # r1-4: unscored, r1-5: failed
    for frame in (score_values(tables), store.records.score_frame("r1")):
        scores = conversation_scores(frame, "overall", "turn").set_index("conversation")["score"].dropna()
        assert scores.to_dict() == pytest.approx(expected)
        found = mean_score(frame, "overall", "turn")
        assert found and found.n == 3 and found.mean == pytest.approx(sum(expected.values()) / 3)
    listed = {row.id: row.score for row in list_conversations(tables, "turn", "overall", "v1") if row.score is not None}
    assert listed == pytest.approx(expected)
    assert sorted(store.scores.conversation_scores_by_run("turn", "overall")["r1"].scores) == pytest.approx(
        sorted(expected.values())
    )
    assert store.scores.mean_scores_by_run("turn", "overall") == pytest.approx({"r1": sum(expected.values()) / 3})
    score = an_export(store, "r1").totals.score
    assert score and score.mean == pytest.approx(sum(expected.values()) / 3)
