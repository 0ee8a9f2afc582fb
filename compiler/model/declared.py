"""Reads the declaration of an attribute, which a model may write as a type alone."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from .elements import AttributeDeclaration, AttributeType, Declared, DeclaredAttributes, Key

Kinds: TypeAlias = Mapping[Key, Declared]
"""The declarations of attributes, by key."""


def declaration_of(declared: Declared) -> AttributeDeclaration:
    """Returns the declaration of an attribute in its long form.

    >>> declaration_of("string")
    AttributeDeclaration(kind='string', one_of=None, required=False)
    """
    return declared if isinstance(declared, AttributeDeclaration) else AttributeDeclaration(declared)


def type_of(declared: Declared) -> AttributeType:
    """Returns the declared type of an attribute."""
    return declared.kind if isinstance(declared, AttributeDeclaration) else declared


def is_required(declared: Declared) -> bool:
    """Returns whether each request has to send an attribute (C12, E8)."""
    return isinstance(declared, AttributeDeclaration) and declared.required


def required_keys(declared: Iterable[DeclaredAttributes]) -> tuple[Key, ...]:
    """Returns the attributes of the context that each request has to send, in order (C12)."""
    return tuple(sorted({key for one in declared for key, kind in (one.context or {}).items() if is_required(kind)}))


def types_of(declared: Kinds) -> dict[Key, AttributeType]:
    """Returns the declared types of attributes, by key."""
    return {key: type_of(one) for key, one in declared.items()}
