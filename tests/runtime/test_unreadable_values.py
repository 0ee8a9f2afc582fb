"""Values that a route can't read: every way of asking agrees with the oracle."""

from itertools import product

import pytest
from writ.bundles.conditions.values import Unreadable

from tests.support import oracle
from tests.support.bundling import engine_for

COMPARED = [("amount", op, value) for op, value in (("gt", 100), ("eq", 5), ("ne", 5), ("in", [5]), ("nin", [5]))]
COMPARED += [("amount", "regex", "^5$"), ("amount", "eq", "5"), ("amount", "eq", True), ("amount.unit", "eq", "kr")]
COMPARED += [("amount", "in", ["5", "6"]), ("amount", "ne", False), ("amount", "eq", [5]), ("note", "eq", "x")]
SENT = [Unreadable("5"), Unreadable(""), 150, 5, "150", None]


def policy(id, effect, compared):
    key, op, value = compared
    return {
        "id": id,
        "effect": effect,
        "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
        "conditions": {"resource_attrs": [{"key": key, "op": op, "value": value}]},
    }


def asked(value):
    return {
        "subject": {"type": "user", "id": "u"},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d", "properties": {"amount": value}},
    }


@pytest.mark.parametrize("compared", COMPARED)
def test_every_way_agrees_with_the_oracle(compared, tmp_path):
    """C11: a comparison is false in an ALLOW and holds in a DENY, with an index over the rules or without."""
    types = [{"id": "doc", "actions": ["read"]}]
    everyone = {"id": "all", "effect": "ALLOW", "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}]}
    many = [(f"x{n:02}", ("amount", "eq", 1_000 + n)) for n in range(20)]
    models = [
        [policy("no", "DENY", compared), everyone],
        [policy("yes", "ALLOW", compared)],
        [policy("no", "DENY", compared), everyone, *(policy(id, "DENY", one) for id, one in many)],
        [policy("yes", "ALLOW", compared), *(policy(id, "ALLOW", one) for id, one in many)],
    ]
    for number, policies in enumerate(models):
        document = {"resource_types": types, "policies": policies}
        engine = engine_for(document, tmp_path / str(number))
        for value, _again in product(SENT, range(2)):
            request = asked(value)
            right = oracle.decide(document, request, 0.0)
            found = engine.decide(request)
            assert (found["decision"], found["context"]["reason_code"]) == (right["decision"], right["reason_code"])
            assert found["context"].get("denied_by") == right.get("denied_by")
            assert engine.allowed("user", "u", "read", "doc", "d", resource={"amount": value}) == right["decision"]
            explained = engine.decide(request | {"options": {"explain": True}})["context"]["explanation"]
            held = {one["id"]: one["holds"] for one in explained["candidates"]}
            assert held == {one[0]: one[5] for one in oracle.explain(document, request, 0.0)}
