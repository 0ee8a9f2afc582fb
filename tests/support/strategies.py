"""Hypothesis strategies for hostile models, and with them those for requests and instants.

Read on in `strategies_conditions.py`, `strategies_requests.py`, `strategies_instants.py` and, for the
alphabets and values, `strategies_values.py`; all choose through `strategies_pick.py`.
"""

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st
from writ.compiler.model.elements import LISTS, SINGLE_MEMBERS

from tests.support.oracle_instants import instant
from tests.support.strategies_arrays import of_elements
from tests.support.strategies_conditions import conditions
from tests.support.strategies_instants import instants, model_instant, near_edge
from tests.support.strategies_now import compare_with_now
from tests.support.strategies_pick import Pick
from tests.support.strategies_references import refer
from tests.support.strategies_requests import request, requests
from tests.support.strategies_required import require
from tests.support.strategies_values import (
    ACTIONS,
    ALIASES,
    GROUPS,
    POLICY_IDS,
    RESOURCE_IDS,
    ROLES,
    SUBJECT_IDS,
    SUBJECT_TYPES,
    TYPE_IDS,
    TYPE_NAMES,
    constant,
)

__all__ = ["cases", "documents", "instants", "requests", "seeded_case"]

Row = dict[str, Any]


@st.composite
def documents(draw: st.DrawFn) -> Row:
    """A valid model document, small, with names that swap ids, cycles, expiries and all kinds of conditions."""
    return document(Pick.drawn(draw))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Row, Row, float]:
    """A (document, request, now) that fit together."""
    return case(Pick.drawn(draw))


def seeded_case(seed: int) -> tuple[Row, Row, float]:
    """The same (document, request, now) for the same seed: for runs too long for hypothesis."""
    return case(Pick.seeded(seed))


def case(pick: Pick) -> tuple[Row, Row, float]:
    """A case as `cases` gives it."""
    model = document(pick)
    return model, request(pick, model), near_edge(pick)


def document(pick: Pick) -> Row:
    """A model document as `documents` gives it."""
    types, roles, groups = resource_types(pick), named(pick, ROLES), named(pick, GROUPS)
    type_ids, role_ids, group_ids = ([row["id"] for row in rows] for rows in (types, roles, groups))
    for group in groups:
        group |= pick.member(4, 5, "members", members(pick, group_ids))
    found = {
        "resource_types": types,
        "roles": roles,
        "groups": groups,
        "subjects": listed(pick, SUBJECT_TYPES, SUBJECT_IDS, ("external_id",)),
        "resources": listed(pick, type_ids, RESOURCE_IDS, ("external_id", "name")),
        "assignments": assignments(pick, role_ids, group_ids),
        "grants": unequal([grant(pick, id_, types, group_ids) for id_ in pick.some(POLICY_IDS, 0, 4 if types else 0)]),
        "policies": [policy(pick, id_, types, role_ids) for id_ in pick.some(POLICY_IDS, 0, 6)],
        "routes": [route(pick, f"r{number}", types) for number in range(pick.number(0, 4) if types else 0)],
    }
    used = ["arrays"] * (pick.chance(1, 3) and of_elements(pick, found["policies"]))
    used += ["references"] * (pick.chance(1, 3) and refer(pick, found["policies"]))
    used += ["now"] * (pick.chance(1, 4) and compare_with_now(pick, found))
    extensions = {"extensions": used} if used else {}
    if pick.chance(1, 2):
        declare_attributes(pick, found)
    if pick.chance(1, 4):
        require(pick, found)
    return {"model": 1} | extensions | {name: rows for name, rows in found.items() if rows or pick.chance(1, 2)}


def filled_lists(document: Row) -> list[str]:
    """The lists of elements that a document has, without the empty ones and without what is one member."""
    return [name for name, rows in document.items() if name in LISTS and name not in SINGLE_MEMBERS and rows]


