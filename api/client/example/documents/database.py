"""The tables of the application, and a session for each request."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends
from sqlalchemy import Index, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from .settings import DATABASE_URL

database = create_engine(DATABASE_URL)


class Base(DeclarativeBase):
    """The base of all tables."""


class User(Base):
    """A person of one tenant."""

    __tablename__ = "users"
    id: Mapped[str] = mapped_column(primary_key=True)
    tenant: Mapped[str]


class Document(Base):
    """A document with the columns that the policies compare: `tenant`, `owner` and `team`."""

    __tablename__ = "documents"
    __table_args__ = (Index("documents_owner", "tenant", "owner"), Index("documents_team", "tenant", "team"))
    id: Mapped[int] = mapped_column(primary_key=True)
    tenant: Mapped[str]
    owner: Mapped[str]
    team: Mapped[str | None]
    title: Mapped[str]
    text: Mapped[str] = mapped_column(default="")


def prepare() -> None:
    """Make the tables, and the people of two tenants."""
    Base.metadata.create_all(database)
    with Session(database) as session, session.begin():
        if session.scalar(select(User.id).limit(1)) is None:
            people = {"ann": "acme", "ben": "acme", "cleo": "acme", "dan": "globex"}
            session.add_all(User(id=id, tenant=tenant) for id, tenant in people.items())


def _session() -> Iterator[Session]:
    with Session(database) as session:
        yield session


DbSession = Annotated[Session, Depends(_session)]
