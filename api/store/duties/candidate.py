"""One process that does a duty when its turn comes: the steps on its connection to the primary."""

from collections.abc import Callable
from typing import Any, Final

import psycopg

from ..leases.lease_cell import boot_ns
from ..leases.lengths import RENEWALS_A_LEASE, held_ns, lease_ns
from . import duty_tables as sql
from .tenure import DutyRow, Tenure

UPKEEP: Final = "upkeep"
"""The duty of the store's upkeep."""


class Candidate:
    """A candidate for the duty `task`. `id` is that of its process, which no other one has, also not after a restart.

    `name` is that of the process in messages of others. `clock` gives nanoseconds of CLOCK_BOOTTIME.
    """

    def __init__(self, task: str, id: str, name: str, lease_seconds: float, clock: Callable[[], int] = boot_ns) -> None:
        """The duty passes on at the latest `lease_seconds` after the last sign of its holder."""
        self._values: Final = {"task": task, "id": id, "name": name, "lease": lease_ns(lease_seconds)}
        self._clock, self._tenure = clock, Tenure(held_ns(lease_seconds))
        self._pause: Final = lease_ns(lease_seconds) // RENEWALS_A_LEASE // 2
        self._db: psycopg.Connection | None = None
        self._due = 0
        self.holder = ""
        """The name of the holder, as far as this process knows it."""

    @property
    def deadline(self) -> int:
        """The end of the right to the duty, in nanoseconds of CLOCK_BOOTTIME. 0: it belongs to another process."""
        return self._tenure.deadline

    def step(self, db: psycopg.Connection) -> None:
        """Renew the right, or look whether the duty is free. Soon after the last step, do nothing.

        `db` is a connection with autocommit, which `take_line` has admitted. Raises psycopg.Error.
        """
        if db is not self._db:
            self._db, self._due, self._tenure = db, 0, self._tenure.reconnected()
        now = self._clock()
        if now < self._due:
            return
        self._due = now + self._pause
        if self._tenure.is_holder:
            if self._ask(db, sql.RENEW):
                return
            self._tenure = self._tenure.lost()
        found = db.execute(sql.READ, self._values).fetchone()
        if found is None:
            db.execute(sql.ADD, self._values)
            return
        row, now = DutyRow(*found), self._clock()
        self.holder = row.name
        if row.holder == self._values["id"] or self._tenure.may_take(row, now):
            self._ask(db, sql.TAKE, number=row.number)
        else:
            self._tenure = self._tenure.saw(row, now)

    def give_back(self, db: psycopg.Connection) -> None:
        """End the right, and let another process take the duty at once. Raises psycopg.Error."""
        was_holder, self._tenure = self._tenure.is_holder, self._tenure.lost()
        if was_holder:
            db.execute(sql.GIVE_BACK, self._values)

    def _ask(self, db: psycopg.Connection, statement: str, **more: Any) -> bool:
        sent = self._clock()
        if db.execute(statement, {**self._values, **more}).fetchone() is None:
            return False
        self._tenure = self._tenure.granted(sent)
        self.holder = str(self._values["name"])
        return True
