"""The meaning of `semantics.md`, naive on purpose: every way of asking Writ must agree with it.

Read on in `oracle_entities.py` (E), `oracle_conditions.py` (C1-C7), `oracle_gates.py` (C7-C10) and `oracle_rates.py`
(C10).
Documents and requests are valid ones, and every grant carries its id.
"""

from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

from tests.support.oracle_conditions import Result, attribute_results
from tests.support.oracle_entities import (
    Document,
    Key,
    Question,
    groups_of,
    key_of,
    out_of_reach,
    question,
    resource_key,
    subject_key,
)
from tests.support.oracle_gates import gate_results
from tests.support.oracle_instants import instant
from tests.support.oracle_rates import Counters

PATHS = ("role", "group", "abac")


class Candidate(NamedTuple):
    """A grant or policy that applies to the subject, resource and action of a question."""

    id: str
    kind: str
    effect: str
    path: str
    priority: int
    conditions: dict[str, Any]


def decide(document: Document, request: Document, now: float, counters: Counters | None = None) -> dict[str, Any]:
    """The decision on `request`, and where it is allowed, that on its actors, up to the first denial (A1)."""
    actor = (request.get("options") or {}).get("actor")
    actors = actor if isinstance(actor, list) else [] if actor is None else [actor]
    once = None if counters is None or not actors else Once(counters)
    subject = decide_for_one(document, request, now, once or counters)
    for place, one in enumerate(actors if subject["decision"] else ()):
        other = decide_for_one(document, {**request, "subject": one}, now, once)
        if not other["decision"]:
            return other | {"denied_for": f"actor[{place}]" if isinstance(actor, list) else "actor"}
    return subject


class Once(Counters):
    """Counters of one request: the same subject counts once (A1)."""

    def __init__(self, counters: Counters) -> None:
        self.counters, self.known = counters, dict[Any, Any]()

    def count(self, key: Any, *rest: Any) -> Any:
        """The result of the first time."""
        if key not in self.known:
            self.known[key] = self.counters.count(key, *rest)
        return self.known[key]

    def wait(self, *asked: Any) -> Any:
        """Answers as the counters say."""
        return self.counters.wait(*asked)


def decide_for_one(
    document: Document, request: Document, now: float, counters: Counters | None = None
) -> dict[str, Any]:
    """The decision for the subject at `now` (epoch seconds), as far as the rules name its members (D1-D8, C10)."""
    asked = question(document, request, now)
    if out_of_reach(document, asked):
        return denial("NO_POLICY_MATCH")
    found = candidates(document, asked, asked.action)
    denies = [c for c in found if c.effect == "DENY" and holds(c, asked)]
    limited = [c for c in found if counters and "rate_limit" in c.conditions and holds(c, asked, ("rate_limit",))]
    subject = (*subject_key(asked), None if asked.subject.id else request["subject"]["external_id"])
    keys = {c.id: (c.id, *subject) for c in limited}
    within = [c for c in limited if counters.count(keys[c.id], c.conditions["rate_limit"], now)]
    allows = within + [c for c in found if c.effect == "ALLOW" and holds(c, asked)]
    if denies:
        reported = min(denies, key=lambda c: (-c.priority, c.id))
        return denial("DENY_OVERRIDE" if allows else "EXPLICIT_DENY", denied_by=reported.id)
    if allows:
        reported = min(allows, key=rank)
        answer = {"decision": True, "reason_code": "ALLOWED", "access_path": reported.path}
        return answer | {"policy_id": reported.id}
    if limited:
        waits = [counters.wait(keys[c.id], c.conditions["rate_limit"], now) for c in limited]
        return denial("CONDITION_FAILED") | {"retry_after_seconds": min(waits)}
    if any(c.effect == "ALLOW" for c in found):
        return denial("CONDITION_FAILED")
    others = [action for action in asked.resource_type["actions"] if action != asked.action]
    if any(c.effect == "ALLOW" for other in others for c in candidates(document, asked, other)):
        return denial("ACTION_NOT_PERMITTED")
    return denial("NO_POLICY_MATCH")


def explain(document: Document, request: Document, now: float) -> list[tuple[Any, ...]]:
    """Every candidate as (id, kind, effect, path, held_by, holds, [(section, key, op, holds)]) (D10)."""
    asked = question(document, request, now)
    found = [] if out_of_reach(document, asked) else candidates(document, asked, asked.action)
    return [
        (c.id, c.kind, c.effect, c.path, held_by(document, c, asked), holds(c, asked), results(c, asked)) for c in found
    ]


def held_by(document: Document, candidate: Candidate, asked: Question) -> dict[str, str] | None:
    """The role, and for path `group` the group it is assigned to; of several the smallest role, then group (D10).

    For a grant to a group, the group.
    """
    if candidate.kind == "grant":
        grant = next(g for g in document["grants"] if g["id"] == candidate.id)
        return {"group": grant["group"]} if "group" in grant else None
    if candidate.path not in ("role", "group"):
        return None
    policy = next(p for p in document["policies"] if p["id"] == candidate.id)
    live = [a for a in document.get("assignments", []) if a["role"] in policy["roles"] and in_force(a, asked.now)]
    if candidate.path == "role":
        return {"role": min(a["role"] for a in live if "subject" in a and key_of(a["subject"]) == subject_key(asked))}
    groups = groups_of(document, subject_key(asked))
    role, group = min((a["role"], a["group"]) for a in live if a.get("group") in groups)
    return {"role": role, "group": group}


