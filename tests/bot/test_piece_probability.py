"""Which piece of a section answers what is asked."""

import pytest

from core.base.types import Hit, Passage
from core.bot.embedded.piece_probability import likeliest_pieces, piece_features, piece_log_odds
from core.bot.embedded.quotes import choose_quotes
from core.bot.embedded.snippets import snippets
from core.bot.embedded.sub_questions import sub_questions

SAUNA = (
    "サウナは16歳以上の方が利用できます。水着は着けずに、備え付けのタオルを腰に巻いてください。飲酒された方の利用はお断りしています。"
    "サウナの温度は90度です。水風呂は16度に保っています。引率の先生1名につき、生徒は4名までです。タオルは受付で1枚150円でお貸しします。"
    "貴重品はロッカーに入れてください。ロッカーの鍵をなくしたときは2,000円をいただきます。毎週水曜日は清掃のため19時に閉めます。"
    "指輪やネックレスは外してから入ってください。具合が悪くなったときは、壁の非常ボタンを押してください。髪の毛が肩にかかる方は結んでください。"
)
KENNEL = (
    "Dogs stay in heated rooms with a run of their own. Please bring the food that your dog is used to. Each dog is "
    "walked twice a day, for half an hour each time. Dogs over 40 kg have the larger rooms and cost £6 more a "
    "night. We ring you if your dog does not eat. Toys and blankets may be left with us, but we cannot promise that "
    "they come back whole. A dog that bites is kept apart. Puppies under 16 weeks cannot stay. The owner pays for a "
    "vet if one is needed. Beds are washed every day."
)


def passage(text: str) -> Hit:
    stored = Passage(id="one", document="one.md", title="", heading="", text=text)
    return Hit(passage=stored, score=1.0)


@pytest.mark.parametrize(
    ("text", "question", "wanted"),
    [
        (SAUNA, "生徒を6人連れて行ってもいいですか", "4名まで"),
        (SAUNA, "髪長いんですけどそのままでいい?", "髪の毛"),
        (SAUNA, "鍵なくしちゃったらいくら", "2,000円"),
        (KENNEL, "she is 45 kilos, is it more then?", "40 kg"),
        (KENNEL, "how often do they get exercise", "twice"),
        (KENNEL, "what about a ten week old pup", "16 weeks"),
    ],
)
def test_the_piece_that_answers_is_the_likeliest(text: str, question: str, wanted: str):
    pieces = snippets(text)
    first, *_ = likeliest_pieces(piece_log_odds(question, sub_questions(question, {}), pieces))
    assert wanted in pieces[first].text


def test_of_a_long_section_the_sentences_that_may_answer_are_quoted_and_the_sure_one_first():
    (quote,) = choose_quotes("鍵なくしちゃったらいくらですか", [passage(SAUNA)], {})
    assert "2,000円" in quote.pieces[0].text
    assert len(quote.pieces) < len(snippets(SAUNA)) / 2


def test_of_a_long_section_that_is_named_in_a_word_everything_is_quoted():
    (quote,) = choose_quotes("サウナ", [passage(SAUNA)], {})
    assert len(quote.pieces) == len(snippets(SAUNA))


def test_words_that_only_one_piece_says_count_more_than_those_of_all():
    pieces = snippets("The red card opens the gym. The red card opens the pool. The red card can be lent.")
    found = piece_features("red card lent", sub_questions("red card lent", {}), pieces)
    assert found[2]["said"] > found[0]["said"] > 0


def test_what_the_section_was_quoted_for_is_told():
    pieces = snippets(KENNEL)
    found = piece_features("and how long?", sub_questions("and how long?", {}), pieces, sub_questions("food", {}))
    assert [piece.text for piece, values in zip(pieces, found, strict=True) if values["before"] > 0] == [pieces[1].text]


def test_all_pieces_are_likely_if_none_is_likelier():
    assert likeliest_pieces([0.0] * 8) == [*range(8)]
    assert likeliest_pieces([5.0, 0.0, 0.0]) == [0]
