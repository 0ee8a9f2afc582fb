"""Bytes of a connection: the parser refuses them or reads requests, the same ones however the bytes are cut.

The first byte is the seed of the cuts.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from writ.api.server.refusal import RefusedRequest
from writ.api.server.request_parser import MOST_FIELDS, MOST_REQUEST_LINE, Request, RequestParser

from tests.api.server.test_framing import REFUSED
from tests.deep.fuzz.targets import Law
from tests.support.raw_http import request
from tests.support.strategies_pick import Pick

PIECES: Final = (
    *(
        b"\r\n",
        b"\n",
        b"\r\n\r\n",
        b"0\r\n\r\n",
        b"5\r\nhello\r\n",
        b"1;a=b\r\nx\r\n",
        b"\x00",
        b"\r",
        b" ",
        b"\t",
        b":",
    ),
    *(b"Host: a\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"Content-Length: 0\r\n"),
    *(b"Expect: 100-continue\r\n", b"Upgrade: x\r\nConnection: Upgrade\r\n", b"Connection: close\r\n"),
    *(
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.0\r\n",
        b"HTTP/2.0",
        b"CONNECT a:1 HTTP/1.1\r\n",
        b"X-Y /gateway HTTP/1.1\r\n",
    ),
)


class Sink:
    """Keeps what the parser reads."""

    def __init__(self) -> None:
        self.heads: list[Request] = []
        self.bodies: list[bytes] = []
        self.ends = 0

    def head(self, request: Request) -> None:
        """See `RequestSink`."""
        assert len(self.heads) == self.ends, "a head comes before the end of the last body"
        self.heads.append(request)
        self.bodies.append(b"")

    def body(self, data: bytes) -> None:
        """See `RequestSink`."""
        self.bodies[-1] += data

    def end(self) -> None:
        """See `RequestSink`."""
        self.ends += 1

    def told(self) -> list[Any]:
        """The requests that are complete."""
        heads = self.heads[: self.ends]
        return [
            (one.method, one.target, one.version, one.headers, one.chunked, one.length, one.keep_alive, body)
            for one, body in zip(heads, self.bodies, strict=False)
        ]


def starts() -> Iterator[bytes]:
    """An ordinary request, two in a row, and each that is refused."""
    plain = request("POST", "/access/v1/evaluation", b"{}", {}, "key")
    yield b"\x00" + plain
    yield b"\x01" + plain + request("GET", "/healthz", b"", {}, None)
    yield b"\x02PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n"
    yield b"\x02PUT /x HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\nhi"
    yield from (b"\x03" + sent for sent, *_ in REFUSED.values() if len(sent) < 2_000)


def mutated(pick: Pick, data: bytes) -> bytes:
    """The bytes with a piece put in, or a part taken out or doubled."""
    start = pick.number(0, len(data))
    end = min(start + pick.one((0, 0, 1, 2, 8, 40)), len(data))
    return data[:start] + pick.one((b"", data[start:end] * 2, *PIECES)) + data[end:]


def fed(pieces: Sequence[bytes]) -> tuple[list[Any], bool]:
    """The complete requests, and whether the parser refused the bytes."""
    sink = Sink()
    parser = RequestParser(sink, lambda target: target.startswith(b"/gateway"))
    try:
        for piece in pieces:
            parser.feed(piece)
    except RefusedRequest:
        return sink.told(), True
    finally:
        parser.end()
    return sink.told(), False


def law(_folder: Path) -> Law:
    """See the module."""

    def holds(data: bytes) -> None:
        sent, random = data[1:], Random(data[0] if data else 0)
        whole = fed([sent])
        for requests in whole[0]:
            fields = [name for name, _ in requests[3]]
            assert len(requests[1]) <= MOST_REQUEST_LINE
            assert len(fields) <= MOST_FIELDS
            assert all(fields.count(name) <= 1 for name in (b"host", b"content-length", b"transfer-encoding"))
            assert requests[2] == "1.0" or b"host" in fields
            assert not (b"content-length" in fields and b"transfer-encoding" in fields)
        cuts = sorted(random.randrange(len(sent) + 1) for _ in range(random.randrange(1, 6)))
        _compare(whole, fed([sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]))
        if len(sent) < 600:
            _compare(whole, fed([sent[at : at + 1] for at in range(len(sent))]))

    return holds


def _compare(whole: tuple[list[Any], bool], cut: tuple[list[Any], bool]) -> None:
    """Cuts may bring a refusal sooner or later, such as of a method that is not known, but no other request."""
    for one, other in zip(whole[0], cut[0], strict=False):
        assert one == other
    assert whole[1] or cut[1] or whole == cut
