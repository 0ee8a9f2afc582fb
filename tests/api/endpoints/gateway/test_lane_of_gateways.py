"""The decision lane and the application give gateways the same answers, byte for byte and header for header.

Each request is sent twice to a real service: as it is, and with `Expect`, which the lane leaves to the application.
"""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.endpoints.gateway.test_gateways_served import BY_HEADER, DEFAULT, MODEL
from tests.support.raw_http import Answer, RawConnection
from tests.support.server import KEY, Server, running

MADE = re.compile("^[0-9a-f]{32}$|^[0-9a-f]{16}-[0-9a-f]+$")
EXPECT = "Expect: 100-continue"
TELLING = BY_HEADER | {"max_cache_seconds": 60, "action_header": "X-Action"}
TARGETS = ("/documents/d1", "/documents/d%31", "/documents/d1/pages/2?x=1", "/documents/d1?mode=draft", "/", "//")
VALUES = ("user:alice", "user:mallory", "alice", "", "GET", "PUT", "read", "shop.example", "a b", "\u00e6", "https")
VALUES += ("::1", "/%2e", *TARGETS)
NAMES = ("X-Writ-Subject", "x-writ-subject", "X-Original-Method", "X-Original-URI", "X-Original-Host", "X-Tenant")
NAMES += ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host")
NAMES += ("X-Action",)
ROOTS = ("", "", "/environments/default", "/environments/none", "/environments/%64efault")
COMPLETE = (("X-Writ-Subject", "user:alice"), ("X-Original-Method", "GET"), ("X-Original-Host", "shop.example"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = {"WRIT_MAX_FAILED_ATTEMPTS": "1000000"}
    with running(tmp_path_factory.mktemp("lane") / "data", workers=1, settings=settings) as started:
        with started.client() as client:
            client.put(f"{DEFAULT}/model", json=MODEL).raise_for_status()
            client.put(f"{DEFAULT}/gateway", json=TELLING).raise_for_status()
        yield started


@pytest.fixture(scope="module")
def raw(server: Server) -> Iterator[RawConnection]:
    with RawConnection(server.host, server.port) as connection:
        yield connection


def told(answer: Answer) -> tuple[int, str, list[tuple[str, str]], bytes]:
    """Returns an answer without what depends on the second: all else, its headers in their order."""
    headers = [(name, MADE.sub("made", value)) for name, value in answer.headers.items() if name != "date"]
    return answer.status, answer.reason, headers, answer.body


def both(raw: RawConnection, lines: list[str]) -> list[tuple[int, str, list[tuple[str, str]], bytes]]:
    """Returns what the lane and the application answer."""
    answers = []
    for sent in (lines, [*lines, EXPECT]):
        raw.send("\r\n".join([*sent, "", ""]).encode("latin-1"))
        answers.append(told(raw.answer()))
    return answers


@settings(max_examples=120)
@given(
    st.sampled_from(ROOTS),
    st.sampled_from(("nginx", "caddy", "envoy", "other")),
    st.sampled_from(TARGETS),
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=4),
    st.booleans(),
    st.sampled_from((f"Bearer {KEY}", f"Bearer {KEY}", "Bearer wrong", "Basic x", None)),
)
def test_the_lane_answers_as_the_application(
    raw: RawConnection,
    root: str,
    contract: str,
    target: str,
    headers: list[tuple[str, str]],
    complete: bool,
    credential: str | None,
) -> None:
    sent = [*COMPLETE, ("X-Original-URI", target), *headers] if complete else headers
    lines = [f"GET {root}/gateway/{contract}{target if contract == 'envoy' else ''} HTTP/1.1", "Host: shop.example"]
    lines += [f"{name}: {value}" for name, value in sent]
    lines += [] if credential is None else [f"X-Writ-Authorization: {credential}"]
    by_lane, by_application = both(raw, lines)
    assert by_lane == by_application


def test_the_law_meets_what_is_allowed(raw: RawConnection) -> None:
    """Else the law would compare refusals only."""
    lines = ["GET /gateway/nginx HTTP/1.1", "Host: writ", f"X-Writ-Authorization: Bearer {KEY}"]
    lines += [f"{name}: {value}" for name, value in (*COMPLETE, ("X-Original-URI", "/documents/d1"))]
    assert [answer[0] for answer in both(raw, lines)] == [200, 200]
