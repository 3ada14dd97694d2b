"""Fit core/bot/section_probability.toml: is a message's matter in the documents, and which section answers it?

    python -m benchmarks.fit_section_probability [--data DIR [--cache FOLDER]] [--questions …] [--write]

Tables that are not fitted stay, and so do the thresholds: they are a choice between refusing, offering and answering.

With --data, "documented" and "right_section": questions of localgovfaq/, jsquad/ (Japanese), squad2/ and mtrag/ (English) in DIR,
and, for "right_section", those to written desks (written_desks/response), each asked of collections of several sizes cut from
their documents at random, from a folder of 10 to all there are: once with the passages that answer it, and once without them.
"documented": the first against the second. "right_section": the best passage is a right one. Three of four questions are
fitted on, the fourth is tested. What was found is stored in the folder --cache, so that another fit takes seconds.

"section", and "documented" with example questions: logistic regression on the messages of first_messages.py, without the
bots' example questions and with them (--questions). Reported: ten-fold cross-validation.
"""

from __future__ import annotations

import argparse
import pickle
import random
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import Questions
from benchmarks.coefficients import coefficients, replace_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import read_desks
from benchmarks.first_messages import HELD_OUT_DESKS, KINDS, Row, examples, weights_of
from benchmarks.judges_data import lines
from benchmarks.search import Query, jsquad, localgovfaq, squad2
from core.base.probabilities import log_odds
from core.base.types import Passage
from core.bot.section_probability import EVIDENCE_SECTIONS, evidence_features
from core.documents.documents import Document
from core.documents.heading_names import last_heading
from core.documents.passages import passages
from core.retrieval.chroma import pieces
from core.retrieval.embedders import Embedder, search_embedder
from core.retrieval.index import Index
from core.text.language import Script

TARGET = Path(__file__).parents[1] / "core" / "bot" / "section_probability.toml"
ABOUT = """Logistic coefficients: do the documents cover a message, is the best section the right one, does a section answer?
Fitted by benchmarks/fit_section_probability.py. right_section_* and documented_ja, documented_en: on the development halves of
localgovfaq, jsquad, squad2 and mtrag, right_section_* also on written desks. documented_*_with_examples and section_*: on
benchmarks/first_messages.toml, section_ja and section_en also on messages to desks. The thresholds are chosen: from there on the
nearest sections are offered, or answered from (answer_ask_refuse.toml)."""
SEMANTIC: dict[Script, str] = {"ja": "matched", "en": "vector"}  # and this
# Data sets of each language, the first ones; on them alone "documented" is fitted: its thresholds stay right
PUBLIC = 2
FEATURES: dict[str, tuple[str, ...]] = {
    "documented": ("breadth", "words"),
    "right_section": ("breadth", "words", "sentence", "share"),
}
SIZES = (10, 40, 150, 400)  # documents of a collection, and all
MOST_PARTS = 40  # collections of one size
FOUND = 24  # passages, of which those that answer are taken out
# Of "documented", with example questions
WITH_EXAMPLES = ("breadth", "words", "example", "heading", "unanswered_log_ratio")
OF_SECTION = ("score", "coverage", "heading_coverage", "lexical", "ahead", "together")
OF_EXAMPLES = ("example", "nearer", "likelihood", "likelier")  # and these, if sections have example questions
QUESTIONS: tuple[Questions, ...] = ("without_examples", "with_unanswered")
# By which the log odds of sections are lowered without example questions: a right section is found for more of the messages
# of the fit than the thresholds were chosen on.
LOWERED = 0.4
FOLDS = 10
STRENGTH = 0.1  # C of the regression of sections, on features in standard deviations
Example = tuple[str, dict[str, float], bool, bool]  # question; features; documented; the best passage is right


