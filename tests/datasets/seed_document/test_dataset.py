"""Test sets from seed documents: what each step makes, what a change makes stale, going on after a stop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import BadInput, Stopped
from core.base.prompt import Engine, Prompt
from core.datasets.items import KINDS
from core.datasets.seed_document.configurations import Configuration, broken_rules
from core.datasets.seed_document.dataset import Dataset, Manifest, Record, changes, copy
from core.datasets.seed_document.found_values import dates_of, values_of
from core.datasets.seed_document.propose_schema import field_of_example, schema_by_rules
from core.datasets.seed_document.review import decide, review_decisions, usable_items
from core.datasets.seed_document.schema import Rule, Schema, SchemaField, warnings
from core.datasets.seed_document.steps import Task, run_steps, stale_ids, states
from core.datasets.seed_document.wording import QuestionAndAnswer, WordItem
from core.datasets.seed_document.written_documents import WriteDocument, says, sentence_with, states_value
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine

SEEDS = Path("core/datasets/examples")


def seed_document(language: str) -> Document:
    file = next((SEEDS / language).glob("*.md"))
    return Document(file.name, file.read_text("utf-8"))


def new_dataset(folder: Path, language: str = "ja", documents: int = 4) -> Dataset:
    manifest = Manifest.model_validate({"name": "x", "language": language, "seed": 1, "documents": documents})
    return Dataset.create(folder, manifest, seed_document(language))


def whole(folder: Path, language: str = "ja", engine: Any = None) -> Dataset:
    dataset = new_dataset(folder, language)
    run_steps(engine or EmbeddedEngine(), dataset, "schema")
    dataset.approve("Aya")
    run_steps(engine or EmbeddedEngine(), dataset)
    return dataset


@pytest.fixture(scope="module", params=["ja", "en"])
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return whole(tmp_path_factory.mktemp("set") / "one", request.param)


def test_values_are_found_with_their_types_and_units() -> None:
    text = "- 開始日: 2025年4月1日\n\n## 費用\n参加費は、1回2,500円です。定員は12名です。\n"
    found = [(value.text, value.type, value.unit, value.section) for value in values_of(text, "ja")]
    assert found == [
        ("2025年4月1日", "date", "", ""),
        ("2,500円", "money", "円", "費用"),
        ("12名", "number", "名", "費用"),
    ]


def test_sums_and_orders_of_the_seed_become_rules() -> None:
    schema = schema_by_rules(seed_document("en").text, "en")
    kinds = {rule.kind: rule.fields for rule in schema.rules}
    assert kinds["sum"][-1] == "total price of inspection, cleaning and return shipping"
    assert ("Start date", "Revision date", "Next review date") in [rule.fields for rule in schema.rules]


def test_a_broken_rule_is_named() -> None:
    fields = tuple(SchemaField(name=name, meaning="", type="money", example="1円") for name in ("a", "b", "c"))
    schema = Schema(language="ja", fields=fields, rules=(Rule(kind="sum", fields=("a", "b", "c")),))
    assert broken_rules(schema, {"a": "10円", "b": "5円", "c": "15円"}) == []
    assert broken_rules(schema, {"a": "10円", "b": "5円", "c": "16円"}) == ["a + b = c"]


def test_a_reviewer_is_warned() -> None:
    seed = "- 開始日: 2025年4月1日\n- 終了日: 2026年4月1日\n"
    field = SchemaField(
        name="開始日", meaning="始まる日", type="date", example="2025年4月1日", asks="開始日はいつですか", places=(7,)
    )
    twin = field.model_copy(update={"name": "開始する日"})
    lost = SchemaField(name="費用", meaning="", type="money", example="5円")
    found = warnings(Schema(language="ja", fields=(field, twin, lost)), seed, dates_of(seed))
    assert [(one.kind, one.fields, one.text) for one in found] == [
        ("not_in_seed", ("費用",), ""),
        ("same_meaning", ("開始日", "開始する日"), ""),
        ("no_question", ("費用",), ""),
        ("date_without_field", (), "2026年4月1日"),
    ]


def test_all_seven_kinds_with_exact_evidence(dataset: Dataset) -> None:
    items, texts = dataset.items(), {one.name: one.text for one in dataset.documents()}
    assert Counter(item.kind for item in items) == dict.fromkeys(KINDS, 4)
    assert all(source.text in texts[source.document] for item in items for source in item.evidence)


def test_every_value_of_a_configuration_is_in_its_document(dataset: Dataset) -> None:
    schema = dataset.checked_schema()
    for document, configuration in zip(dataset.documents(), dataset.configurations(), strict=True):
        wanted = [field.name for field in schema.fields if field.name != document.left_out]
        assert [name for name in wanted if configuration.values[name] not in document.text] == []
        assert broken_rules(schema, configuration.values) == []


def test_what_is_left_out_is_absent(dataset: Dataset) -> None:
    schema, by_name = dataset.checked_schema(), {one.name: one for one in dataset.documents()}
    absent = [item for item in dataset.items() if item.kind == "unanswerable"]
    assert absent
    assert not [
        one.id for one in absent if says(by_name[one.documents[0]], schema.field(one.fields[0]), schema.language)
    ]


def test_answers_state_only_figures_that_their_evidence_has(dataset: Dataset) -> None:
    for item in dataset.items():
        if item.kind in ("factual", "integration", "summary"):
            known = " ".join([item.question, *(source.text for source in item.evidence)])
            known += " ".join(document.subject for document in dataset.documents())
            assert [part for part in re.findall(r"\d[\d,]*", item.answer) if part.rstrip(",") not in known] == []


def test_keypoints_are_traced(dataset: Dataset) -> None:
    for item in dataset.items():
        assert 1 <= len(item.keypoints) <= 5
        assert all(point.field for point in item.keypoints)
        assert item.kind == "unanswerable" or all(point.sentence for point in item.keypoints)
    assert all(len(item.keypoints) >= 3 for item in dataset.items() if item.kind in ("comparison", "integration"))


def test_later_steps_need_an_approval_of_this_very_schema(tmp_path: Path) -> None:
    dataset = new_dataset(tmp_path / "one")
    run_steps(EmbeddedEngine(), dataset, "schema")
    with pytest.raises(BadInput, match="not approved"):
        run_steps(EmbeddedEngine(), dataset)
    approval = dataset.approve("Aya")
    assert (approval.by, dataset.is_approved()) == ("Aya", True)
    schema = dataset.checked_schema()
    dataset.save_schema(schema.model_copy(update={"fields": schema.fields[:-1]}))
    assert not dataset.is_approved()


def test_a_changed_configuration_makes_its_own_document_and_questions_stale(tmp_path: Path) -> None:
    dataset = whole(tmp_path / "one")
    before = copy(dataset, tmp_path / "two", "two")
    records = dataset.records("configurations")
    first = Configuration.model_validate(records["c001"].made)
    changed = first.model_copy(update={"values": {**first.values, "組織名": "株式会社べっぷ塗装"}})
    record = Record(id="c001", inputs=records["c001"].inputs, made=changed.model_dump(mode="json"))
    dataset.replace("configurations", [record, *(one for key, one in records.items() if key != "c001")])
    assert stale_ids(dataset, "documents") == {"c001"}
    assert {state.step: state.stale for state in states(dataset)}["configurations"] == 0
    made = run_steps(EmbeddedEngine(), dataset)
    touched = changes(before, dataset)
    assert 0 < len(touched) < 16
    assert made < 70
    assert any("べっぷ塗装" in f"{one.after}" for one in touched)
    dataset.undo("configurations")
    assert dataset.configurations()[0] == first


def test_an_edited_document_makes_stale_what_was_asked_about_its_sentences_and_nothing_else(tmp_path: Path) -> None:
    dataset = whole(tmp_path / "one")
    document = dataset.documents()[0]
    asked = {source.text for item in dataset.items() for source in item.evidence}
    fact = next(fact for fact in document.facts if fact.sentence.endswith("。") and fact.sentence in asked)
    dataset.save_document(document.name, document.text.replace(fact.sentence, f"{fact.sentence[:-1]}ということです。"))
    changed = dataset.documents()[0]
    assert not changed.missing
    assert changed.fact(fact.field) != fact
    assert stale_ids(dataset, "documents") == set()
    stale = stale_ids(dataset, "questions")
    about = {
        item.id
        for item in dataset.items()
        if any(source.document == document.name and source.text == fact.sentence for source in item.evidence)
    }
    assert about
    assert about <= stale
    assert all(document.name in item.documents for item in dataset.items() if item.id in stale)
    run_steps(EmbeddedEngine(), dataset)
    texts = {one.name: one.text for one in dataset.documents()}
    assert texts[document.name] == changed.text
    assert (dataset.folder / "documents" / document.name).read_text("utf-8") == changed.text
    assert all(source.text in texts[source.document] for item in dataset.items() for source in item.evidence)
    assert not any(state.stale for state in states(dataset))


def test_a_document_without_a_value_says_so_and_an_empty_one_is_refused(tmp_path: Path) -> None:
    dataset = whole(tmp_path / "one")
    document = dataset.documents()[0]
    fact = document.facts[-1]
    edited = dataset.save_document(document.name, document.text.replace(fact.value, "…"))
    assert fact.field in edited.missing
    assert dataset.can_undo("documents")
    dataset.undo("documents")
    assert dataset.documents()[0] == document
    with pytest.raises(BadInput, match="empty"):
        dataset.save_document(document.name, " ")


def test_after_a_stop_it_goes_on_and_makes_nothing_twice(tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done >= 20:
            raise Stopped("It was stopped.", "stopped")

    dataset = new_dataset(tmp_path / "one")
    run_steps(EmbeddedEngine(), dataset, "schema")
    dataset.approve("Aya")
    with pytest.raises(Stopped):
        run_steps(EmbeddedEngine(), dataset, report_progress=stop)
    with (tmp_path / "one" / "questions.jsonl").open("a") as cut:
        cut.write('{"id": "factual-0')
    rest = run_steps(EmbeddedEngine(), dataset)
    one = whole(tmp_path / "two")
    assert dataset.items() == one.items()
    assert rest + 20 == sum(state.total for state in states(one)) - 1  # the schema was there
    assert run_steps(EmbeddedEngine(), dataset) == 0


class Careless(EmbeddedEngine):
    """A model that forgets a value at first, and invents a figure in its answers."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def ask(self, prompt: Prompt[Any]) -> Any:
        """A faulty reply first."""
        self.asked[type(prompt).__name__] += 1
        made = prompt.without_model()
        if isinstance(prompt, WriteDocument) and not prompt.missing:
            return made.model_copy(update={"text": made.text.replace(prompt.facts[3][1], "")})
        if isinstance(prompt, WordItem):
            return QuestionAndAnswer(question=made.question, answer=f"{made.answer} 98765円です。")
        return made


