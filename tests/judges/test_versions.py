"""A judge's version changes with whatever can change its verdicts, so that old and new scores share no mean."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from core.judges import version
from core.judges.registry import JUDGE_MODULES, judges_of

RULES = re.compile(r"core\.judges\.\w+\.\w+")


@pytest.mark.parametrize("shared", ["judge_data.ja.md", "judge_examples.ja.md", "judge_history.en.md", "today.ja.md"])
def test_a_part_that_all_judges_include_is_part_of_their_version(
    shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("judges/retrieval", "base/prompt_parts"):
        (tmp_path / name).mkdir(parents=True)
    files = ("judges/judge_prompt.py", "base/fence.py", f"base/prompt_parts/{shared}")
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
    for name in ("judges/judge_prompt.py", "base/fence.py"):
        (tmp_path / name).write_text("same")
    monkeypatch.setattr(version, "CORE", tmp_path)
    seen: set[str] = set()
    for coefficients in ("[1]", "[2]"):
        (tmp_path / "text" / "fitted.json").write_text(coefficients)
        version.version_of_folders.cache_clear()
        seen.add(version.version_of_folders("text"))
    version.version_of_folders.cache_clear()
    assert len(seen) == 2


@pytest.mark.parametrize(
    "module",
    [
        "turn.turn",
        "correctness.correctness",
        "groundedness.groundedness",
        "groundedness.sufficiency",
        "relevance.relevance",
        "quiz.quiz",
        "keypoints.keypoints",
        "retrieval.retrieval",
        "simulated_user.simulated_user",
    ],
)
def test_a_version_covers_the_folders_whose_rules_the_judge_uses_and_no_others(module: str) -> None:
    name = f"core.judges.{module}"
    folders = {folder_of(one) for one in imported_by(name)}
    judge = next(iter(judges_of(JUDGE_MODULES[name][:1])))
    assert judge.version == version.version_of_folders(*sorted(folders))


def imported_by(name: str) -> set[str]:
    """The modules in folders of judges, and of core.text, that a module imports itself or through others."""
    found, left = {name}, [name]
    while left:
        text = (version.CORE.parent / (left.pop().replace(".", "/") + ".py")).read_text("utf-8")
        modules = {node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
        new = {one for one in modules - found if one.startswith("core.text.") or RULES.fullmatch(one)}
        found |= new
        left += new
    return found


def folder_of(module: str) -> str:
    parts = module.split(".")[1:]
    return "/".join(parts[:-1] if parts[0] == "text" else parts[:2])
