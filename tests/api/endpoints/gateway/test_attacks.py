"""A client or a careless gateway tries to pass for another user or another request: raw bytes to a real service."""

import threading
from collections.abc import Iterator

import pytest

from tests.api.endpoints.gateway.test_gateways_served import BY_HEADER, DEFAULT, MODEL
from tests.support.raw_http import RawConnection
from tests.support.server import KEY, Server, running

OWN = f"X-Writ-Authorization: Bearer {KEY}"
METHOD, HOST, TARGET = "X-Original-Method: GET", "X-Original-Host: shop.example", "X-Original-URI: /documents/d1"
ALICE, MALLORY = "X-Writ-Subject: user:alice", "X-Writ-Subject: user:mallory"
NGINX = "GET /gateway/nginx HTTP/1.1"
CHUNKED = "1\r\nx\r\n0\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("attacks") / "data", workers=1) as started, started.client() as client:
        client.put(f"{DEFAULT}/model", json=MODEL).raise_for_status()
        client.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()
        yield started


def status(server: Server, *lines: str, body: str = "") -> int:
    with RawConnection(server.host, server.port) as raw:
        raw.send("\r\n".join([*lines[:1], "Host: writ", *lines[1:], "", body]).encode("latin-1"))
        return raw.answer().status


def test_the_request_that_the_attacks_change_is_allowed(server: Server) -> None:
    assert status(server, NGINX, OWN, METHOD, HOST, TARGET, ALICE) == 200
    assert status(server, "GET /gateway/envoy/documents/d1 HTTP/1.1", OWN, ALICE) == 200


@pytest.mark.parametrize(
    "subject",
    [
        f"{MALLORY}\r\n{ALICE}",
        f"{ALICE}\r\n{MALLORY}",
        f"{ALICE}\r\nx-wRIT-subject: user:alice",
        f"X-Writ-Subject:\r\n{ALICE}",
        "X_Writ_Subject: user:alice",
        f"{MALLORY}\r\nX_Writ_Subject: user:alice",
        f"{ALICE}\r\nX_Writ_Subject: user:mallory",
        f"{ALICE}\r\nX.Writ.Subject: user:mallory",
        f"X-Writ!Subject: user:mallory\r\n{ALICE}",
        f"{ALICE}\r\nX-Original.URI: /documents/d2",
        f"{ALICE}\r\nX.Writ_Authorization: Bearer other",
        "X-Writ-Subject : user:alice",
        "X-Writ-Subject: user:mallory\r\n ,user:alice",
        "X-Any: x\r\n X-Writ-Subject: user:alice",
        "X-Any: x\rX-Writ-Subject: user:alice",
        "X-Any: x\nX-Writ-Subject: user:alice",
        "X-Writ-Subject: user:alice\0",
        "X-Writ-Subject: user:alice\x0b",
        "X-Writ-Subject: user:\talice",
        "X-Writ-Subject:\xa0user:alice",
        "X-Writ-Subject: user:mallory, user:alice",
        "X-Writ-Subject: user:" + "a" * 8_150,
        "X-Writ-Subject: user:" + "a" * 9_000,
        f"Connection: X-Writ-Subject\r\n{MALLORY}",
    ],
    ids=ascii,
)
def test_nobody_passes_for_another_user(server: Server, subject: str) -> None:
    assert status(server, NGINX, OWN, METHOD, HOST, TARGET, subject) in (400, 401, 403, 431)


def test_a_body_and_a_trailer_name_nobody(server: Server) -> None:
    post, told = "POST /gateway/nginx HTTP/1.1", (OWN, METHOD, HOST, TARGET)
    assert status(server, post, *told, "Transfer-Encoding: chunked", body=f"{CHUNKED}{ALICE}\r\n\r\n") == 401
    assert status(server, post, *told, "Content-Length: 28", body=f"{ALICE}\r\n\r\n") == 401
    assert status(server, post, *told, "Transfer-Encoding: chunked", "Content-Length: 5", body="0\r\n\r\n") == 400


@pytest.mark.parametrize(
    "host", ["a@shop.example", "shop.example/", "shop.example:80:80", "[::1", "shop.example#", "a, b", "[::1]x", "\xe9"]
)
def test_a_host_with_two_readings_is_refused(server: Server, host: str) -> None:
    assert status(server, NGINX, OWN, METHOD, TARGET, ALICE, f"X-Original-Host: {host}") == 403


