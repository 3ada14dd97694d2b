"""One message to two versions: both reply, each by its own settings, and the better one is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_edits import apply_draft, can_undo, load_draft, save_bot, save_draft, undo_changes
from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.runs.plan import Plan
from core.store.store import open_store
from pages.components.services import services
from tests.support.model_server import ModelServer, serving
from tests.support.models_page import OWNERS
from tests.support.page_app import healthy, is_foreign, opened, press, shown

pytest_plugins = ("tests.support.owners_and_visitors",)
PAGE = "talk/side_by_side"
VAGUE = "休暇について教えてください"


def field(app: AppTest, part: str, kind: str = "number_input") -> Any:
    return next(one for one in getattr(app, kind) if part in str(one.key))


def asked(app: AppTest, text: str = VAGUE) -> AppTest:
    """Send a message and look again once both have replied."""
    app.chat_input[0].set_value(text).run()
    return app


def replies(app: AppTest) -> list[tuple[str, str]]:
    """(decision, error) of each side's last turn."""
    store = open_store()
    rows = [store.chats.turns("".join(app.query_params[side]))[-1] for side in ("left", "right")]
    return [(row.decision, row.error) for row in rows]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_speaks_the_language_it_is_read_in(folder: Path, language: str) -> None:
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert app.title and not [text for text in shown(app) if is_foreign(text, language)]
    healthy(asked(app))
    foreign = [text for text in shown(app) if is_foreign(text, language) and VAGUE not in text]
    assert not [text for text in foreign if language == "ja"]


def test_both_reply_by_their_own_settings_and_b_is_kept_and_put_back(folder: Path) -> None:
    app = opened(PAGE, "ja", bot="komachi")
    field(app, "max_questions").set_value(0)
    press(app, "この設定で B と話す")
    assert load_bot("komachi").clarify.max_questions == 2 and load_draft(load_bot("komachi")).clarify.max_questions == 0
    asked(healthy(app))
    assert replies(healthy(app)) == [("ask", ""), ("search", "")]
    chats = {side: "".join(app.query_params[side]) for side in ("left", "right")}
    reopened = healthy(opened(PAGE, "ja", bot="komachi", **chats))
    assert len(reopened.chat_message) == 3, "a reload shows the message and both replies"
    press(reopened, "B を採用")
    assert load_bot("komachi").clarify.max_questions == 0 and "left" not in reopened.query_params
    press(reopened, "元に戻す")
    assert load_bot("komachi").clarify.max_questions == 2
    assert load_draft(load_bot("komachi")).clarify.max_questions == 0, "what was put back is kept as the draft"
    press(reopened, "下書きを破棄")
    assert load_draft(load_bot("komachi")) == load_bot("komachi")


def test_a_choice_is_sent_to_both(folder: Path) -> None:
    app = asked(opened(PAGE, "ja", bot="komachi"))
    choice = next(one for one in app.button if str(one.key).startswith("choice-"))
    choice.click().run()
    store = open_store()
    for side in ("left", "right"):
        assert len(store.chats.turns("".join(app.query_params[side]))) == 2


def test_the_settings_of_an_earlier_run_are_b(folder: Path) -> None:
    save_bot(load_bot("komachi"), {"clarify.max_questions": 0})
    run = services().runner.start(Plan(bot="komachi", seed=1))
    assert services().runner.wait(run, 60)
    save_bot(load_bot("komachi"), {"clarify.max_questions": 2})
    app = healthy(opened(PAGE, "ja", bot="komachi", run=run, **{"with": "run"}))
    assert replies(healthy(asked(app))) == [("ask", ""), ("search", "")]
    press(app, "B を採用")
    assert load_bot("komachi").clarify.max_questions == 0


@pytest.mark.parametrize("text", ["", "   ", "x" * 9000])
def test_a_message_that_cannot_be_used_goes_to_neither(folder: Path, text: str) -> None:
    app = opened(PAGE, "ja", bot="komachi")
    app.chat_input[0].set_value(text).run()
    assert not app.exception and "left" not in app.query_params and open_store().chats.newest("komachi") == []


