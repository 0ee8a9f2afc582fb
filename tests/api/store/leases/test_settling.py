"""A commit without a delta is settled: its writer waits for the bundles of other servers, and then ends their right."""

from concurrent.futures import Future

import pytest
from writ.api.store.errors import NotSignalled
from writ.api.store.leases.confirmations import Settling, Unanswered
from writ.api.store.leases.lease_connection import connecting
from writ.api.store.leases.lengths import SECOND

from .conftest import SECONDS

pytestmark = pytest.mark.postgresql

LONG = 1_000 * SECOND


def commit(db, revision, delta=None):
    """Log a revision, as a write does."""
    db.execute("INSERT INTO changes VALUES (1, %s, '', '', '{}', %s, NULL)", (revision, delta))


def join(db, id, lease=LONG, folder="there"):
    """Add the row of a server."""
    db.execute("INSERT INTO servers VALUES (%s, nextval('lease_numbers'), -1, %s, %s)", (id, lease, folder))


def left(db):
    """The revisions that are not settled."""
    return [revision for (revision,) in db.execute("SELECT revision FROM unanswered ORDER BY 1").fetchall()]


class Clock:
    """A clock that goes on by some seconds with each look at it, and does something at one of the looks."""

    def __init__(self, step=1.0, at=0, do=lambda: None):
        self.looks, self._step, self._at, self._do = 0, step, at, do

    def __call__(self):
        self.looks += 1
        if self.looks == self._at:
            self._do()
        return round(self.looks * self._step * SECOND)


def settle(conninfo, clock, seconds, found=()):
    """Settle the revisions up to 5. `found` is what is unanswered each time after that."""
    rests = iter(found)
    told = []

    def confirm(_line):
        assert told, "the workers of the writer hear of it before other servers confirm it"
        done = Future()
        done.set_result(next(rests, {}))
        return done

    settling = Settling(connecting(conninfo, SECONDS), confirm, clock)
    settling.settle(None, {"default": Unanswered(5, 5)}, lambda: told.append(True), seconds)
    return len(told)


def test_the_store_notes_commits_without_a_delta_and_confirmations_tell_them(conninfo, db, confirmations):
    assert confirmations.confirm().result() == {}
    commit(db, 4, b"delta")
    assert (left(db), confirmations.confirm().result()) == ([], {})
    commit(db, 5)
    commit(db, 6, b"delta")
    commit(db, 7)
    assert (left(db), confirmations.confirm().result()) == ([5, 7], {"default": (5, 7)})
    assert settle(conninfo, Clock(), 3) == 1
    assert (left(db), confirmations.confirm().result()) == ([7], {"default": (7, 7)})
    db.execute("DELETE FROM environments")
    assert (left(db), confirmations.confirm().result()) == ([], {})


def test_the_writer_waits_until_each_server_has_its_bundle(conninfo, db):
    def built():
        assert left(db) == [5]
        db.execute("INSERT INTO bundles VALUES (1, 'there', 5, 'file')")

    commit(db, 5)
    join(db, "other")
    join(db, "of another program", folder=None)
    db.execute("INSERT INTO bundles VALUES (1, 'there', 4, 'file'), (1, 'elsewhere', 9, 'file')")
    clock = Clock(step=0, at=5, do=built)
    settle(conninfo, clock, 3)
    assert (left(db), clock.looks) == ([], 5)


def test_a_server_that_builds_none_loses_its_right_in_the_end(conninfo, db):
    commit(db, 5)
    join(db, "other")
    clock = Clock()
    settle(conninfo, clock, 3)
    assert (left(db), clock.looks) == ([], 4)


@pytest.mark.parametrize("renews", [False, True])
def test_the_writer_does_not_wait_for_a_server_without_a_lease(conninfo, db, renews):
    commit(db, 5)
    join(db, "other", lease=4 * SECOND)
    renew = "UPDATE servers SET number = nextval('lease_numbers')"
    clock = Clock(at=4, do=lambda: db.execute(renew) if renews else None)
    settle(conninfo, clock, 100)
    assert (left(db), clock.looks) == ([], 8 if renews else 6)


def test_what_stays_unsettled_is_not_answered(conninfo, db):
    """Another primary writes, for which this connection is none."""
    stays = {"default": Unanswered(5, 9)}
    with pytest.raises(NotSignalled, match="has built its bundle"):
        settle(conninfo, Clock(), 3, [stays] * 3)
    assert settle(conninfo, Clock(), 3, [stays]) == 2
    assert settle(conninfo, Clock(), 3, [{"default": Unanswered(6, 9)}]) == 1


def test_without_the_database_it_is_not_known():
    with pytest.raises(NotSignalled):
        settle("host=/nowhere", Clock(), 3)
