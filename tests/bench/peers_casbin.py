"""The same model for casbin: one enforcer for each type and action, whose policies are rules over attributes (ABAC).

Rules are texts that casbin evaluates for every request; its ABAC has no other way to give each policy its conditions.
A subject comes with the roles that it holds, groups followed already, which is faster than asking a role manager.
"""

import json
from collections.abc import Callable
from typing import Any

from casbin import Enforcer, Model

from tests.bench.models import Document, covers

MODEL = """
[request_definition]
r = sub, obj, ctx

[policy_definition]
p = rule, eft

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = eval(p.rule)
"""
NOTHING = ["False", "allow"]
"""A policy that never holds: casbin does not answer from rules where there are none."""

SECTIONS = {"subject_attrs": "r.sub", "resource_attrs": "r.obj", "context_attrs": "r.ctx"}

Prepared = tuple[Enforcer, "Attributes", "Attributes", "Attributes"]


class Attributes:
    """Attributes by name, None where there is none of that name."""

    def __init__(self, values: dict[str, Any]):
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> None:
        return None


class Casbin:
    """Decides requests by enforcers made when a type and action are first asked for."""

    def __init__(self, document: Document, roles: Callable[[Document], list[str]]):
        """`roles` gives the roles of a subject."""
        self._policies, self._roles = document["policies"], roles
        self._enforcers: dict[tuple[str, str], Enforcer] = {}
        self._held: dict[str, list[str]] = {}

    def decide(self, request: Document) -> bool:
        """From the same dictionary that Writ gets."""
        return decide_prepared(*self.prepare(request))

    def prepare(self, request: Document) -> Prepared:
        """Everything that could be made before the request comes, were it known already."""
        subject = request["subject"]
        held = self._held.get(subject["id"])
        if held is None:
            held = self._held[subject["id"]] = self._roles(subject)
        return (
            self._enforcer(request),
            Attributes({**subject["properties"], "roles": held}),
            Attributes(request["resource"]["properties"]),
            Attributes(request["context"]),
        )

    def _enforcer(self, request: Document) -> Enforcer:
        key = request["resource"]["type"], request["action"]["name"]
        enforcer = self._enforcers.get(key)
        if enforcer is None:
            model = Model()
            model.load_model_from_text(MODEL)
            enforcer = self._enforcers[key] = Enforcer(model, enable_log=False)
            rows = [[_rule(row), row["effect"].lower()] for row in self._policies if covers(row, *key)]
            enforcer.model["p"]["p"].policy.extend(rows or [NOTHING])
        return enforcer


def decide_prepared(enforcer: Enforcer, subject: Attributes, resource: Attributes, context: Attributes) -> bool:
    """What is left to do for a prepared request."""
    return bool(enforcer.enforce(subject, resource, context))


def _rule(row: Document) -> str:
    """One policy's conditions as a text; its roles come first."""
    roles = " || ".join(f"{json.dumps(role)} in r.sub.roles" for role in row.get("roles", []))
    tests = [f"({roles})"] if roles else []
    for section, conditions in row.get("conditions", {}).items():
        tests += [_test(f"{SECTIONS[section]}.{condition['key']}", condition) for condition in conditions]
    return " && ".join(tests) or "True"


def _test(attribute: str, condition: Document) -> str:
    value = condition["value"]
    match condition["op"]:
        case "eq":
            return f"{attribute} == {value!r}"
        case "gte":
            return f"{attribute} != None && {attribute} >= {value!r}"
        case "in":
            return f"{attribute} in {value!r}"
    raise ValueError(f"unknown operator `{condition['op']}`")
