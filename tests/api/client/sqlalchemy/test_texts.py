"""Raw pieces of SQL in a statement never loosen the condition: each form is exact or refused (F7).

Exact means: of the rows that the statement alone selects, those on which the engine allows the action, one by one.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import UnaryExpression, quoted_name
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, permitted, resource_of

from tests.support.authorized_rows import GRANTS, NOW, SUBJECT, Document, Folder
from tests.support.bundling import engine_for

OWNED = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]}
MODEL = {
    "extensions": ["references"],
    "resource_types": [{"id": "document", "actions": ["read", "update"]}, {"id": "folders", "actions": ["read"]}],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["*"]} for one in ("document", "folders")],
            "conditions": OWNED,
        }
    ],
}
Statement = Callable[[Any], Any]
EITHER = "status = 'draft' OR status = 'final'"


class Odd(sa.ColumnElement[bool]):
    """A construct that an application renders itself, with an OR at its end."""

    inherit_cache = True
    _traverse_internals = []  # noqa: RUF012  # SQLAlchemy declares it so
    type = sa.Boolean()


@compiles(Odd)
def _odd(element: Odd, compiler: Any, **options: Any) -> str:
    return EITHER


class Open(Odd):
    """One that closes a bracket of others."""


@compiles(Open)
def _open(element: Open, compiler: Any, **options: Any) -> str:
    return "1=1) OR (1=1"


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


@pytest.fixture
def session(db: sa.Engine) -> Any:
    with orm.Session(db) as made:
        yield made
        made.rollback()


CONDITIONS: dict[str, Callable[[], Any]] = {
    "a text": lambda: sa.text(EITHER),
    "a text with values": lambda: sa.text("status = :a OR status = 'final'").bindparams(a="draft"),
    "a literal column": lambda: sa.literal_column(EITHER),
    "a boolean one": lambda: sa.literal_column(EITHER, sa.Boolean),
    "one that is compared": lambda: sa.literal_column("status = 'final' OR 0").is_(None),
    "one that is negated": lambda: ~sa.literal_column("status = 'draft' OR status = 'final'", sa.Boolean),
    "one in a conversion": lambda: sa.type_coerce(sa.literal_column(EITHER), sa.Boolean),
    "a conjunction": lambda: sa.and_(sa.text(EITHER), Document.size > 1),
    "a disjunction": lambda: sa.or_(sa.text("status = 'draft'"), sa.text("status = 'final' AND size > 1")),
    "an operator": lambda: Document.public.op("OR")(Document.status == "final"),
    "one that compares": lambda: Document.public.op("OR", is_comparison=True)(Document.status == "final"),
    "one that binds": lambda: Document.public.op("OR", precedence=100)(Document.status == "final"),
    "one that gives booleans": lambda: Document.public.bool_op("OR", precedence=100)(Document.status == "final"),
    "a text as a value": lambda: Document.status.is_(sa.text("NULL OR 1=1")),
    "a text in a case": lambda: sa.case((sa.text(EITHER), True), else_=False),
    "a text in a function": lambda: sa.func.coalesce(sa.literal_column(f"({EITHER})", sa.Boolean), False),
    "a range without an end": lambda: sa.text("size BETWEEN 1"),
    "a case without an end": lambda: sa.text("CASE WHEN 1=1 THEN 1"),
    "a prefix": lambda: UnaryExpression(Document.public, operator=operators.custom_op("NOT 1=1 OR")),
    "a lambda": lambda: lambda: sa.text("status = 'draft' OR status = 'final'"),
    "a construct of the application": lambda: Odd(),
    "a plain text": lambda: sa.text("status = 'draft'"),
    "a text in brackets": lambda: sa.text(f"({EITHER})"),
}
REACHING: dict[str, Callable[[], Any]] = {
    "a bracket that closes": lambda: sa.text("1=1) OR (1=1"),
    "one of a column": lambda: sa.literal_column("1=1) OR (1=1", sa.Boolean),
    "one of an operator": lambda: Document.status.op("= '1') OR (1=1) OR ('1' =", is_comparison=True)("x"),
    "a bracket that opens": lambda: sa.text("(1=1"),
    "a quote": lambda: sa.text("status = 'draft"),
    "a comment": lambda: sa.text("1=1 -- x"),
    "a long comment": lambda: sa.text("1=1 /* x"),
    "a second statement": lambda: sa.text("1=1; DELETE FROM documents"),
    "a name": lambda: sa.column(quoted_name("1=1) OR (1=1", quote=False), sa.Boolean),
    "a collation": lambda: Document.status.collate(quoted_name("x\" = '') OR (1=1", quote=False)) == "x",
    "a field": lambda: sa.extract("year FROM now()) > 0) OR ((1", Document.size) > 0,
    "a construct": lambda: Open(),
    "a function": lambda: getattr(sa.func, "abs")(sa.text("1)) OR ((1")),  # noqa: B009  # any name
}


def alone(session: orm.Session, condition: Any) -> set[str] | None:
    """The rows that a condition alone selects, or None if the database refuses it."""
    with session.begin_nested() as nested:
        try:
            return set(session.scalars(sa.select(Document.id).where(condition)))
        except sa.exc.SQLAlchemyError:
            nested.rollback()
            return None


def mine(session: orm.Session, pdp: Engine) -> set[str]:
    """The rows that the engine allows to be read, one by one."""
    return {
        row.id
        for row in session.scalars(sa.select(Document))
        if pdp.decide({"subject": SUBJECT, "action": {"name": "read"}, "resource": resource_of(row, "document")}, NOW)[
            "decision"
        ]
    }


def outcome(session: orm.Session, make: Callable[[], Any]) -> set[str] | str | None:
    """The rows of a statement, `refused`, or None if the database refuses it."""
    with session.begin_nested() as nested:
        try:
            return set(session.scalars(make()))
        except QueryRefused:
            return "refused"
        except sa.exc.SQLAlchemyError:
            nested.rollback()
            return None


READS: dict[str, Callable[[Any, Callable[[Any], Any], Any], Any]] = {
    "where": lambda condition, authorize, own: authorize(sa.select(Document.id).where(condition)),
    "filter": lambda condition, authorize, own: authorize(sa.select(Document.id).filter(condition)),
    "two": lambda condition, authorize, own: authorize(sa.select(Document.id).where(condition).where(condition)),
    "after": lambda condition, authorize, own: authorize(sa.select(Document.id)).where(condition),
    "beside": lambda condition, authorize, own: sa.select(Document.id).where(own, condition),
    "before": lambda condition, authorize, own: sa.select(Document.id).where(condition).where(own),
    "and": lambda condition, authorize, own: sa.select(Document.id).where(sa.and_(condition, own)),
    "not": lambda condition, authorize, own: sa.select(Document.id).where(~sa.not_(sa.and_(own, condition))),
    "any": lambda condition, authorize, own: authorize(
        sa.select(Document.id).where(Document.id.in_(sa.select(Document.id).where(condition)))
    ),
    "criteria": lambda condition, authorize, own: authorize(
        sa.select(Document.id).options(
            orm.with_loader_criteria(Document, sa.and_(condition, Document.id == Document.id))
        )
    ),
    "on": lambda condition, authorize, own: sa.select(Document.id).join(Folder, sa.and_(own, condition)).distinct(),
    "twice": lambda condition, authorize, own: authorize(authorize(sa.select(Document.id)).where(condition)),
    "inside": lambda condition, authorize, own: sa.select(
        authorize(sa.select(Document.id).where(condition)).subquery().c.id
    ),
    "common": lambda condition, authorize, own: sa.select(
        authorize(sa.select(Document.id)).where(condition).cte().c.id
    ),
}
WRAPPED = {"where", "filter", "two", "any", "inside"}
"""The ways in which the statement has its condition before `authorized`: exact with every condition in `CONDITIONS`."""


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of products of tables, which are meant here
@pytest.mark.parametrize("way", READS)
def test_a_raw_condition_reads_no_other_row(way: str, session: orm.Session, pdp: Engine) -> None:
    def authorize(statement: Any) -> Any:
        return authorized(statement, pdp, SUBJECT, "read")

    allowed, exact = mine(session, pdp), 0
    for name, condition in (CONDITIONS | REACHING).items():

        def make(condition: Callable[[], Any] = condition) -> Any:
            return READS[way](condition(), authorize, permitted(Document, pdp, SUBJECT, "read"))

        if way in ("and", "not", "criteria", "on") and name == "a lambda":
            continue  # SQLAlchemy takes no lambda there
        found = outcome(session, make)
        selected = None if name in REACHING else alone(session, condition())
        if name == "a construct" and way == "any":
            assert found == allowed  # it reaches out of the subquery, and not out of the condition
        elif name in REACHING:
            assert found == "refused" or (found is None and name in ("a field", "a collation")), name
        elif selected is None:
            assert found in ("refused", None), name
        elif found != "refused":
            assert isinstance(found, set), name
            assert found <= allowed, name
            if way != "on":
                assert found == allowed & selected, name
            exact += 1
        else:
            assert way not in WRAPPED, name
    assert exact >= 3


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("after", [False, True])
def test_a_raw_condition_changes_no_other_row(name: str, after: bool, session: orm.Session, pdp: Engine) -> None:
    allowed, selected = mine(session, pdp), alone(session, CONDITIONS[name]())

    def authorize(statement: Any) -> Any:
        condition = CONDITIONS[name]()
        if after:
            return authorized(statement, pdp, SUBJECT, "update").where(condition)
        return authorized(statement.where(condition), pdp, SUBJECT, "update")

    for statement in (
        sa.update(Document).values(labels="changed"),
        sa.update(Document.__table__).values(labels="changed"),
        sa.delete(Document).where(Document.parent_id.is_(None), Document.id != "d1"),
    ):
        before = set(session.scalars(sa.select(Document.id)))
        nested = session.begin_nested()
        try:
            session.execute(authorize(statement))
        except QueryRefused:
            assert after or selected is None
        except KeyError:
            assert statement.is_dml  # SQLAlchemy fails for a table with a condition on the attributes of its class
            assert "parententity" not in statement.table._annotations
        except sa.exc.SQLAlchemyError:
            assert selected is None
        else:
            session.expire_all()
            changed = {one.id for one in session.scalars(sa.select(Document)) if one.labels == "changed"}
            deleted = before - set(session.scalars(sa.select(Document.id)))
            assert selected is not None
            assert changed | deleted <= allowed & selected
            if isinstance(statement, sa.Update):
                assert changed == allowed & selected
        nested.rollback()
        session.expire_all()


UNION = "1 UNION SELECT owner FROM documents"
OTHERS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "a suffix": lambda authorize: authorize(sa.select(Document.id).suffix_with("= 0")),
    "a suffix after": lambda authorize: authorize(sa.select(Document.id)).suffix_with("OR 1=1"),
    "a suffix of one database": lambda authorize: authorize(sa.select(Document.id)).suffix_with(
        "OR 1=1", dialect="sqlite"
    ),
    "a hint": lambda authorize: authorize(sa.select(Document.id).with_statement_hint("= 0")),
    "a hint after": lambda authorize: authorize(sa.select(Document.id)).with_statement_hint("OR 1=1"),
    "a hint of a table": lambda authorize: authorize(
        sa.select(Document.id).with_hint(Document, "WHERE 1=1 UNION SELECT owner FROM documents")
    ),
    "a prefix": lambda authorize: authorize(sa.select(Document.id).prefix_with("id FROM documents UNION SELECT")),
    "a prefix with a column": lambda authorize: authorize(sa.select(Document.id).prefix_with("owner,")),
    "a prefix after": lambda authorize: authorize(sa.select(Document.id)).prefix_with("id FROM documents UNION SELECT"),
    "a prefix of an update": lambda authorize: authorize(
        sa.update(Document).values(status="x").prefix_with("OR REPLACE")
    ),
    "a group": lambda authorize: authorize(sa.select(Document.id).group_by(sa.text(UNION))),
    "a group after": lambda authorize: authorize(sa.select(Document.id)).group_by(sa.text(UNION)),
    "a having": lambda authorize: authorize(
        sa.select(Document.id)
        .group_by(Document.id)
        .having(sa.text("1=1) UNION SELECT owner FROM documents WHERE (1=1"))
    ),
    "a having after": lambda authorize: authorize(sa.select(Document.id).group_by(Document.id)).having(
        sa.text("1=1 UNION SELECT owner FROM documents")
    ),
    "an order": lambda authorize: authorize(sa.select(Document.id).order_by(sa.text(UNION))),
    "an ON": lambda authorize: authorize(
        sa.select(Document.id).join(Folder, sa.text("1=1 UNION SELECT owner FROM documents"))
    ),
    "an end of a CTE": lambda authorize: authorize(
        sa.select(Document.id).add_cte(sa.select(Folder.id).cte().suffix_with(", documents AS (SELECT 1)"))
    ),
    "a write beside": lambda authorize: authorize(
        sa.select(Document.id).add_cte(sa.delete(Document).returning(Document.id).cte())
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_raw_pieces_are_refused(name: str, session: orm.Session, pdp: Engine) -> None:
    def make() -> Any:
        return OTHERS[name](lambda statement: authorized(statement, pdp, SUBJECT, "read"))

    if session.get_bind().dialect.name != "sqlite" and "of one database" in name:
        assert outcome(session, make) == mine(session, pdp)
    else:
        assert outcome(session, make) == "refused"


def test_a_parameter_of_an_execution_sets_no_value_of_the_condition(session: orm.Session, pdp: Engine) -> None:
    """SQLAlchemy sets a value by its name, so a caller's own `param_1` would be the subject of another."""
    for mirror in (None, GRANTS):
        query = authorized(sa.select(Document.id).where(Document.size > 1), pdp, SUBJECT, "read", mirror=mirror)
        compiled = query.compile(session.connection())
        names = {name for name in compiled.params if "writ" not in name}
        assert names == {"size_1"}
        guessed = [
            f"{one}_{number}" for one in ("param", "owner", "subject_id", "subject_type") for number in (1, 2, 3)
        ]
        expected = session.scalars(query).all()
        assert session.scalars(query, dict.fromkeys(guessed, "bob")).all() == expected


def test_a_name_that_hides_a_table_is_refused(session: orm.Session, pdp: Engine) -> None:
    hiding = sa.select(sa.literal("alice").label("owner"), Folder.owner.label("id")).cte("documents")
    query = authorized(sa.select(Document.id), pdp, SUBJECT, "read").add_cte(hiding)
    with pytest.raises(QueryRefused, match="`documents` hides the table"):
        session.scalars(query)
