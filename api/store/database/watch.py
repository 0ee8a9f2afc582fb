"""Tells whether anything was committed since it was last asked."""

from typing import Protocol, TypeAlias

Version: TypeAlias = tuple[int, int | str, int | None, int]
"""A version of the data: two values of one process differ if a commit or an upset came between them."""


class Watch(Protocol):
    """Watches the commits of all processes, for one thread. Safe to fork."""

    def close(self) -> None:
        """Close the connection. The next question opens another one."""

    def beat(self) -> None:
        """Ask the database itself the next time."""

    def upset(self) -> None:
        """Make the version another one: something else than a commit changes what follows from the data."""

    def version(self) -> Version:
        """Returns a value that differs from the last one if something was committed since, or in another process.

        Raises StoreUnavailable if the database must be asked and can't be read.
        """
