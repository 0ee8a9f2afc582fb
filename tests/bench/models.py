"""Models of N policies, the same for the same N: a company that grows by types and teams, and one worst case.

A type has its own 20 policies, 4 roles, 2 groups and 10 people, whatever N: a company with more policies has more
types, not more policies on each. The first type is the same in every model.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

Document = dict[str, Any]

POLICIES_PER_TYPE, DENIES_PER_TYPE, TYPES_PER_DOMAIN, PEOPLE_PER_TYPE = 20, 2, 20, 10
DENY_PRIORITY = 100
OWN_ROLES = ("contributor", "editor", "approver", "owner")
OWNING_GRANTS = (3, 6, 9)
"""Which people of a type have direct grants, by number; the last of them has nothing else."""

ACTIONS = ("read", "update", "share", "delete", "approve")
DOMAINS = (
    *("finance", "sales", "legal", "people", "support", "marketing", "logistics", "research", "security", "quality"),
    *("design", "retail", "energy", "travel", "training", "tax", "audit", "press", "supply", "payroll"),
    *("planning", "fleet", "claims", "safety", "archive"),
)
THINGS = (
    *("invoice", "contract", "report", "budget", "ticket", "plan", "order", "offer", "memo", "folder"),
    *("case", "note", "form", "letter", "record", "list", "request", "review", "sheet", "file"),
)
STATUSES = ("draft", "review", "final", "archived")
CLASSES = ("public", "internal", "confidential", "secret")
REGIONS = ("north", "south", "east", "west")
COUNTRIES = ("no", "se", "de", "pl", "ie")
CHANNELS = ("web", "mobile", "desk", "kiosk")


def company(policies: int) -> Document:
    """The document of a company with so many policies, direct grants included."""
    types = max(2, policies // POLICIES_PER_TYPE)
    document: Document = {
        "resource_types": [],
        "roles": [{"id": "employee"}, {"id": "auditor"}],
        "groups": [],
        "assignments": [{"role": "employee", "group": "everyone"}],
        "grants": [],
        "policies": [],
    }
    for number in range(types):
        rows = _type(number, policies // types + (number < policies % types))
        for part, found in rows.items():
            document[part] += found
    domains = list(dict.fromkeys(map(_domain, range(types))))
    document["roles"] += [{"id": f"{domain}_reader"} for domain in domains]
    document["assignments"] += [{"role": f"{domain}_reader", "group": domain} for domain in domains]
    document["groups"] += [
        *(
            {"id": domain, "members": [{"group": f"{id}_team"} for id in _types_of(domain, types)]}
            for domain in domains
        ),
        {"id": "everyone", "members": [{"group": domain} for domain in domains]},
    ]
    return document


def crowded(policies: int) -> Document:
    """The worst case: all policies on one type and action, for everyone, each for a project of its own."""
    random = Random(f"crowded {policies}")
    rows = []
    for number in range(policies):
        deny = number % (POLICIES_PER_TYPE // DENIES_PER_TYPE) == 0
        conditions = _conditions(random, "finance", random.randint(0, 2))
        project = {"key": "project", "op": "eq", "value": f"project {number}"}
        conditions["resource_attrs"] = [project, *conditions.get("resource_attrs", [])]
        rows.append(_policy(f"p{number}", deny, random, ["read"], "record", None, conditions))
    people = [_user(person_id(0, n)) for n in range(PEOPLE_PER_TYPE)]
    return {"resource_types": [{"id": "record", "actions": ["read"]}], "subjects": people, "policies": rows}


def type_id(number: int) -> str:
    """The id of a company's type of that number."""
    again = number // (len(DOMAINS) * TYPES_PER_DOMAIN)
    return f"{_domain(number)}_{THINGS[number % TYPES_PER_DOMAIN]}" + (f"_{again}" if again else "")


def covers(policy: Document, type: str, action: str) -> bool:
    """Whether a policy is one on a type and an action that it declares (P1)."""
    scopes = (scope for scope in policy["resource_types"] if scope["resource_type_id"] == type)
    return any(action in scope["actions"] or "*" in scope["actions"] for scope in scopes)


def person_id(type: int, number: int) -> str:
    """The id of a person of the team that owns a type."""
    return f"{type_id(type)}.{number}"


