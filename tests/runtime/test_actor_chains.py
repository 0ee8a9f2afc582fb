"""Chains of actors: all must be allowed, in every way of asking (A1)."""

from decimal import Decimal
from typing import Any

import pytest
from writ.runtime import BadRequest, Engine, RateCounters
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.runtime.test_on_behalf import ANN, BOT, DOCUMENT, NOW
from tests.support import oracle
from tests.support.bundling import bundle_file, engine_for
from tests.support.oracle_searches import tree_holds
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request

Row = dict[str, Any]
ASKED: Row = {
    "subject": ANN,
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1", "properties": {"size": 5}},
}
NOBODY = {"type": "agent", "id": "none"}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return engine_for(DOCUMENT, tmp_path_factory.mktemp("chains") / "model.bundle")


def asking(*actors: object, **options: object) -> Row:
    return ASKED | {"options": {"actor": list(actors), **options}}


@pytest.mark.parametrize("seed", range(80))
def test_a_chain_is_decided_as_the_oracle_decides_it(seed, tmp_path):
    document, request, now = seeded_case(seed)
    pick = Pick.seeded(seed)
    actors = [a_request(pick, document)["subject"] for _ in range(pick.number(1, 4))]
    actors = [{name: value for name, value in one.items() if name != "name"} for one in actors]
    if pick.chance(1, 3):
        actors.append(actors[0])
    asked = request | {"options": {"actor": actors}}
    answer = engine_for(document, tmp_path / "model.bundle").decide(asked, now)
    expected = oracle.decide(document, asked, now)
    assert answer["decision"] == expected["decision"]
    assert answer["context"]["reason_code"] == expected["reason_code"]
    assert answer["context"].get("denied_for") == expected.get("denied_for")


def test_the_first_that_is_denied_is_named_and_no_later_one_is_asked(engine):
    answer = engine.decide(asking(BOT, NOBODY, NOBODY, explain=True), NOW)
    assert (answer["decision"], answer["context"]["denied_for"]) == (False, "actor[1]")
    assert len(answer["context"]["actor_explanations"]) == 2
    assert "actor_explanation" not in answer["context"]
    assert engine.decide(asking(BOT, BOT), NOW)["decision"] is True
    assert engine.decide(asking(BOT, BOT), NOW)["context"] == engine.decide(ASKED, NOW)["context"]


FAULTS = {
    "an empty list": ([], "$.options.actor"),
    "too many": ([BOT] * 9, "$.options.actor"),
    "a list in it": ([BOT, [BOT]], "$.options.actor[1]"),
    "a null in it": ([None], "$.options.actor[0]"),
    "no object": ([BOT, "bot"], "$.options.actor[1]"),
    "no identifier": ([BOT, {"type": "agent"}], "$.options.actor[1]"),
    "no type": ([{"id": "bot"}], "$.options.actor[0].type"),
    "an actor inside": (BOT | {"actor": BOT}, "$.options.actor.actor"),
    "another unknown member": ([BOT, BOT | {"name": None}], "$.options.actor[1].name"),
    "properties of another type": ([BOT | {"properties": []}], "$.options.actor[0].properties"),
}


@pytest.mark.parametrize(("actor", "path"), FAULTS.values(), ids=FAULTS)
def test_a_fault_has_its_place(engine, actor, path):
    options = {"options": {"actor": actor}}
    search = {"subject": ANN, "action": {"name": "read"}, "resource": {"type": "document"}} | options
    for ask in (
        lambda: engine.decide(ASKED | options, NOW),
        lambda: engine.filter(search, NOW),
        lambda: read_action_search(ASKED | options),
        lambda: read_subject_search(ASKED | options),
    ):
        with pytest.raises(BadRequest) as refused:
            ask()
        assert refused.value.path == path


def test_no_actor_is_none(engine):
    assert engine.decide(ASKED | {"options": {"actor": None}}, NOW) == engine.decide(ASKED, NOW)


