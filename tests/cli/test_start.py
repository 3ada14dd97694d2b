"""Commands and the first page start fast: each imports only what it needs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from core.base.settings import ROOT

HEAVY = {
    "openpyxl",
    "torch",
    "chromadb",
    "pandas",
    "plotly",
    "numpy",
    "openai",
    "sqlalchemy",
    "streamlit",
    "sklearn",
    "scipy",
}
SCRIPT = """
import json, sys
from core.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""

FIRST_PAGE = """
import json, sys
from streamlit.testing.v1 import AppTest
from pages.components.services import Services
drawn = []
Services.page_is_drawn = lambda services: drawn.append((sorted(sys.modules), services.ready))
app = AppTest.from_file("app.py", default_timeout=60).run()
assert not app.exception
print(json.dumps(drawn))
"""


def loaded(*arguments: str) -> set[str]:
    """The top-level modules that a command has loaded when it ends."""
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [("--help",), ("simulate", "--help"), ("compare", "--help")])
def test_help_loads_no_large_library(arguments: tuple[str, ...]) -> None:
    assert not loaded(*arguments) & HEAVY


@pytest.mark.usefixtures("home")
def test_ask_without_a_model_loads_neither_its_client_nor_charts() -> None:
    found = loaded("ask", "交通費の精算の期限はいつですか", "--bot", "komachi")
    assert not found & {
        "torch",
        "plotly",
        "openai",
        "streamlit",
        "sqlalchemy",
    }  # scikit-learn, which makes the vectors, loads pandas


@pytest.mark.usefixtures("home")
def test_a_run_without_a_model_loads_neither_its_client_nor_alembic_for_tables_that_are_there() -> None:
    command = ("simulate", "--bot", "komachi", "--limit", "1", "--json")
    assert "alembic" in loaded(*command)  # it makes the tables
    assert not loaded(*command) & {"torch", "plotly", "openai", "streamlit", "alembic"}


@pytest.mark.usefixtures("home")
def test_the_first_page_loads_only_what_it_shows_and_the_indexes_wait_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_PAGE], cwd=ROOT, capture_output=True, text=True, check=True)
    ((modules, ready),) = json.loads(done.stdout)
    assert not ready
    unneeded = {"torch", "chromadb", "sklearn", "openai", "scipy.stats", "core.charts.style", "core.judges.registry"}
    assert not unneeded.intersection(modules)