def resource_types(pick: Pick) -> list[Row]:
    """Up to four types, mostly one or two; a type may bear the id of another as its name (E7)."""
    ids = pick.some(TYPE_IDS, *(pick.one(((1, 2), (1, 2), (1, 2), (1, 2), (2, 4), (2, 4), (0, 3)))))
    pool = pick.one((ids, ids, [*TYPE_NAMES, *ids[:1]]))
    names = pick.some(pool, len(ids), len(ids))
    return [
        {"id": id_, "actions": pick.some(ACTIONS, 1, 3)}
        | ({"name": name} if name != id_ else pick.member(1, 2, "name", name))
        | pick.member(1, 3, "closed", pick.chance(1, 2))
        for id_, name in zip(ids, names, strict=True)
    ]


def named(pick: Pick, ids: Sequence[str]) -> list[Row]:
    """Some of `ids`, all with names or none; the names are the ids, in another order perhaps."""
    found = pick.some(ids, pick.one((1, 1, 0)), len(ids))
    names = pick.some(found, len(found), len(found))
    if pick.chance(1, 2):
        return [{"id": id_} for id_ in found]
    return [{"id": id_, "name": name} for id_, name in zip(found, names, strict=True)]


def reference(pick: Pick, types: Sequence[str], ids: Sequence[str]) -> Row:
    """A (type, id)."""
    return {"type": pick.one(types), "id": pick.one(ids)}


def members(pick: Pick, groups: list[str]) -> list[Row]:
    """Members of a group: subjects and groups, itself too, so that cycles are common (P3)."""
    subjects = [{"type": type_, "id": id_} for type_ in SUBJECT_TYPES for id_ in SUBJECT_IDS]
    return pick.some(subjects, 0, 2) + [{"group": group} for group in pick.some(groups, 0, 2)]


def listed(pick: Pick, types: Sequence[str], ids: Sequence[str], aliases: tuple[str, ...]) -> list[Row]:
    """Registered entities, their aliases unique within a type (E1)."""
    keys = [{"type": type_, "id": id_} for type_ in types for id_ in ids]
    entities = pick.some(keys, 0, 3)
    for alias in aliases:
        for entity, name in zip(entities, pick.some(ALIASES, 3, 3), strict=False):
            entity |= pick.member(1, 2, alias, name)
    for entity in entities:
        attributes = {key: constant(pick) for key in pick.some(("a", "b", "a.b"), 0, 2)}
        entity |= pick.member(1, 2, "attributes", attributes)
    return entities


def assignments(pick: Pick, roles: list[str], groups: list[str]) -> list[Row]:
    """Roles given to subjects and groups, some with a start or an end; the id is optional (P2, P4)."""
    found: list[Row] = []
    for number in range(pick.number(0, 5) if roles else 0):
        to_group = groups and pick.chance(1, 2)
        row = {"role": pick.one(roles)}
        row |= {"group": pick.one(groups)} if to_group else {"subject": reference(pick, SUBJECT_TYPES, SUBJECT_IDS)}
        row |= span(pick)
        found.append(row | pick.member(1, 2, "id", f"n{number}"))
    return unequal(found)


def grant(pick: Pick, id_: str, types: list[Row], groups: list[str]) -> Row:
    """A direct grant, not begun or expired perhaps; it has an id, since the oracle makes none (P4, P7)."""
    type_, to_group = pick.one(types), groups and pick.chance(1, 3)
    holder = {"group": pick.one(groups)} if to_group else {"subject": reference(pick, SUBJECT_TYPES, SUBJECT_IDS)}
    return {
        "id": id_,
        **holder,
        "resource": {"type": type_["id"], "id": pick.one(RESOURCE_IDS)},
        "actions": actions(pick, type_["actions"]),
    } | span(pick)


def unequal(facts: Sequence[Row]) -> list[Row]:
    """The grants, or the assignments, without those that equal an earlier one (P8, P9)."""
    found: list[Row] = []
    seen = []
    for row in facts:
        times = [name in row and instant(row[name]) for name in ("starts_at", "expires_at")]
        holder = row.get("subject") or row["group"]
        content = (holder, row.get("role"), row.get("resource"), set(row.get("actions", ())), times)
        if content not in seen:
            seen.append(content)
            found.append(row)
    return found


