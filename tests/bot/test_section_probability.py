"""Refuse, offer or answer, by the evidence found; and the section that a choice stands for."""

from types import SimpleNamespace
from typing import Any

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Answer, Hit, Message, Passage, SectionHit, Turn
from core.bot.answer.referral import with_choices
from core.bot.answer.refusal import refuse
from core.bot.answer_ask_refuse import answer_probability, best_response, first_response, is_confident
from core.bot.choices.section_names import section_choices
from core.bot.pinned_sections import picked_sections, pin_sections
from core.bot.section_probability import documented_probability, right_section_probability
from core.bot.turn import take_turn
from core.bot.turn_search import SearchResult
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


def hit(heading: str, document: str = "a.md", score: float = 0.5, **signals: float) -> Hit:
    return Hit(
        passage=Passage(id=f"{document}{heading}", document=document, title="備品", heading=heading, text="x"),
        score=score,
        **signals,
    )


def turn_of(indexes: Indexes, name: str, text: str, *before: Message) -> Turn:
    bot = load_bot(name)
    return take_turn(EmbeddedEngine(), bot, indexes.get(bot), before, text)


def test_more_of_the_message_found_is_better_evidence():
    weak = [hit("貸出", strength=2.0, lexical=3.0, coverage=0.2, sentence_coverage=0.2)]
    strong = [hit("貸出", strength=6.0, lexical=12.0, coverage=0.7, sentence_coverage=0.6)]
    for probability in (documented_probability, right_section_probability):
        assert probability("備品を借りる手順と期限", weak) < probability("備品を借りる手順と期限", strong)
    assert documented_probability("備品", []) == 0.0


def test_a_section_whose_heading_the_message_says_is_answered_more_surely():
    best = {"title": "備品", "score": 1.0, "strength": 9.0, "coverage": 0.9, "sentence_coverage": 0.9}
    named, other = (SectionHit(document="a.md", heading=heading, **best) for heading in ("貸出の手順", "返却の連絡"))
    rival = SectionHit(document="b.md", title="会議室", heading="予約", score=0.9, strength=8.5)
    message = "備品の貸出の手順"
    assert (
        answer_probability(message, [named])
        > answer_probability(message, [other])
        > answer_probability(message, [other, rival])
    )
    assert answer_probability(message, []) == 0.0


@pytest.mark.parametrize("passage_count", [5, 200])
def test_the_number_of_passages_counts_the_same_wherever_the_best_response_is_asked_for(passage_count: int):
    signals = {"score": 1.0, "strength": 3.0, "coverage": 0.3, "example": 0.7, "likelihood": -1.0, "unanswered": 0.65}
    topics = (SectionHit(document="a.md", title="Doors", heading="Jammed doors", has_examples=True, **signals),)
    message = "I'm so angry about the doors"
    response = best_response(message, topics, passage_count)
    assert response == ("answer" if passage_count == 5 else "refuse")
    assert is_confident(message, topics, passage_count) == (response == "answer")


@pytest.mark.parametrize("has_examples", [True, False])
def test_a_first_message_that_no_section_likely_answers_is_asked_about_if_there_are_example_questions(
    has_examples: bool,
):
    best = {"title": "Doors", "has_examples": has_examples, "score": 1.0, "strength": 3.0, "coverage": 0.9}
    message, jammed = "my doors are jammed", "Jammed doors of old houses"
    unlikely = (SectionHit(document="a.md", heading=jammed, example=0.6, likelihood=-5.0, **best),)
    likely = (SectionHit(document="a.md", heading=jammed, example=0.9, likelihood=-0.1, **best),)
    assert best_response(message, unlikely, 5) == "answer" == first_response(message, likely, 5)
    assert first_response(message, unlikely, 5) == ("ask" if has_examples else "answer")
    assert first_response("Are my doors jammed? How do I paint them?", unlikely, 5) != "ask"


def test_keywords_that_one_heading_holds_are_answered_at_once(indexes: Indexes):
    turn = turn_of(indexes, "hinata", "複合機 スキャン 送り先")
    assert turn.reply.kind == "answer" and turn.reply.answered


