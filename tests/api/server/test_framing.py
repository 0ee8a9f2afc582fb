"""Framing: every ambiguous message is refused, and no byte of it is ever read as another request (RFC 9112)."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.server.refusal import RefusedRequest
from writ.api.server.request_parser import (
    MOST_CHUNK_OVERHEAD,
    MOST_FIELD_BYTES,
    MOST_FIELDS,
    MOST_METHOD,
    MOST_REQUEST_LINE,
    Request,
    RequestParser,
)

HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"


@dataclass
class Seen:
    """What a parser told of a connection: targets and bodies of whole messages, and the refusal that ended it."""

    targets: list[bytes] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    whole: int = 0
    refused: int | None = None

    def head(self, request: Request) -> None:
        self.targets.append(request.target)
        self.methods.append(request.method)
        self.bodies.append(b"")

    def body(self, data: bytes) -> None:
        self.bodies[-1] += data

    def end(self) -> None:
        self.whole += 1


def seen(*pieces: bytes) -> Seen:
    found = Seen()
    parser = RequestParser(found, lambda target: target.startswith(b"/gateway/"))
    try:
        for piece in pieces:
            parser.feed(piece)
    except RefusedRequest as refusal:
        found.refused = refusal.status
    return found


REFUSED = {
    "a length with a sign": (HEAD + b"Content-Length: +5\r\n\r\nhello", 400),
    "a negative length": (HEAD + b"Content-Length: -1\r\n\r\n", 400),
    "a length in hexadecimal": (HEAD + b"Content-Length: 0x5\r\n\r\nhello", 400),
    "a length with a space inside": (HEAD + b"Content-Length: 5 5\r\n\r\nhello", 400),
    "a length with an underscore": (HEAD + b"Content-Length: 1_0\r\n\r\n0123456789", 400),
    "a length as a list": (HEAD + b"Content-Length: 5, 5\r\n\r\nhello", 400),
    "an empty length": (HEAD + b"Content-Length: \r\n\r\n", 400),
    "a length twice": (HEAD + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
    "two lengths": (HEAD + b"Content-Length: 5\r\ncontent-length: 6\r\n\r\nhello", 400),
    "a length beyond 63 bits": (HEAD + b"Content-Length: 9223372036854775808\r\n\r\n", 400),
    "a length of 64 bits": (HEAD + b"Content-Length: 18446744073709551615\r\n\r\n", 400),
    "a length beyond 64 bits": (HEAD + b"Content-Length: 18446744073709551621\r\n\r\nhello", 400),
    "a length with a space before the colon": (HEAD + b"Content-Length : 5\r\n\r\nhello", 400),
    "a length in a folded line": (HEAD + b"Content-Length:\r\n 5\r\n\r\nhello", 400),
    "both lengths": (HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "both lengths the other way": (HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
    "another coding": (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 501),
    "identity": (HEAD + b"Transfer-Encoding: identity\r\n\r\n", 501),
    "a list of codings": (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "chunked with a prefix": (HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
    "chunked with a vertical tab": (HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400),
    "chunked with a parameter": (HEAD + b"Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n", 501),
    "a coding twice": (HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", 501),
    "chunked in HTTP/1.0": (b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
    "a chunk size that overflows": (CHUNKED + b"10000000000000005\r\nhello\r\n0\r\n\r\n", 400),
    "a chunk size with a prefix": (CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n", 400),
    "a chunk size with a sign": (CHUNKED + b"+5\r\nhello\r\n0\r\n\r\n", 400),
    "a chunk size with a space": (CHUNKED + b"5 \r\nhello\r\n0\r\n\r\n", 400),
    "a chunk size with a space before": (CHUNKED + b" 5\r\nhello\r\n0\r\n\r\n", 400),
    "an empty chunk size": (CHUNKED + b"\r\nhello\r\n0\r\n\r\n", 400),
    "a chunk with a bare LF": (CHUNKED + b"5\nhello\n0\n\n", 400),
    "a chunk without its line end": (CHUNKED + b"5\r\nhello0\r\n\r\n", 400),
    "a chunk longer than it says": (CHUNKED + b"4\r\nhello\r\n0\r\n\r\n", 400),
    "a last chunk with a bare LF": (CHUNKED + b"0\r\n\n" + SMUGGLED, 400),
    "a chunk extension without end": (CHUNKED + b"5;" + b"a" * (2 * MOST_CHUNK_OVERHEAD), 400),
    "many chunk extensions": (CHUNKED + b"1;a=b\r\nx\r\n" * MOST_CHUNK_OVERHEAD, None),
    "trailers without end": (CHUNKED + b"0\r\n" + b"X: y\r\n" * MOST_CHUNK_OVERHEAD, 400),
    "a trailer with a length": (CHUNKED + b"0\r\nContent-Length: 5\r\n\r\n", 400),
    "a bare LF after the request line": (b"POST / HTTP/1.1\nHost: a\r\n\r\n", 400),
    "a bare LF after a field": (b"POST / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", 400),
    "bare LFs alone": (b"GET / HTTP/1.1\nHost: a\n\n" + SMUGGLED, 400),
    "a bare CR in a value": (HEAD + b"X: a\rContent-Length: 5\r\n\r\nhello", 400),
    "a bare CR before the end": (HEAD + b"X: a\r\r\n\r\n", 400),
    "a folded line": (HEAD + b"X: a\r\n b\r\n\r\n", 400),
    "a folded line by a tab": (HEAD + b"X: a\r\n\tb\r\n\r\n", 400),
    "a space before the first field": (b"POST / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
    "a space before a colon": (HEAD + b"X : a\r\n\r\n", 400),
    "an empty name": (HEAD + b": a\r\n\r\n", 400),
    "a field without a colon": (HEAD + b"bad field\r\n\r\n", 400),
    "a NUL in a value": (HEAD + b"X: a\0b\r\n\r\n", 400),
    "a NUL in a name": (HEAD + b"X\0: a\r\n\r\n", 400),
    "a control character in a value": (HEAD + b"X: a\x01b\r\n\r\n", 400),
    "a DEL in a value": (HEAD + b"X: a\x7fb\r\n\r\n", 400),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    "the same host twice": (b"GET / HTTP/1.1\r\nHost: a\r\nHOST: a\r\n\r\n", 400),
    "HTTP/0.9": (b"GET /\r\n\r\n", 400),
    "HTTP/0.9 by its number": (b"GET / HTTP/0.9\r\nHost: a\r\n\r\n", 400),
    "HTTP/1.2": (b"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 400),
    "HTTP/2.0": (b"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 400),
    "HTTP/11": (b"GET / HTTP/11\r\nHost: a\r\n\r\n", 400),
    "http/1.1": (b"GET / http/1.1\r\nHost: a\r\n\r\n", 400),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "a control character in the target": (b"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    "a target that is not ASCII": ("GET /æ HTTP/1.1\r\nHost: a\r\n\r\n".encode(), 400),
    "a tab for a space": (b"GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "nonsense": (b"nonsense\r\n\r\n", 400),
    "an unknown method": (b"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    "CONNECT": (b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n" + SMUGGLED, 501),
    "a long target": (b"GET /" + b"x" * MOST_REQUEST_LINE + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    "a long field": (HEAD + b"X: " + b"x" * MOST_FIELD_BYTES + b"\r\n\r\n", 431),
    "many fields": (HEAD + b"X: y\r\n" * MOST_FIELDS + b"\r\n", 431),
}
"""Bytes, and the status that they are refused with; None where it depends on how they are split."""


@pytest.mark.parametrize(("sent", "status"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_and_nothing_after_it_is_read(sent: bytes, status: int | None) -> None:
    for pieces in ([sent + SMUGGLED], [sent, SMUGGLED]):
        found = seen(*pieces)
        assert found.refused is not None
        assert status in (None, found.refused)
        assert b"/smuggled" not in found.targets


@pytest.mark.parametrize("sent", [sent for sent, status in REFUSED.values() if status], ids=lambda _: "")
def test_byte_by_byte_it_is_refused_too(sent: bytes) -> None:
    if len(sent) < 1_000:
        found = seen(*(sent[at : at + 1] for at in range(len(sent))))
        assert found.refused in (400, 431, 501)
        assert found.whole == 0


@pytest.mark.parametrize(
    "method", ["BREW", "CONNECT", "get", "PROPFIND", "P", "GETS", "!#$%&'*+.^_`|~", "X" * MOST_METHOD]
)
def test_a_gateway_asks_with_any_method(method: str) -> None:
    """The method is that of the gateway's own client (RFC 9110, 9.1). A known one may follow on the connection."""
    sent = method.encode() + b" /gateway/envoy/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
    for pieces in ([sent], [sent, sent], [bytes([byte]) for byte in sent], [sent + SMUGGLED]):
        found = seen(*pieces)
        assert found.refused is None
        assert {*found.methods} <= {method, "GET"}
        assert found.methods[0] == method
        assert found.bodies[0] == b"ab"
        assert found.whole == len(found.methods)


