"""Larger models: what small ones never reach, such as indexes, long lists of grants and deep groups."""

import copy
from typing import Any

from writ.bundles.file.fact_records import LISTED_GRANTS

from tests.deep.moments import moment
from tests.deep.trial import INDEXED_FROM
from tests.support.strategies import document, grant, policy, resource_types, unequal
from tests.support.strategies_instants import near_edge
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request
from tests.support.strategies_required import require
from tests.support.strategies_values import RESOURCE_IDS, SUBJECT_IDS, SUBJECT_TYPES

Document = dict[str, Any]
CHANGED = ("policies", "grants", "assignments", "groups")


def larger_models(pick: Pick, count: int) -> list[Document]:
    """A large model, and others that differ from the one before in some elements."""
    found = [larger_model(pick)]
    while len(found) < count:
        found.append(changed(pick, found[-1]))
    return found


def larger_questions(pick: Pick, model: Document, count: int) -> list[tuple[Document, float]]:
    """Questions that lean towards what the model speaks of."""
    return [(request(pick, model), moment(pick, model, near_edge(pick))) for _ in range(count)]


def larger_model(pick: Pick) -> Document:
    """A small model with many more elements of each kind."""
    model = document(pick)
    model.pop("attributes", None)
    types = model.get("resource_types") or resource_types(pick) or [{"id": "doc", "actions": ["read"]}]
    for type_ in types:
        type_.pop("attributes", None)  # conditions are checked against what is declared
    roles = [*model.get("roles", []), *({"id": f"role {number}"} for number in range(pick.number(3, 12)))]
    names = [role["id"] for role in roles]
    model |= {"resource_types": types, "roles": roles}
    model["policies"] = model.get("policies", []) + [
        policy(pick, f"more {number:03}", types, names) for number in range(pick.number(10, 60))
    ]
    model["policies"] += alike(pick, types, names)
    model["groups"] = model.get("groups", []) + nested_groups(pick)
    ids = [group["id"] for group in model["groups"]]
    model["grants"] = unequal(model.get("grants", []) + many_grants(pick, types, ids))
    given = many_assignments(pick, names, model["groups"])
    model["assignments"] = unequal(model.get("assignments", []) + given)
    if pick.chance(1, 3):
        require(pick, model)
    return model


def alike(pick: Pick, types: list[Document], roles: list[str]) -> list[Document]:
    """More policies than an index begins at, each for another value of one attribute; some with a second condition."""
    section, key = pick.one(("resource_attrs", "subject_attrs", "context_attrs")), pick.one(("a", "a.b", "id"))
    count = pick.number(INDEXED_FROM - 2, 3 * INDEXED_FROM) if pick.chance(3, 4) else 0
    found = [policy(pick, f"alike {number:03}", types, roles) for number in range(count)]
    for number, one in enumerate(found):
        value = pick.one((number, f"{number}", "a", "d", 1, 1.5, True))
        first = {"key": key, "op": "eq", "value": value}
        if pick.chance(1, 4):
            first = {"key": key, "op": "in", "value": [value, number + 1, "b"]}
        conditions = one.get("conditions", {}) if pick.chance(1, 3) else {}
        one["conditions"] = conditions | {section: [first, *conditions.get(section, [])]}
        one["resource_types"] = [{"resource_type_id": types[0]["id"], "actions": ["*"]}]
    return found


def nested_groups(pick: Pick) -> list[Document]:
    """A chain of groups with members anywhere, and some links back."""
    found: list[Document] = []
    for number in range(pick.number(0, 20)):
        members: list[Document] = [{"group": f"deep {number - 1}"}] if number else []
        if pick.chance(1, 3):
            members.append({"type": pick.one(SUBJECT_TYPES), "id": pick.one(SUBJECT_IDS)})
        found.append({"id": f"deep {number}", "members": members})
    if found and pick.chance(1, 3):
        found[0]["members"].append({"group": pick.one(found)["id"]})
    return [group if group["members"] else {"id": group["id"]} for group in found]


def many_grants(pick: Pick, types: list[Document], groups: list[str]) -> list[Document]:
    """Grants around the count up to which a holder's are listed, and several of one holder on one resource."""
    subject = {"subject": {"type": pick.one(SUBJECT_TYPES), "id": pick.one(SUBJECT_IDS)}}
    holder = {"group": pick.one(groups)} if groups and pick.chance(1, 2) else subject
    found: list[Document] = []
    for number in range(pick.one((0, LISTED_GRANTS - 1, LISTED_GRANTS, LISTED_GRANTS + 1, 3 * LISTED_GRANTS))):
        one = grant(pick, f"grant {number:03}", types, groups)
        one = {name: value for name, value in one.items() if name not in ("subject", "group")} | holder
        other = {"type": one["resource"]["type"], "id": f"resource {number}"}
        found.append(one if pick.chance(1, 4) else one | {"resource": other})
    return found


def many_assignments(pick: Pick, roles: list[str], groups: list[Document]) -> list[Document]:
    """Roles for subjects and for groups."""
    found: list[Document] = []
    for number in range(pick.number(0, 15)):
        row: Document = {"id": f"assigned {number}", "role": pick.one(roles)}
        if groups and pick.chance(1, 2):
            row["group"] = pick.one(groups)["id"]
        else:
            row["subject"] = {"type": pick.one(SUBJECT_TYPES), "id": pick.one(SUBJECT_IDS)}
        found.append(row)
    return found


def changed(pick: Pick, model: Document) -> Document:
    """The model without some elements, and with some others in an order of their own or switched."""
    found = copy.deepcopy(model)
    for name in CHANGED:
        rows = found.get(name, [])
        if name != "groups":  # others refer to these
            rows = [row for row in rows if not pick.chance(1, 8)]
        found[name] = rows
    for one in found["policies"]:
        if pick.chance(1, 10):
            one |= {"effect": "ALLOW", "priority": pick.number(-2, 2)}
        if pick.chance(1, 10):
            one["enabled"] = not one.get("enabled", True)
    for key, declared in found.get("attributes", {}).get("context", {}).items():
        if isinstance(declared, dict) and pick.chance(1, 4):
            found["attributes"]["context"][key] = declared | {"required": not declared.get("required")}
    for group in found["groups"]:
        if pick.chance(1, 6):
            group["members"] = [{"type": pick.one(SUBJECT_TYPES), "id": pick.one(SUBJECT_IDS)}]
    for one in found["grants"]:
        if pick.chance(1, 10):
            one["resource"] = {"type": one["resource"]["type"], "id": pick.one(RESOURCE_IDS)}
    found["grants"] = unequal(found["grants"])
    return found
