"""From a run to what to fix first: reads its low turns, gathers what is known of each, and names its cause."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from core.base.language import normalise
from core.base.types import Hit, Message, Sample, Scenario
from core.judge.user.faults import fault
from core.judge.user.verdict import MINOR
from core.report import held
from core.report.causes import Fact, Known, Named, cause_of
from core.report.fix_list import LOW, Findings, LowTurn, correct, is_low, score_of
from core.retrieve.index import Index
from core.run.turn import PASSAGES
from core.store.low import Before, Judged, LowRow, Verdict
from core.store.store import Store

TOLD = 0.6  # share of a scenario's intent that the person must have said for the bot to know it
_USER = "simulated_user.simulated_user"
Verdicts = Mapping[str, Verdict]


class Place(NamedTuple):
    """A passage that was found, or a section that was looked at: where it stands and its text."""

    document: str
    text: str


def find_low(
    store: Store, run_id: str, line: float = LOW, index: Index | None = None, scenarios: Sequence[str] = ()
) -> Findings:
    """All low turns of a run, each with its cause; `line`: an Overall up to which a turn is low (0 to 1).

    index: of the bot's documents, which tells where a reference is written and whether another query would have found
    it; without it both stay unknown. scenarios: only theirs.
    """
    judged = store.verdicts(run_id, scenarios)
    verdicts = {turn: _of_its_kind(one) for turn, one in judged.items()}
    values = {turn: {name: one.value for name, one in given.items()} for turn, given in verdicts.items()}
    scored = {turn: score for turn, given in values.items() if (score := score_of(given)) is not None}
    rows = store.low_rows([turn for turn in scored if is_low(values[turn], line)])
    said = store.said_in(row.conversation for row in rows)
    where = Documents(index)
    turns = [_low_turn(row, verdicts, said[row.conversation], scored[row.turn], where) for row in rows]
    return Findings(tuple(turns), len(scored), len(verdicts) - len(scored))


def _of_its_kind(judged: Judged) -> dict[str, Verdict]:
    """The verdicts that fit the reply: what judges of answers say of a question back says nothing."""
    if not judged.asked:
        return judged.given
    return {name: one for name, one in judged.given.items() if name.startswith(("turn.", "simulated_user."))}


class Documents:
    """The documents of a bot as they are now, asked where something is written; without an index they tell nothing."""

    def __init__(self, index: Index | None) -> None:
        self._index = index
        self._written: dict[tuple[str, str], str | None] = {}
        self._better: dict[tuple[str, str, str], bool] = {}
        self._scenarios: dict[str, Scenario] = {}

    def scenario(self, row: LowRow) -> Scenario:
        """What the person of a turn wanted."""
        known = row.about["scenario"] or {"id": row.about["scenario_id"], "question": ""}
        key = repr(known)
        if key not in self._scenarios:
            self._scenarios[key] = Scenario.model_validate(known)
        return self._scenarios[key]

    def better(self, reference: str, asked: str, query: str) -> bool:
        """Whether another query finds what holds a reference."""
        key = (reference, asked, query)
        if key not in self._better:
            self._better[key] = held.hold(reference, asked, self.found_by(query)) is True
        return self._better[key]

    def written_in(self, reference: str, question: str) -> str | None:
        """The document that holds a reference, "" where none does; none where that cannot be told."""
        if self._index is None or not self._index.passages or not held.words(reference):
            return None
        key = (reference, question)
        if key not in self._written:
            self._written[key] = self._look(reference, question)
        return self._written[key]

    def found_by(self, query: str) -> tuple[str, ...]:
        """The passages that a query finds, as judges see them."""
        hits: Sequence[Hit] = self._index.search(query, PASSAGES) if self._index else ()
        return tuple(f"{hit.passage.title} › {hit.passage.heading}\n{hit.passage.text}" for hit in hits)

    def _look(self, reference: str, question: str) -> str | None:
        assert self._index
        scores = self._index.lexical.scores(reference)
        best = [self._index.passages[int(row)] for row in scores.argsort()[::-1][:PASSAGES] if scores[row] > 0]
        texts = tuple(f"{one.title} › {one.heading}\n{one.text}" for one in best)
        holds = held.hold(reference, question, texts)
        if not holds:
            return None if holds is None else ""
        return best[held.best_place(reference, texts) or 0].document


def _low_turn(
    row: LowRow, verdicts: Mapping[int, Verdicts], said: Sequence[Before], score: float, where: Documents
) -> LowTurn:
    scenario = where.scenario(row)
    record, sample = _json(row.record), _json(row.sample)
    if sample:
        scenario = _with_sample(scenario, sample)
    places, stages = _places(record, sample)
    known = _known(row, scenario, places, stages, verdicts, said, where)
    named = cause_of(known)
    written = where.written_in(scenario.reference, scenario.question)
    document = written or _document(places, _cited(record), scenario)
    if named.why == "unwritten":
        document = ""
    return LowTurn(
        turn=row.turn,
        conversation=row.conversation,
        number=row.conversation_number,
        at=int(row.said["number"]),
        scenario=scenario.id,
        question=scenario.question or str(row.said["user_text"]),
        kind=str(row.about["kind"]),
        persona=str(row.about["persona_id"]),
        persona_name=str(row.about["persona_name"]),
        score=score,
        overall=verdicts[row.turn]["turn.overall"].value if "turn.overall" in verdicts[row.turn] else None,
        document=document,
        named=named,
        known=known,
        details=_details(named, row, scenario, document, said),
    )


def _known(
    row: LowRow,
    scenario: Scenario,
    places: Sequence[Place],
    stages: bool,
    verdicts: Mapping[int, Verdicts],
    said: Sequence[Before],
    where: Documents,
) -> Known:
    """All that is known of a turn: what judges told, else what its record shows, else what words tell."""
    mine, turn = verdicts[row.turn], row.said
    reference = "" if held.says_nothing(scenario.reference) else scenario.reference
    enough, by_words = _enough(mine, scenario, reference, tuple(place.text for place in places), stages)
    right = correct({name: one.value for name, one in mine.items()})
    asked = {"ask": True, "search": False}.get(str(turn["decision"]))
    written = where.written_in(reference, scenario.question)
    facts = list[Fact](("enough",) if by_words else ())
    heard = [one for one in said if one.number <= turn["number"]]
    spoilt = any(_spoilt(verdicts.get(one.turn, {})) for one in heard)
    if not spoilt and not any(_USER in verdicts.get(one.turn, {}) for one in heard):
        spoilt = bool(row.about["persona_id"]) and _at_fault(scenario.intent, scenario.facts, tuple(heard))
        if spoilt:
            facts.append("user")
    if right is None:
        facts.append("correct")
    return Known(
        kind=str(row.about["kind"]),
        needs_asking=scenario.needs_asking,
        has_reference=bool(reference),
        first=turn["number"] == 1,
        asked=asked,
        asked_before=any(one.decision == "ask" for one in said if one.number < turn["number"]),
        answered=_answered(turn, asked),
        stages=stages,
        spoilt=spoilt,
        correct=right,
        enough=enough,
        grounded=_yes(mine, "groundedness.grounded"),
        lost=_lost(row, scenario, heard),
        better=enough is False and stages and _better(row, scenario, reference, said, where),
        written=None if written is None else bool(written),
        said=held.says(reference, str(turn["reply_text"])) if right is None else right,
        contradicts=_contradicts(mine),
        by_words=frozenset(facts),
    )


def _enough(
    mine: Verdicts, scenario: Scenario, reference: str, texts: tuple[str, ...], stages: bool
) -> tuple[bool | None, bool]:
    """(whether the passages hold the answer, whether only words tell that)."""
    judged = _yes(mine, "sufficiency.sufficiency")
    if judged is None and "retrieval.recall" in mine:
        judged = mine["retrieval.recall"].value > 1 - 1e-9
    if judged is not None or not stages:
        return judged, False
    lines = [line for line in scenario.evidence.splitlines() if line.strip()]
    found = held.hold_evidence(lines, texts)
    if found is None and reference:
        found = held.hold(reference, scenario.intent or scenario.question, texts)
    return found, found is not None


def _better(row: LowRow, scenario: Scenario, reference: str, said: Sequence[Before], where: Documents) -> bool:
    """Whether the person's own words, or the intent as far as it was told, find what the bot's query did not."""
    query = str(row.said["query"])
    told = [one.user_text for one in said if one.number <= row.said["number"]]
    if not reference or not query or [normalise(query)] == [normalise(text) for text in told]:
        return False
    gold = [" ".join(told)]
    if scenario.intent and held.share(scenario.intent, " ".join(told)) >= TOLD:
        gold.append(scenario.intent)
    asked = scenario.intent or scenario.question
    return any(where.better(reference, asked, text) for text in gold if text.strip())


def _lost(row: LowRow, scenario: Scenario, heard: Sequence[Before]) -> bool:
    """Whether the query of a turn dropped what was said of the need."""
    query = str(row.said["query"])
    said = [one.user_text for one in heard]
    return bool(query) and len(said) > 1 and held.loses(scenario.intent or scenario.question, said, query)


def _answered(turn: Mapping[str, Any], asked: bool | None) -> bool | None:
    """Whether the bot answered; where it does not say, by whether its reply opens with a refusal."""
    if asked:
        return None
    given = turn["answered"]
    if given is not None:
        return bool(given)
    return not held.refuses(str(turn["reply_text"]))


def _details(named: Named, row: LowRow, scenario: Scenario, document: str, said: Sequence[Before]) -> dict[str, str]:
    """What the sentence of a cause names."""
    told = [one.user_text for one in said if one.number <= row.said["number"]]
    lost = "、".join(held.lost_words(told, str(row.said["query"]))[:5]) if named.cause == "rewrite" else ""
    return {
        "document": document,
        "reference": scenario.reference,
        "query": str(row.said["query"]) or str(row.said["user_text"]),
        "lost": lost,
    }


def _places(record: Mapping[str, Any], sample: Mapping[str, Any]) -> tuple[list[Place], bool]:
    """(what the bot found, whether that is known); an outside bot may not tell it."""
    if sample:
        contexts = [str(text) for text in sample.get("contexts") or ()]
        return [Place("", text) for text in contexts], bool(contexts)
    hits = record.get("hits")
    route: Mapping[str, Any] | None = record.get("route")
    if hits is None or (not hits and not route):
        return [], False
    passages = [hit["passage"] for hit in hits]
    return [Place(one["document"], f"{one['title']} › {one['heading']}\n{one['text']}") for one in passages], True


def _document(places: Sequence[Place], cited: Sequence[int], scenario: Scenario) -> str:
    """The document that a turn is about: of the passage nearest to the reference, of the first cited, of the first."""
    if not places:
        return ""
    near = held.best_place(scenario.reference, [place.text for place in places])
    first = next((number - 1 for number in cited if 0 < number <= len(places)), 0)
    return places[first if near is None else near].document


def _cited(record: Mapping[str, Any]) -> list[int]:
    reply: dict[str, Any] = record.get("reply") or {}
    return [int(number) for number in reply.get("cited") or ()]


def _with_sample(scenario: Scenario, sample: Mapping[str, Any]) -> Scenario:
    """The scenario of an answer from a file: its question and first reference stand in the sample."""
    given = next(iter(sample.get("reference") or ()), "")
    evidence = "\n".join(sample.get("evidence") or ())
    return scenario.model_copy(
        update={"question": sample.get("question") or scenario.question, "reference": given, "evidence": evidence}
    )


def _yes(mine: Verdicts, name: str) -> bool | None:
    return mine[name].value >= 0.5 if name in mine else None


def _contradicts(mine: Verdicts) -> bool:
    """Whether the turn judge found the reply at odds with what it was given (Correctness of 1 or 2)."""
    return "turn.correctness" in mine and mine["turn.correctness"].value <= 0.4 + 1e-9


def _spoilt(mine: Verdicts) -> bool:
    """Whether the simulated user's turn can no longer test the bot."""
    found = mine.get(_USER)
    return found is not None and found.value < 0.5 and found.label.removeprefix("spoilt:") not in MINOR


@lru_cache(maxsize=4_096)
def _at_fault(intent: str, facts: str, said: tuple[Before, ...]) -> bool:
    """Whether a rule of the judge of simulated users, which asks no model, finds a grave fault in what was said."""
    history: tuple[Message, ...] = ()
    for one in said:
        asked = Sample(question=one.user_text, answer="", history=history, intent=intent, facts=facts)
        found = fault(asked)
        if found and found.tag not in MINOR:
            return True
        reply = Message(role="assistant", text=one.reply_text, asks=one.decision == "ask")
        history += (Message(role="user", text=one.user_text), reply)
    return False


def _json(text: str | None) -> dict[str, Any]:
    return json.loads(text) if text else {}
