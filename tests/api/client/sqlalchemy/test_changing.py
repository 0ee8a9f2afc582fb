"""Rows are asked about as they were and as they will be, in one transaction, and with their declared attributes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import writ.testing
from sqlalchemy import orm
from writ import AsyncClient
from writ.queries.declared import declared_attributes
from writ.runtime import Engine
from writ.runtime.requests.members import BadRequest, RequestFault
from writ.sqlalchemy import ChangeRefused, QueryRefused, changing, resource_of

ALICE = {"type": "user", "id": "alice", "properties": {"tenant": "t1"}}
MODEL = """\
extensions references

type paper
    actions create, edit, delete
    attributes tenant string, owner string, big boolean

policy own
    allow everyone to create, edit, delete paper
        when resource.owner is subject.id
        and resource.tenant is subject.tenant

policy large
    deny everyone to edit paper
        when resource.big is true
"""


class Base(orm.DeclarativeBase):
    """The base of the classes here."""


class Paper(Base):
    """A row of a declared type, with a column that the database computes, and one that no policy reads."""

    __tablename__ = "papers"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    tenant: orm.Mapped[str]
    owner: orm.Mapped[str]
    size: orm.Mapped[int] = orm.mapped_column(default=1)
    text: orm.Mapped[str] = orm.mapped_column(default="secret")
    big: orm.Mapped[bool] = orm.mapped_column(sa.Computed("size > 10"))


class Note(Base):
    """A row of a type that nobody declares."""

    __tablename__ = "notes"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    (tmp_path / "model.writ").write_text(MODEL)
    return writ.testing.engine(tmp_path / "model.writ")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[orm.Session]:
    database = sa.create_engine(f"sqlite:///{tmp_path / 'app.db'}")
    Base.metadata.create_all(database)
    with orm.Session(database) as session:
        session.add_all([Paper(id=1, tenant="t1", owner="alice"), Paper(id=2, tenant="t1", owner="bob")])
        session.commit()
        yield session
    database.dispose()


def give_away(session: orm.Session) -> None:
    session.get_one(Paper, 1).tenant = "t9"


def take(session: orm.Session) -> None:
    session.get_one(Paper, 2).owner = "alice"


def take_unseen(session: orm.Session) -> None:
    """The old value was never loaded."""
    paper = session.get_one(Paper, 2)
    session.expire(paper)
    paper.owner = "alice"


def grow(session: orm.Session) -> None:
    """The database computes the attribute by which it is denied."""
    session.get_one(Paper, 1).size = 11


def create_for_bob(session: orm.Session) -> None:
    session.add(Paper(tenant="t1", owner="bob"))


def delete_of_bob(session: orm.Session) -> None:
    session.delete(session.get_one(Paper, 2))


def delete_of_bob_as_own(session: orm.Session) -> None:
    paper = session.get_one(Paper, 2)
    paper.owner = "alice"
    session.delete(paper)


def flushed_in_between(session: orm.Session) -> None:
    give_away(session)
    session.flush()


REFUSED = (give_away, take, take_unseen, grow, create_for_bob, delete_of_bob, delete_of_bob_as_own, flushed_in_between)


@pytest.mark.parametrize("change", REFUSED)
def test_a_change_that_is_not_allowed_is_taken_back(
    session: orm.Session, pdp: Engine, change: Callable[[orm.Session], None]
) -> None:
    block = changing(session, pdp, ALICE, "edit", create="create", delete="delete")
    with pytest.raises(ChangeRefused, match="is not allowed") as refused, block:
        change(session)
    assert refused.value.answer["decision"] is False
    session.rollback()
    held = session.execute(sa.select(Paper.id, Paper.tenant, Paper.owner, Paper.size).order_by(Paper.id)).all()
    assert [tuple(one) for one in held] == [(1, "t1", "alice", 1), (2, "t1", "bob", 1)]


def test_a_change_that_is_allowed_stays(session: orm.Session, pdp: Engine) -> None:
    with changing(session, pdp, ALICE, "edit", create="create", delete="delete"):
        session.get_one(Paper, 1).size = 9
        session.add_all([Paper(tenant="t1", owner="alice", size=99), Note()])
    session.commit()
    assert session.scalars(sa.select(Paper.size).order_by(Paper.id)).all() == [9, 1, 99]
    with changing(session, pdp, ALICE, "edit", delete="delete"):
        session.delete(session.get_one(Paper, 1))
    session.commit()
    session.get_one(Paper, 2).owner = "carol"  # after the block, nothing is asked
    session.commit()


def test_a_row_is_sent_with_the_declared_attributes(session: orm.Session, pdp: Engine) -> None:
    paper = session.get_one(Paper, 1)
    expected = {"tenant": "t1", "owner": "alice", "big": False}
    assert resource_of(paper, "paper", pdp) == {"type": "paper", "id": "1", "properties": expected}
    assert resource_of(paper, "paper", pdp, attributes=["size"])["properties"] == {"size": 1}
    assert "text" in resource_of(paper, "paper")["properties"]
    assert "text" in resource_of(paper, "note", pdp)["properties"]  # a type that declares nothing


class Service:
    """A decision point over HTTP, as a client sees it: it answers strict requests of an engine."""

    def __init__(self, engine: Engine):
        self._engine, self.asked = engine, 0

    def decide(self, request: Any) -> Any:
        """One decision."""
        self.asked += 1
        return self._engine.decide(request)


class Odd(Service):
    """Another decision point, whose error has a path of its own."""

    def decide(self, request: Any) -> Any:
        """Refuses everything."""
        raise BadRequest("no", "$", (RequestFault("undeclared-attribute", "$", "no"),))


def test_a_client_asks_its_service_once(session: orm.Session, pdp: Engine) -> None:
    service = Service(pdp)
    paper = session.get_one(Paper, 1)
    for _ in range(3):
        assert resource_of(paper, "paper", service)["properties"].keys() == {"tenant", "owner", "big"}
    assert service.asked == 1
    with pytest.raises(QueryRefused, match="is awaited"):
        resource_of(paper, "paper", AsyncClient("http://127.0.0.1:1"))
    assert declared_attributes(Odd(pdp), "paper", ["a", "b"]) == ("a", "b")
