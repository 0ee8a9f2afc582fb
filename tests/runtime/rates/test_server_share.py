"""Parts of rate limits: servers that count apart allow together what the limit allows (C10)."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.runtime.rates.rate_table import RateTable, table_bytes
from writ.runtime.rates.server_share import BYTES, ServerShare

NOW = 1_700_000_000.0


def server(share: ServerShare) -> RateTable:
    return RateTable(bytearray(table_bytes(1, 2**16)), 1, b"salt", threading.Lock(), 0, share)


def shares(servers: int) -> list[ServerShare]:
    found = [ServerShare(bytearray(BYTES)) for _ in range(servers)]
    for place, share in enumerate(found):
        share.set(place, servers)
    return found


@given(limit=st.integers(1, 2**31 - 1), servers=st.integers(1, 40))
def test_the_parts_of_all_servers_are_the_limit(limit, servers):
    parts = [share.of(limit) for share in shares(servers)]
    assert sum(parts) == limit
    assert max(parts) - min(parts) <= 1


@given(limit=st.integers(1, 9), servers=st.integers(1, 4), asked=st.lists(st.integers(0, 3), max_size=60))
def test_servers_together_never_allow_more_than_the_limit(limit, servers, asked):
    """And a server allows its part, however often the others were asked."""
    found = [server(share) for share in shares(servers)]
    parts = [share.of(limit) for share in shares(servers)]
    allowed = [0] * servers
    for one in asked:
        place = one % servers
        peeked = found[place].peeking().count(b"alice", limit, 60, NOW)
        number = found[place].count(b"alice", limit, 60, NOW)
        assert peeked == number
        assert (number <= limit) == (allowed[place] < parts[place])
        allowed[place] += number <= limit
    assert sum(allowed) <= limit


def test_a_server_without_a_part_says_to_wait_for_a_window():
    """Another one may come or go until then."""
    _, second = map(server, shares(2))
    assert second.count(b"alice", 1, 60, NOW) == 2
    assert second.wait(b"alice", 1, 60, NOW) == 60


def test_a_server_that_is_alone_again_has_the_whole_limit():
    share, _ = shares(2)
    table = server(share)
    assert [table.count(b"alice", 2, 60, NOW) <= 2 for _ in range(2)] == [True, False]
    share.set(0, 1)
    assert table.count(b"alice", 2, 60, NOW) == 2


@pytest.mark.parametrize(("place", "servers"), [(1, 1), (-1, 2), (0, 0)])
def test_a_place_is_one_of_the_servers(place, servers):
    with pytest.raises(ValueError, match="one of the servers"):
        ServerShare(bytearray(BYTES)).set(place, servers)
