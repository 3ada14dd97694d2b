"""From a run to what to fix first: reads its low turns, gathers what is known of each, and names its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from core.base.heap import building
from core.base.language import normalise
from core.base.types import Message, Sample, Scenario
from core.judge.user.faults import fault
from core.judge.user.verdict import MINOR
from core.report import held
from core.report.causes import TABLE, Fact, Known, Named, cause_of
from core.report.fix_list import LOW, Findings, LowTurn, correct, is_low, score_of
from core.retrieve.index import Index
from core.run.recorded import Kept, cited, document_of, with_sample
from core.run.written import Documents
from core.store.low import Before, Judged, LowRow, Verdict
from core.store.store import Store

AT_ONCE = 400  # low turns read at a time
TOLD = 0.6  # share of a scenario's intent that the person must have said for the bot to know it
_USER = "simulated_user.simulated_user"
Verdicts = Mapping[str, Verdict]
T = TypeVar("T")
# Rows of the table of causes: those before the first that asks whether the passages hold the answer; those of a right
# answer, which only a refusal precedes; and those before which another query is tried
BEFORE = frozenset(row.why for row in TABLE[: next(at for at, row in enumerate(TABLE) if "enough" in row.uses)])
RIGHT, MISSED = frozenset({"right_beside", "manner"}), frozenset({"unwritten", "missed"})


def find_low(
    store: Store, run_id: str, line: float = LOW, index: Index | None = None, scenarios: Sequence[str] = ()
) -> Findings:
    """All low turns of a run, each with its cause; `line`: an Overall up to which a turn is low (0 to 1).

    index: of the bot's documents, which tells where a reference is written and whether another query would have found
    it; without it both stay unknown. scenarios: only theirs.
    """
    return gather_low(_whole, store, run_id, line, index, scenarios)


def _whole(turns: Iterable[LowTurn], scored: int, unscored: int) -> Findings:
    return Findings(tuple(turns), scored, unscored)


def gather_low(
    gather: Callable[[Iterable[LowTurn], int, int], T],
    store: Store,
    run_id: str,
    line: float = LOW,
    index: Index | None = None,
    scenarios: Sequence[str] = (),
) -> T:
    """`find_low` into what `gather` makes of the low turns, which come one by one, and of how many are (un)scored."""
    with building():
        judged = store.verdicts(run_id, scenarios)
        verdicts = {turn: _of_its_kind(one) for turn, one in judged.items()}
        scored: dict[int, float] = {}
        low: list[int] = []
        for turn, given in verdicts.items():
            values = {name: one.value for name, one in given.items()}
            if (score := score_of(values)) is not None:
                scored[turn] = score
                if is_low(values, line):
                    low.append(turn)
        turns = _low_turns(store, low, verdicts, scored, Documents(index))
        return gather(turns, len(scored), len(verdicts) - len(scored))


def _low_turns(
    store: Store, low: Sequence[int], verdicts: Mapping[int, Verdicts], scored: Mapping[int, float], where: Documents
) -> Iterator[LowTurn]:
    """These turns, whose records are large, a few at a time."""
    for at in range(0, len(low), AT_ONCE):
        rows = store.low_rows(low[at : at + AT_ONCE])
        said = store.said_in(row.conversation for row in rows)
        for row in rows:
            yield _low_turn(row, verdicts, said[row.conversation], scored[row.turn], where)


def _of_its_kind(judged: Judged) -> dict[str, Verdict]:
    """The verdicts that fit the reply: what judges of answers say of a question back says nothing."""
    if not judged.asked:
        return judged.given
    return {name: one for name, one in judged.given.items() if name.startswith(("turn.", "simulated_user."))}


def _low_turn(
    row: LowRow, verdicts: Mapping[int, Verdicts], said: Sequence[Before], score: float, where: Documents
) -> LowTurn:
    scenario = where.scenario(row)
    kept = Kept(row)
    if kept.sample:
        scenario = with_sample(scenario, kept.sample)
    known, named = _known(row, scenario, kept, verdicts, said, where)
    written = where.written_in(scenario.reference, scenario.question)
    document = written or document_of(kept.places, cited(kept.record), scenario)
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
    kept: Kept,
    verdicts: Mapping[int, Verdicts],
    said: Sequence[Before],
    where: Documents,
) -> tuple[Known, Named]:
    """What is known of a turn (what judges told, else what its record shows, else what words tell), and its cause.

    What words would tell is looked up only where the cause depends on it, since that takes by far the most time.
    """
    facts = _facts(row, scenario, kept.stages, verdicts, said, where)
    mine, reference = verdicts[row.turn], str(facts.pop("reference"))
    enough = _judged_enough(mine)
    known, named = _told(**facts, enough=enough)
    if enough is None and kept.stages and _open(named, facts["answered"]):
        enough = _held(scenario, reference, tuple(place.text for place in kept.places))
        if enough is not None:
            facts["by_words"] |= {"enough"}
        known, named = _told(**facts, enough=enough)
    if named.why in MISSED and kept.stages and _better(row, scenario, reference, said, where):
        known, named = _told(**facts, enough=enough, better=True)
    return known, named


def _facts(
    row: LowRow,
    scenario: Scenario,
    stages: bool,
    verdicts: Mapping[int, Verdicts],
    said: Sequence[Before],
    where: Documents,
) -> dict[str, Any]:
    """The fields of `Known` but `enough` and `better`, and the reference ("" where it only says that there is none)."""
    mine, turn = verdicts[row.turn], row.said
    reference = "" if held.says_nothing(scenario.reference) else scenario.reference
    right = correct({name: one.value for name, one in mine.items()})
    asked = {"ask": True, "search": False}.get(str(turn["decision"]))
    written = where.written_in(reference, scenario.question)
    by_words = list[Fact]()
    heard = [one for one in said if one.number <= turn["number"]]
    spoilt = any(_spoilt(verdicts.get(one.turn, {})) for one in heard)
    if not spoilt and not any(_USER in verdicts.get(one.turn, {}) for one in heard):
        spoilt = bool(row.about["persona_id"]) and _at_fault(scenario.intent, scenario.facts, tuple(heard))
        if spoilt:
            by_words.append("user")
    if right is None:
        by_words.append("correct")
    return {
        "reference": reference,
        "kind": str(row.about["kind"]),
        "needs_asking": scenario.needs_asking,
        "has_reference": bool(reference),
        "first": turn["number"] == 1,
        "asked": asked,
        "asked_before": any(one.decision == "ask" for one in said if one.number < turn["number"]),
        "answered": _answered(turn, asked),
        "stages": stages,
        "spoilt": spoilt,
        "correct": right,
        "grounded": _yes(mine, "groundedness.grounded"),
        "lost": _lost(row, scenario, heard),
        "written": None if written is None else bool(written),
        "said": right if asked or right is not None else held.says(reference, str(turn["reply_text"])),
        "contradicts": _contradicts(mine),
        "by_words": frozenset(by_words),
    }


def _open(named: Named, answered: bool | None) -> bool:
    """Whether the cause may be another one once it is known that the passages hold the answer, or do not."""
    return named.why not in BEFORE and not (named.why in RIGHT and answered is not False)


@lru_cache(maxsize=20_000)
def _told(**facts: Any) -> tuple[Known, Named]:
    """These facts with the cause that they tell; thousands of turns share them."""
    known = Known(**facts)
    return known, cause_of(known)


def _judged_enough(mine: Verdicts) -> bool | None:
    """Whether the passages hold the answer, where a judge told."""
    judged = _yes(mine, "sufficiency.sufficiency")
    if judged is None and "retrieval.recall" in mine:
        return mine["retrieval.recall"].value > 1 - 1e-9
    return judged


def _held(scenario: Scenario, reference: str, texts: tuple[str, ...]) -> bool | None:
    """The same as words tell it; none where there is nothing to look up."""
    lines = [line for line in scenario.evidence.splitlines() if line.strip()]
    found = held.hold_evidence(lines, texts)
    if found is None and reference:
        found = held.hold(reference, scenario.intent or scenario.question, texts)
    return found


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
