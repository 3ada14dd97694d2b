"""Agreement: figures, disagreements one click away, threshold, reviewers, in both languages."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.labelled_turns import labelled_turns, max_repeats
from core.base.types import Score
from core.optimization.labelled_rows import label_examples, labelled_answers
from core.store.database import now
from core.store.labels import TurnLabel
from core.store.rows import RunRow
from core.store.store import Store
from tests.support import page_app
from tests.support.page_app import healthy, text_of
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score


def opened(language: str = "en", **asked: str) -> AppTest:
    return healthy(page_app.opened("review/agreement", language, **{"bot": "komachi", **asked}))


def labelled(store: Store, run: str = "r1", total: int = 60) -> list[int]:
    """A run that two reviewers have labelled: the judge is right in four of five."""
    a_run(store, run, total=total)
    random = np.random.default_rng(1)
    turns = list(store.labels.conversations(run))
    for turn in turns:
        right = random.random() < 0.6
        said = right if random.random() < 0.8 else not right
        value = 0.9 if said else 0.4
        reason = f"「{turn}」が資料 {turn} にある。" if said else "**資料**にない。"
        score = Score(judge="turn", criterion="overall", value=value, label="4", reasons=reason, version="v1")
        store.scores.add(turn, [score.model_copy(update={"version": "v2"})])
        close = random.random()
        store.scores.add(turn, [Score(judge="similarity", criterion="similarity", value=close, label="", version="s")])
        for reviewer, wrong in (("Aya", 0.0), ("Ben", 0.1), ("Chie", 0.1)):
            verdict = "yes" if right != (random.random() < wrong) else "no"
            grades = {"relevance": int(random.integers(1, 6))}
            store.labels.save(TurnLabel(turn_id=turn, reviewer=reviewer, verdict=verdict, grades=grades))
    return turns


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_states_how_far_the_judge_agrees(store: Store, language: str) -> None:
    labelled(store)
    app = opened(language, run="r1")
    assert "%" in app.title[0].value and len(app.metric) == 6
    assert not [one for one in app.metric if one.value == "–"]
    assert app.get("plotly_chart") and len(app.dataframe) >= 4
    assert {"ja": "採点：", "en": "Judge: "}[language] in text_of(app).replace("\\", "")  # which engine judged
    healthy(app.selectbox(key="judge_box").set_value("similarity").run())


def test_disagreements_are_grouped_by_the_reason_and_lead_to_their_turn(store: Store) -> None:
    turns = labelled(store, total=110)
    app = opened(run="r1")
    groups = [one.label for one in app.expander if "·" in one.label]
    assert len(groups) == 2 and any("資料" in one for one in groups)  # numbers and quotations do not part them
    links = [one.proto for one in app.get("page_link")]
    links = [one for one in links if "label" in one.page]
    assert len(links) == 8 and all("turn=" in one.query_string for one in links) and turns
    left = next(one for one in app.button if "Show more" in one.label)
    healthy(left.click().run())
    assert sum("label" in one.proto.page for one in app.get("page_link")) > 8


def test_labels_of_several_runs_and_an_arbiter(store: Store) -> None:
    labelled(store)
    labelled(store, "r2", 20)
    app = opened()
    assert app.selectbox(key="run_box").value == "all" and "80 turns" in text_of(app)
    app = healthy(app.selectbox(key="arbiter_box").set_value("Ben").run())
    assert "80 turns" in text_of(app)


def test_a_judge_is_shown_by_bot_if_several_have_labels(store: Store) -> None:
    labelled(store)
    parts = opened(run="r1").dataframe[-2].value
    assert "Bot (all its labels)" not in set(parts["By"]) and "Persona" in set(parts["By"])
    row = store.conversations.get("r1-1")
    assert row
    store.runs.create(
        RunRow(
            id="r9", bot="other", name="", language="en", status="running", seed=1, max_turns=1, total=1,
            created_at=now(), plan={},
        ),
        {},
        [row.model_copy(update={"id": "r9-1", "run_id": "r9", "bot": "other"})],
    )  # fmt: skip
    store.conversations.start("r9-1")
    turn = store.conversations.add_turn("r9-1", 1, a_turn())
    store.scores.add(turn, [a_score(0.8)])
    store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes"))
    parts = opened(run="r1").dataframe[-2].value
    bots = parts[parts["By"] == "Bot (all its labels)"]
    assert list(bots["n"]) == [60, 1] and bots["Name"].tolist()[1] == "other"


def test_little_is_said_of_few_labels(store: Store) -> None:
    app = opened()
    assert app.info and "no labels yet" in app.info[0].value
    a_run(store, "r1")
    first, second, *_ = store.labels.conversations("r1")
    store.labels.save(TurnLabel(turn_id=first, reviewer="Aya", verdict="", blind=False))
    assert "No turn has a majority" in text_of(opened(run="r1"))
    store.labels.save(TurnLabel(turn_id=second, reviewer="Aya", verdict="yes"))
    said = text_of(opened(run="r1"))
    assert "too few labels" in said and "more labels" in said and "Ask a second reviewer" in said


def test_a_judge_that_was_asked_again_brings_all_its_verdicts(store: Store) -> None:
    turns = labelled(store)
    for n, turn in enumerate(turns):
        value = 0.4 if n % 3 == 0 else 0.9
        score = Score(judge="turn", criterion="overall", value=value, label="4", reasons="", version="v2")
        store.scores.add(turn, [score], repeat=2)
    found = labelled_turns(store, ("r1",), {})
    assert max_repeats(found, "turn") == 2 and max_repeats(found, "similarity") == 1
    total = sum(sum(row.values()) for row in found.agreement("turn").confusion.values())
    assert total == pytest.approx(found.agreement("turn").n)
    assert "up to 2 times" in text_of(opened(run="r1"))


def test_labels_in_the_judges_own_words_put_disagreements_first(store: Store) -> None:
    turns = labelled(store)
    found = labelled_turns(store, ("r1",), {})
    assert label_examples(store, found, "turn") == []  # its verdicts all read alike
    for n, turn in enumerate(turns):
        right = n % 2 == 0
        word = "CORRECT" if right else "INCORRECT"
        score = Score(judge="correctness", criterion="correctness", value=float(right), label=word, version="c")
        store.scores.add(turn, [score])
    found = labelled_turns(store, ("r1",), {})
    rows = label_examples(store, found, "correctness")
    agrees = [row["agrees"] for row in rows]
    assert len(rows) == len(found.people.truth.verdicts) and agrees == sorted(agrees) and not agrees[0]
    assert {row["label"] for row in rows} == {"CORRECT", "INCORRECT"} and "10日まで" in rows[0]["contexts"][0]
    read = labelled_answers(rows)  # what the Optimize page reads
    assert [row.conversation for row in read] == [found.group_of[row.id] for row in read]


def test_the_score_on_the_home_page_says_whether_its_judge_can_be_trusted(store: Store) -> None:
    labelled(store)  # right in four of five: kappa's lower end is too low
    app = healthy(page_app.opened("home/home", "en"))
    assert "not yet trusted" in "\n".join(str(one.value) for one in app.markdown)
