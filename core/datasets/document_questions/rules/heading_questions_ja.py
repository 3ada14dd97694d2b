"""Questions that a Japanese heading promises an answer to, in the words of somebody who asks; the answer is looked up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from core.datasets.document_questions.rules.answer_sentences_ja import find_answer
from core.datasets.document_questions.rules.heading_acts_ja import (
    course_of,
    deadline,
    forbidden,
    how_clause,
    how_manner,
    how_noun,
    how_to_do,
    rules_of,
    use_of,
)
from core.datasets.document_questions.rules.heading_facts_ja import (
    amount,
    conditions,
    conditions_clause,
    contact,
    extent,
    necessity,
    needed,
    time_of,
    treatment,
    what_thing,
    who_it_is_for,
)
from core.datasets.document_questions.rules.heading_situations_ja import contact_when, during, injury, mishap, situation
from core.datasets.document_questions.rules.heading_words_ja import asks, casual, question_words
from core.datasets.document_questions.rules.rule_question import QuestionForms, RuleQuestion, choice
from core.datasets.document_questions.section import Section
from core.text.inflection import words

_PERSON = r"(?:[一-龠ァ-ヶー]{0,6}(?:社員|職員|会員|学生|スタッフ|パートタイム|アルバイト|管理職|出向者|受講者|未成年))"


def heading_questions_ja(section: Section) -> list[RuleQuestion]:
    """The questions that the section's heading promises an answer to, each with the text that answers it."""
    topic = section.topic
    if not 3 <= len(topic) <= 34 or re.search(r"^\d|[「」→:：?？]|\d{3,}|手引き|早見表|一覧|改定|旧", topic):
        return []
    who, what = _person(_of_one(topic))
    found: list[RuleQuestion] = []
    for asked in _asked(what):
        answer = find_answer(asked.kind, section, asked.about)
        if answer is None:
            continue
        question = casual(_fitting(choice(asked.ways, f"{topic}{asked.kind}"), answer))
        question = question if question.endswith("。") else f"{question}?"
        if re.search(r"など|・", question):
            continue  # a list: people ask about one thing
        story = f"{who}ですが、{question}" if who else question
        found.append(RuleQuestion(question=story, reference=answer, asks=asked.kind))
    return found


def _of_one(topic: str) -> str:
    """The heading with the first of several things of a kind, as people ask about one: 電車・バスの領収書 is 電車の領収書.

    Things of which the first alone says something else (休業・休職中, 正社員・契約社員の…) keep their list.
    """
    topic = re.sub(r"^本人の(?=.{3,})", "", topic)
    found = re.fullmatch(
        r"(?P<first>[^・をがにへでとのは、]{2,12})(?:・[^・をがにへでとのは、]{2,12})+(?P<rest>[をがにへでの].+)", topic
    )
    if found is None or words(found["first"])[-1].part not in ("名詞", "接尾辞", "記号"):
        return topic
    return f"{found['first']}{found['rest']}"


def _fitting(question: str, answer: str) -> str:
    people = re.search(r"社員|職員|者|方|人|スタッフ|学生|会員", answer)
    return question.replace("{who}", "人" if people else "もの")


def _person(topic: str) -> tuple[str, str]:
    """(whom the heading is about, the rest): 契約社員の…; "" if it names nobody."""
    found = re.match(rf"({_PERSON})の(?=.{{3,}})", topic)
    return (found[1], topic[found.end() :]) if found else ("", topic)


def _asked(topic: str) -> Iterator[QuestionForms]:
    made = _of_shape(topic)
    if made:
        yield from made
        return
    # two things of one matter: 申請方法と期限
    found = re.fullmatch(
        r"(?P<np>.{2,16})の(?P<a>[^のと・]{1,8})の?(?P<also>手順|方法)?[と・](?P<b>[^のと・]{2,8})", topic
    )
    if found is None or found["np"].endswith(("時", "後", "とき")):
        return
    first = re.match(r"(申請|申し出|届け出|提出|取得|申し込み)", found["a"])
    for tail in (f"{found['a']}{found['also'] or ''}", found["b"]):
        whole = f"{first[1]}{tail}" if first and re.fullmatch(r"期限|締め切り|手順|方法", tail) else tail
        if whole not in question_words()["lists"]["doable"]:
            yield from _of_shape(f"{found['np']}の{whole}")


def _of_shape(topic: str) -> list[QuestionForms]:
    for pattern, make in _SHAPES:
        if found := re.fullmatch(pattern, topic):
            made = [
                QuestionForms(forms.kind, tuple(way for way in forms.ways if way), forms.about) for forms in make(found)
            ]
            if made := [forms for forms in made if forms.ways]:
                return made
    return []


