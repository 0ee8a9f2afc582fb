"""Hostile models end within the budget of the analysis, and what does not fit it is named."""

import time

from writ.compiler.analysis.limits import DEFAULT, TOO_MANY_STEPS

from tests.support.analysing import analysed

SECONDS = 30
TYPES = [{"id": "doc", "actions": ["read", "write"]}]


def policy(number, conditions, effect="ALLOW"):
    scopes = [{"resource_type_id": "doc", "actions": ["read"]}]
    return {
        "id": f"p{number}",
        "effect": effect,
        "resource_types": scopes,
        "conditions": {"resource_attrs": conditions},
    }


def pairs_of(count):
    """Policies whose diagram doubles with each pair of attributes, since the order of questions parts the pairs."""
    return [policy(n, [equal(f"a{n}", n), equal(f"z{n}", n)]) for n in range(count)]


def equal(key, value):
    return {"key": key, "op": "eq", "value": value}


def test_a_diagram_beyond_the_budget_is_unknown():
    before = {"resource_types": TYPES, "policies": pairs_of(40)}
    after = {
        "resource_types": TYPES,
        "policies": [*pairs_of(40)[1:], policy("x", [{"key": "q", "op": "eq", "value": 1}])],
    }
    begun = time.process_time()
    found = analysed(before, after)
    assert time.process_time() - begun < SECONDS
    assert [(one.pair, one.reason) for one in found.unknown] == [(("doc", "read"), TOO_MANY_STEPS)]
    assert found.gains == found.loses == []


def test_many_attributes_and_patterns_end():
    keys = [{"key": f"k{n}", "op": "regex", "value": f"^(a|b)*a{{{n + 1}}}"} for n in range(90)]
    before = {"resource_types": TYPES, "policies": [policy(0, keys)]}
    after = {"resource_types": TYPES, "policies": [policy(0, keys[:-1])]}
    found = analysed(before, after)
    assert found.unknown or found.gains


def test_a_count_of_reasons_beyond_the_budget_is_not_known():
    denies = [policy(n, [equal(f"a{n}", n), equal(f"z{n}", n)], "DENY") for n in range(40)]
    after = [policy("x", [equal("q", 1)], "DENY"), *denies[1:]]
    found = analysed(*({"resource_types": TYPES, "policies": one} for one in (denies, after)))
    assert [(one.pair, one.count) for one in found.reasons] == [(("doc", "read"), None)]
    assert found.gains == found.loses == found.unknown == []


def test_the_budget_of_reasons_is_apart():
    before = {"resource_types": TYPES, "policies": [policy(0, [equal("a", 1)])]}
    scopes = [{"resource_type_id": "doc", "actions": ["read"]}]
    after = {**before, "policies": [policy(0, []), {"id": "d", "effect": "DENY", "resource_types": scopes}]}
    whole, cut = (analysed(before, after, DEFAULT._replace(**one)) for one in ({}, {"reason_steps": 0}))
    assert [one.count for one in whole.reasons] == [1]
    assert [one.count for one in cut.reasons] == [None]
    assert len(cut.loses) == len(whole.loses) == 1


def test_each_part_has_its_own_budget():
    before = {"resource_types": TYPES, "policies": pairs_of(40)}
    scopes = [{"resource_type_id": "doc", "actions": ["write"]}]
    writers = {"id": "w", "effect": "ALLOW", "resource_types": scopes}
    found = analysed(before, {"resource_types": TYPES, "policies": [*pairs_of(39), writers]})
    assert [region.pair for region in found.gains] == [("doc", "write")]
    assert [one.pair for one in found.unknown] == [("doc", "read")]


def test_the_whole_budget_counts():
    before = {"resource_types": TYPES, "policies": []}
    after = {"resource_types": TYPES, "policies": [policy(0, [equal("a", 1)])]}
    assert analysed(before, after).unknown == []
    found = analysed(before, after, DEFAULT._replace(all_steps=1))
    assert [one.reason for one in found.unknown] == [TOO_MANY_STEPS]


def test_the_last_and_the_first_hour_have_witnesses():
    """The attributes that are tried beside such an instant stay within the years 0001 to 9999 (C8, X5)."""
    for op, window in (
        ("lt", {"not_before": "9999-12-31T23:30:00Z"}),
        ("gt", {"not_after": "0001-01-01T00:30:00Z"}),
    ):
        last = policy(0, [{"key": "until", "op": op, "value_of": "now"}])
        last["conditions"]["time_window"] = window
        found = analysed(
            {"resource_types": TYPES, "policies": []},
            {"extensions": ["now"], "resource_types": TYPES, "policies": [last]},
        )
        assert found.unknown == []
        assert [region.pair for region in found.gains] == [("doc", "read")]
