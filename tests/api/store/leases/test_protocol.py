"""The protocol of leases and confirmations, in every order of its steps; each of its rules is needed."""

import dataclasses

import pytest
from writ.api.store.leases.confirming import Confirmation
from writ.api.store.leases.holding import Holding
from writ.api.store.leases.lengths import DRIFT_PERCENT, LEASE_SECONDS, held_ns, lease_ns

from tests.support.lease_model import Scope, StaleAnswer, find_stale, follow

ONE = (None,)
SCOPES = {
    "one write": Scope(writers=ONE),
    "a lease of several ticks": Scope(writers=ONE, held=2, lease=2),
    "a connection is lost": Scope(writers=ONE, rounds=(3,), losses=1),
    "two writes": Scope(rounds=(1,)),
    "two writes, and a lease": Scope(rounds=(1,), has_leases=True),
    "a replica is promoted": Scope(writers=ONE, has_replica=True),
    "a replica is promoted while a lease runs": Scope(writers=ONE, has_replica=True, has_leases=True),
    "a writer dies after its commit": Scope(writers=ONE, rounds=(3,), deaths=1),
    "a writer dies after its commit while a lease runs": Scope(writers=ONE, deaths=1, has_leases=True),
    "a dump is restored": Scope(writers=ONE, has_dump=True),
    "a dump is restored while a lease runs": Scope(writers=ONE, has_dump=True, has_leases=True),
    "clocks that are 5 % wrong": Scope(writers=ONE, held=18, lease=20, server_rate=19, writer_rate=21),
    "two servers, one of them hung": Scope(servers=("a", "b"), writers=ONE, rounds=(1, 0), has_leases=True),
    "a write by one of two servers": Scope(servers=("a", "b"), writers=("a",), rounds=(0, 1), has_leases=True),
}
LARGE_SCOPES = {
    "two writes while a lease is renewed twice": Scope(has_leases=True),
    "two writes and registrations": Scope(),
    "two servers": Scope(servers=("a", "b"), writers=ONE, rounds=(1, 1), has_leases=True),
    "a writer beside a server": Scope(servers=("a", "b"), writers=("a",), rounds=(1, 1), has_leases=True),
    "a replica is promoted between two writes": Scope(rounds=(1,), has_replica=True, has_leases=True),
    "a dump is restored between two writes": Scope(rounds=(1,), has_dump=True, has_leases=True),
}


class CountsFromTheAnswer(Holding):
    """A lease that counts from when the database has answered."""

    def renewed(self, ticket):
        return super(CountsFromTheAnswer, self._replace(sent=0)).renewed(ticket)


class KeepsItsTickets(Holding):
    """A lease whose server still counts with the tickets that it has read over another connection."""

    def lost(self):
        return super().lost()._replace(known=self.known, content=self.content)


class DoesNotWait(Confirmation):
    """A writer that acknowledges at once."""

    def is_done(self, now):
        return self.until is not None


class WaitsForEver(Confirmation):
    """A writer that waits for a server for which it need not wait any more."""

    def is_done(self, now):
        return self.until is not None and not self.pending


BROKEN = {
    "a lease counts from the answer": Scope(writers=ONE, holding=CountsFromTheAnswer),
    "a writer does not wait": Scope(writers=ONE, confirmation=DoesNotWait),
    "the lease has no part for wrong clocks": Scope(writers=ONE, held=20, lease=20, server_rate=19, writer_rate=21),
} | {
    rule: Scope(broken=frozenset((rule,)), **scope)
    for rule, scope in {
        "a hint is taken for a reading": {"writers": ONE},
        "it confirms before it raises its signal": {"writers": ONE},
        "its lease counts before it raises its signal": {"writers": ONE},
        "a lease needs no row": {"writers": ONE},
        "it checks before it looks at the signal": {"writers": ONE},
        "it looks at the newest lease": {"writers": ONE},
        "the ticket is drawn before the commit": {"writers": ONE},
        "the ticket is read before the row is written": {"writers": ONE, "rounds": (1,)},
        "it counts from before it reads the rows": {"rounds": (1,)},
        "renewed rows are removed too": {"rounds": (1,), "has_leases": True},
        "the content is not read": {"writers": ONE, "deaths": 1},
        "a writer does not see that a dump was restored": {"writers": ONE, "has_dump": True, "has_leases": True},
        "a new primary does not wait": {"writers": ONE, "has_replica": True, "has_leases": True},
    }.items()
}


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_no_answer_is_older_than_an_acknowledged_write(scope):
    worlds, path = find_stale(scope)
    assert path is None
    assert worlds > 1_000


