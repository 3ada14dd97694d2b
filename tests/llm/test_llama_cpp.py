"""A server that nobody here wrote: llama.cpp's, whose tiny model speaks nonsense, held to a grammar if it can be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.analysis.run_means import summarise
from core.base.errors import NoValidReply, StreamBroken
from core.base.prompt import Prompt
from core.base.settings import Settings
from core.base.types import NOT_APPLICABLE, Bot
from core.bot.clarify.function_calling import ChooseStep
from core.llm.engine_choice import openai_engine
from core.llm.openai_engine import OpenAIEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from tests.support.example_prompts import ANSWER, CONVERSATION, PROMPTS
from tests.support.llama_server import llama_server, make_model

ASKED = [*(prompt for prompt, _ in PROMPTS), ChooseStep(conversation=CONVERSATION)]


@pytest.fixture(scope="module", params=[True, False], ids=["plain letters", "any bytes"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(make_model(tmp_path_factory.mktemp("model") / "tiny.gguf", plain=request.param)) as url:
        yield url


@pytest.fixture
def engine(address: str, store: Store) -> OpenAIEngine:
    """No key, replies by chance, and not many words."""
    values = {"model": "tiny", "temperature": 1.0, "max_tokens": 512, "timeout": 60, "patience": 60}
    return openai_engine(Settings(openai_api_key="", openai_base_url=address, **values), store.calls)


def outcome(engine: OpenAIEngine, prompt: Prompt[object]) -> str:
    """ "" for a reply of the right type, else the error."""
    try:
        assert isinstance(engine.ask(prompt), prompt.reply_type())
    except NoValidReply as error:
        return str(error)
    return ""


def test_its_grammar_is_found_out(engine: OpenAIEngine) -> None:
    found = engine.probe("judge")
    assert found.output_modes[0] == "schema" and found.limit_parameter == "max_completion_tokens" and not found.rejected


def test_every_prompt_is_answered_or_given_up_with_the_raw_reply(engine: OpenAIEngine, store: Store) -> None:
    errors = [outcome(engine, prompt) for prompt in ASKED]
    assert errors.count("") >= 2 and all("Raw reply" in error for error in errors if error)
    calls = [call for call in store.calls.newest(limit=1_000) if call.purpose != "Probe"]
    assert {call.purpose for call in calls} == {type(prompt).__name__ for prompt in ASKED}
    assert all(call.reply and call.request and call.retries == 0 for call in calls)


def test_its_replies_come_in_pieces(engine: OpenAIEngine, store: Store) -> None:
    try:
        said = "".join(engine.stream(ANSWER))
        assert said.strip() == engine.ask(ANSWER)
    except StreamBroken:
        assert store.calls.newest()[0].error
    assert store.calls.newest()[0].completion_tokens


def test_a_run_ends_with_every_turn_scored_or_its_reason(
    engine: OpenAIEngine, store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    runner = Runner(store, small_indexes, engine)
    plan = Plan(bot="komachi", max_turns=2, concurrency=3)
    try:
        runs = [runner.start(plan)]
        assert runner.wait(runs[0], 300)
        runs.append(runner.start(plan))
        assert runner.wait(runs[1], 300)
    finally:
        runner.close()
    progress, frame = store.runs.progress(runs[0]), store.records.score_frame(runs[0])
    assert (progress.status, progress.done + progress.failed) == ("done", 3)
    assert all(row.error for row in store.conversations.of_run(runs[0], "failed"))
    has_reason = (frame["error"] != "") | (frame["label"] == NOT_APPLICABLE)
    assert len(frame) == 6 * progress.turns and (frame["value"].isna() == has_reason).all()
    assert summarise(frame, store.conversations.of_run(runs[0])).turns == progress.turns
    first, second = (store.calls.newest(run, limit=1_000) for run in runs)
    assert all(call.reply for call in first)
    assert not {call.key for call in first if not call.error} & {call.key for call in second}
