"""Japanese headings about what happened to somebody or is planned, told by that person."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_words_ja import plain_matter, question_words
from core.datasets.document_questions.rules.rule_question import QuestionForms
from core.text.inflection import Word, is_verb, polite_stem, te_form, words

_CHANGES = ("変わる", "なる", "始まる", "終わる", "決まる", "外れる", "かかる", "増える", "減る", "切り替わる", "移る")


def contact_when(found: re.Match[str]) -> list[QuestionForms]:
    """「…ときの連絡先」."""
    return [QuestionForms("contact", (f"{found['clause']}とき、まずどこに連絡すればいいですか",))]


def situation(found: re.Match[str]) -> list[QuestionForms]:
    """「…たときの対応」."""
    clause, tail = found["clause"], found.groupdict().get("tail") or ""
    story = as_story(clause)
    if not story or "など" in clause:
        return []
    ends = {
        "連絡先": "どこに連絡すればいいですか",
        "連絡": "どこに連絡すればいいですか",
        "確認": "何を確認すればいいですか",
        "服装": "どんな服装で行けばいいですか",
    }
    if tail in ("ルール", "決まり", "注意"):
        return [QuestionForms("rule", (f"{clause}とき、守らないといけない決まりはありますか",))]
    if tail in ("扱い", "取り扱い"):
        return [QuestionForms("outcome", (f"{clause}とき、どういう扱いになりますか",))]
    if not tail and found["when"] == "場合" and not re.search(r"た$|ない$", clause):
        return [QuestionForms("conditions", (f"{clause}のは、どんな場合ですか",))]
    if (
        tail
        and tail not in ends
        and not re.fullmatch(
            r"(?:.{1,3}の)?(?:対応|対処|手続き|手順|対応手順|届け出|再設定|修正|報告|申請|処置|方法)", tail
        )
    ):
        if tail.endswith("手続き"):
            return [QuestionForms("outcome", (f"{clause}とき、どんな{tail}が必要ですか",))]
        if tail.startswith("返却"):
            return [QuestionForms("outcome", (f"{clause}とき、何を返せばいいですか",))]
        return (
            [QuestionForms("outcome", (f"{clause}とき、{tail}はどうなりますか",))]
            if plain_matter(tail) and not re.search(r"停止|内容", tail)
            else []
        )
    end = ends.get(tail)
    if end:
        return [QuestionForms("contact" if "連絡" in tail else "instruction", (situation_and_question(story, end),))]
    return [
        QuestionForms(
            "instruction",
            tuple(situation_and_question(story, end) for end in ("どうすればいいですか", "まず何をすればいいですか")),
        )
    ]


def situation_and_question(story: str, question: str) -> str:
    """What happened or is wanted, and the question about it."""
    return f"{story[:-2]}のですが、{question}" if story.endswith("たいです") else f"{story}。{question}"


def as_story(clause: str) -> str:
    """What happened or is planned, told by the person whom it concerns; "" if the clause cannot stand alone."""
    if found := re.fullmatch(r"(?P<np>.{2,14})が疑われる|(?P<past>.{3,20}た)おそれがある", clause):
        return f"{found['np'] or found['past']}かもしれません"
    tokens = words(clause)
    if len(tokens) < 2 or re.search(r"は|も|[」』)]$|^(?:その|この)", clause):
        return ""
    if any(
        word.surface == "・" and tokens[place - 1].part not in ("名詞", "接尾辞")
        for place, word in enumerate(tokens)
        if place
    ):
        return ""  # two clauses joined by a dot
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
    if verb.base in ("れる", "られる"):
        return f"{clause[:-1]}てしまいました" if _is_mishap(clause) else f"{clause[:-1]}ました"
    if not is_verb(verb):
        return ""
    if verb.base in ("しまう", "ちゃう"):
        return f"{stem}{polite_stem(verb)}ました"
    return f"{stem}{te_form(verb)}しまいました" if _is_mishap(clause) else f"{stem}{polite_stem(verb)}ました"


def _planned(clause: str, verb: Word) -> str:
    stem = f"{clause[: -len(verb.surface)]}{polite_stem(verb)}"
    if verb.base in ("ある", "いる"):
        return f"{stem}ます"
    if verb.base in ("届く", "来る", "出る", "起きる", "見つかる", "鳴る", "消える", "止まる", "壊れる", "切れる"):
        return f"{stem}ました"
    if verb.base in ("過ぎる", "超える", "遅れる"):
        return f"{stem}そうです"
    if re.search(r"(?:に|く)なる$", clause):
        return f"{stem}ました"
    if verb.base in _CHANGES:
        return f"{clause}ことになりました"
    if "が" in clause:
        return f"{stem}ます"
    return f"{clause}予定です"


def _is_mishap(clause: str) -> bool:
    return bool(
        re.search(
            r"忘れ|なくし|無くし|失く|紛失|誤|間違|壊|破損|落と|盗|切れ|遅れ|ロック|漏|感染|失効|超え|過ぎ|汚|遭|差し戻|拒否|却下|断ら|止め|停止",
            clause,
        )
    )


def mishap(found: re.Match[str]) -> list[QuestionForms]:
    """「…の紛失」."""
    np = found["np"].split("・")[0]
    story = question_words()["mishaps"].get(found["event"])
    if not story or not plain_matter(np):
        return []
    return [
        QuestionForms("instruction", (f"{np}{story}。どうすればいいですか", f"{np}{story}。まず何をすればいいですか"))
    ]


def injury(found: re.Match[str]) -> list[QuestionForms]:
    """「…中のけが」."""
    return [
        QuestionForms(
            "instruction",
            (
                f"{found['np']}にけがをしてしまいました。どうすればいいですか",
                f"{found['np']}にけがをしたときは、どこに連絡すればいいですか",
            ),
        )
    ]


def during(found: re.Match[str]) -> list[QuestionForms]:
    """「…中の賃金」."""
    np, tail = found["np"].split("・")[-1], found["tail"]
    if not re.search(
        r"賃金|給与|手当|保険料|給付|料金|扱い|有休|年休|定期|税|契約|アカウント|データ", tail
    ) or re.search(r"[と・]", tail):
        tail = re.split(r"[と・]", tail)[0]
    if not re.search(r"賃金|給与|手当|保険料|給付|料金|税|契約|データ|日当|支払い", tail):
        return []
    tail = re.sub(r"の(?:支払い|免除|扱い)$", "", tail)
    if tail in ("賃金", "給与"):
        return [
            QuestionForms("outcome", (f"{np}中も給料は出ますか", f"{np}中の給料はどうなるのか知りたいです。"), tail)
        ]
    if tail.endswith("保険料"):
        return [
            QuestionForms(
                "outcome", (f"{np}中も{tail}は払わないといけませんか", f"{np}中の{tail}はどうなりますか"), tail
            )
        ]
    return [
        QuestionForms(
            "outcome", (f"{np}中、{tail}はどうなりますか", f"{np}中の{tail}はどうなるのか知りたいです。"), tail
        )
    ]
