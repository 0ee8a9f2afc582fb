"""Grants in a mirror show the rows with exactly their ids, by indexes, and each subject its own (F8, P4, P7)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime.translate import BadFilter, DateTime, Text
from writ.sqlalchemy import QueryRefused, authorized, grants_table, permitted, templates

from tests.api.client.sqlalchemy.test_columns import explained
from tests.support.authorized_rows import GRANTS, NOW, Document, Folder
from tests.support.bundling import engine_for

TYPES = [{"id": one, "actions": ["read"]} for one in ("document", "folders")]
ALICE, BOB = {"type": "user", "id": "alice"}, {"type": "user", "id": "bob"}
TERMS = {"group_id": None, "starts_at": None, "expires_at": None}
GRANT = TERMS | {"id": "g", "resource_type": "folders", "action": "read", "subject_type": "user", "subject_id": "alice"}
NO_ID = (
    "01",
    "1 ",
    " 1",
    "+1",
    "-0",
    "1.0",
    "1e0",
    "",
    "x",
    "\uff11",
    "1\n",
    "-",
    "0x1",
    "99999999999999999999",
    "-1'",
)


def put(session: orm.Session, *rows: dict[str, Any]) -> None:
    """Puts these grants into the table, and no others."""
    session.execute(sa.delete(GRANTS))
    session.execute(sa.insert(GRANTS), [GRANT | one for one in rows])


def test_a_grant_is_on_the_row_with_exactly_its_id(db: sa.Engine, tmp_path: Path) -> None:
    engine = engine_for({"resource_types": TYPES}, tmp_path / "none.bundle")
    with orm.Session(db) as session:

        def shown(entity: Any = Folder, subject: dict[str, str] = ALICE) -> list[Any]:
            return sorted(
                session.scalars(authorized(sa.select(entity.id), engine, subject, "read", mirror=GRANTS, now=NOW))
            )

        put(session, *({"resource_id": one} for one in NO_ID))
        assert shown() == []
        put(session, *({"resource_id": one} for one in ("17", "17", "2", "17 ", str(2**63), "x")))
        assert shown() == [2, 17]
        assert shown(subject=BOB) == []
        over = {"expires_at": NOW}, {"starts_at": NOW + 1}, {"action": "edit"}, {"resource_type": "Folders"}
        put(session, *({"resource_id": "1"} | one for one in over), {"resource_id": "2", "action": "*"})
        assert shown() == [2]
        of_documents = ("d1", "D1X", "d 3 ", "01", "\u00e9", "e\u0301")
        put(session, *({"resource_id": one, "resource_type": "document"} for one in of_documents))
        assert shown(Document) == sorted(["d1", "01", "\u00e9"])
        session.rollback()


def test_what_is_negated_has_each_other_row(db: sa.Engine, tmp_path: Path) -> None:
    """The condition is never NULL, whatever ids the grants have, and also without a row."""
    engine = engine_for({"resource_types": TYPES}, tmp_path / "none.bundle")
    mine = permitted(Folder, engine, ALICE, "read", mirror=GRANTS, now=NOW)
    with orm.Session(db) as session:
        put(session, *({"resource_id": one} for one in ("1", *NO_ID)))
        assert sorted(session.scalars(sa.select(Folder.id).where(~mine))) == [2, 17]
        without = sa.select(Document.id).outerjoin(Folder).where(Document.folder_id.is_(None), sa.not_(mine))
        assert session.scalars(without).all()
        session.rollback()


def test_each_subject_gets_its_own_grants(db: sa.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Subjects with groups and without ask in turn, with other instants. They share what was made for the first."""
    groups = [{"id": f"team {n}", "members": [{"type": "user", "id": f"u{m}"} for m in range(n)]} for n in range(1, 4)]
    engine = engine_for({"resource_types": TYPES, "groups": groups}, tmp_path / "groups.bundle")
    monkeypatch.setattr(templates, "_templates", {})
    made = []
    monkeypatch.setattr(
        templates, "_template", lambda *given, made_by=templates._template: made.append(1) or made_by(*given)
    )
    with orm.Session(db) as session:
        of_group = {"subject_type": None, "subject_id": None}
        put(
            session,
            {"resource_id": "17", "subject_id": "u0"},
            {"resource_id": "1", "group_id": "team 2", **of_group},
            {"resource_id": "2", "group_id": "team 3", "expires_at": NOW + 10, **of_group},
        )
        expected = {"u0": [1, 2, 17], "u1": [1, 2], "u2": [2], "u3": [], "u'": []}
        for turn, (user, ids) in enumerate([*expected.items()] * 2):
            now = NOW + 10 * (turn >= len(expected))
            query = authorized(
                sa.select(Folder.id), engine, {"type": "user", "id": user}, "read", mirror=GRANTS, now=now
            )
            found = [one for one in ids if one != 2 or now == NOW]
            assert sorted(session.scalars(query)) == found, user
        session.rollback()
    assert len(made) == 2  # with groups and without


def test_no_parameter_of_an_execution_is_a_part_of_the_condition(db: sa.Engine, tmp_path: Path) -> None:
    engine = engine_for({"resource_types": TYPES}, tmp_path / "none.bundle")
    with orm.Session(db) as session:
        put(session, {"resource_id": "2"})
        query = authorized(sa.select(Folder.id), engine, ALICE, "read", mirror=GRANTS, now=NOW)
        compiled = query.compile(db)
        named = {name for name in compiled.params if not name.startswith("writ_")}
        assert not named
        session.rollback()