@pytest.mark.service
@pytest.mark.timeout(600)
@pytest.mark.parametrize("scope", LARGE_SCOPES.values(), ids=LARGE_SCOPES)
def test_no_answer_is_older_than_an_acknowledged_write_in_large_scopes(scope):
    assert find_stale(scope)[1] is None


@pytest.mark.parametrize("scope", BROKEN.values(), ids=BROKEN)
def test_each_rule_is_needed(scope):
    path = find_stale(scope)[1]
    assert path is not None
    assert "answers from" in path[-1]


THREE = Scope(writers=(None, None, None), has_leases=True)
ASKED = ("commits", "draws a ticket", "reads the rows", "gets the rows")
REMOVED = ("acknowledges", "removes lapsed rows")
REGISTERS_AGAIN = ("asks", "finds its row gone", "asks", "writes its row", "reads the newest ticket", "has a lease")
SAME_NUMBER = (
    *(f"writer 0 {step}" for step in ASKED),
    *(f"writer 1 {step}" for step in ASKED),
    "tick",
    *(f"writer 1 {step}" for step in REMOVED),
    *(f"b {step}" for step in REGISTERS_AGAIN),
    *(f"writer 0 {step}" for step in REMOVED),
    "b looks",
    "b takes a request",
    *(f"writer 2 {step}" for step in ASKED),
    "writer 2 acknowledges",
    "b decides with (1, 2)",
    "b answers",
)


def test_no_two_leases_have_the_same_number():
    """A slow writer would remove the row of a server that has registered again."""
    with pytest.raises(StaleAnswer):
        follow(
            Scope(THREE.servers, THREE.writers, has_leases=True, broken={"leases of a server count from 1"}),
            SAME_NUMBER,
        )
    with pytest.raises(KeyError, match="writer 2 acknowledges"):
        follow(THREE, SAME_NUMBER)


RESTORED = (
    *("writer 0 commits", "writer 0 draws a ticket", "b reads the ticket", "b raises its signal", "b looks"),
    *("a dump is restored", "b loses its connection", "writer 1 commits anew"),
    *("writer 1 draws a ticket", "writer 1 reads the rows", "writer 1 gets the rows", "tick"),
    *("b asks", "b writes its row", "b reads the newest ticket", "b has a lease", "b takes a request"),
    *("writer 1 acknowledges", "b decides with (1, 1)", "b answers"),
)


def test_a_server_forgets_the_tickets_of_a_lost_connection():
    """After a dump was restored, writers draw the same tickets again."""
    scope = Scope(rounds=(1,), has_dump=True, losses=1)
    with pytest.raises(StaleAnswer):
        follow(dataclasses.replace(scope, holding=KeepsItsTickets), RESTORED)
    with pytest.raises(KeyError, match="decides with"):
        follow(scope, RESTORED)


UNSEEN = (
    *("writer 0 commits", "writer 0 draws a ticket", "b reads the ticket", "b raises its signal", "b looks"),
    *("a dump is restored", "writer 1 commits anew"),
    *("writer 1 draws a ticket", "writer 1 reads the rows", "writer 1 gets the rows", "tick"),
    *("b asks", "b writes its row", "b reads the newest ticket", "b has a lease", "b takes a request"),
    *("writer 1 acknowledges", "b decides with (1, 1)", "b answers"),
)


def test_a_keeper_sees_that_a_dump_was_restored():
    """Else it would take the first tickets after that for the ones that it knows."""
    scope = Scope(rounds=(1,), has_dump=True)
    with pytest.raises(StaleAnswer):
        follow(dataclasses.replace(scope, broken={"a keeper does not see that a dump was restored"}), UNSEEN)
    with pytest.raises(KeyError, match="b reads the newest ticket"):
        follow(scope, UNSEEN)


def test_a_hung_server_delays_a_write_by_one_lease():
    scope = Scope(has_leases=True)
    first = (*(f"writer 0 {step}" for step in ASKED), "tick", *(f"writer 0 {step}" for step in REMOVED))
    second = (*(f"writer 1 {step}" for step in ASKED), "writer 1 acknowledges")
    assert follow(scope, (*first, *second)).acknowledged == (1, 2)
    with pytest.raises(KeyError, match="acknowledges"):
        follow(Scope(confirmation=WaitsForEver, has_leases=True), first)


def test_a_server_uses_less_than_its_lease():
    """The rates of two clocks may differ by this much."""
    assert (held_ns(LEASE_SECONDS), lease_ns(LEASE_SECONDS)) == (1_800_000_000, 2_000_000_000)
    assert DRIFT_PERCENT == 10
    assert held_ns(LEASE_SECONDS) / 0.95 < lease_ns(LEASE_SECONDS) / 1.05
