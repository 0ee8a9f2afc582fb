"""Hypothesis strategy for valid evaluation requests that lean towards what a model speaks of."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.support.strategies_arrays import array_near
from tests.support.strategies_conditions import SECTIONS
from tests.support.strategies_instants import context_time
from tests.support.strategies_now import instant_text, now_comparisons_of
from tests.support.strategies_pick import Pick
from tests.support.strategies_references import OPS_OF_ELEMENTS, references_of, without_depth
from tests.support.strategies_required import lacking, misfitting
from tests.support.strategies_values import (
    ACTIONS,
    ALIASES,
    GROUPS,
    KEYS,
    LOOK_ALIKES,
    PATTERNS,
    RESOURCE_IDS,
    ROLES,
    SUBJECT_IDS,
    SUBJECT_TYPES,
    TEXTS,
    attribute_value,
)

Row = dict[str, Any]

STRANGE_IDS = ("z", "A", "a ", "\x00", "\ud800", "\U0001f600", "x" * 512)
ADDRESSES: tuple[Any, ...] = (
    "10.0.0.1",
    "10.0.0.1",
    "10.255.255.255",
    "11.0.0.0",
    "::ffff:10.0.0.1",
    "::FFFF:a00:1",
    "0:0:0:0:0:ffff:10.0.0.2",
    "::10.0.0.1",
    "::1",
    "2001:DB8::1",
    "2001:db9::",
)
UNREADABLE_ADDRESSES: tuple[Any, ...] = (
    "",
    "10.0.0",
    "010.0.0.1",
    "10.0.0.1/32",
    " 10.0.0.1",
    "10.0.0.1\n",
    "10.0.0.1:80",
    "256.0.0.1",
    "0x0a000001",
    "\uff11\uff10.0.0.1",
    "[::1]",
    "::1%",
    "fe80::1%eth0",
    "::ffff:10.0.0.1%1",
    "\ud800",
    167772161,
    1.5,
    True,
    False,
    [],
    ["10.0.0.1"],
    {},
)


WAYS = ("whole", "path", "null and path", "whole and null")


@st.composite
def requests(draw: st.DrawFn, document: Row) -> Row:
    """A valid evaluation request, mostly about one policy or grant of the document (E1-E7)."""
    return request(Pick.drawn(draw), document)


def request(pick: Pick, document: Row) -> Row:
    """A request as `requests` gives it; a subject's `name` and an action's `attributes` mean nothing (E2, E4)."""
    rows = [*document.get("policies", []), *document.get("grants", [])]
    focus = pick.one(rows) if rows else {}
    type_ = a_type(pick, document, focus)
    sent = sent_attributes(pick, document, focus)
    found = {
        "subject": a_subject(pick, document, focus) | carried(pick, sent["subject_attrs"]),
        "action": {"name": an_action(pick, focus, type_)},
        "resource": {"type": type_.get("name", type_["id"])} | a_resource(pick, document, type_["id"], focus),
    }
    found["subject"] |= pick.member(1, 8, "name", "a")
    properties = misfitting(pick, document, "action", sent["action_attrs"])
    found["action"] |= {pick.one(("properties",) * 7 + ("attributes",)): properties or None}
    found["resource"] |= carried(pick, sent["resource_attrs"])
    found |= context(pick, misfitting(pick, document, "context", lacking(pick, document, sent["context_attrs"])))
    if "extensions" in document:  # a filter refuses values of many levels
        for bag in (found["subject"], found["action"], found, found["resource"]):
            for member in ("attributes", "properties", "context"):
                if member in bag:
                    bag[member] = without_depth(bag[member])
    return found | pick.member(1, 5, "unknown", [None])


def a_type(pick: Pick, document: Row, focus: Row) -> Row:
    """A declared type, mostly of the focus; now and then one known by its id only, or not at all (E7)."""
    types = document.get("resource_types", [])
    if not types or pick.chance(1, 20):
        return {"id": pick.one(["ghost", "*", *(t["id"] for t in types)]), "actions": list(ACTIONS)}
    entries = focus.get("resource_types", [{"resource_type_id": focus.get("resource", {}).get("type")}])
    wanted = {entry["resource_type_id"] for entry in entries}
    fitting = [t for t in types if t["id"] in wanted or "*" in wanted]
    return pick.one(fitting if fitting and pick.chance(7, 8) else types)


def an_action(pick: Pick, focus: Row, type_: Row) -> str:
    """An action of the focus, another of the type, or one that nobody declares (P1)."""
    if pick.chance(1, 12):
        return pick.one(("ghost", "*"))
    named = {action for entry in focus.get("resource_types", [focus]) for action in entry.get("actions", [])}
    fitting = [action for action in type_["actions"] if action in named or "*" in named]
    return pick.one(fitting if fitting and pick.chance(4, 5) else type_["actions"])


def a_subject(pick: Pick, document: Row, focus: Row) -> Row:
    """A subject of the focus, one with an alias, any other or a stranger, named one way (E2, E3)."""
    wanted = [focus["subject"]] if "subject" in focus else holders(document, focus.get("roles", ROLES))
    aliased = [s for s in document.get("subjects", []) if "external_id" in s]
    close = [s for s in aliased if {"type": s["type"], "id": s["id"]} in wanted]
    if wanted and pick.chance(3, 4):
        entity = pick.one(wanted)
        return {"type": entity["type"]} | named_once(pick, "id", entity["id"], ("external_id",))
    if pick.chance(1, 2):
        entity = pick.one(close or aliased or [{"type": "user", "external_id": "x"}])
        alias = entity["external_id"] if pick.chance(3, 4) else pick.one(ALIASES)
        return {"type": entity["type"]} | named_once(pick, "external_id", alias, ("id",))
    id_ = pick.one(SUBJECT_IDS if pick.chance(2, 3) else STRANGE_IDS)
    return {"type": pick.one(SUBJECT_TYPES)} | named_once(pick, "id", id_, ("external_id",))


def holders(document: Row, roles: Sequence[str]) -> list[Row]:
    """The subjects that are assigned one of the roles, or sit in some group, which may have been."""
    found = [a["subject"] for a in document.get("assignments", []) if "subject" in a and a["role"] in roles]
    return found + [
        member for group in document.get("groups", []) for member in group.get("members", []) if "group" not in member
    ]


def a_resource(pick: Pick, document: Row, type_id: str, focus: Row) -> Row:
    """One identifier of a resource: the focus's, a registered one's, or a stranger's (E2, E3)."""
    member = pick.one(("id", "id", "external_id", "name"))
    others = tuple(other for other in ("id", "external_id", "name") if other != member)
    registered = [r for r in document.get("resources", []) if r["type"] == type_id and member in r]
    if "resource" in focus and pick.chance(3, 4):
        return named_once(pick, "id", focus["resource"]["id"], ("external_id", "name"))
    if registered and pick.chance(2, 3):
        return named_once(pick, member, pick.one(registered)[member], others)
    pool = RESOURCE_IDS if member == "id" else ALIASES
    return named_once(pick, member, pick.one(pool if pick.chance(3, 4) else STRANGE_IDS), others)


