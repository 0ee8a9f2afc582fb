"""Operators are a closed set: every consumer knows all of them and refuses an invented one."""

import ast
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import get_args

import pandas
import pytest
from sqlalchemy import column
from writ.api.review.wording import comparison_words
from writ.api.store.search.candidate_sql import CandidateSql
from writ.bundles.conditions.comparisons import ORDERINGS, PREDICATES, constants_of, predicate
from writ.bundles.conditions.operators import (
    IS_UPWARD,
    NAMES_ITS_VALUES,
    OF_ELEMENTS,
    OPERATORS,
    TAKES_LIST,
    Operator,
    Ordering,
)
from writ.bundles.conditions.trees import domain
from writ.bundles.conditions.trees import tree as trees
from writ.bundles.conditions.trees.canonical import canonical_tree, flat_tree
from writ.bundles.conditions.trees.domain import compared_with, is_satisfiable, partition
from writ.bundles.errors import BundleError
from writ.bundles.file.clause_codec import decode_clause
from writ.bundles.program import text
from writ.bundles.program.clauses import Clause, Comparison, ResourceType
from writ.bundles.program.laws import IllegalProgram, check_clause
from writ.bundles.zones import zone_names
from writ.compiler.checks.attribute_types import check_attribute_types
from writ.compiler.checks.conditions.constants import check_constants
from writ.compiler.diagnostics.synonyms import _WORDS
from writ.compiler.language.grammar import OPERATOR_RULES
from writ.compiler.limits import DEFAULTS
from writ.compiler.lints.empty_list import empty_list
from writ.compiler.lints.overlap import Budget, can_overlap
from writ.compiler.lints.prepared_policy import PreparedPolicy, prepare_policies
from writ.compiler.load import load
from writ.compiler.model import elements
from writ.compiler.model.normal_form import normalised
from writ.compiler.passes import compile_program
from writ.compiler.rego import conditions_text
from writ.compiler.rego.conditions_text import FUNCTIONS
from writ.compiler.source import Source
from writ.runtime.filters.partial import residual_of
from writ.runtime.rules.attributes import attribute_test
from writ.runtime.rules.conditions import conjunction
from writ.runtime.rules.indexable import indexable_attributes
from writ.runtime.translate import (
    Attributes,
    BadFilter,
    Boolean,
    Decimal,
    Integer,
    Json,
    Real,
    Text,
    column_conditions,
    column_numbers,
    django,
    elasticsearch,
    mongo,
    polars,
    python,
    read_tree,
    sql,
)
from writ.runtime.translate import (
    pandas as frames,
)
from writ.runtime.translate import (
    sqlalchemy as expressions,
)
from writ.runtime.translate.sql import dialect

from tests.support.inventing import invented
from tests.support.structure import FILES, name_of, nodes

LIKE = invented(Operator, "like")

OF_ARRAYS = ["has", "has_any", "has_none"]
NODE = {"type": "field", "field": "k", "operator": LIKE, "value": "a"}
FIELDS = [Text("k"), Integer("k"), Real("k"), Decimal("k", 9), Boolean("k"), Json("k"), Attributes("k")]
TYPE = ResourceType("document", "document", ("read",), False)


def test_the_operators_are_the_contracts_nine_and_three_of_arrays_and_travel_as_text():
    assert list(Operator) == ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "regex", *OF_ARRAYS]
    assert (json.dumps(Operator.NIN), f"{Operator.NIN}", {Operator.NIN: 1}["nin"]) == ('"nin"', "nin", 1)


def test_the_invented_operator_is_as_real_as_any():
    assert isinstance(LIKE, Operator)
    assert LIKE not in list(Operator)


@pytest.mark.parametrize(
    "table",
    [
        ORDERINGS,
        IS_UPWARD,
        column_numbers._TURNED,
        dialect.COMPARES,
        polars._COMPARES,
        mongo._COMPARES,
        elasticsearch._RANGES,
    ],
)
def test_a_table_of_orderings_is_total(table):
    assert table.keys() == set(get_args(Ordering))


def test_a_table_of_operators_is_total():
    assert OPERATORS.keys() == PREDICATES.keys() == domain._HOLDS.keys() == set(Operator)
    assert FUNCTIONS.keys() == {op for op in Operator if not OF_ELEMENTS[op]}, "OPA gets none of the others"
    assert TAKES_LIST.keys() == NAMES_ITS_VALUES.keys() == OF_ELEMENTS.keys() == OPERATOR_RULES.keys() == set(Operator)
    assert comparison_words.PREDICATES.keys() == trees._RANKS.keys() == read_tree._OPERATORS.keys() == set(Operator)
    assert trees._SINGLE_VALUE.keys() == {op for op in Operator if TAKES_LIST[op] and not OF_ELEMENTS[op]}
    assert set(Operator) <= _WORDS.keys(), "authors of other products have words for every operator"
    assert {f"{name}(" in conditions_text.TEXT for name in FUNCTIONS.values()} == {True}