OWNED = {"key": "owner", "op": "eq", "value_of": "subject.id"}
OTHERS = {"key": "owner", "op": "ne", "value_of": "subject.id"}
BY_OWNER = {
    "extensions": ["references"],
    "resource_types": TYPES,
    "policies": [
        {
            "id": id,
            "effect": effect,
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": conditions},
        }
        for id, effect, conditions in (
            ("drafts", "ALLOW", [OWNED, {"key": "status", "op": "eq", "value": "draft"}]),
            ("others", "DENY", [OTHERS]),
        )
    ],
}


def test_an_index_serves_what_all_branches_share(db: sa.Engine, tmp_path: Path) -> None:
    """The DENY on other owners is a condition that each branch has, with grants or without."""
    engine = engine_for(BY_OWNER, tmp_path / "owners.bundle")
    with orm.Session(db) as session:
        if db.name == "postgresql":
            session.execute(sa.text("SET LOCAL enable_seqscan = off"))
        plan = explained(session, authorized(sa.select(Document.id), engine, ALICE, "read", mirror=GRANTS))
        assert "ix_documents_owner" in plan
        assert "Seq Scan on documents" not in plan
        assert "SCAN documents" not in plan


def test_instants_are_filled_in_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An embargo and grants, asked at many instants, have one template, and the rows of single evaluations."""
    table = sa.Table(
        "document",
        (metadata := sa.MetaData()),
        sa.Column("id", sa.String(9), primary_key=True),
        sa.Column("until", sa.DateTime),
    )
    mirror, made = grants_table(metadata), sa.create_engine("sqlite://")
    metadata.create_all(made)
    embargo = {"key": "until", "op": "gt", "value_of": "now"}
    read = [{"resource_type_id": "document", "actions": ["read"]}]
    policies = [
        {
            "id": "all",
            "effect": "ALLOW",
            "resource_types": read,
            "conditions": {"subject_attrs": [{"key": "x", "op": "eq", "value": 1}]},
        },
        {"id": "embargo", "effect": "DENY", "resource_types": read, "conditions": {"resource_attrs": [embargo]}},
    ]
    model = {"extensions": ["references", "now"], "resource_types": TYPES, "policies": policies}
    engine = engine_for(model, tmp_path / "embargo.bundle")
    monkeypatch.setattr(templates, "_templates", {})
    start = datetime(2034, 1, 1, 12, tzinfo=UTC).timestamp()
    ids = {f"d{n}": None if n == 9 else datetime.fromtimestamp(start + n, UTC).replace(tzinfo=None) for n in range(10)}
    fields = {"until": DateTime(table.c.until)}
    with made.begin() as connection:
        connection.execute(sa.insert(table), [{"id": id, "until": until} for id, until in ids.items()])
        grants = [{**GRANT, "resource_type": "document", "resource_id": id} for id in ("d2", "d7")]
        connection.execute(sa.insert(mirror), grants)
        for sees_all in (1, 0):
            subject = ALICE | {"properties": {"x": sees_all}}
            for later in (-1, 0, 0.5, 3, 3.000001, 4.9999999, 9):
                now = start + later
                query = authorized(
                    sa.select(table.c.id), engine, subject, "read", fields=fields, mirror=mirror, now=now, context={}
                )
                allowed = [id for id in ids if sees_all or id in ("d2", "d7")]
                expected = [id for id in allowed if ids[id] is None or ids[id].replace(tzinfo=UTC).timestamp() <= now]
                assert sorted(connection.scalars(query)) == expected, (subject, later)
    made.dispose()
    assert templates._templates
    assert None not in templates._templates.values()


def test_a_computed_field_has_no_template(tmp_path: Path) -> None:
    engine = engine_for(BY_OWNER, tmp_path / "owners.bundle")
    for limit in ("a", "b"):
        fields = {"owner": lambda _, limit=limit: Text(sa.func.coalesce(Document.owner, limit))}
        query = authorized(sa.select(Document.id), engine, ALICE, "read", mirror=GRANTS, fields=fields)
        assert limit in query.compile(dialect=sa.dialects.sqlite.dialect()).params.values()


def test_each_integer_of_64_bits_may_be_granted(db: sa.Engine, tmp_path: Path) -> None:
    engine = engine_for({"resource_types": TYPES}, tmp_path / "none.bundle")
    table = sa.Table("numbers", sa.MetaData(), sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False))
    ids = [0, 5, -5, 10**17, 10**18 - 1, 10**18, -(10**18), 2**63 - 1, -(2**63)]
    with orm.Session(db) as session:
        table.create(session.connection())
        session.execute(sa.insert(table), [{"id": id} for id in ids])
        put(session, *({"resource_id": str(one)} for one in (*ids, 2**63, -(2**63) - 1, 10**25)))
        query = authorized(
            sa.select(table.c.id), engine, ALICE, "read", resource_type="folders", mirror=GRANTS, now=NOW
        )
        assert sorted(session.scalars(query)) == sorted(ids)
        table.drop(session.connection())
        session.rollback()


def test_a_name_that_hides_the_table_of_grants_is_refused(tmp_path: Path) -> None:
    engine = engine_for({"resource_types": TYPES}, tmp_path / "none.bundle")
    hiding = sa.select(sa.literal("1").label("resource_id")).cte(GRANTS.name)
    query = authorized(sa.select(Folder.id), engine, ALICE, "read", mirror=GRANTS).add_cte(hiding)
    with pytest.raises(QueryRefused, match="hides the table"):
        str(query)


def test_a_malformed_node_of_another_decision_point_is_an_error() -> None:
    class Other:
        """A decision point that answers with half a node."""

        def filter(self, _: Any) -> Any:
            return {"filter": {"type": "direct", "subject": {}}, "context": {"valid_until": None}}

        def actions(self, _: Any) -> Any:
            return {"results": []}

    with pytest.raises(BadFilter, match="a direct node has exactly the members"):
        authorized(sa.select(Folder.id), Other(), ALICE, "read", mirror=GRANTS, resource_type="folders")
