"""The words of a decision: contexts made once, copied into every response (contract 2.5, rules D1 to D8)."""

from dataclasses import dataclass
from functools import lru_cache

from ...bundles.program.clauses import Clause

REMEMBERED_GRANTS = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A decision and its `context`, made once and shared: who gives the context out copies it."""

    allowed: bool
    context: dict[str, str]


DIRECT, ROLE, GROUP, ABAC = "direct", "role", "group", "abac"
PATH_RANK = {ROLE: 0, GROUP: 1, ABAC: 2}
"""Which path is reported first among policies of one priority (D8)."""

_THROUGH = {ROLE: "through a role of the subject", GROUP: "through a role of a group", ABAC: "without a role"}


def _refusal(reason_code: str, reason: str, **more: str) -> Answer:
    return Answer(False, {"reason": reason, "reason_code": reason_code, "access_path": "none", **more})


NOT_DECLARED = _refusal("NO_POLICY_MATCH", "the resource type is not declared")
NOT_REGISTERED = _refusal("NO_POLICY_MATCH", "the resource type is closed and the resource is not registered")
NO_POLICY_MATCH = _refusal("NO_POLICY_MATCH", "no policy and no grant applies to this subject, resource and action")
ACTION_NOT_PERMITTED = _refusal(
    "ACTION_NOT_PERMITTED", "what applies to the subject on this resource covers other actions, not this one"
)


def allowed(clause: Clause, path: str) -> Answer:
    """An ALLOW holds and no DENY does (D3)."""
    return _permission(clause.policy, path, f"{_title(clause)} allows it {_THROUGH[path]}")


@lru_cache(REMEMBERED_GRANTS)
def granted(grant: str) -> Answer:
    """A direct grant covers it and no DENY holds (D3)."""
    return _permission(grant, DIRECT, f"grant `{grant}` allows it directly")


def denied(clause: Clause, overrides: bool) -> Answer:
    """A DENY holds, and it overrides something or there is nothing to override (D1, D2)."""
    if overrides:
        reason = f"{_title(clause)} denies it, which overrides what allows it"
        return _refusal("DENY_OVERRIDE", reason, denied_by=clause.policy)
    return _refusal("EXPLICIT_DENY", f"{_title(clause)} denies it", denied_by=clause.policy)


def condition_failed(clause: Clause, others: int) -> Answer:
    """Some ALLOW covers it, and no conditions hold (D4); `clause` is the first of them."""
    rest = f", nor do those of {others} more" if others else ""
    return _refusal("CONDITION_FAILED", f"the conditions of {_title(clause)} do not hold{rest}")


def _permission(id: str, path: str, reason: str) -> Answer:
    return Answer(True, {"reason": reason, "reason_code": "ALLOWED", "access_path": path, "policy_id": id})


def _title(clause: Clause) -> str:
    return (
        f"policy `{clause.name}` (`{clause.policy}`)"
        if clause.name not in ("", clause.policy)
        else f"policy `{clause.policy}`"
    )