def mtrag(folder: Path) -> tuple[list[Document], list[Query]]:
    """The answerable questions, each written to stand alone, and the passages of all."""
    asked = lines(folder / "dev.jsonl")
    passages = {passage["id"]: passage for row in asked for passage in row["relevant_passages"]}
    passages |= {one["id"]: one for row in lines(folder.parent / "mtrag_un" / "dev.jsonl") for one in row["contexts"]}
    documents = [
        Document(_name(key), f"{one.get('title') or ''}\n{one['text']}".strip()) for key, one in passages.items()
    ]
    answerable = [row for row in asked if row["answerability"] == "ANSWERABLE" and row["relevant_passages"]]
    return documents, [(row["rewrite"], [_name(one["id"]) for one in row["relevant_passages"]]) for row in answerable]


def desks(of: Script) -> tuple[list[Document], list[Query]]:
    """The sections of all written desks, each as a document, and the clear messages."""
    documents, queries = list[Document](), list[Query]()
    for desk in read_desks("response", of):
        names: dict[tuple[str, str], str] = {}
        for document in desk.documents:
            for one in passages(document):
                name = names.setdefault((one.document, last_heading(one.heading)), f"{desk.name}_{len(names)}")
                documents.append(Document(name, f"# {one.title}\n\n## {last_heading(one.heading)}\n\n{one.text}"))
        queries += [(one.text, [names[one.document, one.heading]]) for one in desk.clear]
    return documents, queries


def _name(mark: str) -> str:
    return mark.replace("/", "_")


Loader = Callable[[Path], tuple[list[Document], list[Query]]]
SETS: dict[Script, tuple[tuple[str, Loader], ...]] = {
    "ja": (("localgovfaq", localgovfaq), ("jsquad", jsquad), ("desks_ja", lambda _: desks("ja"))),
    "en": (("squad2", squad2), ("mtrag", mtrag), ("desks_en", lambda _: desks("en"))),
}


PLACES: dict[str, int] = {"right_section": 3, "documented": 2}  # of its label in an example


def main() -> None:
    arguments = argument_parser(__doc__, "--write")
    arguments.add_argument("--data", type=Path, help="folder with the public data sets")
    arguments.add_argument("--cache", type=Path, help="folder for what was found")
    arguments.add_argument("--questions", nargs="*", choices=QUESTIONS, default=QUESTIONS)
    options = arguments.parse_args()
    tables = fit_on_public_data(options) if options.data else {}
    for questions in options.questions:
        tables |= fit_on_first_messages(examples(questions), questions)
    if options.write:
        replace_coefficients(TARGET, ABOUT, tables)


