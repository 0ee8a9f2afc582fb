"""The rows of the list page: documents of a service with tenants and teams, on SQLite and PostgreSQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, Protocol

import psycopg
from writ.runtime.translate import DateTime, Text

from tests.support import postgres
from tests.support.pages import page

DOCUMENTS, USERS, TENANTS, TEAMS, REGIONS = 100_000, 10_000, 50, 500, 20
EDITORS, AUDITORS = range(TENANTS), range(TENANTS, 2 * TENANTS)
OTHERS: Final = range(2 * TENANTS, USERS, TENANTS - 1)
"""One user of each tenant has a role. These are about 200 of the users without one."""

ROLES: Final = {"editor": EDITORS, "auditor": AUDITORS}
NOW: Final = datetime(2034, 6, 1, tzinfo=UTC)
TEXTS: Final = ("tenant", "owner", "team", "region")
COLUMNS: Final = (*TEXTS, "embargo_until")
FIELDS: Final = {name: Text(name) for name in TEXTS} | {"embargo_until": DateTime("embargo_until")}
TABLE: Final = (
    "CREATE TABLE documents (id integer PRIMARY KEY, tenant text, owner text, team text, region text, embargo_until {})"
)
INDEXES: Final = tuple(
    f"CREATE INDEX documents_{name} ON documents (tenant, {name})" for name in ("owner", "team", "region")
)
Document = tuple[int, str, str, str | None, str, datetime | None]


class Executes(Protocol):
    """A connection to a database."""

    def execute(self, query: Any, parameters: Any = ..., /) -> Any:
        """Run a query."""


class Database(NamedTuple):
    """A connection, the dialect of its filters, and how it explains a query."""

    name: str
    dialect: str
    connection: Executes
    explain: str


def model_text() -> str:
    """The model of the page about sharing, with 10,000 users in teams, an editor and an auditor of each tenant."""
    parts = [page("compiler/SHARING.md").marked("file: sharing.writ")]
    for team in range(TEAMS):
        users = ", ".join(f"user u{n}" for n in range(team, USERS, TEAMS))
        parts.append(f"group team{team}\n    members {users}\n")
    parts += [f"assign {role} to user u{n}\n" for role, users in ROLES.items() for n in users]
    return "\n".join(parts)


def documents() -> list[Document]:
    """About ten of each owner; a third shared with a team, a tenth under embargo, a hundredth without a date."""
    random = Random("documents")
    return [document(random, n) for n in range(DOCUMENTS)]


def document(random: Random, n: int) -> Document:
    """A document whose owner and team are of its tenant; the numbers of a tenant's users and teams are 50 apart."""
    tenant = random.randrange(TENANTS)
    owner = tenant + TENANTS * random.randrange(USERS // TENANTS)
    team = tenant + TENANTS * random.randrange(TEAMS // TENANTS)
    embargo = NOW + timedelta(hours=random.randrange(-9 * 365, 365))
    return (
        *(n, f"t{tenant}", f"u{owner}", f"team{team}" if n % 3 == 0 else None),
        *(f"r{random.randrange(REGIONS)}", embargo if n % 100 else None),
    )


@contextmanager
def sqlite(rows: list[Document], folder: Path) -> Iterator[Database]:
    """SQLite in a file; it has instants as texts."""
    connection = sqlite3.connect(folder / "documents.db")
    connection.execute(TABLE.format("text"))
    written = [(*row[:-1], row[-1] and row[-1].replace(tzinfo=None).isoformat(" ")) for row in rows]
    connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", written)
    for statement in (*INDEXES, "ANALYZE"):
        connection.execute(statement)
    connection.commit()
    try:
        yield Database(f"SQLite {sqlite3.sqlite_version}", "sqlite", connection, "EXPLAIN QUERY PLAN")
    finally:
        connection.close()


@contextmanager
def postgresql(rows: list[Document], place: Path) -> Iterator[Database]:
    """A PostgreSQL server on a socket."""
    with postgres.server(place) as conninfo, psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(TABLE.format("timestamptz"))
        with connection.cursor().copy(f"COPY documents (id, {', '.join(COLUMNS)}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        for statement in (*INDEXES, "VACUUM ANALYZE documents"):
            connection.execute(statement)
        release = connection.info.server_version // 10_000
        yield Database(f"PostgreSQL {release}", "postgresql", connection, "EXPLAIN")
