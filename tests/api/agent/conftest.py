"""The clocks of a follower, and a source that it asks without a network."""

import pytest

from tests.support.feed import History
from tests.support.following import Direct, Time


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def source() -> Direct:
    return Direct(History())
