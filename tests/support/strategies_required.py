"""Declarations of the context and of actions, made to fit the conditions that compare them (C12, C13)."""

from collections.abc import Iterator
from typing import Any

from writ.bundles.conditions.operators import OPERATORS, TAKES_LIST, ConstantKind, Operator
from writ.bundles.declarations.kinds import is_of

from tests.support.strategies_conditions import attribute_condition
from tests.support.strategies_pick import Pick
from tests.support.strategies_references import SECTIONS

Row = dict[str, Any]

KINDS = ("string", "number", "boolean", "instant", "array", "object")
GATES = ("time", "ip", "ip_address")
ORDERED = ("string", "number", "instant")
FREE = ("regex", "has", "has_any", "has_none")
"""Operators whose constants need not be of the attribute's type."""


def require(pick: Pick, document: Row) -> None:
    """Declare what conditions compare of the context, most of it required, and often what they compare of actions.

    Conditions that fit no declaration go.
    """
    for policy in document.get("policies", ()):
        if policy["effect"] == "DENY" and pick.chance(1, 2):
            section = policy.setdefault("conditions", {}).setdefault("context_attrs", [])
            section.append(attribute_condition(pick, "context_attrs"))
    owners = ("context", "action") if pick.chance(1, 2) else ("context",)
    kinds: dict[str, dict[str, Any]] = {owner: {} for owner in owners}
    for section, conditions in sections_of(document):
        conditions[:] = [one for one in conditions if declare(pick, kinds, section, one)]
    found = {name: of for name, of in document.get("attributes", {}).items() if name not in ("context", "action")}
    for owner, of in kinds.items():
        is_context = owner == "context"
        declared = {
            key: listed(pick, stated(pick, kind) if is_context else {"kind": kind}, constants(document, owner, key))
            for key, kind in of.items()
            if not is_context or key not in GATES or pick.chance(1, 2)
        }
        if pick.chance(1, 4):
            declared["unread"] = stated(pick, "string") if is_context else "string"
        found[owner] = shortened(pick, declared)
    document["attributes"] = found


def required_keys(document: Row) -> list[str]:
    """The attributes of the context that a model requires."""
    context = document.get("attributes", {}).get("context", {})
    return [key for key, one in context.items() if isinstance(one, dict) and one.get("required")]


def lacking(pick: Pick, document: Row, context: Row) -> Row:
    """A context that often lacks an attribute that the model requires, or has a null for it."""
    required = required_keys(document)
    if not required or pick.chance(1, 2):
        return context
    gone = pick.some(required, 1, len(required))
    return {
        key: None if key in gone else value for key, value in context.items() if key not in gone or pick.chance(1, 4)
    }


MISFITS: tuple[Any, ...] = ("x", "", 7, 500.5, True, False, [], ["a"], {}, {"b": 1}, "2027-01-31T09:00:00Z", None)


def misfitting(pick: Pick, document: Row, owner: str, bag: Row) -> Row:
    """A bag in which some declared attributes often have other values, or a path to them is blocked (C13)."""
    declared = [*(document.get("attributes", {}).get(owner) or {})]
    if not declared or pick.chance(1, 2):
        return bag
    found = dict(bag)
    for key in pick.some(declared, 1, min(3, len(declared))):
        found[key.split(".")[0] if pick.chance(1, 2) else key] = pick.one(MISFITS)
    return found


def constants(document: Row, owner: str, key: str) -> list[Any]:
    """The constants with which conditions compare an attribute."""
    found: list[Any] = []
    for section, conditions in sections_of(document):
        for one in conditions if section == f"{owner}_attrs" else ():
            if one["key"] == key and "value" in one:
                found += one["value"] if isinstance(one["value"], list) else [one["value"]]
    return found


