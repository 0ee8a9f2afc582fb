"""Checks what a write left, by the compiler's own checks, against what the written elements refer to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ....bundles.zones import zone_names
from ....compiler.check_elements import ElementFault, check_elements
from ....compiler.documents.read_element import ReadElement, read_element
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import (
    Assignment,
    Element,
    ElementKind,
    Grant,
    Group,
    Policy,
    Resource,
    ResourceType,
    Role,
)
from ..errors import Fault, Rejected
from .bodies import decode_body, element_of
from .kinds import KINDS, Reference
from .nesting import nesting_faults
from .tables import TABLES
from .workspace import Change, Workspace

DECLARING = (ElementKind.RESOURCE_TYPES, ElementKind.ROLES, ElementKind.GROUPS)
"""The lists that others refer to by id."""

_SHORT: dict[ElementKind, Callable[[str], Element]] = {ElementKind.ROLES: Role, ElementKind.GROUPS: Group}
_EVERY_TYPE: Reference = (ElementKind.RESOURCE_TYPES, (EVERYTHING,))

MAX_NEAR = 10_000
"""Of more declared names than this no near one is looked for."""


class Examined(NamedTuple):
    """An element whose faults are told: as it was read, and the edit that brought it here.

    `about` is said in front of the message where the element is not the one that was edited, but a user of it.
    """

    kind: str
    read: ReadElement
    edit: int
    about: str = ""


def check(workspace: Workspace, unread: Sequence[Examined], faults: Sequence[Fault]) -> None:
    """Raises Rejected for what is wrong with the written elements, and with those whose meaning they change.

    `unread` are bodies that were not written, `faults` what was found already.
    """
    changes = workspace.net_changes()
    written = [Examined(change.kind, change.written, change.edit) for change in changes if change.written is not None]
    written += _concerned_users(workspace, changes)
    examined, changed = [*written, *unread], {(change.kind, change.key) for change in changes}
    faults = [*faults, *nesting_faults(workspace, changes)]
    referred = _referred(workspace, written) - changed
    if unread or faults or _faults(examined, _declared(workspace, referred)):
        # Once more with all that is declared, so that a near name is told of.
        everything = referred | _all_declared(workspace) - changed
        found = _faults(examined, _declared(workspace, everything))
        if faults or found:
            raise Rejected(tuple(dict.fromkeys([*faults, *found])))


def _faults(examined: Sequence[Examined], declared: Mapping[str, Sequence[Element]]) -> list[Fault]:
    by_list: dict[str, list[Examined]] = defaultdict(list)
    for one in examined:
        by_list[one.kind].append(one)
    elements = {name: [one.read for one in many] for name, many in by_list.items()}
    return [_fault(fault, by_list) for fault in check_elements(elements, declared, zone_names())]


def _fault(fault: ElementFault, by_list: Mapping[str, Sequence[Examined]]) -> Fault:
    if fault.element is None:
        return Fault(fault.code, "$", fault.message, fault.help)
    name, index = fault.element
    one = by_list[name][index]
    if one.about:
        return Fault(fault.code, "$", f"{one.about}: {fault.message}", fault.help, one.edit)
    return Fault(fault.code, fault.path, fault.message, fault.help, one.edit)


def _declared(workspace: Workspace, references: Iterable[Reference]) -> dict[str, list[Element]]:
    """Those of the elements referred to that there are; of roles and groups, the ids alone."""
    declared: dict[str, list[Element]] = defaultdict(list)
    for name, key in references:
        found = TABLES[name].find(workspace.db, workspace.number, key)
        if found is not None:
            short = _SHORT.get(name)
            declared[name].append(short(key[0]) if short else element_of(name, found.body))
    return declared


def _referred(workspace: Workspace, elements: Iterable[Examined]) -> set[Reference]:
    """What elements refer to; the type `*` stands for all of them."""
    found = {reference for one in elements for reference in _references(one.read.element)}
    if _EVERY_TYPE in found:
        found |= set(_all_of(workspace, ElementKind.RESOURCE_TYPES, limit=-1))
    return found - {_EVERY_TYPE}


def _references(element: Element | None) -> Iterator[Reference]:
    match element:
        case Policy():
            yield from ((ElementKind.ROLES, (role,)) for role in element.roles or ())
            yield from ((ElementKind.RESOURCE_TYPES, (scope.resource_type_id,)) for scope in element.resource_types)
        case Assignment():
            yield ElementKind.ROLES, (element.role,)
            if element.group is not None:
                yield ElementKind.GROUPS, (element.group,)
        case Group():
            yield from ((ElementKind.GROUPS, (member.group,)) for member in element.members if member.group is not None)
        case Grant():
            yield ElementKind.RESOURCE_TYPES, (element.resource.type,)
        case Resource():
            yield ElementKind.RESOURCE_TYPES, (element.type,)


def _all_declared(workspace: Workspace) -> set[Reference]:
    """All that can be referred to, but for lists that are too long for a search."""
    found = {name: set(_all_of(workspace, name, MAX_NEAR + 1)) for name in DECLARING}
    return {reference for many in found.values() if len(many) <= MAX_NEAR for reference in many}


def _all_of(workspace: Workspace, name: ElementKind, limit: int) -> Iterator[Reference]:
    rows = workspace.db.execute(f"SELECT id FROM {name} WHERE environment = ? LIMIT ?", (workspace.number, limit))
    return ((name, key) for key in rows.fetchall())


def _concerned_users(workspace: Workspace, changes: Iterable[Change]) -> Iterator[Examined]:
    """Who uses a type that now declares something else, and was not itself written."""
    told = {(change.kind, change.key) for change in changes}
    for change in changes:
        if change.kind == ElementKind.RESOURCE_TYPES:
            before, after = change.element_before(), change.element_after()
            assert before is None or isinstance(before, ResourceType)
            assert after is None or isinstance(after, ResourceType)
            users = set(_users_of(workspace, change.key[0], before, after)) - told
            told |= users
            for kind, key in sorted(users):
                found = TABLES[kind].find(workspace.db, workspace.number, key)
                if found is not None:
                    about = f"the {KINDS[kind].noun} `{key[0]}`"
                    yield Examined(kind, read_element(kind, decode_body(found.body)), change.edit, about)


def _users_of(
    workspace: Workspace, id: str, before: ResourceType | None, after: ResourceType | None
) -> Iterator[Reference]:
    """A type that goes, or is new, concerns the policies on every type; one that stays those on itself too."""
    if before and after and set(before.actions) <= set(after.actions) and before.attributes == after.attributes:
        return
    for type in {EVERYTHING, id} if before and after else {EVERYTHING}:
        query = "SELECT policy_id FROM policy_types WHERE environment = ? AND type = ?"
        yield from (
            (ElementKind.POLICIES, key) for key in workspace.db.execute(query, (workspace.number, type)).fetchall()
        )
    if before and after and set(before.actions) - set(after.actions):
        yield from _granting(workspace, id)


def _granting(workspace: Workspace, type: str) -> Iterator[Reference]:
    """Of all grants on a type, one for each set of actions that is granted: the others have the same faults."""
    query = "SELECT body FROM grants WHERE environment = ? AND resource_type = ? AND NOT wildcard"
    seen: set[tuple[str, ...]] = set()
    for (body,) in workspace.db.execute(query, (workspace.number, type)):
        grant = element_of(ElementKind.GRANTS, body)
        assert isinstance(grant, Grant)
        if grant.actions not in seen:
            seen.add(grant.actions)
            yield ElementKind.GRANTS, KINDS[ElementKind.GRANTS].key_of(grant)
