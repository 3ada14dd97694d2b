"""What to search for: a standalone question from a conversation, or one for each of two needs."""

from __future__ import annotations

import re

from core.base.prompt import Engine
from core.bot.conversation_prompt import ConversationPrompt
from core.text.conversation import user_texts
from core.text.standalone_question import standalone_question

# Queries in a reply that are searched for.
MAX_QUERIES = 2
_LABEL = re.compile(
    r"^\W{0,4}(?:[^:：。？?、,]{0,30}\W)?(?:検索に使う)?(?:一つの)?(?:検索用?の?)?(?:質問文?|クエリ|question|query)(?: to search for)?\W{0,3}[:：][*_\s]*",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r".*[:：]\W{0,3}|[(（].*[)）]")  # an introduction, or a remark in brackets
_LIST_MARK = re.compile(r"^\s*(?:[-*・•]|\(?\d[.)．）])\s+")
_QUOTES = ('"', '"'), ("「", "」"), ("“", "”"), ("'", "'"), ("『", "』"), ("`", "`")


class Rewrite(ConversationPrompt[str]):
    """The last request of a conversation as one question that stands alone; nothing is added that was not said."""

    file = "rewrite"
    role = "clarify"

    def without_model(self) -> str:
        """The message joined to what it leans on (core.text.standalone_question)."""
        return standalone_question(self.conversation)


def rewrite(engine: Engine, prompt: Rewrite) -> tuple[str, ...]:
    """The standalone question, or two; a conversation of one message is not rewritten and costs no call."""
    said = list(map(str.strip, user_texts(prompt.conversation)))
    queries = read_queries(engine.ask(prompt)) if len(said) > 1 else ()
    return queries or (said[-1],)


def read_queries(text: str) -> tuple[str, ...]:
    """The queries in a reply, at most two, without an introduction, remarks, an echoed label, list marks and quotation
    marks."""
    lines = (line.strip() for line in text.strip().splitlines())
    queries = [_bare(line) for line in lines if not _INTRODUCTION.fullmatch(line)]
    return tuple(dict.fromkeys(query for query in queries if query))[:MAX_QUERIES]


def _bare(line: str) -> str:
    line = _LIST_MARK.sub("", _LABEL.sub("", line.strip())).strip()
    for opening, closing in _QUOTES:
        inner = line[1:-1]
        if len(line) > 2 and line.startswith(opening) and line.endswith(closing) and opening not in inner:
            return inner.strip()
    return line
