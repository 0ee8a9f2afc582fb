"""The size of the audit log is that of its entries, whatever was read of it before."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database
from writ.api.store.actor import Actor
from writ.api.store.audit import size
from writ.api.store.audit.events import Event
from writ.api.store.audit.size import LogSize, SizeOfLog
from writ.api.store.store import Store

SIZES = "SELECT count(*), coalesce(sum(length(CAST(body AS BLOB))), 0) FROM audit"


@contextmanager
def log_of(bodies: dict[int, str]) -> Iterator[Database]:
    """A log of these entries alone."""
    db = Database(memory=True)
    db.execute("CREATE TABLE audit (number INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    db.conn.executemany("INSERT INTO audit VALUES (?, ?)", bodies.items())
    try:
        yield db
    finally:
        db.close()


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), min_size=1, max_size=12),
    st.integers(1, 5),
    st.integers(1, 30),
)
def test_the_size_of_a_log_that_grows_at_its_end_and_loses_its_start(
    steps: list[tuple[int, int]], block: int, at_a_time: int
) -> None:
    with pytest.MonkeyPatch.context() as patched, log_of({}) as db:
        patched.setattr(size, "_BLOCK", block)
        patched.setattr(size, "ENTRIES_A_LOOK", at_a_time)
        known, last = SizeOfLog(), 0
        for added, removed in steps:
            for number in range(last + 1, last + added + 1):
                db.execute("INSERT INTO audit VALUES (?, ?)", (number, "ø" * (number % 7)))
            last += added
            db.execute(f"DELETE FROM audit WHERE number IN (SELECT number FROM audit ORDER BY 1 LIMIT {removed})")
            found = known.look(db)
            entries, total = db.execute(SIZES).fetchone()
            assert found.entries == entries
            assert found.bytes in (None, total)
        for _ in range(last // at_a_time + 1):
            found = known.look(db)
        assert found == LogSize(*db.execute(SIZES).fetchone())


def test_the_size_of_the_log_of_a_store(store: Store) -> None:
    known = SizeOfLog()
    for number in range(3):
        store.audit.record(Actor("alice"), Event.ADMIN_KEY_SET, {"number": number})
        with store._connections.reading() as db:
            expected = LogSize(*db.execute(SIZES).fetchone())
        assert store.audit.size(known) == expected


def test_another_log_in_its_place_is_read_anew() -> None:
    known = SizeOfLog()
    for bodies, expected in (({1: "aaa", 2: "bbb"}, (2, 6)), ({1: "c"}, (1, 1)), ({}, (0, 0))):
        with log_of(bodies) as db:
            assert known.look(db) == LogSize(*expected)
