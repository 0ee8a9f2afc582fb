"""Mapped classes in which each row has a text that no other row has, so that a value says which row it is of."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine

from tests.support.authorized_rows import SUBJECT

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
    """A document in a folder, below another document."""

    __tablename__ = "documents"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    kind: orm.Mapped[str] = orm.mapped_column(default="document")
    owner: orm.Mapped[str]
    text: orm.Mapped[str]
    folder_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("folders.id"))
    above_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("documents.id"))
    folder: orm.Mapped["Folder"] = orm.relationship(back_populates="documents")
    below: orm.Mapped[list["Document"]] = orm.relationship(back_populates="above")
    above: orm.Mapped["Document | None"] = orm.relationship(back_populates="below", remote_side=[id])
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "document"}  # noqa: RUF012  # its name


class Report(Document):
    """A document with a table of its own beside."""

    __tablename__ = "reports"
    id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("documents.id"), primary_key=True)
    title: orm.Mapped[str]
    __mapper_args__ = {"polymorphic_identity": "report"}  # noqa: RUF012


class Folder(Base):
    """A folder, on a shelf."""

    __tablename__ = "folders"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str]
    text: orm.Mapped[str]
    shelf_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("shelves.id"))
    documents: orm.Mapped[list[Document]] = orm.relationship(back_populates="folder")
    shelf: orm.Mapped["Shelf"] = orm.relationship(back_populates="folders")
    more: orm.Mapped[str | None] = orm.query_expression()


class Shelf(Base):
    """A shelf is of no type: everyone may see it."""

    __tablename__ = "shelves"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    folders: orm.Mapped[list[Folder]] = orm.relationship(back_populates="shelf")
    newest: orm.Mapped[str | None] = orm.deferred(sa.select(sa.func.max(Folder.text)).correlate(None).scalar_subquery())


@contextmanager
def owned_rows(name: str, request: Any) -> Iterator[orm.Session]:
    """A session of SQLite or PostgreSQL with the rows. What was in the tables before is gone."""
    if name == "sqlite":
        made = sa.create_engine("sqlite://")
    else:
        conninfo = request.getfixturevalue("postgresql")
        made = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
    Base.metadata.drop_all(made)
    Base.metadata.create_all(made)
    with orm.Session(made) as session:
        session.add_all(Shelf(id=id) for id in (1, 2))
        session.flush()
        for id in range(1, 7):
            owner = "alice" if id % 2 else "bob"
            session.add(Folder(id=id, owner=owner, text=f"{owner} folder {id}", shelf_id=1 + id % 2))
        session.flush()
        for id in range(1, 25):
            owner = "alice" if id % 3 else "bob"
            given = {"owner": owner, "text": f"{owner} document {id}", "folder_id": 1 + id % 6}
            more = {"title": f"{owner} report {id}"} if id % 4 == 0 else {}
            made_one = Report(id=id, **given, **more) if more else Document(id=id, **given)
            made_one.above_id = id // 2 or None
            session.add(made_one)
            session.flush()
        session.commit()
        yield session
        session.rollback()
    Base.metadata.drop_all(made)
    made.dispose()


_SHOWN: Final = re.compile(r"(alice|bob)(?: (document|report|folder) (\d+))?", re.IGNORECASE)


def hidden_in(text: str, engine: Engine) -> bool:
    """Returns whether a text has a value of a row that the engine, asked about that row, does not allow to be read."""
    for owner, kind, id in _SHOWN.findall(text):
        type = "folders" if kind.lower() == "folder" else "documents"
        resource = {"type": type, "id": id or "-", "properties": {"owner": owner.lower()}}
        if not engine.decide({"subject": SUBJECT, "action": {"name": "read"}, "resource": resource})["decision"]:
            return True
    return False


def texts_in(value: Any, seen: set[int]) -> Iterator[str]:
    """Every text in an answer: of rows, of objects, and of what was loaded with them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Base) and id(value) not in seen:
        seen.add(id(value))
        for name, one in vars(value).items():
            if name != "_sa_instance_state":
                yield from texts_in(one, seen)
    elif isinstance(value, list | tuple | sa.Row):
        for one in value:
            yield from texts_in(one, seen)
