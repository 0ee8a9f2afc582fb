"""Random reads and writes with raw SQL, Core tables, unions and values show and change allowed rows alone (F7).

Each value that comes back says which row it is of, and so does each row that a write changed. The engine is asked about
each of these rows. A statement that is refused shows nothing. Enough of them are not refused.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import orm
from writ.sqlalchemy import QueryRefused, authorized, permitted

from tests.support.authorized_rows import SUBJECT
from tests.support.bundling import engine_for
from tests.support.owned_rows import MODEL, Document, Folder, Report, hidden_in, owned_rows, texts_in
from tests.support.strategies_pick import Pick

ATOMS = ("1=1", "documents.owner = 'bob'", "documents.id > 3", "documents.kind = 'report'", "documents.id BETWEEN 1")
PIECES = (
    *ATOMS,
    *ATOMS,
    "(1=1)",
    "1=1) OR (1=1",
    "(1=1",
    "1=1)",
    "NOT 1=1",
    "CASE WHEN 1=1 THEN 1",
    "'",
    '"',
    "[",
    "]",
)
JOINTS = (" OR ", " OR ", " AND ", " ", " AND 3 OR ", " -- ", " /* ", ";", " UNION SELECT text FROM documents ", " END")
ADDITIONS = (
    "= 0",
    "OR 1=1",
    "IS NOT NULL OR 1=1",
    "UNION SELECT text FROM documents",
    "FOR UPDATE",
    "DISTINCT",
    "text,",
)
BY_NAME = sa.table(
    "documents", sa.column("id", sa.Integer), sa.column("text", sa.String), sa.column("owner", sa.String)
)
ELSEWHERE = sa.Table("documents", sa.MetaData(), *(sa.Column(one, sa.String) for one in ("id", "text", "owner")))
T = Document.__table__


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def session(request: Any) -> Iterator[orm.Session]:
    with owned_rows(request.param, request) as made:
        yield made


class Generated:
    """A random statement, made of SQLAlchemy's constructs."""

    def __init__(self, pick: Pick, pdp: Any):
        self.pick, self.pdp = pick, pdp

    def one(self, values: Any) -> Any:
        return values[self.pick.number(0, len(values) - 1)]

    def sql(self) -> str:
        pick, found = self.pick, self.pick.one(PIECES)
        for _ in range(pick.one((0, 1, 1, 2))):
            found += pick.one(JOINTS) + pick.one(PIECES)
        return found

    def condition(self, deep: int = 2) -> Any:
        sql = self.sql()
        makers: tuple[Any, ...] = (
            lambda: sa.text(sql),
            lambda: sa.text(f"{sql} OR documents.id = :id").bindparams(id=2),
            lambda: sa.literal_column(sql, sa.Boolean),
            lambda: sa.literal_column(sql) == 1,
            lambda: Document.id.op(self.one(("> 0 OR 1 =", "=", "OR")), precedence=self.one((0, 100)))(1),
            lambda: (Document.id > 0).bool_op("OR", precedence=100)(Document.id < 9),
            lambda: Document.kind == "document",
            lambda: Document.id < 20,
            lambda: Document.id.in_(sa.select(T.c.id).where(sa.text(sql))),
            lambda: self.one((sa.and_, sa.or_))(self.condition(deep - 1), self.condition(deep - 1)),
            lambda: ~self.condition(deep - 1).self_group(),
            lambda: sa.case((self.condition(deep - 1), True), else_=False),
        )
        return self.one(makers[: -3 if deep <= 0 else len(makers)])()

    def mine(self, entity: Any = Document) -> Any:
        return permitted(entity, self.pdp, SUBJECT, "read")

    def authorized(self, statement: Any) -> Any:
        return authorized(statement, self.pdp, SUBJECT, "read")

    def column(self) -> Any:
        inner = sa.select(self.foreign())
        makers = (
            lambda: Document,
            lambda: Document.text,
            lambda: Document.text,
            lambda: sa.func.upper(Document.text),
            lambda: T.c.text,
            self.foreign,
            lambda: inner.subquery().c[0],
            lambda: inner.cte().c[0],
            lambda: sa.union_all(inner, sa.select(Folder.text)).subquery().c[0],
            lambda: inner.limit(1).scalar_subquery(),
            lambda: sa.func.max(Document.text).over(order_by=sa.text(self.sql())),
        )
        return self.one(makers)()

    def foreign(self) -> Any:
        tables = (T.alias(), BY_NAME, BY_NAME.alias(), ELSEWHERE, ELSEWHERE.alias(), Report.__table__.alias())
        table = self.one(tables)
        return table.c.title if "title" in table.c else table.c.text

    def added(self, statement: Any) -> Any:
        """The statement with another part, at any place that takes raw SQL."""
        text = self.pick.one(ADDITIONS)
        makers = (
            lambda: statement.where(self.condition()),
            lambda: statement.where(self.condition()),
            lambda: statement.filter(self.condition()),
            lambda: statement.having(self.condition()),
            lambda: statement.group_by(sa.text(self.sql())),
            lambda: statement.order_by(sa.text(self.sql())),
            lambda: statement.join(Folder, sa.and_(Folder.id == Document.folder_id, self.condition())),
            lambda: statement.options(orm.with_loader_criteria(Document, self.condition().self_group())),
            lambda: statement.prefix_with(text),
            lambda: statement.suffix_with(text),
            lambda: statement.with_statement_hint(text),
            lambda: statement.with_hint(T, text),
            lambda: statement.limit(9),
            lambda: statement.distinct(),
        )
        return self.one(makers)()

    def read(self) -> Any:
        statement = sa.select(*(self.column() for _ in range(self.pick.one((1, 1, 2)))))
        for _ in range(self.pick.number(0, 2)):
            statement = self.added(statement)
        if self.pick.chance(1, 4):
            statement = sa.select(Document.text).where(*self.shuffled(self.mine(), self.condition()))
        else:
            statement = self.authorized(statement)
        if self.pick.chance(1, 3):
            statement = self.added(statement)
        return self.one(
            (lambda: statement, lambda: sa.select(statement.cte()), lambda: statement.union_all(statement))
        )()

    def shuffled(self, *conditions: Any) -> list[Any]:
        return [*conditions] if self.pick.chance(1, 2) else [*reversed(conditions)]

    def write(self) -> Any:
        other = orm.aliased(Document)
        target = self.one((Document, T))
        values = (
            lambda: "changed",
            lambda: "changed",
            lambda: Document.text + "!",
            lambda: sa.select(other.text).where(other.id == 3).scalar_subquery(),
            lambda: sa.select(sa.func.max(other.text)).where(self.mine(other)).scalar_subquery(),
            lambda: sa.text("(SELECT text FROM documents WHERE id = 3)"),
            lambda: Folder.text,
            lambda: BY_NAME.alias().c.text,
        )
        statement: Any = sa.delete(target) if self.pick.chance(1, 3) else sa.update(target)
        if isinstance(statement, sa.Update):
            statement = statement.values(text=self.one(values)())
        for _ in range(self.pick.number(0, 2)):
            statement = statement.where(self.condition())
        statement = self.authorized(statement)
        return statement.where(self.condition()) if self.pick.chance(1, 3) else statement


