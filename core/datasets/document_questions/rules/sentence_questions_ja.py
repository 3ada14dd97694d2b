"""Questions from Japanese sentences: for a value, in the place of the value; for a condition, what follows from it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from core.datasets.document_questions.section import Section, choice
from core.text.inflection import as_question, is_verb
from core.text.japanese import words
from core.text.language import content_words

_NUMBER = r"\d{1,9}"  # a run of digits without an end would be read again from each of them
_UNIT = "(?:営業日|週間|日間|か月|ヶ月|カ月|時間|分間|年間|日|分|年|泊)"
_TIME = r"(?:午[前後])?\d{1,2}(?:時(?:\d{1,2}分|半)?|:\d{2})"
_MONTH = r"(?:(?:\d{4}年|毎年|翌年)?\d{1,2}月|毎月|翌月|当月|前月)"
_DAY = rf"(?:{_MONTH}の?(?:\d{{1,2}}日|末日?)|月末|年度?末)"
_DATE = rf"(?:{_DAY}|\d{{4}}年(?:\d{{1,2}}月)?|{_MONTH}|\d{{1,2}}日(?!間|以|前|後|ほど))"
_BEFORE = rf"(?:[^はがをに、。]{{1,10}}の)?(?:約)?{_NUMBER}{_UNIT}(?:ほど|ごろ)?(?:前|後)(?:の{_TIME})?"
_POINT = (
    rf"(?:(?:[^はがをに、。]{{1,10}}の)?{_DATE}(?:の?{_TIME})?|{_TIME}|{_BEFORE}|前日(?:の{_TIME})?|当日(?:の{_TIME})?)"
)
_SPAN = r"(?:から|〜|～|~|–|-)"
_MONEY = r"(?:最大|最低|約)?\d[\d,.]{0,15}(?:億|万)?(?:円|ドル|ユーロ)(?:程度|前後|分)?"


class AskedValue(NamedTuple):
    """A kind of value with its question words."""

    pattern: re.Pattern[str]  # how it is written
    place: str  # what replaces it in a question
    noun: str  # what asks for it after a noun


VALUES = tuple(
    AskedValue(re.compile(pattern), place, noun)
    for pattern, place, noun in (
        (rf"{_TIME}{_SPAN}(?:翌)?{_TIME}(?:まで(?!の)|(?=に|で|、|。|です|$))", "何時から何時まで", "何時から何時までですか"),
        (rf"{_DATE}{_SPAN}{_DATE}(?:まで(?!の)|(?=に|で|、|。|です|$))", "いつからいつまで", "いつからいつまでですか"),
        (rf"{_POINT}までに", "いつまでに", "いつまでですか"),
        (rf"{_POINT}まで(?!の|に)", "いつまで", "いつまでですか"),
        (rf"{_POINT}から(?!{_TIME}|\d)", "いつから", "いつからですか"),
        (rf"(?:[^はがをに、。]{{1,12}}から)?{_NUMBER}{_UNIT}以内に", "いつまでに", "いつまでですか"),
        (rf"(?:[^はがをに、。]{{1,10}}の)?(?:約|最大|最短)?{_NUMBER}{_UNIT}(?:以内|ほど|程度|前後)?後(?:ごろ)?(?:に|(?=。|です|$))", "いつ", "いつですか"),
        (rf"(?:(?:\d{{0,3}}(?:{_UNIT}|か月|[月回人件通枚部個台組名室])(?:に|あたり|につき|ごとに?)?、?)?)?{_MONEY}", "いくら", "いくらですか"),
        (r"(?:満)?\d{1,3}(?:歳|才)(?:から|〜)\d{1,3}(?:歳|才)(?:まで)?", "何歳から何歳まで", "何歳から何歳までですか"),
        (r"\d{1,9}(?:\.\d{1,9})?(?:%|％|パーセント)", "何%", "何%ですか"),
        (r"(?:(?:年|毎?月|毎?週|毎日|1日|1回|1年|1か月)(?:に)?)?(?:合計|最大|先着)?\d[\d,]{0,15}(?P<unit>人|名|回|台|枚|個|件|本|着|冊|点|箱|通|室|席|回線|か所|GB|MB|kg|km|cm)(?!目)", "何{unit}", "何{unit}ですか"),
        (rf"(?:{_MONTH}の?\d{{1,2}}日(?:ごろ)?に?|(?<!\d)\d{{1,2}}日(?:ごろ)?に(?!分|わた|つき))", "いつ", "いつですか"),
        (rf"(?:約|最大|最長|最短|およそ|通常)?(?!24時間)(?<!\d){_NUMBER}(?:〜{_NUMBER})?{_UNIT}(?:ほど|程度|前後|以上|以内|間)?(?!前|後|目|度|分|ごろ|以)", "どのくらい", "どのくらいですか"),
    )
)  # fmt: skip


MAX_LETTERS = 64  # of a sentence that becomes a question as a whole
_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
_LEANS = re.compile(
    r"ただし|なお|また|その|この|これ|それ|同じ|逆に|ほかに|一方|さらに|しかし|いずれ|どちら|上記|前項|次の|以下|ここ|そこ|ご?希望は|なので|すると"
)
_POINTS = re.compile(r"次の|以下の|下の表|表の|とおりです|上記|左記")
_PLACE = re.compile(
    r"(?P<place>[^はがをにで、。「」]{0,14}(?:窓口|受付|センター|課|係|室|フォーム|マイページ|アプリ|サイト|店舗|売店|事務局|ロビー))(?=で(?!の|は|も)|へ(?!の)|に(?!は|関|つい|より|よる|入))"
)
_DONE_AT_PLACE = re.compile(r"ください$|(?:込|け取|け付け|扱|交換|支払|発行)\S{0,3}ます$")
_PHONE = re.compile(r"(?P<who>[^\s、。:：はがをにへで(（]{2,20})[ 　(（:：]{0,2}(?:電話 ?)?0\d{1,4}-\d{1,4}-\d{3,4}")
_TOPIC = re.compile(r"(?P<topic>[^。、は]{2,26}?)(?:は、?|[：:]\s*)(?P<rest>.+)")
_RELATION = re.compile(
    r"(?:料金|費用|代金|手数料|金額|月額|年額|年会費|期限|締め?切り?|期間|時間|日数|回数|人数|定員|上限|限度額|対象|場所|会場|台数|枚数|開始|終了|更新|残り|利用料|送料|保証金|有効期限|代|費|賃)$"
)
_CASE = re.compile(
    r"^(?P<case>(?=.*(?:場合|とき|際|とき))[^。]{4,44}?(?:場合|とき|際))(?:は|に限り|のみ|には|も)?、(?P<rest>.+)$|"
    r"^(?P<case2>[^。]{4,44}?(?:場合|とき|際))(?:は|には)(?P<rest2>.+)$"
)
_MODAL = re.compile(
    r"(?:できます|できません|可能です|必要です|不要です|要ります|要りません|使えます|使えません|かまいません|受けられます|受けられません|いただけます|いただけません|"
    r"かかります|かかりません|無料です|有料です|対象です|対象外です|なりません|禁止です|ありません|あります|[えけせてねべめれげ]ます|[えけせてねべめれげ]ません|られます|られません|行いません|行っていません|扱っていません|受け付けません|受け付けていません)$"
)
_WAYS = {"申し込み": "申し込めば", "行い": "行えば", "払い": "払えば", "返し": "返せば", "送り": "送れば", "出し": "出せば", "届け出": "届け出れば", "提出し": "提出すれば", "申請し": "申請すれば", "予約し": "予約すれば", "連絡し": "連絡すれば", "登録し": "登録すれば", "返却し": "返却すれば"}  # fmt: skip
_ACT = re.compile(rf"({'|'.join(_WAYS)})ます$")
_ABSENT = (
    ("もかまいません", "もいいです"),
    ("対象外です", "対象です"),
    ("不要です", "必要です"),
)
_PLAIN = (
    (re.compile(r"当院|当社|弊社|当店|当館|本学|当センター|当会|当施設"), "そちら"),
    (re.compile(r"を?お持ちで(?:ない|ありません)"), "を持っていない"),
    (re.compile(r"をお持ちの"), "を持っている"),
    (re.compile(r"をお忘れの"), "を忘れた"),
    (re.compile(r"ご希望の(?=方|場合|とき)"), "希望する"),
    (re.compile(r"[ごお]?(?P<act>利用|使用|予約|参加|購入|確認|変更|相談|購読|返品|入場|選択)いただけ"), r"\g<act>でき"),
    (re.compile(r"お選びいただけ"), "選べ"),
    (re.compile(r"いたします"), "します"),
    (re.compile(r"お越しください"), "行ってください"),
    (re.compile(r"お持ちください|ご持参ください"), "持って行ってください"),
    (re.compile(r"お答えでき"), "教えてもらえ"),
    (re.compile(r"(?P<act>発行|郵送|送付|配送|返送|返金|交換|修理|支給|配布|配達|案内)します$"), r"\g<act>してもらえます"),
    (re.compile(r"(?<!が)(?P<act>[一-龠]{2})された(?=場合|とき)"), r"\g<act>した"),
    (re.compile(r"(?<!が)(?P<act>[一-龠]{2})されなかった"), r"\g<act>しなかった"),
    (re.compile(r"(?P<act>[一-龠]{2})される(?=場合|とき|人|方)"), r"\g<act>する"),
    (re.compile(r"ご(?=[一-龠]{2})(?!ください)(?=(?:家族|本人|自宅|自身|利用|予約|契約|住所|連絡先|請求|負担|加入|購入|入金|注文|両親|友人|職場|来院|来店|希望|相談|案内|旅行|入居|近所|祝儀))"), ""),
    (re.compile(r"お(?=申し?込み?(?!くだ)|支払い?(?!くだ)|問い?合わせ(?!くだ)|届け(?!くだ|し)|手続き|買い物|電話(?!くだ)|会計|手元|荷物|客|誕生|薬手帳)(?!客)(?!薬)"), ""),
    (re.compile(r"(?<![処両遠地夕味一行])方(?=は|が|も|の|に|で|を|と|、)"), "人"),
)  # fmt: skip
_SAID = re.compile(
    r"(?:ことが|場合が|ものでは)(?:あり|ござい)ま|なければなり|かね[まる]|[*]|お願い|いただ[きく]|[おご][一-龠]{1,2}[りけちしえみびきぎに]?(?:し|いたし)ます|に限り|しか|とします$|早[くめ]|その場合|最初のど|"
    r"を[^を\n]*(?<!しても)[一-龠ァ-ヶー]{2}(?:し|行い)ます$|"
    r"(?:届け|決め|切り替え|差し上げ|始め|続け|伝え|加え|数え|入れ|預け|知らせ|任せ|含め|認め|求め|変え|止め|定め)ます$"
)


def sentence_question_ja(sentence: str, section: Section) -> str:
    """The question that a sentence of a section answers; "" if it answers none."""
    said = _said(sentence)
    if not said or len(sentence) > 140 or _LEANS.match(said) or _POINTS.search(said):
        return ""
    asked = _case(said) or _value_of_topic(said, section) or _value_in_place(said) or _whether(said) or _phone(sentence)
    return _about(asked, section) if asked and not re.search(r"(?<![\d,]),*\d[\d,]{3,}円|[→＋＝]", asked) else ""


def _said(sentence: str) -> str:
    """A sentence without brackets and marks, in the user's words."""
    said = re.sub(r"\*\*|`", "", _BRACKETED.sub("", _BRACKETED.sub("", sentence))).strip().rstrip("。 　")
    for pattern, plain in _PLAIN:
        said = pattern.sub(plain, said)
    return said.strip()


