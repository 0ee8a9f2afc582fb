"""A worker keeps a bounded number of bytes for slow clients that ask from many different revisions."""

import pytest
from writ.api.engines.exports.long_updates import MOST_SENT_BYTES, LongUpdates
from writ.api.store.errors import StoreUnavailable


def test_different_updates_have_a_bound_and_equal_ones_count_once() -> None:
    sent, update = LongUpdates(), bytes(MOST_SENT_BYTES // 4)
    shared = [sent.begin(update) for _ in range(100)]
    others = [bytearray(update) for _ in range(4)]  # each is an object of its own
    ends = [sent.begin(other) for other in others[:3]]  # type: ignore[arg-type]
    with pytest.raises(StoreUnavailable, match="as many different updates"):
        sent.begin(others[3])  # type: ignore[arg-type]
    for end in shared[1:]:
        end()
    with pytest.raises(StoreUnavailable):
        sent.begin(others[3])  # type: ignore[arg-type]
    shared[0]()
    ends.append(sent.begin(others[3]))  # type: ignore[arg-type]
    for end in ends:
        end()
    assert (sent._bytes, sent._clients) == (0, {})


def test_one_update_is_always_sent() -> None:
    """However long it is: a client could never follow without it."""
    sent, huge = LongUpdates(), bytes(MOST_SENT_BYTES + 1)
    end = sent.begin(huge)
    with pytest.raises(StoreUnavailable):
        sent.begin(b"another")
    end()
    sent.begin(b"another")()
