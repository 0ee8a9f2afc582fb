"""Edits of single elements of a model, each of a kind that may change who may do what."""

import copy
from collections.abc import Callable
from typing import Any, Final

from tests.support.strategies import actions, grant, members, policy, span
from tests.support.strategies_pick import Pick
from tests.support.strategies_references import SECTIONS, refer
from tests.support.strategies_values import SUBJECT_IDS, SUBJECT_TYPES, constant

Document = dict[str, Any]


def with_edits(document: Document, seed: int) -> tuple[Document, list[str]]:
    """A document with up to three edits, and their names. It need not be valid."""
    pick, found, done = Pick.seeded(seed), copy.deepcopy(document), []
    for _ in range(pick.number(1, 3)):
        name = pick.one(tuple(EDITS))
        EDITS[name](pick, found)
        done.append(name)
    return found, done


def add_policy(pick: Pick, document: Document) -> None:
    """One more policy."""
    ids = [one["id"] for one in document.get("roles", [])]
    document.setdefault("policies", []).append(policy(pick, "one-more", document.get("resource_types", []), ids))


def change_roles(pick: Pick, document: Document) -> None:
    """Another `roles` or `except_roles` of a policy (P2)."""
    ids = [one["id"] for one in document.get("roles", [])]
    for row in some(pick, document, "policies"):
        given, excepted = (pick.some(ids, 0, 2) for _ in range(2))
        for name, roles in (("roles", given), ("except_roles", [one for one in excepted if one not in given])):
            row.pop(name, None)
            row |= {name: roles} if roles else {}


def change_covered(pick: Pick, document: Document) -> None:
    """Other actions of a policy (P1)."""
    for row in some(pick, document, "policies"):
        entry = pick_of(pick, row["resource_types"])
        types = document.get("resource_types", [])
        declared = [one["actions"] for one in types if one["id"] == entry["resource_type_id"]]
        entry["actions"] = actions(pick, declared[0] if declared else [])


def change_references(pick: Pick, document: Document) -> None:
    """Comparisons with references in place of constants, or constants in place of references (X1)."""
    rows = some(pick, document, "policies")
    if all("value" in condition for condition in comparisons(rows)):
        if refer(pick, rows):
            document["extensions"] = sorted({*document.get("extensions", []), "references"})
        return
    for condition in comparisons(rows):
        if condition.get("value_of", "now") != "now":
            del condition["value_of"]
            condition |= {"op": "eq", "value": pick.one(("a", 1, True))}


def change_comparisons(pick: Pick, document: Document) -> None:
    """Another operator of a comparison (C1)."""
    for condition in comparisons(some(pick, document, "policies")):
        pairs = {"eq": "ne", "ne": "eq", "gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt", "in": "nin", "nin": "in"}
        condition["op"] = pairs.get(condition["op"], condition["op"])


def change_members(pick: Pick, document: Document) -> None:
    """Other members of a group, groups too (P3)."""
    ids = [one["id"] for one in document.get("groups", [])]
    for row in some(pick, document, "groups"):
        row["members"] = members(pick, ids)


def change_terms(pick: Pick, document: Document) -> None:
    """Another start and end of an assignment or a grant (P4)."""
    for row in some(pick, document, pick.one(("assignments", "grants"))):
        for name in ("starts_at", "expires_at"):
            row.pop(name, None)
        row |= span(pick)


def add_assignment(pick: Pick, document: Document) -> None:
    """One more assignment, to a subject or a group."""
    for role in some(pick, document, "roles"):
        holder = {"subject": {"type": pick.one(SUBJECT_TYPES), "id": pick.one(SUBJECT_IDS)}}
        for group in some(pick, document, "groups") if pick.chance(1, 2) else ():
            holder = {"group": group["id"]}
        document.setdefault("assignments", []).append({"role": role["id"], "id": "one-more"} | holder)


def add_grant(pick: Pick, document: Document) -> None:
    """One more grant."""
    groups = [one["id"] for one in document.get("groups", [])]
    if document.get("resource_types"):
        document.setdefault("grants", []).append(grant(pick, "one-more", document["resource_types"], groups))


