"""A filter is true of a row exactly where an evaluation with open gates says yes, direct grants apart (F1 to F6)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from writ.runtime import BadRequest
from writ.runtime.filters.derive import derive
from writ.runtime.filters.partial import OpenRule, RemainingRules
from writ.runtime.searches import filtering

from tests.support import oracle, oracle_searches
from tests.support.bundling import engine_for
from tests.support.oracle_entities import Entity, question
from tests.support.strategies import cases, seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_values import KEYS, RESOURCE_IDS, attribute_value

Row = tuple[str, dict[str, Any]]


def search_of(request: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A resource search by the subject and action of an evaluation."""
    return {**request, "resource": {"type": request["resource"]["type"]}, **more}


def rows(pick: Pick, request: dict[str, Any]) -> list[Row]:
    sent = {**(request["resource"].get("attributes") or {}), **(request["resource"].get("properties") or {})}
    found: list[Row] = [(pick.one(RESOURCE_IDS), sent)]
    for _ in range(8):
        keys = pick.some(KEYS, 0, 4)
        found.append((pick.one((*RESOURCE_IDS, "z")), {key: attribute_value(pick) for key in keys}))
    return found


def asked_of(document, request, now, row):
    asked = question(document, request, now)
    return asked._replace(resource=Entity(asked.resource.type, *row))


def check(engine, document, request, now, some_rows):
    response = engine.filter(search_of(request), now)
    check_shape(response["filter"])
    for row in some_rows:
        expected = oracle_searches.admits(document, asked_of(document, request, now, row))
        assert oracle_searches.tree_holds(response["filter"], *row) == expected
    included = engine.filter(search_of(request, options={"include_direct": True}), now)
    for row in some_rows:
        expected = bool(oracle_searches.open_paths(document, asked_of(document, request, now, row)))
        assert oracle_searches.tree_holds(included["filter"], *row) == expected
    check_node(engine, document, request, now, some_rows, included)
    assert engine.filter(search_of(request), now) == response, "the same question has the same filter (D9)"


def check_node(engine, document, request, now, some_rows, included):
    """F8: with the granted ids in its place, the node says what the ids of `include_direct` say."""
    answer = engine.filter(search_of(request, options={"include_direct": "node"}), now)
    check_shape(answer["filter"])
    asked = question(document, request, now)
    for node in direct_nodes(answer["filter"]):
        type, id = oracle.subject_key(asked)
        assert node == {
            "type": "direct",
            "resource_type": asked.resource_type["id"],
            "action": asked.action,
            "subject": {"type": type, "id": id},
            "groups": sorted(oracle.groups_of(document, (type, id))),
        }
        assert "direct" in answer["context"]["access_paths"]
    ids = (
        [] if asked.resource_type is None else oracle_searches.granted_ids(document, asked, {id for id, _ in some_rows})
    )
    tree = oracle_searches.with_ids(answer["filter"], ids)
    for row in some_rows:
        assert oracle_searches.tree_holds(tree, *row) == oracle_searches.tree_holds(included["filter"], *row)


def direct_nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if tree["type"] == "direct":
        yield tree
    for child in tree.get("conditions", ()):
        yield from direct_nodes(child)


def check_shape(tree: dict[str, Any], above: str | None = None) -> None:
    """F6: no nested node of one operator, no node of one child but `not`, no repeated child, no inner constant."""
    assert tree["type"] in ("field", "logical", "const", "direct")
    if tree["type"] == "const":
        assert above is None
    if tree["type"] == "logical":
        children = tree["conditions"]
        assert tree["operator"] != above
        assert len(children) == 1 if tree["operator"] == "not" else len(children) > 1
        assert len({json.dumps(child) for child in children}) == len(children)
        for child in children:
            check_shape(child, tree["operator"])


@settings(max_examples=50, deadline=None)
@given(case=cases())
def test_a_filter_agrees_with_the_oracle(case, tmp_path_factory):
    document, request, now = case
    engine = engine_for(document, tmp_path_factory.mktemp("f") / "model.bundle")
    check(engine, document, request, now, rows(Pick.seeded(0), request))


