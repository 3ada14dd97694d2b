"""Plans put into words: the question as a person asks it, and the answer; by a model, or by templates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, Prompt, usable_reply
from core.base.types import Kind, Language
from core.datasets.items import Item, SourceSentence
from core.datasets.seed_document.configurations import split_number
from core.datasets.seed_document.question_plans import QuestionPlan, is_named
from core.datasets.seed_document.schema import Schema, SchemaField
from core.datasets.seed_document.written_documents import Fact

TRIES = 2


class QuestionAndAnswer(FrozenModel):
    """A question and its answer."""

    question: str
    answer: str


class WordItem(Prompt[QuestionAndAnswer]):
    """The question that a plan is for, as a customer asks it, and its answer; nothing but the facts may be used.

    facts: (document's subject, field, value, sentence); worked_out: what follows from them; by_rules: question and
    answer by templates; faults: what was wrong with an earlier reply.
    """

    file = "word_item"
    role = "user"
    kind: Kind
    facts: tuple[tuple[str, str, str, str], ...]
    worked_out: str = ""
    subject: str
    asked: tuple[str, ...]
    by_rules: QuestionAndAnswer
    faults: tuple[str, ...] = ()

    def without_model(self) -> QuestionAndAnswer:
        """The templates' words."""
        return self.by_rules


def item_of(engine: Engine, schema: Schema, plan: QuestionPlan, inputs: str) -> Item:
    """The item of a plan; a model is asked again if its words break a check, then the templates' words are taken."""
    by_rules = worded_by_rules(schema, plan)
    words, faults = by_rules, tuple[str, ...]()
    for attempt in range(TRIES):
        prompt = WordItem(
            kind=plan.kind,
            facts=tuple((fact.subject, fact.field, fact.value, fact.sentence) for fact in plan.facts),
            worked_out=explanation(schema, plan),
            subject=(" / " if schema.language == "en" else "、").join(subjects_of(plan)),
            asked=plan.asked,
            by_rules=by_rules,
            faults=faults,
            language=schema.language,
            seed=attempt,
        )
        reply = usable_reply(engine, prompt)
        if reply is None:
            continue
        words, faults = reply, why_unusable(plan, reply)
        if not faults:
            break
    else:
        words = by_rules if faults else words
    evidence = tuple(
        SourceSentence(document=document, text=text)
        for document, text in dict.fromkeys((fact.document, fact.sentence) for fact in plan.facts)
    )
    documents = tuple(dict.fromkeys([fact.document for fact in plan.facts] or [plan.document]))
    return Item(
        id=plan.id,
        kind=plan.kind,
        question=words.question.strip(),
        answer=words.answer.strip(),
        evidence=evidence,
        documents=documents,
        fields=plan.asked,
        needs_asking=False,
        inputs=inputs,
    )


def why_unusable(plan: QuestionPlan, reply: QuestionAndAnswer) -> tuple[str, ...]:
    """What is wrong with a model's words: an empty text, a value of the answer in the question or missing in the
    answer, a figure that no fact has."""
    faults: list[str] = []
    if not reply.question.strip() or not reply.answer.strip():
        faults.append("empty")
    asked = [fact for fact in plan.facts if fact.field in plan.asked]
    for fact in asked if plan.kind != "summary" else ():
        if fact.value in reply.question:
            faults.append(f"the question tells {fact.value}")
        if fact.value not in reply.answer and plan.kind not in ("sequence",):
            faults.append(f"the answer lacks {fact.value}")
    known = " ".join(
        [plan.result, plan.subject, *(f"{fact.subject} {fact.value} {fact.sentence}" for fact in plan.facts)]
    )
    return (*faults, *(f"no fact has {figure}" for figure in unsupported_figures(reply.answer, known)))


def unsupported_figures(text: str, known: str) -> list[str]:
    """The figures of a text that a known text lacks."""
    return [figure for figure in re.findall(r"\d[\d,.]*\d|\d", text) if figure not in known]


def subjects_of(plan: QuestionPlan) -> tuple[str, ...]:
    """What the documents of a plan are about, each once."""
    return tuple(dict.fromkeys((plan.subject, *(fact.subject for fact in plan.facts))))


def explanation(schema: Schema, plan: QuestionPlan) -> str:
    """What follows from the facts, in words that a model needs no example for; for a summary, the heading that it is of."""
    result, japanese = worked_out(schema, plan), schema.language == "ja"
    if plan.kind == "sequence":
        return f"早いのは{result}" if japanese else f"the earlier one is {result}"
    if plan.kind == "comparison":
        larger, gap = result.split(": +")
        return f"大きいのは{larger}、差は{gap}" if japanese else f"the larger one is that of {larger}, by {gap}"
    if plan.kind == "summary" and result:
        return f"「{result}」の節のまとめ" if japanese else f'a summary of the section "{result}"'
    return result


def worked_out(schema: Schema, plan: QuestionPlan) -> str:
    """What follows from the facts, as a person reads it."""
    if plan.kind == "comparison":
        larger, gap = plan.result.split("\t")
        return f"{larger}: +{_with_unit(gap, schema.field(plan.asked[0]))}"
    if plan.kind == "multi_hop" and plan.result:
        return f"{plan.result}日" if schema.language == "ja" else f"{plan.result} days"
    return plan.result


def worded_by_rules(schema: Schema, plan: QuestionPlan) -> QuestionAndAnswer:
    """Question and answer by templates."""
    return _japanese(schema, plan) if schema.language == "ja" else _english(schema, plan)


def asks(field: SchemaField, facts: Sequence[Fact]) -> str:
    """The question for a field, with the values of other fields in it."""
    values = {fact.field: fact.value for fact in facts}
    return re.sub(r"\{([^{}]+)\}", lambda found: values.get(found[1], found[1]), field.asks).rstrip("?？ ")


def states(field: SchemaField, fact: Fact, language: Language, with_subject: bool = True) -> str:
    """A fact as a short statement; of: with whose it is."""
    if not is_named(field):
        owner = (f"{fact.subject}: " if language == "en" else f"{fact.subject}では、") if with_subject else ""
        return f"{owner}{fact.sentence.rstrip('。.')}"
    if language == "ja":
        return f"{fact.subject}の{field.name}は{fact.value}" if with_subject else f"{field.name}は{fact.value}"
    name = small(field.name)
    return f"The {name} of {fact.subject} is {fact.value}" if with_subject else f"The {name} is {fact.value}"


def _japanese(schema: Schema, plan: QuestionPlan) -> QuestionAndAnswer:
    fields = [schema.field(name) for name in plan.asked]
    facts, subject = plan.facts, plan.subject
    match plan.kind:
        case "factual":
            return QuestionAndAnswer(
                question=_ask_ja(subject, fields[0], facts), answer=f"{states(fields[0], facts[0], 'ja', False)}です。"
            )
        case "unanswerable":
            return QuestionAndAnswer(question=_ask_ja(subject, fields[0], ()), answer="資料には書かれていません。")
        case "multi_hop" if plan.result:
            question = f"{subject}では、{fields[0].name}から{fields[1].name}まで何日ありますか?"
            answer = f"{fields[0].name}が{facts[0].value}、{fields[1].name}が{facts[1].value}なので、{plan.result}日あります。"
            return QuestionAndAnswer(question=question, answer=answer)
        case "multi_hop":
            question = f"{facts[0].field}が{facts[0].value}の会社では、{asks(fields[0], facts)}?"
            answer = f"{facts[0].field}が{facts[0].value}なのは{subject}です。{states(fields[0], facts[-1], 'ja', False)}です。"
            return QuestionAndAnswer(question=question, answer=answer)
        case "summary":
            about = f"「{plan.result}」" if plan.result else "全体"
            return QuestionAndAnswer(
                question=f"{subject}の{about}の決まりについて、要点をまとめて教えてください。",
                answer="".join(_ended(text) for text in dict.fromkeys(fact.sentence for fact in facts)),
            )
        case "integration":
            other_subject = facts[2].subject
            first, second = fields[0].name, fields[1].name
            return QuestionAndAnswer(
                question=f"{subject}と{other_subject}について、{first}と{second}をそれぞれ教えてください。",
                answer=f"{subject}は、{first}が{facts[0].value}、{second}が{facts[1].value}です。"
                f"{other_subject}は、{first}が{facts[2].value}、{second}が{facts[3].value}です。",
            )
        case "comparison":
            larger, gap = plan.result.split("\t")
            word = _larger_ja(fields[0])
            amount = _with_unit(gap, fields[0])
            return QuestionAndAnswer(
                question=f"{subject}と{facts[1].subject}では、{fields[0].name}はどちらがどれだけ{word}ですか?",
                answer=f"{larger}のほうが{amount}{word}です。{subject}は{facts[0].value}、{facts[1].subject}は{facts[1].value}です。",
            )
        case _:
            return QuestionAndAnswer(
                question=f"{subject}と{facts[1].subject}では、{fields[0].name}が早いのはどちらですか?",
                answer=f"{plan.result}です。{subject}は{facts[0].value}、{facts[1].subject}は{facts[1].value}です。",
            )


def _larger_ja(field: SchemaField) -> str:
    if field.type == "money":
        return "高い"
    if re.fullmatch(r"営業日|日|か月|ヶ月|カ月|週間|時間|分|年", field.unit):
        return "長い"
    return "多い" if re.fullmatch(r"回|名|人|台|枚|個|件", field.unit) else "大きい"


def _ask_ja(subject: str, field: SchemaField, facts: Sequence[Fact]) -> str:
    text = asks(field, facts)
    ways = ("{0}では、{1}?", "{0}の社員です。{1}?", "{0}のことで教えてください。{1}?")
    if text.startswith(field.name) and len(field.name) < 10 and "、" not in text:
        return f"{subject}の{text}?"
    return ways[(len(subject) + len(text)) % len(ways)].format(subject, text)


def _ended(text: str) -> str:
    plain = text.lstrip("-*+・| ").rstrip("| ")
    return plain if plain.endswith(("。", ".")) else f"{plain}。"


def _english(schema: Schema, plan: QuestionPlan) -> QuestionAndAnswer:
    fields = [schema.field(name) for name in plan.asked]
    facts, subject = plan.facts, plan.subject
    names = [small(field.name) for field in fields]
    match plan.kind:
        case "factual":
            answer = f"{states(fields[0], facts[0], 'en', False)}."
            return QuestionAndAnswer(question=_ask_en(subject, fields[0], facts), answer=answer)
        case "unanswerable":
            return QuestionAndAnswer(question=_ask_en(subject, fields[0], ()), answer="The documents do not say.")
        case "multi_hop" if plan.result:
            return QuestionAndAnswer(
                question=f"How many days lie between the {names[0]} and the {names[1]} at {subject}?",
                answer=f"{plan.result} days: the {names[0]} is {facts[0].value}, the {names[1]} is {facts[1].value}.",
            )
        case "multi_hop":
            key = f"{small(facts[0].field)} is {facts[0].value}"
            return QuestionAndAnswer(
                question=f"At the company whose {key}, {asks(fields[0], facts)}?",
                answer=f"The company whose {key} is {subject}. {states(fields[0], facts[-1], 'en', False)}.",
            )
        case "summary":
            about = f'on "{plan.result}"' if plan.result else ""
            return QuestionAndAnswer(
                question=f"Could you sum up for me what {subject} says {about}?".replace("  ", " "),
                answer=" ".join(_ended(text) for text in dict.fromkeys(fact.sentence for fact in facts)),
            )
        case "integration":
            other_subject = facts[2].subject
            return QuestionAndAnswer(
                question=f"What are the {names[0]} and the {names[1]} at {subject} and at {other_subject}?",
                answer=f"At {subject}, the {names[0]} is {facts[0].value} and the {names[1]} is {facts[1].value}. "
                f"At {other_subject}, the {names[0]} is {facts[2].value} and the {names[1]} is {facts[3].value}.",
            )
        case "comparison":
            larger, gap = plan.result.split("\t")
            amount = _with_unit(gap, fields[0])
            return QuestionAndAnswer(
                question=f"Which is larger, the {names[0]} at {subject} or at {facts[1].subject}, and by how much?",
                answer=f"That of {larger}, by {amount}: {facts[0].value} at {subject}, {facts[1].value} at {facts[1].subject}.",
            )
        case _:
            return QuestionAndAnswer(
                question=f"Which has the earlier {names[0]}, {subject} or {facts[1].subject}?",
                answer=f"{plan.result}: {facts[0].value} at {subject}, {facts[1].value} at {facts[1].subject}.",
            )


def _ask_en(subject: str, field: SchemaField, facts: Sequence[Fact]) -> str:
    return f"At {subject}, {asks(field, facts)}?"


def _with_unit(gap: str, field: SchemaField) -> str:
    before, _, after = split_number(field.example)
    return f"{before}{gap}{after}"


def small(name: str) -> str:
    """A field's name within a sentence."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]
