"""Japanese headings about a fact: an amount, an extent, a date, a place, for whom, on which conditions."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_words_ja import (
    act,
    is_received,
    plain_matter,
    question_words,
    with_particle,
    without_particle,
)
from core.datasets.document_questions.rules.rule_question import QuestionForms
from core.text.inflection import is_act, polite_stem, words


def amount(found: re.Match[str]) -> list[QuestionForms]:
    """「…の金額」."""
    np, tail = plain_matter(found["np"]), found["tail"]
    if not np:
        return []
    if re.search(r"上限|限度|基準", tail):
        return [
            QuestionForms(
                "amount", (f"{np}は、いくらまで認められますか" if "費" in np else f"{np}はいくらまでですか",), np
            )
        ]
    if is_received(np):
        return [
            QuestionForms(
                "amount",
                (f"{np}はいくらもらえますか", f"{np}っていくら出るんですか", f"{np}がいくらになるか知りたいです。"),
                np,
            )
        ]
    if re.search(r"費用|手数料|料金|代金|コスト|引っ越し費用", tail):
        return [
            QuestionForms("amount", (f"{np}の{tail}はいくらかかりますか", f"{np}には、お金はいくらかかりますか"), np)
        ]
    return [QuestionForms("amount", (f"{np}の{tail}はいくらですか",), np)]


def extent(found: re.Match[str]) -> list[QuestionForms]:
    """「…の日数」, 「…の上限」."""
    np, tail = plain_matter(found["np"]), found["tail"]
    if not np:
        return []
    ways = {
        "日数": (
            f"{np}は何日取れますか" if re.search(r"休[暇業]$|年休$|有休$|育休$", np) else f"{np}の日数は何日ですか",
        ),
        "付与日数": (f"{np}は何日もらえますか",),
        "回数": (f"{np}は何回までですか", f"{np}の回数に決まりはありますか"),
        "上限": (f"{np}に上限はありますか。どのくらいまで大丈夫ですか",),
        "期間": (f"{np}の期間はどのくらいですか", f"{np}はいつまで続きますか") if not re.search(r"取得$", np) else (),
        "容量": (f"{np}は、どのくらいの容量まで使えますか",),
        "人数": (f"{np}は何人までですか",),
        "長さ": (f"{np}はどのくらいの長さですか",),
        "額": (f"{np}はどのくらいもらえますか" if is_received(np) else f"{np}はいくらですか",),
        "枚数": (f"{np}は何枚ですか",),
        "支給枚数": (f"{np}は何枚もらえますか",),
        "目安": (f"{np}はどのくらいが目安ですか",),
    }.get(tail, ())
    ways = tuple(way for way in ways if way)
    return (
        [
            QuestionForms(
                "extent" if tail not in ("日数", "付与日数", "人数", "枚数", "支給枚数") else f"count:{tail[-2:]}",
                ways,
                np,
            )
        ]
        if ways
        else []
    )


def contact(found: re.Match[str]) -> list[QuestionForms]:
    """「…の相談先」."""
    np = found["np"]
    if not plain_matter(np):
        return []
    if np.endswith(("課", "部", "室", "窓口", "センター", "係", "デスク")):
        return [QuestionForms("contact", (f"{np}に連絡したいのですが、連絡先を教えてください。",))]
    return [
        QuestionForms(
            "contact",
            (
                f"{np}のことで相談したいのですが、どこに連絡すればいいですか",
                f"{np}について相談できる窓口を教えてください。",
            ),
        )
    ]


def time_of(found: re.Match[str]) -> list[QuestionForms]:
    """「…の支給日」, 「…の受付時間」."""
    np, tail = plain_matter(found["np"]), found["tail"]
    if not np:
        return []
    if tail in ("支給日", "支払日", "支払い日", "入金日", "振込日"):
        return [
            QuestionForms(
                "date",
                (f"{np}が支払われるのはいつですか", f"{np}はいつ振り込まれますか")
                if re.search(r"給|賞与|手当|経費", np)
                else (f"{np}の{tail}はいつですか",),
                np,
            )
        ]
    if tail in ("受付時間", "営業時間", "利用時間", "開館時間", "受付"):
        return [
            QuestionForms(
                "hours",
                (
                    f"{np}は何時から何時まで開いていますか"
                    if np.endswith(("窓口", "受付", "店", "室"))
                    else f"{np}は何時から何時まで利用できますか",
                ),
                np,
            )
        ]
    noun = tail.removesuffix("時期")
    if noun and is_act(noun):
        return [
            QuestionForms(
                "date",
                (
                    f"{np}はいつ頃{noun}になりますか"
                    if noun in ("交換", "更新", "開始", "終了", "支給")
                    else f"{np}の{noun}はいつ頃ですか",
                ),
                np,
            )
        ]
    return [QuestionForms("date", (f"{np}はいつ頃ですか",), np)]


def who_it_is_for(found: re.Match[str]) -> list[QuestionForms]:
    """「…の対象者」."""
    np = plain_matter(found["np"])
    noun = found["act"]
    if not np:
        return []
    if noun and is_act(noun):
        verb = act(noun)
        wanted = f"{np}{verb.particle}{verb.stem}たいのですが"
        return [QuestionForms("who", (f"{wanted}、誰でも申し込めますか", f"{wanted}、私も対象になりますか"), np)]
    if re.search(r"休|制度|手当|給付|補助|調整|診断|研修|制$|割引|プラン|勤務$|賞与|奨励|保険$", np):
        return [
            QuestionForms(
                "who",
                (
                    f"私は{np}の対象になりますか",
                    f"私も{np}の対象になりますか。条件を教えてください。",
                    f"{np}は誰でも対象になりますか",
                ),
                np,
            )
        ]
    if np.endswith("費"):
        return [QuestionForms("who", (f"どんな費用なら{np}として認められますか",), np)]
    return [QuestionForms("who", (f"{np}の対象になるのは、どんな{{who}}ですか",), np)]


def conditions(found: re.Match[str]) -> list[QuestionForms]:
    """「…の条件」."""
    np, noun = plain_matter(without_particle(found["np"])), found["act"]
    if not np:
        return []
    if noun == "支給":
        return [QuestionForms("conditions", (f"{np}をもらうには、どんな条件がありますか",), np)]
    if noun and (is_act(noun) or noun in question_words()["acts"]):
        verb = act(noun)
        return [
            QuestionForms(
                "conditions", (f"{with_particle(found['np'], verb)}{verb.plain}には、どんな条件がありますか",), np
            )
        ]
    return [
        QuestionForms(
            "conditions",
            (
                f"{np}を{'取る' if re.search(r'休[暇業]$|育休$', np) else '受ける'}には、どんな条件がありますか"
                if re.search(r"休|制度|手当", np)
                else "",
            ),
            np,
        )
    ]


def conditions_clause(found: re.Match[str]) -> list[QuestionForms]:
    """「…を利用できる条件」."""
    clause = found["clause"]
    if re.search(r"できる$|[えけせてねめれ]る$|られる$", clause):
        return [
            QuestionForms("conditions", (f"{clause}のは、どんな場合ですか", f"どんな条件を満たせば{clause}のですか"))
        ]
    if "を" in clause or ("に" in clause and not clause.endswith("なる")):
        return [QuestionForms("conditions", (f"{clause}には、どんな条件がありますか",))]
    return [QuestionForms("conditions", (f"{clause}のはどんな場合ですか",))]


def needed(found: re.Match[str]) -> list[QuestionForms]:
    """「…の提出書類」."""
    np = found["np"]
    if np.endswith("時"):
        return [QuestionForms("needed", (f"{np}には、どんな書類を出せばいいですか",))]
    if not plain_matter(np):
        return []
    if re.search(r"証明|書類", found["tail"]):
        return [
            QuestionForms(
                "needed",
                (
                    f"{np}を申請するとき、どんな書類が必要ですか"
                    if re.search(r"休|手当|補助|給付", np)
                    else f"{np}には、どんな書類が必要ですか",
                ),
                np,
            )
        ]
    return [QuestionForms("needed", (f"{np}には、何を用意すればいいですか",), np)]


def necessity(found: re.Match[str]) -> list[QuestionForms]:
    """「…の要否」."""
    np = found["np"]
    if not plain_matter(np.replace("・", "")):
        return []
    return [
        QuestionForms(
            "necessity",
            (
                f"{np}は必要ですか",
                f"{np}は出さないといけませんか" if np.endswith(("書", "証", "票")) else f"{np}は必要ですか",
            ),
            np.split("の")[-1],
        )
    ]


def treatment(found: re.Match[str]) -> list[QuestionForms]:
    """「…中の扱い」."""
    np = found["np"]
    if not plain_matter(np) or not re.search(r"中$|休[暇業職]$|出勤$|勤務$", np):
        return []
    return [QuestionForms("outcome", (f"{np}はどういう扱いになりますか",), np)]


_MEASURES = {
    "人数": "何人までですか", "期間": "いつまでですか", "回数": "何回までですか", "台数": "何台までですか", "日数": "何日までですか", "数": "いくつまでですか",
    "年齢": "何歳からですか", "時間": "いつですか", "時期": "いつですか", "容量": "どのくらいまでですか", "場所": "どこですか", "理由": "なぜですか",
    "金額": "いくらまでですか",
}  # fmt: skip
_NO_THINGS = frozenset(
    {"ルール", "制度", "方法", "申請", "手続き", "決まり", "とき", "休暇", "設定", "操作", "画面", "手順", "サイト"}
)
_PAIRS = re.compile(
    r"(?:受け|付け|続け|届け|掛け|開け|進め|育て|並べ|立て|向け|慣れ|外れ|切れ|割れ|折れ|入れ|止め|変え|集め|求め|決め|始め|見|い)る$"
)


def what_thing(found: re.Match[str]) -> list[QuestionForms]:
    """「…できる費用」, 「…を持てる人」."""
    clause, noun = found["clause"], found["noun"]
    last = words(clause)[-1]
    if last.part not in ("動詞", "助動詞") or not re.search("連体|終止", last.form) or noun in _NO_THINGS:
        return []
    possible = _is_potential(clause)
    if re.search(r"(?:ると|たら|れば)(?!き)", clause):
        return []
    if noun in ("人", "方"):
        return _anyone(clause) if possible else []
    if noun in _MEASURES:
        kind = {"場所": "place", "理由": "outcome", "時期": "date", "時間": "date"}.get(noun, "extent")
        return (
            [QuestionForms(kind, (f"{clause}のは{_MEASURES[noun]}",))]
            if (possible and noun != "理由") or clause.endswith("される") or noun == "時期"
            else []
        )
    if not possible and not clause.endswith(("受ける", "受け取る", "いけない")):
        return []
    return [QuestionForms("things", (f"{clause}のは、どんな{noun}ですか",))]


def _anyone(clause: str) -> list[QuestionForms]:
    """「法人カードを持てる」人: 法人カードは誰でも持てますか."""
    found = re.fullmatch(r"(?P<np>.{2,16})[をが](?P<verb>[^をがに]{2,8})", clause)
    if found is None:
        return []
    verb = words(clause)[-1]
    polite = f"{found['verb'][: -len(verb.surface)]}{polite_stem(verb)}ますか"
    return [QuestionForms("who", (f"{found['np']}は誰でも{polite}", f"私でも{found['np']}を{polite}"))]


def _is_potential(clause: str) -> bool:
    """Whether a clause says what somebody can do: 使える, 申請できる, 入れられる."""
    if re.search(r"できる$|られる$", clause):
        return True
    return bool(re.search(r"[えけせてねべめれげ]る$", clause)) and not _PAIRS.search(clause)
