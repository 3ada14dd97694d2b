"""Questions that a Japanese heading promises an answer to, in the user's words, each with the text that answers it.

`SHAPES` lists the forms of headings with the ways to ask, `heading_words` puts a heading's parts into the user's words,
and `find_answer` looks the answer up in the section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from core.base.toml import bundled_toml
from core.datasets.document_questions.rules.question import HeadingShape, RuleQuestion, choice, shape
from core.datasets.document_questions.section import Section
from core.text.inflection import Word, conditional, is_act, is_verb, polite_stem, te_form, words

_PERSON = re.compile(
    r"([一-龠ァ-ヶー]{0,6}(?:社員|職員|会員|学生|スタッフ|パートタイム|アルバイト|管理職|出向者|受講者|未成年))の(?=.{3,})"
)


def heading_questions_ja(section: Section) -> list[RuleQuestion]:
    """The questions that the section's heading promises an answer to, each with the text that answers it."""
    topic = section.topic
    if not 3 <= len(topic) <= 34 or re.search(r"^\d|[「」→:：?？]|\d{3,}|手引き|早見表|一覧|改定|旧", topic):
        return []
    heading = _with_first_of_several(topic)
    person = _PERSON.match(heading)
    questions: list[RuleQuestion] = []
    for form in _forms(heading[person.end() :] if person else heading):
        answer = find_answer(form.kind, section, form.about)
        question = casual(choice(form.ways, f"{topic}{form.kind}"))
        if not answer or re.search(r"など|・", question):  # a list: people ask about one thing
            continue
        story = f"{person[1]}ですが、{question}" if person else question
        story = story if story.endswith("。") else f"{story}?"
        questions.append(RuleQuestion(question=story, reference=answer, asks=form.kind))
    return questions


def _with_first_of_several(topic: str) -> str:
    """The heading with only the first of several things of a kind: 電車・バスの領収書 is 電車の領収書.

    Things of which the first alone says something else (休業・休職中, 正社員・契約社員の…) keep their list.
    """
    topic = re.sub(r"^本人の(?=.{3,})", "", topic)
    found = re.fullmatch(
        r"(?P<first>[^・をがにへでとのは、]{2,12})(?:・[^・をがにへでとのは、]{2,12})+(?P<rest>[をがにへでの].+)", topic
    )
    if found is None or words(found["first"])[-1].part not in ("名詞", "接尾辞", "記号"):
        return topic
    return f"{found['first']}{found['rest']}"


def _forms(topic: str) -> Iterator[HeadingShape]:
    """The form that fits the heading, or those of each of its two subjects (申請方法と期限)."""
    if form := _form(topic):
        yield form
        return
    found = re.fullmatch(
        r"(?P<np>.{2,16})の(?P<first>[^のと・]{1,8})の?(?P<also>手順|方法)?[と・](?P<second>[^のと・]{2,8})", topic
    )
    if found is None or found["np"].endswith(("時", "後", "とき")):
        return
    act = re.match(r"申請|申し出|届け出|提出|取得|申し込み", found["first"])
    for tail in (f"{found['first']}{found['also'] or ''}", found["second"]):
        whole = f"{act[0]}{tail}" if act and re.fullmatch(r"期限|締め切り|手順|方法", tail) else tail
        if whole not in question_words()["lists"]["doable"] and (form := _form(f"{found['np']}の{whole}")):
            yield form


def _form(topic: str) -> HeadingShape | None:
    return next((form for shape in SHAPES if (form := shape.fill(topic, heading_words))), None)


