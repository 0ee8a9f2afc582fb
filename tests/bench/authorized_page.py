"""What an authorized page costs beside a hand-written query: `python -m tests.bench.authorized_page`.

PostgreSQL has 1,000,000 documents of 1,000 owners. Each query has 50 of them, newest first, as objects of SQLAlchemy.
50 owners ask in turn. One more user owns nothing and has 100,000 direct grants, mirrored in a table beside the
documents. Both queries of a round take turns in being first. A time is the processor time of this program and of
PostgreSQL's process for its connection, so other work on the machine does not count. The pages are compared at the
start. A difference ends the run with exit code 1. The plans of both follow the table.
"""

import argparse
import gc
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import thread_time_ns
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import authorized, grants_table

from tests.support import postgres
from tests.support.bundling import engine_for

DOCUMENTS, OWNERS, GRANTED, ROUNDS = 1_000_000, 1_000, 100_000, 400
ASKING = 50
POLICY = {
    "extensions": ["references"],
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}


class Base(orm.DeclarativeBase):
    """The base of the class."""


class Document(Base):
    """A document with an owner."""

    __tablename__ = "documents"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str]
    title: orm.Mapped[str]
    __table_args__ = (sa.Index("documents_owner", "owner", "id"),)


GRANTS = grants_table(Base.metadata)
Page = Callable[[int], "sa.Select[tuple[Document]]"]


def newest(condition: Any = None) -> "sa.Select[tuple[Document]]":
    """The page of documents, newest first."""
    page = sa.select(Document).order_by(Document.id.desc()).limit(50)
    return page if condition is None else page.where(condition)


def by_hand(user: str, mirrored: bool) -> "sa.Select[tuple[Document]]":
    """The page as an application would write it."""
    owned = Document.owner == user
    if not mirrored:
        return newest(owned)
    granted = sa.exists().where(
        GRANTS.c.resource_type == "document",
        GRANTS.c.resource_id == sa.cast(Document.id, sa.String()),
        GRANTS.c.action == "read",
        GRANTS.c.subject_type == "user",
        GRANTS.c.subject_id == user,
    )
    return newest(owned | granted)


def fill(connection: psycopg.Connection[Any]) -> None:
    """Writes the documents, and the grants of one user on every tenth of them."""
    with connection.cursor() as cursor:
        with cursor.copy("COPY documents (id, owner, title) FROM STDIN") as copy:
            for n in range(DOCUMENTS):
                copy.write_row((n, f"u{n % OWNERS}", f"Document {n}"))
        columns = "id, subject_type, subject_id, resource_type, resource_id, action"
        with cursor.copy(f"COPY {GRANTS.name} ({columns}) FROM STDIN") as copy:
            for n in range(GRANTED):
                copy.write_row((f"g{n}", "user", "guest", "document", str(n * (DOCUMENTS // GRANTED)), "read"))
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE")
    connection.autocommit = False


def measure(session: orm.Session, title: str, hand: Page, ours: Page) -> str:
    """Returns a line with both times and their ratio. Raises ValueError if the pages differ."""
    pages = [[one.id for one in session.scalars(page(0))] for page in (hand, ours)]
    if pages[0] != pages[1] or len(pages[0]) != 50:
        raise ValueError(f"{title}: the pages differ: {pages}")
    times: tuple[list[float], list[float]] = ([], [])
    server = Path(f"/proc/{session.scalar(sa.func.pg_backend_pid())}/schedstat")
    gc.collect()
    gc.freeze()
    for turn in range(ROUNDS):
        order = (0, 1) if turn % 2 else (1, 0)
        for page, taken in (((hand, ours)[which], times[which]) for which in order):
            session.expunge_all()
            began = processor_time(server)
            session.scalars(page(turn)).all()
            taken.append((processor_time(server) - began) / 1e6)
    one, other = map(median, times)
    return f"{title:32}{one:9.2f}{other:12.2f}{other / one:8.2f}"


def processor_time(server: Path) -> int:
    """Returns the processor time of this thread and of a server's process, in nanoseconds."""
    return thread_time_ns() + int(server.read_text().split()[0])


def plan(session: orm.Session, query: "sa.Select[Any]") -> str:
    """Returns the plan of a query."""
    text = query.compile(session.connection(), compile_kwargs={"literal_binds": True})
    return "\n".join(
        session.connection().exec_driver_sql(f"EXPLAIN {text}".replace("%%", "%").replace("%", "%%")).scalars()
    )


def run(session: orm.Session, engine: Engine) -> None:
    """Prints the table and the plans. Raises ValueError if pages differ."""

    def asked(user: str, **more: Any) -> "sa.Select[tuple[Document]]":
        return authorized(newest(), engine, {"type": "user", "id": user}, "read", **more)

    questions: list[tuple[str, Page, Page]] = [
        ("an owner", lambda turn: by_hand(owner(turn), False), lambda turn: asked(owner(turn))),
        (
            "an owner, one dialect",
            lambda turn: by_hand(owner(turn), False),
            lambda turn: asked(owner(turn), dialect="postgresql"),
        ),
        ("an owner who asks once", lambda turn: by_hand(f"u{turn + 500}", False), lambda turn: asked(f"u{turn + 500}")),
        (
            f"{GRANTED:,} grants, mirrored",
            lambda _: by_hand("guest", True),
            lambda _: asked("guest", mirror=GRANTS, dialect="postgresql"),
        ),
    ]
    print(f"{'page of 50, ms':32}{'by hand':>9}{'authorized':>12}{'ratio':>8}")
    for title, hand, ours in questions:
        print(measure(session, title, hand, ours), flush=True)
    for title, hand, ours in questions[1:]:
        for whose, page in (("by hand", hand), ("authorized", ours)):
            print(f"\nPlan of {title}, {whose}:\n{plan(session, page(0))}")


def owner(turn: int) -> str:
    """The owner that asks in a round."""
    return f"u{turn % ASKING}"


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 if pages differ, 2 without PostgreSQL."""
    argparse.ArgumentParser(prog="python -m tests.bench.authorized_page", description=__doc__).parse_args(given)
    place = postgres.programs()
    if place is None:
        print("PostgreSQL's server is not installed: apt-get install postgresql", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, postgres.server(place) as conninfo:
        database = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
        Base.metadata.create_all(database)
        with psycopg.connect(conninfo) as connection:
            fill(connection)
        with orm.Session(database) as session:
            try:
                run(session, engine_for(POLICY, Path(folder) / "owners.bundle"))
            except ValueError as ex:
                print(ex, file=sys.stderr)
                return 1
        database.dispose()
    return 0


if __name__ == "__main__":
    sys.exit(main())
