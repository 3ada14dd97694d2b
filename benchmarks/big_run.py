"""A database with one large run, made by a seed: what pages, exports and comparisons are measured with.

    python -m benchmarks.big_run FOLDER [--url URL] [--conversations 10000] [--bot hinata] [--seed 1] [--runs 1]
                                        [--calls 4] [--different]

Three turns a conversation on average and twelve scores a turn by six judges: 10,000 conversations have 30,000 turns and
360,000 scores. About one conversation in a hundred failed, a few verdicts are unscored, some conversations invalid.
`--runs` adds earlier runs of a hundred conversations each; `--calls` is the number of calls to a model in a turn.
`--different`: hardly two verdicts have the same reasons, as a model's have not (else about 1,600 are used again and again).
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import insert

from core.base.bot_folder import load_bot
from core.base.types import Answer, Assessment, Bot, Clarify, Hit, Persona, Route, Scenario, SectionHit, Turn
from core.documents.documents import read_documents
from core.documents.passages import Passage, passages
from core.runs.plan import Plan
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.conversations import turn_columns
from core.store.database import now
from core.store.schema import CALLS, CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.store import Store

JUDGES: dict[str, tuple[str, ...]] = {
    "turn": ("understanding", "relevance", "completeness", "correctness", "coherence", "overall"),
    "correctness": ("correctness",),
    "groundedness": ("support", "grounded"),
    "sufficiency": ("sufficiency",),
    "criteria:conciseness": ("conciseness",),
    "simulated_user": ("simulated_user",),
}
STEP = 500  # conversations in one transaction
LENGTHS = (1, 2, 3, 4, 5)  # turns, each as often as the others: three on average
SMALL = 100  # conversations of an earlier run
ROLES = (("clarify", "Assess"), ("bot", "RewriteQuestion"), ("bot", "AnswerQuestion"), ("judge", "JudgeTurn"))
REASONS = {
    "ja": "{title}の「{heading}」に書かれている内容と照らすと、聞かれたことには{word}答えているが、期限と申請先の説明が{word}足りない。",
    "en": 'Held against "{heading}" in {title}, what was asked is {word} answered; dates and whom to apply to are {word} told.',
}
WORDS = {"ja": ("十分に", "おおむね", "一部だけ", "ほとんど"), "en": ("fully", "mostly", "partly", "hardly")}
UNSCORED = {"ja": "採点の返事が読めませんでした。", "en": "The judge's reply could not be read."}
BROKEN = {
    "ja": "モデルのサーバーが 3 回続けて応答しませんでした。",
    "en": "The model server did not reply, three times in a row.",
}


class World(NamedTuple):
    """What texts are taken from."""

    bot: Bot
    scenarios: list[Scenario]
    personas: list[Persona]
    passages: list[Passage]
    different: bool = False


def world_of(name: str, different: bool = False) -> World:
    """A bundled bot's scenarios and passages, and the personas; different: each verdict has reasons of its own."""
    bot = load_bot(name)
    found = [passage for document in read_documents(bot) for passage in passages(document)]
    return World(bot, read_scenarios(bot), read_personas(bot.language, bot), found, different)


def add_run(store: Store, world: World, size: int, seed: int, calls: int, age: int = 0, lift: float = 0.0) -> str:
    """One run that was over `age` days ago; `lift` is added to every score. Gives its id."""
    run_id, dice = f"big-{world.bot.id}-{seed}-{size}", random.Random(seed)
    begun = now() - timedelta(days=age, hours=2)
    plan = Plan(bot=world.bot.id, judges=tuple(JUDGES), seed=seed, max_turns=max(LENGTHS), language=world.bot.language)
    row = {"id": run_id, "bot": world.bot.id, "name": "", "language": world.bot.language, "status": "done"}
    row |= {"seed": seed, "max_turns": plan.max_turns, "total": size, "created_at": begun, "owner": "", "error": ""}
    row |= {"finished_at": begun + timedelta(hours=1), "plan": plan.model_dump(mode="json"), "snapshot": {}}
    with store.db.write() as connection:
        connection.execute(insert(RUNS), {**row, "leased_until": None})
    lengths = [LENGTHS[place % len(LENGTHS)] for place in range(size)]
    dice.shuffle(lengths)
    talks = [_conversation(run_id, number, world, dice, begun) for number in range(1, size + 1)]
    for start in range(0, size, STEP):
        _add(store, talks[start : start + STEP], lengths[start : start + STEP], world, dice, lift, calls)
    return run_id


