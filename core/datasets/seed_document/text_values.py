"""Values of free text for other documents: numbers, addresses and links vary in the form of the seed's; other words stay."""

from __future__ import annotations

import random
import re
from typing import Any

LONGEST_CODE = 40  # letters of a value that is a code, a number or an address; a longer one is a sentence
_ADDRESS = re.compile(r"住所|所在地|届け先|\baddress\b|\blocation\b", re.IGNORECASE)
_LINK = re.compile(r"https?://[\w.-]+")
_CODE = re.compile(r"^(?=.*\d)[\w()+ -]+$", re.ASCII)  # A-104, +44 20 7946 0123, RP-7 rev 2


def can_vary(name: str, example: str) -> bool:
    """Whether another value of this free text can be made without a model: a code or telephone number, an address, a link."""
    if len(example) > LONGEST_CODE or "@" in example:
        return False
    return bool(
        _ADDRESS.search(name) or _LINK.match(example) or _CODE.match(example) or re.match(r"内線 ?\d+$", example)
    )


def like_text(name: str, example: str, fake: Any, chance: random.Random) -> str:
    """Another value in the form of the example; fake: a Faker of the document's language."""
    if _LINK.match(example):
        return _LINK.sub(f"https://{fake.domain_word()}.example", example)
    if _ADDRESS.search(name):
        return str(fake.address()).replace("\n", ", ")
    return re.sub(r"\d", lambda digit: str(chance.randint(1, 9)) if digit[0] != "0" else "0", example)
