"""An actor acts for a subject: both must be allowed, in every way of asking (A1)."""

import json
from typing import Any

import pytest
from writ.bundles.conditions.instants import read_instant
from writ.bundles.event_loop import TakesLong
from writ.runtime import BadRequest, Engine, RateCounters
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.runtime.filters.test_filters import check_shape, rows, search_of
from tests.runtime.test_agreement import expected_proof, judged, proved
from tests.support import oracle
from tests.support.bundling import engine_for, engine_with_registry
from tests.support.oracle_entities import registered_resources, registered_subjects
from tests.support.oracle_searches import tree_holds
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request

Row = dict[str, Any]
NOW = 1_000.0

DOCUMENT: Row = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "roles": [{"id": "editor"}, {"id": "agent"}],
    "subjects": [
        {"type": "user", "id": "ann", "attributes": {"level": 5}},
        {"type": "agent", "id": "bot", "external_id": "x|bot", "attributes": {"level": 3}},
    ],
    "assignments": [
        {"role": "editor", "subject": {"type": "user", "id": "ann"}, "expires_at": "1970-01-01T00:30:00Z"},
        {"role": "agent", "subject": {"type": "agent", "id": "bot"}, "expires_at": "1970-01-01T00:20:00Z"},
    ],
    "policies": [
        {
            "id": "editors",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["*"]}],
            "conditions": {"resource_attrs": [{"key": "size", "op": "lt", "value": 10}]},
        },
        {
            "id": "agents",
            "effect": "ALLOW",
            "roles": ["agent"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "size", "op": "gt", "value": 2}]},
        },
        {
            "id": "low",
            "effect": "DENY",
            "priority": 9,
            "resource_types": [{"resource_type_id": "document", "actions": ["*"]}],
            "conditions": {"subject_attrs": [{"key": "level", "op": "lt", "value": 2}]},
        },
    ],
}
ANN, BOT = {"type": "user", "id": "ann"}, {"type": "agent", "id": "bot"}


def asked(size: int = 5, action: str = "read", subject: Row = ANN, **options: Any) -> Row:
    return {
        "subject": subject,
        "action": {"name": action},
        "resource": {"type": "document", "id": "d1", "properties": {"size": size}},
        "options": options,
    }


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_with_registry(DOCUMENT, tmp_path_factory.mktemp("behalf") / "model.bundle")


@pytest.mark.parametrize(
    ("size", "action", "actor", "expected"),
    [
        (5, "read", BOT, {"decision": True, "policy_id": "editors", "access_path": "role"}),
        (5, "read", {"type": "agent", "external_id": "x|bot"}, {"decision": True, "policy_id": "editors"}),
        (5, "read", ANN, {"decision": True, "policy_id": "editors"}),
        (5, "update", BOT, {"reason_code": "ACTION_NOT_PERMITTED", "denied_for": "actor"}),
        (1, "read", BOT, {"reason_code": "CONDITION_FAILED", "denied_for": "actor"}),
        (11, "read", BOT, {"decision": False, "reason_code": "CONDITION_FAILED", "denied_for": None}),
        (5, "read", BOT | {"properties": {"level": 1}}, {"denied_by": "low", "denied_for": "actor"}),
        (5, "read", BOT | {"attributes": {"level": 1}, "properties": {"level": 9}}, {"decision": True}),
        (5, "read", {"type": "agent", "id": "stranger"}, {"reason_code": "NO_POLICY_MATCH", "denied_for": "actor"}),
    ],
)
def test_both_must_be_allowed(engine: Engine, size: int, action: str, actor: Row, expected: Row) -> None:
    request = asked(size, action, actor=actor)
    answer = judged(engine.decide(request, NOW))
    assert answer == oracle.decide(DOCUMENT, request, NOW)
    assert {name: answer.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("actor", "path"),
    [
        ("bot", "$.options.actor"),
        ([], "$.options.actor"),
        ({}, "$.options.actor.type"),
        ({"type": "agent"}, "$.options.actor"),
        ({"type": "agent", "id": "", "external_id": None}, "$.options.actor"),
        ({"type": "agent", "id": "a", "external_id": "b"}, "$.options.actor"),
        ({"type": 7, "id": "a"}, "$.options.actor.type"),
        ({"type": "agent", "id": "x" * 513}, "$.options.actor.id"),
        ({"type": "agent", "id": "a", "properties": []}, "$.options.actor.properties"),
        (BOT | {"properties": {"level": b"1"}}, "$.options.actor.properties.level"),
    ],
)
def test_faults_of_an_actor_have_their_places(engine: Engine, actor: Any, path: str) -> None:
    with pytest.raises(BadRequest) as refused:
        engine.decide(asked(actor=actor), NOW)
    assert refused.value.path == path
    if not isinstance(actor, dict) or "level" not in (actor.get("properties") or {}):
        for read in (read_resource_search, read_subject_search, read_action_search):
            with pytest.raises(BadRequest) as refused:
                read(asked(actor=actor))
            assert refused.value.path == path


