"""Others who have taken their own life: who tells of it mourns, and no life is in danger now."""

from __future__ import annotations

import re

_DIED = re.compile(  # 夫が自殺しました, but not 自殺したい, 自殺しそう, 自殺未遂
    r"((?:父|母|夫|妻|息子|娘|子(?:ども|供)?|兄|弟|姉|妹|祖父|祖母|主人|旦那|家内|叔父|叔母|伯父|伯母|彼女?|恋人|婚約者|友人|友達|親友|同僚|上司|部下|先輩|後輩|社員|従業員|家族|親)(?:さん)?[がはもを])[^。、!?！？]{0,12}"
    r"(?:(?:自殺|自死)(?:し(?:てしま(?:いまし|っ)|まし)?|で亡く(?:なりまし|なっ|しまし|し))|命を絶(?:ちまし|ってしまいまし|ってしまっ|っ))(?:た(?!い|方|ほう|ら|く|が)|て(?!い|る|も|ほし|しま))"
    r"|\b((?<!if )(?:my|our) (?:\w+ ){1,4})(?:killed (?:him|her|them)sel(?:f|ves)|(?:took|taken) (?:his|her|their) own li(?:fe|ves)|(?:committed|died (?:by|of|from)) suicide|ended (?:his|her|their) own li(?:fe|ves)|hanged (?:him|her)self)",
    re.IGNORECASE,
)


def with_deaths_named(text: str) -> str:
    """A message in which a relative or friend who has taken their own life "died"."""
    return _DIED.sub(lambda found: f"{found[1]}亡くなりました。" if found[1] else f"{found[2]}died", text)
