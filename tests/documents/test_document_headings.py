"""Headings that documents have without `#`: marks, numbers, capitals, blank lines; questions; dated notices."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.types import Hit
from core.bot.choices.section_names import names_section, section_choices
from core.documents.document_checks import document_problems
from core.documents.documents import Document
from core.documents.find_headings import document_headings
from core.documents.heading_names import is_weak, last_heading
from core.documents.passages import MAX_PASSAGE_CHARACTERS, passages

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
WIDE_DIGITS = str.maketrans("0123456789", "０１２３４５６７８９")
# How a heading may be written, by its number and words.
STYLES: dict[str, Callable[[int, str], str]] = {
    "mark": lambda _, words: f"■ {words}",
    "circle": lambda _, words: f"●{words}",
    "frame": lambda _, words: f"【{words}】",
    "article": lambda number, words: f"第{number}条（{words}）",
    "number": lambda number, words: f"{number}. {words}",
    "bracketed number": lambda number, words: f"({number}) {words}",
    "wide number": lambda number, words: f"{str(number).translate(WIDE_DIGITS)}． {words}",
    "section": lambda number, words: f"Section {number}: {words}",
    "capitals": lambda _, words: words.upper(),
    "bold": lambda _, words: f"**{words}**",
    "underlined": lambda _, words: f"{words}\n{'-' * 20}",
    "hashes": lambda _, words: f"## {words}",
    "question": lambda number, words: f"Q{number}. {words}\nA. ",
    "alone": lambda _, words: f"{words}\n",
}
ONLY = {"section": "harbor", "capitals": "harbor", "article": "hinata"}


def found_headings(name: str, text: str) -> list[str]:
    """The headings of a document's passages below its title, without their parents."""
    return [
        passage.heading.rsplit(" › ", 1)[-1]
        for passage in passages(Document(name, text))
        if passage.heading != passage.title
    ]


def rewritten(text: str, style: str) -> str:
    """A Markdown document with its headings written in another style."""
    lines: list[str] = []
    number = 0
    for line in text.splitlines():
        if not (found := re.match(r"(#+) (.*)", line)):
            lines += [] if lines and not line and lines[-1].endswith("\0") else [line]
        elif len(found[1]) == 1:
            lines.append(found[2])
        else:
            number += 1
            lines.append(f"{STYLES[style](number, found[2])}\0")
    return "\n".join(lines).replace("\0", "")


def letters(heading: str) -> str:
    """A heading's letters, without number, marks and case."""
    return re.sub(r"^(?:第\d+条|Section \d+|[(Q]?[\d０-９]+[.．)])|\W", "", heading).lower()


@pytest.mark.parametrize("style", STYLES)
def test_headings_are_found_however_they_are_written(style: str):
    missed = wrong = total = 0
    for file in sorted(KNOWLEDGE.glob(f"{ONLY.get(style, '*')}/documents/*.md"))[::7]:
        text = file.read_text("utf-8")
        wanted = {letters(heading) for heading in found_headings(file.name, text)}
        found = {letters(heading) for heading in found_headings(f"{file.stem}.txt", rewritten(text, style))}
        total, missed, wrong = total + len(wanted), missed + len(wanted - found), wrong + len(found - wanted)
    assert total > 20 and missed <= 0.05 * total and wrong == 0


def test_no_heading_is_found_in_text_without_any():
    for file in sorted(KNOWLEDGE.glob("*/documents/*.md")):
        body = re.sub(r"(?m)^#+ .*\n", "", file.read_text("utf-8"))
        _, headings, _ = document_headings(f"{file.stem}.txt", body.splitlines(), body)
        assert headings == [], file.name


STEPS = """How to change a tyre

1. Loosen the bolts
Turn each of them half a turn to the left while the car still stands on all its wheels, so that nothing slips.

2. Raise the car
Put the jack under the mark on the sill and turn the handle until the wheel is clear of the ground by a finger.

3. Change the wheel
Take the bolts out and hang the spare wheel on, then turn the bolts in by hand before you let the car down again.
"""


