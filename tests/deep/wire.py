"""A real server: decision lane against application, answers and searches over HTTP against the oracle, and framing."""

import json
import socket
from typing import Any

from tests.api.server.test_framing import REFUSED, SMUGGLED
from tests.api.server.test_lane_law import BATCH, HEADERS, PATIENT, ROOTS, SEARCH, SINGLE, both, searched, told
from tests.deep.task import Task
from tests.deep.wire_searches import check_search
from tests.runtime.test_agreement import judged
from tests.support import oracle
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running
from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request

HOSTILE = (b"", b"{", b"[]", b"\xff\xfe", b'{"a":' * 400 + b"1" + b"}" * 400, b'{"evaluations": [1, null, {}, []]}')
REFUSALS = (b"400", b"404", b"413", b"414", b"431", b"501")
"""Which one depends on the cuts: a path that is not served is told before its body is read."""

UNSENDABLE = (b"nests deeper than", b"surrogate", b"too-long", b"too-large", b"not valid JSON", b"not JSON")
"""Why an evaluation is refused over HTTP that in process has an answer."""

TIMED = ("assignments", "grants", "policies")
"""The lists of a model whose elements may depend on the clock."""

SERVER_SECONDS = 8.0
"""How long one model is served."""


def check_wire(task: Task) -> None:
    """A server with a fresh model, for some seconds each time."""
    served = 0
    while task.left > 0:
        pick, folder = Pick.seeded(task.fresh_seed()), task.folder / f"{served}"
        folder.mkdir()
        model = document(pick)
        if pick.chance(3, 4):
            model = without_times(model)
        (folder / "model.json").write_text(json.dumps(model))
        with running(folder / "data", "--import", str(folder / "model.json"), settings=PATIENT) as server:
            check_server(task, pick, model, server, task.left - SERVER_SECONDS)
            if server.process.poll() is not None:
                task.fail(f"the server ended: {server.log[-500:]}")
        served += 1


def check_server(task: Task, pick: Pick, model: dict[str, Any], server: Server, until: float) -> None:
    """Ordinary and hostile requests, two ways each, and damaged framing in between."""
    raw = RawConnection(server.host, server.port)
    while task.left > max(0, until):
        if pick.chance(1, 6):
            check_framing(task, pick, server)
        if pick.chance(1, 8):
            raw.socket.close()
            raw = RawConnection(server.host, server.port)
        sent = hostile(pick, model) if pick.chance(1, 3) else ordinary(pick, model)
        compare(task, raw, sent)
        check_answer(task, raw, model, a_request(pick, model))
        if is_timeless(model):
            check_search(task, raw, model, a_request(pick, model), pick)
    raw.socket.close()


def ordinary(pick: Pick, model: dict[str, Any]) -> bytes:
    """A request to one of the endpoints that the lane answers."""
    asked = [a_request(pick, model) for _ in range(pick.number(1, 4))]
    bodies = ((SINGLE, asked[0]), (BATCH, {"evaluations": asked}), (BATCH, asked[0]), (SEARCH, searched(asked[0])))
    path, body = bodies[pick.number(0, 3)]  # not copied: some values nest too deeply for that
    return request("POST", pick.one(ROOTS) + path, json.dumps(body).encode(), pick.one(HEADERS), KEY)


def hostile(pick: Pick, model: dict[str, Any]) -> bytes:
    """A request with a broken body, key or content type."""
    body = bytearray(json.dumps(a_request(pick, model)).encode())
    for _ in range(pick.number(1, 3)):
        body[pick.number(0, len(body) - 1)] = pick.number(0, 255)
    broken = pick.one((bytes(body), bytes(body[: pick.number(0, len(body))]), pick.one(HOSTILE)))
    types = ({}, {}, {"Content-Type": "text/plain"}, {"Content-Type": ""})
    path = pick.one((SINGLE, BATCH, SEARCH, SINGLE + "?x=1", SINGLE + "/"))
    return request("POST", path, broken, pick.one(types), pick.one((KEY, KEY, KEY + "x", None)))


def compare(task: Task, raw: RawConnection, sent: bytes) -> None:
    """The lane and the application give equal answers."""
    answers = both(raw, sent)
    if told(answers[0]) != told(answers[1]) or answers[0].status >= 500:
        task.fail(f"the lane says {told(answers[0])}, the application {told(answers[1])}, to {sent[:2_000]!r}")
    task.count()


def check_answer(task: Task, raw: RawConnection, model: dict[str, Any], asked: dict[str, Any]) -> None:
    """An evaluation over HTTP is the oracle's, at an instant that the request brings or no clock matters."""
    if not is_timeless(model):
        return
    try:
        raw.send(request("POST", SINGLE, json.dumps(asked).encode("ascii"), key=KEY))
    except UnicodeEncodeError:
        return
    answer = raw.answer()
    expected = oracle.decide(model, asked, 0.0)
    if answer.status == 400 and any(why in answer.body for why in UNSENDABLE):
        return
    limited = any("rate_limit" in policy.get("conditions", {}) for policy in model.get("policies", []))
    if not limited and (answer.status != 200 or judged(answer.json) != expected):
        task.fail(f"{answer.status} {answer.body!r}, the oracle says {expected}, to {asked} of {model}")
    task.count()


def without_times(model: dict[str, Any]) -> dict[str, Any]:
    """The model without what depends on the clock, so that the oracle can say what a server must answer."""
    found = {name: [one for one in many if is_timeless({name: [one]})] for name, many in model.items() if name in TIMED}
    return model | found


def is_timeless(model: dict[str, Any]) -> bool:
    """Returns whether no answer depends on the clock."""
    rows = [*model.get("assignments", []), *model.get("grants", [])]
    if any("starts_at" in row or "expires_at" in row for row in rows):
        return False
    return '"now"' not in json.dumps(model) and not any(
        "time_window" in policy.get("conditions", {}) for policy in model.get("policies", [])
    )


def check_framing(task: Task, pick: Pick, server: Server) -> None:
    """An ambiguous message is refused, however it is cut, and nothing after it is read."""
    name = pick.one(sorted(REFUSED))
    whole = REFUSED[name][0] + SMUGGLED
    cuts = sorted(pick.number(1, len(whole) - 1) for _ in range(pick.number(0, 3)))
    with RawConnection(server.host, server.port) as raw:
        raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = exchange(raw, [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)])
    codes = [line.split(b" ")[1] for line in answers.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    if len(codes) > 1 or any(code not in REFUSALS for code in codes):
        task.fail(f"{name}, cut at {cuts}: answered {answers[:500]!r}")
    task.count()


def exchange(raw: RawConnection, pieces: list[bytes]) -> bytes:
    """All that the server says until it closes; a reset ends it too."""
    found = b""
    try:
        for piece in pieces:
            raw.send(piece)
        while piece := raw.socket.recv(65_536):
            found += piece
    except (ConnectionError, TimeoutError):
        pass
    return found
