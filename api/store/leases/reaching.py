"""Reaches a store on a database server by its URL. The driver is imported here: most stores need none."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..backups.backup import Restored
from ..database.connections import DatabaseServer
from ..errors import driver_needed
from .lengths import LEASE_SECONDS
from .primary_mark import PrimaryLine

if TYPE_CHECKING:
    from .database_users import ServerLease


def reached_without_lease(url: str, lease_seconds: float = LEASE_SECONDS) -> DatabaseServer:
    """Returns the database for a process whose commits other servers see within a lease. See `without_lease`.

    Raises StoreUnavailable if there is no driver.
    """
    with driver_needed():
        from .database_users import without_lease
    return without_lease(url, lease_seconds)


def reached_by_job(url: str, lease_seconds: float, line: PrimaryLine | None) -> DatabaseServer:
    """Returns the database for a job of a server whose lease is from the primary of `line`. See `without_lease`.

    Raises StoreUnavailable if there is no driver.
    """
    with driver_needed():
        from .database_users import without_lease
    return without_lease(url, lease_seconds, line)


def reached_to_look(url: str) -> DatabaseServer:
    """Returns the database for a process that writes nothing there. See `looking`. Raises StoreUnavailable."""
    with driver_needed():
        from .database_users import looking
    return looking(url)


def reached_with_lease(url: str, lease_seconds: float) -> "ServerLease":
    """Returns the lease of a server of Writ. Raises StoreUnavailable if there is no driver."""
    with driver_needed():
        from .database_users import ServerLease
    return ServerLease(url, lease_seconds)


def reached_by_command(url: str, lease_seconds: float) -> DatabaseServer:
    """Returns the database for a command, which ends when every server sees its commits. See `confirming`.

    Raises StoreUnavailable if there is no driver.
    """
    with driver_needed():
        from .database_users import confirming
    return confirming(url, lease_seconds)


def taken_over(url: str, directory: Path, lease_seconds: float, above: Mapping[str, int]) -> Restored:
    """Begins an epoch in each environment of the database. See `take_over`. Raises StoreUnavailable."""
    with driver_needed():
        from .taking_over import take_over
    return take_over(url, directory, lease_seconds, above)
