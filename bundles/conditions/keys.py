"""Which attribute a condition's key reads (rules C1, C2, E6)."""

from collections.abc import Mapping, Sequence

from .values import Json

OWN_KEYS = frozenset({"id", "type"})
"""Keys that read an entity's own key, never an attribute of that name (E6)."""

ENTITY_SECTIONS = frozenset({"subject_attrs", "resource_attrs"})
"""Sections whose owner is keyed by (type, id). An action has neither, a context is no entity (E6)."""


def reads_own_key(section: str, key: str) -> bool:
    """Whether `key` in `section` reads the entity's own `id` or `type` (E6)."""
    return key in OWN_KEYS and section in ENTITY_SECTIONS


def steps_of(key: str) -> tuple[str, ...]:
    """The names along a dotted key; empty for a key that is one plain name (C1)."""
    return tuple(key.split(".")) if "." in key else ()


def read(attributes: Mapping[str, Json], key: str, steps: Sequence[str]) -> Json:
    """The attribute that `key` names, None where it is absent or null (C1, C2).

    The whole key is tried first as one name, then as a path; a path through a non-object is absent (C7).

    >>> read({"a.b": 1, "a": {"b": 2}}, "a.b", steps_of("a.b")), read({"a": {"b": 2}}, "a.b", steps_of("a.b"))
    (1, 2)
    """
    whole = attributes.get(key)
    if whole is not None or not steps:
        return whole
    value: Json = attributes
    for step in steps:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value
