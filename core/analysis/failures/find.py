"""From a run to what to fix first: finds its low turns, gathers what is known of each, and names its cause.

Numbers tell most causes. Texts are read of what was said up to a low turn, records only where the cause or the document
depends on them, and the looking up in passages, which takes by far the most time, is put off until nothing else tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from core.analysis.failures import reference_lookup as held
from core.analysis.failures.causes import RULES, Diagnosis, Evidence, Fact, diagnose
from core.analysis.failures.entries import FAILURE_THRESHOLD, Failure, Failures, correct, is_failure, score_of
from core.analysis.failures.judged_turns import TELLING, Taken, Values, judged_turns
from core.analysis.failures.records import Heard, Kept, cited, document_of, read_json, with_sample
from core.analysis.failures.reference_lookup import Documents, Want
from core.base.heap import building
from core.retrieval.index import Index
from core.store.rows import ConversationCase
from core.store.store import Store
from core.text.normalize import normalize

AT_ONCE = 400  # records in memory at a time
PART = 2_000  # low turns whose texts are in memory at a time
TOLD = 0.6  # share of a scenario's intent that the person must have said for the bot to know it
# Rows of the table of causes: those before the first that asks whether the passages hold the answer; those of a right
# answer, which only a refusal precedes; those before which another query is tried; and those after "stage unknown"
BEFORE = frozenset(row.why for row in RULES[: next(at for at, row in enumerate(RULES) if "enough" in row.uses)])
RIGHT, MISSED = frozenset({"right_beside", "manner"}), frozenset({"unwritten", "unseen", "missed"})
LAST = frozenset({"no_reference", "judges"})
T = TypeVar("T")
told_of = lru_cache(maxsize=20_000)(diagnose)  # thousands of turns share their facts


class Weighed(NamedTuple):
    """What the verdicts on a turn come to; none: nobody told. enough: whether the passages hold the answer."""

    score: float | None
    low: bool
    overall: float | None
    right: bool | None
    grounded: bool | None
    enough: bool | None
    contradicts: bool


Mark = tuple[int, Taken, Weighed]  # a low turn: its place among all turns of the run


class Low(NamedTuple):
    """A low turn with what its cause is told from; place: among all turns of the run; sample: of an answer from a file."""

    place: int
    taken: Taken
    weighed: Weighed
    talk: ConversationCase
    want: Want
    sample: Mapping[str, Any]


def find_failures(
    store: Store,
    run_id: str,
    line: float = FAILURE_THRESHOLD,
    index: Index | None = None,
    scenarios: Sequence[str] = (),
) -> Failures:
    """All low turns of a run as they were stored, each with its cause; `line`: an Overall up to which a turn is low (0 to 1).

    index: of the bot's documents, which tells where a reference is written and whether another query would have found
    it; without it both stay unknown. scenarios: only theirs.
    """
    return gather_low(_whole, store, run_id, line, index, scenarios)


def _whole(turns: Iterable[Failure], scored: int, unscored: int) -> Failures:
    return Failures(tuple(turns), scored, unscored)


def gather_low(
    gather: Callable[[Iterable[Failure], int, int], T],
    store: Store,
    run_id: str,
    line: float = FAILURE_THRESHOLD,
    index: Index | None = None,
    scenarios: Sequence[str] = (),
) -> T:
    """`find_low` into what `gather` makes of the low turns, which come one by one, and of how many are (un)scored."""
    with building():
        judged = judged_turns(store, run_id, scenarios)

        @cache
        def weigh(asked: bool, values: Values) -> Weighed:
            return _weighed(asked, values, line)

        low: list[Mark] = []
        scored = unscored = 0
        for place, one in enumerate(judged.turns):
            weighed = None if one.broken else weigh(one.decision == "ask", one.values)
            scored += weighed is not None and weighed.score is not None
            unscored += weighed is not None and weighed.score is None
            if weighed and weighed.low and weighed.score is not None:
                low.append((place, one, weighed))
        low.sort(key=lambda one: one[1].turn)
        return gather(_low_turns(store, run_id, low, Heard(store, judged), Documents(index)), scored, unscored)


def _low_turns(store: Store, run_id: str, low: Sequence[Mark], heard: Heard, where: Documents) -> Iterator[Failure]:
    """These turns, with their causes; their texts are read of some at a time."""
    for start in range(0, len(low), PART):
        some = low[start : start + PART]
        numbers = [one.talk for _, one, _ in some]
        talks = store.conversations.cases(run_id, min(numbers), max(numbers))
        heard.read((place for place, _, _ in some), _replies(some, heard))
        samples = store.conversations.turn_texts((one.turn for _, one, _ in some if not one.decision), "sample")
        there = ((mark, talks[mark[1].talk]) for mark in some if mark[1].talk in talks and heard.knows(mark[1].turn))
        turns = [Low(*mark, talk, *_want(where, talk, samples.get(mark[1].turn))) for mark, talk in there]
        yield from _told(store, turns, heard, where)


def _replies(low: Sequence[Mark], heard: Heard) -> Iterator[int]:
    """The turns whose replies have to be read: where no judge found the reply right, or looked at the person."""
    for place, one, weighed in low:
        if not heard.judged(one):
            yield from (before.turn for before in heard.until(place))
        elif one.decision != "ask" and (weighed.right is not True or one.answered is None):
            yield one.turn


def _want(where: Documents, talk: ConversationCase, row: Sequence[Any] | None) -> tuple[Want, Mapping[str, Any]]:
    """What the person wanted, and the sample of an answer from a file, which tells it better."""
    want, sample = where.want(talk), read_json(row[1] if row else None)
    return (where.want_of(with_sample(want.scenario, sample)) if sample else want), sample


def _weighed(asked: bool, values: Values, line: float) -> Weighed:
    """The verdicts that fit the reply: what judges of answers say of a question back says nothing."""
    fit = ("turn.", "simulated_user.") if asked else ("",)
    given = {name: one for name, one in zip(TELLING, values, strict=True) if one is not None and name.startswith(fit)}
    enough = _yes(given, "sufficiency.sufficiency")
    if enough is None and "retrieval.recall" in given:
        enough = given["retrieval.recall"] > 1 - 1e-9
    grounded, contradicts = _yes(given, "groundedness.grounded"), given.get("turn.correctness", 1.0) <= 0.4 + 1e-9
    overall = given.get("turn.overall")
    return Weighed(score_of(given), is_failure(given, line), overall, correct(given), grounded, enough, contradicts)


def _yes(given: Mapping[str, float], name: str) -> bool | None:
    return given[name] >= 0.5 if name in given else None


def _told(store: Store, turns: Sequence[Low], heard: Heard, where: Documents) -> Iterator[Failure]:
    """The turns with their causes, in the same order."""
    known = [_known(low, heard) for low in turns]
    named = [told_of(one) for one in known]
    records = [at for at, low in enumerate(turns) if _needs_record(low, known[at], named[at])]
    documents = {at: turns[at].want.document or "" for at in range(len(turns))}
    for start in range(0, len(records), AT_ONCE):
        some = records[start : start + AT_ONCE]
        found = store.conversations.turn_texts((turns[at].taken.turn for at in some), "record")
        for at in some:
            row = found.get(turns[at].taken.turn)
            kept = Kept(row[1] if row else None, turns[at].sample)
            known[at], named[at] = _looked_up(turns[at], known[at], kept, heard, where)
            documents[at] = documents[at] or document_of(kept.places, cited(kept.record), turns[at].want.scenario)
    for at, low in enumerate(turns):
        yield _low_turn(low, known[at], named[at], documents[at], heard)


def _known(low: Low, heard: Heard) -> Evidence:
    """What numbers and the texts of the conversation tell; what only a record tells is taken for known."""
    one, want, right = low.taken, low.want, low.weighed.right
    asked = {"ask": True, "search": False}.get(one.decision)
    by_words: list[Fact] = ["correct"] if right is None else []
    spoilt = heard.spoilt(one)
    if not spoilt and not heard.judged(one) and low.talk.persona_id:
        spoilt = heard.at_fault(low.place, want.scenario.intent, want.scenario.facts)
        if spoilt:
            by_words.append("user")
    return Evidence(
        kind=low.talk.kind,
        needs_asking=want.scenario.needs_asking,
        has_reference=bool(want.reference),
        first=one.number == 1,
        asked=asked,
        asked_before=heard.asked_before(one),
        answered=_answered(one, asked, heard),
        spoilt=spoilt,
        correct=right,
        enough=low.weighed.enough,
        grounded=low.weighed.grounded,
        lost=right is not True and not asked and _lost(low, heard),
        written=want.written,
        queried=bool(heard.query(one.turn)),
        empty=not asked and heard.empty(one.turn),
        said=right if asked or right is True else held.says(want.reference, heard.reply(one.turn)),
        contradicts=low.weighed.contradicts,
        by_words=frozenset(by_words),
    )


def _answered(one: Taken, asked: bool | None, heard: Heard) -> bool | None:
    """Whether the bot answered; where it does not say, by whether its reply opens with a refusal."""
    if asked:
        return None
    if heard.empty(one.turn):
        return False
    return one.answered if one.answered is not None else not held.refuses(heard.reply(one.turn))


def _lost(low: Low, heard: Heard) -> bool:
    """Whether the query of a turn dropped what was said of the need."""
    query, scenario = heard.query(low.taken.turn), low.want.scenario
    if not query or low.taken.number == 1:
        return False
    said = heard.told(low.place)
    return len(said) > 1 and held.loses(scenario.intent or scenario.question, said, query)


def _needs_record(low: Low, known: Evidence, named: Diagnosis) -> bool:
    """Whether the record may change the cause, which judges would tell it, or the document."""
    unsure = named.why in MISSED | LAST or (named.cause == "unclear" and named.tell)
    return bool(unsure or not low.want.document or low.sample) or (known.enough is None and _open(known, named))


def _open(known: Evidence, named: Diagnosis) -> bool:
    """Whether the cause may be another one once it is known that the passages hold the answer, or do not."""
    return named.why not in BEFORE and not (named.why in RIGHT and known.answered is not False)


def _looked_up(low: Low, known: Evidence, kept: Kept, heard: Heard, where: Documents) -> tuple[Evidence, Diagnosis]:
    """What is known once the record has told the rest, and where judges were silent, words."""
    known = known._replace(stages=kept.stages)
    named = told_of(known)
    if known.enough is None and kept.stages and _open(known, named):
        enough = _held(low.want, tuple(place.text for place in kept.places))
        if enough is not None:
            known = known._replace(enough=enough, by_words=known.by_words | {"enough"})
            named = told_of(known)
    if named.why in MISSED and kept.stages and _better(low, heard, where):
        known = known._replace(better=True)
    return known, told_of(known)


def _held(want: Want, texts: tuple[str, ...]) -> bool | None:
    """Whether the passages hold the answer, as words tell it; none where there is nothing to look up."""
    lines = [line for line in want.scenario.evidence.splitlines() if line.strip()]
    found = held.hold_evidence(lines, texts)
    if found is None and want.reference:
        found = held.hold(want.reference, want.scenario.intent or want.scenario.question, texts)
    return found


def _better(low: Low, heard: Heard, where: Documents) -> bool:
    """Whether the person's own words, or the intent as far as it was told, find what the bot's query did not."""
    query, told = heard.query(low.taken.turn), list(heard.told(low.place))
    scenario, reference = low.want.scenario, low.want.reference
    if not reference or not query or [normalize(query)] == [normalize(text) for text in told]:
        return False
    gold = [" ".join(told)]
    if scenario.intent and held.share(scenario.intent, " ".join(told)) >= TOLD:
        gold.append(scenario.intent)
    return any(where.better(reference, scenario.intent or scenario.question, text) for text in gold if text.strip())


def _low_turn(low: Low, known: Evidence, named: Diagnosis, document: str, heard: Heard) -> Failure:
    one, talk, scenario = low.taken, low.talk, low.want.scenario
    document = "" if named.why == "unwritten" else document
    return Failure(
        turn=one.turn,
        conversation=talk.id,
        number=talk.number,
        at=one.number,
        scenario=scenario.id,
        question=scenario.question or heard.told(low.place)[-1],
        kind=talk.kind,
        persona=talk.persona_id,
        persona_name=talk.persona_name,
        score=low.weighed.score or 0.0,
        overall=low.weighed.overall,
        document=document,
        named=named,
        known=known,
        details=_details(low, named, document, heard),
    )


def _details(low: Low, named: Diagnosis, document: str, heard: Heard) -> dict[str, str]:
    """What the sentence of a cause names."""
    query, scenario = heard.query(low.taken.turn), low.want.scenario
    lost = "、".join(held.lost_words(heard.told(low.place), query)[:5]) if named.cause == "rewrite" else ""
    return {
        "document": document,
        "reference": scenario.reference or " ".join(scenario.evidence.split()),
        "query": query,
        "lost": lost,
    }
