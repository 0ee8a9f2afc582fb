"""Rows that a flush changes or deletes by a relationship of another row are asked about, as any others."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import ChangeRefused, QueryRefused, changing

from tests.support.authorized_rows import SUBJECT
from tests.support.bundling import engine_for

OF_OWNERS = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]}
MODEL = {
    "extensions": ["references"],
    "resource_types": [{"id": one, "actions": ["edit", "delete"]} for one in ("notes", "pages")],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["edit"]} for one in ("notes", "pages")],
            "conditions": OF_OWNERS,
        }
    ],
}


class Base(orm.DeclarativeBase):
    """The base of the classes here."""


class Note(Base):
    """A note in a box. The box deletes it when it is taken out."""

    __tablename__ = "notes"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str]
    box_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("boxes.id"))


class Page(Base):
    """A page in a box, or without one."""

    __tablename__ = "pages"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    kind: orm.Mapped[str] = orm.mapped_column(default="page")
    owner: orm.Mapped[str]
    box_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("boxes.id"))
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "page"}  # noqa: RUF012  # its name


class Cover(Page):
    """A page with a table of its own beside, of which the model has no type."""

    __tablename__ = "covers"
    id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("pages.id"), primary_key=True)
    title: orm.Mapped[str] = orm.mapped_column(default="-")
    __mapper_args__ = {"polymorphic_identity": "cover"}  # noqa: RUF012


class Box(Base):
    """A box, of no type."""

    __tablename__ = "boxes"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    notes: orm.Mapped[list[Note]] = orm.relationship(cascade="all, delete-orphan")
    pages: orm.Mapped[list[Page]] = orm.relationship()
    later: orm.Mapped[list[Page]] = orm.relationship(post_update=True, overlaps="pages")


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


@pytest.fixture
def session() -> Iterator[orm.Session]:
    made = sa.create_engine("sqlite://")
    Base.metadata.create_all(made)
    with orm.Session(made) as session:
        session.add_all([Box(id=1), Box(id=2)])
        session.flush()
        for id, owner in ((1, "alice"), (2, "bob")):
            session.add_all([Note(id=id, owner=owner, box_id=id), Page(id=id, owner=owner, box_id=id)])
            session.add(Cover(id=id + 10, owner=owner))
        session.commit()
        yield session
    made.dispose()


def take_page_of_bob(session: orm.Session) -> None:
    box = session.get_one(Box, 1)
    box.pages.append(session.get_one(Page, 2))


def take_out_page_of_bob(session: orm.Session) -> None:
    box = session.get_one(Box, 2)
    box.pages.clear()


def delete_box_of_bob(session: orm.Session) -> None:
    session.execute(sa.delete(Note))
    session.delete(session.get_one(Box, 2))


def take_out_note(session: orm.Session) -> None:
    """No one may delete a note."""
    box = session.get_one(Box, 1)
    box.notes.clear()


def delete_box_with_note(session: orm.Session) -> None:
    session.delete(session.get_one(Box, 1))


def change_cover_of_bob(session: orm.Session) -> None:
    session.get_one(Cover, 12).title = "x"


def by_another_listener(session: orm.Session) -> None:
    page = session.get_one(Page, 2)
    sa.event.listen(session, "before_flush", lambda *_: setattr(page, "box_id", 1))
    session.add(Box(id=3))


def made_by_another_listener(session: orm.Session) -> None:
    sa.event.listen(session, "before_flush", lambda *_: session.add(Page(id=9, owner="bob")))
    session.add(Box(id=3))


CHANGES: tuple[Callable[[orm.Session], None], ...] = (
    take_page_of_bob,
    take_out_page_of_bob,
    delete_box_of_bob,
    take_out_note,
    delete_box_with_note,
    change_cover_of_bob,
    by_another_listener,
    made_by_another_listener,
)


def held(session: orm.Session) -> list[Any]:
    return [list(map(tuple, session.execute(sa.select(one)).all())) for one in Base.metadata.sorted_tables]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_by_the_flush_is_asked_about(session: orm.Session, pdp: Engine, change: Any) -> None:
    before = held(session)
    with pytest.raises(ChangeRefused), changing(session, pdp, SUBJECT, "edit", delete="delete"):
        change(session)
    session.rollback()
    assert held(session) == before


def test_an_allowed_change_by_the_flush_stays(session: orm.Session, pdp: Engine) -> None:
    with changing(session, pdp, SUBJECT, "edit", delete="delete"):
        box = session.get_one(Box, 2)
        box.pages.append(session.get_one(Page, 1))
        session.get_one(Cover, 11).title = "x"
    session.commit()
    assert session.get_one(Page, 1).box_id == 2
    take_page_of_bob(session)  # after the block, nothing is asked
    session.commit()


def test_a_change_after_the_flush_is_refused(session: orm.Session, pdp: Engine) -> None:
    box, block = session.get_one(Box, 1), changing(session, pdp, SUBJECT, "edit")
    with pytest.raises(QueryRefused, match="`post_update`"), block:
        box.later.append(session.get_one(Page, 2))
