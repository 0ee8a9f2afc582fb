"""Finds the attribute that the key of a condition reads (rules C1, C2, E6)."""

from collections.abc import Mapping, Sequence

from .values import PRESENT, Json

OWN_KEYS = frozenset({"id", "type"})
"""Keys that read an entity's own id or type, never an attribute with that name (E6)."""

ENTITY_SECTIONS = frozenset({"subject_attrs", "resource_attrs"})
"""The sections of entities, which have a type and an id. Actions and contexts are not entities (E6)."""


def reads_own_key(section: str, key: str) -> bool:
    """Returns whether `key` in `section` reads the entity's own `id` or `type` (E6)."""
    return key in OWN_KEYS and section in ENTITY_SECTIONS


def steps_of(key: str) -> tuple[str, ...]:
    """Returns the names of a dotted key. The result is empty for a key without a dot (C1)."""
    return tuple(key.split(".")) if "." in key else ()


def read(attributes: Mapping[str, Json], key: str, steps: Sequence[str]) -> Json:
    """Returns the value of the attribute that `key` names, or None if it is missing or null (C1, C2).

    It first looks for an attribute with the whole key as its name. Then it follows the path `steps`, which is
    `steps_of(key)`. If the path leads through a value that is not an object, the attribute is missing (C7). If it leads
    through a value that JSON has not, such as a tuple, that value is returned: the caller must refuse it.

    >>> read({"a.b": 1, "a": {"b": 2}}, "a.b", steps_of("a.b")), read({"a": {"b": 2}}, "a.b", steps_of("a.b"))
    (1, 2)
    """
    whole = attributes.get(key)
    if whole is not None or not steps:
        return whole
    value: Json = attributes
    for step in steps:
        if not isinstance(value, dict):
            return None if isinstance(value, PRESENT) else value
        value = value.get(step)
    return value
