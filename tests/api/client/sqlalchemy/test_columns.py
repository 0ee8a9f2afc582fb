"""What columns carry: names, overrides, enums, keys, refusals with remedies, and the index that serves a query (F8)."""

import enum
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import oracle, postgresql
from writ.bundles.errors import Error
from writ.runtime import Engine
from writ.runtime.requests.members import BadRequest
from writ.runtime.translate import DateTime, Text, Untranslatable
from writ.sqlalchemy import QueryRefused, authorized, grants_table, permitted, resource_of

from tests.support.authorized_rows import GRANTS, SUBJECT, Document, Folder
from tests.support.bundling import engine_for


def pdp(tmp_path: Path, key: str, op: str, value: Any, **more: Any) -> Engine:
    """An engine that allows reads where one attribute compares so."""
    condition = {"key": key, "op": op, "value": value}
    types = [{"resource_type_id": "thing", "actions": ["read"]}]
    allow = {"id": "p", "effect": "ALLOW", "resource_types": types, "conditions": {"resource_attrs": [condition]}}
    model = {"resource_types": [{"id": "thing", "actions": ["read"]}], "policies": [allow], **more}
    return engine_for(model, tmp_path / "one.bundle")


class Base(orm.DeclarativeBase):
    """The base of the classes here."""


class State(enum.Enum):
    """A state, whose attribute is its value."""

    DRAFT = "draft"
    DONE = "done"


class Thing(Base):
    """A row with columns that say much or little."""

    __tablename__ = "things"
    key: orm.Mapped[int] = orm.mapped_column(sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True)
    state: orm.Mapped[State]
    changed: orm.Mapped[datetime | None]
    made_by: orm.Mapped[str] = orm.mapped_column("author", sa.String(20), index=True)
    secret: orm.Mapped[bytes | None]
    photo: orm.Mapped[str | None] = orm.mapped_column(sa.String(20).with_variant(sa.CHAR(20), "postgresql"))


@pytest.fixture
def session() -> Any:
    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with orm.Session(engine) as made:
        made.add(Thing(key=7, state=State.DRAFT, made_by="alice", changed=datetime(2030, 1, 1), secret=b"x"))
        made.add(Thing(key=8, state=State.DONE, made_by="bob"))
        made.flush()
        yield made
    engine.dispose()


def keys(session: orm.Session, engine: Engine, **more: Any) -> list[int]:
    return sorted(session.scalars(authorized(sa.select(Thing.key), engine, SUBJECT, "read", **more)))


def test_a_class_in_lower_case_is_a_type(session: orm.Session, tmp_path: Path) -> None:
    assert keys(session, pdp(tmp_path, "made_by", "eq", "alice")) == [7]


def test_an_enum_has_the_values_of_its_class(session: orm.Session, tmp_path: Path) -> None:
    assert keys(session, pdp(tmp_path, "state", "eq", "draft")) == [7]


@pytest.mark.parametrize(
    ("op", "value", "found"),
    [
        ("eq", "7", [7]),
        ("eq", "07", []),
        ("eq", 7, []),
        ("ne", "7", [8]),
        ("ne", "+7", [7, 8]),
        ("in", ["8", "x", "7 "], [8]),
        ("nin", ["7"], [8]),
        ("gt", "70", [8]),
        ("regex", "^7$", [7]),
    ],
)
def test_a_key_of_integers_is_a_text(session: orm.Session, tmp_path: Path, op: str, value: Any, found: Any) -> None:
    """An id is a text (E1), so `7` is no id, and the order is that of texts."""
    engine = pdp(tmp_path, "id", op, value)
    assert keys(session, engine) == found
    things = session.scalars(sa.select(Thing))
    asked = [(one.key, resource_of(one, "thing")) for one in things]
    allowed = [key for key, one in asked if engine.allowed("user", "alice", "read", "thing", one["id"])]
    assert sorted(allowed) == found


def test_a_column_that_says_too_little_is_refused_with_a_remedy(session: orm.Session, tmp_path: Path) -> None:
    engine = pdp(tmp_path, "changed", "gt", "2029")
    with pytest.raises(Untranslatable, match="map it to DateTime, if it holds instants in UTC") as refused:
        keys(session, engine)
    assert isinstance(refused.value, Error)
    assert keys(session, engine, fields={"changed": lambda thing: DateTime(thing.changed)}) == [7]
    assert keys(session, engine, fields={"changed": DateTime(Thing.changed)}) == [7]
    with pytest.raises(Untranslatable, match="keep the attribute in a column of another type"):
        keys(session, pdp(tmp_path, "secret", "eq", "x"))


def test_only_the_database_that_runs_it_can_refuse(session: orm.Session, tmp_path: Path) -> None:
    engine = pdp(tmp_path, "photo", "eq", "x")
    assert keys(session, engine) == []
    with pytest.raises(Untranslatable, match="cast the column to Text"):
        authorized(sa.select(Thing), engine, SUBJECT, "read").compile(dialect=postgresql.dialect())
    with pytest.raises(Untranslatable, match="cast the column to Text"):
        authorized(sa.select(Thing), engine, SUBJECT, "read", dialect="postgresql")
    with pytest.raises(Untranslatable, match="the databases are postgresql, mysql, mariadb, sqlite"):
        authorized(sa.select(Thing), engine, SUBJECT, "read").compile(dialect=oracle.dialect())
    assert "things.photo" in str(authorized(sa.select(Thing), engine, SUBJECT, "read"))


def test_an_attribute_without_a_column_is_refused(session: orm.Session, tmp_path: Path) -> None:
    engine = pdp(tmp_path, "made_bye", "eq", "alice")
    with pytest.raises(QueryRefused, match=r"did you mean `made_by`\? Else declare a hybrid property `made_bye`"):
        keys(session, engine)
    assert keys(session, engine, fields={"made_bye": Thing.made_by}) == [7]
    assert keys(session, engine, fields={"made_bye": Text(Thing.made_by)}) == [7]


