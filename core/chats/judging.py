"""A judge's verdict on a turn of the chat page, asked for after a person has labelled it."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.bot_folder import bot_ids, load_bot
from core.base.prompt import Engine
from core.base.types import TURN_JUDGE, Language, Scenario
from core.judges.base import judge_all
from core.judges.registry import judges_of
from core.runs.judging.judge_options import judge_options_of_bot, versions_of, with_versions
from core.runs.judging.samples import sample_of
from core.store.rows import with_history
from core.store.store import Store


def judge_chat_turns(store: Store, engine: Engine, turns: Sequence[tuple[str, str, int]], language: Language) -> None:
    """Score turns (bot, chat, turn) of chats in order, each as a run's would be, and store the scores.

    Nothing is known of what the person wanted but what was said. Turns without a reply, and those of a bot that is gone,
    are left out.
    """
    bots = set(bot_ids())
    for bot_id, chat, turn_id in turns:
        if bot_id not in bots:
            continue
        bot = load_bot(bot_id)
        options, judges = judge_options_of_bot(bot, language), judges_of((TURN_JUDGE,), bot)
        for row, history in with_history(store.chats.turns(chat)):
            if row.id == turn_id and row.turn is not None:
                scenario = Scenario(id="", question=row.user_text)
                verdicts = judge_all(engine, judges, sample_of(scenario, row.turn, history), options)
                store.scores.add(turn_id, with_versions(verdicts, versions_of(judges, engine, options)))
