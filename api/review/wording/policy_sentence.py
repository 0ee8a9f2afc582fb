"""Says in plain words what a policy does, for people who never read policies (P1 to P6, C1 to C10, X1).

A sentence has every condition and every gate of the policy. It never says more than the policy does: an attribute that
must be there is said to have a value (C2). What an unreadable time, address or reference does to a DENY is said too
(C7, X2).
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

import msgspec

from ....bundles.conditions.references import NOW
from ....bundles.wording import quoted
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import Condition, Conditions, Policy, RateLimit, Scope
from .comparison_words import predicate
from .now_words import predicate_of_now
from .plain_values import MOST_LISTED, OWNERS, counted, listed
from .referred_words import may_be_unreadable, predicate_of_reference, referred
from .window_words import window_words

_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def policy_sentence(policy: Policy) -> str:
    """Returns what a policy without faults does, as one sentence, and its priority and state if they are not usual.

    >>> from writ.compiler.model.elements import Condition, Conditions, Policy, Scope
    >>> draft = Conditions(resource_attrs=(Condition("kind", "eq", "a"),))
    >>> policy_sentence(Policy("p7", "ALLOW", (Scope("document", ("update",)),), roles=("editor",), conditions=draft))
    'Allows everyone with the role `editor` to do `update` on any `document`, if the `kind` of the resource is "a".'
    """
    conditions = policy.conditions or Conditions()
    required = ", and ".join(_required(conditions, policy.effect))
    rate = "" if conditions.rate_limit is None else f", {_rate(conditions.rate_limit)}"
    said = f"{_effect(policy)}{f', if {required}' if required else ''}{rate}."
    if policy.priority:
        said += f" Its priority is {policy.priority}."
    return said if policy.enabled else f"{said} The policy is disabled, so it has no effect."


def _effect(policy: Policy) -> str:
    whom = "everyone" if policy.roles is None else f"everyone with {_roles(policy.roles)}"
    if policy.except_roles:
        whom += f"{',' if policy.roles else ''} except those with {_roles(policy.except_roles)}"
        whom += "," if policy.roles and policy.effect == "ALLOW" else ""
    if policy.effect == "ALLOW":
        return f"Allows {whom} to do {_scopes(policy.resource_types)}"
    return f"Denies {_scopes(policy.resource_types)} to {whom}"


def _roles(roles: Sequence[str]) -> str:
    if len(roles) == 1:
        return f"the role {quoted(roles[0])}"
    return f"one of the roles {listed([quoted(role) for role in roles], 'or')}"


def _scopes(scopes: Sequence[Scope]) -> str:
    grouped = [(actions, [*found]) for actions, found in groupby(scopes, attrgetter("actions"))]
    shown = [_scope(actions, found) for actions, found in grouped[:MOST_LISTED]]
    more = sum(len(found) for _, found in grouped[MOST_LISTED:])
    return ", and ".join([*shown, f"actions on {more} more types"] if more else shown)


def _scope(actions: Sequence[str], scopes: Sequence[Scope]) -> str:
    done = "every action" if EVERYTHING in actions else listed([quoted(action) for action in actions], "and")
    types = [scope.resource_type_id for scope in scopes]
    if EVERYTHING in types:
        return f"{done} on any resource"
    return f"{done} on any {listed([quoted(type) for type in types], 'or')}"


def _required(conditions: Conditions, effect: str) -> Iterator[str]:
    """Yields what must hold, but for a rate limit."""
    for section, owner in OWNERS.items():
        for condition in getattr(conditions, section) or ():
            yield f"the {quoted(condition.key)} of the {owner} {_compared(condition, effect)}"
    unreadable = " (or is sent and can't be read)" if effect == "DENY" else ""
    if conditions.time_window is not None:
        yield f"the time is {window_words(msgspec.to_builtins(conditions.time_window))}{unreadable}"
    if conditions.ip_allowlist is not None:
        blocks = conditions.ip_allowlist
        one_of = "one of " if len(blocks) > 1 else ""
        yield f"the IP address in the context is within {one_of}{listed(blocks, 'or')}{unreadable}"


def _compared(condition: Condition, effect: str) -> str:
    op, value_of = condition.op, condition.value_of
    if value_of is None:
        return predicate(op, condition.value).holds
    if value_of == NOW:
        unread = " (or has a value or a time that can't be read)" if effect == "DENY" else ""
        return predicate_of_now(op).holds + unread
    said = predicate_of_reference(op, referred(value_of)).holds
    is_open = effect == "DENY" and may_be_unreadable(op, value_of)
    return f"{said} (or has any value, if the other is missing or does not fit)" if is_open else said


def _rate(limit: RateLimit) -> str:
    unit, seconds = next(one for one in _UNITS if limit.window_seconds % one[1] == 0)
    times = counted(limit.limit, "time")
    return f"up to {times} in {counted(limit.window_seconds // seconds, unit)} for each subject"
