"""Who it is: the one who buys or the one who sells; a point about the one is not said of the other."""

from __future__ import annotations

import re

_PARTIES = (
    re.compile(
        r"購入者|お客(?:様|さま)|顧客|利用者|買(?:い)?主|申込者|注文者|\b(?:the )?(?:buyers?|customers?|purchasers?|clients?|you)\b"
        r"|买家|顾客|客户|用户",
        re.IGNORECASE,
    ),
    re.compile(
        r"当社|弊社|当店|当館|当行|店側|会社|出品者|販売(?:者|元)|売(?:り)?主|\b(?:we|us|the company|sellers?|vendors?|merchants?|the (?:shop|store))\b"
        r"|卖家|商家|本公司|我们",
        re.IGNORECASE,
    ),
)


def other_party(point: str, said: str) -> str:
    """The words for the other party where a sentence names that one and not the point's, or ""."""
    for mine, theirs in (_PARTIES, _PARTIES[::-1]):
        other = theirs.search(said)
        if mine.search(point) and not theirs.search(point) and other and not mine.search(said):
            return other[0]
    return ""
