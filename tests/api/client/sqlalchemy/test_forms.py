"""Every form of a statement has the rows of single evaluations, on each database, for each subject in turn (F7, F8).

Options with conditions are compiled once for all subjects, so the second subject shows whether its own values count.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, permitted, resource_of

from tests.support.authorized_rows import GRANTS, NOW, Document, Folder, model, put_grants
from tests.support.bundling import engine_for
from tests.support.strategies_pick import Pick

SUBJECTS = tuple({"type": "user", "id": id} for id in ("alice", "Alice", "bob"))
Rows = Callable[[Any], bool]
EVERY: Rows = lambda row: True  # noqa: E731  # a value of a table
FILED: Rows = lambda row: row.folder_id is not None  # noqa: E731
Authorize = Callable[..., Any]


def _of_alias(authorize: Authorize, mine: Authorize) -> Any:
    copy = orm.aliased(Document)
    return authorize(sa.select(copy.id))


def _inside(authorize: Authorize, mine: Authorize) -> Any:
    inner = authorize(sa.select(Document)).subquery()
    return sa.select(orm.aliased(Document, inner).id)


def _common(authorize: Authorize, mine: Authorize) -> Any:
    found = authorize(sa.select(Document.id)).cte("seen")
    return sa.select(Document.id).join(found, found.c.id == Document.id)


def _united(authorize: Authorize, mine: Authorize) -> Any:
    small, other = Document.size < 5, Document.size.is_(None) | (Document.size >= 5)
    return sa.union_all(*(authorize(sa.select(Document.id).where(half)) for half in (small, other)))


def _exists(authorize: Authorize, mine: Authorize) -> Any:
    copy = orm.aliased(Document)
    return sa.select(Document.id).where(sa.exists().where(copy.id == Document.id, mine(copy)))


def _criteria(authorize: Authorize, mine: Authorize) -> Any:
    return sa.select(Document.id).options(orm.with_loader_criteria(Document, mine(Document)))


def _criteria_of_aliases(authorize: Authorize, mine: Authorize) -> Any:
    copy = orm.aliased(Document)
    option = orm.with_loader_criteria(Document, mine(Document), include_aliases=True)
    return sa.select(copy.id).options(option)


def _paged(authorize: Authorize, mine: Authorize) -> Any:
    page = authorize(sa.select(Document.id)).order_by(Document.id)
    return sa.union_all(page.limit(3).subquery().select(), page.limit(100).offset(3).subquery().select())


FORMS: dict[str, tuple[Callable[[Authorize, Authorize], Any], Rows]] = {
    "select": (lambda authorize, _: authorize(sa.select(Document.id)), EVERY),
    "join": (lambda authorize, _: authorize(sa.select(Document.id).join(Document.folder)), FILED),
    "on": (lambda authorize, _: authorize(sa.select(Document.id).join(Folder, Folder.id == Document.folder_id)), FILED),
    "join_from": (lambda authorize, _: authorize(sa.select(Document.id).join_from(Folder, Document)), FILED),
    "outer": (lambda authorize, _: authorize(sa.select(Document.id).outerjoin(Document.folder)), EVERY),
    "joined on": (
        lambda _, mine: sa.select(Document.id).select_from(Folder).join(Folder.documents.and_(mine(Document))),
        FILED,
    ),
    "alias": (_of_alias, EVERY),
    "inside": (_inside, EVERY),
    "common table": (_common, EVERY),
    "union": (_united, EVERY),
    "exists": (_exists, EVERY),
    "criteria": (_criteria, EVERY),
    "criteria of aliases": (_criteria_of_aliases, EVERY),
    "pages": (_paged, EVERY),
    "distinct": (lambda authorize, _: authorize(sa.select(Document.id).distinct()), EVERY),
    "in": (
        lambda authorize, _: sa.select(Document.id).where(Document.id.in_(authorize(sa.select(Document.id)))),
        EVERY,
    ),
}


def allowed(engine: Engine, subject: dict[str, Any], row: Any) -> bool:
    asked = {"subject": subject, "action": {"name": "read"}, "resource": resource_of(row, "document")}
    return bool(engine.decide(asked, NOW)["decision"])


def test_each_form_has_the_rows_of_single_evaluations(db: sa.Engine, tmp_path: Path) -> None:
    with orm.Session(db) as session:
        rows = session.scalars(sa.select(Document)).all()

        @settings(max_examples=3)
        @given(st.data())
        def agrees(data: st.DataObject) -> None:
            pick = Pick.drawn(data.draw)
            drawn = model(pick)
            engine, mirror = engine_for(drawn, tmp_path / "drawn.bundle"), pick.one((None, GRANTS))
            put_grants(session, drawn["grants"])
            for subject in SUBJECTS:

                def authorize(statement: Any, subject: Any = subject) -> Any:
                    return authorized(statement, engine, subject, "read", mirror=mirror, now=NOW)

                def mine(entity: Any, subject: Any = subject) -> Any:
                    return permitted(entity, engine, subject, "read", mirror=mirror, now=NOW)

                seen = [row for row in rows if allowed(engine, subject, row)]
                for name, (made, of) in FORMS.items():
                    found = sorted(session.scalars(made(authorize, mine)))
                    assert found == sorted(row.id for row in seen if of(row)), (name, subject)

        agrees()


OWNERS = {
    "extensions": ["references"],
    "resource_types": [{"id": one, "actions": ["read", "update"]} for one in ("document", "folders", "employees")],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["*"]} for one in ("document", "employees")],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(OWNERS, tmp_path / "owners.bundle")


@pytest.mark.parametrize("load", [orm.joinedload, orm.selectinload, orm.subqueryload])
def test_options_have_the_values_of_each_subject(db: sa.Engine, pdp: Engine, load: Any) -> None:
    """Also of a relationship that is read later: the option is part of the row's state."""
    for subject in (*SUBJECTS, SUBJECTS[0]):
        with orm.Session(db) as session:
            mine = permitted(Document, pdp, subject, "read")
            for option in (load(Folder.documents.and_(mine)), orm.lazyload(Folder.documents.and_(mine))):
                session.expunge_all()
                folders = session.scalars(sa.select(Folder).options(option)).unique().all()
                found = {one.owner for folder in folders for one in folder.documents}
                assert found == {subject["id"]}


