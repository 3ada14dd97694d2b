"""The engine for any OpenAI-compatible server: Ollama, llama.cpp, vLLM, LM Studio, Azure, OpenAI's own."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from core.base.call_context import current_context
from core.base.calls import CallLog, ServerFeatures
from core.base.errors import (
    InvalidReply,
    ModelError,
    ModelRefusal,
    NoValidReply,
    StreamBroken,
    TransientError,
    stored_error,
)
from core.base.prompt import Prompt
from core.base.types import Role
from core.llm.completions import Completion
from core.llm.logged_calls import LoggedCalls
from core.llm.model_requests import SEEDS, ModelRequest, model_request_of, retry_messages
from core.llm.prices import Prices
from core.llm.reasoning import stream_without_reasoning
from core.llm.replies import TruncatedReply, UnparsedByServer, read_object, read_text
from core.llm.roles import Roles
from core.llm.sender import ReplyStream, Sender
from core.text.language import sentences

R = TypeVar("R")
TRIES = 4  # requests until a reply can be used
MAX_TOKENS_FACTOR = 4  # times as many tokens after a reply that was cut
MAX_TOKENS_CAP = 65_536  # tokens of a reply


class OpenAIEngine:
    """Answers prompts with the model of their role; every call is logged, and not repeated if the log has it."""

    name = "openai"

    def __init__(self, roles: Roles, log: CallLog, prices: Prices, cache: bool = True) -> None:
        self.roles = roles
        self._calls = LoggedCalls(log, prices, cache)
        self._sender = Sender(roles, log, self._calls)

    @property
    def models(self) -> dict[str, str]:
        return {role: model.model for role, model in self.roles.items()}

    @property
    def prices(self) -> Prices:
        return self._calls.prices

    def ask(self, prompt: Prompt[R]) -> R:
        """The whole reply; raises a ModelError if there is no usable one."""
        request = self._model_request(prompt)
        with self._calls.one_at_a_time(request):
            return self._logged_reply(request) or self._ask_until_usable(request)

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The reply in pieces; raises StreamBroken if a part was passed on and `ask` must return the whole."""
        request = self._model_request(prompt)
        if logged := self._logged_reply(request):
            yield from sentences(logged)
        elif "stream" in self._sender.features(request).rejected:
            yield self.ask(prompt)
        else:
            yield from self._streamed(self._sender.stream(request))

    def probe(self, role: Role) -> ServerFeatures:
        """Probe again which features the server of a role supports for its model, by a few small calls."""
        return self._sender.probe(role)

    def _model_request(self, prompt: Prompt[Any]) -> ModelRequest:
        context = current_context()
        request = model_request_of(prompt, self.roles[prompt.role], context.repeat)
        return replace(request, seed=secrets.randbelow(SEEDS)) if context.resample else request

    def _logged_reply(self, request: ModelRequest) -> Any:
        """The usable reply that the call log has for a request, else None; raises ModelRefusal."""
        reply = self._calls.find(request)
        try:
            return _read(reply, request) if reply else None
        except InvalidReply:  # it was read by other rules then
            return None

    def _ask_until_usable(self, request: ModelRequest) -> Any:
        """Ask, and ask again with what was wrong, until the reply can be used or TRIES is reached."""
        messages, max_tokens, fallback_level = request.messages, request.model.max_tokens, 0
        reply, problem = Completion({}), InvalidReply("")
        for _ in range(TRIES):
            reply, call, has_max_tokens = self._sender.send(request, messages, max_tokens, fallback_level)
            try:
                value = _read(reply, request)
                self._calls.add(call)
                return value
            except ModelRefusal:  # that is the model's reply, and would be again
                self._calls.add(call)
                raise
            except InvalidReply as error:
                problem = error
                self._calls.add(call.model_copy(update={"error": stored_error(problem)}))
                if isinstance(error, TruncatedReply):
                    if not has_max_tokens:
                        break
                    max_tokens = min(max_tokens * MAX_TOKENS_FACTOR, MAX_TOKENS_CAP)
                    continue
                request = replace(request, seed=request.seed + 1)  # the same one might give the same reply
                if isinstance(error, UnparsedByServer):
                    fallback_level += 1
                else:
                    messages = retry_messages(request, reply, error)
        raise NoValidReply(problem, reply.raw)

    def _streamed(self, stream: ReplyStream) -> Iterator[str]:
        text = ""
        problem: ModelError | None = StreamBroken("Nobody read the reply to its end.", "stream_cut")
        try:
            for piece in stream_without_reasoning(stream):
                text += piece
                yield piece
            problem = None
            if read_text(stream.reply) != text.strip():
                problem = StreamBroken("The pieces of the reply do not make up the whole.", "stream_cut")
        except (InvalidReply, ModelRefusal) as error:
            problem = error
        except TransientError as error:
            problem = StreamBroken(f"The reply broke off ({error}).", "stream_cut", detail=str(error))
        finally:
            stream.close("" if problem is None or isinstance(problem, ModelRefusal) else stored_error(problem))
        if isinstance(problem, ModelRefusal | StreamBroken):
            raise problem
        if problem:
            raise StreamBroken(f"The reply broke off ({problem}).", "stream_cut", detail=str(problem)) from problem


def _read(reply: Completion, request: ModelRequest) -> Any:
    return read_object(reply, request.shapes) if request.shapes else read_text(reply)