@pytest.mark.parametrize(
    "text",
    [
        STEPS,
        "プリンターの設定\n\n1. 電源を入れる\n青いランプがつくまで、長めにボタンを押し続けてから手を離してください。\n\n2. 用紙をセットする\nトレイを引き出し、印刷する面を下に向けて奥まで差し込んでください。\n\n3. テスト印刷をする\nボタンを5秒押すと、見本のページが1枚印刷されます。\n",
        "鍵を返すまでの手順\n\n1. 申込書\n窓口でもらい、名前と日付を書いて、受け取った日のうちに提出してください。\n\n2. 確認\n担当者が部屋を見て、傷や汚れがないかどうかを確かめ、結果を紙に書きます。\n",
        "Please bring:\n1. Passport\n2. Two photographs\n3. The form\n\nThe desk closes at five. Come early.\n",
        "● お弁当\n● 水筒\n● 帽子\n雨の日は中止です。前の日の夕方に電話でお知らせします。\n● 軍手\n",
        "Oak Street shop\n12 Oak Street\nLeeds\n\nMill Lane shop\n3 Mill Lane\nYork\n\nPark shop\n9 Park Row\nHull\n",
        "Single room: 40 a night\nDouble room: 60 a night\n\nBreakfast is 9 a head. It is served until ten.\n",
        "| 種類 | 料金 |\n|---|---|\n| ■ 大人 | 500円 |\n| ■ 子ども | 200円 |\n\n表の料金は税込です。\n",
        "4月8日\n入学式\n\n4月15日\n健康診断\n\n5月20日\n遠足\n",
    ],
)
def test_steps_lists_tables_and_addresses_have_no_headings(text: str):
    assert found_headings("text.txt", text) == []


def test_a_title_in_two_lines_and_what_stands_below_it():
    text = "RIVERSIDE POOL\nHOUSE RULES\nIn force from May.\n\nLOCKERS\nLockers take a coin of one pound. Empty them at night.\n\nCHILDREN\nChildren under eight swim with an adult at all times.\n"
    found = passages(Document("rules.txt", text))
    assert {passage.title for passage in found} == {"RIVERSIDE POOL HOUSE RULES"}
    assert found[0].text == "In force from May."


@pytest.mark.parametrize(
    "first",
    ["form,name,where to get it,where to hand it in", "様式\t名称\t入手方法\t提出先", "| item | unit | price |"],
)
def test_a_document_that_begins_with_a_table_has_the_name_of_its_file(first: str):
    text = f"{first}\n{first}\n{first}\n"
    assert {passage.title for passage in passages(Document("forms.txt", text))} == {"forms"}


def test_chapters_hold_articles_and_a_text_beside_its_article_stays():
    text = "駐輪場規程\n\n第1章 総則\n第1条(目的) この規程は、駐輪場の使い方を定める。\n第2条（定義）\n自転車とは、二輪のものをいう。\n第2章 使い方\n第3条(時間) 朝6時から夜11時まで使える。第1条に従う。\n"
    found = passages(Document("rules.txt", text))
    assert [passage.heading for passage in found] == [
        "第1章 総則 › 第1条(目的)",
        "第1章 総則 › 第2条（定義）",
        "第2章 使い方 › 第3条(時間)",
    ]
    assert found[0].text == "この規程は、駐輪場の使い方を定める。"


