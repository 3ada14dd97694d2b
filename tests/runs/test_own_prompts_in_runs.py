"""A bot's own prompts in runs: sent, stored with the run, part of the judges' versions, told by comparisons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.analysis.snapshot_changes import changes_between
from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.prompt_files import save_prompt
from core.base.types import Bot
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.prompts.catalog import find_prompt
from core.retrieval.index_cache import Indexes
from core.runs.judging.judge_options import judge_options_of_plan, versions_of
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from tests.support.model_server import ModelServer, engine_on

PLAN = Plan(bot="komachi", scenarios=("q2",), personas=("calm",), max_turns=2)
OWN = ("answer.ja", "assess.ja", "simulated_user.ja", "judges/turn.ja")


def changed(bot: Bot, *keys: str) -> Bot:
    """The bot with a line of its own on top of these prompts."""
    for key in keys:
        name, _, _ = key.rpartition(".")
        save_prompt(bot, key, f"OWN {key}\n{find_prompt(name).default('ja')}")
    return load_bot(bot.id, bot.folder.parent)


def test_every_role_gets_the_bots_own_text_and_the_run_stores_it(
    home: Path, store: Store, server: ModelServer, small_indexes: Indexes
) -> None:
    bot = changed(load_bot("komachi"), *OWN)
    with Runner(store, small_indexes, engine_on(server, store)) as runner:
        run_id = runner.start(PLAN)
        assert runner.wait(run_id, 50)
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert [key for key in OWN if f"OWN {key}" not in sent] == []
    assert store.runs.snapshot(run_id)["prompts"] == bot.prompts
    changes = changes_between({}, store.runs.snapshot(run_id), {}, {})
    assert {change.name for change in changes if change.area == "prompts"} == {*OWN}


def test_a_judges_version_follows_its_own_prompt_and_no_other(home: Path, store: Store, server: ModelServer) -> None:
    engine = engine_on(server, store)

    def versions(bot: Bot, engine: object = engine) -> dict[str, str]:
        judges = judges_of(("turn", "relevance"))
        return versions_of(judges, engine, judge_options_of_plan(Plan(bot=bot.id, language="ja"), bot))  # type: ignore[arg-type]

    before = load_bot("komachi")
    after = changed(before, "judges/turn.ja", "judges/turn.en", "answer.ja")
    assert versions(after)["turn"] != versions(before)["turn"]
    assert versions(after)["relevance"] == versions(before)["relevance"]
    assert versions(after, EmbeddedEngine()) == versions(before, EmbeddedEngine())


def test_a_prompt_that_cannot_be_used_is_told_before_the_run_begins(
    home: Path, store: Store, small_indexes: Indexes
) -> None:
    bot = load_bot("komachi")
    save_prompt(bot, "answer.ja", "{{ nothing }}")
    with (
        Runner(store, small_indexes, EmbeddedEngine()) as runner,
        pytest.raises(BadInput, match="nothing"),
    ):
        runner.start(PLAN)
    assert store.runs.all() == []
