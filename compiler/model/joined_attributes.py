"""Joins the declared attributes of several documents."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from ...bundles.wording import Path
from .elements import AttributeType, ContextAttribute, DeclaredAttributes, Key

Kind = TypeVar("Kind", bound=AttributeType | ContextAttribute)


class Declaration(NamedTuple):
    """The declaration of one attribute. `path` starts at the object of declared attributes."""

    path: Path
    kind: AttributeType
    required: bool = False

    @property
    def shown(self) -> str:
        """The declaration in the words of the `.writ` language."""
        return f"{self.kind} required" if self.required else self.kind


def declarations(declared: DeclaredAttributes) -> Iterator[Declaration]:
    """Yields the declaration of each attribute, in the order of the document."""
    for type, attributes in (declared.subject or {}).items():
        yield from _of(attributes, ("subject", type))
    for key, kind in (declared.context or {}).items():
        yield Declaration(("context", key), type_of(kind), is_required(kind))
    yield from _of(declared.action or {}, ("action",))


def type_of(declared: AttributeType | ContextAttribute) -> AttributeType:
    """Returns the declared type of an attribute."""
    return declared.kind if isinstance(declared, ContextAttribute) else declared


def is_required(declared: AttributeType | ContextAttribute) -> bool:
    """Returns whether each request has to send an attribute of the context (C12)."""
    return isinstance(declared, ContextAttribute) and declared.required


def required_keys(declared: Iterable[DeclaredAttributes]) -> tuple[Key, ...]:
    """Returns the attributes of the context that each request has to send, in order (C12)."""
    return tuple(sorted({key for one in declared for key, kind in (one.context or {}).items() if is_required(kind)}))


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


def _united(one: dict[Key, Kind] | None, other: dict[Key, Kind] | None) -> dict[Key, Kind] | None:
    return one if other is None else {**(one or {}), **other}


def _of(attributes: Mapping[Key, AttributeType], path: Path) -> Iterator[Declaration]:
    return (Declaration((*path, key), kind) for key, kind in attributes.items())
