"""Reason codes and access paths are closed sets, and answers carry their plain text."""

from pathlib import Path
from typing import get_args

import pytest
from writ.api.endpoints.decisions.decision_shapes import DecisionContext
from writ.api.endpoints.decisions.searches.search_shapes import SearchContext
from writ.api.http.openapi.schemas import schemas
from writ.bundles.program.clauses import Clause
from writ.runtime.rules import reasons
from writ.runtime.rules.conditions import Conjunction
from writ.runtime.rules.reasons import AccessPath, Answer, GrantingPath, PolicyPath, ReasonCode
from writ.runtime.rules.rule import make_rule

from tests.support.inventing import invented
from tests.support.structure import FILES, name_of

ORBIT = invented(AccessPath, "orbit")


def clause(effect="ALLOW"):
    return Clause(effect, "p", "", 0, None, ("document",), ("read",), ())


def answers():
    """Returns an answer of each kind that a decision can give."""
    shared = [answer for answer in vars(reasons).values() if isinstance(answer, Answer)]
    made = [reasons.allowed(clause(), path) for path in reasons.PATH_RANK]
    denied = [reasons.denied(clause("DENY"), overrides) for overrides in (True, False)]
    others = [*reasons.FOR_OTHER_ACTIONS.values(), reasons.granted("g"), reasons.condition_failed(clause(), 1)]
    return [*shared, *made, *denied, *others]


def test_the_sets_are_the_contracts():
    assert list(ReasonCode) == [
        "ALLOWED",
        "NO_POLICY_MATCH",
        "DENY_OVERRIDE",
        "EXPLICIT_DENY",
        "CONDITION_FAILED",
        "ACTION_NOT_PERMITTED",
    ]
    assert list(AccessPath) == ["direct", "role", "group", "abac", "none"]


def test_every_code_and_path_is_given_by_some_answer():
    contexts = [answer.context for answer in answers()]
    assert {context["reason_code"] for context in contexts} == set(ReasonCode)
    assert {context["access_path"] for context in contexts} == set(AccessPath)


def test_answers_carry_plain_text():
    assert {type(value) for answer in answers() for value in answer.context.values()} == {str}


def test_a_table_of_paths_is_total():
    assert reasons.PATH_RANK.keys() == reasons._THROUGH.keys() == set(get_args(PolicyPath))
    assert {*get_args(PolicyPath), AccessPath.DIRECT, AccessPath.NONE} == set(AccessPath)
    granting = {path for part in get_args(GrantingPath) for path in (get_args(part) or (part,))}
    assert granting == set(AccessPath) - {AccessPath.NONE}


def test_an_invented_path_or_effect_is_refused():
    with pytest.raises(KeyError):
        reasons.allowed(clause(), ORBIT)
    with pytest.raises(KeyError):
        make_rule(clause(), ORBIT, Conjunction((), (), 0, False, ()))
    with pytest.raises(AssertionError):
        make_rule(clause("ORBIT"), AccessPath.ROLE, Conjunction((), (), 0, False, ()))


def test_the_openapi_document_lists_what_answers_carry():
    members = schemas([DecisionContext])["DecisionContext"]["properties"]
    listed = {name: set(members[name]["anyOf"][0]["enum"]) for name in ("reason_code", "access_path")}
    assert listed == {"reason_code": set(ReasonCode), "access_path": set(AccessPath)}
    paths = schemas([SearchContext])["SearchContext"]["properties"]["access_paths"]["items"]
    assert set(paths["enum"]) == set(AccessPath) - {AccessPath.NONE}


def test_nobody_else_writes_a_reason_code():
    codes = tuple(f'"{code}"' for code in ReasonCode)
    found = {name_of(path) for path in FILES if any(code in Path(path).read_text() for code in codes)}
    examples = {
        "api/review/testing/comparing.py",
        "api/telemetry/decision_log/rendering.py",
    }  # in the examples of docstrings
    apart = {"compiler/rego/decision_text.py", "compiler/analysis/witnesses/witness.py"}  # no compiler loads the engine
    assert found - examples - apart == {"runtime/rules/reasons.py"}