def listed(pick: Pick, declared: Any, compared: list[Any]) -> Any:
    """A declaration, now and then with the only values that it allows."""
    long = declared if isinstance(declared, dict) else {"kind": declared}
    fitting = [one for one in compared if is_of(long["kind"], one)]
    if not fitting or len(fitting) < len(compared) or long["kind"] in ("object", "array") or pick.chance(3, 4):
        return declared
    return {**long, "one_of": fitting}


def sections_of(document: Row) -> Iterator[tuple[str, list[Row]]]:
    """Each list of comparisons of a model, and its section."""
    for policy in document.get("policies", ()):
        for section in SECTIONS:
            if section in policy.get("conditions", {}):
                yield section, policy["conditions"][section]


def declare(pick: Pick, kinds: dict[str, dict[str, Any]], section: str, condition: Row) -> bool:
    """Choose kinds for the attributes of declared owners that a condition compares. Returns whether they fit."""
    source, _, referred = condition.get("value_of", "").partition(".")
    for owner, key, is_left in ((section.removesuffix("_attrs"), condition["key"], True), (source, referred, False)):
        if owner in kinds:
            fitting = [kind for kind in KINDS if fits(kind, condition, is_left=is_left)]
            if key not in kinds[owner] and fitting:
                kinds[owner][key] = pick.one(fitting)
            if kinds[owner].get(key) not in fitting:
                return False
    left = kind_of_side(kinds, section.removesuffix("_attrs"), condition["key"])
    right = kind_of_side(kinds, source, referred)
    if (source, referred) == ("subject", "groups") and condition["op"] in ("in", "nin"):
        return left in (None, "string")
    return (
        condition["op"] in ("in", "nin", *FREE) or None in (left, right) or left == right
    )  # or they never compare (X2)


def kind_of_side(kinds: dict[str, dict[str, Any]], owner: str, key: str) -> str | None:
    """The kind of one side of a comparison, as far as it is known."""
    if owner in ("subject", "resource") and key in ("id", "type"):
        return "string"
    if owner == "subject" and key == "groups":
        return "array"
    return kinds.get(owner, {}).get(key)


def fits(kind: str, condition: Row, *, is_left: bool) -> bool:
    """Returns whether a condition may compare an attribute of a kind, or refer to it."""
    op = Operator(condition["op"])
    if other_kind(condition, is_left=is_left) not in (None, "string" if kind == "instant" else kind):
        return False
    if not is_left:
        if TAKES_LIST[op]:
            return kind == "array"
        return kind in ORDERED or OPERATORS[op].constant is not ConstantKind.ORDERED
    reads = OPERATORS[op].reads
    if reads is not None and kind not in reads:
        return False
    if op in FREE or "value_of" in condition:
        return True
    constants = condition["value"] if TAKES_LIST[op] else [condition["value"]]
    return all(is_of(kind, one) for one in constants)


def other_kind(condition: Row, *, is_left: bool) -> str | None:
    """The kind that a comparison with a text, such as an id, or with the groups asks for, or None (X2)."""
    op, text = Operator(condition["op"]), ("id", "type")
    if not is_left:
        return "string" if condition["key"] in text and not TAKES_LIST[op] else None
    if condition.get("value_of") == "subject.groups":
        return {"eq": "array", "ne": "array", "in": "string", "nin": "string"}.get(op)
    is_text = condition.get("value_of") in ("subject.id", "subject.type") and not TAKES_LIST[op]
    return "string" if is_text and op not in FREE else None


def stated(pick: Pick, kind: str) -> Any:
    """A declaration of a kind, mostly with `required`."""
    return pick.one(({"kind": kind, "required": True}, {"kind": kind, "required": True}, {"kind": kind}, kind))


def shortened(pick: Pick, declared: Row) -> Row:
    """The declarations, in which some paths are left to the object with their first name."""
    found = dict(declared)
    for key in declared:
        first, *rest = key.split(".")
        if all((first, *rest)) and rest and first not in declared and pick.chance(1, 3):
            del found[key]
            found[first] = stated(pick, "object")
    return found
