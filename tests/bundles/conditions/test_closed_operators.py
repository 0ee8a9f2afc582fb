"""Operators are a closed set: every consumer knows all nine of them and refuses an invented one."""

from json import dumps

from writ.bundles.conditions.operators import Operator


def test_the_operators_are_the_contracts_nine_and_travel_as_text():
    assert list(Operator) == ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "regex"]
    assert (dumps(Operator.NIN), f"{Operator.NIN}", {Operator.NIN: 1}["nin"]) == ('"nin"', "nin", 1)
