"""Headings for display and search: without their parents or "guide" at the end, and as judges see them."""

from __future__ import annotations

import re

_TITLE_TAIL = re.compile(
    r"(?:・[^・]{1,12})?(?:の|に関する|についての)?(?:ご?利用|取扱い?|運用|申請|社内)?"
    r"(?:の?手引き?|ガイド(?:ライン|ブック)?|規程|規則|ご?案内|マニュアル|ルール|について|一覧|早見表)$"
)


_NUMBER = re.compile(
    r"^(?:[(（]?[0-9０-９]{1,2}[.)．）、:：](?:\s+|(?![0-9０-９\s]))|[①-⑳]\s*|[0-9０-９]{1,2}(?:[.．\-－][0-9０-９]{1,2})+[.．)）]?\s+(?=[A-Z\u3040-\u9fff])|[0-9０-９]{1,2}[ \u3000](?=[\u3040-\u9fff])(?![年月日時分秒回人名円件個本枚歳才週つか]))(?=\S)"
)
# Headings that say nothing without the headings above them.
_WEAK = re.compile(
    r"(?:はじめに|おわりに|その他(?:の?(?:注意|事項|注意事項|ご案内))?|概要|全般|共通|一般|備考|補足|注意(?:事項|点)?|ご?注意|お願い|お知らせ|ご?案内|目的|総則|附則|内容|詳細|説明|方法|手順|一覧|よくある(?:ご?質問)?|ご?質問|お?問い?合わせ(?:先|について)?"
    r"|(?i:introduction|intro|overview|general|other|others|miscellaneous|misc\.?|notes?|please note|details?|information|more|further information|about|summary|remarks?|contact|contacts|questions?|scope|important|background|purpose|appendix))"
)


def last_heading(heading: str) -> str:
    """A heading without its parents, and without its number."""
    last = heading.rsplit(" › ", 1)[-1]
    return _NUMBER.sub("", last)


def is_weak(heading: str) -> bool:
    """Whether a heading says nothing alone, without the title of its document: はじめに, Other."""
    return bool(_WEAK.fullmatch(last_heading(heading).strip(" :：")))


def short_title(title: str) -> str:
    """A document's title without words such as 手引き or ガイド at its end."""
    shorter = _TITLE_TAIL.sub("", title).strip(" 　の・")
    return shorter if len(shorter) >= 2 else title


def with_heading(title: str, heading: str, text: str) -> str:
    """A passage as judges see it, below its headings; passages of external bots may have none."""
    head = " › ".join(name for name in (title, heading) if name)
    return f"{head}\n{text}" if head else text
