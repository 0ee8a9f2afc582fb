"""The delta between two compiled models, by comparing everything: naive, for tests."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from writ.bundles.delta import (
    AliasChange,
    AnyChange,
    Delta,
    GrantsChange,
    GrantState,
    GroupChange,
    PolicyChange,
    ResourceChange,
    RoleChange,
    RoutingChange,
    SubjectChange,
    TypeChange,
    policy_change,
)
from writ.bundles.file.fact_records import LISTED_GRANTS
from writ.bundles.program import closure
from writ.bundles.program.facts import EntityKey, Facts, GrantHolder, Holding
from writ.bundles.routing.routing import NO_ROUTING
from writ.compiler.compile import Compiled
from writ.compiler.lowering.lower_needs import needs_of


def delta_between(before: Compiled, after: Compiled, revision: int) -> Delta:
    """Returns the delta that leads from one model to the other."""
    was, now = states(before), states(after)
    gone = [_gone(kind, key) for kind, key in was if (kind, key) not in now]
    changed = [state for name, state in now.items() if was.get(name) != state]
    # A bundle lists the registered instances of closed types only: of a type that becomes one, all are told.
    closed = {type.id for type in after.program.types if type.closed} - {
        type.id for type in before.program.types if type.closed
    }
    registered = [ResourceChange(key, True) for key in after.facts.registered() if key.type in closed]
    written = {state.id for state in changed if isinstance(state, PolicyChange)}
    clauses = tuple(one for one in after.program.clauses if one.policy in written)
    routing = next((one.routing for one in changed if isinstance(one, RoutingChange)), NO_ROUTING)
    needs = needs_of(replace(after.program, clauses=clauses), routing)
    return Delta(revision, tuple(gone + changed + registered), after.zones, needs)


def states(model: Compiled) -> dict[tuple[str, Any], AnyChange]:
    """The state of everything that a delta can name."""
    found: dict[tuple[str, Any], AnyChange] = {}
    for type in model.program.types:
        found["type", type.id] = TypeChange(type.id, (type.name, type.actions, type.closed))
    for role in model.program.roles:
        found["role", role] = RoleChange(role, True)
    for policy in {clause.policy for clause in model.program.clauses}:
        clauses = tuple(clause for clause in model.program.clauses if clause.policy == policy)
        found["policy", policy] = policy_change(policy, clauses)
    found["routing", None] = RoutingChange(model.routing)
    return found | _fact_states(model.facts)


def _fact_states(facts: Facts) -> dict[tuple[str, Any], AnyChange]:
    found: dict[tuple[str, Any], AnyChange] = {}
    above = closure.ancestors({id: group.parents for id, group in facts.groups.items()})
    for id, group in facts.groups.items():
        found["group", id] = GroupChange(id, tuple(sorted(above[id])), united(group.holdings), granted(facts, id))
    for key, subject in facts.subjects.items():
        groups = tuple(sorted(subject.groups))
        found["subject", key] = SubjectChange(key, groups, united(subject.holdings), granted(facts, key))
    for grant in facts.grants:
        pair = grant.holder, grant.resource
        same = sorted((one for one in facts.grants if (one.holder, one.resource) == pair), key=lambda one: one.id)
        grants = tuple(GrantState(other.id, other.actions, other.expires, other.starts) for other in same)
        found["grants", pair] = GrantsChange(*pair, grants)
    for key in facts.registered():
        found["resource", key] = ResourceChange(key, True)
    return found | {("alias", alias[:-1]): AliasChange(*alias) for alias in _aliases(facts)}


def granted(facts: Facts, holder: GrantHolder) -> tuple[EntityKey, ...] | None:
    """The resources on which a subject or a group has grants itself, None if they are too many to list."""
    on = sorted({grant.resource for grant in facts.grants if grant.holder == holder})
    return tuple(on) if len(on) <= LISTED_GRANTS else None


def _aliases(facts: Facts) -> Iterator[tuple[str, str, str, str, str]]:
    for key, subject in facts.subjects.items():
        if subject.external_id is not None:
            yield "subject", key.type, "external_id", subject.external_id, key.id
    for key, resource in facts.resources.items():
        for kind, alias in (("external_id", resource.external_id), ("name", resource.name)):
            if alias is not None:
                yield "resource", key.type, kind, alias, key.id


def united(holdings: list[Holding]) -> tuple[Holding, ...]:
    """The times in which each role is held: between two neighbouring instants, some holding covers all or none does."""
    found = []
    for role in sorted({one.role for one in holdings}):
        spans = [(one.starts, one.expires) for one in holdings if one.role == role]
        edges = sorted({edge for span in spans for edge in span})
        covered = [any(start <= low and high <= end for start, end in spans) for low, high in pairwise(edges)]
        for at, held in enumerate(covered):
            if held and at and covered[at - 1]:
                found[-1] = Holding(role, edges[at + 1], found[-1].starts)
            elif held:
                found.append(Holding(role, edges[at + 1], edges[at]))
    return tuple(found)


def _gone(kind: str, key: Any) -> AnyChange:
    match kind:
        case "type":
            return TypeChange(key, None)
        case "role":
            return RoleChange(key, False)
        case "policy":
            return policy_change(key, ())
        case "group":
            return GroupChange(key, (), (), present=False)
        case "subject":
            return SubjectChange(EntityKey(*key), present=False)
        case "grants":
            return GrantsChange(*key, ())
        case "resource":
            return ResourceChange(EntityKey(*key), False)
        case _:
            return AliasChange(*key, None)
