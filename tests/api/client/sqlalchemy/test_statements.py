"""Each form of a statement is exact or refused: joins, `any`, unions, bulk writes, paging, aliases, loads (F7).

The cases are those in which automatic criteria missed rows: joins with an explicit ON clause (SQLAlchemy 10365), the
left side of `join_from` (8721), `has` and `any` (13070), joined loads (7862, osohq/oso 1155 with `contains_eager`).
"""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, permitted

from tests.support.authorized_rows import SUBJECT, Document, Folder, fill
from tests.support.bundling import engine_for

OWNED = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]}
MODEL = {
    "extensions": ["references"],
    "resource_types": [
        {"id": "document", "actions": ["read", "update"]},
        {"id": "folders", "actions": ["read"]},
    ],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [
                {"resource_type_id": "document", "actions": ["*"]},
                {"resource_type_id": "folders", "actions": ["*"]},
            ],
            "conditions": OWNED,
        }
    ],
}


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


@pytest.fixture
def session(db: sa.Engine) -> Any:
    with orm.Session(db) as made:
        yield made
        made.rollback()


def owned(session: orm.Session, *conditions: Any) -> list[str]:
    """The documents of alice, by code point: a collation would find those of Alice too."""
    found = session.scalars(sa.select(Document).where(*conditions))
    return sorted(one.id for one in found if one.owner == "alice")


def test_conditions_order_and_paging(session: orm.Session, pdp: Engine) -> None:
    query = authorized(sa.select(Document).where(Document.size > 1).order_by(Document.id), pdp, SUBJECT, "read")
    found = [one.id for one in session.scalars(query)]
    assert sorted(found) == owned(session, Document.size > 1)
    paged = authorized(sa.select(Document.id).where(Document.size > 1).order_by(Document.id), pdp, SUBJECT, "read")
    pages = [*session.scalars(paged.limit(2)), *session.scalars(paged.limit(100).offset(2))]
    assert pages == found
    limited = authorized(
        sa.select(Document.id).where(Document.size > 1).order_by(Document.id).limit(2), pdp, SUBJECT, "read"
    )
    assert session.scalars(limited).all() == found[:2]


def test_count_exists_and_groups(session: orm.Session, pdp: Engine) -> None:
    expected = owned(session)
    for counted in (
        sa.select(sa.func.count()).select_from(Document),
        sa.select(sa.func.count(Document.id)),
        sa.select(sa.func.count()).select_from(Document.__table__),
    ):
        query = authorized(counted, pdp, SUBJECT, "read", resource_type="document")
        assert session.scalar(query) == len(expected)
    some = authorized(sa.select(Document.id), pdp, SUBJECT, "read")
    assert session.scalar(sa.select(some.exists()))
    none = authorized(sa.select(Document.id).where(Document.owner == "bob"), pdp, SUBJECT, "read")
    assert not session.scalar(sa.select(none.exists()))
    grouped = sa.select(Document.status, sa.func.count()).group_by(Document.status)
    found = session.execute(authorized(grouped, pdp, SUBJECT, "read")).all()
    assert sum(count for _, count in found) == len(expected)


def test_the_condition_alone_is_one_among_others(session: orm.Session, pdp: Engine) -> None:
    mine = permitted(Document, pdp, SUBJECT, "read")
    either = session.scalars(sa.select(Document.id).where(mine | (Document.size == 11))).all()
    expected = {*owned(session), *session.scalars(sa.select(Document.id).where(Document.size == 11))}
    assert set(either) == expected
    rest = session.scalars(sa.select(Document.id).where(~mine)).all()
    assert sorted([*rest, *owned(session)]) == sorted(session.scalars(sa.select(Document.id)))


def test_explicit_joins_and_join_from(session: orm.Session, pdp: Engine) -> None:
    """An ON clause, a relationship, and the left side of `join_from` (SQLAlchemy 10365, 8721)."""
    expected = owned(session, Document.folder_id.is_not(None))
    for joined in (
        sa.select(Document.id).join(Document.folder),
        sa.select(Document.id).join(Folder, Folder.id == Document.folder_id),
        sa.select(Document.id).join_from(Document, Folder),
        sa.select(Document.id).join_from(Folder, Document),
        sa.select(Document.id).select_from(orm.join(Folder, Document)),
        sa.select(Document.id).where(Document.folder_id == Folder.id),
    ):
        assert sorted(session.scalars(authorized(joined, pdp, SUBJECT, "read"))) == expected, str(joined)
    outer = authorized(sa.select(Document.id).outerjoin(Document.folder), pdp, SUBJECT, "read")
    assert sorted(session.scalars(outer)) == owned(session)


