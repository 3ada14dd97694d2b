"""Errors that were stored as English sentences, without their key: known again by how they are worded."""

from __future__ import annotations

import re
from typing import NamedTuple

_SENTENCES = {  # key of the words: how the sentence goes, its holes as groups
    "errors.unreachable": r"(?P<server>\S+) gave no proper reply, however often it was asked \((?P<detail>.*)\)\. Is it running\?",
    "errors.long_wait": r"(?P<server>\S+) asks to wait (?P<wait>[\d,]+) s \(.*\), longer than KIKU_PATIENCE \((?P<patience>\S+) s\)\.",
    "errors.wrong_key": r"\S+ refused the key \((?P<detail>.*)\)\. Check it\.",
    "errors.no_credit": r"\S+ has no credit left \((?P<detail>.*)\)\.",
    "errors.declined": r"\S+ withheld the reply \((?P<problem>.*)\)\.",
    "errors.moved": r"(?P<server>\S+) sends its callers on to (?P<place>\S+), where nothing was sent\. .*",
    "errors.request_refused": r"(?P<server>\S+) will not answer with (?P<model>.+?) \((?P<detail>.*)\)\. Check the address and the model's name\.",
    "errors.unusable": r"(?P<problem>.*?) Raw reply: .*",
    "errors.stream_cut": r"The reply broke off \(.*\)\.|Nobody heard the reply to its end\.|The reply did not come as it was meant\.",
    "errors.budget_reached": r"The budget of (?P<budget>\S+)(?: calls)? is used up\. Raise it to go on\.",
    "errors.stopped": r"The reply is not wanted any more\.|It was stopped\.",
    "stored_errors.refused": r"The model refused: (?P<said>.*)",
    "stored_errors.filtered": r"A content filter of the server withheld the reply\.",
    "stored_errors.empty": r"The reply is empty\.",
    "stored_errors.cut": r"The reply was cut at the limit of tokens\.",
    "stored_errors.broken": r"The last JSON object in the reply is broken\.|The reply cannot be read \(.*\)\.",
    "stored_errors.taken_over": r"another process has taken this run over",
    "stored_errors.no_workers": r"The cluster at (?P<address>\S+) has had no workers for \d+ s\.",
    "stored_errors.no_scheduler": r"The Dask scheduler (?P<address>\S+) was lost\.",
}
_KNOWN = {key: re.compile(said, re.DOTALL) for key, said in _SENTENCES.items()}
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


class Known(NamedTuple):
    """Words for a stored sentence: their key, and what goes into their holes."""

    key: str
    details: dict[str, str]


def known_again(told: str) -> Known | None:
    """The words for a stored sentence; none where no pattern fits."""
    for key, pattern in _KNOWN.items():
        if found := pattern.fullmatch(told.strip()):
            return Known(key, {name: value or "" for name, value in found.groupdict().items()})
    return None


def is_english(told: str) -> bool:
    """Whether a stored sentence has words, and none in Japanese."""
    return bool(re.search(r"[A-Za-z]{3}", told)) and not _JAPANESE.search(told)
