"""The callers of the soak, in their own processes: ordinary ones at a steady pace, hostile ones as fast as they can."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.deep.soak_model import BOUND, ROLES, SUBJECTS, patterns_model, user
from tests.support.raw_http import RawConnection, request

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
PACE = 0.01
"""Seconds between two calls of an ordinary caller. A call's time counts from when it was due, so a stall that delays
many calls counts for each of them."""

CALLERS = 2
_PATIENCE = 20.0


@dataclass
class Ordinary:
    """What ordinary callers saw: times in milliseconds from when a call was due, wrong answers, calls without any."""

    times: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lost: int = 0


@dataclass
class Hostile:
    """A hostile caller's connection data, choices and counts."""

    host: str
    port: int
    key: str
    random: Random
    until: float
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def goes_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.until

    def send(self, method: str, path: str, body: Any) -> None:
        """One call on a connection of its own."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with RawConnection(self.host, self.port) as raw:
                raw.socket.settimeout(max(0.1, min(_PATIENCE, self.until - time.monotonic())))
                raw.send(request(method, path, sent, key=self.key))
                self.answers[str(raw.answer().status)] += 1
        except (OSError, EOFError) as ex:
            self.answers["refused" if isinstance(ex, ConnectionError | EOFError) else "not in time"] += 1


def ordinary_caller(host: str, port: int, key: str, asked: list[Any], seed: int, seconds: float) -> Ordinary:
    """Ask at a steady pace on some connections, and compare each answer."""
    found, until = Ordinary(), time.monotonic() + seconds
    threads = [
        threading.Thread(target=_ask, args=(host, port, key, asked, Random(seed + number), until, found))
        for number in range(CALLERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _ask(host: str, port: int, key: str, asked: list[Any], random: Random, until: float, found: Ordinary) -> None:
    raw, due = None, time.monotonic()
    while (now := time.monotonic()) < until:
        time.sleep(max(0.0, due - now))
        body, expected = random.choice(asked)
        begun, due = due, due + PACE
        try:
            raw = raw or RawConnection(host, port)
            raw.send(request("POST", SINGLE, json.dumps(body).encode(), key=key))
            answer = raw.answer()
        except (OSError, EOFError):
            found.lost += 1
            raw = None
            continue
        found.times.append(1_000 * (time.monotonic() - begun))
        if not is_right(answer.status, answer.body, expected):
            found.wrong.append(f"{answer.status} {answer.body[:300]!r} to {body}, not {expected}")


def is_right(status: int, body: bytes, expected: dict[str, Any]) -> bool:
    """Whether an answer is the oracle's, apart from the words for people."""
    if status != 200:
        return False
    answer = json.loads(body)
    return {"decision": answer["decision"], **answer["context"], "reason": ""} == expected | {"reason": ""}