def _conversation(run_id: str, number: int, world: World, dice: random.Random, begun: datetime) -> dict[str, Any]:
    place = number - 1
    scenario = world.scenarios[place % len(world.scenarios)]
    persona = world.personas[place // len(world.scenarios) % len(world.personas)]
    failed = dice.random() < 0.01
    return {
        "id": f"{run_id}-{number}",
        "run_id": run_id,
        "bot": world.bot.id,
        "chat": False,
        "number": number,
        "scenario_id": scenario.id,
        "scenario": scenario.model_dump(mode="json"),
        "persona_id": persona.id,
        "persona_name": persona.name,
        "repeat": 1 + place // (len(world.scenarios) * len(world.personas)),
        "kind": scenario.kind,
        "question": scenario.question,
        "status": "failed" if failed else "done",
        "ending": "" if failed else dice.choice(("done", "done", "done", "gave_up", "max_turns")),
        "closing": "",
        "error": BROKEN[world.bot.language] if failed else "",
        "started_at": begun + timedelta(seconds=number / 4),
        "finished_at": begun + timedelta(seconds=number / 4 + 8),
        "profile": None,
    }


def _add(
    store: Store,
    talks: list[dict[str, Any]],
    lengths: list[int],
    world: World,
    dice: random.Random,
    lift: float,
    n: int,
) -> None:
    """Conversations with their turns, scores and calls, in one transaction; ids of turns are counted on."""
    with store.db.write() as connection:
        last = connection.execute(TURNS.select().order_by(TURNS.c.id.desc()).limit(1)).scalar() or 0
        turns = [
            {"id": last + place, **turn}
            for place, turn in enumerate(
                (
                    turn
                    for talk, length in zip(talks, lengths, strict=True)
                    for turn in _turns(talk, length, world, dice)
                ),
                1,
            )
        ]
        by_id = {talk["id"]: talk for talk in talks}
        scores = [score for turn in turns for score in _scores(turn, by_id[turn["conversation_id"]], world, dice, lift)]
        connection.execute(insert(CONVERSATIONS), talks)
        connection.execute(insert(TURNS), turns)
        connection.execute(insert(SCORES), scores)
        made = [call for turn in turns for call in _calls(turn, by_id[turn["conversation_id"]], n, dice)]
        if made:
            connection.execute(insert(CALLS), made)


def _turns(talk: dict[str, Any], length: int, world: World, dice: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(1, length + 1):
        asks = number == 1 and (talk["kind"] in ("vague", "consultation") or dice.random() < 0.1)
        asks = asks or (number == 2 and dice.random() < 0.08)
        columns = turn_columns(_turn(str(talk["question"]), world, asks, dice))
        at = talk["started_at"] + timedelta(seconds=2 * number)
        yield {**columns, "conversation_id": talk["id"], "number": number, "user_state": "", "created_at": at}


def _turn(question: str, world: World, asks: bool, dice: random.Random) -> Turn:
    found = dice.sample(world.passages, 5)
    hits = tuple(Hit(passage=one, score=round(dice.random(), 3), lexical=dice.random() * 20) for one in found)
    sections = tuple(
        SectionHit(document=p.document, title=p.title, heading=p.heading, score=dice.random()) for p in found
    )
    text = found[0].text[: dice.randint(80, 300)]
    reply = Clarify(text=text[:80], choices=tuple(p.heading for p in found[:3])) if asks else _answer(text, dice)
    seconds = {"clarify": dice.random() * 0.5, "retrieve": dice.random() * 0.1}
    seconds |= {} if asks else {"rewrite": dice.random() * 0.4, "answer": 0.5 + dice.random() * 3}
    seconds["total"] = sum(seconds.values())
    return Turn(
        message=question,
        reply=reply,
        assessment=Assessment(
            clarity=4 if asks else 1, is_question=1, is_consultation=5, in_internal_docs=1, ask_person=5
        ),
        route=Route(rule=2 if asks else 6, decision="ask" if asks else "search"),
        sections=sections,
        query="" if asks else question,
        hits=() if asks else hits,
        seconds=seconds,
    )


def _answer(text: str, dice: random.Random) -> Answer:
    return Answer(text=f"{text}[1]", cited=(1,), answered=dice.random() > 0.06)


def _scores(
    turn: dict[str, Any], talk: dict[str, Any], world: World, dice: random.Random, lift: float
) -> Iterator[dict[str, Any]]:
    """Twelve verdicts, swayed by scenario, persona and turn."""
    good = 0.86 + lift + _bent(f"{talk['scenario_id']}", 0.22) + _bent(f"{talk['persona_id']}", 0.12)
    good -= 0.03 * (turn["number"] - 1)
    speaks = world.bot.language
    for judge, criteria in JUDGES.items():
        lost = dice.random() < 0.015
        for criterion in criteria:
            value = None if lost else _value(judge, good + _bent(criterion, 0.1) + dice.gauss(0, 0.12), dice)
            about = dice.choice(world.passages)
            reasons = REASONS[speaks].format(title=about.title, heading=about.heading, word=dice.choice(WORDS[speaks]))
            reasons = _own_words(world, dice) if world.different else reasons
            yield {
                "turn_id": turn["id"],
                "judge": judge,
                "version": "3f1c9a",
                "criterion": criterion,
                "value": value,
                "label": "" if value is None else f"{value * 5:.0f}" if judge == "turn" else f"{value:.0f}",
                "reasons": "" if lost else reasons,
                "error": UNSCORED[speaks] if lost else "",
                "repeat": 1,
            }


def _own_words(world: World, dice: random.Random) -> str:
    """Reasons as long as the others, of two pieces of documents that are cut anywhere."""
    pieces = ((one.text, dice.randrange(max(1, len(one.text) - 40))) for one in dice.sample(world.passages, 2))
    return "".join(text[at : at + 40] for text, at in pieces)


@cache
def _bent(name: str, width: float) -> float:
    """A lasting push for a scenario, persona or criterion: downwards, seldom by much."""
    return -width * random.Random(name).random() ** 2


def _value(judge: str, good: float, dice: random.Random) -> float:
    if judge == "turn":
        return min(5, max(1, round(good * 5))) / 5
    return float(dice.random() > 0.02) if judge == "simulated_user" else float(dice.random() < good)


def _calls(turn: dict[str, Any], talk: dict[str, Any], n: int, dice: random.Random) -> Iterator[dict[str, Any]]:
    for place in range(n):
        role, purpose = ROLES[place % len(ROLES)]
        tokens = {
            "prompt_tokens": dice.randint(300, 2500),
            "cached_tokens": 0,
            "completion_tokens": dice.randint(20, 400),
        }
        yield {
            "created_at": turn["created_at"],
            "run_id": talk["run_id"],
            "conversation_id": talk["id"],
            "purpose": purpose,
            "role": role,
            "server": "http://127.0.0.1:11434/v1",
            "model": "m",
            "output_mode": "schema",
            "key": f"{turn['id']}-{place}",
            "repeat": 1,
            **tokens,
            "cost": tokens["prompt_tokens"] * 2e-7 + tokens["completion_tokens"] * 8e-7,
            "seconds": 0.2 + dice.expovariate(1.2),
            "retries": 0,
            "error": "",
            "request": '{"messages": []}',
            "reply": "{}",
        }


def main() -> None:
    """Make what was asked for and tell its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", default="")
    parser.add_argument("--bot", default="hinata")
    for name, default in (("conversations", 10_000), ("seed", 1), ("runs", 1), ("calls", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--different", action="store_true")
    chosen = parser.parse_args()
    store, world, begun = (
        Store(chosen.url or f"sqlite:///{chosen.folder / 'kiku.db'}"),
        world_of(chosen.bot, chosen.different),
        time.perf_counter(),
    )
    for place in range(chosen.runs - 1):
        age = chosen.runs - 1 - place
        add_run(store, world, SMALL, chosen.seed + age, 0, age, -0.01 * age)
    run_id = add_run(store, world, chosen.conversations, chosen.seed, chosen.calls)
    print(f"{run_id}: {store.runs.progress(run_id).turns} turns in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
