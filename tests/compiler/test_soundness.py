"""What is said to be sound without a document is sound as one, and every kind of fault makes it doubtful."""

import json

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.soundness import are_sound
from writ.compiler.source import Source

TYPE = {"id": "document", "actions": ["read"], "attributes": {"status": "string"}}
GRANT = {"subject": {"type": "user", "id": "u"}, "resource": {"type": "document", "id": "d"}, "actions": ["read"]}
SOUND = {
    "resource_types": [TYPE],
    "roles": [{"id": "r"}],
    "groups": [{"id": "g", "members": [{"type": "user", "id": "ü"}]}],
    "assignments": [{"role": "r", "group": "g", "expires_at": "2030-01-01T00:00:00Z"}],
    "grants": [{"id": "g1"} | GRANT, {"id": "g2"} | GRANT],
}
FAULTY = {
    "a null": {"grants": [GRANT | {"expires_at": None}]},
    "a lone surrogate": {"grants": [GRANT | {"id": "\ud800"}]},
    "an unknown member": {"grants": [GRANT | {"effect": "DENY"}]},
    "a missing member": {"roles": [{"name": "r"}]},
    "a wrong type": {"roles": [{"id": 1}]},
    "an id that is too long": {"roles": [{"id": "r" * 513}]},
    "a text that is too long": {"grants": [GRANT | {"expires_at": "2" * 70_000}]},
    "an undeclared type": {"grants": [GRANT | {"resource": {"type": "other", "id": "d"}}]},
    "an undeclared action": {"grants": [GRANT | {"actions": ["delete"]}]},
    "no action": {"grants": [GRANT | {"actions": []}]},
    "an instant that can't be read": {"grants": [GRANT | {"expires_at": "tomorrow"}]},
    "an undeclared role": {"assignments": [{"role": "s", "group": "g"}]},
    "an assignment to nobody": {"assignments": [{"role": "r"}]},
    "an undeclared group": {"groups": [{"id": "h", "members": [{"group": "i"}]}]},
    "an id that stands twice": {"roles": [{"id": "r"}, {"id": "r"}]},
    "a reserved name": {"resource_types": [TYPE, {"id": "*", "actions": ["read"]}]},
}


def sound(lists: dict[str, list[object]]) -> bool:
    texts = {name: [json.dumps(element).encode() for element in elements] for name, elements in lists.items()}
    return are_sound(texts, zone_names())


def has_errors(lists: dict[str, list[object]]) -> bool:
    return load([Source("model.json", json.dumps({"model": 1} | lists).encode())], zone_names()).model is None


def test_what_has_no_fault_is_sound():
    plain = SOUND | {"groups": [{"id": "g"}]}
    assert sound(plain)
    assert not has_errors(plain)


@pytest.mark.parametrize("fault", FAULTY)
def test_what_has_a_fault_is_not(fault):
    lists = SOUND | FAULTY[fault]
    assert has_errors(lists)
    assert not sound(lists)


@pytest.mark.parametrize("name", ["subjects", "resources", "policies"])
def test_what_holds_json_of_any_form_takes_a_closer_look(name):
    assert sound({name: []}) is False
