"""The predicate on attributes that are no JSON: a comparison with them would be false, and its negation true."""

from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from writ.runtime.translate.python import predicate

STRANGE = [Decimal(5), UUID(int=5), date(2024, 2, 29), datetime(2024, 2, 29, tzinfo=UTC), ("a",), {"a"}, b"a", object()]


@pytest.mark.parametrize("value", STRANGE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("put", [lambda value: value, lambda value: [1, value], lambda value: {"a": [value]}])
def test_it_says_what_json_has_not(value, put):
    """`not (amount gt 1)` would take a row with the Decimal 5."""
    for op, constant in (("gt", 1), ("eq", {"a": [1]}), ("ne", [1]), ("in", [5])):
        comparison = {"type": "field", "field": "k.l", "operator": op, "value": constant}
        fits = predicate({"type": "logical", "operator": "not", "conditions": [comparison]})
        with pytest.raises(
            TypeError, match=rf"the attribute `k\.l` holds a `{type(value).__name__}`, which JSON has not"
        ):
            fits({"k": {"l": put(value)}})


def test_what_the_filter_does_not_read_may_be_anything():
    fits = predicate({"type": "field", "field": "k", "operator": "eq", "value": 1})
    assert fits({"k": 1, "other": Decimal(5)})


def test_values_nested_as_deep_as_json_goes_are_read():
    deep = []
    for _ in range(900):
        deep = [deep]
    assert predicate({"type": "field", "field": "k", "operator": "ne", "value": 1})({"k": deep})
