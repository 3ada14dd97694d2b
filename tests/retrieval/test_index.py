"""Documents, passages, the index and its search."""

import shutil
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import Bot
from core.documents.documents import Document, add_document, read_documents, remove_document
from core.documents.passages import MAX_PASSAGE_CHARACTERS, passages
from core.llm.embedded import EmbeddedEngine
from core.retrieval.embedders import HashedTerms, Matrix
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.snapshot import changed_parts, take_snapshot
from core.simulation.scenarios import read_scenarios
from core.text.message_questions import question_parts
from core.text.synonyms import load_synonyms
from tests.support.small_bot import small_bot

PAGE = """# 休暇の手引き
はじめに読んでください。

## 年次有給休暇
入社から6か月で10日つきます。

### 契約社員の場合
契約社員は7日です。

```
## これは見出しではありません
```

| 区分 | 日数 |
|---|---|
| 正社員 | 10日 |
"""


def test_passages_stand_beneath_their_headings():
    found = passages(Document("leave.md", PAGE))
    assert [passage.heading for passage in found] == ["休暇の手引き", "年次有給休暇", "年次有給休暇 › 契約社員の場合"]
    assert all(passage.title == "休暇の手引き" for passage in found)
    assert "| 正社員 | 10日 |" in found[2].text and "これは見出しではありません" in found[2].text


def test_nothing_of_a_long_section_is_lost_when_it_is_cut():
    sentences = [f"これは{number}番目の文です。" for number in range(400)]
    found = passages(Document("long.md", "# 長い文書\n" + "".join(sentences)))
    assert len(found) > 3 and all(len(passage.text) <= MAX_PASSAGE_CHARACTERS for passage in found)
    assert "".join(passage.text for passage in found) == "".join(sentences)
    assert len({passage.id for passage in found}) == len(found)


@pytest.mark.parametrize("text", ["", "   \n", "# 見出しだけ\n## もう一つ\n"])
def test_a_document_without_text_has_no_passages(text: str):
    assert passages(Document("empty.md", text)) == []


def test_a_text_file_has_no_headings():
    (only,) = passages(Document("note.txt", "# not a heading\nplain text"))
    assert only.text.startswith("# not a heading")


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    folder = tmp_path / "small"
    (folder / "documents").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "小町"\nlanguage = "ja"\n', "utf-8")
    (folder / "documents" / "leave.md").write_text(PAGE, "utf-8")
    return load_bot("small", tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "key"),
    [
        ("empty.md", b"", "empty_document"),
        ("blank.txt", b" \n\n", "empty_document"),
        ("report.pdf", b"%PDF", "foreign_file"),
        ("../out.md", b"text", "document_name"),
        (".hidden.md", b"text", "document_name"),
        ("sjis.md", "休暇".encode("shift_jis"), "not_utf8"),
    ],
)
def test_a_document_that_cannot_be_used_is_refused_and_nothing_changes(bot: Bot, name: str, data: bytes, key: str):
    before = read_documents(bot)
    with pytest.raises(BadInput) as caught:
        add_document(bot, name, data)
    assert caught.value.key == key and "\n" not in str(caught.value)
    assert read_documents(bot) == before


def test_a_document_can_be_added_removed_and_brought_back(bot: Bot, tmp_path: Path):
    indexes = Indexes(tmp_path / "chroma")
    assert not indexes.get(bot).search("名刺の注文")
    add_document(bot, "cards.md", "# 名刺\n## 名刺の注文方法\n名刺は総務のページで注文します。".encode())
    assert indexes.get(bot).search("名刺の注文")[0].passage.document == "cards.md"
    data = remove_document(bot, "cards.md")
    assert not indexes.get(bot).search("名刺の注文")
    add_document(bot, "cards.md", data)
    assert indexes.get(bot).search("名刺の注文")[0].passage.heading == "名刺の注文方法"


def test_only_a_document_of_the_bot_can_be_removed(bot: Bot):
    for name in ("../bot.toml", "none.md"):
        with pytest.raises(BadInput):
            remove_document(bot, name)
    assert (bot.folder / "bot.toml").is_file()


def test_the_index_is_built_once_and_again_only_for_other_documents(bot: Bot, tmp_path: Path):
    seen: list[tuple[int, int]] = []
    first = Indexes(tmp_path / "chroma")
    index = first.get(bot, lambda done, total: seen.append((done, total)))
    assert seen == [(3, 3)] and first.get(bot) is index
    seen.clear()
    reopened = Indexes(tmp_path / "chroma").get(bot, lambda done, total: seen.append((done, total)))
    assert seen == [] and reopened.passages == index.passages
    first.get(bot, lambda done, total: seen.append((done, total)), rebuild=True)
    assert seen == [(3, 3)]


def test_a_bot_without_documents_finds_nothing(bot: Bot, tmp_path: Path):
    (bot.folder / "documents" / "leave.md").unlink()
    index = Indexes(tmp_path / "chroma").get(bot)
    assert index.search("休暇") == () and index.sections("休暇") == ()


@pytest.mark.slow
def test_two_fresh_folders_find_exactly_the_same(tmp_path: Path):
    shutil.copytree(load_bot("harbor").folder, tmp_path / "harbor")
    for file in sorted((tmp_path / "harbor" / "documents").iterdir())[2:]:
        file.unlink()
    bot = load_bot("harbor", tmp_path)
    questions = [row.question for row in read_scenarios(bot)][:6]
    one, two = (Indexes(tmp_path / name).get(bot) for name in ("one", "two"))
    assert len(questions) == 6
    assert [one.search(text) for text in questions] == [two.search(text) for text in questions]


