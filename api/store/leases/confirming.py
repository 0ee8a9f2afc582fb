"""The side of a writer: for which servers a commit still waits. Does no I/O and reads no clock."""

from collections.abc import Iterable
from typing import NamedTuple


class ServerRow(NamedTuple):
    """The row of a server: the number of its last lease, and the newest ticket that it confirmed.

    No two leases have the same number, also of a server that registers again. `lease` is the nanoseconds after which a
    writer takes the lease for over.
    """

    id: str
    number: int
    confirmed: int
    lease: int


class Confirmation(NamedTuple):
    """The wait for the confirmation of one ticket, as an immutable state. Each method returns the next state.

    `now` is nanoseconds of the writer's own CLOCK_BOOTTIME. The writer has drawn the ticket after its commit, and reads
    the rows of the servers after that. Only the servers of the first reading matter: a server that registers later
    reads the ticket, or a newer one, before its first lease counts.

    Attributes:
        ticket: The ticket.
        own: The id of the writer's own server, whose signal the writer has raised itself, or None.
        pending: The rows, as they were first read, of the servers that have not confirmed the ticket.
        until: The time at which every lease without the ticket has run out, or None before the first reading.
    """

    ticket: int
    own: str | None = None
    pending: tuple[ServerRow, ...] = ()
    until: int | None = None

    def listed(self, rows: Iterable[ServerRow], now: int) -> "Confirmation":
        """The writer has read the rows of all servers. It takes `now` after that, so that no lease began later."""
        open_rows = {row.id: row for row in rows if row.confirmed < self.ticket and row.id != self.own}
        if self.until is not None:
            return self._replace(pending=tuple(row for row in self.pending if row.id in open_rows))
        pending = tuple(sorted(open_rows.values()))
        return self._replace(pending=pending, until=now + max((row.lease for row in pending), default=0))

    def is_done(self, now: int) -> bool:
        """Returns whether the write may be answered: all have confirmed it, or their leases have run out."""
        return self.until is not None and (not self.pending or now >= self.until)

    def lapsed(self, now: int) -> tuple[ServerRow, ...]:
        """Returns the rows whose lease has run out, unless they were renewed since.

        Only a row with the same `number` may be deleted. Later writes then need not wait for that server.
        """
        return self.pending if self.until is not None and now >= self.until else ()
