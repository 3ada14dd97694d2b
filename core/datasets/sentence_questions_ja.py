"""Questions from Japanese sentences: what to do in a situation, a figure or a permission that one short clause states."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.datasets.draft import Draft, Section, names_subject, names_topic, telling_words, without_brackets
from core.datasets.focus_ja import focus
from core.datasets.heading_situations_ja import as_story, situation_and_question
from core.datasets.question_words import casual, choice
from core.text.inflection import as_question, permission, words

MOST = 32  # letters of a clause that a question may be made of as it is
_LEANS = re.compile(
    r"^(?:ただし|なお|また|しかし|一方|そのため|このため|さらに|ほかに|それ|その|この|これ|同じ|いずれも|例|たとえば)|旧|次の|以下の|上記|下記|前述|そのほか"
)
_NOW = re.compile(
    r"^(?:現在、)?(?:\d{4}年)?\d{1,2}月\d{1,2}日(?:から|以降)(?:は|の)?、|^原則として、?|必ず|原則|速やかに|直ちに|ただちに"
)
_SITUATION = re.compile(r"^(?P<clause>[^、。は]{6,30}?)(?P<when>とき|場合|際)(?:は|に|には)、(?P<rest>.+)$")
_DOES = re.compile(r"(?:ください|申請|申し込|連絡|電話|相談|届け出|提出|報告|登録|入力|確認|依頼|返却|必要)")
_CONTACT = re.compile(r"[へに](?:ご?連絡|電話|相談|お?問い合わせ)")
_ENDS = re.compile(
    r"(?:できます|できません|対象外です|不要です|必要です|必要ありません|かまいません|構いません|使えます|使えません|含まれます|含まれません|"
    r"含みます|含みません|受けられます|受けられません|選べます|選べません|かかりません|戻せます|戻せません|付きません|認めません|認めていません|"
    r"禁止です|禁止しています)。$"
)  # fmt: skip
_ASKS_PLAINLY = re.compile(
    r"(?:(?:何|いくら|いつ|誰)[^、]{0,8}(?:です|まで|以内|取れ|使え|もらえ|送れ|借りられ|受けられ|かかり|届き|でき)|の(?:承認|許可)が必要です)[^、]{0,8}か$"
)
_POSITIVE = (
    (re.compile(r"対象外です$"), "対象になります"),
    (re.compile(r"(は|が|も|の|)(?:必要|不要)です$"), r"\1必要です"),
    (re.compile(r"必要ありません$"), "必要です"),
    (re.compile(r"(?:認めません|認めていません)$"), "認めてもらえます"),
    (re.compile(r"(?:て|で)(?:かまい|構い)ません$"), "てもいいです"),
)  # fmt: skip
_PLAINER = (
    (re.compile(r"取得でき"), "取れ"),
    (re.compile(r"利用でき|使用でき|ご?利用いただけ"), "使え"),
    (re.compile(r"利用すれば"), "使えば"),
    (re.compile(r"取得すれば"), "取れば"),
    (re.compile(r"提出すれば"), "出せば"),
    (re.compile(r"支給しますか$"), "もらえますか"),
    (re.compile(r"を支給されますか$"), "をもらえますか"),
)  # fmt: skip


def sentence_questions_ja(section: Section) -> list[Draft]:
    """The questions that single sentences of the section answer; a sentence of which the rules are not sure gives none."""
    found: list[Draft] = []
    for sentence in section.sentences():
        plain = _NOW.sub("", sentence)
        if (
            not sentence.endswith("。")
            or len(sentence) > 140
            or _LEANS.search(plain)
            or re.search(r"(?:ました|でした)。$", plain)
        ):
            continue
        made = next(
            iter(
                [
                    *_situation(plain, sentence, section),
                    *_figure(plain, sentence, section),
                    *_whether(plain, sentence, section),
                ]
            ),
            None,
        )
        if made is not None:
            found.append(made)
    return found


def _situation(plain: str, sentence: str, section: Section) -> Iterator[Draft]:
    match = _SITUATION.match(without_brackets(plain))
    if match is None or not _DOES.search(match["rest"]) or re.search(r"「|など|・", match["clause"]):
        return
    clause = match["clause"]
    story = as_story(clause)
    if (
        not story
        or len(telling_words(clause)) < 3
        or not re.search(r"[をが]", clause)
        or not _names_matter(clause, section)
    ):
        return
    if re.search(
        r"不明|同じ|別の|ほか|その|指定|希望|必要な|以上|以下|超え|未満|たり|最中|後に|当日に|(?:方|者|社員|スタッフ|業者|会社)が",
        clause,
    ):
        return
    acting = match["rest"].find("が")
    if acting >= 0 and re.search(r"申請し|申請を|登録し|対応し|届け出|手配し", match["rest"][acting:]):
        return  # somebody else does it
    ways = (
        ["どうすればいいですか", "何か手続きは必要ですか"]
        if re.search(r"申請|届|提出|手続", match["rest"])
        else ["どうすればいいですか"]
    )
    if _CONTACT.search(match["rest"]):
        ways = ["どこに連絡すればいいですか"]
    yield Draft(
        question=casual(f"{situation_and_question(story, choice(ways, clause))}?"), reference=sentence, asks="situation"
    )


def _names_matter(text: str, section: Section) -> bool:
    """Whether a text has a noun of the heading or of the document's title."""
    about = f"{section.topic} {section.subject}"
    nouns = {
        word.surface for word in words(text) if word.part == "名詞" and len(word.surface) > 1 and word.detail != "数詞"
    }
    return any(noun in about for noun in nouns)


