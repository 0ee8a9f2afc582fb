"""Declarations of the context that require some attributes, made to fit the conditions that compare them (C12)."""

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
    """Declare what conditions compare of the context, most of it required. Those that fit no declaration go."""
    for policy in document.get("policies", ()):
        if policy["effect"] == "DENY" and pick.chance(1, 2):
            section = policy.setdefault("conditions", {}).setdefault("context_attrs", [])
            section.append(attribute_condition(pick, "context_attrs"))
    kinds: dict[str, Any] = {}
    for section, conditions in sections_of(document):
        conditions[:] = [one for one in conditions if declare(pick, kinds, section, one)]
    declared = {key: stated(pick, kind) for key, kind in kinds.items() if key not in GATES or pick.chance(1, 2)}
    if pick.chance(1, 4):
        declared["unread"] = stated(pick, "string")
    document["attributes"] = {**document.get("attributes", {}), "context": shortened(pick, declared)}


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


def sections_of(document: Row) -> Iterator[tuple[str, list[Row]]]:
    """Each list of comparisons of a model, and its section."""
    for policy in document.get("policies", ()):
        for section in SECTIONS:
            if section in policy.get("conditions", {}):
                yield section, policy["conditions"][section]


def declare(pick: Pick, kinds: dict[str, Any], section: str, condition: Row) -> bool:
    """Choose a kind for the attribute of the context that a condition compares. Returns whether there is one."""
    source, _, referred = condition.get("value_of", "").partition(".")
    if section != "context_attrs" and source != "context":
        return True
    key = condition["key"] if section == "context_attrs" else referred
    fitting = [kind for kind in KINDS if fits(kind, condition, is_left=section == "context_attrs")]
    if key not in kinds and fitting:
        kinds[key] = pick.one(fitting)
    return kinds.get(key) in fitting


def fits(kind: str, condition: Row, *, is_left: bool) -> bool:
    """Returns whether a condition may compare an attribute of a kind, or refer to it."""
    op = Operator(condition["op"])
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
