"""A judge's version changes with whatever its prompts include, so that old and new scores share no mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.judges import version


@pytest.mark.parametrize("shared", ["judge_data.ja.md", "judge_history.en.md", "today.ja.md"])
def test_a_part_that_all_judges_include_is_part_of_their_version(
    shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("judges/retrieval", "base/prompt_parts"):
        (tmp_path / name).mkdir(parents=True)
    files = ("judges/judge_prompt.py", "judges/prompt_data.py", "base/fence.py", f"base/prompt_parts/{shared}")
    for name in files:
        (tmp_path / name).write_text("before")
    monkeypatch.setattr(version, "CORE", tmp_path)
    seen: set[str] = set()
    for name in (None, *files):
        if name:
            (tmp_path / name).write_text("after")
        version.version_of_folders.cache_clear()
        seen.add(version.version_of_folders("judges/retrieval"))
    version.version_of_folders.cache_clear()
    assert len(seen) == len(files) + 1


def test_a_refitted_file_of_coefficients_is_part_of_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("text", "judges", "base/prompt_parts"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("judges/judge_prompt.py", "judges/prompt_data.py", "base/fence.py"):
        (tmp_path / name).write_text("same")
    monkeypatch.setattr(version, "CORE", tmp_path)
    seen: set[str] = set()
    for coefficients in ("[1]", "[2]"):
        (tmp_path / "text" / "fitted.json").write_text(coefficients)
        version.version_of_folders.cache_clear()
        seen.add(version.version_of_folders("text"))
    version.version_of_folders.cache_clear()
    assert len(seen) == 2