def lacking(document: Document, request: Document, now: float) -> list[tuple[str, list[str]]]:
    """The ALLOWs on the type and action for roles that the subject has none of, as (id, roles), in order (D10).

    Policies that P6 takes away are in `excluded`."""
    asked = question(document, request, now)
    if out_of_reach(document, asked):
        return []
    held = {role for role, _ in roles_of(document, subject_key(asked), now)}
    found = [
        p
        for p in document.get("policies", [])
        if p["effect"] == "ALLOW" and "roles" in p and held.isdisjoint(p["roles"])
        if held.isdisjoint(p.get("except_roles", []))
        if policy_path(document, for_everyone(p), asked, asked.action)
    ]
    return [(p["id"], sorted(set(p["roles"]))) for p in sorted(found, key=lambda p: (-p.get("priority", 0), p["id"]))]


def excluded(document: Document, request: Document, now: float) -> list[tuple[str, list[str]]]:
    """The policies on the type and action with exceptions that the subject holds, as (id, these roles) (D10, P6)."""
    asked = question(document, request, now)
    if out_of_reach(document, asked):
        return []
    held = {role for role, _ in roles_of(document, subject_key(asked), now)}
    found = [
        p
        for p in document.get("policies", [])
        if not held.isdisjoint(p.get("except_roles", []))
        if policy_path(document, for_everyone(p), asked, asked.action)
    ]
    in_order = sorted(found, key=lambda p: (-p.get("priority", 0), p["id"]))
    return [(p["id"], sorted(held & set(p["except_roles"]))) for p in in_order]


def for_everyone(policy: Document) -> Document:
    """The same policy without roles and exceptions."""
    return {key: value for key, value in policy.items() if key not in ("roles", "except_roles")}


def denial(reason_code: str, **by: str) -> dict[str, Any]:
    """A denial: its access path is `none` (D1, D2, D4-D6)."""
    return {"decision": False, "reason_code": reason_code, "access_path": "none", **by}


def rank(candidate: Candidate) -> tuple[Any, ...]:
    """Smallest is reported: a direct grant, then priority, then path, then id by code point (D8)."""
    if candidate.kind == "grant":
        return (0, candidate.id)
    return (1, -candidate.priority, PATHS.index(candidate.path), candidate.id)


def holds(candidate: Candidate, asked: Question, open_gates: Collection[str] = ()) -> bool:
    """Returns whether all conditions of the candidate hold, undecided gates as F2 says."""
    return all(held for _, _, _, held in results(candidate, asked, open_gates))


def results(candidate: Candidate, asked: Question, open_gates: Collection[str] = ()) -> list[Result]:
    """Each condition of the candidate and whether it holds; a direct grant has none (D10)."""
    conditions = candidate.conditions
    return attribute_results(conditions, candidate.effect, asked) + gate_results(
        conditions, candidate.effect, asked, open_gates
    )


def candidates(document: Document, asked: Question, action: str) -> list[Candidate]:
    """The grants and policies that apply to the subject and resource of `asked` and to `action` (D)."""
    return [
        Candidate(g["id"], "grant", "ALLOW", "direct", 0, {})
        for g in document.get("grants", [])
        if grant_applies(document, g, asked, action)
    ] + [
        Candidate(p["id"], "policy", p["effect"], path, p.get("priority", 0), p.get("conditions", {}))
        for p in document.get("policies", [])
        if (path := policy_path(document, p, asked, action))
    ]


def grant_applies(document: Document, grant: Document, asked: Question, action: str) -> bool:
    """A grant of this subject or of a group of it, on this resource, that covers the action, in force (P4, P7)."""
    subject = subject_key(asked)
    return (
        (grant["group"] in groups_of(document, subject) if "group" in grant else key_of(grant["subject"]) == subject)
        and key_of(grant["resource"]) == resource_key(asked)
        and in_force(grant, asked.now)
        and covers(grant["actions"], asked.resource_type, action)
    )


def policy_path(document: Document, policy: Document, asked: Question, action: str) -> str | None:
    """The path by which an enabled policy applies to subject, type and action, or None (P1, P2, P5, P6)."""
    entries = [e for e in policy["resource_types"] if e["resource_type_id"] in ("*", asked.resource_type["id"])]
    if not policy.get("enabled", True):
        return None
    if not any(covers(entry["actions"], asked.resource_type, action) for entry in entries):
        return None
    held = roles_of(document, subject_key(asked), asked.now)
    if any(role in policy.get("except_roles", []) for role, _ in held):
        return None
    if "roles" not in policy:
        return "abac"
    paths = {path for role, path in held if role in policy["roles"]}
    return "role" if "role" in paths else "group" if "group" in paths else None


def covers(actions: list[str], resource_type: Document, action: str) -> bool:
    """Returns whether a list of actions covers one of the type; `*` is every declared action, no other (P1)."""
    return action in resource_type["actions"] and ("*" in actions or action in actions)


def roles_of(document: Document, subject: Key, now: float) -> set[tuple[str, str]]:
    """The (role, path) pairs that a subject holds, itself or through a group (P2, P3, P4)."""
    groups = groups_of(document, subject)
    live = [a for a in document.get("assignments", []) if in_force(a, now)]
    return {(a["role"], "role") for a in live if "subject" in a and key_of(a["subject"]) == subject} | {
        (a["role"], "group") for a in live if "group" in a and a["group"] in groups
    }


def in_force(fact: Document, now: float) -> bool:
    """Returns whether a grant or assignment counts: from its start on, no longer at the instant of its expiry (P4)."""
    started = "starts_at" not in fact or instant(fact["starts_at"]) <= Fraction(now)
    return started and ("expires_at" not in fact or Fraction(now) < instant(fact["expires_at"]))
