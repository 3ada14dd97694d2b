"""A bot's own judges in Python: functions marked `@judge` in the bot's `judges/` folder."""

from __future__ import annotations

import copy
import inspect
import logging
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any, cast, overload

from core.base.clean_text import clean, truncate
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.python_files import describe_error, error_line
from core.base.types import Language, Sample, Score
from core.judges.base import Judge, JudgeOptions, Need
from core.judges.reasons import ReasonTexts

REASONS = ReasonTexts(__file__)
_LOG = logging.getLogger(__name__)
LONGEST_REASONS = 2_000  # characters kept of the reasons or the error of a verdict
LONGEST_LABEL = 80
_MADE: ContextVar[list[PythonJudge] | None] = ContextVar("made", default=None)


@dataclass(frozen=True)
class PythonJudge:
    """A function marked `@judge`, which can still be called."""

    name: str
    function: Callable[..., object]
    needs: tuple[Need, ...] = ()  # fields of the sample without which it cannot judge
    lower_is_better: bool = False

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.function(*args, **named)


@overload
def judge(function: Callable[..., object], /) -> PythonJudge: ...
@overload
def judge(
    *, name: str = "", needs: Iterable[Need] = (), lower_is_better: bool = False
) -> Callable[[Callable[..., object]], PythonJudge]: ...
def judge(
    function: Callable[..., object] | None = None,
    /,
    *,
    name: str = "",
    needs: Iterable[Need] = (),
    lower_is_better: bool = False,
) -> PythonJudge | Callable[[Callable[..., object]], PythonJudge]:
    """Make a function of a Sample (and JudgeOptions, if it takes two arguments) the judge `custom:NAME`.

    The function returns a bool, a number from 0 to 1, (either of them, reasons), or a Score; NAME is its own name
    unless `name` gives another.
    """

    def made(one: Callable[..., object]) -> PythonJudge:
        wanted = (needs,) if isinstance(needs, str) else tuple(needs)
        own = PythonJudge(
            clean(str(name or getattr(one, "__name__", ""))), one, cast("tuple[Need, ...]", wanted), lower_is_better
        )
        noted = _MADE.get()
        if noted is not None:
            noted.append(own)
        return own

    return made(function) if function else made


@contextmanager
def collecting() -> Generator[list[PythonJudge]]:
    """Collects the judges that are made inside, also those that a later function of the same name replaces."""
    found: list[PythonJudge] = []
    token = _MADE.set(found)
    try:
        yield found
    finally:
        _MADE.reset(token)


def python_judge(own: PythonJudge, file: Path, version: str) -> Judge:
    """The judge that calls the function; an error in it becomes an unscored row."""

    def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
        del engine
        return (_scored(own, file, sample, options),)

    lower = frozenset({own.name}) if own.lower_is_better else frozenset[str]()
    return Judge(f"custom:{own.name}", (own.name,), own.needs, version, scores, lower_is_better=lower)


def broken_judge(name: str, wrong: BadInput) -> Judge:
    """A placeholder for a judge that could not be loaded; its score has the error."""
    criterion = name.partition(":")[2]

    def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
        del engine, sample
        error = clean(_error_text(wrong, options.language))
        return (Score(judge=name, criterion=criterion, value=None, error=error),)

    return Judge(name, (criterion,), (), "", scores)


def _error_text(wrong: BadInput, language: Language) -> str:
    """The error in a language, with any problem among its details."""
    if wrong.key not in REASONS:
        return str(wrong)
    details = {
        key: _error_text(one, language) if isinstance(one, BadInput) else one for key, one in wrong.details.items()
    }
    return REASONS(wrong.key, language, **details)


def problem(key: str, **details: object) -> BadInput:
    """The error about a bot's own judge, for a page."""
    cleaned = {name: clean(value) for name, value in details.items()}
    return BadInput(REASONS(key, "en", **cleaned), key, **cleaned)


def takes(function: Callable[..., object]) -> int:
    """The number of arguments that a judge's function takes, 1 or 2; 0 if it cannot be called with either."""
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isclass(function):
        return 0
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return 0
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    count = min(2, sum(one.kind in kinds for one in signature.parameters.values())) or 1  # one for a mere *args
    try:
        signature.bind(*(None,) * count)
    except TypeError:
        return 0
    return count


def _scored(own: PythonJudge, file: Path, sample: Sample, options: JudgeOptions) -> Score:
    """The score that the function gives a copy of the sample; whatever it raises, even SystemExit, is an unscored
    row."""
    both = (sample.model_copy(deep=True), copy.deepcopy(options))
    try:
        return _read(own.name, own.function(*both[: takes(own.function)]), options.language)
    except MemoryError:
        raise
    except BaseException as error:
        _LOG.warning("custom:%s failed", own.name, exc_info=True)
        where = {"file": f"judges/{file.name}", "line": error_line(error, file), "detail": describe_error(error)}
        return _row(own.name, REASONS("failed", options.language, judge=f"custom:{own.name}", **where))


def _read(name: str, verdict: object, language: Language, label: str = "", reasons: str = "") -> Score:
    """The score for a function's return value."""
    if isinstance(verdict, Score):
        if verdict.value is None:
            no_value = REASONS("kind", language, judge=f"custom:{name}", value="Score(value=None)")
            return _row(name, verdict.error or no_value)
        return _read(name, verdict.value, language, verdict.label, verdict.reasons)
    pair: tuple[object, ...] = cast("tuple[object, ...]", verdict) if isinstance(verdict, tuple) else ()
    if len(pair) == 2 and not isinstance(pair[0], tuple):
        return _read(name, pair[0], language, label, str(pair[1]))
    return _read_plain(name, _plain(cast(object, verdict)), language, label, reasons)


def _read_plain(name: str, plain: object, language: Language, label: str, reasons: str) -> Score:
    """A bool or a number from 0 to 1, as a score."""
    if isinstance(plain, bool):
        return _row(name, "", float(plain), label or ("Yes" if plain else "No"), reasons)
    if not isinstance(plain, int | float):
        return _row(name, REASONS("kind", language, judge=f"custom:{name}", value=_shown(plain)))
    if not 0 <= plain <= 1:
        return _row(name, REASONS("range", language, judge=f"custom:{name}", value=_shown(plain)))
    return _row(name, "", float(plain), label or f"{plain:.3g}", reasons)


def _row(name: str, error: str, value: float | None = None, label: str = "", reasons: str = "") -> Score:
    label = _storable(label, LONGEST_LABEL)
    why, wrong = _storable(reasons, LONGEST_REASONS), _storable(error, LONGEST_REASONS)
    return Score(judge=f"custom:{name}", criterion=name, value=value, label=label, reasons=why, error=wrong)


def _storable(text: str, limit: int) -> str:
    """The text without characters that cannot be stored, truncated."""
    return clean(truncate(text, limit))


def _plain(verdict: object) -> object:
    """A scalar of numpy or pandas as Python's own."""
    item = getattr(verdict, "item", None)
    try:
        return item() if callable(item) else verdict
    except Exception:
        return verdict


def _shown(verdict: object) -> str:
    try:
        text = repr(verdict)
    except Exception:
        text = type(verdict).__name__
    return _storable(text, 80)
