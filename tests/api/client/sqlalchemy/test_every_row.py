"""An authorized query has the rows that one evaluation each allows, on SQLite, PostgreSQL and MariaDB (F7, F8)."""

from pathlib import Path

import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import orm
from writ.sqlalchemy import authorized

from tests.support.authorized_rows import GRANTS, NOW, SUBJECT, Document, Folder, allowed, model, put_grants
from tests.support.bundling import engine_for
from tests.support.strategies_pick import Pick

CONTEXTS = ({}, {"mfa": True}, {"mfa": "yes"})


def test_the_rows_are_those_of_single_evaluations(db: sa.Engine, tmp_path: Path) -> None:
    with orm.Session(db) as session:
        documents, folders = session.scalars(sa.select(Document)).all(), session.scalars(sa.select(Folder)).all()

        @settings(max_examples=60)
        @given(st.data())
        def agrees(data: st.DataObject) -> None:
            pick = Pick.drawn(data.draw)
            drawn = model(pick)
            engine, context = engine_for(drawn, tmp_path / "drawn.bundle"), pick.one(CONTEXTS)
            put_grants(session, drawn["grants"])
            for entity, table, type in ((Document, documents, "document"), (Folder, folders, "folders")):
                expected = allowed(engine, table, "read", type, context=context)
                for mirror in (None, GRANTS):
                    asked = sa.select(entity.id)
                    query = authorized(asked, engine, SUBJECT, "read", context=context, mirror=mirror, now=NOW)
                    assert sorted(session.scalars(query)) == expected, str(query)

        agrees()
