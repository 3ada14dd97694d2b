"""Paragraphs of long prose without headings are sections, named by their first words; other texts stay as they were."""

from __future__ import annotations

import textwrap
import time

import pytest

from core.documents.documents import Document
from core.documents.paragraph_names import MAX_NAME_WIDTH, named_paragraphs
from core.documents.passages import MAX_PASSAGE_CHARACTERS, passages
from core.documents.plain_headings import width

ENGLISH = [
    "The deposit is repaid within ten days after the boat has come back clean, with a full tank and all its ropes. "
    "Anything that is missing is taken from it at the price of the list that hangs in the office by the jetty.",
    "Whoever is late pays for each hour that has begun. The hour costs £18, and after four hours we send somebody out to look "
    "for you, which costs £95 and is charged to the card that was shown when the boat was fetched.",
    "Dogs may come along. They wear a jacket, which we lend for nothing, and stay off the seats. Cats, birds and other animals "
    "stay ashore, since the sound of the engine frightens them and nobody has yet found a jacket that fits them well.",
    "If the wind is above force five, the harbour master closes the hire for the day. You choose another day or have the whole "
    "price back, and it makes no difference whether you had already set out that morning or were still loading the boat.",
]
JAPANESE = [
    "預り金は、船がきれいな状態で、燃料を満たして戻ってから十日以内にお返しします。足りない備品がある場合は、桟橋の事務所に掲示している"
    "価格表の金額を差し引きます。" * 4,
    "返却が遅れたときは、遅れた一時間ごとに千八百円を申し受けます。四時間を過ぎた場合は捜索の船を出し、その費用として九千五百円を、"
    "貸し出しの際にお示しいただいたカードへ請求します。" * 4,
    "会員は、年に二回まで無料で桟橋を使うことができます。三回目からは一回あたり五百円の使用料がかかり、支払いは当日に事務所の窓口で"
    "現金に限ってお願いしています。" * 4,
    "会員が船に犬を乗せるときは、こちらで用意した救命胴衣を着せてください。鳥や猫などのほかの動物は、エンジンの音に驚くことがあるため、"
    "陸でお待ちいただきます。" * 4,
]


def document(name: str, title: str, paragraphs: list[str]) -> Document:
    return Document(name, "\n\n".join([title, *paragraphs]) + "\n")


def test_each_paragraph_of_long_prose_is_a_section_of_its_own():
    found = passages(document("terms.txt", "Terms of hire", ENGLISH))
    assert [one.text for one in found] == ENGLISH
    assert [one.heading for one in found] == [
        "The deposit is repaid within ten days after the boat has…",
        "Whoever is late pays for each hour that has begun",
        "Dogs may come along",
        "If the wind is above force five…",
    ]
    assert {one.title for one in found} == {"Terms of hire"}


def test_a_japanese_paragraph_is_named_by_what_it_is_about():
    names = [one.heading for one in passages(document("kiyaku.txt", "貸しボート規約", JAPANESE))]
    assert names[0] == "預り金は、船がきれいな状態で…"  # 預り金 alone is short
    assert names[1] == "返却が遅れたとき"
    assert names[2].startswith("会員は、年に二回まで") and names[3].startswith("会員が船に犬を乗せるとき")


@pytest.mark.parametrize("paragraphs", [ENGLISH, JAPANESE])
def test_a_line_may_be_a_paragraph_and_the_line_of_a_broken_text_is_none(paragraphs: list[str]):
    assert [text for _, text in named_paragraphs("\n".join(paragraphs))] == paragraphs
    assert named_paragraphs("\n".join(textwrap.wrap(" ".join(ENGLISH * 2), 80))) == []


def test_below_a_heading_of_markdown_its_name_stays_above():
    text = "# Boats\n\n## Rules\n\n" + "\n\n".join(ENGLISH) + "\n"
    headings = [one.heading for one in passages(Document("boats.md", text))]
    assert headings[1] == "Rules › Whoever is late pays for each hour that has begun"


@pytest.mark.parametrize(
    "body",
    [
        "\n\n".join(ENGLISH[:2]),  # few paragraphs
        "\n\n".join([*ENGLISH, "- a list\n- of things"]),
        "\n\n".join([*ENGLISH, "| a | b |\n|---|---|\n| 1 | 2 |"]),
        ENGLISH[0] * 8,
        "",
    ],
)
def test_other_texts_are_not_divided(body: str):
    assert named_paragraphs(body) == []


def test_a_short_text_stays_whole():
    short = [one[:110] for one in ENGLISH]
    assert len("\n\n".join(short)) < MAX_PASSAGE_CHARACTERS
    assert len(passages(document("short.txt", "Terms of hire", short))) == 1


def test_a_short_paragraph_stays_with_the_one_before():
    found = named_paragraphs("\n\n".join([*ENGLISH, "Have fun!"]))
    assert len(found) == len(ENGLISH) and found[-1][1].endswith("\n\nHave fun!")


@pytest.mark.parametrize("text", ["x" * 4000, "あ" * 4000, "、" * 300, "。\n" * 50, "Ａ " * 900])
def test_a_name_is_never_wider_than_a_line(text: str):
    for name, _ in named_paragraphs("\n\n".join([text] * 4)):
        assert width(name.split("…")[0]) <= MAX_NAME_WIDTH


def test_paragraphs_that_begin_alike_have_names_of_their_own():
    alike = [
        f"The customer shall not be entitled to any refund of amounts that {one}." + " More of it." * 30
        for one in "abc"
    ]
    names = [name for name, _ in named_paragraphs("\n\n".join(alike))]
    assert len(set(names)) == 3 and names[0].endswith("… (1)")


@pytest.mark.parametrize("text", ["word " * 60_000, "語" * 100_000, "a, b; " * 40_000])
def test_naming_takes_no_longer_for_long_paragraphs(text: str):
    started = time.perf_counter()
    named_paragraphs("\n\n".join([text] * 3))
    assert time.perf_counter() - started < 5  # a quadratic way takes minutes
