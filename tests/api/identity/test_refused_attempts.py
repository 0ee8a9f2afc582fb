"""Refused attempts of a worker: by network, and so many kinds of them."""

import pytest
from writ.api.identity import attempt_counts
from writ.api.identity.attempt_counts import RefusedAttempts
from writ.api.store.audit.events import Event
from writ.api.store.audit.refused_attempts import Attempt

KEY, TOKEN = Event.CREDENTIAL_REFUSED, Event.TOKEN_REFUSED


def test_a_network_counts_as_one() -> None:
    attempts = RefusedAttempts()
    for address in ("2001:db8::1", "2001:db8::ffff:0:0:1", "2001:db8:0:1::1", "::ffff:192.0.2.1", "192.0.2.1", "", "x"):
        attempts.add(KEY, address)
    assert attempts.take() == {
        Attempt(KEY, None, "2001:db8::/64"): 2,
        Attempt(KEY, None, "2001:db8:0:1::/64"): 1,
        Attempt(KEY, None, "192.0.2.1"): 2,
        Attempt(KEY, None, None): 2,
    }
    assert not attempts.take()


def test_beyond_the_most_kinds_the_address_goes_and_the_client_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_counts, "MOST_KINDS", 1)
    attempts = RefusedAttempts()
    for _ in range(2):
        attempts.add(KEY, "192.0.2.1")
        attempts.add(KEY, "192.0.2.2")
        attempts.add(TOKEN, "192.0.2.3", "alice")
    counted = {Attempt(KEY, None, "192.0.2.1"): 2, Attempt(KEY, None, None): 2, Attempt(TOKEN, "alice", None): 2}
    taken = attempts.take()
    assert taken == counted
    attempts.give_back(taken)
    assert attempts.take() == counted
