"""Checks what a write left, by the compiler's own checks, against what the written elements refer to."""

from collections.abc import Iterable, Iterator, Sequence

from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import Assignment, Element, ElementKind, Grant, Group, Policy, Resource, ResourceType
from ..errors import Fault, Rejected
from .bodies import element_of
from .kinds import KINDS, Reference
from .nesting import nesting_faults
from .small_document import Examined, SmallDocument, without_repeats
from .tables import TABLES
from .workspace import Change, Workspace

DECLARING = (ElementKind.RESOURCE_TYPES, ElementKind.ROLES, ElementKind.GROUPS)
"""The lists that others refer to by id."""


MAX_NEAR = 10_000
"""Of more declared names than this no near one is looked for."""


def check(workspace: Workspace, unread: Sequence[Examined], faults: Sequence[Fault]) -> None:
    """Raises Rejected for what is wrong with the written elements, and with those whose meaning they change.

    `unread` are bodies that do not fit their class and were not written, `faults` what was found already.
    """
    changes = workspace.net_changes()
    document = SmallDocument()
    for change in changes:
        if change.after is not None:
            document.examine(Examined(change.kind, change.after, change.edit))
    for user in _concerned_users(workspace, changes):
        document.examine(user)
    known = [element_of(kind, one.body) for kind, many in document.examined.items() for one in many]
    for one in unread:
        document.examine(one)
    written = {(change.kind, change.key) for change in changes}
    _declare(workspace, document, _referred(known) - written)
    faults = [*faults, *nesting_faults(workspace, changes)]
    if unread or faults or document.faults():
        # Once more with all that is declared, so that a near name is told of.
        _declare(workspace, document, _all_declared(workspace) - written)
        found = without_repeats([*faults, *document.faults()])
        if found:
            raise Rejected(found)


def _declare(workspace: Workspace, document: SmallDocument, references: Iterable[Reference]) -> None:
    """Declare those of the elements referred to that there are."""
    for name, key in references:
        if name == ElementKind.RESOURCE_TYPES and key == (EVERYTHING,):
            _declare(workspace, document, _all_of(workspace, name, limit=-1))
            continue
        found = TABLES[name].find(workspace.db, workspace.number, key)
        if found is not None:
            document.declare(name, key, found.body if name == ElementKind.RESOURCE_TYPES else None)


def _referred(elements: Iterable[Element]) -> set[Reference]:
    """What elements refer to; the type `*` stands for all of them."""
    return {reference for element in elements for reference in _references(element)}


def _references(element: Element) -> Iterator[Reference]:
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
                    yield Examined(kind, found.body, change.edit, about)


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
