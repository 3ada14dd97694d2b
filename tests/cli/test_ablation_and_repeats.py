"""Runs without clarifying questions, and several verdicts of a judge, from the command line."""

from __future__ import annotations

import json

import pytest

from core.__main__ import main
from core.store.clarification_table import read_clarification
from core.store.store import open_store

pytestmark = pytest.mark.usefixtures("home")


def test_an_ablation_run_is_judged_again_and_shows_the_self_agreement(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["simulate", "--bot", "komachi", "--no-clarify", "--json"]) == 0
    shown_text = json.loads(capsys.readouterr().out)
    run, turns = shown_text["run"], shown_text["turns"]
    assert set(read_clarification(open_store().db, run)["decision"]) == {"search"}
    assert main(["judge-run", run, "turn", "--repeats", "2", "--json"]) == 0
    rejudged = json.loads(capsys.readouterr().out)
    assert rejudged["judged"] == turns and rejudged["criteria"] == pytest.approx(shown_text["criteria"], abs=1e-6)
    assert rejudged["repeats"] == {"turn": {"turns": turns, "verdicts": 2, "deviation": 0.0, "agreement": 1.0}}
    assert main(["judge-run", run, "turn"]) == 0
    assert "turn self-agreement: 100% the same" in capsys.readouterr().out
