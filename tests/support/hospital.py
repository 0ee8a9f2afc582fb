"""A hospital's model: 30 policies, 20 people, nested groups, terms, a break-glass policy and a denial for VIPs."""

from typing import Any

Document = dict[str, Any]

TYPES = {
    "chart": ["read", "write", "sign"],
    "medication": ["prescribe", "dispense"],
    "lab_result": ["read", "order", "release"],
    "bed": ["assign", "clean"],
    "invoice": ["read", "approve"],
}
ROLES = ("nurse", "doctor", "pharmacist", "lab_tech", "clerk", "cleaner", "billing", "auditor", "privacy", "student")
WARDS = {"ward_a": ("ruth", "ann", "omar", "lise", "tove"), "ward_b": ("kari", "nils")}
DOCTORS = ("bob", "eva", "ian")
OTHERS = {"pharmacist": "per", "lab_tech": "mia", "clerk": "sam", "cleaner": "ole", "billing": "liv", "auditor": "kim"}
EXTRA = ("zoe", "max", "pia", "jon")
TERM = "2027-07-01T00:00:00Z"
HOURS = {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "08:00", "end": "16:00", "timezone": "Europe/Oslo"}


def user(id: str) -> Document:
    """A reference to a person."""
    return {"type": "user", "id": id}


def policy(id: str, roles: str, type: str, actions: str, effect: str = "ALLOW", **conditions: Any) -> Document:
    """A policy for some roles, separated by spaces. None means everyone."""
    found: Document = {"id": id, "effect": effect}
    found["resource_types"] = [{"resource_type_id": type, "actions": actions.split()}]
    return found | ({"roles": roles.split()} if roles else {}) | ({"conditions": conditions} if conditions else {})


def equal(key: str, value: Any, op: str = "eq") -> Document:
    """A comparison."""
    return {"key": key, "op": op, "value": value}


def hospital() -> Document:
    """The model."""
    groups = [{"id": ward, "members": [user(one) for one in people]} for ward, people in WARDS.items()]
    groups += [
        {"id": "wards", "members": [{"group": ward} for ward in WARDS]},
        {"id": "physicians", "members": [user(one) for one in DOCTORS]},
        {"id": "pharmacy", "members": [user(OTHERS["pharmacist"])]},
    ]
    assignments: list[Document] = [{"id": "nurses", "role": "nurse", "group": "wards"}]
    assignments += [{"id": "doctors", "role": "doctor", "group": "physicians"}]
    assignments += [{"id": "pharmacists", "role": "pharmacist", "group": "pharmacy"}]
    assignments += [
        {"id": one, "role": one, "subject": user(who)} for one, who in OTHERS.items() if one != "pharmacist"
    ]
    assignments += [{"id": "students", "role": "student", "subject": user("zoe"), "expires_at": TERM}]
    return {
        "model": 1,
        "resource_types": [{"id": id, "actions": actions} for id, actions in TYPES.items()],
        "roles": [{"id": role} for role in ROLES],
        "groups": groups,
        "subjects": [user(one) for one in EXTRA],
        "resources": [
            {"type": "chart", "id": f"c{n}", "attributes": {"status": "open" if n % 2 else "closed"}} for n in range(6)
        ],
        "assignments": assignments,
        "policies": policies(),
    }


def policies() -> list[Document]:
    """The 30 policies."""
    openly, mfa = equal("status", "open"), equal("mfa", True)
    inside = {"ip_allowlist": ["10.9.1.0/24"]}
    return [
        policy("chart-read", "nurse doctor", "chart", "read", resource_attrs=[openly]),
        policy("chart-write", "doctor", "chart", "write", resource_attrs=[openly], context_attrs=[mfa]),
        policy("chart-sign", "doctor", "chart", "sign", time_window=HOURS),
        policy("chart-audit", "auditor", "chart", "read", **inside),
        policy("chart-student", "student", "chart", "read", resource_attrs=[equal("teaching", True)]),
        policy("break-glass", "nurse", "chart", "write", context_attrs=[equal("emergency", True)]),
        policy("vip", "", "chart", "read write", "DENY", resource_attrs=[equal("vip", True)]) | {"priority": 100},
        policy("no-locked", "", "chart", "write", "DENY", resource_attrs=[equal("locked", True)]) | {"priority": 50},
        policy("prescribe", "doctor", "medication", "prescribe"),
        policy("dispense", "pharmacist", "medication", "dispense", rate_limit={"limit": 100, "window_seconds": 3600}),
        policy("no-recalled", "", "medication", "dispense", "DENY", resource_attrs=[equal("recalled", True)]),
        policy("lab-read", "doctor nurse", "lab_result", "read", resource_attrs=[equal("level", 3, "lte")]),
        policy("lab-read-all", "doctor", "lab_result", "read"),
        policy("lab-order", "doctor", "lab_result", "order"),
        policy("lab-release", "lab_tech", "lab_result", "release", **inside),
        policy("no-release-draft", "", "lab_result", "release", "DENY", resource_attrs=[equal("state", "draft")]),
        policy("bed-assign", "nurse clerk", "bed", "assign"),
        policy("bed-clean", "cleaner", "bed", "clean", time_window=HOURS),
        policy("no-clean-occupied", "", "bed", "clean", "DENY", resource_attrs=[equal("occupied", True)]),
        policy("invoice-read", "billing auditor", "invoice", "read"),
        policy("invoice-approve", "billing", "invoice", "approve", resource_attrs=[equal("amount", 1000, "lt")]),
        *(policy(f"privacy-{type}", "privacy", type, "read", **inside) for type in ("chart", "lab_result", "invoice")),
        *(policy(f"frozen-{type}", "", type, "*", "DENY", resource_attrs=[equal("frozen", True)]) for type in TYPES),
        policy("clerk-chart", "clerk", "chart", "read", resource_attrs=[equal("kind", "index")]),
    ]
