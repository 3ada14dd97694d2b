"""A bot's own prompts: read in place of Kiku's, refused in one sentence if they cannot be used, run as no code."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.call_context import in_context
from core.base.errors import BadInput
from core.base.prompt_files import can_undo_prompt, save_prompt, undo_prompt
from core.base.types import Hit, Message, Passage
from core.bot.answer.answer import Answering
from core.prompts.catalog import all_prompts, check_prompt, sent_messages

PASSAGE = Passage(id="1", document="a.md", title="Loans", heading="Period", text="{{ 7 * 7 }} days")
PROMPT = Answering(
    question="How long?",
    passages=(Hit(passage=PASSAGE, score=1),),
    conversation=(Message(role="user", text="How long?"),),
    language="en",
)
GOOD = 'Be brief.\n=== user ===\n{% for hit in passages %}{{ hit.passage.text }}{% endfor %}\n{% include "conversation.en.md" %}'


def test_a_bots_own_text_is_sent_in_place_of_kikus_and_what_people_wrote_stays_text() -> None:
    with in_context(prompts={"answer.en": GOOD, "answer.ja": "unused"}):
        rules, material = PROMPT.messages()
    assert rules == "Be brief." and material.startswith("{{ 7 * 7 }} days") and "How long?" in material
    assert PROMPT.messages()[0] != rules


@pytest.mark.parametrize("name", sorted(all_prompts()))
def test_kikus_own_texts_pass_the_check_and_are_shown_as_sent(name: str) -> None:
    prompt = all_prompts()[name]
    for language in ("ja", "en"):
        text = prompt.default(language)
        check_prompt(f"{name}.{language}", text)
        rules, material = sent_messages(f"{name}.{language}", text)
        assert rules and material and "{%" not in rules + material


@pytest.mark.parametrize(
    ("text", "key", "wanted"),
    [
        (GOOD + "{{ pasages }}", "prompt_unknown_variable", "pasages"),
        ("=== user ===\n{{ dialogue }}", "prompt_missing_variable", "passages"),
        (GOOD + "\n{% if today %}", "prompt_syntax", "line 5"),
        (GOOD + "{{ passages[0].passage.titel }}", "prompt_fails", "titel"),
        (GOOD + '{% include "../secret.md" %}', "prompt_part", "secret"),
        (GOOD + "{{ today.__class__.__mro__ }}", "prompt_fails", "prompts/answer.en.md"),
        (GOOD + "{{ query.upper() }}", "prompt_syntax", "calls nothing"),
        (GOOD + "{{ range }}", "prompt_unknown_variable", "range"),
        (GOOD + "{{ query * 999999999 }}", "prompt_fails", "not allowed"),
        (GOOD + "{{ query | center(99) }}", "prompt_syntax", "center"),
        (" \n", "prompt_empty", "prompts/answer.en.md"),
        (GOOD.replace("=== user ===\n", "") + "\n=== user ===", "prompt_no_material", "=== user ==="),
    ],
)
def test_a_text_that_cannot_be_used_is_refused_in_one_sentence(text: str, key: str, wanted: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_prompt("answer.en", text)
    assert refused.value.key == key and wanted in str(refused.value) and "\n" not in str(refused.value)


def test_a_file_that_no_prompt_has_is_told() -> None:
    for key in ("anser.en", "answer.fr", "judges/answer.en"):
        with pytest.raises(BadInput, match="is not the file of a prompt"):
            check_prompt(key, GOOD)


def test_a_broken_text_is_an_error_of_the_call_that_needs_it() -> None:
    with in_context(prompts={"answer.en": "{{ nothing }}"}), pytest.raises(BadInput, match="nothing"):
        PROMPT.messages()


def test_saving_removing_and_undoing(home: Path) -> None:
    def own() -> dict[str, str]:
        return load_bot("komachi").prompts

    bot = load_bot("komachi")
    assert own() == {} and not can_undo_prompt(bot, "judges/turn.ja")
    save_prompt(bot, "judges/turn.ja", "one")
    save_prompt(bot, "judges/turn.ja", "two")
    assert own() == {"judges/turn.ja": "two"}
    undo_prompt(bot, "judges/turn.ja")
    assert own() == {"judges/turn.ja": "one"}
    undo_prompt(bot, "judges/turn.ja")
    assert own() == {"judges/turn.ja": "two"}
    save_prompt(bot, "judges/turn.ja", None)
    assert own() == {} and can_undo_prompt(bot, "judges/turn.ja")
    undo_prompt(bot, "judges/turn.ja")
    assert own() == {"judges/turn.ja": "two"}
