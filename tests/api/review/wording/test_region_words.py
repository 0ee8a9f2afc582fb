"""The sentences of regions: each comparison and its negation in plain words, without a negation of a negation."""

from random import Random

import pytest
from writ.api.review.wording.region_words import region_sentences
from writ.api.review.wording.relation_phrases import KINDS
from writ.api.review.wording.relation_words import alternatives
from writ.bundles.conditions.gates import ADDRESS, INSTANT, V6_START, week
from writ.bundles.conditions.instants import EARLIEST, END
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.tree import And, Not, Or, TreeComparison
from writ.bundles.conditions.windows import WEEK_MINUTES
from writ.compiler.analysis.conditions import relations
from writ.compiler.analysis.conditions.variables import (
    AFTER,
    CLOCK,
    MISSING,
    SAME,
    UNREADABLE,
    attribute,
    now_of,
    reference,
)

from tests.support.analysing import analysed, is_valid
from tests.support.small_models import small_pair

PAIRS = 40
BRANCH = reference("resource_attrs", "branch", "subject.branch")
STATUS = TreeComparison(attribute("resource_attrs", "status"), Operator.EQ, "open")
CUT = TreeComparison(CLOCK, Operator.IN, [[0.0, float("inf")]])
BRANCHES, OWN = "the `branch` of the resource", "the `branch` of the subject"
UNLIKE = f"has a value other than {OWN}"
OTHER = f"{BRANCHES} {UNLIKE}"
DUE = "the `due` of the resource"
OPEN, CLOSED = (f'the `status` of the resource is "{one}"' for one in ("open", "closed"))
MOST_WORDS = 50


def is_related(*states: frozenset[str]) -> TreeComparison:
    """The condition that two branches have one of some relations."""
    return TreeComparison(BRANCH, Operator.IN, sorted(frozenset[str]().union(*states)))


def compared(op: Operator, value: object) -> TreeComparison:
    """The condition that a status compares with a constant."""
    return TreeComparison(attribute("resource_attrs", "status"), op, value)


def addresses(low: int, high: int) -> TreeComparison:
    """The condition that the address of the request is one of some."""
    return TreeComparison(ADDRESS, Operator.IN, [[low, high]])


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (is_related(relations.holding(Operator.NE)), OTHER),
        (Not(Not(is_related(relations.holding(Operator.NE)))), OTHER),
        (
            Not(is_related(relations.holding(Operator.EQ))),
            f"{BRANCHES} is missing, or {UNLIKE}, or has a value while the `branch` of the subject is missing",
        ),
        (is_related(relations.failing(Operator.EQ)), f"{BRANCHES} {UNLIKE}"),
        (
            is_related(relations.LEFT_MISSING, relations.failing(Operator.LTE)),
            f"{BRANCHES} is missing, or is not at most {OWN}",
        ),
        (
            is_related(relations.tested(Operator.IN, "DENY")),
            f"{BRANCHES} is one of {OWN}, or has a value while {OWN} is missing or no list",
        ),
        (
            is_related(relations.holding(Operator.EQ) & relations.unreadable(Operator.GT)),
            f"{BRANCHES} is {OWN} (which is neither a number nor a text)",
        ),
        (
            Not(compared(Operator.HAS_NONE, ["a", "b"])),
            'the `status` of the resource is missing, or is no list, or is a list that contains any of "a" or "b"',
        ),
        (Not(compared(Operator.HAS_NONE, [])), "the `status` of the resource is missing, or is no list"),
        (compared(Operator.HAS_ANY, ["a"]), 'the `status` of the resource is a list that contains "a"'),
        (Not(compared(Operator.NIN, ["a"])), 'the `status` of the resource is missing, or is "a"'),
        (compared(Operator.HAS_NONE, ["a"]), 'the `status` of the resource is a list that does not contain "a"'),
        (compared(Operator.GTE, ""), "the `status` of the resource is a text"),
        (Not(compared(Operator.GTE, "")), "the `status` of the resource is missing, or is no text"),
        (
            Not(compared(Operator.LTE, "a")),
            'the `status` of the resource is missing, or is neither the text "a" nor a text that sorts before it',
        ),
        (
            TreeComparison(now_of("resource_attrs", "due"), Operator.IN, [SAME, AFTER, MISSING, UNREADABLE]),
            f"{DUE} is missing, or is at or after the time of the request, or can't be compared with it",
        ),
        (Not(STATUS), 'the `status` of the resource is missing, or has a value other than "open"'),
        (Not(CUT), "the service's clock is before 1970-01-01T00:00:00Z"),
        (
            Not(And((STATUS, CUT))),
            (
                'either (the `status` of the resource is missing, or has a value other than "open"), '
                "or the service's clock is before 1970-01-01T00:00:00Z"
            ),
        ),
        (
            Or((And((STATUS, CUT)), compared(Operator.EQ, "closed"))),
            f"either ({OPEN} and the service's clock is from 1970-01-01T00:00:00Z on), or {CLOSED}",
        ),
        (addresses(10 * 2**24, 11 * 2**24), "the IP address in the context is within 10.0.0.0/8"),
        (
            Not(addresses(10 * 2**24, 11 * 2**24)),
            "the IP address in the context is not sent, or is outside 10.0.0.0/8, or can't be read",
        ),
        (addresses(0, V6_START + 2**128), "the IP address in the context can be read"),
        (TreeComparison(INSTANT, Operator.IN, [[EARLIEST, END]]), "the time of the request can be read"),
        (TreeComparison(week("UTC"), Operator.IN, [[0, WEEK_MINUTES]]), "the time of the request can be read"),
        (
            TreeComparison(week("UTC"), Operator.IN, [[day * 1440, day * 1440 + 90] for day in range(7)]),
            "the time of the request is on any day from 00:00 to 01:30 (UTC)",
        ),
        (
            Not(Or((Not(STATUS), Not(CUT)))),
            'the `status` of the resource is "open" and the service\'s clock is from 1970-01-01T00:00:00Z on',
        ),
    ],
)
def test_a_negation_is_said_of_each_comparison(tree, expected):
    assert region_sentences(tree) == [expected]


