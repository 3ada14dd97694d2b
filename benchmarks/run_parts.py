"""What a turn of a run takes beside its calls to models, part by part, in CPU of one thread.

    python -m benchmarks.run_parts [--database URL] [--rounds 6] [--times 60]

With Hinata and the embedded engine's turn, on SQLite in a folder of its own or the database named (which keeps what is
written). Of so many rounds of so many different messages the quickest counts.
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.throughput import TURNS, make_bot
from core.base.bot_folder import load_bot
from core.base.types import Bot, Message, Scenario, Score
from core.bot.contacts import find_contact
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.runs.judging.samples import sample_of
from core.simulation.scenarios import read_scenarios
from core.store.database import now
from core.store.leases import Writer
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store

OWNER = "benchmark"
Work = Callable[[int], object]


class Repeats(NamedTuple):
    """How often each part is done: rounds, and times in each."""

    rounds: int
    times: int


def spent(work: Work, repeats: Repeats) -> float:
    """µs of CPU that a piece of work takes, of the quickest round; it is given another number each time."""
    rounds: list[float] = []
    for number in range(repeats.rounds):
        begun = time.thread_time()
        for n in range(repeats.times):
            work(number * repeats.times + n)
        rounds.append((time.thread_time() - begun) / repeats.times)
    return min(rounds) * 1e6


def searching(bot: Bot, index: Index, scenarios: list[Scenario]) -> dict[str, Work]:
    """What is searched for in a second turn; no message comes twice."""

    def history(n: int) -> tuple[Message, ...]:
        first, then = scenarios[n].question, f"では{n * 7919}番の場合はどうなりますか。"
        reply = "翌月の10日までに経費システムで精算します。[1]"
        exchanges = (("user", first), ("assistant", reply), ("user", then))
        return tuple(Message.model_validate({"role": role, "text": text}) for role, text in exchanges)

    return {
        "look at the documents": lambda n: find_sections(index, history(n)),
        "search": lambda n: index.search(f"{n * 7919}番の交通費の精算の期限はいつですか", 6),
        "find the contact": lambda n: find_contact(bot.contacts, history(n), ()),
    }


def storing(store: Store, bot: Bot, index: Index, scenarios: list[Scenario]) -> dict[str, Work]:
    """What a conversation of one turn writes."""
    engine = EmbeddedEngine()
    run_id = planned(store, bot, scenarios)
    turn = take_turn(engine, bot, index, (), scenarios[0].question)
    judges, turns = judges_of(("turn",), bot), list[int]()
    scores: tuple[Score, ...] = judge_all(
        engine, judges, sample_of(scenarios[0], turn, ()), JudgeOptions(language="ja")
    )

    def talk(n: int) -> str:
        return f"{run_id}-{n:05d}"

    return {
        "begin a conversation": lambda n: store.conversations.start(talk(n), Writer(OWNER)),
        "store a turn": lambda n: turns.append(
            store.conversations.add_turn(talk(n), 1, turn, "opening", Writer(OWNER))
        ),
        f"store {len(scores)} scores": lambda n: store.scores.add(turns[n], scores, Writer(OWNER)),
        "read what is stored": lambda n: store.conversations.turns(talk(n)),
        "end a conversation": lambda n: store.conversations.finish(talk(n), "done", "", Writer(OWNER)),
    }


def planned(store: Store, bot: Bot, scenarios: list[Scenario]) -> str:
    """The id of a new run with a conversation for each scenario."""
    run_id = f"{bot.id}-{secrets.token_hex(4)}"
    run = RunRow(
        id=run_id, bot=bot.id, name="", language="ja", status="running", seed=1, max_turns=TURNS, total=len(scenarios),
        created_at=now(), plan={}, owner=OWNER,
    )  # fmt: skip
    talks = [
        ConversationRow(
            id=f"{run_id}-{n:05d}", run_id=run_id, bot=bot.id, number=n, scenario_id=one.id, scenario=one,
            persona_id="", persona_name="", kind=one.kind, question=one.question,
        )
        for n, one in enumerate(scenarios)
    ]  # fmt: skip
    store.runs.create(run, {}, talks)
    return run_id


def main() -> None:
    """A line for each part."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", default="")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--times", type=int, default=60)
    arguments = parser.parse_args()
    repeats = Repeats(arguments.rounds, arguments.times)
    with tempfile.TemporaryDirectory() as folder:
        knowledge = Path(folder) / "knowledge"
        make_bot(knowledge, repeats.rounds * repeats.times)
        bot = load_bot("hinata", knowledge)
        index, scenarios = Indexes(Path(folder) / "chroma").get(bot), read_scenarios(bot)
        store = Store(arguments.database or f"sqlite:///{folder}/kiku.db")
        for name, work in (searching(bot, index, scenarios) | storing(store, bot, index, scenarios)).items():
            print(f"{name:24s} {spent(work, repeats):7.0f} µs", flush=True)
        store.close()


if __name__ == "__main__":
    main()
