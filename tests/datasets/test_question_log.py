"""Questions of a log: masked and grouped."""

from __future__ import annotations

import pytest

from core.datasets.question_log import group_questions, mask


@pytest.mark.parametrize(
    ("text", "masked", "kinds"),
    [
        ("総務の鈴木花子と申します。", "総務の[氏名]と申します。", ["name"]),
        ("電話は03-1234-5678です", "電話は[電話番号]です", ["phone"]),
        ("千葉県船橋市本町1-2-3に送って", "[住所]に送って", ["address"]),
        ("Call me: +44 20 7946 0958 or jo@mail.example.org", "Call me: [phone] or [email]", ["email", "phone"]),
        (
            "Hi, my name is Ann Lee. Where is AB1234567?",
            "Hi, my name is [name]. Where is [number]?",
            ["number", "name"],
        ),
        ("返金は何日かかりますか", "返金は何日かかりますか", []),
        ("料金は2026年10月1日から12,000円ですか", "料金は2026年10月1日から12,000円ですか", []),
    ],
)
def test_personal_data_is_masked_and_told(text: str, masked: str, kinds: list[str]) -> None:
    found = mask(text)
    assert found.text == masked
    assert sorted(kind for kind, _ in found.found) == sorted(kinds)


def test_questions_of_one_meaning_are_one_group() -> None:
    groups = group_questions(["会議室を予約したい", "会議室の予約をしたいです", "給料日はいつですか", ""])
    assert [len(one.members) for one in groups] == [2, 1]
    assert groups[1].question == "給料日はいつですか"
