"""A store in its own directory for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store.open(tmp_path / "data", "NORMAL", busy_seconds=0.05)
    yield found
    found.close()
