"""The lint `empty-list`."""

import pytest

from tests.support.diagnosing import FORMATS, seen
from tests.support.linting import allow, model, when


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("op", ["in", "nin"])
def test_empty_list(op, name):
    assert seen(model(allow(**when("s", op, []))), name) == [("empty-list", "[")]
    assert seen(model(allow(enabled=False, **when("s", op, []))), name) == []
