"""An external bot: what is sent to it, what its replies tell, and what happens when it misbehaves."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.bot_edits import save_bot, save_external
from core.base.bot_folder import load_bot, parse_bot
from core.base.call_context import in_context
from core.base.errors import BadInput
from core.base.types import Answer, Bot, Clarify, Turn
from core.bot.external.reply import MAX_ANSWER_CHARACTERS, external_turn
from core.bot.external.request import secret
from core.runs.judging.samples import sample_of
from core.simulation.scenarios import read_scenarios
from pages.i18n.translate import words
from tests.support.external_bots import SAID, HelpDesk, error_of, external_bot, help_desk, on_http, slow, status
from tests.support.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home() -> Iterator[HelpDesk]:
    with help_desk() as found:
        yield found


def test_a_message_goes_out_as_the_template_says_and_comes_back_as_the_mapping_does(bot: Bot, home: HelpDesk) -> None:
    with in_context(conversation_id="c1"):
        turn = external_turn(on_http(bot, home), SAID, "交通費は{history}までに")
    assert home.requests == [
        {
            "q": "交通費は{history}までに",
            "turns": [{"role": "user", "content": "こんにちは"}, {"role": "assistant", "content": "はい。"}],
            "session": "id-c1",
        }
    ]
    assert turn.reply == Answer(text="交通費は翌月の10日までに精算します。", answered=True)
    assert turn.passages is not None and turn.passages[0].text.startswith("交通費は翌月")
    assert (turn.assessment, turn.route, turn.hits, turn.decision) == (None, None, None, "search")
    assert turn.seconds["external"] > 0


def test_a_clarifying_question_has_its_choices(bot: Bot, home: HelpDesk) -> None:
    turn = external_turn(on_http(bot, home), (), "休暇について教えてください")
    assert turn.reply == Clarify(text="どの休暇のことですか。", choices=("有給", "看護"))
    assert (turn.decision, turn.passages, turn.asked_back) == ("ask", None, True)


def test_what_a_reply_leaves_out_is_unknown_and_not_empty(bot: Bot, home: HelpDesk) -> None:
    silent = external_bot(bot, f'[external]\nkind = "http"\nurl = "{home.url}"\nanswer = "reply.text"\n')
    turn = external_turn(silent, (), "交通費の精算の期限はいつですか")
    assert isinstance(turn.reply, Answer) and turn.reply.answered is None and turn.asked_back is None
    assert (turn.passages, turn.decision) == (None, "")
    sample = sample_of(read_scenarios(silent)[0], turn, ())
    assert (sample.contexts, sample.contexts_known, sample.asked_back) == ((), False, None)
    empty = turn.model_copy(update={"contexts": ()})
    assert sample_of(read_scenarios(silent)[0], empty, ()).contexts_known


def test_a_turn_survives_being_stored(bot: Bot, home: HelpDesk) -> None:
    turn = external_turn(on_http(bot, home), (), "交通費の精算")
    assert Turn.model_validate_json(turn.model_dump_json()) == turn


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        (status(200, "<html>Sign in</html>", content_type="text/html"), "external_not_json"),
        (status(200, "not json"), "external_not_json"),
        (status(200, '{"message": "hi"}'), "external_no_answer"),
        (status(200, '{"reply": {"text": "  "}}'), "external_empty"),
        (status(200, '{"reply": {"text": 7}}'), "external_not_text"),
        (status(200, '{"reply": {"text": "a"}, "found": "yes"}'), "external_not_flag"),
        (status(200, '{"reply": {"text": "a"}, "sources": 3}'), "external_not_contexts"),
        (status(200, '{"reply": {"text": "a"}, "sources": [{"score": 3}]}'), "external_not_contexts"),
        (status(200, '{"reply": {"text": "a"}, "buttons": [{"label": 1}]}'), "external_not_texts"),
        (status(200, json.dumps({"reply": {"text": "a" * (MAX_ANSWER_CHARACTERS + 1)}})), "external_long"),
        (status(200, json.dumps({"reply": {"text": "a"}, "sources": ["b"] * 201})), "external_contexts"),
        (status(200, json.dumps({"reply": {"text": "a" * 5_000_000}})), "external_huge"),
        (status(200, "[" * 100_000), "external_not_json"),
        (status(404, "<html>no</html>"), "external_refused"),
        (status(401), "external_refused"),
        (status(302, "", location="http://127.0.0.1:9/elsewhere"), "moved"),
        (slow, "external_slow"),
    ],
)
def test_whatever_it_does_is_one_clear_sentence(bot: Bot, home: HelpDesk, fault: Any, key: str) -> None:
    home.script = [fault]
    found, sentence = error_of(on_http(bot, home, timeout=0.6))
    assert (found, len(home.requests)) == (key, 1), sentence


def test_a_bot_that_fails_is_asked_again_but_not_for_ever(bot: Bot, home: HelpDesk) -> None:
    home.script = [status(500), status(502)]
    assert external_turn(on_http(bot, home), (), "交通費").reply.text.startswith("交通費")
    home.script = [status(500)] * 9
    assert error_of(load_bot(bot.id, bot.folder.parent))[0] == "external_failed"
    assert len(home.requests) == 6


def test_a_busy_bot_is_asked_again_when_it_says(bot: Bot, home: HelpDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    home.script = [status(429, "{}", retry_after="1")]
    turn = external_turn(on_http(bot, home), (), "交通費")
    assert turn.seconds["external"] >= 1 and len(home.requests) == 2
    home.script = [status(429, "{}", retry_after="4000")]
    assert error_of(load_bot(bot.id, bot.folder.parent))[0] == "external_wait"
    assert len(home.requests) == 3
    assert external_turn(load_bot(bot.id, bot.folder.parent), (), "交通費").reply.text, (
        "others are not kept from asking"
    )


def test_nobody_there_is_reported(bot: Bot) -> None:
    with help_desk() as gone:
        reached = on_http(bot, gone)
    assert error_of(reached)[0] == "external_absent"


def test_a_path_that_does_not_fit_is_reported(bot: Bot, home: HelpDesk) -> None:
    odd = external_bot(bot, f'[external]\nkind = "http"\nurl = "{home.url}"\nanswer = "sort(reply.text)"\n')
    assert error_of(odd)[0] == "external_path"


def test_a_reply_of_nothing_is_called_nothing(bot: Bot, home: HelpDesk) -> None:
    home.script = [status(200, "null")]
    key, said = error_of(on_http(bot, home))
    assert key == "external_no_answer" and "It has: null" in said


def test_a_key_goes_out_by_its_name_and_is_hidden_in_whatever_comes_back(
    bot: Bot, home: HelpDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed = on_http(bot, home, extra_toml='[external.headers]\nAuthorization = "Bearer ${HELP_KEY}"\n')
    assert error_of(keyed)[0] == "external_no_key" and home.requests == []
    monkeypatch.setenv("HELP_KEY", "s3cret-of-the-desk")
    home.script = [{"reply": {"text": "your key is s3cret-of-the-desk"}}]
    assert external_turn(keyed, (), "?").reply.text == "your key is •••"
    assert home.headers[0]["Authorization"] == "Bearer s3cret-of-the-desk"
    home.script = [status(403, '{"error": {"message": "bad key s3cret-of-the-desk"}}')]
    assert "s3cret" not in error_of(keyed)[1]
    home.script = [status(200, "no json s3cret-of-the-desk")]
    assert "s3cret" not in error_of(keyed)[1]
    assert "s3cret" not in (bot.folder / "bot.toml").read_text("utf-8")


def test_a_key_goes_only_to_the_hosts_that_the_owner_named(fresh_settings: pytest.MonkeyPatch) -> None:
    fresh_settings.setenv("HELP_KEY", "s3cret-of-the-desk")
    with pytest.raises(BadInput, match="KIKU_EXTERNAL_KEYS"):
        secret("HELP_KEY", "https://help.example.com/ask")
    fresh_settings.setenv("KIKU_EXTERNAL_KEYS", "OTHER@help.example.com, HELP_KEY@Help.example.com")
    from core.base.settings import settings

    settings.cache_clear()
    assert secret("HELP_KEY", "https://help.example.com/ask") == "s3cret-of-the-desk"
    for other in ("https://help.example.com.evil.example/", "https://help.example.com:8443/", "http://x.example/"):
        with pytest.raises(BadInput):
            secret("HELP_KEY", other)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('kind = "ftp"', "external_kind"),
        ('url = "http://127.0.0.1/"', "external_kind"),
        ('kind = "chat"\nurl = "http://127.0.0.1/v1"\nmodel = "m"\nkey = "sk-live-1234"', "written_key"),
        ('kind = "chat"\nurl = "http://127.0.0.1/v1"\nmodel = ""', "empty"),
        ('kind = "http"\nurl = "http://me:pw@127.0.0.1/"', "written_key"),
        ('kind = "http"\nurl = "file:///etc/passwd"', "not_address"),
        ('kind = "http"\nurl = "https://bots..example.com/"', "not_address"),
        ('kind = "http"\nurl = "https://${HOST}/"', "written_key"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\nanswer = "a["', "not_jmespath"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\nbody = "{message}"', "not_json"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\nheaders = {X-Api-Key = "abc123"}', "written_key"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\nheaders = {X-Credential = "abc123"}', "written_key"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\nheaders = {"a b" = "c"}', "not_header"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\ntimeout = 0', "above"),
        ('kind = "http"\nurl = "http://127.0.0.1/"\nanwser = "a"', "extra"),
        ('kind = "python"\ncallable = "os.system"', "not_callable"),
    ],
)
def test_a_table_that_cannot_be_used_names_its_field(tmp_path: Path, table: str, why: str) -> None:
    with pytest.raises(BadInput) as wrong:
        parse_bot(f'name = "x"\nlanguage = "ja"\n[external]\n{table}\n'.encode(), tmp_path)
    assert wrong.value.details["why"] == why and f"error_details.{why}" in words()
    assert str(wrong.value.details["field"]).startswith("external")


def test_a_chat_endpoint_gets_prompt_history_and_key(
    bot: Bot, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_KEY", server.key)
    server.script = ["10日までです。"]
    table = f'[external]\nkind = "chat"\nurl = "{server.url}"\nmodel = "desk"\nkey = "DESK_KEY"\n'
    chat = save_bot(external_bot(bot, table), {"prompt": "丁寧に"})
    turn = external_turn(chat, SAID, "期限は")
    assert turn.reply.text == "10日までです。" and turn.asked_back is None
    sent = server.requests[-1]
    assert sent["model"] == "desk" and [one["role"] for one in sent["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    monkeypatch.setenv("DESK_KEY", "sk-wrong-key-1")
    key, sentence = error_of(chat)
    assert key == "external_refused" and "sk-wrong-key-1" not in sentence


def test_a_get_request_has_the_fields_in_its_query(bot: Bot, home: HelpDesk) -> None:
    table = f'[external]\nkind = "http"\nmethod = "GET"\nurl = "{home.url}?v=1"\nanswer = "reply.text"\n'
    external_turn(external_bot(bot, f"{table}body = '''{{\"q\": \"{{message}}\"}}'''\n"), (), "a&b")
    assert home.paths == ["/ask?v=1&q=a%26b"]


def test_the_table_is_written_with_its_comments(bot: Bot, home: HelpDesk) -> None:
    here = on_http(bot, home, extra_toml="# about keys\n")
    file = bot.folder / "bot.toml"
    values = {"kind": "http", "url": home.url, "answer": "x.y", "body": '{\n"m": "{message}"\n}', "headers": {"A": "b"}}
    saved = save_external(here, values)
    assert saved.external is not None and saved.external.model_dump()["headers"] == {"A": "b"}
    text = file.read_text("utf-8")
    assert text.startswith("# ours") and "found" not in text and "timeout" not in text
    with pytest.raises(BadInput):
        save_external(saved, {"kind": "http", "url": "nowhere"})
    assert file.read_text("utf-8") == text
    assert save_external(saved, None).external is None and "external" not in file.read_text("utf-8")


def test_every_error_of_an_external_bot_has_words() -> None:
    found: set[str] = set()
    for file in (ROOT / "core" / "bot" / "external").glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            named = (
                isinstance(call, ast.Call) and getattr(call.func, "id", "") == "ExternalBotError" and len(call.args) > 1
            )
            if named and isinstance(call.args[1], ast.Constant):  # type: ignore[union-attr]
                found.add(str(call.args[1].value))  # type: ignore[union-attr]
    assert len(found) > 12 and all(f"errors.{key}" in words() for key in found)


def test_the_examples_of_the_documentation_can_be_used(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "bots.md").read_text("utf-8")
    tables = [block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[external]" in block]
    kinds = [parse_bot(table.encode(), tmp_path).external for table in tables]
    assert [type(kind).__name__ for kind in kinds] == ["ChatBot", "HttpBot", "PythonBot"]
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "def reply" in block)
    (tmp_path / "desk.py").write_text(code, "utf-8")
    turn = external_turn(parse_bot(tables[2].encode(), tmp_path), (), "hello")
    assert turn.reply == Answer(text="You said hello", answered=True)
