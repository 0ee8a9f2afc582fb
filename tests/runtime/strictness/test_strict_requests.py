"""Strict requests (E8): the engine finds the oracle's faults, in every way of asking, and decides what has none."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from writ.bundles.file.in_memory import bundle_in_memory
from writ.runtime import BadRequest, Engine
from writ.runtime.engine import Engine as AnyEngine
from writ.runtime.requests.members import INVALID

from tests.support.bundling import compiled, engine_with_registry
from tests.support.oracle_strict import missing_faults, strict_faults
from tests.support.strategies_strict import registered_cases, strict_cases

DOCUMENT: dict[str, Any] = {
    "resource_types": [
        {
            "id": "d",
            "name": "document",
            "actions": ["read"],
            "attributes": {"status": {"kind": "string", "one_of": ["draft", "final"]}, "size": "number"},
        }
    ],
    "attributes": {"context": {"mfa": {"kind": "boolean", "required": True}}},
    "policies": [{"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}],
}
GOOD: dict[str, Any] = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "1", "properties": {"status": "draft"}},
    "context": {"mfa": True},
}


def engine_of(document: dict[str, Any], strict: bool) -> Engine:
    return AnyEngine(bundle_in_memory(compiled(document).write), clock=lambda: 0.0, strict=strict)


def found(ask: Callable[[], object]) -> list[tuple[str, str]]:
    """The codes and paths that a question is refused for, or none."""
    try:
        ask()
    except BadRequest as ex:
        error = ex
    else:
        return []
    assert (error.code, error.path, error.message) == error.details[0]
    return [(one.code, one.path) for one in error.details]


@given(strict_cases())
def test_an_engine_finds_the_faults_of_the_oracle(case):
    document, request, kind = case
    expected = strict_faults(document, request, kind)
    by_model = engine_of(document | {"requests": "strict"}, strict=False)
    opened, plain = engine_of(document, strict=True), engine_of(document, strict=False)
    asked = request | {"options": {**(request.get("options") or {}), "strict": True}}
    assert found(lambda: by_model.refuse_faults(kind, request)) == expected
    assert found(lambda: opened.refuse_faults(kind, request)) == expected
    assert found(lambda: plain.refuse_faults(kind, asked)) == strict_faults(document, asked, kind)
    if kind == "evaluation":
        for engine, one in ((by_model, request), (opened, request), (plain, asked)):
            faults = strict_faults(document, one)
            assert found(lambda engine=engine, one=one: engine.decide(one)) == faults
            (answer,) = engine.decide_many([one])
            assert [(d["code"], d["path"]) for d in answer["context"].get("error", {}).get("details", ())] == faults
            assert faults or answer == plain.decide(request)
    if kind == "resource":
        assert found(lambda: opened.filter(request)) == expected
        assert found(lambda: plain.filter(asked)) == strict_faults(document, asked, kind)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=registered_cases())
def test_registered_attributes_count_before_anything_is_missing(case, tmp_path):
    """E9: what is neither sent nor registered is looked for last, for the actor only if the subject is allowed (A1)."""
    document, request = case
    engine = engine_with_registry(document | {"requests": "strict"}, tmp_path / "model.bundle")
    expected = strict_faults(document, request) or missing_faults(document, request, "subject", "resource")
    if not expected and request["options"].get("actor") is not None and request["action"]["name"] == "read":
        expected = missing_faults(document, request, "options.actor")
    assert found(lambda: engine.decide(request)) == expected


@given(strict_cases())
def test_a_request_that_does_not_ask_is_answered_as_ever(case):
    document, request, _ = case
    engine = engine_of(document, strict=False)
    request = {name: value for name, value in request.items() if name != "options"}
    assert engine.decide(request) == engine.decide(request | {"options": {"strict": False}})


@given(strict_cases())
def test_the_short_way_of_asking_is_strict_too(case):
    document, request, _ = case
    bags = [request[name].get("properties") for name in ("subject", "resource", "action")]
    names = (request["subject"]["type"], "alice", request["action"]["name"], request["resource"]["type"], "1")
    plain = {
        "subject": {"type": names[0], "id": "alice"} | ({"properties": bags[0]} if bags[0] else {}),
        "action": {"name": names[2]} | ({"properties": bags[2]} if bags[2] else {}),
        "resource": {"type": names[3], "id": "1"} | ({"properties": bags[1]} if bags[1] else {}),
        "context": request.get("context") or {},
    }
    expected, strict = strict_faults(document, plain), engine_of(document, strict=True)

    def ask() -> bool:
        return strict.allowed(*names, *bags, request.get("context"))

    assert found(ask) == expected
    if not expected:
        assert ask() == engine_of(document, strict=False).decide(plain)["decision"]


CASES = {
    "type": ({"resource": {"type": "documnt", "id": "1"}}, ("undeclared-type", "$.resource.type"), "`document`?"),
    "id of a type": ({"resource": {"type": "d", "id": "1"}}, ("undeclared-type", "$.resource.type"), "name this type"),
    "action": ({"action": {"name": "raed"}}, ("undeclared-action", "$.action.name"), "did you mean `read`?"),
    "attribute": (
        {"resource": {"type": "document", "id": "1", "attributes": {"stauts": "x"}}},
        ("undeclared-attribute", "$.resource.attributes.stauts"),
        "did you mean `status`?",
    ),
    "flag as text": ({"context": {"mfa": "true"}}, ("wrong-type", "$.context.mfa"), "leave the quotes out: `true`"),
    "flag as number": ({"context": {"mfa": 1}}, ("wrong-type", "$.context.mfa"), "declared as boolean"),
    "value": (
        {"resource": {"type": "document", "id": "1", "properties": {"status": "drfat"}}},
        ("wrong-value", "$.resource.properties.status"),
        "did you mean `draft`?",
    ),
    "required": ({"context": None}, ("missing-required", "$.context.mfa"), "is required"),
    "member": ({"contxt": {}}, ("unknown-member", "$.contxt"), "did you mean `context`?"),
    "option": ({"options": {"explian": True}}, ("unknown-member", "$.options.explian"), "did you mean `explain`?"),
    "actor": (
        {"options": {"actor": {"type": "user", "id": "b", "propertes": {}}}},
        ("unknown-member", "$.options.actor.propertes"),
        "did you mean `properties`?",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_has_its_code_its_path_and_a_suggestion(name):
    changed, expected, said = CASES[name]
    with pytest.raises(BadRequest) as error:
        engine_of(DOCUMENT, strict=True).decide(GOOD | changed)
    assert [(one.code, one.path) for one in error.value.details] == [expected]
    assert error.value.code == expected[0]
    assert said in error.value.message


def test_a_malformed_request_is_told_first():
    with pytest.raises(BadRequest) as error:
        engine_of(DOCUMENT, strict=True).decide(GOOD | {"subject": {"type": "user"}, "contxt": 1})
    assert (error.value.code, error.value.path) == (INVALID, "$.subject")
    assert error.value.strict_faults == ()


@pytest.mark.parametrize("value", [1, "true", [], {}])
@pytest.mark.parametrize("strict", [True, False])
def test_the_option_is_true_or_false(value, strict):
    request = GOOD | {"options": {"strict": value}}
    engine = engine_of(DOCUMENT, strict)
    for ask in (engine.decide, engine.filter):
        with pytest.raises(BadRequest) as error:
            ask(request)
        assert (error.value.code, error.value.path) == (INVALID, "$.options.strict")


def test_a_closed_type_is_asked_after_the_check():
    """E7: the engine checks that before anything else, but for E8."""
    closed = [DOCUMENT["resource_types"][0] | {"closed": True}]
    engine = engine_of(DOCUMENT | {"resource_types": closed}, strict=True)
    with pytest.raises(BadRequest):
        engine.decide(GOOD | {"context": {}})
    assert engine.decide(GOOD)["context"]["reason_code"] == "NO_POLICY_MATCH"


def test_later_revisions_are_as_strict(tmp_path):
    engine = engine_of(DOCUMENT, strict=True)
    bad = GOOD | {"contxt": {}}
    engine.replace(bundle_in_memory(compiled(DOCUMENT | {"requests": "strict"}).write))
    for one in (engine, engine.pinned(), engine.held(), engine.uncounted()):
        assert found(lambda one=one: one.decide(bad)) == [("unknown-member", "$.contxt")]
    plain = engine_of(DOCUMENT, strict=False)
    engine.take_over(plain)
    assert found(lambda: engine.decide(bad)) == [("unknown-member", "$.contxt")]
    plain.take_over(engine)
    assert plain.decide(bad)["decision"]
    plain.replace(bundle_in_memory(compiled(DOCUMENT | {"requests": "strict"}).write))
    assert found(lambda: plain.decide(bad)) == [("unknown-member", "$.contxt")]


@pytest.mark.parametrize(
    ("kind", "unread"),
    [
        ("evaluation", ["return", "include_direct", "gates", "evaluations_semantic"]),
        ("batch", ["return", "include_direct", "gates"]),
        ("resource", ["explain", "valid_until", "evaluations_semantic"]),
        ("subject", ["explain", "valid_until", "include_direct", "gates"]),
        ("action", ["explain", "valid_until", "include_direct", "gates"]),
    ],
)
def test_an_option_that_a_question_does_not_read_is_unknown_there(kind, unread):
    engine = engine_of(DOCUMENT, strict=True)
    for option in unread:
        with pytest.raises(BadRequest) as error:
            engine.refuse_faults(kind, GOOD | {"options": {option: None}})
        assert (error.value.code, error.value.path) == ("unknown-member", f"$.options.{option}")


def test_the_type_of_a_searched_resource_is_checked_and_nothing_else():
    engine, type = engine_of(DOCUMENT, strict=True), GOOD["resource"]["type"]
    engine.refuse_faults("resource", GOOD | {"resource": {"type": type, "anything": 1, "properties": {"no": 1}}})
    with pytest.raises(BadRequest, match=f"did you mean `{type}`") as error:
        engine.refuse_faults("resource", GOOD | {"resource": {"type": type[:-1]}})
    assert (error.value.code, error.value.path) == ("undeclared-type", "$.resource.type")
