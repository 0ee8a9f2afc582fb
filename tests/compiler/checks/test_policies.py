"""What policies must not leave empty, and their limits."""

import json

from writ.bundles.conditions.patterns import measured
from writ.compiler.limits import Limits

from tests.support.diagnosing import conditions, model_text, policy, seen

ONES = json.dumps([{"key": "k", "op": "eq", "value": 1}] * 100)

CASES = {
    "empty roles": (model_text(policies=policy(more=', "roles": []')), [("empty", "[")]),
    "empty exceptions": (model_text(policies=policy(more=', "except_roles": []')), [("empty", "[")]),
    "unknown exception": (
        model_text(policies=policy(more=', "except_roles": ["editr"]')),
        [("unknown-role", '"editr"')],
    ),
    "a role and an exception": (
        model_text(policies=policy(more=', "roles": ["editor"], "except_roles": ["viewer", "editor"]')),
        [("excepted-role", '"editor"')],
    ),
    "a role and another exception": (
        model_text(policies=policy(more=', "roles": ["editor"], "except_roles": ["viewer"]')),
        [],
    ),
    "no types": ('{"model": 1, "policies": [{"id": "p", "effect": "DENY", "resource_types": []}]}', [("empty", "[")]),
    "no actions": (model_text(policies=policy().replace('["read"]', "[]")), [("empty", "[")]),
    "rate limit on a DENY": (
        conditions('{"rate_limit": {"limit": 1, "window_seconds": 1}}', effect="DENY"),
        [("deny-rate-limit", '"rate_limit"')],
    ),
    "100 conditions": (conditions(f'{{"context_attrs": {ONES}}}'), []),
    "101 conditions": (
        conditions(f'{{"context_attrs": {ONES}, "ip_allowlist": ["::1"]}}'),
        [("too-many-conditions", "{")],
    ),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "empty roles": "leave `roles` out to mean everyone",
    "empty exceptions": "leave `except_roles` out to exclude none",
    "unknown exception": "did you mean `editor`?",
    "a role and an exception": "leave it out of one of the lists",
}


def test_help(found_help, expected):
    assert found_help == expected


def test_conditions_beyond_the_limit_are_not_checked():
    """C6: a check of a pattern takes long, and its policy is refused whatever they are."""
    measured.cache_clear()
    many = [{"key": "k", "op": "regex", "value": f"({number}"} for number in range(30)]
    found = seen(conditions(json.dumps({"context_attrs": many})), limits=Limits(policy_conditions=10))
    assert [code for code, _ in found] == ["too-many-conditions", *["bad-pattern"] * 10]
    assert measured.cache_info().misses == 10


def test_limits_are_values():
    text = conditions('{"context_attrs": [{"key": "k", "op": "in", "value": [1, 2]}], "ip_allowlist": ["::1"]}')
    limits = Limits(policy_conditions=1, list_constant_elements=1)
    assert seen(text, limits=limits) == [("too-many-conditions", "{"), ("too-long", "[")]
