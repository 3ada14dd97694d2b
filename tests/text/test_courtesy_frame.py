"""A message written like a letter is read without its frame."""

from __future__ import annotations

import pytest

from core.text.courtesy_frame import without_courtesy_frame


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (
            "Dear support team, I hope this finds you well. My name is Ann Lee. Can I get a refund? Many thanks in advance and "
            "kind regards, Ann",
            "Can I get a refund?",
        ),
        ("Dear Sir or Madam, how do I cancel Kind regards Tom O'Neil", "how do I cancel"),
        ("how do I cancel?\n\nThanks in advance\nPriya", "how do I cancel?"),
        ("Hope you are all well! Where is my invoice? Best wishes", "Where is my invoice?"),
        ("お世話になっております。給料日はいつですか。よろしくお願いいたします。", "給料日はいつですか。"),
        ("Hi there, quick question for you: can I get a refund? Any help would be much appreciated. Cheers, Bob", "can I get a refund?"),
        ("はじめまして。教えてください。領収書は出ますかご回答いただけますと幸いです。", "領収書は出ますか"),
        ("can I get a refund Cheers, Tom", "can I get a refund"),
        ("can I get a refund?\n--\nTom Hill\nOffice Manager", "can I get a refund?"),
        ("佐藤と申します。領収書を紙で送れますか？お忙しいところ恐れ入りますが、よろしくお願いします。", "領収書を紙で送れますか？"),
    ],
)  # fmt: skip
def test_the_frame_is_left_out(text: str, rest: str) -> None:
    assert without_courtesy_frame(text).strip() == rest


@pytest.mark.parametrize(
    "text",
    [
        "Kind regards",
        "thanks, that helped",
        "My name is wrong on the invoice",
        "I hope you can help me get my money back",
        "Which plan is best?",
        "Where can I find any help",
        "That helped, thanks!",
        "ありがとうございます",
        "ありがとうございます。もう一つ、給料日はいつですか",
        "こんにちは。給料日はいつですか",
        "教えてください",
        "よろしくお願いします",
        "契約社員です。有給はいつからですか",
        "松本工場のパートです。休みはありますか",
    ],
)
def test_what_is_no_frame_stays(text: str) -> None:
    assert without_courtesy_frame(text) == text