def fit_on_public_data(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """The tables of "documented", without example questions, and "right_section"."""
    tables: dict[str, dict[str, float]] = {}
    for of, sets in SETS.items():
        found = [stored(options, of, name, load) for name, load in sets]
        for claim, place in PLACES.items():
            used = found[:PUBLIC] if claim == "documented" else found
            tables[f"{claim}_{of}"] = fit(
                f"{claim} {of}",
                (*FEATURES[claim], SEMANTIC[of]),
                [[(e[0], e[1], bool(e[place])) for e in s] for s in used],
            )
    return tables


def stored(options: argparse.Namespace, of: Script, name: str, load: Loader) -> list[Example]:
    """The examples of a data set, from the cache if they are there."""
    file = options.cache / f"evidence-{name}.pickle" if options.cache else None
    if file and file.is_file():
        return pickle.loads(file.read_bytes())
    found = questions_asked(Corpus(of, *load(options.data / name)))
    if file:
        file.write_bytes(pickle.dumps(found))
    return found


class Vectors:
    """The vectors of the pieces of some passages, searched without a database (as `PassageCollection` does).

    ids: of the passage that each piece is of.
    """

    def __init__(self, ids: list[str], vectors: NDArray[np.float32], embedder: Embedder) -> None:
        self._ids, self._vectors, self.embedder = ids, vectors, embedder

    def nearest(self, query: str, count: int) -> dict[str, float]:
        near = self._vectors @ _encoded(self.embedder, query)
        found: dict[str, float] = {}
        for place in np.argsort(-near)[:count]:
            found.setdefault(self._ids[place], float(near[place]))
        return found


@lru_cache(maxsize=20_000)
def _encoded(embedder: Embedder, query: str) -> NDArray[np.float32]:
    return embedder.encode([query])[0]


class Corpus:
    """Documents and questions, of which collections of any size can be made."""

    def __init__(self, of: Script, documents: list[Document], queries: list[Query]) -> None:
        self.of: Script = of
        self.queries = [(query, wanted) for query, wanted in queries if wanted]
        self.passages = {document.name: passages(document) for document in documents}
        self._embedder = search_embedder(of)
        every = [passage for some in self.passages.values() for passage in some]
        self._vectors = self._embed(every) if self._embedder.semantic else {}

    def _embed(self, every: list[Passage]) -> dict[str, NDArray[np.float32]]:
        """For each passage the vectors of its pieces, shape (pieces, dimension)."""
        cut = [[f"{last_heading(p.heading)}: {piece}" for piece in pieces(p.text)] or [p.heading] for p in every]
        rows = np.asarray(self._embedder.encode([piece for each in cut for piece in each]), dtype=np.float32)
        ends = np.cumsum([len(each) for each in cut])[:-1]
        return dict(zip((passage.id for passage in every), np.split(rows, ends), strict=True))

    def index(self, names: Sequence[str]) -> Index:
        """A collection of the documents named."""
        some = [passage for name in names for passage in self.passages[name]]
        ids = [passage.id for passage in some for _ in self._vectors.get(passage.id, ())]
        rows = np.concatenate([self._vectors[passage.id] for passage in some]) if self._vectors else None
        vectors: Any = None if rows is None else Vectors(ids, rows, self._embedder)
        return Index(some, self.of, "", vectors)


def questions_asked(corpus: Corpus) -> list[Example]:
    """Each question asked of collections of all sizes, with and without the right passages."""
    chance = random.Random(3)
    every = list(corpus.passages)
    found: list[Example] = []
    for size in (*SIZES, len(every)):
        names = chance.sample(every, len(every))
        parts = [names[start : start + size] for start in range(0, len(names), size)][:MOST_PARTS]
        for part in parts:
            index, indexed = corpus.index(part), frozenset(part)
            for query, wanted in corpus.queries:
                if not indexed.isdisjoint(wanted):
                    found += _asked(index, query, frozenset(wanted))
    return found


def _asked(index: Index, query: str, right: frozenset[str]) -> list[Example]:
    """A question with the right passages among what is found, and without them."""
    hits = index.search(query, FOUND)
    others = [hit for hit in hits if hit.passage.document not in right][:EVIDENCE_SECTIONS]
    found: list[Example] = []
    if hits:
        best = hits[0].passage.document in right
        found.append((query, evidence_features(query, hits[:EVIDENCE_SECTIONS]), True, best))
    if others:
        found.append((query, evidence_features(query, others), False, False))
    return found


def fit(label: str, names: tuple[str, ...], sets: list[list[tuple[str, dict[str, float], bool]]]) -> dict[str, float]:
    """Logistic regression; each data set has the same weight."""
    rows = [(row, 1 / len(one)) for one in sets for row in one]
    values = np.array([[features[name] for name in names] for (_, features, _), _ in rows])
    labels, weights = np.array([label for (_, _, label), _ in rows]), np.array([weight for _, weight in rows])
    held_out = np.array([zlib.crc32(question.encode()) % 4 == 3 for (question, _, _), _ in rows])
    scaler, model = StandardScaler().fit(values), LogisticRegression(C=1.0)
    scaled = scaler.transform(values)
    model.fit(scaled[~held_out], labels[~held_out], sample_weight=weights[~held_out] * len(rows))
    auc = roc_auc_score(labels[held_out], model.predict_proba(scaled[held_out])[:, 1])
    print(f"{label:14} n={len(rows)} AUC on the held-out quarter {auc:.3f}", flush=True)
    return coefficients(make_pipeline(scaler, model), names)


def fit_on_first_messages(rows: list[Row], questions: Questions) -> dict[str, dict[str, float]]:
    """The tables of "section" and, with example questions, "documented".

    Sets the features "section", "rival" and "documented" of each row, as a fit on the other rows sees them.
    """
    tables: dict[str, dict[str, float]] = {}
    suffix = "" if questions == "without_examples" else "_with_examples"
    for of in SETS:
        spoken = [row for row in rows if row.of == of]
        tables[f"section_{of}{suffix}"] = fit_section(spoken, f"section_{of}{suffix}")
        if suffix:
            tables[f"documented_{of}{suffix}"] = fit_documented(spoken, of)
    return tables


def fit_documented(rows: list[Row], of: Script) -> dict[str, float]:
    """Whether the documents speak of a message, if their sections have example questions."""
    names = (*WITH_EXAMPLES, "vector") if of == "en" else WITH_EXAMPLES
    values = np.array([[row.evidence[name] for name in names] for row in rows])
    labels = np.array([row.kind != "refuse" for row in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0))
    chances = np.array(cross_val_predict(model, values, labels, cv=FOLDS, method="predict_proba"))[:, 1]
    print(f"documented {of} n={len(rows)} AUC {roc_auc_score(labels, chances):.3f}")
    for threshold in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75):
        shares = (f"{kind} {(chances[[r.kind == kind for r in rows]] >= threshold).mean():.2f}" for kind in KINDS)
        print(f"threshold {threshold:.2f}: documented {' '.join(shares)}")
    for row, chance in zip(rows, chances, strict=True):
        row.features["documented"] = log_odds(chance)
    return coefficients(model.fit(values, labels), names)