def test_no_region_negates_a_sentence():
    sentences = [sentence for seed in range(PAIRS) for sentence in told(seed)]
    assert len(sentences) > PAIRS
    assert not [one for one in sentences if "not so that" in one or "nor that" in one or "does not fit" in one]


EVERY = frozenset(relations.EVERY)


def test_the_relations_of_any_two_comparisons_are_told_exactly_and_in_few_words():
    tests = [relations.tested(op, effect) for op in relations.operators() for effect in ("ALLOW", "DENY")]
    sets = {part for one in tests for two in tests for part in (one - two, one & two, one | two, EVERY - one - two)}
    for states in sets - {frozenset(), EVERY}:
        found = alternatives(states, EVERY)
        assert frozenset[str]().union(*(one.relations for one in found)) == states
        words = ", or ".join(one.words for one in found)
        assert len(words.split()) <= MOST_WORDS, words


def test_any_relations_are_told_exactly():
    random = Random(46)
    for every in (EVERY, frozenset(relations.WITH_TEXTS)):
        for _ in range(60):
            states = frozenset(random.sample(sorted(every), random.randrange(1, len(every))))
            found = alternatives(states, every)
            assert frozenset[str]().union(*(one.relations for one in found)) == states


def test_a_phrase_that_names_the_kind_of_a_value_is_true_of_this_kind_alone():
    kinds = {
        "a number or a text": {"number", "string"},
        "a list": {"array"},
        "a boolean or an object": {"boolean", "object"},
    }
    every = {"number", "string", "array", "boolean", "object"}
    kinds["no list"] = every - kinds["a list"]
    kinds["neither a number nor a text"] = every - kinds["a number or a text"]
    kinds["neither a boolean nor an object"] = every - kinds["a boolean or an object"]
    assert KINDS.keys() == kinds.keys()
    for name, some in KINDS.items():
        for relation, pairs in relations.KINDS.items():
            present = {right for left, right in pairs if left is not None and right is not None}
            assert present <= (kinds[name] if relation in some else every - kinds[name])


def told(seed: int) -> list[str]:
    """The sentences of all regions of a pair of small models."""
    documents = small_pair(seed)
    if not all(map(is_valid, documents)):
        return []
    found = analysed(*documents)
    return [sentence for region in (*found.gains, *found.loses) for sentence in region_sentences(region.when)]
