"""A table has the type of its class, values come from the changed rows, a condition stands beside its rows (F7)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, permitted

from tests.support.bundling import engine_for

ALICE = {"type": "user", "id": "alice"}
MODEL = {
    "extensions": ["references"],
    "resource_types": [{"id": one, "actions": ["read", "edit"]} for one in ("document", "folder")],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["*"]} for one in ("document", "folder")],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}


class Base(orm.DeclarativeBase):
    """The base of the mapped classes."""


class Folder(Base):
    """A folder, whose table has another name than its type."""

    __tablename__ = "all_folders"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str]
    documents: orm.Mapped[list["Document"]] = orm.relationship(viewonly=True)


class Document(Base):
    """A document, whose table has another name than its type."""

    __tablename__ = "all_documents"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    owner: orm.Mapped[str]
    title: orm.Mapped[str]
    folder_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("all_folders.id"))


T = Document.__table__
BY_NAME = sa.table("all_documents", sa.column("id"), sa.column("title"), sa.column("folder_id"))
IN_CAPITALS = sa.table("ALL_Documents", sa.column("id"), sa.column("title"), sa.column("folder_id"))
ELSEWHERE = sa.Table(
    "all_documents",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("title", sa.String),
    sa.Column("folder_id", sa.Integer),
)
TABLES: dict[str, Any] = {
    "its table": T,
    "an alias of it": T.alias(),
    "a name": BY_NAME,
    "an alias of a name": BY_NAME.alias("d"),
    "a name in capitals": IN_CAPITALS,
    "a table of another collection": ELSEWHERE,
    "an alias of that": ELSEWHERE.alias(),
    "a sample": sa.tablesample(T, 100, name="sample"),
}
SHOWN: dict[str, Callable[[Any], Any]] = {
    "a join": lambda t: sa.select(Folder.id, t.c.title).join(t, t.c.folder_id == Folder.id),
    "a product": lambda t: sa.select(Folder.id, t.c.title),
    "a function": lambda t: sa.select(Folder.id, sa.func.upper(t.c.title)).join(t, t.c.folder_id == Folder.id),
    "all its columns": lambda t: sa.select(Folder.id, t).join(t, t.c.folder_id == Folder.id),
    "beside the class": lambda t: sa.select(Document.id, t.alias().c.title),
    "a subquery": lambda t: sa.select(Folder.id, sa.select(t.c.title).subquery().c.title),
    "a common table expression": lambda t: sa.select(Folder.id, sa.select(t.c.title).cte().c.title),
    "a union": lambda t: sa.select(
        Folder.id, sa.union_all(sa.select(t.c.title), sa.select(t.c.title)).subquery().c.title
    ),
    "a value": lambda t: sa.select(Folder.id, sa.select(sa.func.max(t.c.title)).scalar_subquery()),
    "whether there are any": lambda t: sa.select(Folder.id, sa.exists().where(t.c.folder_id == Folder.id)),
    "a load": lambda t: sa.select(Folder.id, orm.Bundle("both", Folder.id, t.c.title)),
}


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


@pytest.fixture
def session() -> Iterator[orm.Session]:
    made = sa.create_engine("sqlite://")
    Base.metadata.create_all(made)
    with orm.Session(made) as session:
        session.add_all([Folder(id=1, owner="alice"), Folder(id=2, owner="bob")])
        session.flush()
        for id, owner in ((1, "alice"), (2, "bob"), (3, "alice")):
            session.add(Document(id=id, owner=owner, title=f"{owner} {id}", folder_id=1))
        session.flush()
        yield session
    made.dispose()


@pytest.mark.parametrize("form", SHOWN)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_of_the_type_of_its_class(name: str, form: str, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match=r"`(Document|all_documents|ALL_Documents)`"):
        authorized(SHOWN[form](TABLES[name]), pdp, ALICE, "read")


def test_the_table_alone_is_exact(session: orm.Session, pdp: Engine) -> None:
    for table in (T, T.alias()):
        assert session.scalars(authorized(sa.select(table.c.id), pdp, ALICE, "read")).all() == [1, 3]
    with_owner = sa.table("all_documents", sa.column("id", sa.Integer), sa.column("owner", sa.String))
    for table in (with_owner, with_owner.alias()):
        assert session.scalars(authorized(sa.select(table.c.id), pdp, ALICE, "read")).all() == [1, 3]
    held = authorized(sa.select(T.c.title, T.c.folder_id), pdp, ALICE, "read").subquery()
    beside = sa.select(Folder.id, held.c.title).join(held, held.c.folder_id == Folder.id)
    assert len(session.execute(authorized(beside, pdp, ALICE, "read")).all()) == 2


def test_a_table_of_two_types_has_none(pdp: Engine) -> None:
    class Other(orm.DeclarativeBase):
        pass

    table = sa.Table(
        "shared", Other.metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("owner", sa.String)
    )
    mapped = [type("Document", (Other,), {"__table__": table})]  # a class that no one holds is forgotten
    mapped.append(type("Folder", (Other,), {"__table__": table, "__module__": "elsewhere"}))
    with pytest.raises(QueryRefused, match="give `resource_type`"):
        authorized(sa.select(table), pdp, ALICE, "read")
    with pytest.raises(QueryRefused, match="`shared`"):
        authorized(sa.select(Folder.id, table.c.owner), pdp, ALICE, "read")
    assert len(mapped) == 2


OTHER = orm.aliased(Document)
VALUES: dict[str, Callable[[], Any]] = {
    "a subquery": lambda: sa.select(Document.title).where(Document.id == 2).correlate(None).scalar_subquery(),
    "one of another alias": lambda: sa.select(OTHER.title).where(OTHER.id == 2).scalar_subquery(),
    "one of a table": lambda: sa.select(T.alias().c.title).limit(1).scalar_subquery(),
    "one of a name": lambda: sa.select(BY_NAME.alias().c.title).limit(1).scalar_subquery(),
    "one in a function": lambda: sa.func.upper(sa.select(OTHER.title).limit(1).scalar_subquery()),
    "one in a case": lambda: sa.case((sa.exists().where(OTHER.owner == "bob"), "yes"), else_="no"),
    "a column of another table": lambda: Folder.owner,
    "a column of an alias": lambda: OTHER.title,
    "a text": lambda: sa.text("(SELECT title FROM all_documents WHERE id = 2)"),
    "a column of a text": lambda: sa.literal_column("(SELECT title FROM all_documents WHERE id = 2)"),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("table", [Document, T])
def test_values_come_from_the_changed_rows(name: str, table: Any, pdp: Engine) -> None:
    words = "texts of SQL" if "text" in name else r"writes values of `(Document|Folder|all_documents|all_folders)`"
    changed = sa.update(table).where(T.c.folder_id == 1)
    column = T.c.title if table is T else Document.title
    for statement in (changed.values({"title": VALUES[name]()}), changed.values({column: VALUES[name]()})):
        with pytest.raises(QueryRefused, match=words):
            authorized(statement, pdp, ALICE, "edit")
    ordered = changed.ordered_values((column, VALUES[name]()))
    with pytest.raises(QueryRefused, match=words):
        authorized(ordered, pdp, ALICE, "edit")


def test_own_values_are_exact(session: orm.Session, pdp: Engine) -> None:
    mine = sa.select(sa.func.max(OTHER.title)).where(permitted(OTHER, pdp, ALICE, "read")).scalar_subquery()
    for value in ("new", Document.owner + "!", sa.func.upper(Document.title), mine):
        query = authorized(sa.update(Document).values(title=value), pdp, ALICE, "edit")
        session.execute(query.execution_options(synchronize_session=False))
        titles = dict(session.execute(sa.select(T.c.id, T.c.title)).all())
        assert titles[2] == "bob 2"
        assert titles[1] != "alice 1"


def test_an_insert_of_a_select_is_refused(pdp: Engine) -> None:
    inserted = sa.insert(Document).from_select(["id", "title"], sa.select(Document.id, Document.title))
    with pytest.raises(QueryRefused, match="ask for the decision about the new row"):
        authorized(inserted, pdp, ALICE, "edit")


OTHER_ROWS: dict[str, Callable[[Any], Any]] = {
    "an alias": lambda mine: sa.select(OTHER).where(mine),
    "an alias of the table": lambda mine: sa.select(T.alias().c.id).where(mine),
    "no row": lambda mine: sa.select(sa.literal(1)).where(mine),
    "another class": lambda mine: sa.select(Folder).where(mine),
    "a join of an alias": lambda mine: sa.select(Folder.id).join(OTHER, OTHER.folder_id == Folder.id).where(mine),
    "an ON": lambda mine: sa.select(Folder.id).join(OTHER, sa.and_(OTHER.folder_id == Folder.id, mine)),
    "a subquery": lambda mine: sa.select(sa.select(Document).subquery().c.id).where(mine),
    "a sample": lambda mine: sa.select(sa.tablesample(T, 100, name="sample").c.id).where(mine),
    "an update": lambda mine: sa.update(Folder).values(owner="x").where(mine),
    "a delete": lambda mine: sa.delete(Folder).where(mine),
    "a column": lambda mine: sa.select(Folder.id, mine),
}


@pytest.mark.parametrize("name", OTHER_ROWS)
def test_a_condition_stands_beside_its_rows(name: str, session: orm.Session, pdp: Engine) -> None:
    statement = OTHER_ROWS[name](permitted(Document, pdp, ALICE, "read"))
    with pytest.raises(QueryRefused, match="the FROM beside `permitted` lacks `all_documents`; give `permitted`"):
        session.execute(statement)


def test_each_row_comes_once(session: orm.Session, pdp: Engine) -> None:
    mine = permitted(OTHER, pdp, ALICE, "read")
    assert sorted(one.id for one in session.scalars(sa.select(OTHER).where(mine))) == [1, 3]
    inside = sa.exists().where(OTHER.id == Document.id, mine)
    assert session.scalars(sa.select(Document.id).where(inside)).all() == [1, 3]
    correlated = sa.select(Folder.id).where(Folder.id == Document.folder_id, permitted(Document, pdp, ALICE, "read"))
    assert session.scalars(sa.select(Document.id).where(correlated.exists())).all() == [1, 3]


def test_a_lambda_is_made_once_for_all_subjects(session: orm.Session, pdp: Engine) -> None:
    words = r"the condition of one subject would serve others; .* `with_loader_criteria\(Document, permitted"
    with pytest.raises(QueryRefused, match=words):
        orm.with_loader_criteria(
            Document, lambda cls: permitted(cls, pdp, ALICE, "read"), track_closure_variables=False
        )
    mine = permitted(Document, pdp, ALICE, "read")
    without = orm.with_loader_criteria(Document, lambda cls: mine, track_closure_variables=False)
    with pytest.raises(QueryRefused, match=words):
        session.scalars(sa.select(Document).options(without))
    for make in (
        lambda: sa.select(Document.id).where(lambda: mine),
        lambda: sa.lambda_stmt(lambda: sa.select(Document.id).where(mine)),
    ):
        with pytest.raises(QueryRefused, match=words):
            session.scalars(make())
    for include in (False, True):
        given = orm.with_loader_criteria(Document, permitted(Document, pdp, ALICE, "read"), include_aliases=include)
        assert session.scalars(sa.select(Document.id).options(given)).all() == [1, 3]
