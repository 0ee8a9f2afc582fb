"""A policy of which a lint says that it changes nothing changes no decision of the oracle, on random small models."""

import random
import re
from collections import Counter
from itertools import product
from typing import Any

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.load import load

from tests.support import oracle
from tests.support.stored import source

Policy = dict[str, Any]

NOTHING = ("dead-allow", "idle-deny", "never-holds", "redundant-policy")
"""The lints that say that a policy changes no decision."""

VALUES = (None, 1, 2, 2.5, "x", "xy", "y", True)
"""The values of attributes in requests. None is a missing attribute."""

CONSTANTS = (1, 2, 3, "x", "xy")
SUBJECTS = ({"type": "user", "id": "a"}, {"type": "user", "id": "b"}, {"type": "user", "id": "c"})
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "d", "actions": ["read", "update"]}, {"id": "f", "actions": ["read"]}],
    "roles": [{"id": "r"}, {"id": "s"}],
    "assignments": [
        {"role": "r", "subject": SUBJECTS[0]},
        {"role": "r", "subject": SUBJECTS[1]},
        {"role": "s", "subject": SUBJECTS[1]},
    ],
}
_WHOLE = re.compile("allows nothing|changes nothing|never holds")


def condition(chance: random.Random) -> dict[str, Any]:
    """A comparison of one of two keys with a few constants."""
    op = chance.choice(("eq", "ne", "in", "nin", "lt", "lte", "gt", "gte", "regex"))
    value: Any = chance.choice(CONSTANTS)
    if op == "regex":
        value = chance.choice(("^x", "y$"))
    return {"key": chance.choice("ab"), "op": op, "value": [value, chance.choice(CONSTANTS)] if "in" in op else value}


def policy(chance: random.Random, id: str) -> Policy:
    """A policy on few types, actions, roles and attributes, so that many cover others."""
    found: Policy = {"id": id, "effect": chance.choice(("ALLOW", "DENY"))}
    found["resource_types"] = [
        {"resource_type_id": chance.choice(("d", "*")), "actions": [chance.choice(("read", "*"))]}
        for _ in range(chance.randint(1, 2))
    ]
    if chance.random() < 0.5:
        found["roles"] = chance.sample(("r", "s"), chance.randint(1, 2))
    sections = chance.sample(("resource_attrs", "context_attrs"), chance.randint(0, 2))
    conditions: dict[str, Any] = {name: [condition(chance) for _ in range(chance.randint(1, 2))] for name in sections}
    if chance.random() < 0.2:
        conditions["ip_allowlist"] = chance.choice((["10.0.0.0/8"], ["10.1.0.0/16", "192.0.2.1"]))
    return found | ({"conditions": conditions} if conditions else {})


def requests(chance: random.Random) -> list[dict[str, Any]]:
    """Requests of all subjects, types and actions, with some of the attributes."""
    asked = product(SUBJECTS, (("d", "read"), ("d", "update"), ("f", "read")))
    return [
        {
            "subject": subject,
            "action": {"name": action},
            "resource": {"type": type, "id": "x", "properties": attributes(chance)},
            "context": attributes(chance) | chance.choice(({}, {"ip": "10.1.2.3"}, {"ip": "192.0.2.1"})),
        }
        for subject, (type, action) in asked
        for _ in range(8)
    ]


def attributes(chance: random.Random) -> dict[str, Any]:
    values = {key: chance.choice(VALUES) for key in "ab"}
    return {key: value for key, value in values.items() if value is not None}


@pytest.mark.parametrize("block", range(3))
def test_what_changes_nothing_can_go(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(block * 36, block * 36 + 36):
        chance = random.Random(seed)
        document = {"model": 1, **MODEL, "policies": [policy(chance, f"p{number}") for number in range(6)]}
        asked = requests(chance)
        before = [oracle.decide(document, one, 0.0)["decision"] for one in asked]
        for found in load([source(document)], zone_names()).diagnostics:
            if found.code in NOTHING and _WHOLE.search(found.message):
                place = int(found.path.removeprefix("$.policies[").partition("]")[0])
                rest = [one for at, one in enumerate(document["policies"]) if at != place]
                after = [oracle.decide(document | {"policies": rest}, one, 0.0)["decision"] for one in asked]
                assert after == before, (seed, found.message)
                seen[found.code] += 1
    assert set(seen) == set(NOTHING), "each lint finds something"
