"""The body of an HTTP response, in pieces, with bounds for its size on the wire and unpacked."""

import zlib
from collections.abc import Iterator
from typing import Final

from urllib3 import BaseHTTPResponse

from .bundle_source import SourceError

PIECE: Final = 256 * 1024
"""The bytes of a piece, packed and unpacked."""

MOST_EXPANSION: Final = 64
"""The most times that an unpacked answer may be longer than what came. Bundles of very similar names are 30 times
longer."""

FREE_BYTES: Final = 16 * 1024 * 1024
"""The bytes of an unpacked answer that are always allowed."""

_GZIP: Final = 16 + zlib.MAX_WBITS


class Expanded(SourceError):
    """A packed answer became much longer than any genuine one: a small answer could fill the disk."""


def pieces(response: BaseHTTPResponse, most: int, expansion: int) -> Iterator[bytes]:
    """Yields the body of a response, unpacked.

    `expansion` is how many times longer than its packed form it may be. Raises Expanded, and SourceError for more than
    `most` bytes or a bad encoding.
    """
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip"):
        raise SourceError("it packs its answers in a way that was not asked for")
    packed = response.stream(PIECE, decode_content=False)
    total = 0
    for piece in _unpacked(packed, expansion) if encoding == "gzip" else packed:
        total += len(piece)
        if total > most:
            raise SourceError(f"its answer has more than {most} bytes")
        yield piece


def _unpacked(packed: Iterator[bytes], expansion: int) -> Iterator[bytes]:
    """Yields small pieces, whatever a packed piece grows to."""
    unpacker, allowed = zlib.decompressobj(_GZIP), FREE_BYTES
    try:
        for piece in packed:
            if unpacker.eof:
                raise SourceError("its packed answer goes on after its end")
            rest, allowed = piece, allowed + expansion * len(piece)
            while rest:
                found = unpacker.decompress(rest, PIECE)
                rest, allowed = unpacker.unconsumed_tail, allowed - len(found)
                if allowed < 0:
                    raise Expanded(f"its packed answer is more than {expansion} times longer when it is unpacked")
                yield found
            if unpacker.unused_data:
                raise SourceError("its packed answer goes on after its end")
    except zlib.error:
        raise SourceError("its packed answer is damaged") from None
    if not unpacker.eof:
        raise SourceError("its packed answer is truncated")


def whole(response: BaseHTTPResponse, most: int, expansion: int) -> bytes:
    """Returns the body of a response. Raises what `pieces` raises."""
    return b"".join(pieces(response, most, expansion))
