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
from tests.support.owned_rows import MODEL, Document, Folder, hidden_in, owned_rows

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


def unquoted(name: str) -> Any:
    return sa.sql.elements.quoted_name(name, quote=False)


def other_table(name: str) -> Any:
    return sa.table(unquoted(name), sa.column("text", sa.String), sa.column("folder_id"))


@pytest.mark.parametrize("name", ["main.documents", "documents x", "documents -- "])
def test_a_table_by_a_name_with_more_than_a_name_is_refused(name: str, session: orm.Session, pdp: Engine) -> None:
    table = other_table(name)
    with pytest.raises(QueryRefused, match="the name"):
        session.execute(read(sa.select(Folder.id, table.c.text).join(table, table.c.folder_id == Folder.id), pdp))


@pytest.mark.parametrize("name", ["1 OR 1", "kind IS NULL OR kind", "documents.id"])
def test_a_column_by_such_a_name_is_refused(name: str, session: orm.Session, pdp: Engine) -> None:
    column = sa.column(unquoted(name))
    for statement in (
        read(sa.select(Document.text), pdp).where(column),
        read(sa.select(Document.text), pdp).where(column == 1),
        read(sa.select(Document.text), pdp).order_by(column),
    ):
        with pytest.raises(QueryRefused, match="the name"):
            session.execute(statement)


def test_a_plain_name_without_quotes_is_exact(session: orm.Session, pdp: Engine) -> None:
    column = sa.column(unquoted("kind"))
    statement = read(sa.select(Document.text).where(column == "document").order_by(column), pdp).where(column != "x")
    found = session.scalars(statement).all()
    assert found
    assert not [text for text in found if hidden_in(text, pdp)]


class Loose(sa.types.TypeDecorator[str]):
    """A type whose value opens a condition."""

    impl, cache_ok = sa.String, True

    def bind_expression(self, bindparam: Any) -> Any:
        """The value, or everything."""
        return bindparam.op("OR")(sa.true())


class Closing(sa.types.TypeDecorator[str]):
    """A type whose value closes brackets."""

    impl, cache_ok = sa.String, True

    def bind_expression(self, bindparam: Any) -> Any:
        """A text."""
        return sa.text("'x') OR (1")


class Other(sa.types.TypeDecorator[str]):
    """A type whose columns have a value of other rows."""

    impl, cache_ok = sa.String, True

    def column_expression(self, column: Any) -> Any:
        """Another value."""
        return sa.func.coalesce(sa.select(sa.func.max(Folder.text)).correlate(None).scalar_subquery(), column)


class Written(sa.types.TypeDecorator[str]):
    """A type that writes its values into the SQL."""

    impl, cache_ok = sa.String, True

    def literal_processor(self, dialect: Any) -> Any:
        """The value as SQL."""
        return lambda value: value


class Lower(sa.types.TypeDecorator[str]):
    """A type with functions around values and columns."""

    impl, cache_ok = sa.String, True

    def bind_expression(self, bindparam: Any) -> Any:
        """The value in small letters."""
        return sa.func.lower(bindparam)

    def column_expression(self, column: Any) -> Any:
        """The column in capitals."""
        return sa.func.upper(column)


@pytest.mark.parametrize(
    "value",
    [
        sa.literal("x", Loose()),
        sa.literal("x", Closing()),
        sa.literal("x", sa.String().with_variant(Closing(), "sqlite")),
        sa.bindparam("z", "'q' OR 1", type_=Written(), literal_execute=True),
    ],
)
def test_a_type_with_loose_sql_is_refused(value: Any, session: orm.Session, pdp: Engine) -> None:
    for make in (
        lambda: read(sa.select(Document.text), pdp).where(Document.kind == value),
        lambda: sa.select(Document.text).where(permitted(Document, pdp, SUBJECT, "read"), Document.kind == value),
    ):
        with pytest.raises(QueryRefused):
            session.execute(make())


def test_a_column_with_a_value_of_other_rows_is_refused(pdp: Engine) -> None:
    column = sa.type_coerce(Document.text, Other())
    for statement in (
        sa.select(Document.id, column),
        sa.select(sa.select(column).subquery().c[0]),
        sa.update(Document).values(kind="x").returning(column),
    ):
        with pytest.raises(QueryRefused, match=r"values of `(Document|Folder)"):
            read(statement, pdp)


def test_a_type_with_functions_is_exact(session: orm.Session, pdp: Engine) -> None:
    statement = sa.select(sa.type_coerce(Document.text, Lower())).where(
        Document.kind == sa.literal("DOCUMENT", Lower())
    )
    found = session.scalars(read(statement, pdp).where(Document.kind == sa.literal("DOCUMENT", Lower()))).all()
    assert found
    assert not [text for text in found if hidden_in(text, pdp) or text != text.upper()]