QUESTION_LISTS = [
    "Q. 鍵をなくしたらどうすればいい?\nA. 管理室で作り直せます。\n\nQ. ごみはいつ出せますか。\nA. 火曜と金曜の朝です。\n",
    "Q：鍵をなくしたらどうすればいい?\nA：管理室で作り直せます。\nQ：ごみはいつ出せますか。\nA：火曜と金曜の朝です。",
    "Ｑ．鍵をなくしたらどうすればいい?\nＡ．管理室で作り直せます。\n\nＱ．ごみはいつ出せますか。\n\nＡ．火曜と金曜の朝です。\n",
    "Q1 鍵をなくしたらどうすればいい?\nA1 管理室で作り直せます。\n\nQ2 ごみはいつ出せますか。\nA2 火曜と金曜の朝です。\n",
    "問　鍵をなくしたらどうすればいい?\n答　管理室で作り直せます。\n問　ごみはいつ出せますか。\n答　火曜と金曜の朝です。\n",
    "**Q. 鍵をなくしたらどうすればいい?**\n\n管理室で作り直せます。\n\n**Q. ごみはいつ出せますか。**\n\n火曜と金曜の朝です。\n",
    "**Q1:** 鍵をなくしたらどうすればいい?\n**A1:** 管理室で作り直せます。\n\n**Q2:** ごみはいつ出せますか。\n**A2:** 火曜と金曜の朝です。\n",
    "【Q1】鍵をなくしたらどうすればいい?\n【A1】管理室で作り直せます。\n【Q2】ごみはいつ出せますか。\n【A2】火曜と金曜の朝です。\n",
    "Q. 鍵をなくしたらどうすればいい? A. 管理室で作り直せます。\nQ. ごみはいつ出せますか。 A. 火曜と金曜の朝です。\n",
    "## Q. 鍵をなくしたらどうすればいい?\nA. 管理室で作り直せます。\n\n## Q. ごみはいつ出せますか。\nA. 火曜と金曜の朝です。\n",
]


@pytest.mark.parametrize("name", ["faq.md", "faq.txt"])
@pytest.mark.parametrize("text", QUESTION_LISTS)
def test_each_question_with_its_answer_is_a_passage(text: str, name: str):
    found = [(passage.heading, passage.text) for passage in passages(Document(name, f"よくある質問\n\n{text}"))]
    assert found[-2:] == [
        ("鍵をなくしたらどうすればいい?", "管理室で作り直せます。"),
        ("ごみはいつ出せますか", "火曜と金曜の朝です。"),
    ]


@pytest.mark.parametrize("mark", ["**{}**", "{}", "1. {}"])
def test_questions_without_a_mark(mark: str):
    asked = ["Where is the gym?", "Is there a sauna?", "May I bring a friend?"]
    answer = "It is on the first floor.\n\nAsk at the desk if you cannot find it."
    text = "\n\n".join(f"{mark.format(question)}\n{answer}" for question in asked)
    found = passages(Document("faq.md", f"# Gym\n\nAsk away.\n\n{text}\n"))
    assert [passage.heading for passage in found] == ["Gym", *asked]
    assert {passage.text for passage in found[1:]} == {answer}


def test_questions_stand_below_the_heading_of_their_group():
    text = "■ 部屋\nQ. 暖房はありますか。\nA. あります。\nQ. 何人まで入れますか。\nA. 4人です。\n■ 食事\nQ. 朝食はありますか。\nA. 7時からです。\n"
    assert [passage.heading for passage in passages(Document("faq.txt", f"宿のQ&A\n\n{text}"))] == [
        "部屋 › 暖房はありますか",
        "部屋 › 何人まで入れますか",
        "食事 › 朝食はありますか",
    ]


def test_a_list_of_questions_that_others_answer_is_no_list_of_passages():
    text = "# Library\n\n- Who may borrow?\n- What does it cost?\n- When is it open?\n\nWho may borrow? Everybody may, if they live here. Does it cost anything? No.\n"
    assert found_headings("library.md", text) == []


def test_dated_notices_are_passages_that_keep_their_date():
    text = "# お知らせ\n\n**2031/3/4(火) 図書係**\n返却箱の場所が変わりました。玄関の右側です。\n\n**2031/2/1(土) 図書係**\n雪のため、午後は閉館します。\n\n2031年1月6日 蔵書点検について\n10日は休みます。\n"
    found = passages(Document("news.md", text))
    assert [passage.heading for passage in found] == [
        "2031/3/4 返却箱の場所が変わりました",
        "2031/2/1 雪のため、午後は閉館します",
        "2031年1月6日 蔵書点検について",
    ]
    assert found[0].text == "2031/3/4(火) 図書係\n返却箱の場所が変わりました。玄関の右側です。"


def test_english_notices():
    text = "News\n\n3 March 2031\nThe lift works again.\n\nFebruary 20, 2031\nThe lift is being repaired until March. Please use the stairs.\n"
    assert found_headings("news.txt", text) == [
        "3 March 2031 The lift works again",
        "February 20, 2031 The lift is being repaired until March",
    ]


