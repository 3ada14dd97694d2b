"""Plans put into words: the question as a person asks it, and the answer; by a model, or by templates."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, PromptByRules, usable_reply
from core.base.types import Language, ScenarioKind
from core.datasets.items import Item, SourceSentence
from core.datasets.seed_document.configurations import split_number
from core.datasets.seed_document.question_plans import QuestionPlan, is_named
from core.datasets.seed_document.schema import Schema, SchemaField, small
from core.datasets.seed_document.written_documents import DocumentFact
from core.text.language import join_sentences


class Template(NamedTuple):
    """The texts of a kind of plan, with slots in braces.

    | slot | filled with |
    |---|---|
    | subject, other | the subjects of the documents |
    | first, second | the names of the fields asked for |
    | a, b, c, d | the values of the facts |
    | key | the field that identifies a document |
    | ask | the question for the first field |
    | statement | the fact that answers |
    | points | the sentences of a summary |
    | result | what is computed from the facts |
    | larger, gap, larger_word | the result of a comparison |
    """

    question: str
    answer: str
    follows: str = ""  # what follows from the facts, for the prompt


TEMPLATES: dict[Language, dict[str, Template]] = {
    "ja": {
        "factual": Template("{ask}?", "{statement}です。"),
        "unanswerable": Template("{ask}?", "資料には書かれていません。"),
        "days_between": Template("{subject}では、{first}から{second}まで何日ありますか?", "{first}が{a}、{second}が{b}なので、{result}日あります。", "{result}日"),
        "multi_hop": Template("{key}が{a}の会社では、{ask}?", "{key}が{a}なのは{subject}です。{statement}です。"),
        "summary": Template("{subject}の全体の決まりについて、要点をまとめて教えてください。", "{points}"),
        "section_summary": Template("{subject}の「{result}」の決まりについて、要点をまとめて教えてください。", "{points}", "「{result}」の節のまとめ"),
        "integration": Template("{subject}と{other}について、{first}と{second}をそれぞれ教えてください。", "{subject}は、{first}が{a}、{second}が{b}です。{other}は、{first}が{c}、{second}が{d}です。"),
        "comparison": Template("{subject}と{other}では、{first}はどちらがどれだけ{larger_word}ですか?", "{larger}のほうが{gap}{larger_word}です。{subject}は{a}、{other}は{b}です。", "大きいのは{larger}、差は{gap}"),
        "sequence": Template("{subject}と{other}では、{first}が早いのはどちらですか?", "{result}です。{subject}は{a}、{other}は{b}です。", "早いのは{result}"),
    },
    "en": {
        "factual": Template("{ask}?", "{statement}."),
        "unanswerable": Template("{ask}?", "The documents do not say."),
        "days_between": Template("How many days lie between the {first} and the {second} at {subject}?", "{result} days: the {first} is {a}, the {second} is {b}.", "{result} days"),
        "multi_hop": Template("At the company whose {key} is {a}, {ask}?", "The company whose {key} is {a} is {subject}. {statement}."),
        "summary": Template("Could you sum up for me what {subject} says?", "{points}"),
        "section_summary": Template('Could you sum up for me what {subject} says on "{result}"?', "{points}", 'a summary of the section "{result}"'),
        "integration": Template("What are the {first} and the {second} at {subject} and at {other}?", "At {subject}, the {first} is {a} and the {second} is {b}. At {other}, the {first} is {c} and the {second} is {d}."),
        "comparison": Template("Which is larger, the {first} at {subject} or at {other}, and by how much?", "That of {larger}, by {gap}: {a} at {subject}, {b} at {other}.", "the larger one is that of {larger}, by {gap}"),
        "sequence": Template("Which has the earlier {first}, {subject} or {other}?", "{result}: {a} at {subject}, {b} at {other}.", "the earlier one is {result}"),
    },
}  # fmt: skip


MAX_TRIES = 2


class QuestionAndAnswer(FrozenModel):
    """A question and its answer."""

    question: str
    answer: str


class WordItem(PromptByRules[QuestionAndAnswer]):
    """Writes the question of a plan as a customer asks it, and its answer, from nothing but the facts."""

    file = "word_item"
    role = "user"
    kind: ScenarioKind
    facts: tuple[tuple[str, str, str, str], ...]  # (subject of the document, field, value, sentence)
    worked_out: str = ""  # what follows from the facts
    subject: str
    asked: tuple[str, ...]
    faults: tuple[str, ...] = ()  # of an earlier reply


def item_of(engine: Engine, schema: Schema, plan: QuestionPlan, input_hash: str) -> Item:
    """The item of a plan; a model gets a second try if its words fail a check, then the templates' words are used."""
    by_rules = worded_by_rules(schema, plan)
    words, faults = by_rules, tuple[str, ...]()
    subjects = dict.fromkeys((plan.subject, *(fact.subject for fact in plan.facts)))
    for attempt in range(MAX_TRIES):
        prompt = WordItem(
            kind=plan.kind,
            facts=tuple((fact.subject, fact.field, fact.value, fact.sentence) for fact in plan.facts),
            worked_out=explanation(schema, plan),
            subject=(" / " if schema.language == "en" else "、").join(subjects),
            asked=plan.asked,
            by_rules=by_rules,
            faults=faults,
            language=schema.language,
            seed=attempt,
        )
        reply = usable_reply(engine, prompt)
        faults = why_unusable(plan, reply) if reply else faults
        if reply and not faults:
            words = reply
            break
    sources = dict.fromkeys((fact.document, fact.sentence) for fact in plan.facts)
    documents = tuple(dict.fromkeys([fact.document for fact in plan.facts] or [plan.document]))
    return Item(
        id=plan.id,
        kind=plan.kind,
        question=words.question.strip(),
        answer=words.answer.strip(),
        evidence=tuple(SourceSentence(document=document, text=text) for document, text in sources),
        documents=documents,
        fields=plan.asked,
        needs_asking=False,
        inputs=input_hash,
    )


