"""A filter with decided gates is true of a row exactly where an evaluation permits by policies (F7)."""

import math

import pytest
from hypothesis import given, settings
from writ.bundles.conditions.instants import read_instant, seconds_not_before
from writ.runtime import BadRequest
from writ.runtime.requests.searches import read_resource_search
from writ.runtime.searches import filter_validity

from tests.runtime.filters.test_filters import asked_of, check_shape, rows, search_of
from tests.support import oracle, oracle_searches
from tests.support.bundling import engine_for
from tests.support.strategies import cases, seeded_case
from tests.support.strategies_pick import Pick

DECIDE = {"gates": "decide"}
SCOPE = {"resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
NOW = 1_767_607_200  # 2026-01-05T10:00:00Z, a Monday
LATER = (1, 60, 3_600, 86_400, 7 * 86_400, 400 * 86_400)


def decided(engine, request, now, **options):
    """The answer, and the same one if the engine remembers it."""
    search = search_of(request, options=DECIDE | options)
    response = engine.filter(search, now)
    assert engine.cached_filter(read_resource_search(search), now) in (None, response)
    return response


def check(engine, document, request, now, some_rows):
    response = decided(engine, request, now)
    check_shape(response["filter"])
    for row in some_rows:
        asked = asked_of(document, request, now, row)
        expected = oracle_searches.admits_decided(document, asked)
        assert oracle_searches.tree_holds(response["filter"], *row) == expected
        if expected and not any("rate_limit" in p.get("conditions", {}) for p in document.get("policies", [])):
            named = {"type": request["resource"]["type"], "id": row[0], "properties": row[1]}
            assert oracle.decide(document, {**request, "resource": named}, now)["decision"] is (
                not oracle_searches.out_of_reach(document, asked)
            )
    check_validity(engine, request, now, response)
    opened = engine.filter(search_of(request, options={"gates": "open"}), now)
    assert opened == engine.filter(search_of(request), now)
    assert decided(engine, request, now) == response, "the same question has the same filter (D9)"


def check_validity(engine, request, now, response):
    """Until `valid_until` the filter is the same."""
    until = response["context"]["valid_until"]
    end = None if until is None else seconds_not_before(read_instant(until))
    for seconds in LATER:
        if end is None or now + seconds < end:
            assert decided(engine, request, now + seconds)["filter"] == response["filter"]
    if "value_type" in str(response["filter"]) and (request.get("context") or {}).get("time") is None:
        assert end is not None, "the clock's instant is part of the filter (X5)"
        return
    if end is not None:
        assert end > now
        middle = min(now + (end - now) / 2, math.nextafter(end, now))  # which rounding may lift to the end itself
        assert decided(engine, request, middle)["filter"] == response["filter"]


@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_a_decided_filter_agrees_with_the_oracle(case, tmp_path_factory):
    document, request, now = case
    engine = engine_for(document, tmp_path_factory.mktemp("f") / "model.bundle")
    check(engine, document, request, now, rows(Pick.seeded(0), request))


@pytest.mark.parametrize("block", range(3))
def test_decided_filters_agree_on_cases_that_never_change(block, tmp_path):
    for seed in range(block * 60, block * 60 + 60):
        document, request, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        check(engine, document, request, now, rows(Pick.seeded(seed), request))


def model(*policies, **more):
    numbered = [{"id": f"p{n}", "effect": "ALLOW", **SCOPE, **policy} for n, policy in enumerate(policies)]
    types = [{"id": "d", "actions": ["read"]}]
    return {"model": 1, "resource_types": types, "roles": [{"id": "r"}], "policies": numbered, **more}


def asking(**context):
    return {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d"}} | (
        {"context": context} if context else {}
    )


def found(tmp_path, document, request, now=NOW, **options):
    engine = engine_for(document, tmp_path / "m.bundle")
    answer = decided(engine, request, now, **options)
    return answer["filter"], answer["context"]


HOURS = {"conditions": {"time_window": {"start": "09:00", "end": "17:00"}}}
EVERY, NONE = {"type": "const", "value": True}, {"type": "const", "value": False}


def test_only_a_filter_that_lasts_is_remembered(tmp_path):
    by_context = {"conditions": {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}}
    for number, (policy, lasts) in enumerate(((by_context, True), (HOURS, False))):
        engine = engine_for(model(policy), tmp_path / f"{number}.bundle")
        for context in ({"mfa": True}, {"mfa": False}):
            response = decided(engine, asking(**context), NOW)
            search = search_of(asking(**context), options=DECIDE)
            known = engine.cached_filter(read_resource_search(search), NOW)
            assert known == (response if lasts else None)


def test_a_window_by_the_clock_bounds_the_filter(tmp_path):
    tree, context = found(tmp_path, model(HOURS), asking())
    assert (tree, context["valid_until"]) == (EVERY, "2026-01-05T17:00:00Z")
    tree, context = found(tmp_path, model(HOURS), asking(), NOW + 8 * 3_600)
    assert (tree, context["valid_until"]) == (NONE, "2026-01-06T09:00:00Z")


def test_a_window_by_the_time_of_the_request_does_not(tmp_path):
    for time in ("2026-01-05T10:00:00Z", "garbage"):
        _, context = found(tmp_path, model(HOURS), asking(time=time))
        assert context["valid_until"] is None


def test_a_window_that_changes_nothing_does_not_end_it(tmp_path):
    """The second policy allows everything anyway. The search for a change ends after a number of instants."""
    _, context = found(tmp_path, model(HOURS, {}), asking())
    days = filter_validity.TRIED_INSTANTS // 2  # the window changes twice a day
    assert context["valid_until"] == f"2026-01-{5 + days}T09:00:00Z"


def test_a_window_of_others_does_not_count(tmp_path):
    _, context = found(tmp_path, model({}, {"effect": "DENY", "roles": ["r"], **HOURS}), asking())
    assert context["valid_until"] is None


def test_an_expiring_role_bounds_the_filter(tmp_path):
    assignment = {"role": "r", "subject": {"type": "u", "id": "a"}, "expires_at": "2026-02-01T00:00:00.25Z"}
    document = model({"roles": ["r"]}, assignments=[assignment])
    tree, context = found(tmp_path, document, asking())
    assert (tree, context["valid_until"]) == (EVERY, "2026-02-01T00:00:00.25Z")
    engine = engine_for(document, tmp_path / "m.bundle")
    assert decided(engine, asking(), NOW + 40 * 86_400)["filter"] == NONE


def test_an_expiring_role_without_effect_on_the_filter_does_not(tmp_path):
    assignment = {"role": "r", "subject": {"type": "u", "id": "a"}, "expires_at": "2026-02-01T00:00:00Z"}
    _, context = found(tmp_path, model({}, assignments=[assignment]), asking())
    assert context["valid_until"] is None


def test_an_expiring_grant_bounds_the_filter_that_lists_it(tmp_path):
    subject, read = {"type": "u", "id": "a"}, ["read"]
    grants = [
        {"id": id, "subject": subject, "resource": {"type": "d", "id": id}, "actions": read, **more}
        for id, more in (("x", {"expires_at": "2026-03-01T00:00:00Z"}), ("y", {}))
    ]
    document = model(grants=grants)
    tree, context = found(tmp_path, document, asking(), include_direct=True)
    assert (tree["value"], context["valid_until"]) == (["x", "y"], "2026-03-01T00:00:00Z")
    _, context = found(tmp_path, document, asking())
    assert context["valid_until"] is None


def test_a_role_that_starts_bounds_the_filter(tmp_path):
    assignment = {"role": "r", "subject": {"type": "u", "id": "a"}, "starts_at": "2026-02-01T00:00:00.25Z"}
    document = model({"roles": ["r"]}, assignments=[assignment])
    tree, context = found(tmp_path, document, asking())
    assert (tree, context["valid_until"]) == (NONE, "2026-02-01T00:00:00.25Z")
    engine = engine_for(document, tmp_path / "m.bundle")
    assert decided(engine, asking(), NOW + 40 * 86_400)["filter"] == EVERY


def test_one_assignment_after_another_does_not_bound_the_filter(tmp_path):
    subject, month = {"type": "u", "id": "a"}, "2026-02-01T00:00:00Z"
    rows = [
        {"role": "r", "subject": subject, "expires_at": month},
        {"role": "r", "subject": subject, "starts_at": month},
    ]
    tree, context = found(tmp_path, model({"roles": ["r"]}, assignments=rows), asking())
    assert (tree, context["valid_until"]) == (EVERY, None)


def test_a_grant_that_starts_bounds_the_filter_that_lists_grants(tmp_path):
    """F3: of two grants on one resource, only the ends of their union count."""
    subject, read = {"type": "u", "id": "a"}, ["read"]
    spans = (
        ("x", {"expires_at": "2026-03-01T00:00:00Z"}),
        ("x", {"starts_at": "2026-02-01T00:00:00Z"}),
        (
            "y",
            {"starts_at": "2026-04-01T00:00:00Z", "expires_at": "2026-05-01T00:00:00Z"},
        ),
    )
    grants = [
        {"id": f"g{number}", "subject": subject, "resource": {"type": "d", "id": id}, "actions": read, **more}
        for number, (id, more) in enumerate(spans)
    ]
    document = model(grants=grants)
    tree, context = found(tmp_path, document, asking(), include_direct=True)
    assert (tree["value"], context["valid_until"]) == ("x", "2026-04-01T00:00:00Z")
    engine = engine_for(document, tmp_path / "m.bundle")
    for days, shown in ((90, ["x", "y"]), (130, "x"), (10, "x")):
        asked = asking() | {"options": {"gates": "decide", "include_direct": True}}
        assert engine.filter(asked, NOW + days * 86_400)["filter"]["value"] == shown


@pytest.mark.parametrize(("ip", "tree"), [("10.0.0.1", NONE), ("nonsense", NONE), ("8.8.8.8", EVERY), (None, EVERY)])
def test_a_deny_whose_gates_hold_or_cannot_be_read_goes_in(ip, tree, tmp_path):
    """C7: garbage in the context switches no DENY off."""
    deny = {"effect": "DENY", "conditions": {"ip_allowlist": ["10.0.0.0/8"]}}
    assert found(tmp_path, model({}, deny), asking(**({"ip": ip} if ip else {})))[0] == tree


def test_without_a_context_the_gates_are_decided_with_an_empty_one(tmp_path):
    needs = {"conditions": {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}}
    assert found(tmp_path, model(needs), asking())[0] == NONE
    assert found(tmp_path, model(needs), asking(mfa=True))[0] == EVERY


def test_a_rate_limit_counts_as_not_reached_and_is_named(tmp_path):
    tree, context = found(tmp_path, model({"conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}}}), asking())
    assert tree == EVERY
    assert "since it leaves open: rate limits" in context["reason"]


def test_an_undeclared_type_has_a_filter_that_is_valid_for_ever(tmp_path):
    tree, context = found(tmp_path, model(), asking() | {"resource": {"type": "e"}})
    assert (tree, context["valid_until"]) == (NONE, None)


def test_an_open_filter_has_no_end(tmp_path):
    engine = engine_for(model(HOURS), tmp_path / "m.bundle")
    for options in ({}, {"gates": "open"}, {"gates": None}):
        assert "valid_until" not in engine.filter(asking() | {"options": options}, NOW)["context"]


@pytest.mark.parametrize("gates", ["", "decided", "OPEN", 1, True, ["decide"], {}])
def test_other_values_are_refused(gates, tmp_path):
    with pytest.raises(BadRequest) as refused:
        engine_for(model(), tmp_path / "m.bundle").filter(asking() | {"options": {"gates": gates}})
    assert refused.value.path == "$.options.gates"


@pytest.mark.parametrize("value_of", ["context.tenant", "context.tenant.id"])
@pytest.mark.parametrize("sent", [{}, {"tenant": None}, {"tenant": "t1"}, {"tenant": {"id": "t1"}}])
def test_a_denial_without_a_required_attribute_shows_no_row(value_of, sent, tmp_path):
    """C12 comes before X2: without the attribute, the comparison holds for a row that has nothing to compare, too."""
    compared = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": value_of}]}
    policies = [{"id": "a", "effect": "ALLOW", **SCOPE}, {"id": "d", "effect": "DENY", "conditions": compared, **SCOPE}]
    document = {
        "extensions": ["references"],
        "resource_types": [{"id": "d", "actions": ["read"]}],
        "resources": [{"type": "d", "id": "bare"}, {"type": "d", "id": "owned", "attributes": {"owner": "t1"}}],
        "attributes": {"context": {"tenant": {"kind": "object" if "id" in value_of else "string", "required": True}}},
        "policies": policies,
    }
    request = {
        "subject": {"type": "user", "id": "u"},
        "action": {"name": "read"},
        "resource": {"type": "d", "id": "bare"},
        "context": sent,
    }
    engine = engine_for(document, tmp_path / "model.bundle")
    check(engine, document, request, NOW, [("bare", {}), ("owned", {"owner": "t1"}), ("other", {"owner": "t2"})])
    tenant = sent.get("tenant")
    unmet = tenant is None or isinstance(tenant, dict) is not ("id" in value_of)  # C12 and C13
    assert (decided(engine, request, NOW)["filter"] == {"type": "const", "value": False}) is unmet
