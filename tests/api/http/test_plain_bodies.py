"""A plain body says what the general readers read in it, on mutated bodies and whatever the limits are."""

import json
from collections import Counter
from copy import deepcopy
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.endpoints.decisions.batch import merged, read_batch
from writ.api.http.bodies import Bodies, decoded
from writ.api.settings.settings import HttpLimits
from writ.runtime.requests.evaluation_request import read_carefully
from writ.runtime.requests.members import MAX_ID_CHARACTERS, NO_ATTRIBUTES, Entity
from writ.runtime.requests.plain_bodies import parts_of
from writ.runtime.requests.searches import Action, Options, Page, ResourceSearch, read_resource_search

MUTATIONS = 25
LIMITS = [
    HttpLimits(),
    HttpLimits(key_characters=16, string_bytes=64),
    HttpLimits(string_bytes=8),
    HttpLimits(string_bytes=3, key_characters=5),
    HttpLimits(nesting=6),
    HttpLimits(nesting=5),
    HttpLimits(nesting=2),
]
ENTITY = {
    "type": "user",
    "id": "é",
    "properties": {"a": 1, "tags": ["x", None, 1.5, True], "": "\U0001f600", "k": -0.0},
}
ACTION = {"name": "read", "properties": {"n": None}}
ASKED = {"subject": ENTITY, "action": ACTION, "resource": {"type": "document", "id": "d"}, "context": {"ip": "::1"}}
PLAIN: dict[str, Any] = {
    "evaluation": ASKED,
    "batch": ASKED | {"evaluations": [{"resource": ENTITY}, {"context": {}}, {"action": {"name": "x"}}, {}]},
    "search": ASKED | {"resource": {"type": "document"}, "options": {"return": "filter", "gates": "decide"}},
}
VALUES = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "x" * 8,
        "é" * 16,
        "\U0001f600" * 17,
        [],
        {},
        [[]],
        {"a": {}},
        {"a": [{}]},
        [1, [2]],
    ),
    *(
        "x" * MAX_ID_CHARACTERS,
        "x" * (MAX_ID_CHARACTERS + 1),
        2**70,
        -(2**70),
        1e300,
        {"k" * 17: 1},
        {"k" * 256: 1, "x": "x" * 300},
        {"k" * 257: 1},
        {'"' * 200: 1},
        {'"' * 257: 1},
        "filter",
    ),
    *({"é" * 16: 1}, {"type": "a", "id": "b"}, {"name": "x"}, {"return": "both"}, {"gates": "open"}, [{}], "\u0000"),
]
NAMES = [
    "type",
    "id",
    "name",
    "properties",
    "attributes",
    "external_id",
    "options",
    "context",
    "evaluations",
    "x",
    "page",
]
PIECES = [
    b"\xff",
    b"\\ud800",
    b"\\u00e9",
    b"\\n",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"1e400",
    b"-0",
    b"1e2",
    b"\x00",
]
PIECES += [
    b'"x":1,',
    b'"id":"other",',
    b'"subject":{"type":"a","id":"b"},',
    b"null",
    b"\xc3",
    b"\xf0\x9f\x98\x80",
    b"\\",
    b"NaN",
]


