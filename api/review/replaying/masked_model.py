"""A model as it decides masked requests: its values are hashed by the same masks with the same key."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from ....bundles.wording import joined, quoted
from ....compiler.model.elements import (
    Grant,
    Group,
    Model,
    Policy,
    Resource,
    ResourceRef,
    ResourceType,
    Scope,
    Subject,
    SubjectRef,
)
from ....runtime.requests.members import IDENTIFIERS
from ...telemetry.decision_log.mask_paths import Path
from ...telemetry.decision_log.masks import EnvironmentMasks
from .masked_conditions import Hidden, MaskedValues, masked_conditions

_SEEN: Final[tuple[Path, ...]] = (("subject", "type"), ("resource", "type"), ("action", "name"))
"""The members that choose the policies. A log that hides them can't be decided again."""

_EVERY: Final = "*"


class UnusableMasks(ValueError):
    """No record of a log with these masks can be decided again. The message is one sentence."""


class MaskedModel(NamedTuple):
    """A model for masked requests.

    `hidden` are the pairs of a type's name and an action for which a policy compares what the masks hide: it is not
    known how the model decides there. `reasons` says so in a sentence for each such policy.
    """

    model: Model
    hidden: frozenset[tuple[str, str]]
    reasons: tuple[str, ...]


def masked_model(model: Model, masks: EnvironmentMasks) -> MaskedModel:
    """Returns a checked model as it decides what the masks leave of requests. Raises UnusableMasks.

    Registered attributes, routes, and the check of strict requests are left out: a replay needs none of them.
    """
    values = MaskedValues(masks)
    _refuse(values, masks)
    policies, hidden, reasons = [], set[tuple[str, str]](), []
    types = {type.id: type for type in model.resource_types}
    for policy in model.policies:
        try:
            policies.append(_policy(values, policy))
        except Hidden as ex:
            policies.append(policy)
            hidden |= {*_pairs(policy, types)}
            reasons.append(f"the policy {quoted(policy.id)} can't be decided: {ex}, and the masks hide that")
    named = replace(_with_entities(values, model), policies=tuple(policies), requests=(), routes=())
    return MaskedModel(named, frozenset(hidden), tuple(reasons))


def _refuse(values: MaskedValues, masks: EnvironmentMasks) -> None:
    seen = [f"$.{'.'.join(path)}" for path in _SEEN if values.touches(path)]
    if seen:
        shown = joined([*map(quoted, seen)], "and")
        raise UnusableMasks(f"the masks hide {shown}, so no record of the log can be decided again")
    if any(path[0] == "options" and path[2:] == () for path, _ in masks.paths):
        raise UnusableMasks("the masks hide `$.options`, on which decisions depend, so no record can be decided again")
    named = [(entity, name) for entity, names in IDENTIFIERS.items() for name in names]
    dropped = [f"$.{'.'.join(path)}" for path in named if values.drops(path)]
    if dropped:
        shown = joined([*map(quoted, dropped)], "and")
        raise UnusableMasks(f"the masks drop {shown}, so no record can be decided again; let masks hash it instead")


def _policy(values: MaskedValues, policy: Policy) -> Policy:
    if not policy.enabled or policy.conditions is None:
        return policy
    return replace(policy, conditions=masked_conditions(values, policy.conditions))


def _pairs(policy: Policy, types: dict[str, ResourceType]) -> Iterator[tuple[str, str]]:
    for scope in policy.resource_types:
        covered = types.values() if scope.resource_type_id == _EVERY else [types[scope.resource_type_id]]
        for type in covered:
            yield from ((type.name or type.id, action) for action in _actions(scope, type))


def _actions(scope: Scope, type: ResourceType) -> tuple[str, ...]:
    return type.actions if _EVERY in scope.actions else scope.actions


def _with_entities(values: MaskedValues, model: Model) -> Model:
    """Returns a model whose subjects and resources have the names that they have in the log."""
    return replace(
        model,
        groups=tuple(_group(values, one) for one in model.groups),
        subjects=tuple(_entity(values, "subject", one) for one in model.subjects),
        resources=tuple(_entity(values, "resource", one) for one in model.resources),
        assignments=tuple(
            one if one.subject is None else replace(one, subject=_subject(values, one.subject))
            for one in model.assignments
        ),
        grants=tuple(_grant(values, one) for one in model.grants),
    )


def _group(values: MaskedValues, group: Group) -> Group:
    members = (
        one if one.id is None else replace(one, id=values.masked(("subject", "id"), one.id)) for one in group.members
    )
    return replace(group, members=tuple(members))


def _entity(values: MaskedValues, kind: str, entity: Any) -> Any:
    """Returns a `Subject` or a `Resource`."""
    assert isinstance(entity, Subject | Resource)
    names = {name: getattr(entity, name) for name in IDENTIFIERS[kind]}
    masked = {name: values.masked((kind, name), value) for name, value in names.items() if value is not None}
    return msgspec.structs.replace(entity, attributes=None, **masked)


def _grant(values: MaskedValues, grant: Grant) -> Grant:
    resource = ResourceRef(grant.resource.type, values.masked(("resource", "id"), grant.resource.id))
    subject = None if grant.subject is None else _subject(values, grant.subject)
    return replace(grant, subject=subject, resource=resource)


def _subject(values: MaskedValues, subject: SubjectRef) -> SubjectRef:
    return SubjectRef(subject.type, values.masked(("subject", "id"), subject.id))
