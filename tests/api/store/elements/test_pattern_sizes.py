"""A write that makes the patterns of a model too large is refused, as `writ check` refuses it (C6)."""

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.errors import Rejected
from writ.bundles.conditions.patterns import instructions_of
from writ.compiler.limits import Limits

from tests.support.stored import ACTOR, put, stored, write

SIZE = instructions_of("[ab]c")
LIMIT = 3 * SIZE
TYPES = [{"id": "document", "actions": ["read"]}]


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    monkeypatch.setattr("writ.api.store.elements.pattern_sizes.DEFAULTS", Limits(model_pattern_instructions=LIMIT))


def policy(id, *patterns):
    conditions = {"context_attrs": [{"key": "k", "op": "regex", "value": pattern} for pattern in patterns]}
    scopes = [{"resource_type_id": "document", "actions": ["read"]}]
    return {"id": id, "effect": "ALLOW", "resource_types": scopes, "conditions": conditions}


def of_size(number):
    """Returns different patterns, each of SIZE."""
    return [f"[ab]{chr(ord('c') + place)}" for place in range(number)]


def fill(store, *patterns, env="default"):
    put(store, {"resource_types": TYPES, "policies": [policy("p", *patterns)]}, env)


def refused(store, *edits):
    before = stored(store)
    with pytest.raises(Rejected) as raised:
        write(store, *edits)
    assert stored(store) == before
    (fault,) = raised.value.faults
    assert fault.code == "too-many-instructions"
    return fault


def test_patterns_are_as_large_as_these_tests_assume():
    assert {instructions_of(pattern) for pattern in of_size(10)} == {SIZE}


def test_a_write_of_too_large_patterns_is_refused_with_the_diagnostic_of_check(store):
    fill(store, *of_size(2))
    fault = refused(store, Create("roles", {"id": "r"}), Create("policies", policy("q", "[xy]z", "[xy]y")))
    assert (fault.path, fault.edit) == ("$.conditions", 1)
    assert fault.message == f"the patterns of all policies compile to {4 * SIZE} instructions, the limit is {LIMIT}"
    assert fault.help == "use fewer different patterns, or plain text after `^` or before `$`, which does not count"


@pytest.mark.parametrize(
    "edit",
    [
        Replace("policies", ("p",), policy("p", *of_size(4))),
        Patch("policies", ("p",), {"conditions": policy("p", *of_size(4))["conditions"]}),
    ],
    ids=["put", "patch"],
)
def test_each_way_to_write_a_policy_is_checked(store, edit):
    fill(store, *of_size(3))
    refused(store, edit)


def test_the_policies_of_one_write_count_together(store):
    fill(store)
    creates = [Create("policies", policy(f"q{number}", pattern)) for number, pattern in enumerate(of_size(4))]
    assert refused(store, *creates).edit == 3
    write(store, *creates[:3])


def test_what_repeats_a_pattern_or_is_plain_text_is_written(store):
    fill(store, *of_size(3))
    write(store, Create("policies", policy("q", *of_size(3), "^draft-", "final$")))
    write(store, Delete("policies", ("p",)))
    refused(store, Create("policies", policy("r", "[xy]z")))


def test_what_a_write_frees_is_room_for_it(store):
    fill(store, *of_size(3))
    write(store, Create("policies", policy("q", "[xy]z")), Delete("policies", ("p",)))
    write(store, Create("policies", policy("r", *of_size(2))))
    refused(store, Create("policies", policy("s", "[xy]y")))


def test_a_store_above_the_limit_takes_what_does_not_raise_it(store):
    fill(store, *of_size(5))
    write(store, Create("policies", policy("q", *of_size(5))))
    write(store, Replace("policies", ("q",), policy("q", "plain")))
    write(store, Replace("policies", ("p",), policy("p", *of_size(4), "[xy]z")))
    refused(store, Replace("policies", ("p",), policy("p", *of_size(4), "[xy]z", "[xy]y")))
    write(store, Replace("policies", ("p",), policy("p", *of_size(4))))
    write(store, Create("roles", {"id": "r"}))
    write(store, Delete("policies", ("p",)))


def test_each_environment_has_its_own_limit(store):
    store.create_environment(ACTOR, "other")
    fill(store, *of_size(3), env="other")
    fill(store, *of_size(2))
    write(store, Create("policies", policy("q", "[xy]z")))


def test_the_written_policies_alone_may_be_larger_than_the_limit(store, monkeypatch):
    """In a store above the limit, an edit of a large policy need not raise the sum. Only the sum of all counts."""
    large = [rf"\pL{{2}}{chr(ord('a') + number % 26)}{number}" for number in range(90)]
    assert sum(map(instructions_of, large)) > Limits().model_pattern_instructions
    monkeypatch.setattr("writ.api.store.elements.pattern_sizes.DEFAULTS", Limits(model_pattern_instructions=10**6))
    fill(store)
    write(store, Replace("policies", ("p",), policy("p", *large)))
    monkeypatch.setattr("writ.api.store.elements.pattern_sizes.DEFAULTS", Limits())
    write(store, Replace("policies", ("p",), policy("p", *large[1:])))
    with pytest.raises(Rejected, match="all policies compile to"):
        write(store, Create("policies", policy("q", "[xy]z")))


def test_a_policy_with_a_pattern_that_re2_rejects_is_refused_for_that(store):
    fill(store)
    with pytest.raises(Rejected) as raised:
        write(store, Create("policies", policy("q", "(?=a)")))
    assert [fault.code for fault in raised.value.faults] == ["bad-pattern"]
