"""Conditions from templates are those that are made for each question: texts, classes and computed columns (F7)."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.ext.hybrid import hybrid_property
from writ.runtime import Engine
from writ.runtime.translate import Untranslatable
from writ.sqlalchemy import authorized, permitted, resource_of, templates

from tests.support.authorized_rows import OWNERS, STATUSES, Document, Folder
from tests.support.bundling import engine_for

POLICY = {"effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}


def pdp(tmp_path: Path, *conditions: dict[str, Any]) -> Engine:
    """An engine with a policy for each condition."""
    policies = [POLICY | {"id": f"p{n}", "conditions": {"resource_attrs": [one]}} for n, one in enumerate(conditions)]
    types = [{"id": "document", "actions": ["read"]}, {"id": "folders", "actions": ["read"]}]
    model = {"extensions": ["references"], "resource_types": types, "policies": policies}
    return engine_for(model, tmp_path / "one.bundle")


def test_each_subject_gets_its_own_texts(db: sa.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Subjects with hostile ids and attributes ask in turn. The second one gets the template of the first."""
    engine = pdp(
        tmp_path,
        {"key": "owner", "op": "eq", "value_of": "subject.id"},
        {"key": "status", "op": "in", "value_of": "subject.states"},
        {"key": "id", "op": "in", "value_of": "subject.ids"},
        {"key": "size", "op": "eq", "value_of": "subject.size"},
    )
    monkeypatch.setattr(templates, "_templates", {})
    states = ([], [STATUSES[0]], ["Draft", "final"], ["draft ", "é"], ["x", 1, True], [1])
    with orm.Session(db) as session:
        table = session.scalars(sa.select(Document)).all()
        for turn, id in enumerate((*filter(None, OWNERS), "d'x", "%s", ":x", "{}")):
            sent = {"states": states[turn % len(states)], "ids": ["d1", id], "size": (10, 1.5, "10", 11)[turn % 4]}
            subject = {"type": "user", "id": id, "properties": sent}
            query = authorized(sa.select(Document.id), engine, subject, "read")
            asked = {"subject": subject, "action": {"name": "read"}}
            allowed = [
                one.id for one in table if engine.decide(asked | {"resource": resource_of(one, "document")})["decision"]
            ]
            assert sorted(session.scalars(query)) == sorted(allowed), id
    assert templates._templates
    assert None not in templates._templates.values()


def test_a_text_that_a_database_cannot_hold_is_refused_there_alone(tmp_path: Path) -> None:
    engine = pdp(tmp_path, {"key": "owner", "op": "eq", "value_of": "subject.id"})
    for id in ("alice", "a\0b"):
        query = authorized(sa.select(Document.id), engine, {"type": "user", "id": id}, "read")
        assert id in query.compile(dialect=sa.dialects.sqlite.dialect()).params.values()
    with pytest.raises(Untranslatable, match=r"U\+0000"):
        query.compile(dialect=sa.dialects.postgresql.dialect())


def test_statements_of_one_form_are_compiled_once(tmp_path: Path) -> None:
    engine = pdp(tmp_path, {"key": "owner", "op": "eq", "value_of": "subject.id"})
    queries = [
        authorized(sa.select(Document), engine, {"type": "user", "id": id}, "read")._generate_cache_key()
        for id in ("alice", "bob")
    ]
    assert queries[0] == queries[1]


def test_what_is_computed_is_asked_each_time(tmp_path: Path) -> None:
    limit = [1]

    class Base(orm.DeclarativeBase):
        pass

    class Paper(Base):
        __tablename__ = "document"
        id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
        size: orm.Mapped[int]

        @hybrid_property
        def is_large(self) -> bool:
            return self.size > limit[0]

    engine = pdp(tmp_path, {"key": "is_large", "op": "eq", "value": True})
    subject = {"type": "user", "id": "alice"}
    for limit[0] in (1, 7):
        of_class = authorized(sa.select(Paper), engine, subject, "read")
        assert limit[0] in of_class.compile(dialect=sa.dialects.sqlite.dialect()).params.values()
        given = {"is_large": lambda _: sa.literal(limit[0]) > 3}
        of_table = permitted(Paper.__table__, engine, subject, "read", fields=given)
        assert limit[0] in of_table.compile(dialect=sa.dialects.sqlite.dialect()).params.values()


def test_classes_and_aliases_do_not_share_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, subject = pdp(tmp_path, {"key": "owner", "op": "eq", "value_of": "subject.id"}), {"type": "user", "id": "a"}
    monkeypatch.setattr(templates, "MOST_KEPT", 1)
    monkeypatch.setattr(templates, "_templates", {})
    copy = orm.aliased(Document, name="copy")
    for _ in range(2):
        for entity, shown in ((Document, "documents.owner"), (copy, "copy.owner"), (Folder, "folders.owner")):
            assert shown in str(permitted(entity, engine, subject, "read", resource_type="document"))
    assert len(templates._templates) == 1
