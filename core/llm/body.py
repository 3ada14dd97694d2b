"""The bytes of an answer, unpacked within a time and a size."""

from __future__ import annotations

import codecs
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

import httpx2

from core.llm.clock import be_done_by
from core.llm.limits import GARBLED, Passing

MOST = 32 * 2**20  # bytes of an answer
PACKED = "gzip, deflate"  # what `unpacked` can read; of other packings the size is not to be bounded
_CHUNK = 2**18
_PLAIN = ("utf-8", "utf8", "ascii", "us-ascii", "iso-8859-1", "latin-1", "windows-1252")  # said by rote, meant as UTF-8


class Packed(Protocol):
    """An answer of which the body is still to be read."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By their names in small letters."""
        ...

    @property
    def charset_encoding(self) -> str | None:
        """The encoding of the text, where the answer tells it."""
        ...

    def iter_raw(self) -> Iterator[bytes]:
        """The body as it comes."""
        ...


def unpacked(answer: Packed, until: float) -> Iterator[bytes]:
    """The body of an answer as it comes, UTF-8; raises Passing where it is too long, and httpx2.ReadTimeout."""
    size = 0
    for chunk in _decoded(_inflated(answer), answer.charset_encoding):
        size += len(chunk)
        if size > MOST:
            raise Passing(f"the reply is longer than {MOST // 2**20} MB", tries=1)
        if time.monotonic() > until:
            raise httpx2.ReadTimeout("the time for the whole reply is over")
        yield chunk
        be_done_by(until)  # whoever took the chunk may have sent something else meanwhile


def _inflated(answer: Packed) -> Iterator[bytes]:
    unpack = _unpacker(str(answer.headers.get("content-encoding", "")).strip().lower())
    try:
        for packed in answer.iter_raw():
            yield from unpack(packed)
    except zlib.error as error:
        raise Passing("the reply cannot be unpacked", tries=GARBLED) from error


def _unpacker(packing: str) -> Callable[[bytes], Iterable[bytes]]:
    if packing in ("", "identity"):
        return lambda data: (data,)
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise Passing("the reply is packed in a way that was not asked for", tries=1)
    inflate = zlib.decompressobj(zlib.MAX_WBITS + 32)  # gzip or zlib, as it comes

    def unpack(data: bytes) -> Iterator[bytes]:
        while chunk := inflate.decompress(data, _CHUNK):
            yield chunk
            data = inflate.unconsumed_tail

    return unpack


def _decoded(chunks: Iterator[bytes], charset: str | None) -> Iterator[bytes]:
    """The chunks in UTF-8, where the answer says that it is in something else."""
    try:
        known = codecs.lookup((charset or "utf-8").lower()).name
        if charset is None or charset.lower() in _PLAIN or known in _PLAIN:
            return chunks
        return (text.encode("utf-8", "replace") for text in codecs.iterdecode(chunks, known, "replace"))
    except (LookupError, ValueError):
        return chunks
