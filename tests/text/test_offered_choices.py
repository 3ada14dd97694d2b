"""A reply picks the offered choices that it quotes, unless it says that they are not meant."""

import pytest

from core.text.offered_choices import picked_choices

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