_TELLS = re.compile(r"(?:ください|下さい|ます|です|ません)。$")
_POINTS = re.compile(r"次の(?:表|とおり|手順|ように)|以下の|の間、|によって(?:異な|違)|で異なります")
_PATTERNS = {  # what a sentence must have to answer; "" if any sentence can
    "how": r"(?:から|で|に|へ|を|の).*(?:申請|申し込|提出|入力|登録|連絡|依頼|予約|選|押|開|送|届け出|記入|添付|受け|入れ|作成|渡|用い|使|返却|返し|変更|切り替|解除|ください)",
    "contact": r"内線|電話|窓口|@|課|室|センター|係|担当|部(?:へ|に|が)",
    "who": r"対象|社員|会員|者|方|人|限|のは",
    "conditions": r"条件|必要|場合|限|以上|以下|以内|とき",
    "needed": r"提出|必要|写し|証明|持|添付|用意",
    "kinds": r"種類|と|、|つ",
    "difference": "",
    "definition": r"(?:です|います|なります|できます|ます)。$",
    "outcome": "",
    "instruction": r"ください|連絡|電話|申請|申し込|提出|入力|登録|報告|相談|届け出|通報|依頼|返却|渡し|取り消せ|再設定|解除|手配",
    "rule": r"ください|禁止|ません|必要|できます|以内|まで|限",
    "necessity": r"必要|不要|添付|提出|要り|出して|省略",
    "permission": r"使え|利用でき|使用でき|できます|条件|必要|限|申請",
    "benefit": r"円|補助|支給|免除|割引|負担|無料|受けられ|対象|支援|%",
    "place": r"[でにへはの]",
    "things": "",
}  # fmt: skip
_IN_TABLES = frozenset({"kinds", "things", "difference"})
_STEPS = re.compile(r"(?:^|\n)((?:\d+[.)．]\s.*(?:\n|$)){2,})")


def find_answer(kind: str, section: Section, about: str = "") -> str:
    """The steps or the sentence with which the answer begins; "" if no text is sure to have it.

    about: what steps have to name.
    """
    steps = _STEPS.search(section.text)
    if kind == "how" and steps:
        return steps[1].strip()
    sentences, pattern = section.sentences(), re.compile(_PATTERNS[kind])
    if not sentences or (kind in _IN_TABLES and section.table() is not None):
        return ""
    if re.match(r"この|これ|それ|ただし|なお|また", sentences[0]):
        return ""
    for place, sentence in enumerate(sentences[:2], 1):
        if _POINTS.search(sentence) or not _TELLS.search(sentence):
            return ""
        if pattern.search(sentence):
            is_named = kind != "how" or about in "".join(sentences[:place])
            return sentences[0] if is_named else ""
    return ""


_PARTICLES = {"への": "に", "からの": "から", "での": "で"}
_MANNERS = {
    "使い": "使えば", "見": "見れば", "付け": "付ければ", "結び": "結べば", "取り": "取れば", "開き": "開けば", "選び": "選べば", "書き": "書けば", "出し": "出せば",
}  # fmt: skip


def question_words() -> Mapping[str, Any]:
    """The tables of the file by their names."""
    return bundled_toml(__file__, "heading_questions_ja.toml")


def heading_words(groups: dict[str, str]) -> dict[str, str] | None:
    """The parts of a heading by name, and words derived from them; None if the parts do not fit.

    np is a plain matter. act, a noun of action, gives verb, if, stem and te (取る, 取れば, 取り, 取って), and with np
    thing: the matter with the particle of the verb. clause gives story, a sentence before the question, and done, its
    verb before ます; event gives story, manner gives if.
    """
    parts = dict(groups)
    if "np" in parts and not is_plain_matter(parts["np"]):
        return None
    if noun := parts.get("act"):
        if not is_act(noun) and noun not in question_words()["acts"]:
            return None
        particle, forms = _verb_forms(noun)
        parts |= forms
        parts["thing"] = f"{parts.get('np', '')}{_PARTICLES.get(parts.get('to', ''), particle)}"
    if clause := parts.get("clause"):
        last = words(clause)[-1]
        if last.part not in ("動詞", "助動詞", "形容詞"):
            return None
        story = as_story(clause)
        parts["story"] = re.sub(r"(?<=たいです)。$", "のですが、", f"{story}。") if story else ""
        parts["done"] = f"{clause[: -len(last.surface)]}{polite_stem(last)}" if is_verb(last) else ""
    if event := parts.get("event"):
        parts["story"] = f"{question_words()['mishaps'][event]}。"
    return parts | {"if": _MANNERS[parts["manner"]]} if "manner" in parts else parts


