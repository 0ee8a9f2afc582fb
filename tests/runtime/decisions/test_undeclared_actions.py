"""A denial because the type does not declare the action says so, and its code stays that of D5 or D6."""

import pytest
from writ.runtime.rules.reasons import NO_ACTION, NO_TYPE

from tests.support.bundling import engine_for

ALICE, BOB, CAROL = ({"type": "user", "id": id} for id in ("alice", "bob", "carol"))
MODEL = {
    "resource_types": [
        {"id": "document", "actions": ["read", "write"]},
        {"id": "vault", "actions": ["read"], "closed": True},
    ],
    "subjects": [CAROL],
    "roles": [{"id": "reader"}],
    "assignments": [{"role": "reader", "subject": ALICE}],
    "grants": [{"id": "g", "subject": BOB, "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}
COVERS_OTHERS = "what applies to the subject on this resource covers other actions, not this one"
NOTHING = "no policy and no grant applies to this subject, resource and action"


@pytest.mark.parametrize(
    ("subject", "action", "type", "code", "reason"),
    [
        (ALICE, "fly", "document", "ACTION_NOT_PERMITTED", NO_ACTION),
        (ALICE, "*", "document", "ACTION_NOT_PERMITTED", NO_ACTION),
        (ALICE, "write", "document", "ACTION_NOT_PERMITTED", COVERS_OTHERS),
        (BOB, "fly", "document", "ACTION_NOT_PERMITTED", NO_ACTION),
        (BOB, "write", "document", "ACTION_NOT_PERMITTED", COVERS_OTHERS),
        (CAROL, "fly", "document", "NO_POLICY_MATCH", NO_ACTION),
        (CAROL, "write", "document", "NO_POLICY_MATCH", NOTHING),
        (CAROL, "fly", "folder", "NO_POLICY_MATCH", NO_TYPE),
        (CAROL, "fly", "vault", "NO_POLICY_MATCH", "the resource type is closed and the resource is not registered"),
    ],
)
def test_the_reason_of_a_denial(tmp_path, subject, action, type, code, reason):
    """D5, D6, D10, E7, P1: cold and from the caches, with and without a proof."""
    engine = engine_for(MODEL, tmp_path / "model.bundle")
    asked = {"subject": subject, "action": {"name": action}, "resource": {"type": type, "id": "d1"}}
    expected = {"reason": reason, "reason_code": code, "access_path": "none"}
    for _ in range(2):
        assert engine.decide(asked) == {"decision": False, "context": expected}
        explained = engine.decide(asked | {"options": {"explain": True}})["context"]
        assert {name: explained[name] for name in expected} == expected


def test_a_search_gives_the_same_reason(tmp_path):
    engine = engine_for(MODEL, tmp_path / "model.bundle")
    search = {"subject": ALICE, "action": {"name": "fly"}, "resource": {"type": "document"}}
    assert engine.filter(search)["context"]["reason"] == NO_ACTION
