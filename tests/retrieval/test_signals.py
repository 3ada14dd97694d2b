"""What speaks for a passage: letters, word vectors, headings in meaning, and their weighted sum."""

import os
import shutil
import struct
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.base.bot_folder import load_bot
from core.base.settings import ROOT
from core.documents.documents import Document
from core.retrieval.fusion import fuse, message_weights, scale, signal_weights
from core.retrieval.index_cache import Indexes
from core.retrieval.lexical import CharacterNgrams, Lexical, WordPairs, WordSets
from core.retrieval.near_words import NearWords
from core.retrieval.section_vectors import MIN_HEADINGS, HeadingVectors
from core.retrieval.word_vectors import WordVectors, read_word_vectors, word_hash, word_vectors


def scores(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


@pytest.mark.parametrize(
    ("of", "query", "best"), [("ja", "しゅっちょうの旅費", 1), ("en", "recieving invoises", 1), ("ja", "めいし", 0)]
)
def test_letters_find_another_spelling(of: str, query: str, best: int):
    texts = {"ja": [("名刺の注文",), ("出張の旅費",)], "en": [("Deleting a board",), ("Receiving invoices",)]}[of]
    found = CharacterNgrams(texts, of).scores(query)
    assert int(np.argmax(found)) == best and found[best] > 0


def test_letters_give_nothing_to_what_shares_no_run():
    assert CharacterNgrams([("名刺の注文",)], "ja").scores("バス").tolist() == [0.0]


@pytest.mark.parametrize(
    ("of", "query", "texts"),
    [
        ("ja", "油田の起源は?", ["起源は油田の菌にある。", "油田の起源は海にある。", "油田"]),
        ("en", "the ownership of a board", ["A board lists the ownership.", "Transfer the ownership of a board.", ""]),
    ],
)
def test_pairs_tell_texts_with_the_same_words_apart(of: str, query: str, texts: list[str]):
    found = WordPairs([("", text) for text in texts], of).scores(query)
    assert found[1] > 0 and found[[0, 2]].tolist() == [0.0, 0.0]
    assert WordPairs([("", text) for text in texts], of).scores(query.split("の")[0].split()[0]).tolist() == [0.0] * 3


def test_the_meaning_of_texts_counts_as_far_as_no_passage_has_the_words():
    weights = {"words": 1.0, "texts": 3.0}
    for covered, share in ((0.0, 0.75), (0.5, 0.6), (1.0, 0.0)):
        found = message_weights(weights, {"coverage": scores(covered / 2, covered)})
        assert sum(found.values()) == pytest.approx(4.0) and found["texts"] / 4.0 == pytest.approx(share)
    assert message_weights({"words": 1.0}, {"coverage": scores(1.0)}) == {"words": 1.0}
    assert message_weights({"texts": 1.0}, {"coverage": scores(1.0)}) == {"texts": 0.0}


def test_only_larger_indexes_without_example_questions_weigh_pairs_and_texts(tmp_path: Path):
    indexes = Indexes(tmp_path / "index")
    few, many = (
        indexes.of_documents(
            f"notes-{count}",
            [
                Document("answer.md", "# 油田\n\n相良の油田の起源は海の生き物です。"),
                Document("other.md", "# 油田\n\n油田の菌の起源は海です。相良の生き物ではありません。"),
                *(Document(f"{n}.md", f"# 資料{n}\n\n会議室{n}の予約は総務が受け付けます。") for n in range(count)),
            ],
        )
        for count in (20, 300)
    )
    weighted = {"pairs", "texts", "headings"}
    assert weighted <= set(many.weights) and not weighted & {name for name, weight in few.weights.items() if weight}
    query = "相良の油田の起源は?"
    signals = many.signals(query)
    expected = fuse(signals, message_weights(many.weights, signals))
    assert many.search(query, 1)[0].passage is many.passages[int(np.argmax(expected))]
    pairs = {p.document: float(score) for p, score in zip(many.passages, signals["pairs"], strict=True)}
    assert pairs["answer.md"] > pairs["other.md"] and "pairs" not in few.signals(query)


def test_the_largest_share_is_that_of_the_best_of_several_sets_of_words():
    lexical = Lexical(["会議室 予約 変更 総務", "名刺 注文", "予約 総務"], "ja")
    sets = [{"会議"}, {"予約", "変更"}, {"総務", "予約"}, {"名刺"}, set[str]()]
    for query in ("会議室の予約を変更", "総務で予約", "名刺", "知らない", "", "予約"):
        expected = max(lexical.share(query, frozenset(words)) for words in sets)
        assert lexical.largest_share(query, WordSets(sets)) == expected


def test_coverages_are_those_of_each_passage():
    lexical = Lexical(["年次有給休暇は10日です。", "名刺は総務で注文します。", ""], "ja")
    found = lexical.coverages("名刺の注文")
    assert found.tolist() == pytest.approx([lexical.coverage("名刺の注文", row) for row in range(3)])
    assert found[1] == pytest.approx(1.0)


def test_a_word_like_the_one_asked_for_counts_in_part():
    words = ["自転車", "くるま", "名刺"]
    unit = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    rows = np.zeros((3, 300), dtype=np.float32)
    rows[:, :2] = unit
    order = np.argsort(np.array([word_hash(word) for word in words], dtype=np.uint64))
    hashes = np.array([word_hash(words[place]) for place in order], dtype=np.uint64)
    vectors = WordVectors(hashes, order.astype(np.uint16), rows)
    near = NearWords([frozenset({"自転車"}), frozenset({"くるま", "名刺"}), frozenset(), frozenset({"外"})], vectors)
    found = near.nearness("自転車")
    assert found[0] == pytest.approx(1.0) and 0 < found[1] < 1 and found[2:].tolist() == [0.0, 0.0]
    assert near.nearness("知らない語").tolist() == [0.0] * 4


def test_signals_are_summed_in_standard_deviations_by_their_weights():
    first, second = scores(10, 0, 0, 0), scores(0, 0.2, 0, 0)
    assert int(np.argmax(fuse({"a": first, "b": second}, {"a": 1.0, "b": 0.5}))) == 0
    assert int(np.argmax(fuse({"a": first, "b": second}, {"a": 0.5, "b": 1.0}))) == 1
    assert fuse({"a": first, "b": second}, {"a": 1.0}).tolist() == fuse({"a": first}, {"a": 1.0}).tolist()
    scaled = scale(fuse({"a": first}, {"a": 1.0}))
    assert scaled.max() == 1 and scaled.min() >= 0


def test_a_hit_in_a_small_collection_stands_out_as_in_a_large_one():
    few, many = scores(5, 0, 0), scores(5, *[0] * 150)
    assert fuse({"a": few}, {"a": 1.0})[0] == pytest.approx(fuse({"a": many}, {"a": 1.0})[0], rel=0.05)


def test_a_signal_without_difference_and_no_signal_tell_nothing():
    assert fuse({"a": scores(0, 0)}, {"a": 1.0}).tolist() == [0.0, 0.0]
    assert scale(scores(0, 0)).tolist() == [0.0, 0.0]


def test_every_weight_is_of_a_signal_that_exists(indexes: Indexes):
    known = set(indexes.get(load_bot("hinata")).signals("休暇の申請")) | {"near", "vectors", "interaction", "pairs"}
    known |= {"headings", "texts"}  # in an index without example questions
    for language, headings, examples in product(("ja", "en", "zh"), (True, False), (True, False)):
        assert set(signal_weights(language, headings, examples, 300)) <= known


def packed(number: int) -> bytes:
    """An integer as MessagePack writes it."""
    if number < 128:
        return struct.pack("B", number)
    for mark, form, most in ((0xCC, "B", 2**8), (0xCD, ">H", 2**16), (0xCE, ">I", 2**32)):
        if number < most:
            return struct.pack("B", mark) + struct.pack(form, number)
    return b"\xcf" + struct.pack(">Q", number)


def write_vectors(folder: Path, words: dict[str, int], rows: int) -> None:
    entries = {word_hash(word): row for word, row in words.items()} | {7: 3, 300: 200}
    table = b"\xdf" + struct.pack(">I", len(entries)) + b"".join(packed(n) for pair in entries.items() for n in pair)
    (folder / "key2row").write_bytes(table)
    values = np.random.default_rng(0).normal(size=(rows, 300)).astype(np.float32)
    with (folder / "vectors").open("wb") as file:
        np.save(file, values)


def test_words_are_read_whatever_the_size_of_their_number(tmp_path: Path):
    words = {f"語{n}": n for n in range(700)}
    write_vectors(tmp_path, words, 700)
    vectors = read_word_vectors(tmp_path)
    stored = np.load(tmp_path / "vectors")
    for word, row in words.items():
        found = vectors.vector(word)
        assert found is not None
        assert found == pytest.approx(stored[row] / np.linalg.norm(stored[row]), abs=1e-5)
    assert vectors.vector("別の語") is None


def test_the_hash_is_spacys():
    assert word_hash("coffee") == 3197928453018144401  # from spaCy's documentation of its StringStore


def test_a_heading_of_like_words_is_nearest():
    rows = np.zeros((4, 300), dtype=np.float32)
    rows[0, 0], rows[1, :2], rows[2, 5], rows[3, 9] = 1, (0.9, 0.3), 1, 1
    names = ["自転車", "車", "休暇", "名刺"]
    hashes = np.array([word_hash(name) for name in names], dtype=np.uint64)
    order = np.argsort(hashes)
    vectors = WordVectors(hashes[order], np.arange(4, dtype=np.uint16)[order], rows)
    headings = HeadingVectors([["休暇"], ["自転車"], ["名刺"]], Counter(names), vectors)
    assert int(np.argmax(headings.signals("車")["meaning"])) == 1


@pytest.mark.slow
def test_signals_are_the_same_to_the_bit_in_every_process(tmp_path: Path):
    shutil.copytree(load_bot("hinata").folder, tmp_path / "hinata")
    for file in sorted((tmp_path / "hinata" / "documents").iterdir())[2:]:
        file.unlink()
    code = (
        "import sys; from pathlib import Path; from core.base.bot_folder import load_bot;"
        "from core.retrieval.index_cache import Indexes;"
        "index = Indexes(Path(sys.argv[1]) / 'chroma').get(load_bot('hinata', Path(sys.argv[1])));"
        "print([(name, scores.tobytes().hex()) for name, scores in index.signals('休みを取りたいのですが').items()])"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1] != b""


def test_stored_section_vectors_give_the_scores_that_were_computed(home: Path) -> None:
    vectors = word_vectors()
    assert vectors is not None
    headings = [["休暇", "申請", str(number)] for number in range(MIN_HEADINGS)] + [["会議", "予約"]]
    counts = Counter(word for words in headings for word in words)
    computed, stored = (HeadingVectors(headings, counts, vectors) for _ in range(2))
    assert len(list((home / "data" / "prepared").iterdir())) == 1
    for query in ("休みを取りたい", "会議室", "xyz"):
        np.testing.assert_array_equal(computed.signals(query)["meaning"], stored.signals(query)["meaning"])
