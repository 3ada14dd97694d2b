"""Messages in kana are read as the documents spell their words."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message
from core.bot.conversation_prompt import shown_messages
from core.bot.messages.spelling import respelled, without_markup
from core.documents.documents import Document
from core.retrieval.index_cache import Indexes

TEXT = "# 領収書\n\n## 領収書の宛名\n\n領収書の宛名は、設定の画面で変えられます。"


def test_a_message_in_kana_finds_the_section_and_a_model_sees_what_was_written() -> None:
    index = Indexes().of_documents("kana", [Document("receipts.md", TEXT)])
    written = "りょうしゅうしょの あてなを かえたい"
    (message,) = respelled(index, [Message(role="user", text=written)])
    assert message.text == "領収書の 宛名を 変えたい"
    assert index.sections(message.text)[0].heading.endswith("領収書の宛名")
    assert shown_messages((message,))[0].text == written


def test_the_spelling_is_learned_once_however_many_threads_need_it_at_the_same_time() -> None:
    vocabulary = Indexes().of_documents("kana", [Document("receipts.md", TEXT)]).vocabulary
    with ThreadPoolExecutor(4) as pool:
        learned = list(pool.map(lambda _: vocabulary.kana_spelling(()), range(4)))
    assert len(set(map(id, learned))) == 1


def test_choices_and_greetings_stay_as_they_are() -> None:
    index = Indexes().of_documents("kana", [Document("receipts.md", TEXT)])
    offered = Message(role="assistant", text="どれですか", asks=True, choices=("りょうしゅうしょ",))
    messages = (Message(role="user", text="おやすみ"), offered, Message(role="user", text="りょうしゅうしょ"))
    assert respelled(index, messages) == messages


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Can we use <b>PayPal</b> for <span class='x'>12 seats</span>?", "Can we use PayPal for 12 seats?"),
        ("one<br/>two", "one two"),
        ("my $Microsoft$ login, $login and **my** `account`", "my Microsoft login, login and my account"),
        ("5*3*2, $5-$6, US$ 5, a < b > c, <name>, 5 ** 2", "5*3*2, $5-$6, US$ 5, a < b > c, <name>, 5 ** 2"),
        ("<b>領収書</b>の**宛名**", "領収書の宛名"),
    ],
)
def test_markup_is_not_read(written: str, read: str) -> None:
    assert without_markup(written) == read


def test_a_known_word_in_markup_is_known() -> None:
    index = Indexes().of_documents("receipts", [Document("receipts.md", "# Receipts\n\nThey are in the settings.")])
    (message,) = respelled(index, [Message(role="user", text="Where is my <b>receipt</b>?")])
    assert (message.text, message.written) == ("Where is my receipt?", "Where is my <b>receipt</b>?")


def test_english_documents_are_left_alone() -> None:
    index = Indexes().of_documents("receipts", [Document("receipts.md", "# Receipts\n\nThey are in the settings.")])
    messages = (Message(role="user", text="りょうしゅうしょ"),)
    assert respelled(index, messages) == messages


def test_what_is_gone_is_told_from_who_has_died(indexes: Indexes) -> None:
    index = indexes.get(load_bot("minato"))
    gone, died = (Message(role="user", text=text) for text in ("ノートがなくなった!!", "祖父がなくなった"))
    assert [one.text for one in respelled(index, (gone, died))] == ["ノートがなくなった!!", "祖父が亡くなった"]


def test_a_code_is_read_as_the_documents_spell_it() -> None:
    text = "# Errors\n\n## PT-207\n\nThe bank declined.\n\n## E88\n\nThe lid is open.\n\n## Rooms\n\nB-12 and B12 are one.\n"
    index = Indexes().of_documents("codes", [Document("errors.md", text)])
    said = ("it says pt207 again", "PT 207?", "E-88", "since 2024, room b 12", "ept2071")
    read = ("it says PT-207 again", "PT-207?", "E88", "since 2024, room b 12", "ept2071")
    assert [index.vocabulary.with_documented_codes(one) for one in said] == list(read)
    (message,) = respelled(index, (Message(role="user", text=said[0]),))
    assert (message.text, message.written) == (read[0], said[0])