def hostile_caller(host: str, port: int, key: str, bound: str, seed: int, seconds: float) -> dict[str, dict[str, int]]:
    """Run all scenarios at once, and return how often each status came. `bound` is the key of models of patterns."""
    until = time.monotonic() + seconds
    callers = {
        name: Hostile(host, port, bound if name == "patterns" else key, Random(f"{seed} {name}"), until)
        for name in SCENARIOS
    }
    threads = [threading.Thread(target=_go_on, args=(SCENARIOS[name][1], callers[name])) for name in SCENARIOS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {name: dict(caller.answers) for name, caller in callers.items()}


def _go_on(scenario: Callable[[Hostile], None], caller: Hostile) -> None:
    while caller.goes_on:
        scenario(caller)


def evaluation(random: Random, **more: Any) -> dict[str, Any]:
    """A request about a random subject."""
    resource = {"type": "document", "id": f"d{random.randrange(SUBJECTS)}", "properties": {"level": 1} | more}
    return {"subject": user(random.randrange(SUBJECTS)), "action": {"name": "read"}, "resource": resource}


def huge_batch(caller: Hostile) -> None:
    """A batch of 1,000 with explanations, over one large value."""
    shared = evaluation(caller.random, level=["x" * 1_000] * caller.random.choice((1, 50, 900)))
    items = [{"subject": user(number % SUBJECTS)} for number in range(1_000)]
    caller.send("POST", BATCH, shared | {"evaluations": items, "options": {"explain": True}})


def deep_json(caller: Hostile) -> None:
    """Nesting, long keys and bodies beyond the limits."""
    depth, size = caller.random.choice((31, 33, 10_000)), caller.random.choice((100, 10_000, 2_000_000))
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    text = json.dumps(evaluation(caller.random, long="y" * size)).encode()
    caller.send("POST", SINGLE, caller.random.choice((nested, text, text[:-1], b"[" * 500_000)))


def slow_reader(caller: Hostile) -> None:
    """Asks for much and reads nothing for a while."""
    body = evaluation(caller.random) | {"evaluations": [{}] * 1_000, "options": {"explain": True}}
    sent = request("POST", BATCH, json.dumps(body).encode(), key=caller.key)
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        raw.settimeout(5)
        try:
            raw.connect((caller.host, caller.port))
            raw.sendall(sent * 4)
        except OSError:
            caller.answers["refused"] += 1
        time.sleep(max(0.0, min(3.0, caller.until - time.monotonic())))
        caller.answers["left unread"] += 1


def half_requests(caller: Hostile) -> None:
    """Many connections that begin a request and stop."""
    sent = request("POST", SINGLE, json.dumps(evaluation(caller.random)).encode(), key=caller.key)
    opened: list[socket.socket] = []
    try:
        for _ in range(50):
            opened.append(socket.create_connection((caller.host, caller.port), 5))
            opened[-1].sendall(sent[: caller.random.randrange(1, len(sent))])
        time.sleep(max(0.0, min(2.0, caller.until - time.monotonic())))
        caller.answers["left half"] += 50
    except OSError:
        caller.answers["refused"] += 1
    for one in opened:
        one.close()


def new_role_sets(caller: Hostile) -> None:
    """Subjects that nobody has asked about, each with a set of roles of its own, in one batch."""
    number = caller.random.getrandbits(32)
    base = "/v1/environments/default/assignments"
    for role in caller.random.sample(range(ROLES), 3):
        caller.send("POST", base, {"role": f"r{role}", "subject": {"type": "user", "id": f"new {number}"}})
    items = [{"subject": {"type": "user", "id": f"new {number} {place}"}} for place in range(300)]
    caller.send("POST", BATCH, evaluation(caller.random) | {"evaluations": [{}, *items]})


def subject_searches(caller: Hostile) -> None:
    """Who may read this."""
    asked = evaluation(caller.random)
    caller.send("POST", "/access/v1/search/subject", asked | {"subject": {"type": "user"}})


def many_patterns(caller: Hostile) -> None:
    """A model of many regular expressions in an environment of one's own, and questions to it."""
    root = f"/environments/{BOUND}"
    written = patterns_model(caller.random.choice((10, 100)), 50, caller.random.getrandbits(20))
    caller.send("PUT", f"/v1{root}/model", written)
    texts = {f"k{place}": "ab" * 200 for place in range(50)}
    for _ in range(3):
        caller.send("POST", root + SINGLE, evaluation(caller.random, **texts))


def management_writes(caller: Hostile) -> None:
    """Elements that come and go."""
    base, id = "/v1/environments/default/roles", f"comes{caller.random.getrandbits(32)}"
    caller.send("POST", base, {"id": id})
    caller.send("DELETE", f"{base}/{id}", b"")


SCENARIOS: Final[dict[str, tuple[str, Callable[[Hostile], None]]]] = {
    "batches": ("huge batches with explanations", huge_batch),
    "json": ("deep and large JSON", deep_json),
    "readers": ("slow readers", slow_reader),
    "halves": ("half requests", half_requests),
    "roles": ("new sets of roles", new_role_sets),
    "searches": ("subject searches", subject_searches),
    "patterns": ("models of many patterns", many_patterns),
    "writes": ("management writes", management_writes),
}
