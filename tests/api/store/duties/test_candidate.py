"""Candidates for a duty on a real PostgreSQL, each with a clock of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeAlias

import psycopg
import pytest
from writ.api.store.duties.candidate import Candidate
from writ.api.store.leases.lease_connection import lease_connection
from writ.api.store.leases.lengths import SECOND, lease_ns
from writ.api.store.leases.primary_line import take_line

from tests.support.clock import Clock

LEASE = 2.0


class Rival:
    """A candidate with its own connection and its own clock, in nanoseconds."""

    def __init__(self, db: psycopg.Connection, id: str, now: float) -> None:
        self.clock, self.db = Clock(now * SECOND), db
        take_line(self.db, lease_ns(LEASE))
        self.candidate = Candidate("work", id, f"machine-{id}", LEASE, lambda: int(self.clock()))

    def step(self, seconds: float = 0.5) -> bool:
        """Let time pass, and make a step. Returns whether it has the duty."""
        self.clock.now += seconds * SECOND
        self.candidate.step(self.db)
        return self.holds()

    def holds(self) -> bool:
        return self.clock.now < self.candidate.deadline


Rivals: TypeAlias = Callable[[str, float], Rival]


@pytest.fixture
def rivals(conninfo: str) -> Iterator[Rivals]:
    """Makes rivals, by their ids and the seconds that their clocks show."""
    with ExitStack() as stack:
        yield lambda id, now: Rival(stack.enter_context(lease_connection(conninfo)), id, now)


def took(rival: Rival) -> float:
    """The seconds after which a candidate has the duty."""
    seconds = 0.0
    while not rival.step():
        seconds += 0.5
        assert seconds < 10
    return seconds


def test_the_first_one_waits_for_a_lease_and_the_next_ones_for_the_end_of_the_holder(rivals: Rivals) -> None:
    """The clocks of the machines have nothing in common."""
    one, other = rivals("a", 1e6), rivals("b", 3)
    assert took(one) >= LEASE, "an earlier holder may be lost with its primary"
    for _ in range(10):
        assert (one.step(), other.step()) == (True, False)
    assert other.candidate.holder == one.candidate.holder == "machine-a"
    one.candidate.give_back(one.db)
    assert not one.holds()
    assert other.step(), "what was given back is taken at once"
    assert not one.step()


def test_a_holder_that_stands_still_loses_the_duty_and_learns_it(rivals: Rivals) -> None:
    one, other = rivals("a", 7), rivals("b", 1e5)
    took(one)
    assert took(other) >= LEASE
    assert one.holds(), "its clock has not moved yet"
    one.clock.now += LEASE * SECOND * 0.9
    assert not one.holds(), "its own clock tells it, also without the database"
    assert (one.step(), other.step()) == (False, True)


def test_a_holder_goes_on_over_a_new_connection_and_after_a_restart(rivals: Rivals) -> None:
    """The keeper of a lease has the id of its server, also when it is started again."""
    one, again = rivals("a", 7), rivals("a", 50)
    took(one)
    one.db = again.db
    assert one.step()
    assert again.step()


def test_after_a_fail_over_nobody_has_the_duty_for_a_lease(rivals: Rivals, db: psycopg.Connection) -> None:
    """Whoever had it at the lost primary may go on until its right is over."""
    one = rivals("a", 7)
    took(one)
    one.candidate.give_back(one.db)
    db.execute("UPDATE primary_line SET timeline = timeline + 1")  # as if another primary had written last
    other = rivals("b", 7)
    assert took(other) >= LEASE
