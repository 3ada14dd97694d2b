"""Example questions: people's own words find a section that has none of them."""

from __future__ import annotations

import csv
import io
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.tables import read_table
from core.base.types import Bot, Message, Passage
from core.bot.answer_ask_refuse import response_probabilities
from core.bot.embedded_settings import WITH_EXAMPLES, WITHOUT_EXAMPLES, settings_for
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections
from core.documents.documents import MAX_BYTES
from core.documents.example_questions import (
    FILE,
    ExampleQuestion,
    change_example_questions,
    example_questions_csv,
    example_questions_of,
    read_example_questions,
)
from core.llm.embedded import EmbeddedEngine
from core.retrieval.example_index import sort_examples
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.snapshot import changed_parts, take_snapshot

DOCUMENTS = {
    "ja": "# 通勤の手引き\n\n## 自転車通勤の届け出\n\n総務課に届け出ます。\n\n## 定期券の購入\n\n会社が買います。\n\n"
    "## 社用車の予約\n\n前日までに予約します。\n",
    "en": "# Commuting\n\n## Bicycle parking\n\nTell the front office.\n\n## Season tickets\n\nThe company buys them.\n\n"
    "## Company cars\n\nBook them the day before.\n",
}
ASKED = {
    "ja": ("通勤の手引き.md", "自転車通勤の届け出", "チャリで来ていい?", "駅からチャリで来ちゃだめですか"),
    "en": ("Commuting.md", "Bicycle parking", "where do I leave my wheels", "somewhere to leave my two wheels?"),
}


def make_bot(language: str, rows: str = "") -> Bot:
    """A bot with one document and, if there are rows, example questions."""
    folder = settings().knowledge_dir / f"commuting-{language}"
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(f'name = "x"\nlanguage = "{language}"\n', "utf-8")
    (folder / "documents" / ASKED[language][0]).write_text(DOCUMENTS[language], "utf-8")
    if rows:
        (folder / FILE).write_text(f"document,heading,question\n{rows}", "utf-8")
    return load_bot(folder.name)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_section_is_found_by_the_words_of_its_example_questions(home: Path, language: str):
    document, heading, example, message = ASKED[language]
    index = Indexes().get(make_bot(language, f"{document},{heading},{example}\n"))
    topics = find_sections(index, (Message(role="user", text=message),))
    assert topics[0].heading == heading and topics[0].example > 0
    assert index.search(message)[0].passage.heading == heading


@pytest.mark.parametrize("language", ["ja", "en"])
def test_without_example_questions_nothing_changes(home: Path, language: str):
    index = Indexes().get(make_bot(language))
    assert "examples" not in index.signals(ASKED[language][3])
    assert all(hit.example == 0 for hit in index.search(DOCUMENTS[language].splitlines()[2]))


def test_vectors_stand_for_example_questions_as_well(home: Path):
    message = "is there a safe spot for cycles"
    rows = "Commuting.md,Bicycle parking,somewhere safe to chain up cycles?\n"
    plain, asked = (Indexes().get(make_bot("en", each)).sections(message) for each in ("", rows))
    nearness = [{topic.heading: topic.vector or 0.0 for topic in found}["Bicycle parking"] for found in (plain, asked)]
    assert nearness[0] + 0.05 < nearness[1]


def test_an_example_question_is_never_quoted(home: Path):
    document, heading, example, _ = ASKED["ja"]
    index = Indexes().get(make_bot("ja", f"{document},{heading},{example}\n"))
    assert all(example not in passage.text for passage in index.passages)


def test_new_example_questions_are_used_at_once(home: Path):
    indexes = Indexes()
    before = indexes.get(make_bot("ja"))
    document, heading, example, _ = ASKED["ja"]
    after = indexes.get(make_bot("ja", f"{document},{heading},{example}\n"))
    assert after is not before and after.digest != before.digest


def test_example_questions_of_sections_that_are_gone_are_named_and_not_used(home: Path):
    bot = make_bot("ja", "通勤の手引き.md,なくなった節,チャリで来ていい?\n")
    index = Indexes().get(bot)
    assert "examples" not in index.signals("チャリで来ていい?")
    assert [one.heading for one in sort_examples(read_example_questions(bot), index.passages).lost] == ["なくなった節"]


def test_a_file_without_its_columns_is_one_sentence(home: Path):
    bot = make_bot("ja")
    (bot.folder / FILE).write_text("document,question\na.md,何?\n", "utf-8")
    with pytest.raises(BadInput) as error:
        read_example_questions(bot)
    assert error.value.key == "example_columns" and "heading" in str(error.value)


def test_a_run_with_other_example_questions_is_told_apart(home: Path):
    plan = Plan(bot="commuting-ja")
    before = take_snapshot(plan, make_bot("ja"), [], EmbeddedEngine(), {})
    after = take_snapshot(plan, make_bot("ja", "通勤の手引き.md,定期券の購入,電車賃\n"), [], EmbeddedEngine(), {})
    assert changed_parts(before.model_dump(mode="json"), after) == (FILE,)


