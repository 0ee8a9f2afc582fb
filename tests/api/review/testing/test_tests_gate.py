"""The stored tests on what a promotion brings: flips of decisions come before other reasons, and each is counted."""

import json

from writ.api.review.effects import EffectCounts
from writ.api.review.testing.tests_gate import failing_tests, gate_outcome

from tests.support.analysing import loaded_model

MODEL = {
    "resource_types": [{"id": "d", "actions": ["read", "print"]}],
    "policies": [{"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}],
}


def asked(name, action, **expected):
    entities = {"subject": {"type": "user", "id": "ann"}, "resource": {"type": "d", "id": "1"}}
    return {"name": name, "request": entities | {"action": {"name": action}}, "expect": expected}


def search(name, value):
    request = {"subject": {"type": "user", "id": "ann"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    return {"name": name, "search": request, "expect": {"filter": {"type": "const", "value": value}}}


TESTS = [
    asked("reason", "print", decision=False, reason_code="NO_POLICY_MATCH"),
    search("filter", False),
    asked("denied", "print", decision=True),
    asked("right", "read", decision=True),
    asked("allowed", "read", decision=False, reason_code="EXPLICIT_DENY"),
    asked("undeclared", "fly", decision=True),
]


def texts(tests=TESTS):
    return [json.dumps({"id": "set", "tests": tests}).encode()]


def test_effects_of_failing_tests_are_counted():
    found = gate_outcome(loaded_model(MODEL), texts())
    assert found.failing == ("set: denied", "set: allowed", "set: filter", "set: undeclared", "set: reason")
    assert (found.passed, found.failed, found.not_run) == (1, 5, 0)
    assert found.effects == EffectCounts(now_allowed=1, now_denied=1, other_filter=1, other_reason=1)


def test_a_refusal_has_the_same_counts():
    found = failing_tests(loaded_model(MODEL), texts())
    assert found.names[:2] == ("set: denied", "set: allowed")
    assert found.effects == "1 now allowed, 1 now denied, 1 with another filter, 1 with another reason alone"
    assert failing_tests(loaded_model(MODEL), texts(TESTS[3:4])) == ((), "")
