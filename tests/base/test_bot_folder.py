"""Bots are folders: the bundled ones, broken ones, edited ones."""

import re
from pathlib import Path

import pytest

from core.base.bot_edits import save_bot
from core.base.bot_folder import bot_ids, load_bot, parse_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.documents.documents import read_documents
from core.documents.passages import passages
from core.llm.prices import price_file, read_prices
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios

BUNDLED = ["harbor", "hinata", "minato"]
KINDS = {"faq", "vague", "consultation", "out_of_scope", "complaint"}


def test_the_three_bots_are_bundled():
    assert set(BUNDLED) <= set(bot_ids())


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_bot_is_long_and_varied(name: str):
    bot = load_bot(name)
    documents = read_documents(bot)
    assert len(documents) >= 25
    assert sum(len(passages(document)) for document in documents) >= 300
    assert sum(bool(re.search(r"^\|.*\|$", document.text, re.M)) for document in documents) >= 10
    assert bot.contacts and bot.samples and bot.prompt and bot.guidelines and bot.greeting and bot.profile_fields


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_question_file_covers_every_kind(name: str):
    rows = read_scenarios(load_bot(name))
    assert len(rows) >= 40 and {row.kind for row in rows} == KINDS
    assert all(row.reference for row in rows if row.kind != "out_of_scope")
    assert all(row.needs_asking is not None for row in rows)
    assert all(row.intent and row.facts for row in rows if row.kind == "vague")
    assert len({row.id for row in rows}) == len(rows)


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "bot.toml").write_text('# kept\nname = "小町"\nlanguage = "ja"\nprompt = "短く"\n', "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "source",
    [
        b"name = ",
        b'name = "x"\nlanguage = "fr"',
        b'language = "ja"',
        b'name = "x"\nlanguage = "ja"\nunknown = 1',
        b'name = "x"\nlanguage = "ja"\n[clarify]\nmax_questions = -1',
        'name = "\u5c0f"'.encode("utf-16"),
        b"",
    ],
)
def test_a_broken_bot_is_one_sentence_that_names_the_file(knowledge: Path, source: bytes):
    with pytest.raises(BadInput) as caught:
        parse_bot(source, knowledge / "small")
    assert caught.value.key == "broken_bot" and "small/bot.toml" in str(caught.value)


@pytest.mark.parametrize("name", ["none", "../small", "", "small/..", "SMALL"])
def test_an_unknown_bot_is_refused_with_the_known_ones(knowledge: Path, name: str):
    with pytest.raises(BadInput, match="small"):
        load_bot(name, knowledge)


def test_a_folder_of_bots_elsewhere_is_named(tmp_path: Path, knowledge: Path):
    with pytest.raises(BadInput, match=re.escape(f"There is no bot 'x' in {tmp_path}: the bots are small.")):
        load_bot("x", knowledge)
    with pytest.raises(BadInput, match=r"no other in .*/empty.*KIKU_KNOWLEDGE_DIR"):
        load_bot("x", tmp_path / "empty")


def test_saving_keeps_comments_and_other_settings(knowledge: Path):
    bot = load_bot("small", knowledge)
    saved = save_bot(bot, {"prompt": "長く\n丁寧に", "clarify.max_questions": 1})
    assert saved == load_bot("small", knowledge)
    assert (saved.prompt, saved.clarify.max_questions, saved.name) == ("長く\n丁寧に", 1, "小町")
    assert (knowledge / "small" / "bot.toml").read_text("utf-8").startswith("# kept\n")


def test_a_change_that_would_break_the_bot_is_not_written(knowledge: Path):
    bot = load_bot("small", knowledge)
    before = (knowledge / "small" / "bot.toml").read_bytes()
    with pytest.raises(BadInput):
        save_bot(bot, {"clarify.max_questions": 99})
    assert (knowledge / "small" / "bot.toml").read_bytes() == before


def test_text_that_looks_like_toml_stays_text(knowledge: Path):
    odd = 'a"""b\n[clarify]\nmax_questions = 9\\'
    assert save_bot(load_bot("small", knowledge), {"prompt": odd}).prompt == odd


@pytest.mark.parametrize(("name", "value"), [("KIKU_CONCURRENCY", "many"), ("KIKU_ENGINE", "magic")])
def test_a_setting_that_cannot_be_used_is_one_sentence(fresh_settings: pytest.MonkeyPatch, name: str, value: str):
    fresh_settings.setenv(name, value)
    with pytest.raises(BadInput, match=f"{name} is '{value}'"):
        settings()


def test_the_environment_wins_over_the_settings_page(fresh_settings: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "settings.toml").write_text("concurrency = 3\npass_mark = 0.8\n")
    fresh_settings.setenv("KIKU_DATA_DIR", str(tmp_path))
    fresh_settings.setenv("KIKU_CONCURRENCY", "7")
    assert (settings().concurrency, settings().pass_mark) == (7, 0.8)


def test_a_file_that_the_system_does_not_give_is_one_sentence(knowledge: Path, tmp_path: Path):
    bot = next(file.parent for file in knowledge.glob("*/bot.toml"))
    for name, read in (
        ("bot.toml", lambda: load_bot(bot.name, knowledge)),
        ("prompts/answer.en.md", lambda: load_bot(bot.name, knowledge)),
        ("personas.toml", lambda: read_personas("en", load_bot(bot.name, knowledge))),
        ("questions.csv", lambda: read_scenarios(load_bot(bot.name, knowledge))),
    ):
        file, moved = bot / name, tmp_path / "kept"
        file.parent.mkdir(exist_ok=True)
        moved.unlink(missing_ok=True)
        if file.exists():
            file.rename(moved)
        file.symlink_to("/proc/self/mem")  # a file to look at, and an error to read
        with pytest.raises(BadInput) as error:
            read()
        assert error.value.key == "file_unreadable" and file.name in str(error.value)
        file.unlink()
        if moved.exists():
            moved.rename(file)


@pytest.mark.parametrize("source", [b"x = " + b"9" * 6_000, b"x = " + b"[" * 5_000, b"\xff", b"models = 5\n"])
@pytest.mark.usefixtures("home")
def test_prices_that_cannot_be_read_are_one_sentence(source: bytes):
    price_file().parent.mkdir(parents=True)
    price_file().write_bytes(source)
    with pytest.raises(BadInput, match=r"prices\.toml cannot be read"):
        read_prices()