ERRORS = (sa.exc.SQLAlchemyError, KeyError, AssertionError, AttributeError, TypeError)
"""The errors of SQLAlchemy for statements that it can't make."""


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of products of tables, which are meant here
def test_nothing_else_is_read(session: orm.Session, tmp_path: Path) -> None:
    pdp, outcomes = engine_for(MODEL, tmp_path / "owners.bundle"), Counter[str]()

    @settings(max_examples=400)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        session.rollback()
        query: Any = None
        try:
            query = Generated(Pick.drawn(data.draw), pdp).read()
            rows = session.execute(query).unique().all()
        except QueryRefused:
            outcomes["refused"] += 1
        except ERRORS:
            outcomes["failed"] += 1
        else:
            outcomes["rows" if rows else "none"] += 1
            shown = {text for row in rows for text in texts_in(row, set()) if hidden_in(text, pdp)}
            assert not shown, f"{shown}\n{query}"

    holds()
    assert outcomes["rows"] > 30, outcomes
    assert outcomes["refused"] > 30, outcomes


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_nothing_else_is_changed(session: orm.Session, tmp_path: Path) -> None:
    pdp, outcomes = engine_for(MODEL, tmp_path / "owners.bundle"), Counter[str]()
    session.rollback()
    every = dict(session.execute(sa.select(T.c.id, T.c.text)).all())

    @settings(max_examples=300)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        session.rollback()
        query: Any = None
        try:
            query = Generated(Pick.drawn(data.draw), pdp).write()
            session.execute(query.execution_options(synchronize_session=False))
        except QueryRefused:
            outcomes["refused"] += 1
            return
        except ERRORS:
            outcomes["failed"] += 1
            return
        left = dict(session.execute(sa.select(T.c.id, T.c.text)).all())
        changed = {id for id, text in every.items() if left.get(id) != text}
        outcomes["changed" if changed else "none"] += 1
        assert not [every[id] for id in changed if hidden_in(every[id], pdp)], query
        assert not [left[id] for id in changed if id in left and hidden_in(left[id], pdp)], query

    holds()
    session.rollback()
    assert outcomes["changed"] > 20, outcomes
    assert outcomes["refused"] > 20, outcomes
