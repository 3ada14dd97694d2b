"""How a judge came to its scores is stored with them, drawn on pages and exported; null means that it does not apply."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.names import reasoning_text
from core.base.translate import translator
from core.base.types import NOT_APPLICABLE, CheckedClaim, Reasoning, Sample, Score
from core.export.run_export import Export
from core.judges.base import JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.runs.judging.missing_scores import has_failed, missing_judges
from core.store.store import Store
from tests.support.fake_judge_engine import Replying
from tests.support.stored_runs import a_run

MARK = {"reason": "資料1のとおり", "score": 4}
TURN = {"steps": ["期限を知りたい", "10日: 資料1"], "conclusion": "足りている", **dict.fromkeys(
    ("understanding", "relevance", "completeness", "coherence", "overall"), MARK), "correctness": {"reason": "照合するものがない", "score": None}}  # fmt: skip
SAMPLE = Sample(
    question="期限は?", answer="10日です。", contexts=("期限は10日。",), reference=("10日",), keypoints=("10日",)
)
CLAIM = {"claim": "10日", "passage": 1, "quote": "期限は10日", "state": "supported"}


def judged(judge: str, reply: Any) -> tuple[Score, ...]:
    return judge_one(Replying(reply), judges_of((judge,))[0], SAMPLE, JudgeOptions())


def stored_turn(store: Store, *scores: Score) -> Any:
    """The turn of a stored run, with these scores."""
    a_run(store, "r1", total=1)
    turn = store.conversations.turns("r1-1")[0]
    store.scores.add(turn.id, [score.model_copy(update={"version": "v2"}) for score in scores])
    return store.conversations.turns("r1-1", {score.judge: "v2" for score in scores})[0]


def test_steps_and_conclusion_of_the_turn_judge_are_stored_once(store: Store) -> None:
    row = stored_turn(store, *judged("turn", TURN))
    found = {score.criterion: score.reasoning for score in row.scores}
    assert found.pop("overall") == Reasoning(steps=("期限を知りたい", "10日: 資料1"), conclusion="足りている")
    assert len(found) == 5 and not any(found.values())


def test_a_null_that_the_prompt_invites_is_no_error_and_is_not_asked_for_again(store: Store) -> None:
    row = stored_turn(store, *judged("turn", TURN))
    empty = next(score for score in row.scores if score.criterion == "correctness")
    assert (empty.value, empty.label, empty.error) == (None, NOT_APPLICABLE, "")
    assert empty.reasons == "照合するものがない" and not has_failed(empty)
    assert missing_judges(row, judges_of(("turn",))) == ()


@pytest.mark.parametrize(
    ("judge", "reply", "state"),
    [
        ("groundedness", {"claims": [CLAIM], "reasons": "r"}, "supported"),
        ("sufficiency", {"points": [CLAIM], "reasons": "r"}, "supported"),
        ("keypoints", {"verdicts": [{"id": 1, "reasons": "10日です", "verdict": "covered"}]}, "covered"),
    ],
)
def test_claims_are_stored_with_the_first_score(store: Store, judge: str, reply: Any, state: str) -> None:
    row = stored_turn(store, *judged(judge, reply))
    per_score = [score.reasoning for score in row.scores if score.judge == judge]
    assert per_score[0] and [claim.state for claim in per_score[0].claims] == [state] and not any(per_score[1:])


@pytest.mark.parametrize("judge", ["groundedness", "sufficiency", "correctness"])
def test_the_embedded_verdict_agrees_with_its_claims(judge: str) -> None:
    for answer in ("期限は10日です。", "期限は20日です。", "期限は10日です。送料は無料です。"):
        sample = SAMPLE.model_copy(update={"answer": answer, "contexts": ("期限は10日です。", "ほか")})
        for score in judge_one(EmbeddedEngine(), judges_of((judge,))[0], sample, JudgeOptions()):
            if score.label in ("Yes", "No") and score.reasoning:
                fine = all(claim.state in ("supported", "found") for claim in score.reasoning.claims)
                assert (score.label == "Yes") == fine, (judge, answer)


@pytest.mark.parametrize(
    ("language", "words"), [("ja", "裏付けあり（資料1）「期限は10日」"), ("en", "supported (passage 1) “期限は10日”")]
)
def test_a_reasoning_is_told_in_the_reader_s_language(language: Any, words: str) -> None:
    reasoning = Reasoning(
        claims=(CheckedClaim(claim="10日", state="supported", evidence="期限は10日", passage=1),), conclusion="足りる"
    )
    text = reasoning_text(reasoning.model_dump_json(), translator(language))
    assert words in text and text.splitlines()[-1].endswith("足りる")


def test_the_export_for_machines_has_the_reasoning_as_it_was_stored(store: Store) -> None:
    stored_turn(store, *judged("turn", TURN))
    out = io.BytesIO()
    Export(store, "r1", "ja", pass_mark=0.8, alert_mark=0.7).write("jsonl", out)
    turn = next(one for one in map(json.loads, out.getvalue().splitlines()) if one["type"] == "turn")
    by_criterion = {one["criterion"]: one["reasoning"] for one in turn["scores"]}
    assert by_criterion["overall"] == {"steps": ["期限を知りたい", "10日: 資料1"], "conclusion": "足りている"}
    assert by_criterion["relevance"] is None


def drawn_verdicts(stored: str) -> None:
    """A page with the scores of a turn."""
    import json

    from core.store.rows import ScoreRow
    from pages.components.message import draw_verdicts

    draw_verdicts([ScoreRow.model_validate(one) for one in json.loads(stored)])


def test_pages_show_steps_claims_and_what_does_not_apply(store: Store) -> None:
    row = stored_turn(store, *judged("turn", TURN), *judged("groundedness", {"claims": [CLAIM], "reasons": "r"}))
    stored = json.dumps([score.model_dump(mode="json") for score in row.scores])
    app = AppTest.from_function(drawn_verdicts, args=(stored,)).run()
    assert not app.exception
    text = "\n".join(one.value for one in app.markdown)
    assert "期限を知りたい" in text and "結論：足りている" in text and "裏付けあり" in text and "対象外" in text
