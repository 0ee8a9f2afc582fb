"""The same model for cedarpy: one policy set for each type and action, parsed once.

Entities are the request's principal and resource and nothing else: the principal's parents are the roles that it
holds, groups followed already. Entity ids are given as `{type, id}`, which cedarpy reads faster than Cedar's text form.
"""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec
from cedarpy import Entities, PolicySet, is_authorized

from tests.bench.models import Document, covers

SECTIONS = {"subject_attrs": "principal", "resource_attrs": "resource", "context_attrs": "context"}
OPERATORS = {"eq": "==", "gte": ">="}

Prepared = tuple[dict[str, Any], PolicySet, Entities]


class Cedar:
    """Decides requests by policy sets made when a type and action are first asked for."""

    def __init__(self, document: Document, roles: Callable[[Document], list[str]]):
        """`roles` gives the roles of a subject."""
        self._policies, self._roles = document["policies"], roles
        self._sets: dict[tuple[str, str], PolicySet] = {}
        self._parents: dict[str, list[Document]] = {}

    def decide(self, request: Document) -> bool:
        """From the same dictionary that Writ gets: its attributes become entities, which Cedar reads as JSON."""
        return is_authorized(_asked(request), self._set(request), self._entities(request)).allowed

    def decide_plainly(self, request: Document) -> bool:
        """The same as cedarpy's own examples do it: entities as a list, ids as Cedar text, context as a dictionary."""
        subject, action, resource = request["subject"], request["action"], request["resource"]
        asked = {
            "principal": f"{subject['type']}::{json.dumps(subject['id'])}",
            "action": f"Action::{json.dumps(action['name'])}",
            "resource": f"{resource['type']}::{json.dumps(resource['id'])}",
            "context": request["context"],
        }
        return is_authorized(asked, self._set(request), self._entity_list(request)).allowed

    def prepare(self, request: Document) -> Prepared:
        """Everything that could be made before the request comes, were it known already."""
        return _asked(request), self._set(request), Entities.from_json_str(self._entities(request))

    def decide_whole(self, request: Document) -> bool:
        """Without slices: one policy set of all policies."""
        return is_authorized(_asked(request), self._whole, self._entities(request)).allowed

    @cached_property
    def _whole(self) -> PolicySet:
        return PolicySet.from_str("\n".join(_policy(row, scope) for row in self._policies for scope in _scopes(row)))

    def _set(self, request: Document) -> PolicySet:
        key = request["resource"]["type"], request["action"]["name"]
        found = self._sets.get(key)
        if found is None:
            rows = (row for row in self._policies if covers(row, *key))
            found = self._sets[key] = PolicySet.from_str("\n".join(_policy(row, "action, resource") for row in rows))
        return found

    def _entities(self, request: Document) -> str:
        return msgspec.json.encode(self._entity_list(request)).decode()

    def _entity_list(self, request: Document) -> list[Document]:
        subject, resource = request["subject"], request["resource"]
        parents = self._parents.get(subject["id"])
        if parents is None:
            parents = self._parents[subject["id"]] = [{"type": "Role", "id": role} for role in self._roles(subject)]
        return [
            {"uid": _uid(subject), "attrs": subject["properties"], "parents": parents},
            {"uid": _uid(resource), "attrs": resource["properties"], "parents": []},
        ]


def decide_prepared(request: dict[str, Any], policies: PolicySet, entities: Entities) -> bool:
    """What is left to do for a prepared request."""
    return is_authorized(request, policies, entities).allowed


def _asked(request: Document) -> dict[str, Any]:
    return {
        "principal": _uid(request["subject"]),
        "action": {"type": "Action", "id": request["action"]["name"]},
        "resource": _uid(request["resource"]),
        "context": msgspec.json.encode(request["context"]).decode(),
    }


def _uid(entity: Document) -> Document:
    return {"type": entity["type"], "id": entity["id"]}


def _scopes(row: Document) -> list[str]:
    """The head of a policy in an unsliced set, for each type."""
    heads = []
    for scope in row["resource_types"]:
        actions = ", ".join(f'Action::"{action}"' for action in scope["actions"])
        some = "action" if "*" in scope["actions"] else f"action in [{actions}]"
        heads.append(f"{some}, resource is {scope['resource_type_id']}")
    return heads


def _policy(row: Document, scope: str) -> str:
    """One policy as Cedar text; a role alone goes into the head, where Cedar can tell at once that it does not fit."""
    roles = [f'Role::"{role}"' for role in row.get("roles", [])]
    tests = [f"principal in [{', '.join(roles)}]"] if len(roles) > 1 else []
    for section, conditions in row.get("conditions", {}).items():
        tests += [_test(SECTIONS[section], condition) for condition in conditions]
    effect = "permit" if row["effect"] == "ALLOW" else "forbid"
    principal = f"principal in {roles[0]}" if len(roles) == 1 else "principal"
    return f"{effect}({principal}, {scope}) when {{ {' && '.join(tests) or 'true'} }};"


def _test(owner: str, condition: Document) -> str:
    """An absent attribute is asked for first: reading one is an error in Cedar, which takes longer to report."""
    key, op, value = condition["key"], condition["op"], json.dumps(condition["value"])
    if op == "in":
        return f"{owner} has {key} && {value}.contains({owner}.{key})"
    return f"{owner} has {key} && {owner}.{key} {OPERATORS[op]} {value}"