def why_unusable(plan: QuestionPlan, reply: QuestionAndAnswer) -> tuple[str, ...]:
    """What is wrong with a model's words: no text, a figure without a fact, a value that the question tells or the answer
    lacks."""
    faults = [] if reply.question.strip() and reply.answer.strip() else ["empty"]
    asked = [fact for fact in plan.facts if fact.field in plan.asked]
    for fact in asked if plan.kind != "summary" else ():
        if fact.value in reply.question:
            faults.append(f"the question tells {fact.value}")
        if fact.value not in reply.answer and plan.kind != "sequence":
            faults.append(f"the answer lacks {fact.value}")
    facts = (f"{fact.subject} {fact.value} {fact.sentence}" for fact in plan.facts)
    known = " ".join((plan.result, plan.subject, *facts))
    return (*faults, *(f"no fact has {figure}" for figure in unsupported_figures(reply.answer, known)))


def unsupported_figures(text: str, known: str) -> list[str]:
    """The figures of a text that a known text lacks."""
    return [figure for figure in re.findall(r"\d[\d,.]*\d|\d", text) if figure not in known]


def explanation(schema: Schema, plan: QuestionPlan) -> str:
    """What follows from the facts, in words for the prompt; for a summary, the heading of its section."""
    return _template(schema, plan).follows.format_map(_slots(schema, plan))


def worded_by_rules(schema: Schema, plan: QuestionPlan) -> QuestionAndAnswer:
    """Question and answer by templates."""
    template, slots = _template(schema, plan), _slots(schema, plan)
    return QuestionAndAnswer(question=template.question.format_map(slots), answer=template.answer.format_map(slots))


def _template(schema: Schema, plan: QuestionPlan) -> Template:
    with_result = {"multi_hop": "days_between", "summary": "section_summary"} if plan.result else {}
    return TEMPLATES[schema.language][with_result.get(plan.kind, plan.kind)]


def _slots(schema: Schema, plan: QuestionPlan) -> dict[str, str]:
    """What the templates need of a plan."""
    language, field = schema.language, schema.field(plan.asked[0])
    names = [small(name) if language == "en" else name for name in plan.asked]
    larger, _, gap = plan.result.partition("\t")
    before, _, after = split_number(field.example)
    slots = {
        "subject": plan.subject,
        "first": names[0],
        "second": names[-1],
        "ask": _ask(plan, field, language),
        "points": _points(plan, language),
        "result": plan.result,
        "larger": larger,
        "gap": f"{before}{gap}{after}",
        "larger_word": _larger_ja(field),
        **dict(zip("abcd", (fact.value for fact in plan.facts), strict=False)),
    }
    if plan.facts:
        slots["other"], key = plan.facts[-1].subject, plan.facts[0].field
        slots["key"] = small(key) if language == "en" else key
        slots["statement"] = states(field, plan.facts[-1], language, with_subject=False)
    return slots


def _ask(plan: QuestionPlan, field: SchemaField, language: Language) -> str:
    """The question for a field, and whose it is unless another fact tells that."""
    values = {fact.field: fact.value for fact in plan.facts}
    text = re.sub(r"\{([^{}]+)\}", lambda found: values.get(found[1], found[1]), field.asks).rstrip("?？ ")
    if plan.kind == "multi_hop":
        return text
    if language == "en":
        return f"At {plan.subject}, {text}"
    if text.startswith(field.name) and len(field.name) < 10 and "、" not in text:
        return f"{plan.subject}の{text}"
    ways = ("{0}では、{1}", "{0}の社員です。{1}", "{0}のことで教えてください。{1}")
    return ways[(len(plan.subject) + len(text)) % len(ways)].format(plan.subject, text)


def _points(plan: QuestionPlan, language: Language) -> str:
    """The sentences and lines that a summary puts together."""
    end = "。" if language == "ja" else "."
    plain = [text.lstrip("-*+・| ").rstrip("| ") for text in dict.fromkeys(fact.sentence for fact in plan.facts)]
    return join_sentences((text if text.endswith(("。", ".")) else f"{text}{end}" for text in plain), language)


def states(field: SchemaField, fact: DocumentFact, language: Language, with_subject: bool = True) -> str:
    """A fact as a short statement; with_subject: with whose it is."""
    if not is_named(field):
        owner = (f"{fact.subject}: " if language == "en" else f"{fact.subject}では、") if with_subject else ""
        return f"{owner}{fact.sentence.rstrip('。.')}"
    if language == "ja":
        return f"{fact.subject}の{field.name}は{fact.value}" if with_subject else f"{field.name}は{fact.value}"
    name = small(field.name)
    return f"The {name} of {fact.subject} is {fact.value}" if with_subject else f"The {name} is {fact.value}"


def _larger_ja(field: SchemaField) -> str:
    if field.type == "money":
        return "高い"
    if re.fullmatch(r"営業日|日|か月|ヶ月|カ月|週間|時間|分|年", field.unit):
        return "長い"
    return "多い" if re.fullmatch(r"回|名|人|台|枚|個|件", field.unit) else "大きい"
