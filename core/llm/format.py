"""What a model is told about the form of its reply, where the server cannot see to it; and how it is asked again."""

from __future__ import annotations

from core.base.prompt import Prompt


class Format(Prompt[str]):
    """Reply with one JSON object: of `schema`, or a call of one of `functions` (name, what for, schema of arguments)."""

    file = "format"
    shape: str
    functions: tuple[tuple[str, str, str], ...] = ()


class AskAgain(Prompt[str]):
    """The last reply could not be used, because of `problem`."""

    file = "again"
    problem: str
    as_json: bool