def test_validity_is_the_earlier_one(engine: Engine) -> None:
    """The actor's assignment ends at 00:20, the subject's at 00:30."""
    context = engine.decide(asked(actor=BOT, valid_until=True), NOW)["context"]
    assert context["valid_until"] == "1970-01-01T00:20:00Z"
    denied = engine.decide(asked(11, actor=BOT, valid_until=True), NOW)["context"]
    assert denied["valid_until"] == engine.decide(asked(11, valid_until=True), NOW)["context"]["valid_until"]


def test_there_is_a_proof_for_each_who_was_evaluated(engine: Engine) -> None:
    both = engine.decide(asked(actor=BOT, explain=True), NOW)["context"]
    assert (both["explanation"]["candidates"][1]["id"], both["actor_explanation"]["candidates"][1]["id"]) == (
        "editors",
        "agents",
    )
    denied = engine.decide(asked(11, actor=BOT, explain=True), NOW)["context"]
    assert "explanation" in denied
    assert "actor_explanation" not in denied


def test_registered_attributes_are_the_actors_too(engine: Engine) -> None:
    """E9: the actor sends no level, and the registered one is 3; a null that is sent counts."""
    low = asked(actor=BOT, attributes="registered", explain=True)
    actual = engine.decide(low, NOW)["context"]["actor_explanation"]["candidates"][0]["conditions"]
    assert actual == [{"section": "subject_attrs", "key": "level", "op": "lt", "value": 2, "actual": 3, "holds": False}]
    sent = asked(actor=BOT | {"properties": {"level": None}}, attributes="registered", explain=True)
    actual = engine.decide(sent, NOW)["context"]["actor_explanation"]["candidates"][0]["conditions"]
    assert actual[0]["missing"] is True


def test_an_actor_counts_for_a_rate_limit_only_if_the_subject_is_allowed(tmp_path) -> None:
    scope = {"effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    document = {
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "policies": [
            scope | {"id": "users", "conditions": {"subject_attrs": [{"key": "type", "op": "eq", "value": "user"}]}},
            scope | {"id": "two", "conditions": {"rate_limit": {"limit": 2, "window_seconds": 60}}},
        ],
    }
    document["policies"][1]["conditions"]["subject_attrs"] = [{"key": "type", "op": "eq", "value": "agent"}]
    engine = engine_for(document, tmp_path / "b").counting(RateCounters())
    request = {"subject": ANN, "action": {"name": "read"}, "resource": {"type": "document", "id": "d"}}
    stranger = {**request, "subject": {"type": "nobody", "id": "x"}, "options": {"actor": BOT}}
    for _ in range(3):
        assert engine.decide(stranger, NOW)["decision"] is False
    with pytest.raises(TakesLong):
        engine.decide({**request, "options": {"actor": BOT}}, NOW, counts=False)
    found = [engine.decide({**request, "options": {"actor": BOT}}, NOW) for _ in range(3)]
    assert [one["decision"] for one in found] == [True, True, False]
    assert found[2]["context"]["denied_for"] == "actor"
    assert found[2]["context"]["retry_after_seconds"] > 0


