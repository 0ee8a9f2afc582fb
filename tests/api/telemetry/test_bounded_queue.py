"""The bounds of the queue between the event loop and a writer, and the last seconds of its thread."""

import logging

import pytest
from writ.api.telemetry.bounded_queue import BoundedQueue, Bounds, QueueThread

from tests.support.waiting import wait_until

LOG = logging.getLogger("tests.queue")


def made(entries: int = 3, size: int = 100) -> BoundedQueue[str]:
    return BoundedQueue(Bounds(entries, size), LOG, "%d are lost")


def test_entries_and_bytes_are_bounded_until_they_are_freed() -> None:
    queue = made()
    for entry, size in (("a", 60), ("b", 50), ("c", 40), ("d", 0), ("e", 0)):
        queue.put(entry, size)
    assert (list(queue.fresh), queue.dropped) == (["a", "c", "d"], 2), "`b` is too large, and `e` is one too many"
    assert (queue.entries, queue.bytes, queue.is_full()) == (3, 100, True)
    queue.fresh.popleft()
    queue.put("f", 1)
    assert queue.dropped == 3, "an entry counts until it is freed"
    queue.free(1, 60)
    queue.put("g", 60)
    assert (list(queue.fresh), queue.bytes) == (["c", "d", "g"], 100)


def test_an_empty_queue_takes_any_entry_and_some_go_beyond_the_bounds() -> None:
    queue = made()
    queue.put("large", 1_000)
    queue.put("one more", 1)
    queue.put("must not be lost", 1, beyond=True)
    assert (list(queue.fresh), queue.dropped) == (["large", "must not be lost"], 1)
    queue.grow(-950)
    assert (queue.bytes, queue.is_full()) == (51, False)


def test_the_first_fresh_entry_wakes() -> None:
    queue, woken = made(), list[int]()
    queue.wake = lambda: woken.append(queue.entries)
    for entry in "ab":
        queue.put(entry, 1)
    queue.fresh.clear()
    queue.put("c", 1)
    assert woken == [0, 2]


def test_dropped_entries_are_reported_from_time_to_time_and_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    queue = made(entries=1)
    for at_once in (False, False, True, True):
        queue.put("a", 1)
        queue.put("b", 1)
        queue.report(at_once)
    queue.report(at_once=True)
    assert [one.getMessage() for one in caplog.records] == ["1 are lost", "4 are lost", "2 are lost"]


def test_a_thread_writes_the_rest_and_knows_its_last_tries() -> None:
    found: list[bool] = []
    pauses: list[None] = []

    def write() -> None:
        while thread.pause(0.02, 0.01):
            pauses.append(None)
        found.append(thread.is_stopping)

    thread = QueueThread("t", write)
    thread.start()
    assert wait_until(lambda: len(pauses) > 5)
    assert found == [], "there is time while it is not stopped"
    thread.stop(0.2)
    assert wait_until(lambda: found == [True, True]), "the last call has no time left"
