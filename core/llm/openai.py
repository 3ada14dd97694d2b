"""The engine for any OpenAI-compatible server: Ollama, llama.cpp, vLLM, LM Studio, Azure, OpenAI's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from core.base.call_context import current_context
from core.base.calls import CallLog, ServerFeatures
from core.base.errors import StreamCut, TransientError, Unusable, Withheld
from core.base.prompt import Prompt
from core.base.types import Role
from core.llm.call_log import LoggedCalls
from core.llm.completions import Completion
from core.llm.prices import Prices
from core.llm.questions import Question, question_of, retry_messages
from core.llm.reasoning import stream_without_reasoning
from core.llm.replies import CutReply, DeclinedReply, UnparsedByServer, UnreadableReply, read_object, read_text
from core.llm.roles import Roles
from core.llm.sender import ReplyStream, Sender
from core.text.language import sentences

R = TypeVar("R")
TRIES = 4  # of one question, until its reply can be used
RAISE = 4  # times as many tokens after a reply that was cut
MAX_LIMIT = 65_536  # tokens of a reply


class OpenAIEngine:
    """Answers prompts with the model of their role; every call is logged, and not made if the log has it already."""

    name = "openai"

    def __init__(self, roles: Roles, log: CallLog, prices: Prices | None = None, cache: bool = True) -> None:
        self.roles = roles
        self._calls = LoggedCalls(log, prices or Prices(), cache)
        self._sender = Sender(roles, log, self._calls)

    @property
    def models(self) -> dict[str, str]:
        """The model of each role."""
        return {role: model.model for role, model in self.roles.items()}

    @property
    def prices(self) -> Prices:
        """What tokens cost."""
        return self._calls.prices

    def ask(self, prompt: Prompt[R]) -> R:
        """The whole reply; raises a ModelError if there is none that can be used."""
        question = self._question(prompt)
        with self._calls.one_at_a_time(question):
            return self._known(question) or self._until_usable(question)

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The reply in pieces; raises StreamCut if a part was handed out and `ask` must give the whole."""
        question = self._question(prompt)
        if known := self._known(question):
            yield from sentences(known)
        elif "stream" in self._sender.features(question).rejected:
            yield self.ask(prompt)
        else:
            yield from self._streamed(self._sender.stream(question))

    def probe(self, role: Role) -> ServerFeatures:
        """Find out anew what the server of a role can do with its model: a few small calls."""
        return self._sender.probe(role)

    def _question(self, prompt: Prompt[Any]) -> Question:
        return question_of(prompt, self.roles[prompt.role], current_context().repeat)

    def _known(self, question: Question) -> Any:
        """What the call log has for a question, if it can be used; raises Withheld if the model declined."""
        reply = self._calls.find(question)
        try:
            return _read(reply, question) if reply else None
        except DeclinedReply as error:
            raise Withheld(str(error), reply.text or reply.dump() if reply else "") from error
        except UnreadableReply:  # it was read by other rules then
            return None

    def _until_usable(self, question: Question) -> Any:
        """Ask, and ask again with what was wrong, until the reply can be used or was asked for often enough."""
        messages, limit, worse, reply, problem = question.messages, question.model.reply_tokens, 0, Completion({}), ""
        for _ in range(TRIES):
            reply, call, has_limit = self._sender.send(question, messages, limit, worse)
            try:
                value = _read(reply, question)
                self._calls.add(call)
                return value
            except UnreadableReply as error:
                problem = str(error)
                if isinstance(error, DeclinedReply):  # that is the model's reply, and would be again
                    self._calls.add(call)
                    raise Withheld(problem, reply.text or reply.dump()) from error
                self._calls.add(call.model_copy(update={"error": problem}))
                if isinstance(error, CutReply):
                    if not has_limit:
                        break
                    limit = min(limit * RAISE, MAX_LIMIT)
                    continue
                question = replace(question, seed=question.seed + 1)  # the same one might give the same reply
                if isinstance(error, UnparsedByServer):
                    worse += 1
                else:
                    messages = retry_messages(question, reply, problem)
        raise Unusable(problem, reply.text or reply.dump())

    def _streamed(self, stream: ReplyStream) -> Iterator[str]:
        text = ""
        problem: Exception | None = StreamCut("Nobody heard the reply to its end.", "stream_cut")
        try:
            for piece in stream_without_reasoning(stream):
                text += piece
                yield piece
            is_whole = read_text(stream.reply) == text.strip()
            problem = None if is_whole else StreamCut("The reply did not come as it was meant.", "stream_cut")
        except (TransientError, UnreadableReply) as error:
            problem = error
        finally:
            stream.close("" if isinstance(problem, DeclinedReply) else str(problem or ""))
        if isinstance(problem, DeclinedReply):
            raise Withheld(str(problem), stream.reply.text or stream.reply.dump()) from problem
        if problem:
            raise StreamCut(f"The reply broke off ({problem}).", "stream_cut", detail=str(problem)) from problem


def _read(reply: Completion, question: Question) -> Any:
    return read_object(reply, question.functions) if question.functions else read_text(reply)
