"""The latest result on the home page says what its number is, and whether the pass mark is reached."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.base.settings import settings
from core.store.store import open_store
from pages.i18n.translate import words
from tests.support.page_app import healthy, opened
from tests.support.stored_runs import a_run


def verdicts_on(app: AppTest) -> list[str]:
    names = {words()[f"home.verdict_{name}"]["ja"]: name for name in ("reached", "open", "missed")}
    badges = [str(one.value) for one in app.markdown if "-badge[" in str(one.value)]
    return [name for text, name in names.items() if any(f" {text}]" in badge for badge in badges)]


@pytest.mark.parametrize(("pass_mark", "verdict"), [("0.5", "reached"), ("0.9", "open"), ("0.99", "missed")])
def test_passed_not_passed_and_cannot_tell_look_different(
    folder: Path, monkeypatch: pytest.MonkeyPatch, pass_mark: str, verdict: str
) -> None:
    monkeypatch.setenv("KIKU_PASS_MARK", pass_mark)
    settings.cache_clear()
    a_run(open_store(), "run", total=12)
    app = healthy(opened("home/home", "ja"))
    assert verdicts_on(app) == [verdict]
    text = f"総合の平均 **80%**（会話 12 件、合格ライン {float(pass_mark):.0%}）"
    assert text in [str(one.value) for one in app.markdown]


def test_a_run_without_clarifying_questions_is_named_as_such(folder: Path) -> None:
    a_run(open_store(), "run", clarify=False)
    texts = [str(one.value) for one in healthy(opened("home/home", "en")).markdown]
    assert "Overall: mean **80%** (4 conversations, pass mark 90%, without clarifying questions)" in texts


def test_an_incomplete_run_has_its_status_in_place_of_a_verdict(folder: Path) -> None:
    a_run(open_store(), "run", "小町", "stopped", left=4, total=16)
    app = healthy(opened("home/home", "ja"))
    assert not verdicts_on(app)
    assert any(words()["status.stopped"]["ja"] in str(one.value) for one in app.markdown)
