"""Topics of nested lists and of paragraphs with a bold beginning are headings; other lists stay whole."""

from __future__ import annotations

import pytest

from core.documents.documents import Document
from core.documents.passages import passages

NESTED = """# Pool rules

- Lanes
  - Lane 1 is for slow swimmers
  - Lane 6 is for training
- Lockers
  - Bring a £1 coin
  - Emptied every night
- Lost things
  - At the desk for two weeks
"""
LONG = """# 荷物のきまり

- 送る
  - 宅配便
    - 集荷は毎日十七時に一回だけ来ます
    - 送り状は受付の端末で印刷してから貼ってください
    - 冷蔵の荷物は前の日の正午までに受付へ知らせてください
  - 書留
    - 受付の窓口で伝票を書いて係に手渡してください
    - 十六時を過ぎたものは次の日の扱いになりますのでご注意ください
- 受け取る
  - 届いたらメールで知らせます
- 社内便
  - 一日二便です
"""
BOLD = """# Courses

**Bread for beginners** – Saturday 9am, £20. Bring an apron.

**Knife skills:** two evenings, from 16 years on.

**Jam** Sunday in June.

To book, ring the office.
"""


def headings(text: str, name: str = "a.md") -> list[tuple[str, str]]:
    return [(one.heading, one.text) for one in passages(Document(name, text))]


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_items_with_items_of_their_own_are_headings(name: str) -> None:
    assert headings(NESTED, name)[-3:] == [
        ("Lanes", "- Lane 1 is for slow swimmers\n- Lane 6 is for training"),
        ("Lockers", "- Bring a £1 coin\n- Emptied every night"),
        ("Lost things", "- At the desk for two weeks"),
    ]


def test_a_long_topic_is_divided_by_its_own_topics() -> None:
    assert [heading for heading, _ in headings(LONG)] == ["送る › 宅配便", "送る › 書留", "受け取る", "社内便"]


def test_an_item_without_items_belongs_to_the_document() -> None:
    found = headings(f"{NESTED}- Phone 01632 960 111\n")
    assert found[2:] == [("Lost things", "- At the desk for two weeks"), ("Pool rules", "- Phone 01632 960 111")]


def test_the_beginnings_of_paragraphs_are_headings() -> None:
    assert headings(BOLD) == [
        ("Bread for beginners", "Saturday 9am, £20. Bring an apron."),
        ("Knife skills", "two evenings, from 16 years on."),
        ("Jam", "Sunday in June."),
        ("Courses", "To book, ring the office."),
    ]


def test_topics_are_below_the_heading_above_them() -> None:
    found = headings(NESTED.replace("# Pool rules\n", "# Pool\n\n## Rules\n\nPlease read them.\n"))
    assert [heading for heading, _ in found] == ["Rules", "Rules › Lanes", "Rules › Lockers", "Rules › Lost things"]


@pytest.mark.parametrize(
    "text",
    [
        "# Bring\n\n- a towel\n- a coin\n- a cap\n- goggles\n",
        "# Steps\n\n- First\n  - sign in\n- Then\n  - go in\n",
        "# Mixed\n\n- Lanes\n  - six\n- towels\n- caps\n- coins\n- shoes\n",
        "# Words\n\nA **coin** is needed.\n\n**Never** run.\n\nAsk the **desk**.\n",
        "# Sentences\n\n"
        + "".join(
            f"- Number {number} of the rules says at great length what everybody has to bring to the pool each time\n  - a towel\n"
            for number in range(4)
        ),
    ],
)
def test_other_lists_and_paragraphs_stay_whole(text: str) -> None:
    assert len(headings(text)) == 1


def test_the_answer_to_a_question_stays_whole() -> None:
    answer = NESTED.split("\n\n")[1]
    text = f"# FAQ\n\nQ: What are the rules?\nA: These:\n\n{answer}\n\nQ: Is it open?\nA: Yes.\n"
    assert [heading for heading, _ in headings(text)] == ["What are the rules?", "Is it open?"]
