"""The words of a decision: contexts made once, copied into every response (contract 2.5, rules D1 to D8)."""

from typing import Any, TypeAlias

from bundles.program import Clause

Answer: TypeAlias = dict[str, Any]
"""A decision's `context`, shared: who gives it out copies it."""

ROLE, GROUP, ABAC = "role", "group", "abac"
PATH_RANK = {ROLE: 0, GROUP: 1, ABAC: 2}
"""Which path is reported first among policies of one priority (D8)."""

_THROUGH = {ROLE: "through a role of the subject", GROUP: "through a role of a group", ABAC: "without a role"}

NOT_DECLARED: Answer = {
    "reason": "the resource type is not declared",
    "reason_code": "NO_POLICY_MATCH",
    "access_path": "none",
}
NOT_REGISTERED: Answer = {
    "reason": "the resource type is closed and the resource is not registered",
    "reason_code": "NO_POLICY_MATCH",
    "access_path": "none",
}
NO_POLICY_MATCH: Answer = {
    "reason": "no policy and no grant applies to this subject, resource and action",
    "reason_code": "NO_POLICY_MATCH",
    "access_path": "none",
}
ACTION_NOT_PERMITTED: Answer = {
    "reason": "the subject is permitted other actions on the resource, but not this one",
    "reason_code": "ACTION_NOT_PERMITTED",
    "access_path": "none",
}


def allowed(clause: Clause, path: str) -> Answer:
    """An ALLOW holds and no DENY does (D3)."""
    return {
        "reason": f"{_title(clause)} allows it {_THROUGH[path]}",
        "reason_code": "ALLOWED",
        "access_path": path,
        "policy_id": clause.policy,
    }


def granted(grant: str) -> Answer:
    """A direct grant covers it and no DENY holds (D3)."""
    return {
        "reason": f"grant `{grant}` allows it directly",
        "reason_code": "ALLOWED",
        "access_path": "direct",
        "policy_id": grant,
    }


def denied(clause: Clause, overrides: bool) -> Answer:
    """A DENY holds, and it overrides something or there is nothing to override (D1, D2)."""
    return {
        "reason": f"{_title(clause)} denies it" + (", which overrides what allows it" if overrides else ""),
        "reason_code": "DENY_OVERRIDE" if overrides else "EXPLICIT_DENY",
        "access_path": "none",
        "denied_by": clause.policy,
    }


def condition_failed(clause: Clause, others: int) -> Answer:
    """Some ALLOW covers it, and no conditions hold (D4); `clause` is the first of them."""
    rest = f", nor do those of {others} more" if others else ""
    return {
        "reason": f"the conditions of {_title(clause)} do not hold{rest}",
        "reason_code": "CONDITION_FAILED",
        "access_path": "none",
    }


def _title(clause: Clause) -> str:
    return (
        f"policy `{clause.name}` (`{clause.policy}`)"
        if clause.name not in ("", clause.policy)
        else f"policy `{clause.policy}`"
    )
