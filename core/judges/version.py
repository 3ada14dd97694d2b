"""The version of a judge: a hash of the prompts, words and code that can change its verdicts."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import cast

CORE = Path(__file__).parents[1]
LENGTH = 12
_KINDS = ("*.md", "*.toml", "*.json", "*.py")
# What the prompts of all judges include and are made with, and the arithmetic of the fitted models
_SHARED = ("base/fence.py", "base/probabilities.py", "judges/judge_prompt.py")
# What the turn judge, and each judge with its rules, compares meanings with
MEANING = ("retrieval/sentence_similarity.py", "retrieval/word_vectors.py")
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SHARED_PARTS = ("judge_data", "judge_examples", "judge_history", "today")


def version_of(*parts: str) -> str:
    """The hash of texts: prompts, wordings, settings; another order is another version."""
    seen = hashlib.sha256()
    for part in parts:
        seen.update(f"{len(part)}:{part}".encode())
    return seen.hexdigest()[:LENGTH]


@cache
def version_of_sources(*names: str) -> str:
    """The hash of all prompts, words and rules in folders and files below `core`, and of what all judges share.

    Of a folder, the files directly in it count.
    """
    paths = [CORE / name for name in (*names, *_SHARED)]
    own = (file for path in paths for file in _files(path))
    parts = (file for name in _SHARED_PARTS for file in (CORE / "base" / "prompt_parts").glob(f"{name}.*.md"))
    files = sorted({*own, *parts})
    return version_of(*(f"{file.relative_to(CORE).as_posix()}\n{counted_text(file)}" for file in files))


def _files(path: Path) -> list[Path]:
    return [file for kind in _KINDS for file in path.glob(kind)] if path.is_dir() else [path]


def counted_text(file: Path) -> str:
    """What of a file can change a verdict: all of it; of Python the code without comments and docstrings."""
    text = file.read_text("utf-8")
    return code_of(text) if file.suffix == ".py" else text


@cache
def code_of(source: str) -> str:
    """The syntax tree of Python code, without its docstrings, in the same words for every version of Python.

    The docstrings of FrozenModel classes stay, since a model that judges is shown the one of its reply's type.
    """
    return _dump(ast.parse(source))


def _dump(node: object) -> str:
    if isinstance(node, list):
        return f"[{','.join(map(_dump, cast(list[object], node)))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = node.body if _is_frozen_model(node) else node.body[1:]
    present = (f"{name}={_dump(value)}" for name, value in fields.items() if value is not None and value != [])
    return f"{type(node).__name__}({','.join(present)})"


def _is_frozen_model(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") == "FrozenModel" for base in node.bases)
