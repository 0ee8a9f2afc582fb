"""The exports of one worker without a server: what changes between the steps of an answer."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.feed.callers import verified_callers
from writ.bundles.feed.update import verified_update

from tests.support.exporting import NOW, Worker
from tests.support.signed import KEY, public_pem
from tests.support.stored import ACTOR

PUBLIC = public_pem(KEY)


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(tmp_path)


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """What a coroutine function returns."""

    async def main() -> Any:
        return await work()

    return asyncio.run(main())


def test_a_token_that_is_revoked_while_an_update_is_made_is_not_lost(worker: Worker) -> None:
    """The tag of an update must not name a list of callers that its client never got."""
    worker.export()

    async def answer() -> Any:
        state = await worker.states.of("default")
        worker.add_role("r")
        worker.store.credentials.revoke_token(ACTOR, "the-token", int(NOW) + 60, NOW)
        return state, await worker.exporter.update(state, 0, with_callers=False)

    state, body = run(answer)
    update = verified_update(body.update.data, PUBLIC, NOW)
    assert body.update.callers != state.callers
    assert update.callers is not None
    assert "the-token" in verified_callers(update.callers, PUBLIC, NOW).revoked
