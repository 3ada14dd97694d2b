"""In what mood a message is written, and what only sounds like a danger."""

import pytest

from core.text.distress.classifiers import MOODS, Mood, is_figure_of_speech, mood_probabilities, moods
from core.text.distress.danger import reports_danger


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("fix it now, the page will not load again, shame on you", "anger"),
        ("三回も同じエラー。金返せ、最低のアプリ", "anger"),
        ("I'm panicking, the file is gone", "worry"),
        ("不安なのですが、申請の方法を教えて", "worry"),
        ("my back hurts so much that I can't sit", "unwell"),
        ("熱が出ました。今日休みたいです", "unwell"),
    ],
)
def test_a_mood_is_heard(text: str, mood: Mood):
    assert mood in moods(text)


@pytest.mark.parametrize("text", ["my boss will kill me", "死ぬほど忙しいです", "the heat is killing me"])
def test_a_figure_of_speech_is_no_danger(text: str):
    assert is_figure_of_speech(text) and not reports_danger(text)


@pytest.mark.parametrize(
    "text",
    [
        "I want to die",
        "死にたいです",
        "my ex says he will kill me",
        "夫に殺されそうです",
        "I'm going to kill myself",
        "he has a gun",
        "夫に首を絞められました",
        "they are better off without me",
    ],
)
def test_a_danger_is_no_figure_of_speech(text: str):
    assert reports_danger(text)


@pytest.mark.parametrize(
    "text",
    [
        "アプリを消したのに、まだお金を取られています。",
        "ログインしようとしたら、ブロックされています、と出ました",
        "中には入れています。そろそろ合言葉を替えたいのですが、場所が分かりません",
        "do I get a better offer if I threaten to go",
        "I'm going mad, every single new link is broken the moment I touch it!!",
        "sent it nine days ago, nothing happens, did it die?",
    ],
)
def test_a_clause_that_sounds_like_a_danger_out_of_its_context_is_none(text: str):
    assert not reports_danger(text)


@pytest.mark.parametrize("text", ["he says he'll kill her tonight", "請求の件です。もう死のうと思っています。"])
def test_a_danger_in_one_clause_of_a_message_is_heard(text: str):
    assert reports_danger(text)


def test_probabilities_are_a_distribution():
    probabilities = mood_probabilities("where is the invoice")
    assert set(probabilities) == set(MOODS) and sum(probabilities.values()) == pytest.approx(1)
