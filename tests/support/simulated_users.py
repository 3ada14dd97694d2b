"""A simulated user to talk with in tests: scenarios, and what the person says to each message of a bot."""

from __future__ import annotations

from pathlib import Path

from core.base.types import Bot, Language, Message, Persona, Scenario, UserMessage
from core.llm.embedded import EmbeddedEngine
from core.simulation.personas import read_personas
from core.simulation.simulated_user import NextMessage

JA = {persona.id: persona for persona in read_personas("ja")}
EN = {persona.id: persona for persona in read_personas("en")}
LEAVE = Scenario(
    id="s1",
    question="休暇について教えてください",
    intent="子の看護等休暇を取れるか知りたい",
    facts="休暇の種類: 子の看護等休暇; 子の年齢: 5歳",
    kind="vague",
)
WHICH = "「休暇」について、どの内容をお知りになりたいですか。"
LEAVES = ("年次有給休暇", "子の看護等休暇", "慶弔休暇")
MEETING = Scenario(
    id="s2",
    question="案件で社外ユーザーと利用する会議システムは何がよいですか",
    intent="社員が、商談で会社が推奨するWeb会議システムを知りたい。",
    facts="目的: 商談; 参加者: 社外の取引先; 参加人数: 8名; 機密案件: いいえ",
    kind="vague",
)
CANCEL = Scenario(
    id="s3",
    question="I want to cancel",
    intent="I want to stop a Pro plan that I bought in the iPhone app.",
    facts="platform: iOS; plan: Pro plan; payment method: App Store",
    kind="vague",
)
FAQ = Scenario(id="s4", question="When can I try to sign in again after too many wrong passwords?")
NOT_FOUND = "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。"


def asking(text: str, *choices: str) -> Message:
    return Message(role="assistant", text=text, asks=True, choices=choices)


def answer(text: str) -> Message:
    return Message(role="assistant", text=text)


def user_messages(
    scenario: Scenario, persona: Persona, *bot: Message, language: Language = "ja", seed: int = 1
) -> list[UserMessage]:
    """What the person says to each of the bot's messages, until it ends."""
    conversation = [Message(role="user", text=scenario.question)]
    said: list[UserMessage] = []
    for message in bot:
        conversation.append(message)
        prompt = NextMessage(
            persona=persona, scenario=scenario, conversation=tuple(conversation), language=language, seed=seed
        )
        said.append(EmbeddedEngine().ask(prompt))
        conversation.append(Message(role="user", text=said[-1].text))
        if said[-1].ending:
            break
    return said


def bot_in(folder: Path, questions: str | None = None) -> Bot:
    if questions is not None:
        (folder / "questions.csv").write_text(questions, "utf-8")
    return Bot(id="small", folder=folder, name="Small", language="ja")
