"""What looks like distress and is not.

Something that may happen or is only asked about is no incident. A message about a relative's suicide is bereavement, not a
current danger.
"""

from __future__ import annotations

import re

_CASES_EN = r"if|whether|suppose|supposing|in case|whenever|in the event"
_BEFORE_EN = re.compile(
    rf"\b(?:{_CASES_EN}|could|might|how (?:do|can|would|will|should) (?:i|we|you) (?:know|tell|see|find out|prevent|stop|avoid|keep)|so that|when (?:an?|some\w+|people|users?|the (?:user|owner)))\b"
)
_BEHIND_JA = re.compile(
    r"[^。、]{0,8}(?:場合|とき|時[はのに]|際[はのに])|[^。、]{0,4}(?:たら|れば|ても|ないよう|ないため|防)|(?:た|て(?:しま)?(?:う|った))?ら"
)
_CASE = re.compile(
    rf"場合|(?:た|の)(?:とき|際)(?:は|の|に|、|$)|(?:た|て(?:しまっ)?た)ら|防(?:ぐ|止)|\b(?:{_CASES_EN}|when (?:an?|some\w+|people|users?))\b"
)
_PRECAUTION = re.compile(
    r"(?:ない|する)(?:よう|ため)|対策|備え|とは[?？]?$"
    r"|\b(?:when the \w+|what (?:happens|should|do|to|counts)|prevent|protect|avoid|how (?:do|can|would|will|should) (?:i|we|you) (?:know|tell|see|find out|stop|report))\b"
)
_RULE = re.compile(r"規程|規約|ルール|禁止|\b(?:policy|rules?|allowed|novel|book|film|prevention)\b")
_UNCHANGED = re.compile(
    r"\bnothing (?:was|has been|is|we) changed\b|\b(?:n['’]?t|not|never|nothing) (?:been )?(?:changed?|touched) (?:anything|a thing|by us|by me|on our|on my)"
    r"|何も(?:変え|変更し|いじっ|触っ|さわっ|設定し)[^。、]{0,4}(?:ない|いません|ません)",
    re.IGNORECASE,
)
_DIED = re.compile(  # 夫が自殺しました, but not 自殺したい, 自殺しそう, 自殺未遂
    r"((?:父|母|夫|妻|息子|娘|子(?:ども|供)?|兄|弟|姉|妹|祖父|祖母|主人|旦那|家内|叔父|叔母|伯父|伯母|彼女?|恋人|婚約者|友人|友達|親友|同僚|上司|部下|先輩|後輩|社員|従業員|家族|親)(?:さん)?[がはもを])[^。、!?！？]{0,12}"
    r"(?:(?:自殺|自死)(?:し(?:てしま(?:いまし|っ)|まし)?|で亡く(?:なりまし|なっ|しまし|し))|命を絶(?:ちまし|ってしまいまし|ってしまっ|っ))(?:た(?!い|方|ほう|ら|く|が)|て(?!い|る|も|ほし|しま))"
    r"|\b((?<!if )(?:my|our) (?:\w+ ){1,4})(?:killed (?:him|her|them)sel(?:f|ves)|(?:took|taken) (?:his|her|their) own li(?:fe|ves)|(?:committed|died (?:by|of|from)) suicide|ended (?:his|her|their) own li(?:fe|ves)|hanged (?:him|her)self)",
    re.IGNORECASE,
)


def is_hypothetical(clause: str, end: int) -> bool:
    """Whether a normalized clause only supposes the incident that it mentions up to `end`."""
    return bool(_BEHIND_JA.match(clause, end) or _BEFORE_EN.search(clause[:end]))


def asks_what_if(text: str) -> bool:
    """Whether a normalized text is about a case or a precaution."""
    return bool(_CASE.search(text) or _PRECAUTION.search(text))


def without_unchanged(text: str) -> str:
    """The text without what says that nobody has changed anything ("nothing was changed by us")."""
    return _UNCHANGED.sub("", text)


def asks_for_rules(text: str) -> bool:
    """Whether a normalized text is about a case, a rule or a story."""
    return bool(_CASE.search(text) or _RULE.search(text))


def with_deaths_named(text: str) -> str:
    """The message with "died" in place of the suicide of a relative or friend."""
    return _DIED.sub(lambda found: f"{found[1]}亡くなりました。" if found[1] else f"{found[2]}died", text)