_CLAUSE = r"(?P<clause>.{3,24}?(?:る|た|ない|う|く|す|つ|ぬ|ぶ|む|ぐ))"
_SHAPES: tuple[tuple[str, Callable[[re.Match[str]], list[QuestionForms]]], ...] = (
    (r"(?P<np>.{2,16})とは", asks("definition", "{np}って何ですか", "{np}とは、どういうものですか", matter=False)),
    (rf"{_CLAUSE}(?:方法|手順|手続き|申請|やり方)", how_clause),
    (rf"{_CLAUSE}(?:条件|要件)(?:と.{{2,6}})?", conditions_clause),
    (rf"{_CLAUSE}(?:とき|場合|際)の連絡先", contact_when),
    (rf"{_CLAUSE}(?P<when>とき|場合|際)(?:の(?P<tail>.{{2,10}}))?", situation),
    (r"(?P<np>.{2,16}?)の(?P<event>紛失|盗難|故障|破損|誤送信|漏えい)(?:[・と].{2,6})?(?:時)?(?:の(?:連絡|対応|手続き|届け出|報告|再発行|対応手順))?", mishap),
    (r"(?P<np>.{2,10}(?:中|途中))のけが(?:の(?:連絡|対応|手続き|報告))?", injury),
    (r"(?P<np>.{2,12})の対象(?:と|に)なる(?P<noun>[^の]{2,8})", asks("things", "{np}の対象になるのは、どんな{noun}ですか")),
    (rf"{_CLAUSE}(?P<noun>人|方|場所|時期|もの|[一-龠ァ-ヶーA-Za-z]{{2,8}})", what_thing),
    (r"(?P<np>.{2,12})中の(?P<tail>.{2,14})", during),
    (r"(?P<a>.{2,16})と(?P<b>.{2,16})の違い", asks("difference", "{a}と{b}は何が違うのですか", "{a}と{b}の違いがよく分かりません。教えてください。", matter=False)),
    (r"(?P<by>[^のと]{2,10})による(?P<np>.{2,16})の違い", asks("difference", "{np}は、{by}によってどう違いますか", matter=False)),
    (r"(?P<np>.{2,18}(?:への|からの))(?P<act>[^の]{2,6})の禁止", forbidden),
    (r"(?P<np>.{2,18})の(?P<act>[^の]{2,6})の禁止", forbidden),
    (r"(?P<np>.{2,18})の(?:要否|必要性)", necessity),
    (r"(?P<np>[^をが]{2,18}?)の?(?P<stem>使い|見|付け|結び|取り|開き|選び|書き|出し)方(?:と.{2,6})?", how_manner),
    (r"(?P<np>[^をが]{2,18}(?:への|からの|での))(?P<act>[^の]{2,6}?)の?(?:方法|手順|手続き|手続|やり方|仕方)", how_to_do),
    (r"(?P<np>[^をが]{2,18}?)の(?P<act>[^の]{2,6}?)の?(?:方法|手順|手続き|手続|やり方|仕方)", how_to_do),
    (r"(?P<act>[^をがの]{2,10}?)の?(?:方法|手順|手続き|手続|やり方|仕方)", how_noun),
    (r"(?P<np>[^をが]{2,18}?)の(?P<act>[^の]{0,4}?)(?:期限|締め切り|締切)", deadline),
    (r"(?P<np>[^をが]{2,18}?)の(?P<tail>[^の]{0,2}(?:金額|料金|費用|単価|月額|年額|手数料|代金|値段|価格|日当|基準額|上限額|限度額))", amount),
    (r"(?P<np>[^をが]{2,18}?)の(?P<tail>日数|付与日数|回数|上限|期間|容量|人数|長さ|額|枚数|支給枚数|目安)", extent),
    (r"(?P<np>[^をが]{2,18}?)の(?:相談先|問い合わせ先|連絡先|相談窓口)", contact),
    (r"(?P<np>[^をが]{2,18}?)の(?P<tail>支給日|支払日|支払い日|入金日|振込日|受付時間|営業時間|利用時間|開館時間|[^の]{0,3}時期)", time_of),
    (r"(?P<np>[^をが]{2,18}?)の(?P<act>[^の]{0,4}?)対象者?", who_it_is_for),
    (r"(?P<np>[^をが]{2,18}?)の(?P<act>[^の]{0,4}?)(?:条件|要件)", conditions),
    (r"(?P<np>[^をが]{2,18}?)の?(?P<tail>提出書類|必要書類|添付書類|証明書類|持ち物)", needed),
    (r"(?P<np>[^をが]{2,18}?)の種類", asks("kinds", "{np}にはどんな種類がありますか", about="{np}")),
    (r"(?P<np>[^をが]{2,18}?)の例", asks("kinds", "{np}には、例えばどんなものがありますか")),
    (r"(?P<np>[^をが]{2,18}?)の(?P<tail>集合場所|保管場所|置き場所|送り先|提出先)", asks("place", "{np}の{tail}はどこですか", about="{np}")),
    (r"(?P<np>[^をが]{2,18}?)の流れ", course_of),
    (r"(?P<np>[^をが]{2,18}?)の(?:取り扱い|扱い)", treatment),
    (r"(?P<np>[^をが]{2,18}?)の(?:ルール|決まり|注意)", rules_of),
    (r"(?P<np>[^をが]{2,18}?)の?(?P<tail>補助|助成|割引|優待|支援|免除)", asks("benefit", "{np}の{tail}は受けられますか", "{np}には{tail}がありますか", about="{np}")),
    (r"(?P<np>[^をがの・]{2,14}(?:手当|補助金|給付金))", asks("benefit", "{np}はもらえますか。条件があれば知りたいです。", "{np}をもらうには、どんな条件がありますか", about="{np}")),
    (r"(?P<np>[^をがの]{2,14})の利用", use_of),
    (r"(?P<np>[^をが]{2,18}(?:への|からの|での))(?P<act>[^の]{2,5})(?P<bare>)", how_to_do),
    (r"(?P<np>[^をが]{2,18}?)の(?P<act>[^の]{2,5})(?P<bare>)", how_to_do),
)  # fmt: skip
