"""Mapped classes with hostile rows, models over them, and the rows that one evaluation each allows."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.hybrid import hybrid_property
from writ.sqlalchemy import grants_table, resource_of

from tests.support.strategies_pick import Pick

JSON: Final = sa.JSON(none_as_null=True).with_variant(JSONB(True), "postgresql")
NOW: Final = datetime(2034, 6, 1, tzinfo=UTC).timestamp()
OWNERS: Final = ("alice", "Alice", "alice ", "bob", "", "é", None)
STATUSES: Final = ("draft", "Draft", "final", "draft ", None)
IDS: Final = ("d1", "D1x", "d2", "D2x", "d 3", "é", "1", "01", "😀")
GROUPS: Final = ("team", "all")
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "owner": OWNERS[:-1],
    "status": STATUSES[:-1],
    "id": (*IDS, "17"),
    "type": ("document", "folders"),
    "size": (1, 10, 11, "11", 2**53),
    "public": (True, False),
    "is_large": (True, False),
    "labels.team": ("x", ["x"]),
    "labels": (["a"], "a"),
}
"""The keys of conditions, with constants that meet values of the rows or just miss them."""

SUBJECT: Final = {"type": "user", "id": "alice"}


class Base(orm.DeclarativeBase):
    """The base of the mapped classes."""


class Folder(Base):
    """A folder, whose key is an integer."""

    __tablename__ = "folders"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str | None] = orm.mapped_column(sa.String(50))
    documents: orm.Mapped[list["Document"]] = orm.relationship(back_populates="folder")


class Document(Base):
    """A document, whose key is a text; `is_large` is a computed attribute."""

    __tablename__ = "documents"
    id: orm.Mapped[str] = orm.mapped_column(sa.String(50), primary_key=True)
    folder_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("folders.id"))
    parent_id: orm.Mapped[str | None] = orm.mapped_column(sa.ForeignKey("documents.id"))
    owner: orm.Mapped[str | None] = orm.mapped_column(sa.String(50), index=True)
    status: orm.Mapped[str | None] = orm.mapped_column(sa.String(50))
    size: orm.Mapped[int | None] = orm.mapped_column(sa.BigInteger())
    public: orm.Mapped[bool | None]
    labels: orm.Mapped[Any] = orm.mapped_column(JSON, nullable=True)
    folder: orm.Mapped[Folder | None] = orm.relationship(back_populates="documents")
    children: orm.Mapped[list["Document"]] = orm.relationship()

    @hybrid_property
    def is_large(self) -> bool | None:
        """True for more than 10."""
        return None if self.size is None else self.size > 10

    @is_large.inplace.expression
    @classmethod
    def _is_large(cls) -> sa.ColumnElement[bool]:
        return sa.type_coerce(cls.size > 10, sa.Boolean())


GRANTS: Final = grants_table(Base.metadata)


def rows(seed: int = 1) -> list[dict[str, Any]]:
    """Hostile documents, by the names of their columns."""
    pick = Pick.seeded(seed)
    labels = (None, [], ["a"], ["b", "a"], {"team": "x"}, {"team": ["x"]}, "a", {"team": None})
    return [
        {
            "id": id,
            "owner": pick.one(OWNERS),
            "status": pick.one(STATUSES),
            "labels": pick.one(labels),
            "size": pick.one((None, 0, 1, 10, 11, 2**53 + 1)),
            "public": pick.one((None, True, False)),
            "folder_id": pick.one((None, 1, 2)),
            "parent_id": None,
        }
        for id in (*IDS, *(f"r{number}" for number in range(30)))
    ]


def fill(engine: sa.Engine) -> None:
    """Makes the tables, with folders and documents in them."""
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add_all([Folder(id=1, owner="alice"), Folder(id=2, owner="bob"), Folder(id=17, owner=None)])
        session.flush()
        session.add_all([Document(**row) for row in rows()])
        session.flush()
        session.execute(sa.update(Document).where(Document.id.in_(["r1", "r2"])).values(parent_id="d1"))
        session.commit()


@contextmanager
def database(name: str, request: Any, folder: Path) -> Iterator[sa.Engine]:
    """A database with the rows: SQLite, PostgreSQL, or MariaDB by two names. What was in it before is gone."""
    if name == "sqlite":
        made = sa.create_engine(f"sqlite:///{folder / 'rows.db'}")
    elif name == "postgresql":
        conninfo = request.getfixturevalue("postgresql")
        made = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
    else:
        connection = request.getfixturevalue("mariadb")
        connection.autocommit(False)
        with connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE IF NOT EXISTS authorized COLLATE utf8mb4_general_ci")
            cursor.execute("USE authorized")
        made = sa.create_engine(f"{name}+pymysql://", creator=lambda: connection, poolclass=sa.pool.StaticPool)
    Base.metadata.drop_all(made)
    fill(made)
    try:
        yield made
    finally:
        Base.metadata.drop_all(made)
        if name in ("mysql", "mariadb"):
            request.getfixturevalue("mariadb").autocommit(True)
        else:
            made.dispose()


def put_grants(session: orm.Session, grants: Iterable[dict[str, Any]]) -> None:
    """Puts the grants of a model into the table."""
    session.execute(sa.delete(GRANTS))
    found = []
    for grant in grants:
        subject = grant.get("subject") or {"type": None, "id": None}
        for action in grant["actions"]:
            times = {name: seconds(grant.get(name)) for name in ("starts_at", "expires_at")}
            row = {"id": grant["id"], "subject_type": subject["type"], "subject_id": subject["id"], **times}
            row |= {"group_id": grant.get("group"), "action": action}
            row |= {"resource_type": grant["resource"]["type"], "resource_id": grant["resource"]["id"]}
            found.append(row)
    if found:
        session.execute(sa.insert(GRANTS), found)
    session.commit()


def seconds(written: str | None) -> float | None:
    """The epoch seconds of an instant of a model."""
    return None if written is None else datetime.fromisoformat(written).timestamp()


def allowed(engine: Any, table: Iterable[Any], action: str, type: str = "document", **more: Any) -> list[Any]:
    """The keys of the rows that one evaluation each allows."""
    found = []
    for row in table:
        request = {"subject": SUBJECT, "action": {"name": action}, "resource": resource_of(row, type), **more}
        if engine.decide(request, NOW)["decision"]:
            found.append(row.id)
    return sorted(found)


def model(pick: Pick) -> dict[str, Any]:
    """A random model over documents and folders: policies that allow and deny, with gates, and direct grants."""
    policies = [policy(pick, number) for number in range(pick.number(1, 4))]
    kinds = [*(["references"] if "value_of" in str(policies) else []), *(["arrays"] if "'has" in str(policies) else [])]
    return {
        "extensions": kinds,
        "resource_types": [{"id": "document", "actions": ["read", "update"]}, {"id": "folders", "actions": ["read"]}],
        "groups": [
            {"id": "team", "members": [SUBJECT]},
            {"id": "all", "members": [{"group": "team"}]},
            {"id": "other", "members": [{"type": "user", "id": "bob"}]},
        ],
        "policies": policies,
        "grants": grants(pick),
    }


def policy(pick: Pick, number: int) -> dict[str, Any]:
    """A policy on documents, folders or both."""
    named = pick.one((["document"], ["document", "folders"]))
    types = [{"resource_type_id": one, "actions": ["*"]} for one in named]
    of_folders = ("owner", "id", "type") if len(named) == 2 else None
    conditions: dict[str, Any] = {"resource_attrs": [condition(pick, of_folders) for _ in range(pick.one((1, 1, 2)))]}
    if pick.chance(1, 4):
        conditions["context_attrs"] = [{"key": "mfa", "op": "eq", "value": True}]
    if pick.chance(1, 4):
        conditions["time_window"] = {"not_before": pick.one(("2034-01-01T00:00:00Z", "2035-01-01T00:00:00Z"))}
    conditions = {name: one for name, one in conditions.items() if one}
    effect = pick.one(("ALLOW", "ALLOW", "DENY")) if number else "ALLOW"
    return {"id": f"p{number}", "effect": effect, "resource_types": types, "conditions": conditions}


def condition(pick: Pick, keys: tuple[str, ...] | None) -> dict[str, Any]:
    """A comparison with a column, a computed attribute, a member of a JSON column, or the row's own key or type."""
    key = pick.one(keys or tuple(VALUES))
    values = VALUES[key]
    if key == "owner" and pick.chance(1, 2):
        return {"key": key, "op": pick.one(("eq", "ne")), "value_of": "subject.id"}
    op = pick.one(("eq", "ne", "in", "nin", *(("gt", "lte") if key in ("size", "owner", "id") else ())))
    value = pick.one(values)
    return {"key": key, "op": op, "value": [value, pick.one(values)] if op in ("in", "nin") else value}


