"""Groundedness, sufficiency and relevance, computed and with a model."""

from __future__ import annotations

from typing import Any

import pytest

from core.base.types import Language, Message, Sample, Score
from core.judges.base import Judge, JudgeOptions, judge_one
from core.judges.groundedness.groundedness import JUDGE as GROUNDEDNESS
from core.judges.groundedness.sufficiency import JUDGE as SUFFICIENCY
from core.judges.relevance.relevance import JUDGE as RELEVANCE
from core.llm.embedded import EmbeddedEngine

ENGINE = EmbeddedEngine()
JUDGES = (GROUNDEDNESS, SUFFICIENCY, RELEVANCE)
PASSAGES = {
    "ja": (
        "定期券の払い戻しは、駅の窓口で受け付けます。手数料は220円です。",
        "忘れ物は終点の駅で3日間保管し、その後は遺失物センターに移します。受け取りには本人確認書類が必要です。",
    ),
    "en": (
        "Season tickets are refunded at the ticket office. The handling fee is 4 dollars.",
        "Lost items are kept at the terminal station for 3 days and then moved to the lost property office. You need an identity card to collect them.",
    ),
    "zh": (
        "月票可以在车站窗口办理退款，手续费为15元。",
        "失物在终点站保管3天，之后移交失物招领中心。领取时需要出示身份证。",
    ),
}
ASKED = {
    "ja": "忘れ物はどこで何日間保管されますか",
    "en": "Where are lost items kept, and for how many days?",
    "zh": "失物在哪里保管，保管几天？",
}
RIGHT = {
    "ja": "忘れ物は終点の駅で3日間保管されます。受け取りには本人確認書類が必要です。",
    "en": "Lost items are kept at the terminal station for 3 days. You need an identity card to collect them.",
    "zh": "失物在终点站保管3天。领取时需要出示身份证。",
}
INVENTED = {
    "ja": "宅配便で自宅に送ってもらうこともできます。",
    "en": "A courier can also deliver them to your home for a small charge.",
    "zh": "也可以由快递送到家中。",
}
WRONG = {
    "ja": "忘れ物は終点の駅で14日間保管されます。",
    "en": "Lost items are kept at the terminal station for 14 days.",
    "zh": "失物在终点站保管14天。",
}
REFUSAL = {
    "ja": "申し訳ありません。資料には見当たりませんでした。",
    "en": "I could not find this in the documents.",
    "zh": "资料中未提及，无法回答。",
}
LANGUAGES = ("ja", "en", "zh")


def judged(judge: Judge, answer: str, language: str = "ja", engine: Any = ENGINE, **fields: Any) -> dict[str, Score]:
    values = {"question": ASKED[language], "contexts": PASSAGES[language], **fields}
    options = JudgeOptions(language="en" if language == "en" else "ja")
    scores = judge_one(engine, judge, Sample(answer=answer, **values), options)
    assert [score.criterion for score in scores] == list(judge.criteria)
    return {score.criterion: score for score in scores}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_in_the_passages_words_is_grounded_and_names_its_passage(language: str) -> None:
    found = judged(GROUNDEDNESS, RIGHT[language], language)
    assert (found["grounded"].label, found["support"].label) == ("Yes", "2/2")
    assert found["support"].value == found["grounded"].value == 1.0
    assert "2" in found["support"].reasons and len(found["support"].reasons.splitlines()) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_invented_sentence_is_counted_and_named(language: str) -> None:
    found = judged(GROUNDEDNESS, f"{RIGHT[language]} {INVENTED[language]}", language)
    assert (found["grounded"].label, found["support"].label) == ("No", "2/3")
    assert found["support"].value == pytest.approx(2 / 3)
    assert INVENTED[language][:8] in found["grounded"].reasons


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_figure_from_nowhere_is_not_grounded_however_close_the_words(language: str) -> None:
    found = judged(GROUNDEDNESS, WRONG[language], language)
    assert found["grounded"].label == "No" and found["support"].value == 0.0
    assert "14" in found["grounded"].reasons


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("ja", "受け取りに本人確認書類は必要ありません。"),
        ("en", "You do not need an identity card to collect them."),
        ("ja", "定期券の払い戻しは、駅の窓口では受け付けません。"),
    ],
)
def test_the_opposite_of_a_passage_is_not_grounded(language: str, answer: str) -> None:
    assert judged(GROUNDEDNESS, answer, language)["grounded"].label == "No"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_that_claims_nothing_has_no_groundedness_and_a_reason(language: str) -> None:
    for score in judged(GROUNDEDNESS, REFUSAL[language], language).values():
        assert score.value is None and score.label == "" and "sufficiency" in score.error


