"""Clients that write one register and read it at any number of servers, and keep the history of what they saw.

The register is the name of one policy. A write gives it another name, and a decision tells the name in its reason.
"""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count, pairwise
from typing import Any, Final

import httpx

from tests.support.histories import Operation, Position

ENV: Final = "/v1/environments/default"
START: Final = "start"
_READ: Final = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
_NAME: Final = re.compile(r"policy `([^`]+)`")
SECONDS: Final = 10.0
"""Seconds that a client waits for an answer."""

PAUSE: Final = 0.002
"""Seconds between two operations of a client, so that no client starves another one on two cores."""


class Histories:
    """Any number of writers and readers, each with one server. `operations` is their history."""

    def __init__(self, key: str, seconds: float = SECONDS, pause: float = PAUSE, large_every: int = 0) -> None:
        """`seconds` is how long a client waits for an answer, and `pause` how long it rests between two operations.

        Each writer's writes of these numbers, such as each tenth one, make a revision without a delta; 0 means none.
        """
        self._pause, self._large_every = pause, large_every
        self.operations: list[Operation] = []
        self._writers = count()
        self._until = 0.0
        self._key, self._seconds, self._over, self._lock = key, seconds, threading.Event(), threading.Lock()

    def begin(self, url: str) -> None:
        """Write the model with the register's first value."""
        with self._client(url) as client:
            began = time.monotonic()
            answer = client.put(f"{ENV}/model", json=_model(START), headers={"If-Match": "*"})
            assert answer.status_code == 200, answer.text
            self._keep(Operation(True, began, time.monotonic(), _position(answer), START))

    @contextmanager
    def going_on(self, writing: Sequence[str], reading: Sequence[str]) -> Iterator[None]:
        """Write and read at these addresses, one thread for each, until the block ends.

        The clients of one server are one session, and those of several servers have one each. A block within another
        one ends with it.
        """
        is_one = len({*writing, *reading}) == 1
        threads = [
            *(threading.Thread(target=self._write, args=(url, next(self._writers))) for url in writing),
            *(
                threading.Thread(target=self._read, args=(url, "" if is_one else f"reader {number}"))
                for number, url in enumerate(reading)
            ),
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._until = time.monotonic()
            self._over.set()
            for thread in threads:
                thread.join()

    def longest_without(self, is_write: bool) -> float:
        """Returns the most seconds in which no write, or no read, ended with an answer."""
        ends = sorted(one.ended for one in self.operations if one.is_write is is_write and one.ended is not None)
        return max((later - earlier for earlier, later in pairwise([*ends, max(self._until, *ends)])), default=0.0)

    def _write(self, url: str, number: int) -> None:
        with self._client(url) as client:
            for written in count(1):
                if self._over.wait(self._pause):
                    return
                is_large = self._large_every > 0 and written % self._large_every == 0
                self._write_once(client, f"w{number}-{written}", is_large)

    def _write_once(self, client: httpx.Client, value: str, is_large: bool) -> None:
        began, answer = time.monotonic(), None
        with suppress(httpx.HTTPError):  # then it is not known whether the write took effect
            if is_large:
                model = _model(value, value.replace("-", "_"))
                answer = client.put(f"{ENV}/model", json=model, headers={"If-Match": "*"})
            else:
                answer = client.patch(f"{ENV}/policies/register", json={"name": value}, headers={"If-Match": "*"})
        if answer is not None and answer.status_code == 200:
            # A whole model is answered with the newest revision, which may be that of a later write.
            position = None if is_large else _position(answer)
            self._keep(Operation(True, began, time.monotonic(), position, value))
        else:
            self._keep(Operation(True, began, None, None, value))

    def _read(self, url: str, session: str) -> None:
        with self._client(url) as client:
            while not self._over.wait(self._pause):
                began = time.monotonic()
                with suppress(httpx.HTTPError):
                    answer = client.post("/access/v1/evaluation", json=_READ)
                    if answer.status_code == 200:
                        found = _NAME.search(answer.json()["context"]["reason"])
                        assert found is not None, answer.text
                        self._keep(Operation(False, began, time.monotonic(), _position(answer), found[1], session))

    def _client(self, url: str) -> httpx.Client:
        return httpx.Client(base_url=url, headers={"Authorization": f"Bearer {self._key}"}, timeout=self._seconds)

    def _keep(self, operation: Operation) -> None:
        with self._lock:
            self.operations.append(operation)


def _model(name: str, *attributes: str) -> dict[str, Any]:
    """The model with a value of the register. No delta leads to one that declares other attributes."""
    entry = {"resource_type_id": "document", "actions": ["read"]}
    declared = {"attributes": dict.fromkeys(attributes, "string")} if attributes else {}
    return {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read"], **declared}],
        "policies": [{"id": "register", "name": name, "effect": "ALLOW", "resource_types": [entry]}],
    }


def position_of(token: str) -> Position:
    """Returns the position that a revision token has."""
    _, epoch, revision = token.split(".")
    return Position(int(epoch), int(revision))


def _position(answer: httpx.Response) -> Position:
    return position_of(answer.headers["Writ-Revision"])
