"""A policy that is checked by itself has the errors that it has in its whole model, and warnings of its own."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.check_policy import CheckedPolicy, check_policy
from writ.compiler.load import load
from writ.compiler.model.elements import Element, Model, Policy
from writ.compiler.source import Source

from tests.support.hostile import damaged
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

ZONES = zone_names()
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"], "attributes": {"status": "string"}}],
    "roles": [{"id": "editor"}],
    "attributes": {"context": {"mfa": "boolean"}},
}


def model_of(body: Mapping[str, Any]) -> Model:
    model = load([Source("m.json", json.dumps(body).encode())], ZONES).model
    assert model is not None
    return model


def checked(text: str, body: Mapping[str, Any] = MODEL) -> CheckedPolicy:
    return check_policy(Source("policy.writ", text.encode()), declared_by(model_of(body)), ZONES)


def declared_by(model: Model) -> Any:
    def declared(_policy: Policy, _every: bool) -> Mapping[str, Sequence[Element]]:
        return {
            "resource_types": model.resource_types,
            "roles": model.roles,
            "attributes": model.attributes,
            "extensions": model.extensions,
            "lints": model.lints,
        }

    return declared


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("policy p\n    allow edtor to read document", "unknown-role", (2, 11)),
        ("policy p\n    allow editor to write document", "unknown-action", (2, 21)),
        ("policy p\n    allow editor to read dokument", "unknown-type", (2, 26)),
        ("policy p\n    allow editor to read document\n    when resource.size > 3", "unknown-attribute", (3, 10)),
        ("policy p\n    allow editor to read document\n    when resource.status > 3", "attribute-type", (3, 28)),
        ("policy p\n    allow editor to read document\n    when context.mfa is 3", "attribute-type", (3, 25)),
        ("policy p\n    allow editor to", "syntax", (2, 18)),
    ],
)
def test_an_error_has_its_place_in_the_text(text: str, code: str, place: tuple[int, int]) -> None:
    found = checked(text)
    assert not found.is_sound
    assert [(one.code, one.severity) for one in found.diagnostics] == [(code, "error")]
    (one,) = found.diagnostics
    assert (one.line, one.column) == place


def test_a_sound_policy_is_returned_with_its_warnings_unless_they_are_silenced() -> None:
    text = "policy p\n    allow everyone to read document"
    found = checked(text)
    assert found.is_sound
    assert found.policy is not None
    assert (found.policy.id, [one.code for one in found.diagnostics]) == ("p", ["allow-everyone"])
    silent = MODEL | {"lints": [{"code": "allow-everyone", "on": ["p"], "reason": "a test"}]}
    assert checked(text, silent).diagnostics == ()


@pytest.mark.parametrize("text", ["", "role r", "policy p\n allow x to y z\nrole r", "# only a comment"])
def test_what_is_not_one_policy_is_none(text: str) -> None:
    assert checked(text).policy is None


def test_the_errors_are_those_of_the_whole_model() -> None:
    """A law, over random models in which one policy has faults."""
    faulty = 0
    for seed in range(90):
        pick = Pick.seeded(seed)
        body = document(pick)
        model = model_of(body)
        if not body.get("policies"):
            continue
        place = pick.number(0, len(body["policies"]) - 1)
        policy = body["policies"][place]
        if pick.chance(3, 4):
            policy = damaged(pick, policy)
        if not isinstance(policy, dict):
            continue
        try:
            alone = json.dumps({"model": 1, "policies": [policy]}).encode()
        except (TypeError, ValueError):
            continue  # JSON can't have it
        whole = body | {"policies": [policy]}
        found = check_policy(Source("p.json", alone), declared_by(model), ZONES)
        expected = load([Source("p.json", json.dumps(whole).encode())], ZONES)
        errors = [(one.code, one.path, one.message) for one in found.diagnostics if one.severity == "error"]
        in_model = [
            (one.code, one.path, one.message)
            for one in expected.diagnostics
            if one.severity == "error" and one.path.startswith("$.policies")
        ]
        if found.policy is not None:
            assert sorted(errors) == sorted(in_model)
        else:  # it can't be read, so it was not checked further
            assert errors
            assert {*errors} <= {*in_model}
        faulty += bool(errors)
    assert faulty > 30