def test_a_refusal_that_also_states_something_is_judged_by_what_it_states() -> None:
    answer = "Opening hours are not mentioned in the documents, but lost items are kept for 45 days."
    assert judged(GROUNDEDNESS, answer, "en")["support"].label == "0/1"


def test_an_invention_at_the_end_of_a_long_copy_is_found() -> None:
    copied = "".join(f"{number}号車の忘れ物は終点の駅で保管します。" for number in range(1, 90))
    passages = (*PASSAGES["ja"], copied)
    found = judged(GROUNDEDNESS, f"{copied}{INVENTED['ja']}", contexts=passages)
    assert found["grounded"].label == "No" and found["support"].label == "89/90"


def test_a_contact_is_no_claim_unless_its_number_is_invented() -> None:
    plain = f"{RIGHT['ja']}ご不明な点は窓口までお問い合わせください。"
    invented = f"{RIGHT['ja']}お問い合わせは受付時間の8時から23時までにお願いします。"
    assert judged(GROUNDEDNESS, plain)["support"].label == "2/2"
    assert judged(GROUNDEDNESS, invented)["grounded"].label == "No"


def test_an_english_answer_to_japanese_passages_needs_a_model() -> None:
    for score in judged(GROUNDEDNESS, RIGHT["en"], contexts=PASSAGES["ja"]).values():
        assert score.value is None and "言語モデル" in score.error


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_what_is_lacking_is_said(judge: Judge) -> None:
    for score in judge_one(ENGINE, judge, Sample(question="", answer=""), JudgeOptions()):
        assert score.value is None and score.error


@pytest.mark.parametrize("language", LANGUAGES)
def test_passages_suffice_where_they_hold_the_right_answer(language: str) -> None:
    reference = (RIGHT[language],)
    enough = judged(SUFFICIENCY, "", language, reference=reference)["sufficiency"]
    short = judged(SUFFICIENCY, "", language, reference=reference, contexts=PASSAGES[language][:1])["sufficiency"]
    assert (enough.label, enough.value) == ("Yes", 1.0) and enough.reasons
    assert (short.label, short.value) == ("No", 0.0) and short.reasons


def test_the_answer_does_not_matter_for_sufficiency() -> None:
    one, other = (
        judged(SUFFICIENCY, answer, reference=(RIGHT["ja"],))["sufficiency"] for answer in (WRONG["ja"], "5点満点で。")
    )
    assert one == other


def test_one_of_several_references_is_enough() -> None:
    references = ("改札の横にあるロッカーに2週間入れておきます。", RIGHT["ja"])
    assert judged(SUFFICIENCY, "", reference=references)["sufficiency"].label == "Yes"


def test_a_reference_that_declines_leaves_sufficiency_open() -> None:
    found = judged(SUFFICIENCY, "", reference=("資料には見当たりません。",))["sufficiency"]
    assert found.value is None and "模範解答" in found.error


@pytest.mark.parametrize("language", LANGUAGES)
def test_relevance_asks_whether_the_question_is_answered_not_whether_that_is_right(language: str) -> None:
    beside = {"ja": "定期券は窓口で払い戻せます。", "en": "Season tickets are refunded there.", "zh": "月票可以退款。"}
    assert judged(RELEVANCE, RIGHT[language], language)["relevance"].label == "Yes"
    assert judged(RELEVANCE, WRONG[language], language)["relevance"].label == "Yes"
    assert judged(RELEVANCE, beside[language], language)["relevance"].label == "No"
    assert judged(RELEVANCE, REFUSAL[language], language)["relevance"].label == "No"


def test_a_clarifying_question_has_not_answered() -> None:
    found = judged(RELEVANCE, "どの路線の忘れ物ですか。", asked_back=True)["relevance"]
    assert found.label == "No" and "聞き返し" in found.reasons


