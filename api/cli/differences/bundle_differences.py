"""Compares two bundles: types, roles, the rules of policies, routes, and what the manifests count."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from ....bundles.file.reader import Bundle
from ....bundles.program.text import show_clause, show_type
from ....compiler.language.words import STATEMENT_OF
from ....compiler.language.writing.compared_lines import compared, shown
from ....compiler.model.elements import ElementKind
from ...store.history.change_log import change_of
from ...store.history.route_orders import moved
from ...store.promotions.promotion import ElementDifference
from .comparison import Changed

NOT_COMPARED: Final = (
    "a bundle has rules, not documents: names and descriptions, policies that are not enabled, and the single groups, "
    "subjects, resources, assignments and grants are not compared; `manifest` has their number, and with `source` says "
    "whether anything differs"
)

_MEMBERS: Final = ("source", "counts", "tzdata", "extensions", "requests", "needs")
"""The members of a manifest that say what a model is. The others say where it comes from."""

_Bodies: TypeAlias = Mapping[str, dict[str, Any]]


def bundle_differences(old: Bundle, new: Bundle) -> Iterator[ElementDifference]:
    """Yields what was added, changed and removed from one bundle to another, and the routes that moved."""
    before, after = _elements(old), _elements(new)
    for kind in before:
        for id in sorted({*before[kind], *after[kind]}):
            was, now = before[kind].get(id), after[kind].get(id)
            if was != now:
                text = tuple(_text(f"{STATEMENT_OF[kind]} {id}", was, now))
                yield ElementDifference(kind, id, change_of(was, now), was, now, text)
    for id in sorted(moved(list(before[ElementKind.ROUTES]), list(after[ElementKind.ROUTES]))):
        body = after[ElementKind.ROUTES][id]
        text = tuple(_text(f"{STATEMENT_OF[ElementKind.ROUTES]} {id}", body, body))
        yield ElementDifference(ElementKind.ROUTES, id, "moved", body, body, text)


def manifest_differences(old: Bundle, new: Bundle) -> dict[str, Changed]:
    """Returns the members of the manifests that differ. Bundles of equal models have the same `source`."""
    pairs = {name: (getattr(old.manifest, name), getattr(new.manifest, name)) for name in _MEMBERS}
    return {name: Changed(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}


def _text(head: str, was: dict[str, Any] | None, now: dict[str, Any] | None) -> Iterator[str]:
    """Yields the lines of the rules of an element, or of its other members, below a line that names it."""
    before, after = ([] if body is None else [head, *_rules(body)] for body in (was, now))
    return shown([*compared(before, after)])


def _rules(body: dict[str, Any]) -> Iterator[str]:
    if "rules" in body:
        yield from (f"    {line}" for rule in body["rules"] for line in rule.split("\n"))
    else:
        told = ((name, value) for name, value in body.items() if name != "id" and value is not None)
        yield from (f"    {name}: {msgspec.json.encode(value).decode()}" for name, value in told)


def _elements(bundle: Bundle) -> dict[ElementKind, _Bodies]:
    program = bundle.program()
    policies: dict[str, dict[str, Any]] = {}
    for clause in program.clauses:
        policies.setdefault(clause.policy, {"rules": []})["rules"].append(show_clause(clause))
    return {
        ElementKind.RESOURCE_TYPES: {type.id: {"rules": [show_type(type)]} for type in program.types},
        ElementKind.ROLES: {role: {"id": role} for role in program.roles},
        ElementKind.POLICIES: policies,
        ElementKind.ROUTES: {route.id: route._asdict() for route in bundle.routing().routes},
    }
