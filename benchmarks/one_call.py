"""Calls and characters per turn with clarity and search query in one call (`clarify.one_call`) and in two; and whether they decide alike.

    python -m benchmarks.one_call [BOT] [CONVERSATIONS]  (harbor and 20)

The replies come from the embedded engine through a model server on this machine, so this measures what is sent and not how
well a model does both at once. For that, run `simulate` twice on your model, with and without `one_call`, and compare the runs.
"""

from __future__ import annotations

import json
import tempfile
from typing import Any

from pydantic import BaseModel

from benchmarks.command_line import argument_parser
from core.base.bot_folder import load_bot
from core.base.types import Bot
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Case, Plan, make_cases
from core.runs.players import BotPlayer, UserPlayer
from core.simulation.dialogue import Dialogue, DialogueTurn
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.store import Store
from tests.support.model_server import ModelServer, engine_on, serving


class Dictated:
    """The engine on a model server whose every reply is the embedded engine's."""

    name = "dictated"

    def __init__(self, server: ModelServer, store: Store) -> None:
        self._server, self._engine = server, engine_on(server, store, cache=False)

    def ask(self, prompt: Any) -> Any:
        """The embedded reply, sent and read as a model's."""
        reply = prompt.without_model()
        text = reply.model_dump_json() if isinstance(reply, BaseModel) else reply
        self._server.script.append(text)
        return self._engine.ask(prompt)

    def stream(self, prompt: Any) -> Any:
        """The same in one piece."""
        yield self.ask(prompt)


def measured(bot: Bot, cases: list[Case], plan: Plan, one_call: bool) -> tuple[list[DialogueTurn], int, int]:
    """The turns of all conversations; the requests that they took, and their characters."""
    bot = bot.model_copy(update={"clarify": bot.clarify.model_copy(update={"one_call": one_call})})
    index = Indexes().get(bot)
    with tempfile.TemporaryDirectory() as folder, serving(ModelServer()) as server:
        engine, user = Dictated(server, Store(f"sqlite:///{folder}/k.db")), EmbeddedEngine()
        turns: list[DialogueTurn] = []
        for case in cases:
            sides = BotPlayer(engine, bot, index), UserPlayer(user, plan, case, bot.prompts)
            turns += Dialogue(case.scenario.question, *sides, plan.max_turns).turns()
        sent = [body for body in server.requests if "seven more" not in str(body) and "7は3より" not in str(body)]
    return turns, len(sent), sum(len(json.dumps(body, ensure_ascii=False)) for body in sent)


def main() -> None:
    """Print the figures of both ways."""
    parser = argument_parser(__doc__)
    parser.add_argument("bot", nargs="?", default="harbor")
    parser.add_argument("conversations", type=int, nargs="?", default=20)
    options = parser.parse_args()
    bot = load_bot(options.bot)
    plan = Plan(bot=bot.id, seed=1, language=bot.language, limit=options.conversations)
    cases = make_cases(plan, read_scenarios(bot), read_personas(plan.language, bot))
    found = {name: measured(bot, cases, plan, name == "one") for name in ("two", "one")}
    for name, (turns, calls, characters) in found.items():
        print(f"{name:4} calls per turn {calls / len(turns):.2f}  characters per turn {characters / len(turns):,.0f}")
    pairs = list(zip(found["two"][0], found["one"][0], strict=True))
    later = [pair for pair in pairs if pair[0].number > 1]
    alike = sum(old.turn.route == new.turn.route and old.turn.query == new.turn.query for old, new in pairs)
    print(f"{len(pairs)} turns ({len(later)} of them after the first): decision and query alike in {alike}")


if __name__ == "__main__":
    main()