def test_a_row_is_the_resource_of_a_decision(session: orm.Session) -> None:
    thing = session.get_one(Thing, 7)
    assert resource_of(thing, "thing") == {
        "type": "thing",
        "id": "7",
        "properties": {
            "key": 7,
            "state": "draft",
            "made_by": "alice",
            "photo": None,
            "secret": None,
            "changed": "2030-01-01T00:00:00.000000Z",
        },
    }
    assert resource_of(thing, "thing", attributes=["state"])["properties"] == {"state": "draft"}
    with pytest.raises(QueryRefused, match="no id"):
        resource_of(Thing(made_by="x"), "thing")


def test_too_many_grants_are_refused_without_a_mirror(session: orm.Session, tmp_path: Path) -> None:
    held = [
        {"subject": SUBJECT, "resource": {"type": "thing", "id": str(number)}, "actions": ["read"]}
        for number in range(10_001)
    ]
    engine = pdp(tmp_path, "made_by", "eq", "nobody", grants=[{"id": f"g{n}", **one} for n, one in enumerate(held)])
    with pytest.raises(QueryRefused, match=r"more than 10,000 direct grants.*give `mirror`"):
        keys(session, engine)
    mirror = grants_table(sa.MetaData(), "held")
    mirror.create(session.connection())
    row = {"id": "g", "subject_type": "user", "subject_id": "alice", "resource_type": "thing", "action": "read"}
    session.execute(sa.insert(mirror), [{**row, "resource_id": id} for id in ("8", "07", "99")])
    assert keys(session, engine, mirror=mirror) == [8]


def test_a_malformed_subject_is_a_bad_request(tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        permitted(Thing, pdp(tmp_path, "made_by", "eq", "x"), {"type": "user"}, "read")


def test_a_key_of_uuids_has_grants(tmp_path: Path) -> None:
    """SQLite and MySQL keep 32 digits, and a grant has the text with hyphens."""
    table = sa.Table("thing", (metadata := sa.MetaData()), sa.Column("id", sa.Uuid(), primary_key=True))
    mirror, made = grants_table(metadata), sa.create_engine("sqlite://")
    metadata.create_all(made)
    engine = pdp(tmp_path, "id", "eq", "00000000-0000-0000-0000-000000000001")
    row = {"id": "g", "subject_type": "user", "subject_id": "alice", "resource_type": "thing", "action": "read"}
    with made.begin() as connection:
        ids = [f"{number:032x}" for number in (1, 2, 3)]
        connection.execute(sa.insert(table), [{"id": UUID(one)} for one in ids])
        granted = "00000000-0000-0000-0000-000000000003"
        connection.execute(sa.insert(mirror), [{**row, "resource_id": one} for one in (granted, ids[1])])
        found = connection.scalars(authorized(sa.select(table.c.id), engine, SUBJECT, "read", mirror=mirror))
        assert sorted(one.int for one in found) == [1, 3]
    made.dispose()


PLANS = {"sqlite": "EXPLAIN QUERY PLAN ", "postgresql": "EXPLAIN ", "mysql": "EXPLAIN FORMAT=JSON "}
PLANS["mariadb"] = PLANS["mysql"]


def explained(session: orm.Session, query: sa.Select[Any]) -> str:
    """The plan of a query, with values in its text."""
    compiled = query.compile(session.connection(), compile_kwargs={"literal_binds": True})
    text = PLANS[session.get_bind().dialect.name] + str(compiled).replace("%%", "%")
    rows = session.connection().exec_driver_sql(text.replace("%", "%%"))
    return " ".join(str(value) for row in rows for value in row)


def test_indexes_serve_the_query(db: sa.Engine, tmp_path: Path) -> None:
    types = [{"id": "document", "actions": ["read"]}, {"id": "folders", "actions": ["read"]}]
    owners = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]}
    allow = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    model = {"extensions": ["references"], "resource_types": types, "policies": [allow | {"conditions": owners}]}
    engine = engine_for(model, tmp_path / "owners.bundle")
    with orm.Session(db) as session:
        if db.name == "postgresql":
            session.execute(sa.text("SET LOCAL enable_seqscan = off"))
        by_owner = explained(session, authorized(sa.select(Document.id), engine, SUBJECT, "read"))
        assert "ix_documents_owner" in by_owner
        granted = authorized(sa.select(Folder.id), engine, SUBJECT, "read", mirror=GRANTS)
        assert f"{GRANTS.name}_" in explained(session, granted)


def test_the_clock_of_grants_is_that_of_now(tmp_path: Path) -> None:
    table = sa.Table("thing", (metadata := sa.MetaData()), sa.Column("id", sa.String(9), primary_key=True))
    mirror, made = grants_table(metadata), sa.create_engine("sqlite://")
    metadata.create_all(made)
    engine, start = pdp(tmp_path, "id", "eq", "x"), datetime(2030, 1, 1, tzinfo=UTC).timestamp()
    row = {"id": "g", "subject_type": "user", "subject_id": "alice", "resource_type": "thing", "action": "read"}
    with made.begin() as connection:
        connection.execute(sa.insert(table), [{"id": "a"}])
        terms = {"starts_at": start, "expires_at": start + 10}
        connection.execute(sa.insert(mirror), [{**row, "resource_id": "a", **terms}])
        for now, found in ((start - 0.001, []), (start, ["a"]), (start + 9.999, ["a"]), (start + 10, [])):
            query = authorized(sa.select(table.c.id), engine, SUBJECT, "read", mirror=mirror, now=now)
            assert connection.scalars(query).all() == found, now
    made.dispose()
