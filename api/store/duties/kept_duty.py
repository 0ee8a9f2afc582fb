"""The duty of a server, which the keeper of its lease takes and renews over its connection."""

import psycopg

from ..leases.lease_cell import LeaseCell
from .candidate import Candidate


class KeptDuty:
    """See `Beside`. The workers of the server see in its `cell` whether it has the duty."""

    def __init__(self, candidate: Candidate, cell: LeaseCell) -> None:
        self._candidate, self._cell = candidate, cell

    def renew(self, db: psycopg.Connection) -> None:
        """See `Beside`."""
        self._candidate.step(db)
        self._cell.set_duty(self._candidate.deadline)

    def leave(self, db: psycopg.Connection) -> None:
        """See `Beside`."""
        self._cell.set_duty(0)
        self._candidate.give_back(db)
