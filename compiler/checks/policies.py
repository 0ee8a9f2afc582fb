"""Checks the lists of policies, the number of their conditions, and that no DENY has a rate limit (P1, P2, P6, C10)."""

from collections.abc import Iterator

from ...bundles.program.clauses import ATTRIBUTE_SECTIONS
from ...bundles.wording import Path, quoted
from ..diagnostics.diagnostic import Finding
from ..model.elements import Conditions, Policy
from .draft import Draft


def check_policies(draft: Draft) -> Iterator[Finding]:
    """Finds empty lists, a role that is an exception too, too many conditions, and a rate limit on a DENY."""
    for index, policy in enumerate(draft.model.policies):
        path = ("policies", index)
        yield from _empty_lists(policy, path)
        if policy.conditions is not None:
            yield from _conditions(policy, policy.conditions, (*path, "conditions"), draft.limits.policy_conditions)


def _empty_lists(policy: Policy, path: Path) -> Iterator[Finding]:
    if policy.roles == ():
        message = "a policy with an empty list of roles applies to no subject"
        yield Finding("empty", message, (*path, "roles"), "leave `roles` out to mean everyone")
    if policy.except_roles == ():
        message = "an empty list of exceptions excludes no subject"
        yield Finding("empty", message, (*path, "except_roles"), "leave `except_roles` out to exclude none")
    for index, role in enumerate(policy.except_roles or ()):
        if role in (policy.roles or ()):
            message = f"the role {quoted(role)} is in `roles` too, so the policy never applies to its holders"
            yield Finding("excepted-role", message, (*path, "except_roles", index), "leave it out of one of the lists")
    if not policy.resource_types:
        yield Finding("empty", "a policy without a resource type applies to no resource", (*path, "resource_types"))
    for index, scope in enumerate(policy.resource_types):
        if not scope.actions:
            message = "a policy without an action on a resource type does not apply to that type"
            at = (*path, "resource_types", index, "actions")
            yield Finding("empty", message, at, "write `*` to mean every action")


def _conditions(policy: Policy, conditions: Conditions, path: Path, limit: int) -> Iterator[Finding]:
    gates = (conditions.time_window, conditions.ip_allowlist, conditions.rate_limit)
    count = sum(len(getattr(conditions, section) or ()) for section in ATTRIBUTE_SECTIONS)
    count += sum(gate is not None for gate in gates)
    if count > limit:
        yield Finding("too-many-conditions", f"the policy has {count} conditions, the limit is {limit}", path)
    if conditions.rate_limit is not None and policy.effect == "DENY":
        message = "a DENY can't have a rate limit"
        yield Finding("deny-rate-limit", message, (*path, "rate_limit"), "limit the ALLOW", at_key=True)