@cache
def _verb_forms(noun: str) -> tuple[str, dict[str, str]]:
    """A noun of action as a verb: its particle and its forms (返却: を and 返す; 予約: を and 予約する)."""
    particle, verb = question_words()["acts"].get(noun, ("を", ""))
    if not verb or verb.endswith("する"):
        return particle, {"verb": f"{noun}する", "if": f"{noun}すれば", "stem": f"{noun}し", "te": f"{noun}して"}
    word = words(verb)[-1]
    before = verb.removesuffix(word.surface)
    forms = {"if": conditional(word), "stem": polite_stem(word), "te": te_form(word)}
    return particle, {"verb": verb, **{name: f"{before}{form}" for name, form in forms.items()}}


def casual(text: str) -> str:
    """A text with the shorter words that people write."""
    for long, short in question_words()["casual"].items():
        text = text.replace(long, short)
    return text


def is_plain_matter(text: str) -> bool:
    """Whether a text names one matter as people do: no list, and a plain noun phrase."""
    if re.search(r"[・、]|など|による|に関する|ごと", text) or len(text) > 20:
        return False
    tokens = words(text)
    joined = re.search(r"[^の]と[^の]", text) and any(word[0] == "と" and word.part == "助詞" for word in tokens)
    return tokens[-1].part in ("名詞", "接尾辞", "記号", "補助記号") and not joined


_MISHAP = re.compile(
    r"忘れ|なくし|無くし|失く|紛失|誤|間違|壊|破損|落と|盗|切れ|遅れ|ロック|漏|感染|失効|超え|過ぎ|汚|遭|差し戻|拒否|却下|断ら|止め|停止"
)
_CHANGES = ("変わる", "なる", "始まる", "終わる", "決まる", "外れる", "かかる", "増える", "減る", "切り替わる", "移る")
_HAPPENS = ("届く", "来る", "出る", "起きる", "見つかる", "鳴る", "消える", "止まる", "壊れる", "切れる")


def as_story(clause: str) -> str:
    """The clause as the person would tell it; "" if it cannot stand alone."""
    if found := re.fullmatch(r"(?P<np>.{2,14})が疑われる|(?P<past>.{3,20}た)おそれがある", clause):
        return f"{found['np'] or found['past']}かもしれません"
    tokens = words(clause)
    if len(tokens) < 2 or re.search(r"は|も|など|[」』)]$|^(?:その|この)", clause):
        return ""
    last, before = tokens[-1], tokens[-2]
    stem = clause[: -len(last.surface) - len(before.surface)]
    if last.surface in ("た", "だ") and last.part == "助動詞":
        return _past_tense(clause, stem, before)
    if last.surface == "ない" and last.part in ("助動詞", "形容詞"):
        if is_verb(before):
            return f"{stem}{polite_stem(before)}ません"
        return f"{clause[:-2]}ません" if before.base in ("れる", "られる") else f"{clause}です"
    if last.surface == "たい":
        return f"{clause}です"
    if last.base in ("れる", "られる") and last.part == "助動詞":
        return f"{clause[:-1]}ました"
    if is_verb(last) and last.surface == last.base and re.search("連体|終止", last.form):
        return _planned(clause, last)
    return ""


def _past_tense(clause: str, stem: str, verb: Word) -> str:
    is_mishap = bool(_MISHAP.search(clause))
    if verb.base in ("れる", "られる"):
        return f"{clause[:-1]}てしまいました" if is_mishap else f"{clause[:-1]}ました"
    if not is_verb(verb):
        return ""
    if is_mishap and verb.base not in ("しまう", "ちゃう"):
        return f"{stem}{te_form(verb)}しまいました"
    return f"{stem}{polite_stem(verb)}ました"