def _case(said: str) -> str:
    """What follows in a case: 雨のときは中止です becomes 雨のときは、どうなりますか."""
    found = _CASE.match(said)
    if not found:
        return ""
    case, rest = found["case"] or found["case2"], found["rest"] or found["rest2"]
    case = re.split(r"(?:ます|です|ません)が、", case)[-1]
    if re.search(r"^[はがをにもと]|[ ：:]|必要な(?:場合|とき)$|^(?:もし|やむ|例外|そ)", case) or case.count("、") > 1:
        return ""
    if re.search(r"(?:ください|ましょう)$", rest):
        return f"{case}は、どうすればいいですか"
    whether = _polite(rest) if len(rest) <= 24 and "、" not in rest and _MODAL.search(rest) else ""
    return f"{case}は、{whether}" if whether and not re.search(r"\d", whether) else f"{case}は、どうなりますか"


def _value_of_topic(said: str, section: Section) -> str:
    """A noun and its value: 定員は20名です becomes 定員は何名ですか."""
    found = _TOPIC.match(said)
    if not found or not _is_noun(found["topic"]) or re.search(r"(?:場合|とき|方|人|日|時)$|\d", found["topic"]):
        return ""
    lead = re.match(r"(?:[^\d、]{0,4}(?:が|で)?)?", found["rest"])
    is_price = re.search(r"料金|費用|代金?$|手数料|額$|会費", found["topic"])
    for value in sorted(VALUES, key=lambda value: value.place != "いくら") if is_price else VALUES:
        for start in sorted({0, lead.end() if lead else 0}):
            match = value.pattern.match(found["rest"], start)
            after = found["rest"][match.end() :] if match else ""
            is_last = not re.search(r"(?:ます|ません|ください|.です)$", after) or _RELATION.search(found["topic"])
            if is_price and match is None and value.place == "いくら":
                match = value.pattern.search(found["rest"].split("、")[0])
                after = found["rest"][match.end() :] if match else ""
            if match and re.match(r"$|です|で、|、|[ 　]" if is_last else r"$|です|で、", after):
                return f"{_topic(found['topic'], section)}は{value.noun.format(**match.groupdict())}"
    return ""


