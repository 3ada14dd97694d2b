"""An answer from passages, with citations, or an honest "not in the documents".

The embedded engine's is made in `core/bot/embedded/reply.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base.types import Answer, Contact, Hit
from core.bot.answer.closing_line import read_closing_line
from core.bot.answer.refusal import refusal_text
from core.bot.conversation_prompt import ConversationPrompt
from core.text.citations import read_citations
from core.text.refusals import answer_sentences, is_refusal


class Answering(ConversationPrompt[str]):
    """Answer a standalone question from numbered passages (from 1) and cite them as [1]; else say "not in the
    documents".

    The reply ends with the closing line (core.bot.answer.closing_line).
    """

    file = "answer"
    required = ("dialogue", "passages")
    question: str  # the query
    passages: tuple[Hit, ...]
    prompt: str = ""  # the bot's own
    refusal: str = ""  # the bot's own sentence for "not in the documents"
    guidelines: str = ""  # the bot's own
    assumed: bool = False  # the meaning could not be settled, so the answer says how it understood the question
    by_case: bool = False  # something about the user is unknown, so the answer distinguishes the cases
    contacts: tuple[Contact, ...] = ()
    name_contact: bool = False  # whether the model names one of the contacts

    def template_fields(self) -> dict[str, Any]:
        """Adds `query`, "" if it is the user's own message, and the words of the refusal."""
        query = "" if self.conversation[-1].text.strip() == self.question else self.question
        refusal = self.refusal or refusal_text("not_documented", self.language)
        return {**super().template_fields(), "query": query, "refusal": refusal}


def read_answer(text: str, hits: Sequence[Hit]) -> Answer:
    """The answer in a model's text: without its closing line, its citations written as [1], dead ones removed.

    The closing line says whether it answers; without one it does if it cites a passage and does not begin with "not in
    the documents".
    """
    body, answered = read_closing_line(text)
    shown, cited = read_citations(body, len(hits))
    if answered is None:
        answered = bool(cited) and not any(is_refusal(sentence) for sentence in answer_sentences(shown)[:1])
    return Answer(text=shown.strip(), cited=cited, answered=answered)
