"""Values of declared types that a statement returns in less visible ways are refused, unless `of` accepts them (F7).

These are bundles, column properties, expressions of options, texts, classes that inherit, and the insides of
subqueries.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, permitted

from tests.support.authorized_rows import SUBJECT
from tests.support.bundling import engine_for

MODEL = {
    "extensions": ["references"],
    "resource_types": [{"id": one, "actions": ["read"]} for one in ("documents", "folders")],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["*"]} for one in ("documents", "folders")],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}


class Base(orm.DeclarativeBase):
    """The base of the mapped classes."""


class Document(Base):
    """A document. Its reports have a table of their own."""

    __tablename__ = "documents"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    kind: orm.Mapped[str]
    owner: orm.Mapped[str]
    folder_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("folders.id"))
    folder: orm.Mapped["Folder"] = orm.relationship(back_populates="documents")
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "document"}  # noqa: RUF012  # its name


class Report(Document):
    """A report is a document: the model has no type of its name."""

    __tablename__ = "reports"
    id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("documents.id"), primary_key=True)
    pages: orm.Mapped[int]
    __mapper_args__ = {"polymorphic_identity": "report"}  # noqa: RUF012


class Folder(Base):
    """A folder, which can be mapped with a number of its documents."""

    __tablename__ = "folders"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str]
    number: orm.Mapped[int | None] = orm.query_expression()
    documents: orm.Mapped[list[Document]] = orm.relationship(back_populates="folder")
    reports: orm.Mapped[list[Report]] = orm.relationship(viewonly=True)
    doubled: orm.Mapped[int] = orm.column_property(id * 2)


def documents_of(folder: Any) -> Any:
    return sa.select(sa.func.count(Document.id)).where(Document.folder_id == folder.id).correlate_except(Document)


class Counted(Base):
    """The same folders, which come with the number of their documents."""

    __table__ = Folder.__table__
    number = orm.column_property(documents_of(Folder.__table__.c).scalar_subquery())


class Shelf(Base):
    """A shelf, of no type, with a folder."""

    __tablename__ = "shelves"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    folder_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("folders.id"))
    folder: orm.Mapped[Counted] = orm.relationship(viewonly=True)
    first: orm.Mapped[Folder] = orm.relationship()


class Drawer(Base):
    """The same for drawers, which always come with it."""

    __tablename__ = "drawers"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    folder_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("folders.id"))
    first: orm.Mapped[Folder] = orm.relationship(lazy="joined")


class CountedLater(Base):
    """The same, if the number is asked for."""

    __table__ = Folder.__table__
    number = orm.deferred(documents_of(Folder.__table__.c).scalar_subquery())


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


@pytest.fixture
def session() -> Iterator[orm.Session]:
    made = sa.create_engine("sqlite://")
    Base.metadata.create_all(made)
    with orm.Session(made) as session:
        session.add_all([Folder(id=1, owner="alice"), Folder(id=2, owner="bob")])
        session.flush()
        for id, owner in ((1, "alice"), (2, "bob")):
            session.add(Document(id=id, owner=owner, folder_id=1))
            session.add(Report(id=id + 10, owner=owner, folder_id=1, pages=id))
        session.flush()
        yield session
    made.dispose()


COUNTED = documents_of(Folder).scalar_subquery()
EVERY = sa.select(Document.folder_id, Document.owner)
OTHER = orm.aliased(Document)
LEAKS: dict[str, Callable[[Engine], Any]] = {
    "a bundle": lambda pdp: sa.select(orm.Bundle("both", Folder.id, Document.owner)).join(Folder.documents),
    "a bundle in a bundle": lambda pdp: sa.select(orm.Bundle("a", Folder.id, orm.Bundle("b", COUNTED))),
    "a column property": lambda pdp: sa.select(Counted),
    "its column": lambda pdp: sa.select(Counted.id, Counted.number),
    "one that is not deferred": lambda pdp: sa.select(CountedLater).options(orm.undefer(CountedLater.number)),
    "none that is": lambda pdp: sa.select(CountedLater).options(orm.undefer("*")),
    "an expression": lambda pdp: sa.select(Folder).options(orm.with_expression(Folder.number, COUNTED)),
    "whether there are any": lambda pdp: sa.select(Folder.id, sa.exists().where(Document.owner == "bob")),
    "whether it has any": lambda pdp: sa.select(Folder.id, Folder.documents.any(Document.owner == "bob")),
    "rows after rows": lambda pdp: sa.select(Folder.id, after_rows(sa.select(Document.id, Document.folder_id)).c.id),
    "a report": lambda pdp: sa.select(Folder.id, Report.pages).join(Report, Report.folder_id == Folder.id),
    "a load of reports": lambda pdp: sa.select(Folder).options(orm.selectinload(Folder.reports)),
    "rows beside the permitted ones": lambda pdp: sa.select(Document.id, every(sa.true()).c.owner),
    "a value of other rows": lambda pdp: sa.select(
        Document.id, sa.select(sa.func.max(Document.owner)).correlate(None).scalar_subquery()
    ),
    "a load whose rows come with values": lambda pdp: sa.select(Shelf).options(
        orm.joinedload(Shelf.folder.and_(permitted(Counted, pdp, SUBJECT, "read")))
    ),
    "a load that ignores its condition": lambda pdp: sa.select(Shelf).options(
        orm.immediateload(Shelf.first.and_(of_folders(pdp)))
    ),
    "a load of two classes": lambda pdp: sa.select(Shelf, Drawer).options(orm.lazyload(Shelf.first)),
    "a condition on another class": lambda pdp: sa.select(Folder).options(
        orm.selectinload(Folder.documents.and_(of_folders(pdp)))
    ),
    "one beside the rows": lambda pdp: sa.select(Folder.id, every(Document.folder.has(of_folders(pdp))).c.owner),
    "one in a subquery beside them": lambda pdp: sa.select(
        Folder.id, every(Document.folder_id.in_(sa.select(Folder.id).where(of_folders(pdp)))).c.owner
    ),
}
"""Each of them returns something of documents that nothing authorizes."""

TEXTS: dict[str, Callable[[Engine], Any]] = {
    "a text": lambda pdp: sa.select(Folder.id, sa.text("documents.owner")).join(Folder.documents),
    "everything": lambda pdp: sa.select(sa.text("*")).select_from(Folder).join(Folder.documents),
    "a column of a text": lambda pdp: sa.select(Folder.id, sa.literal_column("documents.owner")).join(Folder.documents),
    "a star": lambda pdp: sa.select(sa.literal_column("*")).select_from(Folder).join(Folder.documents),
    "a text in a function": lambda pdp: sa.select(Folder.id, sa.func.max(sa.text("documents.owner"))).join(
        Folder.documents
    ),
    "a column of no table": lambda pdp: sa.select(Folder.id, sa.column("kind")).join(Folder.documents),
    "a text in a bundle": lambda pdp: sa.select(orm.Bundle("b", Folder.id, sa.literal_column("kind"))).join(
        Folder.documents
    ),
    "a text in a subquery": lambda pdp: sa.select(
        Folder.id, sa.select(sa.text("owner")).select_from(Document).scalar_subquery()
    ),
}


def after_rows(begun: Any) -> Any:
    rows = begun.cte("rows", recursive=True)
    return rows.union_all(sa.select(rows.c.id + 1, rows.c.folder_id).where(rows.c.id < 3))


def of_folders(pdp: Engine) -> Any:
    return permitted(Folder, pdp, SUBJECT, "read")


def every(condition: Any) -> Any:
    return EVERY.where(condition).subquery()


@pytest.mark.parametrize("name", [*LEAKS, *TEXTS])
def test_hidden_values_are_refused(name: str, pdp: Engine) -> None:
    of = Shelf if "load" in name and "reports" not in name else None
    words = (
        "the statement returns texts" if name in TEXTS else "`(Document|documents|Report|(Folder|Drawer|Shelf).[a-z]+)`"
    )
    with pytest.raises(QueryRefused, match=words):
        authorized((LEAKS | TEXTS)[name](pdp), pdp, SUBJECT, "read", of=of)


@pytest.mark.parametrize("name", ["a bundle", "its column", "a text", "a report", "a column property"])
def test_they_are_returned_if_the_application_says_of_what(name: str, session: orm.Session, pdp: Engine) -> None:
    counted = name in ("its column", "a column property")
    query = authorized((LEAKS | TEXTS)[name](pdp), pdp, SUBJECT, "read", of=Counted if counted else Folder)
    assert len(session.execute(query).all()) >= 1
    assert "bob" not in {getattr(one, "id", None) for one in session.execute(query).all()}


def test_what_shows_nothing_else_is_exact(session: orm.Session, pdp: Engine) -> None:
    mine = permitted(Document, pdp, SUBJECT, "read")
    held = authorized(EVERY, pdp, SUBJECT, "read").subquery()
    begun = authorized(sa.select(Document.id, Document.folder_id).where(Document.id == 1), pdp, SUBJECT, "read")
    rows = after_rows(begun)
    united = sa.union_all(*2 * [authorized(EVERY, pdp, SUBJECT, "read")]).subquery()
    filed = sa.select(Folder.id).where(Folder.owner == "alice")
    of_filed = authorized(sa.select(Document.id).where(Document.folder_id.in_(filed)), pdp, SUBJECT, "read").subquery()
    for statement, expected in (
        (sa.select(orm.Bundle("one", Document.id, Document.owner)), 2),
        (sa.select(Folder.doubled), 1),
        (sa.select(Folder), 1),
        (sa.select(CountedLater), 1),
        (sa.select(Counted).options(orm.defer(Counted.number)), 1),
        (sa.select(Folder).options(orm.with_expression(Folder.number, Folder.id + 1)), 1),
        (
            sa.select(Folder).options(
                orm.with_expression(Folder.number, documents_of(Folder).where(mine).scalar_subquery())
            ),
            1,
        ),
        (sa.select(sa.literal_column("1")).select_from(Document), 2),
        (sa.select(sa.func.count(sa.text("*"))).select_from(Document), 1),
        (sa.select(Report.pages), 1),
        (sa.select(Folder.id, rows.c.id).join(rows, rows.c.folder_id == Folder.id), 3),
        (sa.select(Folder.id, Folder.documents.any(mine)), 1),
        (sa.select(Folder.id, sa.exists().where(mine, Document.folder_id == Folder.id)), 1),
        (sa.select(Folder.id, held.c.owner).join(held, held.c.folder_id == Folder.id), 2),
        (sa.select(Folder.id, of_filed.c.id).join(of_filed, sa.true()), 2),
        (sa.select(Folder.id, united.c.owner).join(united, united.c.folder_id == Folder.id), 4),
    ):
        kind = "documents" if "Report" in str(statement.column_descriptions) else None
        found = session.execute(authorized(statement, pdp, SUBJECT, "read", resource_type=kind)).all()
        assert len(found) == expected, str(statement)


def test_a_union_is_as_open_as_its_selects(pdp: Engine) -> None:
    half = sa.union_all(authorized(EVERY, pdp, SUBJECT, "read"), EVERY).subquery()
    with pytest.raises(QueryRefused, match="`Document`"):
        authorized(sa.select(Folder.id, half.c.owner), pdp, SUBJECT, "read")


def test_rows_of_a_joined_alias_fill_a_relationship(session: orm.Session, pdp: Engine) -> None:
    """An alias is as good as its class, if it is the one that is authorized."""
    of_alias = orm.contains_eager(Folder.documents.of_type(OTHER))
    by_name = orm.contains_eager(Folder.documents, alias=OTHER)
    for option in (of_alias, by_name):
        query = sa.select(Folder).join(Folder.documents.of_type(OTHER)).options(option)
        for authorized_ones in (Folder, [Folder, Document]):
            with pytest.raises(QueryRefused, match=r"`Folder.documents`|does not select from"):
                authorized(query, pdp, SUBJECT, "read", of=authorized_ones)
        session.expunge_all()
        (folder,) = session.scalars(authorized(query, pdp, SUBJECT, "read", of=[Folder, OTHER])).unique()
        assert {one.owner for one in folder.documents} == {"alice"}


def test_a_write_returns_no_more(pdp: Engine) -> None:
    changed = sa.update(Folder).where(Folder.id == Document.folder_id).values(owner="x")
    for returned in (orm.Bundle("b", Folder.id, Document.owner), Report.pages, Counted.number):
        with pytest.raises(QueryRefused, match="also returns values of"):
            authorized(changed.returning(returned), pdp, SUBJECT, "read")
    with pytest.raises(QueryRefused, match="returns texts"):
        authorized(changed.returning(sa.text("documents.owner")), pdp, SUBJECT, "read")