def test_a_long_section_is_not_cut_behind_the_line_that_leads_to_its_text():
    filler = "この文は長さを合わせるためのものです。" * 47
    found = passages(
        Document(
            "long.md", f"# 規則\n\n{filler}\n貸し出しの条件：\n一度に3冊まで、2週間借りられます。延長は1回です。\n"
        )
    )
    assert len(found) == 2 and found[1].text.startswith("貸し出しの条件：\n一度に")


def test_each_piece_of_a_long_table_names_its_columns():
    rows = "".join(f"| 品目{number} | {number}00円 | 説明がここに長めに入ります |\n" for number in range(60))
    found = passages(Document("prices.md", f"# 料金\n\n| 品目 | 料金 | 説明 |\n|---|---|---|\n{rows}"))
    assert len(found) > 1 and all(passage.text.startswith("| 品目 | 料金 |") for passage in found)
    assert all(len(passage.text) <= MAX_PASSAGE_CHARACTERS + 40 for passage in found)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("手引き › 4. 部屋代", "部屋代"),
        ("1. 2つ目の鍵", "2つ目の鍵"),
        ("1.2 Opening hours", "Opening hours"),
        ("(3) 持ち物", "持ち物"),
        ("2.5 kg limit", "2.5 kg limit"),
        ("30 days' notice", "30 days' notice"),
        ("1.5倍の料金", "1.5倍の料金"),
    ],
)
def test_a_heading_is_named_without_its_number(heading: str, name: str):
    assert last_heading(heading) == name


def test_what_can_be_mended_is_told():
    long = "この文は長さを合わせるためのものです。" * 60
    documents = [
        Document("plain.txt", long),
        Document("short.txt", "閉館は5時です。"),
        Document("good.md", f"# 規則\n\n## 貸し出し\n{long}\n\n## その他\n傘もあります。\n"),
    ]
    cut = [passage for document in documents for passage in passages(document)]
    assert [(remark.kind, remark.place) for remark in document_problems(cut)] == [
        ("no_headings", "plain.txt"),
        ("long_section", "good.md › 貸し出し"),
        ("weak_heading", "good.md › その他"),
    ]
    assert is_weak("9. Other") and not is_weak("Other ways to pay")


def test_the_title_below_a_letterhead_is_the_line_with_the_words_of_the_files_name():
    head = "GREENVALE HOUSING\nPets: what tenants may keep (issue 3)\n\n"
    text = f"{head}1. Dogs\nOne dog may be kept. Tell the office.\n\n2. Cats\nTwo cats may be kept. Tell the office.\n"
    first, *others = passages(Document("pets-in-flats.txt", text))
    assert first.title == "Pets: what tenants may keep (issue 3)" and first.text.startswith("GREENVALE HOUSING")
    assert [one.heading for one in others] == ["1. Dogs", "2. Cats"]
    assert passages(Document("leaflet.txt", text))[0].title == "GREENVALE HOUSING"


def test_a_long_first_line_is_a_title_without_what_is_in_brackets_or_behind_a_gap():
    def title(line: str) -> str:
        return passages(Document("a.txt", f"{line}\n\nThe office is open on Mondays. It closes at five.\n"))[0].title

    assert title("Procedure for lost keys and cards (also for the volunteers at the desk)") == (
        "Procedure for lost keys and cards"
    )
    assert title("取消に関する規定      最終改定 2025年4月1日") == "取消に関する規定"
    assert title("PARKING FOR RESIDENTS - PERMITS, SUSPENSIONS AND VISITORS OF RESIDENTS").endswith("VISITORS")
    assert title("文" * 80) == f"{'文' * 28}…"