@pytest.mark.parametrize(
    ("name", "text"), [("hinata", "なくしてしまいました"), ("minato", "アカウントが使えなくなりました")]
)
def test_a_trouble_that_many_sections_speak_of_is_asked_about_and_not_refused(indexes: Indexes, name: str, text: str):
    assert turn_of(indexes, name, text).decision == "ask"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hinata", "ペットの猫の飼い方を教えてください"),
        ("minato", "手書きの俳句を毛筆で清書してくれる機能はありますか"),
        ("harbor", "Do you rent out sailing yachts for the summer?"),
    ],
)
def test_what_the_documents_do_not_speak_of_is_refused_and_not_asked_about(indexes: Indexes, name: str, text: str):
    turn = turn_of(indexes, name, text)
    assert turn.reply.kind == "answer" and not turn.reply.answered and not turn.reply.cited


@pytest.mark.parametrize(("name", "text"), [("minato", "解約したいのですが"), ("harbor", "I want to cancel")])
def test_every_choice_of_a_clarifying_question_is_answered_from_its_section(indexes: Indexes, name: str, text: str):
    first = turn_of(indexes, name, text)
    assert first.reply.kind == "clarify" and first.reply.choices
    for choice in first.reply.choices:
        turn = turn_of(indexes, name, choice, *first.as_messages())
        if turn.reply.kind == "clarify":  # a whole document was picked: its sections are offered, once
            assert turn.reply.choices and {hit.document for hit in indexes.get(load_bot(name)).sections(choice, 1)}
            last = turn.reply.choices[0]
            turn = turn_of(indexes, name, last, *first.as_messages(), *turn.as_messages())
            choice = last
        assert turn.reply.kind == "answer" and turn.reply.answered, choice
        quoted = turn.hits[turn.reply.cited[0] - 1].passage
        names = (quoted.heading.rsplit(" › ", 1)[-1], quoted.title)
        assert any(choice == one or choice.endswith(f": {one}") for one in names)


def test_a_picked_section_comes_first_even_if_the_search_did_not_find_it():
    found = (hit("返却", score=1.0), hit("貸出", score=0.4))
    lost = Passage(id="lost", document="b.md", title="備品", heading="紛失したとき", text="x")
    hits, count = pin_sections(["貸出"], found, [one.passage for one in found])
    assert (hits[0].passage.heading, count, len(hits)) == ("貸出", 1, 2)
    hits, count = pin_sections(["紛失したとき"], found, [*(one.passage for one in found), lost])
    assert (hits[0].passage.id, count, len(hits)) == ("lost", 1, 3)
    assert pin_sections([], found, []) == (found, 0)


def test_a_choice_is_picked_only_from_those_just_offered():
    asked = Message(role="assistant", text="どちらですか。", asks=True, choices=("貸出", "返却"))
    assert picked_sections((asked, Message(role="user", text="返却"))) == ("返却",)
    assert picked_sections((asked, Message(role="user", text="1番です"))) == ("貸出",)
    assert picked_sections((asked, Message(role="user", text="紛失しました"))) == ()
    assert picked_sections((Message(role="user", text="返却"),)) == ()


def test_a_heading_of_two_documents_is_offered_with_its_document(indexes: Indexes):
    topics = indexes.get(load_bot("minato")).sections("解約の手順を知りたい", 16)
    same = topics[0].model_copy(update={"document": "other.md", "title": "別の手引き"})
    offered = section_choices([topics[0], same])
    assert len(offered) == 2 and offered[1].endswith("（別の手引き）")


def test_a_heading_with_quotation_marks_is_offered_and_quoted_with_the_other_kind():
    heading = "E101「メールアドレスが違います」と表示されるとき"
    reply = Answer(text=refuse("", (heading,), True, None, False, "ja"))
    assert "「E101『メールアドレスが違います』と表示されるとき」" in reply.text
    context: Any = SimpleNamespace(bot=SimpleNamespace(contacts=()), message="入れません", message_kind="request")
    offered: Any = SimpleNamespace(nearest=(heading,), others=(), contact_section="")
    assert with_choices(reply, context, SearchResult(), offered).choices == (heading,)
