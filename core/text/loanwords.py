"""Loanwords written in hiragana (ぱすわーど), as children, elderly people and people in a hurry type them."""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST_WORD, SHORTEST_WORD = 10, 3  # characters of such a word; a run of hiragana that is nothing else may have two
_RUN = re.compile(r"(?<![^\s、。,.!?！？「『(（])[ぁ-ゖー]{3,}|(?<!\S)[ぁ-ゖー]{2}(?!\S)")
_PARTICLE = re.compile(r"から|まで|って|より|など|とか|には|では|[をがはにでのともへや]")
_TO_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}


def katakana_loanwords(text: str, is_loanword: Callable[[str], bool], is_known: Callable[[str], bool]) -> str:
    """The text with loanwords in katakana that begin a run of hiragana, or stand behind a particle in it.

    A run behind a kanji is an ending or a particle, and is left alone. `is_loanword`: whether a word in katakana is in
    the dictionary as such; `is_known`: whether one in hiragana is in it, so that it needs no other spelling.
    """

    def spelled(run: re.Match[str]) -> str:
        rest, done = run.group(), ""
        while len(rest) >= 2:
            shortest = 2 if rest == run.group() and len(rest) == 2 else SHORTEST_WORD
            lengths = range(min(LONGEST_WORD, len(rest)), shortest - 1, -1)
            found = next((rest[:n] for n in lengths if is_known(rest[:n]) or is_loanword(katakana(rest[:n]))), "")
            if found and not is_known(found):
                done += katakana(found)
                rest = rest[len(found) :]
            elif done and (particle := _PARTICLE.match(rest)):
                done += particle.group()
                rest = rest[particle.end() :]
            else:
                break
        return done + rest

    return _RUN.sub(spelled, text)


def katakana(text: str) -> str:
    """The text with its hiragana in katakana."""
    return text.translate(_TO_KATAKANA)
