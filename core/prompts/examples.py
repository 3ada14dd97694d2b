"""Every prompt filled with an invented case: to show what is sent, and to find out whether a text can be filled."""

from __future__ import annotations

from datetime import date
from typing import Any

from core.base.fence import fence_text
from core.base.prompt import Prompt
from core.base.types import (
    Contact,
    Hit,
    Language,
    Message,
    Passage,
    Persona,
    ProfileField,
    Sample,
    Scenario,
    SectionHit,
)
from core.judges.criteria.criteria import CriterionInPrompt
from core.judges.judge_prompt import fenced_sample

_TEXTS: dict[Language, dict[str, str]] = {
    "ja": {
        "vague": "貸出について知りたいです。",
        "asks": "どの備品の貸出についてお調べですか。",
        "camera": "カメラ",
        "tripod": "三脚",
        "clear": "カメラは何日まで借りられますか。",
        "title": "備品の貸出",
        "heading": "期間",
        "text": "カメラと三脚は7日まで借りられます。",
        "answer": "7日まで借りられます。[1]",
        "reference": "7日まで。",
        "bot": "あなたは備品貸出窓口の担当者です。",
        "guidelines": "日数は数字で答えます。",
        "contact": "備品係",
        "reach": "内線 210",
        "field": "所属",
        "value": "広報課",
        "field_question": "ご所属はどちらですか。",
        "desk": "備品の貸出と返却",
        "persona": "急いでいる人",
        "manner": "一文で短く話す",
        "intent": "カメラを借りられる日数を知りたい",
        "facts": "品目: カメラ",
        "refusal": "資料には見当たりませんでした。",
        "reasons": "資料1のとおりです。",
        "criterion": "要点が先にある。",
    },
    "en": {
        "vague": "I have a question about borrowing things.",
        "asks": "Which item would you like to borrow?",
        "camera": "Camera",
        "tripod": "Tripod",
        "clear": "How long may I keep a camera?",
        "title": "Borrowing equipment",
        "heading": "Loan period",
        "text": "Cameras and tripods are lent for up to 7 days.",
        "answer": "Up to 7 days. [1]",
        "reference": "7 days.",
        "bot": "You work at the desk that lends equipment.",
        "guidelines": "Give periods in figures.",
        "contact": "Equipment desk",
        "reach": "extension 210",
        "field": "department",
        "value": "Press office",
        "field_question": "Which department are you in?",
        "desk": "Lending and returning equipment",
        "persona": "In a hurry",
        "manner": "writes one short sentence",
        "intent": "Find out for how many days a camera can be borrowed",
        "facts": "item: camera",
        "refusal": "I could not find this in the documents.",
        "reasons": "Passage 1 says so.",
        "criterion": "The main point comes first.",
    },
}

_LABELS = {"turn": "5", "quiz": "CORRECT", "criteria": "Y", "keypoints": "1/1", "rubric": "5", "simulated_user": "ok"}


def full_example(kind: type[Prompt[Any]], language: Language) -> Prompt[Any]:
    """The prompt for a case that has everything."""
    return _filled(kind, {**_full(language), "examples": (_example(kind, language),)}, language)


def bare_example(kind: type[Prompt[Any]], language: Language) -> Prompt[Any]:
    """The prompt for a case that has nothing but what every case has."""
    text = _TEXTS[language]
    sample = Sample(question=text["clear"], answer=text["answer"])
    bare = {
        "conversation": (Message(role="user", text=text["clear"]),),
        "question": text["clear"],
        "passages": (),
        "persona": Persona(id="p", name=text["persona"]),
        "scenario": Scenario(id="s", question=text["clear"]),
        "sample": sample,
        "guidelines": "",
        "criteria": (),
        "listed": (),
        "labeled": False,
        "grounds": "contexts",
        "strict": True,
        "worked": False,
    }
    return _filled(kind, bare, language)


def _filled(kind: type[Prompt[Any]], fields: dict[str, Any], language: Language) -> Prompt[Any]:
    values = {name: value for name, value in fields.items() if name in kind.model_fields}
    return kind.model_validate({**values, "language": language})


def _full(language: Language) -> dict[str, Any]:
    text = _TEXTS[language]
    conversation = (
        Message(role="user", text=text["vague"]),
        Message(role="assistant", text=text["asks"], asks=True, choices=(text["camera"], text["tripod"])),
        Message(role="user", text=text["clear"]),
    )
    place = {"document": "loans.md", "title": text["title"], "heading": text["heading"], "text": text["text"]}
    section = SectionHit.model_validate({**place, "score": 1, "coverage": 0.6})
    sample = _sample(language, conversation[:2])
    return {
        "conversation": conversation,
        "profile": f"{text['field']}: {text['value']}",
        "earlier": f"2026-03-12\n- {text['vague']}\n→ {text['answer']}",
        "today": date(2026, 4, 1),
        "sections": (section,),
        "fields": (ProfileField(name=text["field"], question=text["field_question"], values=(text["value"],)),),
        "desk": text["desk"],
        "question": text["intent"],
        "passages": (Hit(passage=Passage(id="1", **place), score=1),),
        "prompt": text["bot"],
        "refusal": text["refusal"],
        "assumed": True,
        "by_case": True,
        "contacts": (Contact(name=text["contact"], reach=text["reach"], topics=(text["title"],)),),
        "name_contact": True,
        "persona": Persona(id="p", name=text["persona"], description=text["manner"]),
        "scenario": Scenario(id="s", question=text["vague"], intent=text["intent"], facts=text["facts"]),
        "last_chance": True,
        "sample": sample,
        "guidelines": text["guidelines"],
        "criteria": (CriterionInPrompt(id="concise", wording=fence_text(text["criterion"])),),
        "listed": (fence_text(text["reference"]),),
        "labeled": True,
        "grounds": "reference",
        "strict": False,
        "worked": True,
    }


def _sample(language: Language, history: tuple[Message, ...] = ()) -> Sample:
    text = _TEXTS[language]
    return Sample(
        question=text["clear"],
        answer=text["answer"],
        history=history,
        contexts=(text["text"],),
        reference=(text["reference"],),
        keypoints=(text["reference"],),
        kind="faq",
        needs_asking=False,
        intent=text["intent"],
        facts=text["facts"],
        persona=text["persona"],
    )


def _example(kind: type[Prompt[Any]], language: Language) -> dict[str, Any]:
    """One labelled answer as a judge's prompt shows it."""
    text = _TEXTS[language]
    return {
        "shown": fenced_sample(_sample(language)),
        "reasons": fence_text(text["reasons"]),
        "label": _LABELS.get(kind.file, "Yes"),
        "id": "concise",
        "listed": (fence_text(text["reference"]),),
    }
