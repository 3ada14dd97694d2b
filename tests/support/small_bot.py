"""A small bot and fake engines for tests; everything real but the size."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from core.base.bot_folder import load_bot
from core.base.prompt import Prompt
from core.base.types import Answer, Assessment, Bot, Hit, Passage, Route, SectionHit, Turn
from core.llm.embedded import EmbeddedEngine

R = TypeVar("R")

BOT = """
name = "小町"
language = "ja"
organisation = "小町商店"
[[contacts]]
name = "総務"
reach = "内線100"
topics = ["休暇", "経費"]
"""
LEAVE = """# 年次有給休暇
## 日数
入社から6か月がたつと、年次有給休暇が10日つきます。
## 申請のしかた
休暇の3日前までに勤怠システムで申請します。
"""
CARE = """# 子の看護休暇
## 日数
小学校に入る前の子が1人なら、子の看護休暇は年に5日取れます。
"""
EXPENSES = """# 交通費の精算
## 期限
交通費は翌月の10日までに経費システムで精算します。
"""
QUESTIONS = """id,question,intent,facts,reference,kind,needs_asking,persona
q1,交通費の精算の期限はいつですか,,,翌月の10日までです。,faq,no,
q2,休暇について教えてください,子の看護休暇の日数を知りたい,子は1人で4歳,年に5日です。,vague,yes,
q3,年次有給休暇は入社からどれくらいで何日つきますか,,,6か月で10日です。,faq,no,calm
"""
PERSONAS = """
[[personas]]
id = "calm"
[personas.ja]
name = "落ち着いた人"
description = "論理的"
profile = "事実を順に話す"
[personas.ja.voice]
answer = ["{text}です。"]
unknown = ["それは分かりません。"]
follow_up = ["{text}も教えてください。"]
done = ["分かりました。ありがとうございます。"]
unmet = ["知りたいことと違います。"]
[personas.en]
name = "Calm"
description = "logical"
profile = "states facts in order"
[personas.en.voice]
answer = ["{text}."]
unknown = ["I don't know that."]
follow_up = ["And {text}?"]
done = ["I see, thank you."]
unmet = ["That is not what I need."]
"""


def small_bot(knowledge: Path) -> Bot:
    """The bot "komachi": three Japanese documents, three questions, the personas calm and busy."""
    folder = knowledge / "komachi"
    (folder / "documents").mkdir(parents=True)
    (folder / "bot.toml").write_text(BOT, "utf-8")
    (folder / "questions.csv").write_text(QUESTIONS, "utf-8")
    for name, text in (("leave.md", LEAVE), ("care.md", CARE), ("expenses.md", EXPENSES)):
        (folder / "documents" / name).write_text(text, "utf-8")
    busy = PERSONAS.replace("calm", "busy").replace("落ち着いた人", "急いでいる人").replace("Calm", "Busy")
    (knowledge / "personas.toml").write_text(PERSONAS + busy, "utf-8")
    return load_bot("komachi", knowledge)


class Stumbling:
    """The embedded engine, except that it falls over the prompts for which `over` is true."""

    name = "stumbling"

    def __init__(self, over: Callable[[Prompt[object]], bool]) -> None:
        self._over, self._engine = over, EmbeddedEngine()

    def ask(self, prompt: Prompt[R]) -> R:
        """The embedded reply, or a RuntimeError."""
        if self._over(prompt):  # type: ignore[arg-type]
            raise RuntimeError("the model fell over")
        return self._engine.ask(prompt)

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The embedded reply in pieces, or a RuntimeError."""
        if self._over(prompt):  # type: ignore[arg-type]
            raise RuntimeError("the model fell over")
        yield from self._engine.stream(prompt)


class Gated:
    """The embedded engine behind a gate: replies only while `gate` is open; `asked` is set by the first prompt."""

    name = "gated"

    def __init__(self) -> None:
        self.gate, self.asked, self._engine = threading.Event(), threading.Event(), EmbeddedEngine()

    def ask(self, prompt: Prompt[R]) -> R:
        """The embedded reply, once the gate is open."""
        self.asked.set()
        assert self.gate.wait(20)
        return self._engine.ask(prompt)

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The embedded reply in pieces, once the gate is open."""
        self.asked.set()
        assert self.gate.wait(20)
        yield from self._engine.stream(prompt)


def a_turn(message: str = "期限はいつですか", reply: str = "10日までです。[1]") -> Turn:
    """A turn that answered, with one section and one hit."""
    passage = Passage(id="p1", document="expenses.md", title="交通費の精算", heading="期限", text="10日まで")
    section = SectionHit(document="expenses.md", title="交通費の精算", heading="期限", score=1.0, text="10日まで")
    return Turn(
        message=message,
        reply=Answer(text=reply, cited=(1,)),
        assessment=Assessment(clarity=1, is_question=1, is_consultation=5, in_internal_docs=1, ask_person=5),
        route=Route(rule=6, decision="search"),
        sections=(section,),
        query=message,
        hits=(Hit(passage=passage, score=1.0),),
        seconds={"clarify": 0.25, "answer": 0.5},
    )
