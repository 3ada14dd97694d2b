"""The engine for any OpenAI-compatible server: Ollama, llama.cpp, vLLM, LM Studio, Azure, OpenAI's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from core.base.calls import Abilities, CallBook
from core.base.prompt import Prompt
from core.base.types import Role
from core.llm.delivery import Delivery, Stream
from core.llm.errors import StreamCut, Unusable, Withheld
from core.llm.ledger import Ledger
from core.llm.limits import Passing
from core.llm.occasion import occasion
from core.llm.prices import Prices
from core.llm.raw import Raw
from core.llm.replies import Cut, Declined, Unparsed, Unread, read_object, read_text
from core.llm.request import Question, ask_again, question_of
from core.llm.roles import Roles
from core.llm.thinking import is_thinking, without_thinking
from core.text.language import sentences

R = TypeVar("R")
TRIES = 4  # of one question, until its reply can be used
RAISE = 4  # times as many tokens after a reply that was cut
MOST_TOKENS = 65_536


class OpenAIEngine:
    """Answers prompts with the model of their role; every call is kept in the book, and not made where it is there."""

    name = "openai"

    def __init__(self, roles: Roles, book: CallBook, prices: Prices | None = None, cache: bool = True) -> None:
        self.roles = roles
        self._ledger = Ledger(book, prices or Prices(), cache)
        self._delivery = Delivery(roles, book, self._ledger)

    @property
    def models(self) -> dict[str, str]:
        """The model of each role."""
        return {role: model.model for role, model in self.roles.items()}

    @property
    def prices(self) -> Prices:
        """What tokens cost."""
        return self._ledger.prices

    def ask(self, prompt: Prompt[R]) -> R:
        """The whole reply; raises a `core.llm.errors.ModelError` where there is none that can be used."""
        question = self._question(prompt)
        with self._ledger.alone(question):
            return self._known(question) or self._until_usable(question)

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The reply in pieces; raises StreamCut where a part was handed out and `ask` must give the whole."""
        question = self._question(prompt)
        if known := self._known(question):
            yield from sentences(known)
        elif "stream" in self._delivery.abilities(question).dropped:
            yield self.ask(prompt)
        else:
            yield from self._streamed(self._delivery.stream(question))

    def probe(self, role: Role) -> Abilities:
        """Find out anew what the server of a role can do with its model: a few small calls."""
        return self._delivery.probe(role)

    def _question(self, prompt: Prompt[Any]) -> Question:
        return question_of(prompt, self.roles[prompt.role], occasion().repeat)

    def _known(self, question: Question) -> Any:
        """What the ledger holds for a question, as far as it can be used; raises Withheld where it was declined."""
        kept = self._ledger.find(question)
        try:
            return _read(kept, question) if kept else None
        except Declined as error:
            raise Withheld(str(error), kept.text or kept.dump() if kept else "") from error
        except Unread:  # it was read by other rules then
            return None

    def _until_usable(self, question: Question) -> Any:
        """Ask, and ask again with what was wrong, until the reply can be used or was asked for often enough."""
        messages, limit, lower, raw, problem = question.messages, question.model.reply_tokens, 0, Raw({}), ""
        for _ in range(TRIES):
            raw, call, limited = self._delivery.send(question, messages, limit, lower)
            try:
                value = _read(raw, question)
                self._ledger.keep(call)
                return value
            except Unread as error:
                problem = str(error)
                if isinstance(error, Declined):  # that is the model's reply, and would be again
                    self._ledger.keep(call)
                    raise Withheld(problem, raw.text or raw.dump()) from error
                self._ledger.keep(call.model_copy(update={"error": problem}))
                if isinstance(error, Cut) and not limited:
                    break
                if isinstance(error, Cut):
                    limit = min(limit * RAISE, MOST_TOKENS)
                    continue
                question = replace(question, seed=question.seed + 1)  # the same one might give the same reply
                if isinstance(error, Unparsed):
                    lower += 1
                else:
                    messages = ask_again(question, raw, problem)
        raise Unusable(problem, raw.text or raw.dump())

    def _streamed(self, stream: Stream) -> Iterator[str]:
        said: list[str] = []
        problem: Exception | None = StreamCut("Nobody heard the reply to its end.", "stream_cut")
        try:
            for piece in spoken(stream):
                said.append(piece)
                yield piece
            whole = read_text(stream.raw) == "".join(said).strip()
            problem = None if whole else StreamCut("The reply did not come as it was meant.", "stream_cut")
        except (Passing, Unread) as error:
            problem = error
        finally:
            stream.close("" if isinstance(problem, Declined) else str(problem or ""))
        if isinstance(problem, Declined):
            raise Withheld(str(problem), stream.raw.text or stream.raw.dump()) from problem
        if problem:
            raise StreamCut(f"The reply broke off ({problem}).", "stream_cut", detail=str(problem)) from problem


def spoken(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces after the model's reasoning, where the reply begins with one."""
    held: str | None = ""
    for piece in pieces:
        if held is None:
            yield piece
            continue
        held += piece
        begun = "" if is_thinking(held) else without_thinking(held).lstrip()
        if begun:
            yield begun
            held = None


def _read(raw: Raw, question: Question) -> Any:
    return read_object(raw, question.functions) if question.functions else read_text(raw)