def _domain(number: int) -> str:
    return DOMAINS[number // TYPES_PER_DOMAIN % len(DOMAINS)]


def _types_of(domain: str, types: int) -> Iterator[str]:
    return (type_id(number) for number in range(types) if _domain(number) == domain)


def _type(number: int, policies: int) -> Document:
    """What comes with one type: it depends on the type's number and nothing else."""
    random, id, domain = Random(f"type {number}"), type_id(number), _domain(number)
    actions = list(ACTIONS[: 4 + number % 2])
    people = [_user(person_id(number, n)) for n in range(PEOPLE_PER_TYPE)]
    contributor, editor, approver, owner = (f"{id}_{role}" for role in OWN_ROLES)
    return {
        "resource_types": [{"id": id, "actions": actions}],
        "roles": [{"id": role} for role in (contributor, editor, approver, owner)],
        "groups": [
            {"id": f"{id}_team", "members": [*people[:4], {"group": f"{id}_editors"}]},
            {"id": f"{id}_editors", "members": people[4:8]},
        ],
        "assignments": [
            {"role": contributor, "group": f"{id}_team"},
            {"role": editor, "group": f"{id}_editors"},
            {"role": owner, "subject": people[0]},
            {"role": approver, "subject": people[0]},
            {"role": approver, "subject": people[1]},
            {"role": contributor, "subject": people[8], "expires_at": "2999-01-01T00:00:00Z"},
            {"role": "auditor", "subject": people[2]},
        ],
        "grants": [
            {
                "id": f"{id}-grant-{person}-{n}",
                "subject": people[person],
                "resource": {"type": id, "id": f"granted-{n}"},
                "actions": random.sample(actions, 2),
            }
            for person in OWNING_GRANTS
            for n in range(4)
        ],
        "policies": [_policy_of_type(random, n, id, domain, actions) for n in range(policies)],
    }


def _user(id: str) -> Document:
    return {"type": "user", "id": id}


def _policy_of_type(random: Random, number: int, id: str, domain: str, actions: list[str]) -> Document:
    deny = number < DENIES_PER_TYPE
    roles = _roles(random, id, domain, deny)
    conditions = _deny_conditions(random, domain) if deny else _conditions(random, domain, random.randint(1, 3))
    covered = _covered(random, actions, deny, roles)
    return _policy(f"{id}-{number}", deny, random, covered, id, roles, conditions)


def _covered(random: Random, actions: list[str], deny: bool, roles: list[str] | None) -> list[str]:
    """Two actions or so; owners often get all of them, nobody else the last one, and a DENY is often on all."""
    owners = any(role.endswith("_owner") for role in roles or ())
    some = random.sample(actions if deny or owners else actions[:-1], random.choice((1, 2, 2, 3)))
    return ["*"] if (deny or owners) and random.random() < 0.5 else some


def _policy(
    id: str, deny: bool, random: Random, actions: list[str], type: str, roles: list[str] | None, conditions: Document
) -> Document:
    row = {
        "id": id,
        "effect": "DENY" if deny else "ALLOW",
        "priority": DENY_PRIORITY if deny else random.randrange(10),
        "resource_types": [{"resource_type_id": type, "actions": actions}],
        "conditions": conditions,
    }
    return row if roles is None else row | {"roles": roles}


def _roles(random: Random, id: str, domain: str, deny: bool) -> list[str] | None:
    """Most ALLOWs are for the type's own roles; a DENY, and on every other type an ALLOW here and there, for all."""
    open_type = sum(map(ord, id)) % 2 == 0
    if (deny and random.random() < 0.7) or (not deny and open_type and random.random() < 0.2):
        return None
    own = [f"{id}_{role}" for role in OWN_ROLES]
    return random.sample([*own, f"{domain}_reader", "auditor"], random.choice((1, 1, 2)))


def _conditions(random: Random, domain: str, count: int) -> Document:
    """`count` comparisons on the resource, the subject and the context."""
    pool = [
        ("resource_attrs", "status", "eq", random.choice(STATUSES[:3])),
        ("resource_attrs", "classification", "in", random.sample(CLASSES[:3], 2)),
        ("resource_attrs", "region", "in", random.sample(REGIONS, 3)),
        ("resource_attrs", "locked", "eq", False),
        ("resource_attrs", "version", "gte", random.randint(1, 4)),
        ("resource_attrs", "level", "eq", random.randint(1, 2)),
        ("subject_attrs", "department", "eq", domain),
        ("subject_attrs", "clearance", "gte", random.randint(1, 4)),
        ("subject_attrs", "country", "in", random.sample(COUNTRIES, 4)),
        ("context_attrs", "mfa", "eq", True),
        ("context_attrs", "channel", "in", random.sample(CHANNELS[:3], 2)),
        ("context_attrs", "trust", "gte", random.randrange(10, 60, 10)),
    ]
    return _grouped(random.sample(pool, count))


def _deny_conditions(random: Random, domain: str) -> Document:
    """One comparison that seldom holds, sometimes a second one."""
    rare = [
        ("resource_attrs", "legal_hold", "eq", True),
        ("resource_attrs", "status", "eq", STATUSES[3]),
        ("resource_attrs", "classification", "in", list(CLASSES[3:])),
        ("subject_attrs", "suspended", "eq", True),
        ("context_attrs", "channel", "in", list(CHANNELS[3:])),
    ]
    found = _grouped([random.choice(rare)])
    if random.random() < 0.5:
        for section, rows in _conditions(random, domain, 1).items():
            taken = {row["key"] for row in found.get(section, [])}
            found.setdefault(section, []).extend(row for row in rows if row["key"] not in taken)
    return found


def _grouped(rows: list[tuple[str, str, str, Any]]) -> Document:
    found: Document = {}
    for section, key, op, value in rows:
        found.setdefault(section, []).append({"key": key, "op": op, "value": value})
    return found
