"""From a run to what to fix first: finds its failures, gathers what is known of each, and names its cause.

Numbers tell most causes. Texts are read of what was said up to a failure, records only if the cause or the document
depends on them, and the looking up in passages, which takes by far the most time, is put off until nothing else tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from core.analysis.clarification import ASKED
from core.analysis.failures import reference_lookup
from core.analysis.failures.causes import RULES, Diagnosis, JudgedFact, TurnFacts, diagnose
from core.analysis.failures.entries import FAILURE_THRESHOLD, Failure, Failures, correct, is_failure, score_of
from core.analysis.failures.judged_turns import CAUSE_CRITERIA, JudgedTurn, Values, judged_turns
from core.analysis.failures.reference_lookup import Documents, Expectation
from core.analysis.failures.transcripts import (
    Transcripts,
    TurnRecord,
    document_of,
    read_json,
    with_sample,
)
from core.analysis.simulator_health import faults_of_run, flagged_turns
from core.retrieval.index import Index
from core.store.rows import ConversationCase
from core.store.store import Store
from core.text.normalize import normalize

RECORDS_AT_ONCE = 400  # records in memory at a time
TURNS_AT_ONCE = 2_000  # failures whose texts are in memory at a time
DROPPED_WORDS = 5  # of those that a search query lacks, in a sentence
REVEALED = 0.6  # share of a scenario's intent that the person must have said for the bot to know it
# Rows of the table of causes: those before the first that asks whether the passages hold the answer; those of a right
# answer, which only a refusal precedes; those before which another query is tried; and those after "stage unknown"
BEFORE_PASSAGES = frozenset(
    row.why for row in RULES[: next(at for at, row in enumerate(RULES) if "passages_sufficient" in row.uses)]
)
RIGHT_ANSWER_RULES, MISSED_RULES = frozenset({"right_beside", "manner"}), frozenset({"unwritten", "unseen", "missed"})
LAST_RULES = frozenset({"no_reference", "judges"})
cached_diagnosis = lru_cache(maxsize=20_000)(diagnose)  # thousands of turns share their facts


class VerdictsOnTurn(NamedTuple):
    """What the verdicts on a turn come to; none: no judge said. passages_sufficient: whether the passages hold the answer."""

    score: float | None
    failed: bool
    overall: float | None
    right: bool | None
    grounded: bool | None
    passages_sufficient: bool | None
    contradicts: bool


class ScoredFailure(NamedTuple):
    """A turn that lost points; place: among all turns of the run."""

    place: int
    judged: JudgedTurn
    verdict: VerdictsOnTurn


class FailedTurn(NamedTuple):
    """A failure with what its cause follows from; place: among all turns of the run; sample: of an answer from a file."""

    place: int
    judged: JudgedTurn
    verdict: VerdictsOnTurn
    conversation: ConversationCase
    want: Expectation
    sample: Mapping[str, Any]


def find_failures(
    store: Store,
    run_id: str,
    threshold: float = FAILURE_THRESHOLD,
    index: Index | None = None,
    scenarios: Sequence[str] = (),
) -> Failures:
    """All failures of a run as they were stored, each with its cause.

    threshold: an Overall up to which a turn is a failure (0 to 1); index: of the bot's documents, which tells where a
    reference is written and whether another query would have found it (without it both stay unknown); scenarios: only
    theirs.
    """
    judged = judged_turns(store, run_id, scenarios)

    @cache
    def verdict_of(asked: bool, values: Values) -> VerdictsOnTurn:
        return _verdict(asked, values, threshold)

    candidates: list[ScoredFailure] = []
    scored = unscored = 0
    for place, judged_turn in enumerate(judged):
        verdict = None if judged_turn.broken else verdict_of(judged_turn.decision == "ask", judged_turn.values)
        scored += verdict is not None and verdict.score is not None
        unscored += verdict is not None and verdict.score is None
        if verdict and verdict.failed and verdict.score is not None:
            candidates.append(ScoredFailure(place, judged_turn, verdict))
    candidates.sort(key=lambda failing_turn: failing_turn.judged.turn)
    transcripts = Transcripts(store, judged, flagged_turns(faults_of_run(store, run_id)))
    failures = _failures(store, run_id, candidates, transcripts, Documents(index))
    return Failures(tuple(failures), scored, unscored)


def _failures(
    store: Store, run_id: str, candidates: Sequence[ScoredFailure], transcripts: Transcripts, documents: Documents
) -> Iterator[Failure]:
    """These turns, with their causes; their texts are read of some at a time."""
    for start in range(0, len(candidates), TURNS_AT_ONCE):
        chunk = candidates[start : start + TURNS_AT_ONCE]
        numbers = [judged_turn.conversation for _, judged_turn, _ in chunk]
        conversations = store.conversations.cases_by_number(run_id, min(numbers), max(numbers))
        transcripts.read((place for place, _, _ in chunk), _replies(chunk, transcripts))
        samples = store.conversations.turn_texts(
            (judged_turn.turn for _, judged_turn, _ in chunk if not judged_turn.decision), "sample"
        )
        turns = [
            FailedTurn(*mark, conversation, *_want(documents, conversation, samples.get(mark.judged.turn)))
            for mark in chunk
            if (conversation := conversations.get(mark.judged.conversation)) and transcripts.has(mark.judged.turn)
        ]
        yield from _diagnosed(store, turns, transcripts, documents)


def _replies(candidates: Sequence[ScoredFailure], transcripts: Transcripts) -> Iterator[int]:
    """The turns whose replies have to be read: if no judge found the reply right, or looked at the person."""
    for place, judged_turn, verdict in candidates:
        if not transcripts.user_judged(judged_turn):
            yield from (before.turn for before in transcripts.until(place))
        elif judged_turn.decision != "ask" and (verdict.right is not True or judged_turn.answered is None):
            yield judged_turn.turn


def _want(
    documents: Documents, conversation: ConversationCase, row: Sequence[Any] | None
) -> tuple[Expectation, Mapping[str, Any]]:
    """What the person wanted, and the sample of an answer from a file, which tells it better."""
    want, sample = documents.want(conversation), read_json(row[1] if row else None)
    return (documents.want_of(with_sample(want.scenario, sample)) if sample else want), sample


def _verdict(asked: bool, values: Values, threshold: float) -> VerdictsOnTurn:
    """The verdicts that fit the reply: what judges of answers say of a clarifying question says nothing."""
    fit = ("turn.", "simulated_user.") if asked else ("",)
    by_name = {
        name: value
        for name, value in zip(CAUSE_CRITERIA, values, strict=True)
        if value is not None and name.startswith(fit)
    }
    enough = _yes(by_name, "sufficiency.sufficiency")
    if enough is None and "retrieval.recall" in by_name:
        enough = by_name["retrieval.recall"] > 1 - 1e-9
    grounded, contradicts = _yes(by_name, "groundedness.grounded"), by_name.get("turn.correctness", 1.0) <= 0.4 + 1e-9
    overall = by_name.get("turn.overall")
    return VerdictsOnTurn(
        score_of(by_name), is_failure(by_name, threshold), overall, correct(by_name), grounded, enough, contradicts
    )


def _yes(values: Mapping[str, float], name: str) -> bool | None:
    return values[name] >= 0.5 if name in values else None


def _diagnosed(
    store: Store, turns: Sequence[FailedTurn], transcripts: Transcripts, documents: Documents
) -> Iterator[Failure]:
    """The turns with their causes, in the same order."""
    evidence = [_evidence(turn, transcripts) for turn in turns]
    diagnoses = [cached_diagnosis(turn_evidence) for turn_evidence in evidence]
    unread = [at for at, turn in enumerate(turns) if _needs_record(turn, evidence[at], diagnoses[at])]
    names = [turn.want.document or "" for turn in turns]
    for start in range(0, len(unread), RECORDS_AT_ONCE):
        chunk = unread[start : start + RECORDS_AT_ONCE]
        records = store.conversations.turn_texts((turns[at].judged.turn for at in chunk), "record")
        for at in chunk:
            row = records.get(turns[at].judged.turn)
            record = TurnRecord(row[1] if row else None, turns[at].sample)
            evidence[at], diagnoses[at] = _with_record(turns[at], evidence[at], record, transcripts, documents)
            names[at] = names[at] or document_of(record, turns[at].want.scenario)
    for at, turn in enumerate(turns):
        yield _failure(turn, evidence[at], diagnoses[at], names[at], transcripts)


def _evidence(turn: FailedTurn, transcripts: Transcripts) -> TurnFacts:
    """What numbers and the texts of the conversation tell; what only a record tells is taken for known."""
    judged_turn, want, right = turn.judged, turn.want, turn.verdict.right
    asked = ASKED.get(judged_turn.decision)
    by_words: list[JudgedFact] = ["correct"] if right is None else []
    invalid = transcripts.invalid(judged_turn)
    if not invalid and not transcripts.user_judged(judged_turn) and turn.conversation.persona_id:
        invalid = transcripts.at_fault(turn.place, want.scenario.intent, want.scenario.facts)
        if invalid:
            by_words.append("user")
    return TurnFacts(
        kind=turn.conversation.kind,
        needs_asking=want.scenario.needs_asking,
        has_reference=bool(want.reference),
        first=judged_turn.number == 1,
        asked=asked,
        asked_before=transcripts.asked_before(judged_turn),
        answered=_answered(judged_turn, asked, transcripts),
        invalid=invalid,
        correct=right,
        passages_sufficient=turn.verdict.passages_sufficient,
        grounded=turn.verdict.grounded,
        query_dropped_intent=right is not True and not asked and _query_drops_intent(turn, transcripts),
        in_documents=want.in_documents,
        query_known=bool(transcripts.query(judged_turn.turn)),
        empty=not asked and transcripts.reply_is_empty(judged_turn.turn),
        matches_reference=right
        if asked or right is True
        else reference_lookup.answer_says(want.reference, transcripts.reply(judged_turn.turn)),
        contradicts=turn.verdict.contradicts,
        by_words=frozenset(by_words),
    )


def _answered(judged_turn: JudgedTurn, asked: bool | None, transcripts: Transcripts) -> bool | None:
    """Whether the bot answered; if it does not say, by whether its reply opens with a refusal."""
    if asked:
        return None
    if transcripts.reply_is_empty(judged_turn.turn):
        return False
    if judged_turn.answered is not None:
        return judged_turn.answered
    return not reference_lookup.opens_with_refusal(transcripts.reply(judged_turn.turn))


def _query_drops_intent(turn: FailedTurn, transcripts: Transcripts) -> bool:
    """Whether the query of a turn dropped what was said of the intent."""
    query, scenario = transcripts.query(turn.judged.turn), turn.want.scenario
    if not query or turn.judged.number == 1:
        return False
    user_texts = transcripts.user_texts(turn.place)
    return len(user_texts) > 1 and reference_lookup.drops_intent(
        scenario.intent or scenario.question, user_texts, query
    )


def _needs_record(turn: FailedTurn, evidence: TurnFacts, diagnosis: Diagnosis) -> bool:
    """Whether the record may change the cause, which judges would tell it, or the document."""
    unsure = diagnosis.why in MISSED_RULES | LAST_RULES or (diagnosis.cause == "unclear" and diagnosis.tell)
    return bool(unsure or not turn.want.document or turn.sample) or (
        evidence.passages_sufficient is None and _open(evidence, diagnosis)
    )


def _open(evidence: TurnFacts, diagnosis: Diagnosis) -> bool:
    """Whether the cause may be another one once it is known that the passages hold the answer, or do not."""
    return diagnosis.why not in BEFORE_PASSAGES and not (
        diagnosis.why in RIGHT_ANSWER_RULES and evidence.answered is not False
    )


def _with_record(
    turn: FailedTurn, evidence: TurnFacts, record: TurnRecord, transcripts: Transcripts, documents: Documents
) -> tuple[TurnFacts, Diagnosis]:
    """What is known once the record has told the rest, and if judges were silent, words."""
    evidence = evidence._replace(passages_known=record.stages)
    diagnosis = cached_diagnosis(evidence)
    if evidence.passages_sufficient is None and record.stages and _open(evidence, diagnosis):
        enough = _passages_hold(turn.want, tuple(passage.text for passage in record.passages))
        if enough is not None:
            evidence = evidence._replace(
                passages_sufficient=enough, by_words=evidence.by_words | {"passages_sufficient"}
            )
            diagnosis = cached_diagnosis(evidence)
    if diagnosis.why in MISSED_RULES and record.stages and _other_query_finds(turn, transcripts, documents):
        evidence = evidence._replace(user_words_find_it=True)
    return evidence, cached_diagnosis(evidence)


def _passages_hold(want: Expectation, texts: tuple[str, ...]) -> bool | None:
    """Whether the passages hold the answer, as words tell it; none if there is nothing to look up."""
    lines = [line for line in want.scenario.evidence.splitlines() if line.strip()]
    holds = reference_lookup.passages_hold_evidence(lines, texts)
    if holds is None and want.reference:
        holds = reference_lookup.passages_hold(want.reference, want.scenario.intent or want.scenario.question, texts)
    return holds


def _other_query_finds(turn: FailedTurn, transcripts: Transcripts, documents: Documents) -> bool:
    """Whether the person's own words, or the intent as far as it was told, find what the bot's query did not."""
    query, texts = transcripts.query(turn.judged.turn), list(transcripts.user_texts(turn.place))
    scenario, reference = turn.want.scenario, turn.want.reference
    if not reference or not query or [normalize(query)] == [normalize(text) for text in texts]:
        return False
    gold = [" ".join(texts)]
    if scenario.intent and reference_lookup.word_overlap(scenario.intent, " ".join(texts)) >= REVEALED:
        gold.append(scenario.intent)
    return any(documents.better(reference, scenario.intent or scenario.question, text) for text in gold if text.strip())


def _failure(
    turn: FailedTurn, evidence: TurnFacts, diagnosis: Diagnosis, document: str, transcripts: Transcripts
) -> Failure:
    judged_turn, conversation, scenario = turn.judged, turn.conversation, turn.want.scenario
    query, user_texts = transcripts.query(judged_turn.turn), transcripts.user_texts(turn.place)
    is_rewrite = diagnosis.cause == "rewrite"
    return Failure(
        turn=judged_turn.turn,
        conversation=conversation.id,
        number=conversation.number,
        at=judged_turn.number,
        scenario=scenario.id,
        question=scenario.question or user_texts[-1],
        kind=conversation.kind,
        persona=conversation.persona_id,
        persona_name=conversation.persona_name,
        score=turn.verdict.score or 0.0,
        overall=turn.verdict.overall,
        document="" if diagnosis.why == "unwritten" else document,
        diagnosis=diagnosis,
        evidence=evidence,
        reference=scenario.reference or " ".join(scenario.evidence.split()),
        query=query,
        dropped_words=reference_lookup.dropped_words(user_texts, query)[:DROPPED_WORDS] if is_rewrite else (),
    )