def rows(bot: Bot) -> list[tuple[str, str]]:
    """(heading, question) of each row of the file."""
    return [one[1:] for one in read_example_questions(bot)]


def test_an_added_row_goes_below_its_section_and_none_is_added_twice(home: Path):
    bot = make_bot("ja", "a.md,A,a1\na.md,B,b1\nb.md,C,c1\n")
    new = [ExampleQuestion("a.md", "A", "a2"), ExampleQuestion("a.md", "D", "d1"), ExampleQuestion("a.md", "A", "a1")]
    assert change_example_questions(bot, added=[*new, ExampleQuestion("c.md", "E", "e1")]) == 6
    assert rows(bot) == [("A", "a1"), ("A", "a2"), ("B", "b1"), ("D", "d1"), ("C", "c1"), ("E", "e1")]


def test_a_changed_row_keeps_its_place(home: Path):
    bot = make_bot("ja", "a.md,A,a1\na.md,A,a2\na.md,A,a3\na.md,B,b1\n")
    gone = [ExampleQuestion("a.md", "A", "a1"), ExampleQuestion("a.md", "B", "b1")]
    change_example_questions(bot, gone, [ExampleQuestion("a.md", "A", name) for name in ("new", "newer")])
    assert rows(bot) == [("A", "new"), ("A", "a2"), ("A", "a3"), ("A", "newer")]


def test_a_change_keeps_rows_and_columns_of_others(home: Path):
    bot = make_bot("ja")
    (bot.folder / FILE).write_text("note,document,heading,question\nkeep,a.md,A,a1\nx,a.md,A,a2\n", "utf-8")
    change_example_questions(bot, [ExampleQuestion("a.md", "A", "a2")], [ExampleQuestion("a.md", "A", "a3")])
    assert (bot.folder / FILE).read_text("utf-8") == "document,heading,question,note\na.md,A,a1,keep\na.md,A,a3,\n"


def test_threads_that_change_the_file_at_once_lose_nothing(home: Path):
    bot = make_bot("ja")
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(lambda n: change_example_questions(bot, added=[ExampleQuestion("a.md", "A", f"{n}?")]), range(24))
        )
    assert len(rows(bot)) == 24


@pytest.mark.parametrize("question", ["=1+1", "'=1+1", "@cmd", '"a", b\n; c', "＝HYPERLINK(1)", "\ud800?"])
def test_what_looks_like_a_formula_is_text_in_the_file_and_comes_back(home: Path, question: str):
    bot = make_bot("ja")
    for _ in range(2):  # the second time the row that is there is written again
        change_example_questions(bot, added=[ExampleQuestion("a.md", "A", question), ExampleQuestion("a.md", "A", "b")])
    assert rows(bot) == [("A", question.replace("\ud800", "\ufffd")), ("A", "b")]
    cells = [row[2] for row in csv.reader(io.StringIO((bot.folder / FILE).read_text("utf-8")))]
    assert not any(cell.startswith(("=", "@", "＝")) for cell in cells)


def test_a_change_that_would_make_the_file_too_large_is_refused(home: Path):
    bot = make_bot("ja", "a.md,A,a1\n")
    with pytest.raises(BadInput) as error:
        change_example_questions(bot, added=[ExampleQuestion("a.md", "A", "x" * MAX_BYTES)])
    assert error.value.key == "example_bytes" and rows(bot) == [("A", "a1")]


def test_a_file_that_cannot_be_read_is_not_written(home: Path):
    bot = make_bot("ja")
    (bot.folder / FILE).write_text("document,question\na.md,何?\n", "utf-8")
    with pytest.raises(BadInput):
        change_example_questions(bot, added=[ExampleQuestion("a.md", "A", "b")])
    assert (bot.folder / FILE).read_text("utf-8") == "document,question\na.md,何?\n"


def test_what_is_written_for_a_download_is_read_as_an_upload(home: Path):
    examples = [ExampleQuestion("a.md", "A › B", "=1+1"), ExampleQuestion("a.md", "A", "いつ?")]
    table = read_table("x.csv", ("\ufeff" + example_questions_csv(examples)).encode())
    assert example_questions_of("x.csv", table) == examples
    with pytest.raises(BadInput) as error:
        example_questions_of("x.csv", [{"question": "a"}])
    assert error.value.key == "example_columns"


@pytest.mark.parametrize(
    ("language", "unanswered", "message", "other"),
    [
        ("ja", "チャリの空気入れは借りられますか", "チャリの空気入れを借りたい", "チャリで来てもいい?"),
        ("en", "can I borrow a pump for my wheels", "is there a pump I can borrow", "where can I leave my two wheels"),
    ],
)
def test_a_question_that_no_document_answers_makes_messages_like_it_be_declined(
    home: Path, language: str, unanswered: str, message: str, other: str
):
    document, heading, example, _ = ASKED[language]
    bot = make_bot(language, f"{document},{heading},{example}\n{document},,{unanswered}\n")
    index = Indexes().get(bot)
    topics = find_sections(index, (Message(role="user", text=message),))
    assert topics[0].unanswered > topics[0].example
    chances, of_other = (
        response_probabilities(text, find_sections(index, (Message(role="user", text=text),)))
        for text in (message, other)
    )
    assert chances["refuse"] > of_other["refuse"] and of_other["answer"] > chances["answer"]