@pytest.mark.parametrize("column", ["symbol", "written", "phrase", "synonyms", "short", "shown"])
def test_every_operator_has_words_of_its_own(column):
    words = [getattr(row, column) for row in OPERATORS.values()]
    assert all(words)
    assert len(set(words)) == len(Operator)


def test_the_types_that_an_operator_reads_are_declared_ones():
    types = set(get_args(elements.AttributeType))
    assert all(row.reads <= types and row.unfit for row in OPERATORS.values() if row.reads is not None)
    assert not any(row.unfit for row in OPERATORS.values() if row.reads is None)


def test_nobody_branches_on_an_operator_by_its_text():
    """An operator is written as text where names are defined or shown, and nowhere else."""
    at_home = {
        "bundles/conditions/operators.py",
        "bundles/opposites.py",  # words of names that say the opposite
        "runtime/decisions/proof.py",  # how a proof shows a rate limit
        "compiler/diagnostics/synonyms.py",  # what authors write in place of an operator
        "compiler/language/advice.py",
        "runtime/translate/elasticsearch.py",  # the target's own words
    }
    texts = set(Operator) - {"in", "has"}  # JSON Schema and MongoDB have an `in` too, and English has `has`
    found = {
        name_of(path)
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in texts
    }
    assert found <= at_home


def clause(op):
    return Clause("ALLOW", "p", "", 0, None, ("document",), ("read",), (Comparison("resource_attrs", "k", op, "a"),))


MEANING = {
    "predicate": lambda: predicate(LIKE, "a"),
    "constants": lambda: constants_of(LIKE, "a"),
    "direction": lambda: IS_UPWARD[LIKE],
    "domain": lambda: partition([(LIKE, "a")]),
    "domain beside a pattern": lambda: partition([(LIKE, "a"), (Operator.REGEX, "a")]),
    "constants of a domain": lambda: compared_with((LIKE, "a")),
    "satisfiability": lambda: is_satisfiable([(LIKE, "a")]),
    "normal comparison": lambda: trees.TreeComparison.normal("k", LIKE, "a"),
    "order of comparisons": lambda: trees.TreeComparison("k", LIKE, "a").rank,
    "separable tree": lambda: canonical_tree([[("k", LIKE, "a")]], []),
    "diagram": lambda: canonical_tree([[("k", LIKE, "a"), ("j", Operator.REGEX, "a")]], []),
    "diagram of a DENY": lambda: canonical_tree([[("k", Operator.REGEX, "a")]], [[("k", LIKE, "a")]]),
    "flat tree": lambda: flat_tree([[("k", LIKE, "a")]], []),
    "text": lambda: text.show_clause(clause(LIKE)),
}


@pytest.mark.parametrize("consumer", MEANING.values(), ids=MEANING.keys())
def test_the_meaning_refuses_an_invented_operator(consumer):
    with pytest.raises((AssertionError, KeyError)):
        consumer()


def test_the_laws_refuse_an_invented_operator():
    with pytest.raises(IllegalProgram, match="every condition is legal"):
        check_clause(clause(LIKE), {"document": TYPE})


def test_the_reader_of_bundles_refuses_an_invented_operator():
    def row(op):
        return json.dumps(["ALLOW", "p", "", 0, None, [0], ["read"], [["compare", "resource_attrs", "k", op, "a"]]])

    assert decode_clause(row("eq").encode(), ["document"], []) == clause(Operator.EQ)
    assert decode_clause(row("eq").encode(), ["document"], []).body[0].op is Operator.EQ
    with pytest.raises(BundleError, match="a clause can't be read: Invalid enum value 'like'"):
        decode_clause(row("like").encode(), ["document"], [])


RULES = {
    "test": lambda: attribute_test("resource_attrs", "k", LIKE, "a"),
    "test of a path": lambda: attribute_test("resource_attrs", "k.j", LIKE, "a"),
    "conjunction": lambda: conjunction(clause(LIKE).body, "ALLOW", "document", None),
    "own key": lambda: conjunction([Comparison("resource_attrs", "id", LIKE, "a")], "DENY", "document", None),
    "own type": lambda: residual_of([Comparison("resource_attrs", "type", LIKE, "a")], "document"),
    "index of rules": lambda: indexable_attributes(clause(LIKE).body),
}


@pytest.mark.parametrize("consumer", RULES.values(), ids=RULES.keys())
def test_rules_refuse_an_invented_operator(consumer):
    with pytest.raises((AssertionError, KeyError)):
        consumer()


