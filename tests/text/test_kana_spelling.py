"""Messages in kana are spelt as texts spell their words."""

from pathlib import Path

import pytest

from core.text.kana_spelling import KanaSpelling
from core.text.stored_readings import MIN_TEXTS

TEXTS = (
    "領収書の宛名\n領収書の宛名を会社の名前に変える手順です。",
    "紙詰まりのとき\nコピー機の紙が詰まったら、取り除いてください。",
    "有給休暇は何日もらえますか。機能の一覧を見ます。",
    "松本工場だけ、自分の車で通うことができます。申請書を出します。",
)
EVERYDAY = ("昨日から調子が悪いです。", "昨日、注文しました。")
SPELLING = KanaSpelling(TEXTS, EVERYDAY)


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("りょうしゅうしょの なまえを かいしゃの なまえに", "領収書の 名前を 会社の 名前に"),
        ("まつもとでじぶんのくるまで", "松本で自分の車で"),
        ("こぴーきの紙", "コピー機の紙"),
        ("きのう", "昨日"),  # the texts have 機能, and everyday sentences begin with 昨日
    ],
)
def test_kana_are_spelt_as_in_the_texts(text: str, spelt: str) -> None:
    assert SPELLING.respelled(text) == spelt


@pytest.mark.parametrize(
    "text",
    [
        "領収書の名前を変えたい",
        "会社が変わりました",  # an ending is no word
        "起きていました",
        "ぬるぽ",
        "Invoice, please",
        "",
        "　",
    ],
)
def test_what_needs_no_other_spelling_stays(text: str) -> None:
    assert SPELLING.respelled(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "窓口のおじさんに聞いた",
        "会社を辞めようと思って",
        "新しいほうで出せますか",
        "どこも満室でした",
        "動いてはいない",
        "こういうのは初めてです",
    ],
)
def test_no_part_of_another_word_is_respelt(text: str) -> None:
    spelling = KanaSpelling(
        (
            "身分証をご持参ください。",
            "用途を書きます。用途は自由です。",
            "違法な行為は禁止です。",
            "更衣室へ。手配します。",
        ),
        EVERYDAY,
    )
    assert spelling.respelled(text) == text


def test_a_run_of_any_length_is_read() -> None:
    assert len(SPELLING.respelled("あ" * 3_000)) > 2_000


def test_what_is_stored_spells_as_what_was_learned(home: Path) -> None:
    texts = [f"{TEXTS[number % len(TEXTS)]}その{number}" for number in range(MIN_TEXTS)]
    learned, stored = KanaSpelling(texts, EVERYDAY), KanaSpelling(texts, EVERYDAY)
    for text in ("りょうしゅうしょをなくした", "きのうのかいぎ", "よやく"):
        assert learned.respelled(text) == stored.respelled(text)
    assert any((home / "data" / "prepared").rglob("model.json"))