def named_once(pick: Pick, member: str, value: str, others: tuple[str, ...]) -> Row:
    """Exactly one identifier; another is missing, null or empty (E2)."""
    return pick.member(1, 4, pick.one(others), pick.one((None, ""))) | {member: value}


def carried(pick: Pick, attributes: Row) -> Row:
    """The attributes as `attributes`, `properties` or both, which then overlap (E4)."""
    kind = pick.one(("properties", "properties", "attributes", "both", "hidden", "nothing"))
    if kind == "both":
        below = {key: attribute_value(pick) for key in pick.some([*KEYS, *attributes], 1, 2)}
        return {"attributes": below, "properties": attributes}
    if kind == "hidden":
        nulls = dict.fromkeys(pick.some(list(attributes), 0, 2))
        return {"attributes": attributes, "properties": nulls or None}
    return {} if kind == "nothing" else {kind: attributes}


def context(pick: Pick, attributes: Row) -> Row:
    """A context with a time and an address, mostly readable; or none at all (C8, C9)."""
    if pick.chance(1, 8):
        return pick.one(({}, {"context": {}}, {"context": None}))
    found: Row = {}
    if pick.chance(1, 2):
        found["time"] = context_time(pick) if pick.chance(9, 10) else None
    for member in pick.one((("ip",), ("ip",), ("ip_address",), ("ip", "ip_address"), ())):
        found[member] = pick.one(pick.one((ADDRESSES, ADDRESSES, ADDRESSES, UNREADABLE_ADDRESSES, (None,))))
    return {"context": found | attributes}


