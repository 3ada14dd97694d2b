"""Japanese headings about something that people do: how, until when, by which rules, whether it is allowed."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_words_ja import (
    act,
    plain_matter,
    question_words,
    with_particle,
    without_particle,
)
from core.datasets.document_questions.rules.rule_question import QuestionForms
from core.text.inflection import conditional, is_act, is_verb, polite_stem, words


def how_to_do(found: re.Match[str]) -> list[QuestionForms]:
    """「…の予約方法」, 「…の申請」."""
    np, noun = found["np"], found["act"]
    lists = question_words()["lists"]
    bare = found.groupdict().get("bare") is not None
    if (
        not plain_matter(without_particle(np))
        or re.search(r"中$|後$|時$|[と・]", noun)
        or np.endswith(("中", "後", "時"))
    ):
        return []
    if (not is_act(noun) and noun not in question_words()["acts"]) or noun.endswith(("機能", "サービス")):
        return []
    if without_particle(np).endswith(("方", "者", "人")) and noun not in lists["done_to_people"]:
        return []
    if noun in lists["granted"]:
        if bare and noun not in ("発行", "再発行", "支給"):
            return []
        verb = f"{np}を{noun}してもらい" if noun not in ("許可", "承認", "認定") else f"{np}の{noun}をもらい"
        return [
            QuestionForms(
                "how",
                (f"{verb}たいのですが、どうすればいいですか", f"{verb}たいです。どんな手続きが必要ですか"),
                noun if bare else "",
            )
        ]
    if bare and (noun not in lists["doable"] or re.search(r"(利用|購入|参加|加入|変更|貸与|作成|追加|共有|使用)$", np)):
        return []
    verb = act(noun)
    thing = with_particle(np, verb)
    return [QuestionForms("how", _ways_to_do(thing, verb.stem, verb.plain), noun if bare else "")]


def _ways_to_do(thing: str, stem: str, plain: str) -> tuple[str, ...]:
    first_time = re.search(r"^(?:申請|予約|精算|打刻|接続|登録|利用|印刷|申し込)|使", stem)
    ways = (
        f"{thing}{stem}たいのですが、どうすればいいですか",
        f"{thing}{stem}たいです。手順を教えてください。",
        f"初めて{thing}{stem}ます。やり方を教えてもらえますか",
        f"{thing}{plain}には、まず何をすればいいですか",
        f"{thing}{plain}やり方が分かりません。教えてください。",
    )
    return tuple(way for way in ways if first_time or not way.startswith("初めて"))


def how_noun(found: re.Match[str]) -> list[QuestionForms]:
    """「交通費精算の手順」, 「内部通報の方法」: the action is one word."""
    noun = found["act"]
    if not is_act(noun) or re.search(r"[と・の]", noun):
        return []
    return [QuestionForms("how", _ways_to_do(f"{noun}を", "し", "する"))]


def how_clause(found: re.Match[str]) -> list[QuestionForms]:
    """「…に…を追加する方法」."""
    tokens = words(found["clause"])
    if not tokens or not is_verb(tokens[-1]) or not re.search("連体|終止", tokens[-1].form) or "が" in found["clause"]:
        return []
    before = found["clause"].removesuffix(tokens[-1].surface)
    stem = polite_stem(tokens[-1])
    return [
        QuestionForms(
            "how",
            (f"{before}{stem}たいのですが、どうすればいいですか", f"{before}{stem}たいです。やり方を教えてください。"),
        )
    ]


def how_manner(found: re.Match[str]) -> list[QuestionForms]:
    """「名前の付け方」."""
    verb = {
        "使い": "使う",
        "見": "見る",
        "付け": "付ける",
        "結び": "結ぶ",
        "取り": "取る",
        "開き": "開く",
        "選び": "選ぶ",
        "書き": "書く",
        "出し": "出す",
    }.get(found["stem"], "")
    np = plain_matter(without_particle(found["np"]))
    if not verb or not np:
        return []
    word = words(verb)[-1]
    thing = "で" if found["np"].endswith("での") else "は"
    return [QuestionForms("how", (f"{np}{thing}どう{conditional(word)}いいですか",))]


def deadline(found: re.Match[str]) -> list[QuestionForms]:
    """「…の申請期限」."""
    np, noun = plain_matter(without_particle(found["np"])), found["act"]
    if not np:
        return []
    if noun in ("有効", "利用", "使用"):
        return [QuestionForms("until", (f"{np}はいつまで使えますか", f"{np}はいつまで有効ですか"))]
    if noun in ("", "月次", "最終"):
        return [QuestionForms("deadline", (f"{np}の締め切りはいつですか",))]
    if noun not in question_words()["acts"] and not is_act(noun):
        return []
    verb = act(noun)
    if noun == "提出" and not np.endswith(("書", "届", "票", "書類", "報告", "レポート")):
        return [
            QuestionForms("deadline", (f"{np}の提出期限はいつですか", f"{np}の書類は、いつまでに出せばいいですか"), np)
        ]
    late = (
        (f"{np}の{noun}が遅れそうです。いつまでに{verb.conditional}いいですか",)
        if noun in ("申請", "提出", "精算", "届け出", "報告")
        else ()
    )
    return [
        QuestionForms(
            "deadline",
            (
                f"{np}は、いつまでに{verb.conditional}いいですか",
                f"{with_particle(found['np'], verb)}{verb.stem}たいのですが、締め切りはいつですか"
                if noun in ("申請", "申し込み", "申込", "届け出", "応募", "予約")
                else "",
                *late,
            ),
            np,
        )
    ]


def forbidden(found: re.Match[str]) -> list[QuestionForms]:
    """「…の禁止」."""
    np, noun = found["np"], found["act"]
    if not is_act(noun) or not plain_matter(without_particle(np)):
        return []
    verb = act(noun)
    if noun in question_words()["lists"]["done_to"]:
        np = re.sub(r"への$", "を", np)
        np = np if np.endswith("を") else f"{np}を"
        return [
            QuestionForms("rule", (f"{np}{verb.te.removeprefix('を')}もいいですか",), without_particle(found["np"]))
        ]
    return [
        QuestionForms(
            "rule",
            (
                f"{with_particle(np, verb)}{verb.te}もいいですか",
                f"{with_particle(np, verb)}{verb.plain}のは問題ないですか",
            ),
            without_particle(np),
        )
    ]


def rules_of(found: re.Match[str]) -> list[QuestionForms]:
    """「…のルール」."""
    np = plain_matter(found["np"])
    if not np:
        return []
    last = words(np)[-1].surface
    if np.endswith("利用"):
        thing = re.sub(r"での", "で", re.sub(r"の?利用$", "", np))
        return [
            QuestionForms(
                "rule",
                (
                    f"{thing}を使うとき、気を付けることはありますか",
                    f"{thing}を使いたいのですが、守らないといけない決まりはありますか",
                ),
            )
        ]
    if is_act(last) and "の" in np:
        thing = np[: -len(last)].rstrip("の")
        return [QuestionForms("rule", (f"{thing}を{last}するとき、守らないといけない決まりはありますか",))]
    return [
        QuestionForms(
            "rule", (f"{np}には、どんな決まりがありますか", f"{np}で守らないといけないことを教えてください。")
        )
    ]


def use_of(found: re.Match[str]) -> list[QuestionForms]:
    """「…の利用」."""
    np = plain_matter(without_particle(found["np"]))
    place = re.match(r"(.+での)(.+)", found["np"])
    if not np:
        return []
    return [
        QuestionForms(
            "permission",
            (
                f"{found['np']}は使えますか" if not place else "",
                f"{found['np']}を使いたいのですが、何か条件はありますか" if not place else "",
            ),
            np,
        )
    ]


def course_of(found: re.Match[str]) -> list[QuestionForms]:
    """「…の流れ」."""
    np = found["np"]
    if not plain_matter(np):
        return []
    after = np.removesuffix("の後") if np.endswith("の後") else ""
    if after:
        return [
            QuestionForms(
                "outcome",
                (
                    f"{after}をしたあとは、どんな流れになりますか"
                    if is_act(after)
                    else f"{after}のあとは、どんな流れになりますか",
                ),
            )
        ]
    return [QuestionForms("how", (f"{np}は、どんな流れになりますか",))]
