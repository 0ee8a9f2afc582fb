"""The decision lane and the application give the same answers, byte for byte and header for header.

Each request is sent twice to a real service: as it is, and with a field that comes twice. That second field means
nothing to the application, and the lane leaves every request in which a field is repeated.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.raw_http import Answer, RawConnection, request
from tests.support.server import KEY, Server, running
from tests.support.strategies import seeded_case
from tests.support.strategies_requests import requests

SINGLE, BATCH, SEARCH = "/access/v1/evaluation", "/access/v1/evaluations", "/access/v1/search/resource"
MADE = re.compile("^[0-9a-f]{32}$|^[0-9a-f]{16}-[0-9a-f]+$")
UNUSUAL = b"X-Nothing: 1\r\nX-Nothing: 2\r\n"
MODEL = seeded_case(11)[0]


ROOTS = ("", "/environments/default", "/environments/other", "/environments/none", "/environments/%64efault")
HEADERS = ({}, {"X-Request-ID": "7"}, {"X-Request-ID": "æ"}, {"Content-Type": "application/json;charset=utf-8"})
PATIENT = {"WRIT_MAX_FAILED_ATTEMPTS": "1000000", "WRIT_SWEEP_DAYS": "0"}
"""Settings with which no attempt is too many, and no sweep makes a revision between two answers."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("lane")
    (folder / "model.json").write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(folder / "model.json"), settings=PATIENT) as started:
        with started.client() as client:
            assert client.post("/v1/environments", json={"id": "other"}).status_code == 201
        yield started


@pytest.fixture(scope="module")
def raw(server: Server) -> Iterator[RawConnection]:
    with RawConnection(server.host, server.port) as connection:
        yield connection


def both(raw: RawConnection, sent: bytes) -> tuple[Answer, Answer]:
    """Returns the answers to a request as it is, and with the repeated field."""
    head, _, body = sent.partition(b"\r\n\r\n")
    raw.send(sent)
    ordinary = raw.answer()
    raw.send(head + b"\r\n" + UNUSUAL + b"\r\n" + body)
    return ordinary, raw.answer()


def told(answer: Answer) -> tuple[int, str, list[tuple[str, str]], bytes]:
    """Returns an answer without what depends on the second, and a made id: all else, its headers in their order."""
    headers = [(name, MADE.sub("made", value)) for name, value in answer.headers.items() if name != "date"]
    return answer.status, answer.reason, headers, answer.body


def searched(found: dict[str, Any]) -> dict[str, Any]:
    search = {part: found[part] for part in ("subject", "action") if part in found}
    return search | {"resource": {"type": found["resource"].get("type")}, "options": {"return": "filter"}}


@settings(max_examples=90)
@given(
    st.lists(requests(MODEL), min_size=1, max_size=4),
    st.sampled_from(
        ["", "/environments/default", "/environments/other", "/environments/none", "/environments/%64efault"]
    ),
    st.sampled_from(
        [{}, {"X-Request-ID": "7"}, {"X-Request-ID": "æ"}, {"Content-Type": "application/json;charset=utf-8"}]
    ),
)
def test_on_ordinary_requests(
    raw: RawConnection, found: list[dict[str, Any]], root: str, headers: dict[str, str]
) -> None:
    for path, body in (
        (SINGLE, found[0]),
        (BATCH, {"evaluations": found}),
        (BATCH, found[0]),
        (SEARCH, searched(found[0])),
        (SEARCH, searched(found[0])),  # the second time the filter is remembered
    ):
        sent = request("POST", root + path, json.dumps(body).encode(), headers, KEY)
        ordinary, unusual = both(raw, sent)
        assert told(ordinary) == told(unusual)


HOSTILE_BODIES = st.one_of(
    st.binary(max_size=50),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    ).map(lambda value: json.dumps(value).encode()),
    st.sampled_from(
        [
            b"",
            b"{",
            b"[]",
            b'{"a":' * 400 + b"1" + b"}" * 400,
            b'{"subject": "a", "subject": {"type": "user", "id": "a"}}',
            b'{"evaluations": [1, null, {}, []]}',
            b'{"evaluations": [{}], "options": {"evaluations_semantic": "x"}}',
            b'{"evaluations": {}, "options": {"explain": true}}',
            b'{"options": {"return": "results"}}',
            b"\xff\xfe",
            b"x" * 70_000,
        ]
    ),
)


@settings(max_examples=90)
@given(
    HOSTILE_BODIES,
    st.sampled_from([SINGLE, BATCH, SEARCH, SINGLE + "?x=1", SINGLE + "/", "/access/v1/search/subject"]),
    st.sampled_from([KEY, KEY + "x", "", None, "\u00e6"]),
    st.sampled_from(["application/json", "Application/JSON", "text/plain", "application/json ", ""]),
)
def test_on_hostile_requests(raw: RawConnection, body: bytes, path: str, key: str | None, content_type: str) -> None:
    sent = request("POST", path, body, {"Content-Type": content_type}, key)
    ordinary, unusual = both(raw, sent)
    assert told(ordinary) == told(unusual)


@pytest.mark.parametrize("change", [(b"HTTP/1.1", b"HTTP/1.0"), (b"Host:", b"Connection: close\r\nHost:")])
def test_on_a_connection_that_ends(server: Server, change: tuple[bytes, bytes]) -> None:
    body = {part: {"type": "a", "id": "b", "name": "c"} for part in ("subject", "action", "resource")}
    sent = request("POST", SINGLE, json.dumps(body).encode(), {}, KEY).replace(*change, 1)
    answers = []
    for one in (sent, sent.replace(b"\r\n\r\n", b"\r\n" + UNUSUAL + b"\r\n", 1)):
        with RawConnection(server.host, server.port) as raw:
            raw.send(one)
            answers.append(told(raw.answer()))
            assert raw.is_closed()
    assert answers[0] == answers[1]
