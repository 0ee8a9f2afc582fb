"""Checks the elements of a write with the compiler's own checks, against the elements that they refer to."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from ....bundles.wording import in_backticks
from ....bundles.zones import zone_names
from ....compiler.check_elements import ElementFault, check_elements
from ....compiler.documents.read_element import ReadElement, read_element
from ....compiler.limits import DEFAULTS, Limits
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import (
    Element,
    ElementKind,
    Grant,
    ResourceType,
)
from ..database.connection import Connection
from ..errors import BodyFault, Rejected
from .declarations import all_declared, all_of, declared, referred
from .element_bodies import decode_body, element_of
from .kinds import KINDS, Reference
from .nesting import nesting_faults
from .pattern_sizes import pattern_size_faults
from .route_order import route_count_faults
from .tables import TABLES
from .workspace import ElementTexts, Workspace


class CheckedElement(NamedTuple):
    """An element to check: as it was read, and the edit that changed it.

    `about` precedes the message if the edit did not change this element, but an element that it uses.
    """

    kind: str
    read: ReadElement
    edit: int
    about: str = ""


def check(workspace: Workspace, rejected: Sequence[CheckedElement], faults: Sequence[BodyFault]) -> None:
    """Raises Rejected for faults of the written elements, and of the elements that use a changed type.

    `rejected` are bodies that were not written. `faults` are known already.
    """
    changes = workspace.net_changes()
    written = [
        CheckedElement(change.kind, change.written, change.edit) for change in changes if change.written is not None
    ]
    written += _users_of_changed_declarations(workspace, changes)
    examined, changed = [*written, *rejected], {(change.kind, change.key) for change in changes}
    faults = [
        *faults,
        *nesting_faults(workspace, changes),
        *pattern_size_faults(workspace, changes),
        *route_count_faults(workspace, changes),
    ]
    refuse_faults(workspace.db, workspace.number, examined, changed, faults, workspace.limits)


def refuse_faults(
    db: Connection,
    number: int,
    examined: Sequence[CheckedElement],
    changed: Set[Reference],
    faults: Sequence[BodyFault] = (),
    limits: Limits = DEFAULTS,
) -> None:
    """Raises Rejected for `faults`, which are known already, and for those of elements of an environment.

    `number` is that of the environment. `changed` are the stored elements that no longer count. `limits` are those of
    the model.
    """
    # `pattern_size_faults` counts the patterns of all policies.
    limits = replace(limits, model_pattern_instructions=sys.maxsize)
    references = referred(db, number, (one.read.element for one in examined)) - changed
    if faults or _faults(examined, declared(db, number, references), limits):
        # Check again with all declarations, so that the message can suggest a similar name.
        everything = references | all_declared(db, number) - changed
        found = _faults(examined, declared(db, number, everything), limits)
        if faults or found:
            raise Rejected(tuple(dict.fromkeys([*faults, *found])))


def _faults(
    examined: Sequence[CheckedElement], known: Mapping[str, Sequence[Element]], limits: Limits
) -> list[BodyFault]:
    by_list: dict[str, list[CheckedElement]] = defaultdict(list)
    for one in examined:
        by_list[one.kind].append(one)
    elements = {name: [one.read for one in many] for name, many in by_list.items()}
    return [_fault(fault, by_list) for fault in check_elements(elements, known, zone_names(), limits)]


def _fault(fault: ElementFault, by_list: Mapping[str, Sequence[CheckedElement]]) -> BodyFault:
    if fault.element is None:
        return BodyFault(fault.code, "$", fault.message, fault.help)
    name, index = fault.element
    one = by_list[name][index]
    if one.about:
        return BodyFault(fault.code, "$", f"{one.about}: {fault.message}", fault.help, one.edit)
    return BodyFault(fault.code, fault.path, fault.message, fault.help, one.edit)


def _users_of_changed_declarations(workspace: Workspace, changes: Iterable[ElementTexts]) -> Iterator[CheckedElement]:
    """Returns the elements that use a changed type or declared attribute and were not written themselves."""
    told = {(change.kind, change.key) for change in changes}
    for change in changes:
        users = set(_users_of_change(workspace, change)) - told
        told |= users
        for kind, key in sorted(users):
            workspace.refuse_late()
            found = TABLES[kind].find(workspace.db, workspace.number, key)
            if found is not None:
                about = f"the {KINDS[kind].noun} {in_backticks(key[0])}"
                yield CheckedElement(kind, read_element(kind, decode_body(found.body)), change.edit, about)


def _users_of_change(workspace: Workspace, change: ElementTexts) -> Iterator[Reference]:
    """Declared attributes and extensions affect all policies: any may have a condition that needs one."""
    declares = change.kind == ElementKind.ATTRIBUTES and change.after is not None
    if declares or change.kind == ElementKind.EXTENSIONS:
        yield from all_of(workspace.db, workspace.number, ElementKind.POLICIES, limit=None)
    if change.kind == ElementKind.RESOURCE_TYPES:
        before, after = change.element_before(), change.element_after()
        assert before is None or isinstance(before, ResourceType)
        assert after is None or isinstance(after, ResourceType)
        yield from _users_of(workspace, change.key[0], before, after)


def _users_of(
    workspace: Workspace, id: str, before: ResourceType | None, after: ResourceType | None
) -> Iterator[Reference]:
    """A new or removed type affects the policies on every type. A changed type also affects the policies on itself."""
    if before and after and set(before.actions) <= set(after.actions) and before.attributes == after.attributes:
        return
    for type in {EVERYTHING, id} if before and after else {EVERYTHING}:
        query = "SELECT policy_id FROM policy_types WHERE environment = ? AND type = ?"
        yield from (
            (ElementKind.POLICIES, key) for key in workspace.db.execute(query, (workspace.number, type)).fetchall()
        )
    removed = before and after and set(before.actions) - set(after.actions)
    if removed:
        yield from _granting(workspace, id)
    if removed or (before and after and before.attributes != after.attributes):
        query = "SELECT id FROM routes WHERE environment = ? AND resource_type = ?"
        yield from ((ElementKind.ROUTES, key) for key in workspace.db.execute(query, (workspace.number, id)).fetchall())


def _granting(workspace: Workspace, type: str) -> Iterator[Reference]:
    """Returns one grant on a type for each set of granted actions: the other grants have the same faults."""
    query = "SELECT body FROM grants WHERE environment = ? AND resource_type = ? AND wildcard = 0"
    seen: set[tuple[str, ...]] = set()
    for (body,) in workspace.db.execute(query, (workspace.number, type)):
        grant = element_of(ElementKind.GRANTS, body)
        assert isinstance(grant, Grant)
        if grant.actions not in seen:
            seen.add(grant.actions)
            yield ElementKind.GRANTS, KINDS[ElementKind.GRANTS].key_of(grant)
