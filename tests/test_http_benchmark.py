"""The benchmark over HTTP asks the same of every service in every run, and reads the answers of the others rightly."""

import json

import pytest

from tests.bench.expected import Expected
from tests.bench.http import cerbos_filters, opa_filters
from tests.bench.http.cerbos_policies import policy_files
from tests.bench.http.questions import BATCH, DECIDED, OPEN, SINGLE, questions
from tests.bench.http.rego import data, modules, opened
from tests.bench.models import company

NOW = 1_800_000_000.0
STATUS = {"variable": "request.resource.attr.status"}
DRAFT = {"expression": {"operator": "eq", "operands": [STATUS, {"value": "draft"}]}}
NOT_DRAFT = {"expression": {"operator": "not", "operands": [DRAFT]}}


@pytest.fixture(scope="module")
def document():
    return company(100)


def test_the_questions_are_the_same_in_every_run(document):
    first, second = (questions(document, NOW, count=60, batches=4) for _ in range(2))
    assert first == second
    assert [len(first[kind]) for kind in (SINGLE, OPEN, DECIDED, BATCH)] == [60, 60, 60, 4]
    assert len({json.dumps(question.request) for question in first[SINGLE]}) == 60
    for some in first.values():
        assert {answer for question in some for answer in question.right} == {True, False}


def test_the_translations_are_the_same_in_every_run(document):
    roles = Expected(document, NOW).roles
    again = company(100)
    assert modules(document) == modules(again)
    assert policy_files(document) == policy_files(again)
    assert data(document, roles, "key") == data(again, roles, "key")


def test_every_policy_is_translated(document):
    files = policy_files(document)
    for version, policies in (("default", document["policies"]), ("opened", opened(document["policies"]))):
        names = {
            rule["name"]
            for name, text in files.items()
            if name.startswith(version)
            for rule in json.loads(text)["resourcePolicy"]["rules"]
        }
        assert names == {policy["id"] for policy in policies}
    rules = sum(len(policy.get("roles", [None])) for policy in document["policies"])
    written = modules(document)
    for name in ("company.rego", "batch.rego"):
        found = written[name].count("\nallow") + written[name].count("\ndeny")
        assert found == rules, name


def test_an_open_filter_has_no_condition_on_the_context(document):
    kept = opened(document["policies"])
    assert not any("context_attrs" in policy["conditions"] for policy in kept)
    assert len(kept) < len(document["policies"])
    assert "input.context" not in modules(document)["opened.rego"]


@pytest.mark.parametrize(
    ("plan", "row", "holds"),
    [
        ({"kind": "KIND_ALWAYS_ALLOWED"}, {}, True),
        ({"kind": "KIND_ALWAYS_DENIED"}, {}, False),
        ({"kind": "KIND_CONDITIONAL", "condition": DRAFT}, {"status": "draft"}, True),
        ({"kind": "KIND_CONDITIONAL", "condition": DRAFT}, {}, False),
        ({"kind": "KIND_CONDITIONAL", "condition": NOT_DRAFT}, {"status": "draft"}, False),
        ({"kind": "KIND_CONDITIONAL", "condition": NOT_DRAFT}, {}, True),
    ],
)
def test_a_plan_of_cerbos_holds_for_the_right_rows(plan, row, holds):
    assert cerbos_filters.holds(plan, row) is holds


def _term(kind, value):
    return {"type": kind, "value": value}


def _ref(*names):
    return _term("ref", [_term("var", names[0]), *(_term("string", name) for name in names[1:])])


def _expression(operator, *terms, **more):
    return {"index": 0, "terms": [_ref(*operator.split(".")), *terms], **more}


ATTRIBUTE = _ref("input", "resource", "properties", "level")
IN_TWO = _expression("internal.member_2", ATTRIBUTE, _term("set", [_term("number", 1), _term("number", 2)]))
HIGH = _expression("gte", ATTRIBUTE, _term("number", 2))
SUPPORT = [{"package": {}, "rules": [{"head": {"name": "__not1__"}, "body": [HIGH]}]}]
NOT_SUPPORTED = {"index": 0, "negated": True, "terms": _ref("data", "partial", "__not1__")}


@pytest.mark.parametrize(
    ("result", "row", "holds"),
    [
        ({}, {"level": 1}, False),
        ({"queries": [[]]}, {}, True),
        ({"queries": [[IN_TWO]]}, {"level": 1}, True),
        ({"queries": [[IN_TWO, HIGH]]}, {"level": 1}, False),
        ({"queries": [[IN_TWO, HIGH], [IN_TWO]]}, {"level": 1}, True),
        ({"queries": [[HIGH]]}, {}, False),
        ({"queries": [[HIGH | {"negated": True}]]}, {}, True),
        ({"queries": [[NOT_SUPPORTED]], "support": SUPPORT}, {"level": 3}, False),
        ({"queries": [[NOT_SUPPORTED]], "support": SUPPORT}, {"level": 1}, True),
    ],
)
def test_a_compiled_query_of_opa_holds_for_the_right_rows(result, row, holds):
    assert opa_filters.holds(result, row) is holds
