"""Statements with odd names and with IS DISTINCT FROM are not refused, and show and change own rows alone."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from writ.sqlalchemy import QueryRefused, authorized

from tests.support.authorized_rows import Document
from tests.support.bundling import engine_for

ALICE = {"type": "user", "id": "alice"}
OWNERS = {
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
ODD = ("nr#", "a'b", "c--d", "e/*f", "g;h", "i$$j", "k]l", "m#")


def test_a_column_may_have_any_name(db: sa.Engine, tmp_path: Path) -> None:
    engine = engine_for(OWNERS, tmp_path / "owners.bundle")
    columns = [sa.Column(name, sa.Integer) for name in ODD]
    table = sa.Table(
        "odd", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("owner", sa.String(9)), *columns
    )
    with db.begin() as connection:
        table.create(connection)
        rows = [
            {"id": 1, "owner": "alice", **dict.fromkeys(ODD, 7)},
            {"id": 2, "owner": "bob", **dict.fromkeys(ODD, 7)},
        ]
        for row in rows:
            connection.execute(sa.insert(table).values([row[one.name] for one in table.c]))
        for name in ODD:
            column = table.c[name]
            for where in (column == 7, column.in_([7, 8]), sa.or_(column > 6, column < 5), column.between(1, 9)):
                for select in (sa.select(table.c.id), sa.select(table.c.id, column).order_by(column)):
                    query = authorized(select.where(where), engine, ALICE, "read", resource_type="document")
                    assert connection.scalars(query).all() == [1], (name, str(where))
        table.drop(connection)


def test_a_text_that_looks_like_the_name_of_a_value_is_refused(tmp_path: Path) -> None:
    """It is a comment in MySQL, which takes no name of a value from a text."""
    engine = engine_for(OWNERS, tmp_path / "owners.bundle")
    table = sa.table(
        "document", sa.column("id", sa.Integer), sa.column("owner", sa.String), sa.column("nr#", sa.Integer)
    )
    where = table.c["nr#"] == 7, sa.literal_column("1 = %(nr#_1)s", sa.Boolean)
    dialect = sa.create_mock_engine("mysql+pymysql://", lambda *_: None).dialect
    with pytest.raises(QueryRefused, match="a comment"):
        authorized(sa.select(table.c.id).where(*where), engine, ALICE, "read").compile(dialect=dialect)


OPERATED = Document.owner.op("IS NOT DISTINCT FROM", return_type=sa.Boolean())("bob")


def test_an_operator_may_have_the_word_from(db: sa.Engine, tmp_path: Path) -> None:
    engine = engine_for(OWNERS, tmp_path / "owners.bundle")
    before = sa.select(Document.id).where(OPERATED | (Document.owner != "x"))
    forms: dict[str, Any] = {
        "before": lambda: authorized(before, engine, ALICE, "read"),
        "after": lambda: authorized(sa.select(Document.id), engine, ALICE, "read").where(~OPERATED.self_group()),
        "column": lambda: authorized(sa.select(Document.id, OPERATED), engine, ALICE, "read"),
        "order": lambda: authorized(sa.select(Document.id).order_by(OPERATED), engine, ALICE, "read"),
        "text": lambda: authorized(sa.select(Document.id), engine, ALICE, "read").where(
            sa.text("documents.owner IS DISTINCT\n FROM 'bob'")
        ),
    }
    if db.name in ("mysql", "mariadb"):
        pytest.skip("this database does not know the operator")
    with orm.Session(db) as session:
        own = sorted(session.scalars(sa.select(Document.id).where(Document.owner == "alice")))
        assert own
        for name, made in forms.items():
            assert sorted(session.scalars(made())) == own, name
        changed = authorized(sa.update(Document).values(public=OPERATED), engine, ALICE, "read")
        assert session.execute(changed.execution_options(synchronize_session=False)).rowcount == len(own)
        session.rollback()


class Trimmed(FunctionElement[str]):
    """A construct of an application, which renders its SQL itself."""

    inherit_cache = True
    type = sa.String()


@compiles(Trimmed)
def _trimmed(element: Trimmed, compiler: Any, **options: Any) -> str:
    return f"trim({compiler.process(element.clauses, **options)})"


def test_a_construct_of_the_application_is_a_condition_and_no_value(db: sa.Engine, tmp_path: Path) -> None:
    """Its SQL may show any row, so it stands in conditions alone."""
    engine = engine_for(OWNERS, tmp_path / "owners.bundle")
    trimmed = Trimmed(Document.owner)
    with orm.Session(db) as session:
        query = authorized(sa.select(Document.id).where(trimmed != "nobody"), engine, ALICE, "read")
        own = sorted(one.id for one in session.scalars(sa.select(Document)) if one.owner == "alice")
        assert sorted(session.scalars(query)) == own != []
        refused = (
            sa.select(Document.id).order_by(trimmed),
            sa.select(Document.id, trimmed),
            sa.update(Document).values(status=trimmed),
        )
        for statement in refused:
            with pytest.raises(QueryRefused, match="renders SQL that nobody knows; write it with columns"):
                session.execute(authorized(statement, engine, ALICE, "read"))


def test_a_session_that_must_decide_by_itself_is_told_the_remedy(db: sa.Engine, tmp_path: Path) -> None:
    engine = engine_for(OWNERS, tmp_path / "owners.bundle")
    changed = authorized(sa.update(Document).where(Document.size > 0).values(status="x"), engine, ALICE, "read")
    with orm.Session(db) as session:
        with pytest.raises(sa.exc.InvalidRequestError, match="Specify 'fetch' or False"):
            session.execute(changed.execution_options(synchronize_session="evaluate"))
        rows = session.scalars(sa.select(Document)).all()
        mine = [one for one in rows if one.owner == "alice" and (one.size or 0) > 0]
        was = {one.id: one.status for one in rows}
        session.execute(changed.execution_options(synchronize_session="fetch"))
        assert mine
        assert {one.id: one.status for one in rows} == was | {one.id: "x" for one in mine}
        session.rollback()


@pytest.mark.parametrize(
    "sql", ["owner IS FROM", "DISTINCT FROM", "IS DISTINCT, x FROM", "IS DISTINCT (1) FROM", "FROM"]
)
def test_another_from_is_refused(tmp_path: Path, sql: str) -> None:
    engine = engine_for(OWNERS, tmp_path / "owners.bundle")
    query = authorized(sa.select(Document.id), engine, ALICE, "read").order_by(sa.text(sql))
    with pytest.raises(QueryRefused, match="`FROM` outside"):
        str(query)
