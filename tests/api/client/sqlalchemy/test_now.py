"""Rules that compare with `now`: a query is decided at the instant of its question, also at the very edge (X5)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import mysql
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime.translate import DateTime
from writ.sqlalchemy import authorized, resource_of

from tests.support.authorized_rows import SUBJECT
from tests.support.bundling import bundle_file

NOW = datetime(2034, 6, 1, 12, 0, 0, 500_000, UTC)
STEPS = (timedelta(days=-1), timedelta(microseconds=-1), timedelta(), timedelta(microseconds=1), timedelta(days=1))


class Base(orm.DeclarativeBase):
    """The base of the class."""


class Paper(Base):
    """A row with an instant."""

    __tablename__ = "paper"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    until: orm.Mapped[datetime | None] = orm.mapped_column(
        sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
    )


FIELDS = {"until": lambda paper: DateTime(paper.until)}


@pytest.fixture(scope="module")
def papers(db: sa.Engine) -> Iterator[sa.Engine]:
    """A database with rows at, beside and far from the instant, and one without."""
    Base.metadata.create_all(db)
    with orm.Session(db) as session:
        session.add_all(Paper(id=id, until=NOW + step) for id, step in enumerate(STEPS, start=1))
        session.add(Paper(id=9, until=None))
        session.commit()
    yield db
    Base.metadata.drop_all(db)


def pdp(tmp_path: Path, op: str, effect: str, clock: float) -> Engine:
    """An engine that allows by the instant, or denies by it what is allowed otherwise."""
    types = [{"resource_type_id": "paper", "actions": ["read"]}]
    timed = {"resource_attrs": [{"key": "until", "op": op, "value_of": "now"}]}
    policies = [{"id": "p", "effect": effect, "resource_types": types, "conditions": timed}]
    policies += [{"id": "all", "effect": "ALLOW", "resource_types": types}] if effect == "DENY" else []
    kinds = [{"id": "paper", "actions": ["read"]}]
    model = {"extensions": ["now"], "resource_types": kinds, "policies": policies}
    return Engine(open_bundle(bundle_file(model, tmp_path / "one.bundle")), lambda: clock)


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
@pytest.mark.parametrize("op", ["gt", "gte", "lt", "lte"])
def test_the_instant_is_that_of_the_question(papers: sa.Engine, tmp_path: Path, op: str, effect: str) -> None:
    """By the engine's clock, by `now`, and by the context, which wins. The clocks of the databases do not count."""
    far = (NOW + timedelta(days=400)).timestamp()
    with orm.Session(papers) as session:
        rows = session.scalars(sa.select(Paper)).all()
        for instant in (NOW + step for step in STEPS):
            clock, sent = instant.timestamp(), {"time": instant.isoformat()}
            asked: list[tuple[float, dict[str, Any], dict[str, Any]]] = [
                (clock, {}, {}),
                (far, {"now": clock}, {}),
                (far, {}, sent),
                (far, {"now": far}, sent),
            ]
            for of_engine, more, context in asked:
                engine = pdp(tmp_path, op, effect, of_engine)
                query = authorized(sa.select(Paper.id), engine, SUBJECT, "read", context=context, fields=FIELDS, **more)
                expected = []
                for row in rows:
                    request = {"subject": SUBJECT, "action": {"name": "read"}, "resource": resource_of(row, "paper")}
                    if engine.decide(request | {"context": context}, more.get("now"))["decision"]:
                        expected.append(row.id)
                assert sorted(session.scalars(query)) == expected, (instant, more, context)


def test_a_query_is_asked_anew_each_time(papers: sa.Engine, tmp_path: Path) -> None:
    clock = [NOW.timestamp()]
    pdp(tmp_path, "lte", "ALLOW", 0.0)
    engine = Engine(open_bundle(tmp_path / "one.bundle"), lambda: clock[0])
    with orm.Session(papers) as session:
        for step, last in ((timedelta(), 3), (timedelta(seconds=0.25), 4), (timedelta(days=2), 5)):
            clock[0] = (NOW + step).timestamp()
            query = authorized(sa.select(Paper.id), engine, SUBJECT, "read", fields=FIELDS)
            assert sorted(session.scalars(query)) == [*range(1, last + 1)]
