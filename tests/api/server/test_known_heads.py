"""A warm connection, which knows heads, answers every head as a cold one does, byte for byte."""

import re
import socket
import ssl
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.server.known_head import LONGEST, MOST_KNOWN, MOST_LEARNED, KnownHeads
from writ.api.server.request_parser import Request, RequestParser

from tests.support.certificates import Authority
from tests.support.raw_http import RawConnection
from tests.support.server import KEY, Server, running

BODY = b'{"subject":{"type":"user","id":"a"},"action":{"name":"read"},"resource":{"type":"document","id":"d"}}'
PATIENT = {"WRIT_MAX_FAILED_ATTEMPTS": "1000000"}
CHANGES_NOTHING = re.compile(rb"date: [^\r]*\r\n|writ-decision-id: [^\r]*\r\n|x-request-id: [0-9a-f]{32}\r\n")
LINES = [
    b"Host: test",
    b"Content-Type: application/json",
    b"Authorization: Bearer " + KEY.encode(),
    b"Content-Length: %d" % len(BODY),
]
NAMED = [b"X-Request-ID: 7", b"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]
ODD_LINES = [
    *(
        b"Content-Length: " + value
        for value in (b"0", b"+101", b"0101", b"101 ", b"101, 101", b"9" * 30, b"-1", b"x", b"")
    ),
    *(b"Content-Length:\t%d" % len(BODY), b"content-length: %d" % len(BODY), b"Content-Length : %d" % len(BODY)),
    *(b"Content-Length: %d" % (len(BODY) + more) for more in (-1, 1)),
    *(b"Authorization: " + value for value in (b"Bearer wrong", b"bearer " + KEY.encode(), b"Bearer  " + KEY.encode())),
    *(b"Authorization: " + value for value in (b"Basic eDp5", b"", b"Bearer", b"Bearer " + b"x" * 5_000)),
    *(
        b"X-Request-ID: " + value
        for value in (b"8", b"", b" ", b"a b", b"\xe6", b"7,8", b"x" * 300, b"a\x00b", b"\x7f")
    ),
    *(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", b"Expect: 100-continue", b"Connection: close"),
    *(b"Connection: keep-alive", b"Connection: Upgrade", b"Upgrade: h2c", b"Origin: http://x", b" folded", b"no-colon"),
    *(b"Host: other", b"Host:", b"X-Nothing: 1", b"Writ-Min-Revision: x", b"Content-Type: text/plain", b": empty name"),
    *(b"traceparent: ", b"traceparent: x y", b"X-Long: " + b"x" * 9_000, b"X-Bare: a\rb", b"X-Bare: a\nb"),
]
FIRST = b"POST /access/v1/evaluation HTTP/1.1"
ODD_FIRST = [
    *(
        b"post /access/v1/evaluation HTTP/1.1",
        b"GET /access/v1/evaluation HTTP/1.1",
        b"PUT /access/v1/evaluation HTTP/1.1",
    ),
    *(
        b"POST /access/v1/evaluations HTTP/1.1",
        b"POST /access/v1/evaluation HTTP/1.0",
        b"POST  /access/v1/evaluation HTTP/1.1",
    ),
    *(b"POST /access/v1/evaluation?x HTTP/1.1", b"POST /other HTTP/1.1", b"POST /access/v1/evaluation HTTP/1.2", b"X"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("heads") / "data", settings=PATIENT) as started:
        yield started


def sent(lines: list[bytes], first: bytes = FIRST, ends: bytes = b"\r\n", body: bytes = BODY) -> bytes:
    return first + ends + b"".join(line + ends for line in lines) + ends + body


def mutated(random: Random) -> bytes:
    """A request whose head differs from the usual one in a few places, or in none."""
    lines = [*LINES, *random.sample(NAMED, random.randrange(3))]
    for _ in range(random.choice((0, 1, 1, 2))):
        at, change = random.randrange(len(lines)), random.randrange(6)
        if change == 0:
            lines.insert(at, random.choice(ODD_LINES))
        elif change == 1:
            lines[at] = random.choice(ODD_LINES)
        elif change == 2:
            lines[at] = random.choice((bytes.upper, bytes.lower, bytes.swapcase))(lines[at])
        elif change == 3:
            lines.insert(at, lines.pop(random.randrange(len(lines))))
        elif change == 4:
            lines[at] = random.choice(
                (lines[at] + b" ", lines[at].replace(b": ", b":"), lines[at].replace(b":", b":  "))
            )
        else:
            lines.insert(at, random.choice(lines))
    first = FIRST if random.random() < 0.9 else random.choice(ODD_FIRST)
    return sent(lines, first, b"\n" if random.random() < 0.02 else b"\r\n")


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with TLS."""
    folder = tmp_path_factory.mktemp("secure")
    authority = Authority(folder, "authority")
    options, trust = authority.pair("server").options, authority.trust()
    with running(folder / "data", *options, settings=PATIENT, trust=trust) as started:
        yield started


def warmed(server: Server, lines: list[bytes]) -> socket.socket:
    """A connection on which the usual head came often enough."""
    with_length = RawConnection(server.host, server.port, server.trust)
    for _ in range(4):
        with_length.send(sent(lines))
        assert with_length.answer().status == 200
    return with_length.socket


def told(connection: socket.socket, data: bytes) -> bytes:
    """All that comes to a request and to another one after it, which ends the connection.

    Over TLS, a client that ends its own side loses what is not answered yet. So the last answer ends the conversation.
    """
    secure = isinstance(connection, ssl.SSLSocket)
    with connection:
        connection.sendall(data + sent([*LINES, b"Connection: close"]))
        if not secure:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        try:
            while not (secure and _is_last(found)) and (piece := connection.recv(65_536)):
                found += piece
        except (ConnectionResetError, ssl.SSLEOFError):
            found += b"(reset)"
    return CHANGES_NOTHING.sub(b"", found)


def _is_last(answers: bytes) -> bool:
    """Returns whether the last of the answers is complete, and says that the connection ends."""
    head, end, body = answers.rpartition(b"HTTP/1.1 ")[2].partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return bool(end) and b"connection: close" in head and (length is None or len(body) >= int(length[1]))


@settings(max_examples=90)
@given(st.integers(0, 2**64))
def test_a_warm_connection_answers_as_a_cold_one(server: Server, seed: int) -> None:
    random = Random(seed)
    data, usual = mutated(random), [*LINES, *random.choice(([], NAMED, NAMED[:1]))]
    cold = told(socket.create_connection((server.host, server.port)), data)
    assert told(warmed(server, usual), data) == cold, data


@settings(max_examples=40)
@given(st.integers(0, 2**64))
def test_a_warm_connection_answers_as_a_cold_one_over_tls(secure: Server, seed: int) -> None:
    random = Random(seed)
    data, usual = mutated(random), [*LINES, *random.choice(([], NAMED, NAMED[:1]))]
    cold = told(RawConnection(secure.host, secure.port, secure.trust).socket, data)
    assert told(warmed(secure, usual), data) == cold, data


def test_a_wrong_credential_on_a_warm_connection_is_refused_at_once(server: Server) -> None:
    with RawConnection(server.host, server.port) as raw:
        for _ in range(4):
            raw.send(sent(LINES))
            assert raw.answer().status == 200
        for wrong, status in ((True, 401), (False, 200), (True, 401)):
            raw.send(sent(LINES).replace(KEY.encode(), KEY.encode()[:-1] + b"?") if wrong else sent(LINES))
            assert raw.answer().status == status


def test_a_warm_connection_answers_pipelined_requests_in_order_however_they_are_cut(server: Server) -> None:
    random, ids = Random("pipelined"), [f"id-{number}" for number in range(40)]
    data = b"".join(sent([*LINES, f"X-Request-ID: {id}".encode()]) for id in ids)
    with RawConnection(server.host, server.port) as raw:
        begun = 0
        for at in [*sorted(random.sample(range(1, len(data)), 15)), len(data)]:
            raw.send_read(data[begun:at])
            begun = at
        assert [raw.answer().headers["x-request-id"] for _ in ids] == ids


@pytest.mark.parametrize("withdraws", ["key", "commit"])
def test_a_withdrawal_or_a_commit_counts_for_the_very_next_request(server: Server, withdraws: str) -> None:
    """The connection is warm, and the credential and the engine are kept."""
    with server.client() as client, RawConnection(server.host, server.port) as raw:
        made = client.post("/v1/api-keys", json={"name": "w", "scopes": ["read"]}).raise_for_status().json()
        data = sent(LINES).replace(KEY.encode(), made["key"].encode())
        for _ in range(20):
            raw.send(data)
            assert raw.answer().json["decision"] is False
        if withdraws == "key":
            client.delete(f"/v1/api-keys/{made['id']}").raise_for_status()
            raw.send(data)
            assert raw.answer().status == 401
            return
        for allowed in (True, False) * 5:
            model = {"model": 1, **(PERMITTING if allowed else {})}
            client.put("/v1/environments/default/model", json=model).raise_for_status()
            raw.send(data)
            assert raw.answer().json["decision"] is allowed


PERMITTING = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}


class Sink:
    """Keeps the heads that a parser reads."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def head(self, request: Request) -> None:
        self.requests.append(request)

    def body(self, data: bytes) -> None:
        pass

    def end(self) -> None:
        pass


def parsed(data: bytes) -> Request:
    sink = Sink()
    RequestParser(sink, lambda _: True).feed(data)
    return sink.requests[0]


def learned(*requests: bytes) -> KnownHeads:
    heads = KnownHeads()
    for data in requests:
        heads.learn(data, parsed(data))
    return heads


@settings(max_examples=1_000)
@given(st.integers(0, 2**64))
def test_a_known_head_is_read_as_the_parser_reads_it(seed: int) -> None:
    random = Random(seed)
    usual = sent([*LINES, *random.choice(([], NAMED, NAMED[:1]))])
    (known,) = learned(usual, usual).heads
    data = mutated(random)
    end = known.read(data, 0)
    if end:
        right, found = parsed(data[:end]), known.request  # what follows may be no request
        assert end == data.index(b"\r\n\r\n") + 4
        assert found.fields == right.fields
        assert (found.method, found.target, found.length, found.keep_alive) == (
            right.method,
            right.target,
            right.length,
            right.keep_alive,
        )
        assert found.id == right.id or b"x-request-id" not in right.fields


def test_a_head_is_learned_when_it_comes_twice_in_a_row() -> None:
    one, other = sent(LINES), sent([*LINES, b"X-Other: 1"])
    assert learned(one, other, one, other).heads == ()
    assert len(learned(one, one, other, other).heads) == 2
    assert len(learned(*[one] * (MOST_LEARNED + 2), other, other).heads) == 2, "one is learned once"
    many = [sent([*LINES, b"X-Other: %d" % number]) for number in range(MOST_LEARNED)]
    assert len(learned(*(data for data in many for _ in range(2))).heads) == MOST_KNOWN
    assert learned(*many, one, one).heads == (), "so much for a client whose heads all differ"
    long = sent([*LINES, b"X-Other: " + b"x" * LONGEST])
    assert learned(long, long).heads == ()


def test_a_known_head_keeps_no_credential() -> None:
    data = sent(LINES)
    (known,) = learned(data, data).heads
    assert known.read(data, 0)
    known.forget()
    shown = str([known.request, known._match, known._holes])
    assert KEY not in shown