def span(pick: Pick) -> Row:
    """Perhaps a start, perhaps an end after it; starts and ends are often the same instants (P4)."""
    found = pick.member(1, 3, "expires_at", model_instant(pick))
    start = pick.member(1, 3, "starts_at", model_instant(pick))
    if found and start and instant(start["starts_at"]) >= instant(found["expires_at"]):
        found["expires_at"], start["starts_at"] = start["starts_at"], found["expires_at"]
        if instant(start["starts_at"]) == instant(found["expires_at"]):
            return found
    return start | found


def actions(pick: Pick, declared: list[str]) -> list[str]:
    """Some declared actions, or `*`, alone or among them (P1)."""
    return pick.some([*declared, "*"], 1, 2) if declared else ["*"]


def policy(pick: Pick, id_: str, types: list[Row], roles: list[str]) -> Row:
    """One policy: everyone's or a few roles', on named types or `*`, with or without conditions (P1, P2, P5)."""
    effect = pick.one(("ALLOW", "ALLOW", "DENY"))
    found: Row = {"id": id_, "effect": effect}
    found["resource_types"] = [covered(pick, types) for _ in range(pick.number(1, 2))]
    found |= pick.member(1, 2, "priority", pick.number(-1, 2))
    found |= pick.member(1, 4, "enabled", pick.chance(1, 2))
    found |= pick.member(1, 4, "name", f"policy {id_}") | pick.member(1, 4, "description", "why \U0001f600")
    if roles and pick.chance(2, 3):
        found["roles"] = pick.some(roles, 1, 2)
    others = [role for role in roles if role not in found.get("roles", ())]
    if others and pick.chance(1, 4):
        found["except_roles"] = pick.some(others, 1, 2)
    if pick.chance(2, 3):
        found["conditions"] = conditions(pick, effect)
    return found


MARKED: Final = "r1"
"""The route that is for requests without a credential, too."""


def route(pick: Pick, id_: str, types: list[Row]) -> Row:
    """A route on a declared type and action; its paths, hosts and methods often meet those of others."""
    type_ = pick.one(types)
    path = pick.one(("/a/{id}", "/{id}/b", "/a/b", "/{x}/{id}", "/a/*", "/"))
    found: Row = {"id": id_, "methods": pick.one((["GET"], ["*"], ["POST", "GET"])), "path": path}
    found |= {"resource_type": type_["id"], "action": pick.one(type_["actions"])}
    found |= pick.member(1, 3, "hosts", pick.one((["a.example"], ["*.example", "b.example"])))
    if "{id}" not in path or pick.chance(1, 3):
        found[pick.one(("resource_id", "external_id"))] = pick.one(("main", "doc-{id}" if "{id}" in path else "other"))
    found |= pick.member(1, 3, "attributes", {"a": pick.one(("query:page", "header:X-Page"))})
    return found | ({"anonymous": True} if id_ == MARKED else {})  # without a draw, which would change all later ones


def covered(pick: Pick, types: list[Row]) -> Row:
    """One entry of `resource_types`; under `*` an action need be declared by some type only (P1)."""
    if types and pick.chance(3, 4):
        type_ = pick.one(types)
        return {"resource_type_id": type_["id"], "actions": actions(pick, type_["actions"])}
    declared = sorted({action for type_ in types for action in type_["actions"]})
    return {"resource_type_id": "*", "actions": actions(pick, declared)}


DECLARED: Final = (
    "object",
    "instant",
    {"kind": "object", "required": True},
    {"kind": "string", "one_of": ["b", "a", "b"]},
    {"kind": "array", "one_of": [1, 1.0, True, "a"], "required": False},
)
"""Declarations of an attribute, in their short and their long form."""


def declare_attributes(pick: Pick, document: Row) -> None:
    """Declare an attribute on every type that no condition looks at: conditions are checked against it."""
    looked_at = {
        entry["resource_type_id"]
        for policy in document["policies"]
        if policy.get("conditions", {}).get("resource_attrs")
        for entry in policy["resource_types"]
    }
    for type_ in document["resource_types"]:
        if not {"*", type_["id"]} & looked_at:
            type_["attributes"] = {"declared": pick.one(DECLARED)}
