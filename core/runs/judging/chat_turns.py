"""A judge's verdict on a turn of the chat page, asked for after a person has labelled it."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.bot_folder import bot_ids, load_bot
from core.base.prompt import Engine
from core.base.types import Bot, Language, Scenario, Score
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.runs.judging.judge_options import versions_of, with_versions
from core.runs.judging.samples import sample_of
from core.store.rows import with_history
from core.store.store import Store

JUDGES = ("turn",)


def judge_chat_turns(store: Store, engine: Engine, turns: Sequence[tuple[str, str, int]], language: Language) -> int:
    """Score turns (bot, chat, turn) of chats in order; gives how many. Those of a bot that is gone are left out."""
    bots = set(bot_ids())
    done = 0
    for bot, chat, turn in turns:
        if bot in bots:
            done += bool(judge_chat_turn(store, load_bot(bot), engine, chat, turn, language))
    return done


def judge_chat_turn(
    store: Store, bot: Bot, engine: Engine, chat: str, turn_id: int, language: Language
) -> tuple[Score, ...]:
    """Score a turn of a chat as a run's would be, and store the scores; nothing if the bot has not replied.

    Nothing is known of what the person wanted but what was said.
    """
    options = JudgeOptions(language=language, guidelines=bot.guidelines, prompts=bot.prompts)
    for row, history in with_history(store.chats.turns(chat)):
        if row.id == turn_id and row.turn is not None:
            scenario = Scenario(id="", question=row.user_text)
            judges = judges_of(JUDGES, bot)
            verdicts = judge_all(engine, judges, sample_of(scenario, row.turn, history), options)
            scores = with_versions(verdicts, versions_of(judges, engine, options))
            store.scores.add(turn_id, scores)
            return scores
    return ()
