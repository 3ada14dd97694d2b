"""Names of products that something is asked of or done with."""

import pytest

from core.text.product_names import product_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("How do I cancel my Netflix subscription?", "Netflix"),
        ("Does Jira have a free plan?", "Jira"),
        ("can I connect my board to Figma?", "Figma"),
        ("楽天のポイントで払えますか", "楽天"),
        ("メルカリの退会方法は?", "メルカリ"),
        ("Notionのアカウントを消したい", "Notion"),
    ],
)
def test_a_name_in_a_question_is_found_by_its_role(text: str, name: str):
    assert product_names(text) == (name,)


@pytest.mark.parametrize(
    "text",
    [
        "I was watching Netflix when the app crashed. How do I fix it?",
        "my boss Maria says I need to delete my account, how?",
        "I live in Lisbon, can I pay in euros?",
        "前はEvernoteを使ってたんですが、解約したいです",
        "田中さんのアカウントを消したい",
        "大阪の料金を教えて",
        "クレジットカードの支払いを止めたい",
        "how do I export a PDF?",
    ],
)
def test_a_name_in_a_story_and_names_of_people_and_places_are_none(text: str):
    assert product_names(text) == ()