def test_a_message_is_searched_for_by_its_questions_without_greetings(indexes: Indexes):
    message = "お世話になっております。営業部の田中です。結婚休暇は何日ですか。名刺の注文方法も教えてください。"
    assert question_parts(message) == ("結婚休暇は何日ですか。", "名刺の注文方法も教えてください。")
    assert question_parts("How long does it take, and who can do it?") == ("How long does it take", "who can do it?")
    headings = {hit.passage.heading for hit in indexes.get(load_bot("hinata")).search(message, 6)}
    assert {"本人の結婚休暇の日数", "名刺の注文方法と納期"} <= headings


def test_eight_threads_may_open_one_index_at_once(bot: Bot, tmp_path: Path):
    folder = tmp_path / "chroma"
    found: list[int] = []

    def look() -> None:
        found.append(len(Indexes(folder).get(bot).search("年次有給休暇")))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and min(found) > 0


def test_a_data_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path, bot: Bot):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInput) as caught:
        Indexes(tmp_path / "file").get(bot)
    assert caught.value.key == "data_folder"


@pytest.mark.parametrize("query", ["", " ", "😀", "<b>", "a" * 5000, "💥" * 1000, "' OR 1=1 --"])
def test_any_query_is_survived(indexes: Indexes, query: str):
    for name in ("hinata", "harbor"):
        assert len(indexes.get(load_bot(name)).search(query, 5)) <= 5


def test_vectors_take_part_only_for_the_language_the_embedder_knows(indexes: Indexes):
    english = indexes.get(load_bot("harbor")).search("How can I get my money back?", 5)
    assert all(hit.vector is not None for hit in english) and english[0].passage.heading
    japanese = indexes.get(load_bot("minato")).search("返金してもらえますか", 5)
    assert all(hit.vector is None for hit in japanese)


def test_scores_fall_and_stay_between_0_and_1(indexes: Indexes):
    hits = indexes.get(load_bot("hinata")).search("結婚休暇の日数", 10)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.score <= 1 and 0 <= hit.coverage <= 1 for hit in hits)
    assert hits[0].passage.heading == "本人の結婚休暇の日数"


def test_a_colloquial_word_finds_the_official_one(indexes: Indexes):
    (best, *_) = indexes.get(load_bot("hinata")).search("スマホをなくしました", 3)
    assert "スマートフォン" in best.passage.heading and "紛失" in best.passage.heading
    assert load_synonyms("ja").synonyms_for(("スマホ",)) or load_synonyms("ja").synonyms_for(("スマート", "ホン"))


def test_changed_synonyms_of_a_bot_are_used_at_once_and_are_another_state(tmp_path: Path) -> None:
    bot, indexes = small_bot(tmp_path / "knowledge"), Indexes(tmp_path / "chroma")
    before, recorded = indexes.get(bot), take_snapshot(Plan(bot=bot.id), bot, [], EmbeddedEngine(), {})
    for synonym, heading in (("交通", "期限"), ("看護", "日数")):
        (bot.folder / "synonyms.toml").write_text(f'ja = [["モンブラン", "{synonym}"]]\n', "utf-8")
        after = indexes.get(bot)
        assert after.search("モンブラン", 1)[0].heading == heading and after.digest != before.digest
        now = take_snapshot(Plan(bot=bot.id), bot, [], EmbeddedEngine(), {})
        assert changed_parts(recorded.model_dump(mode="json"), now) == ("synonyms.toml",)
        before, recorded = after, now


@pytest.mark.parametrize(
    "content", ["ja = 5", 'ja = ["交通", "移動"]', 'ja = [["交通", 3]]', 'jp = [["交通", "移動"]]', "ja = ["]
)
def test_synonyms_of_another_shape_are_refused_in_a_sentence(tmp_path: Path, content: str) -> None:
    bot = small_bot(tmp_path / "knowledge")
    (bot.folder / "synonyms.toml").write_text(content, "utf-8")
    with pytest.raises(BadInput, match=f"{bot.id}/synonyms.toml cannot be read"):
        Indexes(tmp_path / "chroma").get(bot)


def test_topics_come_from_several_documents(indexes: Indexes):
    topics = indexes.get(load_bot("hinata")).sections("休暇")[:16]
    assert len({topic.document for topic in topics}) >= 4
    assert max(sum(other.document == topic.document for other in topics) for topic in topics) <= 3


def test_an_open_index_is_there_while_another_one_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    knowledge, indexes, gate, begun = tmp_path / "knowledge", Indexes(tmp_path / "chroma"), Event(), Event()
    first = small_bot(knowledge)
    shutil.copytree(first.folder, knowledge / "second")
    index = indexes.get(first)

    class Waiting(HashedTerms):
        def encode(self, texts: Sequence[str]) -> Matrix:
            begun.set()
            assert gate.wait(20)
            return super().encode(texts)

    monkeypatch.setattr("core.retrieval.index_cache.search_embedder", lambda script: Waiting())
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(indexes.get, load_bot("second", knowledge))
        assert begun.wait(20)
        with ThreadPoolExecutor(1) as other:
            assert other.submit(indexes.get, first).result(20) is index
        gate.set()
        assert second.result(20) is not index
