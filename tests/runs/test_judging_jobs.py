"""JudgingJob what is already there: old runs by further judges, and answers from a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from core.analysis.provenance import provenance
from core.analysis.run_means import judges_in, summarise
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Bot, Sample
from core.judges.base import Judge
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.judging import jobs as judging_jobs
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import JudgingJob, JudgingJobs, JudgingRequest
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from tests.support.fake_judge_engine import Replying
from tests.support.model_server import ModelServer, engine_on, serving
from tests.support.records_in_versions import score_frame
from tests.support.small_bot import Gated

ROWS = [
    FileAnswer(
        id="a", sample=Sample(question="期限はいつですか", answer="翌月の10日です。", reference=("翌月の10日です。",))
    ),
    FileAnswer(
        id="b", sample=Sample(question="期限はいつですか", answer="翌月の20日です。", reference=("翌月の10日です。",))
    ),
    FileAnswer(id="c", sample=Sample(question="", answer="翌月の20日です。")),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'data' / 'kiku.db'}")


@pytest.fixture
def run_id(store: Store, bot: Bot, tmp_path: Path) -> Iterator[str]:
    runner = Runner(store, Indexes(tmp_path / "chroma"), EmbeddedEngine())
    run = runner.start(Plan(bot=bot.id, seed=1, judges=()))
    assert runner.wait(run, 60)
    yield run
    runner.close()


@pytest.fixture
def judgings(store: Store, bot: Bot) -> Iterator[JudgingJobs]:
    judgings = JudgingJobs(store, EmbeddedEngine())
    yield judgings
    judgings.close()


def another(version: str) -> Judge:
    """The turn judge in another version."""
    (judge,) = judges_of(["turn"])
    return Judge(judge.name, judge.criteria, judge.needs, version, judge.scores)


def test_an_old_run_is_judged_by_a_judge_that_was_not_there(judgings: JudgingJobs, store: Store, run_id: str) -> None:
    assert store.records.score_frame(run_id).empty
    job = judgings.rejudge(run_id, JudgingRequest(["turn"]))
    assert job.wait(60) and job.error is None and job.done == job.total > 0
    assert set(store.records.score_frame(run_id)["version"]) == {job.versions["turn"]}


def test_what_a_judge_has_scored_already_is_not_judged_again(judgings: JudgingJobs, store: Store, run_id: str) -> None:
    assert judgings.rejudge(run_id, JudgingRequest(["turn"])).wait(60)
    before = store.records.score_frame(run_id)
    second = judgings.rejudge(run_id, JudgingRequest(["turn"]))
    assert second.wait(60) and second.total == 0
    assert store.records.score_frame(run_id).equals(before)


def test_another_version_stands_beside_the_old_one_and_is_not_mixed_in(
    judgings: JudgingJobs, store: Store, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judgings.rejudge(run_id, JudgingRequest(["turn"])).wait(60)
    old = store.records.score_frame(run_id)
    monkeypatch.setattr(judging_jobs, "judges_of", lambda names, bot: (another("other"),))
    job = judgings.rejudge(run_id, JudgingRequest(["turn"]))
    assert job.wait(60) and job.total > 0
    new = store.records.score_frame(run_id)
    assert len(new) == len(old) and set(new["version"]) == {job.versions["turn"]}
    assert [one.turns for one in store.tables.of_run(run_id).versions] == [job.total, job.total]
    assert score_frame(store, run_id, {"turn": old["version"][0]}).equals(old)
    assert set(store.scores.mean_scores_by_run("turn", "overall")) == {run_id}


def test_a_judging_that_was_stopped_leaves_its_turns_unscored_and_goes_on_later(
    store: Store, bot: Bot, run_id: str, fresh_settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIKU_CONCURRENCY", "1")
    settings.cache_clear()
    engine = Gated()
    judgings = JudgingJobs(store, engine)
    job = judgings.rejudge(run_id, JudgingRequest(["turn"]))
    assert engine.asked.wait(20)
    with pytest.raises(BadInput, match="already being scored"):
        judgings.rejudge(run_id, JudgingRequest(["turn"]))
    job.stop()
    engine.gate.set()
    assert job.wait(60) and job.done < job.total
    later = judgings.rejudge(run_id, JudgingRequest(["turn"], {"language": "ja"}))
    assert later.wait(60) and later.total == job.total - job.done
    assert store.records.score_frame(run_id)["value"].notna().all()
    judgings.close()


def test_a_file_becomes_a_run_with_every_row_in_it(judgings: JudgingJobs, store: Store, bot: Bot) -> None:
    job = judgings.judge_file(bot, "answers.csv", ROWS, JudgingRequest(["turn"]))
    assert job.wait(60) and job.done == 3
    frame, rows = store.records.score_frame(job.run_id), store.conversations.of_run(job.run_id)
    assert [row.scenario_id for row in rows] == ["a", "b", "c"] and store.runs.progress(job.run_id).status == "done"
    overall = frame[frame["criterion"] == "overall"].set_index("scenario")["value"]
    assert overall["a"] > overall["b"] and overall.isna()["c"]
    summary = summarise(frame, rows)
    assert (summary.judge, summary.unscored, summary.scored_conversations) == ("turn", 1, 2)
    (turn,) = store.conversations.turns(rows[0].id)
    assert turn.turn is None and turn.sample == ROWS[0].sample and turn.reply_text == "翌月の10日です。"
    assert judges_in(frame) == ["turn"]
    made_by = provenance(store, store.runs.require(job.run_id), "turn")
    assert (made_by.replied, made_by.judged, made_by.standing) == ("file", "embedded", "measured")


def test_an_unknown_run_judge_or_an_empty_file_is_reported(judgings: JudgingJobs, bot: Bot, run_id: str) -> None:
    with pytest.raises(BadInput, match="no run"):
        judgings.rejudge("nowhere", JudgingRequest(["turn"]))
    with pytest.raises(BadInput, match="no judge"):
        judgings.rejudge(run_id, JudgingRequest(["astrology"]))
    with pytest.raises(BadInput, match="no answers"):
        judgings.judge_file(bot, "empty.csv", [], JudgingRequest(["turn"]))


def stopped_after_one(store: Store, bot: Bot, begin: Callable[[JudgingJobs], JudgingJob]) -> JudgingJob:
    """A judging with one thread that is stopped while its first verdict is being made."""
    engine = Gated()
    judgings = JudgingJobs(store, engine)
    job = begin(judgings)
    assert engine.asked.wait(20)
    job.stop()
    engine.gate.set()
    assert job.wait(60) and job.done < job.total
    judgings.close()
    return job


@pytest.fixture
def one_thread(fresh_settings: pytest.MonkeyPatch) -> None:
    fresh_settings.setenv("KIKU_CONCURRENCY", "1")
    settings.cache_clear()


def test_a_new_version_that_was_broken_off_does_not_take_the_place_of_a_whole_one(
    judgings: JudgingJobs, store: Store, bot: Bot, run_id: str, one_thread: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judgings.rejudge(run_id, JudgingRequest(["turn"])).wait(60)
    whole, listed = store.records.score_frame(run_id), store.scores.mean_scores_by_run("turn", "overall")
    monkeypatch.setattr(judging_jobs, "judges_of", lambda names, bot: (another("other"),))
    job = stopped_after_one(store, bot, lambda judgings: judgings.rejudge(run_id, JudgingRequest(["turn"])))
    assert (
        store.records.score_frame(run_id).equals(whole) and store.scores.mean_scores_by_run("turn", "overall") == listed
    )
    assert versions_in_transcripts(store, run_id) == set(whole["version"])
    assert versions_in_transcripts(store, run_id, job.versions) == set(job.versions.values()) != set(whole["version"])


def versions_in_transcripts(store: Store, run_id: str, versions: dict[str, str] | None = None) -> set[str]:
    """The versions of judges whose scores the transcripts of a run show."""
    rows = store.conversations.of_run(run_id)
    turns = [turn for row in rows for turn in store.conversations.turns(row.id, versions)]
    return {score.version for turn in turns for score in (*turn.scores, *turn.repeats)}


def test_a_file_that_was_stopped_is_taken_up_where_it_was(
    judgings: JudgingJobs, store: Store, bot: Bot, one_thread: None
) -> None:
    job = stopped_after_one(
        store, bot, lambda judgings: judgings.judge_file(bot, "a.csv", ROWS, JudgingRequest(["turn"]))
    )
    assert store.runs.progress(job.run_id).status == "stopped" and store.runs.progress(job.run_id).stopped > 0
    second = judgings.rejudge(job.run_id, JudgingRequest(["turn"]))
    assert second.wait(60) and store.runs.progress(job.run_id).status == "done"
    assert (
        store.runs.progress(job.run_id).done == 3 and store.records.score_frame(job.run_id)["scenario"].nunique() == 3
    )


def test_two_do_not_judge_one_run_at_the_same_time(store: Store, bot: Bot, run_id: str, judgings: JudgingJobs) -> None:
    engine = Gated()
    others = JudgingJobs(store, engine)
    job = others.rejudge(run_id, JudgingRequest(["turn"]))
    with pytest.raises(BadInput) as error:
        judgings.rejudge(run_id, JudgingRequest(["turn"]))
    assert error.value.key == "already_scored"
    engine.gate.set()
    assert job.wait(60)
    assert judgings.rejudge(run_id, JudgingRequest(["turn"])).wait(60)
    others.close()


def test_a_run_of_a_bot_that_is_gone_can_still_be_judged(
    judgings: JudgingJobs, store: Store, bot: Bot, run_id: str
) -> None:
    shutil.rmtree(bot.folder)
    job = judgings.rejudge(run_id, JudgingRequest(["turn"]))
    assert job.wait(60) and job.error is None and job.done == job.total > 0


def test_judging_again_asks_the_model_again_if_its_reply_could_not_be_used(store: Store, bot: Bot) -> None:
    """A reply that can be read and yet decides nothing is in the call log; it must not answer for good."""
    sample = Sample(question="期限は?", answer="10日です。", keypoints=("10日", "翌月"))
    verdict = {"reasons": "10日です", "verdict": "covered"}
    one, both = ([{"id": number, **verdict} for number in ids] for ids in ((1,), (1, 2)))
    with serving(ModelServer(script=[json.dumps({"verdicts": one}), json.dumps({"verdicts": both})])) as server:
        engine = engine_on(server, store)
        judgings = JudgingJobs(store, engine)
        job = judgings.judge_file(bot, "a.jsonl", [FileAnswer(id="a", sample=sample)], JudgingRequest(["keypoints"]))
        assert job.wait(60) and store.records.score_frame(job.run_id)["value"].isna().all()
        second = judgings.rejudge(job.run_id, JudgingRequest(["keypoints"]))
        assert second.wait(60) and second.error is None and second.total == 1
        assert set(store.records.score_frame(job.run_id)["value"]) == {1.0, 0.0}
        assert judgings.rejudge(job.run_id, JudgingRequest(["keypoints"])).wait(60)  # nothing is left to ask
        judgings.close()
    asked = [body for body in server.requests if "翌月" in str(body["messages"])]
    assert len(asked) == 2 and asked[0]["messages"] == asked[1]["messages"]
    assert asked[0]["seed"] != asked[1]["seed"]


def test_a_turn_that_was_judged_is_shown_to_further_judges_with_the_texts_of_its_topics(
    store: Store, bot: Bot, tmp_path: Path
) -> None:
    indexes = Indexes(tmp_path / "chroma")
    runner = Runner(store, indexes, EmbeddedEngine())
    run = runner.start(Plan(bot=bot.id, seed=1, judges=(), today=date(2026, 4, 1)))
    assert runner.wait(run, 60)
    runner.close()
    engine = Replying(make=lambda prompt: prompt.without_model())
    judgings = JudgingJobs(store, engine, indexes=indexes)
    assert judgings.rejudge(run, JudgingRequest(["turn"])).wait(60)
    judgings.close()
    asked = [prompt for prompt in engine.asked if prompt.sample.asked_back]
    assert asked and all(line.partition(": ")[2] for prompt in asked for line in prompt.sample.candidates)
    assert {prompt.today for prompt in engine.asked} == {date(2026, 4, 1)}
