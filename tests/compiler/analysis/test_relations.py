"""Two comparisons of one attribute with one reference are solved together (X2)."""

from random import Random
from typing import Any

import pytest
from writ.api.review.wording.region_words import region_sentences
from writ.bundles.conditions.operators import Operator
from writ.bundles.declarations.kinds import kind_of
from writ.compiler.analysis.conditions import relations
from writ.compiler.analysis.conditions.relations import KINDS, WITH_TEXTS, comparison_of, operators, relation

from tests.support import oracle
from tests.support.analysing import analysed

Document = dict[str, Any]

AMOUNT, LIMIT = "the `amount` of the resource", "the `limit` of the subject"
UNLESS = "has a value other than"


def test_any_two_values_have_a_relation_that_is_known():
    random = Random(46)
    for _ in range(20_000):
        left, right = value(random), value(random)
        if isinstance(right, list) and left is not None and random.random() < 0.3:
            right.append(left)
        if isinstance(left, list) and right is not None and random.random() < 0.3 and left is not right:
            left.append(1 if isinstance(right, list) else right)
        found = relation(left, right)
        assert (kind_of(left), kind_of(right)) in KINDS[found], (left, right)
        if isinstance(left, str) and isinstance(right, list) and right and all(isinstance(one, str) for one in right):
            assert found in WITH_TEXTS


def value(random: Random, depth: int = 0) -> Any:
    """A value of any kind."""
    scalars = (None, 0, 1, "a", "b", True, {"k": 1})
    if depth < 3 and random.random() < 0.3:
        inner = (value(random, depth + 1) for _ in range(random.randrange(3)))
        return [one for one in inner if one is not None]
    return random.choice(scalars)


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
def test_the_operator_of_a_comparison_is_known_from_its_relations(effect):
    for op in operators():
        assert comparison_of(relations.tested(op, effect)) == (op, effect == "DENY")


@pytest.mark.parametrize(
    ("op", "gains", "loses"),
    [
        ("gte", [f"{AMOUNT} is greater than {LIMIT}"], [f"{AMOUNT} is less than {LIMIT}"]),
        ("lt", [], [f"{AMOUNT} is {LIMIT} (which is a number or a text)"]),
        ("gt", [f"{AMOUNT} is greater than {LIMIT}"], [f"{AMOUNT} is at most {LIMIT}"]),
        ("eq", [f"{AMOUNT} is {LIMIT} (which is neither a number nor a text)"], [f"{AMOUNT} is less than {LIMIT}"]),
    ],
)
def test_another_operator_is_told_by_what_differs(op, gains, loses):
    documents = [limited("ALLOW", "amount", one, "subject.limit") for one in ("lte", op)]
    found = analysed(*documents)
    assert found.unknown == []
    assert [region_sentences(one.when) for one in found.loses] == [[one] for one in loses]
    assert [region_sentences(one.when) for one in found.gains] == [[one] for one in gains]
    for region in (*found.gains, *found.loses):
        answers = [oracle.decide(one, region.witness.request, region.witness.now)["decision"] for one in documents]
        assert answers[0] != answers[1]


def test_a_denial_of_the_own_customer_turned_round():
    found = analysed(*(with_allow(limited("DENY", "borrower", one, "subject.customer_id")) for one in ("eq", "ne")))
    borrower, customer = "the `borrower` of the resource", "the `customer_id` of the subject"
    assert [region_sentences(one.when) for one in found.gains] == [[f"{borrower} is {customer}"]]
    assert [region_sentences(one.when) for one in found.loses] == [[f"{borrower} {UNLESS} {customer}"]]
    assert found.unknown == []


def test_groups_turned_round():
    found = analysed(*(limited("ALLOW", "team", one, "subject.groups") for one in ("in", "nin")))
    assert found.unknown == []
    assert [[one.shown.id for one in region.subjects] for region in found.loses] == [["ann"]]
    gained = [[one.shown.id for one in region.subjects] for region in found.gains]
    assert gained == [["ann"], ["bob"]]
    assert [(one.others, one.everyone) for one in found.gains] == [(False, False), (True, False)]


def limited(effect: str, key: str, op: str | Operator, value_of: str) -> Document:
    """A model with one policy, which compares with a reference."""
    condition = {"key": key, "op": op, "value_of": value_of}
    return {
        "extensions": ["references"],
        "resource_types": [{"id": "payment", "actions": ["approve"]}],
        "groups": [{"id": "north", "members": [{"type": "user", "id": "ann"}]}],
        "subjects": [{"type": "user", "id": "ann"}, {"type": "user", "id": "bob"}],
        "policies": [policy("p", effect, {"resource_attrs": [condition]})],
    }


def with_allow(document: Document) -> Document:
    """The model with a policy that allows everything."""
    return document | {"policies": [*document["policies"], policy("all", "ALLOW", {})]}


def policy(id: str, effect: str, conditions: Document) -> Document:
    """A policy for everyone."""
    scopes = [{"resource_type_id": "payment", "actions": ["approve"]}]
    return {"id": id, "effect": effect, "resource_types": scopes, "conditions": conditions}
