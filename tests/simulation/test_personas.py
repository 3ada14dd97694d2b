"""Personas: a change leaves the rest of the file as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.errors import BadInput
from core.base.settings import ROOT
from core.base.types import Persona, Voice
from core.simulation.personas import read_personas, write_personas
from tests.support.simulated_users import bot_in

FILE = """# kept comment
[[personas]]
id = "ann"  # also kept
[personas.ja]
name = "アン"
[personas.ja.voice]
answer = ["{text}だよ。"]
[personas.en]
name = "Ann"
[[personas]]
id = "bob"
[personas.ja]
name = "ボブ"
"""


@pytest.fixture
def knowledge(tmp_path: Path, fresh_settings: pytest.MonkeyPatch) -> Path:
    fresh_settings.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path))
    (tmp_path / "personas.toml").write_text(FILE, "utf-8")
    return tmp_path


def test_a_change_in_one_language_leaves_the_other_and_the_comments(knowledge: Path) -> None:
    ann, bob = read_personas("ja")
    write_personas([ann.model_copy(update={"name": "アンナ"}), bob], "ja")
    source = (knowledge / "personas.toml").read_text("utf-8")
    assert "# kept comment" in source and "# also kept" in source
    assert [one.name for one in read_personas("ja")] == ["アンナ", "ボブ"]
    assert [one.name for one in read_personas("en")] == ["Ann", "ボブ"]
    assert read_personas("ja")[0].voice.answer == ("{text}だよ。",)


def test_personas_are_added_and_removed(knowledge: Path) -> None:
    new = Persona(id="zoe_2", name='ゾエ "Z"', description="話し好き\n二行目", voice=Voice(done=("どうも。",)))
    write_personas([*read_personas("ja"), new], "ja")
    assert read_personas("ja")[-1] == new
    write_personas([new], "ja")
    assert [one.id for one in read_personas("en")] == ["zoe_2"]


def test_a_bot_brings_its_own_beside_the_shared_ones(knowledge: Path) -> None:
    folder = knowledge / "small"
    folder.mkdir()
    bot = bot_in(folder)
    own = [("ann", "別のアン"), ("cy", "サイ")]
    tables = (f'[[personas]]\nid = "{name}"\n[personas.ja]\nname = "{shown}"\n' for name, shown in own)
    (folder / "personas.toml").write_text("".join(tables), "utf-8")
    assert [one.name for one in read_personas("ja", bot)] == ["別のアン", "ボブ", "サイ"]
    write_personas([*read_personas("ja"), Persona(id="di", name="ディ")], "ja")
    assert [one.name for one in read_personas("ja", bot)] == ["別のアン", "ボブ", "ディ", "サイ"]


def test_writing_what_was_read_changes_nothing(knowledge: Path) -> None:
    source = (ROOT / "knowledge" / "personas.toml").read_text("utf-8")
    (knowledge / "personas.toml").write_text(source, "utf-8")
    for language in ("ja", "en"):
        write_personas(read_personas(language), language)
    assert (knowledge / "personas.toml").read_text("utf-8") == source


@pytest.mark.parametrize(
    ("source", "key", "says"),
    [
        ("[[personas]\n", "broken_personas", "line 1"),
        ('[[personas]]\nid = "a"\n', "broken_persona", "persona 1"),
        ('[[personas]]\nid = "A b"\n[personas.ja]\nname="x"\n', "broken_persona", "A b"),
        ('[[personas]]\nid = "a"\n[personas.ja]\nnick="x"\n', "broken_persona", "ja"),
        (
            '[[personas]]\nid="a"\n[personas.ja]\nname="x"\n[[personas]]\nid="a"\n[personas.ja]\nname="y"\n',
            "broken_personas",
            "/personas.toml cannot be read .*'a'",
        ),
    ],
)
def test_a_broken_persona_file_is_reported_in_one_sentence(knowledge: Path, source: str, key: str, says: str) -> None:
    (knowledge / "personas.toml").write_text(source, "utf-8")
    with pytest.raises(BadInput, match=says) as caught:
        read_personas("ja")
    assert caught.value.key == key


@pytest.mark.parametrize(
    "persona", [Persona(id="No Good", name="x"), Persona(id="", name="x"), Persona(id="ok", name=" ")]
)
def test_a_persona_needs_an_id_and_a_name(knowledge: Path, persona: Persona) -> None:
    with pytest.raises(BadInput):
        write_personas([persona], "ja")
    assert (knowledge / "personas.toml").read_text("utf-8") == FILE
