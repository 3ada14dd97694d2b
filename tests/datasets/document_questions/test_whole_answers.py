"""References with their conditions, and open questions only if sections or rows really differ."""

from __future__ import annotations

from core.datasets.document_questions.open_questions import choices_of
from core.datasets.document_questions.rules.questions_by_rules import questions_by_rules
from core.datasets.document_questions.rules.table_rows import around_row, plain_answer
from core.datasets.document_questions.section import Section

PAYMENTS = ("card", "voucher")


def section(heading: str, text: str, title: str = "Lockers") -> Section:
    return Section(document="a.md", title=title, heading=heading, text=text)


def test_a_reference_goes_on_to_the_exceptions_and_the_last_sentence_of_the_matter() -> None:
    text = "自転車をなくしたときは、警備室へ電話してください。ただし、夜間は管理室へ電話します。見つかった場合は、届けを取り下げてください。"
    assert questions_by_rules(section("自転車の紛失", text, "自転車の手引き"), "ja")[0].reference == text


def test_steps_bring_the_paragraph_after_them_but_not_a_table() -> None:
    text = "1. Open the door.\n2. Press **Rent**.\n\nYou need a card for this.\n\n| Size | Price |\n|---|---|\n| Small | 2 |\n| Large | 4 |"
    reference = questions_by_rules(section("How to rent a locker", text), "en")[0].reference
    assert reference.startswith("1. Open")
    assert reference.endswith("You need a card for this.")


def test_an_old_rule_at_the_end_is_left_out() -> None:
    text = "ロッカーの鍵は、退会の日までに受付へ返却してください。2025年3月までの旧ルールでは7日以内でした。"
    assert (
        questions_by_rules(section("ロッカーの鍵の返却方法", text, "ロッカーの手引き"), "ja")[0].reference
        == text.split("。")[0] + "。"
    )


def test_a_heading_can_be_asked_openly_if_another_text_answers_the_same_matter_differently() -> None:
    by_card = section("How to pay for a locker by card", "Hold the card to the reader at the door.")
    by_voucher = section("How to pay for a locker by voucher", "Type the voucher's number on the screen upstairs.")
    alike = section("How to pay for a locker by voucher", "Hold the voucher to the reader at the door.")
    general = section("How to pay for a locker", "Go to the desk.")
    assert choices_of(PAYMENTS, by_card.text, by_card, [by_card, by_voucher]) == PAYMENTS
    assert choices_of(PAYMENTS, by_card.text, by_card, [by_card]) == ()
    assert choices_of(PAYMENTS, by_card.text, by_card, [by_card, alike]) == ()
    assert choices_of(PAYMENTS, by_card.text, by_card, [by_card, by_voucher, general]) == ()


def test_a_row_is_told_with_its_column_and_what_limits_it() -> None:
    table = "| Size | Price | Keys |\n|---|---|---|\n| Small | 2 dollars | 1 |\n| Large | 4 dollars | 2 |"
    text = f"The table shows the prices.\n\n{table}\n\nChildren pay half."
    lockers = section("Locker prices", text)
    row = "| Small | 2 dollars | 1 |"
    assert around_row(row, lockers) == ("Children pay half.",)
    assert (
        plain_answer(row, lockers, "What is the price?", "Small")
        == "Size: Small / Price: 2 dollars\nChildren pay half."
    )


def test_only_the_first_table_of_a_section_is_read_and_a_cell_may_hold_an_escaped_bar() -> None:
    first = "| Size | Price |\n|---|---|\n| Small | 2 dollars |\n| A \\| B | 4 dollars |"
    second = "| Key | Fee |\n|---|---|\n| Old | 7 dollars |\n| New | 8 dollars |"
    table = section("Locker prices", f"{first}\n\nKeys:\n\n{second}").table()
    assert table is not None
    assert (table.columns, [cells for cells, _ in table.rows]) == (
        ("Size", "Price"),
        [("Small", "2 dollars"), ("A | B", "4 dollars")],
    )
    assert [line for _, line in table.rows] == first.splitlines()[2:]


def test_a_heading_is_not_asked_openly_if_a_further_case_may_stand_elsewhere() -> None:
    by_card = section("How to cancel a rental paid by card", "Hold the card to the reader at the door.")
    by_voucher = section("How to cancel a rental paid by voucher", "Type the voucher's number on the screen upstairs.")
    others = [
        section("Opening hours", "Nine to five.", "Hall"),
        section("Lost keys", "Go to the desk.", "Keys"),
        section("Size", "Small and large.", "Sizes"),
    ]
    in_the_app = section("Steps", "Open the app.", "Cancel a rental in the app")
    values = (*PAYMENTS, "app")
    assert choices_of(values, by_card.text, by_card, [by_card, by_voucher, *others]) == PAYMENTS
    assert choices_of(values, by_card.text, by_card, [by_card, by_voucher, *others, in_the_app]) == ()
