"""The body of an HTTP response, in pieces, with bounds for its size on the wire and unpacked."""

import zlib
from collections.abc import Iterator
from typing import Final

from urllib3 import BaseHTTPResponse

from .bundle_source import SourceError

PIECE: Final = 256 * 1024
"""The bytes of a piece, packed and unpacked."""

_GZIP: Final = 16 + zlib.MAX_WBITS


def pieces(response: BaseHTTPResponse, most: int) -> Iterator[bytes]:
    """Yields the body of a response, unpacked. Raises SourceError for more than `most` bytes, or for a bad encoding."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip"):
        raise SourceError("it packs its answers in a way that was not asked for")
    packed = response.stream(PIECE, decode_content=False)
    total = 0
    for piece in _unpacked(packed) if encoding == "gzip" else packed:
        total += len(piece)
        if total > most:
            raise SourceError(f"its answer has more than {most} bytes")
        yield piece


def _unpacked(packed: Iterator[bytes]) -> Iterator[bytes]:
    """Yields small pieces, whatever a packed piece grows to."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        for piece in packed:
            if unpacker.eof:
                raise SourceError("its packed answer goes on after its end")
            yield unpacker.decompress(piece, PIECE)
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, PIECE)
            if unpacker.unused_data:
                raise SourceError("its packed answer goes on after its end")
    except zlib.error:
        raise SourceError("its packed answer is damaged") from None
    if not unpacker.eof:
        raise SourceError("its packed answer is truncated")


def whole(response: BaseHTTPResponse, most: int) -> bytes:
    """Returns the body of a response. Raises what `pieces` raises."""
    return b"".join(pieces(response, most))