def test_several_classes_are_named(session: orm.Session, pdp: Engine) -> None:
    both = sa.select(Document.id, Folder.id).join(Document.folder)
    with pytest.raises(QueryRefused, match=r"`Document` and `Folder`; say with `of`"):
        authorized(both, pdp, SUBJECT, "read")
    found = session.execute(authorized(both, pdp, SUBJECT, "read", of=[Document, Folder])).all()
    assert sorted(id for id, _ in found) == owned(session, Document.folder_id == 1)
    assert {folder for _, folder in found} <= {1}
    one = session.execute(authorized(both, pdp, SUBJECT, "read", of=Document)).all()
    assert sorted(id for id, _ in one) == owned(session, Document.folder_id.is_not(None))


def test_an_outer_join_is_refused_on_the_side_of_nulls(session: orm.Session, pdp: Engine) -> None:
    query = sa.select(Folder.id, Document.id).outerjoin(Folder.documents)
    with pytest.raises(QueryRefused, match=r"an outer join puts NULL .* into the ON clause"):
        authorized(query, pdp, SUBJECT, "read", of=Document)
    mine = permitted(Document, pdp, SUBJECT, "read")
    inside = sa.select(Folder.id, Document.id).outerjoin(Folder.documents.and_(mine)).order_by(Folder.id)
    found = session.execute(inside).all()
    assert sorted(id for _, id in found if id is not None) == owned(session, Document.folder_id.is_not(None))
    assert {folder for folder, _ in found} == {1, 2, 17}


def test_has_and_any(session: orm.Session, pdp: Engine) -> None:
    """The condition stands inside `any`, `has` and `exists` (SQLAlchemy 13070), of the same class too."""
    mine = permitted(Document, pdp, SUBJECT, "read")
    folders = session.scalars(sa.select(Folder.id).where(Folder.documents.any(mine))).all()
    in_folders = session.scalars(
        sa.select(Document.folder_id).where(Document.id.in_(owned(session)), Document.folder_id.is_not(None))
    ).all()
    assert set(folders) == set(in_folders)
    readable = permitted(Folder, pdp, SUBJECT, "read")
    held = authorized(sa.select(Document.id).where(Document.folder.has(readable)), pdp, SUBJECT, "read")
    assert sorted(session.scalars(held)) == owned(session, Document.folder_id == 1)
    parents = set(session.scalars(sa.select(Document.id).where(Document.children.any(mine))))
    assert parents == {
        one.parent_id for one in session.scalars(sa.select(Document)) if one.parent_id and one.owner == "alice"
    }


def test_aliases(session: orm.Session, pdp: Engine) -> None:
    copy = orm.aliased(Document)
    found = session.scalars(authorized(sa.select(copy), pdp, SUBJECT, "read")).all()
    assert sorted(one.id for one in found) == owned(session)
    pairs = sa.select(Document.id, copy.id).join(copy, copy.parent_id == Document.id)
    with pytest.raises(QueryRefused, match="say with `of`"):
        authorized(pairs, pdp, SUBJECT, "read")
    children = session.execute(authorized(pairs, pdp, SUBJECT, "read", of=copy)).all()
    assert {id for _, id in children} == set(owned(session, Document.parent_id.is_not(None)))
    table = Document.__table__.alias("t")
    query = authorized(sa.select(table.c.id), pdp, SUBJECT, "read", resource_type="document")
    assert sorted(session.scalars(query)) == owned(session)


