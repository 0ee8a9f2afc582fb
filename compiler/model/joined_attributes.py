"""Joins the declared attributes of several documents."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...bundles.wording import Path
from .declared import Kinds, declaration_of
from .elements import Declared, DeclaredAttributes, Key
from .normal_form import canonical_json


class Declaration(NamedTuple):
    """The declaration of one attribute. `path` starts at the object of declared attributes."""

    path: Path
    declared: Declared


def declarations(declared: DeclaredAttributes) -> Iterator[Declaration]:
    """Yields the declaration of each attribute, in the order of the document."""
    for type, attributes in (declared.subject or {}).items():
        yield from _of(attributes, ("subject", type))
    yield from _of(declared.context or {}, ("context",))
    yield from _of(declared.action or {}, ("action",))


def shown_declaration(declared: Declared) -> str:
    """Returns a declaration in the words of the `.writ` language. Equal texts are equal declarations.

    >>> from writ.compiler.model.elements import AttributeDeclaration
    >>> shown_declaration(AttributeDeclaration("string", ("b", "a"), required=True))
    'string required one of ["a","b"]'
    """
    stated = declaration_of(declared)
    words = [stated.kind, *(["required"] if stated.required else [])]
    if stated.one_of is not None:  # no check has seen the values, which may be of any type
        words.append(f"one of [{','.join(sorted({canonical_json(value).decode() for value in stated.one_of}))}]")
    return " ".join(words)


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


def _united(one: dict[Key, Declared] | None, other: dict[Key, Declared] | None) -> dict[Key, Declared] | None:
    return one if other is None else {**(one or {}), **other}


def _of(attributes: Kinds, path: Path) -> Iterator[Declaration]:
    return (Declaration((*path, key), declared) for key, declared in attributes.items())
