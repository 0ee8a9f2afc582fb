"""Writes the rest of a model as data: types, who covers what, and the facts (E3, E7, P1 to P4, P7)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from math import inf
from typing import Any, TypeAlias

from ...bundles.conditions.instants import parse_instant
from ...bundles.conditions.intervals import united
from ...bundles.program.clauses import Clause, During, Program
from ...bundles.program.closure import ancestors
from ..lowering.lower import expand_actions
from ..model.elements import Assignment, Grant, Model
from .zone_tables import zone_table

Tree: TypeAlias = dict[str, Any]

Span: TypeAlias = tuple[float | None, float | None]
"""The start and the end of an assignment or a grant, in nanoseconds. None is no start, or no end (P4)."""


def model_data(model: Model, program: Program, zone_data: Callable[[str], bytes]) -> Tree:
    """Returns what the Rego reads at `data.writ.model`, for a model and its program.

    `zone_data` returns the TZif file of a time zone.
    """
    return {
        "types": {
            type.name: {"id": type.id, "closed": type.closed, "actions": dict.fromkeys(type.actions, True)}
            for type in program.types
        },
        "policies": _policies(program.clauses),
        "covering": _covering(program.clauses),
        "subjects": _subjects(model),
        "groups": _group_roles(model),
        "granted_groups": _granted_groups(model),
        "grants": _grants(model),
        "group_grants": _group_grants(model),
        "registered": _registered(model),
        "subject_ids": _aliases((subject.type, subject.external_id, subject.id) for subject in model.subjects),
        "resource_ids": _resource_ids(model),
        "zones": {name: zone_table(name, zone_data(name)) for name in _zones(program.clauses)},
    }


def _policies(clauses: Iterable[Clause]) -> Tree:
    """Returns each policy: its priority, its title in reasons, and its roles and exceptions if it has some."""
    found = {}
    for clause in clauses:
        named = clause.name not in ("", clause.policy)
        title = f"policy `{clause.name}` (`{clause.policy}`)" if named else f"policy `{clause.policy}`"
        roles = {} if clause.roles is None else {"roles": list(clause.roles)}
        exceptions = {"except_roles": list(clause.except_roles)} if clause.except_roles else {}
        found[clause.policy] = {"title": title, "priority": clause.priority, **roles, **exceptions}
    return found


def _covering(clauses: Iterable[Clause]) -> Tree:
    """Returns the policies on each type and action, by effect: the highest priority first, then the smallest id."""
    found: Tree = defaultdict(lambda: defaultdict(lambda: {"allow": [], "deny": []}))
    for clause in sorted(clauses, key=lambda clause: (-clause.priority, clause.policy)):
        for type in clause.types:
            for action in clause.actions:
                found[type][action][clause.effect.lower()].append(clause.policy)
    return found


def _subjects(model: Model) -> Tree:
    """Returns the roles of each subject with their spans of time, and the groups that it is directly in."""
    found: Tree = defaultdict(lambda: defaultdict(lambda: {"roles": {}, "groups": []}))
    for assignment in model.assignments:
        if assignment.subject is not None:
            subject = found[assignment.subject.type][assignment.subject.id]
            _hold(subject["roles"], assignment.role, [_span(assignment)])
    for group in model.groups:
        for member in group.members:
            if member.type is not None and member.id is not None:
                found[member.type][member.id]["groups"].append(group.id)
    for subject in (subject for subjects in found.values() for subject in subjects.values()):
        subject["groups"] = sorted(set(subject["groups"]))
    return found


def _group_roles(model: Model) -> Tree:
    """Returns the roles of each group that has some, with those of the groups that contain it (P3)."""
    own: Tree = defaultdict(dict)
    for assignment in model.assignments:
        if assignment.group is not None:
            _hold(own[assignment.group], assignment.role, [_span(assignment)])
    found: Tree = defaultdict(dict)
    for group_id, above in _above(model).items():
        for holder in {group_id, *above} & own.keys():
            for role, spans in own[holder].items():
                _hold(found[group_id], role, spans)
    return found


def _above(model: Model) -> Mapping[str, AbstractSet[str]]:
    """Returns the groups that contain each group, at any depth (P3)."""
    parents: dict[str, set[str]] = {group.id: set() for group in model.groups}
    for group in model.groups:
        for member in group.members:
            if member.group is not None:
                parents[member.group].add(group.id)
    return ancestors(parents)


def _hold(roles: Tree, role: str, spans: Iterable[Span]) -> None:
    """Adds spans of time in which a role is held."""
    ends = [
        (-inf if since is None else since, inf if until is None else until)
        for since, until in (*roles.get(role, ()), *spans)
    ]
    roles[role] = [(None if since == -inf else since, None if until == inf else until) for since, until in united(ends)]


def _grants(model: Model) -> Tree:
    """Returns the grants of subjects, by subject and resource."""
    found: Tree = defaultdict(lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(list))))
    for grant, stated in _stated_grants(model):
        if grant.subject is not None:
            of_subject = found[grant.subject.type][grant.subject.id]
            of_subject[grant.resource.type][grant.resource.id].append(stated)
    return found


def _group_grants(model: Model) -> Tree:
    """Returns the grants of groups, by group and resource (P7)."""
    found: Tree = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for grant, stated in _stated_grants(model):
        if grant.group is not None:
            found[grant.group][grant.resource.type][grant.resource.id].append(stated)
    return found


def _stated_grants(model: Model) -> Iterator[tuple[Grant, Tree]]:
    """Yields each grant with what the Rego reads of it, the smallest id first (D8)."""
    declared = {type.id: type for type in model.resource_types}
    for grant in sorted(model.grants, key=lambda grant: grant.id or ""):
        actions = sorted(expand_actions(grant.actions, declared[grant.resource.type]))
        if actions:  # `*` on a type without actions grants nothing
            yield grant, {"id": grant.id, "actions": actions, "span": _span(grant)}


def _granted_groups(model: Model) -> Tree:
    """Returns the groups with grants whose members are in each group: itself, and those that contain it (P3, P7)."""
    granted = {grant.group for grant in model.grants if grant.group is not None}
    found = {id: sorted(granted & {id, *above}) for id, above in _above(model).items()} if granted else {}
    return {id: groups for id, groups in found.items() if groups}


def _registered(model: Model) -> Tree:
    """Returns the registered resources of the closed types (E3, E7)."""
    found: Tree = {type.id: {} for type in model.resource_types if type.closed}
    keys = [(resource.type, resource.id) for resource in model.resources]
    keys += [(grant.resource.type, grant.resource.id) for grant in model.grants]
    for type, id in keys:
        if type in found:
            found[type][id] = True
    return found


def _resource_ids(model: Model) -> Tree:
    """Returns the ids of resources by type, kind of alias and alias (E3)."""
    external = _aliases((resource.type, resource.external_id, resource.id) for resource in model.resources)
    named = _aliases((resource.type, resource.name, resource.id) for resource in model.resources)
    return {
        type: {"external_id": external.get(type, {}), "name": named.get(type, {})} for type in {**external, **named}
    }


def _aliases(entities: Iterable[tuple[str, str | None, str]]) -> Tree:
    found: Tree = defaultdict(dict)
    for type, alias, id in entities:
        if alias is not None:
            found[type][alias] = id
    return found


def _span(element: Assignment | Grant) -> Span:
    starts, expires = element.starts_at, element.expires_at
    return None if starts is None else parse_instant(starts), None if expires is None else parse_instant(expires)


def _zones(clauses: Iterable[Clause]) -> list[str]:
    windows = [atom.window for clause in clauses for atom in clause.body if isinstance(atom, During)]
    return sorted({window.timezone for window in windows if window.is_weekly})
