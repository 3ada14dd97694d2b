"""The families of rules of the embedded judges, each with what the judge would do without it.

A rule is named `module:function` under core.judge. `without` gets the function and gives the one to use instead. `code`
lists the names that only this family needs, so that its lines can be counted.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import GeneratorType, ModuleType
from typing import Any, NamedTuple

ROOT = "core.judge"
NEVER = re.compile(r"(?!)")
Function = Callable[..., Any]


class Family(NamedTuple):
    """Rules that are switched off together.

    rules: (place, what stands in for it); code: the places that would go; text: lines of TOML and of other functions
    that would go with them; fit: whether the measures of the fitted model depend on it.
    """

    name: str
    rules: tuple[tuple[str, Callable[[Function], Function]], ...]
    code: str = ""
    text: int = 0
    fit: bool = False

    @property
    def lines(self) -> int:
        """The lines of code that the family costs."""
        return self.text + sum(lines_of(place) for place in self.code.split())


def always(value: Any) -> Callable[[Function], Function]:
    """The same answer whatever is asked."""
    return lambda original: lambda *given, **named: value


def as_given(original: Function) -> Function:
    """The first argument back."""
    return lambda given, *rest, **named: given


def plain(original: Function) -> Function:
    """The first argument in lower case and half width."""
    return lambda text: unicodedata.normalize("NFKC", text).lower()


def with_constants(place: str, **values: Any) -> Callable[[Function], Function]:
    """The function itself, while constants of a module have other values."""

    def wrap(original: Function) -> Function:
        base = getattr(original, "base", original)
        base = getattr(base, "__wrapped__", base)

        def run(*given: Any, **named: Any) -> Any:
            module = module_of(place)
            kept = {name: getattr(module, name) for name in values}
            vars(module).update(values)
            try:
                found = base(*given, **named)
                return tuple(found) if isinstance(found, GeneratorType) else found
            finally:
                vars(module).update(kept)

        return run

    return wrap


def without_kind(number: int) -> Callable[[Function], Function]:
    """The veto on kinds of figures without one of the kinds."""

    def wrap(original: Function) -> Function:
        def run(given: str, wanted: str) -> str:
            kinds = module_of(VETO)._CLASSES
            less = tuple((NEVER,) * len(kind) if n == number else kind for n, kind in enumerate(kinds))
            return with_constants(VETO, _CLASSES=less)(original)(given, wanted)

        return run

    return wrap


def one_pair(original: Function) -> Function:
    """Opposites by negation alone; the last pair stays, since yes against no by clause reads it."""
    pairs = module_of("text.polarity")._PAIRS[-1:]
    return with_constants("text.polarity", _PAIRS=pairs)(original)


def only_pleas(original: Function) -> Function:
    return lambda sentence: module_of("text.refusal").is_plea(sentence)


def short_instead(original: Function) -> Function:
    return lambda *given: module_of("correctness.short").judge_short(*given)


def unsure_figure(original: Function) -> Function:
    """An unknown figure is a measure, but does not refute the claim."""
    return lambda *given: ("", original(*given)[1])


def equal_figures(original: Function) -> Function:
    dated = frozenset({"date", "月"})

    def run(one: Any, other: Any) -> bool:
        if {one.unit, other.unit} == dated:
            return bool(original(one, other))
        return one.figure == other.figure and (one.unit == other.unit or not one.unit or not other.unit)

    return run


def unflawed(name: str) -> Callable[[Function], Function]:
    """The flaws of a text without one kind."""
    return lambda original: lambda *given: tuple(one for one in original(*given) if one[0] != name)


def one_part(original: Function) -> Function:
    return lambda part: (part,)


def one_reference(original: Function) -> Function:
    return lambda reference: (reference,)


VETO, SHORT, FORMS, SAID = "correctness.veto", "correctness.unspaced", "correctness.forms", "correctness.said"
FAMILIES: tuple[Family, ...] = (
    Family("veto: all of it", ((f"{VETO}:conflict", always("")),), f"{VETO}:*"),
    Family("veto: sign", ((f"{VETO}:_sign", always("")),), f"{VETO}:_sign {VETO}:_negative {VETO}:_SIGNED"),
    Family("veto: telephone number", ((f"{VETO}:_phone", always("")),), f"{VETO}:_phone {VETO}:_PHONE"),
    Family("veto: period, currency, bound, unit, condition", ((f"{VETO}:_kind", always("")),), f"{VETO}:_kind {VETO}:_KINDS {VETO}:_CLASSES"),
    Family("veto: period (month, year)", ((f"{VETO}:_kind", without_kind(0)),), text=6),
    Family("veto: currency", ((f"{VETO}:_kind", without_kind(1)),), text=1),
    Family("veto: bound (up to, at least)", ((f"{VETO}:_kind", without_kind(2)),), text=4),
    Family("veto: unit of length", ((f"{VETO}:_kind", without_kind(3)),), text=1),
    Family("veto: condition (with, without)", ((f"{VETO}:_kind", without_kind(4)),), text=2),
    Family("veto: another figure of the unit", ((f"{VETO}:_figure", always("")),), f"{VETO}:_figure"),
    Family("veto: retraction", ((f"{VETO}:_retracted", always("")),), f"{VETO}:_retracted"),
    Family("veto: candidates beside a plea", ((f"{VETO}:_chosen", always("")),), f"{VETO}:_chosen"),
    Family("veto: turned sentence", ((f"{VETO}:_turned", always("")),), " ".join(f"{VETO}:{one}" for one in ["_turned", "_after", "_opposed", "_same", "_stripped", "_LIMITED", "_WIDE", "_IS_EN", "_NOT_JA", "_IS_JA", "_CONJUNCTION", "TURNED"])),
    Family("bare yes or no by its side", (("correctness.yesno:agrees", always(None)),), "correctness.yesno:is_bare correctness.yesno:agrees correctness.yesno:_BARE correctness.compute:_sided"),
    Family("second chance in one spelling", (("correctness.compute:_changed", always(False)),), "correctness.compute:_changed correctness.compute:_plain", 3),
    Family("declining reference", (("correctness.compute:is_refusal", always(False)),), "correctness.compute:_declined", 2),
    Family("long references claim by claim", (("correctness.claims:is_long", always(False)),), "correctness.claims:*"),
    Family("claims: answer against the reference", (("correctness.claims:_against", always(None)),), "correctness.claims:_against"),
    Family("unspaced: all of it", ((f"{SHORT}:judge_unspaced", short_instead),), f"{SHORT}:*"),
    Family("unspaced: denied", ((f"{SHORT}:_denied", always(False)),), f"{SHORT}:_denied {SHORT}:_NOT_BEFORE {SHORT}:_NOT_AFTER"),
    Family("unspaced: another figure", ((f"{SHORT}:_rival_part", always("")),), f"{SHORT}:_rival_part"),
    Family("unspaced: times and week days", ((f"{SHORT}:_level", plain),), f"{SHORT}:_level {SHORT}:_LATE {SHORT}:_HALF"),
    Family("variants of a reference", (("correctness.features:variants", one_reference),), "correctness.features:variants correctness.features:_BRACKETS correctness.features:_OR", fit=True),
    Family("items of a reference", (("correctness.features:items", one_reference),), "correctness.features:items correctness.features:_ITEMS correctness.features:_by_items", fit=True),
    Family("row of candidates", (("correctness.features:_scattered", always(False)),), "correctness.features:_scattered correctness.features:_SEVERAL correctness.features:_ROW", 1, fit=True),
    Family("denied reference", (("correctness.features:_denied", always(False)),), "correctness.features:_denied correctness.features:_NOT", 1, fit=True),
    Family("forms: broken encoding", ((f"{FORMS}:mended", as_given),), f"{FORMS}:mended {FORMS}:_MENDED {FORMS}:_BROKEN", fit=True),
    Family("forms: spelt numbers", ((f"{FORMS}:_numbers", as_given),), f"{FORMS}:_numbers {FORMS}:_figure {FORMS}:_plain {FORMS}:_th {FORMS}:_NUMBER {FORMS}:_ORDINAL {FORMS}:_SCALE", 6, fit=True),
    Family("forms: names and units in one word", ((f"{FORMS}:level", with_constants(FORMS, _PHRASES=())),), f"{FORMS}:_PHRASES", 2, fit=True),
    Family("forms: dotted letters", ((f"{FORMS}:level", with_constants(FORMS, _DOTTED=NEVER)),), f"{FORMS}:_DOTTED", 1, fit=True),
    Family("forms: spaced letters", ((f"{FORMS}:level", with_constants(FORMS, _LETTERS=NEVER, _SPACED=NEVER)),), f"{FORMS}:_LETTERS {FORMS}:_SPACED", 2, fit=True),
    Family("forms: same words (months, Roman numerals)", ((f"{FORMS}:_words", with_constants(FORMS, _SAME={})),), f"{FORMS}:_SAME", 40, fit=True),
    Family("said: notes and addresses", ((f"{SAID}:said", with_constants(SAID, _NOTE=NEVER, _FOOT=NEVER)),), f"{SAID}:_NOTE {SAID}:_FOOT {SAID}:NOTED", fit=True),
    Family("said: lead-ins", ((f"{SAID}:_parts", with_constants(SAID, _BEFORE=NEVER)),), f"{SAID}:_BEFORE", 1, fit=True),
    Family("said: disclaimers", ((f"{SAID}:said", with_constants(SAID, _DISCLAIMER=NEVER)),), f"{SAID}:_DISCLAIMER", 2, fit=True),
    Family("said: but after a disclaimer", ((f"{SAID}:_also", always(False)),), f"{SAID}:_also", 1, fit=True),
    Family("quiz: additions, strict", (("correctness.extra:addition", always("")),), "correctness.extra:*"),
    Family("quiz: claims beyond passages, strict", (("correctness.extra:unheld", always("")),), "correctness.extra:unheld"),
    Family("plea: grades asked for", (("text.plea:to_grader", only_pleas),), "text.plea:to_grader text.plea:_GRADE", fit=True),
    Family("plea: all of it", (("text.plea:to_grader", always(False)), ("text.refusal:is_plea", always(False))), "text.plea:* text.refusal:is_plea text.refusal:_PLEA", fit=True),
    Family("opposite clauses", (("text.polarity:opposite", always(None)),), "text.polarity:opposite text.polarity:_turned text.polarity:_negations text.polarity:_differ text.polarity:_alike text.polarity:_words text.polarity:_LIMITS"),
    Family("opposite clauses: pairs of words", (("text.polarity:signed", one_pair), ("text.polarity:_negations", one_pair)), "text.polarity:_PAIRS text.polarity:_take", 4),
    Family("opposite clauses: nearly equal sentences", (("text.polarity:_turned", always(False)),), "text.polarity:_turned text.polarity:_negations", 2),
    Family("amounts: ranges", (("text.amounts:_level", with_constants("text.amounts", _RANGE=NEVER)),), "text.amounts:_RANGE", 1, fit=True),
    Family("amounts: per day, per month", (("text.amounts:_level", with_constants("text.amounts", _PER=NEVER)),), "text.amounts:_PER", 1, fit=True),
    Family("amounts: ten thousands", (("text.amounts:_level", with_constants("text.amounts", _TEN_THOUSANDS=NEVER)),), "text.amounts:_TEN_THOUSANDS", 1, fit=True),
    Family("amounts: spans of like length", (("text.amounts:_near", always(True)),), "text.amounts:_near text.amounts:FAR", fit=True),
    Family("amounts: months as days", (("text.amounts:same", equal_figures),), "text.amounts:_MONTH text.amounts:_DAY", 9, fit=True),
    Family("numerals in digits", (("text.numerals:digits", as_given),), "text.numerals:*", -10, fit=True),
    Family("numerals and measures in one spelling", (("text.canon:canon", plain),), "text.canon:*"),
    Family("wording: synonyms", (("text.wording:wording", with_constants("text.wording", _synonyms=dict)),), "text.wording:_synonyms", 29),
    Family("wording: idle words", (("text.wording:wording", with_constants("text.wording", _idle=frozenset)),), "text.wording:_idle", 5),
    Family("asides", (("text.refusal:is_aside", always(False)),), "text.refusal:is_aside text.refusal:_ASIDE", 6),
    Family("pasted question", (("text.refusal:is_pasted", always(False)),), "text.refusal:is_pasted text.refusal:PASTED", 4),
    Family("lead-ins of sentences", (("text.refusal:spoken", with_constants("text.refusal", _LEAD=NEVER)),), "text.refusal:_LEAD", 1, fit=True),
    Family("figures bound to their clause", (("turn.binding:swapped", always(None)),), "turn.binding:*", 8),
    Family("figures: replaced rules", (("turn.binding:pieces", with_constants("turn.binding", _OLD=NEVER)),), "turn.binding:_OLD turn.binding:OUTDATED", 2),
    Family("figures: lists", (("turn.binding:_listed", always([])),), "turn.binding:_listed", 1),
    Family("yes against no, by clause", (("turn.stance:denied", always(None)),), "turn.stance:*", 22),
    Family("kind of figure asked for", (("turn.slots:empty_slots", always(())), ("turn.slots:slots", always(()))), "turn.slots:*", 10),
    Family("coherence: broken", (("turn.coherence:flaws", unflawed("broken")),), "turn.coherence:_BROKEN", 3),
    Family("coherence: repeats", (("turn.coherence:flaws", unflawed("repeats")),), "turn.coherence:_same", 4),
    Family("coherence: contradicts itself", (("turn.coherence:flaws", unflawed("contradicts")),), "turn.coherence:_against", 4),
    Family("coherence: other language", (("turn.coherence:flaws", unflawed("language")),), "turn.coherence:_other_language", 3),
    Family("coherence: long", (("turn.coherence:flaws", unflawed("long")),), "turn.coherence:LONG", 3),
    Family("roots of words", (("turn.evidence:roots", always(())),), "turn.evidence:roots turn.evidence:_HAN_PAIR turn.evidence:ALIKE", 4),
    Family("figure or clause against its sentence", (("turn.evidence:_clash", always(None)),), "turn.evidence:_clash"),
    Family("asking: the same again", (("turn.asking:_again", always(False)),), "turn.asking:_again", 3),
    Family("asking: real choices", (("turn.asking:_real_choices", always(())),), "turn.asking:_real_choices text.refusal:offered"),
    Family("limits: all of it", (("grounding.limits:added", always(None)),), "grounding.limits:*", 24),
    Family("limits: bounds, periods, only", (("grounding.limits:_kinds", always(None)),), "grounding.limits:_kinds grounding.limits:_comparable", 11),
    Family("limits: Chinese no", (("grounding.limits:_refused", always(None)),), "grounding.limits:_refused grounding.limits:_pairs", 4),
    Family("bare yes or no by the passages", (("grounding.yes:answered", always(None)),), "grounding.yes:answered grounding.claims:_bare", 2),
    Family("bare yes or no speaks to the question", (("grounding.relevance:sign", always(0)),), "grounding.yes:sign", 3),
    Family("groundedness: nothing in common", (("grounding.claims:_stray", always(False)),), "grounding.claims:_stray", 2),
    Family("groundedness: unknown figure", (("grounding.claims:_unknown", unsure_figure),), text=3),
    Family("groundedness: contradicted", (("grounding.claims:_clash", always(None)),), "grounding.claims:_clash"),
    Family("groundedness: sides of a but", (("grounding.claims:_compound", one_part),), "grounding.claims:_compound", 1),
    Family("relevance: mere name or figure", (("grounding.relevance:_fills", always(False)),), "grounding.relevance:_fills grounding.relevance:_SENTENCE", 2),
    Family("keypoints: figure instead", (("keypoints.matching:_instead", always("")),), "keypoints.matching:_instead", 3),
    Family("keypoints: lacking in the source", (("keypoints.matching:_denied", always("")),), "keypoints.matching:_denied", 3),
    *(Family(f"user: {name.strip('_')}", ((f"user.faults:{name}", always(None)),), f"user.faults:{name}")
      for name in ("_revealed", "_desk", "_language", "_figure", "_other_fact",  "_stopped", "_off", "_again", "_gave_away")),
)  # fmt: skip


def module_of(place: str) -> ModuleType:
    return importlib.import_module(f"{ROOT}.{place.split(':')[0]}")


def lines_of(place: str) -> int:
    """The lines of a top-level name of a module; of the whole file for `*`."""
    module, name = module_of(place), place.split(":")[1]
    text = Path(inspect.getfile(module)).read_text("utf-8")
    if name == "*":
        return len(text.splitlines())
    for node in ast.parse(text).body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        if name in _names(node):
            return (node.end_lineno or first) - first + 1
    return 0


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def caches() -> list[Any]:
    """The caches of the judges that depend on what they are given."""
    found = (one for module in _modules() for one in vars(module).values() if hasattr(one, "cache_clear"))
    return [one for one in dict.fromkeys(found) if inspect.signature(one.__wrapped__).parameters]


def _modules() -> list[ModuleType]:
    return [module for name, module in sorted(sys.modules.items()) if name.startswith((ROOT, "benchmarks.", "tests."))]


@contextmanager
def patched(place: str, wrap: Callable[[Function], Function]) -> Iterator[None]:
    """The function replaced wherever it was imported, or in that module alone if it is defined in another one."""
    home, name = module_of(place), place.split(":")[1]
    original = getattr(home, name)
    new = wrap(original)
    here = [home] if _origin(original) != home.__name__ else _modules()
    kept = [
        (module, key, value) for module in here for key, value in list(vars(module).items()) if _holds(value, original)
    ]
    for module, key, value in kept:
        setattr(
            module, key, tuple(new if one is original else one for one in value) if isinstance(value, tuple) else new
        )
    try:
        yield
    finally:
        for module, key, value in kept:
            setattr(module, key, value)


def _origin(function: Function) -> str:
    return getattr(function, "__module__", "")


def _holds(value: Any, original: Function) -> bool:
    return value is original or (isinstance(value, tuple) and any(one is original for one in value))


@contextmanager
def switched_off(family: Family) -> Iterator[None]:
    """The judges without a family of rules."""
    with _all([(place, _like(wrap)) for place, wrap in family.rules]):
        yield


@contextmanager
def watched(fired: set[str]) -> Iterator[None]:
    """The judges with all their rules; the names of the families that change something are noted."""
    with _all([(place, _watching(one.name, wrap, fired)) for one in FAMILIES for place, wrap in one.rules]):
        yield


@contextmanager
def _all(changes: list[tuple[str, Callable[[Function], Function]]]) -> Iterator[None]:
    if not changes:
        yield
        return
    with patched(*changes[0]), _all(changes[1:]):
        yield


def _like(wrap: Callable[[Function], Function]) -> Callable[[Function], Function]:
    def dress(original: Function) -> Function:
        new = wrap(original)

        def run(*given: Any, **named: Any) -> Any:
            return new(*given, **named)

        run.__module__ = _origin(original)
        vars(run)["base"] = getattr(original, "base", original)
        return run

    return dress


def _watching(name: str, wrap: Callable[[Function], Function], fired: set[str]) -> Callable[[Function], Function]:
    def dress(original: Function) -> Function:
        new = wrap(original)

        def run(*given: Any, **named: Any) -> Any:
            found = original(*given, **named)
            found = tuple(found) if isinstance(found, GeneratorType) else found
            if name not in fired and found != new(*given, **named):
                fired.add(name)
            return found

        run.__module__ = _origin(original)
        vars(run)["base"] = getattr(original, "base", original)
        return run

    return dress
