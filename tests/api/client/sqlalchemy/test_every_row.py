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


@settings(max_examples=25)
@given(data=st.data())
def test_the_rows_are_those_of_single_evaluations(db: sa.Engine, tmp_path: Path, data: st.DataObject) -> None:
    pick = Pick.drawn(data.draw)
    drawn = model(pick)
    engine, context = engine_for(drawn, tmp_path / "drawn.bundle"), pick.one(CONTEXTS)
    with orm.Session(db) as session:
        put_grants(session, drawn["grants"])
        for entity, type in ((Document, "document"), (Folder, "folders")):
            expected = allowed(engine, session.scalars(sa.select(entity)).all(), "read", type, context=context)
            for mirror in (None, GRANTS):
                asked = sa.select(entity.id)
                query = authorized(asked, engine, SUBJECT, "read", context=context, mirror=mirror, now=NOW)
                assert sorted(session.scalars(query)) == expected, str(query)
