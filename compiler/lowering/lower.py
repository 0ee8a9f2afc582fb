"""Lowers policies to clauses: expands wildcards, and makes a clause for each policy and set of actions (P1, P2)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ...bundles.conditions.references import NOW, read_value_of, takes_now
from ...bundles.program import clauses as program
from ...bundles.program.clauses import (
    AgainstNow,
    Atom,
    AttributeSection,
    Clause,
    Comparison,
    During,
    From,
    Program,
    Rate,
    Reference,
)
from ..model.declared import required_keys
from ..model.elements import Condition, Conditions, Model, Policy, ResourceType
from ..model.normal_form import normalised
from ..model.parse_window import parse_window
from .lower_declarations import lower_declarations

EVERYTHING = "*"
"""Stands for every resource type, or for every action of a type (P1)."""


def lower(model: Model) -> Program:
    """Returns the program of a model that passed its checks, without disabled policies (P5).

    A policy on types with different actions becomes several clauses, so that every type of a clause has every action
    of the clause:

        policy p on {"*": ["read", "sign"]}, where only contracts can be signed
        becomes  allow(S, A, R, "p") :- type(R, {"contract"}), A in {"read", "sign"}.
            and  allow(S, A, R, "p") :- type(R, {"document"}), A in {"read"}.
    """
    declared = {type.id: type for type in model.resource_types}
    policies = (normalised(policy) for policy in model.policies if policy.enabled)
    clauses = [clause for policy in policies for clause in _clauses(policy, declared)]
    return Program(
        types=tuple(
            program.ResourceType(type.id, type.name or type.id, tuple(sorted(set(type.actions))), type.closed)
            for _, type in sorted(declared.items())
        ),
        roles=tuple(sorted(role.id for role in model.roles)),
        clauses=tuple(clauses),
        required=required_keys(model.attributes),
        declarations=lower_declarations(model),
    )


def expand_actions(actions: Iterable[str], type: ResourceType) -> frozenset[str]:
    """Returns the declared actions of a type that a list of actions covers. `*` covers all of them (P1, P4)."""
    named = frozenset(actions)
    return frozenset(type.actions) if EVERYTHING in named else named.intersection(type.actions)


def covered_actions(policy: Policy, declared: Mapping[str, ResourceType]) -> dict[str, frozenset[str]]:
    """Returns the actions that a policy covers on each type, without types on which it covers none (P1)."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for scope in policy.resource_types:
        types = declared if scope.resource_type_id == EVERYTHING else (scope.resource_type_id,)
        for type in types:
            found[type] |= expand_actions(scope.actions, declared[type])
    return {type: actions for type, actions in found.items() if actions}


def _clauses(policy: Policy, declared: Mapping[str, ResourceType]) -> Iterator[Clause]:
    types_by_actions: dict[frozenset[str], list[str]] = defaultdict(list)
    for type, actions in covered_actions(policy, declared).items():
        types_by_actions[actions].append(type)
    body = tuple(_body(policy.conditions or Conditions()))
    roles = None if policy.roles is None else tuple(sorted(set(policy.roles)))
    for actions, types in types_by_actions.items():
        yield Clause(
            effect=policy.effect,
            policy=policy.id,
            name=policy.name or "",
            priority=policy.priority,
            roles=roles,
            types=tuple(sorted(types)),
            actions=tuple(sorted(actions)),
            body=body,
            except_roles=tuple(sorted(set(policy.except_roles or ()))),
        )


def _body(conditions: Conditions) -> Iterator[Atom]:
    yield from _comparisons("subject_attrs", conditions.subject_attrs)
    yield from _comparisons("resource_attrs", conditions.resource_attrs)
    yield from _comparisons("action_attrs", conditions.action_attrs)
    yield from _comparisons("context_attrs", conditions.context_attrs)
    if conditions.time_window is not None:
        yield During(parse_window(conditions.time_window))
    if conditions.ip_allowlist is not None:
        yield From(tuple(sorted(set(conditions.ip_allowlist))))
    if conditions.rate_limit is not None:
        yield Rate(conditions.rate_limit.limit, conditions.rate_limit.window_seconds)


def _comparisons(section: AttributeSection, conditions: Iterable[Condition] | None) -> Iterator[Atom]:
    for condition in conditions or ():
        value_of = condition.value_of and read_value_of(condition.value_of)
        if condition.value_of == NOW and takes_now(condition.op):
            yield AgainstNow(section, condition.key, condition.op)
        elif value_of:
            yield Reference(section, condition.key, condition.op, value_of)
        else:
            yield Comparison(section, condition.key, condition.op, condition.value)