def _figure(plain: str, sentence: str, section: Section) -> Iterator[Draft]:
    """「速度は時速10kmまでです。」: one short clause with a topic and one figure."""
    clause = without_brackets(plain).rstrip("。")
    if not _is_simple(clause, section) or re.search(r"から.*まで|または|および|か月前|[・]", clause):
        return
    found = focus(clause)
    if found is None or re.search(r"ません$|\d", found.clause):
        return
    text = as_question(found.clause, False)
    if text and len(text) <= MOST and _ASKS_PLAINLY.search(_plainer(text)):
        yield Draft(question=casual(f"{_plainer(text)}?"), reference=sentence, asks=found.asks)


def _whether(plain: str, sentence: str, section: Section) -> Iterator[Draft]:
    if not _ENDS.search(plain):
        return
    clause = without_brackets(plain).rstrip("。")
    if (
        not _is_simple(clause, section)
        or re.search(r"\d|だけ|のみ|限|いずれ|すべて|全|とき|場合|後の", clause)
        or re.search(r"は.*が(?!必要|使)", clause)
        or len(clause) > 28
    ):
        return
    if re.search(r"禁止(?:です|しています)$", clause):
        text = permission(clause)
    else:
        text = clause
        for pattern, better in _POSITIVE:
            text, changed = pattern.subn(better, text)
            if changed:
                break
        text = as_question(text)
    if text and len(text) <= MOST and re.search(r"は|を|が", text):
        yield Draft(question=casual(f"{_plainer(text)}?"), reference=sentence, asks="whether")


def _is_simple(clause: str, section: Section) -> bool:
    """Whether a clause can stand alone: short, one topic that names the section's matter, nothing that points elsewhere."""
    if len(clause) > MOST or "、" in clause or "「" in clause or clause.count("は") != 1:
        return False
    topic = clause.split("は")[0]
    tokens = words(clause)
    if any(word.part in ("連体詞", "代名詞", "接続詞") for word in tokens) or not 2 <= len(topic) <= 20:
        return False
    if len(telling_words(clause)) < 3:
        return False
    return names_topic(topic, section) and (
        names_subject(clause, section) or len(set(telling_words(topic)) & set(telling_words(section.topic))) > 1
    )


def _plainer(question: str) -> str:
    for pattern, better in _PLAINER:
        question = pattern.sub(better, question)
    return question
