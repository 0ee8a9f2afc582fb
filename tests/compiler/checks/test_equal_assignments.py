"""No two assignments are equal (P9)."""

import json
from typing import Any

import pytest
from writ.compiler.load import load
from writ.compiler.source import Source

HELD = {"role": "teller", "subject": {"type": "user", "id": "u"}}
END = {"expires_at": "2035-01-01T00:00:00Z"}


def faults(*assignments: dict[str, Any]) -> list[tuple[str, str]]:
    model = {"model": 1, "roles": [{"id": "teller"}, {"id": "maker"}], "groups": [{"id": "u"}]}
    source = Source("m.json", json.dumps(model | {"assignments": assignments}).encode())
    return [(one.code, one.path) for one in load([source], ()).diagnostics if one.severity == "error"]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (HELD, HELD),
        (HELD | {"id": "a"}, HELD | {"id": "b"}),
        (HELD | END, HELD | {"expires_at": "2035-01-01T01:00:00+01:00"}),
        ({"role": "teller", "group": "u"}, {"role": "teller", "group": "u"}),
    ],
)
def test_an_equal_assignment_is_an_error(first, again):
    assert faults(first, again) == [("duplicate-assignment", "$.assignments[1]")]


@pytest.mark.parametrize(
    "other",
    [
        HELD | {"role": "maker"},
        HELD | END,
        HELD | {"subject": {"type": "user", "id": "v"}},
        {"role": "teller", "group": "u"},
    ],
)
def test_others_are_none(other):
    assert faults(HELD, other) == []


def test_the_same_id_is_the_fault_that_counts():
    assert faults(HELD | {"id": "a"}, HELD | {"id": "a"}) == [("duplicate-id", "$.assignments[1].id")]
