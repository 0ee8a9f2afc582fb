"""Pairs of small models with few attributes, and every request to them of a domain of ten values per attribute.

A pair is a model as people write it, and the same one with a change that people make: another operator, a condition
more or less, another constant, or another exception.
"""

import copy
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

Document = dict[str, Any]

NOW = 1_767_607_200.0
"""The instant of all requests, in epoch seconds: 2026-01-05T10:00:00Z."""

DOMAINS: dict[str, tuple[Any, ...]] = {
    "number": (None, 0, 1, 2, 4, 5, 6, 10, 1.5, "x"),
    "string": (None, "a", "b", "c", "ann", "bob", "north", "", "~", 1),
    "array": (None, [], ["a"], ["b"], ["a", "b"], ["north"], ["c"], [1], ["a", "north"], "a"),
    "instant": (
        *(None, "2026-01-05T10:00:00Z", "2026-01-05T09:59:59Z", "2026-01-05T10:00:01Z", "2020-01-01T00:00:00Z"),
        *("2030-01-01T00:00:00Z", "x", "", 1, "2026-01-05T12:00:00+02:00"),
    ),
    "boolean": (None, True, False, "true", 1, 0, "", [], "x", {"a": 1}),
}
"""Ten values of each kind of attribute: an absent one, constants of conditions, their neighbours, and other types."""

ATTRIBUTES = {
    "resource": {"amount": "number", "team": "string", "tags": "array", "until": "instant", "open": "boolean"},
    "subject": {"limit": "number", "site": "string", "teams": "array"},
    "context": {"cap": "number", "ward": "string"},
}
CONSTANTS: dict[str, tuple[Any, ...]] = {"number": (1, 5), "string": ("a", "north"), "boolean": (True, False)}
ORDERS, EQUALS = ("gt", "gte", "lt", "lte"), ("eq", "ne")
SCALARS = {"number": (*ORDERS, *EQUALS), "string": (*EQUALS, "lt"), "boolean": EQUALS}
MOST_REQUESTS = 150
PEOPLE = ("ann", "bob", "cid", "someone")


def small_pair(seed: int) -> tuple[Document, Document]:
    """A model and a changed one. Half of the models are strict, and declare their attributes."""
    random = Random(seed)
    before = model(random)
    after = copy.deepcopy(before)
    for _ in range(random.choice((1, 1, 2))):
        change(random, after)
    if before.get("requests") and random.random() < 0.1:
        del after["requests"]
    return before, after


def model(random: Random) -> Document:
    """A model with two or three policies about one type."""
    found: Document = {
        "extensions": ["arrays", "now", "references"],
        "resource_types": [{"id": "doc", "actions": ["read"]}],
        "roles": [{"id": "maker"}, {"id": "checker"}],
        "groups": [{"id": "north", "members": [{"type": "user", "id": "bob"}]}, {"id": "a", "members": []}],
        "subjects": [{"type": "user", "id": one} for one in PEOPLE[:-1]],
        "assignments": [
            {"role": "maker", "subject": {"type": "user", "id": "ann"}},
            {"role": "checker", "subject": {"type": "user", "id": "ann"}},
            {"role": "checker", "group": "north"},
        ],
        "policies": [policy(random, f"p{number}", number) for number in range(random.choice((1, 2, 2, 3)))],
    }
    if random.random() < 0.5:
        declared = {name: {key: stated(random, kind) for key, kind in of.items()} for name, of in ATTRIBUTES.items()}
        found["requests"] = "strict"
        found["resource_types"][0]["attributes"] = declared["resource"]
        found["attributes"] = {"subject": {"user": declared["subject"]}, "context": declared["context"]}
    return found


def stated(random: Random, kind: str) -> Document:
    """A declaration of a kind, required or not, sometimes with a list of values."""
    one: Document = {"kind": kind}
    if random.random() < 0.5:
        one["required"] = True
    if kind == "string" and random.random() < 0.3:
        one["one_of"] = ["a", "b", "north"]
    return one


def policy(random: Random, id: str, number: int) -> Document:
    """A policy with up to two conditions. The first is an ALLOW."""
    one: Document = {
        "id": id,
        "effect": "DENY" if number and random.random() < 0.6 else "ALLOW",
        "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
    }
    if random.random() < 0.5:
        one["roles"] = random.sample(["maker", "checker"], random.choice((1, 2)))
    elif random.random() < 0.4:
        one["except_roles"] = [random.choice(["maker", "checker"])]
    conditions: Document = {}
    for _ in range(random.choice((1, 1, 2))):
        section, condition = comparison(random)
        conditions.setdefault(section, []).append(condition)
    return one | {"conditions": conditions}


def comparison(random: Random) -> tuple[str, Document]:
    """A comparison with its section: with a constant, a referred value, or the instant of the request."""
    section = random.choice(("resource", "resource", "resource", "subject", "context"))
    key, kind = random.choice([*ATTRIBUTES[section].items()])
    if kind == "instant":
        return f"{section}_attrs", {"key": key, "op": random.choice(ORDERS), "value_of": "now"}
    if random.random() < 0.15:
        return f"{section}_attrs", {"key": key, "op": "nin", "value": []}
    if random.random() < 0.6 and (referred := reference(random, section, kind)):
        return f"{section}_attrs", {"key": key} | referred
    return f"{section}_attrs", {"key": key} | with_constant(random, kind)


