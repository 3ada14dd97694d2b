"""A reply picks the offered choices that it quotes, unless it says that they are not meant."""

import pytest

from core.base.types import Message
from core.text.offered_choices import offered_again, picked_choices

CHOICES = ("Subscription is not listed", "Refund after a renewal")


@pytest.mark.parametrize(
    ("reply", "picked"),
    [
        ('Bear with me, the cat is on the keyboard. It\'s about "Refund after a renewal", dear.', CHOICES[1:]),
        ("It's about “refund after a renewal”.", CHOICES[1:]),
        ('I mean "Subscription is not listed" I think', CHOICES[:1]),
        ('I do not mean "Refund after a renewal"', ()),
        ("Something about a refund for the year that I paid in advance", ()),
    ],
)
def test_a_quoted_choice_is_picked(reply: str, picked: tuple[str, ...]) -> None:
    assert picked_choices(CHOICES, reply) == picked


@pytest.mark.parametrize(
    ("reply", "picked"),
    [
        ("ええと、たしか「休暇の申請方法」のことだったと思います", ("休暇の申請方法",)),
        ("「休暇の申請方法」ではなくて、もっと前の手続きのことを知りたいのです", ()),
    ],
)
def test_the_same_in_japanese(reply: str, picked: tuple[str, ...]) -> None:
    assert picked_choices(("休暇の申請方法", "休暇の取消"), reply) == picked


@pytest.mark.parametrize(
    ("reply", "picks"),
    [
        ("yes i'd like that one please", True),
        ("that's the one", True),
        ("Yes please", True),
        ("はい、それでお願いします", True),
        ("それです", True),
        ("yes", False),
        ("that's it, thanks", False),
        ("それでいいです", False),
        ("is that one free?", False),
        ("ありがとうございます", False),
    ],
)
def test_the_only_choice_is_picked_by_saying_that_one(reply: str, picks: bool) -> None:
    assert picked_choices(CHOICES[:1], reply) == (CHOICES[:1] if picks else ())
    assert picked_choices(CHOICES, reply) == ()


def test_a_choice_of_an_earlier_reply_is_offered_again_if_the_message_is_that() -> None:
    offer = Message(role="assistant", text="Which?", choices=CHOICES)
    said = [Message(role="user", text=text) for text in ("refund", "how long?", "refund after a renewal")]
    answer = Message(role="assistant", text="Two days.", choices=("Payment failed",))
    before, last = offered_again([said[0], offer, said[1], answer, said[2]])[-2:]
    assert before.choices == ("Payment failed", "Refund after a renewal")
    assert picked_choices(before.choices, last.text) == ("Refund after a renewal",)
    assert offered_again([said[0], offer, said[1], answer, said[1]])[-2] == answer
