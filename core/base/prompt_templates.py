"""The templates of prompts: the built-in ones next to their classes, and a bot's own; no template can run code."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from jinja2 import (
    FileSystemLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
)
from jinja2.exceptions import SecurityError
from jinja2.nodes import Call, Getattr, Name, Node
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from core.base.errors import BadInput
from core.base.fence import fence_text
from core.base.types import Language

PARTS = Path(__file__).parent / "prompt_parts"  # what several prompts include
LANGUAGES: tuple[Language, ...] = get_args(Language)
FILTERS = (
    *("capitalize", "count", "d", "default", "first", "int", "join", "last", "length", "list", "lower", "replace"),
    *("reverse", "round", "sort", "string", "title", "trim", "truncate", "unique", "upper"),
)


class Names(NamedTuple):
    """What a template and its included parts read."""

    undeclared: frozenset[str]  # names that it expects
    paths: frozenset[str]  # dotted paths, such as `shown.answer`


class PlainTemplates(SandboxedEnvironment):
    """Jinja with few filters and without calls, globals and arithmetic on texts: templates can only show data.

    Since nothing can be called, nothing can be changed: ImmutableSandboxedEnvironment would only check each attribute
    twice.
    """

    intercepted_binops = frozenset({"*", "**", "%"})  # a text times a large number would fill the memory

    def __init__(self, folder: Path) -> None:
        loader = FileSystemLoader([folder, PARTS])
        super().__init__(
            loader=loader, undefined=StrictUndefined, autoescape=False, trim_blocks=True, auto_reload=False
        )
        self.globals.clear()
        self.filters = {name: self.filters[name] for name in FILTERS} | {"fenced": fence_text}

    def is_safe_callable(self, obj: Any) -> bool:
        """Nothing is called."""
        return False

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Numbers alone are multiplied, and never raised to a power."""
        if operator == "**" or not (isinstance(left, int) and isinstance(right, int)):
            raise SecurityError(f"{operator} is not allowed here")
        return super().call_binop(context, operator, left, right)


def builtin_source(kind: type, file: str, language: Language) -> str:
    """The text of the built-in template, as it is in its file."""
    return (_folder(kind) / f"{file}.{language}.md").read_text("utf-8")


@cache
def builtin_template(kind: type, file: str, language: Language) -> Template:
    """The built-in template."""
    return _environment(_folder(kind)).get_template(f"{file}.{language}.md")


@cache
def variables_of(kind: type, file: str) -> tuple[str, ...]:
    """The variables that a template of this prompt may use: those of the built-in templates in all languages."""
    environment = _environment(_folder(kind))
    variables = (_names(environment, builtin_source(kind, file, language)).undeclared for language in LANGUAGES)
    return tuple(sorted(frozenset[str]().union(*variables)))


@lru_cache(512)
def bot_template(kind: type, file: str, place: str, required: tuple[str, ...], source: str) -> Template:
    """A bot's template; raises BadInput for one that cannot be used.

    place: its file, for errors; required: names or dotted paths that it has to read.
    """
    environment = _environment(_folder(kind))
    try:
        read = _names(environment, source)
        template = environment.from_string(source)
    except TemplateNotFound as error:
        message = f"{place} includes {error.name!r}, and there is no such part. Take the line out."
        raise BadInput(message, "prompt_part", file=place, part=error.name) from error
    except (TemplateSyntaxError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        detail = (getattr(error, "message", "") or str(error)).rstrip(".")
        message = f"{place} is not a valid template (line {line}: {detail}). Correct that line."
        raise BadInput(message, "prompt_syntax", file=place, line=line, detail=detail) from error
    known = variables_of(kind, file)
    if unknown := sorted(read.undeclared - {*known}):
        listed = ", ".join(known)
        message = f"{place} uses {unknown[0]!r}, which this prompt does not have. It has: {listed}."
        raise BadInput(message, "prompt_unknown_variable", file=place, name=unknown[0], known=listed)
    if missing := [variable for variable in required if variable not in read.undeclared | read.paths]:
        listed = ", ".join(missing)
        message = f"{place} does not use {listed}, without which the model lacks what it is asked about. Add it."
        raise BadInput(message, "prompt_missing_variable", file=place, names=listed)
    return template


def render_bot_template(template: Template, place: str, fields: Mapping[str, Any]) -> str:
    """A bot's template, filled; raises BadInput if that fails."""
    try:
        return template.render(fields)
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        detail = " ".join(str(error).split())[:300]
        message = f"{place} cannot be filled ({detail}). Correct it."
        raise BadInput(message, "prompt_fails", file=place, detail=detail) from error


def _folder(kind: type) -> Path:
    return Path(inspect.getfile(kind)).parent


@cache
def _environment(folder: Path) -> PlainTemplates:
    return PlainTemplates(folder)


def _names(environment: PlainTemplates, source: str) -> Names:
    """What a template and the parts that it includes read; raises jinja2 errors."""
    sources, undeclared, paths, seen = [source], frozenset[str](), frozenset[str](), set[str]()
    while sources:
        tree = environment.parse(sources.pop())
        if call := next(tree.find_all(Call), None):
            raise TemplateSyntaxError("a template calls nothing, so leave the brackets out", call.lineno)
        undeclared |= meta.find_undeclared_variables(tree)
        paths |= frozenset(_paths(tree))
        for part in meta.find_referenced_templates(tree):
            if part is None:
                raise TemplateSyntaxError("the name of a part is written out in quotation marks", 1)
            if part not in seen:
                seen.add(part)
                assert environment.loader is not None
                sources.append(environment.loader.get_source(environment, part)[0])
    return Names(undeclared, paths)


def _paths(tree: Node) -> Iterator[str]:
    for attribute in tree.find_all(Getattr):
        names, inner = [attribute.attr], attribute.node
        while isinstance(inner, Getattr):
            names.insert(0, inner.attr)
            inner = inner.node
        if isinstance(inner, Name):
            yield ".".join((inner.name, *names))
