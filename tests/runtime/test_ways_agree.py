"""The short ways of `decide` and `allowed` say what the careful one says, whatever is done to a known request."""

from copy import deepcopy
from typing import Any

import pytest
from writ.runtime import BadRequest, Engine
from writ.runtime.requests.error_items import error_item
from writ.runtime.requests.members import MAX_ID_CHARACTERS

from tests.support.bundling import engine_for

HOSTILE = [
    None,
    "",
    "x",
    "x" * MAX_ID_CHARACTERS,
    "x" * (MAX_ID_CHARACTERS + 1),
    0,
    True,
    1.5,
    [],
    {},
    ["x"],
    {"id": "x"},
]
MEMBERS = ["id", "type", "name", "external_id", "properties", "attributes", "options", "context", "other"]
NOW = 1_000.0

DOCUMENT = {
    "model": 1,
    "resource_types": [
        {"id": "document", "actions": ["read", "update", "delete"]},
        {"id": "vault", "actions": ["read"], "closed": True},
    ],
    "roles": [{"id": "editor"}],
    "subjects": [{"type": "user", "id": id} for id in ("alice", "bob", "carol", "x")],
    "resources": [{"type": "vault", "id": "v1"}],
    "assignments": [
        {"role": "editor", "subject": {"type": "user", "id": "bob"}},
        {"role": "editor", "subject": {"type": "user", "id": "carol"}, "expires_at": "1970-01-01T00:16:40Z"},
    ],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "bob"},
            "resource": {"type": "document", "id": "granted"},
            "actions": ["delete"],
        }
    ],
    "policies": [
        {
            "id": "everyone",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "*", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "open"}]},
        },
        {
            "id": "editors",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read", "update"]}],
        },
        {
            "id": "secret",
            "effect": "DENY",
            "priority": 9,
            "resource_types": [{"resource_type_id": "document", "actions": ["*"]}],
            "conditions": {
                "resource_attrs": [{"key": "secret", "op": "eq", "value": True}],
                "context_attrs": [{"key": "mfa", "op": "ne", "value": True}],
            },
        },
    ],
}


def plain_requests() -> list[dict[str, Any]]:
    return [
        {
            "subject": {"type": "user", "id": subject},
            "action": {"name": action},
            "resource": {"type": type, "id": resource, "properties": {"status": "open", "secret": secret}},
            "context": {"mfa": False},
        }
        for subject in ("alice", "bob", "carol", "x")
        for action in ("read", "update", "delete")
        for type, resource in (("document", "d1"), ("document", "granted"), ("vault", "v1"), ("vault", "v2"))
        for secret in (False, True)
    ]


def outcome(decide: Any) -> Any:
    try:
        return decide()
    except BadRequest as ex:
        return ex.path, ex.message


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine that has answered each plain request, so that the short ways are open."""
    engine = engine_for(DOCUMENT, tmp_path_factory.mktemp("ways") / "model.bundle")
    for request in plain_requests():
        engine.decide(request, NOW - 1)
    return engine


def mutations(request: dict[str, Any]) -> list[dict[str, Any]]:
    mutated = []
    for owner in (None, "subject", "action", "resource"):
        for member in MEMBERS:
            for value in (*HOSTILE, ...):
                changed = deepcopy(request)
                target = changed if owner is None else changed[owner]
                if value is ...:
                    target.pop(member, None)
                else:
                    target[member] = value
                mutated.append(changed)
    return mutated


@pytest.mark.parametrize("now", [NOW - 1, NOW, NOW + 1])
def test_every_mutation_of_a_known_request(engine: Engine, now: float) -> None:
    """E2, E4, P4: lengths, types, nulls, further members, before and after an assignment expires."""
    for request in plain_requests()[:: 5 if now == NOW else 1]:
        assert engine.decide(request, now) == engine._decide_carefully(request, now)
        for mutated in mutations(request) if request["subject"]["id"] == "bob" else ():
            careful = outcome(lambda mutated=mutated: engine._decide_carefully(mutated, now))
            assert outcome(lambda mutated=mutated: engine.decide(mutated, now)) == careful


LENGTHS = [
    {"context": ...},
    {"context": None},
    {"context": ..., "options": {}},
    {"context": ..., "options": {"explain": True}},
    {"context": ..., "other": 1},
    {"options": {"explain": True}},
    {"other": 1},
    *(
        {owner: members}
        for owner in ("subject", "action", "resource")
        for members in (
            {"properties": {"status": "open"}},
            {"properties": None},
            {"properties": {}, "other": 1},
            {"properties": ..., "attributes": {"status": "open", "secret": True}},
            {"properties": {}, "attributes": {"status": "open", "secret": True}},
            {"properties": ..., "external_id": None},
            {"properties": ..., "external_id": "x"},
            {"properties": {}, "external_id": "x"},
            {"properties": ..., "name": None},
            {"properties": ..., "other": 1},
        )
    ),
]


def changed(part: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A request or a part of it with other members: `...` removes one, and an object changes the part."""
    found = dict(part)
    for name, value in changes.items():
        if value is ...:
            found.pop(name, None)
        else:
            found[name] = changed(part[name], value) if name in ("subject", "action", "resource") else value
    return found


