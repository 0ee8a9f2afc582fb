"""The model of a company as Rego, the way OPA's page on performance advises.

- A rule begins with the resource type and the action, compared with constants. OPA indexes these comparisons.
- All definitions of a rule have the same value, so that OPA stops at the first that holds.
- The roles of all subjects are base data, an object of objects. A rule looks a role up by its key.
- A batch calls functions. To change `input` for every item by `with` takes three times as long.
- Filters come from the rules over `input`. Partial evaluation of the functions takes ten times as long.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tests.bench.models import Document

MAIN = """package {package}

default decision := false

decision if permit

permit if {{
	allow
	not deny
}}
"""

BATCH = """package batch

decisions := [decide(item.resource.type, item.action.name, item.resource) | some item in input.evaluations]

decide(type, action, resource) if {
	allow(type, action, resource)
	not deny(type, action, resource)
} else := false
"""

AUTHORIZATION = """package system.authz

default allow := false

allow if data.keys[input.identity]
"""
"""OPA's own rule for who may call it: the bearers of the tokens in `data.keys`."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How rules name the parts of a request."""

    arguments: str
    type: str
    action: str
    resource: str


_RULES = _Form("", "input.resource.type", "input.action.name", "input.resource.properties")
_FUNCTIONS = _Form("(type, action, resource)", "type", "action", "resource.properties")
_OPERATORS = {"eq": "==", "gte": ">="}


def modules(document: Document) -> dict[str, str]:
    """Returns the Rego files by name. The package `opened` is for open filters."""
    policies, ungated = document["policies"], opened(document["policies"])
    return {
        "authorization.rego": AUTHORIZATION,
        "company.rego": "\n".join([MAIN.format(package="company"), *_all_rules(policies, _RULES)]),
        "opened.rego": "\n".join([MAIN.format(package="opened"), *_all_rules(ungated, _RULES)]),
        "batch.rego": "\n".join([BATCH, *_all_rules(policies, _FUNCTIONS)]),
    }


def data(document: Document, roles: Callable[[Document], list[str]], key: str) -> Document:
    """Returns the base data: the roles of each subject, and the one key that may call."""
    members = chain.from_iterable(group["members"] for group in document["groups"])
    assigned = (row["subject"] for row in document["assignments"] if "subject" in row)
    people = {person["id"]: person for person in chain(members, assigned) if "id" in person}
    holds = {id: dict.fromkeys(roles(person), True) for id, person in people.items()}
    return {"keys": {key: True}, "roles": holds}


def opened(policies: Iterable[Document]) -> list[Document]:
    """Returns the policies that an open filter is made of: no conditions on the context, and no DENY that has any."""
    return [
        policy | {"conditions": {name: rows for name, rows in policy["conditions"].items() if name != "context_attrs"}}
        for policy in policies
        if policy["effect"] == "ALLOW" or "context_attrs" not in policy["conditions"]
    ]


def _all_rules(policies: Iterable[Document], form: _Form) -> Iterator[str]:
    for policy in policies:
        for scope in policy["resource_types"]:
            yield from _rules(policy, scope, form)


def _rules(policy: Document, scope: Document, form: _Form) -> Iterator[str]:
    """Yields a policy's rules on a type, one for each of its roles."""
    owners = {
        "subject_attrs": "input.subject.properties",
        "resource_attrs": form.resource,
        "context_attrs": "input.context",
    }
    rule = "allow" if policy["effect"] == "ALLOW" else "deny"
    tests = [_test(owners[name], row) for name, rows in policy["conditions"].items() for row in rows]
    applies = [f'{form.type} == "{scope["resource_type_id"]}"']
    if "*" not in scope["actions"]:
        applies.append(_is_among(form.action, scope["actions"]))
    for role in policy.get("roles", [None]):
        holds = [] if role is None else [f"data.roles[input.subject.id].{role}"]
        body = "\n\t".join([*applies, *holds, *tests])
        yield f"{rule}{form.arguments} if {{\n\t{body}\n}}\n"


def _test(owner: str, condition: Document) -> str:
    asked, op, value = f"{owner}.{condition['key']}", condition["op"], condition["value"]
    return _is_among(asked, value) if op == "in" else f"{asked} {_OPERATORS[op]} {json.dumps(value)}"


def _is_among(asked: str, values: list[Any]) -> str:
    return f"{asked} == {json.dumps(values[0])}" if len(values) == 1 else f"{asked} in {{{json.dumps(values)[1:-1]}}}"
