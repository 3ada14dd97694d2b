"""Imports go one way."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STAGES = {"clarify", "rewrite", "retrieve", "answer", "user", "judge", "dataset", "trust"}
BELOW = {
    "base": set(),
    **{stage: {"base"} for stage in STAGES},
    **{name: {"base", *STAGES} for name in ("llm", "store", "report")},
    "run": {"base", *STAGES, "llm", "store", "report"},
    "cli": {"base", *STAGES, "llm", "store", "report", "run"},
}
FILES = sorted((ROOT / "core").rglob("*.py"))


def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            names.update({f"{node.module}.{alias.name}" for alias in node.names})
    return names


def test_there_are_files_to_look_at():
    assert len(FILES) > 40


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_folder_of_core_imports_only_what_stands_below_it(file: Path):
    folder = file.relative_to(ROOT / "core").parts[0]
    if folder.endswith(".py"):
        return  # core/__main__.py stands on top
    used = {name.split(".")[1] for name in imported(file) if name.startswith("core.")}
    assert used - {folder} <= BELOW[folder]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_core_knows_nothing_of_streamlit_or_of_the_pages(file: Path):
    tops = {name.split(".")[0] for name in imported(file)}
    assert not tops & {"streamlit", "pages", "app"}
