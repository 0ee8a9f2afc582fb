"""With `options.attributes: registered`, what a request does not send is what the registry has (E9)."""

from typing import Any

import pytest
from writ.bundles.event_loop import TakesLong, mark_event_loop
from writ.runtime import BadRequest, Engine, SearchUnavailable
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.runtime.searches.test_searches import check_actions, check_resources, check_subjects
from tests.runtime.test_agreement import expected_proof, judged, proved
from tests.support import oracle
from tests.support.bundling import engine_for, engine_with_registry
from tests.support.oracle_entities import question
from tests.support.strategies import seeded_case

Row = dict[str, Any]
NOW = 0.0

DOCUMENT: Row = {
    "resource_types": [{"id": "t1", "name": "document", "actions": ["read", "delete"]}],
    "subjects": [
        {"type": "user", "id": "ann", "external_id": "idp|ann", "attributes": {"level": 9, "team": "red"}},
        {"type": "user", "id": "bob", "attributes": {"level": 1}},
    ],
    "resources": [
        {"type": "t1", "id": "d1", "name": "Plan", "attributes": {"status": "final", "meta": {"a": 1}, "meta.b": 2}},
    ],
    "policies": [
        {
            "id": "seniors",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "t1", "actions": ["delete"]}],
            "conditions": {
                "subject_attrs": [{"key": "level", "op": "gt", "value": 5}],
                "resource_attrs": [{"key": "status", "op": "eq", "value": "final"}],
            },
        },
        {
            "id": "nested",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "t1", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "meta.a", "op": "eq", "value": 1}]},
        },
    ],
}


def registered(request: Row, **options: Any) -> Row:
    return {**request, "options": {"attributes": "registered", **options}}


def asked(subject: Row | None = None, resource: Row | None = None, action: str = "delete") -> Row:
    return {
        "subject": {"type": "user", "id": "ann"} | (subject or {}),
        "action": {"name": action},
        "resource": {"type": "document", "id": "d1"} | (resource or {}),
    }


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_with_registry(DOCUMENT, tmp_path_factory.mktemp("registered") / "model.bundle")


def test_who_can_delete_the_registered_document(engine: Engine) -> None:
    """The search names the document and sends none of its attributes: without the option, no subject can."""
    search = {"subject": {"type": "user"}, "action": {"name": "delete"}, "resource": {"type": "document", "id": "d1"}}
    bare = engine.judge_subjects(read_subject_search(search), NOW)
    judge = engine.judge_subjects(read_subject_search(registered(search)), NOW)
    assert bare is not None
    assert judge is not None
    assert (bare.path("ann", {"level": 9}), judge.path("ann", {"level": 9})) == (None, "abac")
    assert judge.path("bob", {"level": 1}) is None


@pytest.mark.parametrize(
    ("subject", "resource", "decision"),
    [
        ({}, {}, True),
        ({"properties": {"level": None}}, {}, False),
        ({"properties": {"level": 1}}, {}, False),
        ({"attributes": {"level": 9}, "properties": {"level": None}}, {}, False),
        ({"properties": {"team": "blue"}}, {}, True),
        ({"id": "bob"}, {}, False),
        ({"id": "bob", "properties": {"level": 6}}, {}, True),
        ({"id": "eve"}, {}, False),
        ({"id": None, "external_id": "idp|ann"}, {"id": None, "name": "Plan"}, True),
        ({"id": None, "external_id": "idp|eve"}, {}, False),
        ({}, {"id": "d2"}, False),
        ({}, {"properties": {"status": "draft"}}, False),
    ],
)
def test_what_is_sent_counts_before_what_is_registered(
    engine: Engine, subject: Row, resource: Row, decision: bool
) -> None:
    """E4: `attributes` and `properties` count as sent, a null in them too. A stranger has no attributes."""
    request = asked(subject, resource)
    assert engine.decide(registered(request), NOW)["decision"] is decision
    assert oracle.decide(DOCUMENT, registered(request), NOW)["decision"] is decision


