"""What bad thing has happened to somebody is heard in words of all kinds, and not where nothing has happened."""

import pytest

from core.text.distress.classifiers import INCIDENTS, incident, incident_probabilities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("先月、母が他界いたしました", "bereavement"),
        ("my mum passed away at Easter", "bereavement"),
        ("別れた夫に私の住所を公開されました", "harassment"),
        ("a stranger is using my name and my photo", "harassment"),
        ("ひとりで過ごすのがつらくて、さみしい", "weariness"),
        ("I feel completely alone and worn out", "weariness"),
        ("財布とスマホをバスに置いてきてしまいました", "lost_device"),
        ("some guy ran off with my tablet", "lost_device"),
        ("書いた覚えのない投稿が私のページにあります", "intrusion"),
        ("there are orders in my account that I never placed", "intrusion"),
        (
            "Somebody has signed in from Brazil and my address is a different one. I haven't changed anything.",
            "intrusion",
        ),
        ("何も変えていないのに、知らない人が私のアカウントでログインしています", "intrusion"),
        ("先輩が階段から落ちて動けません", "injury"),
        ("a worker fell off the roof", "injury"),
        ("ゴミ箱から煙が出ています", "fire"),
    ],
)
def test_what_has_happened_is_told_apart(text: str, found: str):
    assert incident(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "コピー用紙がなくなりました",
        "my battery died",
        "I lost my phone number",
        "住所を公開したいのですが",
        "一人で使えるプランはありますか",
        "担当者と話したいです",
        "出張のことを聞きたいです",
        "I am the only one in my team",
        "The rules have stopped since Monday and nothing was changed by us.",
        "何も変えていないのに、昨日から通知が来ません",
        "スマホを機種変更しました",
        "what should I do if my phone is stolen",
        "家族が亡くなった場合の手続きは",
        "新しい端末からログインしました",
        "the project is on fire with bugs, how do I archive it",
    ],
)
def test_nothing_has_happened_where_it_only_looks_like_it(text: str):
    assert incident(text) == "none"


def test_a_clause_of_a_long_message_is_enough():
    text = "いつもお世話になっております。経理の田中です。昨夜、会社のパソコンを電車に忘れました。請求書の件は明日送ります。"
    assert incident(text) == "lost_device"


def test_probabilities_are_a_distribution():
    probabilities = incident_probabilities("hello")
    assert set(probabilities) == set(INCIDENTS) and sum(probabilities.values()) == pytest.approx(1)
