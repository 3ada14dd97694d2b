"""What a message says of the reply before it."""

import pytest

from core.text.reactions import (
    asks_to_confirm,
    correction,
    is_astonished,
    rejects_all,
    says_unhelped,
    without_filler,
)


@pytest.mark.parametrize(
    ("text", "meant", "instead_of"),
    [
        ("no, the workspace, not the account", "the workspace", "account"),
        ("No, I meant the other plan", "the other plan", ""),
        ("海外じゃなくて国内です", "国内です", "海外"),
        ("いや、そうじゃなくて退職の方です", "退職の方です", ""),
        ("そういうことじゃなくて、退職の方です", "退職の方です", ""),
        ("いや請求じゃなくて、解約の話です", "解約の話です", "請求"),
        ("いや場所はもう分かったので、時間だけ教えて", "場所はもう分かったので、時間だけ教えて", ""),
        ("土曜じゃないです。日曜は開いてますか", "日曜は開いてますか", "土曜"),
        ("学割の話はもういいよ。毎月の金額を教えて", "毎月の金額を教えて", "学割"),
        ("no not the invoice, the receipt", "the receipt", "invoice"),
        (
            "Not the percentages again please. Which papers must I send in?",
            "Which papers must I send in?",
            "percentages",
        ),
        (
            "I said NOT the waiting list!! The extra fee, what is it for?",
            "The extra fee, what is it for?",
            "waiting list",
        ),
        ("I don't mean refunds, I want to pause it", "I want to pause it", "refunds"),
        ("not asking about the price anymore, when do you open", "when do you open", "price"),
    ],
)
def test_a_correction_says_what_is_meant_and_what_is_not(text: str, meant: str, instead_of: str):
    assert correction(text) == (meant, instead_of, True)


@pytest.mark.parametrize(
    "text",
    [
        *("How do I cancel?", "解約ではなく休止はできますか?と聞かれました", "no", "いやがらせを受けています"),
        *("not sure, how do I do that", "not working, what now", "I'm not an admin, can I still do it?"),
    ],
)
def test_what_corrects_nothing_stays_as_it_is(text: str):
    found = correction(text)
    assert found.is_one == ("ではなく" in text) and (found.is_one or found.meant == text)


def test_reactions_to_choices_and_answers():
    assert rejects_all("どれでもないです") and rejects_all("none of these") and rejects_all("Neither.")
    assert not rejects_all("none of my boards open") and not rejects_all("全部見せて")
    assert says_unhelped("それでもつながりません") and says_unhelped("I already tried that")
    assert not says_unhelped("how long does it take") and not says_unhelped("試用期間は何か月ですか")
    assert without_filler("ok and for paypal?") == "and for paypal?" and without_filler("ok") == "ok"


@pytest.mark.parametrize(
    ("text", "confirms"),
    [
        ("じゃあ買った人しか見られないってことですか", True),
        ("無料だという理解で合ってますか", True),
        ("もう遅い、ですよね?", True),
        ("夜だとむり?", True),
        ("so a second one costs extra?", True),
        ("then I can't share it, right?", True),
        ("it is the owner who decides, isn't it?", True),
        ("夜は何時までですか", False),
        ("どういうことですか、電源が入りません", False),
        ("how much is a second one?", False),
        ("is it on the right side of the page?", False),
    ],
)
def test_what_asks_to_confirm_what_was_said(text: str, confirms: bool):
    assert asks_to_confirm(text) is confirms


@pytest.mark.parametrize(
    ("text", "astonished"),
    [
        ("ひどくないですか", True),
        ("えー短っ", True),
        ("ugh, are you serious?", True),
        ("ひどい風邪で休みたいです", False),
        ("料金は高いですか", False),
        ("is it really free", False),
    ],
)
def test_astonishment_is_told_from_a_question(text: str, astonished: bool):
    assert is_astonished(text) is astonished
