"""One spelling for words that mean the same in help-desk answers, and the side of a yes-or-no answer."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from core.text.amounts import bare
from core.text.language import Script, content

_YES = re.compile(
    r"^(?:yes|yeah|yep|sure|certainly|absolutely|definitely|of course|correct|that's right)\b|^(?:はい|ええ|もちろん|そのとおり|大丈夫です|可能です)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:no|nope|unfortunately|sadly|i['’]m afraid (?:not|that|it|you|we|[\w ]{1,20}(?:n['’]t|not))|i['’]m sorry, but)\b|^(?:いいえ|いえ|残念ながら|あいにく)",
    re.IGNORECASE,
)
_ASKS_IT = re.compile(
    r"(?:ます|です|ません|でしょう|られる|できる|える)(?:よ)?か[。?？]?\s*$"
    r"|(?:^|[,.!?:;]\s+|\b(?:and|or|so|but)\s+)(?:can|could|do|does|did|is|are|was|will|would|may|must|should|has|have)\b[^?]*\?",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(
    r"何|なん[のでに]|いつ|どこ|どの|どう|どちら|どれ|いくら|誰|なぜ|\b(?:how|what|when|where|which|who|why)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def wording(text: str, of: Script) -> frozenset[str]:
    """The content words of a text without figures, synonyms in one spelling."""
    same = _synonyms()
    words = (word for word in content(bare(text), of) if not word[0].isdigit())
    return frozenset(same.get(word, word) for word in words) - _idle()


@lru_cache(maxsize=4_096)
def lead(text: str) -> int:
    """1 when a text opens with yes, -1 when it opens with no, else 0."""
    opening = text.strip()
    return 1 if _YES.search(opening) else -1 if _NO.search(opening) else 0


def asks_whether(question: str) -> bool:
    """Whether a question wants a yes or a no and nothing else."""
    return bool(_ASKS_IT.search(question)) and not _ASKS_WHAT.search(question)


@lru_cache(maxsize=4_096)
def side(clause: str) -> int:
    """-1 when a clause denies, 1 when it affirms, 0 when it does neither."""
    text = clause.lower().replace("’", "'")
    no, yes = _sides()
    return -1 if no.search(text) else 1 if yes.search(text) else 0


@cache
def _sides() -> tuple[re.Pattern[str], re.Pattern[str]]:
    sign = _stored()["sign"]
    return re.compile(f"{sign['no_ja']}|{sign['no_en']}"), re.compile(f"{sign['yes_ja']}|{sign['yes_en']}")


@cache
def _synonyms() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in (*_stored()["en"], *_stored()["ja"]):
        cut = (content(word) for word in line.split())
        stems = [parts[0] for parts in cut if len(parts) == 1]  # a word that falls apart would rename its parts
        for stem in stems:
            found.setdefault(stem, found.get(stems[0], stems[0]))
    return found


@cache
def _idle() -> frozenset[str]:
    """The words that tell nothing of a claim's subject."""
    return frozenset(stem for word in _stored()["idle"].split() for stem in (word, *content(word)))


@cache
def _stored() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("wording.toml").read_text("utf-8"))