def with_constant(random: Random, kind: str) -> Document:
    """An operator and its constant for a kind of attribute."""
    if kind == "array":
        op = random.choice(("has", "has_any", "has_none"))
        return {"op": op, "value": "a" if op == "has" else random.choice((["a"], ["a", "north"]))}
    if kind == "string" and random.random() < 0.3:
        return {"op": random.choice(("in", "nin")), "value": ["a", "north"]}
    return {"op": random.choice(SCALARS[kind]), "value": random.choice(CONSTANTS[kind])}


def reference(random: Random, section: str, kind: str) -> Document | None:
    """An operator and a referred value of another entity that fits a kind of attribute, or None."""
    source = "context" if section == "subject" else "subject"
    if kind == "number":
        return {
            "op": random.choice(SCALARS[kind]),
            "value_of": f"{source}.{'cap' if source == 'context' else 'limit'}",
        }
    if kind == "string" and source == "subject":
        op, value_of = random.choice(
            [
                *((op, "subject.site") for op in EQUALS),
                *((op, one) for op in ("in", "nin") for one in ("subject.groups", "subject.teams")),
                ("eq", "subject.id"),
            ]
        )
        return {"op": op, "value_of": value_of}
    if kind == "string":
        return {"op": random.choice(EQUALS), "value_of": "context.ward"}
    if kind == "array" and source == "subject":
        op = random.choice(("has", "has_any", "has_none"))
        return {"op": op, "value_of": "subject.site" if op == "has" else "subject.teams"}
    return None


def change(random: Random, document: Document) -> None:
    """Change one policy of a model."""
    one = random.choice(document["policies"])
    section = random.choice([*one["conditions"]])
    conditions = one["conditions"][section]
    condition = random.choice(conditions)
    kind = ATTRIBUTES[section.removesuffix("_attrs")].get(condition["key"])
    match random.choice(("operator", "operator", "operator", "less", "more", "effect", "exception")):
        case "less":
            conditions.remove(condition)
            if not conditions:
                del one["conditions"][section]
            if not one["conditions"]:
                one["conditions"] = {"resource_attrs": [{"key": "team", "op": "eq", "value": "a"}]}
        case "more":
            where, more = comparison(random)
            one["conditions"].setdefault(where, []).append(more)
        case "effect":
            one["effect"] = "ALLOW" if one["effect"] == "DENY" else "DENY"
        case "exception" if "roles" not in one:
            one["except_roles"] = ["checker"]
        case _:
            condition["op"] = random.choice(others(condition, str(kind)))


def others(condition: Document, kind: str) -> list[str]:
    """The operators that can stand in place of that of a condition."""
    op = condition["op"]
    sets = [("in", "nin"), ("has_any", "has_none"), ("has",), ORDERS if condition.get("value_of") == "now" else ()]
    found = next((one for one in sets if op in one), SCALARS.get(kind, (op,)))
    return [one for one in found if one != op] or [op]


def read_attributes(*documents: Document) -> list[tuple[str, str]]:
    """The attributes that the conditions of some models read, by entity and key."""
    found: dict[tuple[str, str], None] = {}
    for document in documents:
        for one in document["policies"]:
            for section, conditions in one["conditions"].items():
                for condition in conditions:
                    found[section.removesuffix("_attrs"), condition["key"]] = None
                    source, _, key = condition.get("value_of", "").partition(".")
                    if key in ATTRIBUTES.get(source, ()):
                        found[source, key] = None
    return list(found)


def small_requests(seed: int, documents: tuple[Document, Document]) -> Iterator[Document]:
    """Requests of the domain for each person: all of them, or of many so many at random."""
    random = Random(seed)
    read = read_attributes(*documents)
    read += [one for one in required(documents) if one not in read]
    domains = [domain(documents, *one) for one in read]
    total = 1
    for one in domains:
        total *= len(one)
    for person in PEOPLE:
        rows = (
            product(*domains)
            if total <= MOST_REQUESTS
            else (tuple(map(random.choice, domains)) for _ in range(MOST_REQUESTS))
        )
        yield from (asked(person, dict(zip(read, row, strict=True))) for row in rows)


def required(documents: tuple[Document, Document]) -> list[tuple[str, str]]:
    """The attributes that a strict model requires."""
    found = declarations(documents[0])
    return [(name, key) for name, of in found.items() for key, one in of.items() if one.get("required")]


def declarations(document: Document) -> Document:
    """The declarations of a strict model by entity, or none."""
    if document.get("requests") != "strict":
        return {}
    of = document["attributes"]
    return {
        "resource": document["resource_types"][0]["attributes"],
        "subject": of["subject"]["user"],
        "context": of["context"],
    }


def domain(documents: tuple[Document, Document], name: str, key: str) -> tuple[Any, ...]:
    """The ten values of an attribute. Of those that a strict model requires and no condition reads, one is enough."""
    values = DOMAINS[ATTRIBUTES[name][key]]
    if (name, key) in read_attributes(*documents):
        return values
    return values[1:2]


def asked(person: str, values: dict[tuple[str, str], Any]) -> Document:
    """A request of a person with some attributes."""
    bags: dict[str, Document] = {"resource": {}, "subject": {}, "context": {}}
    for (name, key), value in values.items():
        if value is not None:
            bags[name][key] = value
    return {
        "subject": {"type": "user", "id": person, "properties": bags["subject"]},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d", "properties": bags["resource"]},
        "context": {"time": "2026-01-05T10:00:00Z"} | bags["context"],
    }
