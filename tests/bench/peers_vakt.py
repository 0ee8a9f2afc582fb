"""The same model for vakt: one guard over a memory storage for each type and action, with rules as conditions.

vakt knows no groups: a subject comes with the roles that it holds, groups followed already.
"""

from collections.abc import Callable
from typing import Any

from vakt import DENY_ACCESS, Guard, Inquiry, MemoryStorage, Policy, PolicyAllow, RulesChecker
from vakt.rules import Any as Anything
from vakt.rules import AnyIn, Eq, GreaterOrEqual, In
from vakt.rules.base import Rule

from tests.bench.models import Document, covers

Prepared = tuple[Guard, Inquiry]


class Vakt:
    """Decides requests by guards made when a type and action are first asked for."""

    def __init__(self, document: Document, roles: Callable[[Document], list[str]]):
        """`roles` gives the roles of a subject."""
        self._policies, self._roles = document["policies"], roles
        self._guards: dict[tuple[str, str], Guard] = {}
        self._held: dict[str, list[str]] = {}

    def decide(self, request: Document) -> bool:
        """From the same dictionary that Writ gets."""
        return bool(self._guard(request).is_allowed(self._inquiry(request)))

    def prepare(self, request: Document) -> Prepared:
        """Everything that could be made before the request comes, were it known already."""
        return self._guard(request), self._inquiry(request)

    def _inquiry(self, request: Document) -> Inquiry:
        subject = request["subject"]
        held = self._held.get(subject["id"])
        if held is None:
            held = self._held[subject["id"]] = self._roles(subject)
        return Inquiry(
            action=request["action"]["name"],
            subject={**subject["properties"], "roles": held},
            resource=request["resource"]["properties"],
            context=request["context"],
        )

    def _guard(self, request: Document) -> Guard:
        key = request["resource"]["type"], request["action"]["name"]
        guard = self._guards.get(key)
        if guard is None:
            storage = MemoryStorage()
            for row in self._policies:
                if covers(row, *key):
                    storage.add(_policy(row))
            guard = self._guards[key] = Guard(storage, RulesChecker())
        return guard


def decide_prepared(guard: Guard, inquiry: Inquiry) -> bool:
    """What is left to do for a prepared request."""
    return bool(guard.is_allowed(inquiry))


def _policy(row: Document) -> Policy:
    """One policy; the guard has fixed the type and the action, so anything fits there. Roles come first."""
    conditions = row.get("conditions", {})
    subject: dict[str, Rule] = {"roles": AnyIn(*row["roles"])} if "roles" in row else {}
    subject |= _rules(conditions.get("subject_attrs", []))
    resource = _rules(conditions.get("resource_attrs", []))
    parts: dict[str, Any] = {
        "actions": [Anything()],
        "subjects": [subject or Anything()],
        "resources": [resource or Anything()],
        "context": _rules(conditions.get("context_attrs", [])),
    }
    if row["effect"] == "ALLOW":
        return PolicyAllow(row["id"], **parts)
    return Policy(row["id"], effect=DENY_ACCESS, **parts)


def _rules(conditions: list[Document]) -> dict[str, Rule]:
    return {condition["key"]: _rule(condition["op"], condition["value"]) for condition in conditions}


def _rule(op: str, value: Any) -> Rule:
    match op:
        case "eq":
            return Eq(value)
        case "gte":
            return GreaterOrEqual(value)
        case "in":
            return In(*value)
    raise ValueError(f"unknown operator `{op}`")
