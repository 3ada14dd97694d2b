"""Questions straight from documents: checked, without duplicates, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import Stopped
from core.base.prompt import Prompt
from core.datasets.document_questions.generate import DocumentQuestionOptions, QuestionSet, generate_questions
from core.datasets.document_questions.out_of_scope import answering
from core.datasets.document_questions.section import section_of
from core.datasets.document_questions.write_questions import WriteQuestions, WrittenQuestion, WrittenQuestions
from core.documents.documents import Document, read_documents
from core.documents.passages import passages
from core.llm.embedded import EmbeddedEngine
from core.simulation.scenarios import parse_scenarios, scenarios_csv

HANDBOOK = Document(
    "allowance.md",
    "# 手当の手引き\n\n## 住まいの手当\n住まいの手当は月額8,000円です。住まいの手当の申請は、入居日から30日以内に行ってください。\n\n"
    "## 図書の手当\n図書の手当は年に2回まで申請できます。図書の手当の申請には所属長の承認が必要です。\n",
)


@pytest.fixture(scope="module")
def minato() -> tuple[list[Document], QuestionSet]:
    bot = load_bot("minato")
    documents = read_documents(bot)[:16]
    attributes = tuple((field.name, field.values) for field in bot.profile_fields)
    options = DocumentQuestionOptions(count=40, seed=3, attributes=attributes)
    return documents, generate_questions(EmbeddedEngine(), documents, [], options)


def test_all_evidence_stands_in_its_document(minato: tuple[list[Document], QuestionSet]) -> None:
    documents, made = minato
    texts = {document.name: document.text for document in documents}
    sources = [source for item in made.items for source in item.evidence]
    assert sources
    assert all(source.text in texts[source.document] for source in sources)


def test_there_are_answered_open_and_out_of_scope_questions(minato: tuple[list[Document], QuestionSet]) -> None:
    kinds = Counter(item.kind for item in minato[1].items)
    assert 30 <= sum(kinds.values()) <= 40
    assert kinds["out_of_scope"] == 8


def test_a_question_is_open_if_a_table_or_another_heading_tells_other_values() -> None:
    text = (
        "# Lockers\n\n## How to open a locker on iOS\nTap **Open** in the app and hold the phone to the door.\n\n"
        "## How to open a locker on the web\nPress **Open** on the page of the locker.\n\n"
        "## Lockers by size\nThe table shows the lockers of each size.\n\n"
        "| Size | Lockers |\n|---|---|\n| Small | 12 |\n| Large | 4 |\n\n## How to rent a room on iOS\nTap **Rent**.\n"
    )
    attributes = (("platform", ("web", "iOS")),)
    options = DocumentQuestionOptions(count=20, seed=1, language="en", attributes=attributes)
    made = generate_questions(EmbeddedEngine(), [Document("lockers.md", text)], [], options)
    opened = [item.question for item in made.items if item.kind == "vague"]
    assert any("open a locker" in question for question in opened)
    assert any("lockers can I have" in question for question in opened)
    assert not any("rent a room" in question for question in opened)


def test_an_open_question_hides_its_choice_among_those_that_it_can_mean(
    minato: tuple[list[Document], QuestionSet],
) -> None:
    for item in minato[1].items:
        if item.kind == "vague":
            value = item.facts.split(": ", 1)[1]
            assert item.needs_asking
            assert value in item.choices
            assert len(item.choices) >= 2
            assert value not in item.question


def test_no_section_has_the_words_of_an_out_of_scope_question(minato: tuple[list[Document], QuestionSet]) -> None:
    documents, made = minato
    sections = [section_of(passage) for document in documents for passage in passages(document)]
    assert not [one.question for one in made.items if one.kind == "out_of_scope" and answering(one.question, sections)]


def test_the_questions_can_be_read_as_a_bots_scenarios(minato: tuple[list[Document], QuestionSet]) -> None:
    scenarios = [item.scenario() for item in minato[1].items]
    assert parse_scenarios(scenarios_csv(scenarios)) == scenarios


def test_the_same_seed_gives_the_same_questions_and_known_ones_are_not_repeated() -> None:
    options = DocumentQuestionOptions(count=5, seed=1)
    first = generate_questions(EmbeddedEngine(), [HANDBOOK], [], options)
    assert generate_questions(EmbeddedEngine(), [HANDBOOK], [], options) == first
    known = [item.question for item in first.items if item.kind == "faq"]
    second = generate_questions(EmbeddedEngine(), [HANDBOOK], known, options)
    assert not {item.question for item in second.items if item.kind == "faq"} & set(known)


class Writer(EmbeddedEngine):
    """A model that first invents a reference, and copies one when it is told."""

    def __init__(self) -> None:
        self.asked: list[WriteQuestions] = []

    def ask(self, prompt: Prompt[Any]) -> Any:
        """A reply whose reference is made up, unless the prompt says what was wrong."""
        if not isinstance(prompt, WriteQuestions):
            return prompt.without_model()
        self.asked.append(prompt)
        reference = prompt.text.split("。")[0] + "。" if prompt.avoid else "どこにもない文です。"
        return WrittenQuestions(
            questions=(WrittenQuestion(reference=reference, question=f"{prompt.heading}はどうすればもらえますか?"),)
        )


def test_a_model_is_asked_again_if_its_reference_is_made_up() -> None:
    writer = Writer()
    options = DocumentQuestionOptions(count=3, seed=1, by_model=True)
    made = generate_questions(writer, [HANDBOOK], [], options)
    assert [bool(prompt.avoid) for prompt in writer.asked] == [False, True, False, True]
    answered = [item for item in made.items if item.kind == "faq"]
    assert answered
    assert all(source.text in HANDBOOK.text for item in answered for source in item.evidence)
    assert {one.why for one in made.dropped} >= {"not_in_document"}


def test_it_can_be_stopped() -> None:
    def stop(done: int) -> None:
        raise Stopped("It was stopped.", "stopped")

    with pytest.raises(Stopped):
        generate_questions(EmbeddedEngine(), [HANDBOOK], [], DocumentQuestionOptions(count=3), stop)


def test_what_was_asked_before_a_stop_is_asked_in_the_same_words_again() -> None:
    """So the call log has it, and nothing is asked of the model twice."""
    documents = [HANDBOOK, Document("b.md", HANDBOOK.text.replace("手当", "補助"))]
    options = DocumentQuestionOptions(count=10, seed=1, by_model=True)
    stopped, whole = Writer(), Writer()
    progress: list[int] = []

    def stop(done: int) -> None:
        progress.append(done)
        if len(progress) > 2:
            raise Stopped("It was stopped.", "stopped")

    with pytest.raises(Stopped):
        generate_questions(stopped, documents, [], options, stop)
    generate_questions(whole, documents, [], options)
    assert stopped.asked
    assert stopped.asked == whole.asked[: len(stopped.asked)]


class Guesser(Writer):
    """A model that leaves out an attribute which its section does not tell apart."""

    def ask(self, prompt: Prompt[Any]) -> Any:
        """An open question for each section."""
        if not isinstance(prompt, WriteQuestions):
            return prompt.without_model()
        reference = f"{prompt.text.split('。')[0]}。"
        written = WrittenQuestion(
            reference=reference, question=f"本社ですが、{prompt.heading}はいくらですか?", attribute="勤務地", value="本社", values=("本社", "工場"), open_question=f"{prompt.heading}はいくらですか?"
        )  # fmt: skip
        return WrittenQuestions(questions=(written,))


def test_a_models_open_question_counts_only_if_its_section_or_another_tells_the_values_apart() -> None:
    same = Document("a.md", "# 手当\n\n## 住まいの手当\n住まいの手当は月額8,000円です。\n")
    apart = Document("a.md", "# 手当\n\n## 住まいの手当\n住まいの手当は、本社が8,000円、工場が6,000円です。\n")
    options = DocumentQuestionOptions(count=10, seed=1, by_model=True)
    kinds = [[item.kind for item in generate_questions(Guesser(), [one], [], options).items] for one in (same, apart)]
    assert "vague" not in kinds[0]
    assert "vague" in kinds[1]
