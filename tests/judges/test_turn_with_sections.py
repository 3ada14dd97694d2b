"""With the probabilities of the sections the turn judge sees that a neighbouring one would have fitted better."""

from __future__ import annotations

import pytest

from core.base.types import Answer, Clarify, LikelySection, Route, Sample, Scenario, Score, SectionHit, Turn
from core.judges.rules.answer_measures import measure
from core.judges.turn.rating import ReplyKind, expected_rating, fitted, reply_features_by_sections, score_of_rating
from core.runs.judging.samples import sample_of
from tests.support.turn_judge import judged, label

HOURS, LOGIN = "駐輪場の手引き › 駐輪場の利用時間", "駐輪場の手引き › 駐輪場の登録の手順"
SHELF = (
    f"{HOURS}\n駐輪場は朝6時から夜11時まで開いています。夜間は門を閉めます。",
    f"{LOGIN}\n受付で登録票を書き、ステッカーを自転車に貼ります。",
    "郵便の手引き › 宅配便の送り方\n伝票を書いて、3時までに地下の発送所へ持って行きます。",
)
REFUSAL = "申し訳ありません、わかりません。資料には見当たりませんでした。受付(内線 10)へお問い合わせください。"


def sections(*probabilities: float) -> tuple[LikelySection, ...]:
    names = (text.partition("\n")[0].split(" › ") for text in SHELF)
    return tuple(
        LikelySection(title=title, heading=heading, probability=probability)
        for (title, heading), probability in zip(names, probabilities, strict=True)
    )


def turn(question: str, answer: str, *probabilities: float, **fields: object) -> dict[str, Score]:
    found = {"sections": sections(*probabilities), **fields}
    return judged(answer, question, SHELF, **found)


def test_an_answer_from_the_likeliest_section_is_better_than_one_with_a_likelier_neighbour() -> None:
    answer = "受付で登録票を書き、ステッカーを自転車に貼ります。[2]"
    sure = turn("自転車を置きたいんですけど", answer, 0.02, 0.9, 0.01)
    rivalled = turn("自転車を置きたいんですけど", answer, 0.9, 0.02, 0.01)
    assert label(sure) > label(rivalled)
    assert "駐輪場の利用時間" in rivalled["relevance"].reasons


def test_an_unlikely_section_quoted_beside_the_likeliest_lowers_the_mark() -> None:
    answer = "駐輪場は朝6時から夜11時まで開いています。[1]"
    beside = f"{answer}\n\n伝票を書いて、3時までに地下の発送所へ持って行きます。[3]"
    alone, both = (turn("駐輪場はいつ開いていますか", text, 0.7, 0.3, 0.004) for text in (answer, beside))
    assert label(alone) > label(both)


def test_a_sentence_left_out_that_is_more_like_the_message_lowers_the_expected_rating() -> None:
    def unsaid(answer: str) -> float:
        sample = Sample(
            question="夜間に門は閉まりますか", answer=answer, contexts=SHELF, sections=sections(0.9, 0.1, 0.1)
        )
        return reply_features_by_sections("answer", sample, measure(sample))["unsaid"]

    assert unsaid("夜間は門を閉めます。[1]") < unsaid("駐輪場は朝6時から夜11時まで開いています。[1]")


def test_a_true_quote_is_not_marked_down_for_words_that_the_message_does_not_share() -> None:
    found = turn("朝はいつから置ける?", "駐輪場は朝6時から夜11時まで開いています。[1]", 0.95, 0.01, 0.01)
    assert label(found) >= 4
    assert label(found, "relevance") >= 4


def test_an_answer_that_contradicts_its_passage_is_not_saved_by_a_likely_section() -> None:
    found = turn("駐輪場は何時まで?", "駐輪場は朝6時から夜9時まで開いています。[1]", 0.98, 0.01, 0.01)
    assert label(found) <= 2


def test_a_refusal_is_worse_the_likelier_a_section_is_and_never_praised() -> None:
    far = turn("今日の天気は?", REFUSAL, 0.001, 0.001, 0.001)
    near = turn("駐輪場は何時まで?", REFUSAL, 0.97, 0.02, 0.01)
    assert label(near) <= 2 < label(far) == 4


def test_an_offer_of_the_near_section_is_better_than_one_beside_the_point() -> None:
    def offered(choice: str) -> dict[str, Score]:
        text = f"「{choice}」のことでしたら、選んでいただければご案内します。ほかの件は、資料には見当たりませんでした。"
        return turn("駐輪場の登録", text, 0.2, 0.4, 0.01, choices=(choice,))

    assert label(offered("駐輪場の登録の手順")) > label(offered("宅配便の送り方"))


