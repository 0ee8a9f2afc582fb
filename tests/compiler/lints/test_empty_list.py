"""The lint `empty-list`."""

import pytest

from tests.support.diagnosing import FORMATS, seen
from tests.support.linting import allow, model, told, when


@pytest.mark.parametrize("op", ["has_any", "has_none"])
def test_an_empty_list_of_elements(op):
    """X6."""
    text = model(allow(**when("s", op, [])), extensions="[arrays]")
    means = "holds whenever the attribute is an array" if op == "has_none" else "never holds"
    assert told("empty-list", text) == [f"`{op}` with an empty array {means}"]


@pytest.mark.parametrize("name", FORMATS)
def test_empty_list(name):
    assert seen(model(allow(**when("s", "in", []))), name) == [("empty-list", "[")]
    assert seen(model(allow(enabled=False, **when("s", "in", []))), name) == []


@pytest.mark.parametrize("name", FORMATS)
def test_presence_is_no_empty_list(name):
    """`nin` with an empty array is `is present`."""
    assert seen(model(allow(**when("s", "nin", []))), name) == []
