"""A connection to the database, whichever engine has it: the one way by which the store runs SQL."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from typing import Any, Protocol, TypeAlias

Parameters: TypeAlias = Sequence[Any] | dict[str, Any]
"""The values of the `?` of a statement, in order, or those of its `:name`, by name."""


class Rows(Protocol):
    """The rows that a statement found, each a tuple."""

    def fetchone(self) -> Any:
        """Returns the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Returns the rows that were not read yet."""

    def __iter__(self) -> Iterator[Any]:
        """Yields them."""

    def close(self) -> None:
        """Leave the rest of the rows."""


class LastSteps:
    """The steps that a write transaction takes just before its commit, in order, each with items."""

    def __init__(self) -> None:
        self._items: list[tuple[LastStep, Any]] = []

    def add(self, step: "LastStep", item: Any) -> None:
        """Give an item to a step. The step gets the items that follow one another in one call."""
        self._items.append((step, item))

    def __len__(self) -> int:
        """Returns how many items there are."""
        return len(self._items)

    def keep(self, count: int) -> None:
        """Forget all items but the first ones: what asked for the others was undone."""
        del self._items[count:]

    def take(self, db: "Connection") -> None:
        """Take the steps. If one raises, none is left either: the transaction is undone."""
        items, self._items = self._items, []
        for step, group in groupby(items, key=lambda one: one[0]):
            step(db, [item for _, item in group])


LastStep: TypeAlias = Callable[["Connection", Sequence[Any]], None]


class Connection(Protocol):
    """A connection. Its statements are the SQL that all engines run. What differs has a method here.

    One thread uses it at a time. Every method raises the errors of the engine's driver (see `driver_errors`).
    """

    def execute(self, sql: str, parameters: Parameters | None = None, /) -> Rows:
        """Run a statement."""

    def post(self, sql: str, parameters: Parameters | None = None, /) -> None:
        """Run a statement without results by the time of the next one that has some, or of the commit.

        These then raise its errors. PERF: a server gets it together with that one.
        """

    def ask(self, questions: Sequence[tuple[str, Parameters]], /) -> list[list[Any]]:
        """Returns the rows of each of several queries. PERF: on a server, it is one question."""

    @property
    def last_steps(self) -> LastSteps:
        """The steps that the transaction takes just before its commit."""

    @property
    def format(self) -> int:
        """The store's format in this transaction, by which older servers may read it: the newest one in a file."""

    @property
    def compares_json(self) -> bool:
        """True if statements may compare a member of a body, of any type, with a number or a text."""

    def contains(self, column: str, part: str, /) -> tuple[str, str | bytes]:
        """Returns the condition that the text of a column has a part, and its parameter. It may find more rows."""

    def stream(self, sql: str, parameters: Parameters | None = None, /) -> Iterator[Any]:
        """Yields the rows of a statement, in a transaction, without all of them in memory."""

    def execute_many(self, sql: str, rows: Iterable[Parameters], /) -> None:
        """Run a statement without results for each of the rows of parameters. A few of them are posted (`post`)."""

    @property
    def in_transaction(self) -> bool:
        """True from the beginning of a transaction to its end."""

    def indexes_of(self, table: str, /) -> list[tuple[str, str]]:
        """Returns the names and statements of the indexes of a table that pay to be rebuilt when it is filled."""

    def expect_large_write(self, large: bool, /) -> None:
        """Give the following statements of a large write more memory, or take it back."""

    def add_table_on_disk(self, name: str, columns: str) -> None:
        """Add a table that only this connection sees and may write, and that may grow larger than memory."""

    def begin_reading(self) -> None:
        """Begin a transaction that reads one state of the database, up to the end of the connection."""

    def fault_of_tables(self, prefix: str, definition: str) -> str | None:
        """Returns what is wrong with the tables of that prefix, with their indexes and triggers, or None.

        `definition` is their part of the schema.
        """

    def without_trigger(self, table: str, name: str, /) -> AbstractContextManager[None]:
        """Sets a trigger of a table aside for the block, which is in a transaction."""

    def last_number(self, table: str, /) -> int:
        """Returns the last number that a table of numbered rows has given to a row, or 0."""

    def number_after(self, table: str, last: int, /) -> None:
        """Give the next rows of a table of numbered rows the numbers after `last`."""

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