TARGETS = {
    **{name: lambda field, name=name: sql.where(NODE, {"k": field}, name) for name in sql.DIALECTS},
    "sqlalchemy": lambda field: expressions.expression(NODE, {"k": replace(field, column=column("k"))}, "sqlite"),
    "django": lambda field: django.q(NODE, {"k": field}, "sqlite"),
    "mongodb": lambda field: mongo.query(NODE, {"k": field}),
    "elasticsearch": lambda field: elasticsearch.query(NODE, {"k": field}),
    "polars": lambda field: polars.expression(NODE, {"k": field}),
    "pandas": lambda field: frames.mask(NODE, pandas.DataFrame({"k": ["a"]}), {"k": field}),
    "python": lambda field: python.predicate(NODE),
}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_a_filter_with_an_invented_operator_is_no_filter(target):
    with pytest.raises(BadFilter, match="`operator` of a field node is one of eq, ne, gt"):
        target(Text("k"))


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: type(field).__name__)
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_a_target_refuses_an_invented_operator_that_the_reader_lets_through(target, field, monkeypatch):
    monkeypatch.setattr(read_tree, "_OPERATORS", {**read_tree._OPERATORS, LIKE: LIKE})
    with pytest.raises((AssertionError, KeyError)):
        target(field)
    monkeypatch.setattr(read_tree, "_check_fit", lambda *_: None)
    with pytest.raises((AssertionError, KeyError)):
        target(field)


@pytest.mark.parametrize(
    "bound",
    [column_numbers.integer_bound, column_numbers.whole_bound, column_numbers.real_bound, column_numbers.read_bound],
)
def test_bounds_of_numbers_refuse_an_invented_operator(bound):
    with pytest.raises(KeyError):
        bound(LIKE, 2.5)


ORDERED = [
    column_conditions.ColumnCondition(field, column_conditions.Ordered(LIKE, 1.0), "$")
    for field in (Text("k"), Real("k"))
]
JSON_ORDERED = [
    column_conditions.JsonCondition("k", (), type, column_conditions.Ordered(LIKE, constant), "$")
    for type, constant in (("number", 1.0), ("string", "a"))
]
LAST_STEPS = {
    **{name: (found.condition, condition) for name, found in sql.DIALECTS.items() for condition in ORDERED},
    **{f"{name} JSON": (sql.DIALECTS[name].condition, JSON_ORDERED[0]) for name in ("postgresql", "mysql", "sqlite")},
    **{f"{name} text": (sql.DIALECTS[name].condition, JSON_ORDERED[1]) for name in ("postgresql", "mysql", "sqlite")},
    "polars": (polars._expression, ORDERED[1]),
    "elasticsearch": (elasticsearch._query, ORDERED[1]),
    "mongodb": (mongo._condition, JSON_ORDERED[0]),
    "mongodb text": (mongo._condition, JSON_ORDERED[1]),
}


@pytest.mark.parametrize(("step", "condition"), LAST_STEPS.values(), ids=LAST_STEPS.keys())
def test_the_last_step_to_a_target_refuses_an_invented_ordering(step, condition):
    with pytest.raises((AssertionError, KeyError)):
        step(condition)


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("key", ["k", "id"])
@pytest.mark.parametrize("constant", ["a", 1, ["a"]])
def test_candidates_of_a_search_refuse_an_invented_operator(key, constant, holds):
    comparison = trees.TreeComparison(key, LIKE, constant)
    with pytest.raises((AssertionError, KeyError)):
        CandidateSql(comparison if holds else trees.Not(comparison))


def model(value="a"):
    conditions = elements.Conditions(resource_attrs=(elements.Condition("k", LIKE, value),))
    scope = elements.Scope("document", ("read",))
    return elements.Model(
        resource_types=(elements.ResourceType("document", ("read",), attributes={"k": "string"}),),
        policies=(elements.Policy("p", "ALLOW", (scope,), conditions=conditions),),
    )


def draft(**more):
    (declared,) = model().resource_types
    return SimpleNamespace(
        model=model(**more), types={"document": declared}, limits=DEFAULTS, all_types_read=True, attributes=None
    )


def prepared():
    (policy,) = model().policies
    return PreparedPolicy(0, policy, frozenset(), {("resource_attrs", "k"): ((LIKE, "a"),)}, {})


COMPILER = {
    "constants": lambda: [*check_constants(draft())],
    "types of attributes": lambda: [*check_attribute_types(draft())],
    "empty lists": lambda: [*empty_list(draft(value=[]), [prepared()])],
    "prepared policies": lambda: prepare_policies(draft(), ()),
    "overlap": lambda: can_overlap(prepared(), prepared(), Budget(100)),
    "normal form": lambda: normalised(model().policies[0]),
    "passes": lambda: compile_program(model()),
}


@pytest.mark.parametrize("consumer", COMPILER.values(), ids=COMPILER.keys())
def test_the_compiler_refuses_an_invented_operator(consumer):
    with pytest.raises((AssertionError, KeyError)):
        consumer()


def test_a_document_with_an_invented_operator_is_refused():
    conditions = {"resource_attrs": [{"key": "k", "op": "like", "value": "a"}]}
    scope = {"resource_type_id": "document", "actions": ["read"]}
    document = {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "policies": [{"id": "p", "effect": "ALLOW", "resource_types": [scope], "conditions": conditions}],
    }
    loaded = load([Source("model.json", json.dumps(document).encode())], zone_names())
    (found,) = loaded.diagnostics
    assert loaded.model is None
    assert (found.code, found.path) == ("unknown-value", "$.policies[0].conditions.resource_attrs[0].op")