def test_one_side_on_a_server_that_is_down_fails_alone_and_is_sent_again(
    owners: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIKU_ENGINE", "openai")
    monkeypatch.setattr("core.base.retry.FIRST_WAIT", 0.02)
    app = opened(PAGE, "ja", bot="komachi", speaks="embedded", **{"with": "draft"})
    owners.down()
    asked(app)
    (_, broken), (_, well) = replies(app)
    assert broken and not well and not app.exception
    assert (len(app.warning) == 1 and "応答" in app.warning[0].value) or "返答" in app.warning[0].value
    owners.up()
    press(app, "再送信")
    assert [error for _, error in replies(healthy(app))] == ["", ""]


def test_another_model_speaks_for_b(owners: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIKU_ENGINE", "openai")
    app = opened(PAGE, "ja", bot="komachi", speaks="model", model="another", **{"with": "draft"})
    asked(healthy(app), "交通費の精算の期限はいつですか")
    assert [error for _, error in replies(app)] == ["", ""]
    assert {"owners-model", "another"} <= {request["model"] for request in owners.requests}


def test_a_draft_that_cannot_be_read_is_reported_and_dropped(folder: Path) -> None:
    bot = load_bot("komachi")
    save_draft(bot, {"prompt": "x"})
    (file,) = (folder / "data" / "versions").iterdir()
    file.write_text("= broken", "utf-8")
    app = opened(PAGE, "ja", bot="komachi")
    assert not app.exception and len(app.error) == 1
    healthy(press(app, "下書きを破棄"))


def test_a_draft_is_checked_before_it_is_written(folder: Path) -> None:
    bot = load_bot("komachi")
    with pytest.raises(BadInput):
        save_draft(bot, {"clarify.max_questions": 99})
    assert load_draft(bot) == bot and not can_undo(bot)
    save_draft(bot, {"prompt": "一行\n二行"})
    assert apply_draft(bot).prompt == "一行\n二行" and undo_changes(bot).prompt == ""


def test_a_server_that_answers_nonsense_is_reported_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(ModelServer(key=OWNERS, script=["{}"] * 60)) as server:
        for name, value in {
            "OPENAI_API_KEY": OWNERS,
            "OPENAI_BASE_URL": server.url,
            "KIKU_MODEL": "tiny",
            "KIKU_ENGINE": "openai",
            "KIKU_PATIENCE": "2",
        }.items():
            monkeypatch.setenv(name, value)
        app = opened(PAGE, "ja", bot="komachi")
        asked(app)
        assert not app.exception and len(app.warning) == 2
        assert all("Traceback" not in one.value for one in app.warning)


def test_there_is_nothing_to_choose_between_the_same_replies_of_the_same_settings(folder: Path) -> None:
    app = asked(opened(PAGE, "ja", bot="komachi"))
    assert not [one for one in app.button if str(one.key).startswith("prefer-")]
    assert any("設定も返答も同じ" in one.value for one in app.caption)


def test_the_better_reply_is_chosen_and_compared_with_the_judge(folder: Path) -> None:
    save_draft(load_bot("komachi"), {"prompt": "短く"})
    app = asked(opened(PAGE, "en", bot="komachi", reviewer="Aya"))
    store = open_store()
    left, right = (store.chats.turns("".join(app.query_params[side]))[-1].id for side in ("left", "right"))

    def chosen() -> list[tuple[str, str]]:
        return [(one.preference.reviewer, one.preference.choice) for one in store.preferences.of_bot("komachi")]

    for choice in ("left", "both_bad", "both_good"):
        healthy(app.button(key=f"prefer-{choice}-{left}-{right}").click().run())
        assert chosen() == [("Aya", choice)]
    healthy(app.button(key=f"prefer-both_good-{left}-{right}").click().run())
    assert chosen() == []
    healthy(app.button(key=f"prefer-right-{left}-{right}").click().run())
    page = healthy(opened("review/agreement", "en", bot="komachi"))
    assert any("Better of two" in one.value for one in page.subheader) and page.button(key="score-pairs")
    page = healthy(page.button(key="score-pairs").click().run())
    table = page.dataframe[0].value
    assert list(table["n"]) == [1] and table.iloc[0][["Same order", "Opposite order", "Tie"]].sum() == 1
    assert "score-pairs" not in {one.key for one in page.button}