@pytest.mark.parametrize("method", ["X" * (MOST_METHOD + 1), "BR\x00EW", "BR(EW"])
def test_what_is_no_method_is_refused_for_gateways_too(method: str) -> None:
    assert seen(method.encode() + b" /gateway/envoy/x HTTP/1.1\r\nHost: a\r\n\r\n").refused in (400, 501)


TAKEN = {
    "a length": (HEAD + b"Content-Length: 5\r\n\r\nhello", b"hello"),
    "a length with leading zeros": (HEAD + b"Content-Length: 005\r\n\r\nhello", b"hello"),
    "spaces around a length": (HEAD + b"Content-Length:  5 \r\n\r\nhello", b"hello"),
    "chunks": (CHUNKED + b"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", b"hello!"),
    "a coding in capitals": (HEAD + b"Transfer-Encoding: Chunked \r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"hello"),
    "a size in capitals": (CHUNKED + b"A\r\n0123456789\r\n0\r\n\r\n", b"0123456789"),
    "a size with leading zeros": (CHUNKED + b"0005\r\nhello\r\n000\r\n\r\n", b"hello"),
    "a short extension": (CHUNKED + b'5;a="b;c"\r\nhello\r\n0\r\n\r\n', b"hello"),
    "a trailer": (CHUNKED + b"5\r\nhello\r\n0\r\nX-A: b\r\n\r\n", b"hello"),
    "empty lines before it": (b"\r\n\r\n" + HEAD + b"\r\n", b""),
    "no host in HTTP/1.0": (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", b""),
    "a lookalike of a length": (HEAD + b"Content_Length: 5\r\n\r\n", b""),
    "an upgrade that is not offered": (HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", b""),
    "an upgrade with a body": (
        HEAD + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello",
        b"hello",
    ),
}


@pytest.mark.parametrize(("sent", "body"), TAKEN.values(), ids=TAKEN)
@given(data=st.data())
def test_what_is_unambiguous_is_taken_however_it_is_split(sent: bytes, body: bytes, data: st.DataObject) -> None:
    """The request behind it is the next one, in every way to split the bytes."""
    whole = sent + SMUGGLED
    cuts = sorted(data.draw(st.sets(st.integers(1, len(whole) - 1), max_size=6)))
    found = seen(*(whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)))
    assert (found.refused, found.whole) == (None, 2)
    assert found.targets == [b"/", b"/smuggled"]
    assert found.bodies[0] == body


LONG_TARGET = b"GET /" + b"x" * (MOST_REQUEST_LINE - 100) + b" HTTP/1.1\r\nX: " + b"y" * 500 + b"\r\nHost: a\r\n\r\n"
LONG_FIELDS = HEAD + (b"X: " + b"y" * (MOST_FIELD_BYTES - 10) + b"\r\n") * 9 + b"\r\n"


@pytest.mark.parametrize(("sent", "status"), [(LONG_TARGET, None), (LONG_FIELDS, 431)])
@pytest.mark.parametrize("size", [1, 1_000, 4_096, 32_800, 100_000])
def test_a_long_head_is_judged_alike_however_it_is_split(sent: bytes, status: int | None, size: int) -> None:
    """A target and fields within their bounds are taken, and what is above one of them is not."""
    found = seen(*(sent[at : at + size] for at in range(0, len(sent), size)))
    assert (found.refused, found.whole) == (status, status is None)


@pytest.mark.parametrize("begin", [HEAD + b"X: ", b"GET / HTTP/1.1\r\n", b"\r\n" * 40_000])
def test_a_head_without_end_is_refused_before_it_ends(begin: bytes) -> None:
    found = seen(begin, *([b"y" * 4_096] * 20))
    assert found.refused in (400, 431)


def test_after_a_last_request_nothing_is_read() -> None:
    for head in (HEAD + b"Connection: close\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"):
        found = seen(head + SMUGGLED, SMUGGLED)
        assert (found.targets, found.refused) == ([b"/"], None)


PIECES = st.sampled_from(
    [
        *(sent for sent, _ in REFUSED.values() if len(sent) < 200),
        *(sent for sent, _ in TAKEN.values()),
        *(b"\r\n", b"\n", b"\r", b" ", b"\t", b"\0", b":", b";", b"0\r\n\r\n", b"5\r\n", b"hello", b"Host: a\r\n"),
        *(b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", UPGRADE, SMUGGLED),
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=5), st.data())
def test_how_bytes_are_split_changes_nothing(pieces: list[bytes], data: st.DataObject) -> None:
    """The messages before a refusal, and the refusal, are the same for one read and for many."""
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=8)))
    one, many = seen(whole), seen(*(whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)))
    assert (one.targets, one.bodies, one.whole) == (many.targets, many.bodies, many.whole)
    assert (one.refused is None) == (many.refused is None)
