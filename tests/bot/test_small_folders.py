"""A folder of a few passages, as somebody brings it on the first day: what it holds is answered or offered, the rest refused."""

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Turn
from core.bot.answer_ask_refuse import response_probabilities
from core.bot.section_probability import documented_probability, is_documented
from core.bot.turn import take_turn
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes

UMBRELLAS = """# 傘の貸し出し

## 借り方

受付で名前を書くと、傘を1本借りられます。借りられるのは3日間です。

## なくしたとき

傘をなくしたときは、受付で800円を払ってください。

## 返す場所

返却は正面玄関の傘立てに入れるだけです。夜間は裏口のかごに入れてください。

## 予約

予約はできません。当日の先着順です。
"""
BICYCLES = """# Bicycle rental

## How to borrow

Show your badge at the front desk and take a bicycle for up to 4 hours.

## Lost key

If you lose the key, tell the desk at once. A new key costs 25 dollars.

## Where to return

Return the bicycle to the rack behind the main hall before 8 pm.

## Helmets

Helmets are free and come in three sizes.
"""


def reply_of(folder: Path, text: str, sections: int = 4) -> Turn:
    language = "en" if text.isascii() else "ja"
    document = BICYCLES if text.isascii() else UMBRELLAS
    documents = folder / "knowledge" / "lend" / "documents"
    documents.mkdir(parents=True)
    (documents / "lend.md").write_text("\n## ".join(document.split("\n## ")[: sections + 1]), "utf-8")
    (documents.parent / "bot.toml").write_text(f'name = "Lend"\nlanguage = "{language}"\n', "utf-8")
    bot = load_bot("lend", folder / "knowledge")
    return take_turn(EmbeddedEngine(), bot, Indexes(folder / "index").get(bot), (), text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("傘をなくしてしまった、いくら払うの", "800円"),
        ("どこに返せばいいですか", "正面玄関"),
        ("予約したい", "先着順"),
        ("夜に返したい", "裏口"),
        ("I lost the key, what does it cost?", "25 dollars"),
        ("where to return the bicycle", "main hall"),
    ],
)
def test_what_four_passages_hold_is_answered(tmp_path: Path, text: str, expected: str):
    turn = reply_of(tmp_path, text)
    assert turn.reply.answered and expected in turn.reply.text


@pytest.mark.parametrize(
    ("text", "section"),
    [("傘を借りられますか", "借り方"), ("How long can I keep a bicycle?", "How to borrow")],
)
def test_what_is_near_is_answered_or_offered_but_not_refused(tmp_path: Path, text: str, section: str):
    turn = reply_of(tmp_path, text)
    answered = turn.reply.kind == "answer" and turn.reply.answered
    offered = (turn.hits[0].passage.heading,) if answered else turn.reply.choices
    assert any(section in one for one in offered)


@pytest.mark.parametrize(
    "text", ["駐車場はどこですか", "有給休暇の日数を教えて", "Is there a swimming pool?", "What is the CEO's salary?"]
)
@pytest.mark.parametrize("sections", [1, 4])
def test_what_a_few_passages_do_not_speak_of_is_refused(tmp_path: Path, text: str, sections: int):
    turn = reply_of(tmp_path, text, sections)
    assert turn.reply.kind == "answer" and not turn.reply.answered and not turn.reply.cited


def test_one_section_is_answered_from_and_not_offered_as_the_only_choice(tmp_path: Path):
    turn = reply_of(tmp_path, "傘を借りられますか", 1)
    assert turn.reply.answered and "3日間" in turn.reply.text


def test_evidence_is_the_same_among_few_passages_and_among_many(tmp_path: Path):
    """Neither BM25 nor the standing among other passages may decide: both grow with the collection."""
    wanted = Document("key.md", "# 鍵\n\n## 鍵の受け取り\n\n鍵は3階の守衛室で社員証を見せて受け取ります。")
    other = [Document(f"{n}.md", f"# 品目{n}\n\n## 番号{n}\n\n棚{n}の箱{n}に{n}個あります。") for n in range(150)]
    indexes, text = Indexes(tmp_path), "鍵はどこで受け取れますか"
    few = indexes.of_documents("few", [wanted, *other[:2]]).search(text, 6)
    many = indexes.of_documents("many", [wanted, *other]).search(text, 6)
    assert few[0].passage.document == many[0].passage.document == "key.md"
    assert documented_probability(text, few) == pytest.approx(documented_probability(text, many), abs=0.05)
    assert is_documented(text, few, 3) and is_documented(text, many, 152)


def test_words_that_no_document_has_are_known_and_speak_against_an_answer(indexes: Indexes):
    index = indexes.of_documents("umbrellas", [Document("kasa.md", UMBRELLAS)])
    (known, *_), (unknown, *_) = index.sections("傘を借りられますか"), index.sections("傘の刺繍はデザインを選べますか")
    assert known.unknown_words == () and {"刺繍", "デザイン"} <= set(unknown.unknown_words)
    refused = [
        response_probabilities("傘を借りられますか", [known.model_copy(update={"unknown_words": words})])["refuse"]
        for words in ((), ("刺繍", "デザイン"))
    ]
    assert refused[0] < refused[1]
