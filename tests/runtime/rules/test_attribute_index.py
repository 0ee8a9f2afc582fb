"""The index over many rules finds what trying them one after the other finds."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.bundles.program.clauses import Clause, Comparison
from writ.runtime.rules import attribute_index
from writ.runtime.rules.attribute_index import INDEXED_FROM, AttributeIndex, first_rule
from writ.runtime.rules.conditions import conjunction
from writ.runtime.rules.memberships import NOBODY
from writ.runtime.rules.reasons import AccessPath
from writ.runtime.rules.rule import first_that_holds, make_rule

# One attribute and two values are much more common than the others, so that it is indexed and several rules hold.
KEYS = st.sampled_from([*["a"] * 8, "b", "a.b", "id", "type"])
SECTIONS = st.sampled_from([*["resource_attrs"] * 8, "subject_attrs", "action_attrs", "context_attrs"])
TEXTS = st.sampled_from([*["x", "y"] * 4, "z", ""])
ATOMS = st.one_of(
    st.builds(
        Comparison, SECTIONS, KEYS, st.just("eq"), st.one_of(TEXTS, st.booleans(), st.integers(0, 1), st.just(2**61))
    ),
    st.builds(Comparison, SECTIONS, KEYS, st.just("in"), st.lists(st.one_of(TEXTS, st.just(1)), max_size=2)),
    st.builds(Comparison, SECTIONS, KEYS, st.just("ne"), TEXTS),
)
BODIES = st.lists(st.lists(ATOMS, max_size=2).map(tuple), max_size=30)
VALUES = st.one_of(TEXTS, st.sampled_from([None, True, 1, 2**61, 2.0**61, ["x"], {"b": "x"}]))
ATTRIBUTES = st.dictionaries(st.sampled_from(["a", "b", "a.b"]), VALUES, max_size=3)


def rule_of(place, body, tests=None):
    clause = Clause("ALLOW", f"p{place:03}", "", 0, None, ("document",), ("read",), body)
    made = conjunction(body, "ALLOW", "document", lambda name: None)
    return make_rule(
        clause,
        AccessPath.ABAC,
        replace(made, tests=tests) if tests else made,
    )


def place_of(rule):
    return None if rule is None else int(rule.clause.policy[1:])


@settings(max_examples=240)
@given(
    bodies=BODIES,
    attributes=st.tuples(*[ATTRIBUTES] * 4),
    ids=st.tuples(TEXTS, st.one_of(st.none(), TEXTS), st.one_of(st.none(), TEXTS)),
    indexed_from=st.sampled_from([1, 3, INDEXED_FROM]),
    parts=st.integers(1, 3),
)
def test_the_first_rule_that_holds(bodies, attributes, ids, indexed_from, parts, monkeypatch):
    """Alone, and where the rules lie in several orders."""
    monkeypatch.setattr(attribute_index, "INDEXED_FROM", indexed_from)
    (subject, resource, action, context), (stype, sid, rid) = attributes, ids
    rules = [rule_of(place, body) for place, body in enumerate(bodies)]
    asked = (stype, sid, subject, rid, resource, action, context, NOBODY, 0.0)
    holding = [place for place, rule in enumerate(rules) if all(test(*asked) for test in rule.body.tests)]
    first = holding[0] if holding else None
    assert place_of(first_that_holds(rules, *asked)) == first
    assert place_of(AttributeIndex(rules).first(*asked)) == first
    assert place_of(first_rule([AttributeIndex(rules[part::parts]) for part in range(parts)], *asked)) == first


def test_only_rules_that_can_hold_are_tried():
    tried = []

    def test_of(number):
        return lambda *_: tried.append(number) or True

    bodies = [(Comparison("resource_attrs", "project", "eq", f"p{number}"),) for number in range(100)]
    index = AttributeIndex([rule_of(place, body, (test_of(place),)) for place, body in enumerate(bodies)])
    assert index.indexed
    assert place_of(index.first("user", "alice", {}, "d1", {"project": "p70"}, {}, {}, NOBODY, 0.0)) == 70
    assert tried == [70]


@pytest.mark.parametrize(("first", "second"), [("other", "indexed"), ("indexed", "other")])
def test_the_index_keeps_the_order(first, second):
    """D8: a rule on another attribute is reported if it stands in front of what the index finds, and only then."""
    bodies = {
        "indexed": (Comparison("resource_attrs", "project", "eq", "p1"),),
        "other": (Comparison("resource_attrs", "size", "eq", 1),),
    }
    no_match = [(Comparison("resource_attrs", "project", "eq", "p2"),)] * INDEXED_FROM
    index = AttributeIndex([rule_of(n, body) for n, body in enumerate([*no_match, bodies[first], bodies[second]])])
    assert index.indexed
    found = index.first("user", "alice", {}, "d1", {"project": "p1", "size": 1}, {}, {}, NOBODY, 0.0)
    assert place_of(found) == INDEXED_FROM


def test_rules_behind_one_that_holds_are_not_tried():
    """Some compare another attribute and stand behind what the index found: they can't be the first."""
    tried = []
    body = (Comparison("resource_attrs", "project", "eq", "p1"),)
    other = (Comparison("resource_attrs", "size", "eq", 1),)
    found = [rule_of(place, body) for place in range(INDEXED_FROM)]
    places = range(INDEXED_FROM, INDEXED_FROM + 10)
    behind = [rule_of(place, other, (lambda *_: tried.append(1) or True,)) for place in places]
    index = AttributeIndex([*found, *behind])
    assert index.indexed
    assert place_of(index.first("user", "alice", {}, "d1", {"project": "p1"}, {}, {}, NOBODY, 0.0)) == 0
    assert not tried


@pytest.mark.parametrize(
    ("value", "place"), [(70, 70), (70.0, 70), (True, None), ("70", None), (None, None), ([70], None)]
)
def test_numbers_lead_to_their_rules_too(value, place):
    bodies = [(Comparison("resource_attrs", "customer", "eq", number),) for number in range(100)]
    index = AttributeIndex([rule_of(place, body) for place, body in enumerate(bodies)])
    assert index.indexed
    assert place_of(index.first("user", "alice", {}, "d1", {"customer": value}, {}, {}, NOBODY, 0.0)) == place


def test_few_rules_are_not_indexed():
    bodies = [(Comparison("resource_attrs", "project", "eq", f"p{number}"),) for number in range(INDEXED_FROM - 1)]
    assert not AttributeIndex([rule_of(place, body) for place, body in enumerate(bodies)]).indexed