def _topic(topic: str, section: Section) -> str:
    """The topic of a sentence, with what the section is about if it names only a relation: 料金, 期限."""
    matter = matter_ja(section)
    shares = set(content_words(topic)) & set(content_words(matter))
    return f"{matter}の{topic}" if matter and not shares and _RELATION.search(topic) and len(topic) < 9 else topic


def _value_in_place(said: str) -> str:
    """A sentence with its only value asked for: 鍵は翌日までに返してください becomes 鍵はいつまでに返せばいいですか."""
    if re.search(r"[：:]", said):
        return ""
    if len(said) <= MAX_LETTERS and said.count("、") <= 2:
        asked = next(filter(None, (_replaced(value, said) for value in VALUES)), "")
        if asked:
            return asked
    found = re.fullmatch(r"(?P<thing>[^、]{2,24})は(?P<place>[^は]{3,30})にあります", said)
    if found:
        return f"{found['thing']}はどこにありますか"
    found = _PLACE.search(said)
    if found and (_PLACE.search(said, found.end()) or _has_two_matters(said)):
        return ""
    if not found or len(said) > MAX_LETTERS or not _DONE_AT_PLACE.search(said):
        return ""
    before, after = said[: found.start()], said[found.end() :]
    return "" if re.search(r"\d|ません", f"{before}{after}") else _polite(f"{before}どこ{after}")


