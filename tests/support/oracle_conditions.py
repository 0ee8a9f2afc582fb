"""The meaning of an attribute condition (C1-C7, E6, X1-X6)."""

from typing import Any

import re2
from writ.bundles.conditions.values import Unreadable

from tests.support.oracle_entities import Entity, Json, Question
from tests.support.oracle_instants import instant_of_request, text_instant

Result = tuple[str, str | None, str | None, bool]


def attribute_results(conditions: dict[str, Any], effect: str, asked: Question) -> list[Result]:
    """Each attribute condition as (section, key, op, whether it holds), in the order of the document."""
    return [
        (section, c["key"], c["op"], condition_holds(section, c, effect, asked))
        for section in ("resource_attrs", "subject_attrs", "action_attrs", "context_attrs")
        for c in conditions.get(section, [])
    ]


def condition_holds(section: str, condition: dict[str, Any], effect: str, asked: Question) -> bool:
    """Returns whether a comparison holds; where it reads what is not as declared, it holds in a DENY alone."""
    key, op = condition["key"], condition["op"]
    if any(is_unmet(asked, *other) for other in compared_keys(section, condition)):
        return effect == "DENY"
    value = attribute(section, key, asked)
    if isinstance(value, Unreadable):  # sent, and not of its type (C11)
        return effect == "DENY"
    if condition.get("value_of") == "now":
        return now_holds(op, value, effect, asked)
    if "value_of" not in condition:
        return compare(op, value, condition["value"])
    referred = value_of(condition["value_of"], asked)
    if value is not None and not can_be_compared(op, referred):
        return effect == "DENY"
    return compare(op, value, referred)


def now_holds(op: str, value: Json, effect: str, asked: Question) -> bool:
    """Returns whether an attribute compares so with the request's instant; what can't be read holds in a DENY (X5)."""
    if value is None:
        return False
    left, right = text_instant(value), instant_of_request(asked)
    return effect == "DENY" if left is None or right is None else in_order(op, left, right)


def compared_keys(section: str, condition: dict[str, Any]) -> list[tuple[str, str]]:
    """The attributes that a comparison reads, on either side, as (section, key) (C12, C13, X1)."""
    source, _, other = condition.get("value_of", "").partition(".")
    return [(section, condition["key"]), (f"{source}_attrs", other)]


def is_unmet(asked: Question, section: str, key: str) -> bool:
    """Returns whether a declared attribute that the key reads is lacking or can't be read (C12, C13)."""
    return any(
        not is_as_declared(asked.context if section == "context_attrs" else asked.action_properties, one, stated)
        for of, one, stated in asked.declared
        if of == section and (key == one or key.startswith(one + "."))
    )


def is_as_declared(attributes: dict[str, Json], key: str, stated: dict[str, Any]) -> bool:
    """Returns whether a declared attribute is there if it must be, of its kind and one of its values (C12, C13)."""
    value = read(attributes, key)
    if value is None:
        return not stated.get("required") and not is_blocked(attributes, key)
    if isinstance(value, Unreadable) or not is_of(stated["kind"], value):
        return False
    listed, elements = stated.get("one_of"), value if stated["kind"] == "array" else [value]
    return listed is None or all(any(same(one, other) for other in listed) for one in elements)


def misfits(asked: Question) -> bool:
    """Returns whether a request sends some declared attribute with another value than declared (C13)."""
    return any(
        not is_as_declared(bag, key, stated | {"required": False})
        for section, key, stated in asked.declared
        for bag in (asked.context if section == "context_attrs" else asked.action_properties,)
    )


def is_blocked(attributes: dict[str, Json], key: str) -> bool:
    """Returns whether the path of a key leads through a value that is there and is no object (C13)."""
    value: Json = attributes
    for step in key.split("."):
        if value is None:
            return False
        if not isinstance(value, dict):
            return True
        value = value.get(step)
    return False


def is_of(kind: str, value: Json) -> bool:
    """Returns whether a value is of a declared kind; an instant is a text that X5 reads."""
    if kind == "instant":
        return text_instant(value) is not None
    if kind == "number":
        return is_number(value)
    return isinstance(value, {"string": str, "boolean": bool, "array": list, "object": dict}[kind])


def value_of(text: str, asked: Question) -> Json:
    """Returns the value that a reference names; `subject.groups` are the subject's groups (X1)."""
    source, _, key = text.partition(".")
    return [*asked.groups] if text == "subject.groups" else attribute(f"{source}_attrs", key, asked)


def can_be_compared(op: str, referred: Json) -> bool:
    """Returns whether a referred value is there, and of a type that a constant may have (X2)."""
    if referred is None or isinstance(referred, Unreadable):
        return False
    if op in ("in", "nin", "has_any", "has_none"):
        return isinstance(referred, list)
    return op in ("eq", "ne", "has") or is_number(referred) or isinstance(referred, str)


def attribute(section: str, key: str, asked: Question) -> Json:
    """Returns the value that `key` reads in `section`, or None; an action and a context have no id or type (E6)."""
    if section == "action_attrs":
        return read(asked.action_properties, key)
    if section == "context_attrs":
        return read(asked.context, key)
    entity: Entity = asked.resource if section == "resource_attrs" else asked.subject
    if key == "id":
        return entity.id
    if key == "type":
        return entity.type
    return read(entity.attributes, key)


def read(attributes: dict[str, Json], key: str) -> Json:
    """The whole key as one name, else the path, one name a step; null is absent (C1, C2)."""
    if attributes.get(key) is not None:
        return attributes[key]
    value: Json = attributes
    for step in key.split("."):
        if isinstance(value, Unreadable):
            return value
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def compare(op: str, value: Json, constant: Json) -> bool:
    """Returns whether `value op constant`; false for an absent value, whatever the operator (C2-C7, X6)."""
    if value is None:
        return False
    match op:
        case "eq":
            return same(value, constant)
        case "ne":
            return not same(value, constant)
        case "in":
            return any(same(value, element) for element in constant)
        case "nin":
            return not any(same(value, element) for element in constant)
        case "regex":
            return found(constant, value)
        case "has":
            return isinstance(value, list) and any(same(element, constant) for element in value)
        case "has_any":
            return isinstance(value, list) and any(same(one, other) for one in value for other in constant)
        case "has_none":
            return isinstance(value, list) and not any(same(one, other) for one in value for other in constant)
    numbers = is_number(value) and is_number(constant)
    texts = isinstance(value, str) and isinstance(constant, str)
    return (numbers or texts) and in_order(op, value, constant)


def in_order(op: str, value: Any, constant: Any) -> bool:
    """Two numbers by value, or two strings by code point (C4)."""
    match op:
        case "gt":
            return bool(value > constant)
        case "gte":
            return bool(value >= constant)
        case "lt":
            return bool(value < constant)
        case "lte":
            return bool(value <= constant)
    raise ValueError(f"unknown operator `{op}`")


def same(left: Json, right: Json) -> bool:
    """Deep equality: integers and reals are one type, booleans no numbers, a null equals nothing (C3)."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return type(left) is type(right) and left is not None and bool(left == right)


def is_number(value: Json) -> bool:
    """Returns whether a JSON value is a number: a boolean is none (C3)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def found(pattern: str, value: Json) -> bool:
    """Returns whether the RE2 pattern occurs in a string; a lone surrogate is no text and can't be read (C6, C7)."""
    if not isinstance(value, str) or any("\ud800" <= character <= "\udfff" for character in value):
        return False
    return re2.search(pattern, value) is not None
