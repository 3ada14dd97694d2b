"""The words of questions, answers and what follows from the facts, by language and kind: for plans without a model.

Slots: subject and other, the documents; first and second, the names of the fields asked for; a to d, the values of the
facts; key, the field that picks a document out; ask, the question for the first field; statement, the fact that answers;
points, the sentences of a summary; result, what is worked out, of which a comparison has larger and gap.
"""

from __future__ import annotations

from typing import NamedTuple

from core.base.types import Language


class Template(NamedTuple):
    """A question, its answer, and what follows from the facts, as a model is told."""

    question: str
    answer: str
    follows: str = ""


TEMPLATES: dict[Language, dict[str, Template]] = {
    "ja": {
        "factual": Template("{ask}?", "{statement}です。"),
        "unanswerable": Template("{ask}?", "資料には書かれていません。"),
        "days_between": Template("{subject}では、{first}から{second}まで何日ありますか?", "{first}が{a}、{second}が{b}なので、{result}日あります。", "{result}日"),
        "multi_hop": Template("{key}が{a}の会社では、{ask}?", "{key}が{a}なのは{subject}です。{statement}です。"),
        "summary": Template("{subject}の全体の決まりについて、要点をまとめて教えてください。", "{points}"),
        "section_summary": Template("{subject}の「{result}」の決まりについて、要点をまとめて教えてください。", "{points}", "「{result}」の節のまとめ"),
        "integration": Template("{subject}と{other}について、{first}と{second}をそれぞれ教えてください。", "{subject}は、{first}が{a}、{second}が{b}です。{other}は、{first}が{c}、{second}が{d}です。"),
        "comparison": Template("{subject}と{other}では、{first}はどちらがどれだけ{larger_word}ですか?", "{larger}のほうが{gap}{larger_word}です。{subject}は{a}、{other}は{b}です。", "大きいのは{larger}、差は{gap}"),
        "sequence": Template("{subject}と{other}では、{first}が早いのはどちらですか?", "{result}です。{subject}は{a}、{other}は{b}です。", "早いのは{result}"),
    },
    "en": {
        "factual": Template("{ask}?", "{statement}."),
        "unanswerable": Template("{ask}?", "The documents do not say."),
        "days_between": Template("How many days lie between the {first} and the {second} at {subject}?", "{result} days: the {first} is {a}, the {second} is {b}.", "{result} days"),
        "multi_hop": Template("At the company whose {key} is {a}, {ask}?", "The company whose {key} is {a} is {subject}. {statement}."),
        "summary": Template("Could you sum up for me what {subject} says?", "{points}"),
        "section_summary": Template('Could you sum up for me what {subject} says on "{result}"?', "{points}", 'a summary of the section "{result}"'),
        "integration": Template("What are the {first} and the {second} at {subject} and at {other}?", "At {subject}, the {first} is {a} and the {second} is {b}. At {other}, the {first} is {c} and the {second} is {d}."),
        "comparison": Template("Which is larger, the {first} at {subject} or at {other}, and by how much?", "That of {larger}, by {gap}: {a} at {subject}, {b} at {other}.", "the larger one is that of {larger}, by {gap}"),
        "sequence": Template("Which has the earlier {first}, {subject} or {other}?", "{result}: {a} at {subject}, {b} at {other}.", "the earlier one is {result}"),
    },
}  # fmt: skip