def sent_attributes(pick: Pick, document: Row, focus: Row) -> dict[str, Row]:
    """For each section the attributes to send: with an eye on the focus, or on every policy."""
    policies = [focus] if pick.chance(1, 2) else document.get("policies", [])
    sent = {
        section: attributes(
            pick, [c for p in policies for c in p.get("conditions", {}).get(section, []) if "value_of" not in c]
        )
        for section in SECTIONS
    }
    for policy in policies:
        for section, condition in references_of(policy):
            place_both(pick, sent, section, condition)
        for section, condition in now_comparisons_of(policy):
            if pick.chance(7, 8):
                value = attribute_value(pick) if pick.chance(1, 8) else instant_text(pick)
                place(sent[section], condition["key"], value, pick.one(WAYS))
    return sent


def place_both(pick: Pick, sent: dict[str, Row], section: str, condition: Row) -> None:
    """Put values under both keys of a comparison with a reference: often such that it holds (X2)."""
    value = pick.one(GROUPS) if condition["value_of"] == "subject.groups" else attribute_value(pick)
    source, _, key = condition["value_of"].partition(".")
    op = condition["op"]
    referred = [value, "z"] if op in ("in", "nin", "has_any", "has_none") and pick.chance(3, 4) else value
    if op in OPS_OF_ELEMENTS and pick.chance(5, 6):
        value = ["y", value] if pick.chance(1, 2) else [value]
    if pick.chance(7, 8):
        place(sent[section], condition["key"], value, pick.one(WAYS))
    if pick.chance(7, 8):
        beside_it = attribute_value(pick) if pick.chance(1, 4) else referred
        place(sent[f"{source}_attrs"], key, beside_it, pick.one(WAYS))


def attributes(pick: Pick, conditions: list[Row]) -> Row:
    """Attributes that mostly meet the conditions, under whole and dotted keys, and some noise (C1, C2)."""
    found = {pick.one((*KEYS, "", "\ud800")): attribute_value(pick)} if pick.chance(1, 4) else {}
    for condition in conditions:
        if pick.chance(7, 8):
            place(found, condition["key"], answer(pick, condition), pick.one(WAYS))
    return found


def place(found: Row, key: str, value: Any, way: str) -> None:
    """Put a value under `key` as one name or as a path, with a null in the other place perhaps (C1, C2)."""
    first, *rest = key.split(".")
    if way == "whole" or not rest:
        found[key] = value
        return
    path_value = None if way == "whole and null" else value
    for step in reversed(rest):
        path_value = {step: path_value}
    found[first] = path_value
    if way != "path":
        found[key] = None if way == "null and path" else value


def answer(pick: Pick, condition: Row) -> Any:
    """A value at or beside what the operator compares with, or anything (C3-C6)."""
    op, constant = condition["op"], condition["value"]
    if pick.chance(1, 5):
        return attribute_value(pick)
    if op == "regex":
        matching = PATTERNS.get(constant, "a")  # of a pattern that another strategy drew, none is known
        return pick.one((matching, *TEXTS[:8])) if pick.chance(1, 2) else matching
    if op in OPS_OF_ELEMENTS:
        return array_near(pick, condition)
    if constant == []:
        return pick.one(TEXTS)
    if op in ("in", "nin"):
        return pick.one(constant if op == "in" else [*constant, *TEXTS])
    if op in ("eq", "ne"):
        twin = float(constant) if isinstance(constant, int) and abs(constant) < 2**1000 else constant
        others = (constant, twin) if op == "eq" else TEXTS[:3]
        return pick.one((constant, pick.one(LOOK_ALIKES), *others))
    return beside(pick, "above" if op in ("gt", "gte") else "below", constant)


def beside(pick: Pick, side: str, constant: Any) -> Any:
    """The constant itself, or a number or string next to it, mostly on that side (C4)."""
    if isinstance(constant, str):
        sides = {"above": constant + "\x00", "below": constant[:-1]}
    else:
        sides = {"above": constant + 1, "below": constant - 1}
    return pick.one((sides[side], sides[side], constant, sides["below"], sides["above"]))
