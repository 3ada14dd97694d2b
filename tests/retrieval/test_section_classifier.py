"""The classifier over example questions finds what tells neighbouring sections apart."""

from pathlib import Path

import numpy as np

from core.retrieval.section_classifier import MIN_STORED_SAMPLES, SectionClassifier, TrainingText
from core.text.language import terms

QUESTIONS = (
    ("how do I get a deleted note back", "my note is in the trash, restore it", "undelete a note"),
    ("I emptied the trash, is the note gone for ever", "the trash is empty, my note is gone for ever"),
    ("how many notes can I keep", "limit of notes on the free plan"),
)


def classifier() -> SectionClassifier:
    samples = [
        TrainingText(text, frozenset(terms(text)), label) for label, texts in enumerate(QUESTIONS) for text in texts
    ]
    return SectionClassifier(samples, len(QUESTIONS), "en")


def likeliest(text: str) -> int:
    return int(np.argmax(classifier().scores(text, frozenset(terms(text)))))


def test_the_words_that_only_one_section_has_decide():
    assert likeliest("deleted my note, can you restore it from the trash") == 0
    assert likeliest("I emptied my trash by mistake and the note is gone") == 1
    assert likeliest("what is the limit of notes") == 2


def test_a_slip_of_the_pen_is_found_by_its_letters():
    assert likeliest("emptyed the trsh, gone forever?") == 1


def test_likelihoods_compare_whatever_the_length():
    one, two = (classifier().scores(text, frozenset(terms(text))) for text in ("note gone", "note gone " * 40))
    assert np.isfinite(one).all() and np.isfinite(two).all()
    assert one.argmax() == two.argmax() and np.ptp(two) < 4 * np.ptp(one)


def test_a_message_of_unknown_words_leaves_all_about_as_likely():
    found = classifier().scores("qqqq zzzz", frozenset(("qqqq", "zzzz")))
    assert np.ptp(found) == 0


def test_samples_and_messages_of_a_letter_or_none_are_read():
    tiny = SectionClassifier([TrainingText("a", frozenset(("a",)), 0), TrainingText("", frozenset(), 1)], 2, "en")
    for text in ("a", "", "a longer message"):
        assert np.isfinite(tiny.scores(text, frozenset(text.split()))).all()


def test_what_is_stored_gives_the_scores_that_were_learned(home: Path):
    samples = [
        TrainingText(f"note {number} of {number % 7}", frozenset(("note", str(number))), number % 3)
        for number in range(MIN_STORED_SAMPLES)
    ]
    learned, stored = (SectionClassifier(samples, 3, "en") for _ in range(2))
    assert len(list((home / "data" / "prepared").iterdir())) == 1
    for query in ("note 12", "of 6", "nothing"):
        words = frozenset(query.split())
        np.testing.assert_array_equal(learned.scores(query, words), stored.scores(query, words))
