"""Common table expressions, names without quotes and types with SQL of their own open no other rows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, grants_table, permitted

from tests.support.authorized_rows import SUBJECT
from tests.support.bundling import engine_for
from tests.support.owned_rows import MODEL, Document, hidden_in, owned_rows

OTHER = orm.aliased(Document)
GRANTS = grants_table(sa.MetaData())


@pytest.fixture(scope="module")
def rows() -> Iterator[orm.Session]:
    with owned_rows("sqlite", None) as made:
        yield made


@pytest.fixture
def session(rows: orm.Session) -> orm.Session:
    rows.rollback()
    return rows


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


def read(statement: Any, pdp: Engine) -> Any:
    return authorized(statement, pdp, SUBJECT, "read")


def hiding(name: str = "documents") -> Any:
    """A common table expression whose rows all have the owner alice."""
    columns = [sa.literal("alice").label("owner") if one.name == "owner" else one for one in Document.__table__.c]
    table = Document.__table__.to_metadata(sa.MetaData(), schema="main")
    return sa.select(*(table.c[one.name] if isinstance(one, sa.Column) else one for one in columns)).cte(name)


TEXT = sa.text("SELECT 1), documents AS (SELECT * FROM main.documents").columns(sa.column("x")).cte("x")
HIDDEN: dict[str, Callable[[Engine], Any]] = {
    "a table": lambda pdp: read(sa.select(Document.text), pdp).add_cte(hiding()),
    "a table in capitals": lambda pdp: read(sa.select(Document.text), pdp).add_cte(hiding("DOCUMENTS")),
    "an alias": lambda pdp: read(sa.select(OTHER.text), pdp).add_cte(hiding()),
    "a table of an alias": lambda pdp: read(sa.select(Document.__table__.alias("z")), pdp).add_cte(hiding()),
    "an alias, beside permitted": lambda pdp: (
        sa.select(OTHER.text).where(permitted(OTHER, pdp, SUBJECT, "read")).add_cte(hiding())
    ),
    "a table in a subquery": lambda pdp: sa.select(read(sa.select(Document.text), pdp).subquery().c.text).add_cte(
        hiding()
    ),
    "a table in an expression": lambda pdp: sa.select(read(sa.select(Document.text), pdp).cte("mine").c.text).add_cte(
        hiding()
    ),
    "a table in a union": lambda pdp: sa.union_all(
        read(sa.select(Document.text), pdp), read(sa.select(Document.text), pdp)
    ).add_cte(hiding()),
    "the table of grants": lambda pdp: authorized(
        sa.select(Document.text), pdp, SUBJECT, "read", mirror=GRANTS
    ).add_cte(hiding(GRANTS.name)),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_an_expression_that_hides_a_table_is_refused(name: str, session: orm.Session, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match="hides the table with its name"):
        session.execute(HIDDEN[name](pdp))


def test_a_text_in_an_expression_stays_in_its_brackets(session: orm.Session, pdp: Engine) -> None:
    mine = read(sa.select(Document.text), pdp)
    beside = sa.select(Document.text).where(permitted(Document, pdp, SUBJECT, "read"))
    for statement in (mine.add_cte(TEXT), beside.add_cte(TEXT), sa.union_all(mine, beside.add_cte(TEXT))):
        with pytest.raises(QueryRefused, match="closes a bracket that it did not open"):
            session.execute(statement)
    plain = sa.select(sa.literal(1).label("x")).cte("plain")
    found = session.scalars(mine.add_cte(plain)).all()
    assert len(found) == 16
    assert not [text for text in found if hidden_in(text, pdp)]
