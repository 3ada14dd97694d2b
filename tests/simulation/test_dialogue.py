"""One conversation: who speaks, and when it ends."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from core.base.types import UserMessage
from core.simulation.dialogue import Dialogue, DialogueOutcome
from tests.support.small_bot import a_turn


def hold(
    replies: list[str], answers: list[UserMessage], max_turns: int = 3
) -> tuple[DialogueOutcome, list[tuple[int, str, str]]]:
    """How the conversation ended; and each turn's number, message and the user's state."""
    dialogue = Dialogue(
        "first",
        lambda messages, text: a_turn(text, replies[len(messages) // 2]),
        lambda messages, last_chance=False: answers[len(messages) // 2 - 1],
        max_turns,
    )
    turns = list(dialogue.turns())
    assert [len(turn.before) for turn in turns] == [2 * (turn.number - 1) for turn in turns]
    return dialogue.outcome, [(turn.number, turn.turn.message, turn.user_state) for turn in turns]


def test_a_conversation_ends_when_the_user_has_what_they_need() -> None:
    outcome, turns = hold(["a", "b"], [UserMessage(text="and?"), UserMessage(text="thanks", ending="done")])
    assert outcome == DialogueOutcome("done", "thanks")
    assert turns == [(1, "first", "opening"), (2, "and?", "going_on")]


def test_a_conversation_ends_when_the_sheet_has_no_answer_twice() -> None:
    outcome, _ = hold(["a"], [UserMessage(text="I don't know", ending="out_of_script")])
    assert outcome.ending == "out_of_script"


def test_after_the_last_turn_the_user_is_asked_only_how_it_ended() -> None:
    asked: list[tuple[int, bool]] = []

    def user(messages: object, last_chance: bool = False) -> UserMessage:
        asked.append((len(messages) // 2, last_chance))  # type: ignore[arg-type]
        return UserMessage(text="thanks", ending="done") if last_chance else UserMessage(text="and?")

    dialogue = Dialogue("first", lambda messages, text: a_turn(text), user, 2)
    assert len(list(dialogue.turns())) == 2 and asked == [(1, False), (2, True)]
    assert dialogue.outcome == DialogueOutcome("done", "thanks")


def test_a_user_who_names_no_ending_leaves_it_at_the_number_of_turns() -> None:
    outcome, turns = hold(["a", "b"], [UserMessage(text="and?"), UserMessage(text="and then?")], max_turns=2)
    assert outcome == DialogueOutcome("max_turns") and len(turns) == 2


def test_a_customer_who_writes_done_is_not_done() -> None:
    outcome, turns = hold(["a", "b"], [UserMessage(text="DONE 完了"), UserMessage(text="DONE")], max_turns=2)
    assert outcome.ending == "max_turns" and turns[1][1] == "DONE 完了"


def test_an_empty_message_is_no_message_unless_it_ends_the_conversation() -> None:
    with pytest.raises(ValidationError, match="text is empty"):
        UserMessage(text=" ")
    assert UserMessage(text="", ending="gave_up").ending == "gave_up"
