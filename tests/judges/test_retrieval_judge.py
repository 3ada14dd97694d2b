"""Retrieval: recall, EIR and precision, counted."""

from __future__ import annotations

import pytest

from core.base.types import Sample, Score
from core.judges.base import MAX_ITEMS, JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.judges.retrieval.retrieval import JUDGE, holds, words
from core.llm.embedded import EmbeddedEngine

ENGINE = EmbeddedEngine()


def judged(evidence: tuple[str, ...], contexts: tuple[str, ...]) -> dict[str, Score]:
    sample = Sample(question="q", answer="", evidence=evidence, contexts=contexts)
    return {score.criterion: score for score in judge_one(ENGINE, JUDGE, sample, JudgeOptions())}


def labels(found: dict[str, Score]) -> list[str]:
    return [score.label for score in found.values()]


def test_each_sentence_of_a_reference_must_be_in_some_passage() -> None:
    contexts = ("窓口は平日に開いています。受付は9時から。", "郵送でも申し込めます。", "駐車場はありません。")
    found = judged(("窓口は平日に開いています。郵送でも申し込めます。",), contexts)
    assert found["recall"].label == "1/1" and found["precision"].label == "2/3"
    found = judged(("窓口は平日に開いています。土曜は休みです。",), contexts)
    assert found["recall"].label == "0/1" and "土曜は休みです" in found["recall"].reasons
    assert found["precision"].label == "1/3"


def test_eir_counts_the_words_of_found_sentences_once_over_all_words_retrieved() -> None:
    found = judged(
        ("The desk opens at nine.", "Rooms are free."),
        ("The desk opens at nine. Bring your card.", "The desk opens at nine."),
    )
    assert labels(found) == ["1/2", "5/13", "2/2"]
    assert found["eir"].value == pytest.approx(5 / 13)


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        ("料金は１，０００円（税込）です。", "料金は1,000円(税込)です。"),
        ("The  Desk opens\nat nine a.m.", "the desk opens at nine a.m."),
        ("本公司于2021年4月，完成了收购。", "本公司于2021年4月完成了收购。"),
        (
            "申請は利用する日の三日前までに総務課の窓口へ提出してください。",
            "申請は利用日の三日前までに総務課の窓口へ提出してください。",
        ),
    ],
)
def test_small_differences_of_writing_do_not_matter(passage: str, sentence: str) -> None:
    assert holds(passage, sentence)


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        (
            "会議室の利用料金は一時間あたり500円ですので、ご注意ください。",
            "会議室の利用料金は一時間あたり600円ですので、ご注意ください。",
        ),
        (
            "The company reduced its liabilities by 15 million dollars in August 2017.",
            "The company reduced its liabilities by 18 million dollars in August 2017.",
        ),
        ("9時から", "10時"),
        ("", "窓口は平日に開いています。"),
    ],
)
def test_another_figure_is_another_sentence(passage: str, sentence: str) -> None:
    assert not holds(passage, sentence)


def test_a_character_of_japanese_and_chinese_counts_as_a_word() -> None:
    assert (words("料金は500円です。"), words("It costs 5 dollars."), words("收购了A公司")) == (7, 4, 6)


@pytest.mark.parametrize("evidence", [(), ("",), ("。", "・・・")])
def test_a_question_without_references_is_unscored(evidence: tuple[str, ...]) -> None:
    for score in judged(evidence, ("窓口は平日に開いています。",)).values():
        assert score.value is None and "根拠" in score.error


def test_without_passages_it_says_so() -> None:
    assert all("資料" in score.error for score in judged(("窓口は平日に開いています。",), ()).values())


def test_a_search_that_found_something_else_scores_zero() -> None:
    assert [score.value for score in judged(("窓口は平日に開いています。",), ("駐車場はありません。",)).values()] == [
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("text", ["a" * 50_000, "あ。" * 20_000, "𓀀𓀁", "\x00\x01", "((((" * 300])
def test_any_text_is_counted_without_falling_over(text: str) -> None:
    for score in judged((text, "x"), (text, "y" * 9_000)).values():
        assert "Error" not in score.error and (score.value is None or 0 <= score.value <= 1)


def test_a_row_of_very_many_parts_is_unscored_with_a_sentence() -> None:
    many = tuple(f"Part {n}." for n in range(MAX_ITEMS + 1))
    sample = Sample(question="q", answer="a", contexts=("Part 1.",), evidence=many, keypoints=many[:-1])
    for judge in judges_of(("retrieval", "keypoints", "turn")):
        scores = judge_one(ENGINE, judge, sample, JudgeOptions(language="en"))
        assert all(one.value is None and "1001" in one.error and "1000" in one.error for one in scores)
    as_many = sample.model_copy(update={"evidence": many[:-1]})
    assert judge_one(ENGINE, JUDGE, as_many, JudgeOptions())[0].value is not None