def test_a_refusal_that_offers_nothing_near_and_nobody_to_ask_has_the_lowest_mark() -> None:
    bare = turn("駐輪場の登録の手順", "わかりません。", 0.1, 0.1, 0.1, choices=("宅配便の送り方",))
    assert label(bare) == label(bare, "completeness") == 1


def test_choices_without_the_likely_section_lower_a_clarifying_question() -> None:
    def asked(*choices: str) -> dict[str, Score]:
        text = "どの内容をお知りになりたいですか。" + "".join(f"「{choice}」" for choice in choices)
        return turn("登録", text, 0.1, 0.9, 0.01, choices=choices, asked_back=True)

    assert label(asked("駐輪場の登録の手順", "駐輪場の利用時間")) > label(asked("宅配便の送り方", "駐輪場の利用時間"))


def test_a_clarifying_question_that_came_without_passages_is_rated_by_its_sections() -> None:
    def asked(*choices: str) -> dict[str, Score]:
        text = "どの内容をお知りになりたいですか。" + "".join(f"「{choice}」" for choice in choices)
        found = {"sections": sections(0.1, 0.9, 0.01), "choices": choices, "asked_back": True}
        return judged(text, "登録", (), **found)

    assert label(asked("宅配便の送り方", "駐輪場の利用時間")) < 5


def test_a_clarifying_question_without_choices_helps_little() -> None:
    found = turn("登録", "どのような場面のことか、詳しく教えていただけますか。", 0.3, 0.3, 0.1, asked_back=True)
    assert label(found) <= 2


def test_small_talk_as_the_bot_sees_it_is_no_answer_to_check() -> None:
    found = turn(
        "これって中に人がいるの?",
        "自動で応答しています。お気軽にお尋ねください。",
        0.01,
        0.01,
        0.01,
        asks_nothing=True,
        small_talk_probability=0.9,
    )
    assert label(found) >= 4
    assert found["correctness"].value is None


def test_what_is_known_to_be_meant_decides_and_not_the_sections() -> None:
    answer = "受付で登録票を書き、ステッカーを自転車に貼ります。[2]"
    known = {"reference": ("受付で登録票を書き、ステッカーを自転車に貼る。",)}
    likely, unlikely = (turn("登録", answer, *probabilities, **known) for probabilities in ((0, 0.9, 0), (0.9, 0, 0)))
    assert {name: one.label for name, one in likely.items()} == {name: one.label for name, one in unlikely.items()}


@pytest.mark.parametrize("reply", ["answer", "question", "offer", "refusal", "small_talk"])
def test_ratings_of_every_kind_are_on_one_scale(reply: ReplyKind) -> None:
    names = fitted(True)[reply].keys() - {"acceptable", "good"}
    assert all(0 <= expected_rating(reply, dict.fromkeys(names, value), True) <= 2 for value in (-5.0, 0.0, 1.0))
    assert [score_of_rating(rating) for rating in (0.59, 0.6, 0.9, 1.2, 1.5)] == [1, 2, 3, 4, 5]


def test_a_sample_has_the_sections_that_the_bot_found() -> None:
    found = tuple(
        SectionHit(
            document="a.md", title="駐輪場", heading=name, score=score, strength=score, example=score, coverage=score
        )
        for name, score in (("利用時間", 0.9), ("登録", 0.2))
    )
    asking = sample_of(
        Scenario(id="1", question="何時"), Turn(message="何時", reply=Clarify(text="?"), sections=found), ()
    )
    assert [one.heading for one in asking.sections] == ["利用時間", "登録"]
    assert asking.sections[0].probability > asking.sections[1].probability
    assert asking.response_probabilities and set(asking.response_probabilities) == {"answer", "ask", "refuse"}


def test_a_bot_that_searched_nothing_for_a_greeting_tells_so() -> None:
    route = Route(decision="search", rule=6)
    talk = Turn(message="hi", reply=Answer(text="Hello."), route=route, hits=())
    external = Turn(message="hi", reply=Answer(text="Hello."), hits=None)
    told, untold = (sample_of(Scenario(id="1", question="hi"), one, ()) for one in (talk, external))
    assert told.asks_nothing
    assert not untold.asks_nothing
    assert not untold.sections
