"""A store in its own directory for each test, on each engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.store.store import Store

from tests.support.store_engines import Engine, engine_named


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of a store on each engine. One with the mark `of_file` asks about the file of SQLite."""
    if "engine" in metafunc.fixturenames:
        of_file = any(metafunc.definition.iter_markers("of_file"))
        postgresql = pytest.param("postgresql", marks=pytest.mark.postgresql)
        metafunc.parametrize("engine", ["sqlite"] if of_file else ["sqlite", postgresql], indirect=True)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The engine of the store, with an empty database."""
    with engine_named(request) as found:
        yield found


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    found = engine.open(tmp_path / "data", busy_seconds=0.05)
    yield found
    found.close()
