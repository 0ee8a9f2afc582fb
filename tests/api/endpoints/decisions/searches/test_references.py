"""Searches over a store agree with the oracle, also where policies compare with values of the request (X1, X4, S2)."""

from pathlib import Path
from typing import Any

import pytest

from tests.support import oracle_searches
from tests.support.bundling import engine_for
from tests.support.managed import Managed, OneEngine
from tests.support.oracle_entities import (
    Document,
    Entity,
    asked_by,
    question,
    registered_resources,
    registered_subjects,
)
from tests.support.stored import put
from tests.support.strategies_pick import Pick

Row = dict[str, Any]

NOW = 1767607200.0


def attributes_of(document: Document, kind: str, key: tuple[str, str]) -> Row:
    """The attributes of a registered entity, none if the model does not list it."""
    listed = (one for one in document.get(kind, []) if (one["type"], one["id"]) == key)
    found: Row = next(listed, {}).get("attributes") or {}
    return found


def expected_subjects(document: Document, request: Row) -> list[str]:
    asked, decided = question(document, request, NOW), request.get("context") is not None
    keys = sorted(key for key in set(registered_subjects(document)) if key[0] == request["subject"]["type"])
    candidates = {id: Entity(type, id, attributes_of(document, "subjects", (type, id))) for type, id in keys}
    return [
        id
        for id, one in candidates.items()
        if oracle_searches.found_by_search(document, asked_by(document, asked, one), decided)
    ]


def expected_resources(document: Document, request: Row) -> list[str]:
    asked, decided = question(document, request, NOW), request.get("context") is not None
    declared = asked.resource_type
    if declared is None:
        return []
    keys = sorted(key for key in set(registered_resources(document)) if key[0] == declared["id"])
    name = request["resource"]["type"]
    candidates = {id: Entity(name, id, attributes_of(document, "resources", (type, id))) for type, id in keys}
    return [
        id
        for id, one in candidates.items()
        if oracle_searches.found_by_search(document, asked._replace(resource=one), decided)
    ]


def expected_actions(document: Document, request: Row) -> list[str]:
    asked, decided = question(document, request, NOW), request.get("context") is not None
    names = sorted(asked.resource_type["actions"]) if asked.resource_type else []
    each = {name: asked._replace(action=name, action_properties={}) for name in names}
    return [name for name, one in each.items() if oracle_searches.found_by_search(document, one, decided)]


EXPECTED = {"subject": expected_subjects, "resource": expected_resources, "action": expected_actions}


def searched(client: Managed, kind: str, request: Row) -> list[str]:
    answer = client.simulate_post(f"/access/v1/search/{kind}", json=request)
    assert answer.status_code == 200, answer.text
    return [one["name" if kind == "action" else "id"] for one in answer.json["results"]]


USERS, DOCUMENTS = [f"u{number}" for number in range(6)], [f"d{number}" for number in range(5)]
VALUES: tuple[Any, ...] = ("a", "b", "u1", "d1", 1, 2, True, None, ["a", "b"], ["u1", 1, None], {"m": "a"})
KEYS = ("id", "k", "k", "l", "o.m")
SOURCES = ("subject", "subject", "action", "context")
OPS = ("eq", "eq", "eq", "ne", "gt", "gte", "lt", "lte", "in", "in", "nin")


def attributes(pick: Pick) -> Row:
    """Values of few kinds, so that comparisons often hold."""
    found = {key: pick.one(VALUES) for key in pick.some(("k", "l"), 1, 2)}
    return found | pick.member(1, 3, "o", {"m": pick.one(VALUES)})


def condition(pick: Pick) -> tuple[str, Row]:
    """A section, and a comparison of it, mostly with another value of the request."""
    section = pick.one(("resource_attrs", "resource_attrs", "subject_attrs", "action_attrs"))
    if pick.chance(1, 5):
        return section, {"key": "k", "op": "eq", "value": pick.one(("a", "u1", 1))}
    source = pick.one([one for one in SOURCES if f"{one}_attrs" != section])
    name = "subject.groups" if pick.chance(1, 4) else f"{source}.{pick.one(KEYS)}"
    return section, {"key": pick.one(KEYS), "op": pick.one(OPS), "value_of": name}


def policy(pick: Pick, number: int) -> Row:
    sections: dict[str, list[Row]] = {}
    for _ in range(pick.number(1, 2)):
        section, row = condition(pick)
        sections.setdefault(section, []).append(row)
    scope = {"resource_type_id": "document", "actions": pick.one((["read"], ["read", "edit"], ["*"]))}
    effect = "DENY" if pick.chance(1, 4) else "ALLOW"
    found = {"id": f"p{number}", "effect": effect, "priority": 9 if effect == "DENY" else 0}
    return found | {"resource_types": [scope], "conditions": sections} | pick.member(1, 4, "roles", ["editor"])


def document(pick: Pick) -> Row:
    """A model whose policies compare values of subjects, groups, resources and the context."""
    member = [{"type": "user", "id": one} for one in pick.some(USERS, 1, 3)]
    return {
        "extensions": ["references"],
        "resource_types": [{"id": "document", "actions": ["read", "edit"]}],
        "roles": [{"id": "editor"}],
        "groups": [{"id": "a", "members": [{"group": "b"}]}, {"id": "b", "members": member}],
        "subjects": [{"type": "user", "id": one, "attributes": attributes(pick)} for one in USERS],
        "resources": [{"type": "document", "id": one, "attributes": attributes(pick)} for one in DOCUMENTS],
        "assignments": [{"role": "editor", "group": "a"}],
        "policies": [policy(pick, number) for number in range(pick.number(1, 4))],
    }


def request(pick: Pick) -> Row:
    subject, resource = pick.one(USERS), pick.one(DOCUMENTS)
    return {
        "subject": {"type": "user", "id": subject, "properties": attributes(pick)},
        "action": {"name": pick.one(("read", "edit")), "properties": attributes(pick)},
        "resource": {"type": "document", "id": resource, "properties": attributes(pick)},
    } | pick.member(1, 2, "context", attributes(pick))


@pytest.mark.parametrize("block", range(3))
def test_searches_of_a_store_agree_with_the_oracle(block: int, tmp_path: Path) -> None:
    """Every candidate that qualifies is found: conditions that are turned round leave none out."""
    engines, found = OneEngine(), {"subject": 0, "resource": 0, "action": 0}
    client = Managed(tmp_path / "data", clock=lambda: NOW, engines=engines)
    for seed in range(block * 48, block * 48 + 48):
        pick = Pick.seeded(seed)
        model = document(pick)
        put(client.store, model)
        engines._engine = engine_for(model, tmp_path / f"{seed}.bundle")
        for asked in (request(pick), request(pick), request(pick)):
            for kind, expected in EXPECTED.items():
                ids = expected(model, asked)
                assert searched(client, kind, asked) == ids, (seed, kind)
                found[kind] += len(ids)
    client.store.close()
    assert all(count > 15 for count in found.values()), found
