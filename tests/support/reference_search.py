"""A run full of odd texts, and a plain slow search to hold the quick one against."""

from __future__ import annotations

import random
import unicodedata
from functools import cache

from sqlalchemy import select

from core.base.types import Score
from core.store.database import now
from core.store.rows import RunRow
from core.store.schema import CONVERSATIONS, SCORES, TURNS
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_conversation, a_score

ODD = (
    "経費精算の期限は１０日まで（税込）…です①", "ﾊﾟｿｺﾝとｶﾞｽ代、㌔と㌢、㈱小町㍿", "カ\u3099ス代とハ\u309aソコン", "\u3099頭の濁点",
    "Straße STRASSE ẞ ﬃ oﬃce Ǆ ǰ ŉ ſ", "İstanbul ılık I i", "café CAFE\u0301 e\u0323\u0301 \u0301 acute", "ΟΔΟΣ οδος ὈΔΌΣ ΐ ᾳ",
    "a\0b\0", "\0", "😀👩‍👩‍👧‍👦🇯🇵 e😀\u0301 𝔸𝟙 🄰 𠮷野家", "100% a_b 'it''s' \"quoted\" \\ /* -- ;", "한국 한국 \u1100\u1161\u11a8",
    "ﷺ ﷲ", "\uffff\ufffe \U0010fffd0 \U0010fffd1", "one\x1ctwo\x1dthree\u2028four\u00a0five\u3000six", "line\n\nline\r\n\ttab", "¨ ´ ゛ ゜",
    "\u0e33 \u0e19\u0e49\u0e33 \u0f43 \u0958", "x" * 9_000 + "針" + "y" * 9_000, "é" * 3_000, "が" * 3_000, " ", "",
    "Ⅷ ⅷ ½ ² ℡ Å Å Ω Ω K K", "\u202eabc \u200b \ufeff \u00ad",
)  # fmt: skip
SEARCHES = (
    "期限", "10日", "(税込)", "...", "ﾊﾟｿｺﾝ", "パソコン", "ｶﾞｽ", "ガス", "カス", "キロ", "㌔", "(株)小町", "株式会社", "strasse", "STRAẞE",
    "ffi", "oﬀ", "dž", "İ", "i", "ı", "café", "CAFÉ", "é", "\u0301", "\u3099", "οδοσ", "ΟΔΟΣ", "ς", "a\0b", "\0", "b\0", "😀", "👧", "e😀",
    "a", "𝔸", "吉野家", "𠮷", "%", "_", "a_b", "'", "\"", "\\", "--", "한국", "한", "각", "ﷺ", "صلى", "\uffff", "\U0010fffd", "\U0010fffd0",
    "two", "one\x1ctwo", "onetwo", "line tab", "five six", "¨", "\u0308", "ำ", "x" * 300, "x針y", "針 期限", "針 無いことば", "é" * 9, "が" * 9,
    "か", "viii", "8", "1", "å", "ω", "k", "\u200b", "\u00ad", "無いことば", "zzzz", "はい いいえ", "1会話 2会話", "期限は？ 3", " ", "",
)  # fmt: skip


def an_odd_run(store: Store, run_id: str = "r1", seed: int = 1) -> None:
    """Conversations in which the odd texts are said, answered, reasoned, or close; some have no turn, one has failed."""
    dice = random.Random(seed)
    run = RunRow(
        id=run_id, bot="komachi", name="", language="ja", status="running", seed=7, max_turns=3, total=len(ODD),
        created_at=now(), plan={"judges": ["turn"]},
    )  # fmt: skip
    store.runs.create(run, {}, [a_conversation(run_id, number) for number in range(1, len(ODD) + 1)])
    for number, text in enumerate(ODD, 1):
        mark = f"{run_id}-{number}"
        store.conversations.start(mark)
        for turn in range(1, dice.randint(1, 3)):
            said = [f"{number}会話", "はい", text]
            dice.shuffle(said)
            turn_id = store.conversations.add_turn(mark, turn, a_turn(said[0], said[1]))
            store.scores.add(turn_id, [*_verdicts(said[2], dice), *_verdicts(dice.choice(ODD), dice, "v2")])
            store.scores.add(turn_id, _verdicts(dice.choice(ODD), dice), repeat=2)
        if number % 7:
            store.conversations.finish(mark, "done", dice.choice(("", text, dice.choice(ODD))))
        else:
            store.conversations.fail(mark, "unsought")
    store.runs.finish(run_id, "done")


def _verdicts(text: str, dice: random.Random, version: str = "v1") -> list[Score]:
    overall = a_score(dice.choice((0.2, 0.4, 1.0)), version=version).model_copy(update={"label": dice.choice("45")})
    lost = Score(judge="own", criterion="own", value=None, reasons=text, error="unsought", version=version)
    return [overall.model_copy(update={"reasons": text}), lost]


def read_texts(store: Store, run_id: str) -> dict[str, list[str]]:
    """Every text of each conversation of a run, folded by itself."""
    texts: dict[str, list[str]] = {}
    with store.db.read() as connection:
        mine = CONVERSATIONS.c.run_id == run_id
        about = select(CONVERSATIONS.c.id, CONVERSATIONS.c.question, CONVERSATIONS.c.closing).where(mine)
        said = select(CONVERSATIONS.c.id, TURNS.c.user_text, TURNS.c.reply_text).join(TURNS).where(mine)
        shown_text = select(CONVERSATIONS.c.id, SCORES.c.reasons).select_from(CONVERSATIONS.join(TURNS).join(SCORES))
        for one in (about, said, shown_text.where(mine)):
            for mark, *found in connection.execute(one):
                texts.setdefault(mark, []).extend(map(folded, found))
    return texts


def find_by_scan(texts: dict[str, list[str]], wanted: str) -> frozenset[str]:
    """What a search has to find, by the rules alone."""
    words = folded(wanted).split()
    every = ((mark, all(any(word in text for text in each) for word in words)) for mark, each in texts.items())
    return frozenset(mark for mark, holds in every if holds and words)


@cache
def folded(text: str) -> str:
    """NFKC, case-folded, as the docs promise it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
