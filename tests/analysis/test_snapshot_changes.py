"""What differs between two snapshots is told field by field."""

from __future__ import annotations

from typing import Any

from core.analysis.snapshot_changes import Change, changes_between, is_noise

TOML = 'name = "小町"\nprompt = """一行目\n二行目\n三行目"""\n[clarify]\nmax_questions = 2\n[[contacts]]\nname = "総務"\nreach = "100"\n'


def snapshot(**changes: Any) -> dict[str, Any]:
    stored = {
        "bot_toml": TOML,
        "documents": {"leave.md": "1", "care.md": "2"},
        "personas": [{"id": "calm", "name": "落ち着いた人"}],
        "scenarios": [{"id": "q1", "question": "期限は？", "facts": ""}],
        "judges": {"turn": "0123456789ab"},
        "engine": "embedded",
        "models": {},
        "seed": 1,
    }
    return stored | changes


def found(
    b: dict[str, Any], plan_a: dict[str, Any] | None = None, plan_b: dict[str, Any] | None = None
) -> tuple[Change, ...]:
    return changes_between(snapshot(), b, plan_a or {}, plan_b or {})


def outline(changes: tuple[Change, ...]) -> list[tuple[str, str, str]]:
    return [(change.area, change.name, change.kind) for change in changes]


def test_equal_snapshots_have_no_changes() -> None:
    assert found(snapshot()) == ()


def test_a_prompt_change_is_shown_by_line_and_a_number_by_its_values() -> None:
    changed = TOML.replace("二行目", "二行目です").replace("max_questions = 2", "max_questions = 0")
    prompt, most = found(snapshot(bot_toml=changed))
    assert prompt.lines == (" 一行目", "-二行目", "+二行目です", " 三行目")
    assert (most.name, most.old, most.new) == ("clarify.max_questions", "2", "0")


def test_what_is_not_written_has_its_usual_value() -> None:
    assert found(snapshot(bot_toml=TOML.replace("max_questions = 2", ""))) == ()
    (threshold,) = found(snapshot(bot_toml=TOML.replace("max_questions = 2", "clarity_threshold = 3")))
    assert (threshold.name, threshold.old, threshold.new) == ("clarify.clarity_threshold", "1", "3")


def test_lists_and_fields_that_come_and_go() -> None:
    (one,) = found(snapshot(bot_toml=TOML.replace('reach = "100"', 'reach = "200"')))
    assert (one.name, one.old, one.new) == ("contacts", "総務 / 100", "総務 / 200")
    assert outline(found(snapshot(bot_toml='guidelines = "短く"\n' + TOML))) == [("bot", "guidelines", "added")]


def test_changed_code_of_a_python_bot_is_told_and_no_noise() -> None:
    before, after = snapshot(code={"desk.py": "1"}), snapshot(code={"desk.py": "2"})
    changes = changes_between(before, after, {}, {})
    assert outline(changes) == [("code", "desk.py", "changed")] and not is_noise(changes)


def test_documents_people_questions_and_judges_by_name() -> None:
    other = snapshot(
        documents={"leave.md": "3", "new.md": "4"},
        personas=[{"id": "busy", "name": "急いでいる人"}],
        scenarios=[{"id": "q1", "question": "期限は？", "facts": "x"}],
        judges={"turn": "ffffffffffff"},
    )
    changes = found(other)
    assert outline(changes) == [
        *(("documents", "care.md", "removed"), ("documents", "leave.md", "changed"), ("documents", "new.md", "added")),
        *(("personas", "calm", "removed"), ("personas", "busy", "added"), ("scenarios", "q1", "changed")),
        ("judges", "turn", "changed"),
    ]
    assert [change.title for change in changes[3:6]] == ["落ち着いた人", "急いでいる人", "期限は？"]
    assert changes[5].fields == ("facts",) and (changes[6].old, changes[6].new) == ("0123456", "fffffff")


def test_engine_and_models_by_role() -> None:
    other = snapshot(engine="openai", models={"bot": {"model": "tiny", "temperature": 0.0}})
    assert [change.name for change in found(other)] == ["engine", "bot.model", "bot.temperature"]


def test_only_the_seed_and_who_met_what_may_differ_in_noise() -> None:
    assert is_noise(found(snapshot(seed=2))) and is_noise(()) and is_noise(found(snapshot(judges={})))
    assert is_noise(found(snapshot(personas=[])))
    assert not is_noise(found(snapshot(documents={})))
    assert not is_noise(found(snapshot(bot_toml=TOML.replace("小町", "小野"))))
    assert not is_noise(found(snapshot(), {"max_turns": 3}, {"max_turns": 4}))
    assert not is_noise(found(snapshot(), {"first_message": "plain"}, {"first_message": "persona"}))
    assert not is_noise(found(snapshot(), {}, {"file": "answers.csv"}))
    assert is_noise(found(snapshot(), {}, {"an_option_of_later": True}))


def test_a_bot_file_that_cannot_be_read_is_shown_whole() -> None:
    (one,) = [change for change in found(snapshot(bot_toml="= broken")) if change.name == "bot.toml"]
    assert one.kind == "added" and one.new == "= broken"
