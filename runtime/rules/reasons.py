"""The words of a decision: contexts made once, copied into every response (contract 2.5, rules D1 to D8)."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal, TypeAlias

from ...bundles.program.clauses import Clause

REMEMBERED_GRANTS = 65_536


class ReasonCode(StrEnum):
    """Why a decision is what it is (contract 2.5, rules D1 to D6). Answers carry its text."""

    ALLOWED = "ALLOWED"
    NO_POLICY_MATCH = "NO_POLICY_MATCH"
    DENY_OVERRIDE = "DENY_OVERRIDE"
    EXPLICIT_DENY = "EXPLICIT_DENY"
    CONDITION_FAILED = "CONDITION_FAILED"
    ACTION_NOT_PERMITTED = "ACTION_NOT_PERMITTED"


class AccessPath(StrEnum):
    """How a permission reaches a subject (rule D8). Answers carry its text; `NONE` stands in denials."""

    DIRECT = "direct"
    ROLE = "role"
    GROUP = "group"
    ABAC = "abac"
    NONE = "none"


PolicyPath: TypeAlias = Literal[AccessPath.ROLE, AccessPath.GROUP, AccessPath.ABAC]
"""How a policy applies to a subject: through its own role, through a group's role, or to everyone."""

GrantingPath: TypeAlias = PolicyPath | Literal[AccessPath.DIRECT]
"""How a subject gets a permission."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A decision and its `context`, made once and shared: who gives the context out copies it."""

    allowed: bool
    context: dict[str, str]


PATH_RANK: dict[PolicyPath, int] = {AccessPath.ROLE: 0, AccessPath.GROUP: 1, AccessPath.ABAC: 2}
"""Which path is reported first among policies of one priority (D8)."""

_THROUGH: dict[PolicyPath, str] = {
    AccessPath.ROLE: "through a role of the subject",
    AccessPath.GROUP: "through a role of a group",
    AccessPath.ABAC: "without a role",
}


_ALLOWED = str(ReasonCode.ALLOWED)
_NONE = str(AccessPath.NONE)
"""Contexts hold plain text: callers may pickle an answer, or write it as YAML."""


def _refusal(code: ReasonCode, reason: str, **more: str) -> Answer:
    return Answer(False, {"reason": reason, "reason_code": str(code), "access_path": _NONE, **more})


NOT_DECLARED = _refusal(ReasonCode.NO_POLICY_MATCH, "the resource type is not declared")
NOT_REGISTERED = _refusal(ReasonCode.NO_POLICY_MATCH, "the resource type is closed and the resource is not registered")
NO_POLICY_MATCH = _refusal(
    ReasonCode.NO_POLICY_MATCH, "no policy and no grant applies to this subject, resource and action"
)
ACTION_NOT_PERMITTED = _refusal(
    ReasonCode.ACTION_NOT_PERMITTED, "what applies to the subject on this resource covers other actions, not this one"
)


def allowed(clause: Clause, path: PolicyPath) -> Answer:
    """An ALLOW holds and no DENY does (D3)."""
    return _permission(clause.policy, path, f"{_title(clause)} allows it {_THROUGH[path]}")


@lru_cache(REMEMBERED_GRANTS)
def granted(grant: str) -> Answer:
    """A direct grant covers it and no DENY holds (D3)."""
    return _permission(grant, AccessPath.DIRECT, f"grant `{grant}` allows it directly")


def denied(clause: Clause, overrides: bool) -> Answer:
    """A DENY holds, and it overrides something or there is nothing to override (D1, D2)."""
    if overrides:
        reason = f"{_title(clause)} denies it, which overrides what allows it"
        return _refusal(ReasonCode.DENY_OVERRIDE, reason, denied_by=clause.policy)
    return _refusal(ReasonCode.EXPLICIT_DENY, f"{_title(clause)} denies it", denied_by=clause.policy)


def condition_failed(clause: Clause, others: int) -> Answer:
    """Some ALLOW covers it, and no conditions hold (D4); `clause` is the first of them."""
    rest = f", nor do those of {others} more" if others else ""
    return _refusal(ReasonCode.CONDITION_FAILED, f"the conditions of {_title(clause)} do not hold{rest}")


def _permission(id: str, path: GrantingPath, reason: str) -> Answer:
    return Answer(True, {"reason": reason, "reason_code": _ALLOWED, "access_path": str(path), "policy_id": id})


def _title(clause: Clause) -> str:
    return (
        f"policy `{clause.name}` (`{clause.policy}`)"
        if clause.name not in ("", clause.policy)
        else f"policy `{clause.policy}`"
    )
