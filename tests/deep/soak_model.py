"""The model of the soak, its questions with the oracle's answers, and the models that hostile callers write."""

from typing import Any

from tests.support import oracle

Document = dict[str, Any]

BOUND = "hostile"
"""The environment that hostile callers write to."""

ROLES, SUBJECTS = 20, 200
TYPES = [{"resource_type_id": "document", "actions": ["read", "edit"]}]


def model() -> Document:
    """Roles with conditions, subjects with one or two of them, some grants; no clock."""
    return {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read", "edit", "drop"]}],
        "roles": [{"id": f"r{number}"} for number in range(ROLES)],
        "subjects": [{"type": "user", "id": f"u{number}"} for number in range(SUBJECTS)],
        "assignments": [assignment(number % ROLES, number) for number in range(SUBJECTS)]
        + [assignment((7 * number + 1) % ROLES, number) for number in range(0, SUBJECTS, 2)],
        "grants": [
            {"id": f"g{number}", "subject": user(number), "resource": document(number), "actions": ["drop"]}
            for number in range(0, SUBJECTS, 5)
        ],
        "policies": [policy(number) for number in range(ROLES)] + [secret()],
    }


def user(number: int) -> Document:
    """A reference to a subject."""
    return {"type": "user", "id": f"u{number}"}


def document(number: int) -> Document:
    """A reference to a resource."""
    return {"type": "document", "id": f"d{number}"}


def assignment(role: int, number: int) -> Document:
    """A role of a subject."""
    return {"id": f"a{role}-{number}", "role": f"r{role}", "subject": user(number)}


def policy(number: int) -> Document:
    """A role's policy, with one condition."""
    condition = {"key": "level", "op": "lt", "value": number % 7}
    return {
        "id": f"p{number}",
        "effect": "ALLOW",
        "roles": [f"r{number}"],
        "resource_types": TYPES,
        "conditions": {"resource_attrs": [condition]},
    }


def secret() -> Document:
    """A DENY for all."""
    conditions = {"resource_attrs": [{"key": "secret", "op": "eq", "value": True}]}
    return {"id": "secret", "effect": "DENY", "resource_types": TYPES, "conditions": conditions}


def questions() -> list[tuple[Document, Document]]:
    """Requests of ordinary callers, each with its right answer."""
    asked = []
    for number in range(0, SUBJECTS, 2):
        for action in ("read", "drop"):
            resource = document(number) | {"properties": {"level": number % 9, "secret": number % 11 == 0}}
            asked.append({"subject": user(number), "action": {"name": action}, "resource": resource})
    given = model()
    return [(request, oracle.decide(given, request, 0.0)) for request in asked]


def tiny_model() -> Document:
    """The smallest model in which something can be asked."""
    policies = [{"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["*"]}]}]
    return {"model": 1, "resource_types": [{"id": "document", "actions": ["read"]}], "policies": policies}


def patterns_model(policies: int, each: int, salt: int) -> Document:
    """Many policies of many distinct regular expressions."""

    def conditions(number: int) -> Document:
        keys = [
            {"key": f"k{place}", "op": "regex", "value": f"^(a|b{salt}){{1,40}}x{number}y{place}[c-z]{{1,30}}$"}
            for place in range(each)
        ]
        return {"resource_attrs": keys}

    found = tiny_model()
    types = found["policies"][0]["resource_types"]
    found["policies"] = [
        {"id": f"p{number}", "effect": "ALLOW", "resource_types": types, "conditions": conditions(number)}
        for number in range(policies)
    ]
    return found
