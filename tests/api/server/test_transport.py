"""HTTP itself, over the wire: methods, bodies, headers, connections (authzen.md 68-72, 79-81, 97, 101; W8)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.api.conftest import ALLOWED
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
BODY = json.dumps(ALLOWED).encode()
MEBIBYTE = 1_048_576


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """The service on a small model."""
    with running(tmp_path_factory.mktemp("transport") / "data", "--import", str(model_file)) as started:
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def raw(server: Server) -> Any:
    with RawConnection(server.host, server.port) as connection:
        yield connection


def evaluation(body: bytes = BODY, headers: dict[str, str] | None = None) -> bytes:
    return request("POST", SINGLE, body, headers, key=KEY)


# -- X-Request-ID


@pytest.mark.parametrize("value", ["7", 'a b; c="d"', "\u00e6\u00f8\u00e5", "x" * 5_000])
@pytest.mark.parametrize(
    ("line", "status"),
    [
        (("POST", SINGLE, BODY, {}, KEY), 200),
        (("POST", BATCH, BODY, {}, KEY), 200),
        (("POST", SINGLE, b"{", {}, KEY), 400),
        (("POST", SINGLE, BODY, {"Content-Type": "text/plain"}, KEY), 400),
        (("POST", SINGLE, BODY, {}, None), 401),
        (("POST", SINGLE, BODY, {}, "wrong"), 401),
        (("POST", "/nowhere", BODY, {}, KEY), 404),
        (("GET", SINGLE, b"", {}, KEY), 405),
        (("POST", SINGLE, b" " * (MEBIBYTE + 1), {}, KEY), 413),
        (("GET", "/healthz", b"", {}, None), 200),
    ],
)
def test_the_request_id_comes_back_on_every_answer(raw: RawConnection, line: Any, status: int, value: str) -> None:
    method, path, body, headers, key = line
    raw.send(request(method, path, body, headers | {"X-Request-ID": value}, key))
    answer = raw.answer()
    assert (answer.status, answer.headers["x-request-id"]) == (status, value)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (evaluation(), 200),
        (evaluation(b"{"), 400),
        (request("GET", "/healthz"), 200),
        (request("GET", "/nowhere", key=KEY), 404),
        (request("GET", "/gateway/nginx"), 401),
        (request("GET", "/gateway/nginx", headers={"X-Writ-Authorization": f"Bearer {KEY}"}), 403),
        (request("PURGE", "/gateway/envoy/x", headers={"X-Writ-Authorization": f"Bearer {KEY}"}), 403),
        (b"what\r\n\r\n", 400),
    ],
)
def test_without_one_a_new_one_comes_back(server: Server, sent: bytes, status: int) -> None:
    ids = []
    for _ in range(2):
        with RawConnection(server.host, server.port) as raw:
            raw.send(sent)
            answer = raw.answer()
            assert answer.status == status
            ids.append(answer.headers["x-request-id"])
    assert len(set(ids)) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", id) for id in ids)


@pytest.mark.parametrize("path", ["/gateway/nginx", "/environments/nowhere/gateway/envoy/x"])
def test_it_comes_back_to_gateways(raw: RawConnection, path: str) -> None:
    for headers in ({}, {"X-Writ-Authorization": f"Bearer {KEY}"}):
        raw.send(request("GET", path, headers=headers | {"X-Request-ID": "r-7"}))
        assert raw.answer().headers["x-request-id"] == "r-7"


# -- methods and types


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", [SINGLE, BATCH])
def test_another_method_is_405(http: httpx.Client, method: str, path: str) -> None:
    answer = http.request(method, path, content=b"{}", headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert answer.json().keys() == {"error"}


@pytest.mark.parametrize("method", ["QUERY", "PROPFIND", "M-SEARCH"])
def test_a_method_of_another_protocol_is_405(raw: RawConnection, method: str) -> None:
    raw.send(request(method, SINGLE, key=KEY))
    answer = raw.answer()
    assert (answer.status, "POST" in answer.headers["allow"]) == (405, True)


@pytest.mark.parametrize("method", ["BREW", "CONNECT", "get"])
def test_a_method_that_nobody_knows_is_501(raw: RawConnection, method: str) -> None:
    """RFC 9110, 9.1: one that is known, and not served here, is 405."""
    raw.send(request(method, SINGLE))
    assert raw.answer().status == 501
    assert raw.is_closed()


def test_head_has_no_body(raw: RawConnection) -> None:
    raw.send(request("HEAD", SINGLE, key=KEY) + request("HEAD", "/readyz") + evaluation())
    assert raw.answer(to_head=True).status == 405
    assert raw.answer(to_head=True).status == 200
    assert raw.answer().status == 200


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_json_with_any_parameter(http: httpx.Client, content_type: str) -> None:
    assert http.post(SINGLE, content=BODY, headers={"Content-Type": content_type}).status_code == 200


@pytest.mark.parametrize(
    "headers", [{}, {"Content-Type": "text/plain"}, {"Content-Type": "multipart/form-data; boundary=x"}]
)
def test_another_content_type_is_400(http: httpx.Client, headers: dict[str, str]) -> None:
    assert http.post(SINGLE, content=BODY, headers=headers).status_code == 400


def test_no_and_a_wrong_credential_are_401(server: Server) -> None:
    """RFC 6750, 3.1: a credential that is wrong is told from none."""
    for headers, error in (
        ({}, ""),
        ({"Authorization": "Bearer wrong"}, ', error="invalid_token"'),
        ({"Authorization": f"Basic {KEY}"}, ""),
    ):
        answer = httpx.post(server.url + SINGLE, json=ALLOWED, headers=headers)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, f'Bearer realm="writ"{error}')


# -- bodies


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"[]",
        b"null",
        b'{"a": "\xff"}',
        rb'{"a": "\ud800"}',
        b'{"a": NaN}',
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b"[" * 500_000,
        b'{"a": "' + b"x" * 65_537 + b'"}',
        b'{"' + b"k" * 257 + b'": 1}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_bad_body_is_400(http: httpx.Client, body: bytes) -> None:
    for path in (SINGLE, BATCH):
        answer = http.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400
        assert answer.json().keys() == {"error", "details"}


def test_a_body_of_the_limit_is_read_and_one_byte_more_is_413(http: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    assert http.post(SINGLE, content=BODY.ljust(MEBIBYTE), headers=headers).status_code == 200
    answer = http.post(SINGLE, content=BODY.ljust(MEBIBYTE + 1), headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"] == "the body has 1048577 bytes, the limit is 1048576"
    assert http.post(SINGLE, content=BODY, headers=headers).status_code == 200


def test_an_announced_giant_is_refused_before_it_is_sent(raw: RawConnection) -> None:
    for line in ("", "Expect: 100-continue\r\n"):
        with RawConnection(*raw.socket.getpeername()) as connection:
            connection.send(evaluation(b"", {"Content-Length": "5000000000"})[:-2] + line.encode() + b"\r\n")
            answer = connection.answer()
            assert answer.status == 413
            assert "5000000000 bytes, the limit is 1048576" in str(answer.json["error"])
            assert answer.headers["connection"] == "close"
            assert connection.is_closed()


def test_a_chunked_body_is_read(raw: RawConnection) -> None:
    head = evaluation(b"", {"Transfer-Encoding": "chunked"}).replace(b"Content-Length: 0\r\n", b"")
    raw.send(head)
    for start in range(0, len(BODY), 7):
        piece = BODY[start : start + 7]
        raw.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    raw.send(b"0\r\n\r\n")
    assert raw.answer().json["decision"] is True


def test_a_chunked_body_without_end_is_413(raw: RawConnection) -> None:
    raw.send(evaluation(b"", {"Transfer-Encoding": "chunked"}).replace(b"Content-Length: 0\r\n", b""))
    chunk = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    for _ in range(17):
        raw.send(chunk)
    answer = raw.answer()
    assert answer.status == 413
    assert answer.json["error"] == "the body goes on after 1048576 bytes, the limit is 1048576"
    assert answer.headers["connection"] == "close"


def test_a_client_that_keeps_sending_still_reads_the_refusal(server: Server) -> None:
    """The answer comes before the body is through, and no reset may overtake it."""
    with RawConnection(server.host, server.port) as connection:
        connection.send(evaluation(b"", {"Content-Length": str(8 * MEBIBYTE)}))
        for _ in range(8):
            connection.send(b" " * MEBIBYTE)
        assert connection.answer().status == 413


def test_a_body_may_come_byte_by_byte(raw: RawConnection) -> None:
    for byte in evaluation():
        raw.send(bytes([byte]))
    assert raw.answer().status == 200


def test_a_client_that_waits_for_100_gets_it(raw: RawConnection) -> None:
    raw.send(evaluation(b"", {"Content-Length": str(len(BODY)), "Expect": "100-continue"}))
    assert raw.answer().status == 100
    raw.send(BODY)
    assert raw.answer().status == 200


def test_a_client_without_credential_gets_its_401_before_it_sends_the_body(raw: RawConnection) -> None:
    raw.send(request("POST", SINGLE, b"", {"Content-Length": str(len(BODY))}))
    assert raw.answer().status == 401
    raw.send(BODY + evaluation())  # the connection goes on behind the body that nobody read
    assert raw.answer().status == 200


@pytest.mark.parametrize("headers", [{"Transfer-Encoding": "chunked"}, {"Expect": "100-continue"}])
def test_a_rest_that_may_never_come_ends_the_connection(raw: RawConnection, headers: dict[str, str]) -> None:
    length = {} if "Transfer-Encoding" in headers else {"Content-Length": "5"}
    raw.send(request("POST", SINGLE, b"", headers | length).replace(b"Content-Length: 0\r\n", b""))
    answer = raw.answer()
    assert (answer.status, answer.headers["connection"]) == (401, "close")
    assert raw.is_closed()


# -- connections


def test_pipelined_requests_are_answered_in_order(raw: RawConnection) -> None:
    bodies = [BODY, b"{", b"", BODY]
    raw.send(b"".join(evaluation(body, {"X-Request-ID": str(number)}) for number, body in enumerate(bodies)))
    answers = [raw.answer() for _ in bodies]
    assert [answer.status for answer in answers] == [200, 400, 400, 200]
    assert [answer.headers["x-request-id"] for answer in answers] == ["0", "1", "2", "3"]


def test_the_body_of_a_request_may_come_after_the_answer_before_it(raw: RawConnection) -> None:
    """Its head came while an answer was made. That happens to every client after an answer from a file."""
    first = request("GET", "/v1/environments", key=KEY)
    other = {"Content-Type": "application/json; charset=utf-8"}  # so that the decision lane leaves it
    head, blank, body = request("POST", SINGLE, BODY, other, key=KEY).partition(b"\r\n\r\n")
    for _ in range(3):
        raw.send(first + head + blank)
        assert raw.answer().status == 200
        with RawConnection(*raw.socket.getpeername()) as other:  # its answer comes after the head was looked at
            other.send(request("GET", "/healthz"))
            assert other.answer().status == 200
        raw.send(body)
        assert raw.answer().status == 200


def test_a_connection_is_kept_through_errors(raw: RawConnection) -> None:
    for line, status in [
        (request("POST", SINGLE, BODY), 401),
        (request("GET", "/nowhere"), 404),
        (request("PUT", SINGLE, BODY, key=KEY), 405),
        (evaluation(b"{"), 400),
        (evaluation(), 200),
    ]:
        raw.send(line)
        assert raw.answer().status == status


def test_a_client_may_close_its_own_side_first(server: Server) -> None:
    with RawConnection(server.host, server.port) as connection:
        connection.send(evaluation() + evaluation(b"{"))
        connection.socket.shutdown(1)
        assert connection.answer().status == 200
        assert connection.answer().status == 400
        assert connection.is_closed()


def test_http_1_0_is_answered_and_closed(raw: RawConnection) -> None:
    raw.send(evaluation().replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert raw.answer().status == 200
    assert raw.is_closed()


def test_an_upgrade_that_is_not_offered_is_ignored(raw: RawConnection) -> None:
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    raw.send(request("GET", "/healthz", headers=headers))
    assert raw.answer().status == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nbad header\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else value,
)
def test_what_is_no_http_is_answered_in_json_and_closed(raw: RawConnection, head: bytes, status: int) -> None:
    raw.send(head)
    answer = raw.answer()
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.json.keys() == {"error"}
    assert raw.is_closed()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (request("PUT", "/v1/environments/default/model", b"{}", {"If-Match": '"x"'}, KEY), "412 Precondition Failed"),
        (evaluation(b"", {"Content-Length": str(MEBIBYTE + 1)}), "413 Content Too Large"),
        (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\n\r\n", "414 URI Too Long"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", "431 Request Header Fields Too Large"),
    ],
    ids=["412", "413", "414", "431"],
)
def test_the_status_line_has_the_phrase_of_its_status(raw: RawConnection, sent: bytes, status: str) -> None:
    """Whoever answers: the application or the connection (RFC 9110, 15)."""
    raw.send(sent)
    answer = raw.answer()
    assert f"{answer.status} {answer.reason}" == status


def test_a_broken_chunk_is_answered_with_the_request_id(raw: RawConnection) -> None:
    head = evaluation(b"", {"Transfer-Encoding": "chunked", "X-Request-ID": "7"})
    raw.send(head.replace(b"Content-Length: 0\r\n", b"") + b"xyz\r\n")
    answer = raw.answer()
    assert (answer.status, answer.headers["x-request-id"]) == (400, "7")


def test_every_id_can_be_addressed_filtered_by_and_paged_behind(http: httpx.Client) -> None:
    """The longest that there are (E1), in both forms that are longest: percent-encoded, and in a cursor."""
    env = "/v1/environments/default"
    for character in ("\N{MUSICAL SYMBOL G CLEF}", "\x01"):
        long, longest = character * 511, character * 512
        items = [{"type": longest, "id": id} for id in (long, longest)]
        assert http.post(f"{env}/subjects:batch", json={"items": items}).status_code == 201
        page = http.get(f"{env}/subjects", params={"type": longest, "external_id": longest, "limit": 1})
        assert page.json() == {"items": [], "next_cursor": None}
        page = http.get(f"{env}/subjects", params={"type": longest, "limit": 1})
        assert page.json()["items"] == items[:1]
        page = http.get(f"{env}/subjects", params={"type": longest, "cursor": page.json()["next_cursor"]})
        assert page.json()["items"] == items[1:]
        keys = ("subject.type", "subject.id", "resource.type", "resource.id")
        assert http.get(f"{env}/grants", params=dict.fromkeys(keys, longest)).status_code == 200
        for id in (long, longest):
            path = f"{env}/subjects/{quote(longest)}/{quote(id)}"
            assert http.delete(f"{path}?cascade=true").status_code == 204


def test_a_longer_first_line_is_414_and_says_how_long_it_may_be(http: httpx.Client) -> None:
    answer = http.get("/v1/environments/default/roles/" + "x" * 32_768)
    assert (answer.status_code, answer.json()) == (414, {"error": "the request line is longer than 32768 bytes"})


def test_a_transfer_coding_that_nobody_knows_is_refused(raw: RawConnection) -> None:
    raw.send(b"POST / HTTP/1.1\r\nTransfer-Encoding: unheard-of\r\n\r\n")
    assert raw.answer().status in (400, 501)  # the two parsers differ
    assert raw.is_closed()
