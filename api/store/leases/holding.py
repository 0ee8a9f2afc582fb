"""The side of a server: which lease it holds, by what it has read and when it asked. Does no I/O and reads no clock."""

from typing import NamedTuple


class Reading(NamedTuple):
    """The newest `ticket`, and a digest of the committed `content`, as a server has read them from the primary.

    The content is the revision of each environment, and the generation of the credentials. It shows a commit whose
    writer has drawn no ticket yet, or has ended without one.
    """

    ticket: int
    content: object


class Holding(NamedTuple):
    """The lease of one server, as an immutable state. Each method returns the next state.

    `now` is nanoseconds of the server's own CLOCK_BOOTTIME. A **ticket** is the number that a writer draws after its
    commit: who has read ticket N from the primary, and reads the data after that, sees the commits of all tickets up
    to N. The order of a renewal is fixed:

    1. `asked`: the server takes the time, and then sends the statement that writes its row.
    2. `written`: this statement is committed.
    3. `renewed`: after that, the server has read the newest ticket and the content from the same primary. If this is
       news, the server has raised its commit signal, at which its workers look before each decision. Only now the lease
       counts.

    Attributes:
        length: The nanoseconds that a lease counts for the server, from before it asked.
        deadline: The end of the lease. From this time on, nothing may be answered.
        number: The number of its last lease, as its row has it, or 0 if it has no row that it knows of.
        known: The newest ticket that was read over this connection, with the signal raised since, or -1.
        content: The content that was read over this connection, with the signal raised since, or None.
        confirmed: The ticket in its row.
        sent: The time before the statement that is under way was sent, or None if there is none.
        is_written: True if this statement is committed.
    """

    length: int
    deadline: int = 0
    number: int = 0
    known: int = -1
    content: object = None
    confirmed: int = -1
    sent: int | None = None
    is_written: bool = False

    def is_news(self, reading: Reading) -> bool:
        """Returns whether the server must raise its signal before it goes on, since it has just read this."""
        return reading.ticket > self.known or reading.content != self.content

    def observed(self, reading: Reading) -> "Holding":
        """The server has read this. If it was news, the server has raised its signal. That alone is no lease."""
        return self._replace(known=max(self.known, reading.ticket), content=reading.content)

    def asked(self, now: int) -> "Holding":
        """The server is about to write its row, with `known` as the ticket that it confirms."""
        return self._replace(sent=now, is_written=False)

    def written(self, number: int) -> "Holding":
        """The row is committed, with the number of this lease. No other lease of any server has the same."""
        return self._replace(number=number, confirmed=self.known, is_written=True)

    def renewed(self, reading: Reading) -> "Holding":
        """The server has read this after its row was committed. If it was news, the server has raised its signal."""
        assert self.sent is not None
        assert self.is_written
        deadline = max(self.deadline, self.sent + self.length)
        return self.observed(reading)._replace(deadline=deadline, sent=None, is_written=False)

    def lost(self) -> "Holding":
        """The connection or the row is lost. The lease still runs, but what was read may be another primary's."""
        return self._replace(number=0, known=-1, content=None, confirmed=-1, sent=None, is_written=False)

    def is_awaited(self, ticket: int) -> bool:
        """Returns whether a writer may wait for a confirmation, if the server has a hint of `ticket`."""
        return max(ticket, self.known) > self.confirmed

    def is_registering(self) -> bool:
        """Returns whether the server has no row, so that the next statement makes one."""
        return self.number == 0
