"""A beginner says it in everyday words; nobody else does."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from core.base.types import Language, Message, Persona, Scenario
from core.llm.embedded import EmbeddedEngine
from core.simulation import everyday_words
from core.simulation.everyday_words import in_everyday_words
from core.simulation.simulated_user import FirstMessage, NextMessage
from core.simulation.voice import knows_no_terms
from tests.support.simulated_users import EN, JA, asking, user_messages


def rows(language: Language) -> list[list[str]]:
    table = tomllib.loads(Path(everyday_words.__file__).with_name("everyday_words.toml").read_text("utf-8"))
    return [row for group in table[language].values() for row in group]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("二段階認証のやり方", "ログインのときの2回目の確認のやり方"),
        ("サイトにログインできません", "サイトに入れません"),
        ("プランを解約したいです", "プランをやめたいです"),
        ("解約した場合", "やめた場合"),
        ("アプリをインストールして使う", "アプリを入れて使う"),
        ("ノートを復元する方法", "ノートを元に戻す方法"),
        ("顧客サーバーの件", "顧客サーバーの件"),
        ("「権限がありません」と出ます", "「権限がありません」と出ます"),
        ("解約しない場合", "解約しない場合"),
    ],
)
def test_japanese_terms_become_everyday_words_and_the_sentence_stays_whole(text: str, said: str) -> None:
    assert in_everyday_words(text, "ja") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I can't sign in to the dashboard", "I can't get in to the page you see first"),
        ("Invoices are late", "Bills are late"),
        ("I need an invoice", "I need a bill"),
        ("Can I get a refund?", "Can I get my money back?"),
        ("Is two-step verification free?", "Is the second check when you get in free?"),
        ('It says "sync failed"', 'It says "sync failed"'),
        ("The capital of Norway", "The capital of Norway"),
        ("The API is slow", "The thing that lets programs talk to each other is slow"),
    ],
)
def test_english_terms_become_everyday_words_with_their_article_and_plural(text: str, said: str) -> None:
    assert in_everyday_words(text, "en") == said


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_term_is_listed_twice_and_everyday_words_hold_no_term(language: Language) -> None:
    terms = [row[0].lower() for row in rows(language)]
    assert len(terms) == len(set(terms)) > 50
    for row in rows(language):
        for said in row[1:]:
            plain = said.replace("{s}", "")
            assert in_everyday_words(plain, language) == plain, row


def test_of_the_six_only_the_beginner_knows_no_terms_and_so_does_a_persona_described_like_that() -> None:
    for personas in (JA, EN):
        knowing = {name for name, one in personas.items() if not knows_no_terms(f"{one.description} {one.profile}")}
        assert set(personas) - knowing == {"beginner"}
    assert knows_no_terms("A new hire who is not technical")


@pytest.mark.parametrize(
    ("personas", "question", "term"),
    [(JA, "二段階認証を解除したい", "二段階認証"), (EN, "How do I turn off two-step verification?", "two-step")],
)
def test_the_first_message_of_a_beginner_has_no_technical_terms(
    personas: dict[str, Persona], question: str, term: str
) -> None:
    scenario = Scenario(id="f", question=question)
    said = {
        name: FirstMessage(persona=one, scenario=scenario, seed=3).without_model().text
        for name, one in personas.items()
    }
    assert term not in said["beginner"] and all(term in said[name] for name in ("angry", "calm", "chatty", "wary"))
    assert len(set(said.values())) == 6


def test_a_beginner_takes_over_the_words_that_the_desk_has_used() -> None:
    scenario = Scenario(id="s", question="画面が変です", facts="端末: タブレット; 症状: ストレージが足りないと出る")
    (said,) = user_messages(scenario, JA["beginner"], asking("どのような症状ですか。"))
    assert "ストレージ" not in said.text and "入れておける量" in said.text
    (said,) = user_messages(scenario, JA["beginner"], asking("どのような症状ですか。ストレージの件でしょうか。"))
    assert "ストレージ" in said.text


def test_a_choice_is_named_as_the_desk_wrote_it() -> None:
    scenario = Scenario(id="s", question="お金のこと", intent="口座振替を申し込みたい")
    (said,) = user_messages(scenario, JA["beginner"], asking("どの支払いですか。", "口座振替", "クレジットカード"))
    assert "口座振替" in said.text


def test_what_was_said_in_everyday_words_is_not_said_again() -> None:
    scenario = Scenario(
        id="s", question="見られません", facts="症状: ブラウザが真っ白になる", intent="直し方を知りたい"
    )
    told = (
        Message(role="user", text="見られません"),
        asking("どのような症状ですか。"),
        Message(role="user", text="えっと、ネットを見る画面が真っ白になるんです。"),
        asking("もう少し詳しく教えてください。"),
    )
    said = EmbeddedEngine().ask(
        NextMessage(persona=JA["beginner"], scenario=scenario, conversation=told, language="ja")
    )
    assert "真っ白" not in said.text and "直し方" in said.text
