"""The index over many rules finds what trying them one after the other finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundles.program import Comparison
from runtime import search_rules
from runtime.conditions import conjunction
from runtime.search_rules import RuleSearch

KEYS = st.sampled_from(["a", "b", "a.b", "id", "type"])
SECTIONS = st.sampled_from(["subject_attrs", "resource_attrs", "action_attrs", "context_attrs"])
TEXTS = st.sampled_from(["x", "y", "z", ""])
ATOMS = st.one_of(
    st.builds(Comparison, SECTIONS, KEYS, st.just("eq"), st.one_of(TEXTS, st.booleans(), st.integers(0, 1))),
    st.builds(Comparison, SECTIONS, KEYS, st.just("in"), st.lists(st.one_of(TEXTS, st.just(1)), max_size=2)),
    st.builds(Comparison, SECTIONS, KEYS, st.just("ne"), TEXTS),
)
BODIES = st.lists(st.lists(ATOMS, max_size=3).map(tuple), max_size=30)
VALUES = st.one_of(TEXTS, st.sampled_from([None, True, 1, ["x"], {"b": "x"}]))
ATTRIBUTES = st.dictionaries(st.sampled_from(["a", "b", "a.b"]), VALUES, max_size=3)


@given(
    bodies=BODIES,
    attributes=st.tuples(*[ATTRIBUTES] * 4),
    ids=st.tuples(TEXTS, st.one_of(st.none(), TEXTS), st.one_of(st.none(), TEXTS)),
    indexed_from=st.sampled_from([1, 3, search_rules.INDEXED_FROM]),
)
def test_the_first_rule_that_holds(bodies, attributes, ids, indexed_from, monkeypatch):
    monkeypatch.setattr(search_rules, "INDEXED_FROM", indexed_from)
    (subject, resource, action, context), (stype, sid, rid) = attributes, ids
    tests = [conjunction(body, "ALLOW", "document", lambda name: None) for body in bodies]
    asked = (stype, sid, subject, rid, resource, action, context, 0.0)
    one_by_one = [place for place, rule in enumerate(tests) if all(test(*asked) for test in rule)]
    assert RuleSearch(bodies, tests).first(*asked) == (one_by_one[0] if one_by_one else None)


def test_only_rules_that_can_hold_are_tried():
    tried = []

    def test_of(number):
        return lambda *_: tried.append(number) or True

    bodies = [(Comparison("resource_attrs", "project", "eq", f"p{number}"),) for number in range(100)]
    search = RuleSearch(bodies, [(test_of(number),) for number in range(100)])
    assert search.indexed
    assert search.first("user", "alice", {}, "d1", {"project": "p70"}, {}, {}, 0.0) == 70
    assert tried == [70]


@pytest.mark.parametrize(
    ("value", "place"), [(70, 70), (70.0, 70), (True, None), ("70", None), (None, None), ([70], None)]
)
def test_numbers_lead_to_their_rules_too(value, place):
    bodies = [(Comparison("resource_attrs", "customer", "eq", number),) for number in range(100)]
    search = RuleSearch(bodies, [conjunction(body, "ALLOW", "document", lambda name: None) for body in bodies])
    assert search.indexed
    assert search.first("user", "alice", {}, "d1", {"customer": value}, {}, {}, 0.0) == place


def test_few_rules_are_not_indexed():
    bodies = [(Comparison("resource_attrs", "project", "eq", f"p{number}"),) for number in range(15)]
    assert not RuleSearch(bodies, [() for _ in bodies]).indexed
