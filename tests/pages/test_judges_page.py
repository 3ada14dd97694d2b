"""The page of judges: own criteria, own functions, a trial on an example, and all that ship with Kiku."""

from __future__ import annotations

import threading
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.prompt_files import save_prompt
from core.base.settings import settings
from core.base.types import Sample
from core.judges.base import JudgeOptions
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.prompts.catalog import find_prompt
from pages.build.judge_trial import judge_sample
from pages.components.plain_text import plain
from tests.support.model_server import ModelServer, serving
from tests.support.page_app import healthy, is_foreign, opened, press, shown

HEAD = "from core.judges.custom.python_judges import judge\n"
PAGE = "build/judges"


@pytest.fixture
def folder(folder: Path) -> Path:
    """The bot's folder of judges."""
    judges = folder / "knowledge" / "komachi" / "judges"
    judges.mkdir()
    return judges


def page(language: str = "ja") -> AppTest:
    app = opened(PAGE, language, bot="komachi")
    assert not app.exception, [error.message for error in app.exception]
    return app


def criteria(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "criteria.toml").read_text("utf-8"))


def type_in(app: AppTest, name: str, ja: str = "", en: str = "", turn: int = 0) -> None:
    mark = f"komachi--new-{turn}"
    app.text_input(key=f"name-{mark}").set_value(name)
    app.text_area(key=f"ja-{mark}").set_value(ja)
    app.text_area(key=f"en-{mark}").set_value(en)


def test_a_criterion_is_added_and_the_fields_are_empty_again(folder: Path) -> None:
    app = page()
    type_in(app, "敬語", "敬語が正しく使われているか。", "Is it polite?")
    app.toggle(key="grounds-komachi--new-0").set_value(True)
    press(app, "追加")
    healthy(app)
    row = {"ja": "敬語が正しく使われているか。", "en": "Is it polite?", "labeled": True}
    assert criteria(folder) == {"敬語": row}
    assert app.text_input(key="name-komachi--new-1").value == ""
    assert any("**敬語**" in text.value for text in app.markdown)


@pytest.mark.parametrize(
    ("name", "wording", "message"),
    [
        ("a b", "よいか。", "名前に使えません"),
        ("", "よいか。", "名前に使えません"),
        ("depth", "よいか。", "標準の観点"),
        ("ok", "  ", "文字にしてください"),
        ("taken", "よいか。", "すでにあります"),
    ],
)
def test_what_cannot_be_a_criterion_is_reported_and_what_was_typed_stays(
    folder: Path, name: str, wording: str, message: str
) -> None:
    (folder / "criteria.toml").write_text('taken = "before"\n', "utf-8")
    app = page()
    type_in(app, name, wording, "and in English")
    if not wording.strip():
        app.text_area(key="en-komachi--new-0").set_value("")
    press(app, "追加")
    assert len(app.error) == 1 and message in app.error[0].value
    assert criteria(folder) == {"taken": "before"}
    assert app.text_input(key="name-komachi--new-0").value == name
    assert app.text_area(key="ja-komachi--new-0").value == wording


def test_a_criterion_is_changed_in_place_and_comments_stay(folder: Path) -> None:
    (folder / "criteria.toml").write_text('# ours\n[polite]\nwording = "丁寧か。"\n', "utf-8")
    app = press(page(), "edit-polite")
    assert app.text_area(key="ja-komachi-polite").value == "丁寧か。"
    app.text_area(key="ja-komachi-polite").set_value("とても丁寧か。")
    app.toggle(key="bad-komachi-polite").set_value(True)
    press(app, "保存する")
    assert criteria(folder) == {"polite": {"ja": "とても丁寧か。", "bad": True}}
    assert "# ours" in (folder / "criteria.toml").read_text("utf-8")
    assert not [field for field in app.text_area if field.key == "ja-komachi-polite"]
    assert any("とても丁寧か" in text.value for text in app.markdown)


def test_leaving_a_change_writes_nothing(folder: Path) -> None:
    (folder / "criteria.toml").write_text('polite = "丁寧か。"\n', "utf-8")
    app = press(page(), "edit-polite")
    app.text_area(key="ja-komachi-polite").set_value("別の問い")
    press(app, "キャンセル")
    assert criteria(folder) == {"polite": "丁寧か。"}


def test_a_deleted_criterion_comes_back_even_after_a_reload(folder: Path) -> None:
    (folder / "criteria.toml").write_text('[polite]\nja = "丁寧か。"\nbad = true\n', "utf-8")
    app = press(page(), "drop-polite")
    assert criteria(folder) == {}
    healthy(press(page(), "元に戻す"))
    assert criteria(folder) == {"polite": {"ja": "丁寧か。", "bad": True}}
    assert not [button for button in page().button if str(button.key).startswith("restore-")]
    assert app.expander


def test_putting_one_back_does_not_lose_the_one_that_took_its_name(folder: Path) -> None:
    file = folder / "criteria.toml"
    file.write_text('[polite]\nja = "前"\n', "utf-8")
    press(page(), "drop-polite")
    file.write_text('[polite]\nja = "後"\n', "utf-8")
    press(page(), "元に戻す")
    assert criteria(folder) == {"polite": {"ja": "前"}}
    press(page(), "元に戻す")
    assert criteria(folder) == {"polite": {"ja": "後"}}


