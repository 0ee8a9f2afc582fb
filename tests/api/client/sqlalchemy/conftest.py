"""The database servers, and the rows in them."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from tests.runtime.translate.conftest import mariadb  # noqa: F401  # a fixture
from tests.support.authorized_rows import database


@pytest.fixture(params=["sqlite", "postgresql", "mysql", "mariadb"], scope="module")
def db(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    """A database with the rows; the mysql one is MariaDB by another URL."""
    with database(request.param, request, tmp_path_factory.mktemp("rows")) as engine:
        yield engine