def _planned(clause: str, verb: Word) -> str:
    stem = f"{clause[: -len(verb.surface)]}{polite_stem(verb)}"
    if verb.base in ("過ぎる", "超える", "遅れる"):
        return f"{stem}そうです"
    if verb.base in _HAPPENS or re.search(r"(?:に|く)なる$", clause):
        return f"{stem}ました"
    if verb.base in _CHANGES:
        return f"{clause}ことになりました"
    if verb.base in ("ある", "いる"):
        return ""
    if "が" in clause:
        return f"{stem}ます"
    return f"{clause}予定です"


# For each form of heading the kind of answer, the ways to ask for it, and what the answer has to name.
def _how(thing: str, stem: str, verb: str) -> tuple[str, ...]:
    return (
        f"{thing}{stem}たいのですが、どうすればいいですか",
        f"{thing}{stem}たいです。手順を教えてください。",
        f"{thing}{verb}には、まず何をすればいいですか",
        f"{thing}{verb}やり方が分かりません。教えてください。",
    )


def _any(name: str) -> str:
    """A pattern for one of the words of a list."""
    return f"(?:{'|'.join(question_words()['lists'][name])})"


_NP = r"(?P<np>[^をが]{2,18}?)"
_LEAVE = r"(?P<np>[^をが]{0,16}(?:休[暇業]|年休|有休|育休))"
_TO = r"(?P<to>への|からの|での|の)"
_ACT = r"(?P<act>(?!.*(?:機能|サービス))[^のと・]{2,6}?)(?<![中後時])"
_CLAUSE = r"(?P<clause>.{3,24}?(?:る|た|ない|う|く|す|つ|ぬ|ぶ|む|ぐ))"
_NOT_ABLE = r"(?!.*(?:受け|付け|続け|届け|掛け|開け|進め|育て|並べ|立て|向け|慣れ|外れ|切れ|割れ|折れ|入れ|止め|変え|集め|求め|決め|始め|見|い)る)"  # fmt: skip
_ABLE = rf"(?!.*(?:ると|たら|れば(?!き)))(?P<clause>.{{1,22}}?(?:できる|られる)|{_NOT_ABLE}.{{2,22}}?[えけせてねべめれげ]る)"
_CONDITIONS = r"(?:条件|要件)(?:と.{2,6})?"
_WAY = "の?(?:方法|手順|手続き|手続|やり方|仕方)"
_WHEN = "(?:とき|場合|際)"
_RULES = "(?:ルール|決まり|注意)"
_DURING = r"(?:[^・]+・)?(?P<np>[^・]{2,12})中の"
_OF_IT = "(?:の(?:支払い|免除|扱い))?(?:[と・].+)?"
_HANDLED = "(?:.{1,3}の)?(?:対応|対処|手続き|手順|対応手順|届け出|再設定|修正|報告|申請|処置|方法)"
_DO = _how("{thing}", "{stem}", "{verb}")

