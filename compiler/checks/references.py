"""Checks that the model declares every role, group, resource type and action that it refers to (P1 to P4, E7)."""

from collections.abc import Collection, Iterator, Sequence

from ...bundles.wording import Path, quoted
from ..diagnostics.diagnostic import Finding
from ..lowering.lower import EVERYTHING
from ..model.elements import Assignment, Member, Policy
from .draft import DeclaredIds, Draft

_MEMBER = "a member must have either the `type` and `id` of a subject, or a `group`"
_EVERYONE = "leave `roles` out to mean everyone"
_HOLDER = "an assignment must have either a `subject` or a `group`"


def check_policy_references(draft: Draft) -> Iterator[Finding]:
    """Finds undeclared roles, resource types and actions of policies (P1, P2).

    If a policy names the type `*`, at least one type must declare the action.
    """
    for index, policy in enumerate(draft.model.policies):
        yield from _policy(draft, policy, ("policies", index))


def check_group_members(draft: Draft) -> Iterator[Finding]:
    """Finds members of groups that are neither a subject nor a declared group (P3)."""
    for index, group in enumerate(draft.model.groups):
        for place, member in enumerate(group.members):
            yield from _member(draft, member, ("groups", index, "members", place))


def check_assignments(draft: Draft) -> Iterator[Finding]:
    """Finds assignments of undeclared roles, to undeclared groups, or not to exactly one subject or group (P2)."""
    for index, assignment in enumerate(draft.model.assignments):
        yield from _assignment(draft, assignment, ("assignments", index))


def check_resource_types(draft: Draft) -> Iterator[Finding]:
    """Finds registered resources of undeclared types (E7)."""
    for index, resource in enumerate(draft.model.resources):
        if draft.type_ids.lacks(resource.type):
            yield unknown_type(draft, resource.type, ("resources", index, "type"))


def unknown_type(draft: Draft, name: str, path: Path) -> Finding:
    """Returns the finding for a resource type that the model does not declare."""
    help_text = _help(draft, name, draft.type_ids, "type")
    return Finding("unknown-type", f"unknown resource type {quoted(name)}", path, help_text)


def unknown_group(draft: Draft, name: str, path: Path) -> Finding:
    """Returns the finding for a group that the model does not declare."""
    return Finding("unknown-group", f"unknown group {quoted(name)}", path, _help(draft, name, draft.group_ids, "group"))


def action_faults(draft: Draft, type_id: str, actions: Sequence[str], path: Path) -> Iterator[Finding]:
    """Yields a finding for each action that a type does not declare. `*` as the type stands for all types together."""
    known = actions_on(draft, type_id)
    if known is None:
        return
    for index, action in enumerate(actions):
        if action != EVERYTHING and action not in known:
            yield unknown_action(draft, type_id, action, (*path, index), known)


def unknown_action(draft: Draft, type_id: str, action: str, path: Path, known: Collection[str]) -> Finding:
    """Returns the finding for an action that a type does not declare. `known` are those that it declares."""
    owner = "no resource type has the" if type_id == EVERYTHING else f"the resource type {quoted(type_id)} has no"
    return Finding("unknown-action", f"{owner} action {quoted(action)}", path, draft.suggest(action, known))


def actions_on(draft: Draft, type_id: str) -> set[str] | None:
    """Returns the actions of a type, or of all types for `*`. None if some actions could not be read."""
    if type_id in draft.types:
        return set(draft.types[type_id].actions)
    if type_id == EVERYTHING and draft.all_types_read:
        return {action for declared in draft.types.values() for action in declared.actions}
    return None


def _policy(draft: Draft, policy: Policy, path: Path) -> Iterator[Finding]:
    for index, role in enumerate(policy.roles or ()):
        if draft.role_ids.lacks(role):
            yield _unknown_role(draft, role, (*path, "roles", index), _EVERYONE if role == EVERYTHING else "")
    for index, role in enumerate(policy.except_roles or ()):
        if draft.role_ids.lacks(role):
            yield _unknown_role(draft, role, (*path, "except_roles", index))
    for index, scope in enumerate(policy.resource_types):
        at = (*path, "resource_types", index)
        type_id = scope.resource_type_id
        if type_id != EVERYTHING and draft.type_ids.lacks(type_id):
            yield unknown_type(draft, type_id, (*at, "resource_type_id"))
        yield from action_faults(draft, type_id, scope.actions, (*at, "actions"))


def _member(draft: Draft, member: Member, path: Path) -> Iterator[Finding]:
    is_subject = member.type is not None and member.id is not None
    is_part = member.type is not None or member.id is not None
    if is_part == (member.group is not None) or is_part != is_subject:
        yield Finding("either-or", _MEMBER, path)
    if member.group is not None and draft.group_ids.lacks(member.group):
        yield unknown_group(draft, member.group, (*path, "group"))


def _assignment(draft: Draft, assignment: Assignment, path: Path) -> Iterator[Finding]:
    if draft.role_ids.lacks(assignment.role):
        yield _unknown_role(draft, assignment.role, (*path, "role"))
    if (assignment.subject is None) == (assignment.group is None):
        yield Finding("either-or", _HOLDER, path)
    if assignment.group is not None and draft.group_ids.lacks(assignment.group):
        yield unknown_group(draft, assignment.group, (*path, "group"))


def _unknown_role(draft: Draft, name: str, path: Path, help_text: str = "") -> Finding:
    if name in draft.group_ids.known:
        help_text = f"{quoted(name)} is a group: assign a role to it, and name that role here"
    help_text = help_text or _help(draft, name, draft.role_ids, "role")
    if not help_text and name in draft.group_ids.known:
        help_text = "a group has this id; policies name roles, and an assignment gives a role to a group"
    return Finding("unknown-role", f"unknown role {quoted(name)}", path, help_text)


def _help(draft: Draft, name: str, names: DeclaredIds, noun: str) -> str:
    """Returns help for an undeclared `name`: the id of the element with that name, or a similar id."""
    own_id = names.id_of(name)
    if own_id is None:
        return draft.suggest(name, names.known)
    return f"{quoted(name)} is the name of the {noun} with the id {quoted(own_id)}, and references use the id"
