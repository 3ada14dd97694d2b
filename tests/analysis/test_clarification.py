"""Asking back: the scorecard, what brought hidden facts out, the threshold sweep, and the gain."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from core.analysis.ablation import ablations
from core.analysis.clarification import facts_by_conversation, rate, scorecard
from core.analysis.confidence_intervals import estimate
from core.analysis.hidden_facts import Exchange, count_hidden_facts, revealed_facts
from core.analysis.run_means import JudgeScores
from core.analysis.threshold_sweep import best_point, sweep_thresholds
from core.base.types import Answer, Assessment, Bot, ClarifySettings, Scenario
from core.bot.clarify.routing import route_by_rules
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan, has_same_cases
from core.runs.runner import Runner
from core.store.clarification_table import CLARIFICATION_COLUMNS, read_clarification
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store
from tests.support.small_bot import a_turn

UNCLEAR = {"clarity": 3, "is_question": 2, "is_consultation": 5, "in_internal_docs": 1, "ask_person": 4, "ask_missing_info": "どれですか"}  # fmt: skip
CLEAR = {**UNCLEAR, "clarity": 1}


def row(mark: str, needed: bool | None, decision: str, assessment: dict | None = None, turn: int = 1, scenario: str = "") -> dict:  # fmt: skip
    about = dict.fromkeys(CLARIFICATION_COLUMNS, "") | {"conversation": mark, "number": 1, "repeat": 1, "choices": ()}
    fields = {"scenario": scenario or mark, "needs_asking": needed, "decision": decision, "turn": turn}
    return about | fields | {"assessment": assessment or (UNCLEAR if decision == "ask" else CLEAR)}


def frame(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(CLARIFICATION_COLUMNS))


def test_the_scorecard_counts_first_turns_by_what_was_needed_and_what_was_done() -> None:
    found = scorecard(
        frame(
            row("a", True, "ask"), row("a", True, "ask", turn=2), row("b", True, "search"), row("c", False, "search"),
            row("d", False, "ask"), row("d", False, "search", turn=2), row("e", None, "ask"), row("f", True, ""),
        )
    )  # fmt: skip
    assert (found.recall.hits, found.recall.n) == (1, 2) and (found.needless.hits, found.needless.n) == (1, 2)
    assert (found.precision.hits, found.precision.n) == (1, 2)
    assert (found.unlabelled, found.unknown, found.conversations) == (1, 1, 6)
    assert found.questions == {0: 2, 1: 2, 2: 1} and found.mean_questions == pytest.approx(4 / 5)


def test_the_interval_counts_scenarios_not_the_personas_that_ask_the_same() -> None:
    found = rate((scenario, scenario != "q0") for scenario in ("q0", "q1", "q2", "q3") for _ in range(6))
    wanted = stats.binomtest(3, 4).proportion_ci(0.95, method="wilson")
    assert (found.hits, found.n, found.scenarios, found.value) == (18, 24, 4, 0.75)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert rate([]).value is None


FACTS = "休暇の種類: 子の看護休暇; 子の人数: 2人; 勤務地：松本工場; 目的: 通院"


def test_a_fact_belongs_to_the_question_before_it() -> None:
    found = revealed_facts(
        FACTS,
        [
            Exchange("松本工場です。休暇について教えてください", "どの休暇ですか。", True, ("年次有給休暇", "子の看護休暇")),
            Exchange("2番です", "子の看護休暇は5日です。", False),
            Exchange("子は2人です", "10日です。", False),
        ],
        "ありがとうございました。",
    )  # fmt: skip
    shown_text = {fact.label: (fact.how, fact.turn, fact.question) for fact in found}
    assert shown_text == {
        "休暇の種類": ("asked", 2, "どの休暇ですか。"),  # picked by its number
        "子の人数": ("unasked", 3, ""),
        "勤務地": ("opening", 1, ""),
        "目的": ("never", None, ""),
    }


def test_a_number_within_another_reveals_nothing_and_the_last_question_counts() -> None:
    conversation = [Exchange("12月の話です", "What plan do you use?", None)]
    (found,) = revealed_facts("n: 2", conversation)
    assert found.how == "never"
    (found,) = revealed_facts("plan: Team", conversation, "I use Team.")
    assert (found.how, found.turn, found.question) == ("asked", 2, "What plan do you use?")  # read from its words


def test_facts_are_summed_without_those_of_the_opening() -> None:
    rows = [row("a", True, "ask") | {"facts": FACTS, "user_text": "松本工場です", "reply_text": "何人ですか"}]
    rows += [row("a", True, "search", turn=2) | {"facts": FACTS, "user_text": "2人です", "reply_text": "5日です"}]
    found = count_hidden_facts(facts_by_conversation(frame(*rows)).values())
    assert (found.conversations, found.hidden, found.asked, found.unasked, found.never) == (1, 3, 1, 0, 2)


def test_the_sweep_gives_what_the_routing_table_gives_for_every_pair_of_thresholds() -> None:
    rows = [
        row(f"c{clarity}{question}", clarity > 2, "search", {**UNCLEAR, "clarity": clarity, "is_question": question})
        for clarity in range(1, 6)
        for question in (1, 3, 5)
    ]
    found = sweep_thresholds(frame(*rows), ClarifySettings())
    assert len(found.points) == 36 and found.conversations == 15
    for point in found.points:
        settings = ClarifySettings(clarity_threshold=point.clarity_threshold, score_threshold=point.score_threshold)
        asks = {
            one["conversation"]: route_by_rules(Assessment.model_validate(one["assessment"]), settings).decision
            == "ask"
            for one in rows
        }
        assert point.recall.hits == sum(asks[one["conversation"]] for one in rows if one["needs_asking"])
        assert point.needless.hits == sum(asks[one["conversation"]] for one in rows if not one["needs_asking"])


def test_the_sweep_finds_better_thresholds_and_leaves_out_what_it_does_not_know() -> None:
    rows = [row("a", True, "ask"), row("b", False, "ask", {**UNCLEAR, "clarity": 2}), row("c", True, "ask") | {"assessment": None}]  # fmt: skip
    own = ClarifySettings()
    found = sweep_thresholds(frame(*rows), own)
    assert (found.conversations, found.left_out, found.reproduced) == (2, 1, 2)
    best = best_point(found, own)
    assert best is not None and best.thresholds == (2, 2) and (best.recall.hits, best.needless.hits) == (1, 0)
    assert (
        best_point(sweep_thresholds(frame(*rows), best_settings := ClarifySettings(clarity_threshold=2)), best_settings)
        is None
    )


def test_the_sweep_never_asks_with_no_question_allowed_and_moves_with_patience() -> None:
    rows = frame(row("a", True, "ask"), row("a", True, "ask", turn=2), row("a", True, "ask", turn=3))
    own = ClarifySettings()
    assert sweep_thresholds(rows, own).at(own).questions == 2  # of three turns that would ask, the bot may ask in two
    assert sweep_thresholds(rows, own, max_questions=0).at(own).recall.hits == 0
    assert sweep_thresholds(rows, own, patience="at_once").at(own).recall.hits == 0


def scored(values: dict[tuple[str, int], float | None], decision: str = "search") -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"conversation": f"{q}-{n}", "number": n, "turn": 1, "scenario": q, "question": q, "kind": "faq", "persona": "calm",
             "persona_name": "calm", "repeat": n, "decision": decision, "answered": True, "judge": "turn", "criterion": "overall", "value": v}
            for (q, n), v in values.items()
        ]
    )  # fmt: skip


def test_an_ablation_pairs_the_same_cases_and_counts_the_rest() -> None:
    asking = scored({("a", 1): 1.0, ("a", 2): 0.8, ("b", 1): 0.6, ("c", 1): None, ("d", 1): 0.9})
    without = scored({("a", 1): 0.6, ("a", 2): 0.6, ("b", 1): 0.6, ("c", 1): 0.2})
    whole, needed, clear = ablations(JudgeScores(asking, "turn"), without, {"a": True, "b": False})
    assert (whole.pairs, whole.left_out, whole.scenarios) == (3, 2, 2)
    assert whole.difference == pytest.approx(0.2) and whole.asking == pytest.approx(0.8)
    assert (whole.low, whole.high) == (None, None)  # two scenarios tell no interval
    assert (needed.group, needed.pairs, needed.low) == ("needed", 2, None)
    assert (clear.group, clear.difference) == ("clear", 0.0)


def test_the_interval_of_an_ablation_is_that_of_a_comparison() -> None:
    gained = [0.1, 0.2, 0.0, 0.4, 0.3, 0.2, 0.1]
    without = {(name, 1): 0.5 for name in "abcdefg"}
    asking = {case: 0.5 + gain for case, gain in zip(without, gained, strict=True)}
    whole = ablations(JudgeScores(scored(dict(asking)), "turn"), scored(dict(without)), {})[0]
    wanted = estimate(gained, list("abcdefg"))
    assert wanted and (whole.low, whole.high) == pytest.approx((wanted.low, wanted.high))


def test_a_conversation_that_ends_with_a_question_has_no_last_answer() -> None:
    found = ablations(JudgeScores(scored({("a", 1): 1.0}, "ask"), "turn"), scored({("a", 1): 0.5}), {}, last=True)
    assert [(one.pairs, one.left_out, one.difference) for one in found] == [(0, 1, None)]


def test_an_ablation_run_asks_nothing_and_has_the_same_cases(store: Store, bot: Bot, tmp_path: Path) -> None:
    runner = Runner(store, Indexes(tmp_path / "chroma"), EmbeddedEngine())
    plan = Plan(bot=bot.id, seed=1, cross=True)
    other = plan.model_copy(update={"clarify": False})
    runs = [runner.start(one) for one in (plan, other)]
    assert all(runner.wait(run, 120) for run in runs)
    runner.close()
    asking, without = (read_clarification(store.db, run) for run in runs)
    assert "ask" in set(asking["decision"]) and set(without["decision"]) == {"search"}
    assert list(asking.columns) == list(CLARIFICATION_COLUMNS) and set(asking["needs_asking"]) == {True, False}
    assert asking[asking["decision"] == "ask"]["choices"].map(len).max() >= 2
    assert scorecard(without).recall.hits == 0 < scorecard(asking).recall.hits
    own = sweep_thresholds(asking, bot.clarify)
    assert own.reproduced == own.conversations == 6 and own.at(bot.clarify).recall == scorecard(asking).recall
    assert has_same_cases(plan, other) and not has_same_cases(plan, plan.model_copy(update={"seed": 2}))
    with_questions, without_any = (store.records.score_frame(run) for run in runs)
    assert ablations(JudgeScores(with_questions, "turn"), without_any, {})[0].pairs == 6


def test_turns_without_an_assessment_are_unknown(store: Store) -> None:
    scenario = Scenario(id="q1", question="期限は？", needs_asking=True)
    run = RunRow(id="r", bot="komachi", name="", language="ja", status="running", seed=1, max_turns=1, total=1, created_at=now(), plan={})  # fmt: skip
    conversation = ConversationRow(id="r-1", run_id="r", bot="komachi", number=1, scenario_id="q1", scenario=scenario, persona_id="calm", persona_name="c", kind="faq", question="期限は？")  # fmt: skip
    store.runs.create(run, {}, [conversation])
    silent = {"assessment": None, "route": None, "reply": Answer(text="10日までです。", asks=None)}
    store.conversations.add_turn("r-1", 1, a_turn().model_copy(update=silent))
    found = read_clarification(store.db, "r")
    assert found["assessment"].iloc[0] is None and scorecard(found).unknown == 1
    assert sweep_thresholds(found, ClarifySettings()).left_out == 1