def test_headings_that_say_little_alone_are_named_with_their_document():
    def choices(title: str, *headings: str) -> tuple[str, ...]:
        text = "".join(f"## {heading}\nAsk at the desk 9 to 5. 受付でどうぞ。\n" for heading in headings)
        return section_choices(
            [Hit(passage=passage, score=1.0) for passage in passages(Document("a.md", f"# {title}\n\n{text}"))]
        )

    assert choices("Hiring the hall", "Fees and deposits", "Chairs, tables and lights", "Fees for the hall") == (
        "Fees and deposits (Hiring the hall)",
        "Chairs, tables and lights",
        "Fees for the hall",
    )
    assert choices("体育館の手引き", "申込みと抽選", "連絡先", "けがをしたときの届け出") == (
        "申込みと抽選（体育館）",
        "連絡先（体育館）",
        "けがをしたときの届け出",
    )


def test_title_blocks_and_rules_are_no_choices_but_short_documents_are():
    block = "# Club handbook\n\nIssue 4, valid from May. Office: 555 0100.\n\n"
    cut = passages(Document("a.md", f"{block}## Guests of members\nThree a year.\n\n## Lost club keys\n---\n"))
    hits = [Hit(passage=passage, score=1.0) for passage in cut]
    assert section_choices(hits) == ("Guests of members",)
    assert section_choices(hits[:1], hits) == ()
    short = [Hit(passage=passage, score=1.0) for passage in passages(Document("b.md", "# Parking\n\nIt is free.\n"))]
    assert section_choices([*hits[1:], *short]) == ("Guests of members", "Parking")
    long = passages(Document("c.md", f"# Club handbook\n\n{'Members may bring guests. ' * 20}\n\n## Guests\nThree.\n"))
    assert section_choices([Hit(passage=passage, score=1.0) for passage in long])[0] == "Club handbook"


def test_equal_headings_and_weak_ones_are_told_apart_as_choices():
    text = "図書室の案内\n\n■ 本の貸し出し\n一度に3冊まで借りられます。\n\n■ その他\n傘も借りられます。\n"
    hits = [
        Hit(passage=passage, score=1.0)
        for name in ("a.txt", "b.txt")
        for passage in passages(Document(name, text.replace("図書室", "図書室" if name == "a.txt" else "体育館")))
    ]
    assert section_choices(hits[:2]) == ("本の貸し出し", "その他（図書室）")
    rooms = ("本の貸し出し（図書室）", "その他（図書室）", "本の貸し出し（体育館）", "その他（体育館）")
    assert section_choices(hits) == rooms
    assert all(names_section("その他（体育館）", hit.title, hit.heading) == (hit is hits[3]) for hit in hits)


def test_the_title_of_a_text_without_headings_is_not_repeated_in_it():
    rules = "Rules of the rowing club\n\nMembers may take out a boat on Sundays. Guests may not.\n"
    (passage,) = passages(Document("rules.txt", rules))
    assert passage.title == "Rules of the rowing club" and passage.text.startswith("Members may")
    for text in (
        "Members may take out a boat.\n\nGuests may not.\n",
        "Rules of the rowing club\n",
        rules.replace("\n\n", "\n"),
    ):
        (passage,) = passages(Document("rules.txt", text))
        assert passage.text.startswith(text[:10])


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("tejun.md", "おいしい温め方\n\n1. 袋から出します。\n2. 温めます。\n", "おいしい温め方"),
        ("how-to.md", "How to freeze\n\n1. Open the app.\n2. Press Freeze.\n", "How to freeze"),
        ("how-to.md", "1. Open the app.\n\n2. Press Freeze.\n", "how-to"),
        ("plain.md", "Open the app and press Freeze.\n\nThen wait.\n", "plain"),
        (
            "kiyaku.txt",
            "宿屋定期便利用規約(抄)。本規約は、当社が提供する定期購入契約の利用条件を定めるものであり、会員は本規約に同意のうえ申し込むものとします。\n",
            "宿屋定期便利用規約(抄)",
        ),
        (
            "yakkan.txt",
            "この約款は、当店が貸し出す自転車および電動アシスト自転車の利用について、その条件と料金と補償の範囲を定めるものです。借りる人は守ってください。\n",
            "この約款は、当店が…",
        ),
    ],
)
def test_the_title_of_a_text_without_headings_is_its_first_line_if_that_is_one(name: str, text: str, title: str):
    assert {one.title for one in passages(Document(name, text))} == {title}
