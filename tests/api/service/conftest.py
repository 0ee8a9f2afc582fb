"""The fixtures that the tests of services share."""

from collections.abc import Iterator

import pytest

from tests.support.network_namespaces import Network, network


@pytest.fixture
def net() -> Iterator[Network]:
    """A network for services and databases."""
    with network() as made:
        yield made
