"""Checks declarations: no attribute has two in documents that are joined, and listed values are of the type."""

from collections.abc import Iterator

from ...bundles.conditions.constants import list_elements
from ...bundles.declarations.kinds import is_of
from ...bundles.wording import Path, described, quoted
from ..diagnostics.diagnostic import Finding
from ..model.declared import Kinds, declaration_of
from ..model.elements import AttributeDeclaration, ElementKind
from ..model.joined_attributes import declarations, shown_declaration
from .conditions.constants import nulls, too_long_list
from .draft import Draft, is_placeholder


def check_declared_attributes(draft: Draft) -> Iterator[Finding]:
    """Finds attributes of subjects, of the context and of actions that an earlier document declares differently."""
    if draft.attributes is None:
        return
    first: dict[Path, tuple[Path, str]] = {}
    for index, declared in enumerate(draft.model.attributes):
        for one in declarations(declared):
            at: Path = (ElementKind.ATTRIBUTES, index, *one.path)
            shown = shown_declaration(one.declared)
            earlier, other = first.setdefault(one.path, (at, shown))
            if other != shown:
                message = f"{quoted(one.path[-1])} is declared as {shown} here, and as {other} in another document"
                yield Finding("attribute-conflict", message, at, see=earlier)


def check_declared_values(draft: Draft) -> Iterator[Finding]:
    """Finds empty and too long lists of values, nulls, and values of another type than declared."""
    limit = draft.limits.list_constant_elements
    for path, declared in declarations_of(draft):
        if declared.one_of is None or is_placeholder(declared.kind):
            continue
        at: Path = (*path, "one_of")
        if not declared.one_of:
            yield Finding("empty", "no value is among none, so no request could send the attribute", at, "leave it out")
        yield from too_long_list(list_elements(declared.one_of), at, limit)
        for place, value in enumerate(declared.one_of):
            yield from _misfit(declared, str(path[-1]), value, (*at, place))


def _misfit(declared: AttributeDeclaration, key: str, value: object, path: Path) -> Iterator[Finding]:
    found = [*nulls(value, path)]
    if found:
        yield from found
    elif declared.kind != "array" and not is_of(declared.kind, value):
        yield Finding("attribute-type", f"{quoted(key)} is declared as {declared.kind}, found {described(value)}", path)


def declarations_of(draft: Draft) -> Iterator[tuple[Path, AttributeDeclaration]]:
    """Yields the declaration of each attribute of a resource, a subject, the context or an action, and its path."""
    for index, type in enumerate(draft.model.resource_types):
        yield from _of(type.attributes or {}, ("resource_types", index, "attributes"))
    for index, declared in enumerate(draft.model.attributes):
        for one in declarations(declared):
            yield (ElementKind.ATTRIBUTES, index, *one.path), declaration_of(one.declared)


def _of(attributes: Kinds, path: Path) -> Iterator[tuple[Path, AttributeDeclaration]]:
    return (((*path, key), declaration_of(declared)) for key, declared in attributes.items())