def test_unions_are_authorized_select_by_select(session: orm.Session, pdp: Engine) -> None:
    small, large = (sa.select(Document.id).where(one) for one in (Document.size < 5, Document.size >= 5))
    with pytest.raises(QueryRefused, match="authorize each select of the union"):
        authorized(small.union_all(large), pdp, SUBJECT, "read")  # type: ignore[type-var]  # the refusal is the point
    both = sa.union_all(*(authorized(one, pdp, SUBJECT, "read") for one in (small, large)))
    assert sorted(session.scalars(both)) == owned(session, Document.size.is_not(None))
    inner = authorized(sa.select(Document), pdp, SUBJECT, "read").subquery()
    outer = orm.aliased(Document, inner)
    assert sorted(one.id for one in session.scalars(sa.select(outer))) == owned(session)
    with pytest.raises(QueryRefused, match="authorize the select inside"):
        authorized(sa.select(outer), pdp, SUBJECT, "read")


def test_subqueries_return_nothing_unseen(session: orm.Session, pdp: Engine) -> None:
    every = sa.select(Document.id, Document.status).subquery()
    joined = sa.select(Folder.id, every.c.status).join(every, every.c.id == sa.cast(Folder.id, sa.String(50)))
    with pytest.raises(QueryRefused, match="say with `of`"):
        authorized(joined, pdp, SUBJECT, "read")
    counted = sa.select(sa.func.count(Document.id)).where(Document.folder_id == Folder.id)
    with pytest.raises(QueryRefused, match="say with `of`"):
        authorized(sa.select(Folder.id, counted.scalar_subquery()), pdp, SUBJECT, "read")
    inside = authorized(counted, pdp, SUBJECT, "read").correlate(Folder).scalar_subquery()
    found = session.execute(authorized(sa.select(Folder.id, inside), pdp, SUBJECT, "read")).all()
    assert found == [(1, len(owned(session, Document.folder_id == 1)))]


def test_update_and_delete(session: orm.Session, pdp: Engine) -> None:
    expected = owned(session)
    session.execute(authorized(sa.update(Document).values(status="changed"), pdp, SUBJECT, "update"))
    assert sorted(session.scalars(sa.select(Document.id).where(Document.status == "changed"))) == expected
    of_table = sa.update(Document.__table__).values(status="again")
    session.execute(authorized(of_table, pdp, SUBJECT, "update", resource_type="document"))
    assert sorted(session.scalars(sa.select(Document.id).where(Document.status == "again"))) == expected
    everything = set(
        session.scalars(sa.select(Document.id).where(Document.parent_id.is_(None), ~Document.children.any()))
    )
    leaf = Document.id.not_in(["d1"])
    session.execute(authorized(sa.delete(Document).where(leaf), pdp, SUBJECT, "update"))
    left = set(session.scalars(sa.select(Document.id)))
    assert left & everything == everything - (set(expected) - {"d1"})


def test_what_a_write_returns(session: orm.Session, pdp: Engine) -> None:
    changed = sa.update(Document).where(Document.folder_id == Folder.id).values(status="x")
    authorized(changed.returning(Document.id), pdp, SUBJECT, "update")
    authorized(sa.delete(Document).returning(Document), pdp, SUBJECT, "update")
    inside = sa.select(sa.func.max(Folder.owner)).scalar_subquery()
    refused = r"also returns values of `[Ff]olders?`; return those of `Document` alone"
    for returned in (Folder.owner, Folder, Folder.__table__.c.owner, inside):
        with pytest.raises(QueryRefused, match=refused):
            authorized(changed.returning(returned), pdp, SUBJECT, "update")


def test_bulk_writes_by_key_are_refused_by_sqlalchemy(session: orm.Session, pdp: Engine) -> None:
    query = authorized(sa.update(Document), pdp, SUBJECT, "update")
    with pytest.raises(sa.exc.InvalidRequestError, match="WHERE"):
        session.execute(query, [{"id": "d1", "status": "x"}, {"id": "d2", "status": "y"}])


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        (sa.insert(Document), "ask for the decision about the new row"),
        (sa.text("SELECT 1"), r"write it as a `select\(\)`"),
        (sa.select(Document).from_statement(sa.text("SELECT 1")), r"write it as a `select\(\)`"),
        (orm.Query([Document]), r"write it as a `select\(\)`"),
        ("SELECT 1", r"give a `select\(\)`"),
    ],
)
def test_other_statements_are_refused(statement: Any, remedy: str, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match=remedy):
        authorized(statement, pdp, SUBJECT, "read")