@pytest.mark.parametrize("kind", ["single", "joined"])
def test_classes_that_inherit(kind: str, pdp: Engine) -> None:
    """The left side of a join, with one table for all classes and with one for each. A subclass has its base's type."""

    class Base(orm.DeclarativeBase):
        pass

    class Company(Base):
        __tablename__ = "companies"
        id: orm.Mapped[int] = orm.mapped_column(primary_key=True)

    class Employee(Base):
        __tablename__ = "employees"
        id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
        kind: orm.Mapped[str]
        owner: orm.Mapped[str]
        company_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("companies.id"))
        company: orm.Mapped[Company] = orm.relationship()
        __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "employee"}  # noqa: RUF012  # its name

    if kind == "single":

        class Manager(Employee):
            __mapper_args__ = {"polymorphic_identity": "manager"}  # noqa: RUF012

    else:

        class Manager(Employee):  # type: ignore[no-redef]  # one of both
            __tablename__ = "managers"
            id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("employees.id"), primary_key=True)
            level: orm.Mapped[int | None]
            __mapper_args__ = {"polymorphic_identity": "manager"}  # noqa: RUF012

    made = sa.create_engine("sqlite://")
    Base.metadata.create_all(made)
    with orm.Session(made) as session:
        session.add(Company(id=1))
        for id, (entity, owner) in enumerate([(Employee, "alice"), (Manager, "alice"), (Manager, "bob")], start=1):
            session.add(entity(id=id, owner=owner, company_id=1))
        session.flush()
        alice = SUBJECTS[0]
        for statement, expected in (
            (sa.select(Employee.id), [1, 2]),
            (sa.select(Manager.id), [2]),
            (sa.select(Manager.id).join_from(Manager, Company), [2]),
            (sa.select(Manager.id).join_from(Company, Manager), [2]),
            (sa.select(Manager.id).select_from(orm.join(Manager, Company)), [2]),
            (sa.select(Employee.id).join(Employee.company), [1, 2]),
        ):
            query = authorized(statement, pdp, alice, "read", resource_type="employees")
            assert sorted(session.scalars(query)) == expected, str(query)
        loaded = session.scalars(authorized(sa.select(Employee), pdp, alice, "read", resource_type="employees")).all()
        assert sorted(type(one).__name__ for one in loaded) == ["Employee", "Manager"]
        for of_both in (orm.with_polymorphic(Employee, "*"), orm.with_polymorphic(Employee, [Manager], flat=True)):
            session.expunge_all()
            statement = sa.select(of_both).order_by(of_both.id)
            loaded = session.scalars(authorized(statement, pdp, alice, "read", resource_type="employees")).all()
            assert [type(one).__name__ for one in loaded] == ["Employee", "Manager"]
            counted = sa.select(of_both.id).where(permitted(of_both, pdp, alice, "read", resource_type="employees"))
            assert sorted(session.scalars(counted)) == [1, 2]
        inside = orm.with_polymorphic(Employee, "*", aliased=True)
        if kind == "joined":
            with pytest.raises(QueryRefused, match="give `with_polymorphic` the option `flat=True`"):
                authorized(sa.select(inside), pdp, alice, "read", resource_type="employees")
    made.dispose()


def test_a_lateral_join_is_authorized_inside(db: sa.Engine, pdp: Engine) -> None:
    if db.name != "postgresql":
        pytest.skip("the database has no lateral joins")
    with orm.Session(db) as session:
        newest = sa.select(Document.id).where(Document.folder_id == Folder.id).order_by(Document.id).limit(2)
        inside = authorized(newest.correlate(Folder), pdp, SUBJECTS[0], "read").lateral("newest")
        found = session.scalars(sa.select(inside.c.id).select_from(Folder).join(inside, sa.true())).all()
        mine = [one for one in session.scalars(sa.select(Document)) if one.owner == "alice" and one.folder_id]
        assert found
        assert set(found) <= {one.id for one in mine}
        bare = newest.correlate(Folder).lateral("bare")
        outer = sa.select(Folder.id, bare.c.id).join(bare, sa.true())
        with pytest.raises(QueryRefused, match="say with `of`"):
            authorized(outer, pdp, SUBJECTS[0], "read")
