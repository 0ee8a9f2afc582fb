"""What the tests of the clients share: both clients, asked in the same words."""

import asyncio
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
from writ.client import AsyncClient, Client

from tests.support.decision_point import DecisionPoint, deciding

Opened: TypeAlias = Callable[..., "Asker"]


class Asker:
    """A client of either kind. `call("decide", …)` asks, and a dotted name reaches the calls below a member."""

    def __init__(self, client: Client | AsyncClient, loop: asyncio.AbstractEventLoop | None) -> None:
        self.client, self._loop = client, loop

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        found: Any = self.client
        for part in name.split("."):
            found = getattr(found, part)
        made = found(*args, **kwargs)
        if name in ("resources", "subjects"):
            return list(made) if self._loop is None else self._loop.run_until_complete(_listed(made))
        return made if self._loop is None else self._loop.run_until_complete(made)

    def allowed(self) -> bool:
        found = self.call("allowed", "user", "alice", "read", "document", "d1")
        assert isinstance(found, bool)
        return found

    def close(self) -> None:
        if isinstance(self.client, Client):
            self.client.close()
        else:
            assert self._loop is not None
            self._loop.run_until_complete(self.client.aclose())


async def _listed(made: Any) -> list[Any]:
    return [one async for one in made]


@pytest.fixture(params=[Client, AsyncClient])
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens a client of each kind, which is closed in the end."""
    loop = asyncio.new_event_loop() if request.param is AsyncClient else None
    made: list[Asker] = []

    def opens(url: str, **options: Any) -> Asker:
        made.append(Asker(request.param(url, **options), loop))
        return made[-1]

    yield opens
    for one in made:
        one.close()
    if loop is not None:
        loop.close()


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock of clients that are opened from now on forward by some seconds."""
    passed = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + sum(passed))
    monkeypatch.setattr("writ.client.settings.time", clock)
    return passed.append


@pytest.fixture
def point() -> Iterator[DecisionPoint]:
    """A decision point that allows everything, and has no metadata."""
    with deciding() as started:
        yield started