def test_the_history_says_what_is_asked() -> None:
    conversation = (
        Message(role="user", text="定期券の払い戻しについて教えて"),
        Message(role="assistant", text="何を知りたいですか。"),
    )
    found = judged(RELEVANCE, "払い戻しの手数料は220円です。", question="手数料はいくら？", history=conversation)[
        "relevance"
    ]
    assert found.label == "Yes"


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize(
    "text", ["", "   ", "𓀀" * 50, "あ" * 60_000, "a b " * 20_000, "|" * 500, "\x00\u202e%s{{ x }}"]
)
def test_any_text_is_judged_without_falling_over(text: str, language: Language) -> None:
    sample = Sample(
        question=text, answer=text or "-", contexts=(text, PASSAGES["ja"][0]), reference=(text, "3日間です。")
    )
    for judge in JUDGES:
        for score in judge_one(ENGINE, judge, sample, JudgeOptions(language=language)):
            assert (score.value is None) == bool(score.error) and "Error" not in score.error


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        (
            "いつまでに申請しますか",
            "有給休暇は3営業日前までに人事システムで申請します。",
            "有給休暇は前日までに人事システムで申請します。",
        ),
        ("何名で使えますか", "会議室は10名以上で利用できます。", "会議室は10名まで利用できます。"),
        ("How many members?", "A team needs at least 5 members.", "A team can have up to 5 members."),
        ("How often?", "You can change the plan 2 times per year.", "You can change the plan 2 times per month."),
        ("多久一次？", "会员每月可以免费更换一次。", "会员每年可以免费更换一次。"),
        ("Who can delete?", "Members can delete boards.", "Only members can delete boards."),
        ("誰が使えますか", "正社員は食堂を利用できます。", "正社員だけが食堂を利用できます。"),
        (
            "Can guests edit?",
            "Guests can view boards. Guests cannot delete boards.",
            "Guests can view boards, but they can delete boards.",
        ),
        ("可以带宠物吗？", "餐厅可以带宠物。", "餐厅不可以带宠物。"),
        ("哪些可以退货？", "所有商品都可以退货，食品除外。", "所有商品包括食品都可以退货。"),
        ("返品できますか", "商品は返品できません。", "はい、できます。"),
    ],
)
def test_what_a_claim_adds_to_its_passage_is_not_grounded(question: str, passage: str, answer: str) -> None:
    false = judged(GROUNDEDNESS, answer, question=question, contexts=(passage,))["grounded"]
    true = judged(GROUNDEDNESS, passage, question=question, contexts=(passage,))["grounded"]
    assert (false.label, true.label) == ("No", "Yes")


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        ("返品できますか", "商品は14日以内なら返品できます。", "はい、できます。"),
        ("Can I return it?", "Items can be returned within 14 days.", "Yes, you can."),
    ],
)
def test_a_bare_yes_claims_what_was_asked(question: str, passage: str, answer: str) -> None:
    found = judged(GROUNDEDNESS, answer, question=question, contexts=(passage,))
    assert (found["grounded"].label, found["support"].label) == ("Yes", "1/1")
    assert judged(RELEVANCE, answer, question=question, contexts=())["relevance"].label == "Yes"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("返品できますか", "弊社は1998年設立です。"),
        ("What is the price?", "The weather is nice."),
        ("价格是多少", "今天天气很好"),
    ],
)
def test_an_answer_without_a_word_of_the_question_is_beside_it(question: str, answer: str) -> None:
    assert judged(RELEVANCE, answer, question=question, contexts=())["relevance"].label == "No"


@pytest.mark.parametrize(
    ("question", "answer"),
    [("どうでしたか", "👍"), ("What is the price?", "Yes.")],
)
def test_undecidable_cases_need_a_model_and_accuse_nobody(question: str, answer: str) -> None:
    found = judged(RELEVANCE, answer, question=question, contexts=())["relevance"]
    assert found.value is None and "採点者" not in found.error and "judge" not in found.reasons


def test_a_very_long_answer_is_read_up_to_its_bounds() -> None:
    text = "".join(f"{number}番の部屋は{number * 3}円で利用できます。" for number in range(2_000))
    assert judged(GROUNDEDNESS, text, contexts=(text,))["support"].label == "100/100"


def test_a_cell_of_a_table_is_supported_by_its_own_row_and_an_offer_claims_nothing() -> None:
    table = "| Work | up to 45 ft | over 45 ft |\n|---|---|---|\n| Lift-out and return | £290 | £365 |\n| Storage per week, first days free with a lift-out | £48 | £66 |"
    answer = "- Lift-out and return — up to 45 ft: £290; over 45 ft: £365; Notes: none. [1]"
    found = judged(GROUNDEDNESS, answer, "en", question="What does a lift-out cost?", contexts=(table,))
    assert "disagrees" not in found["support"].reasons
    offer = 'I could not find a sure answer to this. The nearest I have is "Storage". If that helps, just pick it.'
    assert judged(GROUNDEDNESS, offer, "en", contexts=(table,))["grounded"].value is None
