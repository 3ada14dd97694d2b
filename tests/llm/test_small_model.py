"""A real small model plays a chat, a run and a judging: it is weak, so nothing may break and nothing may be made up by us.

SmolLM2-135M-Instruct on llama.cpp's server, English. Whatever it says, a reply is used as it is or after a repair, or it
is listed with its reason. The share of usable replies is told at the end of the tests.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.calls import ServerFeatures
from core.base.errors import NoValidReply
from core.base.prompt_files import save_prompt
from core.base.settings import ROOT, Settings
from core.base.types import Answer, Bot, Message, Sample, Turn
from core.bot.turn import TurnOptions, take_turn
from core.llm.engine_choice import openai_engine
from core.llm.openai_engine import OpenAIEngine
from core.retrieval.index_cache import Indexes
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import JudgingJobs, JudgingRequest
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from tests.support.llama_server import llama_server, small_model

DOCUMENT, SECTIONS = "storage-limits.md", 2  # all that the bot knows
SCENARIOS = ("harbor-016",)
QUESTIONS = ("How big can one file be?", "And on the Plus plan?")
LONGEST_REPLY = 224  # tokens of a reply
SECONDS = 1_200  # that it may take on a machine with much else to do
OWN = {  # the model reads slowly, so the bot has short prompts of its own; those of the answer and the correctness judge are Kiku's
    "assess.en": """Say how clear the customer's last message is: clarity is 1 if it names what the customer wants, else 5.
=== user ===
{% include "conversation.en.md" %}
""",
    "simulated_user.en": """You are {{ persona.name }}, a customer, and want to know: {{ scenario.question }}
Write your next short message. ending is "done" if the desk told you, else "gave_up".
=== user ===
{% for message in conversation %}{{ "You" if message.role == "user" else "Desk" }}: {{ message.text }}
{% endfor %}
""",
    "judges/relevance.en": """Does the answer address the question? Give a short reason, then Yes or No.
=== user ===
Question: {{ shown.question }}
Answer: {{ shown.answer }}
""",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The model, held back from repeating itself without end, and cut if it does nevertheless."""
    with llama_server(small_model(), slots=3, context=3_072, penalty=1.2, longest=LONGEST_REPLY) as url:
        yield url


@pytest.fixture
def harbor(home: Path) -> Bot:
    """The bundled English bot with a short document and short prompts."""
    shutil.copytree(ROOT / "knowledge" / "harbor", home / "knowledge" / "harbor")
    shutil.copy(ROOT / "knowledge" / "personas.toml", home / "knowledge")
    bot = load_bot("harbor", home / "knowledge")
    for document in (bot.folder / "documents").iterdir():
        if document.name == DOCUMENT:
            parts = document.read_text("utf-8").split("\n## ")
            document.write_text("\n## ".join(parts[: 1 + SECTIONS]), "utf-8")
        else:
            document.unlink()
    for key, text in OWN.items():
        save_prompt(bot, key, text)
    return load_bot("harbor", home / "knowledge")


@pytest.fixture
def engine(address: str, store: Store) -> OpenAIEngine:
    values = {"model": "smollm2", "temperature": 0.0, "timeout": SECONDS, "patience": SECONDS}
    engine = openai_engine(Settings(openai_api_key="", openai_base_url=address, **values), store.calls)
    server = engine.roles["bot"].server.name
    known = {"server": server, "model": "smollm2", "output_modes": ("schema", "text"), "limit_parameter": ""}
    store.calls.save_server_features(ServerFeatures.model_validate(known))
    return engine


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def was_said(text: str, replies: list[str]) -> bool:
    """Whether the words of a text stand, in their order, in one of the model's replies (JSON writes line breaks as \\n)."""
    wanted = " ".join(words(text))
    return any(wanted in " ".join(words(reply.replace("\\n", " ").replace('\\"', '"'))) for reply in replies)


def check_turn(turn: Turn, replies: list[str], asked: set[str]) -> None:
    """What the person reads is the model's (or a question of the bot's own settings), and cites only what there is."""
    assert turn.reply.text.strip()
    if isinstance(turn.reply, Answer):
        passages = turn.passages or ()
        cited = {int(number) for number in re.findall(r"\[(\d+)\]", turn.reply.text)}
        assert cited <= set(range(1, len(passages) + 1)) and set(turn.reply.cited) == cited
        assert was_said(re.sub(r"\[\d+\]", "", turn.reply.text), [re.sub(r"\[\d+\]", "", one) for one in replies])
    else:
        assert was_said(turn.reply.text, replies) or turn.reply.text in asked


def test_a_chat_a_run_and_a_judging(
    engine: OpenAIEngine,
    harbor: Bot,
    store: Store,
    small_indexes: Indexes,
    record_property: Callable[[str, object], None],
) -> None:
    asked = {field.question for field in harbor.profile_fields}

    index, messages, problems = small_indexes.get(harbor), (), list[str]()
    for question in QUESTIONS:
        shown: list[str] = []
        try:
            turn = take_turn(
                engine, harbor, index, messages, question, TurnOptions(on_text=shown.append, clarify=False)
            )
        except NoValidReply as error:
            problems.append(str(error))
            continue
        check_turn(turn, [call.reply for call in store.calls.newest(limit=1_000)], asked)
        assert isinstance(turn.reply, Answer) and "".join(shown).strip()
        said_so_far = Message(role="user", text=question), Message(role="assistant", text=turn.reply.text)
        messages = (*messages, *said_so_far)
    assert all("cut at the limit" in problem for problem in problems)

    with Runner(store, small_indexes, engine) as runner:
        plan = Plan(bot="harbor", scenarios=SCENARIOS, language="en", max_turns=1, judges=("relevance",), concurrency=3)
        run = runner.start(plan)
        assert runner.wait(run, SECONDS)
    progress, frame = store.runs.progress(run), store.records.score_frame(run)
    said = [call.reply for call in store.calls.newest(run, limit=1_000)]
    assert (progress.status, progress.done + progress.failed) == ("done", len(SCENARIOS))
    assert all(row.error for row in store.conversations.of_run(run, "failed"))
    assert len(frame) == progress.turns and (frame["value"].isna() == (frame["error"] != "")).all()
    for row in store.conversations.of_run(run, "done"):
        assert row.ending in ("done", "gave_up", "out_of_script", "max_turns")
        for stored in store.conversations.turns(row.id):
            assert stored.turn is not None
            check_turn(stored.turn, said, asked)
            assert all(was_said(score.reasons, said) for score in stored.scores if score.value is not None)

    sample = Sample(question=QUESTIONS[0], answer="Up to 250 MB. [1]", reference=("A file can have up to 250 MB.",))
    with JudgingJobs(store, engine) as judgings:
        job = judgings.judge_file(
            harbor, "answers.csv", [FileAnswer(id="a", sample=sample)], JudgingRequest(("correctness",))
        )
        assert job.wait(SECONDS)
    judged = store.records.score_frame(job.run_id)
    assert len(judged) == 1 and (judged["value"].isna() == (judged["error"] != "")).all()
    assert judged["value"].dropna().isin([0, 1]).all()

    calls = store.calls.newest(limit=1_000)
    assert calls and all(call.reply for call in calls) and not [call for call in calls if call.purpose == "Probe"]
    usable = sum(not call.error for call in calls)
    record_property("SmolLM2-135M, usable replies", f"{usable} of {len(calls)}")
    record_property("SmolLM2-135M, conversations done", f"{progress.done} of {len(SCENARIOS)}")
    assert usable
