"""The header `Writ-Warnings`: the lints of a written element that need no other element."""

import json
from typing import Any

import pytest
from falcon import testing
from writ.api.endpoints.management.write_warnings import HEADER, MOST_BYTES, header_value
from writ.api.store.errors import BodyFault
from writ.bundles.zones import zone_names
from writ.compiler.lints.all_lints import LINTS
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.managed import MEMBERS, ROOT, Managed

ALONE = {lint.find.__name__.replace("_", "-") for lint in LINTS if lint.alone}
SCOPE = MEMBERS["policies"]["resource_types"]
OPEN = {"id": "open", "effect": "ALLOW", "resource_types": SCOPE}
EMPTY = {"conditions": {"resource_attrs": [{"key": "size", "op": "in", "value": []}]}}


def warned(answer: testing.Result) -> list[tuple[str, str]]:
    return [(one["code"], one["path"]) for one in json.loads(answer.headers.get(HEADER, "[]"))]


def test_every_way_to_write_a_policy_tells_its_warnings(full: Managed) -> None:
    everyone = ("allow-everyone", "$.effect")
    path = f"{ROOT}/policies/open"
    assert warned(full.create("policies", OPEN)) == [everyone]
    assert warned(full.simulate_put(path, json=OPEN)) == [everyone]
    assert warned(full.simulate_patch(path, json={"priority": 7})) == [everyone]
    empty = ("empty-list", "$.conditions.resource_attrs[0].value")
    assert warned(full.simulate_patch(path, json=EMPTY)) == [empty]
    new = full.simulate_put(f"{ROOT}/policies/new", json=OPEN | {"id": "new"}, headers={"If-None-Match": "*"})
    assert warned(new) == [everyone]
    items = [MEMBERS["policies"] | {"id": "a"}, OPEN | {"id": "b"}, OPEN | EMPTY | {"id": "c"}]
    batch = full.simulate_post(f"{ROOT}/policies:batch", json={"items": items})
    assert warned(batch) == [
        ("allow-everyone", "$.items[1].effect"),
        ("empty-list", "$.items[2].conditions.resource_attrs[0].value"),
    ]


def test_a_grant_to_a_subject_that_nothing_else_names_is_told(service: Managed) -> None:
    """Once the model names others of its type: else it says nothing about who exists."""
    service.create("resource-types", MEMBERS["resource-types"])
    service.create("roles", {"id": "r"})
    path, unnamed = f"{ROOT}/grants/g", [("unnamed-subject", "$.subject")]
    grant = MEMBERS["grants"] | {"id": "g", "subject": {"type": "user", "id": "carl"}}
    made = service.create("grants", grant)
    assert warned(made) == []
    naming = (
        ("groups", lambda id: {"id": "one", "members": [{"type": "user", "id": id}]}),
        ("assignments", lambda id: {"id": "one", "role": "r", "subject": {"type": "user", "id": id}}),
        ("subjects", lambda id: {"type": "user", "id": id}),
    )
    for kind, naming_one in naming:
        for id, expected in (("karl", unnamed), ("carl", [])):
            service.create(kind, naming_one(id))
            assert warned(service.simulate_put(path, json=grant)) == expected
            assert warned(service.simulate_patch(path, json={"expires_at": None})) == expected
            if kind != "subjects":
                assert service.simulate_delete(f"{ROOT}/{kind}/one").status_code == 204
    robot = grant | {"id": "h", "subject": {"type": "robot", "id": "r1"}}
    misspelt = grant | {"id": "i", "subject": {"type": "user", "id": "kral"}}
    batch = service.simulate_post(f"{ROOT}/grants:batch", json={"items": [robot, misspelt]})
    assert (batch.status_code, warned(batch)) == (201, [("unnamed-subject", "$.items[1].subject")])


def test_what_has_no_warning_has_no_header(full: Managed) -> None:
    for answer in (
        full.simulate_put(f"{ROOT}/policies/p7", json=MEMBERS["policies"]),
        full.create("policies", OPEN | {"enabled": False}),
        full.create("roles", {"id": "r"}),
        full.simulate_post(f"{ROOT}/policies", json={"id": "bad"}),
        full.simulate_get(f"{ROOT}/policies/open"),
        full.simulate_delete(f"{ROOT}/policies/open"),
    ):
        assert HEADER.lower() not in answer.headers, answer.status


@pytest.mark.parametrize("conditions", [{}, EMPTY["conditions"], {"rate_limit": {"limit": 1, "window_seconds": 1}}])
@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
def test_the_warnings_are_those_of_a_document_with_this_policy_alone(
    full: Managed, effect: str, conditions: dict[str, Any]
) -> None:
    policy = {"id": "p", "effect": effect, "resource_types": SCOPE, "conditions": conditions}
    document = {"model": 1, "resource_types": [MEMBERS["resource-types"]], "policies": [policy]}
    found = load([Source("model.json", json.dumps(document).encode())], zone_names()).diagnostics
    expected = [
        {
            "code": one.code,
            "path": "$" + one.path.removeprefix("$.policies[0]"),
            "message": f"{one.message}; {one.help}" if one.help else one.message,
        }
        for one in found
        if one.severity == "error" or one.code in ALONE
    ]
    answer = full.simulate_post(f"{ROOT}/policies", json=policy)
    if any(one.severity == "error" for one in found):
        assert (answer.status_code, answer.json["details"]) == (400, expected)
    else:
        assert (answer.status_code, json.loads(answer.headers.get(HEADER, "[]"))) == (201, expected)


@pytest.mark.parametrize("id", ["ü", "😀", "\x7f", "\u2028", '"\\', "a, b", "\t", "\x85"])
def test_the_value_is_printable_ascii_whatever_is_in_the_policy(full: Managed, id: str) -> None:
    text = full.create("policies", OPEN | {"id": id}).headers[HEADER]
    assert all(" " <= character <= "~" for character in text)
    (warning,) = json.loads(text)
    assert warning.keys() == {"code", "path", "message"}
    if id.isprintable():
        assert id.replace('"', '"') in warning["message"]


@pytest.mark.parametrize("count", [1, 5, 9, 10, 11, 12, 100, 1_000])
@pytest.mark.parametrize("length", [100, 131, 132, 133])
def test_a_long_list_is_cut_and_says_so(count: int, length: int) -> None:
    faults = [BodyFault("a-code", f"$.items[{number}]", "x" * length) for number in range(count)]
    text = header_value(faults)
    assert len(text) <= MOST_BYTES
    shown = json.loads(text)
    if len(shown) == count and shown[-1]["code"] == "a-code":
        return
    *kept, last = shown
    assert [one["path"] for one in kept] == [f"$.items[{number}]" for number in range(len(kept))]
    assert last == {"code": "too-many", "path": "$", "message": f"and {count - len(kept)} more"}
    longer = json.dumps({"code": "a-code", "path": f"$.items[{len(kept)}]", "message": "x" * length})
    assert len(text) + len(longer) > MOST_BYTES, "one more would have fitted"


def test_a_warning_that_is_too_long_alone_is_counted() -> None:
    assert json.loads(header_value([BodyFault("a-code", "$", "😀" * MOST_BYTES)])) == [
        {"code": "too-many", "path": "$", "message": "and 1 more"}
    ]
