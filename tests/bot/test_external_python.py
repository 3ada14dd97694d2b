"""Bots that are a Python function: what they get, what they may do wrong, and which may be called."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core.base.call_context import in_context
from core.base.errors import Stopped
from core.base.types import Answer, Bot
from core.bot.external.reply import external_turn
from tests.support.external_bots import SAID, error_of, external_bot, with_code


def test_a_function_gets_message_history_and_conversation(bot: Bot) -> None:
    code = 'def reply(message, history, conversation):\n    return f"{message}/{len(history)}/{conversation}"\n'
    with in_context(conversation_id="c9"):
        assert external_turn(with_code(bot, code), SAID, "期限").reply.text == "期限/2/c9"
    code = (
        'async def reply(m, h, c):\n    return {"answer": "a", "contexts": ["b"], "asked": False, "answered": True}\n'
    )
    turn = external_turn(with_code(bot, code), (), "期限")
    assert turn.reply == Answer(text="a", answered=True) and turn.passages is not None and turn.passages[0].text == "b"


@pytest.mark.parametrize(
    ("code", "key", "part"),
    [
        (
            "def reply(m, h, c):\n    raise ValueError('no desk')\n",
            "external_raised",
            "desk.py:2 (ValueError: no desk)",
        ),
        ("import sys\ndef reply(m, h, c):\n    sys.exit(3)\n", "external_raised", "SystemExit"),
        ("def reply(m):\n    return m\n", "external_raised", "TypeError"),
        ("def reply(m, h, c):\n    return 7\n", "external_returned", "int"),
        ("def reply(m, h, c):\n    return {'text': m}\n", "external_no_answer", '["text"]'),
        ("def reply(m, h, c):\n    return ''\n", "external_empty", ""),
        ("def other(m, h, c):\n    return m\n", "external_no_function", "reply"),
        ("def reply(:\n", "external_not_loaded", "line 1"),
        ("import time\ndef reply(m, h, c):\n    time.sleep(1.5)\n", "external_slow", "0.3 s"),
    ],
)
def test_what_a_function_does_wrong_is_one_clear_sentence(bot: Bot, code: str, key: str, part: str) -> None:
    found, sentence = error_of(with_code(bot, code, timeout=0.3))
    assert found == key and part in sentence


def test_a_changed_function_is_loaded_again_and_keeps_its_state_otherwise(bot: Bot) -> None:
    code = "seen = []\ndef reply(m, h, c):\n    seen.append(m)\n    return str(len(seen))\n"
    counting = with_code(bot, code)
    assert [external_turn(counting, (), "a").reply.text for _ in range(2)] == ["1", "2"]
    assert external_turn(with_code(bot, code + "# new\n"), (), "a").reply.text == "1"


def test_only_files_of_the_folder_and_modules_that_the_owner_named_are_called(
    bot: Bot, tmp_path: Path, fresh_settings: pytest.MonkeyPatch
) -> None:
    (tmp_path / "desk_of_ours.py").write_text("def reply(m, h, c):\n    return 'ours'\n", "utf-8")
    fresh_settings.syspath_prepend(str(tmp_path))
    for name in ("desk_of_ours:reply", "runpy:run_path", "os:system"):
        assert (
            error_of(external_bot(bot, f'[external]\nkind = "python"\ncallable = "{name}"\n'))[0]
            == "external_no_module"
        )
    fresh_settings.setenv("KIKU_EXTERNAL_MODULES", "desk_of_ours")
    from core.base.settings import settings

    settings.cache_clear()
    listed = external_bot(bot, '[external]\nkind = "python"\ncallable = "desk_of_ours:reply"\n')
    assert external_turn(listed, (), "a").reply.text == "ours"


def test_who_does_not_want_the_reply_any_more_does_not_wait_for_it(bot: Bot) -> None:
    over = threading.Event()
    over.set()
    waiting = with_code(bot, "import time\ndef reply(m, h, c):\n    time.sleep(2)\n")
    with pytest.raises(Stopped), in_context(stopped=over.is_set):
        external_turn(waiting, (), "a")
