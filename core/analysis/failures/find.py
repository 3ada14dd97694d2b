"""From a run to what to fix first: finds its failures, gathers what is known of each, and names its cause.

Most causes follow from scores and texts alone. Passages are looked up only if no judge scored them, since that is slower.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from core.analysis.clarification import ASKED
from core.analysis.failures import reference_lookup
from core.analysis.failures.causes import RULES_WITHOUT_PASSAGES, Diagnosis, JudgedFact, TurnFacts, diagnose
from core.analysis.failures.entries import FAILURE_THRESHOLD, Failure, Failures, correct, is_failure, score_of
from core.analysis.failures.judged_turns import CAUSE_CRITERIA, JudgedTurn, Values, judged_turns
from core.analysis.failures.reference_lookup import Documents, Expectation
from core.analysis.failures.transcripts import Transcripts, TurnRecord, document_of, turn_record, with_sample
from core.analysis.simulator_health import faults_of_run, flagged_turns
from core.base.chunks import chunks
from core.base.means import ROUNDING
from core.base.types import Sample
from core.retrieval.index import Index
from core.store.rows import ConversationRow
from core.store.store import Store
from core.text.normalize import normalize

TURNS_AT_ONCE = 400  # failures whose texts and records are in memory at a time
MAX_DROPPED_WORDS = 5  # words that a search query lacks, in a sentence
INTENT_REVEALED_FROM = 0.6  # share of the intent's words that the user has said, from which the bot could know it
# Keys of rules in the table of causes
BEFORE_PASSAGES = frozenset(rule.why for rule in RULES_WITHOUT_PASSAGES)
RIGHT_ANSWER_RULES = frozenset({"right_but_unsupported", "right_but_low"})  # only a refusal comes before them
MISSED_RULES = frozenset({"not_in_documents", "query_unknown", "missed"})  # before them another query is tried
cached_diagnosis = lru_cache(maxsize=20_000)(diagnose)  # thousands of turns share their facts


class VerdictsOnTurn(NamedTuple):
    """The verdicts on a turn; None if no judge gave one."""

    score: float | None
    failed: bool
    overall: float | None
    right: bool | None
    grounded: bool | None
    passages_sufficient: bool | None  # whether the passages contain the answer
    contradicts: bool


class FailedTurn(NamedTuple):
    """A failure with the data from which its cause is found."""

    place: int  # among all turns of the run
    judged: JudgedTurn
    verdict: VerdictsOnTurn
    conversation: ConversationRow
    expected: Expectation


def find_failures(
    store: Store,
    run_id: str,
    threshold: float = FAILURE_THRESHOLD,
    index: Index | None = None,
    scenarios: Sequence[str] = (),
) -> Failures:
    """All failures of a run as they were stored, each with its cause.

    threshold: the Overall up to which a turn is a failure (0 to 1); index: of the bot's documents, to find where a
    reference is written and whether another query would have found it (without it both stay unknown); scenarios: only
    the failures of these.
    """
    judged = judged_turns(store, run_id, scenarios)

    @cache
    def verdict_of(asked: bool, values: Values) -> VerdictsOnTurn:
        return _verdict(asked, values, threshold)

    verdicts = {
        place: verdict_of(judged_turn.decision == "ask", judged_turn.values)
        for place, judged_turn in enumerate(judged)
        if not judged_turn.failed
    }
    scored = sum(verdict.score is not None for verdict in verdicts.values())
    failing = {place: verdict for place, verdict in verdicts.items() if verdict.failed}
    transcripts = Transcripts(store, judged, flagged_turns(faults_of_run(store, run_id)))
    failures = _failures(store, run_id, judged, failing, transcripts, Documents(index))
    return Failures(tuple(failures), scored, len(verdicts) - scored, threshold)


def _failures(
    store: Store,
    run_id: str,
    judged: Sequence[JudgedTurn],
    failing: Mapping[int, VerdictsOnTurn],
    transcripts: Transcripts,
    documents: Documents,
) -> Iterator[Failure]:
    """The failing turns (by place) with their causes; their texts are read in chunks."""
    conversations = {row.number: row for row in store.conversations.of_run(run_id)} if failing else {}
    for chunk in chunks(sorted(failing, key=lambda place: judged[place].turn), TURNS_AT_ONCE):
        transcripts.read(chunk)
        stored = store.conversations.turn_texts((judged[place].turn for place in chunk), "record", "sample")
        for place in chunk:
            judged_turn = judged[place]
            conversation, row = conversations.get(judged_turn.conversation), stored.get(judged_turn.turn)
            if conversation and row and transcripts.has(judged_turn.turn):
                sample = Sample.model_validate_json(row[2]) if row[2] else None
                expected = _expected(documents, conversation, sample)
                turn = FailedTurn(place, judged_turn, failing[place], conversation, expected)
                yield _failure(turn, turn_record(row[1], sample), transcripts, documents)


def _expected(documents: Documents, conversation: ConversationRow, sample: Sample | None) -> Expectation:
    """What the user wanted; the sample of an answer from a file describes it better."""
    if sample is None:
        return documents.expectation(conversation)
    return documents.expectation_of(with_sample(conversation.scenario, sample))


def _verdict(asked: bool, values: Values, threshold: float) -> VerdictsOnTurn:
    """The verdicts that apply to the reply: judges of answers say nothing about a clarifying question."""
    fit = ("turn.", "simulated_user.") if asked else ("",)
    by_name = {
        name: value
        for name, value in zip(CAUSE_CRITERIA, values, strict=True)
        if value is not None and name.startswith(fit)
    }
    enough = _yes(by_name, "sufficiency.sufficiency")
    if enough is None and "retrieval.recall" in by_name:
        enough = by_name["retrieval.recall"] > 1 - ROUNDING
    return VerdictsOnTurn(
        score=score_of(by_name),
        failed=is_failure(by_name, threshold),
        overall=by_name.get("turn.overall"),
        right=correct(by_name),
        grounded=_yes(by_name, "groundedness.grounded"),
        passages_sufficient=enough,
        contradicts=by_name.get("turn.correctness", 1.0) <= 0.4 + ROUNDING,
    )


def _yes(values: Mapping[str, float], name: str) -> bool | None:
    return values[name] >= 0.5 if name in values else None


def _facts(turn: FailedTurn, transcripts: Transcripts) -> TurnFacts:
    """The facts from scores and texts; whether the passages are known is not among them."""
    judged_turn, expected, right = turn.judged, turn.expected, turn.verdict.right
    asked = ASKED.get(judged_turn.decision)
    by_words: list[JudgedFact] = ["correct"] if right is None else []
    invalid = transcripts.invalid(judged_turn)
    if not invalid and not transcripts.user_judged(judged_turn) and turn.conversation.persona_id:
        invalid = transcripts.at_fault(turn.place, expected.scenario.intent, expected.scenario.facts)
        if invalid:
            by_words.append("user")
    return TurnFacts(
        kind=turn.conversation.kind,
        needs_asking=expected.scenario.needs_asking,
        has_reference=bool(expected.reference),
        first=judged_turn.number == 1,
        asked=asked,
        asked_before=transcripts.asked_before(judged_turn),
        answered=_answered(judged_turn, asked, transcripts),
        invalid=invalid,
        correct=right,
        passages_sufficient=turn.verdict.passages_sufficient,
        grounded=turn.verdict.grounded,
        query_dropped_intent=right is not True and not asked and _query_drops_intent(turn, transcripts),
        in_documents=expected.in_documents,
        query_known=bool(transcripts.query(judged_turn.turn)),
        empty=not asked and not transcripts.reply(judged_turn.turn).strip(),
        matches_reference=right
        if asked or right is True
        else reference_lookup.answer_says(expected.reference, transcripts.reply(judged_turn.turn)),
        contradicts=turn.verdict.contradicts,
        by_words=frozenset(by_words),
    )


def _answered(judged_turn: JudgedTurn, asked: bool | None, transcripts: Transcripts) -> bool | None:
    """Whether the bot answered; if it does not say, by whether its reply opens with a refusal."""
    if asked:
        return None
    if not transcripts.reply(judged_turn.turn).strip():
        return False
    if judged_turn.answered is not None:
        return judged_turn.answered
    return not reference_lookup.opens_with_refusal(transcripts.reply(judged_turn.turn))


def _query_drops_intent(turn: FailedTurn, transcripts: Transcripts) -> bool:
    """Whether the query lacks what the user had said of the intent."""
    query, scenario = transcripts.query(turn.judged.turn), turn.expected.scenario
    if not query or turn.judged.number == 1:
        return False
    user_texts = transcripts.user_texts(turn.place)
    return len(user_texts) > 1 and reference_lookup.drops_intent(
        scenario.intent or scenario.question, user_texts, query
    )


def _open(facts: TurnFacts, diagnosis: Diagnosis) -> bool:
    """Whether the cause may change once it is known whether the passages contain the answer."""
    return diagnosis.why not in BEFORE_PASSAGES and not (
        diagnosis.why in RIGHT_ANSWER_RULES and facts.answered is not False
    )


def _diagnosed(
    turn: FailedTurn, record: TurnRecord, transcripts: Transcripts, documents: Documents
) -> tuple[TurnFacts, Diagnosis]:
    """The facts and the cause; where no judge scored, by words."""
    facts = _facts(turn, transcripts)._replace(passages_known=record.known)
    diagnosis = cached_diagnosis(facts)
    if facts.passages_sufficient is None and record.known and _open(facts, diagnosis):
        enough = _passages_hold(turn.expected, tuple(passage.text for passage in record.passages))
        if enough is not None:
            facts = facts._replace(passages_sufficient=enough, by_words=facts.by_words | {"passages_sufficient"})
            diagnosis = cached_diagnosis(facts)
    if diagnosis.why in MISSED_RULES and record.known and _other_query_finds(turn, transcripts, documents):
        facts = facts._replace(user_words_find_it=True)
    return facts, cached_diagnosis(facts)


def _passages_hold(expected: Expectation, texts: tuple[str, ...]) -> bool | None:
    """Whether the passages contain the answer, by words; None if there is nothing to look up."""
    lines = [line for line in expected.scenario.evidence.splitlines() if line.strip()]
    holds = reference_lookup.passages_hold_evidence(lines, texts)
    if holds is None and expected.reference:
        holds = reference_lookup.passages_hold(
            expected.reference, expected.scenario.intent or expected.scenario.question, texts
        )
    return holds


def _other_query_finds(turn: FailedTurn, transcripts: Transcripts, documents: Documents) -> bool:
    """Whether the user's own words, or the intent if it was revealed, find what the bot's query did not."""
    query, texts = transcripts.query(turn.judged.turn), list(transcripts.user_texts(turn.place))
    scenario, reference = turn.expected.scenario, turn.expected.reference
    if not reference or not query or [normalize(query)] == [normalize(text) for text in texts]:
        return False
    gold = [" ".join(texts)]
    if scenario.intent and reference_lookup.word_overlap(scenario.intent, " ".join(texts)) >= INTENT_REVEALED_FROM:
        gold.append(scenario.intent)
    return any(documents.better(reference, scenario.intent or scenario.question, text) for text in gold if text.strip())


def _failure(turn: FailedTurn, record: TurnRecord, transcripts: Transcripts, documents: Documents) -> Failure:
    judged_turn, conversation, scenario = turn.judged, turn.conversation, turn.expected.scenario
    facts, diagnosis = _diagnosed(turn, record, transcripts, documents)
    document = turn.expected.document or document_of(record, scenario)
    query, user_texts = transcripts.query(judged_turn.turn), transcripts.user_texts(turn.place)
    is_rewrite = diagnosis.cause == "rewrite"
    return Failure(
        turn=judged_turn.turn,
        conversation=conversation.id,
        number=conversation.number,
        turn_number=judged_turn.number,
        scenario=scenario.id,
        question=scenario.question or user_texts[-1],
        kind=conversation.kind,
        persona=conversation.persona_id,
        persona_name=conversation.persona_name,
        score=turn.verdict.score or 0.0,
        overall=turn.verdict.overall,
        document="" if diagnosis.why == "not_in_documents" else document,
        diagnosis=diagnosis,
        facts=facts,
        reference=scenario.reference or " ".join(scenario.evidence.split()),
        query=query,
        dropped_words=reference_lookup.dropped_words(user_texts, query)[:MAX_DROPPED_WORDS] if is_rewrite else (),
    )