def _replaced(value: AskedValue, clause: str) -> str:
    match = value.pattern.search(clause)
    if match is None:
        return ""
    place = value.place.format(**match.groupdict())
    asked = f"{clause[: match.start()]}{place}{clause[match.end() :]}"
    if (
        _has_two_matters(asked)
        or re.search(r"\d(?!G\b|[A-Za-z])", asked)
        or re.search(r"ません|ない|[〜～]", asked)
        or asked.startswith(place)
        or asked.endswith(f"、{place}")
        or "に限り" in asked
        or re.search(r"(?:と|や|または|た|る)$", clause[: match.start()])
        or re.match(r"だけ|のみ|しか", clause[match.end() :])
    ):
        return ""
    if "は" not in clause[: match.start()] and "が" not in clause[: match.start()] and "を" not in clause:
        return ""
    return f"{asked}ですか" if asked.endswith(place) else _polite(asked)


def _whether(said: str) -> str:
    """Whether something is possible, needed or free: 予約は不要です becomes 予約は必要ですか."""
    last = max(said.rfind("は"), said.rfind("も"))
    ends = [found.end() for found in re.finditer(r"(?:ます|です|ません)が、?", said) if found.end() <= last]
    said = said[ends[-1] :] if ends else said
    if len(said) > MAX_LETTERS or said.count("、") > 2 or not _MODAL.search(said) or not re.search(r"は|も", said):
        return ""
    if re.search(r"\d,*(?:円|台|人|名)|\d[%％]|のみ|だけ|[：:〜～]|(?:ます|です)が、", said) or _has_two_matters(said):
        return ""
    return _polite(said)


