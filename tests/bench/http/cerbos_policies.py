"""The model of a company as Cerbos policies: one resource policy for each type, with a rule for each of its policies.

Cerbos stores no people, so a request brings the subject's roles. A request has no context of its own, so the context
goes with the principal's attributes.
"""

import json

from tests.bench.http.rego import opened
from tests.bench.models import Document

ALL, OPENED = "default", "opened"
"""The versions of the policies: all policies, and those of open filters."""

_EVERYBODY = ["*"]
_OWNERS = {"subject_attrs": "P.attr", "resource_attrs": "R.attr", "context_attrs": "P.attr.context"}
_OPERATORS = {"eq": "==", "gte": ">=", "in": "in"}


def policy_files(document: Document) -> dict[str, str]:
    """Returns the policy files by name."""
    found = {}
    for version, policies in ((ALL, document["policies"]), (OPENED, opened(document["policies"]))):
        for type in (row["id"] for row in document["resource_types"]):
            found[f"{version}_{type}.json"] = json.dumps(_resource_policy(type, version, policies))
    return found


def _resource_policy(type: str, version: str, policies: list[Document]) -> Document:
    scopes = ((row, scope) for row in policies for scope in row["resource_types"])
    rules = [_rule(row, scope) for row, scope in scopes if scope["resource_type_id"] == type]
    return {
        "apiVersion": "api.cerbos.dev/v1",
        "resourcePolicy": {"resource": type, "version": version, "rules": rules},
    }


def _rule(policy: Document, scope: Document) -> Document:
    tests = [_test(_OWNERS[name], row) for name, rows in policy["conditions"].items() for row in rows]
    roles = policy.get("roles", _EVERYBODY)
    if policy["effect"] == "DENY" and roles != _EVERYBODY:
        # Cerbos lets the ALLOW of one role win over the DENY of another. Only a DENY for everybody denies.
        tests.insert(0, f"hasIntersection(P.roles, {json.dumps(roles)})")
        roles = _EVERYBODY
    rule = {
        "name": policy["id"],
        "actions": scope["actions"],
        "effect": f"EFFECT_{policy['effect']}",
        "roles": roles,
    }
    return rule | ({"condition": {"match": {"all": {"of": [{"expr": test} for test in tests]}}}} if tests else {})


def _test(owner: str, condition: Document) -> str:
    return f"{owner}.{condition['key']} {_OPERATORS[condition['op']]} {json.dumps(condition['value'])}"