@pytest.mark.parametrize(
    "line",
    [
        "GET http://writ/gateway/envoy/documents/d1",
        "GET *",
        "GET /gateway/envoy",
        "GET /gateway/envoy?x=/documents/d1",
        "GET /gateway/envoy%2fdocuments/d1",
        "GET //gateway/envoy/documents/d1",
        "GET /x/../gateway/envoy/documents/d1",
        "GET /gateway/envoy/documents/d1#x",
        "GET /gateway/envoy/documents/d1%3fx",
        "GET /gateway/envoy/documents/..%20/d1",
        "GET /gateway/envoy\\documents\\d1",
        "GET /environments//gateway/envoy/documents/d1",
        "GET /environments/default/../default/gateway/envoy/documents/d1",
        "PUT /gateway/envoy/documents/d1?mode=draft&m%6fde=final",
        "PUT /gateway/envoy/documents/d1?mode=draft;mode=final",
        "get /gateway/envoy/documents/d1",
        "CONNECT /gateway/envoy/documents/d1",
        "DELETE /gateway/envoy/documents/d1",
    ],
)
def test_a_request_line_with_two_readings_is_refused(server: Server, line: str) -> None:
    override = "X-HTTP-Method-Override: GET"
    assert status(server, f"{line} HTTP/1.1", OWN, ALICE, override) in (400, 403, 404, 501)


STRAYING = (
    "/gateway/{}/../../y",
    "/gateway/{}/..",
    "/gateway/{}/%2e%2e/%2E./x",
    "/gateway/{}/..%2f..%2Fx",
    "/gateway/{}/..\\..\\x",
    "/gateway/{}/..%5c..%5cx",
    "/gateway/{}/..;/..;x=1/x",
    "/gateway/{}/.",
    "/environments/default/gateway/{}/../../../../x",
)


@pytest.mark.parametrize("contract", ["envoy", "nginx", "traefik", "caddy", "apisix"])
@pytest.mark.parametrize("path", STRAYING)
def test_a_path_that_leaves_the_gateways_is_refused(server: Server, path: str, contract: str) -> None:
    """A proxy that resolves it reads a path that it lets through. So even the right credential does not help."""
    told = [METHOD, HOST, TARGET, "X-Forwarded-Method: GET", "X-Forwarded-Host: shop.example", ALICE]
    told.append("X-Forwarded-Uri: /documents/d1")
    line = f"GET {path.format(contract)} HTTP/1.1"
    for credential in ([OWN], []):
        with RawConnection(server.host, server.port) as raw:
            raw.send("\r\n".join([line, "Host: writ", *credential, *told, "", ""]).encode("latin-1"))
            answer = raw.answer()
        assert (answer.status, answer.headers.get("x-writ-reason-code")) == (403, "REQUEST_REFUSED")
        assert "credential" not in str(answer.json["error"])
    for environment in (".", ".."):
        assert status(server, f"GET /environments/{environment}/gateway/{contract} HTTP/1.1", OWN, *told) == 404


def test_dots_that_lead_nowhere_are_not_refused(server: Server) -> None:
    for path in ("/gateway/nginx/...", "/gateway/nginx/.x", "/gateway/nginx/x..", "/gateway/nginx?x=/../y"):
        assert status(server, f"GET {path} HTTP/1.1", OWN, METHOD, HOST, TARGET, ALICE) == 200


def test_users_of_one_connection_are_never_mixed_up(server: Server) -> None:
    """Many requests are under way at once, and the settings change meanwhile."""
    ended = threading.Event()

    def change() -> None:
        with server.client() as client:
            number = 0
            while not ended.is_set():
                number += 1
                told = {"X-User": "subject_id", f"X-Revision-{number}": "revision"}
                client.put(f"{DEFAULT}/gateway", json=BY_HEADER | {"response_headers": told}).raise_for_status()

    changing = threading.Thread(target=change)
    changing.start()
    users = ["alice", "mallory", "mallory", "alice", "bob"] * 40
    heads = (["Host: writ", OWN, METHOD, HOST, TARGET, f"X-Writ-Subject: user:{user}", "", ""] for user in users)
    try:
        with RawConnection(server.host, server.port) as raw:
            raw.send("".join("\r\n".join([NGINX, *head]) for head in heads).encode())
            found = [raw.answer() for _ in users]
    finally:
        ended.set()
        changing.join()
        with server.client() as client:
            client.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()
    assert [one.status for one in found] == [200 if user == "alice" else 403 for user in users]
    assert {one.headers["x-user"] for one in found if one.status == 200} == {"alice"}
