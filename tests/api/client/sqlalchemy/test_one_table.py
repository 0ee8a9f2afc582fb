"""The FROM of a select over one table is the one that SQLAlchemy compiles, which takes a millisecond to find."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import orm
from writ.sqlalchemy.entities import leaves
from writ.sqlalchemy.selects import leaves_of

from tests.support.authorized_rows import Document, Folder
from tests.support.owned_rows import Document as Kept
from tests.support.owned_rows import Report

D, F = Document.__table__, Folder.__table__


# Tables that no other test maps: a second class of a table would change which resource type its rows are.
_OWN = sa.MetaData()
SHELF = sa.Table("shelves", _OWN, sa.Column("id", sa.Integer, primary_key=True), sa.Column("owner", sa.String))
BOOK = sa.Table(
    "books",
    _OWN,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("owner", sa.String),
    sa.Column("shelf_id", sa.ForeignKey("shelves.id")),
)


class Both:
    """A class that is mapped to a join, in which NULL may replace a book."""

    fid: Any
    did: Any


NAMES = {"fid": SHELF.c.id, "did": BOOK.c.id, "fowner": SHELF.c.owner, "downer": BOOK.c.owner}
orm.registry().map_imperatively(Both, sa.outerjoin(SHELF, BOOK), properties=NAMES)
COUNT = sa.func.count()
FAST = (
    sa.select(Document).where(Document.size > 1).limit(3),
    sa.select(Document.id),
    sa.select(COUNT).select_from(Document),
    sa.select(COUNT).where(Document.id == "x"),
    sa.select(D),
    sa.select(Kept),
    sa.select(Document, sa.select(Folder.id).scalar_subquery()),
    sa.select(Document).where(sa.exists().where(Folder.id == Document.folder_id)),
    sa.select(Document).where(Document.folder.has()),
    sa.select(COUNT).where(Both.did == "x"),
)
SLOW = (
    sa.select(Both),
    sa.select(Both.did),
    sa.select(sa.func.count(Both.did)),
    sa.select(COUNT).select_from(Both),
    sa.select(COUNT).select_from(Document).where(Both.fid == 1),
    sa.select(COUNT).select_from(sa.outerjoin(F, D)),
    sa.select(Document).select_from(sa.outerjoin(F, D)),
    sa.select(Document.id).select_from(Folder).outerjoin(Document),
    sa.select(Document).join(Folder).with_only_columns(Folder.id),
    sa.select(Document).where(Folder.id == 1),
    sa.select(orm.aliased(Document)),
    sa.select(Report.id),
    sa.select(sa.text("1")),
)


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of products of tables
@pytest.mark.parametrize("statement", [*FAST, *SLOW], ids=str)
def test_the_tables_are_those_that_are_compiled(statement: sa.Select[Any]) -> None:
    def shown(found: list[tuple[Any, bool]]) -> list[Any]:
        return [(table, nullable, table._annotations.get("parententity")) for table, nullable in found]

    compiled = [leaf for source in statement.get_final_froms() for leaf in leaves(source)]
    assert shown(leaves_of(statement)) == shown(compiled)


def test_an_alias_of_a_joined_load_is_left_out() -> None:
    """`check_loads` looks at what is loaded, and nothing can name this alias."""
    loaded = sa.select(Document).options(orm.joinedload(Document.folder))
    assert leaves_of(loaded) == [(D, False)]


def test_one_table_is_found_without_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(sa.Select, "get_final_froms", lambda select: asked.append(select) or [])
    for statement in FAST:
        assert [nullable for _, nullable in leaves_of(statement)] == [False]
    assert not asked
    for statement in SLOW:
        leaves_of(statement)
    assert [*map(id, asked)] == [*map(id, SLOW)]