def test_a_model_is_asked_again_for_what_its_reply_lacks(tmp_path: Path) -> None:
    engine = Careless()
    dataset = whole(tmp_path / "one", engine=engine)
    assert engine.asked["WriteDocument"] == 8
    assert [one.missing for one in dataset.documents()] == [()] * 4
    assert not [item.id for item in dataset.items() if "98765" in item.answer]


def test_things_of_a_step_may_be_made_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def backwards(engine: Engine, tasks: Sequence[Task], run: Any) -> list[tuple[Task, Any]]:
        return [(task, run(engine, task)) for task in reversed(tasks)]

    dataset = new_dataset(tmp_path / "backwards")
    run_steps(EmbeddedEngine(), dataset, "schema")
    dataset.approve("Aya")
    with monkeypatch.context() as patched:
        patched.setattr("core.datasets.seed_document.steps.run_tasks", backwards)
        run_steps(EmbeddedEngine(), dataset)
    assert changes(whole(tmp_path / "one"), dataset) == []
    assert not any(state.stale for state in states(dataset))


def test_decisions_choose_what_goes_into_a_run(tmp_path: Path) -> None:
    dataset = whole(tmp_path / "one")
    everything = [item.id for item in usable_items(dataset)]
    decide(dataset, {everything[0]: "rejected"})
    assert [item.id for item in usable_items(dataset)] == everything[1:]
    decide(dataset, {everything[1]: "accepted"})
    assert [item.id for item in usable_items(dataset)] == [everything[1]]
    decide(dataset, {everything[1]: None, everything[0]: None})
    assert [item.id for item in usable_items(dataset)] == everything


