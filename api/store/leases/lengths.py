"""Lengths of leases: a writer that waits for the end of one counts longer than the server that holds it."""

from typing import Final

SECOND: Final = 10**9
"""Nanoseconds."""

LEASE_SECONDS: Final = 2.0
"""The seconds after which a writer takes a lease for over, by its own clock."""

DRIFT_PERCENT: Final = 10
"""The part of a lease that the server does not use. So a clock that runs 5 % fast and another one that runs 5 % slow
still agree on its end.
"""

RENEWALS_A_LEASE: Final = 5
"""A server asks for a new lease so often while one runs. So it survives some lost or slow answers."""

BUILD_SECONDS: Final = 30.0
"""The longest that the write of a commit without a delta waits for the bundles of other servers. A server that has none
by then answers 500 in that environment until it has one.
"""

START_BUILD_SECONDS: Final = 5.0
"""The same for a server that starts. Other servers may start too, and build their bundles only after that."""


def lease_ns(seconds: float) -> int:
    """Returns the nanoseconds after which a writer takes a lease for over."""
    return round(seconds * SECOND)


def held_ns(seconds: float) -> int:
    """Returns the nanoseconds for which the server itself uses its lease."""
    return lease_ns(seconds) * (100 - DRIFT_PERCENT) // 100


def pause_seconds(seconds: float) -> float:
    """Returns the seconds between two renewals of a lease."""
    return seconds / RENEWALS_A_LEASE
