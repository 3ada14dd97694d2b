"""Product names in a message, where something is asked of or done with the product (my Netflix subscription,
楽天のポイント)."""

from __future__ import annotations

import re
from functools import lru_cache

from core.text.japanese import is_proper_name
from core.text.language import clauses, script, sentences
from core.text.questions import asks_or_needs

_NAME_EN = r"(?P<name>[A-Z](?=[^\Wa-z]*[a-z])\w++)"
_OF_PRODUCT = (
    r"(?:accounts?|subscriptions?|plans?|apps?|passwords?|logins?|log-in|memberships?|invoices?|bills?|premium|pro|plus|workspaces?|pages?|channels?|profiles?|orders?|playlists?"
    r"|e-?mails?|licen[cs]es?|integration|connection|payments?|gift cards?|points|tickets?|prices?|pricing|support|settings|calendar|boards?|files?|import|export|data)"
)
_ROLES_EN = (
    re.compile(
        rf"\b(?:my|your|our|the|a|an|this|another)\s+(?:free |paid |old |new )?{_NAME_EN}\s+(?i:{_OF_PRODUCT})\b"
    ),
    re.compile(
        rf"\b(?i:cancel|delete|uninstall|install|use|using|download|reset|unsubscribe from|sign up (?:for|to|with)|log ?-?in ?(?:to|with)|sign in (?:to|with|on)|connect(?: \w+){{0,4}}? (?:to|with)|link(?: \w+){{0,4}}? (?:to|with)"
        rf"|integrat\w+(?: \w+){{0,3}}?(?: with| to| into)?|sync\w*(?: \w+){{0,4}}? (?:with|to)|works? with|import\w*(?: \w+){{0,4}}? from|export\w*(?: \w+){{0,4}}? to|(?:migrat|switch|mov|com)\w+(?: \w+){{0,4}}? from|pay(?: \w+){{0,3}}? (?:with|via|by|through)|compared? (?:to|with)|better than|instead of)"
        rf"\s+(?:my |your |our |the )?{_NAME_EN}\b"
    ),
    re.compile(
        rf"^(?:\W|(?i:and|but|so|hi|hello|hey)\b)*(?i:does|is|has|how much (?:is|does)|what does|when will|why (?:is|does|won't|doesn't))\s+{_NAME_EN}\s+(?i:have|offer|cost|support|free|cheap\w*|better|work|down|allow|premium|plus|pro|\?)"
    ),
    re.compile(rf"\b(?i:how much is|what is|price of|cost of)\s+{_NAME_EN}(?:\s+(?i:premium|plus|pro))?\s*\?"),
)
_NAME_JA = r"(?P<name>[A-Za-z][A-Za-z0-9]{2,}|[ァ-ヶー]{3,}|[一-龥]{2,4})"
_ROLE_JA = re.compile(
    rf"(?<![A-Za-z0-9ァ-ヶー一-龥]){_NAME_JA}(?=の(?:アカウント|パスワード|解約|退会|料金|値段|支払|ポイント|アプリ|使い方|ログイン|設定|カード|プラン|契約|会員|サブスク|データ|カレンダー|チャンネル|予約|注文|配送|返品|電話番号|ライセンス|領収書|請求)"
    r"|を(?:解約|退会|使(?:い|え|う方)|つか(?:い|え)|削除|連携|つな|インストール|入れた|導入|契約|申し込|やめ)|に(?:ログイン|連携|つな(?:ぐ|げ)|登録し|投稿|移行)|と(?:の)?(?:連携|同期|つな|比べ|の違い)"
    r"|って(?:いくら|何|なに|使え|入れ)|は(?:いくら|使え|使っても|対応)|で(?:払|支払|決済|ログイン)|から(?:取り込|移行|インポート|乗り換|データ|引っ越)|が(?:開か|開け|起動|使え|つなが|落ち|見られ|見れ))"
)


@lru_cache(maxsize=1_024)
def product_names(text: str) -> tuple[str, ...]:
    """The product names in the clauses of a message that ask or want something, as written; not names of persons and
    places."""
    found: dict[str, None] = {}
    for clause in (part.strip() for whole in sentences(text) for part in clauses(whole)):
        if asks_or_needs(clause):
            found |= dict.fromkeys(_names_en(clause) if script(clause) == "en" else _names_ja(clause))
    return tuple(found)


def _names_en(clause: str) -> list[str]:
    return [match["name"] for role in _ROLES_EN for match in role.finditer(clause)]


def _names_ja(clause: str) -> list[str]:
    names = (match["name"] for match in _ROLE_JA.finditer(clause))
    return [name for name in names if _is_written_as_name(name)]


def _is_written_as_name(name: str) -> bool:
    """Whether a word is a name: in Latin letters one with a capital and a small letter, else by the dictionary."""
    if name.isascii():
        return name != name.lower() and name != name.upper()
    return is_proper_name(name)