@pytest.mark.parametrize("changes", LENGTHS, ids=str)
def test_members_are_told_apart_by_more_than_their_number(engine: Engine, changes: dict[str, Any]) -> None:
    """E2, E4: the short way counts members. As many others in their place must not pass for them."""
    for request in plain_requests():
        asked = changed(request, changes)
        careful = outcome(lambda asked=asked: engine._decide_carefully(asked, NOW))
        assert outcome(lambda asked=asked: engine.decide(asked, NOW)) == careful
        assert engine.decide_many([asked, asked], NOW) == [decided_alone(engine, asked)] * 2


def decided_alone(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return engine.decide_item(request, NOW)
    except BadRequest as ex:
        return error_item(400, str(ex))


@pytest.mark.parametrize("now", [NOW - 1, NOW, NOW + 1])
def test_allowed_is_the_decision(engine: Engine, now: float) -> None:
    for request in plain_requests():
        subject, action, resource = request["subject"], request["action"], request["resource"]
        allowed = engine.allowed(
            subject["type"],
            subject["id"],
            action["name"],
            resource["type"],
            resource["id"],
            resource=resource["properties"],
            context=request["context"],
            now=now,
        )
        assert allowed is engine.decide(request, now)["decision"]


@pytest.mark.parametrize("way", ["allowed", "ask"])
@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("value", [value for value in HOSTILE if value not in ("x", "x" * MAX_ID_CHARACTERS)])
def test_allowed_and_ask_refuse_what_is_no_name(engine: Engine, way: str, place: int, value: Any) -> None:
    names = ["user", "bob", "read", "document", "d1"]
    getattr(engine, way)(*names, now=NOW)
    names[place] = value
    with pytest.raises(BadRequest):
        getattr(engine, way)(*names, now=NOW)


@pytest.mark.parametrize("way", ["allowed", "ask"])
@pytest.mark.parametrize("attributes", ["subject", "resource", "action_properties", "context"])
def test_allowed_and_ask_refuse_attributes_that_are_no_dictionary(engine: Engine, way: str, attributes: str) -> None:
    getattr(engine, way)("user", "bob", "read", "document", "d1", now=NOW)
    with pytest.raises(BadRequest):
        getattr(engine, way)("user", "bob", "read", "document", "d1", now=NOW, **{attributes: [1]})


def test_an_answer_belongs_to_its_caller(engine: Engine) -> None:
    """D9: what a caller does to an answer is not in the next one, on every way."""
    for request in plain_requests():
        first = engine.decide(request, NOW - 1)
        kept = deepcopy(first)
        first["context"].clear()
        assert engine.decide(request, NOW - 1) == kept


@pytest.mark.parametrize("now", [float("nan"), float("inf"), 10**400, "1"])
def test_an_instant_that_is_none(engine: Engine, now: Any) -> None:
    with pytest.raises(ValueError, match="`now` is no instant"):
        engine.allowed("user", "carol", "read", "document", "d1", now=now)


class Evil:
    """A value of no JSON type, that equals everything or refuses to be compared."""

    def __init__(self, answer: object):
        self.answer = answer

    def __eq__(self, other: object) -> bool:
        if self.answer is None:
            raise RuntimeError("compared")
        return bool(self.answer)

    def __hash__(self) -> int:
        return hash("open")


@pytest.mark.parametrize("answer", [True, False, None])
@pytest.mark.parametrize(
    ("op", "value"),
    [
        ("eq", "open"),
        ("eq", 1),
        ("eq", True),
        ("eq", ["x"]),
        ("ne", "open"),
        ("ne", 1),
        ("in", ["open"]),
        ("in", ["open", 1]),
        ("in", [str(n) for n in range(20)]),
        ("nin", ["open"]),
        ("nin", [1, True]),
        ("gt", 1),
        ("lt", "open"),
        ("regex", "o"),
    ],
)
def test_a_value_of_a_foreign_type_is_refused(tmp_path: Any, answer: object, op: str, value: Any) -> None:
    """C7: it is never asked what it equals."""
    for key in ("status", "a.b"):
        policy = {**DOCUMENT["policies"][0], "conditions": {"resource_attrs": [{"key": key, "op": op, "value": value}]}}
        engine = engine_for({**DOCUMENT, "policies": [policy]}, tmp_path / f"{key}.bundle")
        attributes = {"status": Evil(answer), "a": {"b": Evil(answer)}}
        with pytest.raises(BadRequest, match=r"JSON has no `tests\.runtime\.test_ways_agree\.Evil`") as refused:
            engine.allowed("user", "alice", "read", "document", "d1", resource=attributes)
        assert refused.value.path == f"$.resource.properties.{key}"
