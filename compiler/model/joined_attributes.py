"""Joins the declared attributes of several documents."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...bundles.wording import Path
from .elements import AttributeType, DeclaredAttributes, Key


class Declaration(NamedTuple):
    """The declared type of one attribute. `path` starts at the object of declared attributes."""

    path: Path
    kind: AttributeType


def declarations(declared: DeclaredAttributes) -> Iterator[Declaration]:
    """Yields the declaration of each attribute, in the order of the document."""
    for type, attributes in (declared.subject or {}).items():
        yield from _of(attributes, ("subject", type))
    yield from _of(declared.context or {}, ("context",))
    yield from _of(declared.action or {}, ("action",))


def joined_attributes(declared: Iterable[DeclaredAttributes]) -> DeclaredAttributes | None:
    """Returns the declarations together, or None if there are none. Of two for one attribute, the later one counts.

    >>> joined_attributes([DeclaredAttributes(context={"mfa": "boolean"}), DeclaredAttributes(action={"at": "string"})])
    DeclaredAttributes(subject=None, context={'mfa': 'boolean'}, action={'at': 'string'})
    """
    found = None
    for one in declared:
        found = one if found is None else _both(found, one)
    return found


def _both(one: DeclaredAttributes, other: DeclaredAttributes) -> DeclaredAttributes:
    types = {**(one.subject or {}), **(other.subject or {})}
    subject = {type: {**(one.subject or {}).get(type, {}), **(other.subject or {}).get(type, {})} for type in types}
    return DeclaredAttributes(
        None if one.subject is None and other.subject is None else subject,
        _united(one.context, other.context),
        _united(one.action, other.action),
    )


def _united(
    one: dict[Key, AttributeType] | None, other: dict[Key, AttributeType] | None
) -> dict[Key, AttributeType] | None:
    return one if other is None else {**(one or {}), **other}


def _of(attributes: Mapping[Key, AttributeType], path: Path) -> Iterator[Declaration]:
    return (Declaration((*path, key), kind) for key, kind in attributes.items())
