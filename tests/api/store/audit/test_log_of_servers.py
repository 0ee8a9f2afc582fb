"""The audit log of several servers on one database: one maintains it, and each has its own anchor."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.store.actor import Actor
from writ.api.store.audit.anchor import FILE as ANCHOR
from writ.api.store.audit.anchor import Anchor
from writ.api.store.audit.audit_log import DAY_SECONDS, LATE_SECONDS, SEAL_SECONDS
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.audit.refused_attempts import Attempt
from writ.api.store.audit.tampering import Tampered
from writ.api.store.store import Store

from tests.api.store.audit.test_log import SEALER, START, Overtaken, tell
from tests.support.clock import Clock
from tests.support.store_engines import empty_schema

pytestmark = pytest.mark.postgresql

KEEP = 7


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def servers(postgresql: str, tmp_path: Path, clock: Clock) -> Iterator[tuple[Store, Store]]:
    """Two servers. The first one has the duty."""
    with empty_schema(postgresql) as database:
        stores = database.open(tmp_path / "a", clock=clock), database.open(tmp_path / "b", clock=clock)
        yield stores
        for store in stores:
            store.close()
            store.watch.close()


def anchor(store: Store) -> int:
    """The number of the newest seal that a server knows."""
    found = Anchor(store._connections.directory / ANCHOR).read()
    return 0 if found is None else found.number


def maintain(store: Store, clock: Clock, has_duty: bool) -> list[int]:
    """The numbers of the seals that a server makes."""
    return [seal.number for seal in store.audit.maintain(clock.now, KEEP, SEALER, has_duty)]


def test_one_server_seals_and_the_other_one_keeps_its_anchor_up(servers: tuple[Store, Store], clock: Clock) -> None:
    one, other = servers
    tell(one, clock, 3)
    assert maintain(other, clock, has_duty=False) == []
    assert maintain(one, clock, has_duty=True) == [3]
    assert maintain(other, clock, has_duty=False) == []
    assert anchor(other) == 3
    clock.now += SEAL_SECONDS
    tell(other, clock, 2)
    assert maintain(other, clock, has_duty=False) == []
    assert maintain(one, clock, has_duty=True) == [5]
    assert maintain(other, clock, has_duty=True) == [], "after it took over: the hour is not over"
    assert anchor(other) == 5


def test_a_server_whose_anchor_is_older_than_the_log_takes_the_checkpoint(
    servers: tuple[Store, Store], clock: Clock
) -> None:
    """It was away for longer than entries are kept, and goes on."""
    one, other = servers
    tell(one, clock, 3)
    maintain(one, clock, has_duty=True)
    maintain(other, clock, has_duty=False)
    tell(one, clock, 3)
    clock.now += (KEEP + 2) * DAY_SECONDS
    tell(one, clock, 1)
    assert maintain(one, clock, has_duty=True) == [7, 6]
    tell(one, clock, 2)
    clock.now += SEAL_SECONDS
    assert anchor(other) == 3
    assert maintain(other, clock, has_duty=True) == [10], "the two, and the one about the removed entries"
    assert other.audit.check(SEALER, {}).first == 7
    assert maintain(one, clock, has_duty=False) == []
    assert anchor(one) == 10


def test_a_log_that_was_put_back_is_noticed_by_each_server_that_saw_more_of_it(
    servers: tuple[Store, Store], clock: Clock
) -> None:
    one, other = servers
    tell(one, clock, 3)
    maintain(one, clock, has_duty=True)
    maintain(other, clock, has_duty=False)
    with one._connections.writing() as db, db.without_trigger("audit", "audit_kept"):
        db.execute("DELETE FROM audit WHERE number > 2")
        db.execute("DELETE FROM audit_seals")
    (one._connections.directory / ANCHOR).unlink()
    assert maintain(one, clock, has_duty=True) == [2], "it knows nothing of the third entry any more"
    with pytest.raises(Tampered, match="up to 3, which were sealed, are missing"):
        maintain(other, clock, has_duty=False)
    tell(one, clock, 2)
    clock.now += SEAL_SECONDS
    maintain(one, clock, has_duty=True)
    with pytest.raises(Tampered, match="entry 3 is not the one that was sealed"):
        maintain(other, clock, has_duty=False)
    assert anchor(other) == 3, "it follows no other log"


def test_a_head_that_the_one_with_the_duty_leaves_unsealed_is_sealed_later(
    servers: tuple[Store, Store], clock: Clock
) -> None:
    one, other = servers
    tell(one, clock, 1)
    maintain(one, clock, has_duty=True)
    maintain(other, clock, has_duty=False)
    tell(one, clock, 1)
    clock.now += LATE_SECONDS - 10
    assert maintain(other, clock, has_duty=False) == []
    clock.now += 20
    assert maintain(other, clock, has_duty=False) == [2]


def test_of_two_servers_that_seal_at_once_one_does(servers: tuple[Store, Store], clock: Clock) -> None:
    """One that was stopped in the middle of a seal goes on after another one has sealed."""
    one, other = servers
    tell(one, clock, 1)
    maintain(one, clock, has_duty=True)
    tell(one, clock, 1)
    assert one.audit.seal(clock.now, Overtaken(lambda: other.audit.seal(clock.now, SEALER))) is None
    maintain(one, clock, has_duty=False)
    assert (anchor(one), anchor(other)) == (2, 2)


def test_a_head_that_another_primary_lacks_is_not_sealed(servers: tuple[Store, Store], clock: Clock) -> None:
    """A replica is promoted between the look at the head and the seal."""
    one, other = servers
    tell(one, clock, 1)
    maintain(one, clock, has_duty=True)
    tell(one, clock, 1)

    def lose() -> None:
        with other._connections.writing() as db, db.without_trigger("audit", "audit_kept"):
            db.execute("DELETE FROM audit WHERE number = 2")
        tell(other, clock, 1, Event.ADMIN_KEY_SET)

    assert one.audit.seal(clock.now, Overtaken(lose)) is None
    assert one.audit.seal(clock.now, SEALER).number == 2
    assert one.audit.check(SEALER, {}).sealed == 2


def test_counts_of_an_ended_minute_become_entries_by_the_one_with_the_duty(
    servers: tuple[Store, Store], clock: Clock
) -> None:
    one, other = servers
    for store in servers:
        store.audit.count_refusals({Attempt(Event.TOKEN_REFUSED, None, "192.0.2.7"): 2}, clock.now)
    clock.now += 60
    maintain(other, clock, has_duty=False)
    assert other.audit.page(EntryFilter(), None, 10)[0] == []
    maintain(one, clock, has_duty=True)
    (entry,) = other.audit.page(EntryFilter(), None, 10)[0]
    assert entry.entry.details["count"] == 4
    assert entry.entry.actor == Actor("nobody").name
