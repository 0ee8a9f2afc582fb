"""The watch: every commit before a step of the event loop is seen in it, and the database is asked once a step."""

import asyncio
from pathlib import Path

from writ.api.store.store import Store

from tests.support.stored import ACTOR


def test_a_commit_is_seen_in_the_next_step_and_a_step_asks_once(tmp_path: Path) -> None:
    store = Store.open(tmp_path)

    async def steps() -> list[tuple[int, int]]:
        seen = [store.watch.version()]
        store.create_environment(ACTOR, "a")
        seen.append(store.watch.version())
        await asyncio.sleep(0)
        seen.append(store.watch.version())
        await asyncio.to_thread(store.create_environment, ACTOR, "b")
        return [*seen, store.watch.version()]

    first, same_step, next_step, after_thread = asyncio.run(steps())
    assert first == same_step != next_step != after_thread
    store.create_environment(ACTOR, "c")
    outside = store.watch.version()
    assert outside != after_thread, "without an event loop it is asked each time"
    assert asyncio.run(steps_of_another_loop(store)) == outside
    store.create_environment(ACTOR, "d")
    assert asyncio.run(steps_of_another_loop(store)) != outside
    store.watch.close()
    store.close()


async def steps_of_another_loop(store: Store) -> tuple[int, int]:
    return store.watch.version()
