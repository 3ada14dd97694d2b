"""A test set put to use: as scenarios of a bot, as a bot of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.errors import BadInput
from core.base.types import Bot
from core.datasets.dataset_bot import add_items, make_bot
from core.datasets.items import Item, Keypoint, SourceSentence
from core.documents.documents import Document, read_documents
from core.simulation.scenarios import read_scenarios

ITEM = Item(
    id="factual-001",
    kind="factual",
    question="図書カードの額はいくらですか?",
    answer="500円です。",
    evidence=(SourceSentence(document="d.md", text="図書カードの額は500円です。"),),
    keypoints=(Keypoint(text="額は500円"),),
)


def test_items_become_scenarios_once_with_keypoints_and_evidence(bot: Bot) -> None:
    before = len(read_scenarios(bot))
    assert add_items(bot, [ITEM]) == 1
    assert add_items(bot, [ITEM]) == 0
    rows = read_scenarios(bot)
    assert len(rows) == before + 1
    assert (rows[-1].kind, rows[-1].evidence, rows[-1].keypoints) == (
        "factual",
        "図書カードの額は500円です。",
        "額は500円",
    )


def test_documents_become_a_bot(fresh_settings: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh_settings.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path))
    documents = [Document(name="d.md", text="# 図書\n\n図書カードの額は500円です。\n")]
    made = make_bot("tosho", "図書", "ja", documents, [ITEM])
    assert (made.name, [one.name for one in read_documents(made)], len(read_scenarios(made))) == ("図書", ["d.md"], 1)
    with pytest.raises(BadInput, match="already"):
        make_bot("tosho", "図書", "ja", documents, [])
    with pytest.raises(BadInput, match="cannot be the id"):
        make_bot("../x", "図書", "ja", documents, [])


def test_documents_whose_names_clash_or_lead_elsewhere_are_all_kept(
    fresh_settings: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fresh_settings.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    names = ["a.md", "x/a.md", "../../a.md", ".md", "a\0b.md", "文" * 300 + ".md"]
    made = make_bot("tosho", "図書", "ja", [Document(name, f"# {number}") for number, name in enumerate(names)], [])
    kept = read_documents(made)
    assert sorted(document.text for document in kept) == [f"# {number}" for number in range(6)]
    assert {"a.md", "a-2.md", "a-3.md", "a-b.md"} < {document.name for document in kept}
    assert [path.name for path in tmp_path.iterdir()] == ["knowledge"]
