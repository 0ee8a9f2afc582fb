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
from tests.support.owned_rows import MODEL, Document, Folder, Report, Shelf, hidden_in, owned_rows, texts_in


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