def test_loads_of_declared_types_need_a_condition(session: orm.Session, pdp: Engine) -> None:
    """Joined and select-in loads (SQLAlchemy 7862), of the same class and of another, named or by the mapping."""
    mine, readable = permitted(Document, pdp, SUBJECT, "read"), permitted(Folder, pdp, SUBJECT, "read")
    folders = sa.select(Folder)
    for load in (orm.joinedload, orm.selectinload, orm.subqueryload, orm.immediateload):
        with pytest.raises(QueryRefused, match=r"`Folder.documents`; .*selectinload\(Folder.documents.and_"):
            authorized(folders.options(load(Folder.documents)), pdp, SUBJECT, "read")
    for load in (orm.joinedload, orm.selectinload):
        query = authorized(folders.options(load(Folder.documents.and_(mine))), pdp, SUBJECT, "read")
        session.expunge_all()
        (folder,) = session.scalars(query).unique()
        assert sorted(one.id for one in folder.documents) == owned(session, Document.folder_id == 1)
        session.expunge_all()
        shown = authorized(sa.select(Document).options(load(Document.folder.and_(readable))), pdp, SUBJECT, "read")
        assert {one.folder.id for one in session.scalars(shown).unique() if one.folder} <= {1}
    deep = orm.selectinload(Folder.documents.and_(mine)).selectinload(Document.children)
    with pytest.raises(QueryRefused, match=r"`Document.children`"):
        authorized(folders.options(deep), pdp, SUBJECT, "read")
    with pytest.raises(QueryRefused, match="loads every relationship"):
        authorized(folders.options(orm.joinedload("*")), pdp, SUBJECT, "read")
    authorized(folders.options(orm.lazyload(Folder.documents), orm.raiseload("*")), pdp, SUBJECT, "read")


def test_rows_of_a_join_fill_a_relationship(session: orm.Session, pdp: Engine) -> None:
    query = sa.select(Folder).join(Folder.documents).options(orm.contains_eager(Folder.documents))
    with pytest.raises(QueryRefused, match=r"`Folder.documents`"):
        authorized(query, pdp, SUBJECT, "read")
    session.expunge_all()
    (folder,) = session.scalars(authorized(query, pdp, SUBJECT, "read", of=[Folder, Document])).unique()
    assert sorted(one.id for one in folder.documents) == owned(session, Document.folder_id == 1)


def test_relationships_that_the_mapping_loads(pdp: Engine) -> None:
    class Base(orm.DeclarativeBase):
        pass

    class Owner(Base):
        __tablename__ = "document"
        id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
        owner: orm.Mapped[str]

    class Folder(Base):
        __tablename__ = "folders"
        id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
        owner: orm.Mapped[str]
        first_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("document.id"))
        first: orm.Mapped[Owner] = orm.relationship(lazy="joined")

    with pytest.raises(QueryRefused, match=r"`Folder.first`"):
        authorized(sa.select(Folder), pdp, SUBJECT, "read")
    authorized(sa.select(Folder).options(orm.lazyload(Folder.first)), pdp, SUBJECT, "read")
    authorized(sa.select(Folder.id), pdp, SUBJECT, "read")


def test_the_statement_selects_from_the_class(pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match="does not select from `Document`"):
        authorized(sa.select(Folder), pdp, SUBJECT, "read", of=Document)


def test_types_and_actions_are_declared(pdp: Engine) -> None:
    other = sa.Table("other", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True))
    with pytest.raises(QueryRefused, match="declares no `other` as a resource type; give `resource_type`"):
        authorized(sa.select(other), pdp, SUBJECT, "read")
    with pytest.raises(QueryRefused, match="declares no action `reed` of `document`"):
        authorized(sa.select(Document), pdp, SUBJECT, "reed")


def test_rows_are_made_once(tmp_path: Path) -> None:
    """The rows of these tests have what the tests look for."""
    made = sa.create_engine(f"sqlite:///{tmp_path / 'rows.db'}")
    fill(made)
    with orm.Session(made) as session:
        mine = owned(session)
        assert len(mine) > 3
        assert owned(session, Document.folder_id == 1)
        assert len(owned(session, Document.folder_id.is_not(None))) > len(owned(session, Document.folder_id == 1))
    made.dispose()