def test_a_decision_on_a_question_does_not_hold_for_another_question_of_the_same_id(tmp_path: Path) -> None:
    dataset = whole(tmp_path / "one")
    accepted = dataset.items()[0]
    decide(dataset, {accepted.id: "accepted"})
    schema = dataset.checked_schema()
    asked = set(accepted.fields)
    dataset.save_schema(
        schema.model_copy(
            update={
                "fields": tuple(field for field in schema.fields if field.name not in asked),
                "rules": tuple(rule for rule in schema.rules if not asked & set(rule.fields)),
            }
        )
    )
    dataset.approve("Aya")
    run_steps(EmbeddedEngine(), dataset)
    another = next(item for item in dataset.items() if item.id == accepted.id)
    assert another.question != accepted.question
    assert review_decisions(dataset) == {}
    assert len(usable_items(dataset)) > 1


@pytest.mark.parametrize("title", ["Cafe Ltd: policy", "Café Ltd: policy", "カフェ Ltd: policy"])
def test_a_value_in_an_english_sentence_is_stated_whatever_other_letters_the_document_has(title: str) -> None:
    text = f"# {title}\n\n## Cover\nThe term of cover is 24 months. It ends then.\n"
    assert states_value(text, "24 months", "en")
    assert not states_value(text, "4 months", "en")
    assert sentence_with(text, "24 months", "", "en") == "The term of cover is 24 months."


def test_a_refused_number_leaves_no_half_of_a_test_set(tmp_path: Path) -> None:
    manifest = Manifest(name="one", language="en", documents=9_999)
    with pytest.raises(BadInput, match="from 1 to"):
        Dataset.create(tmp_path / "one", manifest, Document("first.md", "# A\nOne."))
    Dataset.create(tmp_path / "one", manifest.model_copy(update={"documents": 2}), Document("second.md", "# B\nTwo."))
    assert Dataset(tmp_path / "one").seed_document().name == "second.md"


def test_a_fact_that_a_person_adds_gets_its_type_its_place_and_its_question() -> None:
    seed = "# 規程\n申請は20日までに行います。\n- 費用: 2,500円\n"
    cost = field_of_example("費用", "2,500円", seed, "ja")
    assert (cost.type, cost.unit, cost.places, cost.varies) == ("money", "円", (seed.index("2,500円"),), True)
    assert cost.asks.endswith("いくらですか") and cost.sentence == "- 費用: 2,500円"
    lost = field_of_example("締め切り", "31日", seed, "ja")
    assert (lost.type, lost.places, lost.sentence) == ("number", (), "")
