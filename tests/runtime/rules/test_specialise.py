"""Specialised programs are cached, share the rules for everyone, and are bounded."""

import pytest
from writ.bundles.file.reader import open_bundle
from writ.bundles.file.rule_index import RuleIndex, decode_rules, encode_index
from writ.runtime import BundleError, Engine
from writ.runtime.decisions import proof
from writ.runtime.limits import CacheLimits

from tests.bundles.crafting import crafted
from tests.support.bundling import bundle_file

TYPE = {"id": "document", "actions": ["read"]}
READ = [{"resource_type_id": "document", "actions": ["read"]}]


def project_policy(number, **more):
    conditions = {"resource_attrs": [{"key": "project", "op": "eq", "value": number}]}
    return {"id": f"p{number:02}", "effect": "ALLOW", "resource_types": READ, "conditions": conditions, **more}


@pytest.fixture
def bundle(tmp_path):
    """Forty rules for everyone, one for each of nine roles, nine subjects with a role each."""
    document = {
        "resource_types": [TYPE],
        "roles": [{"id": f"r{n}"} for n in range(9)],
        "assignments": [{"role": f"r{n}", "subject": {"type": "user", "id": f"u{n}"}} for n in range(9)],
        "policies": [
            *(project_policy(n) for n in range(40)),
            *(project_policy(50 + n, roles=[f"r{n}"], priority=n) for n in range(9)),
        ],
    }
    return open_bundle(bundle_file(document, tmp_path / "model.bundle"))


def asked(number, project, **more):
    return {
        "subject": {"type": "user", "id": f"u{number}"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d", "properties": {"project": project}},
        **more,
    }


def specialised_of(engine, number):
    engine.decide(asked(number, 0))
    snapshot = engine._snapshot
    return snapshot.rules.cached(snapshot.holders["user"][f"u{number}"].roles, "document", "read")


def test_many_rules_for_everyone_are_one_object_for_all(bundle):
    engine = Engine(bundle)
    first, second = specialised_of(engine, 0), specialised_of(engine, 1)
    assert len(first.parts) == len(second.parts) == 2
    assert first.parts[0] is second.parts[0]
    assert first.weight == second.weight == 1
    assert len(first.allows) == 41


def test_shared_and_own_rules_are_reported_in_one_order(bundle):
    """D8: the priority, wherever the rule lies."""
    engine = Engine(bundle)
    assert [rule.clause.policy for rule in specialised_of(engine, 8).allows][:2] == ["p58", "p00"]
    for number, project, reported in ((8, 58, "p58"), (8, 3, "p03"), (0, 50, "p50"), (0, 0, "p00"), (0, 51, None)):
        assert engine.decide(asked(number, project))["context"].get("policy_id") == reported


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_the_rules_in_all_specialisations_are_bounded(bundle, limit):
    engine = Engine(bundle, limits=CacheLimits(specialised_rules=limit))
    for number in (*range(9), *range(9)):
        assert engine.decide(asked(number, 50 + number))["decision"] is True
        cached = [
            specialised
            for rules in engine._snapshot.rules.types.values()
            for by_roles in rules.specialised.values()
            for specialised in by_roles.values()
        ]
        assert sum(specialised.weight for specialised in cached) <= max(limit, 1), (
            "one may be too large for the limit alone"
        )


def test_a_proof_of_many_policies_shows_those_that_hold_and_the_first_others(bundle, monkeypatch):
    """D10."""
    monkeypatch.setattr(proof, "MOST_CANDIDATES", 3)
    shown = Engine(bundle).decide(asked(0, 39, options={"explain": True}))["context"]["explanation"]
    assert [(row["id"], row["holds"]) for row in shown["candidates"]] == [("p50", False), ("p00", False), ("p39", True)]
    assert shown["truncated"] is True


def moved_index(change):
    """Changes the index of (type, action) as an author of crafted bundles would; every checksum is right."""

    def changed(entries):
        return [
            (key, encode_index(change(decode_rules(value)))) if not key.endswith(b":") else (key, value)
            for key, value in entries
        ]

    return {"rules": changed}


@pytest.mark.parametrize(
    "change",
    [
        lambda index: RuleIndex((*index.everyone, *index.by_role[0]), {}),
        lambda index: RuleIndex(index.everyone, {1: index.by_role[0]}),
        lambda index: RuleIndex((), {1: index.everyone}),
    ],
    ids=["a role's rule for everyone", "a role's rule for another role", "a rule for everyone for a role"],
)
def test_an_index_that_gives_a_rule_to_others_is_damage(tmp_path, change):
    """P2: never a grant by it."""
    document = {
        "resource_types": [TYPE],
        "roles": [{"id": "editor"}, {"id": "reader"}],
        "assignments": [{"role": "reader", "subject": {"type": "user", "id": "u0"}}],
        "policies": [
            {"id": "p", "effect": "ALLOW", "roles": ["editor"], "resource_types": READ},
            {**project_policy(1)},
        ],
    }
    engine = Engine.open(crafted(document, tmp_path / "model.bundle", moved_index(change)))
    with pytest.raises(BundleError, match="its index names a clause"):
        engine.decide(asked(0, 2))