def fit_section(rows: list[Row], table: str) -> dict[str, float]:
    """How likely each of the first sections found is the right one; ambiguous messages have none to learn from."""
    names = (
        *OF_SECTION,
        *(OF_EXAMPLES if table.endswith("_with_examples") else ()),
        *(("vector",) if rows[0].of == "en" else ("matched",) if not table.endswith("_with_examples") else ()),
    )
    values = [np.array([[features[name] for name in names] for features, _ in row.sections]) for row in rows]
    labels = [np.array([right for _, right in row.sections]) for row in rows]
    known = [place for place, row in enumerate(rows) if row.kind != "ask" and row.desk not in HELD_OUT_DESKS]
    chances: list[np.ndarray] = [np.empty(0)] * len(rows)
    for fold in range(FOLDS):
        model = section_model(values, labels, rows, [place for place in known if place % FOLDS != fold])
        for place in range(fold, len(rows), FOLDS):
            chances[place] = model.predict_proba(values[place])[:, 1]
    found, right = (np.concatenate([each[place] for place in known]) for each in (chances, labels))
    unknown = [place for place in known if rows[place].kind == "refuse"]
    print(f"{table} n={len(right)} AUC {roc_auc_score(right, found):.3f}")
    for threshold in (0.03, 0.05, 0.08, 0.13, 0.2):
        beside = np.mean([(chances[place] >= threshold).sum() for place in unknown])
        print(
            f"threshold {threshold:.2f}: right ones {(found[right] >= threshold).mean():.2f}, sections of an undocumented one {beside:.2f}"
        )
    lowered = 0.0 if table.endswith("_with_examples") else LOWERED
    for row, (best, *rivals) in zip(rows, chances, strict=True):
        rival = log_odds(max(rivals, default=0.0))
        row.features.update(section=log_odds(best) - lowered, rival=rival - lowered * (rival > log_odds(0.0)))
    fitted = coefficients(section_model(values, labels, rows, known), names)
    return {**fitted, "intercept": fitted["intercept"] - lowered}


def section_model(values: Any, labels: Any, rows: list[Row], places: list[int]) -> Any:
    """Which of the sections found for the messages at some places is the right one."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    weights = np.concatenate([weights_of([rows[i]]).repeat(len(labels[i])) for i in places])
    every = [np.concatenate([each[i] for i in places]) for each in (values, labels)]
    return model.fit(*every, logisticregression__sample_weight=weights)


if __name__ == "__main__":
    main()