def test_the_filter_of_both_is_canonical(engine: Engine) -> None:
    answer = engine.filter(asked(actor=BOT, gates="decide"), NOW)
    between = [
        {"type": "field", "field": "size", "operator": "gt", "value": 2},
        {"type": "field", "field": "size", "operator": "lt", "value": 10},
    ]
    assert answer["filter"] == {"type": "logical", "operator": "and", "conditions": between}
    assert answer["context"]["access_paths"] == ["role"]
    assert answer["context"]["valid_until"] == "1970-01-01T00:20:00Z"
    assert engine.cached_filter(read_resource_search(asked(actor=BOT)), NOW) is None


def known_members(subject: Row) -> Row:
    """A subject as an actor: without the name, which no subject has."""
    return {name: value for name, value in subject.items() if name != "name"}


def valid_until(engine: Engine, request: Row, now: float) -> float:
    until = engine.decide({**request, "options": {"valid_until": True}}, now)["context"]["valid_until"]
    return float("inf") if until is None else read_instant(until)


def check(engine: Engine, document: Row, request: Row, actor: Row, now: float) -> int:
    on_behalf, as_actor = {**request, "options": {"actor": actor}}, {**request, "subject": actor}
    alone, other = engine.decide(request, now), engine.decide(as_actor, now)
    answer = engine.decide(on_behalf, now)
    assert judged(answer) == oracle.decide(document, on_behalf, now)
    assert answer["decision"] is (alone["decision"] and other["decision"])
    explained = engine.decide({**request, "options": {"actor": actor, "explain": True}}, now)["context"]
    assert proved({"context": explained}) == expected_proof(document, request, now)
    assert ("actor_explanation" in explained) is alone["decision"]
    if alone["decision"]:
        proof = {"context": {"explanation": explained["actor_explanation"]}}
        assert proved(proof) == expected_proof(document, as_actor, now)
    until = valid_until(engine, request, now)
    if alone["decision"]:
        until = min(until, valid_until(engine, as_actor, now))
    timed = engine.decide({**request, "options": {"actor": actor, "valid_until": True}}, now)["context"]["valid_until"]
    assert (float("inf") if timed is None else read_instant(timed)) == until
    check_filters(engine, request, actor, now)
    check_searches(engine, document, request, actor, now)
    return answer["decision"]


def check_filters(engine: Engine, request: Row, actor: Row, now: float) -> None:
    for options in ({}, {"include_direct": True}, {"gates": "decide"}):
        search = search_of(request, options=options | {"actor": actor})
        alone, other, both, same = (
            engine.filter(one, now)
            for one in (
                search_of(request, options=options),
                search_of({**request, "subject": actor}, options=options),
                search,
                search_of(request, options=options | {"actor": known_members(request["subject"])}),
            )
        )
        check_shape(both["filter"])
        assert json.dumps(same["filter"]) == json.dumps(alone["filter"])
        assert both["context"]["access_paths"] == alone["context"]["access_paths"]
        swapped = search_of(
            {**request, "subject": actor}, options=options | {"actor": known_members(request["subject"])}
        )
        assert json.dumps(engine.filter(swapped, now)["filter"]) == json.dumps(both["filter"])
        for row in rows(Pick.seeded(7), request):
            expected = tree_holds(alone["filter"], *row) and tree_holds(other["filter"], *row)
            assert tree_holds(both["filter"], *row) == expected


