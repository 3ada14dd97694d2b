"""Brings answers in line with their evidence, and finds the keypoints of an answer with their sentences."""

from __future__ import annotations

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, PromptByRules, usable_reply
from core.datasets.items import Item, Keypoint, SourceSentence
from core.datasets.seed_document.question_plans import QuestionPlan
from core.datasets.seed_document.schema import Schema
from core.datasets.seed_document.wording import explanation, states, unsupported_figures
from core.text.language import content_words, sentences

MAX_KEYPOINTS = 5


class AnswerChange(FrozenModel):
    """An answer before and after it was brought in line with its evidence."""

    id: str
    before: str
    after: str
    added: tuple[str, ...] = ()  # what the evidence says and the answer lacked
    removed: tuple[str, ...] = ()  # what no evidence supports


class KeypointsOf(FrozenModel):
    """The keypoints of one item."""

    id: str
    keypoints: tuple[Keypoint, ...]


class RefinedAnswer(FrozenModel):
    """The better answer."""

    added: tuple[str, ...] = Field(description="What the references say and the answer lacked; may be empty.")
    removed: tuple[str, ...] = Field(description="What the answer said and no reference supports; may be empty.")
    answer: str


class RefineAnswer(PromptByRules[RefinedAnswer]):
    """Brings an answer in line with its evidence.

    The rules add sentences of the evidence with words that the answer lacks, and remove figures without support.
    """

    file = "refine_answer"
    role = "user"
    question: str
    answer: str
    evidence: tuple[tuple[str, str], ...]  # (subject of the document, text)
    worked_out: str = ""  # what follows from the evidence, which an answer may say


class KeypointTexts(FrozenModel):
    """The keypoints, in the order of the answer."""

    keypoints: tuple[str, ...]


class ExtractKeypoints(PromptByRules[KeypointTexts]):
    """The three to five statements of a complete answer, fewer for an answer of one fact.

    The rules write one for each fact that the answer is based on, and one for what follows from them.
    """

    file = "extract_keypoints"
    role = "user"
    question: str
    answer: str
    facts: tuple[str, ...]


def refine(engine: Engine, schema: Schema, plan: QuestionPlan, item: Item) -> AnswerChange:
    """The item's answer brought in line with its evidence."""
    if not item.evidence:
        return AnswerChange(id=item.id, before=item.answer, after=item.answer)
    by_rules = refined_by_rules(plan, item)
    prompt = RefineAnswer(
        question=item.question,
        answer=item.answer,
        evidence=tuple((_owner(plan, source), source.text) for source in item.evidence),
        worked_out=explanation(schema, plan),
        by_rules=by_rules,
        language=schema.language,
    )
    refined = usable_reply(engine, prompt) or by_rules
    if not refined.answer.strip() or _unsupported(refined.answer, plan, item):
        refined = by_rules
    changed = {"added": refined.added, "removed": refined.removed}
    return AnswerChange(id=item.id, before=item.answer, after=refined.answer.strip(), **changed)


def _owner(plan: QuestionPlan, source: SourceSentence) -> str:
    return next((fact.subject for fact in plan.facts if fact.document == source.document), plan.subject)


def refined_by_rules(plan: QuestionPlan, item: Item) -> RefinedAnswer:
    """The answer, without sentences whose figures nothing supports, and with the sentences whose words it lacks."""
    parts = sentences(item.answer)
    removed = [part.strip() for part in parts if _unsupported(part, plan, item)]
    remaining = [part for part in parts if not _unsupported(part, plan, item)]
    added: list[str] = []
    if plan.kind in ("factual", "multi_hop") and not plan.result:
        fact = plan.facts[-1]
        said = set(content_words(f"{''.join(remaining)} {item.question}"))
        lacks = any(word not in said and not word.isdigit() for word in content_words(fact.sentence))
        if lacks and not fact.sentence.lstrip().startswith(("-", "|", "*", "+", "・")):
            remaining = [*remaining[:-1], fact.sentence]  # in place of the last sentence, which says less
            added.append(fact.sentence)
    return RefinedAnswer(added=tuple(added), removed=tuple(removed), answer="".join(remaining).strip())


def _unsupported(text: str, plan: QuestionPlan, item: Item) -> list[str]:
    """The figures of a text that neither the evidence, the question nor what was worked out has."""
    known = " ".join([plan.result, plan.subject, item.question, *(source.text for source in item.evidence)])
    known += " ".join(f"{fact.subject} {fact.value}" for fact in plan.facts)
    return unsupported_figures(text, known)


def keypoints(engine: Engine, schema: Schema, plan: QuestionPlan, item: Item) -> KeypointsOf:
    """The item's keypoints, each traced to the field and sentence whose value it has."""
    by_rules = keypoints_by_rules(schema, plan, item)
    prompt = ExtractKeypoints(
        question=item.question,
        answer=item.answer,
        facts=tuple(f"{fact.subject} / {fact.field}: {fact.value}" for fact in plan.facts),
        by_rules=KeypointTexts(keypoints=tuple(point.text for point in by_rules)),
        language=schema.language,
    )
    reply = usable_reply(engine, prompt)
    texts = reply.keypoints[:MAX_KEYPOINTS] if reply else ()
    traced = {point.text: point for point in by_rules}
    points = tuple(traced.get(text) or _trace(text.strip(), plan) for text in texts if text.strip())
    return KeypointsOf(id=item.id, keypoints=points or by_rules)


def keypoints_by_rules(schema: Schema, plan: QuestionPlan, item: Item) -> tuple[Keypoint, ...]:
    """One for each fact, and one for what follows from them."""
    if plan.kind == "unanswerable":
        return (Keypoint(text=item.answer, field=plan.missing),)
    with_subject = plan.kind in ("integration", "comparison", "sequence", "multi_hop")
    by_text: dict[str, Keypoint] = {}
    for fact in plan.facts:
        if fact.field == schema.identity:
            continue
        text = states(schema.field(fact.field), fact, schema.language, with_subject)
        by_text.setdefault(text, Keypoint(text=text, field=fact.field, sentence=fact.sentence))
    points = list(by_text.values())[:MAX_KEYPOINTS]
    if plan.result and plan.kind != "summary":
        points.append(Keypoint(text=_result(schema, plan, item), field=plan.asked[0], sentence=plan.facts[0].sentence))
    return tuple(points[:MAX_KEYPOINTS])


def _result(schema: Schema, plan: QuestionPlan, item: Item) -> str:
    """What follows from the facts: the sentence of the answer that says it."""
    if plan.kind == "sequence":
        name, earlier = schema.field(plan.asked[0]).name, plan.result
        return f"{name}が早いのは{earlier}" if schema.language == "ja" else f"The earlier {name} is that of {earlier}"
    mark = plan.result.split("\t")[0]
    first = next((part.strip() for part in sentences(item.answer) if mark in part), "")
    return (first or explanation(schema, plan)).rstrip("。.")


def _trace(text: str, plan: QuestionPlan) -> Keypoint:
    """A model's keypoint with the fact whose value it has, else the one that shares most words."""
    words = set(content_words(text))
    best = max(
        plan.facts,
        key=lambda fact: (fact.value in text, fact.subject in text, len(words & set(content_words(fact.sentence)))),
        default=None,
    )
    return Keypoint(text=text, field=best.field if best else plan.missing, sentence=best.sentence if best else "")
