"""One conversation: who speaks, and when it ends."""

from __future__ import annotations

from core.base.types import Message, Turn, UserMessage
from core.simulation.dialogue import Outcome, hold_dialogue
from tests.small import a_turn


def talk(replies: list[str], says: list[UserMessage], max_turns: int = 3) -> tuple[Outcome, list[tuple[int, str, str]]]:
    heard: list[tuple[int, str, str]] = []

    def bot(said: tuple[Message, ...], text: str) -> Turn:
        return a_turn(text, replies[len(said) // 2])

    def listen(number: int, turn: Turn, said: tuple[Message, ...], state: str) -> None:
        assert len(said) == 2 * (number - 1)
        heard.append((number, turn.message, state))

    return hold_dialogue("first", bot, lambda said: says[len(said) // 2 - 1], listen, max_turns), heard


def test_a_conversation_ends_when_the_user_has_what_they_need() -> None:
    outcome, heard = talk(["a", "b"], [UserMessage(text="and?"), UserMessage(text="thanks", ending="done")])
    assert outcome == Outcome("done", "thanks")
    assert heard == [(1, "first", "opening"), (2, "and?", "going_on")]


def test_a_conversation_ends_when_the_sheet_has_no_answer_twice() -> None:
    outcome, _ = talk(["a"], [UserMessage(text="I don't know", ending="out_of_script")])
    assert outcome.ending == "out_of_script"


def test_a_conversation_ends_after_its_last_turn_without_asking_the_user_again() -> None:
    outcome, heard = talk(["a", "b"], [UserMessage(text="and?")], max_turns=2)
    assert outcome == Outcome("max_turns") and len(heard) == 2


def test_a_customer_who_writes_done_is_not_done() -> None:
    outcome, heard = talk(["a", "b"], [UserMessage(text="DONE 完了")], max_turns=2)
    assert outcome.ending == "max_turns" and heard[1][1] == "DONE 完了"
