"""The one door to a model."""

from importlib import import_module
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from core.base.prompt import NeedsModel, Prompt
from core.base.types import Assessment, Hit, Message, Passage, Persona, Sample, Scenario, SectionHit, UserMessage
from core.bot.answer.answer import Answering
from core.bot.clarify.assess import Assess
from core.bot.rewrite.rewrite import Rewrite
from core.judges.turn.turn import JudgeTurn
from core.llm.embedded import EmbeddedEngine
from core.simulation.simulated_user import NextMessage

CONVERSATION = (Message(role="user", text="{{ 7777 * 7 }} 休暇は?"),)
PASSAGE = Passage(id="1", document="a.md", title="慶弔休暇", heading="日数", text="5日です。")
CLEAR = Assessment(clarity=1, is_question=1, is_consultation=5, in_internal_docs=1, ask_person=5)
PROMPTS = [
    (
        Assess(
            conversation=CONVERSATION,
            sections=(SectionHit(document="a.md", title="t", heading="h", score=1),),
            without_model_reply=lambda: CLEAR,
        ),
        Assessment,
    ),
    (Rewrite(conversation=CONVERSATION), str),
    (
        Answering(
            question="{{ 7777 * 7 }} 休暇は?",
            passages=(Hit(passage=PASSAGE, score=1),),
            conversation=CONVERSATION,
            without_model_reply=lambda: "5日です。休みの前に申請します。[1]",
        ),
        str,
    ),
    (
        NextMessage(
            persona=Persona(id="calm", name="冷静な人"),
            scenario=Scenario(id="q", question="{{ 7777 * 7 }} 休暇は?"),
            conversation=CONVERSATION,
            language="ja",
            seed=1,
        ),
        UserMessage,
    ),
    (JudgeTurn(sample=Sample(question="{{ 7777 * 7 }} 休暇は?", answer="5日"), guidelines="", language="ja"), None),
]


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize(("prompt", "reply"), PROMPTS, ids=lambda value: type(value).__name__)
def test_every_prompt_renders_in_both_languages_and_runs_nothing_a_person_wrote(prompt, reply, language):
    text = prompt.render(language)
    assert "=== user ===" in text
    assert "{{ 7777 * 7 }}" in text and "54439" not in text


@pytest.mark.parametrize(("prompt", "reply"), PROMPTS, ids=lambda value: type(value).__name__)
def test_every_prompt_knows_the_type_of_its_reply(prompt, reply):
    assert prompt.reply_type() is (reply or prompt.reply_type())
    assert isinstance(EmbeddedEngine().ask(prompt), prompt.reply_type())


def test_a_hole_that_no_field_fills_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "holed.py").write_text(
        "from core.base.prompt import Prompt\n\nclass Holed(Prompt[str]):\n    file = 'holed'\n    known: str = 'a'\n"
    )
    (tmp_path / "holed.en.md").write_text("{{ known }} {{ unknown }}")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UndefinedError):
        import_module("holed").Holed().render("en")


def test_what_cannot_be_computed_says_that_it_needs_a_model():
    class Poem(Prompt[str]):
        pass

    with pytest.raises(NeedsModel, match="Poem needs a language model"):
        EmbeddedEngine().ask(Poem())


def test_a_streamed_answer_joined_is_the_whole_answer():
    prompt = PROMPTS[2][0]
    assert "".join(EmbeddedEngine().stream(prompt)) == EmbeddedEngine().ask(prompt)
