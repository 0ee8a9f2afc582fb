"""The right of one process to a duty, and when it may take the duty over. Does no I/O and reads no clock.

A duty is a row of the database that names its holder. The holder gives the row a new number again and again. Another
process takes the duty if it has read the same number for as long as the row says. So each process only measures a
duration, and no two clocks are compared. The holder counts from before it sent its statement, and uses nine tenths. The
other one counts from after it has read the row. So the holder's right is over first.

A lock of a session would be simpler, and wrong: the database frees it when the session fails, and the holder notices
that later. A new holder would have to wait for that each time, also after an end in order.
"""

from typing import Final, NamedTuple

FREE: Final = ""
"""The holder of a duty that was given back."""


class DutyRow(NamedTuple):
    """The row of a duty. Each change gives it another `number`.

    Attributes:
        holder: The id of the process that has the duty, or `FREE`.
        name: The name of that process in messages.
        number: The number.
        lease: The nanoseconds without a change after which another process may take the duty.
    """

    holder: str
    name: str
    number: int
    lease: int


class Tenure(NamedTuple):
    """The relation of one process to a duty, as an immutable state. Each method returns the next state.

    `now` is nanoseconds of the process's own CLOCK_BOOTTIME.

    Attributes:
        length: The nanoseconds for which the process uses its right, from before it asked.
        deadline: The end of its right. From this time on, it must not do the work.
        is_holder: True if the row named this process when it was last read.
        watched: The number of another holder's row, as it was read first, or None.
        free_at: The time from which the row may be taken if it still has that number.
    """

    length: int
    deadline: int = 0
    is_holder: bool = False
    watched: int | None = None
    free_at: int = 0

    def granted(self, sent: int) -> "Tenure":
        """The row names this process, by a statement that was sent after `sent`."""
        return Tenure(self.length, max(self.deadline, sent + self.length), is_holder=True)

    def lost(self) -> "Tenure":
        """The row names another process, or this one has given the duty back."""
        return Tenure(self.length)

    def reconnected(self) -> "Tenure":
        """The next row that is read may be another primary's. The right goes on: a new primary names no holder."""
        return self._replace(watched=None)

    def saw(self, row: DutyRow, now: int) -> "Tenure":
        """The row of another holder was read before `now`."""
        return self if row.number == self.watched else self._replace(watched=row.number, free_at=now + row.lease)

    def may_take(self, row: DutyRow, now: int) -> bool:
        """Returns whether the process may take the duty from the holder of `row`, if it still has that number."""
        return row.holder == FREE or (row.number == self.watched and now >= self.free_at)
