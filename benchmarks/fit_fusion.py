"""Fit core/retrieval/fusion.toml: how much each signal counts in a search.

    python -m benchmarks.fit_fusion --data DIR [--write TABLE ...]

What counts in a small index is fitted on messages to written desks (written_desks/response; about 40 passages each), in a
large one on localgovfaq/, jsquad/ (Japanese) and squad2/ (English) in DIR (887 to 1,839 passages). What counts where
sections have example questions is fitted on the clear messages of first_messages.toml. Weights of a table are brought to a
sum, so that strengths compare. The weights maximise the likelihood of the right passages under a softmax over the sums of
the signals (listwise, as ListNet: Cao et al. 2007, ICML), none below 0, with the same weight for each public data set.
The weights written are fitted on all questions; what is printed is the share of one in four whose best passage is right by
weights fitted on the other three. Without data for Chinese its words decide alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.bot_indexes import is_section, read_first_messages
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import read_desks
from benchmarks.search import Query, jsquad, localgovfaq, squad2
from core.base.bot_folder import load_bot
from core.retrieval.fusion import share_not_covered, standardized
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.language import Script
from core.text.message_questions import without_courtesy

TARGET = Path(__file__).parents[1] / "core" / "retrieval" / "fusion.toml"
JA = ("words", "coverage", "letters")
JA_MEANING = (*JA, "meaning", "near", "interaction")
TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ja_meaning": (JA_MEANING, ("desks_ja",)),
    "ja_meaning_large": ((*JA, "headings", "texts", "near", "interaction", "pairs"), ("localgovfaq", "jsquad")),
    "ja": (JA, ("localgovfaq", "jsquad")),
    "ja_large": ((*JA, "pairs"), ("localgovfaq", "jsquad")),
    "en": ((*JA, "vectors"), ("desks_en",)),
    "en_large": ((*JA, "vectors", "pairs"), ("squad2",)),
}
WITH_EXAMPLES = {"ja_meaning": (*JA, "meaning", "near"), "ja": JA, "en": (*JA, "vectors")}
LANGUAGES: tuple[Script, ...] = ("ja", "en")
ASKED = ("examples", "likelihoods")  # signals of sections with example questions
BOTS = {"ja": ("hinata", "minato"), "en": ("harbor",)}
LOADERS = {"localgovfaq": localgovfaq, "jsquad": jsquad, "squad2": squad2}
SUMS = {
    "ja_meaning": 1.15,
    "ja_meaning_large": 1.15,
    "ja": 0.784,
    "ja_large": 0.784,
    "en": 4.0,
    "en_large": 4.0,
}  # to which weights are brought
CANDIDATES = 60  # passages that compete in the fit
L2 = 0.01
Array = NDArray[np.float64]
Case = tuple[dict[str, Array], NDArray[np.bool_]]  # signals in standard deviations, and which passages are right


def main() -> None:
    arguments = argument_parser(__doc__, "--data")
    arguments.add_argument(
        "--write", nargs="+", metavar="TABLE", default=(), help="tables of fusion.toml; the others stay"
    )
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        indexes = Indexes(Path(scratch))
        sets = {name: cases(indexes, name, *load(options.data / name)) for name, load in LOADERS.items()}
        sets |= {f"desks_{of}": desk_cases(indexes, of) for of in LANGUAGES}
    fitted: dict[str, dict[str, float]] = {}
    for table, (names, used) in TABLES.items():
        weights = fit(table, names, [sets[name] for name in used])
        fitted[table] = with_sum(SUMS[table], weights) if table in SUMS else weights
    stored = tomlkit.parse(TARGET.read_text("utf-8"))
    for table, names in WITH_EXAMPLES.items():
        weights = fit(f"{table}_examples", (*names, *ASKED), [message_cases(BOTS[table[:2]])])
        fitted[f"{table}_examples"] = with_sum(sum(stored.unwrap()[table].values()), weights)
    for table in options.write:
        stored[table] = fitted[table]
    if options.write:
        TARGET.write_text(tomlkit.dumps(stored), "utf-8")


def with_sum(total: float, weights: dict[str, float]) -> dict[str, float]:
    """The weights that are not 0, brought to a sum."""
    share = total / sum(weights.values())
    return {name: round(share * weight, 3) for name, weight in weights.items() if weight}


def message_cases(bots: Sequence[str]) -> list[Case]:
    """The clear first messages to some bots."""
    stored = read_first_messages()
    indexes = Indexes()
    found: list[Case] = []
    for name in bots:
        index = indexes.get(load_bot(name))
        for message, document, heading, *_ in stored[name]["answer"]:
            right = [is_section(one, document, heading) for one in index.passages]
            found.append(case(index, message, np.array(right)))
    return [one for one in found if one[1].any()]


def desk_cases(indexes: Indexes, of: Script) -> list[Case]:
    """The clear messages to written desks."""
    found: list[Case] = []
    for desk in read_desks("response", of):
        index = indexes.of_documents(desk.name, desk.documents)
        for one in desk.clear:
            right = [is_section(passage, one.document, one.heading) for passage in index.passages]
            found.append(case(index, one.text, np.array(right)))
    return found


def cases(indexes: Indexes, name: str, documents: Any, queries: list[Query]) -> list[Case]:
    """The signals of each question for all passages."""
    index: Index = indexes.of_documents(name, documents)
    index.weights = {**index.weights, "pairs": 1.0}
    of = np.array([passage.document for passage in index.passages])
    found: list[Case] = []
    for query, wanted in queries:
        found.append(case(index, query, np.isin(of, wanted)))
    return [one for one in found if one[1].any()]


def case(index: Index, query: str, right: NDArray[np.bool_]) -> Case:
    signals = index.signals(without_courtesy(query))
    found = {key: standardized(scores).astype(np.float64) for key, scores in signals.items()}
    if "texts" in found:
        found["texts"] *= share_not_covered(signals)
    return found, right


def fit(table: str, names: Sequence[str], sets: list[list[Case]]) -> dict[str, float]:
    """The weights by name, fitted on all questions; prints how good those of three of four are for the others."""
    found = fitted_weights(names, [[case for place, case in enumerate(one) if place % 4 != 3] for one in sets])
    for one in sets:
        held_out = one[3::4]
        best = [right[np.argmax(sum(w * s[n] for w, n in zip(found, names, strict=True)))] for s, right in held_out]
        print(f"{table:12} held out n={len(held_out)} best passage right {np.mean(best):.3f}", flush=True)
    return {name: round(float(weight), 3) for name, weight in zip(names, fitted_weights(names, sets), strict=True)}


def fitted_weights(names: Sequence[str], sets: list[list[Case]]) -> Array:
    """The weight of each signal, shape (signals,)."""
    learned: list[tuple[Array, NDArray[np.bool_], float]] = []
    for one in sets:
        for signals, right in one:
            values = np.array([signals[name] for name in names])
            rival = np.union1d(np.argsort(-values.sum(axis=0))[:CANDIDATES], np.flatnonzero(right))
            learned.append((values[:, rival], right[rival], 1 / len(one)))

    def loss(weights: Array) -> tuple[float, Array]:
        total, slope = L2 * float(weights @ weights), 2 * L2 * weights
        for values, right, share in learned:
            sums = weights @ values
            chances = np.exp(sums - sums.max())
            chances /= chances.sum()
            hit = chances * right
            total -= share * float(np.log(hit.sum()))
            slope -= share * (values @ (hit / hit.sum() - chances))
        return total, slope

    return np.asarray(minimize(loss, np.full(len(names), 0.5), jac=True, bounds=[(0, None)] * len(names)).x)


if __name__ == "__main__":
    main()
