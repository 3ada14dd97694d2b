"""Reading the bot from the user's side: does it ask, does it give up, is the need met, which choice fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from core.base.language import content, normalise, script
from core.base.talk import is_question_back
from core.base.types import Message

_REFUSAL = re.compile(
    r"わかりません|分かりません|わかりかね|分かりかね|見当たりません|見つかりません|見つけられません|お答えでき(?:ません|かね)"
    r"|(?:記載|情報|資料|回答)[^。]{0,12}(?:ありません|ございません|ませんでした)|(?:書かれて|載って|含まれて)い?ません"
    r"|\bi (?:do not|don['’]t) (?:know|have (?:any |that |the |enough )?(?:information|details))|\bcould(?: not|n['’]t) find"
    r"|\b(?:cannot|can['’]t|unable to) (?:find|answer)|\bnot in the (?:help )?documents|\bno information (?:on|about)"
    r"|\b(?:documents?|passages?|articles?) (?:do|does)(?: not|n['’]t) (?:say|cover|mention|contain)",
    re.IGNORECASE,
)
_CITED = re.compile(r"[\[［【]\d{1,2}[\]］】]")
_GENERAL = re.compile(
    r"具体的|詳しく|くわしく|もう少し|どのような|どんな|どういった|どの内容|何を|何について|なにを|お困り|どうされ|どうし(?:まし|たい)|ご用件|ご質問の内容|知りになりたい|知りたい"
    r"|what exactly|more detail|tell me (?:a little |a bit )?more|what (?:would|do) you (?:like|want|need)|trying to|describe"
    r"|could you explain|can you explain|how can i help|what (?:is|seems to be) the (?:problem|matter|trouble)|be more specific"
    r"|which of these|do you mean|what do you mean|what happens|clarify|help you with|which (?:one|part|topic)",
    re.IGNORECASE,
)
_OFFERS_MORE = re.compile(r"(?:ほか|他)に(?:も)?(?:ご|お|何)|anything else|any (?:other|more) questions", re.IGNORECASE)
_AMOUNT = re.compile(
    r"何[日月年時人円回件台名個歳度%]|いくら|いくつ|どのくらい|どれくらい|いつ|日数|金額|上限|下限|期限|料金|回数|人数|締め切り|締切|限度額|精算額|時期"
    r"|\bhow (?:long|many|much|often|soon|large|big|old)\b|\bwhen\b|\bby when\b|\bdeadline|\blimits?\b|\bprice\b|\bcost|\bhow fast\b",
    re.IGNORECASE,
)
_FRAMES = frozenset(
    """方法 手順 条件 期限 日数 上限 金額 理由 連絡 先 時期 種類 手続き 手続 内容 違い 確認 仕方 締め切り 締切 額 可否 必要 現在 今 自分 社員 正社員 利用 使う 時 後 前
    way reason condit differ possibl mani much long often need understand exact now still one two new""".split()
)
_QUOTED = re.compile(r"「[^」]*」|『[^』]*』|[\"“][^\"”]*[\"”]")


def bot_asks(message: Message) -> bool:
    """Whether the bot's message waits for an answer; closing with "anything else?" or citing sources does not."""
    if message.asks:
        return True
    plain = is_question_back(message) and not _CITED.search(message.text)
    return plain and not _OFFERS_MORE.search(message.text) and not refuses(message.text)


def refuses(answer: str) -> bool:
    """Whether an answer without any citation says that it is not known or not in the documents."""
    return not _CITED.search(answer) and bool(_REFUSAL.search(answer))


def is_general(question: str) -> bool:
    """Whether a question back asks what this is about rather than for one detail."""
    return bool(_GENERAL.search(unquoted(question)))


def unquoted(text: str) -> str:
    """The text without what it quotes: the person's own words and the choices on offer."""
    return _QUOTED.sub(" ", text)


def met(need: str, answer: str) -> bool:
    """Whether an answer covers a need: enough of its words are there, and a figure where one was asked for.

    An answer with citations needs .4 of the words (by weight), one without .6; a refusal never does.
    """
    if refuses(answer):
        return False
    cited = bool(_CITED.search(answer))
    said = _without_preamble(answer) if cited else answer
    if _AMOUNT.search(need) and not re.search(
        r"[\d０-９一二三四五六七八九十]|\b(?:one|two|three|no|never)\b", _CITED.sub("", said)
    ):
        return False
    return coverage(need, said) >= (0.4 if cited else 0.6)


def coverage(need: str, answer: str) -> float:
    """Share (0 to 1) of the need's content words in the answer; words that only frame a question weigh a quarter."""
    words = content(need)
    if not words:
        return 1.0
    have = set(content(answer, script(need)))
    plain = normalise(answer)
    weights = {word: _weight(word) for word in words}
    found = sum(weight for word, weight in weights.items() if word in have or _within(word, plain))
    return found / sum(weights.values())


def missing(need: str, answer: str) -> list[str]:
    """Up to two Japanese nouns of the need that the answer does not hold, as the need writes them."""
    have, plain = set(content(answer)), normalise(answer)
    nouns = re.findall(r"[一-龥々]{2,}|[ァ-ヶー]{3,}", need)
    return [noun for noun in dict.fromkeys(nouns) if noun not in plain and not set(content(noun)) & have][-2:]


def choose(choices: Sequence[str], intent: str, values: Sequence[str], question: str) -> str:
    """The choice that best fits intent, facts and question; "" when nothing tells the choices apart."""
    rivals = tuple(choices)

    def score(choice: str) -> float:
        by_fact = max((_fit(choice, value, rivals) for value in values), default=0.0)
        return _fit(choice, intent, rivals) + 0.6 * by_fact + 0.4 * _fit(choice, question, rivals)

    best = max(choices, key=score, default="")
    return best if best and score(best) >= 0.2 else ""


@lru_cache(maxsize=8192)
def _fit(choice: str, text: str, rivals: tuple[str, ...]) -> float:
    """Share of a choice's words in the text; a word that all choices have tells little."""
    if normalise(choice) == normalise(text):
        return 2.0
    words, have, plain = content(choice), set(content(text)), normalise(text)
    if not words:
        return 1.0 if normalise(choice) in plain else 0.0
    weights = {word: 1.0 if _count(word, rivals) == 1 else 0.15 for word in words}
    found = sum(weight for word, weight in weights.items() if word in have or _within(word, plain))
    own = any(weight == 1.0 and (word in have or _within(word, plain)) for word, weight in weights.items())
    whole = 0.5 if len(choice) >= 2 and normalise(choice) in plain else 0.0
    return found / sum(weights.values()) + whole + 0.02 * found if own or whole else 0.0


def _count(word: str, rivals: tuple[str, ...]) -> int:
    return sum(word in content(rival) for rival in rivals)


def _within(word: str, plain: str) -> bool:
    """看護 is within 子の看護等休暇; English stems count from the start of a word."""
    if word.isascii():
        return len(word) >= 3 and re.search(rf"\b{re.escape(word)}", plain) is not None
    return len(word) >= 2 and word in plain


def _weight(word: str) -> float:
    if word in _FRAMES:
        return 0.25
    return 0.5 if word.isdigit() else 1.0


def _without_preamble(answer: str) -> str:
    """The answer from its first cited paragraph on: what comes before often repeats the question."""
    parts = answer.split("\n\n")
    first = next((i for i, part in enumerate(parts) if _CITED.search(part)), 0)
    return "\n\n".join(parts[first:])
