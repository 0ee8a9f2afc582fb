"""A connection to a database of PostgreSQL."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain, count, islice
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import Cursor, pq
from psycopg.adapt import Dumper
from psycopg.types.numeric import Int8Dumper

from ..connection import LastSteps, Parameters
from ..connections import Primary
from ..driver_errors import QueryFailed
from .server_tables import READ_FORMAT, refuse_newer
from .statements import statement_of
from .tables import declarations_of
from .texts import TextDumper, TextLoader

FETCHED: Final = 1_000
"""The rows of a stream that one answer of the server has."""

MOST_POSTED: Final = 64
"""The statements without results that wait for the next question."""

FEW: Final = 4
"""The most rows of one statement that are posted. The driver has a faster way for more."""

SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
"""Begins a read of one state. READ COMMITTED would show each statement the commits before it."""


_Question: TypeAlias = tuple[str, Parameters | None]


class _Flag(Dumper):
    """Writes a truth value as the integer that the tables have."""

    oid = Int8Dumper.oid

    def dump(self, obj: bool) -> bytes:
        return b"1" if obj else b"0"


class PostgresConnection:
    """A connection of `Connection`'s kind. Errors of the driver are QueryFailed, which has them as its cause."""

    def __init__(self, conn: psycopg.Connection[tuple[Any, ...]], refuse: Callable[[], None] = lambda: None) -> None:
        """Takes over `conn`, without a transaction. `refuse` is called before each statement, and may raise."""
        self.conn, self.refuse, self._numbers = conn, refuse, count()
        self._posted: list[_Question] = []
        self.last_steps: Final = LastSteps()
        """The steps that the transaction takes just before its commit."""
        self.primary: Primary = None
        """The primary at the other end, once the connection is admitted."""
        self.format = 0
        """The store's format in the last transaction. A newer program raises it once no older server shares it."""
        self.declared: list[str] | None = None
        """The statements of the schema that wait for `declare`, or None: then statements are run."""
        conn.autocommit = True
        # Each number has one type, so that the server plans a statement once. Tables have no truth values.
        conn.adapters.register_dumper(int, Int8Dumper)
        conn.adapters.register_dumper(bool, _Flag)
        conn.adapters.register_dumper(str, TextDumper)
        conn.adapters.register_loader("text", TextLoader)

    def execute(self, sql: str, parameters: Parameters | None = None, /) -> "Cursor[tuple[Any, ...]]":
        """Run a statement."""
        self.refuse()
        if self.declared is not None:
            self.declared += declarations_of(sql)
            return self.conn.cursor()
        return self._asked([(sql, parameters)])[0]

    def post(self, sql: str, parameters: Parameters | None = None, /) -> None:
        """Send a statement without results with the next question, or with the commit."""
        self.refuse()
        self._posted.append((sql, parameters))
        if len(self._posted) == MOST_POSTED:
            self._asked([])

    def ask(self, questions: Sequence[tuple[str, Parameters]], /) -> list[list[Any]]:
        """Returns the rows of each of several queries, which are one question to the server."""
        self.refuse()
        return [cursor.fetchall() for cursor in self._asked(questions)]

    def has_posted(self, sql: str) -> bool:
        """Returns whether a posted statement still waits for the next question."""
        return any(posted == sql for posted, _ in self._posted)

    def _asked(self, questions: Sequence[_Question]) -> list[Cursor[tuple[Any, ...]]]:
        """Send what was posted, and then some statements. Returns the results of these."""
        many, self._posted = [*self._posted, *questions], []
        with failures(), self.conn.pipeline() if len(many) > 1 else nullcontext():
            found = [self._sent(*one) for one in many]
        return found[len(found) - len(questions) :]

    def _sent(self, sql: str, parameters: Parameters | None) -> Cursor[tuple[Any, ...]]:
        statement = statement_of(sql)
        return self.conn.execute(statement.sql, statement.values(parameters), binary=True)

    @property
    def compares_json(self) -> bool:
        """False: a column and a parameter have one type each."""
        return False

    def contains(self, column: str, part: str, /) -> tuple[str, str]:
        """Returns the condition that the text of a column has a part, and its parameter."""
        return f"strpos({column}, ?) > 0", part

    def execute_many(self, sql: str, rows: Iterable[Parameters], /) -> None:
        """Run a statement without results for each of the rows of parameters."""
        left = iter(rows)
        first = list(islice(left, FEW + 1))
        if len(first) <= FEW:
            for values in first:
                self.post(sql, values)
            return
        self.refuse()
        self._asked([])
        statement = statement_of(sql)
        with failures():
            self.conn.cursor().executemany(statement.sql, map(statement.values, chain(first, left)))

    def stream(self, sql: str, parameters: Parameters | None = None, /) -> Iterator[Any]:
        """Yields the rows of a statement, in a transaction, a part of them at a time."""
        self.refuse()
        self._asked([])
        statement = statement_of(sql)
        with failures(), self.conn.cursor(f"rows_{next(self._numbers)}", binary=True) as cursor:
            cursor.itersize = FETCHED
            cursor.execute(statement.sql, statement.values(parameters))
            yield from cursor

    def run(self, statements: str) -> None:
        """Run PostgreSQL's own statements, as many as there are, without parameters."""
        self._asked([])
        with failures():
            self.conn.execute(statements.encode())

    def begin(self, statements: str) -> None:
        """Begin a transaction by PostgreSQL's own statements, of which the last ones take the locks.

        Raises StoreUnavailable, in the transaction, if a newer program has upgraded the store and excludes this one.
        PERF: that takes no round trip.
        """
        with failures():
            results = self.conn.execute(f"{statements}; {READ_FORMAT}".encode())
            while results.nextset():
                pass
            ((self.format, least),) = results.fetchall()
        refuse_newer(self.format, least)

    def declare(self, step: "Callable[[PostgresConnection], None]") -> None:
        """Do a step of the schema, whose statements are SQLite's and have no parameters. PERF: it is one question."""
        declared: list[str] = []
        self.declared = declared
        try:
            step(self)
        finally:
            self.declared = None
        self.run(";\n".join(one.strip().rstrip(";") for one in declared))

    @property
    def in_transaction(self) -> bool:
        """True from the beginning of a transaction to its end."""
        return self.conn.info.transaction_status != pq.TransactionStatus.IDLE

    @property
    def is_lost(self) -> bool:
        """True if the server has ended the connection, or can't be reached any more."""
        return self.conn.closed or self.conn.broken

    def finish(self) -> None:
        """Take the last steps of the transaction, and send what was posted: only its commit is missing then."""
        self.last_steps.take(self)
        self._asked([])

    def commit(self) -> None:
        """End the transaction. PostgreSQL would end a failed one without its changes, and without an error."""
        assert not len(self.last_steps), "the last steps come before the commit"
        (done,) = self._asked([("COMMIT", None)])
        if done.statusmessage != "COMMIT":
            raise QueryFailed("the transaction has failed before its end")

    def undo(self) -> None:
        """End the transaction without its changes, also those that were not sent yet."""
        self._posted.clear()
        self.last_steps.keep(0)
        if self.conn.info.transaction_status != pq.TransactionStatus.INERROR:
            self.run("ROLLBACK")
            return
        # The driver may believe that a statement is prepared which the server skipped after the failure. This way of
        # the driver forgets all statements, and the next ones are prepared again.
        with failures():
            self.conn.rollback()

    def indexes_of(self, _table: str) -> list[tuple[str, str]]:
        """Returns none: to drop an index would keep readers from the table."""
        return []

    def expect_large_write(self, _large: bool) -> None:
        """Do nothing: the memory is the server's."""

    def add_table_on_disk(self, name: str, columns: str) -> None:
        """Add a temporary table, outside a transaction."""
        for one in declarations_of(f"CREATE TEMP TABLE {name} ({columns})"):
            self.run(one)

    def begin_reading(self) -> None:
        """Begin a transaction that reads one state of the database, up to the end of the connection."""
        self.begin(SNAPSHOT)

    def fault_of_tables(self, prefix: str, definition: str) -> str | None:
        """Returns what is wrong with the triggers of the tables of that prefix, or None."""
        expected = {line.split()[2]: "O" for line in definition.splitlines() if line.startswith("CREATE TRIGGER ")}
        query = (
            "SELECT tgname, tgenabled FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid"
            " WHERE NOT tgisinternal AND c.relname LIKE %s || '%%' AND c.relnamespace = current_schema()::regnamespace"
        )
        with failures():
            found = dict(self.conn.execute(query, (prefix,)).fetchall())
        different = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        return f"the table, index or trigger {different[0]!a} was changed" if different else None

    @contextmanager
    def without_trigger(self, table: str, name: str) -> Iterator[None]:
        """Disables a trigger for the block."""
        self.run(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
        yield
        self.run(f"ALTER TABLE {table} ENABLE TRIGGER {name}")

    def last_number(self, table: str) -> int:
        """Returns the last number that the table's sequence has given, also to a row that was undone, or 0."""
        query = f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {self._sequence_of(table)}"
        ((last,),) = self.execute(query).fetchall()
        return int(last)

    def number_after(self, table: str, last: int) -> None:
        """Let the table's sequence go on after `last`."""
        self.execute("SELECT setval(?, greatest(?, 1), ? > 0)", (self._sequence_of(table), last, last))

    def _sequence_of(self, table: str) -> str:
        ((sequence,),) = self.execute("SELECT pg_get_serial_sequence(?, 'number')", (table,)).fetchall()
        return str(sequence)

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        self.conn.close()


@contextmanager
def failures() -> Iterator[None]:
    """Turns an error of the driver into QueryFailed."""
    try:
        yield
    except psycopg.Error as ex:
        raise QueryFailed(str(ex)) from ex
