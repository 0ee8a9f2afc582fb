"""Names decisions: the header of an answer and its record in the decision log have the same id."""

import os
import secrets
from collections.abc import Callable
from itertools import count
from typing import Final

_PROCESS_BYTES: Final = 8


class DecisionIds:
    """The ids of a process: its random name, and a number. A forked process has another name."""

    def __init__(self) -> None:
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        name = f"{secrets.token_hex(_PROCESS_BYTES)}-%x".encode()
        self.next: Callable[[], bytes] = map(name.__mod__, count(1)).__next__  # PERF: without a call of Python code
        """Returns the id of another decision."""


IDS: Final = DecisionIds()
"""One for a process: whatever decides in it draws from here."""
