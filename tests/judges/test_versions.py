"""A judge's version changes with whatever can change its verdicts, so that old and new scores share no mean."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from core.judges import version

RULES = re.compile(r"core\.judges\.\w+\.\w+")
SHARED_CODE = ("judges/judge_prompt.py", "base/fence.py", "base/probabilities.py")
CODE = '''"""Of the module."""

class Verdict(FrozenModel):
    """Shown to a model."""

class Rule:
    """Of the class."""

    def limit(self) -> float:
        """Of the method."""
        return 0.5  # a comment
'''


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("Of the module.", "Reworded.", True),
        ("Of the class.", "Reworded.", True),
        ("Of the method.", "Reworded.", True),
        ("a comment", "another one", True),
        ("return 0.5 ", "return (\n            0.5\n        ) ", True),
        ("0.5", "0.6", False),
        ("limit", "least", False),
        ("Shown to a model.", "Reworded.", False),
    ],
)
def test_a_reworded_docstring_or_comment_keeps_the_version_and_changed_code_does_not(
    before: str, after: str, is_same: bool
) -> None:
    changed = CODE.replace(before, after)
    assert changed != CODE
    assert (version.code_of(changed) == version.code_of(CODE)) is is_same


@pytest.mark.parametrize("shared", ["judge_data.ja.md", "judge_examples.ja.md", "judge_history.en.md", "today.ja.md"])
def test_a_part_that_all_judges_include_is_part_of_their_version(
    shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("judges/retrieval", "base/prompt_parts"):
        (tmp_path / name).mkdir(parents=True)
    files = (*SHARED_CODE, f"base/prompt_parts/{shared}")
    for name in files:
        (tmp_path / name).write_text("before")
    monkeypatch.setattr(version, "CORE", tmp_path)
    seen: set[str] = set()
    for name in (None, *files):
        if name:
            (tmp_path / name).write_text("after")
        version.version_of_sources.cache_clear()
        seen.add(version.version_of_sources("judges/retrieval"))
    version.version_of_sources.cache_clear()
    assert len(seen) == len(files) + 1


def test_a_refitted_file_of_coefficients_is_part_of_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("text", "judges", "base/prompt_parts"):
        (tmp_path / name).mkdir(parents=True)
    for name in SHARED_CODE:
        (tmp_path / name).write_text("same")
    monkeypatch.setattr(version, "CORE", tmp_path)
    seen: set[str] = set()
    for coefficients in ("[1]", "[2]"):
        (tmp_path / "text" / "fitted.json").write_text(coefficients)
        version.version_of_sources.cache_clear()
        seen.add(version.version_of_sources("text"))
    version.version_of_sources.cache_clear()
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
def test_a_version_covers_the_sources_whose_rules_the_judge_uses_and_no_others(module: str) -> None:
    name = f"core.judges.{module}"
    sources = {source_of(one) for one in imported_by(name)}
    module_with_judge = importlib.import_module(name)
    judge = getattr(module_with_judge, "JUDGES", None) or [module_with_judge.JUDGE]
    assert judge[0].version == version.version_of_sources(*sorted(sources))


def imported_by(name: str) -> set[str]:
    """The modules in folders of judges, of core.text and of core.retrieval that a module imports itself or through others.

    Those of core.retrieval count, but not what they import.
    """
    found, left = {name}, [name]
    while left:
        module = left.pop()
        if module.startswith("core.retrieval."):
            continue
        text = (version.CORE.parent / (module.replace(".", "/") + ".py")).read_text("utf-8")
        modules = {node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
        new = {
            one for one in modules - found if one.startswith(("core.text.", "core.retrieval.")) or RULES.fullmatch(one)
        }
        found |= new
        left += new
    return found


def source_of(module: str) -> str:
    parts = module.split(".")[1:]
    if parts[0] == "retrieval":
        return "/".join(parts) + ".py"
    return "/".join(parts[:-1] if parts[0] == "text" else parts[:2])
