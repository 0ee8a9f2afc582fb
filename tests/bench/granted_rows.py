"""The rows of the list with direct grants: documents of tenants and a table of grants, in three databases."""

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from sqlalchemy import orm
from writ.sqlalchemy import grants_table

from tests.support import mariadb, postgres

DOCUMENTS, USERS, TENANTS, TEAMS, GRANTED, OTHERS = 100_000, 10_000, 50, 500, 480, 100
_EXAMPLE: Final = Path(__file__).parents[2] / "api" / "client" / "example" / "policies"
NOW: Final = 2_000_000_000.0
_INDEX: Final = re.compile(r"documents_\w+|PRIMARY KEY|PRIMARY|pkey|writ_grants_(?!\d)\w+")
_WHOLE_TABLE: Final = re.compile(r"Seq Scan on documents|SCAN documents(?! USING)|documents', (?:None, )?'ALL'")


class Base(orm.DeclarativeBase):
    """The base of the class."""


class Document(Base):
    """A document with the columns and indexes of the complete example."""

    __tablename__ = "documents"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    tenant: orm.Mapped[str] = orm.mapped_column(sa.String(100))
    owner: orm.Mapped[str] = orm.mapped_column(sa.String(100))
    team: orm.Mapped[str | None] = orm.mapped_column(sa.String(100))
    title: orm.Mapped[str] = orm.mapped_column(sa.String(100))
    __table_args__ = (sa.Index("documents_owner", "tenant", "owner"), sa.Index("documents_team", "tenant", "team"))


GRANTS = grants_table(Base.metadata)


def model_text() -> str:
    """The model of the complete example, with the teams of the users."""
    parts, members = [(_EXAMPLE / "documents.writ").read_text()], list[list[str]]([] for _ in range(TEAMS))
    for user in range(USERS):
        for team in _of(user):
            members[team].append(f"user u{user}")
    return "\n".join([*parts, *(f"group team{n}\n    members {', '.join(one)}" for n, one in enumerate(members))])


def _of(user: int) -> tuple[int, int]:
    return user % TEAMS, (user + 50) % TEAMS


def subject(user: int) -> dict[str, Any]:
    """A user with the tenant, and the names of the teams."""
    properties = {"tenant": f"t{user % TENANTS}"}
    return {"type": "user", "id": f"u{user}", "properties": properties, "teams": [f"team{n}" for n in _of(user)]}


def documents() -> list[dict[str, Any]]:
    """About ten of each owner; a tenth is of a team of the tenant."""
    random, found = Random("granted"), []
    for n in range(DOCUMENTS):
        tenant = random.randrange(TENANTS)
        owner = tenant + TENANTS * random.randrange(USERS // TENANTS)
        team = f"team{tenant + TENANTS * random.randrange(TEAMS // TENANTS)}" if n % 10 == 0 else None
        found.append(
            {"id": n + 1, "tenant": f"t{tenant}", "owner": f"u{owner}", "team": team, "title": f"Document {n}"}
        )
    return found


def grants(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """480 grants of one user in the same tenant, 500 of each of a hundred other users, and 50 of each of 100 teams."""
    random = Random("grants")
    shared = random.sample([row["id"] for row in rows if row["tenant"] == "t5"], GRANTED)
    found = [("u5", id) for id in shared]
    found += [(f"u{7 + 50 * n}", id) for n in range(OTHERS) for id in random.sample(range(1, DOCUMENTS + 1), 500)]
    holders = [({"subject_type": "user", "subject_id": user, "group_id": None}, id) for user, id in found]
    teams = [f"team{n}" for n in range(100, 200) for _ in range(50)]
    holders += [
        ({"subject_type": None, "subject_id": None, "group_id": team}, random.randrange(DOCUMENTS) + 1)
        for team in teams
    ]
    common = {"resource_type": "document", "action": "read"}
    return [{**common, **holder, "id": f"g{n}", "resource_id": str(id)} for n, (holder, id) in enumerate(holders)]


def databases(stack: ExitStack, folder: Path) -> Iterator[tuple[str, sa.Engine]]:
    """Yields the databases that are installed, with the rows and fresh statistics."""
    rows = documents()
    made = sa.create_engine(f"sqlite:///{folder / 'granted.db'}")
    stack.callback(made.dispose)
    yield "SQLite", _filled(made, rows, "ANALYZE")
    place, program = postgres.programs(), mariadb.program()
    if place is None:
        print("PostgreSQL is left out, since its server is not installed", file=sys.stderr)
    else:
        conninfo = stack.enter_context(postgres.server(place))
        made = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
        stack.callback(made.dispose)
        yield "PostgreSQL", _filled(made, rows, "ANALYZE")
    if program is None:
        print("MariaDB is left out, since its server is not installed", file=sys.stderr)
    else:
        connection = stack.enter_context(mariadb.server(program))
        with connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE granted COLLATE utf8mb4_general_ci")
            cursor.execute("USE granted")
        connection.autocommit(False)
        made = sa.create_engine("mariadb+pymysql://", creator=lambda: connection, poolclass=sa.pool.StaticPool)
        yield "MariaDB", _filled(made, rows, "ANALYZE TABLE documents, writ_grants")


def _filled(made: sa.Engine, rows: list[dict[str, Any]], analyze: str) -> sa.Engine:
    Base.metadata.create_all(made)
    with made.begin() as connection:
        connection.execute(sa.insert(Document), rows)
        connection.execute(sa.insert(GRANTS), grants(rows))
    with made.begin() as connection:
        connection.exec_driver_sql(analyze)
    return made


def plan_of(session: orm.Session, query: sa.Select[Any]) -> str:
    """Returns the indexes of a query's plan, `whole table`, and `JIT` if PostgreSQL compiles."""
    connection = session.connection()
    text = str(query.compile(connection, compile_kwargs={"literal_binds": True})).replace("%%", "%")
    word = {"sqlite": "EXPLAIN QUERY PLAN", "mariadb": "EXPLAIN"}.get(connection.dialect.name, "EXPLAIN (ANALYZE)")
    plan = str(connection.exec_driver_sql(f"{word} {text.replace('%', '%%')}").all())
    whole = ["whole table"] if _WHOLE_TABLE.search(plan) else []
    return " + ".join([*whole, *dict.fromkeys(_INDEX.findall(plan)), *(["JIT"] if "JIT:" in plan else [])])
