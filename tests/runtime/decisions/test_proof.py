"""A proof is bounded in candidates, conditions and characters, and says when a limit cut it (D10)."""

from collections.abc import Iterator
from typing import Any

import pytest
from writ.runtime import BadRequest
from writ.runtime.decisions import explain, proof

from tests.support.bundling import engine_for

TYPES = [{"id": "d", "actions": ["read"]}]
SCOPE = {"resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
ALICE = {"type": "user", "id": "alice"}


def policy(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "effect": "ALLOW", **SCOPE, **more}


def asked(**properties: Any) -> dict[str, Any]:
    resource = {"type": "d", "id": "d1", "properties": properties}
    return {"subject": ALICE, "action": {"name": "read"}, "resource": resource, "options": {"explain": True}}


def explained(tmp_path, document, **properties):
    engine = engine_for({"resource_types": TYPES, **document}, tmp_path / "m.bundle")
    return engine.decide(asked(**properties))["context"]["explanation"]


def comparing(*values: object, key: str = "a") -> dict[str, Any]:
    return {"conditions": {"resource_attrs": [{"key": key, "op": "ne", "value": value} for value in values]}}


def test_conditions_beyond_the_limit_are_left_out(tmp_path, monkeypatch):
    """Policies that hold come first, so it is the other that is cut."""
    monkeypatch.setattr(proof, "MOST_CONDITIONS", 5)
    found = explained(
        tmp_path, {"policies": [policy("p", **comparing(*range(4))), policy("q", **comparing(9, 10))]}, a=3
    )
    assert [(row["id"], row["holds"], len(row["conditions"])) for row in found["candidates"]] == [
        ("p", False, 3),
        ("q", True, 2),
    ]
    assert found["truncated"] is True


def test_characters_beyond_the_limit_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(proof, "MOST_CHARACTERS", 1_500)
    policies = [policy(f"p{number}", **comparing("x" * 1_000)) for number in range(5)]
    found = explained(tmp_path, {"policies": policies})
    assert (len(found["candidates"]), found["truncated"]) == (2, True)


def test_grants_beyond_the_limit_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(proof, "MOST_CANDIDATES", 2)
    resource = {"type": "d", "id": "d1"}
    ends = [f"303{n}-01-01T00:00:00Z" for n in range(5)]
    same = {"subject": ALICE, "resource": resource, "actions": ["read"]}
    grants = [{"id": f"g{n}", **same, "expires_at": end} for n, end in enumerate(ends)]
    found = explained(tmp_path, {"grants": grants, "policies": [policy("p")]})
    assert ([row["id"] for row in found["candidates"]], found["truncated"]) == (["g0", "g1"], True)


class Watched(list[int]):
    """A list that counts the items that were read."""

    read = 0

    def __iter__(self) -> Iterator[int]:
        for item in super().__iter__():
            self.read += 1
            yield item


def test_a_long_value_is_not_read_to_its_end(tmp_path):
    """A batch shared one array of 1 MB among its items, and each condition wrote the whole of it."""
    value = Watched(range(1_000_000))
    found = explained(tmp_path, {"policies": [policy("p", **comparing("x", "y", "z"))]}, a=value)
    (candidate,) = found["candidates"]
    assert [condition["actual_cut"] for condition in candidate["conditions"]] == [True] * 3
    assert value.read < 3_000


def test_long_lists_of_addresses_are_cut(tmp_path):
    blocks = [f"10.{first}.{second}.0/24" for first in range(10) for second in range(100)]
    (candidate,) = explained(tmp_path, {"policies": [policy("p", conditions={"ip_allowlist": blocks})]})["candidates"]
    assert candidate["conditions"][0]["value_cut"] is True
    assert len(candidate["conditions"][0]["value"]) == 1_024


def test_the_policies_whose_roles_the_subject_lacks_are_named(tmp_path):
    """The highest priority first, then the smallest id. DENYs and policies for everyone are not among them."""
    roles = [{"id": "editor"}, {"id": "owner"}, {"id": "reader"}]
    policies = [
        policy("low", roles=["owner", "editor"]),
        policy("b", priority=2, roles=["owner"]),
        policy("a", priority=2, roles=["editor"]),
        policy("held", priority=2, roles=["reader", "owner"]),
        policy("everyone"),
        policy("deny", effect="DENY", priority=9, roles=["owner"]),
    ]
    assignments = [{"role": "reader", "subject": ALICE}, {"role": "owner", "subject": {"type": "user", "id": "bob"}}]
    found = explained(tmp_path, {"roles": roles, "assignments": assignments, "policies": policies})
    assert found["lacking"] == [
        {"id": "a", "roles": ["editor"]},
        {"id": "b", "roles": ["owner"]},
        {"id": "low", "roles": ["editor", "owner"]},
    ]


@pytest.mark.parametrize(("limit", "shown"), [("MOST_LACKING", [1, 2]), ("MOST_LACKING_ROLES", [1, 2, 2])])
def test_the_lacking_are_bounded(limit, shown, tmp_path, monkeypatch):
    monkeypatch.setattr(explain, limit, 2)
    roles = [{"id": id} for id in "abc"]
    policies = [policy(f"p{count}", roles=list("abc")[:count]) for count in (1, 2, 3)]
    found = explained(tmp_path, {"roles": roles, "policies": policies})
    assert [len(row["roles"]) for row in found["lacking"]] == shown
    assert found["truncated"] is True


def test_the_assignment_that_counts_is_named(tmp_path):
    """The smallest role, then the smallest of the groups to which it is assigned; expired ones do not count."""
    document = {
        "roles": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
        "groups": [
            {"id": "inner", "members": [ALICE]},
            {"id": "outer", "members": [{"group": "inner"}]},
            {"id": "all", "members": [{"group": "outer"}]},
        ],
        "assignments": [
            {"role": "a", "group": "inner", "expires_at": "1969-01-01T00:00:00Z"},
            {"role": "b", "group": "outer"},
            {"role": "b", "group": "inner"},
            {"role": "c", "group": "all"},
            {"role": "c", "subject": ALICE},
        ],
        "policies": [policy("p", roles=["a", "b", "c"]), policy("q", roles=["a", "b"])],
    }
    found = explained(tmp_path, document)
    assert [(row["id"], row["path"], row["held_by"]) for row in found["candidates"]] == [
        ("p", "role", {"role": "c"}),
        ("q", "group", {"role": "b", "group": "inner"}),
    ]
    assert (found["lacking"], "truncated" in found) == ([], False)


def test_the_excluded_are_named_with_the_roles_that_they_leave_out(tmp_path, monkeypatch):
    """Both effects are listed, the highest priority first, and an excluded policy is not lacking too (D10, P6)."""
    roles = [{"id": id} for id in ("a", "b", "c", "x")]
    policies = [
        policy("one", roles=["a"], except_roles=["b", "c"]),
        policy("two", roles=["x"], except_roles=["a"]),
        policy("three", effect="DENY", priority=1, except_roles=["b", "a", "x"]),
        policy("four", roles=["x"]),
        policy("five", except_roles=["c"]),
    ]
    assigned = [{"role": role, "subject": ALICE} for role in ("a", "b")]
    document = {"roles": roles, "policies": policies, "assignments": assigned}
    found = explained(tmp_path, document)
    assert [row["id"] for row in found["candidates"]] == ["five"]
    assert found["lacking"] == [{"id": "four", "roles": ["x"]}]
    assert found["excluded"] == [
        {"id": "three", "roles": ["a", "b"]},
        {"id": "one", "roles": ["b"]},
        {"id": "two", "roles": ["a"]},
    ]
    monkeypatch.setattr(explain, "MOST_LACKING", 2)
    cut = explained(tmp_path, document)
    assert ([row["id"] for row in cut["excluded"]], cut["truncated"]) == (["three", "one"], True)


def test_a_model_without_exceptions_excludes_nothing(tmp_path):
    assert explained(tmp_path, {"policies": [policy("p")]}).keys() == {"candidates", "lacking"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("compared", [{"value": 5}, {"value_of": "context.b"}])
def test_a_number_that_json_has_not_is_refused(tmp_path, value, compared):
    """A test takes it, but no proof can show it, and no number is beside it (C7)."""
    conditions = {"resource_attrs": [{"key": "a", "op": "eq", **compared}]}
    document = {"resource_types": TYPES, "extensions": ["references"], "policies": [policy("p", conditions=conditions)]}
    engine = engine_for(document, tmp_path / "m.bundle")
    for request, path in (
        (asked(a=value) | {"context": {"b": 1}}, "$.resource.properties.a"),
        (asked(a=1) | {"context": {"b": value}}, "$.context.b"),
    ):
        if path.startswith("$.context") and "value" in compared:
            continue  # no condition reads it
        for ask in (engine.decide, engine.why_not):
            with pytest.raises(BadRequest, match="NaN") as found:
                ask(request, 0.0)
            assert found.value.path == path


def test_a_number_that_json_has_not_is_not_shown_in_an_array(tmp_path):
    found = explained(tmp_path, {"policies": [policy("p", **comparing([1]))]}, a=[float("nan")])
    (shown,) = found["candidates"][0]["conditions"]
    assert (shown["actual"], shown["actual_cut"]) == ("", True)