def test_a_broken_criteria_file_is_reported_and_repaired(folder: Path) -> None:
    (folder / "criteria.toml").write_text('polite = "丁寧か\n', "utf-8")
    app = page()
    assert len(app.error) == 1 and "criteria\\.toml" in app.error[0].value
    next(field for field in app.text_area if str(field.key).startswith("mend-")).set_value('polite = "丁寧か"\n')
    healthy(press(app, "mend"))
    assert criteria(folder) == {"polite": "丁寧か"}


def test_own_functions_are_listed_with_file_and_needs_and_problems_are_rows(folder: Path) -> None:
    (folder / "mine.py").write_text(f"{HEAD}@judge(needs=['grounds'])\ndef mine(sample):\n    return True\n", "utf-8")
    broken = (
        f"{HEAD}import nothing_of_that_name\n@judge\ndef one(s):\n    return 1\n@judge\ndef two(s):\n    return 1\n"
    )
    (folder / "broken.py").write_text(broken, "utf-8")
    app = healthy(page())
    (row,) = app.warning
    assert plain("custom:one") in row.value and plain("custom:two") in row.value and "2 行目" in row.value
    assert any(plain("custom:mine") in text.value and "judges/mine\\.py" in text.value for text in app.markdown)
    assert any("模範解答か資料" in text.value for text in app.caption)


def test_a_trial_shows_marks_and_reasons_in_the_language_of_the_page(folder: Path) -> None:
    app = healthy(press(page(), "この例を採点"))
    marks = [text.value for text in app.markdown if "-badge[" in text.value and "%]" in text.value]
    assert len(marks) == 7  # six of the turn judge, and correctness
    texts = [text.value for text in app.markdown]
    assert "**採点者「正確さ」**" in texts and texts.count("正確さ") == 1, "the judge, and the turn judge's criterion"
    assert any("10日" in text.value or "20日" in text.value for text in app.caption)
    by = [text.value for text in app.caption if "採点：内蔵エンジン　人の評価との一致：" in text.value]
    assert len(by) == 2 and "EVOUNA" in by[1]
    app.text_area(key="trial-answer-komachi").set_value("翌月の10日までです。").run()
    assert any("変更する前" in text.value for text in app.caption)


def test_a_trial_asks_with_the_bots_own_prompt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_prompt(load_bot("komachi"), "judges/turn.ja", f"Own rule.\n{find_prompt('judges/turn').default('ja')}")
    with serving(ModelServer()) as server:
        values = {"KIKU_ENGINE": "openai", "KIKU_MODEL": "tiny", "OPENAI_API_KEY": server.key}
        for name, value in {**values, "OPENAI_BASE_URL": server.url}.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        press(page(), "この例を採点")
        assert "Own rule." in str(server.requests)


def test_what_cannot_be_judged_says_why_and_an_own_function_is_tried_too(folder: Path) -> None:
    (folder / "mine.py").write_text(f"{HEAD}@judge\ndef mine(sample):\n    return 0.5, 'halb <b>'\n", "utf-8")
    (folder / "bad.py").write_text(f"{HEAD}@judge\ndef bad(sample):\n    return 1 / 0\n", "utf-8")
    app = page()
    chosen = next(box for box in app.multiselect if str(box.key).startswith("judge-trial-"))
    chosen.set_value(["custom:mine", "custom:bad", "criteria:depth", "keypoints"]).run()
    press(app, "この例を採点")
    shown_text = [row.value for row in app.warning]
    assert any("ZeroDivisionError" in text for text in shown_text)
    assert any("言語モデルが必要" in text for text in shown_text) and any("要点" in text for text in shown_text)
    assert any("halb \\<b\\>" in text.value for text in app.caption)


def test_a_judge_that_never_ends_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.build.judge_trial.TIMEOUT_SECONDS", 3)
    gate = threading.Event()
    slow, fine = judges_of(["turn", "relevance"])
    blocked = slow.__class__(slow.name, slow.criteria, (), "1", lambda *_: (gate.wait(60), ())[1])
    try:
        sample = Sample(question="期限は？", answer="10日です。")
        (_, none), (_, some) = judge_sample(EmbeddedEngine(), [blocked, fine], sample, JudgeOptions())
    finally:
        gate.set()
    assert none is None and some and some[0].value is not None


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_speaks_the_language_it_is_read_in(folder: Path, language: str) -> None:
    (folder / "criteria.toml").write_text('[polite]\nja = "丁寧か。"\nbad = true\nlabeled = true\n', "utf-8")
    app = healthy(page(language))
    foreign = [text for text in shown(app) if is_foreign(text, language) and "polite" not in text]
    assert not foreign
    rows = [text.value for text in app.markdown if ":small[" in text.value]
    assert len(rows) == 19
    assert not [row for row in rows if is_foreign(row.partition(":gray")[0], language)]