@pytest.mark.parametrize("block", range(3))
def test_filters_agree_on_cases_that_never_change(block, tmp_path):
    for seed in range(block * 60, block * 60 + 60):
        document, request, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        check(engine, document, request, now, rows(Pick.seeded(seed), request))


def test_no_subject_gets_the_filter_of_another(tmp_path):
    """What is remembered is keyed by all that it depends on: many subjects, alternately, against new engines."""
    for seed in range(25):
        document, _, _ = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        questions = [
            (search_of(asked), now) for other in range(seed, seed + 12) for _, asked, now in [seeded_case(other)]
        ]
        answers = [engine_for(document, tmp_path / f"{seed}.bundle").filter(*question) for question in questions]
        for _ in range(2):
            assert [engine.filter(*question) for question in questions] == answers
            assert [engine.filter(*question) for question in reversed(questions)] == answers[::-1]


def test_what_a_caller_does_to_a_filter_is_seen_by_no_other(tmp_path):
    policy = {
        "id": "p",
        "effect": "ALLOW",
        "resource_types": [{"resource_type_id": "d", "actions": ["read"]}],
        "conditions": {"resource_attrs": [{"key": "k", "op": "in", "value": [1, [2]]}]},
    }
    document = {"model": 1, "resource_types": [{"id": "d", "actions": ["read"]}], "policies": [policy]}
    engine = engine_for(document, tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    first = engine.filter(search)
    first["filter"]["value"][0].append(3)
    first["context"]["access_paths"].clear()
    assert engine.filter(search)["filter"]["value"] == [[2], 1]
    assert engine.filter(search)["context"]["access_paths"] == ["abac"]


def granting(count: int, **more: Any) -> dict[str, Any]:
    return {
        "model": 1,
        "resource_types": [{"id": "d", "actions": ["read", "edit"]}],
        "grants": [
            {
                "id": f"g{n}",
                "subject": {"type": "u", "id": "a"},
                "resource": {"type": "d", "id": f"r{n:05}"},
                "actions": ["read"],
                **more,
            }
            for n in range(count)
        ],
    }


@pytest.mark.parametrize("count", [1, 17, 40])
def test_direct_grants_are_told_and_listed_on_request(count, tmp_path):
    """F3, for subjects whose grants are listed with them and for those with too many."""
    engine = engine_for(granting(count), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    plain = engine.filter(search)
    assert plain["filter"] == {"type": "const", "value": False}
    assert plain["context"]["access_paths"] == ["direct"]
    assert "direct grants" in plain["context"]["reason"]
    tree = engine.filter({**search, "options": {"include_direct": True}})["filter"]
    ids = [f"r{n:05}" for n in range(count)]
    assert tree == {"type": "field", "field": "id"} | (
        {"operator": "in", "value": ids} if count > 1 else {"operator": "eq", "value": ids[0]}
    )
    assert engine.filter({**search, "action": {"name": "edit"}})["context"]["access_paths"] == []


@pytest.mark.parametrize("count", [1, 17])
def test_expired_grants_are_left_out(count, tmp_path):
    """P4: at the instant itself it has expired; an earlier instant asked later still sees it."""
    engine = engine_for(granting(count, expires_at="1970-01-01T00:01:40Z"), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    direct = {**search, "options": {"include_direct": True}}
    for now, has in ((99.0, True), (100.0, False), (99.5, True), (200.0, False)):
        assert engine.filter(search, now)["context"]["access_paths"] == (["direct"] if has else [])
        assert (engine.filter(direct, now)["filter"]["type"] == "field") is has


NODE = {"type": "direct", "resource_type": "d", "action": "read", "subject": {"type": "u", "id": "a"}, "groups": []}
ALLOW = {"effect": "ALLOW", "resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
DENY = ALLOW | {"effect": "DENY", "priority": 1}
DRAFTS = {"conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]}}
IS_DRAFT = {"type": "field", "field": "status", "operator": "eq", "value": "draft"}
NOT_DRAFT = {"type": "logical", "operator": "not", "conditions": [IS_DRAFT]}
WITH_NODE = {
    "alone": ([], NODE),
    "beside a condition": ([ALLOW | DRAFTS], {"type": "logical", "operator": "or", "conditions": [IS_DRAFT, NODE]}),
    "below a DENY": ([DENY | DRAFTS], {"type": "logical", "operator": "and", "conditions": [NOT_DRAFT, NODE]}),
    "beside everything": ([ALLOW], {"type": "const", "value": True}),
    "beside everything, below a DENY": ([ALLOW, DENY | DRAFTS], NOT_DRAFT),
    "below a DENY of everything": ([ALLOW | DRAFTS, DENY], {"type": "const", "value": False}),
}


@pytest.mark.parametrize("case", WITH_NODE)
def test_direct_grants_are_one_node_on_request(case, tmp_path):
    """F8: the node is there whether or not grants exist, but not where the ALLOW side or the filter is constant."""
    policies, expected = WITH_NODE[case]
    for count in (0, 3, 20):
        model = granting(count) | {"policies": [one | {"id": f"p{n}"} for n, one in enumerate(policies)]}
        engine = engine_for(model, tmp_path / f"{count}.bundle")
        search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
        answer = engine.filter({**search, "options": {"include_direct": "node"}})
        assert answer["filter"] == expected
        is_direct = NODE in direct_nodes(expected) or count > 0
        assert ("direct" in answer["context"]["access_paths"]) is is_direct


@pytest.mark.parametrize("subject", [{"type": "u", "external_id": "nobody"}, {"type": "u", "id": "\ud800"}])
def test_a_subject_that_has_no_grants_has_no_node(subject, tmp_path):
    """F8: without an id, and with one that is no text, which no model has."""
    engine = engine_for(granting(3), tmp_path / "m.bundle")
    search = {"subject": subject, "action": {"name": "read"}, "resource": {"type": "d"}}
    found = engine.filter({**search, "options": {"include_direct": "node"}})
    assert found["filter"] == {"type": "const", "value": False}
    assert found["context"]["access_paths"] == []


def test_a_node_makes_no_filter_end(tmp_path):
    """F7: grants come and go, and the node stays."""
    engine = engine_for(granting(3, expires_at="1970-01-01T00:01:40Z"), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}, "context": {}}
    for include, until in ((True, "1970-01-01T00:01:40Z"), ("node", None)):
        options = {"gates": "decide", "include_direct": include}
        assert engine.filter({**search, "options": options}, 50.0)["context"]["valid_until"] == until


def test_too_many_direct_grants_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(filtering, "MAX_DIRECT_IDS", 20)
    engine = engine_for(granting(21), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    with pytest.raises(BadRequest, match="ask for `results`"):
        engine.filter({**search, "options": {"include_direct": True}})


def test_what_callers_invent_is_not_remembered(tmp_path):
    """P1: an action that the type does not declare is covered by nothing, grants of `*` among it."""
    engine = engine_for(granting(17, actions=["*"]), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "resource": {"type": "d"}, "options": {"include_direct": True}}
    for number in range(20):
        found = engine.filter({**search, "action": {"name": f"invented {number}"}})
        assert found["filter"] == {"type": "const", "value": False}
        assert found["context"]["access_paths"] == []
    snapshot = engine._snapshot
    assert not snapshot.covering
    assert snapshot.rules.filters._entries == 0


def test_the_constants_of_a_filter_count_as_memory():
    """A caller chooses among the rules by the subject's attributes, so each filter is another list of them."""
    rule = OpenRule("abac", (), (("k", "in", [f"{n}" for n in range(1_000)]),))
    assert derive(RemainingRules((rule,), ())).size > 100


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"subject": None}, "$.subject"),
        ({"subject": {"type": "u"}}, "$.subject"),
        ({"subject": {"type": "u", "id": "a", "external_id": "b"}}, "$.subject"),
        ({"action": {}}, "$.action.name"),
        ({"resource": {}}, "$.resource.type"),
        ({"resource": {"type": ""}}, "$.resource.type"),
        ({"context": []}, "$.context"),
        ({"options": []}, "$.options"),
        ({"options": {"return": "all"}}, "$.options.return"),
        ({"options": {"return": ["filter"]}}, "$.options.return"),
        ({"options": {"include_direct": 1}}, "$.options.include_direct"),
        ({"options": {"include_direct": "nodes"}}, "$.options.include_direct"),
        ({"options": {"include_direct": ["node"]}}, "$.options.include_direct"),
        ({"page": 1}, "$.page"),
        ({"page": {"limit": -1}}, "$.page.limit"),
        ({"page": {"limit": 1.5}}, "$.page.limit"),
        ({"page": {"limit": True}}, "$.page.limit"),
        ({"page": {"token": 5}}, "$.page.token"),
        ({"page": {"properties": 5}}, "$.page.properties"),
    ],
)
def test_a_bad_search_says_where(change, path, tmp_path):
    engine = engine_for(granting(1), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    with pytest.raises(BadRequest) as caught:
        engine.filter({**search, **change})
    assert caught.value.path == path


@pytest.mark.parametrize(
    "ignored",
    [{"resource": {"type": "d", "id": 5, "properties": []}}, {"page": {"limit": 0, "x": 1}}, {"options": {"x": 1}}],
)
def test_what_a_search_does_not_know_is_ignored(ignored, tmp_path):
    """S5: of the searched entity everything but its type."""
    engine = engine_for(granting(1), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    assert engine.filter({**search, **ignored}) == engine.filter(search)


@pytest.mark.parametrize(
    ("conditions", "effect", "open_gates"),
    [
        ({}, "ALLOW", None),
        ({"resource_attrs": [{"key": "k", "op": "eq", "value": 1}]}, "ALLOW", None),
        ({"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}, "ALLOW", "`context.mfa`"),
        ({"rate_limit": {"limit": 1, "window_seconds": 1}}, "ALLOW", "rate limits"),
        ({"time_window": {"days": ["mon"]}, "ip_allowlist": ["::/0"]}, "ALLOW", "time windows, IP addresses"),
        ({"ip_allowlist": ["10.0.0.0/8"]}, "DENY", "IP addresses"),
        ({"resource_attrs": [{"key": "k", "op": "eq", "value": 1}]}, "DENY", None),
        (
            {"context_attrs": [{"key": key, "op": "eq", "value": 1} for key in "gfedcba"]},
            "ALLOW",
            "`context.a`, `context.b`, `context.c`, `context.d`, `context.e`, 2 more attributes of the context",
        ),
    ],
)
def test_gates_that_are_left_open_are_named(conditions, effect, open_gates, tmp_path):
    """F2: the reader of "every resource" must know that an evaluation may still deny, and by which conditions."""
    scope = {"resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
    policies = [{"id": "p", "effect": effect, "conditions": conditions, **scope}]
    if effect == "DENY":
        policies.append({"id": "all", "effect": "ALLOW", **scope})
    document = {"model": 1, "resource_types": [{"id": "d", "actions": ["read"]}], "policies": policies}
    engine = engine_for(document, tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    _, *more = engine.filter(search)["context"]["reason"].split(
        "; it may show more than an evaluation allows, since it "
    )
    assert more == ([f"leaves open: {open_gates}"] if open_gates else [])


@pytest.mark.parametrize(
    ("action", "type", "why"), [("read", "e", "no resource type with this name"), ("x", "d", "the action")]
)
def test_what_is_not_declared_is_said(action, type, why, tmp_path):
    """E7, P1, in the words of an evaluation."""
    engine = engine_for(granting(1), tmp_path / "m.bundle")
    search = {"subject": {"type": "u", "id": "a"}, "action": {"name": action}, "resource": {"type": type}}
    answer = engine.filter(search)
    assert answer["filter"] == {"type": "const", "value": False}
    assert why in answer["context"]["reason"]