def test_an_attribute_is_sent_by_its_whole_name(engine: Engine) -> None:
    """An object that is sent takes the place of the registered one; what it has not is absent (C1)."""
    assert engine.decide(registered(asked(action="read")), NOW)["decision"] is True
    sent = asked(resource={"properties": {"meta": {"c": 1}}}, action="read")
    assert engine.decide(registered(sent), NOW)["decision"] is False
    assert oracle.decide(DOCUMENT, registered(sent), NOW)["decision"] is False


def test_a_proof_shows_registered_values(engine: Engine) -> None:
    proof = engine.decide(registered(asked(), explain=True), NOW)["context"]["explanation"]
    shown = {(row["section"], row["key"]): row["actual"] for row in proof["candidates"][0]["conditions"]}
    assert shown == {("subject_attrs", "level"): 9, ("resource_attrs", "status"): "final"}


@pytest.mark.parametrize("value", ["sent", "", 1, True, ["registered"], {}])
def test_another_value_of_the_option_is_refused(engine: Engine, value: Any) -> None:
    for ask, request in (
        (engine.decide, asked()),
        (engine.filter, asked()),
        (read_subject_search, asked()),
        (read_action_search, asked()),
    ):
        with pytest.raises(BadRequest) as refused:
            ask({**request, "options": {"attributes": value}})
        assert refused.value.path == "$.options.attributes"


def test_null_is_the_same_as_leaving_it_out(engine: Engine) -> None:
    request = {**asked(), "options": {"attributes": None}}
    assert engine.decide(request, NOW)["decision"] is False
    assert engine.filter(request, NOW) == engine.filter({**asked(), "options": {}}, NOW)


def test_an_engine_without_a_registry_says_so(tmp_path) -> None:
    engine = engine_for(DOCUMENT, tmp_path / "model.bundle")
    request = registered(asked())
    for ask in (
        lambda: engine.decide(request, NOW),
        lambda: engine.filter(request, NOW),
        lambda: engine.judge_resources(read_resource_search(request), NOW),
        lambda: engine.judge_subjects(read_subject_search(request), NOW),
        lambda: engine.find_actions(read_action_search(request), NOW),
    ):
        with pytest.raises(SearchUnavailable):
            ask()
    (item,) = engine.decide_many([request], NOW)
    assert (item["decision"], item["context"]["error"]["status"]) == (False, 501)


def test_no_event_loop_waits_for_a_registry(engine: Engine) -> None:
    mark_event_loop()
    try:
        with pytest.raises(TakesLong):
            engine.decide(registered(asked()), NOW)
        with pytest.raises(TakesLong):
            engine.find_actions(read_action_search(registered(asked())), NOW)
        assert engine.cached_filter(read_resource_search(registered(asked())), NOW) is None
    finally:
        mark_event_loop(False)


def spelled_out(document: Row, request: Row, now: float) -> Row:
    """The same request with the registered attributes in its properties."""
    known = question(document, request, now)
    bare = {name: part for name, part in request.items() if name != "options"}
    parts = {"subject": known.subject.attributes, "resource": known.resource.attributes}
    sent = {owner: {**request[owner], "attributes": None, "properties": found} for owner, found in parts.items()}
    return {**bare, **sent}


def check(engine: Engine, document: Row, request: Row, now: float) -> None:
    asking = registered(request)
    expected = oracle.decide(document, asking, now)
    explained = engine.decide(registered(request, explain=True), now)
    assert judged(engine.decide(asking, now)) == judged(explained) == expected
    assert proved(explained) == expected_proof(document, asking, now)
    spelled = spelled_out(document, asking, now)
    timed = {**spelled, "options": {"valid_until": True}}
    assert engine.decide(registered(request, valid_until=True), now) == engine.decide(timed, now)
    for gates in ("open", "decide"):
        search = {**spelled, "options": {"gates": gates}}
        assert engine.filter(registered(request, gates=gates), now) == engine.filter(search, now)
    for search in (asking, {**asking, "context": None}):
        check_resources(engine, document, search, now)
        check_subjects(engine, document, search, now)
        check_actions(engine, document, search, now)


@pytest.mark.parametrize("block", range(3))
def test_every_way_agrees_with_the_oracle(block: int, tmp_path) -> None:
    for seed in range(block * 36, block * 36 + 36):
        document, request, now = seeded_case(seed)
        check(engine_with_registry(document, tmp_path / f"{seed}.bundle"), document, request, now)
