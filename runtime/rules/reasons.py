"""The answers of decisions: each `context` is made once and copied into every response (contract 2.5, D1 to D8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import msgspec

from ...bundles.program.clauses import Clause
from ..decision import Decision, SharedContext

CACHED_GRANTS = 65_536


class ReasonCode(StrEnum):
    """The reason code of a decision (contract 2.5, D1 to D6). Answers contain its text."""

    ALLOWED = "ALLOWED"
    NO_POLICY_MATCH = "NO_POLICY_MATCH"
    DENY_OVERRIDE = "DENY_OVERRIDE"
    EXPLICIT_DENY = "EXPLICIT_DENY"
    CONDITION_FAILED = "CONDITION_FAILED"
    ACTION_NOT_PERMITTED = "ACTION_NOT_PERMITTED"


class AccessPath(StrEnum):
    """The path by which a permission reaches a subject (D8). Answers contain its text. A denial has `NONE`."""

    DIRECT = "direct"
    ROLE = "role"
    GROUP = "group"
    ABAC = "abac"
    NONE = "none"


PolicyPath: TypeAlias = Literal[AccessPath.ROLE, AccessPath.GROUP, AccessPath.ABAC]
"""The path of a policy: a role of the subject, a role of a group, or none."""

GrantingPath: TypeAlias = PolicyPath | Literal[AccessPath.DIRECT]
"""The path of a permission."""


Context: TypeAlias = dict[str, Any]
"""The `context` of an answer: texts, and the seconds of `retry_after_seconds`."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A decision and its `context`. Answers are shared, so a response gets a copy of the context, or the JSON."""

    allowed: bool
    context: Context
    rates: Mapping[str, int] = field(default_factory=dict)
    """By policy, the number of this evaluation in the window of a rate limit that was asked for it (C10)."""
    reason_code: str = field(init=False)
    """The text of its reason code."""
    encoded: bytes = field(init=False)
    """The decision response as JSON. PERF: it is made once, since most answers are shared. A property is slower."""

    def __post_init__(self) -> None:
        response = {"decision": self.allowed, "context": self.context}
        object.__setattr__(self, "reason_code", self.context["reason_code"])
        object.__setattr__(self, "encoded", msgspec.json.encode(response))

    @cached_property
    def decision(self) -> Decision:
        """The answer as a value that application code gets. All who get it share it."""
        return Decision.of({"decision": self.allowed, "context": SharedContext(self.context)})


PATH_RANK: dict[PolicyPath, int] = {AccessPath.ROLE: 0, AccessPath.GROUP: 1, AccessPath.ABAC: 2}
"""The order in which paths are reported among policies of one priority (D8)."""

_THROUGH: dict[PolicyPath, str] = {
    AccessPath.ROLE: "through a role of the subject",
    AccessPath.GROUP: "through a role of a group",
    AccessPath.ABAC: "without a role",
}


def _context(code: ReasonCode, path: AccessPath, reason: str) -> Context:
    """Returns the members of every context as plain text: callers may pickle an answer or write it as YAML.

    PERF: the value of a member is one object for all answers. `str` would make a new one.
    """
    return {"reason": reason, "reason_code": code.value, "access_path": path.value}


def _refusal(code: ReasonCode, reason: str, **more: str | int) -> Answer:
    return Answer(False, _context(code, AccessPath.NONE, reason) | more)


NO_TYPE, NO_ACTION = (
    "the model declares no resource type with this name",
    "the resource type does not declare the action",
)

NOT_DECLARED = _refusal(ReasonCode.NO_POLICY_MATCH, NO_TYPE)
NOT_REGISTERED = _refusal(ReasonCode.NO_POLICY_MATCH, "the resource type is closed and the resource is not registered")
NO_POLICY_MATCH = _refusal(
    ReasonCode.NO_POLICY_MATCH, "no policy and no grant applies to this subject, resource and action"
)
ACTION_NOT_PERMITTED = _refusal(
    ReasonCode.ACTION_NOT_PERMITTED, "what applies to the subject on this resource covers other actions, not this one"
)
ACTION_NOT_DECLARED = _refusal(ReasonCode.NO_POLICY_MATCH, NO_ACTION)
FOR_OTHER_ACTIONS = {
    NO_POLICY_MATCH: ACTION_NOT_PERMITTED,
    ACTION_NOT_DECLARED: _refusal(ReasonCode.ACTION_NOT_PERMITTED, NO_ACTION),
}
"""The answer instead, if something applies to the subject on this resource for another action (D5)."""


def allowed(clause: Clause, path: PolicyPath) -> Answer:
    """Returns the answer if an ALLOW holds and no DENY does (D3)."""
    return _permission(clause.policy, path, f"{_title(clause)} allows it {_THROUGH[path]}")


@lru_cache(CACHED_GRANTS)
def granted(grant: str) -> Answer:
    """Returns the answer if a direct grant covers the action and no DENY holds (D3)."""
    return _permission(grant, AccessPath.DIRECT, f"grant `{grant}` allows it directly")


def denied(clause: Clause, overrides: bool) -> Answer:
    """Returns the answer if a DENY holds. `overrides` says whether an ALLOW or a grant holds too (D1, D2)."""
    if overrides:
        reason = f"{_title(clause)} denies it, which overrides what allows it"
        return _refusal(ReasonCode.DENY_OVERRIDE, reason, denied_by=clause.policy)
    return _refusal(ReasonCode.EXPLICIT_DENY, f"{_title(clause)} denies it", denied_by=clause.policy)


def condition_failed(clause: Clause, others: int) -> Answer:
    """Returns the answer if ALLOWs apply but none holds (D4): `clause` is the first, `others` counts the rest."""
    rest = f", nor do those of {others} more" if others else ""
    return _refusal(ReasonCode.CONDITION_FAILED, f"the conditions of {_title(clause)} do not hold{rest}")


def limit_reached(clause: Clause, others: int, seconds: int) -> Answer:
    """Returns the answer if no ALLOW holds, and some fail by their rate limits alone (D4, C10).

    `clause` is the one of them that may hold again first, after `seconds`. `others` counts the other ALLOWs.
    """
    rest = f", and the conditions of {others} more do not hold" if others else ""
    reason = f"the rate limit of {_title(clause)} is reached{rest}"
    return _refusal(ReasonCode.CONDITION_FAILED, reason, retry_after_seconds=seconds)


def _permission(id: str, path: GrantingPath, reason: str) -> Answer:
    return Answer(True, _context(ReasonCode.ALLOWED, path, reason) | {"policy_id": id})


def _title(clause: Clause) -> str:
    return (
        f"policy `{clause.name}` (`{clause.policy}`)"
        if clause.name not in ("", clause.policy)
        else f"policy `{clause.policy}`"
    )
