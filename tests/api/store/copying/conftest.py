"""PostgreSQL alone, for what only it refuses."""

from collections.abc import Iterator

import pytest

from tests.support.store_engines import Engine, empty_schema


@pytest.fixture
def postgresql_engine(postgresql: str) -> Iterator[Engine]:
    with empty_schema(postgresql) as found:
        yield found
