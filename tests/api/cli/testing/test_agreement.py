"""Policy tests pass exactly if they expect what the oracle says, and coverage counts what the oracle evaluates."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from writ.api.cli.demo import demo_questions, demo_sources
from writ.api.cli.testing.session import Session
from writ.bundles.wording import quoted
from writ.compiler.limits import DEFAULTS

from tests.support import oracle
from tests.support.oracle_entities import out_of_reach, question
from tests.support.strategies import seeded_case

SEEDS = 60
NOW = 1767607200


def writable(request: Any) -> bool:
    """Whether a request can stand in a test file: no lone surrogate, no endless number, not too deep."""
    try:
        text = json.dumps(request, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        return False
    return text.count("{") + text.count("[") < DEFAULTS.nesting - 4


READ = {
    "": {"subject", "action", "resource", "context", "options"},
    "subject": {"type", "id", "external_id", "attributes", "properties"},
    "action": {"name", "properties"},
    "resource": {"type", "id", "external_id", "name", "attributes", "properties"},
    "options": {"explain", "valid_until"},
}


def read_members(request: dict[str, Any]) -> dict[str, Any]:
    """A request without the members that Writ does not read, which no test file may have."""
    whole = {name: value for name, value in request.items() if name in READ[""]}
    for owner, names in READ.items():
        if isinstance(whole.get(owner), dict):
            whole[owner] = {name: value for name, value in whole[owner].items() if name in names}
    return whole


def asked() -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Models with a dozen requests each. Other models' requests often meet them too."""
    for seed in range(SEEDS):
        document, *_ = seeded_case(seed)
        for policy in document.get("policies", ()):
            policy.get("conditions", {}).pop("rate_limit", None)  # the oracle without counters never allows by it
        requests = [seeded_case(other)[1] for other in range(seed, seed + 12)]
        yield document, [read_members(one) for one in requests if writable(one)]


def results(folder, document, tests, with_coverage=False):
    (folder / "model.json").write_text(json.dumps({"model": 1} | document))
    tests = [test | {"undeclared": True} for test in tests]
    (folder / "x.test.json").write_text(json.dumps({"now": NOW, "tests": tests}))
    session = Session(with_coverage)
    (result,) = session.results([folder])
    assert not result.problem, result.problem
    return result, list(session.coverage())


def test_what_the_oracle_says_passes_and_what_it_denies_fails(tmp_path):
    for document, requests in asked():
        right, wrong = [], []
        for number, request in enumerate(requests):
            expected = oracle.decide(document, request, NOW)
            right.append({"name": str(number), "request": request, "expect": expected})
            wrong.append({"name": str(number), "request": request, "expect": {"decision": not expected["decision"]}})
        assert all(test.passed for test in results(tmp_path, document, right)[0].tests)
        failed, _ = results(tmp_path, document, wrong)
        assert not any(test.passed for test in failed.tests)
        assert all(test.failures[0].proof for test in failed.tests), "a failure is explained"


def test_coverage_is_what_the_oracle_evaluates(tmp_path):
    untried = 0
    for document, requests in asked():
        tests = [{"name": "n", "request": one, "expect": {"decision": True}} for one in requests]
        _, lines = results(tmp_path, document, tests, with_coverage=True)
        expected = naive_gaps(document, requests)
        found = {line for line in lines if line.endswith(("types and actions", "it was never true", "never applied"))}
        assert found == expected
        untried += len(expected)
    assert untried > SEEDS, "the models have gaps to find"


def naive_gaps(document, requests):
    """The lines on policies that no request covers, and on those that never held."""
    held, covered, applicable = set(), set(), set()
    for policy in document.get("policies", ()):
        for scope in policy["resource_types"]:
            for type_ in document.get("resource_types", ()):
                if scope["resource_type_id"] in ("*", type_["id"]) and ({*scope["actions"]} & {*type_["actions"], "*"}):
                    applicable.add(policy["id"])
    for request in requests:
        question_ = question(document, request, NOW)
        if out_of_reach(document, question_):
            continue
        for policy in document.get("policies", ()):
            for scope in policy["resource_types"]:
                declared = scope["resource_type_id"] in ("*", question_.resource_type["id"])
                actions = question_.resource_type["actions"] if "*" in scope["actions"] else scope["actions"]
                if declared and question_.action in actions and question_.action in question_.resource_type["actions"]:
                    covered.add(policy["id"])
        held |= {row[0] for row in oracle.explain(document, request, NOW) if row[1] == "policy" and row[5]}
    gaps = set()
    for policy in document.get("policies", ()):
        if not policy.get("enabled", True) or policy["id"] not in applicable:
            continue
        name = f"policy {quoted(policy['id'])}"
        if policy["id"] not in covered:
            gaps.add(f"{name}: no test asks for its types and actions")
        elif policy["id"] not in held:
            denies = policy["effect"] == "DENY"
            gaps.add(f"{name}: {'the DENY was never applied' if denies else 'it was never true'}")
    return gaps