def containers(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value
    return [value, *(found for one in inner if isinstance(one, dict | list) for found in containers(one))]


def twice(random: Random, data: bytearray) -> None:
    """Put a member before another one: often its object then has the name twice (E10)."""
    places = [place for place in range(len(data)) if data.startswith((b'{"', b', "'), place)]
    at = random.choice(places) + 1
    name = random.choice((b'"id"', b'"type"', b'"name"', b'"a"', b'"\\u0061"', b'"properties"', b'"subject"'))
    value = random.choice((b'"x:y"', b"1", b"{}", b"null"))
    data[at:at] = name + random.choice((b":", b": ", b" :")) + value + b","


def mutated(random: Random, body: Any) -> bytes:
    """The body with a few of its members, or of its bytes, changed."""
    body = deepcopy(body)
    for _ in range(random.choice((0, 1, 1, 2))):
        target = random.choice(containers(body))
        if isinstance(target, list):
            target.insert(0, deepcopy(random.choice(VALUES)))
        elif target and random.random() < 0.3:
            del target[random.choice(list(target))]
        else:
            name = random.choice([*target, *NAMES])
            target[name] = deepcopy(random.choice(VALUES))
    data = bytearray(json.dumps(body, ensure_ascii=random.random() < 0.5).encode())
    if random.random() < 0.2:
        twice(random, data)
    if random.random() < 0.4:
        at = random.randrange(len(data))
        data[at : at + random.choice((0, 0, 1, 2))] = random.choice(PIECES)
    return bytes(data)


def parts(default: Any, one: Any) -> Any:
    """The parts of a plain evaluation, or of an item of a plain batch."""
    subject, action = one.subject or default.subject, one.action or default.action
    resource, context = one.resource or default.resource, default.context if one.context is None else one.context
    if subject is None or action is None or resource is None:
        return None
    s, a, r = (owner.properties or NO_ATTRIBUTES for owner in (subject, action, resource))
    return parts_of(subject, s, action, a, resource, r, context or NO_ATTRIBUTES)


def searched(found: Any) -> ResourceSearch:
    """The search that a plain one is."""
    subject, action = found.subject, found.action
    return ResourceSearch(
        Entity(subject.type, "id", subject.id, subject.properties or NO_ATTRIBUTES),
        Action(action.name, action.properties or NO_ATTRIBUTES),
        found.resource.type,
        found.context,
        Options(given=True, returns=found.options.return_, include_direct=False, gates=found.options.gates),
        Page(None, None),
    )


def read_plainly(bodies: Bodies, kind: str, data: bytes) -> Any:
    """What the plain reader reads, or None."""
    found = getattr(bodies.plain, kind)(data)
    if found is None:
        return None
    if kind == "search":
        return searched(found)
    return parts(found, found) if kind == "evaluation" else [parts(found, item) for item in found.evaluations]


def read_generally(limits: HttpLimits, kind: str, data: bytes, known: Any) -> Any:
    """What the general readers read. An item that lacks a part, which `known` has as None, is left out."""
    body: Any = decoded(data, limits)
    if kind == "search":
        return read_resource_search(body)
    if kind == "evaluation":
        return read_carefully(body)
    batch = read_batch(body, len(known))
    assert batch is not None
    assert batch.stops_at is None
    assert len(batch.items) == len(known)
    return [
        None if one is None else read_carefully(merged(batch.defaults, item))  # type: ignore[arg-type]  # objects
        for item, one in zip(batch.items, known, strict=True)
    ]


@pytest.mark.parametrize("kind", PLAIN)
@settings(max_examples=180)
@given(st.integers(0, 2**64))
def test_a_plain_body_is_read_as_the_general_readers_read_it(kind: str, seed: int) -> None:
    random = Random(seed)
    for _ in range(MUTATIONS):
        limits = random.choice(LIMITS)
        data = mutated(random, PLAIN[kind])
        found = read_plainly(BODIES[limits], kind, data)
        if found is not None:
            assert repr(found) == repr(read_generally(limits, kind, data, found)), data


BODIES = {limits: Bodies(limits) for limits in LIMITS}


@pytest.mark.parametrize("kind", PLAIN)
def test_ordinary_bodies_are_plain_and_half_of_the_mutated_ones_are_not(kind: str) -> None:
    bodies = BODIES[LIMITS[0]]
    assert read_plainly(bodies, kind, json.dumps(PLAIN[kind]).encode()) is not None
    random = Random(kind)
    plain = Counter(read_plainly(bodies, kind, mutated(random, PLAIN[kind])) is not None for _ in range(1_000))
    assert min(plain[True], plain[False]) > 200


@pytest.mark.parametrize("characters", [17, 256, 257, 1_000])
@pytest.mark.parametrize("of_key", ["k", "é", '"', "\\", "\n"])
def test_a_key_of_a_batch_is_plain_up_to_its_limit(characters: int, of_key: str) -> None:
    """A key is found too long wherever it stands, whether it is escaped or not."""
    for place in ("context", "subject", "item"):
        for length in (characters - 1, characters, characters + 1):
            body = deepcopy(PLAIN["batch"])
            owner = body["evaluations"][0]["resource"] if place == "item" else body[place]
            for value, as_ascii in product((1, "x" * 300), (False, True)):
                properties = {"a": 1, of_key * length: value, "b": 2}
                owner |= properties if place == "context" else {"properties": properties}
                data = json.dumps(body, ensure_ascii=as_ascii).encode()
                read = Bodies(HttpLimits(key_characters=characters)).plain.batch(data)
                assert (read is not None) == (length <= characters)
                if place == "context":
                    del owner[of_key * length]


@pytest.mark.parametrize("limits", [HttpLimits(nesting=5), HttpLimits(key_characters=15), HttpLimits(string_bytes=3)])
def test_no_body_is_plain_where_a_limit_is_too_small(limits: HttpLimits) -> None:
    assert read_plainly(Bodies(limits), "evaluation", json.dumps(ASKED).encode()) is None