def check_searches(engine: Engine, document: Row, request: Row, actor: Row, now: float) -> None:
    as_actor = {**request, "subject": actor}
    both = {**request, "options": {"actor": actor}}
    judges = [engine.judge_resources(read_resource_search(one), now) for one in (request, as_actor, both)]
    for key in set(registered_resources(document)):
        found = [judge and (judge.path(key[1], {}), judge.actions(key[1], {})) for judge in judges]
        if judges[0] and key[0] == judges[0].type_id:
            (mine, all_mine), (theirs, all_theirs), joint = found
            assert joint == (mine if theirs else None, [name for name in all_mine if name in all_theirs])
    allowed = dict(engine.find_actions(read_action_search(as_actor), now).actions)
    mine = engine.find_actions(read_action_search(request), now).actions
    assert engine.find_actions(read_action_search(both), now).actions == [one for one in mine if one[0] in allowed]
    bare, judge = (engine.judge_subjects(read_subject_search(one), now) for one in (request, both))
    acting = engine.judge_subjects(read_subject_search({**request, "subject": {"type": actor["type"]}}), now)
    for key in set(registered_subjects(document)):
        if bare and key[0] == request["subject"]["type"]:
            sent = {**(actor.get("attributes") or {}), **(actor.get("properties") or {})}
            if actor.get("id") and acting is not None:
                may = acting.path(actor["id"], sent)
                assert (judge and judge.path(key[1], {})) == (bare.path(key[1], {}) if may else None)


@pytest.mark.parametrize("block", range(3))
def test_every_way_agrees_with_both_alone(block: int, tmp_path) -> None:
    allowed = 0
    for seed in range(block * 48, block * 48 + 48):
        document, request, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        others = [a_request(Pick.seeded(seed + more), document)["subject"] for more in (1, 1_000)]
        for one in (*others, request["subject"]):
            allowed += check(engine, document, request, known_members(one), now)
    assert allowed > 10


def test_a_strict_request_finds_what_the_actor_lacks(tmp_path) -> None:
    """E8: under `$.options.actor`. A registered attribute is not missing (E9)."""
    level = {"agent": {"level": {"kind": "number", "required": True}}}
    engine = engine_with_registry(DOCUMENT | {"attributes": {"subject": level}}, tmp_path / "b")
    for actor, options in ((BOT, {}), (BOT | {"id": "new"}, {"attributes": "registered"})):
        with pytest.raises(BadRequest) as refused:
            engine.decide(asked(actor=actor, strict=True, **options), NOW)
        assert (refused.value.code, refused.value.path) == ("missing-required", "$.options.actor.properties.level")
    assert engine.decide(asked(actor=BOT, strict=True, attributes="registered"), NOW)["decision"] is True


def test_a_node_stands_for_the_grants_of_each(engine: Engine) -> None:
    """F8: the filter has the nodes of both, each on its side of the conjunction."""
    alone, other, both, same = (
        engine.filter(asked(subject=subject, include_direct="node", **more), NOW)
        for subject, more in ((ANN, {}), (BOT, {}), (ANN, {"actor": BOT}), (ANN, {"actor": ANN}))
    )
    assert same["filter"] == alone["filter"]
    check_shape(both["filter"])
    for one in (alone, other):
        (node,) = [child for child in one["filter"]["conditions"] if child["type"] == "direct"]
        assert json.dumps(node) in json.dumps(both["filter"])


def test_a_reference_reads_the_actor(tmp_path) -> None:
    """X1: for the actor's evaluation, `subject.id` is the actor's."""
    document = {
        "extensions": ["references"],
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "policies": [
            {
                "id": "own",
                "effect": "ALLOW",
                "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
                "conditions": {"resource_attrs": [{"key": "shared", "op": "eq", "value_of": "subject.id"}]},
            }
        ],
    }
    engine = engine_for(document, tmp_path / "b")
    request = {"subject": ANN, "action": {"name": "read"}, "resource": {"type": "document", "id": "d"}}
    request["resource"] = request["resource"] | {"properties": {"shared": "ann"}}
    assert engine.decide({**request, "options": {"actor": ANN}}, NOW)["decision"] is True
    assert engine.decide({**request, "options": {"actor": BOT}}, NOW)["context"]["denied_for"] == "actor"
    search = search_of(request, options={"actor": BOT})
    assert engine.filter(search, NOW)["filter"] == {"type": "const", "value": False}