def test_the_questions_of_the_demo_are_policy_tests(tmp_path):
    for name, data in demo_sources():
        (tmp_path / name).write_bytes(data)
    tests = []
    for one in demo_questions():
        expect = {"decision": one.decision, "reason_code": one.reason_code, "access_path": one.access_path}
        more = {"policy_id": one.policy_id, "denied_by": one.denied_by}
        expect |= {name: value for name, value in more.items() if value is not None}
        tests.append({"name": one.title, "request": one.request, "expect": expect})
    (tmp_path / "demo.test.json").write_text(json.dumps({"tests": tests}))
    (result,) = Session(with_coverage=False).results([tmp_path])
    assert [test.test.name for test in result.tests if not test.passed] == []
    assert len(result.tests) == len(tests) > 5


CONDITIONS = {
    "resource_attrs": [{"key": "a", "op": "eq", "value": 1}],
    "context_attrs": [{"key": "b", "op": "eq", "value": 2}],
}
SCOPE = {"resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
GATED = {
    "resource_types": [{"id": "d", "actions": ["read", "open"]}, {"id": "e", "actions": ["read"], "closed": True}],
    "roles": [{"id": "r"}],
    "assignments": [{"role": "r", "subject": {"type": "user", "id": "alice"}}],
    "policies": [
        {"id": "p", "effect": "ALLOW", "roles": ["r"], **SCOPE, "conditions": CONDITIONS},
        {"id": "q", "effect": "DENY", "priority": 1, "resource_types": [{"resource_type_id": "e", "actions": ["*"]}]},
    ],
}


@pytest.mark.parametrize(
    ("asks", "gaps"),
    [
        ([("alice", "open", {"a": 1}, {"b": 2})], {"p: no test asks for its types and actions"}),
        (
            [("bob", "read", {"a": 1}, {"b": 2})],
            {
                "p: it was never true",
                "p: `resource.a is 1` was never true",
                "p: `resource.a is 1` was never false",
                "p: `context.b is 2` was never true",
                "p: `context.b is 2` was never false",
            },
        ),
        (
            [("alice", "read", {"a": 1}, {})],
            {"p: it was never true", "p: `resource.a is 1` was never false", "p: `context.b is 2` was never true"},
        ),
        ([("alice", "read", {"a": 1}, {"b": 2}), ("alice", "read", {}, {})], set()),
    ],
)
def test_a_condition_counts_only_for_a_request_that_its_policy_covers(tmp_path, asks, gaps):
    tests = [
        {
            "name": "n",
            "request": {
                "subject": {"type": "user", "id": subject},
                "action": {"name": action},
                "resource": {"type": "d", "id": "1", "properties": properties},
                "context": context,
            },
            "expect": {"access_path": "none"},
        }
        for subject, action, properties, context in asks
    ]
    _, lines = results(tmp_path, GATED, tests, with_coverage=True)
    found = defaultdict(set)
    for line in lines[1:]:
        name, _, rest = line.removeprefix("policy `").partition("`: ")
        found[name].add(f"{name}: {rest}")
    assert found["p"] == gaps
    assert found["q"] == {"q: no test asks for its types and actions"}


def test_a_closed_type_comes_before_its_policies(tmp_path):
    """E7: an unregistered instance never reaches them."""
    request = {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "e", "id": "1"}}
    tests = [{"name": "n", "request": request, "expect": {"decision": False}}]
    _, lines = results(tmp_path, GATED, tests, with_coverage=True)
    assert "policy `q`: no test asks for its types and actions" in lines
    _, lines = results(tmp_path, GATED | {"resources": [{"type": "e", "id": "1"}]}, tests, with_coverage=True)
    assert not any(line.startswith("policy `q`") for line in lines), "it held, and nothing can make it fail"
