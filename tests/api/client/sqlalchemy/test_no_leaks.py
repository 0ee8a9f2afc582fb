"""Random statements: whatever is authorized, no row that the subject may not read shows a value, at any depth (F7).

Each row has a text that no other row has. So a value in an answer says which row it comes from, also if a function, a
subquery or a relationship brought it. A statement that is refused shows nothing. Enough of them are not refused.
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
from tests.support.owned_rows import MODEL, Document, Folder, Report, Shelf, hidden_in, owned_rows, texts_in
from tests.support.strategies_pick import Pick


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def session(request: Any) -> Iterator[orm.Session]:
    with owned_rows(request.param, request) as made:
        yield made


class Statement:
    """A random select over some classes and aliases, with random options."""

    def __init__(self, pick: Pick, pdp: Any):
        self.pick, self.pdp = pick, pdp
        first = self._one((Document, Document, Folder, Shelf, Report))
        self.sources = [orm.aliased(first) if first is not Report and pick.chance(1, 4) else first]

    def _one(self, values: Any) -> Any:
        """One of some classes, which can't be copied as `Pick.one` does."""
        return values[self.pick.number(0, len(values) - 1)]

    def made(self) -> Any:
        pick = self.pick
        joined = [self._join() for _ in range(pick.number(0, 2))]
        joined = [one for one in joined if one is not None]
        statement = sa.select(*(self._column() for _ in range(pick.number(1, 2)))).select_from(self.sources[0])
        for target, on, outer in joined:
            statement = statement.join(target, on, isouter=outer)
        for _ in range(pick.number(0, 2)):
            statement = statement.options(self._option())
        return statement.limit(200)

    def _join(self) -> Any:
        pick, start = self.pick, self._one(self.sources)
        ways = [one for one in orm_relations(start) if one.key != "above"]
        way = self._one(ways)
        if pick.chance(1, 3):
            target = orm.aliased(way.mapper.class_)
            self.sources.append(target)
            on = getattr(start, way.key).of_type(target)
            return (target, on, pick.chance(1, 5)) if pick.chance(1, 2) else (target, target.id == start.id, False)
        if way.mapper.class_ in [sa.inspect(one).mapper.class_ for one in self.sources]:
            return None
        self.sources.append(way.mapper.class_)
        return way.mapper.class_, getattr(start, way.key), pick.chance(1, 5)

    def _value(self) -> Any:
        source = self._one([one for one in self.sources if sa.inspect(one).mapper.class_ is not Shelf] or [Folder])
        return self._one((source.text, source.owner))

    def _inner(self) -> Any:
        """A select of a value, which may be authorized, and may be correlated."""
        pick = self.pick
        entity = self._one((Document, Folder, orm.aliased(Document)))
        inner = sa.select(sa.func.max(entity.text).label("text"))
        if pick.chance(1, 2):
            inner = inner.where(permitted(entity, self.pdp, SUBJECT, "read"))
        elif pick.chance(1, 4):
            inner = inner.where(entity.id.in_(sa.select(Folder.id).where(permitted(Folder, self.pdp, SUBJECT, "read"))))
        if pick.chance(1, 3):
            inner = inner.correlate(None)
        return inner

    def _column(self) -> Any:
        value, source = self._value(), self._one(self.sources)
        inner = self._inner()
        makers = (
            lambda: source,
            lambda: source,
            lambda: value,
            lambda: sa.func.upper(value),
            lambda: sa.func.max(value).over(),
            lambda: sa.case((sa.true(), value)),
            lambda: orm.Bundle("some", value, self._value()),
            lambda: (value + "!").label("text"),
            lambda: inner.correlate(None).scalar_subquery(),
            lambda: inner.correlate(None).subquery().c.text,
            lambda: inner.correlate(None).cte().c.text,
            lambda: sa.union_all(inner.correlate(None), self._inner().correlate(None)).subquery().c.text,
            lambda: sa.literal_column("documents.text"),
            lambda: Shelf.newest,
        )
        return self._one(makers)()

    def _option(self) -> Any:
        pick, start = self.pick, self._one(self.sources)
        found: Any = None
        for _ in range(pick.number(1, 2)):
            way = self._one(orm_relations(start))
            attribute, target = getattr(start, way.key), way.mapper.class_
            if pick.chance(1, 4) and target is Document:
                attribute, target = attribute.of_type(Report), Report
            if pick.chance(2, 3):
                of = self._one((target, target, target, Folder, Document))
                attribute = attribute.and_(permitted(of, self.pdp, SUBJECT, "read", resource_type=type_of(of)))
            load = self._one(("joinedload", "selectinload", "subqueryload", "immediateload", "lazyload", "defaultload"))
            deep = {"recursion_depth": 2} if load == "selectinload" and way.key == "below" and pick.chance(1, 2) else {}
            found = getattr(orm if found is None else found, load)(attribute, **deep)
            start = target
        if pick.chance(1, 6):
            return orm.with_expression(Folder.more, self._inner().correlate(None).scalar_subquery())
        return orm.undefer("*") if pick.chance(1, 12) else found


def type_of(entity: Any) -> str:
    return {Folder: "folders", Shelf: "folders"}.get(entity, "documents")


def orm_relations(source: Any) -> list[Any]:
    return list(sa.inspect(source).mapper.relationships)


def options_of(query: Any) -> list[Any]:
    elements = [one for option in query._with_options for one in getattr(option, "context", [option])]
    return [(getattr(one, "path", None), one.strategy, bool(getattr(one, "_extra_criteria", ()))) for one in elements]


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of products of tables, which are meant here
def test_nothing_leaks(session: orm.Session, tmp_path: Path) -> None:
    pdp, outcomes = engine_for(MODEL, tmp_path / "owners.bundle"), Counter[str]()

    @settings(max_examples=180)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        statement = Statement(Pick.drawn(data.draw), pdp)
        try:
            made = statement.made()
            query = authorized(made, pdp, SUBJECT, "read")
        except (QueryRefused, sa.exc.SQLAlchemyError) as ex:
            outcomes[type(ex).__name__] += 1
            return
        session.rollback()
        session.expunge_all()
        try:
            rows = session.execute(query).unique().all()
        except sa.exc.SQLAlchemyError:
            outcomes["SQLAlchemy"] += 1
            return
        outcomes["rows" if rows else "none"] += 1
        shown = {one for row in rows for one in texts_in(row, set()) if hidden_in(one, pdp)}
        assert not shown, f"{shown}\n{query}\n{options_of(query)}"

    holds()
    assert outcomes["rows"] > 20, outcomes
    assert outcomes["QueryRefused"] > 30, outcomes