def close_type(pick: Pick, document: Document) -> None:
    """A type that is closed, or open again (D2)."""
    for row in some(pick, document, "resource_types"):
        row["closed"] = not row.get("closed", False)


def rename_type(pick: Pick, document: Document) -> None:
    """Another name of a type, by which requests ask (E7)."""
    for row in some(pick, document, "resource_types"):
        row["name"] = f"{row['id']}-renamed"


def change_actions(pick: Pick, document: Document) -> None:
    """One more action of a type."""
    for row in some(pick, document, "resource_types"):
        row["actions"] = [*dict.fromkeys([*row["actions"], pick.one(("read", "write", "fly"))])]


def change_required(pick: Pick, document: Document) -> None:
    """Attributes of the context that are required, or no more (C12)."""
    declared = document.setdefault("attributes", {}).setdefault("context", {})
    for key in declared or {}:
        if pick.chance(1, 2):
            kind = declared[key]["kind"] if isinstance(declared[key], dict) else declared[key]
            declared[key] = kind if isinstance(declared[key], dict) else {"kind": kind, "required": True}


def be_strict(pick: Pick, document: Document) -> None:
    """A model with strict requests, or without (E8)."""
    if document.pop("requests", None) is None:
        document["requests"] = "strict"


def change_enabled(pick: Pick, document: Document) -> None:
    """A policy that is switched off, or on again (P5)."""
    for row in some(pick, document, "policies"):
        row["enabled"] = not row.get("enabled", True)


def change_registered_attributes(pick: Pick, document: Document) -> None:
    """Another registered attribute of a subject or a resource, which searches read (E5)."""
    for row in some(pick, document, pick.one(("subjects", "resources"))):
        row["attributes"] = row.get("attributes", {}) | {pick.one(("a", "b", "a.b")): constant(pick)}


def swap_names(pick: Pick, document: Document) -> None:
    """A name or an external id that another entity of the same kind has from now on (E3)."""
    rows = document.get(pick.one(("subjects", "resources"))) or [{}]
    first, second, name = pick_of(pick, rows), pick_of(pick, rows), pick.one(("external_id", "name"))
    had = first.pop(name, None), second.pop(name, None)
    for row, given in zip((second, first), had, strict=True):
        row |= {} if given is None else {name: given}


def drop_route(pick: Pick, document: Document) -> None:
    """A route that goes."""
    for row in some(pick, document, "routes"):
        document["routes"].remove(row)


def drop_element(pick: Pick, document: Document) -> None:
    """A policy, an assignment, a grant or an entity that goes."""
    kind = pick.one(("policies", "assignments", "grants", "subjects", "resources"))
    for row in some(pick, document, kind):
        document[kind].remove(row)


def change_gates(pick: Pick, document: Document) -> None:
    """The conditions of another policy."""
    for row in some(pick, document, "policies"):
        other = pick_of(pick, document["policies"])
        row.pop("conditions", None)
        if other["effect"] == row["effect"] and "conditions" in other:
            row["conditions"] = copy.deepcopy(other["conditions"])


def some(pick: Pick, document: Document, kind: str) -> list[Document]:
    """One row of a kind, itself, or none."""
    rows = document.get(kind) or []
    return [pick_of(pick, rows)] if rows else []


def pick_of(pick: Pick, rows: list[Document]) -> Document:
    """One row itself: `Pick.one` gives copies."""
    return rows[pick.number(0, len(rows) - 1)]


def comparisons(policies: list[Document]) -> list[Document]:
    """All comparisons of some policies."""
    return [one for row in policies for section in SECTIONS for one in row.get("conditions", {}).get(section, [])]


EDITS: Final[dict[str, Callable[[Pick, Document], None]]] = {
    edit.__name__: edit
    for edit in (
        *(add_policy, change_roles, change_covered, change_references, change_comparisons, change_gates),
        *(change_members, change_terms, add_assignment, add_grant, close_type, rename_type, change_actions),
        *(change_required, be_strict, drop_route, drop_element, change_enabled, change_registered_attributes),
        swap_names,
    )
}
