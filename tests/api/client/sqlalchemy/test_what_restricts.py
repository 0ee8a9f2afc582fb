"""Rows of a declared type come only where a condition restricts them: at its place, for the FROM element that it names.

Each row has a text that no other row has. So a text in an answer says which row it comes from.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, authorized, permitted

from tests.support.authorized_rows import SUBJECT
from tests.support.bundling import engine_for
from tests.support.owned_rows import MODEL, Base, Document, Folder, Report, Shelf, hidden_in, owned_rows, texts_in


@pytest.fixture(scope="module")
def rows() -> Iterator[orm.Session]:
    with owned_rows("sqlite", None) as made:
        yield made


@pytest.fixture
def session(rows: orm.Session) -> orm.Session:
    rows.rollback()
    rows.expunge_all()
    return rows


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "owners.bundle")


def read(statement: Any, pdp: Engine, of: Any = None) -> Any:
    return authorized(statement, pdp, SUBJECT, "read", of=of)


@pytest.mark.parametrize("statement", [sa.select(Document.text), sa.update(Document).values(text="x")])
@pytest.mark.parametrize("of", [(), []])
def test_no_class_to_authorize_is_refused(statement: Any, of: Any, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match="`of` names nothing to authorize"):
        read(statement, pdp, of)


@pytest.mark.parametrize("statement", [sa.update(Document).values(text="x"), sa.delete(Document)])
@pytest.mark.parametrize("of", [Folder, [Document, Folder], orm.aliased(Document)])
def test_a_write_is_authorized_for_its_own_rows(statement: Any, of: Any, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match="changes rows of `Document`"):
        read(statement.where(Document.folder_id == Folder.id), pdp, of)
    assert isinstance(read(statement, pdp, Document), sa.Update | sa.Delete)
    assert isinstance(read(statement, pdp, [Document]), sa.Update | sa.Delete)


def mine(pdp: Engine, entity: Any = Document) -> Any:
    return permitted(entity, pdp, SUBJECT, "read")


MOST = sa.select(sa.func.max(Document.text))
MISPLACED: dict[str, Callable[[Any], Any]] = {
    "a column": lambda mine: sa.select(Document.text, mine.label("can")).subquery().c.text,
    "an order": lambda mine: sa.select(Document.text).order_by(mine).limit(1).correlate(None).scalar_subquery(),
    "a negation": lambda mine: MOST.where(~mine).correlate(None).scalar_subquery(),
    "a choice": lambda mine: MOST.where(mine | (Document.id > 0)).correlate(None).scalar_subquery(),
    "a having": lambda mine: MOST.having(sa.func.max(sa.case((mine, 1))) == 1).correlate(None).scalar_subquery(),
    "a function": lambda mine: MOST.where(sa.func.coalesce(~mine, True)).correlate(None).scalar_subquery(),
    "a select inside": lambda mine: (
        MOST.where(Document.id.in_(sa.select(Document.above_id).where(mine))).correlate(None).scalar_subquery()
    ),
    "the ON of an outer join, on the left": lambda mine: (
        MOST.outerjoin(Shelf, (Shelf.id == Document.folder_id) & mine).correlate(None).scalar_subquery()
    ),
    "the ON of a full join": lambda mine: (
        MOST.join(Shelf, (Shelf.id == Document.folder_id) & mine, full=True).correlate(None).scalar_subquery()
    ),
}
"""A condition of documents at a place where it restricts none."""

PLACED: dict[str, Callable[[Any], Any]] = {
    "where": lambda mine: MOST.where(mine).correlate(None).scalar_subquery(),
    "where, with others": lambda mine: MOST.where(Document.id > 0, sa.and_(Document.id < 20, mine)).scalar_subquery(),
    "where, in brackets": lambda mine: MOST.where(mine.self_group()).where(Document.id > 0).scalar_subquery(),
    "the ON of an inner join": lambda mine: MOST.join(Shelf, (Shelf.id == 1) & mine).scalar_subquery(),
    "the ON of an outer join, on the right": lambda mine: (
        MOST.select_from(Shelf).outerjoin(Document, mine).correlate(None).scalar_subquery()
    ),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_a_condition_at_another_place_restricts_nothing(name: str, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match="`Document`"):
        read(sa.select(Folder.id, MISPLACED[name](mine(pdp))), pdp)
    if name in ("a negation", "a choice", "a function", "a select inside"):
        where = MISPLACED[name](mine(pdp)).element.whereclause
        with pytest.raises(QueryRefused, match=r"`Folder\.documents`"):
            read(sa.select(Folder).options(orm.selectinload(Folder.documents.and_(where))), pdp)


@pytest.mark.parametrize("name", PLACED)
def test_a_condition_at_its_place_restricts(name: str, session: orm.Session, pdp: Engine) -> None:
    found = session.execute(read(sa.select(Folder.id, PLACED[name](mine(pdp))), pdp)).all()
    assert len(found) == 3
    assert not [text for row in found for text in texts_in(row, set()) if hidden_in(text, pdp)]


class Lamp(Base):
    """A light on a shelf, of no type, which always comes with folders."""

    __tablename__ = "lamps"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    shelf_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("shelves.id"))
    folders: orm.Mapped[list[Folder]] = orm.relationship(
        lazy="selectin",
        viewonly=True,
        primaryjoin=lambda: sa.orm.foreign(Folder.shelf_id) == Lamp.shelf_id,
    )


RETURNING: dict[str, Callable[[], Any]] = {
    "a load": lambda: sa.update(Document).returning(Document).options(orm.selectinload(Document.folder)),
    "a joined load": lambda: sa.update(Document).returning(Document).options(orm.joinedload(Document.folder)),
    "a load of a delete": lambda: sa.delete(Document).returning(Document).options(orm.selectinload(Document.folder)),
    "an expression": lambda: (
        sa.update(Folder).returning(Folder).options(orm.with_expression(Folder.more, MOST.scalar_subquery()))
    ),
    "a deferred column": lambda: sa.delete(Shelf).returning(Shelf).options(orm.undefer(Shelf.newest)),
    "a load of the mapping": lambda: sa.update(Lamp).returning(Lamp),
}


@pytest.mark.parametrize("name", RETURNING)
def test_what_a_write_loads_is_restricted(name: str, pdp: Engine) -> None:
    statement = RETURNING[name]()
    statement = statement if isinstance(statement, sa.Delete) else statement.values(id=9)
    with pytest.raises(QueryRefused, match=r"`(Document\.folder|Lamp\.folders|Document|Folder)`"):
        read(statement, pdp)


def test_a_write_may_load_what_is_restricted(session: orm.Session, pdp: Engine) -> None:
    load = orm.selectinload(Document.folder.and_(mine(pdp, Folder)))
    statement = sa.update(Document).values(kind=Document.kind).returning(Document).options(load)
    found = session.scalars(read(statement, pdp)).all()
    assert len({one.folder.text for one in found if one.folder}) == 2
    assert not [text for one in found for text in texts_in(one, set()) if hidden_in(text, pdp)]


@pytest.mark.parametrize("statement", [sa.update(Report).values(title="x"), sa.delete(Report)])
def test_a_write_of_a_class_with_several_tables_is_refused(statement: Any, pdp: Engine) -> None:
    """SQLAlchemy does not join the tables: the condition would hold of a document, not of each changed report."""
    for condition in (Report.text.like("%"), Report.title != "", Document.id == Report.id):
        with pytest.raises(QueryRefused, match="one table of `Report`"):
            authorized(statement.where(condition), pdp, SUBJECT, "read", resource_type="documents")


def test_columns_of_another_class_are_not_changed(pdp: Engine) -> None:
    """MySQL changes columns of several tables at once."""
    changed = sa.update(Document).where(Document.folder_id == Folder.id)
    by_table = sa.update(Document.__table__).where(Document.__table__.c.folder_id == Folder.__table__.c.id)
    for statement in (
        changed.values({Document.text: "x", Folder.text: "x"}),
        by_table.values({Folder.__table__.c.text: "x"}),
        changed.ordered_values((Folder.text, "x")),
    ):
        with pytest.raises(QueryRefused, match=r"changes values of `[Ff]olders?`"):
            read(statement, pdp)
    assert isinstance(read(changed.values({Document.text: "x", "kind": "y"}), pdp), sa.Update)


class Excerpt(Base):
    """Rows of a select of documents."""

    __table__ = sa.select(Document.id, Document.text, Document.folder_id).subquery("excerpts")
    __mapper_args__ = {"primary_key": [__table__.c.id]}  # noqa: RUF012  # its name


class Shown(Base):
    """Rows of an alias of documents."""

    __table__ = Document.__table__.alias("shown")
    __mapper_args__ = {"primary_key": [__table__.c.id]}  # noqa: RUF012


class Filed(Base):
    """Rows of a join of folders with a type that the model does not declare."""

    __table__ = sa.join(Shelf.__table__, Folder.__table__)
    __mapper_args__ = {"primary_key": [Folder.__table__.c.id]}  # noqa: RUF012
    id = orm.column_property(Folder.__table__.c.id, Shelf.__table__.c.id)


class Sheet(Base):
    """A sheet on a shelf, of no type, with rows of a select of documents."""

    __tablename__ = "sheets"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    excerpts: orm.Mapped[list[Excerpt]] = orm.relationship(
        viewonly=True, primaryjoin=lambda: orm.foreign(Excerpt.__table__.c.folder_id) == Sheet.__table__.c.id
    )


@pytest.mark.parametrize("mapped", [Excerpt, Shown])
def test_a_class_over_rows_of_a_declared_type_counts_as_declared(mapped: Any, pdp: Engine) -> None:
    for shown in (mapped.text, mapped, orm.aliased(mapped).text, sa.select(mapped.text).subquery().c.text):
        with pytest.raises(QueryRefused, match=r"the statement returns values of|an alias of a select"):
            read(sa.select(Folder.id, shown), pdp)
    with pytest.raises(QueryRefused, match="the statement returns values of `Document` and `Filed`"):
        read(sa.select(Document.id, Filed.text).join(Filed, Filed.id == Document.folder_id), pdp)
    beside = sa.select(sa.func.max(mapped.text)).join(Document, sa.true()).where(mine(pdp)).correlate(None)
    with pytest.raises(QueryRefused, match="the statement returns values of"):
        read(sa.select(Folder.id, beside.scalar_subquery()), pdp)
    with pytest.raises(QueryRefused, match="also returns values of"):
        read(sa.update(Document).values(kind="x").returning(mapped.text), pdp)
    with pytest.raises(QueryRefused, match=r"loads all rows of `Sheet\.excerpts`"):
        read(sa.select(Sheet).options(orm.selectinload(Sheet.excerpts)), pdp, Sheet)


def test_a_condition_on_one_table_of_a_join_restricts_no_other(pdp: Engine) -> None:
    on_shelf = permitted(Shelf, pdp, SUBJECT, "read", resource_type="folders", fields={"owner": sa.literal("alice")})
    inside = sa.select(sa.func.max(Filed.text)).where(on_shelf).correlate(None).scalar_subquery()
    with pytest.raises(QueryRefused, match="`Filed`"):
        read(sa.select(Document.id, inside), pdp)


class Memo(Document):
    """A document in the table of documents, which comes with a value of folders."""

    __mapper_args__ = {"polymorphic_identity": "memo"}  # noqa: RUF012
    most = orm.column_property(sa.select(sa.func.max(Folder.text)).correlate(None).scalar_subquery())


class Rack(Base):
    """The same shelves, with a value of folders in a group of deferred columns."""

    __table__ = Shelf.__table__
    most = orm.column_property(
        sa.select(sa.func.max(Folder.text)).correlate(None).scalar_subquery(), deferred=True, group="more"
    )


class Sketch(Base):
    """The same documents. Those above come with each, over three levels."""

    __table__ = Document.__table__
    above = orm.relationship(
        "Sketch",
        lazy="joined",
        join_depth=3,
        viewonly=True,
        remote_side=lambda: Sketch.__table__.c.id,
        foreign_keys=lambda: Sketch.__table__.c.above_id,
        primaryjoin=lambda: Sketch.__table__.c.above_id == orm.remote(Sketch.__table__.c.id),
    )


def test_columns_of_subclasses_and_groups_count_if_they_are_loaded(pdp: Engine) -> None:
    below = orm.with_polymorphic(Document, [Memo])
    for statement in (
        sa.select(below),
        sa.select(Document).options(orm.selectin_polymorphic(Document, [Memo])),
        sa.update(Document).values(text="x").returning(Document).options(orm.selectin_polymorphic(Document, [Memo])),
        sa.select(Rack).options(orm.undefer_group("more")),
        sa.select(Document, Rack).join(Rack, Rack.id == Document.id).options(orm.Load(Rack).undefer_group("more")),
    ):
        with pytest.raises(QueryRefused, match="`Folder`"):
            read(statement, pdp)
    allowed = Folder.documents.of_type(below).and_(mine(pdp, below))
    with pytest.raises(QueryRefused, match="come with values of `Folder`"):
        read(sa.select(Folder).options(orm.selectinload(allowed)), pdp)
    assert isinstance(read(sa.select(Document), pdp), sa.Select)
    assert isinstance(read(sa.select(Document, Rack).join(Rack, Rack.id == Document.id), pdp), sa.Select)


def test_each_level_of_a_load_needs_a_condition(session: orm.Session, pdp: Engine) -> None:
    of_sketch = permitted(Sketch, pdp, SUBJECT, "read", resource_type="documents")
    for load in (orm.joinedload, orm.selectinload):
        one_level = load(Sketch.above.and_(of_sketch))
        with pytest.raises(QueryRefused, match=r"`Sketch\.above`"):
            read(sa.select(Sketch).options(one_level), pdp)
    statement = sa.select(Sketch).options(orm.joinedload(Sketch.above.and_(of_sketch)).lazyload(Sketch.above))
    found = session.scalars(read(statement, pdp)).all()
    assert not [one for one in found if hidden_in(one.text, pdp) or (one.above and hidden_in(one.above.text, pdp))]


ON_A_SHELF = sa.select(Document.text).where(Shelf.id == 1).limit(1)
OTHER_SHELF = orm.aliased(Shelf)
BESIDE: dict[str, Callable[[], Any]] = {
    "a select inside another one": lambda: sa.select(
        Document.id, sa.select(ON_A_SHELF.scalar_subquery()).select_from(OTHER_SHELF).limit(1).scalar_subquery()
    ),
    "a select inside one that has the documents from around": lambda: sa.select(
        Document.id,
        sa.select(ON_A_SHELF.scalar_subquery()).where(Folder.id == Document.folder_id).limit(1).scalar_subquery(),
    ),
    "a join": lambda: sa.select(Document.id, MOST.join(Document.folder).scalar_subquery()),
    "a join that names the documents": lambda: sa.select(
        Document.id, MOST.join(Document.folder).correlate(Document).scalar_subquery()
    ),
    "a joined document": lambda: sa.select(Folder.id, ON_A_SHELF.scalar_subquery()).join(Folder.documents),
    "a joined document by its name": lambda: sa.select(
        Folder.id, ON_A_SHELF.correlate(Document).scalar_subquery()
    ).join(Folder.documents),
}
"""Each returns a document in a subquery that has it in its own FROM, or from rows that are not authorized."""


@pytest.mark.parametrize("name", BESIDE)
def test_a_subquery_counts_by_the_rows_that_it_reads(name: str, pdp: Engine) -> None:
    with pytest.raises(QueryRefused, match="the statement returns values of"):
        read(BESIDE[name](), pdp)


def test_a_subquery_may_read_the_rows_around_it(session: orm.Session, pdp: Engine) -> None:
    by_name = ON_A_SHELF.correlate(Document).scalar_subquery()
    filed = sa.select(Document.text + Folder.text).where(Folder.id == Document.folder_id, mine(pdp, Folder))
    for inside in (
        ON_A_SHELF.scalar_subquery(),
        sa.select(by_name).select_from(OTHER_SHELF).limit(1).scalar_subquery(),
        filed.scalar_subquery(),
        sa.exists().where(mine(pdp, Folder), Folder.id == Document.folder_id),
    ):
        found = session.execute(read(sa.select(Document.id, inside), pdp)).all()
        assert len(found) == 16
        assert not [text for row in found for text in texts_in(row, set()) if hidden_in(text, pdp)]


def test_a_list_of_values_shows_what_is_in_it(pdp: Engine) -> None:
    for value in (MOST.correlate(None).scalar_subquery(), sa.text("(SELECT max(text) FROM documents)")):
        listed = sa.values(sa.column("text", sa.String), name="listed").data([("x",), (value,)])
        with pytest.raises(QueryRefused, match=r"values of `Folder` and `Document`|returns texts"):
            read(sa.select(Folder.id, listed.c.text), pdp)
    listed = sa.values(sa.column("text", sa.String), name="listed").data([("x",)])
    assert isinstance(read(sa.select(Folder.id, listed.c.text), pdp), sa.Select)