def _has_two_matters(said: str) -> bool:
    """Whether a clause that could end the sentence stands before a comma: 対象外で、返品はできません."""
    tokens = words(said)
    return bool(re.search(r"(?:対象外|可能|必要|不要|無料|有料|不可|禁止)で、|^(?:対象|期間|定員|上限|時間|場所|料金)は[^、]+で、", said)) or any(
        following.surface == "、" and word.form.startswith("連用形") and word.surface not in ("て", "よく") and word.part in ("動詞", "助動詞")
        for word, following in pairwise(tokens)
    )  # fmt: skip


def _phone(sentence: str) -> str:
    found = _PHONE.search(sentence)
    who = found["who"] if found else ""
    if not _is_noun(who) or re.search(r"\d|から|または|FAX|^(?:電話|内線|代表|直通|TEL)$", who):
        return ""
    return f"{who.removesuffix('電話')}の電話番号を教えてください。"


def _polite(said: str) -> str:
    """A main clause as a question; "" if that is not sure."""
    said = re.sub(r"(?<=[一-龠])不要です$", "が必要です", said)
    for absent, present in _ABSENT:
        if said.endswith(absent):
            said = f"{said.removesuffix(absent)}{present}"
    act = _ACT.search(said)
    if act and re.search(r"いつまでに|どこ[でへに]", said):
        return f"{said[: act.start()]}{_WAYS[act[1]]}いいですか"
    return "" if _SAID.search(said) else as_question(said)


def _is_noun(text: str) -> bool:
    tokens = words(text)
    ends_as_noun = bool(tokens) and tokens[-1].part in ("名詞", "接尾辞", "記号", "補助記号")
    return ends_as_noun and tokens[0].part not in ("助詞", "助動詞")


def matter_ja(section: Section) -> str:
    """What a section is about as a noun: its heading, or what its document is about if the heading is none."""
    ends = r"(?:について|のこと|のご?案内|のしかた|の仕方|の方法|の注意|のルール|の決まり)$"
    names = (re.sub(ends, "", name) for name in (section.topic, section.subject))
    topic, subject = (re.sub(r"^.*「(.{2,12})」$", r"\1", name) for name in names)
    is_plain = [
        2 <= len(name) <= 18
        and not re.search(r"[、「」『』:：?？。]|その他|お知らせ|早見表|一覧|よくある|はじめに|\d{4}", name)
        and _is_noun(name)
        for name in (topic, subject)
    ]
    is_bare = (_RELATION.search(topic) and len(topic) < 5) or (
        len(topic) < 6 and bool(re.search(r"前日|当日|受け取り|持ち物|注意|対象|手順|手続", topic))
    )
    last = words(topic)[-1] if topic else None
    if last is not None and is_verb(last) and last.surface == last.base and 4 < len(topic) < 18 and "、" not in topic:
        return f"{topic}とき"
    if all(is_plain) and is_bare and not set(content_words(topic)) & set(content_words(subject)):
        return f"{subject}の{topic}"
    return topic if is_plain[0] else subject if is_plain[1] else ""


def _about(asked: str, section: Section) -> str:
    """The question, which says what it is about if it has no word of its heading."""
    asked = asked if asked.endswith("。") else f"{asked}?"
    matter = matter_ja(section)
    if set(content_words(asked)) & set(content_words(matter or section.topic)):
        return asked
    if section.asked:
        return f"{section.asked}{asked}" if re.search(r"(?<![かは])。$", section.asked) else ""
    return with_matter_ja(asked, matter) if matter else asked


def with_matter_ja(asked: str, matter: str) -> str:
    """A question after what it is about, as people write it."""
    if re.search(r"(?:とき|場合)$", matter):
        has_case = re.search(r"(?:とき|場合)(?:は、|、)", asked)
        return f"{matter}のことで聞きたいのですが、{asked}" if has_case else f"{matter}、{asked}"
    ways = f"{matter}についてです。", f"{matter}のことで聞きたいのですが、", f"{matter}の件です。"
    return f"{choice(ways, asked)}{asked}"
