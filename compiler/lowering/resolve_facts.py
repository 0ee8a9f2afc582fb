"""Resolves the facts of a model: registers entities, gives members their groups, expands grants (E3, P2 to P4)."""

from collections.abc import Callable, Iterable
from functools import cache

from ...bundles.conditions.instants import parse_instant, seconds_not_before
from ...bundles.program.facts import (
    ALWAYS,
    FOREVER,
    EntityKey,
    Facts,
    GrantHolder,
    GroupFacts,
    Holding,
    PackedGrants,
    ResourceFacts,
    SubjectFacts,
)
from ..model.elements import Assignment, Grant, Model, SubjectRef
from .lower import expand_actions

_ONLY_NAMED = ResourceFacts()
"""The facts of a resource that only a grant without effect names. It is registered, without attributes (E3)."""


def resolve_facts(source: Model, grants: Iterable[Grant] | None = None) -> Facts:
    """Returns the facts of a model that passed its checks. `grants` replaces its grants, and is read once."""
    facts = Facts(
        groups={group.id: GroupFacts() for group in source.groups},
        subjects={
            EntityKey(subject.type, subject.id): SubjectFacts(subject.external_id) for subject in source.subjects
        },
        resources={
            EntityKey(resource.type, resource.id): ResourceFacts(
                resource.external_id, resource.name, resource.attributes
            )
            for resource in source.resources
        },
    )
    _add_memberships(facts, source)
    _add_assignments(facts, source)
    _add_grants(facts, source, source.grants if grants is None else grants)
    return facts


def _add_memberships(facts: Facts, source: Model) -> None:
    for group in source.groups:
        for member in group.members:
            if member.group is not None:
                facts.groups[member.group].parents.add(group.id)
            elif member.type is not None and member.id is not None:
                _subject(facts, EntityKey(member.type, member.id)).groups.add(group.id)


def _add_assignments(facts: Facts, source: Model) -> None:
    for assignment in source.assignments:
        holding = Holding(assignment.role, *_span(assignment))
        if assignment.group is not None:
            facts.groups[assignment.group].holdings.append(holding)
        elif assignment.subject is not None:
            _subject(facts, EntityKey(assignment.subject.type, assignment.subject.id)).holdings.append(holding)


def _add_grants(facts: Facts, source: Model, grants: Iterable[Grant]) -> None:
    holders: dict[SubjectRef | str, GrantHolder] = {}
    scope_of, add = _scopes(facts.grants, source), facts.grants.add
    for grant in grants:
        named, resource = grant.subject or grant.group or "", grant.resource
        holder = holders.get(named)
        if holder is None:
            holder = holders[named] = _holder(facts, named)
        scope = scope_of(resource.type, grant.actions)
        if scope is None:
            facts.resources.setdefault(EntityKey(resource.type, resource.id), _ONLY_NAMED)
        else:
            add(holder, (grant.id or "", scope, resource.id, *_span(grant)))


def _holder(facts: Facts, named: SubjectRef | str) -> GrantHolder:
    """Returns the holder of a grant. A subject is registered (E3), a group is declared (P7)."""
    if isinstance(named, str):
        return named
    key = EntityKey(named.type, named.id)
    _subject(facts, key)
    return key


def _scopes(grants: PackedGrants, source: Model) -> Callable[[str, tuple[str, ...]], int | None]:
    """Returns a function that returns the scope of a grant: None for `*` on a type without actions.

    PERF: it expands each list of actions once.
    """
    declared = {type.id: type for type in source.resource_types}

    @cache
    def scope_of(type: str, actions: tuple[str, ...]) -> int | None:
        expanded = tuple(sorted(expand_actions(actions, declared[type])))
        return grants.add_scope(type, expanded) if expanded else None

    return scope_of


def _subject(facts: Facts, key: EntityKey) -> SubjectFacts:
    """Returns the facts of a subject. If they are missing, it registers the subject (E3)."""
    found = facts.subjects.get(key)
    if found is None:
        found = facts.subjects[key] = SubjectFacts()
    return found


def _span(element: Assignment | Grant) -> tuple[float, float]:
    """Returns the expiry and the start in epoch seconds. PERF: most elements have neither."""
    expires, starts = element.expires_at, element.starts_at
    return (
        FOREVER if expires is None else seconds_not_before(parse_instant(expires)),
        ALWAYS if starts is None else seconds_not_before(parse_instant(starts)),
    )
