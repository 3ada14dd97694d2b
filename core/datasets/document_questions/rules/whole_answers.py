"""The whole text that answers a question: the sentence that does, with its conditions and what continues it."""

from __future__ import annotations

import re

from core.text.language import script, sentences

MAX_LETTERS = {"ja": 320, "en": 780}  # of a whole answer; an answer that is longer than this by itself stays
_BLOCK_END = re.compile(r"\n(?=\||#)")
_ANNOUNCES = re.compile(
    r"(?:次の|以下の|下の|下記)[^。]*。?$|次のとおり|[:：]$|\b(?:below|following|in the table|as follows)\b[^.]*[.:]?$"
)
_ANNOUNCED = re.compile(r"(?>\s*\n)((?:\s*(?:\||[-*+・]|\d+[.)．]\s)[^\n]*(?:\n|$))+)")
_LEANS = re.compile(
    r"ただし|なお、|しかし|一方|その(?:場合|とき|際|後)|これ(?:を|より|に)|それ(?:以外|より|以降)|いずれも|期限を過ぎ|.{0,14}(?:除きます|に限ります|のみです)|"
    r"(?:However|But|Otherwise|In that case|Exceptions?|Except)\b"
)
_OLD = re.compile(r"旧ルール|旧制度|それまでは|までの(?:旧|ルール)|\b(?:old rule|used to|formerly|previously)\b")


def with_conditions(sentence: str, text: str) -> str:
    """A sentence of a text with those after it that limit it."""
    start = text.find(sentence)
    end = start + len(sentence)
    for following in _following(text, end):
        if not _LEANS.match(following):
            break
        end = text.find(following, end) + len(following)
    return text[start : _with_table(text, end)].strip() if start >= 0 else sentence


def to_end_of_block(answer: str, text: str) -> str:
    """A text from an answer in it on, up to the next table or heading; an old rule at the end is left out."""
    start = text.find(answer)
    place = end = start + len(answer)
    for following in _following(text, end):
        place = text.find(following, place) + len(following)
        if place - start > MAX_LETTERS["en" if script(text) == "en" else "ja"]:
            break
        if not _OLD.search(following):
            end = place
    return text[start : _with_table(text, end)].strip() if start >= 0 else answer


def _with_table(text: str, end: int) -> int:
    """The end of an answer, or of the table or list that its last line announces."""
    announced = _ANNOUNCED.match(text, end)
    last = text[:end].rstrip().splitlines()[-1:]
    return announced.end() if announced and last and _ANNOUNCES.search(last[0]) else end


def _following(text: str, place: int) -> list[str]:
    """The sentences from a place of a text on, up to the next table or heading."""
    block_end = _BLOCK_END.search(text, place)
    lines = text[place : block_end.start() if block_end else None].splitlines()
    return [sentence.strip() for line in lines for sentence in sentences(line) if sentence.strip()]
