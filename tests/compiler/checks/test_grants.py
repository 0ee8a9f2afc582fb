"""No two grants are equal (P8)."""

import json
from datetime import datetime
from itertools import product
from random import Random
from typing import Any

import pytest
from writ.compiler.load import Loaded, load
from writ.compiler.source import Source

GRANT = {"subject": {"type": "user", "id": "u"}, "resource": {"type": "doc", "id": "d"}, "actions": ["read", "edit"]}
END = {"expires_at": "2035-01-01T00:00:00Z"}


def loaded(*grants: dict[str, Any]) -> Loaded:
    model = {"model": 1, "resource_types": [{"id": "doc", "actions": ["read", "edit"]}], "grants": grants}
    return load([Source("m.json", json.dumps(model, indent=1).encode())], ())


EQUAL = {
    "without ids": (GRANT, GRANT),
    "with other ids": (GRANT | {"id": "a"}, GRANT | {"id": "b"}),
    "actions in another order": (GRANT, GRANT | {"actions": ["edit", "read"]}),
    "an action twice": (GRANT | {"actions": ["read"]}, GRANT | {"actions": ["read", "read"]}),
    "an instant written otherwise": (GRANT | END, GRANT | {"expires_at": "2035-01-01T01:00:00.0+01:00"}),
}
DIFFERENT = {
    "all actions and `*`": (GRANT, GRANT | {"actions": ["*"]}),
    "another end": (GRANT, GRANT | END),
    "a start and an end": (GRANT | END, GRANT | {"starts_at": END["expires_at"]}),
    "another subject": (GRANT, GRANT | {"subject": {"type": "user", "id": "v"}}),
    "fewer actions": (GRANT, GRANT | {"actions": ["edit"]}),
}


@pytest.mark.parametrize("grants", EQUAL.values(), ids=EQUAL)
def test_an_equal_grant_is_an_error(grants):
    (found,) = loaded(*grants).diagnostics
    assert (found.code, found.severity, found.path) == ("duplicate-grant", "error", "$.grants[1]")
    assert found.help == "the first one is at m.json:13:3"


def test_equal_grants_to_a_group_are_an_error():
    """P7: the holder is the group, and never a subject of the same id."""
    to_group = {name: value for name, value in GRANT.items() if name != "subject"} | {"group": "u"}
    found = loaded(GRANT, to_group, to_group).diagnostics
    assert [(one.code, one.path) for one in found if one.code != "unknown-group"] == [
        ("duplicate-grant", "$.grants[2]")
    ]


@pytest.mark.parametrize("grants", DIFFERENT.values(), ids=DIFFERENT)
def test_others_are_none(grants):
    assert loaded(*grants).diagnostics == ()


def test_each_one_after_the_first_is_an_error():
    found = loaded(GRANT | {"id": "a"}, GRANT | END, GRANT, GRANT).diagnostics
    assert [one.path for one in found] == ["$.grants[2]", "$.grants[3]"]
    assert "the grant `a` gives the same" in found[0].message


def test_a_made_id_is_not_named():
    """A document that was exported has the ids that Writ made. The place says which grant it is."""
    (found,) = loaded(GRANT | {"id": "4d1e5ed0-5a3c-5a55-8a5c-1d2f3a4b5c6d"}, GRANT).diagnostics
    assert found.message.startswith("another grant gives the same")


def test_the_same_id_is_the_fault_that_counts():
    assert [one.code for one in loaded(GRANT | {"id": "a"}, GRANT | {"id": "a"}).diagnostics] == ["duplicate-id"]


def test_what_can_not_be_read_equals_nothing():
    bad = GRANT | {"expires_at": "soon"}
    assert [one.code for one in loaded(bad, bad).diagnostics] == ["bad-instant"] * 2
    bad = GRANT | {"subject": {"type": "user", "id": 1}}
    assert [one.code for one in loaded(bad, bad).diagnostics] == ["wrong-type"] * 2


def test_equal_grants_of_two_documents_are_found():
    text = json.dumps({"model": 1, "grants": [GRANT]}).encode()
    types = b'{"model": 1, "resource_types": [{"id": "doc", "actions": ["read", "edit"]}]}'
    (found,) = load([Source("t.json", types), Source("a.json", text), Source("b.json", text)], ()).diagnostics
    assert (found.file, found.help) == ("b.json", "the first one is at a.json:1:25")


def test_random_lists_have_the_faults_that_a_comparison_of_all_pairs_finds():
    values = [
        GRANT | {"subject": {"type": "user", "id": subject}, "actions": actions} | end
        for subject, actions, end in product(
            [str(number) for number in range(40)],
            (["read"], ["edit"], ["read", "edit"], ["edit", "read"], ["*"]),
            ({}, END, {"expires_at": "2035-01-01T01:00:00+01:00"}, {"starts_at": "2030-01-01T00:00:00Z"}),
        )
    ]
    for seed in range(20):
        grants = Random(seed).sample(values, 30)
        first: list[object] = []
        expected = []
        for index, grant in enumerate(grants):
            expected += [f"$.grants[{index}]"] if _plain(grant) in first else []
            first.append(_plain(grant))
        assert [one.path for one in loaded(*grants).diagnostics] == expected


def _plain(grant: dict[str, Any]) -> tuple[object, ...]:
    times = [grant.get(name) and datetime.fromisoformat(grant[name]) for name in ("starts_at", "expires_at")]
    return (grant["subject"], grant["resource"], set(grant["actions"]), times)
