"""deepeval's conversation simulator on a server, for `benchmarks.throughput`; runs in a Python that has deepeval.

    python deepeval_round.py URL CONVERSATIONS TURNS AT_ONCE

As many conversations of as many turns as Kiku holds, as many at a time. Its simulated user and its check of the expected
outcome make their calls as they come; the bot behind it makes those of Kiku's (assess, from the second turn on rewrite,
answer). Nothing is judged. Prints one line of JSON: wall and CPU seconds.
"""

import asyncio
import json
import sys
import time
from typing import Any

from deepeval.dataset import ConversationalGolden  # pyright: ignore[reportMissingImports]
from deepeval.models import DeepEvalBaseLLM  # pyright: ignore[reportMissingImports]
from deepeval.simulator import ConversationSimulator  # pyright: ignore[reportMissingImports]
from deepeval.test_case import Turn  # pyright: ignore[reportMissingImports]
from openai import AsyncOpenAI
from pydantic import BaseModel

TEXT = "交通費は翌月の10日までに経費システムで精算します。" * 40


class Loopback(DeepEvalBaseLLM):
    """A model of deepeval's on the server; each call waits for its reply."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self.client = client
        super().__init__("m")

    def load_model(self) -> Any:
        return self.client

    def get_model_name(self) -> str:
        return "m"

    def generate(self, prompt: str, schema: Any = None) -> Any:
        raise NotImplementedError("everything is asked asynchronously")

    async def a_generate(self, prompt: str, schema: type[BaseModel] | None = None) -> Any:
        await ask(self.client, prompt)
        name = schema.__name__ if schema else ""
        if schema and "simulated_input" in schema.model_fields:
            return schema(simulated_input="では次の場合はどうなりますか。")
        if schema and "is_complete" in schema.model_fields:
            return schema(is_complete=False, reason="まだ知りたいことがある")
        raise TypeError(f"no reply is known for {name}")


async def ask(client: AsyncOpenAI, prompt: str) -> str:
    """One call."""
    done = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
    return done.choices[0].message.content or ""


def main(url: str, conversations: int, turns: int, at_once: int) -> None:
    """Time the simulation."""
    client = AsyncOpenAI(api_key="sk-x", base_url=url, max_retries=0)

    async def bot(input: str, turns: list[Turn]) -> Turn:
        await ask(client, f"assess {TEXT}{input}")
        if len(turns) > 1:
            await ask(client, f"rewrite {TEXT}{input}")
        return Turn(role="assistant", content=await ask(client, f"answer {TEXT}{input}"))

    golden = [
        ConversationalGolden(
            scenario=f"{n}番の交通費を精算したい", expected_outcome="期限が分かる", user_description="急いでいる"
        )
        for n in range(conversations)
    ]
    model = Loopback(client)
    simulator = ConversationSimulator(
        model_callback=bot, simulator_model=model, max_concurrent=at_once, language="Japanese"
    )
    asyncio.set_event_loop(asyncio.new_event_loop())
    cpu, begun = time.process_time(), time.perf_counter()
    simulated = simulator.simulate(golden, max_user_simulations=turns)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    assert all(len(one.turns) == 2 * turns for one in simulated), [len(one.turns) for one in simulated][:5]
    print(json.dumps({"seconds": seconds, "cpu": cpu}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
