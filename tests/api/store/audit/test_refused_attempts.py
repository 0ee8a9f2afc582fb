"""Refused attempts in the store: a bounded number of rows a minute, one count per client, and no leftovers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.store.audit import refused_attempts as refusals
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.audit.refused_attempts import Attempt
from writ.api.store.store import Store

from tests.support.clock import Clock
from tests.support.store_engines import Engine

NOW = 1_800_000_000.0
"""The first second of a minute."""


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def store(engine: Engine, tmp_path: Path, clock: Clock) -> Iterator[Store]:
    opened = engine.open(tmp_path, clock=clock)
    yield opened
    opened.close()


def refused(client: str | None, address: str | None) -> Attempt:
    return Attempt(Event.TOKEN_REFUSED, client, address)


def told(store: Store) -> dict[tuple[str | None, str | None], int]:
    """Returns counts by client and address."""
    found, _ = store.audit.page(EntryFilter(event=Event.TOKEN_REFUSED), None, 100)
    return {(one.entry.client_id, one.entry.address): one.entry.details["count"] for one in found}


def test_beyond_the_most_a_minute_the_address_goes_and_the_client_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "MOST_A_MINUTE", 2)
    for _ in range(3):  # existing rows do not count as new
        store.audit.count_refusals({refused("alice", "192.0.2.1"): 1}, NOW)
    store.audit.count_refusals({refused(None, "192.0.2.2"): 1, refused("bob", "192.0.2.3"): 5}, NOW)
    store.audit.count_refusals({refused("alice", "192.0.2.1"): 1, refused(None, "192.0.2.4"): 7}, NOW)
    store.audit.end(NOW)
    assert told(store) == {
        ("alice", "192.0.2.1"): 4,
        (None, "192.0.2.2"): 1,
        ("bob", None): 5,
        (None, None): 7,
    }


@pytest.mark.parametrize("at_the_end", [False, True])
def test_counts_of_a_time_to_come_do_not_stay(store: Store, at_the_end: bool) -> None:
    """The clock was set back by an hour meanwhile. A minute that has just begun goes on to its end."""
    for seconds in (3_600, 60):
        store.audit.count_refusals({refused("alice", f"192.0.2.{seconds // 60}"): 1}, NOW + seconds)
    with store._connections.writing() as db:
        refusals.record_ended_minutes(db, "2027-01-15T08:00:00Z", NOW, at_the_end)
        assert not refusals.has_ended_minutes(db, NOW)
    later = {("alice", "192.0.2.1"): 1} if at_the_end else {}
    assert told(store) == {("alice", "192.0.2.60"): 1} | later
