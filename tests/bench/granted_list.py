"""What a list with direct grants costs beside a hand-written query: `python -m tests.bench.granted_list`.

The model is that of the complete example. 100,000 documents of 50 tenants and 50,000 grants are in SQLite, PostgreSQL
and MariaDB. A user of one tenant is a member of two teams and has 480 grants, in a table beside the documents. Another
one has none. Both queries of a round take turns in being first. One time is that of the wall clock. The other is the
processor time of this program, to build a statement and to read its rows. The rows are compared at the start. A
difference ends the run with exit code 1. The plan says which indexes serve, and whether the table is read as a whole.
"""

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import authorized

from tests.bench.granted_rows import GRANTS, NOW, Document, databases, model_text, plan_of, subject
from tests.support.writ_texts import bundle_bytes, load_writ

ROUNDS, MANY, NONE = 40, 5, 6
Statement = sa.Select[Any]
Build = Callable[[], Statement]


class Shape(NamedTuple):
    """A list without its condition."""

    title: str
    statement: Statement


SHAPES = (
    Shape("count", sa.select(sa.func.count()).select_from(Document)),
    Shape("page of 20", sa.select(Document).order_by(Document.id.desc()).limit(20)),
)


def by_hand(shape: Shape, user: int) -> Statement:
    """The list as an application would write it: the tenant first, and a subquery for the grants."""
    who = subject(user)
    holder = (GRANTS.c.subject_type == "user") & (GRANTS.c.subject_id == who["id"])
    granted = sa.exists().where(
        GRANTS.c.resource_type == "document",
        GRANTS.c.resource_id == sa.cast(Document.id, sa.String()),
        GRANTS.c.action.in_(["read", "*"]),
        holder | GRANTS.c.group_id.in_(who["teams"]),
        GRANTS.c.starts_at.is_(None) | (GRANTS.c.starts_at <= NOW),
        GRANTS.c.expires_at.is_(None) | (GRANTS.c.expires_at > NOW),
    )
    own = (Document.owner == who["id"]) | Document.team.in_(who["teams"]) | granted
    return shape.statement.where(Document.tenant == who["properties"]["tenant"], own)


def by_writ(shape: Shape, user: int, engine: Engine) -> Statement:
    """The list with Writ's condition."""
    who = {name: one for name, one in subject(user).items() if name != "teams"}
    return authorized(
        shape.statement, engine, who, "read", of=Document, resource_type="document", context={}, mirror=GRANTS
    )


def lists(session: orm.Session, engine: Engine) -> Iterator[str]:
    """Yields a line for each list and user. Raises ValueError if the rows differ."""
    for user, title in ((MANY, "480 grants"), (NONE, "no grants")):
        for shape in SHAPES:
            hand, ours = partial(by_hand, shape, user), partial(by_writ, shape, user, engine)
            rows = [_rows(session, one) for one in (hand, ours)]
            if rows[0] != rows[1] or not rows[0]:
                raise ValueError(
                    f"{session.get_bind().dialect.name}: the rows of `{title}, {shape.title}` differ: {rows}"
                )
            plans = [plan_of(session, one()) for one in (hand, ours)]
            cells = measured(session, hand, ours)
            yield f"{title}, {shape.title:12}{cells}   {plans[1]}" + (
                f" (by hand: {plans[0]})" * (plans[0] != plans[1])
            )


def _rows(session: orm.Session, build: Build) -> list[Any]:
    session.expunge_all()
    return [getattr(one, "id", one) for one in session.scalars(build())]


def measured(session: orm.Session, hand: Build, ours: Build) -> str:
    """Returns both times by the wall clock, then both processor times, in milliseconds with their ratios."""
    wall: tuple[list[float], list[float]] = ([], [])
    processor: tuple[list[float], list[float]] = ([], [])
    gc.collect()
    for turn in range(ROUNDS):
        for which in (0, 1) if turn % 2 else (1, 0):
            began = time.perf_counter_ns(), time.process_time_ns()
            _rows(session, (hand, ours)[which])
            ended = time.perf_counter_ns(), time.process_time_ns()
            wall[which].append((ended[0] - began[0]) / 1e6)
            processor[which].append((ended[1] - began[1]) / 1e6)
    return "".join(map(_cells, (wall, processor)))


def _cells(times: tuple[list[float], list[float]]) -> str:
    one, other = map(median, times)
    return f"{one:10.2f}{other:9.2f}{other / one:7.2f}"


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 if rows differ."""
    argparse.ArgumentParser(prog="python -m tests.bench.granted_list", description=__doc__).parse_args(given)
    loaded = load_writ(model_text())
    assert loaded.model is not None, loaded.diagnostics
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        bundle = Path(folder) / "granted.bundle"
        bundle.write_bytes(bundle_bytes(loaded.model))
        engine = Engine.open(bundle, clock=lambda: NOW)
        head = "".join(f"{'by hand':>10}{'Writ':>9}{'ratio':>7}" for _ in range(2))
        print(f"{'ms by the wall clock, then of the processor':24}\n{'':24}{head}   plan")
        for name, database in databases(stack, Path(folder)):
            print(f"{name}:", flush=True)
            with orm.Session(database) as session:
                try:
                    for line in lists(session, engine):
                        print(line, flush=True)
                except ValueError as ex:
                    print(ex, file=sys.stderr)
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
