"""Resolves the facts of a model: registers entities, gives members their groups, expands grants (E3, P2 to P4)."""

from ...bundles.conditions.instants import parse_instant, seconds_not_before
from ...bundles.program.facts import (
    ALWAYS,
    FOREVER,
    EntityKey,
    Facts,
    Grant,
    GroupFacts,
    Holding,
    ResourceFacts,
    SubjectFacts,
)
from ..model.elements import Assignment, Model, SubjectRef
from ..model.elements import Grant as StatedGrant
from .lower import expand_actions

_ONLY_NAMED = ResourceFacts()
"""The facts of a resource that a grant names and the model does not list. It is registered, without attributes (E3)."""


def resolve_facts(source: Model) -> Facts:
    """Returns the facts of a model that passed its checks."""
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
    _add_grants(facts, source)
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


def _add_grants(facts: Facts, source: Model) -> None:
    """PERF: a million grants share one key object for each subject, and one tuple for each set of actions."""
    declared = {type.id: type for type in source.resource_types}
    subjects: dict[SubjectRef, EntityKey] = {}
    expanded: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
    grants: list[Grant] = []
    for grant in source.grants:
        subject = subjects.get(grant.subject)
        if subject is None:
            subject = subjects[grant.subject] = EntityKey(grant.subject.type, grant.subject.id)
            _subject(facts, subject)
        resource = EntityKey(grant.resource.type, grant.resource.id)
        facts.resources.setdefault(resource, _ONLY_NAMED)
        stated = (grant.resource.type, grant.actions)
        actions = expanded.get(stated)
        if actions is None:
            actions = expanded[stated] = tuple(sorted(expand_actions(grant.actions, declared[grant.resource.type])))
        if actions:  # `*` on a type without actions grants nothing
            grants.append(Grant(grant.id or "", subject, resource, actions, *_span(grant)))
    facts.grants = grants


def _subject(facts: Facts, key: EntityKey) -> SubjectFacts:
    """Returns the facts of a subject. If they are missing, it registers the subject (E3)."""
    found = facts.subjects.get(key)
    if found is None:
        found = facts.subjects[key] = SubjectFacts()
    return found


def _span(element: Assignment | StatedGrant) -> tuple[float, float]:
    """Returns the expiry and the start in epoch seconds. PERF: most elements have neither."""
    expires, starts = element.expires_at, element.starts_at
    return (
        FOREVER if expires is None else seconds_not_before(parse_instant(expires)),
        ALWAYS if starts is None else seconds_not_before(parse_instant(starts)),
    )