def test_a_question_of_several_sections_is_near_all_of_them_alike(home: Path):
    document = ASKED["en"][0]
    rows = [f"{document},{heading},where is the garage" for heading in ("Bicycle parking", "Company cars")]
    alone = f"{document},Season tickets,who pays my train pass"
    bot = make_bot("en", "\n".join([*rows, alone]) + "\n")
    index = Indexes().get(bot)
    topics = find_sections(index, (Message(role="user", text="where is the garage?"),))
    shared = {topic.heading: topic.shared for topic in topics if topic.shared}
    assert set(shared) == {"Bicycle parking", "Company cars"} and len(set(shared.values())) == 1


@pytest.mark.parametrize("name", ["hinata", "minato", "harbor"])
@pytest.mark.slow
def test_bundled_questions_of_several_sections_are_asked_about_and_those_of_none_declined(indexes: Indexes, name: str):
    bot = load_bot(name)
    index = indexes.get(bot)
    found = sort_examples(read_example_questions(bot), index.passages)
    times = Counter(one.question for one in found.answered)
    several = [text for text, count in times.items() if count > 1][::30]
    of_none = [one.question for one in found.unanswered][::60]
    asked = [take_turn(EmbeddedEngine(), bot, index, (), text).decision == "ask" for text in several]
    replies = [take_turn(EmbeddedEngine(), bot, index, (), text).reply for text in of_none]
    declined = [reply.kind == "answer" and not reply.cited for reply in replies]
    assert sum(asked) >= 0.8 * len(asked) and sum(declined) >= 0.9 * len(declined) and len(of_none) >= 9


def test_questions_of_several_sections_or_none_are_no_text_of_a_section(home: Path):
    document, heading, _, _ = ASKED["en"]
    rows = f"{document},{heading},where is the garage\n{document},Season tickets,where is the garage\n{document},,who pays taxi\n"
    bot = make_bot("en", rows)
    found = sort_examples(read_example_questions(bot), Indexes().get(bot).passages)
    assert [one.question for one in found.unanswered] == ["who pays taxi"] and len(found.answered) == 2
    assert not any(
        "where is the garage" in hit.passage.text for hit in Indexes().get(bot).search("where is the garage")
    )


def test_a_question_of_a_section_that_is_divided_belongs_to_its_parts():
    passages = [
        Passage(id=str(place), document="a.md", title="A", heading=heading, text="text")
        for place, heading in enumerate(["Refunds › Within ten days…", "Refunds › By card…", "Prices"])
    ]
    asked = [ExampleQuestion("a.md", "Refunds", "my money"), ExampleQuestion("a.md", "Gone", "what")]
    found = sort_examples(asked, passages)
    assert [one.heading for one in found.answered] == ["Refunds › By card…", "Refunds › Within ten days…"]  # in order
    assert [one.heading for one in found.lost] == ["Gone"]


def test_a_question_without_a_heading_of_a_document_that_is_gone_is_lost(home: Path):
    bot = make_bot("en", "gone.md,,who pays taxi\n")
    assert [one.document for one in sort_examples(read_example_questions(bot), Indexes().get(bot).passages).lost] == [
        "gone.md"
    ]


@pytest.mark.slow
def test_sections_without_questions_are_found_beside_those_that_have_some(tmp_path: Path) -> None:
    bot = load_bot("minato")
    asked = [one for one in read_example_questions(bot) if one.heading]
    kept = set(sorted({one[:2] for one in asked})[::2])
    folder = tmp_path / "minato"
    shutil.copytree(bot.folder, folder)
    half = bot.model_copy(update={"folder": folder})
    change_example_questions(half, [one for one in asked if one[:2] not in kept])
    index = Indexes(tmp_path / "index").get(half)
    times = Counter(one.question for one in asked)
    gone = {one[:2]: one.question for one in asked if one[:2] not in kept and times[one.question] == 1}
    found = [index.sections(question)[0].heading == heading for (_, heading), question in sorted(gone.items())[:80]]
    assert sum(found) >= 0.1 * len(found)  # in words that share little with the documents; .04 if the others come first


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_is_found_carries_the_language_and_whether_there_are_example_questions(home: Path, language: str):
    document, heading, example, _ = ASKED[language]
    for rows, known in (("", False), (f"{document},{heading},{example}\n", True)):
        found = Indexes().get(make_bot(language, rows)).search(heading, 1)  # of one section: neither near nor likelier
        assert [(one.language, one.has_examples) for one in found] == [(language, known)]
        assert settings_for(found) is (WITH_EXAMPLES if known else WITHOUT_EXAMPLES)