def test_a_filter_is_the_conjunction_and_results_the_intersection(engine):
    search = {"subject": ANN, "action": {"name": "read"}, "resource": {"type": "document"}}
    one = engine.filter(search | {"options": {"actor": BOT}}, NOW)
    for actors in ([BOT], [BOT, ANN, BOT]):
        listed = engine.filter(search | {"options": {"actor": actors}}, NOW)
        assert listed["filter"] == one["filter"]
        assert "actor[0].level" in listed["context"]["left_open"]
    none = engine.filter(search | {"options": {"actor": [BOT, NOBODY]}}, NOW)
    assert none["filter"] == {"type": "const", "value": False}
    assert tree_holds(one["filter"], "d1", {"size": 5})
    for actors, found in (([BOT], True), ([BOT, ANN], True), ([BOT, NOBODY], False)):
        judge = engine.judge_resources(read_resource_search(search | {"options": {"actor": actors}}), NOW)
        assert (judge.path("d1", {"size": 5}) is not None) is found
        asked = read_action_search(ASKED | {"options": {"actor": actors}})
        assert [name for name, _ in engine.find_actions(asked, NOW).actions if name == "read"] == ["read"] * found


def test_what_a_later_actor_leaves_open_is_named_by_its_place(engine):
    subject = ANN | {"properties": {"level": 5}}
    search = {"subject": subject, "action": {"name": "read"}, "resource": {"type": "document"}}
    actors = [BOT | {"properties": {"level": 3}}, BOT]
    context = engine.filter(search | {"options": {"actor": actors}}, NOW)["context"]
    assert context["left_open"] == ["actor[1].level"]


def test_a_node_of_direct_grants_stands_for_each_of_a_chain(engine):
    search = {"subject": ANN, "action": {"name": "read"}, "resource": {"type": "document"}}
    options = {"include_direct": "node", "actor": [BOT, NOBODY]}
    answer = engine.filter(search | {"options": options}, NOW)
    assert answer["context"]["access_paths"][0] == "direct"
    assert str(answer["filter"]).count("'direct'") == 3


LIMITED = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "policies": [
        {
            "id": "some",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}},
        }
    ],
}


def test_only_those_asked_count_and_the_same_subject_once(tmp_path):
    engine = Engine.open(bundle_file(LIMITED, tmp_path / "m.bundle"), counters=RateCounters())
    mallory = {"type": "user", "id": "mallory"}
    assert engine.decide(asking(BOT, BOT, ANN), NOW)["decision"] is True  # each counts once
    denied = engine.decide(ASKED | {"subject": mallory, "options": {"actor": [BOT, NOBODY]}}, NOW)
    assert denied["context"]["denied_for"] == "actor[0]"
    assert engine.decide(ASKED | {"subject": NOBODY}, NOW)["decision"] is True  # it was not asked before


LEVELLED = LIMITED | {
    "policies": [
        *LIMITED["policies"],
        {
            "id": "high",
            "effect": "DENY",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"subject_attrs": [{"key": "level", "op": "gt", "value": 5}]},
        },
    ]
}
UNREADABLE = {"type": "agent", "id": "odd", "properties": {"level": Decimal(9)}}


def test_a_request_that_is_refused_for_a_later_actor_counts_for_no_earlier_one(tmp_path):
    engine = Engine.open(bundle_file(LEVELLED, tmp_path / "m.bundle"), counters=RateCounters())
    for actors in ([UNREADABLE], [BOT, UNREADABLE]):
        with pytest.raises(BadRequest) as refused:
            engine.decide(asking(*actors), NOW)
        assert refused.value.path == f"$.options.actor[{len(actors) - 1}].properties.level"
    assert engine.decide(asking(BOT), NOW)["decision"] is True, "nothing was counted"
    denied = engine.decide(asking(BOT, UNREADABLE), NOW)
    assert "retry_after_seconds" in denied["context"], "the other actor is not asked"


def test_a_value_that_can_not_be_read_has_the_place_of_its_actor_in_searches(tmp_path):
    policies = [
        LEVELLED["policies"][1],
        LIMITED["policies"][0] | {"conditions": {}},
    ]
    engine = engine_for(LEVELLED | {"policies": policies}, tmp_path / "m.bundle")
    asked = asking(BOT, UNREADABLE)
    for ask in (
        lambda: engine.decide(asked, NOW),
        lambda: engine.filter(asked | {"resource": {"type": "document"}}, NOW),
        lambda: engine.actions(asked, NOW),
        lambda: engine.judge_resources(read_resource_search(asked | {"resource": {"type": "document"}}), NOW),
        lambda: engine.judge_subjects(read_subject_search(asked | {"subject": {"type": "user"}}), NOW),
    ):
        with pytest.raises(BadRequest) as refused:
            ask()
        assert refused.value.path == "$.options.actor[1].properties.level"
