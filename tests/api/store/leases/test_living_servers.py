"""A server that was killed gives its share of the rate limits back, also if nobody writes."""

from writ.api.store.leases.lease_tables import UNKNOWN_SERVER
from writ.api.store.leases.living_servers import LivingServers

LEASE = 2_000


def test_a_row_that_changes_counts() -> None:
    living = LivingServers("a")
    for now in range(0, 10 * LEASE, LEASE // 2):
        assert living.among([("b", now, 0, LEASE), ("a", now, 0, LEASE)], now) == ["a", "b"]


def test_a_row_that_stays_counts_for_a_lease() -> None:
    living = LivingServers("a")
    rows = [("a", 1, 0, LEASE), ("b", 7, 0, LEASE), ("c", 8, 0, 3 * LEASE)]
    assert living.among(rows, 0) == ["a", "b", "c"]
    assert living.among(rows, LEASE) == ["a", "b", "c"]
    assert living.among(rows, LEASE + 1) == ["a", "c"], "its own row counts, whatever it says"
    assert living.among([*rows[:2], ("c", 9, 0, 3 * LEASE)], 4 * LEASE) == ["a", "c"]
    assert living.among([("b", 8, 0, LEASE), rows[0]], 5 * LEASE) == ["a", "b"], "it came back"


def test_the_unknown_server_has_no_share() -> None:
    assert LivingServers("a").among([("a", 1, 0, LEASE), (UNKNOWN_SERVER, 1, 0, LEASE)], 0) == ["a"]
