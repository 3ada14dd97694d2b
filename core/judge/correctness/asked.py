"""What kind of thing a question asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Kind = Literal["when", "count", "who", "where", "which", "whether", "why", "other"]

_PATTERNS: tuple[tuple[Kind, str], ...] = (
    (
        "count",
        r"\bhow (?:many|much|old|long|far|tall|big|high|large|deep|fast|often|heavy|wide)\b|\bwhat (?:is the )?(?:number|percentage|percent|population|age|price|cost|total)\b"
        r"|何(?:人|名|個|回|件|台|本|枚|歳|時間|分|日間|年間|か月|ヶ月|営業日|円|パーセント|%|％)|いくつ|いくら|どのくらい|どれくらい|多少|几(?!乎)|幾",
    ),
    (
        "when",
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade|time)\b|\bin what year\b|いつ|何年(?!間)|何月|何日(?!間)|何時(?!間)|期限|什么时候|何时|哪(?:一)?年|几(?:月|号|点)",
    ),
    ("who", r"\bwho(?:se|m)?\b|\bwhich (?:actor|actress|author|singer|player|president|king|queen)\b|誰|だれ|どなた|谁"),
    ("where", r"\bwhere\b|\b(?:what|which) (?:country|city|state|town|place|continent|county|river|island)\b|どこ|何処|哪里|哪儿|在哪"),
    ("why", r"\bwhy\b|\bhow (?:do|does|did|can|is|are|to)\b|なぜ|どうして|どうすれば|どうやって|方法|手順|为什么|怎么|如何"),
    ("which", r"\bwhich\b|\bwhat\b|\bname\b|何|なに|どの|どれ|どちら|什么|哪"),
    ("whether", r"^(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|may|must)\b|(?:ます|です|ません|でしょう|られる|できる)(?:よ)?か[。?？]?\s*$|吗|是否|能不能|可以不可以"),
)  # fmt: skip
_COMPILED: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS
)


@lru_cache(maxsize=8_192)
def asked(question: str) -> Kind:
    """The kind of thing that the question asks for."""
    for kind, pattern in _COMPILED:
        if pattern.search(question):
            return kind
    return "other"
