"""Values that a driver puts into the strings of a text, or in the places of others, loosen no condition of Writ."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized

from tests.api.client.sqlalchemy.test_no_wrong_refusals import ALICE, OWNERS
from tests.support.authorized_rows import Document
from tests.support.bundling import engine_for

ENDS = " OR 1=1) OR (1=1 OR status="
IN_QUOTES: dict[str, Callable[[], Any]] = {
    "a value": lambda: sa.text("status <> ':x'").bindparams(x=ENDS),
    "a part of a pattern": lambda: sa.text("status LIKE '%:x%'").bindparams(x=ENDS),
    "one in a name": lambda: sa.text('"status:x" = 1 AND ":x" = 1').bindparams(x=ENDS),
    "a list": lambda: sa.and_(Document.status.in_([ENDS]), sa.text("status <> '__[POSTCOMPILE_status_1]'")),
    "a list by a column": lambda: sa.literal_column("status <> '__[POSTCOMPILE_x]'", sa.Boolean),
    "a driver's name": lambda: sa.and_(Document.status == ENDS, sa.literal_column("'%(status_1)s' = ''", sa.Boolean)),
}
VARIABLES: dict[str, Callable[[], Any]] = {
    "a text": lambda: sa.text("coalesce(@a, @b)"),
    "a column": lambda: sa.literal_column("$a"),
    "an operator": lambda: Document.size.op("+ coalesce(#a, 1) +")(1),
    "an escape": lambda: sa.text(r"coalesce(\:a, 1)"),
}
PLAIN: dict[str, Callable[[], Any]] = {
    "a value": lambda: sa.text("(status = :x OR status = :y)").bindparams(x="draft", y="final"),
    "a colon": lambda: sa.text("status <> '10:30' AND status <> 'a: b'"),
    "a percent sign": lambda: sa.text("status NOT LIKE '50%' AND status NOT LIKE '%d%%s'"),
    "a list": lambda: sa.and_(Document.status.in_(["draft", "final"]), sa.text("status <> 'x'")),
}
PLACES: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "where": lambda clause, authorize: authorize(sa.select(Document.id).where(clause)),
    "after": lambda clause, authorize: authorize(sa.select(Document.id)).where(clause),
    "order": lambda clause, authorize: authorize(sa.select(Document.id).order_by(clause)),
}


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(OWNERS, tmp_path / "owners.bundle")


def refused(db: sa.Engine, statement: Callable[[], Any]) -> str:
    with orm.Session(db) as session, pytest.raises(QueryRefused) as error:
        session.scalars(statement()).all()
    return str(error.value)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", IN_QUOTES)
def test_a_value_in_quotes_is_refused(db: sa.Engine, pdp: Engine, name: str, place: str) -> None:
    told = refused(db, lambda: PLACES[place](IN_QUOTES[name](), lambda one: authorized(one, pdp, ALICE, "read")))
    assert "inside of quotes" in told or "SQLAlchemy's values" in told


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_of_sqlite_is_refused(db: sa.Engine, pdp: Engine, name: str) -> None:
    """It takes the value that is meant for another place."""
    if db.name != "sqlite":
        pytest.skip("other databases have no such variables, or refuse them")
    for place in PLACES.values():
        told = refused(
            db, lambda place=place: place(VARIABLES[name](), lambda one: authorized(one, pdp, ALICE, "read"))
        )
        assert "a variable" in told


@pytest.mark.parametrize("name", PLAIN)
def test_other_values_are_taken(db: sa.Engine, pdp: Engine, name: str) -> None:
    with orm.Session(db) as session:
        own = {one.id for one in session.scalars(sa.select(Document)) if one.owner == "alice"}
        expected = own & {*session.scalars(sa.select(Document.id).where(PLAIN[name]()))}
        for place in ("where", "after"):
            statement = PLACES[place](PLAIN[name](), lambda one: authorized(one, pdp, ALICE, "read"))
            assert {*session.scalars(statement)} == expected
