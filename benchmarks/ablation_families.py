"""The families of rules of the embedded judges, each with what the judge would do without it.

A rule is named `module:function` under core. `without` gets the function and gives the one to use instead. `code`
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

ROOT = "core"
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
    return lambda original: lambda *args, **named: value


def as_given(original: Function) -> Function:
    """The first argument back."""
    return lambda value, *rest, **named: value


def plain(original: Function) -> Function:
    """The first argument in lower case and half width."""
    return lambda text: unicodedata.normalize("NFKC", text).lower()


def with_constants(place: str, **values: Any) -> Callable[[Function], Function]:
    """The function itself, while constants of a module have other values."""

    def wrap(original: Function) -> Function:
        base = getattr(original, "base", original)
        base = getattr(base, "__wrapped__", base)

        def run(*args: Any, **named: Any) -> Any:
            module = module_of(place)
            originals = {name: getattr(module, name) for name in values}
            vars(module).update(values)
            try:
                found = base(*args, **named)
                return tuple(found) if isinstance(found, GeneratorType) else found
            finally:
                vars(module).update(originals)

        return run

    return wrap


def without_kind(number: int) -> Callable[[Function], Function]:
    """The veto on kinds of figures without one of the kinds."""

    def wrap(original: Function) -> Function:
        def run(answered: str, wanted: str) -> str:
            kinds = module_of(VETO).KINDS_OF_FIGURES
            less = tuple((NEVER,) * len(kind) if n == number else kind for n, kind in enumerate(kinds))
            return with_constants(VETO, KINDS_OF_FIGURES=less)(original)(answered, wanted)

        return run

    return wrap


def without_pairs(original: Function) -> Function:
    """Opposites by negation alone."""
    return with_constants("text.negation", CONTRADICTING_PATTERNS=())(original)


def only_addresses(original: Function) -> Function:
    return lambda sentence: module_of("text.refusals").addresses_grader(sentence)


def short_instead(original: Function) -> Function:
    return lambda *args: module_of("judges.correctness.short_reference").judge_short(*args)


def unsure_figure(original: Function) -> Function:
    """An unknown figure is a measure, but does not refute the claim."""
    return lambda *args: ("", original(*args)[1])


def equal_figures(original: Function) -> Function:
    dated = frozenset({"date", "月"})

    def run(one: Any, other: Any) -> bool:
        if {one.unit, other.unit} == dated:
            return bool(original(one, other))
        return one.figure == other.figure and (one.unit == other.unit or not one.unit or not other.unit)

    return run


def unflawed(name: str) -> Callable[[Function], Function]:
    """The flaws of a text without one kind."""
    return lambda original: lambda *args: tuple(one for one in original(*args) if one[0] != name)


def one_part(original: Function) -> Function:
    return lambda part: (part,)


def one_reference(original: Function) -> Function:
    return lambda reference: (reference,)


VETO, SHORT, FORMS, SAID = (
    "judges.correctness.contradictions",
    "judges.correctness.cjk_reference",
    "text.comparable",
    "judges.correctness.assertions",
)
FAMILIES: tuple[Family, ...] = (
    Family("veto: all of it", ((f"{VETO}:conflict", always("")),), f"{VETO}:*"),
    Family("veto: sign", ((f"{VETO}:_minus_differs", always("")),), f"{VETO}:_minus_differs {VETO}:_SIGNED {VETO}:_UNSIGNED"),
    Family("veto: telephone number", ((f"{VETO}:_phone", always("")),), f"{VETO}:_phone {VETO}:_PHONE"),
    Family("veto: period, currency, bound, unit, condition", ((f"{VETO}:_kind", always("")),), f"{VETO}:_kind {VETO}:_KINDS {VETO}:KINDS_OF_FIGURES"),
    Family("veto: period (month, year)", ((f"{VETO}:_kind", without_kind(0)),), text=6),
    Family("veto: currency", ((f"{VETO}:_kind", without_kind(1)),), text=1),
    Family("veto: bound (up to, at least)", ((f"{VETO}:_kind", without_kind(2)),), text=4),
    Family("veto: unit of length", ((f"{VETO}:_kind", without_kind(3)),), text=1),
    Family("veto: condition (with, without)", ((f"{VETO}:_kind", without_kind(4)),), text=2),
    Family("veto: another figure of the unit", ((f"{VETO}:_figure", always("")),), f"{VETO}:_figure"),
    Family("veto: retraction", ((f"{VETO}:_retracted", always("")),), f"{VETO}:_retracted"),
    Family("veto: candidates beside words to the judge", ((f"{VETO}:_chosen", always("")),), f"{VETO}:_chosen"),
    Family("veto: turned sentence", ((f"{VETO}:_reversed_sentence", always("")),), " ".join(f"{VETO}:{one}" for one in ["_reversed_sentence", "_opposed", "_ONLY", "_ALL", "MIN_ONLY_SIMILARITY"])),
    Family("bare yes or no by its side", (("judges.rules.yes_no:agrees", always(None)),), "judges.rules.yes_no:is_bare judges.rules.yes_no:agrees judges.rules.yes_no:_BARE judges.correctness.correctness:_verdict_on_yes_no"),
    Family("second chance in one spelling", (("judges.correctness.correctness:_is_respelt", always(False)),), "judges.correctness.correctness:_is_respelt", 3),
    Family("declining reference", (("judges.correctness.correctness:is_refusal", always(False)),), "judges.correctness.correctness:_declined", 2),
    Family("long references claim by claim", (("judges.correctness.long_reference:is_long", always(False)),), "judges.correctness.long_reference:*"),
    Family("claims: answer against the reference", (("judges.correctness.long_reference:_worst", always(None)),), "judges.correctness.long_reference:_worst"),
    Family("cjk: all of it", ((f"{SHORT}:judge_cjk", short_instead),), f"{SHORT}:*"),
    Family("cjk: denied", ((f"{SHORT}:_denied", always(False)),), f"{SHORT}:_denied"),
    Family("cjk: another figure", ((f"{SHORT}:_rival_part", always("")),), f"{SHORT}:_rival_part"),
    Family("cjk: times and week days", ((f"{SHORT}:_level", plain),), f"{SHORT}:_level {SHORT}:_LATE {SHORT}:_HALF"),
    Family("variants of a reference", (("judges.correctness.reference_features:variants", one_reference),), "judges.correctness.reference_features:variants judges.correctness.reference_features:_BRACKETS judges.correctness.reference_features:_OR", fit=True),
    Family("items of a reference", (("judges.correctness.reference_features:items", one_reference),), "judges.correctness.reference_features:items judges.correctness.reference_features:_ITEMS judges.correctness.reference_features:_by_items", fit=True),
    Family("row of candidates", (("judges.correctness.reference_features:_scattered", always(False)),), "judges.correctness.reference_features:_scattered judges.correctness.reference_features:_SEVERAL judges.correctness.reference_features:_ROW", 1, fit=True),
    Family("denied reference", (("judges.correctness.reference_features:_denied", always(False)),), "judges.correctness.reference_features:_denied", 1, fit=True),
    Family("forms: broken encoding", (("text.normalize:repair_encoding", as_given),), "text.normalize:repair_encoding text.normalize:_MENDED text.normalize:_BROKEN", fit=True),
    Family("forms: spelt numbers", ((f"{FORMS}:_numbers", as_given),), f"{FORMS}:_numbers {FORMS}:_figure {FORMS}:_plain {FORMS}:_th {FORMS}:_NUMBERS text.english:ORDINALS {FORMS}:_SCALE", 6, fit=True),
    Family("forms: names and units in one word", (("text.normalize:plain_letters", with_constants("text.normalize", _PHRASES=())),), "text.normalize:_PHRASES", 2, fit=True),
    Family("forms: dotted letters", (("text.normalize:plain_letters", with_constants("text.normalize", _DOTTED=NEVER)),), "text.normalize:_DOTTED", 1, fit=True),
    Family("forms: spaced letters", (("text.normalize:plain_letters", with_constants("text.normalize", _LETTERS=NEVER, _SPACED=NEVER)),), "text.normalize:_LETTERS text.normalize:_SPACED", 2, fit=True),
    Family("forms: same words (months, Roman numerals)", ((f"{FORMS}:_words", with_constants(FORMS, _SAME={})),), f"{FORMS}:_SAME", 40, fit=True),
    Family("said: notes and addresses", ((f"{SAID}:assertions_of", with_constants(SAID, _NOTE=NEVER, _FOOT=NEVER)),), f"{SAID}:_NOTE {SAID}:_FOOT {SAID}:MIN_NOTED_WORDS", fit=True),
    Family("said: lead-ins", ((f"{SAID}:_parts", with_constants(SAID, _BEFORE=NEVER)),), f"{SAID}:_BEFORE", 1, fit=True),
    Family("said: disclaimers", ((f"{SAID}:assertions_of", with_constants(SAID, _DISCLAIMER=NEVER)),), f"{SAID}:_DISCLAIMER", 2, fit=True),
    Family("said: but after a disclaimer", ((f"{SAID}:_also", always(False)),), f"{SAID}:_also", 1, fit=True),
    Family("quiz: additions, strict", (("judges.quiz.quiz:addition", always("")),), "judges.quiz.quiz:addition judges.quiz.quiz:_added judges.quiz.quiz:_adds judges.quiz.quiz:unsupported_claim"),
    Family("quiz: claims beyond passages, strict", (("judges.quiz.quiz:unsupported_claim", always("")),), "judges.quiz.quiz:unsupported_claim"),
    Family("words to the judge: grades asked for", (("judges.correctness.assertions:sways_grader", only_addresses),), "judges.correctness.assertions:sways_grader judges.correctness.assertions:_GRADE", fit=True),
    Family("words to the judge: all of it", (("judges.correctness.assertions:sways_grader", always(False)), ("text.refusals:addresses_grader", always(False))), "judges.correctness.assertions:sways_grader judges.correctness.assertions:_GRADE text.refusals:addresses_grader text.refusals:_PLEA", fit=True),
    Family("opposite clauses", (("text.negation:opposite_clauses", always(None)),), "text.negation:opposite_clauses text.negation:_differ_by_negation text.negation:_differ text.negation:_similarity text.negation:_words text.negation:_LIMITS"),
    Family("opposite clauses: pairs of words", (("text.negation:without_polarity_words", without_pairs),), "text.negation:CONTRADICTING_PATTERNS", 4),
    Family("opposite clauses: nearly equal sentences", (("text.negation:_differ_by_negation", always(False)),), "text.negation:_differ_by_negation", 2),
    Family("amounts: ranges", (("text.numbers:_level", with_constants("text.numbers", _RANGE=NEVER)),), "text.numbers:_RANGE", 1, fit=True),
    Family("amounts: per day, per month", (("text.numbers:_level", with_constants("text.numbers", _PER=NEVER)),), "text.numbers:_PER", 1, fit=True),
    Family("amounts: ten thousands", (("text.numbers:_level", with_constants("text.numbers", _TEN_THOUSANDS=NEVER)),), "text.numbers:_TEN_THOUSANDS", 1, fit=True),
    Family("amounts: months as days", (("text.numbers:is_same_amount", equal_figures),), "text.numbers:_MONTH text.numbers:_DAY", 9, fit=True),
    Family("numerals in digits", (("text.numbers:spelt_to_digits", as_given),), "text.numbers:*", -10, fit=True),
    Family("numerals and measures in one spelling", (("judges.correctness.normalize_units:normalize_units", plain),), "judges.correctness.normalize_units:*"),
    Family("wording: synonyms", (("text.synonyms:canonical_words", with_constants("text.synonyms", _canonical_spellings=dict)),), "text.synonyms:_canonical_spellings", 29),
    Family("wording: filler words", (("text.synonyms:canonical_words", with_constants("text.synonyms", _filler_words=frozenset)),), "text.synonyms:_filler_words", 5),
    Family("asides", (("text.refusals:is_boilerplate", always(False)),), "text.refusals:is_boilerplate text.refusals:_BOILERPLATE", 6),
    Family("pasted question", (("text.questions:repeats_question", always(False)),), "text.questions:repeats_question text.questions:MIN_REPETITION_SIMILARITY", 4),
    Family("lead-ins of sentences", (("text.refusals:answer_sentences", with_constants("text.refusals", _LEAD=NEVER)),), "text.refusals:_LEAD", 1, fit=True),
    Family("figures bound to their clause", (("judges.rules.figures:wrong_figure", always(None)),), "judges.rules.figures:*", 8),
    Family("figures: replaced rules", (("judges.rules.figures:figure_clauses", with_constants("judges.rules.figures", _OLD=NEVER)),), "judges.rules.figures:_OLD judges.rules.figures:OUTDATED_FACTOR", 2),
    Family("figures: lists", (("judges.rules.figures:_listed", always([])),), "judges.rules.figures:_listed", 1),
    Family("yes against no, by clause", (("judges.rules.yes_no:contradicted_statement", always(None)),), "judges.rules.yes_no:*", 22),
    Family("kind of figure asked for", (("judges.rules.answer_measures:asked_kinds", always(())),), text=6),
    Family("coherence: broken", (("judges.turn.verdict:flaws", unflawed("broken")),), "judges.turn.verdict:_BROKEN", 3),
    Family("coherence: repeats", (("judges.turn.verdict:flaws", unflawed("repeats")),), "judges.turn.verdict:_same", 4),
    Family("coherence: contradicts itself", (("judges.turn.verdict:flaws", unflawed("contradicts")),), "judges.turn.verdict:_against", 4),
    Family("coherence: other language", (("judges.turn.verdict:flaws", unflawed("language")),), "", 4),
    Family("coherence: long", (("judges.turn.verdict:flaws", unflawed("long")),), "judges.turn.verdict:MAX_LENGTH", 3),
    Family("figure or clause against its sentence", (("judges.rules.claim_check:_contradiction", always(None)),), "judges.rules.claim_check:_contradiction"),
    Family("asking: the same again", (("judges.turn.clarifying_questions:_is_repeated", always(False)),), "judges.turn.clarifying_questions:_is_repeated", 3),
    Family("asking: real choices", (("judges.turn.clarifying_questions:_real_choices", always(())),), "judges.turn.clarifying_questions:_real_choices text.offered_choices:listed_choices"),
    Family("limits: all of it", (("judges.groundedness.additions:find_addition", always(None)),), "judges.groundedness.additions:*", 24),
    Family("limits: bounds, periods, only", (("judges.groundedness.additions:_kinds", always(None)),), "judges.groundedness.additions:_kinds judges.groundedness.additions:_comparable", 11),
    Family("limits: Chinese no", (("judges.groundedness.additions:_refused", always(None)),), "judges.groundedness.additions:_refused judges.groundedness.additions:_pairs", 4),
    Family("bare yes or no by the passages", (("judges.groundedness.claims:_bare", always(())),), "judges.groundedness.claims:_bare", 2),
    Family("bare yes or no speaks to the question", (("judges.relevance.relevance:answer_polarity", always(0)),), "judges.rules.yes_no:answer_polarity", 3),
    Family("groundedness: nothing in common", (("judges.groundedness.claims:_stray", always(False)),), "judges.groundedness.claims:_stray", 2),
    Family("groundedness: unknown figure", (("judges.groundedness.claims:_unknown", unsure_figure),), text=3),
    Family("groundedness: contradicted", (("judges.groundedness.claims:_contradiction", always(None)),), "judges.groundedness.claims:_contradiction"),
    Family("groundedness: sides of a but", (("judges.groundedness.claims:_compound", one_part),), "judges.groundedness.claims:_compound", 1),
    Family("relevance: mere name or figure", (("judges.relevance.relevance:_is_short_answer", always(False)),), "judges.relevance.relevance:_is_short_answer judges.relevance.relevance:_SENTENCE", 2),
    Family("keypoints: figure instead", (("judges.keypoints.keypoints:_other_amount", always("")),), "judges.keypoints.keypoints:_other_amount", 3),
    Family("keypoints: lacking in the source", (("judges.keypoints.keypoints:_denied", always("")),), "judges.keypoints.keypoints:_denied", 3),
    *(Family(f"user: {name.strip('_')}", ((f"judges.simulated_user.faults:{name}", always(None)),), f"judges.simulated_user.faults:{name}")
      for name in ("_revealed", "_staff", "_language", "_figure", "_other_fact", "_stopped", "_off", "_repeated", "_gave_away")),
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
    values = (one for module in _modules() for one in vars(module).values())
    cached = dict.fromkeys(one for one in values if hasattr(one, "cache_info"))
    return [one for one in cached if inspect.signature(one).parameters]


def _modules() -> list[ModuleType]:
    return [
        module
        for name, module in sorted(sys.modules.items())
        if name.startswith(("core.judges", "core.text", "benchmarks.", "tests."))
    ]


@contextmanager
def patched(place: str, wrap: Callable[[Function], Function]) -> Iterator[None]:
    """The function replaced wherever it was imported, or in that module alone if it is defined in another one."""
    home, name = module_of(place), place.split(":")[1]
    original = getattr(home, name)
    new = wrap(original)
    here = [home] if _origin(original) != home.__name__ else _modules()
    originals = [
        (module, key, value) for module in here for key, value in list(vars(module).items()) if _holds(value, original)
    ]
    for module, key, value in originals:
        setattr(
            module, key, tuple(new if one is original else one for one in value) if isinstance(value, tuple) else new
        )
    try:
        yield
    finally:
        for module, key, value in originals:
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

        def run(*args: Any, **named: Any) -> Any:
            return new(*args, **named)

        run.__module__ = _origin(original)
        vars(run)["base"] = getattr(original, "base", original)
        return run

    return dress


def _watching(name: str, wrap: Callable[[Function], Function], fired: set[str]) -> Callable[[Function], Function]:
    def dress(original: Function) -> Function:
        new = wrap(original)

        def run(*args: Any, **named: Any) -> Any:
            found = original(*args, **named)
            found = tuple(found) if isinstance(found, GeneratorType) else found
            if name not in fired and found != new(*args, **named):
                fired.add(name)
            return found

        run.__module__ = _origin(original)
        vars(run)["base"] = getattr(original, "base", original)
        return run

    return dress
