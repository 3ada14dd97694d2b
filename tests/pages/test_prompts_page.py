"""The page of prompts: each text with its variables, a text of the bot's own, back to the default, undo."""

from __future__ import annotations

from pathlib import Path

from core.base.bot_folder import load_bot
from core.prompts.catalog import all_prompts
from pages.i18n.translate import words
from tests.support.page_app import healthy, opened, press


def test_every_prompt_has_a_label_and_every_variable_an_explanation() -> None:
    for name, prompt in all_prompts().items():
        assert f"prompt_names.{name.replace('/', '_')}" in words()
        assert {f"prompt_variables.{one}" for one in prompt.variables} <= words().keys()


def test_a_text_is_changed_refused_removed_and_brought_back(folder: Path) -> None:
    app = healthy(opened("build/prompts", "en", prompt="rewrite", text="en"))
    assert "uses the default prompts" in app.title[0].value and "reads no prompts" in app.info[0].value
    default = app.text_area[0].value
    assert default == all_prompts()["rewrite"].default("en")

    app.text_area[0].set_value("{{ dialoge }}").run()
    app = press(app, "Save")
    assert "dialoge" in app.error[0].value and load_bot("komachi").prompts == {}

    app.text_area[0].set_value(f"Keep it short.\n{default}").run()
    app = healthy(press(app, "Save"))
    assert load_bot("komachi").prompts == {"rewrite.en": f"Keep it short.\n{default}"}
    assert "1 prompt of its own" in app.title[0].value and any("+Keep it short." in one.value for one in app.code)

    app = healthy(press(app, "Use the default"))
    assert load_bot("komachi").prompts == {} and app.text_area[0].value == default
    app = healthy(press(app, "Undo"))
    assert load_bot("komachi").prompts == {"rewrite.en": f"Keep it short.\n{default}"}
