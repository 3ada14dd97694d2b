"""Questions of customers drafted from Japanese sentences, without a model: the sentence's news is asked for, in plainer words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.datasets.draft import Draft, Section, names_subject, names_topic, telling_words, without_brackets
from core.datasets.focus_ja import focus, news_start
from core.text.inflection import Word, as_question, permission, surface, words

SHORTEST, LONGEST = 12, 66  # letters of a question
LONGEST_TOPIC = 16  # letters of a heading that a question may begin with
ENOUGH_WORDS = 5  # content words of a question that says by itself what it is about
MOST_OF_WHETHER = 42  # letters of a question for a yes or a no; longer ones tell their answer
_LEANS = re.compile(
    r"^(?:ただし|なお|また|しかし|一方|そのため|このため|さらに|ほかに|それ|その|この|これ|同じ|いずれも|例|たとえば)|旧ルール|次の|以下の|上記|下記|前述|そのほか"
)
_NOW = re.compile(r"^(?:現在、)?(?:\d{4}年)?\d{1,2}月\d{1,2}日(?:から|以降)(?:は|の)?、|^原則として、?")
_ENDS = re.compile(
    r"(?:できます|できません|対象(?:外|に含みます|になります|になりません)?(?:です)?|必要(?:です|ありません|になります)|不要です|かまいません|構いません|"
    r"使えます|使えません|含まれます|含まれません|含みます|含みません|受けられます|受けられません|選べます|選べません|ありません|かかりません|"
    r"戻せます|戻せません|なりません|付きません|出ません|届きません|行いません|行っていません|認めません|認めていません)。$"
)
_POSITIVE = (
    (re.compile(r"対象外です$"), "対象になります"),
    (re.compile(r"対象です$"), "対象になります"),
    (re.compile(r"(は|が|も|の|)(?:必要|不要)です$"), r"\1必要です"),
    (re.compile(r"必要ありません$"), "必要です"),
    (re.compile(r"(?:認めません|認めていません)$"), "認めてもらえます"),
    (re.compile(r"行っていません$"), "行っています"),
    (re.compile(r"(?:て|で)(?:かまい|構い)ません$"), "てもいいです"),
)
# A document's words, and how a person who asks says them.
_PLAINER = (
    (re.compile(r"取得すれば"), "取れば"),
    (re.compile(r"取得でき"), "取れ"),
    (re.compile(r"取得し(?=ます)"), "取り"),
    (re.compile(r"利用でき"), "使え"),
    (re.compile(r"利用すれば"), "使えば"),
    (re.compile(r"ご?利用いただけ"), "使え"),
    (re.compile(r"使用でき"), "使え"),
    (re.compile(r"提出すれば"), "出せば"),
    (re.compile(r"(?:行えば|実施すれば)"), "やれば"),
    (re.compile(r"いくらを支給しますか$"), "いくらもらえますか"),
    (re.compile(r"を支給しますか$"), "がもらえますか"),
    (re.compile(r"支給しますか$"), "もらえますか"),
    (re.compile(r"支払いますか$"), "払ってもらえますか"),
    (
        re.compile(
            r"(返信|掲載|通知|補助|負担|返金|復元|解除|発行|加算|対応|保管|延長|貸与|案内|交換|修理|配送)しますか$"
        ),
        r"\1してもらえますか",
    ),
    (re.compile(r"お知らせしますか$"), "知らせてもらえますか"),
    (re.compile(r"貸し出しますか$"), "貸してもらえますか"),
    (re.compile(r"贈りますか$"), "もらえますか"),
    (re.compile(r"会社が(?=.*もらえますか)"), ""),
    (re.compile(r"当社が(?=.*もらえますか)"), ""),
    (re.compile(r"いくらを上限に"), "いくらまで"),
    (re.compile(r"を支給されますか$"), "をもらえますか"),
    (re.compile(r"する場合は、"), "するときは、"),
    (re.compile(r"本人の負担"), "自己負担"),
    (re.compile(r"こともできますか"), "ことはできますか"),
    (re.compile(r"お答えできますか$"), "答えてもらえますか"),
    (re.compile(r"必ず"), ""),
    (re.compile(r"(?:速やかに|直ちに)"), ""),
    (re.compile(r"される方は、"), "されるときは、"),
    (re.compile(r"方は、"), "場合は、"),
)


def questions_ja(section: Section, attributes: Sequence[tuple[str, tuple[str, ...]]] = ()) -> list[Draft]:
    """The questions that a section answers, each with the sentence or row that does.

    attributes: (name, values) of what is known of people, such as their office; a sentence about one value gives a
    question that can be asked openly.
    """
    found = [draft for sentence in section.sentences() for draft in _of_sentence(sentence, section)]
    known = {value for _, values in attributes for value in values}
    found += [
        draft for draft in _of_table(section) if not any(f"の{value}は" in draft.open_question for value in known)
    ]
    return [_with_condition(draft, section, attributes) for draft in found]


def _of_sentence(sentence: str, section: Section) -> Iterator[Draft]:
    if not sentence.endswith("。") or len(sentence) > 140:
        return
    plain = _NOW.sub("", sentence)
    if _LEANS.search(plain) or re.search(r"ました。$|でした。$", plain):
        return
    asks_for = plain.endswith(("ください。", "下さい。"))
    topic, clauses = _clauses(plain.rstrip("。"))
    for number, clause in enumerate(clauses):
        if any(word.part in ("連体詞", "代名詞") for word in words(clause)):
            continue
        leads = number > 0 and not _has_topic(clause) and not re.search(r"を|が", clause)
        carried = leads and not clauses[number - 1].endswith("で")
        whole = f"{topic}{clause}" if carried else clause
        is_last = number == len(clauses) - 1
        found = focus(whole)
        if found:
            if re.search(r"ません(?:が|ので)?$", found.clause) or re.search(r"誰の\w+も", found.clause):
                continue
            reader_acts = asks_for or not re.search(r"は|が|も", found.clause)
            text = as_question(found.clause, (reader_acts and "を" in found.clause) or asks_for)
            yield from _draft(text, sentence, found.asks, section, number > 0)
        elif is_last and (text := _whether(f"{whole}。")):
            yield from _draft(text, sentence, "whether", section, number > 0)


def _clauses(sentence: str) -> tuple[str, list[str]]:
    """(the sentence's topic, its main clauses): parted at each comma after a verb that goes on, or a noun with で."""
    given = words(sentence)
    parts: list[list[Word]] = [[]]
    for number, word in enumerate(given):
        if word.surface == "、" and number and _goes_on(given, number):
            parts.append([])
        else:
            parts[-1].append(word)
    clauses = [surface(part) for part in parts if part]
    topic = re.match(r"^.{1,30}?(?:は|には|では)(?:、|(?=[^、]))", clauses[0]) if clauses else None
    return (topic[0] if topic and _has_topic(topic[0]) else ""), clauses


def _goes_on(given: Sequence[Word], number: int) -> bool:
    before = given[number - 1]
    if before.part in ("動詞", "形容詞") and "連用" in before.form:
        other = given[number - 2] if number > 1 else before
        joined = other.part in ("名詞", "接頭辞") and other.detail in (
            "一般",
            "固有名詞",
        )  # 払い in キャリア払い is no verb
        return before.base in _PLAIN_VERBS or not (joined or (other.part == "助詞" and before.base in _PHRASES))
    if before.surface == "で" and (before.base == "だ" or _states(given[:number])):
        return True
    return (
        before.part == "助詞" and before.detail == "接続助詞" and before.surface in ("て", "が", "けれど", "し", "ので")
    )


def _states(given: Sequence[Word]) -> bool:
    """Whether what ends with で says what something is: 対象は本文で."""
    return bool(re.search(r"(?:は|が)[^、はが]{1,16}で$", surface(given)))


def _has_topic(clause: str) -> bool:
    return any(
        word.part == "助詞" and word.detail == "係助詞" and word.surface in ("は", "も") for word in words(clause)
    )


def _whether(clause: str) -> str:
    if re.search(r"禁止(?:です|しています|します)。$", clause):
        return permission(clause)
    if not _ENDS.search(clause) or not re.search(r"は|が", clause) or re.search(r"\d", clause[news_start(clause) :]):
        return ""
    text = clause.rstrip("。")
    for pattern, better in _POSITIVE:
        text, changed = pattern.subn(better, text)
        if changed:
            break
    return as_question(text)


def _draft(text: str, sentence: str, asks: str, section: Section, later: bool) -> Iterator[Draft]:
    """The question, if it is one that a person would ask; later: its clause is not the first of its sentence."""
    question = plainer(without_brackets(text))
    if not question or question.count("、") > 2 or _UNASKED.search(question):
        return
    if asks == "amount" and re.search(r"\d円", question):
        return
    if asks == "whether" and (len(question) > MOST_OF_WHETHER or "ため" in question):
        return
    question = in_context(question, section, later)
    if SHORTEST <= len(question) <= LONGEST:
        yield Draft(question=f"{question}?", reference=sentence, asks=asks)


_TAIL = re.compile(
    r"の(?:手順|方法|手続き|期限|期間|日数|時期|条件|申請|申請方法|変更|扱い|取り扱い|使い方|種類|上限|制限|回数|対象|対象者|ルール|決まり|金額|設定|流れ|範囲|要件|対応|違い)$"
)


def in_context(question: str, section: Section, later: bool = False) -> str:
    """The question, after what it is about if it does not say so itself."""
    if later or _BARE_TOPIC.match(question):
        return _context(section, question, True)
    if not names_topic(question, section):
        return _context(section, question)
    if len(telling_words(question)) < ENOUGH_WORDS and not names_subject(question, section):
        return _subject(section, question)
    return question


def _context(section: Section, question: str, narrow: bool = False) -> str:
    """The question after what it is about: the heading without its last word, else the title.

    narrow: rather the whole heading than the title.
    """
    topic = section.topic
    if found := re.match(r"^(.{3,24}(?:ない|た|る|い))(?:とき|場合)$", topic):
        return f"{found[1]}のですが、{question}"
    shorter = _TAIL.sub("", topic)
    if shorter != topic and 2 <= len(shorter) <= 16:
        return _opening(shorter, question)
    if narrow and 2 <= len(topic) <= LONGEST_TOPIC:
        return _opening(topic, question)
    return _subject(section, question)


def _subject(section: Section, question: str) -> str:
    """The question after what the document is about; of a list of things, the one that the section speaks of most."""
    parts = [part for part in re.split(r"[・、]|と(?=[^と]{3,})", section.subject) if len(part) > 1]
    text = f"{section.topic}\n{section.text}"
    about = max(parts, key=text.count) if len(parts) > 1 and len(section.subject) > 10 else section.subject
    return _opening(about, question)


def _opening(about: str, question: str) -> str:
    """The question after its subject, in one of a few ways; as it is if it names that subject itself."""
    if about in question:
        return question
    ways = ("{}のことですが、", "{}について聞きたいのですが、", "{}の件なのですが、")
    return f"{ways[len(question) % len(ways)].format(about)}{question}"


def _says_something(question: str, section: Section) -> bool:
    return names_topic(question, section) or names_subject(question, section)


def plainer(question: str) -> str:
    """The question in the words of a person who asks."""
    for pattern, better in _PLAINER:
        question = pattern.sub(better, question)
    return question.strip("、 ")


_UNASKED = re.compile(
    r"としますか$|か、どこ|(?:課|部|室|者|長|司|会社|窓口)が[^。]*ばいいですか$|→|いただ|ございま|\d[^、。はがを]{0,4}、[^、]*(?:何|いくら|いつ|どこ|誰)|@|365|24時間(?!以内|後|前|で)|何[日回件](?:確認|対応)"
)
_BARE_TOPIC = re.compile(
    r"^(?:上限|取得日|区分|申請|期間|費用|対象|金額|登録|手続き|結果|承認|確認|期限|締め切り|届け出|支払い|返却|料金|手当|受付|送信|利用|接続|契約|回答|審査)(?:は|の|を|には)"
)
_PARTICLE = re.compile(r"^[、。はがをにでともの]")
_PLAIN_VERBS = frozenset(["する", "できる", "かかる", "なる", "ある", "受ける", "届く", "使える"])
_PHRASES = frozenset(["限る", "よる", "除く", "応じる", "基づく", "伴う", "通じる", "おく", "含む", "加える", "先立つ"])
_VAGUE = re.compile(r"(?:一覧|早見表|料金表|違い|種類|比較|目安|まとめ)$")


def _of_table(section: Section) -> Iterator[Draft]:
    """One question for each amount or figure of a column that has such ones only: what holds for this row."""
    table = section.table()
    if table is None or len(table.columns) > 4 or len(table.rows) > 8:
        return
    values, columns = tuple(cells[0] for cells, _ in table.rows), list(table.columns)
    about = section.topic.split("の")[0] if "の" in section.topic else section.subject
    about = "" if _VAGUE.search(about) or len(about) > 10 else about
    for place, column in enumerate(columns[1:], 1):
        asked = {_asked_for(cells[place]) for cells, _ in table.rows}
        if re.search(r"\d年|ごと", column) or "ごと" in about:
            continue
        if len(asked) != 1 or "" in asked or column in about:
            continue
        plain, asks = f"{about}の{column}" if about else column, "".join(asked)
        for cells, line in table.rows:
            if not 1 <= len(cells[0]) <= 20:
                continue
            yield Draft(
                question=f"{cells[0]}なのですが、{plain}は{asks}?",
                reference=line,
                asks="value",
                condition=(columns[0] or "条件", cells[0], values),
                open_question=in_context(f"{plain}は{asks}?", section),
            )


def _asked_for(cell: str) -> str:
    if re.search(r"月\d+日|から|または|、", cell):
        return ""
    if re.search(r"\d円|\dドル", cell):
        return "いくらですか"
    found = re.match(
        r"^[^\d]{0,6}\d[\d,.]*(営業日|日|か月|時間|分|回|GB|MB|TB|台|個|件|人|名|%)(?:間|まで|以内|以上)?$", cell
    )
    return f"何{found[1]}ですか" if found else ""


def _with_condition(draft: Draft, section: Section, attributes: Sequence[tuple[str, tuple[str, ...]]]) -> Draft:
    """The draft with what its answer depends on, if it names one value of an attribute and the section has others."""
    if draft.condition:
        return draft
    for name, values in attributes:
        named = [value for value in values if value in draft.question]
        others = [value for value in values if value in section.text and value not in draft.reference]
        if len(named) != 1 or not others:
            continue
        value = re.escape(named[0])
        if not re.search(rf"(?:^|、){value}", draft.question) or re.search(
            rf"{value}(?:以上|以下|以外|[とや・、/])|[とや・、/]{value}", draft.question
        ):
            continue
        opened = re.sub(
            rf"(?:{value})(?:の場合(?:は|、)*|として|なのですが、|のみ|だけ)?(?:には|では|は|の|に|が|も)?、?",
            "",
            draft.question,
        )
        if named[0] in section.subject or _PARTICLE.match(opened):
            continue
        opened = in_context(opened, section) if opened != draft.question else opened
        if opened != draft.question and len(opened) >= SHORTEST and _says_something(opened, section):
            choices = tuple(one for one in values if one == named[0] or one in others)
            question = re.sub(rf"^{value}(?:の場合)?(?:には|では|は|に)、?", f"{named[0]}なのですが、", draft.question)
            return draft.model_copy(
                update={"condition": (name, named[0], choices), "open_question": opened, "question": question}
            )
    return draft
