"""What of a server's errors is learnt for good, and what passes."""

from __future__ import annotations

from typing import Any

import pytest

from core.base.calls import RUNGS, Abilities
from core.llm.complaint import Rejected
from core.llm.errors import ModelError
from core.llm.ladder import learnt
from core.store.store import Store
from tests.questions import ANSWER, JUDGE, NEXT, REWRITE
from tests.servers import ModelServer, engine_on, serving

pytestmark = pytest.mark.usefixtures("short_waits")
FOUND = Abilities(server="http://a", model="tiny", rungs=RUNGS)
TOOLS: dict[str, Any] = {
    "messages": [{"role": "system", "content": "x"}],
    "temperature": 0.0,
    "seed": 1,
    "max_completion_tokens": 4096,
    "tools": [{"function": {"strict": True}}],
    "tool_choice": "required",
    "parallel_tool_calls": False,
}


@pytest.mark.parametrize(
    ("parameter", "said", "name"),
    [
        ("temperature", "Something is wrong.", "temperature"),
        ("tools[0].function.strict", "Something is wrong.", "strict"),
        ("tools[0].function.parameters", "Something is wrong.", "rung"),
        ("body seed", "body seed: Extra inputs are not permitted", "seed"),
        ("", "Unrecognized request argument supplied: parallel_tool_calls", "parallel_tool_calls"),
        ("", 'Invalid JSON payload received. Unknown name "seed": Cannot find field.', "seed"),
        ("", "Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        ("", "registry.example/library/tiny does not support tools", "rung"),
        ("", '"auto" tool choice requires --enable-auto-tool-choice', "rung"),
        ("", "System role not supported", "system"),
        ("max_completion_tokens", "Unsupported parameter: use 'max_tokens' instead.", "limit"),
        ("", "Your message ‘the tools, the seed and the temperature of the stream’ was odd.", ""),
        ("", "The message 'is temperature supported' violates our usage policies.", ""),
        ("messages", "Something about seed is unsupported by our safety filter.", ""),
        ("max_completion_tokens", "max_completion_tokens is too large: 4096. At most 2048 are supported.", ""),
        ("", "Billing: tools are not supported on the free plan.", ""),
    ],
)
def test_only_what_an_error_objects_to_by_name_is_learnt(parameter: str, said: str, name: str) -> None:
    found = learnt(FOUND, "tools", TOOLS, Rejected(400, "x", parameter, said))
    if name == "rung":
        assert found is not None and "tools" not in found.rungs
    elif name == "limit":
        assert found is not None and found.limit == "max_tokens"
    else:
        assert (found.dropped if found else ()) == ((name,) if name else ())


TOLD = {"error": {"message": "Unsupported: tools, temperature, json_schema and seed", "param": "temperature"}}
PASSING = pytest.mark.parametrize("status", [402, 405, 410, 413, 415, 451, 501])


@PASSING
def test_an_error_that_may_pass_costs_no_ability(status: int, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [lambda handler, *_: handler.send(status, TOLD)]
    with pytest.raises(ModelError, match=str(status)):
        engine.ask(NEXT)
    found = store.abilities(server.url, "tiny")
    assert found is not None and found.rungs == RUNGS and found.dropped == ()


@PASSING
def test_while_finding_out_an_error_that_may_pass_ends_it(status: int, store: Store) -> None:
    with serving(Stubborn(status)) as server:
        with pytest.raises(ModelError, match=str(status)):
            engine_on(server, store).ask(NEXT)
        assert len(server.requests) == 1 and store.abilities(server.url, "tiny") is None


class Stubborn(ModelServer):
    """Gives every request the same error."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status

    def next_script(self, body: Any) -> Any:
        return lambda handler, *_: handler.send(self.status, TOLD)


@pytest.mark.parametrize("prompt", [NEXT, ANSWER], ids=["object", "text"])
def test_a_reply_that_is_too_long_for_a_server_is_asked_for_shorter(
    prompt: Any, server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)

    def at_most(handler: Any, body: Any, *_: Any) -> None:
        told = f"max_completion_tokens is too large: {body['max_completion_tokens']}. This model supports at most 1500."
        handler.send(400, {"error": {"message": told, "param": "max_completion_tokens"}})

    server.script = [at_most, at_most]
    assert "".join(engine.stream(prompt)) if prompt is ANSWER else engine.ask(prompt)
    assert [body["max_completion_tokens"] for body in server.requests[-3:]] == [4096, 2048, 1024]
    found = store.abilities(server.url, "tiny")
    assert found is not None and found.limit == "max_completion_tokens" and found.rungs == RUNGS
    engine.ask(JUDGE)
    assert server.requests[-1]["max_completion_tokens"] == 4096


def test_an_error_in_a_list_is_read(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    told = [{"error": {"message": 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'}}]
    server.script = [lambda handler, *_: handler.send(400, told)]
    assert engine.ask(NEXT)
    found = store.abilities(server.url, "tiny")
    assert found is not None and found.dropped == ("seed",) and "seed" not in server.requests[-1]