SHAPES = (
    shape(r"(?P<thing>.{2,16})とは", "definition", "{thing}って何ですか", "{thing}とは、どういうものですか"),
    shape(rf"(?!.*が){_CLAUSE}(?:方法|手順|手続き|申請|やり方)", "how", "{done}たいのですが、どうすればいいですか", "{done}たいです。やり方を教えてください。"),
    shape(rf"{_ABLE}{_CONDITIONS}", "conditions", "{clause}のは、どんな場合ですか", "どんな条件を満たせば{clause}のですか"),
    shape(rf"(?=.*を|.*に(?!なる)){_CLAUSE}{_CONDITIONS}", "conditions", "{clause}には、どんな条件がありますか"),
    shape(rf"{_CLAUSE}{_CONDITIONS}", "conditions", "{clause}のはどんな場合ですか"),
    # what happened to somebody or is planned
    shape(rf"{_CLAUSE}{_WHEN}の連絡先", "contact", "{clause}とき、まずどこに連絡すればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の{_RULES}", "rule", "{clause}とき、守らないといけない決まりはありますか"),
    shape(rf"{_CLAUSE}{_WHEN}の(?:取り)?扱い", "outcome", "{clause}とき、どういう扱いになりますか"),
    shape(r"(?P<clause>.{2,24}[^た])(?<!ない)場合", "conditions", "{clause}のは、どんな場合ですか"),
    shape(rf"{_CLAUSE}{_WHEN}の連絡", "contact", "{story}どこに連絡すればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の確認", "instruction", "{story}何を確認すればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の服装", "instruction", "{story}どんな服装で行けばいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}(?:の{_HANDLED})?", "instruction", "{story}どうすればいいですか", "{story}まず何をすればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の(?P<tail>.{{1,6}}手続き)", "outcome", "{clause}とき、どんな{tail}が必要ですか"),
    shape(rf"{_CLAUSE}{_WHEN}の返却.{{0,8}}", "outcome", "{clause}とき、何を返せばいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の(?P<np>(?!.*停止|.*内容|変更).{{2,10}})", "outcome", "{clause}とき、{np}はどうなりますか"),
    shape(r"(?P<np>[^・]{2,16}?)(?:・.+)?の(?P<event>紛失|盗難|故障|破損|誤送信|漏えい)(?:[・と].{2,6})?(?:時)?(?:の(?:連絡|対応|手続き|届け出|報告|再発行|対応手順))?", "instruction", "{np}{story}どうすればいいですか", "{np}{story}まず何をすればいいですか"),
    shape(r"(?P<np>.{2,10}(?:中|途中))のけが(?:の(?:連絡|対応|手続き|報告))?", "instruction", "{np}にけがをしてしまいました。どうすればいいですか", "{np}にけがをしたときは、どこに連絡すればいいですか"),
    # a clause before a noun
    shape(r"(?P<np>.{2,12})の対象(?:と|に)なる(?P<noun>[^の]{2,8})", "things", "{np}の対象になるのは、どんな{noun}ですか"),
    shape(r"(?P<np>[^をが]{2,16})[をが](?P<clause>[^をがに]{1,8}(?:できる|られる|[えけせてねべめれげ]る))(?:人|方)", "who", "{np}は誰でも{done}ますか", "私でも{np}を{done}ますか"),
    shape(rf"{_ABLE}場所", "place", "{clause}のはどこですか"),
    shape(r"(?P<clause>.{1,22}される)理由", "outcome", "{clause}のはなぜですか"),
    shape(rf"(?:{_ABLE}|(?P<other>.{{2,22}}(?:受ける|受け取る|いけない)))(?P<noun>(?!.*(?:期間|[回台人日]数|年齢|容量|金額|時間|期限|上限)$|ルール|制度|方法|申請|手続き|決まり|とき|休暇|設定|操作|画面|手順|サイト|人$|方$|理由)[一-龠ァ-ヶーA-Za-z]{{2,8}}|もの)", "things", "{clause}のは、どんな{noun}ですか", "{other}のは、どんな{noun}ですか"),
    shape(rf"{_DURING}(?P<tail>賃金|給与){_OF_IT}", "outcome", "{np}中も給料は出ますか", "{np}中の給料はどうなるのか知りたいです。", about="{tail}"),
    shape(rf"{_DURING}(?P<tail>[^と・]{{0,8}}保険料){_OF_IT}", "outcome", "{np}中も{tail}は払わないといけませんか", "{np}中の{tail}はどうなりますか", about="{tail}"),
    shape(rf"{_DURING}(?P<tail>[^と・]{{0,8}}(?:手当|給付|料金|税|契約|データ|日当|支払い)[^と・]{{0,6}}?){_OF_IT}", "outcome", "{np}中、{tail}はどうなりますか", "{np}中の{tail}はどうなるのか知りたいです。", about="{tail}"),
    shape(r"(?P<first>.{2,16})と(?P<second>.{2,16})の違い", "difference", "{first}と{second}は何が違うのですか", "{first}と{second}の違いがよく分かりません。教えてください。"),
    shape(r"(?P<by>[^のと]{2,10})による(?P<thing>.{2,16})の違い", "difference", "{thing}は、{by}によってどう違いますか"),
    # what people do
    shape(rf"{_NP}(?:への|の)(?P<act>{_any('done_to')})の禁止", "rule", "{np}を{act}してもいいですか", about="{np}"),
    shape(rf"{_NP}{_TO}{_ACT}の禁止", "rule", "{thing}{te}もいいですか", "{thing}{verb}のは問題ないですか", about="{np}"),
    shape(r"(?P<np>.{0,14}?(?P<thing>[^の]{1,8}[書証票]))の(?:要否|必要性)", "necessity", "{np}は必要ですか", "{np}は出さないといけませんか", about="{thing}"),
    shape(r"(?P<np>.{2,18})の(?:要否|必要性)", "necessity", "{np}は必要ですか", about="{np}"),
    shape(rf"{_NP}での(?P<manner>使い|見|付け|結び|取り|開き|選び|書き|出し)方(?:と.{{2,6}})?", "how", "{np}でどう{if}いいですか"),
    shape(rf"{_NP}の?(?P<manner>使い|見|付け|結び|取り|開き|選び|書き|出し)方(?:と.{{2,6}})?", "how", "{np}はどう{if}いいですか"),
    shape(rf"{_NP}の(?P<act>許可|承認|認定){_WAY}", "how", "{np}の{act}をもらいたいのですが、どうすればいいですか", "{np}の{act}をもらいたいです。どんな手続きが必要ですか"),
    shape(rf"{_NP}の(?P<act>{_any('granted')}){_WAY}", "how", "{np}を{act}してもらいたいのですが、どうすればいいですか", "{np}を{act}してもらいたいです。どんな手続きが必要ですか"),
    shape(rf"{_NP}の(?P<act>発行|再発行|支給)", "how", "{np}を{act}してもらいたいのですが、どうすればいいですか", "{np}を{act}してもらいたいです。どんな手続きが必要ですか", about="{act}"),
    shape(rf"{_NP}{_TO}(?P<act>{_any('done_to_people')}){_WAY}", "how", *_DO),
    shape(rf"{_NP}(?<![方者人中後時]){_TO}{_ACT}{_WAY}", "how", *_DO),
    shape(rf"(?P<act>[^をがのと・]{{2,10}}?){_WAY}", "how", *_how("{act}を", "し", "する")),
    # facts
    shape(r"(?P<np>[^をが]{2,18}(?:課|部|室|窓口|センター|係|デスク))の(?:相談先|問い合わせ先|連絡先)", "contact", "{np}に連絡したいのですが、連絡先を教えてください。"),
    shape(rf"{_NP}の(?:相談先|問い合わせ先|連絡先|相談窓口)", "contact", "{np}のことで相談したいのですが、どこに連絡すればいいですか", "{np}について相談できる窓口を教えてください。"),
    shape(rf"{_NP}の{_ACT}対象者?", "who", "{thing}{stem}たいのですが、誰でも申し込めますか", "{thing}{stem}たいのですが、私も対象になりますか", about="{np}"),
    shape(r"(?P<np>[^をが]{2,18}費)の対象", "who", "どんな費用なら{np}として認められますか", about="{np}"),
    shape(r"(?P<np>[^をが]{0,16}(?:休|制度|手当|給付|補助|調整|診断|研修|制|割引|プラン|勤務|賞与|奨励|保険)[^をが]{0,4}?)の対象者?", "who", "私は{np}の対象になりますか", "私も{np}の対象になりますか。条件を教えてください。", "{np}は誰でも対象になりますか", about="{np}"),
    shape(rf"{_NP}の対象者?", "who", "{np}の対象になるのは、どういう場合ですか", about="{np}"),
    shape(rf"{_NP}の支給{_CONDITIONS}", "conditions", "{np}をもらうには、どんな条件がありますか", about="{np}"),
    shape(rf"{_NP}{_TO}{_ACT}{_CONDITIONS}", "conditions", "{thing}{verb}には、どんな条件がありますか", about="{np}"),
    shape(rf"{_LEAVE}の{_CONDITIONS}", "conditions", "{np}を取るには、どんな条件がありますか", about="{np}"),
    shape(rf"(?P<np>[^をが]{{0,14}}(?:制度|手当))の{_CONDITIONS}", "conditions", "{np}を受けるには、どんな条件がありますか", about="{np}"),
    shape(r"(?P<np>[^をが]{0,12}(?:休|手当|補助|給付)[^をが]{0,4}?)の?(?:提出|必要|添付|証明)書類", "needed", "{np}を申請するとき、どんな書類が必要ですか", about="{np}"),
    shape(rf"{_NP}の?(?:提出|必要|添付|証明)書類", "needed", "{np}には、どんな書類が必要ですか", about="{np}"),
    shape(rf"{_NP}の?持ち物", "needed", "{np}には、何を用意すればいいですか", about="{np}"),
    shape(rf"{_NP}の種類", "kinds", "{np}にはどんな種類がありますか", about="{np}"),
    shape(rf"{_NP}の例", "kinds", "{np}には、例えばどんなものがありますか"),
    shape(rf"{_NP}の(?P<tail>集合場所|保管場所|置き場所|送り先|提出先)", "place", "{np}の{tail}はどこですか", about="{np}"),
    shape(rf"{_NP}の後の流れ", "outcome", "{np}のあとは、どんな流れになりますか"),
    shape(rf"{_NP}の流れ", "how", "{np}は、どんな流れになりますか"),
    shape(r"(?P<np>[^をが]{0,16}(?:中|休[暇業職]|有休|出勤|勤務))の(?:取り)?扱い", "outcome", "{np}はどういう扱いになりますか", about="{np}"),
    shape(rf"(?P<place>[^をが]{{2,8}}で)の{_NP}の?利用の{_RULES}", "rule", "{place}{np}を使うとき、気を付けることはありますか", "{place}{np}を使いたいのですが、守らないといけない決まりはありますか"),
    shape(rf"{_NP}の?利用の{_RULES}", "rule", "{np}を使うとき、気を付けることはありますか", "{np}を使いたいのですが、守らないといけない決まりはありますか"),
    shape(rf"{_NP}の{_ACT}の{_RULES}", "rule", "{np}を{act}するとき、守らないといけない決まりはありますか"),
    shape(rf"{_NP}の{_RULES}", "rule", "{np}には、どんな決まりがありますか", "{np}で守らないといけないことを教えてください。"),
    shape(rf"{_NP}の?(?P<tail>補助|助成|割引|優待|支援|免除)", "benefit", "{np}の{tail}は受けられますか", "{np}には{tail}がありますか", about="{np}"),
    shape(r"(?P<np>[^をがの・]{2,14}(?:手当|補助金|給付金))", "benefit", "{np}はもらえますか。条件があれば知りたいです。", "{np}をもらうには、どんな条件がありますか", about="{np}"),
    shape(r"(?P<np>[^をがの]{2,14})の利用", "permission", "{np}は使えますか", "{np}を使いたいのですが、何か条件はありますか", about="{np}"),
    shape(rf"{_NP}(?<![方者人中後時])(?<!利用|購入|参加|加入|変更|貸与|作成|追加|共有|使用){_TO}(?P<act>{_any('doable')})", "how", *_DO, about="{act}"),
)  # fmt: skip