HOLDERS: Final[tuple[dict[str, Any], ...]] = (
    *({"subject": SUBJECT}, {"group": "team"}, {"group": "all"}, {"group": "other"}),
    *({"subject": {"type": "user", "id": "Alice"}}, {"subject": {"type": "agent", "id": "alice"}}),
)
BEFORE, AFTER = "2034-01-01T00:00:00+00:00", "2035-01-01T00:00:00+00:00"
TERMS: Final[tuple[dict[str, str], ...]] = (
    *({}, {}, {"expires_at": BEFORE}, {"expires_at": AFTER}),
    *({"starts_at": AFTER}, {"starts_at": BEFORE, "expires_at": AFTER}),
)


def grants(pick: Pick) -> list[dict[str, Any]]:
    """Direct grants to the subject, its groups and others, some of them not in force."""
    found: dict[str, dict[str, Any]] = {}
    for _ in range(pick.number(0, 6)):
        resource = {"type": pick.one(("document", "document", "folders")), "id": pick.one((*IDS, "d1x", "17", "017"))}
        actions = ["read"] if resource["type"] == "folders" else pick.one((["read"], ["update"], ["read", "update"]))
        one = {**pick.one(HOLDERS), "resource": resource, "actions": actions, **pick.one(TERMS)}
        found[str(one)] = one
    return [{"id": f"g{number}", **one} for number, one in enumerate(found.values())]
